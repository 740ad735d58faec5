//! What is remembered of links, pages and hosts, as it is stored.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::options::Weights;
use super::store::Store;
use webmill_capture::error::{Error, Result};

/// Names of the parts of a score, in order.
pub const PARTS: [&str; 8] = ["anchor", "context", "url", "inherited", "hub", "site", "guide", "prior"];
/// Where inherited, hub and prior stand in [`Parts`].
pub(super) const INHERITED: usize = 3;
pub(super) const HUB: usize = 4;
pub(super) const PRIOR: usize = 7;

/// The parts of a score, in the order of [`PARTS`].
pub type Parts = [f32; 8];

/// Σ weight · part.
pub(super) fn score(weights: &Weights, parts: &Parts) -> f32 {
    weights.all().iter().zip(parts).map(|(weight, part)| weight * part).sum()
}

/// Key of a URL.
pub(super) type Url = [u8; 16];

/// Where the target of a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Place {
    Queued,
    /// Under this score and number.
    Reserved(u64),
    Done {
        relevant: bool,
    },
}

/// What is known of a URL that links lead to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
}

/// What is known of a page that was fetched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PageState {
    pub url: String,
    pub relevant: bool,
    /// What its links inherit.
    pub inherited: f32,
    /// Tunnel of its links.
    pub tunnel: u32,
    /// Fetched targets, and the relevant of them.
    pub targets: (u32, u32),
    /// The hub's value when its links were scored last.
    pub hub: f32,
    pub rescored: u8,
    /// Targets that waited when the page was read, the first of them.
    pub waiting: Vec<Url>,
}

impl PageState {
    /// (relevant + 1) / (fetched + 4).
    pub fn hub_now(&self) -> f32 {
        (self.targets.1 as f32 + 1.0) / (self.targets.0 as f32 + 4.0)
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
    /// Relevance.
    pub relevance: f32,
    /// Whether it reaches the threshold.
    pub relevant: bool,
    /// Score of the link that it was fetched for.
    pub score: f32,
    /// Its parts.
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
