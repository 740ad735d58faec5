//! Hosts in trouble: how long they rest, when they are left alone, and what is said of them.
//!
//! **Definition.** A host is in trouble from a failure (no connection, no robots.txt, an answer 429 or 5xx, a body cut off) until the
//! next good answer. It is asked again after growing pauses, and what it has queued waits. When it is hopeless
//! ([`Politeness::is_hopeless`](crate::politeness::Politeness::is_hopeless)) it is left alone until the crawl is opened again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::HostState;
use crate::engine::Crawl;
use crate::engine::apply::about;
use crate::event::{Event, outcome};
use crate::frontier::{After, Lease, NEVER_MS};
use webmill_capture::error::Result;

/// Hosts in trouble that are remembered for whoever looks on.
const MOST_TROUBLED: usize = 1_000;
/// URLs in a row that get an error 5xx at their first attempt until it is the host that is out of order: a site has some pages that
/// always fail.
const OUT_OF_ORDER: u16 = 8;
/// Hosts given up that are named at the end.
const MOST_NAMED: usize = 20;

/// A host in trouble.
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
    /// When it is asked again, ms since 1970; [`NEVER_MS`] and later: when the crawl is opened again.
    pub next_ms: i64,
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
    /// All URLs.
    pub fn urls(&self) -> u64 {
        self.waiting + self.given_up.iter().map(|(_, n)| n).sum::<u64>()
    }
}

/// Hosts in trouble, some of them.
pub(super) type Troubled = BTreeMap<String, HostTrouble>;

impl Crawl {
    /// A failure more: the host is left alone for longer, up to `longest_ms`.
    pub(super) fn back_off(&mut self, lease: &Lease, reason: &str, longest_ms: u64) {
        self.trouble(lease, reason);
        let pause = self.polite(&lease.host).backoff(self.frontier.host(lease)).min(longest_ms);
        self.pause_at_least(lease, pause);
    }

    /// The host refused: it is asked less often, and not before `asked_ms`.
    pub(super) fn slow_down(&mut self, lease: &Lease, status: u16, asked_ms: Option<u64>) {
        let interval = self.polite(&lease.host).pause(self.frontier.host(lease));
        let host = self.frontier.host_mut(lease);
        let interval = interval.max(u64::from(host.response_ms));
        host.pace.refused(interval);
        self.away(lease);
        self.trouble(lease, if status == 429 { "429" } else { outcome::SERVER_ERROR });
        let pause = self.polite(&lease.host).refused(self.frontier.host(lease)).max(asked_ms.unwrap_or(0));
        self.pause_at_least(lease, pause);
    }

    /// The host itself is away, not one of its pages.
    pub(super) fn away(&mut self, lease: &Lease) {
        let host = self.frontier.host_mut(lease);
        host.away = host.away.saturating_add(1);
    }

    /// Whether a connection that failed, just counted by [`Crawl::away`], is the fault of a port or scheme of the host: others
    /// answered just before, or did when this URL failed before.
    pub(super) fn is_well_otherwise(&self, lease: &Lease) -> bool {
        let host = self.frontier.host(lease);
        host.fetched > 0 && (host.away <= 1 || lease.entry.retries > 0)
    }

    fn pause_at_least(&mut self, lease: &Lease, pause_ms: u64) {
        let next = self.now_ms().saturating_add(pause_ms as i64);
        let host = self.frontier.host_mut(lease);
        host.next_ms = host.next_ms.max(next);
        if let Some(trouble) = self.troubled.get_mut(&*lease.host) {
            trouble.next_ms = next;
        }
    }

    fn trouble(&mut self, lease: &Lease, reason: &str) {
        let now = self.now_ms();
        let host = self.frontier.host_mut(lease);
        host.failures = host.failures.saturating_add(1);
        if host.trouble.as_deref() != Some(reason) {
            if host.trouble.is_none() {
                host.trouble_since_ms = now;
            }
            host.trouble = Some(reason.to_owned());
        }
        let trouble = HostTrouble {
            host: lease.host.to_string(),
            reason: reason.to_owned(),
            failures: host.failures,
            since_ms: host.trouble_since_ms,
            next_ms: host.next_ms,
        };
        if self.troubled.len() < MOST_TROUBLED || self.troubled.contains_key(&*lease.host) {
            self.troubled.insert(trouble.host.clone(), trouble);
        }
    }

    /// Whether a host that just answered with an error 5xx has done so to URL after URL: that is its own trouble, not theirs.
    pub(super) fn answers_errors_alone(&mut self, lease: &Lease, event: &Event) -> bool {
        if event.status < Some(500) {
            return false;
        }
        let host = self.frontier.host_mut(lease);
        if lease.entry.retries == 0 && lease.entry.postponed == 0 {
            host.errors = host.errors.saturating_add(1);
        }
        host.errors >= OUT_OF_ORDER
    }

    /// A host that answers with errors alone rests as one that is away: that costs no URL an attempt.
    pub(super) fn out_of_order(&mut self, lease: Lease, mut event: Event) -> Result<()> {
        self.away(&lease);
        self.back_off(&lease, outcome::SERVER_ERROR, u64::MAX);
        if self.is_hopeless(&lease) {
            return self.give_up(lease, event, outcome::HOST_UNREACHABLE);
        }
        event.outcome = outcome::RETRY.into();
        self.log(event);
        // Another of its URLs is asked for next: it may be one that does not fail.
        self.frontier.release(lease, After::Last)
    }

    pub(super) fn is_hopeless(&self, lease: &Lease) -> bool {
        self.polite(&lease.host).is_hopeless(self.frontier.host(lease))
    }

    /// Leaves a host alone until the crawl is opened again. What it has queued stays, the URL at hand too.
    pub(super) fn give_up(&mut self, lease: Lease, mut event: Event, verdict: &'static str) -> Result<()> {
        let host: &mut HostState = self.frontier.host_mut(&lease);
        host.verdict = Some(verdict.to_owned());
        host.next_ms = NEVER_MS;
        let failures = host.failures;
        if let Some(trouble) = self.troubled.get_mut(&*lease.host) {
            trouble.next_ms = NEVER_MS;
        }
        let last = event.detail.take().map_or_else(String::new, |last| format!(", the last: {last}"));
        event.detail = Some(format!(
            "{failures} failures in a row{last}; its URLs wait until the crawl is opened again"
        ));
        event.outcome = verdict.into();
        self.log(event);
        self.frontier.release(lease, After::Keep)
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
            let trouble = HostTrouble {
                host: name.to_owned(),
                reason: host.trouble.clone().or_else(|| host.verdict.clone()).unwrap_or_default(),
                failures: host.failures,
                since_ms: host.trouble_since_ms,
                next_ms: host.next_ms,
            };
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
