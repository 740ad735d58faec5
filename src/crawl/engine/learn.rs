//! After a robots.txt: what its host may be asked for from now on, or why nothing yet.
//!
//! **Reference.** RFC 9309, 2.3.1 (access results).

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine::Crawl;
use crate::engine::apply::{EffectContext, about};
use crate::engine::decide::{AnswerFacts, NoRules, without_rules};
use crate::engine::task::ROBOTS_BYTES;
use crate::event::{Event, outcome};
use crate::fetch::{Failure, Fetched};
use crate::frontier::{After, Lease};
use crate::page::plain;
use crate::robots::{MAX_REDIRECTS, Robots, origin};
use crate::scope::Standing;
use crate::{Discovered, Purpose};
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Response, decode_content};

/// Pages that a host has shown when its sitemap is looked for at the usual place; a power of two.
const PAGES_BEFORE_GUESS: u64 = 8;

impl Crawl {
    /// Applies the answer for a robots.txt, asked for on behalf of `lease`: that of `origin`, at `url` after `hops` redirects, on the host of
    /// `borrowed` where that is another one.
    pub(super) fn apply_robots(
        &mut self,
        lease: Lease,
        mut event: Event,
        fetched: &Fetched,
        answer: std::result::Result<AnswerFacts, &Failure>,
        (origin, url, hops): (String, CanonicalUrl, u8),
        borrowed: Option<Lease>,
    ) -> Result<()> {
        let now = self.now_ms();
        event.outcome = outcome::ROBOTS.into();
        let elsewhere = borrowed.is_some();
        let asked = borrowed.as_ref().unwrap_or(&lease);
        self.decide_on(asked, |attempt, host| {
            host.asked_for_robots(answer.as_ref().map_err(|failure| *failure), attempt.polite, now);
        });
        if let Some(other) = borrowed {
            let after = if other.entry.purpose == Purpose::Robots { After::Done } else { After::Keep };
            self.frontier.release(other, after)?;
            self.rest(&lease, now);
        }
        let received = match &fetched.result {
            Ok(received) => received,
            Err(failure) => return self.no_rules(lease, event, Some(failure), elsewhere),
        };
        if received.broke_off() {
            event.detail = Some("robots.txt ends before its end".into());
            return self.no_rules(lease, event, None, elsewhere);
        }
        let response = Response::parse(&received.raw);
        let target = matches!(received.status, 300..=399)
            .then(|| response.header("location").map(webmill_capture::url_text).and_then(|l| url.join(&l)))
            .flatten()
            .filter(CanonicalUrl::is_web);
        if let (Some(target), true) = (target, hops < MAX_REDIRECTS) {
            event.redirect_to = Some(target.as_str().to_owned());
            self.log(event);
            if !self.robots_redirects.has_capacity() {
                self.frontier.host_mut(&lease).next_ms = now + 1_000;
                return self.frontier.release(lease, After::Keep);
            }
            let due = self.frontier.host(&lease).next_ms;
            let due = if target.host() == &*lease.host { due } else { now };
            self.robots_redirects.push(lease, (origin, target, hops + 1), now, due);
            return Ok(());
        }
        let (status, agent) = (received.status, self.options.agent.clone());
        // A file that makes the reader panic is a bug of ours; it must not end the crawl.
        let read = AssertUnwindSafe(|| {
            let payload = response.payload(ROBOTS_BYTES as usize);
            let body = decode_content(&response, &payload.bytes, ROBOTS_BYTES as usize);
            Robots::from_status(status, &body.bytes, &agent)
        });
        let Some(rules) = catch_unwind(read).unwrap_or(None) else {
            return self.no_rules(lease, event, None, elsewhere);
        };
        self.log(event);
        self.adopt(lease, &origin, &rules, now)
    }

    /// From now on `rules` are those of `origin`, on the host of `lease`.
    pub(super) fn adopt(&mut self, lease: Lease, origin: &str, rules: &Robots, now: i64) -> Result<()> {
        let delay = rules.crawl_delay().map(|d| self.options.politeness.crawl_delay_ms(d));
        let rules = self.set_rules(origin, rules, now)?;
        let by = xxhash_rust::xxh3::xxh3_64(origin.as_bytes());
        let host = self.frontier.host_mut(&lease);
        // Of several origins on a host (ports, schemes) the one that asks for the longest pause is heard.
        if host.crawl_delay_by == by || delay > host.crawl_delay_ms {
            (host.crawl_delay_ms, host.crawl_delay_by) = (delay, by);
        }
        // The pause after this very answer is the one that the rules ask for.
        self.rest(&lease, now);
        // Pages that a sitemap lists are a link away from the seeds.
        if self.reads_sitemaps() {
            self.queue_sitemaps(&lease, origin, &rules)?;
        }
        self.frontier.release(lease, After::Keep)
    }

