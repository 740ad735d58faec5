//! robots.txt files that a redirect moved: to be fetched when the host that has them is due.
//!
//! The host that asked stays lent until its rules are known. Where they lie on another host, that one is borrowed from
//! the frontier, so that it is not asked by two at once nor sooner than it may be.

use crate::Purpose;
use crate::engine::Crawl;
use crate::engine::absorb::about;
use crate::engine::rules::origin;
use crate::engine::task::{Flight, Step};
use crate::frontier::{Borrowed, Lease};
use crate::robots::Robots;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// How often a host that is lent is asked for again.
const AGAIN_MS: i64 = 100;
/// How long a robots.txt waits for the host that has it, before that counts as a failure.
const LONGEST_MS: i64 = 30_000;
/// Most that wait at the same time; each keeps a host lent.
const MOST: usize = 1_000;

/// One robots.txt that waits.
struct Errand {
    since_ms: i64,
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

    /// Whether another may wait.
    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < MOST
    }

    /// Lets a robots.txt wait from `since_ms` on until `due_ms`.
    pub(super) fn push(
        &mut self,
        lease: Lease,
        (origin, url, hops): (String, CanonicalUrl, u8),
        since_ms: i64,
        due_ms: i64,
    ) {
        self.waiting.push(Errand { since_ms, due_ms, lease, origin, url, hops });
    }

    /// Whether the hosts wait for each other in a ring: redirects without end.
    fn ring(&self, errand: &Errand) -> bool {
        let mut host = errand.url.host();
        for _ in 0..16 {
            if host == &*errand.lease.host {
                return true;
            }
            match self.waiting.iter().find(|other| &*other.lease.host == host) {
                Some(other) => host = other.url.host(),
                None => return false,
            }
        }
        false
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
            if let Some(rules) = self.known_rules(&errand.url, now)? {
                self.adopt(errand.lease, &errand.origin, &rules, now)?;
                continue;
            }
            let borrowed = if errand.url.host() == &*errand.lease.host {
                None
            } else {
                match self.frontier.borrow_host(&errand.url, now)? {
                    Borrowed::Lent(lease) => Some(lease),
                    Borrowed::Due { at_ms } if at_ms - errand.since_ms > LONGEST_MS => {
                        self.forgo(errand)?;
                        continue;
                    }
                    Borrowed::Busy if self.errands.ring(&errand) => {
                        // More than five redirects count as a file that is not there (RFC 9309, 2.3.1.2).
                        self.adopt(errand.lease, &errand.origin, &Robots::allow_all(), now)?;
                        continue;
                    }
                    Borrowed::Busy if now - errand.since_ms > LONGEST_MS => {
                        self.forgo(errand)?;
                        continue;
                    }
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

    /// Gives an errand up for now: its host has no rules until it is asked again.
    fn forgo(&mut self, errand: Errand) -> Result<()> {
        let mut event = about(&errand.lease.entry, "", self.now_ms());
        event.url = errand.url.into_string();
        event.purpose = Purpose::Robots;
        event.origin = None;
        self.no_rules(errand.lease, event, None, true)
    }

    /// The rules that `url` names, where it is the robots.txt of an origin whose rules are known.
    fn known_rules(&mut self, url: &CanonicalUrl, now: i64) -> Result<Option<std::sync::Arc<Robots>>> {
        if url.path_and_query() != "/robots.txt" {
            return Ok(None);
        }
        self.rules_of(&origin(url), now)
    }
}
