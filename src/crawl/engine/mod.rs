//! The engine of a crawl: one writer thread, many fetches.
//!
//! **What.** [`Crawl`] owns the folder of a crawl: frontier, shards, event journal. [`Crawl::run`] fetches until nothing is
//! left that can be had now, a limit is reached or it is asked to stop.
//!
//! **Algorithm.** One *writer thread* takes URLs from the frontier and leases each one's host to a task on the fetching
//! threads; the task fetches, reads links and packs the record, and hands all back ([`apply`]). The writer thread writes:
//! shards first, then the journal, then the frontier with a [`Checkpoint`], the positions in both. What was written after
//! the last checkpoint is *replayed* after a crash: the journal says what was done, the shards give the pages' links again.
//! A record that the journal does not know is cut off and fetched again, so that every page is stored exactly once.
//!
//! | when | modules |
//! |---|---|
//! | before a request | [`consider`]: may it be asked for; [`brake`], [`rules`], [`site`] |
//! | on the way | [`task`]; [`fetch_task`], [`rendered`]: on the fetching threads, in a browser |
//! | after it | [`decide`]: what an answer leads to; [`apply`]: that it is done; [`learn`], [`robots_redirects`]: a robots.txt; [`redirects`]; [`queue`], [`requisites`], [`requisites_again`]: what it names; [`revisit`]: what a visit found and which pages are due; [`steered`]: what rules lead to |
//! | where it failed | [`trouble`]: hosts that rest; [`outage`]: nothing can be reached; [`parts`]: bodies cut off; [`put_off`]: a busy address; [`verdict`], [`retry`]: what was given up |
//! | between them | [`turn`] |
//! | writing, opening | [`commit`], [`open`], [`folder`], [`replay`] |
//! | people and others | [`operate`], [`look`], [`snapshot`], [`seed_news`], [`agents`] |
//!
//! **Cost.** A few index operations a URL. Memory: the frontier's budget, and what bodies get of the crawl's.
//!
//! **Determinism.** With one connection the order of fetching is a function of the settings, the seeds and the answers; visits that
//! are due depend on the clock as well.
//!
//! **Stopping.** Nothing queued and nothing in flight, or only hosts that are away and no good answer for `patience_ms`, or a limit.
//! Where pages are visited again, none that was due when the crawl was opened; never, where it is continuous.

mod agents;
mod apply;
mod brake;
mod commit;
mod consider;
mod decide;
#[cfg(test)]
mod decide_tests;
mod fetch_task;
mod focused;
mod folder;
mod hints;
mod import;
mod learn;
mod look;
mod open;
mod operate;
mod outage;
mod parts;
mod plan;
mod put_off;
mod queue;
mod redirects;
mod rendered;
mod replay;
mod requisites;
mod requisites_again;
mod retry;
mod revisit;
mod robots_redirects;
mod rules;
mod seed_news;
mod site;
mod snapshot;
mod steered;
mod survey;
mod task;
mod trouble;
mod turn;
mod verdict;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::archive::{Archive, Packed};
use crate::config::CrawlOptions;
use crate::event::{Event, outcome};
use crate::exchange::Exchange;
use crate::fetch::Fetcher;
use crate::focus::Focus;
use crate::frontier::{AskAgain, Frontier, FrontierOptions, FrontierStats};
use crate::journal::Journal;
use crate::kinds::KindFilter;
use crate::longest_bodies::LongestBodies;
use crate::page::{PageReader, Reading, plain};
use crate::priority::Priority;
use crate::render::Render;
use crate::scope::Lineage;
use crate::site_settings::Sites;
use crate::{Counted, Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};
use webmill_shard::Position;

pub(crate) use folder::is_locked;
pub(crate) use folder::{adopted, lock};
pub use import::{Import, Imported, OldCapture};
pub(crate) use open::scope_of;
pub use replay::Replayed;
pub(crate) use rules::stored_rules;
pub use seed_news::SeedNews;
pub use snapshot::{Ended, Observer, Operated, Snapshot};
pub use survey::{Finished, LastLog};
pub use trouble::{HostTrouble, Missing};

