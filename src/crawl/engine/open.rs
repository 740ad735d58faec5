//! Opening a crawl, or beginning one: the settings made ready, frontier, shards and event log brought to agree, seeds added.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, RwLock};
use std::time::Instant;

use tokio::runtime::Runtime;

use crate::config::CrawlOptions;
use crate::control::Control;
use crate::engine::folder::{self, FolderLock, Opened, lock};
use crate::engine::operate::{self, Operator};
use crate::engine::revisit::Visits;
use crate::engine::robots_redirects::RobotsRedirects;
use crate::engine::rules::RuleCache;
use crate::engine::task::Requests;
use crate::engine::{Checkpoint, Crawl, Replayed, SeedNews, look, snapshot, trouble};
use crate::event::outcome;
use crate::fetch::{Account, Fetcher};
use crate::focus::Scorer;
use crate::frontier::Frontier;
use crate::kinds::KindFilter;
use crate::longest_bodies::LongestBodies;
use crate::page::{PageReader, ReadingBudget, account};
use crate::priority::{Earlier, Priority};
use crate::render::Render;
use crate::rewrite::Rewriter;
use crate::scope::Scope;
use crate::site_settings::Sites;
use crate::steering::Steering;
use webmill_capture::CanonicalUrl;
use webmill_capture::date::now_ms;
use webmill_capture::error::{AtPath, Error, Result};

/// Seeds that are added before they are committed.
pub(super) const SEEDS_AT_ONCE: usize = 16_384;

impl Crawl {
    /// Opens the crawl in `folder`, or begins one, with `seeds` added to it; `threads` fetch and read. `earlier` tells of an
    /// earlier crawl of the same Web, for best-first order.
    ///
    /// # Errors
    /// [`Error::Config`] for settings or seeds that cannot work, [`Error::Incompatible`] for a folder that is another's,
    /// [`Error::Corrupt`] where neither frontier nor journal can be read, [`Error::Io`].
    pub fn open(
        folder: &Path,
        options: &CrawlOptions,
        seeds: &[CanonicalUrl],
        threads: usize,
        earlier: Option<Earlier>,
    ) -> Result<(Crawl, Replayed)> {
        options.check()?;
        std::fs::create_dir_all(folder).at(folder)?;
        let lock = lock(folder)?;
        let tools = Tools::new(folder, options, seeds, threads, earlier)?;
        let opened = folder::open(folder, options)?;
        let checkpoint = opened.checkpoint.clone();
        let mut replayed = opened.replayed.clone();
        let mut crawl = Crawl::assemble(folder, options, tools, opened, lock)?;
        crawl.keep_to_rules(&replayed)?;
        if !replayed.fresh {
            replayed.clock_back_ms = crawl.lead_ms;
            crawl.go_on_from(&checkpoint, &mut replayed)?;
        }
        crawl.hand_over()?;
        crawl.add_seeds(seeds)?;
        crawl.add_entries()?;
        Ok((crawl, replayed))
    }

    /// The engine of what was opened, idle; what its operator said before holds again.
    fn assemble(
        folder: &Path,
        options: &CrawlOptions,
        tools: Tools,
        opened: Opened,
        lock: FolderLock,
    ) -> Result<Crawl> {
        let Tools { threads, fetcher, render, reader, priority } = tools;
        let Opened { frontier, archive, journal, checkpoint, replayed } = opened;
        let exchange = Self::open_exchange(folder, options)?;
        let mut options = options.clone();
        let operator = open_operator(folder, &frontier, &mut options)?;
        adopt(&reader.scope, &checkpoint, &operator);
        let lead_ms = lead_ms(&checkpoint, &replayed);
        let wall_ms = now_ms() + lead_ms;
        let pause_ms = if replayed.fresh { 0 } else { restart_pause_ms(&options) };
        let focus = Crawl::open_focus(&options, &frontier, &reader)?;
        Ok(Crawl {
            folder: folder.to_path_buf(),
            focus,
            frontier,
            archive,
            journal,
            fetcher,
            kinds: KindFilter::new(|media_type| reader.scope.may_take(media_type)),
            render,
            reader,
            priority,
            sites: Sites::new(&options.sites, &options.politeness)?,
            seed_news: SeedNews::default(),
            last_written: checkpoint.last,
            pending_events: Vec::new(),
            rules: RuleCache::default(),
            robots_redirects: RobotsRedirects::default(),
            totals: checkpoint.totals,
            requests: Requests::new(),
            changed: 0,
            threads: Some(threads),
            started: Instant::now(),
            wall_ms,
            lead_ms,
            resumed: !replayed.fresh,
            warm_ms: wall_ms + pause_ms,
            traps_reported: HashSet::new(),
            outage: None,
            samples: snapshot::Samples::default(),
            longest: LongestBodies::new(usize::try_from(options.memory / 32).unwrap_or(usize::MAX)),
            clock_shift_ms: 0,
            visits: Visits::new(&options, checkpoint.priors)?,
            circles: HashSet::new(),
            setting_cookies: HashSet::new(),
            troubled: trouble::Troubled::new(),
            last_good: Instant::now(),
            requisite_at: None,
            operator,
            exchange,
            taken_over_ms: 0,
            queues: look::Queues::default(),
            answered_at: Instant::now(),
            long_wait: None,
            options,
            _lock: lock,
        })
    }

