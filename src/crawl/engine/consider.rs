//! Before a request: may this URL be asked for, and is robots.txt known?
//!
//! **Order.** Whether its host may be asked now; what the settings, the operator and the host's standing say of the URL;
//! robots.txt; traps. Each is asked only where those before have nothing against it.

use std::borrow::Cow;

use crate::Purpose;
use crate::engine::Crawl;
use crate::engine::apply::about;
use crate::engine::operate::be_parked;
use crate::engine::task::{InFlight, Step};
use crate::event::outcome;
use crate::frontier::{After, Lease};
use crate::robots::origin;
use crate::traps::Variants;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Sitemaps of one host that are read.
const MOST_SITEMAPS: u32 = 10_000;

/// An outcome without a request, and its reason.
type SettledOutcome = (Cow<'static, str>, Option<String>);

/// What robots.txt says of a URL.
enum Permission {
    /// It may be asked for.
    Granted,
    /// The rules of this origin are not known.
    Unknown(String),
    /// Only the rules were wanted, and they are known or not obeyed.
    OnlyRules,
    /// A rule forbids it.
    Denied(String),
}

impl Crawl {
    /// Sends the URL of `lease` out, or its robots.txt first, or settles it without a request.
    pub(super) fn consider(&mut self, lease: Lease) -> Result<()> {
        let now = self.now_ms();
        if self.must_rest(&lease, now) {
            return self.frontier.release(lease, After::Keep);
        }
        if let Some((outcome, reason)) = self.verdict(&lease) {
            return self.settle(lease, outcome, reason);
        }
        match self.permission(&lease, now)? {
            Permission::Granted => {}
            Permission::Unknown(origin) => return self.ask_for_rules(lease, origin),
            Permission::OnlyRules => {
                self.guess_sitemap(&lease)?;
                return self.frontier.release(lease, After::Done);
            }
            Permission::Denied(rule) => {
                return self.settle(lease, outcome::ROBOTS_DENIED.into(), Some(rule));
            }
        }
        if let Some((outcome, reason)) = self.trapped(&lease)? {
            return self.settle(lease, outcome, reason);
        }
        let (url, purpose) = (lease.entry.url.clone(), lease.entry.purpose);
        self.launch(InFlight { lease, step: Step::Entry }, url, purpose)
    }

    /// Whether the host may not be asked now; when it may is noted.
    fn must_rest(&mut self, lease: &Lease, now: i64) -> bool {
        let due = self.earliest(lease, now);
        if now < due {
            self.frontier.host_mut(lease).next_ms = due;
            return true;
        }
        if self.operator.parks(&lease.host) {
            be_parked(self.frontier.host_mut(lease), now);
            return true;
        }
        false
    }

    /// When a host may be asked that was asked before by somebody who did not live to note it.
    fn earliest(&self, lease: &Lease, now: i64) -> i64 {
        let pause = || self.polite(&lease.host).pause(self.frontier.host(lease)) as i64;
        if self.resumed {
            // Its last request may have gone out just before the crawl died, and its pause be longer than the common one.
            let due = self.wall_ms + pause();
            if now < due {
                return due;
            }
        }
        match &self.exchange {
            Some(_) => self.taken_over_ms() + pause(),
            None => now,
        }
    }

    /// Known facts about the URL of `lease` without asking anybody.
    fn verdict(&mut self, lease: &Lease) -> Option<SettledOutcome> {
        if let Some(pattern) = self.operator.drops(&lease.entry.url).map(str::to_owned) {
            return Some((outcome::DROPPED.into(), Some(pattern)));
        }
        // What was queued under other rules is held against those of today; seeds belong to any crawl.
        if let Err(reason) = self.reader.scope.entry(&lease.entry) {
            return Some((outcome::OUT_OF_SCOPE.into(), Some(reason.to_owned())));
        }
        let host = self.frontier.host(lease);
        let full = self.is_full(&lease.host, host);
        let verdict = host.verdict_today(full, self.options.fetch.allow_private).map(str::to_owned);
        // What pages of other hosts need counts as none of this one's pages.
        if lease.entry.purpose == Purpose::Requisite && verdict.as_deref() == Some(outcome::HOST_LIMIT) {
            return None;
        }
        if verdict != host.verdict {
            self.frontier.host_mut(lease).verdict.clone_from(&verdict);
        }
        verdict.map(|verdict| (verdict.into(), None))
    }

    fn permission(&mut self, lease: &Lease, now: i64) -> Result<Permission> {
        let only_rules = lease.entry.purpose == Purpose::Robots;
        if !self.options.obey_robots {
            return Ok(if only_rules { Permission::OnlyRules } else { Permission::Granted });
        }
        let origin = origin(&lease.entry.url);
        let Some(rules) = self.rules_of(&origin, now)? else { return Ok(Permission::Unknown(origin)) };
        if only_rules {
            return Ok(Permission::OnlyRules);
        }
        let verdict = rules.check(&lease.entry.url);
        Ok(match verdict.allowed {
            true => Permission::Granted,
            false => Permission::Denied(verdict.rule.unwrap_or("Disallow").to_owned()),
        })
    }

    /// Whether the URL is one too many of its kind on its host.
    fn trapped(&mut self, lease: &Lease) -> Result<Option<SettledOutcome>> {
        let entry = &lease.entry;
        if entry.purpose == Purpose::Sitemap && self.frontier.sitemap(&entry.url)?.is_none() {
            let host = self.frontier.host_mut(lease);
            host.sitemaps = host.sitemaps.saturating_add(1);
            if host.sitemaps > MOST_SITEMAPS {
                return Ok(Some((outcome::TRAP.into(), Some("sitemaps".to_owned()))));
            }
        }
        if let Some((outcome, detail)) = self.left_out(lease) {
            return Ok(Some((outcome.into(), Some(detail))));
        }
        if entry.purpose == Purpose::Page && entry.retries == 0 && entry.depth > 0 {
            let host = self.frontier.host_mut(lease);
            let mut variants = Variants::from_bytes(&host.variants);
            let verdict = variants.observe(&entry.url);
            host.variants = variants.to_bytes();
            if let Err(reason) = verdict {
                return Ok(Some((outcome::TRAP.into(), Some(reason.to_owned()))));
            }
        }
        Ok(None)
    }

    fn ask_for_rules(&mut self, lease: Lease, origin: String) -> Result<()> {
        let Some(url) = CanonicalUrl::parse(&format!("{origin}/robots.txt")) else {
            let reason = format!("no URL: {origin}/robots.txt");
            return self.settle(lease, outcome::PROTOCOL_ERROR.into(), Some(reason));
        };
        let step = Step::Robots { origin, url: url.clone(), hops: 0, borrowed: None };
        self.launch(InFlight { lease, step }, url, Purpose::Robots)
    }

    /// Ends the URL of `lease` without a request.
    fn settle(&mut self, lease: Lease, outcome: Cow<'static, str>, reason: Option<String>) -> Result<()> {
        let mut event = about(&lease.entry, "", self.now_ms());
        match &*outcome {
            outcome::ROBOTS_DENIED | outcome::ROBOTS_UNREACHABLE => event.robots_reason = reason,
            _ => event.detail = reason,
        }
        event.outcome = outcome;
        self.finish(lease, event)
    }
}
