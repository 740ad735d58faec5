//! What a fetch is given and what it hands back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::Purpose;
use crate::archive::{Packed, Stored, Via, hops, pack};
use crate::engine::Crawl;
use crate::engine::brake::refused_by_head;
use crate::engine::rendered::Taken;
use crate::engine::revisit::{Facts, Repeats};
use crate::fetch::{Failure, Fetched, Method, Request};
use crate::frontier::Lease;
use crate::page::Reading;
use crate::render::Part;
use crate::scope::Standing;
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Response};

/// Bytes of a robots.txt that are fetched: more than must be read (RFC 9309, 2.5: 500 KiB).
pub(super) const ROBOTS_BYTES: u64 = 1 << 20;
/// Bytes of a sitemap, as the protocol allows.
const SITEMAP_BYTES: u64 = 50 << 20;

/// A request on its way.
pub(super) struct InFlight {
    /// The host leased to it, with the URL that asked for it.
    pub lease: Lease,
    /// What is being fetched.
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

/// What a fetch gave, for the writer thread to apply.
pub(super) struct FetchResult {
    pub ticket: usize,
    pub fetched: Fetched,
    pub reading: Option<Reading>,
    /// What a page's answer says of it.
    pub facts: Option<Facts>,
    /// The records to be stored, ready to be appended.
    pub packed: Result<Option<Packed>>,
    /// What the page asked for while it was rendered.
    pub parts: Vec<Part>,
}

impl Crawl {
    /// Sends `request` out for `url`.
    pub(super) fn launch(&mut self, request: InFlight, url: CanonicalUrl, purpose: Purpose) -> Result<()> {
        let known = match request.step {
            Step::Entry => self.known(&request.lease)?,
            Step::Robots { .. } => None,
        };
        let entry = &request.lease.entry;
        let (standing, origin) = (Standing::from(entry), entry.origin.clone());
        let found = self.options.archive.via.then(|| {
            let last = if entry.purpose == Purpose::Sitemap { 'S' } else { 'L' };
            (entry.referrer.clone(), hops(entry.depth, entry.redirects, last))
        });
        let pause = self.polite(&request.lease.host).pause(self.frontier.host(&request.lease));
        let keep = pause <= self.options.fetch.keep_alive_ms;
        // A body that is left costs the connection, which is nothing where it ends anyway.
        let head_first =
            keep && known.is_none() && purpose == Purpose::Page && self.asks_head(&request.lease);
        if purpose == Purpose::Page {
            self.pages_in_flight += 1;
        }
        self.in_flight += 1;
        let ticket = match self.free.pop() {
            Some(ticket) => {
                self.requests[ticket] = Some(request);
                ticket
            }
            None => {
                self.requests.push(Some(request));
                self.requests.len() - 1
            }
        };
        let (fetcher, reader, results) = (self.fetcher.clone(), self.reader.clone(), self.sender.clone());
        let (archive, logins) = (self.options.archive.clone(), self.logins.clone());
        let max_body_bytes = match purpose {
            Purpose::Page => self.options.fetch.max_body_bytes,
            Purpose::Requisite => self.options.requisites.max_body_bytes,
            Purpose::Sitemap => SITEMAP_BYTES,
            Purpose::Robots => ROBOTS_BYTES,
        };
        let history = self.options.history && matches!(purpose, Purpose::Page | Purpose::Sitemap);
        let shift_ms = self.clock_shift_ms;
        let render = self.rendering(&url, purpose, pause);
        let Some(threads) = &self.threads else { return Ok(()) };
        let sender = ResultSender { ticket, results, sent: false };
        threads.spawn(async move {
            let accept = |status: u16, media_type: &str| {
                purpose != Purpose::Page
                    || !(200..300).contains(&status)
                    || reader.scope.answer(&url, standing, media_type).accepted
            };
            let method = Method::Get;
            // What a page is without its scripts says little of what it is with them.
            let conditions = known.as_ref().filter(|_| render.is_none());
            let conditions = conditions.and_then(|known| known.conditions.as_ref());
            let conditional = conditions.map(|(etag, modified)| (etag.as_str(), modified.as_str()));
            let request =
                Request { url: &url, method, max_body_bytes, accept: Some(&accept), keep, conditional };
            let refused = if head_first { refused_by_head(&fetcher, request, pause).await } else { None };
            let fetched = match (refused, purpose) {
                (Some(refused), _) => refused,
                (None, Purpose::Page | Purpose::Requisite) => {
                    logins.fetch(&fetcher, request, Duration::from_millis(pause)).await
                }
                (None, Purpose::Sitemap | Purpose::Robots) => fetcher.fetch(request).await,
            };
            let mut reading = None;
            let mut packed = Ok(None);
            let mut facts = None;
            let mut parts = Vec::new();
            if let Ok(received) = &fetched.result {
                if purpose != Purpose::Robots && !received.refused_by_accept {
                    // A page that makes the reader panic is a bug of ours; it must not cost the crawl.
                    let read = AssertUnwindSafe(|| reader.read(&url, purpose, standing, &received.raw));
                    reading = Some(catch_unwind(read).unwrap_or_else(|_| Reading {
                        defect: Some("the page could not be read".into()),
                        ..Reading::default()
                    }));
                }
                let mut tree = None;
                if let Some(render) = render {
                    (tree, parts) = render.open(&url, standing, received, &reader, &mut reading).await;
                }
                let page = purpose.is_stored() && (200..300).contains(&received.status);
                if history {
                    let response = Response::parse(&received.raw);
                    facts = Some(Facts::of(&response, reading.as_ref(), conditional.is_some()));
                }
                let revisit = known.as_ref().zip(facts.as_ref()).and_then(|(known, facts)| {
                    known.revisit(url.as_str(), received.status, received.broke_off(), facts)
                });
                // A request that brought nothing new would take as much room as what it brought; the event log says what it was.
                let sent = if revisit.is_some() { Vec::new() } else { without_secrets(&fetched.sent) };
                let stored = Stored {
                    url: url.as_str(),
                    origin: origin.as_deref(),
                    date_ms: fetched.started_ms + shift_ms,
                    ip: fetched.ip,
                    request: &sent,
                    raw: &received.raw,
                    truncated: received.truncated,
                    http2: received.http2,
                    page,
                    revisit: revisit.as_ref().map(Repeats::as_revisit),
                    via: found.as_ref().map(|(url, hops)| Via { url: url.as_deref(), hops }),
                    rendered: tree.as_ref().map(Taken::as_stored),
                    ..Stored::default()
                };
                // What was not wanted leaves an event and no hollow record.
                if !received.refused_by_accept {
                    packed = pack(&stored, &archive);
                }
            }
            // The writer thread may be gone already; then nobody is interested.
            sender.send(FetchResult { ticket, fetched, reading, facts, packed, parts });
        });
        Ok(())
    }

