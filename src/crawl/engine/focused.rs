//! Focused order in a crawl: what the kernel ([`crate::focus`]) says is done to the frontier.
//!
//! What the kernel remembers lies in the frontier, so one batch commits both. Whatever is queued, by whichever way it comes, has the score
//! that the kernel knows of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::config::CrawlOptions;
use crate::engine::Crawl;
use crate::engine::queue::Naming;
use crate::focus::{Action, Focus, FocusCounts, FoundLink, SeenPage};
use crate::frontier::{Frontier, Strategy};
use crate::page::{Candidate, PageReader, Reading};
use crate::scope::{Lineage, SeedMark};
use crate::{Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// Score under which robots.txt and sitemaps are asked for.
const OF_LISTS: f64 = 0.5;

/// The data kept with a link in the reserve.
#[derive(Serialize, Deserialize)]
struct ReserveEntry {
    depth: u32,
    /// From its lineage, whose own form leaves out zeros.
    off_site: u8,
    seed: u32,
    referrer: String,
}

impl Crawl {
    /// The order of a focused crawl, as the frontier remembers it; `None` for other crawls.
    pub(super) fn open_focus(
        options: &CrawlOptions,
        frontier: &Frontier,
        reader: &PageReader,
    ) -> Result<Option<Focus>> {
        if options.strategy != Strategy::Focused {
            return Ok(None);
        }
        let (Some(topic), Some(store)) = (options.focus.ready.clone(), frontier.focus()) else {
            return Err(Error::Config("strategy focused needs a topic that is ready".into()));
        };
        let focus =
            Focus::open(topic, options.focus.tunnel, options.priority.coefficients.popularity, store)?;
        reader.set_scorer(focus.scorer());
        Ok(Some(focus))
    }

    /// How a focused crawl does.
    pub fn focus_counts(&self) -> Option<FocusCounts> {
        self.focus.as_ref().map(Focus::counts)
    }

    /// Whether it has the relevant pages that it was to find.
    pub(super) fn has_target(&self) -> bool {
        let target = self.options.focus.target.unwrap_or(u64::MAX);
        self.focus_counts().is_some_and(|counts| counts.relevant >= target)
    }

    /// Puts the kernel's counts into what the frontier commits.
    pub(super) fn keep_focus(&mut self) -> Result<()> {
        match (&self.focus, self.frontier.focus_mut()) {
            (Some(focus), Some(store)) => focus.save(store),
            _ => Ok(()),
        }
    }

    pub(super) fn focus_on_seed(&mut self, url: &CanonicalUrl) -> Result<()> {
        if let (Some(focus), Some(store)) = (&mut self.focus, self.frontier.focus_mut()) {
            focus.seed(url, store)?;
        }
        Ok(())
    }

    /// The score of a URL that is queued; `None` if the crawl is not focused.
    pub(super) fn score_of(&self, found: &Discovered) -> Result<Option<f64>> {
        let (Some(_), Some(store)) = (&self.focus, self.frontier.focus()) else { return Ok(None) };
        if found.purpose != Purpose::Page {
            return Ok(Some(OF_LISTS));
        }
        let origin = found.origin.as_deref().and_then(CanonicalUrl::parse_stored);
        Focus::score_of(&found.url, origin.as_ref(), store).map(|score| Some(f64::from(score)))
    }

    /// Queues the pages that a response names, in focused order.
    pub(super) fn queue_focused(
        &mut self,
        of: Naming<'_>,
        reading: &Reading,
        referrer: &Arc<str>,
    ) -> Result<()> {
        if self.focus.is_none() {
            return Ok(());
        }
        let found: Vec<&Candidate> =
            reading.found.iter().filter(|candidate| candidate.purpose == Purpose::Page).collect();
        let links: Vec<FoundLink<'_>> = found
            .iter()
            .map(|candidate| FoundLink {
                url: &candidate.url,
                words: candidate.words.as_deref().copied().unwrap_or_default(),
                priority: self.priority.of(&candidate.url, Some((of.url, 0.0))),
            })
            .collect();
        let Some(words) = reading.words.as_ref().filter(|_| of.purpose == Purpose::Page) else {
            return self.queue_listed(of, &found, &links, referrer);
        };
        let origin = of.origin.and_then(CanonicalUrl::parse_stored);
        let page = SeenPage { url: of.url, origin: origin.as_ref(), words };
        let scope = &self.reader.scope;
        let mut payload = |link: usize| {
            let lineage = scope.linked(of.at.lineage, &found[link].url);
            let (off_site, seed) = (lineage.off_site, lineage.seed.0);
            let kept =
                ReserveEntry { depth: of.at.depth + 1, off_site, seed, referrer: of.url.as_str().to_owned() };
            postcard::to_allocvec(&kept).unwrap_or_default()
        };
        let (Some(focus), Some(store)) = (&mut self.focus, self.frontier.focus_mut()) else { return Ok(()) };
        let before = focus.scorer().clone();
        let actions = focus.page(&page, &links, &mut payload, store)?;
        if !Arc::ptr_eq(&before, focus.scorer()) {
            self.reader.set_scorer(focus.scorer());
        }
        for action in actions {
            match action {
                Action::Queue { link, .. } => {
                    let discovered = self.discovered(of, found[link], referrer);
                    self.add(&discovered)?;
                }
                other => self.act(other)?,
            }
        }
        self.hint_known(&found)
    }

    /// Queues what a sitemap lists, or a page of which nothing was read.
    fn queue_listed(
        &mut self,
        of: Naming<'_>,
        found: &[&Candidate],
        links: &[FoundLink<'_>],
        referrer: &Arc<str>,
    ) -> Result<()> {
        for (candidate, link) in found.iter().zip(links) {
            let (Some(focus), Some(store)) = (&mut self.focus, self.frontier.focus_mut()) else {
                return Ok(());
            };
            if focus.listed(link, store)? {
                let discovered = self.discovered(of, candidate, referrer);
                self.add(&discovered)?;
            }
        }
        self.hint_known(found)
    }

    /// Dates of pages that were visited before.
    fn hint_known(&mut self, found: &[&Candidate]) -> Result<()> {
        for candidate in found {
            if let Some(modified) = candidate.last_modified {
                self.hint(&candidate.url, modified)?;
            }
        }
        Ok(())
    }

    fn act(&mut self, action: Action) -> Result<()> {
        match action {
            Action::Queue { .. } => Ok(()),
            Action::Score { url, score } => match CanonicalUrl::parse_stored(&url) {
                Some(url) => self.frontier.score(&url, f64::from(score)),
                None => Ok(()),
            },
            Action::Release { payload, url, .. } => {
                let kept: ReserveEntry = postcard::from_bytes(&payload)
                    .map_err(|_| Error::Internal("what a reserve holds cannot be read".into()))?;
                let Some(url) = CanonicalUrl::parse_stored(&url) else { return Ok(()) };
                self.add(&Discovered {
                    depth: kept.depth,
                    lineage: Lineage { off_site: kept.off_site, seed: SeedMark(kept.seed) },
                    referrer: Some(kept.referrer.into()),
                    ..Discovered::new(url, Purpose::Page)
                })
                .map(drop)
            }
        }
    }

    /// The best of the reserve comes in; whether any did.
    pub(super) fn release_reserve(&mut self) -> Result<bool> {
        let (Some(focus), Some(store)) = (&mut self.focus, self.frontier.focus_mut()) else {
            return Ok(false);
        };
        let actions = focus.release(store)?;
        let any = !actions.is_empty();
        self.changed += actions.len();
        actions.into_iter().try_for_each(|action| self.act(action))?;
        Ok(any)
    }
}
