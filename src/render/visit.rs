//! One opening of one page: its limits, and what its requests came to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;
use webmill_capture::CanonicalUrl;

use crate::exchange::{Exchange, NoAnswer};

/// A request of a page, and what came of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PageResource {
    /// What was asked for.
    pub url: CanonicalUrl,
    /// Status of the answer.
    pub status: Option<u16>,
    /// Bytes of the answer.
    pub bytes: u64,
}

/// A page after its scripts ran.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Rendered {
    /// Its address at the end: that of redirects, or of a script that rewrote it.
    pub final_url: String,
    /// The tree as HTML, UTF-8; open shadow trees as `template shadowrootmode`. Empty: the page could not be brought to give it.
    pub html: Vec<u8>,
    /// The tree was longer than is taken.
    pub cut: bool,
    /// Where the page wanted to go on to by itself, by script or refresh: not followed.
    pub onward: Vec<String>,
    /// Its requests that were answered, in the order of their ends.
    pub requests: Vec<PageResource>,
    /// Requests not made, by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// Requests that failed, by reason.
    pub failed: BTreeMap<&'static str, u64>,
    /// The page did not come to rest in its time and was taken as it was.
    pub timed_out: bool,
    /// Its process died, or was ended for the memory it took.
    pub crashed: bool,
    /// Errors that its scripts left to nobody.
    pub script_errors: u64,
    /// Dialogs dismissed.
    pub dialogs: u64,
    /// Windows closed that the page opened.
    pub popups: u64,
}

/// The state of an opening, shared by the proxy and who looks at the page.
pub(crate) struct Visit {
    pub exchange: Arc<dyn Exchange>,
    /// The page's own URL.
    pub url: CanonicalUrl,
    max_requests: usize,
    max_bytes: u64,
    tally: Mutex<Tally>,
}

#[derive(Default)]
struct Tally {
    begun: usize,
    in_flight: usize,
    /// When the last request ended or the visit began.
    quiet_since: Option<Instant>,
    /// How long no request was on its way, up to `quiet_since`.
    own: std::time::Duration,
    bytes: u64,
    asked: Vec<PageResource>,
    refused: BTreeMap<&'static str, u64>,
    failed: BTreeMap<&'static str, u64>,
}

impl Visit {
    pub fn new(url: CanonicalUrl, exchange: Arc<dyn Exchange>, max_requests: usize, max_bytes: u64) -> Visit {
        let tally = Tally { quiet_since: Some(Instant::now()), ..Tally::default() };
        Visit { exchange, url, max_requests, max_bytes, tally: Mutex::new(tally) }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request that is not made.
    pub fn refuse(&self, reason: &'static str) {
        *self.tally().refused.entry(reason).or_default() += 1;
    }

    /// Lets a request begin; it ends when the returned guard is dropped.
    ///
    /// # Errors
    /// The limit that is reached.
    pub fn begin(&self) -> Result<OnItsWay<'_>, &'static str> {
        let mut tally = self.tally();
        if tally.begun >= self.max_requests {
            return Err("page-requests");
        }
        if tally.bytes >= self.max_bytes {
            return Err("page-bytes");
        }
        tally.begun += 1;
        tally.in_flight += 1;
        if let Some(since) = tally.quiet_since.take() {
            tally.own += since.elapsed();
        }
        drop(tally);
        Ok(OnItsWay(self))
    }

    /// Notes an answer.
    pub fn answered(&self, url: CanonicalUrl, status: Option<u16>, bytes: u64) {
        let mut tally = self.tally();
        tally.bytes += bytes;
        tally.asked.push(PageResource { url, status, bytes });
    }

    /// Notes why there is none.
    pub fn unanswered(&self, why: NoAnswer) {
        let mut tally = self.tally();
        let tally = &mut *tally;
        let (counts, reason) = match why {
            NoAnswer::Refused(reason) => (&mut tally.refused, reason),
            NoAnswer::Failed(reason) => (&mut tally.failed, reason),
        };
        *counts.entry(reason).or_default() += 1;
    }

    /// How long no request has been on its way; `None`: one is.
    pub fn quiet(&self) -> Option<std::time::Duration> {
        self.tally().quiet_since.map(|since| since.elapsed())
    }

    /// How long, in all, no request was on its way: the time that the page took itself.
    pub fn own_time(&self) -> std::time::Duration {
        let tally = self.tally();
        tally.own + tally.quiet_since.map_or(std::time::Duration::ZERO, |since| since.elapsed())
    }

    /// Moves what was counted into `rendered`.
    pub fn sum_up(&self, rendered: &mut Rendered) {
        let mut tally = self.tally();
        rendered.requests = std::mem::take(&mut tally.asked);
        rendered.refused = std::mem::take(&mut tally.refused);
        rendered.failed = std::mem::take(&mut tally.failed);
    }
}

/// A request on its way.
pub(crate) struct OnItsWay<'a>(&'a Visit);

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        let mut tally = self.0.tally();
        tally.in_flight -= 1;
        if tally.in_flight == 0 {
            tally.quiet_since = Some(Instant::now());
        }
    }
}
