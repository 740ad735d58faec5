//! Redirects: followed through the frontier, so that scope, robots and the target host's delay hold for their targets.
//!
//! **Cookie walls.** A page that redirects to itself and sets a cookie, or to a page for consent or login that leads back, is
//! had by whoever sends the cookies back. So a redirect that closes such a circle turns cookies on for the sites concerned,
//! and the circle is gone through once more, at most ten steps in all.
//!
//! **Seeds that moved.** A seed that redirects to another site is followed, and that site belongs to the crawl as the seed's own did.

use crate::engine::Crawl;
use crate::event::{Event, outcome};
use crate::fetch::Received;
use crate::frontier::{AskAgain, Lease};
use crate::page::Reading;
use crate::scope::Standing;
use crate::{Discovered, Purpose};
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Response};

/// Redirects followed one after the other.
const MAX_REDIRECTS: u8 = 10;
/// Detail of a redirect whose target is asked for though it is known: cookies are sent now.
pub(super) const WITH_COOKIES: &str = "asked again with cookies";
/// Circles that are gone through at the same time.
const MOST_CIRCLES: usize = 10_000;

pub(super) struct Redirect<'a> {
    /// The URL that redirects.
    pub url: &'a CanonicalUrl,
    /// The URL first asked for, where redirects led here.
    pub origin: Option<&'a str>,
    /// The URL asked for.
    pub purpose: Purpose,
    /// Where it stands.
    pub at: Standing,
    /// Redirects that led here.
    pub redirects: u8,
    /// Priority of the URL.
    pub priority: f64,
    /// The page that links to it.
    pub referrer: Option<&'a str>,
    /// Whether its target is asked for again, if it is a requisite that is known.
    pub again: Option<AskAgain>,
}

impl Crawl {
    /// Follows a redirect; its event says where to, and why not where it is not followed. `again` as [`Crawl::asks_again`] says.
    pub(super) fn redirected(
        &mut self,
        lease: &Lease,
        event: &mut Event,
        received: &Received,
        reading: Reading,
        again: Option<AskAgain>,
    ) -> Result<()> {
        let Some((rewritten, given)) = reading.redirect else {
            event.detail = Some("no Location that can be followed".into());
            return Ok(());
        };
        event.redirect_to = Some(given.as_str().to_owned());
        let entry = &lease.entry;
        if entry.redirects >= MAX_REDIRECTS {
            event.outcome = outcome::TOO_MANY_REDIRECTS.into();
            event.detail = Some(format!("after {} redirects", entry.redirects));
            return Ok(());
        }
        let redirect = Redirect {
            url: &entry.url,
            origin: entry.origin.as_deref(),
            purpose: entry.purpose,
            at: entry.into(),
            redirects: entry.redirects,
            priority: entry.priority,
            referrer: entry.referrer.as_deref(),
            again,
        };
        let target = if rewritten == entry.url { given.clone() } else { rewritten.clone() };
        if self.is_circle(&redirect, &target, &received.raw[..received.head_len]) {
            event.detail = Some(WITH_COOKIES.into());
            return self.go_round(&redirect, target);
        }
        event.detail = self.follow(&redirect, rewritten, given)?;
        Ok(())
    }

    /// Whether a redirect closes a circle that cookies may open, or is part of one that is gone through with them.
    fn is_circle(&mut self, redirect: &Redirect<'_>, target: &CanonicalUrl, head: &[u8]) -> bool {
        let begin = redirect.origin.unwrap_or(redirect.url.as_str());
        if self.circles.contains(begin) {
            return true;
        }
        if Response::parse(head).header("set-cookie").is_some() {
            if self.setting_cookies.len() >= MOST_CIRCLES {
                self.setting_cookies.clear();
            }
            self.setting_cookies.insert(begin.to_owned());
        }
        let closes = target == redirect.url || redirect.origin == Some(target.as_str());
        // Without a cookie the same answers would come again.
        if !closes || !self.setting_cookies.remove(begin) || self.circles.len() >= MOST_CIRCLES {
            return false;
        }
        self.fetcher.take_cookies(redirect.url, head);
        for host in [redirect.url.host(), target.host()] {
            self.fetcher.admit_cookies(host);
        }
        self.circles.insert(begin.to_owned());
        true
    }

    /// Asks for the target of a redirect, known or not.
    pub(super) fn go_round(&mut self, redirect: &Redirect<'_>, target: CanonicalUrl) -> Result<()> {
        let lineage = self.reader.scope.redirected(redirect.at.lineage, &target);
        self.leads_move(redirect, &target)?;
        self.frontier.add_again(&Discovered {
            url: target,
            purpose: redirect.purpose,
            depth: redirect.at.depth,
            redirects: redirect.redirects + 1,
            lineage,
            origin: Some(redirect.origin.unwrap_or(redirect.url.as_str()).to_owned()),
            referrer: redirect.referrer.map(Into::into),
            priority: redirect.priority,
        })
    }

    /// Queues the target of a redirect; in words why not, otherwise.
    pub(super) fn follow(
        &mut self,
        redirect: &Redirect<'_>,
        rewritten: CanonicalUrl,
        given: CanonicalUrl,
    ) -> Result<Option<String>> {
        let Redirect { url, purpose, at, redirects, .. } = *redirect;
        if redirects >= MAX_REDIRECTS {
            return Ok(Some(format!("after {redirects} redirects")));
        }
        // A server that insists on what rewriting takes off gets it.
        let target = if rewritten == *url { given } else { rewritten };
        if target == *url {
            return Ok(Some("to itself".into()));
        }
        // Where there is no sitemap, many servers lead to a page; it must not be taken for known.
        if purpose == Purpose::Sitemap && redirect.referrer.is_none() && !target.path().contains("sitemap") {
            return Ok(Some("no sitemap".into()));
        }
        let lineage = self.reader.scope.redirected(at.lineage, &target);
        let standing = Standing { depth: at.depth, lineage };
        let mut note = None;
        let allowed = match purpose {
            Purpose::Requisite | Purpose::Sitemap => self.reader.scope.requisite(&target, standing),
            _ => self.reader.scope.url(&target, standing),
        };
        if let Err(reason) = allowed {
            let seed = purpose == Purpose::Page && at.depth == 0;
            if !seed || !self.reader.scope.adopt(&target) {
                return Ok(Some(reason.to_owned()));
            }
            if let Err(reason) = self.reader.scope.url(&target, standing) {
                return Ok(Some(reason.to_owned()));
            }
            note = Some(format!("{} belongs to the crawl from now on", target.host()));
        }
        if let Err(reason) = crate::traps::check(&target) {
            return Ok(Some(reason.to_owned()));
        }
        self.leads_move(redirect, &target)?;
        let found = Discovered {
            url: target,
            purpose,
            depth: at.depth,
            redirects: redirects + 1,
            lineage,
            origin: Some(redirect.origin.unwrap_or(url.as_str()).to_owned()),
            referrer: redirect.referrer.map(Into::into),
            priority: redirect.priority,
        };
        let new = self.add_or_ask_again(&found, redirect.again)?;
        Ok(if new { note } else { Some("known already".into()) })
    }
}