use commit::Checkpoint;
use folder::FolderLock;
use operate::Operator;
use outage::Outage;
use revisit::Visits;
use robots_redirects::RobotsRedirects;
use rules::RuleCache;
use task::Requests;
use turn::Wake;

/// Counts since the crawl began, over all its resumptions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Totals {
    /// Pages stored.
    pub stored: u64,
    /// Requisites of pages stored.
    pub requisites: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Requests answered or failed.
    pub fetched: u64,
    /// Events of the log by outcome; a URL that is tried again has several.
    pub outcomes: Counted,
    /// References not followed, by reason.
    pub refused: Counted,
    /// URLs left out for the media type that they had, or that their ending stands for, each by its last outcome.
    pub refused_types: Counted,
    /// URLs left out as copies, by host and pattern.
    pub cut_patterns: Counted,
    /// URLs given up though they may be there, by their last outcome ([`crate::event::outcome::SOFT`]).
    pub given_up: Counted,
    /// Beginnings of answers that broke off and were not kept, by reason: `no-room` beside others, `run-ended` before their URLs
    /// came to an end. The URLs are asked for again.
    pub lost_parts: Counted,
    /// Visits of pages whose history is kept, by what they found.
    pub visits: Counted,
    /// Visits of requisites, by what they found.
    pub requisite_visits: Counted,
    /// Where rules steer: `pages` that a rule took part in, `links` that rules led along (each URL once a layer), `looks` at pages that were read
    /// before, for a layer that came to them later. Kept apart from the other counts.
    #[serde(skip)]
    pub rules: Counted,
    /// What dates in sitemaps and feeds came to, of pages that were visited before: `due` at once, `kept` as it was,
    /// `not-believed` of hosts that were wrong too often, `in-the-future`.
    pub hints: Counted,
}

/// A crawl: its folder and all that is open in it.
pub struct Crawl {
    folder: PathBuf,
    options: CrawlOptions,
    frontier: Frontier,
    archive: Archive,
    journal: Journal,
    fetcher: Fetcher,
    /// The browser, where pages are to be rendered.
    render: Option<Arc<Render>>,
    reader: Arc<PageReader>,
    kinds: KindFilter,
    priority: Priority,
    /// The order of a focused crawl.
    focus: Option<Focus>,
    sites: Sites,
    seed_news: SeedNews,
    /// Behind the last record that was flushed.
    last_written: Position,
    /// Events that wait until the pages that they are about are written.
    pending_events: Vec<Event>,
    rules: RuleCache,
    robots_redirects: RobotsRedirects,
    totals: Totals,
    requests: Requests,
    changed: usize,
    threads: Option<tokio::runtime::Runtime>,
    started: Instant,
    /// The crawl's clock when it was opened, ms since 1970.
    wall_ms: i64,
    /// How far that was ahead of the machine's clock, ms: times on disk were written by a clock that was ahead, and
    /// waits must go on from where they were.
    lead_ms: i64,
    resumed: bool,
    warm_ms: i64,
    traps_reported: HashSet<(String, &'static str)>,
    /// While nothing but the resolver or the proxy answers.
    outage: Option<Outage>,
    samples: snapshot::Samples,
    /// Answers that broke off and are asked for again.
    longest: LongestBodies<(Packed, Reading)>,
    /// Between the clock of this machine and the one that the crawl goes by, ms.
    clock_shift_ms: i64,
    visits: Visits,
    /// URLs first asked for whose redirects lead back to them, while they are asked for again with cookies.
    circles: HashSet<String>,
    /// URLs first asked for of which a redirect set a cookie.
    setting_cookies: HashSet<String>,
    /// Hosts in trouble, some of them.
    troubled: trouble::Troubled,
    /// When a host gave a good answer last.
    last_good: Instant,
    /// When a requisite was sent for last, since the crawl has all its pages.
    requisite_at: Option<Instant>,
    operator: Operator,
    exchange: Option<Exchange>,
    /// When this agent took over hosts of another one last, ms since 1970.
    taken_over_ms: i64,
    queues: look::Queues,
    /// When the last answer came in.
    answered_at: Instant,
    /// The host that all wait for, and until when, ms since 1970 by the crawl's clock.
    long_wait: Option<(String, i64)>,
    _lock: FolderLock,
}

impl Crawl {
    /// Lets the crawl believe that it is `now_ms`, ms since 1970: for simulations in which a year passes in minutes. To be
    /// called before [`Crawl::run`].
    pub fn set_clock(&mut self, now_ms: i64) {
        let shift = now_ms - self.now_ms();
        self.wall_ms += shift;
        self.warm_ms += shift;
        self.lead_ms = 0;
        self.clock_shift_ms = now_ms - webmill_capture::date::now_ms();
    }

