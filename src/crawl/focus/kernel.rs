//! The order of a focused crawl: pages in, what to queue and at which score out.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::corpus::Corpus;
use super::options::Weights;
use super::prior::PriorRanks;
use super::scorer::{LinkWords, PageWords, Scorer};
use super::state::{
    HUB, Harvested, INHERITED, LinkState, PRIOR, PageState, Parts, Place, SiteState, Url, key, load, save,
    score,
};
use super::store::Store;
use super::topic::Topic;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// What is left of what a link inherits behind an irrelevant page.
const FADING: f32 = 0.5;
/// Links of a page that are scored; the others are queued last.
const MAX_LINKS: usize = 2000;
/// Pages that are remembered as linking to a URL.
const MAX_REFERRERS: usize = 8;
/// Waiting links of a page that are scored again, how often, and by how much its value must have moved.
const MAX_WAITING: usize = 100;
const MAX_RESCORED: u8 = 10;
const MOVED: f32 = 0.1;
/// Pages of the window of harvest, and between two counts of the background.
const WINDOW: usize = 1000;
const REFRESH: u64 = 1000;
/// Links that come in from the reserve at once, at most.
const MAX_RELEASED: u64 = 10_000;
/// What links inherit of a page in no layer.
const OTHER_LAYER: f32 = 0.05;

/// Stands for the page that links, of a URL that was listed.
const LISTED: Url = [255; 16];

const LINK: u8 = b'L';
const PAGE: u8 = b'P';
const SITE_OF: u8 = b'S';
const META: u8 = b'M';
const CORPUS: u8 = b'C';
const WORDS: u8 = b'W';
/// Kinds that are read in order.
const RESERVE: u8 = b'r';
const HARVEST: u8 = b'h';

/// A page that was fetched.
#[derive(Debug, Clone, Copy)]
pub struct SeenPage<'a> {
    /// The page.
    pub url: &'a CanonicalUrl,
    /// The URL first asked for, where redirects led here.
    pub origin: Option<&'a CanonicalUrl>,
    /// What its text says.
    pub words: &'a PageWords,
    /// Its layer by the context graph, where one is learnt: `Some(None)` is none of them.
    pub layer: Option<Option<u8>>,
}

/// A link on it.
#[derive(Debug, Clone, Copy)]
pub struct FoundLink<'a> {
    /// Where it leads.
    pub url: &'a CanonicalUrl,
    /// What its texts say.
    pub words: LinkWords,
    /// Best-first priority of the target, without in-links.
    pub priority: f64,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Queue the target of this link.
    Queue {
        /// Its number among the links given.
        link: usize,
        /// Its score.
        score: f32,
    },
    /// A waiting URL has another score.
    Score {
        /// The URL.
        url: String,
        /// Its score.
        score: f32,
    },
    /// A URL comes in from the reserve.
    Release {
        /// What was kept with it.
        payload: Vec<u8>,
        /// The URL.
        url: String,
        /// Its score.
        score: f32,
    },
}

/// How a focused crawl goes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct FocusCounts {
    /// Pages fetched.
    pub fetched: u64,
    /// The relevant of them.
    pub relevant: u64,
    /// Pages of the window: the last 1,000 at most.
    pub window: u64,
    /// The relevant of them.
    pub window_relevant: u64,
    /// Links in the reserve.
    pub reserved: u64,
    /// Links that came in from there.
    pub released: u64,
    /// Links that were scored again.
    pub rescored: u64,
    /// Links of pages with more than are scored.
    pub unscored: u64,
}

impl FocusCounts {
    /// Relevant pages among those fetched.
    pub fn harvest(&self) -> f64 {
        self.relevant as f64 / self.fetched.max(1) as f64
    }

    /// The same over the window.
    pub fn harvest_now(&self) -> f64 {
        self.window_relevant as f64 / self.window.max(1) as f64
    }
}

