//! All that is told of a page: the shape of `--format json`. Every key is always there; docs/show.md says what each is.

use serde::{Serialize, Serializer};
use serde_json::json;
use webmill_graph::measure::{Score, Values};
use webmill_html::About;

use crate::anchors::Anchor;
use webmill_jobs::rank::places::Place;

/// A list that may be longer than the part shown.
#[derive(Debug, Clone, Serialize)]
pub struct List<T> {
    /// How many there are.
    pub total: u64,
    /// The first of them.
    pub listed: Vec<T>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List { total: 0, listed: Vec::new() }
    }
}

/// Everything.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PageReport {
    pub format: u32,
    pub url: String,
    pub surt: String,
    pub captures: List<Capture>,
    pub page: Option<Page>,
    pub document: Option<Document>,
    pub medium: Option<Medium>,
    pub text: Option<Text>,
    pub rank: Option<Rank>,
    pub links_in: Option<Links>,
    pub links_out: Option<Links>,
    pub duplicates: Option<List<Duplicate>>,
    pub cluster: Option<Cluster>,
    pub passages: Option<List<Passage>>,
    pub template: Option<Template>,
    pub rejects: Option<List<Reject>>,
    pub host: Option<Host>,
    pub keywords: Option<Keywords>,
    pub posts: Option<u64>,
    pub records: Option<u64>,
    pub structured: Option<u64>,
    pub missing: Vec<MissingTable>,
    pub read: Vec<TableRead>,
    pub warnings: Vec<String>,
}

/// A row of table pages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Capture {
    pub time: Option<String>,
    pub status: Option<i16>,
    pub warc_type: Option<&'static str>,
    pub media_type: Option<String>,
    pub bytes: u64,
    pub digest: Option<String>,
    pub redirect: Option<String>,
    pub shard: String,
    pub offset: i64,
    pub length: i64,
    pub is_current: bool,
}

/// What the current capture says of itself.
#[derive(Debug, Clone, Serialize)]
pub struct Page {
    #[serde(flatten)]
    pub about: About,
    pub languages: Option<String>,
    pub charset: Option<String>,
    pub page_type: Option<&'static str>,
    pub is_html: bool,
    pub words: u32,
}

/// The current capture as a document that is no HTML.
#[derive(Debug, Clone, Serialize)]
pub struct Document {
    pub format: &'static str,
    pub failure: Option<String>,
    pub warnings: Vec<String>,
    pub pages: Option<u32>,
    pub title_source: Option<&'static str>,
}

/// The URL as a picture, a sound or a video.
#[derive(Debug, Clone, Serialize)]
pub struct Medium {
    pub source: &'static str,
    pub shown_by: Option<String>,
    pub kind: &'static str,
    pub format: Option<String>,
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub duration_ms: Option<u64>,
    pub title: Option<String>,
    pub artist: Option<String>,
    pub album: Option<String>,
    pub year: Option<u32>,
    pub camera: Option<String>,
    pub alt: Option<String>,
    pub warnings: Vec<String>,
}

/// Its main text.
#[derive(Debug, Clone, Serialize)]
pub struct Text {
    pub language: Option<String>,
    pub confidence: f32,
    pub words: u32,
    pub lines: usize,
    pub first_lines: Vec<String>,
}

/// Its scores.
#[derive(Debug, Clone, Serialize)]
pub struct Rank {
    pub node: u32,
    pub nodes: u64,
    pub pagerank: f64,
    pub position: u64,
    pub percentile: f64,
    pub crawled: Option<Place>,
    /// Its other scores, by the columns of table `ranks`.
    #[serde(flatten, serialize_with = "as_map")]
    pub others: Vec<(&'static Score, Option<f64>)>,
    pub comes_from: Option<ComesFrom>,
}

/// Serialises scores as a map from the name of the column to the number.
fn as_map<S: Serializer>(scores: &[(&'static Score, Option<f64>)], into: S) -> Result<S::Ok, S::Error> {
    let number = |score: &Score, value: Option<f64>| match score.values {
        Values::Counts => json!(value.map(|count| count as u64)),
        Values::Real | Values::Estimates => json!(value),
    };
    into.collect_map(scores.iter().map(|(score, value)| (score.column(), number(score, *value))))
}

/// Where the PageRank comes from; the amounts add up to it.
#[derive(Debug, Clone, Serialize)]
pub struct ComesFrom {
    pub teleport: f64,
    pub dangling: f64,
    pub links: List<Contribution>,
    pub other_links: f64,
    pub remainder: f64,
}

/// What one in-link gives.
#[derive(Debug, Clone, Serialize)]
pub struct Contribution {
    pub url: String,
    pub pagerank: f64,
    pub share: f64,
    pub amount: f64,
}

/// Links of the graph.
#[derive(Debug, Clone, Serialize)]
pub struct Links {
    pub links: u64,
    pub pages: List<Linked>,
}

/// A page at the other end.
#[derive(Debug, Clone, Serialize)]
pub struct Linked {
    pub url: String,
    pub pagerank: Option<f64>,
    pub links: u64,
    pub anchors: Vec<Anchor>,
}

/// A row of table duplicates, from this page's side.
#[derive(Debug, Clone, Serialize)]
pub struct Duplicate {
    pub url: String,
    pub kind: &'static str,
    pub resemblance: Option<f64>,
    pub this_in_other: Option<f64>,
    pub other_in_this: Option<f64>,
    pub distance: Option<u8>,
}

/// A row of table clusters.
#[derive(Debug, Clone, Serialize)]
pub struct Cluster {
    pub number: u32,
    pub size: u32,
    pub representative: String,
    pub keep: bool,
    pub kind: &'static str,
    pub resemblance: Option<f64>,
    pub mirror_degree: u32,
}

/// A row of table passages, from this page's side.
#[derive(Debug, Clone, Serialize)]
pub struct Passage {
    pub url: String,
    pub words: u32,
    pub start: u64,
    pub end: u64,
    pub share: f64,
    pub share_of_other: f64,
}

/// A row of table templates.
#[derive(Debug, Clone, Serialize)]
pub struct Template {
    pub verdict: &'static str,
    pub pages: u64,
    pub sampled: u32,
    pub texts: u32,
    pub share: f64,
}

/// A row of table rejects.
#[derive(Debug, Clone, Serialize)]
pub struct Reject {
    pub reason: String,
    pub shard: String,
    pub offset: u64,
    pub detail: String,
}

/// A row of table hosts.
#[derive(Debug, Clone, Serialize)]
pub struct Host {
    pub name: String,
    pub domain: Option<String>,
    pub captures: u64,
    pub html_pages: u64,
    pub errors: u64,
    pub words: u64,
    pub links: u64,
    pub duplicates: u64,
    pub hosts_in: u32,
    pub hosts_out: u32,
    pub pagerank: f64,
    pub top_language: Option<String>,
}

/// A row of table keywords.
#[derive(Debug, Clone, Serialize)]
pub struct Keywords {
    pub tfidf: Vec<String>,
    pub textrank: Vec<String>,
}

/// A table that is not there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MissingTable {
    pub table: String,
    pub why: String,
}

/// How much of a table was read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableRead {
    pub table: &'static str,
    /// The column whose statistics chose row groups; `None` where the whole table is read.
    pub by: Option<&'static str>,
    pub row_groups: u64,
    pub row_groups_read: u64,
}
