//! Requests on their way, as the writer thread sees them: sent out, kept in a table, taken back.

use std::sync::mpsc::{Receiver, Sender, channel};

use crate::Purpose;
use crate::archive::hops;
use crate::engine::Crawl;
use crate::engine::fetch_task::{FetchResult, FetchTask, ResultSender};
use crate::frontier::Lease;
use crate::scope::Standing;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Bytes of a robots.txt that are fetched: more than must be read (RFC 9309, 2.5: 500 KiB).
pub(super) const ROBOTS_BYTES: u64 = 1 << 20;
/// Bytes of a sitemap, as the protocol allows.
const SITEMAP_BYTES: u64 = 50 << 20;

/// A request on its way.
pub(super) struct InFlight {
    /// The host leased to it, with the URL that asked for it.
    pub lease: Lease,
    /// The request in progress.
    pub step: Step,
}

/// What a request fetches.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one a connection, and a box would cost an allocation a request"
)]
pub(super) enum Step {
    /// The URL of the lease.
    Entry,
    /// The robots.txt of the URL's origin, perhaps after redirects.
    Robots {
        /// `scheme://host:port` that the rules are for.
        origin: String,
        /// Where they are looked for now.
        url: CanonicalUrl,
        /// Redirects so far.
        hops: u8,
        /// The host that serves them, where a redirect led to another one.
        borrowed: Option<Lease>,
    },
}

/// The requests on their way, by ticket.
pub(super) struct Requests {
    table: Vec<Option<InFlight>>,
    free: Vec<usize>,
    /// How many there are.
    pub in_flight: usize,
    /// Those for pages.
    pub pages: u64,
    /// What came of them.
    pub results: Receiver<FetchResult>,
    sender: Sender<FetchResult>,
}

impl Requests {
    pub fn new() -> Requests {
        let (sender, results) = channel();
        Requests { table: Vec::new(), free: Vec::new(), in_flight: 0, pages: 0, results, sender }
    }

    /// Puts a request for something of this purpose into the table; its ticket.
    fn put(&mut self, request: InFlight, purpose: Purpose) -> usize {
        if purpose == Purpose::Page {
            self.pages += 1;
        }
        self.in_flight += 1;
        match self.free.pop() {
            Some(ticket) => {
                self.table[ticket] = Some(request);
                ticket
            }
            None => {
                self.table.push(Some(request));
                self.table.len() - 1
            }
        }
    }

    /// Takes the request of `ticket` out of the table.
    pub fn take(&mut self, ticket: usize) -> Option<InFlight> {
        let request = self.table.get_mut(ticket)?.take()?;
        self.free.push(ticket);
        self.in_flight -= 1;
        if matches!(request.step, Step::Entry) && request.lease.entry.purpose == Purpose::Page {
            self.pages -= 1;
        }
        Some(request)
    }
}

impl Crawl {
    /// Sends `request` out for `url`.
    pub(super) fn launch(&mut self, request: InFlight, url: CanonicalUrl, purpose: Purpose) -> Result<()> {
        let task = self.fetch_task(&request, url, purpose)?;
        let ticket = self.requests.put(request, purpose);
        let Some(threads) = &self.threads else { return Ok(()) };
        threads.spawn(task.run(ResultSender::new(ticket, self.requests.sender.clone())));
        Ok(())
    }

    /// All that the fetching of `url` needs to know.
    fn fetch_task(&mut self, request: &InFlight, url: CanonicalUrl, purpose: Purpose) -> Result<FetchTask> {
        let mut known = match request.step {
            Step::Entry => self.known(&request.lease)?,
            Step::Robots { .. } => None,
        };
        let leads = self.leads_for(&url, purpose)?;
        if let Some(known) = known.as_mut()
            && !leads.is_empty()
            && self.frontier.has_unread_leads(&url)?
        {
            // A rule that has not read the page wants its body, changed or not.
            known.conditions = None;
        }
        let entry = &request.lease.entry;
        let via = self.options.archive.via.then(|| {
            let last = if entry.purpose == Purpose::Sitemap { 'S' } else { 'L' };
            (entry.referrer.clone(), hops(entry.depth, entry.redirects, last))
        });
        let pause_ms = self.polite(&request.lease.host).pause(self.frontier.host(&request.lease));
        let kept = self.kept_capture(known.as_ref().and_then(|known| known.capture));
        let keep = pause_ms <= self.options.fetch.keep_alive_ms;
        // A body that is left costs the connection, which is nothing where it ends anyway.
        let head_first =
            keep && known.is_none() && purpose == Purpose::Page && self.asks_head(&request.lease);
        let render = self.rendering(&url, purpose, pause_ms);
        Ok(FetchTask {
            url,
            purpose,
            standing: Standing::from(entry),
            origin: entry.origin.clone(),
            via,
            known,
            kept,
            pause_ms,
            keep,
            head_first,
            max_body_bytes: self.max_body_bytes(purpose),
            keeps_history: self.options.again.keeps_history() && purpose != Purpose::Robots,
            clock_shift_ms: self.clock_shift_ms,
            render,
            leads,
            fetcher: self.fetcher.clone(),
            reader: self.reader.clone(),
            archive: self.options.archive.clone(),
        })
    }

    fn max_body_bytes(&self, purpose: Purpose) -> u64 {
        match purpose {
            Purpose::Page => self.options.fetch.max_body_bytes,
            Purpose::Requisite => crate::requisites::MAX_BODY_BYTES,
            Purpose::Sitemap => SITEMAP_BYTES,
            Purpose::Robots => ROBOTS_BYTES,
        }
    }
}
