//! Hosts in trouble: how long they rest, when they are left alone, and the messages about them.
//!
//! **Definition.** A host is in trouble from a failure (no connection, no robots.txt, an answer 429 or 5xx, a body cut off) until the
//! next good answer. It is asked again after growing pauses, and what it has queued waits. When it is hopeless
//! ([`Politeness::is_hopeless`](crate::politeness::Politeness::is_hopeless)) it is left alone until the crawl is opened again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::HostState;
use crate::engine::Crawl;
use crate::engine::apply::about;
use crate::event::outcome;
use crate::frontier::Lease;
use webmill_capture::error::Result;

/// Hosts in trouble that are remembered for whoever looks on.
const MOST_TROUBLED: usize = 1_000;
/// Hosts given up that are named at the end.
const MOST_NAMED: usize = 20;

/// A host in trouble, with the reason and its queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HostTrouble {
    /// Its name.
    pub host: String,
    /// Outcome of its last failure.
    pub reason: String,
    /// Failures in a row.
    pub failures: u16,
    /// Wall clock of the first of them, ms since 1970.
    pub since_ms: i64,
    /// When it is asked again, ms since 1970; [`NEVER_MS`](crate::frontier::NEVER_MS) and later: when the crawl is opened again.
    pub next_ms: i64,
}

impl HostTrouble {
    fn of(name: &str, host: &HostState, reason: String) -> HostTrouble {
        HostTrouble {
            host: name.to_owned(),
            reason,
            failures: host.failures,
            since_ms: host.trouble_since_ms,
            next_ms: host.next_ms,
        }
    }
}

/// What a crawl has not brought home.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Missing {
    /// URLs given up after their last attempt, by outcome.
    pub given_up: crate::Counted,
    /// URLs that wait on hosts left alone.
    pub waiting: u64,
    /// Hosts left alone, with what waits of them; the most first, some of them.
    pub hosts: Vec<(HostTrouble, u64)>,
    /// Hosts left alone.
    pub host_count: u64,
}

impl Missing {
    /// Number of missing URLs on all hosts.
    pub fn urls(&self) -> u64 {
        self.waiting + self.given_up.iter().map(|(_, n)| n).sum::<u64>()
    }
}

/// Hosts in trouble, some of them.
pub(super) type Troubled = BTreeMap<String, HostTrouble>;

impl Crawl {
    /// Remembers the host of `lease` if it is in trouble, for whoever looks on.
    pub(super) fn note_trouble(&mut self, lease: &Lease) {
        let host = self.frontier.host(lease);
        let Some(reason) = &host.trouble else {
            self.troubled.remove(&*lease.host);
            return;
        };
        if self.troubled.len() < MOST_TROUBLED || self.troubled.contains_key(&*lease.host) {
            let trouble = HostTrouble::of(&lease.host, host, reason.clone());
            self.troubled.insert(trouble.host.clone(), trouble);
        }
    }

    /// Lets all hosts come back that an earlier run left alone.
    pub(super) fn revive_hosts(&mut self) -> Result<u64> {
        self.frontier.revive(&mut |_, host| {
            host.verdict = None;
            (host.failures, host.away, host.errors) = (0, 0, 0);
            host.trouble = None;
            // A crawl that is opened again waits a pause of each host anyway.
            host.next_ms = 0;
        })
    }

    /// Notes of every URL that waits on a host in trouble why it was not fetched: the crawl is at its end for now.
    pub(super) fn note_waiting(&mut self) -> Result<()> {
        let mut hosts = Vec::new();
        self.frontier.each_left_alone(&mut |name, host, _| {
            let robots = host.verdict.as_deref() == Some(outcome::ROBOTS_UNREACHABLE)
                || host.trouble.as_deref() == Some(outcome::ROBOTS_UNREACHABLE);
            let verdict = if robots { outcome::ROBOTS_UNREACHABLE } else { outcome::HOST_UNREACHABLE };
            let last = host.trouble.as_deref().map_or_else(String::new, |last| format!("{last}; "));
            hosts.push((name.to_owned(), verdict, format!("{last}waits until the crawl is opened again")));
            Ok(())
        })?;
        // Events go straight into the log: a queue may hold millions.
        self.commit()?;
        let now = self.now_ms();
        let Crawl { frontier, journal, totals, seed_news, .. } = self;
        for (host, verdict, detail) in hosts {
            frontier.each_queued(&host, &mut |entry| {
                let mut event = about(&entry, verdict, now);
                event.detail = Some(detail.clone());
                seed_news.note(&event);
                totals.outcomes.add(verdict);
                journal.append(&event)
            })?;
        }
        self.commit()
    }

    /// What this crawl has not brought home so far: to be asked for when it has ended.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
    pub fn missing(&self) -> Result<Missing> {
        let mut missing = Missing { given_up: self.totals.given_up.clone(), ..Missing::default() };
        self.frontier.each_left_alone(&mut |name, host, queued| {
            missing.waiting += queued;
            missing.host_count += 1;
            let reason = host.trouble.clone().or_else(|| host.verdict.clone()).unwrap_or_default();
            let trouble = HostTrouble::of(name, host, reason);
            let at = missing.hosts.partition_point(|(_, other)| *other >= queued);
            if at < MOST_NAMED {
                missing.hosts.insert(at, (trouble, queued));
                missing.hosts.truncate(MOST_NAMED);
            }
            Ok(())
        })?;
        Ok(missing)
    }
}
