//! From what a response names to what waits in the frontier.

use std::sync::Arc;

use crate::engine::Crawl;
use crate::event::{Event, outcome};
use crate::frontier::{AskAgain, Lease};
use crate::page::{Candidate, Reading};
use crate::requisites::MAX_HOPS;
use crate::scope::Standing;
use crate::{Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::Result;

/// Indexes of sitemaps below one another that are followed; the protocol knows one.
const SITEMAP_LEVELS: u32 = 3;
/// Hosts and reasons of traps that are remembered, so that each is logged once; then they may be logged again.
const MAX_TRAPS_REPORTED: usize = 100_000;

/// The response that names URLs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Naming<'a> {
    pub url: &'a CanonicalUrl,
    pub purpose: Purpose,
    /// Links from a seed to it, and what it inherits.
    pub at: Standing,
    /// Redirects to it, and of a requisite its steps from the page.
    pub redirects: u8,
    pub priority: f64,
    pub referrer: Option<&'a str>,
    /// The URL first asked for, where redirects led to it.
    pub origin: Option<&'a str>,
    /// Which requisites that are known are asked for again.
    pub again: Option<AskAgain>,
}

impl Naming<'_> {
    /// The host whose robots.txt names the sitemap, or the index that it is in.
    fn voucher(&self) -> Option<CanonicalUrl> {
        let named = self.referrer.filter(|_| self.purpose == Purpose::Sitemap)?;
        CanonicalUrl::parse_stored(named).filter(|url| url.path() == "/robots.txt")
    }
}

impl Crawl {
    /// Queues what a page or a sitemap names; `again` as [`Crawl::asks_again`] says.
    pub(super) fn queue_found(
        &mut self,
        lease: &Lease,
        reading: &Reading,
        again: Option<AskAgain>,
    ) -> Result<()> {
        let entry = &lease.entry;
        self.queue(
            Naming {
                url: &entry.url,
                purpose: entry.purpose,
                at: Standing::from(entry),
                redirects: entry.redirects,
                priority: entry.priority,
                referrer: entry.referrer.as_deref(),
                origin: entry.origin.as_deref(),
                again,
            },
            reading,
        )
    }

    /// Queues what a response names.
    pub(super) fn queue(&mut self, of: Naming<'_>, reading: &Reading) -> Result<()> {
        self.totals.refused.merge(&reading.refused);
        self.report_traps(of, reading);
        let voucher = of.voucher();
        let vouched = |candidate: &Candidate| {
            voucher.as_ref().is_some_and(|robots| robots.host() == candidate.url.host())
        };
        let referrer: Arc<str> = of.url.as_str().into();
        self.queue_focused(of, reading, &referrer)?;
        let focused = self.focus.is_some();
        let by_kernel = |candidate: &&Candidate| focused && candidate.purpose == Purpose::Page;
        for candidate in reading.found.iter().filter(|candidate| !by_kernel(candidate)) {
            self.queue_one(of, candidate, &referrer, voucher.as_ref())?;
        }
        for candidate in &reading.foreign {
            if vouched(candidate) {
                self.queue_one(of, candidate, &referrer, voucher.as_ref())?;
            } else {
                self.totals.refused.add("sitemap-foreign");
            }
        }
        self.queue_led(of, reading, &referrer)
    }

    pub(super) fn queue_one(
        &mut self,
        of: Naming<'_>,
        candidate: &Candidate,
        referrer: &Arc<str>,
        voucher: Option<&CanonicalUrl>,
    ) -> Result<()> {
        let mut found = self.discovered(of, candidate, referrer);
        match candidate.purpose {
            Purpose::Page | Purpose::Robots => {}
            Purpose::Sitemap => {
                found.depth = of.at.depth + 1;
                if found.depth > SITEMAP_LEVELS {
                    self.totals.refused.add("sitemap-depth");
                    return Ok(());
                }
                if let Some(robots) = voucher {
                    // Who vouches for an index vouches for what is in it.
                    found.referrer = Some(robots.as_str().into());
                }
            }
            Purpose::Requisite => {
                found.depth = of.at.depth;
                found.redirects = if of.purpose == Purpose::Requisite { of.redirects + 1 } else { 0 };
                // The first step leads from the page to what it names.
                if found.redirects >= MAX_HOPS {
                    self.totals.refused.add("requisite-hops");
                    return Ok(());
                }
            }
        }
        if candidate.purpose != Purpose::Requisite {
            found.priority = self.priority.of(&candidate.url, Some((of.url, of.priority)));
        }
        let new = self.add_or_ask_again(&found, of.again)?;
        if let Some(modified) = candidate.last_modified.filter(|_| !new && candidate.purpose == Purpose::Page)
        {
            self.hint(&candidate.url, modified)?;
        }
        Ok(())
    }

    /// A URL that a response names.
    pub(super) fn discovered(
        &self,
        of: Naming<'_>,
        candidate: &Candidate,
        referrer: &Arc<str>,
    ) -> Discovered {
        Discovered {
            url: candidate.url.clone(),
            purpose: candidate.purpose,
            // What a sitemap lists is as near to the seeds as the links of a front page.
            depth: if of.purpose == Purpose::Sitemap { 1 } else { of.at.depth + 1 },
            redirects: 0,
            lineage: self.reader.scope.linked(of.at.lineage, &candidate.url),
            origin: None,
            referrer: Some(referrer.clone()),
            priority: of.priority,
        }
    }

    /// Each trap is logged once a host.
    fn report_traps(&mut self, of: Naming<'_>, reading: &Reading) {
        if self.traps_reported.len() > MAX_TRAPS_REPORTED {
            self.traps_reported.clear();
        }
        for (trap, reason) in &reading.trapped {
            if self.traps_reported.insert((trap.host().to_owned(), reason)) {
                let mut event = Event::new(trap.as_str(), Purpose::Page, outcome::TRAP, self.now_ms());
                event.depth = of.at.depth + 1;
                event.referrer = Some(of.url.as_str().to_owned());
                event.detail = Some((*reason).to_owned());
                self.log(event);
            }
        }
    }
}
