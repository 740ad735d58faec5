//! robots.txt files that a redirect moved: to be fetched when the host that has them is due.
//!
//! The host that asked stays lent until its rules are known. Where they lie on another host, that one is borrowed from
//! the frontier, so that it is not asked by two at once nor sooner than it may be.

use crate::capture::CanonicalUrl;
use crate::crawl::Purpose;
use crate::crawl::engine::Crawl;
use crate::crawl::engine::task::{Flight, Step};
use crate::crawl::frontier::{Borrowed, Lease};
use crate::error::Result;

/// How often a host that is lent is asked for again.
const AGAIN_MS: i64 = 100;

/// One robots.txt that waits.
struct Errand {
    due_ms: i64,
    lease: Lease,
    origin: String,
    url: CanonicalUrl,
    hops: u8,
}

/// All that wait.
#[derive(Default)]
pub(super) struct Errands {
    waiting: Vec<Errand>,
}

impl Errands {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// When the first one is due.
    pub(super) fn next_due(&self) -> Option<i64> {
        self.waiting.iter().map(|e| e.due_ms).min()
    }

    pub(super) fn push(&mut self, lease: Lease, origin: String, url: CanonicalUrl, hops: u8, due_ms: i64) {
        self.waiting.push(Errand { due_ms, lease, origin, url, hops });
    }
}

impl Crawl {
    /// Sends out every errand that is due.
    pub(super) fn run_errands(&mut self) -> Result<()> {
        let now = self.now_ms();
        let mut at = 0;
        while at < self.errands.waiting.len() {
            if self.errands.waiting[at].due_ms > now {
                at += 1;
                continue;
            }
            let mut errand = self.errands.waiting.swap_remove(at);
            let borrowed = if errand.url.host() == &*errand.lease.host {
                None
            } else {
                match self.frontier.borrow_host(&errand.url, now)? {
                    Borrowed::Lent(lease) => Some(lease),
                    Borrowed::Due { at_ms } => {
                        errand.due_ms = at_ms.max(now + 1);
                        self.errands.waiting.push(errand);
                        continue;
                    }
                    Borrowed::Busy => {
                        errand.due_ms = now + AGAIN_MS;
                        self.errands.waiting.push(errand);
                        continue;
                    }
                }
            };
            let url = errand.url.clone();
            let step = Step::Robots { origin: errand.origin, url: errand.url, hops: errand.hops, borrowed };
            self.launch(Flight { lease: errand.lease, step }, url, Purpose::Robots);
        }
        Ok(())
    }
}
