//! After a robots.txt: what its host may be asked for from now on, or why nothing yet.
//!
//! **Reference.** RFC 9309, 2.3.1 (access results).

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::engine::Crawl;
use crate::engine::apply::about;
use crate::engine::rules::origin;
use crate::engine::task::ROBOTS_BYTES;
use crate::event::{Event, outcome};
use crate::fetch::{Failure, Fetched};
use crate::frontier::{After, Lease};
use crate::page::plain;
use crate::robots::{MAX_REDIRECTS, Robots};
use crate::scope::Standing;
use crate::{Discovered, Purpose};
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Response, decode_content};

/// Pages that a host has shown when its sitemap is looked for at the usual place; a power of two.
const PAGES_BEFORE_GUESS: u64 = 8;

impl Crawl {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn apply_robots(
        &mut self,
        mut lease: Lease,
        mut event: Event,
        fetched: &Fetched,
        origin: String,
        url: CanonicalUrl,
        hops: u8,
        borrowed: Option<Lease>,
    ) -> Result<()> {
        let now = self.now_ms();
        event.outcome = outcome::ROBOTS.into();
        let elsewhere = borrowed.is_some();
        if let Some(mut other) = borrowed {
            self.spare(&mut other, fetched, now);
            let after = if other.entry.purpose == Purpose::Robots { After::Done } else { After::Keep };
            self.frontier.release(other, after)?;
            self.rest(&mut lease, now);
        } else {
            self.spare(&mut lease, fetched, now);
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
    pub(super) fn adopt(&mut self, mut lease: Lease, origin: &str, rules: &Robots, now: i64) -> Result<()> {
        let delay = rules.crawl_delay().map(|d| self.options.politeness.crawl_delay_ms(d));
        let rules = self.set_rules(origin, rules, now)?;
        let by = xxhash_rust::xxh3::xxh3_64(origin.as_bytes());
        let host = self.frontier.host_mut(&lease);
        // Of several origins on a host (ports, schemes) the one that asks for the longest pause is heard.
        if host.crawl_delay_by == by || delay > host.crawl_delay_ms {
            (host.crawl_delay_ms, host.crawl_delay_by) = (delay, by);
        }
        // The pause after this very answer is the one that the rules ask for.
        self.rest(&mut lease, now);
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
                url,
                purpose: Purpose::Sitemap,
                depth: 0,
                redirects: 0,
                lineage: at.lineage,
                origin: None,
                referrer: Some(robots.clone()),
                priority,
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

    /// The host that a robots.txt was asked of rests, for longer where it failed or said so.
    fn spare(&mut self, lease: &mut Lease, fetched: &Fetched, now: i64) {
        let away = self.frontier.host(lease).away;
        let reason = match &fetched.result {
            Err(failure) => failure.name(),
            Ok(received) => {
                self.answered(lease, fetched, received);
                if matches!(received.status, 429 | 503) {
                    return self.slow_down(lease, received.status, self.asked_wait(received, now));
                }
                if !matches!(received.status, 408 | 425 | 500..=599) && !received.broke_off() {
                    return self.rest(lease, now);
                }
                outcome::ROBOTS_UNREACHABLE
            }
        };
        self.frontier.host_mut(lease).away = away;
        self.away(lease);
        self.back_off(lease, reason, u64::MAX);
    }

    /// robots.txt cannot be had: nothing of the host may be asked for until it can (RFC 9309, 2.3.1.4).
    pub(super) fn no_rules(
        &mut self,
        lease: Lease,
        mut event: Event,
        failure: Option<&Failure>,
        elsewhere: bool,
    ) -> Result<()> {
        if elsewhere {
            self.away(&lease);
            self.back_off(&lease, outcome::ROBOTS_UNREACHABLE, u64::MAX);
        }
        if let Some(failure) = failure {
            event.detail = Some(failure.to_string());
        }
        event.outcome = failure.map_or(outcome::ROBOTS_UNREACHABLE, Failure::name).into();
        let verdict = match failure {
            _ if elsewhere => None,
            Some(Failure::NoSuchHost) => Some(outcome::NO_SUCH_HOST),
            Some(Failure::PrivateAddress(_)) => Some(outcome::PRIVATE_ADDRESS),
            Some(Failure::AddressOutOfScope(_)) => Some(outcome::OUT_OF_SCOPE),
            _ => None,
        };
        if let Some(verdict) = verdict {
            let host = self.frontier.host_mut(&lease);
            host.verdict = Some(verdict.to_owned());
            host.next_ms = 0;
            event.robots_reason = Some(verdict.to_owned());
        } else if failure.is_some_and(Failure::is_outage) {
            let host = self.frontier.host_mut(&lease);
            host.failures = host.failures.saturating_sub(1);
            host.away = host.away.saturating_sub(1);
            event.robots_reason = Some("not to be had yet".into());
        } else if self.is_hopeless(&lease) {
            let verdict = match failure {
                Some(_) => outcome::HOST_UNREACHABLE,
                None => outcome::ROBOTS_UNREACHABLE,
            };
            event.robots_reason = Some(verdict.to_owned());
            return self.give_up(lease, event, verdict);
        } else if let Some(failure) = failure.filter(|failure| !elsewhere && failure.is_before_request())
            && self.is_well_otherwise(&lease)
        {
            self.log(event);
            let mut event = about(&lease.entry, failure.name(), self.now_ms());
            event.detail = Some(format!("its robots.txt: {failure}"));
            return self.again_or(lease, event, failure.name());
        } else {
            // Other ports and schemes of the host have rules of their own, and may answer.
            event.robots_reason = Some("not to be had yet".into());
            self.log(event);
            return self.frontier.release(lease, After::Last);
        }
        self.log(event);
        self.frontier.release(lease, After::Keep)
    }
}