    /// Takes the request of `ticket` out of the table.
    pub(super) fn take_request(&mut self, ticket: usize) -> Option<InFlight> {
        let request = self.requests.get_mut(ticket)?.take()?;
        self.free.push(ticket);
        self.in_flight -= 1;
        if matches!(request.step, Step::Entry) && request.lease.entry.purpose == Purpose::Page {
            self.pages_in_flight -= 1;
        }
        Some(request)
    }
}

/// Sends a result to the writer thread, also when the fetch panics: else its host would be leased for ever.
struct ResultSender {
    ticket: usize,
    results: std::sync::mpsc::Sender<FetchResult>,
    sent: bool,
}

impl ResultSender {
    fn send(mut self, result: FetchResult) {
        self.sent = true;
        let _ = self.results.send(result);
    }
}

impl Drop for ResultSender {
    fn drop(&mut self) {
        if self.sent {
            return;
        }
        let fetched = Fetched {
            started_ms: 0,
            elapsed: Duration::ZERO,
            ip: None,
            sent: Vec::new(),
            result: Err(Failure::Protocol("internal error: the fetch did not end".into())),
        };
        let _ = self.results.send(FetchResult {
            ticket: self.ticket,
            fetched,
            reading: None,
            facts: None,
            packed: Ok(None),
            parts: Vec::new(),
        });
    }
}

/// A request without what it proves who is asking by, nor any header of the user's own: archives are given to others.
pub(crate) fn without_secrets(request: &[u8]) -> Vec<u8> {
    const KNOWN: [&str; 12] = [
        "host",
        "user-agent",
        "from",
        "referer",
        "accept",
        "accept-encoding",
        "accept-language",
        "accept-charset",
        "connection",
        "if-none-match",
        "if-modified-since",
        "range",
    ];
    let known = |(n, line): &(usize, &[u8])| {
        let name = line.split(|b| *b == b':').next().unwrap_or_default();
        *n == 0
            || line.trim_ascii().is_empty()
            || KNOWN.iter().any(|k| k.as_bytes().eq_ignore_ascii_case(name))
    };
    let lines = request.split_inclusive(|b| *b == b'\n').enumerate().filter(known);
    lines.flat_map(|(_, line)| line).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn secrets_are_not_archived() {
        let request =
            b"GET / HTTP/1.1\r\nHost: a.example\r\nCookie: a=b\r\nX-Api-Key: k\r\nAUTHORIZATION: Basic eA==\r\n\r\n";
        assert_eq!(without_secrets(request), b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n");
        assert_eq!(without_secrets(b""), b"");
    }
}