    /// The sitemaps that a robots.txt names count wherever they are: it vouches for what they say of its host
    /// (sitemaps.org, "Sitemaps & Cross Submits"). Where it names none, [`Crawl::guess_sitemap`] has its turn later.
    fn queue_sitemaps(&mut self, lease: &Lease, origin: &str, rules: &Robots) -> Result<()> {
        let Some((_, at)) = self.usual_sitemap(lease, origin).filter(|_| !rules.sitemaps().is_empty()) else {
            return Ok(());
        };
        let robots: std::sync::Arc<str> = format!("{origin}/robots.txt").into();
        for sitemap in rules.sitemaps() {
            let Some(url) = lease.entry.url.join(sitemap).map(plain) else { continue };
            let allowed = self.reader.scope.requisite(&url, at);
            if let Err(reason) = allowed.and_then(|()| crate::traps::check(&url)) {
                self.totals.refused.add(reason);
                continue;
            }
            let foreign = url.host() != &*lease.host;
            let priority = self.priority.of(&url, None);
            let new = self.add(&Discovered {
                lineage: at.lineage,
                referrer: Some(robots.clone()),
                priority,
                ..Discovered::new(url, Purpose::Sitemap)
            })?;
            if foreign && !new {
                // It was read, or waits, for another host that vouches for it.
                self.totals.refused.add("sitemap-vouched-twice");
            }
        }
        Ok(())
    }

    /// `/sitemap.xml` of an origin whose robots.txt names none is tried: once the host has shown some pages, or when it has no other left. So
    /// sites that hide their pages from links are found, and the many hosts that a broad crawl only touches are not asked in vain.
    /// To be called when a URL of the host comes to its end.
    pub(super) fn guess_sitemap(&mut self, lease: &Lease) -> Result<()> {
        if !self.reads_sitemaps() || lease.entry.purpose == Purpose::Sitemap {
            return Ok(());
        }
        let host = self.frontier.host(lease);
        if host.verdict.is_some() {
            // Nothing more of it is asked for.
            return Ok(());
        }
        let stored = host.stored;
        let shown = stored >= PAGES_BEFORE_GUESS && stored.is_power_of_two();
        if !shown && !self.frontier.is_last(lease)? {
            return Ok(());
        }
        let origin = origin(&lease.entry.url);
        let rules = self.rules_of(&origin, self.now_ms())?;
        if rules.is_none_or(|rules| !rules.sitemaps().is_empty()) {
            return Ok(());
        }
        match self.usual_sitemap(lease, &origin) {
            Some((url, at)) => self.add_root(url, Purpose::Sitemap, at.lineage),
            None => Ok(()),
        }
    }

    /// Where an origin's sitemap usually is; `None`: no sitemap of it counts, as of hosts that only give away pictures.
    fn usual_sitemap(&self, lease: &Lease, origin: &str) -> Option<(CanonicalUrl, Standing)> {
        let url = CanonicalUrl::parse(&format!("{origin}/sitemap.xml"))?;
        let at = Standing { depth: 1, lineage: self.reader.scope.linked(lease.entry.lineage, &url) };
        self.reader.scope.sitemap(&url, at).then_some((url, at))
    }

    /// robots.txt cannot be had: nothing of the host may be asked for until it can (RFC 9309, 2.3.1.4).
    pub(super) fn no_rules(
        &mut self,
        lease: Lease,
        mut event: Event,
        failure: Option<&Failure>,
        elsewhere: bool,
    ) -> Result<()> {
        let NoRules { decision, reason, of_url } =
            self.decide_on(&lease, |attempt, host| without_rules(attempt, failure, elsewhere, host));
        event.outcome = decision.outcome.into();
        event.detail = decision.detail.or(event.detail);
        event.robots_reason = reason.map(str::to_owned);
        self.log(event);
        match of_url {
            None => self.frontier.release(lease, decision.after),
            Some(decision) => {
                let event = about(&lease.entry, "", self.now_ms());
                let again = self.asks_again(&lease)?;
                self.carry_out(lease, event, decision, EffectContext { again, ..EffectContext::default() })
            }
        }
    }
}
