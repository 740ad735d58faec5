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
use crate::scope::{Scope, Standing};
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
        self.leads_move(redirect, &target)?;
        self.frontier.add_again(&redirect.found(target, &self.reader.scope))
    }

    /// Queues the target of a redirect; in words why not, otherwise.
    pub(super) fn follow(
        &mut self,
        redirect: &Redirect<'_>,
        rewritten: CanonicalUrl,
        given: CanonicalUrl,
    ) -> Result<Option<String>> {
        let scope = &self.reader.scope;
        let (target, note) = match redirect.leads(rewritten, given, scope) {
            Leads::To(target) => (target, None),
            Leads::Nowhere(reason) => return Ok(Some(reason)),
            Leads::OfSeed(target, reason) if !scope.adopt(&target) => return Ok(Some(reason)),
            Leads::OfSeed(target, _) => {
                if let Err(reason) = redirect.allowed(&target, scope) {
                    return Ok(Some(reason.to_owned()));
                }
                let note = format!("{} belongs to the crawl from now on", target.host());
                (target, Some(note))
            }
        };
        self.leads_move(redirect, &target)?;
        let found = redirect.found(target, &self.reader.scope);
        let new = self.add_or_ask_again(&found, redirect.again)?;
        Ok(if new { note } else { Some("known already".into()) })
    }
}

/// What a redirect leads to, by what the crawl is asked to do alone.
#[derive(Debug, PartialEq)]
enum Leads {
    /// A URL that is followed.
    To(CanonicalUrl),
    /// One of another site, for the reason given; as a seed led there it is followed if the site may belong to the crawl.
    OfSeed(CanonicalUrl, String),
    /// Nothing that is followed, in words why.
    Nowhere(String),
}

impl Redirect<'_> {
    /// Decides where it leads: `given` is the target as the server says it, `rewritten` as the crawl writes URLs.
    fn leads(&self, rewritten: CanonicalUrl, given: CanonicalUrl, scope: &Scope) -> Leads {
        let nowhere = |reason: &str| Leads::Nowhere(reason.to_owned());
        if self.redirects >= MAX_REDIRECTS {
            return Leads::Nowhere(format!("after {} redirects", self.redirects));
        }
        // A server that insists on what rewriting takes off gets it.
        let target = if rewritten == *self.url { given } else { rewritten };
        if target == *self.url {
            return nowhere("to itself");
        }
        // Where there is no sitemap, many servers lead to a page; it must not be taken for known.
        if self.purpose == Purpose::Sitemap && self.referrer.is_none() && !target.path().contains("sitemap") {
            return nowhere("no sitemap");
        }
        let allowed = self.allowed(&target, scope);
        let is_seed = self.purpose == Purpose::Page && self.at.depth == 0;
        match (allowed, crate::traps::check(&target)) {
            (Err(reason), _) if !is_seed => nowhere(reason),
            (_, Err(reason)) => nowhere(reason),
            (Err(reason), Ok(())) => Leads::OfSeed(target, reason.to_owned()),
            (Ok(()), Ok(())) => Leads::To(target),
        }
    }

    fn allowed<'s>(&self, target: &CanonicalUrl, scope: &'s Scope) -> std::result::Result<(), &'s str> {
        let standing = Standing { depth: self.at.depth, lineage: scope.redirected(self.at.lineage, target) };
        match self.purpose {
            Purpose::Requisite | Purpose::Sitemap => scope.requisite(target, standing),
            _ => scope.url(target, standing),
        }
    }

    /// Its target, to be queued.
    fn found(&self, target: CanonicalUrl, scope: &Scope) -> Discovered {
        Discovered {
            purpose: self.purpose,
            depth: self.at.depth,
            redirects: self.redirects + 1,
            lineage: scope.redirected(self.at.lineage, &target),
            origin: Some(self.origin.unwrap_or(self.url.as_str()).to_owned()),
            referrer: self.referrer.map(Into::into),
            priority: self.priority,
            url: target,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::{Lineage, ScopeOptions};

    #[test]
    fn where_redirects_lead() {
        let parse = |text: &str| CanonicalUrl::parse(text).unwrap();
        let from = parse("http://a.example/page");
        let scope = Scope::new(&ScopeOptions::default(), std::slice::from_ref(&from)).unwrap();
        let cart = format!("http://a.example/{}", "cart/".repeat(40));
        use Purpose::{Page, Sitemap};
        // Purpose, depth, redirects before, as rewritten, as given; where to, or why not.
        for (purpose, depth, redirects, rewritten, given, want) in [
            (Page, 1, 0, "http://a.example/b", "http://a.example/b?sid=1", Ok("http://a.example/b")),
            (
                Page,
                1,
                0,
                "http://a.example/page",
                "http://a.example/page?s=1",
                Ok("http://a.example/page?s=1"),
            ),
            (Page, 1, 0, "http://a.example/page", "http://a.example/page", Err("to itself")),
            (Page, 1, 10, "http://a.example/b", "http://a.example/b", Err("after 10 redirects")),
            (Page, 1, 0, "http://b.example/", "http://b.example/", Err("host")),
            (Page, 0, 0, "http://b.example/", "http://b.example/", Err("of a seed: host")),
            (Page, 1, 0, &cart, &cart, Err("path-depth")),
            (Sitemap, 0, 0, "http://a.example/", "http://a.example/", Err("no sitemap")),
            (
                Sitemap,
                0,
                0,
                "http://a.example/sitemap2",
                "http://a.example/sitemap2",
                Ok("http://a.example/sitemap2"),
            ),
        ] {
            let redirect = Redirect {
                url: &from,
                origin: None,
                purpose,
                at: Standing { depth, lineage: Lineage::default() },
                redirects,
                priority: 0.0,
                referrer: None,
                again: None,
            };
            let want = match want {
                Ok(to) => Leads::To(parse(to)),
                Err(why) => match why.strip_prefix("of a seed: ") {
                    Some(why) => Leads::OfSeed(parse(rewritten), why.to_owned()),
                    None => Leads::Nowhere(why.to_owned()),
                },
            };
            assert_eq!(redirect.leads(parse(rewritten), parse(given), &scope), want, "{purpose:?} {given}");
        }
    }
}
