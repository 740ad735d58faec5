//! The data remembered of links, pages and hosts, as it is stored.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::options::Weights;
use super::store::Store;
use webmill_capture::error::{Error, Result};

/// Names of the parts of a score, in order.
pub const PARTS: [&str; 9] =
    ["anchor", "context", "url", "inherited", "hub", "site", "guide", "prior", "learned"];
/// Where inherited, hub, prior and learned stand in [`Parts`].
pub(super) const INHERITED: usize = 3;
pub(super) const HUB: usize = 4;
pub(super) const PRIOR: usize = 7;
pub(super) const LEARNED: usize = 8;

/// The parts of a score, in the order of [`PARTS`].
pub type Parts = [f32; 9];

/// Σ weight · part.
pub(super) fn score(weights: &Weights, parts: &Parts) -> f32 {
    weights.all().iter().zip(parts).map(|(weight, part)| weight * part).sum()
}

/// Key of a URL.
pub(super) type Url = [u8; 16];

/// Where the target of a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum Place {
    #[default]
    Queued,
    /// Under this score and number.
    Reserved(u64),
    Done {
        relevant: bool,
    },
}

/// Known facts about a URL that links lead to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct LinkState {
    pub place: Place,
    pub score: f32,
    pub parts: Parts,
    pub tunnel: u32,
    /// Number of in-links so far.
    pub count: u32,
    /// Priority without in-links.
    pub priority: f64,
    /// The page whose link gave the score; zeros: a seed.
    pub by: Url,
    /// The first pages that link to it.
    pub referrers: Vec<Url>,
    pub url: String,
    pub learned: Learned,
}

/// What was learnt of the links to a URL.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Learned {
    /// Value of the link that gave the score.
    pub value: f32,
    /// How its page's other targets turned out: [`PageState::lift`].
    pub lift: f32,
    /// Σ ln(1 − value) of the links from all pages.
    pub missed: f32,
    /// The largest chance of a link.
    pub chance: f32,
}

impl Learned {
    /// The part of the score: on the scale of logits the mean of the link's own value and of that of all links, as if each were right by
    /// itself, and the lift. 0 where nothing was learnt.
    pub fn part(&self) -> f32 {
        if self.value <= 0.0 {
            return 0.0;
        }
        let all = 1.0 - self.missed.exp();
        let z = (logit(self.value) + logit(all)) / 2.0 + self.lift;
        1.0 / (1.0 + (-z).exp())
    }

    /// Counts a link of another page.
    pub fn add(&mut self, value: f32, chance: f32) {
        self.missed += (-value).max(-MOST_SURE).ln_1p();
        self.chance = self.chance.max(chance);
    }
}

/// No value is surer than this.
const MOST_SURE: f32 = 0.9999;

fn logit(p: f32) -> f32 {
    let p = p.clamp(1.0 - MOST_SURE, MOST_SURE);
    (p / (1.0 - p)).ln()
}

/// Known facts about a page that was fetched.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct PageState {
    pub url: String,
    pub relevant: bool,
    /// What its links inherit.
    pub inherited: f32,
    /// Tunnel of its links.
    pub tunnel: u32,
    /// Fetched targets, and the relevant of them.
    pub targets: (u32, u32),
    /// Σ of the chances of those that were fetched.
    pub expected: f32,
    /// The hub's value when its links were scored last, and its lift.
    pub hub: f32,
    pub lift: f32,
    pub rescored: u8,
    /// Targets that waited when the page was read, the first of them.
    pub waiting: Vec<Url>,
}

impl PageState {
    /// (relevant + 1) / (fetched + 4).
    pub fn hub_now(&self) -> f32 {
        (self.targets.1 as f32 + 1.0) / (self.targets.0 as f32 + 4.0)
    }

    /// ln((relevant + 2)/(expected + 2)): whether its targets turned out better than their links promised.
    pub fn lift_now(&self) -> f32 {
        ((self.targets.1 as f32 + 2.0) / (self.expected + 2.0)).ln()
    }
}

/// Pages of a host that were fetched, and the relevant of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct SiteState {
    pub fetched: u32,
    pub relevant: u32,
}

impl SiteState {
    /// (relevant + 1) / (fetched + 10).
    pub fn value(self) -> f32 {
        (self.relevant as f32 + 1.0) / (self.fetched as f32 + 10.0)
    }
}

/// A page that was fetched, in the order of fetching: a row of table `harvest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Harvested {
    /// From 0.
    pub order: u64,
    /// The page.
    pub url: String,
    /// Relevance of the page to the topic, 0 to 1.
    pub relevance: f32,
    /// Whether it reaches the threshold.
    pub relevant: bool,
    /// Score of the link that it was fetched for.
    pub score: f32,
    /// The nine parts of the score of the link to it.
    pub parts: Parts,
    /// Irrelevant pages in a row before it.
    pub tunnel: u32,
    /// The page whose link gave the score.
    pub referrer: Option<String>,
}

/// A key: kind, then bytes.
pub(super) fn key(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(1 + bytes.len());
    key.push(kind);
    key.extend_from_slice(bytes);
    key
}

pub(super) fn load<T: DeserializeOwned>(store: &dyn Store, key: &[u8]) -> Result<Option<T>> {
    let Some(bytes) = store.get(key)? else { return Ok(None) };
    let read = postcard::from_bytes(&bytes);
    read.map(Some).map_err(|_| Error::Internal("what a focused crawl remembers cannot be read".into()))
}

pub(super) fn save<T: Serialize>(store: &mut dyn Store, key: &[u8], value: &T) -> Result<()> {
    let bytes = postcard::to_allocvec(value)
        .map_err(|e| Error::Internal(format!("what a focused crawl remembers cannot be encoded: {e}")))?;
    store.put(key, bytes);
    Ok(())
}
