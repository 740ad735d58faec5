//! How a crawl goes, for whoever looks on.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::engine::{Crawl, HostTrouble, Totals};
use crate::focus::FocusCounts;
use crate::frontier::FrontierStats;

/// Between two looks.
const PERIOD: Duration = Duration::from_millis(500);
/// Rates are means over this many looks.
const WINDOW: usize = 20;

webmill_capture::words! {
    /// Why [`Crawl::run`] came to its end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Ended {
        /// Nothing is left.
        Finished = "finished",
        /// At the limit of pages.
        Pages = "page limit",
        /// It has the relevant pages that it was to find.
        Target = "target reached",
        /// At the limit of bytes.
        Bytes = "byte limit",
        /// At the limit of time.
        Time = "time limit",
        /// Only hosts in trouble were left, and it was not to wait any longer for them.
        Patience = "gave up waiting",
        /// It was asked to stop.
        Stopped = "stopped",
    }
}

/// A look at a running crawl.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// Since the crawl was opened.
    pub elapsed: Duration,
    /// Counts since the crawl began, over all its resumptions.
    pub totals: Totals,
    /// Pages stored a second, lately.
    pub pages_per_second: f64,
    /// Bytes received a second, lately.
    pub bytes_per_second: f64,
    /// The queues.
    pub frontier: FrontierStats,
    /// Requests on their way.
    pub in_flight: usize,
    /// Hosts in trouble, some of them, by name.
    pub troubled: Vec<HostTrouble>,
    /// Time left, where a limit allows an estimate.
    pub eta: Option<Duration>,
    /// An operator lets it pause.
    pub paused: bool,
    /// The worst of the hosts in trouble, with the URLs that wait for them as counted lately.
    pub worst: Vec<(HostTrouble, u64)>,
    /// Hosts in trouble, all that are remembered.
    pub troubled_hosts: u64,
    /// The effects of its operator's commands.
    pub operated: Operated,
    /// Since the last answer came in.
    pub idle: Duration,
    /// The host that everything waits for, where that is longer than a minute, and until when, ms since 1970.
    pub long_wait: Option<(String, i64)>,
    /// Bytes that the process holds in memory, where that is known.
    pub resident_bytes: Option<u64>,
    /// How a focused crawl does.
    pub focus: Option<FocusCounts>,
    /// The last look: fetching has ended.
    pub last: bool,
}

/// What of a look at a crawl is its operator's doing.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Operated {
    /// Patterns of what is dropped.
    pub drops: Vec<String>,
    /// Hosts parked by an operator.
    pub parked: Vec<String>,
    /// Number of the last command that was obeyed.
    pub obeyed: u64,
    /// The last commands that could not be obeyed, by number, with the reason.
    pub unobeyed: Vec<(u64, String)>,
    /// Least pause between two requests to a host, ms.
    pub delay_ms: u64,
    /// Limit of pages.
    pub page_limit: Option<u64>,
    /// Bytes that the frontier may use.
    pub memory_bytes: u64,
}

/// Looks on while a crawl runs.
pub trait Observer {
    /// Called about twice a second from the writer thread: must be quick.
    fn look(&mut self, snapshot: &Snapshot);
}

/// Counts of the last seconds.
#[derive(Default)]
pub(super) struct Samples {
    last: VecDeque<(Instant, u64, u64)>,
}

impl Crawl {
    /// Lets `observer` look if it is time, or if this is the `last` look.
    pub(super) fn observe(&mut self, observer: &mut dyn Observer, last: bool) {
        let now = Instant::now();
        if !last && !self.has_news() && self.samples.last.back().is_some_and(|(at, ..)| now - *at < PERIOD) {
            return;
        }
        let samples = &mut self.samples.last;
        samples.push_back((now, self.totals.stored, self.totals.bytes));
        if samples.len() > WINDOW {
            samples.pop_front();
        }
        let (mut pages_per_second, mut bytes_per_second) = (0.0, 0.0);
        if let (Some(first), Some(newest)) = (samples.front(), samples.back()) {
            let seconds = (newest.0 - first.0).as_secs_f64();
            if seconds > 0.0 {
                pages_per_second = (newest.1 - first.1) as f64 / seconds;
                bytes_per_second = (newest.2 - first.2) as f64 / seconds;
            }
        }
        let worst = self.worst_troubles();
        let snapshot = Snapshot {
            elapsed: self.started.elapsed(),
            totals: self.totals.clone(),
            pages_per_second,
            bytes_per_second,
            frontier: self.frontier.stats(),
            in_flight: self.requests.in_flight,
            troubled: self.troubled.values().take(64).cloned().collect(),
            eta: self.eta(pages_per_second, bytes_per_second),
            paused: self.operator.is_paused(),
            worst,
            troubled_hosts: self.troubled.len() as u64,
            operated: self.operated(),
            idle: self.answered_at.elapsed(),
            long_wait: self.long_wait.clone().map(|(host, until_ms)| (host, until_ms - self.lead_ms)),
            resident_bytes: resident_bytes(),
            focus: self.focus_counts(),
            last,
        };
        self.publish(&snapshot);
        observer.look(&snapshot);
    }

    /// The nearest of the limits.
    fn eta(&self, pages_per_second: f64, bytes_per_second: f64) -> Option<Duration> {
        let limits = &self.options.limits;
        let at_rate = |left: u64, rate: f64| {
            (rate > 0.0).then(|| left as f64 / rate).filter(|s| *s < 1e9).map(Duration::from_secs_f64)
        };
        let pages =
            limits.pages.and_then(|n| at_rate(n.saturating_sub(self.totals.stored), pages_per_second));
        let bytes = limits.bytes.and_then(|n| at_rate(n.saturating_sub(self.totals.bytes), bytes_per_second));
        let time = limits.seconds.map(|n| Duration::from_secs(n).saturating_sub(self.started.elapsed()));
        [pages, bytes, time].into_iter().flatten().min()
    }
}

/// Bytes of the process in memory: the second number of `/proc/self/statm`, in pages.
fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    #[cfg(unix)]
    // SAFETY: sysconf reads a constant of the system; it takes no pointer.
    let page_bytes = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    #[cfg(not(unix))]
    let page_bytes = 4096;
    Some(pages * page_bytes)
}
