//! What the pages show: plain data, whoever has it.

use crate::index::Timestamp;
use serde::{Deserialize, Serialize};
use webmill_capture::Result;

/// A collection in a list of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CollectionSummary {
    /// Its name: the first segment of its addresses.
    pub name: String,
    /// What people call it; its name where there is none.
    pub title: Option<String>,
    /// What it holds, in words.
    pub description: Option<String>,
    /// Captures in its index.
    pub captures: u64,
    /// Different URLs among them, where they were counted.
    pub urls: Option<u64>,
    /// Hosts, where they were counted.
    pub hosts: Option<u64>,
    /// Time of the first capture.
    pub first: Option<Timestamp>,
    /// Time of the last.
    pub last: Option<Timestamp>,
    /// Bytes of the stored records, where they were counted.
    pub bytes: Option<u64>,
    /// Whether its texts can be searched.
    pub searchable: bool,
    /// Why its index could not be counted.
    pub unread: Option<String>,
}

/// One capture in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaptureLine {
    /// The URL as captured.
    pub url: String,
    /// When.
    pub timestamp: Timestamp,
    /// HTTP status.
    pub status: Option<u16>,
    /// Media type; `warc/revisit` for revisits.
    pub mime: String,
    /// Digest of the payload; empty where it is not known.
    pub digest: String,
    /// Bytes of the stored record.
    pub length: Option<u64>,
    /// Title of the page, where it is known.
    pub title: Option<String>,
}

/// A host and what an archive holds of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostLine {
    /// Host name.
    pub host: String,
    /// Captures of its URLs.
    pub captures: u64,
    /// HTML pages with status 2xx, where a run counted them.
    pub pages: Option<u64>,
    /// Hosts that link to it, likewise.
    pub hosts_in: Option<u64>,
    /// PageRank in the graph of hosts, likewise.
    pub pagerank: Option<f64>,
    /// Most frequent language of its pages, ISO 639-3.
    pub language: Option<String>,
}

/// A URL in a list of those that begin alike.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlLine {
    /// The URL, as its latest capture has it.
    pub url: String,
    /// Number of captures of the URL.
    pub captures: u64,
    /// The first of them.
    pub first: Timestamp,
    /// Time of its last capture.
    pub last: Timestamp,
    /// Status of the last.
    pub status: Option<u16>,
    /// Media type of the last that has one.
    pub mime: String,
}

/// What `webmill run` knows of a capture.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureFacts {
    /// Title of the page.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was published, ISO 8601.
    pub published: Option<String>,
    /// Description that the page states.
    pub description: Option<String>,
    /// Languages, ISO 639-3, comma-joined.
    pub languages: Option<String>,
    /// Encoding that the text was decoded by.
    pub charset: Option<String>,
    /// The main text, or its beginning.
    pub text: Option<String>,
    /// Words of the whole main text.
    pub words: Option<u64>,
    /// Links on the page.
    pub links: Option<u64>,
    /// PageRank of the URL.
    pub pagerank: Option<f64>,
    /// Its places by PageRank among the crawled pages, and among all that are known, those too that are only linked.
    pub places: Option<[PlaceFacts; 2]>,
    /// Arcs that lead to it.
    pub in_links: Option<u64>,
    /// The duplicates it belongs to.
    pub cluster: Option<ClusterFacts>,
}

/// A place among others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaceFacts {
    /// From 1, the best; equal scores share one.
    pub position: u64,
    /// How many there are.
    pub of: u64,
    /// Of these, in per cent, those with a lower score.
    pub percentile: f64,
}

/// Pages with the same or nearly the same content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterFacts {
    /// Number of the cluster in table `clusters`.
    pub number: u64,
    /// Pages in it.
    pub size: u64,
    /// The page that stands for it.
    pub representative: String,
    /// How this page joined: `representative`, `body`, `text` or `near`.
    pub kind: String,
    /// Some of the others.
    pub others: Vec<String>,
}

/// A piece of an excerpt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Span {
    /// The text of the piece.
    pub text: String,
    /// Whether it is a word of the query.
    pub found: bool,
}

/// A page that answers a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchHit {
    /// URL of the page found.
    pub url: String,
    /// When it was captured; `None` where that is not known.
    pub timestamp: Option<Timestamp>,
    /// Title of the page, if it has one.
    pub title: Option<String>,
    /// Where the words stand in its text.
    pub excerpt: Vec<Span>,
    /// BM25 score; higher is better.
    pub score: f64,
}

/// The answer to a query of words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchAnswer {
    /// How many pages answer in all.
    pub total: u64,
    /// Those asked for, best first.
    pub hits: Vec<SearchHit>,
    /// The words that were looked for.
    pub words: Vec<String>,
}

/// Known facts about the pages of an archive beside its index: the results of `webmill run`.
pub trait Facts: Send + Sync {
    /// Known facts about the capture of a URL at a time; of its current capture where that time is not known.
    ///
    /// # Errors
    /// Where the results cannot be read.
    fn of(&self, url: &str, timestamp: Timestamp) -> Result<Option<CaptureFacts>>;

    /// The title of that capture: what lists show of it.
    ///
    /// # Errors
    /// Where the results cannot be read.
    fn title(&self, url: &str, timestamp: Timestamp) -> Result<Option<String>> {
        Ok(self.of(url, timestamp)?.and_then(|facts| facts.title))
    }

    /// Whether texts can be searched.
    fn searchable(&self) -> bool;

    /// Pages by how well they answer a query of words.
    ///
    /// # Errors
    /// Where the results cannot be read.
    fn search(&self, query: &str, limit: usize, offset: usize) -> Result<SearchAnswer>;

    /// Hosts by captures, most first, and how many there are; `None` where they were not counted.
    ///
    /// # Errors
    /// Where the results cannot be read.
    fn hosts(&self, limit: usize, offset: usize) -> Result<Option<(Vec<HostLine>, u64)>>;
}

/// Nothing is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn of(&self, _: &str, _: Timestamp) -> Result<Option<CaptureFacts>> {
        Ok(None)
    }

    fn searchable(&self) -> bool {
        false
    }

    fn search(&self, _: &str, _: usize, _: usize) -> Result<SearchAnswer> {
        Ok(SearchAnswer::default())
    }

    fn hosts(&self, _: usize, _: usize) -> Result<Option<(Vec<HostLine>, u64)>> {
        Ok(None)
    }
}