    /// The frontier: URLs that wait, and URLs that are known.
    pub fn frontier(&self) -> FrontierStats {
        self.frontier.stats()
    }

    fn add_seed(&mut self, seed: &CanonicalUrl) -> Result<()> {
        let lineage = self.reader.scope.of_seed(seed);
        self.add_root(self.reader.rewriter.apply(plain(seed.clone())), Purpose::Page, lineage)
    }

    /// Adds what no page of the crawl led to.
    fn add_root(&mut self, url: CanonicalUrl, purpose: Purpose, lineage: Lineage) -> Result<()> {
        let priority = self.priority.of(&url, None);
        if purpose == Purpose::Page {
            self.focus_on_seed(&url)?;
        }
        self.add(&Discovered { lineage, priority, ..Discovered::new(url, purpose) })?;
        Ok(())
    }

    /// Adds what was found, unless it belongs to another agent.
    fn add(&mut self, found: &Discovered) -> Result<bool> {
        self.add_or_ask_again(found, None)
    }

    /// [`Crawl::add`]; a requisite that is known is asked for again where `again` says so.
    fn add_or_ask_again(&mut self, found: &Discovered, again: Option<AskAgain>) -> Result<bool> {
        if self.operator.drops(&found.url).is_some() {
            self.totals.refused.add(outcome::DROPPED);
            return Ok(false);
        }
        if self.pass_on(found)? {
            return Ok(false);
        }
        let mut new = match self.score_of(found)? {
            Some(priority) => self.frontier.add(&Discovered { priority, ..found.clone() })?,
            None => self.frontier.add(found)?,
        };
        if let Some(again) = again.filter(|_| !new && found.purpose == Purpose::Requisite) {
            new = self.frontier.ask_for_requisite(found, again)?;
        }
        if new && self.options.connections > 1 {
            self.fetcher.prefetch(found.url.host());
        }
        Ok(new)
    }

    /// Fetches until the crawl is at its end, at a limit, or `stop` says so; `observer` is told how it goes.
    ///
    /// # Errors
    /// [`Error::Io`] when the disk is full or fails, [`Error::Corrupt`] when the frontier is damaged. What was written
    /// before stays, and the crawl can be resumed from it.
    pub fn run(&mut self, observer: &mut dyn Observer, stop: &dyn Fn() -> bool) -> Result<Ended> {
        let begun = self.begin_control();
        let ended = begun.and_then(|()| self.fetch_all(observer, stop));
        self.remember_damage(ended)
    }

    /// A frontier that turns out to be damaged is marked, so that the next opening builds it again.
    fn remember_damage<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(Error::Corrupt { path, .. }) = &result
            && path.starts_with(self.folder.join("frontier"))
        {
            folder::mark_damaged(&self.folder);
        }
        result
    }

    /// Milliseconds since 1970, never going back: neither while the crawl runs, whatever becomes of the machine's clock, nor
    /// from one run to the next.
    fn now_ms(&self) -> i64 {
        self.wall_ms + i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// The options of the frontier that follow from those of the crawl.
    pub(crate) fn frontier_options(options: &CrawlOptions) -> FrontierOptions {
        FrontierOptions {
            strategy: options.strategy,
            popularity: options.priority.coefficients.popularity,
            strict: options.connections == 1,
            memory: options.memory,
            hash_seed: options.seed,
        }
    }
}