/// What is stored under [`META`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Meta {
    digest: u64,
    tunnel: u32,
    counts: FocusCounts,
    window: VecDeque<bool>,
    prior: PriorRanks,
    sequence: u64,
    since_release: u64,
    pending_words: u64,
}

/// The order of a focused crawl: see the module.
#[derive(Debug)]
pub struct Focus {
    weights: Weights,
    threshold: f32,
    tunnel: u32,
    popularity: f64,
    topic: Arc<Topic>,
    /// Of a topic without a background of its own.
    corpus: Option<Arc<Corpus>>,
    scorer: Arc<Scorer>,
    meta: Meta,
}

impl Focus {
    /// Goes on with what the store remembers; `popularity` is what an in-link adds to a priority.
    ///
    /// # Errors
    /// [`Error::Config`] where the store was filled with another topic or tunnel; those of the store.
    pub fn open(topic: Arc<Topic>, tunnel: u32, popularity: f64, store: &dyn Store) -> Result<Focus> {
        let digest = topic.digest();
        let meta = match load::<Meta>(store, &[META])? {
            Some(meta) if meta.digest != digest || meta.tunnel != tunnel => {
                return Err(Error::Config(
                    "this crawl was begun with another topic or tunnel: both are fixed; crawl into another folder"
                        .into(),
                ));
            }
            Some(meta) => meta,
            None => Meta { digest, tunnel, ..Meta::default() },
        };
        let corpus = match (&topic.corpus, store.get(&[CORPUS])?) {
            (Some(_), _) => None,
            (None, None) => Some(Corpus::default()),
            (None, Some(bytes)) => {
                let read = Corpus::from_bytes(&bytes);
                Some(read.ok_or_else(|| Error::Internal("the background corpus cannot be read".into()))?)
            }
        };
        let corpus = corpus.map(Arc::new);
        let scorer = scorer(&topic, corpus.as_ref());
        Ok(Focus {
            weights: topic.options.weights,
            threshold: topic.threshold,
            tunnel,
            popularity,
            topic,
            corpus,
            scorer,
            meta,
        })
    }

    /// What texts are held against now; it changes every 1,000 pages where the topic has no background.
    pub fn scorer(&self) -> &Arc<Scorer> {
        &self.scorer
    }

    /// How it goes.
    pub fn counts(&self) -> FocusCounts {
        self.meta.counts
    }

    /// Puts what it counts into the store, for a commit.
    ///
    /// # Errors
    /// None but bugs.
    pub fn save(&self, store: &mut dyn Store) -> Result<()> {
        save(store, &[META], &self.meta)
    }

    /// Notes a seed; its score.
    ///
    /// # Errors
    /// Those of the store.
    pub fn seed(&mut self, url: &CanonicalUrl, store: &mut dyn Store) -> Result<f32> {
        let key = key(LINK, &id(url));
        if load::<LinkState>(store, &key)?.is_none() {
            let mut parts = Parts::default();
            parts[INHERITED] = 1.0;
            let url = url.as_str().to_owned();
            let seed = LinkState {
                place: Place::Queued,
                score: 1.0,
                parts,
                tunnel: 0,
                count: 0,
                priority: 0.0,
                by: Url::default(),
                referrers: Vec::new(),
                url,
            };
            save(store, &key, &seed)?;
        }
        Ok(1.0)
    }

    /// The score under which a URL is queued: of a redirect's target that no link led to, its origin's; of what nobody knows 0.
    ///
    /// # Errors
    /// Those of the store.
    pub fn score_of(url: &CanonicalUrl, origin: Option<&CanonicalUrl>, store: &dyn Store) -> Result<f32> {
        for url in [Some(url), origin].into_iter().flatten() {
            if let Some(link) = load::<LinkState>(store, &key(LINK, &id(url)))? {
                return Ok(link.score);
            }
        }
        Ok(0.0)
    }

