//! Opening a crawl, or beginning one: the settings made ready, frontier, shards and event log brought to agree, seeds added.

use super::*;

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
}