    /// Takes up what was written after the checkpoint, and what an earlier run gave up.
    fn go_on_from(&mut self, checkpoint: &Checkpoint, replayed: &mut Replayed) -> Result<()> {
        let done = self.replay(checkpoint, replayed);
        self.remember_damage(done)?;
        replayed.revived = self.revive_hosts()?;
        replayed.asked_again = self.ask_again(outcome::UNANSWERED)?;
        Ok(())
    }

    fn add_seeds(&mut self, seeds: &[CanonicalUrl]) -> Result<()> {
        for (n, seed) in seeds.iter().enumerate() {
            self.add_seed(seed)?;
            // A list of millions must not pile up in memory.
            if n % SEEDS_AT_ONCE == SEEDS_AT_ONCE - 1 {
                self.commit()?;
            }
        }
        self.commit()
    }
}

/// How far the clock of the last commit is ahead of the machine's, ms.
fn lead_ms(checkpoint: &Checkpoint, replayed: &Replayed) -> i64 {
    if replayed.fresh { 0 } else { checkpoint.clock_ms.saturating_sub(now_ms()).max(0) }
}

/// What the settings alone make, before anything of the folder is read.
struct Tools {
    threads: Runtime,
    fetcher: Fetcher,
    render: Option<Arc<Render>>,
    reader: Arc<PageReader>,
    priority: Priority,
}

impl Tools {
    fn new(
        folder: &Path,
        options: &CrawlOptions,
        seeds: &[CanonicalUrl],
        threads: usize,
        earlier: Option<Earlier>,
    ) -> Result<Tools> {
        let reader = Arc::new(page_reader(options, seeds)?);
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads.max(1))
            .enable_all()
            .build()
            .map_err(|e| Error::io(folder, e))?;
        let entered = threads.enter();
        let fetcher = fetcher(options, seeds, reader.clone())?;
        drop(entered);
        let render = threads.block_on(Render::new(options, &fetcher, reader.clone()))?;
        let priority = Priority::new(&options.priority, earlier)?;
        Ok(Tools { threads, fetcher, render, reader, priority })
    }
}

fn page_reader(options: &CrawlOptions, seeds: &[CanonicalUrl]) -> Result<PageReader> {
    Ok(PageReader {
        scope: scope_of(options, seeds)?,
        rewriter: Rewriter::new(options.strip_session_ids),
        agent: options.agent.clone(),
        images: options.images,
        script_links: options.script_links,
        requisites: options.requisites,
        steering: Steering::new(&options.rules)?,
        focus: options
            .focus
            .ready
            .clone()
            .map(|topic| RwLock::new(Arc::new(Scorer::new(topic, &Arc::default())))),
        budget: ReadingBudget::of(options.memory),
    })
}

/// The scope as the other settings have it too, before anything was adopted.
///
/// # Errors
/// [`Error::Config`].
pub(crate) fn scope_of(options: &CrawlOptions, seeds: &[CanonicalUrl]) -> Result<Scope> {
    let mut scope = options.scope.clone();
    if options.images && !scope.media_types.is_empty() {
        scope.media_types.push("image/*".into());
    }
    let scope = match Steering::new(&options.rules)? {
        // Where rules begin is a site of the crawl as where seeds stand is.
        Some(steering) => Scope::new(&scope, &[seeds, &steering.sites()].concat())?,
        None => Scope::new(&scope, seeds)?,
    };
    if options.fetch.proxy.is_some() && scope.asks_address() {
        return Err(Error::Config(
            "scope.networks cannot be held through a proxy, which tells no addresses".into(),
        ));
    }
    Ok(scope)
}

/// Asks only addresses in scope, and as whom seeds say that name a user.
fn fetcher(options: &CrawlOptions, seeds: &[CanonicalUrl], reader: Arc<PageReader>) -> Result<Fetcher> {
    let mut fetch = options.fetch_options();
    for seed in seeds {
        if let Some((host, account)) = account(seed) {
            fetch.accounts.entry(host).or_insert(Account::basic(&account));
        }
    }
    Fetcher::new(&fetch, Some(Arc::new(move |ip| reader.scope.address(ip).is_ok())))
}

/// After a restart nobody knows when the last request went out.
fn restart_pause_ms(options: &CrawlOptions) -> i64 {
    options.politeness.delay_ms.max(options.ip_delay_ms()) as i64
}

fn open_operator(folder: &Path, frontier: &Frontier, options: &mut CrawlOptions) -> Result<Operator> {
    let noted = Operator::noted(frontier.note(operate::NOTE)?, folder);
    Ok(Operator::open(Control::open(folder)?, noted, options))
}

/// The sites beside the seeds' belong to the crawl again.
fn adopt(scope: &Scope, checkpoint: &Checkpoint, operator: &Operator) {
    scope.restore(&checkpoint.adopted);
    // Where the frontier was lost, and the checkpoint with it, the operator's note still has those that were added by hand.
    operator.added().iter().for_each(|url| _ = scope.adopt(url));
}
