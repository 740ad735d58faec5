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
//! | on the way | [`task`]; [`rendered`]: in a browser |
//! | after it | [`apply`]; [`learn`], [`robots_redirects`]: a robots.txt; [`redirects`]; [`queue`], [`requisites`]: what it names; [`revisit`]: what a visit found and which pages are due |
//! | where it failed | [`trouble`]: hosts that rest; [`outage`]: nothing can be reached; [`put_off`]: a busy address; [`retry`]: what was given up |
//! | writing, opening | [`commit`], [`replay`] |
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
mod hints;
mod import;
mod learn;
mod look;
mod operate;
mod outage;
mod plan;
mod put_off;
mod queue;
mod redirects;
mod rendered;
mod replay;
mod requisites;
mod retry;
mod revisit;
mod robots_redirects;
mod rules;
mod seed_news;
mod site;
mod snapshot;
mod survey;
mod task;
mod trouble;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::agents::Ring;
use crate::archive::{Archive, Packed};
use crate::config::CrawlOptions;
use crate::control::Control;
use crate::event::{Event, outcome};
use crate::exchange::Exchange;
use crate::fetch::Fetcher;
use crate::frontier::{Frontier, FrontierOptions, FrontierStats, Next};
use crate::journal::Journal;
use crate::kinds::KindFilter;
use crate::login::{LoginError, LoginOptions, Logins};
use crate::longest_bodies::LongestBodies;
use crate::metrics::Metrics;
use crate::page::{PageReader, Reading, ReadingBudget, account, plain};
use crate::priority::{Earlier, Priority};
use crate::render::Render;
use crate::rewrite::Rewriter;
use crate::scope::{Lineage, Scope};
use crate::site_settings::Sites;
use crate::{Counted, Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_revisit::{Plan, Priors, Scheduler};
use webmill_shard::Position;

pub use import::{Import, Imported, OldCapture};
pub use operate::Operated;
pub use replay::Replayed;
pub(crate) use rules::{origin, stored_rules};
pub use seed_news::SeedNews;
pub use snapshot::{Ended, Observer, Snapshot};
pub(crate) use task::without_secrets;
pub use trouble::{HostTrouble, Missing};

use commit::Checkpoint;
use operate::Operator;
use outage::Outage;
use robots_redirects::RobotsRedirects;
use rules::RuleCache;
use task::{FetchResult, InFlight};

/// Between two commits of the frontier, at most.
const TICK: Duration = Duration::from_millis(50);
/// Results after which a commit is due in any case.
const BATCH: usize = 256;
/// Seeds that are added before they are committed.
const SEEDS_AT_ONCE: usize = 16_384;
/// Between two syncs against loss of power.
const SYNC: Duration = Duration::from_secs(5);
/// How long fetches in flight may go on when a crawl is asked to stop.
const GRACE: Duration = Duration::from_secs(10);

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
    /// URLs left out for the media type that they had, or that their ending stands for.
    pub refused_types: Counted,
    /// URLs left out as copies, by host and pattern.
    pub cut_patterns: Counted,
    /// URLs given up though they may be there, by outcome ([`crate::event::outcome::SOFT`]).
    pub given_up: Counted,
    /// Visits of pages whose history is kept, by what they found.
    pub visits: Counted,
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
    logins: Arc<Logins>,
    /// The browser, where pages are to be rendered.
    render: Option<Arc<Render>>,
    reader: Arc<PageReader>,
    kinds: KindFilter,
    priority: Priority,
    sites: Sites,
    seed_news: SeedNews,
    ring: Option<(Ring, String)>,
    outbox: HashMap<String, Vec<u8>>,
    /// Behind the last record that was flushed.
    last_written: Position,
    /// Events that wait until the pages that they are about are written.
    pending_events: Vec<Event>,
    rules: RuleCache,
    robots_redirects: RobotsRedirects,
    totals: Totals,
    requests: Vec<Option<InFlight>>,
    free: Vec<usize>,
    in_flight: usize,
    pages_in_flight: u64,
    changed: usize,
    results: Receiver<FetchResult>,
    sender: Sender<FetchResult>,
    threads: Option<tokio::runtime::Runtime>,
    started: Instant,
    wall_ms: i64,
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
    scheduler: Scheduler,
    /// Mean rates of change by suffix and media type.
    priors: Priors,
    /// Due pages that may be queued while new ones wait.
    due_credit: f64,
    /// When to look for due pages again.
    next_look_ms: i64,
    /// When to spread the budget of visits anew.
    next_plan_ms: i64,
    common_plan: Option<Plan>,
    host_plans: plan::HostPlans,
    /// When to look again for sitemaps that are to be read again.
    next_sitemaps_ms: i64,
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
    metrics: Option<Metrics>,
    /// When this agent took over hosts last, ms since 1970.
    wall_ms_of_settling: i64,
    queues: look::Queues,
    /// When the last answer came in.
    answered_at: Instant,
    _lock: std::fs::File,
}

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
        earlier: Option<Box<dyn Earlier>>,
    ) -> Result<(Crawl, Replayed)> {
        options.check()?;
        std::fs::create_dir_all(folder).at(folder)?;
        let lock = lock(folder)?;
        let mut scope = options.scope.clone();
        if options.images && !scope.media_types.is_empty() {
            scope.media_types.push("image/*".into());
        }
        scope.url_exclude.extend(options.logins.iter().filter_map(LoginOptions::avoided));
        let scope = Scope::new(&scope, seeds)?;
        if options.fetch.proxy.is_some() && scope.asks_address() {
            return Err(Error::Config(
                "scope.ip_ranges and scope.countries cannot be held through a proxy, which tells no addresses".into(),
            ));
        }
        let reader = Arc::new(PageReader {
            scope,
            rewriter: Rewriter::new(&options.rewrite)?,
            traps: options.traps.clone(),
            agent: options.agent.clone(),
            images: options.images,
            follow_nofollow: options.follow_nofollow,
            requisites: options.requisites.clone(),
            budget: ReadingBudget::of(options.memory),
        });
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads.max(1))
            .enable_all()
            .build()
            .map_err(|e| Error::io(folder, e))?;
        let filter = reader.clone();
        let entered = threads.enter();
        let mut fetch = options.fetch_options();
        for seed in seeds {
            if let Some((host, account)) = account(seed) {
                fetch.basic_auth.entry(host).or_insert(account);
            }
        }
        let fetcher = Fetcher::new(&fetch, Some(Arc::new(move |ip| filter.scope.address(ip).is_ok())))?;
        drop(entered);
        let render = threads.block_on(Render::new(options, &fetcher, reader.clone()))?;
        let mut opened = replay::open(folder, options)?;
        reader.scope.restore(&opened.checkpoint.adopted);
        let mut options = options.clone();
        let exchange = Self::open_exchange(folder, &options, &mut opened.frontier)?;
        let noted = Operator::noted(opened.frontier.note(operate::NOTE)?, folder);
        let operator = Operator::open(Control::open(folder)?, noted, &mut options);
        operator.added().iter().for_each(|url| _ = reader.scope.adopt(url));
        let options = &options;
        let (sender, results) = channel();
        let wall_ms = wall_clock_ms();
        let mut replayed = opened.replayed;
        let mut crawl = Crawl {
            folder: folder.to_path_buf(),
            options: options.clone(),
            frontier: opened.frontier,
            archive: opened.archive,
            journal: opened.journal,
            fetcher,
            kinds: KindFilter::new(|media_type| reader.scope.may_take(media_type)),
            logins: Arc::new(Logins::new(&options.logins)?),
            render,
            reader,
            priority: Priority::new(&options.priority, earlier)?,
            sites: Sites::new(&options.sites, &options.politeness)?,
            seed_news: SeedNews::default(),
            ring: options.agents.ring()?,
            outbox: HashMap::new(),
            last_written: opened.checkpoint.last,
            pending_events: Vec::new(),
            rules: RuleCache::default(),
            robots_redirects: RobotsRedirects::default(),
            totals: opened.checkpoint.totals.clone(),
            requests: Vec::new(),
            free: Vec::new(),
            in_flight: 0,
            pages_in_flight: 0,
            changed: 0,
            results,
            sender,
            threads: Some(threads),
            started: Instant::now(),
            wall_ms,
            resumed: !replayed.fresh,
            // After a restart nobody knows when the last request went out.
            warm_ms: if replayed.fresh {
                wall_ms
            } else {
                wall_ms + options.politeness.delay_ms.max(options.ip_delay_ms()) as i64
            },
            traps_reported: HashSet::new(),
            outage: None,
            samples: snapshot::Samples::default(),
            longest: LongestBodies::new(usize::try_from(options.memory / 32).unwrap_or(usize::MAX)),
            clock_shift_ms: 0,
            scheduler: Crawl::scheduler(options)?,
            priors: opened.checkpoint.priors.clone(),
            due_credit: 0.0,
            next_look_ms: 0,
            next_plan_ms: 0,
            common_plan: None,
            host_plans: plan::HostPlans::default(),
            next_sitemaps_ms: 0,
            circles: HashSet::new(),
            setting_cookies: HashSet::new(),
            troubled: trouble::Troubled::new(),
            last_good: Instant::now(),
            requisite_at: None,
            operator,
            exchange,
            metrics: None,
            wall_ms_of_settling: 0,
            queues: look::Queues::default(),
            answered_at: Instant::now(),
            _lock: lock,
        };
        if !replayed.fresh {
            let done = crawl.replay(&opened.checkpoint, &mut replayed);
            crawl.remember_damage(done)?;
            replayed.revived = crawl.revive_hosts()?;
            replayed.asked_again = crawl.ask_again(outcome::UNANSWERED)?;
        }
        for (n, seed) in seeds.iter().enumerate() {
            crawl.add_seed(seed)?;
            // A list of millions must not pile up in memory.
            if n % SEEDS_AT_ONCE == SEEDS_AT_ONCE - 1 {
                crawl.commit()?;
            }
        }
        crawl.commit()?;
        Ok((crawl, replayed))
    }

    /// Lets the crawl believe that it is `now_ms`, ms since 1970: for simulations in which a year passes in minutes. To be
    /// called before [`Crawl::run`].
    pub fn set_clock(&mut self, now_ms: i64) {
        let shift = now_ms - wall_clock_ms();
        self.wall_ms += shift - self.clock_shift_ms;
        self.warm_ms += shift - self.clock_shift_ms;
        self.clock_shift_ms = shift;
    }

    /// Shows metrics to whoever asks at `address`, for as long as the crawl runs; where it listens.
    ///
    /// # Errors
    /// [`Error::Config`] where nobody can listen there.
    pub fn show_metrics(&mut self, address: std::net::SocketAddr) -> Result<std::net::SocketAddr> {
        let Some(threads) = &self.threads else { return Err(Error::Internal("the crawl is closed".into())) };
        let metrics = Metrics::serve(address, threads.handle())?;
        let address = metrics.address();
        self.metrics = Some(metrics);
        Ok(address)
    }

    /// What waits and what is known.
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
        self.add(&Discovered {
            url,
            purpose,
            depth: 0,
            redirects: 0,
            lineage,
            origin: None,
            referrer: None,
            priority,
        })?;
        Ok(())
    }

    /// Adds what was found, unless it belongs to another agent.
    fn add(&mut self, found: &Discovered) -> Result<bool> {
        if self.operator.drops(&found.url).is_some() {
            self.totals.refused.add(outcome::DROPPED);
            return Ok(false);
        }
        if self.pass_on(found)? {
            return Ok(false);
        }
        if let Some(ring) = &self.ring {
            let (ring, name) = ring;
            let agent = ring.agent_of(found.url.host());
            if agent != name {
                // The other one would take it for a page.
                if found.purpose != Purpose::Page {
                    self.totals.refused.add("of-another-agent");
                    return Ok(false);
                }
                // Each URL is handed over once.
                if self.frontier.is_seen(&found.url)? {
                    return Ok(false);
                }
                self.frontier.mark_seen(&found.url)?;
                let lines = self.outbox.entry(agent.to_owned()).or_default();
                lines.extend_from_slice(found.url.as_str().as_bytes());
                lines.push(b'\n');
                return Ok(false);
            }
        }
        let new = self.frontier.add(found)?;
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
        self.log_in()?;
        let begun = self.begin_control();
        let ended = begun.and_then(|()| self.fetch_all(observer, stop));
        self.remember_damage(ended)
    }

    /// Logs in where the settings say so, unless nothing is left to fetch.
    fn log_in(&mut self) -> Result<()> {
        let Some(threads) = self.threads.as_ref().filter(|_| !self.logins.is_empty()) else { return Ok(()) };
        if self.frontier.stats().queued == 0 {
            return Ok(());
        }
        let pause = self.options.politeness.delay_ms;
        threads
            .block_on(self.logins.log_in(&self.fetcher, Duration::from_millis(pause)))
            .map_err(LoginError::into_error)?;
        self.warm_ms = self.warm_ms.max(self.now_ms() + pause as i64);
        Ok(())
    }

    /// What became of logins while it ran, in words; nothing where all went well.
    pub fn login_notes(&self) -> Vec<String> {
        self.logins.notes()
    }

    /// A frontier that turns out to be damaged is marked, so that the next opening builds it again.
    fn remember_damage<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(Error::Corrupt { path, .. }) = &result
            && path.starts_with(self.folder.join("frontier"))
        {
            replay::mark_damaged(&self.folder);
        }
        result
    }

    fn fetch_all(&mut self, observer: &mut dyn Observer, stop: &dyn Fn() -> bool) -> Result<Ended> {
        let mut committed = Instant::now();
        let mut synced = Instant::now();
        let mut stopping: Option<(Instant, Ended)> = None;
        loop {
            if stopping.is_none() {
                let reason = self.operate()?;
                let reason =
                    reason.or_else(|| if stop() { Some(Ended::Stopped) } else { self.limit_reached() });
                stopping = reason.map(|r| (Instant::now(), r));
            }
            let may_ask = self.mind_others()? && !self.operator.is_paused();
            let mut wake = match &stopping {
                None if may_ask => self.dispatch()?,
                _ => Wake::Results,
            };
            if let Wake::Nothing = wake {
                wake = self.is_over_everywhere()?;
            }
            if let Wake::Nothing = wake {
                break;
            }
            if self.is_out_of_patience(&wake) {
                stopping = Some((Instant::now(), Ended::Patience));
            }
            if let Some((since, _)) = &stopping
                && (self.in_flight == 0 || since.elapsed() > GRACE)
            {
                break;
            }
            self.collect(wake, committed)?;
            if let Some(error) = self.out_of_reach() {
                self.commit()?;
                self.sync()?;
                return Err(error);
            }
            if self.changed >= BATCH || (self.changed > 0 && committed.elapsed() >= TICK) {
                self.commit()?;
                committed = Instant::now();
            }
            if synced.elapsed() >= SYNC {
                self.sync()?;
                synced = Instant::now();
            }
            self.observe(observer, false);
        }
        if matches!(stopping, None | Some((_, Ended::Patience))) {
            self.note_waiting()?;
        }
        self.commit()?;
        self.sync()?;
        self.observe(observer, true);
        Ok(stopping.map_or(Ended::Finished, |(_, reason)| reason))
    }

    /// Takes in results: at least one, unless the next host is due before.
    fn collect(&mut self, wake: Wake, committed: Instant) -> Result<()> {
        let now = self.now_ms();
        let mut wait = match wake {
            Wake::At(ms) => Duration::from_millis(u64::try_from(ms - now).unwrap_or(0)),
            _ => Duration::from_millis(250),
        };
        if let Some(due) = self.robots_redirects.next_due() {
            wait = wait.min(Duration::from_millis(u64::try_from(due - now).unwrap_or(0)));
        }
        if self.changed > 0 {
            wait = wait.min(TICK.saturating_sub(committed.elapsed()));
        }
        match self.results.recv_timeout(wait.clamp(Duration::from_millis(1), Duration::from_millis(250))) {
            Ok(result) => self.apply(result)?,
            Err(RecvTimeoutError::Timeout) => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::Internal("the fetching threads are gone".into()));
            }
        }
        while self.changed < BATCH {
            match self.results.try_recv() {
                Ok(result) => self.apply(result)?,
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Sends out as many fetches as there is room for.
    fn dispatch(&mut self) -> Result<Wake> {
        self.fetch_robots_redirects()?;
        // With one connection the order must not depend on when a moved robots.txt arrives.
        if self.options.connections == 1 && !self.robots_redirects.is_empty() {
            return Ok(Wake::Results);
        }
        while self.in_flight < self.options.connections {
            let now = self.now_ms();
            if now < self.warm_ms {
                return Ok(Wake::At(self.warm_ms));
            }
            let left = self.options.limits.pages.map_or(u64::MAX, |p| p.saturating_sub(self.totals.stored));
            if self.pages_in_flight >= left {
                return self.dispatch_requisites();
            }
            self.admit_due(false)?;
            match self.frontier.next(now)? {
                Next::Fetch(lease) => self.consider(lease)?,
                Next::Empty | Next::Wait { .. } if self.admit_due(true)? => {}
                Next::Wait { until_ms } => {
                    let due = self.next_due()?.unwrap_or(until_ms).max(now + 1);
                    return Ok(Wake::At(until_ms.min(due)));
                }
                Next::Empty if self.next_due()?.is_some_and(|due| due < crate::frontier::NEVER_MS) => {
                    let due = self.next_due()?.unwrap_or(now);
                    return Ok(Wake::At(due.max(now + 1)));
                }
                Next::Busy => return Ok(Wake::Results),
                Next::Empty if self.in_flight == 0 && self.robots_redirects.is_empty() => {
                    return Ok(Wake::Nothing);
                }
                Next::Empty => return Ok(Wake::Results),
            }
            // URLs that are settled without a request must not keep results waiting, nor grow the batch without bound.
            if self.changed >= 4 * BATCH {
                return Ok(Wake::At(now));
            }
        }
        Ok(Wake::Results)
    }

    /// Whether only hosts in trouble are left, and have been for longer than is waited.
    fn is_out_of_patience(&self, wake: &Wake) -> bool {
        let Some(patience) = self.options.politeness.patience_ms else { return false };
        matches!(wake, Wake::At(_))
            && self.in_flight == 0
            && !self.troubled.is_empty()
            && self.last_good.elapsed().as_millis() >= u128::from(patience)
    }

    fn limit_reached(&mut self) -> Option<Ended> {
        let limits = self.options.limits.clone();
        if limits.pages.is_some_and(|n| self.totals.stored >= n) && !self.requisites_left() {
            Some(Ended::Pages)
        } else if limits.bytes.is_some_and(|n| self.totals.bytes >= n) {
            Some(Ended::Bytes)
        } else if limits.seconds.is_some_and(|n| self.started.elapsed().as_secs() >= n) {
            Some(Ended::Time)
        } else {
            None
        }
    }

    /// Milliseconds since 1970, never going back while the crawl runs.
    fn now_ms(&self) -> i64 {
        self.wall_ms + i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// The options of the frontier that follow from those of the crawl.
    pub(crate) fn frontier_options(options: &CrawlOptions) -> FrontierOptions {
        FrontierOptions {
            strategy: options.strategy,
            popularity: options.priority.popularity,
            strict: options.connections == 1,
            memory: options.memory,
            hash_seed: options.seed,
        }
    }
}

/// What the writer thread waits for.
enum Wake {
    /// A result.
    Results,
    /// A result, or this moment.
    At(i64),
    /// Nothing: the crawl is at its end.
    Nothing,
}

fn wall_clock_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Takes the folder for this process; the lock falls with the process, however it ends.
pub(crate) fn lock(folder: &Path) -> Result<std::fs::File> {
    let path = folder.join("lock");
    let file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path).at(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::Config(format!(
            "{}: another crawl is running in this folder; stop it first or take another folder",
            folder.display()
        ))),
        Err(std::fs::TryLockError::Error(error)) => Err(Error::io(&path, error)),
    }
}