    /// Notes a URL that a sitemap or feed lists; whether it is new, and to be queued.
    ///
    /// # Errors
    /// Those of the store.
    pub fn listed(&mut self, found: &FoundLink<'_>, store: &mut dyn Store) -> Result<bool> {
        let at = key(LINK, &id(found.url));
        if load::<LinkState>(store, &at)?.is_some() {
            return Ok(false);
        }
        let of_site: Option<SiteState> = load(store, &key(SITE_OF, found.url.host().as_bytes()))?;
        let prior = self.meta.prior.add(found.priority);
        let parts: Parts = [
            0.0,
            0.0,
            found.words.url,
            0.0,
            0.0,
            of_site.unwrap_or_default().value(),
            found.words.guide,
            prior,
        ];
        let link = LinkState {
            place: Place::Queued,
            score: score(&self.weights, &parts),
            parts,
            tunnel: 0,
            count: 1,
            priority: found.priority,
            by: LISTED,
            referrers: Vec::new(),
            url: found.url.as_str().to_owned(),
        };
        save(store, &at, &link)?;
        Ok(true)
    }

    /// Takes in a page and its links; what is to be done, in order. `payload` gives what is to be kept with a link that goes to the reserve.
    ///
    /// # Errors
    /// Those of the store.
    pub fn page(
        &mut self,
        page: &SeenPage<'_>,
        links: &[FoundLink<'_>],
        payload: &mut dyn FnMut(usize) -> Vec<u8>,
        store: &mut dyn Store,
    ) -> Result<Vec<Action>> {
        let own = id(page.url);
        let mut actions = Vec::new();
        let known: Option<PageState> = load(store, &key(PAGE, &own))?;
        let mut state = match known {
            // Visited before: only links that are new count.
            Some(state) => state,
            None => self.harvested(page, own, store, &mut actions)?,
        };
        self.links((&mut state, own), links, payload, store, &mut actions)?;
        save(store, &key(PAGE, &own), &state)?;
        if self.is_low() {
            actions.extend(self.release(store)?);
        }
        Ok(actions)
    }

    /// Counts a page that was not visited before.
    fn harvested(
        &mut self,
        page: &SeenPage<'_>,
        own: Url,
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<PageState> {
        let relevance = page.words.relevance;
        let relevant = relevance >= self.threshold;
        let mut link: Option<LinkState> = load(store, &key(LINK, &own))?;
        if let (None, Some(origin)) = (&link, page.origin) {
            link = load(store, &key(LINK, &id(origin)))?;
            if let Some(of_origin) = &link {
                let done = LinkState { place: Place::Done { relevant }, ..of_origin.clone() };
                save(store, &key(LINK, &id(origin)), &done)?;
            }
        }
        let mut link = link.unwrap_or_else(|| LinkState {
            place: Place::Queued,
            score: 0.0,
            parts: Parts::default(),
            tunnel: 0,
            count: 0,
            priority: 0.0,
            by: Url::default(),
            referrers: Vec::new(),
            url: String::new(),
        });
        if let Place::Reserved(number) = link.place {
            store.remove(&reserve_key(link.score, number));
            self.meta.counts.reserved = self.meta.counts.reserved.saturating_sub(1);
        }
        link.place = Place::Done { relevant };
        link.url = page.url.as_str().to_owned();
        save(store, &key(LINK, &own), &link)?;
        let by: Option<PageState> =
            if link.by == Url::default() { None } else { load(store, &key(PAGE, &link.by))? };
        let order = self.meta.counts.fetched;
        let row = Harvested {
            order,
            url: page.url.as_str().to_owned(),
            relevance,
            relevant,
            score: link.score,
            parts: link.parts,
            tunnel: link.tunnel,
            layer: page.layer.flatten(),
            referrer: by.map(|by| by.url),
        };
        save(store, &key(HARVEST, &order.to_be_bytes()), &row)?;
        self.count(relevant, page, store)?;
        let site = key(SITE_OF, page.url.host().as_bytes());
        let mut of_site: SiteState = load(store, &site)?.unwrap_or_default();
        of_site.fetched = of_site.fetched.saturating_add(1);
        of_site.relevant = of_site.relevant.saturating_add(u32::from(relevant));
        save(store, &site, &of_site)?;
        for referrer in &link.referrers {
            self.tell_hub(*referrer, relevant, store, actions)?;
        }
        let inherited = match page.layer {
            Some(Some(layer)) => 1.0 / (1.0 + f32::from(layer)),
            Some(None) => OTHER_LAYER,
            None if relevant => self.on_scale(relevance),
            None => FADING * link.parts[INHERITED],
        };
        Ok(PageState {
            url: page.url.as_str().to_owned(),
            relevant,
            inherited,
            tunnel: if relevant { 0 } else { link.tunnel.saturating_add(1) },
            targets: (0, 0),
            hub: 0.25,
            rescored: 0,
            waiting: Vec::new(),
        })
    }

    fn count(&mut self, relevant: bool, page: &SeenPage<'_>, store: &mut dyn Store) -> Result<()> {
        let counts = &mut self.meta.counts;
        counts.fetched += 1;
        counts.relevant += u64::from(relevant);
        self.meta.since_release += 1;
        self.meta.window.push_back(relevant);
        counts.window_relevant += u64::from(relevant);
        if self.meta.window.len() > WINDOW && self.meta.window.pop_front() == Some(true) {
            counts.window_relevant -= 1;
        }
        counts.window = self.meta.window.len() as u64;
        let fetched = counts.fetched;
        if self.corpus.is_none() {
            return Ok(());
        }
        // The background is what is not of the topic: else its words would become common as it is found.
        if !relevant {
            let terms: Vec<u64> = page.words.bag.terms().collect();
            save(store, &key(WORDS, &self.meta.pending_words.to_be_bytes()), &terms)?;
            self.meta.pending_words += 1;
        }
        if fetched.is_multiple_of(REFRESH) {
            self.refresh(store)?;
        }
        Ok(())
    }

    /// Counts what waits into the background.
    fn refresh(&mut self, store: &mut dyn Store) -> Result<()> {
        let Some(corpus) = &mut self.corpus else { return Ok(()) };
        let counted = Arc::make_mut(corpus);
        for number in 0..self.meta.pending_words {
            let key = key(WORDS, &number.to_be_bytes());
            counted.add(load::<Vec<u64>>(store, &key)?.unwrap_or_default());
            store.remove(&key);
        }
        self.meta.pending_words = 0;
        store.put(&[CORPUS], counted.to_bytes());
        self.scorer = scorer(&self.topic, Some(corpus));
        Ok(())
    }

    /// A target of `hub` was fetched.
    fn tell_hub(
        &mut self,
        hub: Url,
        relevant: bool,
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        let at = key(PAGE, &hub);
        let Some(mut state) = load::<PageState>(store, &at)? else { return Ok(()) };
        state.targets.0 = state.targets.0.saturating_add(1);
        state.targets.1 = state.targets.1.saturating_add(u32::from(relevant));
        let now = state.hub_now();
        if (now - state.hub).abs() >= MOVED && state.rescored < MAX_RESCORED {
            state.hub = now;
            state.rescored += 1;
            let mut waiting = Vec::with_capacity(state.waiting.len());
            for target in std::mem::take(&mut state.waiting) {
                let Some(mut link) = load::<LinkState>(store, &key(LINK, &target))? else { continue };
                if matches!(link.place, Place::Done { .. }) {
                    continue;
                }
                waiting.push(target);
                if link.by == hub {
                    link.parts[HUB] = now;
                    self.meta.counts.rescored += 1;
                    self.set_score(&mut link, store, actions)?;
                    save(store, &key(LINK, &target), &link)?;
                }
            }
            state.waiting = waiting;
        }
        save(store, &at, &state)
    }

    /// Relevance on the scale on which the threshold is a half, so that topics of all kinds hand on alike.
    fn on_scale(&self, relevance: f32) -> f32 {
        if self.threshold > 0.0 { (relevance / (2.0 * self.threshold)).min(1.0) } else { relevance }
    }

    /// Gives a waiting link the score of its parts.
    fn set_score(
        &mut self,
        link: &mut LinkState,
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        let new = score(&self.weights, &link.parts);
        let old = std::mem::replace(&mut link.score, new);
        if new.to_bits() == old.to_bits() {
            return Ok(());
        }
        match link.place {
            Place::Queued => actions.push(Action::Score { url: link.url.clone(), score: new }),
            Place::Reserved(number) => {
                let kept = store.get(&reserve_key(old, number))?;
                store.remove(&reserve_key(old, number));
                store.put(&reserve_key(new, number), kept.unwrap_or_default());
            }
            Place::Done { .. } => {}
        }
        Ok(())
    }

    fn links(
        &mut self,
        (page, own): (&mut PageState, Url),
        links: &[FoundLink<'_>],
        payload: &mut dyn FnMut(usize) -> Vec<u8>,
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        let mut order: Vec<usize> = (0..links.len().min(MAX_LINKS)).collect();
        order.sort_by(|a, b| links[*a].url.as_str().cmp(links[*b].url.as_str()).then(a.cmp(b)));
        let mut known: Vec<(usize, LinkWords, Option<LinkState>)> = Vec::new();
        for number in order {
            let link = &links[number];
            match known.last_mut() {
                Some((last, words, _)) if links[*last].url == link.url => *words = words.larger(link.words),
                _ if id(link.url) == own => {}
                _ => {
                    let state: Option<LinkState> = load(store, &key(LINK, &id(link.url)))?;
                    if let Some(LinkState { place: Place::Done { relevant }, referrers, .. }) = &state
                        && !referrers.contains(&own)
                    {
                        page.targets.0 = page.targets.0.saturating_add(1);
                        page.targets.1 = page.targets.1.saturating_add(u32::from(*relevant));
                    }
                    known.push((number, link.words, state));
                }
            }
        }
        page.hub = page.hub_now();
        let mut sites: HashMap<&str, f32> = HashMap::new();
        for (number, words, state) in known {
            let link = &links[number];
            let host = link.url.host();
            let site = match sites.get(host) {
                Some(site) => *site,
                None => {
                    let of_site: Option<SiteState> = load(store, &key(SITE_OF, host.as_bytes()))?;
                    let site = of_site.unwrap_or_default().value();
                    sites.insert(host, site);
                    site
                }
            };
            let parts: Parts =
                [words.anchor, words.context, words.url, page.inherited, page.hub, site, words.guide, 0.0];
            self.link((page, own), (number, link), parts, state, payload, store, actions)?;
        }
        for number in MAX_LINKS..links.len() {
            self.meta.counts.unscored += 1;
            actions.push(Action::Queue { link: number, score: 0.0 });
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "a link, its page, and where both are kept")]
    fn link(
        &mut self,
        (page, own): (&mut PageState, Url),
        (number, found): (usize, &FoundLink<'_>),
        mut parts: Parts,
        state: Option<LinkState>,
        payload: &mut dyn FnMut(usize) -> Vec<u8>,
        store: &mut dyn Store,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        let target = id(found.url);
        let at = key(LINK, &target);
        if !matches!(state, Some(LinkState { place: Place::Done { .. }, .. }))
            && page.waiting.len() < MAX_WAITING
        {
            page.waiting.push(target);
        }
        let Some(mut link) = state else {
            parts[PRIOR] = self.meta.prior.add(found.priority);
            let score = score(&self.weights, &parts);
            let place = if page.tunnel > self.tunnel {
                let number_kept = self.meta.sequence;
                self.meta.sequence += 1;
                let kept = (target, payload(number));
                save(store, &reserve_key(score, number_kept), &kept)?;
                self.meta.counts.reserved += 1;
                Place::Reserved(number_kept)
            } else {
                actions.push(Action::Queue { link: number, score });
                Place::Queued
            };
            let link = LinkState {
                place,
                score,
                parts,
                tunnel: page.tunnel,
                count: 1,
                priority: found.priority,
                by: own,
                referrers: vec![own],
                url: found.url.as_str().to_owned(),
            };
            return save(store, &at, &link);
        };
        if !link.referrers.contains(&own) {
            link.count = link.count.saturating_add(1);
            if link.referrers.len() < MAX_REFERRERS {
                link.referrers.push(own);
            }
        }
        if !matches!(link.place, Place::Done { .. }) {
            let popular = link.priority + self.popularity * f64::from(link.count.saturating_sub(1));
            parts[PRIOR] = self.meta.prior.of(popular).max(link.parts[PRIOR]);
            link.parts[PRIOR] = parts[PRIOR];
            let shorter = page.tunnel < link.tunnel;
            link.tunnel = link.tunnel.min(page.tunnel);
            if score(&self.weights, &parts) > score(&self.weights, &link.parts) && link.by != Url::default() {
                link.parts = parts;
                link.by = own;
            }
            if link.by != Url::default() {
                self.set_score(&mut link, store, actions)?;
            }
            if let Place::Reserved(number_kept) = link.place
                && shorter
                && link.tunnel <= self.tunnel
            {
                store.remove(&reserve_key(link.score, number_kept));
                self.meta.counts.reserved = self.meta.counts.reserved.saturating_sub(1);
                link.place = Place::Queued;
                actions.push(Action::Queue { link: number, score: link.score });
            }
        }
        save(store, &at, &link)
    }

    /// Whether harvest fell so low that the reserve is asked.
    fn is_low(&self) -> bool {
        let counts = &self.meta.counts;
        counts.window == WINDOW as u64
            && counts.reserved > 0
            && self.meta.since_release >= WINDOW as u64
            && counts.harvest_now() < counts.harvest() / 2.0
    }

    /// The best hundredth of the reserve comes in.
    ///
    /// # Errors
    /// Those of the store.
    pub fn release(&mut self, store: &mut dyn Store) -> Result<Vec<Action>> {
        self.meta.since_release = 0;
        let most = self.meta.counts.reserved.div_ceil(100).min(MAX_RELEASED);
        let mut actions = Vec::new();
        for (at, value) in store.first(RESERVE, most as usize)? {
            store.remove(&at);
            self.meta.counts.reserved = self.meta.counts.reserved.saturating_sub(1);
            let kept: (Url, Vec<u8>) = postcard::from_bytes(&value)
                .map_err(|_| Error::Internal("what a reserve holds cannot be read".into()))?;
            let Some(mut link) = load::<LinkState>(store, &key(LINK, &kept.0))? else { continue };
            link.place = Place::Queued;
            save(store, &key(LINK, &kept.0), &link)?;
            self.meta.counts.released += 1;
            actions.push(Action::Release { payload: kept.1, url: link.url, score: link.score });
        }
        Ok(actions)
    }

    /// The pages fetched, in order, from one of them on, `most` at most.
    ///
    /// # Errors
    /// Those of the store.
    pub fn rows(from: u64, most: usize, store: &dyn Store) -> Result<Vec<Harvested>> {
        let mut rows = Vec::new();
        for order in from..from.saturating_add(most as u64) {
            match load(store, &key(HARVEST, &order.to_be_bytes()))? {
                Some(row) => rows.push(row),
                None => break,
            }
        }
        Ok(rows)
    }
}

fn scorer(topic: &Arc<Topic>, corpus: Option<&Arc<Corpus>>) -> Arc<Scorer> {
    let corpus = corpus.cloned().unwrap_or_default();
    Arc::new(Scorer::new(topic.clone(), &corpus))
}

/// The key of a URL, as it is stored.
fn id(url: &CanonicalUrl) -> Url {
    url.key().0.to_be_bytes()
}

/// Descending by score, then ascending by number.
fn reserve_key(score: f32, number: u64) -> Vec<u8> {
    let mut bytes = (!score.max(0.0).to_bits()).to_be_bytes().to_vec();
    bytes.extend(number.to_be_bytes());
    key(RESERVE, &bytes)
}
