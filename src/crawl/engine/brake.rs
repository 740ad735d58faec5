//! URLs of a host that are left out because of earlier answers: copies by pattern, media types by ending.

use std::time::Duration;

use crate::Purpose;
use crate::engine::Crawl;
use crate::event::outcome;
use crate::fetch::{Fetched, Fetcher, Method, Received, Request};
use crate::frontier::Lease;
use crate::page::Reading;
use webmill_capture::Response;

impl Crawl {
    /// Why the page of `lease` is not asked for: outcome and detail. To be called once for each URL.
    pub(super) fn left_out(&mut self, lease: &Lease) -> Option<(&'static str, String)> {
        let entry = &lease.entry;
        if entry.purpose != Purpose::Page || entry.retries > 0 || entry.postponed > 0 || entry.depth == 0 {
            return None;
        }
        let host = self.frontier.host_mut(lease);
        let brake = self.options.brake;
        let refused = brake.then(|| host.duplicate_throttle.refuses(&entry.url, entry.depth)).flatten();
        let left = match refused {
            Some(pattern) => (outcome::PATTERN_CUT, pattern),
            None => {
                let scope = &self.reader.scope;
                let takes = |media_type: &str| scope.answer(&entry.url, entry, media_type).accepted;
                (outcome::MEDIA_TYPE, host.kinds.refuses(&entry.url, self.kinds, &takes)?)
            }
        };
        Some(left)
    }

    /// Whether the head of the page of `lease` is asked for before its body.
    pub(super) fn asks_head(&self, lease: &Lease) -> bool {
        let entry = &lease.entry;
        entry.purpose == Purpose::Page
            && entry.depth > 0
            && self.frontier.host(lease).kinds.is_doubtful(&entry.url, self.kinds)
    }

    /// A 2xx answer for the page of `lease`: of a type that is taken or, with the type as detail of its event, not.
    pub(super) fn learn_kind(&mut self, lease: &Lease, received: &Received) -> Option<String> {
        let taken = !received.refused_by_accept;
        // What a page needs is taken whatever it is: that says nothing of pages.
        if lease.entry.purpose == Purpose::Page {
            self.frontier.host_mut(lease).kinds.learn(&lease.entry.url, taken, self.kinds);
        }
        if taken {
            return None;
        }
        let response = Response::parse(&received.raw[..received.head_len]);
        let detail = response.media_type().unwrap_or_else(|| "unknown".into()).replace(',', " ");
        Some(detail)
    }

    /// A page of markup was stored.
    pub(super) fn watch_copies(&mut self, lease: &Lease, reading: &Reading) {
        if self.options.brake {
            let host = self.frontier.host_mut(lease);
            host.duplicate_throttle.observe(&lease.entry.url, reading.fingerprint.as_ref());
        }
    }
}

/// The answer to a request for the head of a page, where it is of a type that is not wanted. Otherwise the host has rested
/// once more.
pub(super) async fn refused_by_head(
    fetcher: &Fetcher,
    request: Request<'_>,
    pause_ms: u64,
) -> Option<Fetched> {
    let mut fetched = fetcher.fetch(Request { method: Method::Head, ..request }).await;
    if let (Ok(received), Some(accept)) = (&mut fetched.result, request.accept) {
        let head = Response::parse(&received.raw);
        // Asked here: a head that is all of its answer is not held against it on the way.
        if !accept(received.status, head.media_type().as_deref().unwrap_or_default()) {
            received.refused_by_accept = true;
            return Some(fetched);
        }
    }
    tokio::time::sleep(Duration::from_millis(pause_ms)).await;
    None
}
