//! Before a request: may this URL be asked for, and is robots.txt known?

use crate::Purpose;
use crate::engine::Crawl;
use crate::engine::agents::NOT_YET_MS;
use crate::engine::apply::about;
use crate::engine::operate::be_parked;
use crate::engine::rules::origin;
use crate::engine::task::{InFlight, Step};
use crate::event::outcome;
use crate::frontier::{After, Lease};
use crate::traps::Variants;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Sitemaps of one host that are read.
const MOST_SITEMAPS: u32 = 10_000;

impl Crawl {
    /// Sends the URL of `lease` out, or its robots.txt first, or settles it without a request.
    pub(super) fn consider(&mut self, lease: Lease) -> Result<()> {
        let now = self.now_ms();
        if self.resumed {
            // Its last request may have gone out just before the crawl died, and its pause be longer than the common one.
            let due = self.wall_ms + self.polite(&lease.host).pause(self.frontier.host(&lease)) as i64;
            if now < due {
                self.frontier.host_mut(&lease).next_ms = due;
                return self.frontier.release(lease, After::Keep);
            }
        }
        if let Some(exchange) = &self.exchange {
            let known = self.settled_ms() + self.polite(&lease.host).pause(self.frontier.host(&lease)) as i64;
            let due = if exchange.may_ask(&lease.host) { known } else { now + NOT_YET_MS };
            if now < due {
                self.frontier.host_mut(&lease).next_ms = due;
                return self.frontier.release(lease, After::Keep);
            }
        }
        if self.operator.parks(&lease.host) {
            be_parked(self.frontier.host_mut(&lease), now);
            return self.frontier.release(lease, After::Keep);
        }
        if let Some(pattern) = self.operator.drops(&lease.entry.url).map(str::to_owned) {
            return self.settle(lease, outcome::DROPPED, Some(pattern));
        }
        let full = self.is_full(&lease.host, self.frontier.host(&lease));
        if !full && self.frontier.host(&lease).verdict.as_deref() == Some(outcome::HOST_LIMIT) {
            // The limit was widened.
            self.frontier.host_mut(&lease).verdict = None;
        }
        let private = self.frontier.host(&lease).verdict.as_deref() == Some(outcome::PRIVATE_ADDRESS);
        if private && self.options.fetch.allow_private {
            self.frontier.host_mut(&lease).verdict = None;
        }
        // What was queued under other rules is held against those of today; seeds belong to any crawl.
        if let Err(reason) = self.reader.scope.entry(&lease.entry).map_err(str::to_owned) {
            return self.settle(lease, outcome::OUT_OF_SCOPE, Some(reason));
        }
        // What pages of other hosts need counts as none of this one's pages.
        let needed = lease.entry.purpose == Purpose::Requisite;
        let host = self.frontier.host(&lease);
        let verdict = host.verdict.clone().filter(|of| !needed || of != outcome::HOST_LIMIT);
        if let Some(verdict) = verdict {
            return self.settle(lease, &verdict, None);
        }
        if full && !needed {
            // What else of the host waits gets the same outcome.
            self.frontier.host_mut(&lease).verdict = Some(outcome::HOST_LIMIT.into());
            return self.settle(lease, outcome::HOST_LIMIT, None);
        }
        let obeys = self.obeys_robots(&lease.host);
        if lease.entry.purpose == Purpose::Robots && !obeys {
            return self.frontier.release(lease, After::Done);
        }
        if obeys {
            let origin = origin(&lease.entry.url);
            let Some(rules) = self.rules_of(&origin, now)? else {
                return self.ask_for_rules(lease, origin);
            };
            if lease.entry.purpose == Purpose::Robots {
                self.guess_sitemap(&lease)?;
                return self.frontier.release(lease, After::Done);
            }
            let verdict = rules.check(&lease.entry.url);
            if !verdict.allowed {
                let rule = verdict.rule.unwrap_or("Disallow").to_owned();
                return self.settle(lease, outcome::ROBOTS_DENIED, Some(rule));
            }
        }
        if lease.entry.purpose == Purpose::Sitemap && self.frontier.sitemap(&lease.entry.url)?.is_none() {
            let host = self.frontier.host_mut(&lease);
            host.sitemaps = host.sitemaps.saturating_add(1);
            if host.sitemaps > MOST_SITEMAPS {
                return self.settle(lease, outcome::TRAP, Some("sitemaps".to_owned()));
            }
        }
        if let Some((outcome, detail)) = self.left_out(&lease) {
            return self.settle(lease, outcome, Some(detail));
        }
        if lease.entry.purpose == Purpose::Page && lease.entry.retries == 0 && lease.entry.depth > 0 {
            let traps = self.options.traps.clone();
            let url = lease.entry.url.clone();
            let host = self.frontier.host_mut(&lease);
            let mut variants = Variants::from_bytes(&host.variants);
            let verdict = variants.observe(&url, &traps);
            host.variants = variants.to_bytes();
            if let Err(reason) = verdict {
                return self.settle(lease, outcome::TRAP, Some(reason.to_owned()));
            }
        }
        let (url, purpose) = (lease.entry.url.clone(), lease.entry.purpose);
        self.launch(InFlight { lease, step: Step::Entry }, url, purpose)
    }

    fn ask_for_rules(&mut self, lease: Lease, origin: String) -> Result<()> {
        let Some(url) = CanonicalUrl::parse(&format!("{origin}/robots.txt")) else {
            return self.settle(lease, outcome::PROTOCOL_ERROR, Some(format!("no URL: {origin}/robots.txt")));
        };
        let step = Step::Robots { origin, url: url.clone(), hops: 0, borrowed: None };
        self.launch(InFlight { lease, step }, url, Purpose::Robots)
    }

    /// Ends the URL of `lease` without a request.
    fn settle(&mut self, lease: Lease, outcome: &str, reason: Option<String>) -> Result<()> {
        let mut event = about(&lease.entry, "", self.now_ms());
        event.outcome = outcome.to_owned().into();
        match outcome {
            outcome::ROBOTS_DENIED | outcome::ROBOTS_UNREACHABLE => event.robots_reason = reason,
            _ => event.detail = reason,
        }
        self.finish(lease, event)
    }
}
