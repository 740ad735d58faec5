//! Redirected robots.txt files, to be fetched when the host that has them is due.
//!
//! The host that asked stays leased until its rules are known. Where they are on another host, that one is borrowed from
//! the frontier, so that it is not asked by two at once nor sooner than it may be.

use crate::Purpose;
use crate::engine::Crawl;
use crate::engine::apply::about;
use crate::engine::task::{InFlight, Step};
use crate::frontier::{Borrowed, Lease};
use crate::robots::{Robots, origin};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// How often a host that is leased is asked for again.
const AGAIN_MS: i64 = 100;
/// How long a robots.txt waits for the host that has it, before that counts as a failure.
const LONGEST_MS: i64 = 30_000;
/// Most that wait at the same time; each keeps a host leased.
const MOST: usize = 1_000;

/// One redirected robots.txt that waits.
struct RobotsRedirect {
    since_ms: i64,
    due_ms: i64,
    lease: Lease,
    origin: String,
    url: CanonicalUrl,
    hops: u8,
}

/// All that wait.
#[derive(Default)]
pub(super) struct RobotsRedirects {
    waiting: Vec<RobotsRedirect>,
}

impl RobotsRedirects {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// When the first one is due.
    pub(super) fn next_due(&self) -> Option<i64> {
        self.waiting.iter().map(|e| e.due_ms).min()
    }

    /// Whether another may wait.
    pub(super) fn has_capacity(&self) -> bool {
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
        self.waiting.push(RobotsRedirect { since_ms, due_ms, lease, origin, url, hops });
    }

    /// Whether the hosts wait for each other in a cycle: redirects without end.
    fn is_cycle(&self, redirect: &RobotsRedirect) -> bool {
        let mut host = redirect.url.host();
        for _ in 0..16 {
            if host == &*redirect.lease.host {
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
    /// Starts the fetch of every redirected robots.txt that is due.
    pub(super) fn fetch_robots_redirects(&mut self) -> Result<()> {
        let now = self.now_ms();
        let mut at = 0;
        while at < self.robots_redirects.waiting.len() {
            if self.robots_redirects.waiting[at].due_ms > now {
                at += 1;
                continue;
            }
            let mut redirect = self.robots_redirects.waiting.swap_remove(at);
            if let Some(rules) = self.known_rules(&redirect.url, now)? {
                self.adopt(redirect.lease, &redirect.origin, &rules, now)?;
                continue;
            }
            let borrowed = if redirect.url.host() == &*redirect.lease.host {
                None
            } else {
                match self.frontier.borrow_host(&redirect.url, now)? {
                    Borrowed::Leased(lease) => Some(lease),
                    Borrowed::Due { at_ms } if at_ms - redirect.since_ms > LONGEST_MS => {
                        self.abandon(redirect)?;
                        continue;
                    }
                    Borrowed::Busy if self.robots_redirects.is_cycle(&redirect) => {
                        // More than five redirects count as a file that is not there (RFC 9309, 2.3.1.2).
                        self.adopt(redirect.lease, &redirect.origin, &Robots::allow_all(), now)?;
                        continue;
                    }
                    Borrowed::Busy if now - redirect.since_ms > LONGEST_MS => {
                        self.abandon(redirect)?;
                        continue;
                    }
                    Borrowed::Due { at_ms } => {
                        redirect.due_ms = at_ms.max(now + 1);
                        self.robots_redirects.waiting.push(redirect);
                        continue;
                    }
                    Borrowed::Busy => {
                        redirect.due_ms = now + AGAIN_MS;
                        self.robots_redirects.waiting.push(redirect);
                        continue;
                    }
                }
            };
            let url = redirect.url.clone();
            let step =
                Step::Robots { origin: redirect.origin, url: redirect.url, hops: redirect.hops, borrowed };
            self.launch(InFlight { lease: redirect.lease, step }, url, Purpose::Robots)?;
        }
        Ok(())
    }

    /// Gives a redirect up for now: its host has no rules until it is asked again.
    fn abandon(&mut self, redirect: RobotsRedirect) -> Result<()> {
        let mut event = about(&redirect.lease.entry, "", self.now_ms());
        event.url = redirect.url.into_string();
        event.purpose = Purpose::Robots;
        event.origin = None;
        self.no_rules(redirect.lease, event, None, true)
    }

    /// The rules that `url` names, where it is the robots.txt of an origin whose rules are known.
    fn known_rules(&mut self, url: &CanonicalUrl, now: i64) -> Result<Option<std::sync::Arc<Robots>>> {
        if url.path_and_query() != "/robots.txt" {
            return Ok(None);
        }
        self.rules_of(&origin(url), now)
    }
}
