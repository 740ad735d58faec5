//! The order of a focused crawl: pages in, what to queue and at which score out.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::actions::{Action, FocusCounts, FoundLink, SeenPage};
use super::corpus::Corpus;
use super::learned::LinkWorth;
use super::options::Weights;
use super::prior::PriorRanks;
use super::reserve::reserve_key;
use super::scorer::Scorer;
use super::state::{
    Harvested, INHERITED, Learned, LinkState, PageState, Parts, Place, SiteState, Url, key, load, save, score,
};
use super::store::Store;
use super::topic::Topic;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// Share of its inherited score that a link keeps behind an irrelevant page.
const FADING: f32 = 0.5;
/// Pages of the window of harvest, and between two counts of the background.
pub(super) const WINDOW: usize = 1000;
const REFRESH: u64 = 1000;
/// Stands for the page that links, of a URL that was listed.
const LISTED: Url = [255; 16];

pub(super) const LINK: u8 = b'L';
pub(super) const PAGE: u8 = b'P';
pub(super) const SITE_OF: u8 = b'S';
const META: u8 = b'M';
const CORPUS: u8 = b'C';
const WORDS: u8 = b'W';
/// Read in order.
const HARVEST: u8 = b'h';

/// The value under [`META`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Meta {
    pub(super) digest: u64,
    pub(super) tunnel: u32,
    pub(super) counts: FocusCounts,
    pub(super) window: VecDeque<bool>,
    pub(super) prior: PriorRanks,
    pub(super) sequence: u64,
    pub(super) since_release: u64,
    pub(super) pending_words: u64,
}

/// The order of a focused crawl: see the module.
#[derive(Debug)]
pub struct Focus {
    pub(super) weights: Weights,
    pub(super) threshold: f32,
    pub(super) tunnel: u32,
    pub(super) popularity: f64,
    /// Whether the topic was learnt from links too.
    pub(super) is_learned: bool,
    topic: Arc<Topic>,
    /// Of a topic without a background of its own.
    corpus: Option<Arc<Corpus>>,
    scorer: Arc<Scorer>,
    pub(super) meta: Meta,
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
        let weights = topic.weights();
        // What a link is worth tells already what lies behind irrelevant pages.
        let is_learned = topic.learned.is_some() && weights.learned > 0.0;
        Ok(Focus {
            weights,
            threshold: topic.threshold,
            tunnel: if is_learned { u32::MAX } else { tunnel },
            popularity,
            is_learned,
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
            let seed = LinkState { score: 1.0, parts, url, ..LinkState::default() };
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
        let LinkWorth { value, chance } = found.words.told;
        let mut learned = Learned { value, ..Learned::default() };
        learned.add(value, chance);
        let parts: Parts = [
            0.0,
            0.0,
            found.words.url,
            0.0,
            0.0,
            of_site.unwrap_or_default().value(),
            found.words.guide,
            prior,
            learned.part(),
        ];
        let link = LinkState {
            score: score(&self.weights, &parts),
            parts,
            count: 1,
            priority: found.priority,
            by: LISTED,
            url: found.url.as_str().to_owned(),
            learned,
            ..LinkState::default()
        };
        save(store, &at, &link)?;
        Ok(true)
    }

    /// Takes in a page and its links, and returns the actions in order. `payload` gives the bytes to keep with a link that goes to the reserve.
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
        let link = self.arrived(page, own, relevant, store)?;
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
            self.tell_hub(*referrer, (relevant, link.learned.chance), store, actions)?;
        }
        let inherited = if relevant { self.on_scale(relevance) } else { FADING * link.parts[INHERITED] };
        Ok(PageState {
            url: page.url.as_str().to_owned(),
            relevant,
            inherited,
            tunnel: if relevant { 0 } else { link.tunnel.saturating_add(1) },
            hub: 0.25,
            ..PageState::default()
        })
    }

    /// The link that led to a page, or to what redirected to it: it waits no more.
    fn arrived(
        &mut self,
        page: &SeenPage<'_>,
        own: Url,
        relevant: bool,
        store: &mut dyn Store,
    ) -> Result<LinkState> {
        let mut link: Option<LinkState> = load(store, &key(LINK, &own))?;
        if let (None, Some(origin)) = (&link, page.origin) {
            link = load(store, &key(LINK, &id(origin)))?;
            if let Some(of_origin) = &link {
                let done = LinkState { place: Place::Done { relevant }, ..of_origin.clone() };
                save(store, &key(LINK, &id(origin)), &done)?;
            }
        }
        let mut link = link.unwrap_or_default();
        if let Place::Reserved(number) = link.place {
            store.remove(&reserve_key(link.score, number));
            self.meta.counts.reserved = self.meta.counts.reserved.saturating_sub(1);
        }
        link.place = Place::Done { relevant };
        link.url = page.url.as_str().to_owned();
        save(store, &key(LINK, &own), &link)?;
        Ok(link)
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
        // The background is what is surely not of the topic: else its words would become common as it is found, and what is found less relevant.
        if page.words.relevance < self.threshold / 2.0 {
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

    /// Relevance on the scale on which the threshold is a half, so that topics of all kinds hand on alike.
    fn on_scale(&self, relevance: f32) -> f32 {
        if self.threshold > 0.0 { (relevance / (2.0 * self.threshold)).min(1.0) } else { relevance }
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
pub(super) fn id(url: &CanonicalUrl) -> Url {
    url.key().0.to_be_bytes()
}
