//! Settings of topics: a part of the recipe's `[learn]`.

use serde::{Deserialize, Serialize};
use webmill_capture::settings;
use webmill_capture::{Error, Result};

use crate::learn::page::Reading;

/// How topics are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterMethod {
    /// Spherical k-means: k topics, every page in one.
    Kmeans,
    /// Dense regions, and noise.
    Dbscan,
    /// A tree of merges by average linkage, cut at k topics.
    Hierarchical,
    /// Pages summed up in leaves of bounded radius in one pass, then k-means of the leaves.
    Stream,
}

/// By what DBSCAN calls pages near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Near {
    /// 1 − cosine of tf·idf.
    Cosine,
    /// Hamming distance of the SimHash of the text.
    Simhash,
}

/// How often k-means begins anew; the least inertia stays.
pub const RESTARTS: u32 = 5;
/// Most topics that are tried where k is chosen.
pub const MOST_K: usize = 128;
/// Most different words held at a time, some 200 MB; of more, those of the fewest pages go.
pub const COUNTED_WORDS: usize = 2_000_000;
/// Most words that batches are told apart by, those of the most pages; centroids and sums take 28 bytes a word and topic.
pub const BATCH_WORDS: usize = 100_000;
/// Pages beyond which the tree is one of k-means parts: its time grows with their square.
pub const TREE_PAGES: usize = 20_000;
/// Those parts.
pub const TREE_PARTS: usize = 1000;
/// Radius of a leaf of the stream, to begin with; it grows where there are more than [`LEAVES`].
pub const RADIUS: f64 = 0.5;
/// Most leaves of the stream.
pub const LEAVES: usize = 5000;

settings! {
    part
    /// Settings of `learn cluster`.
    #[derive(PartialEq)]
    pub struct ClusterSettings {
        /// Whether the files are mails: headers and quoted lines are left out.
        #[serde(skip_deserializing)]
        pub mail: bool = false;
        /// Whether all visible text of HTML files is used, not only their main text.
        #[serde(skip_deserializing)]
        pub whole: bool = false;
        /// How: kmeans, dbscan, hierarchical, stream.
        #[serde(rename = "topic_method")]
        pub method: ClusterMethod = ClusterMethod::Kmeans;
        /// Number of topics; 0: one of 2, 4, 8 … is chosen by the elbow of the silhouette on 2,000 pages.
        pub k: u32 = 0, within 0..=100_000;
        /// Seed of all random draws.
        pub seed: u64 = 0;
        /// Farthest that neighbours of DBSCAN are: 1 − cosine, or bits of the SimHash. 0: 0.5, or 3 bits.
        pub eps: f64 = 0.0;
        /// Pages within eps, itself included, that make a page a core page.
        pub min_points: u32 = 5, within 1..=1_000_000;
        /// Distance between pages: cosine, or bits of the SimHash.
        pub near: Near = Near::Cosine;
        /// Whether topics are found separately in each language that at least a twentieth of the pages have; pages
        /// in other languages are clustered with the most common one.
        pub by_language: bool = true;
        /// Words on fewer pages are left out.
        #[serde(skip_deserializing)]
        pub min_pages: u32 = 2;
        /// Number of pages above which k-means works in batches, and pages stay on disk.
        pub batch_pages: u64 = 1_000_000, within 0..=u64::MAX / 2;
    }
}

impl ClusterSettings {
    /// How files become pages.
    pub fn reading(&self) -> Reading {
        Reading { mail: self.mail, whole: self.whole }
    }

    /// The distance within which DBSCAN calls pages near, by 1 − cosine.
    pub fn cosine_eps(&self) -> f64 {
        if self.eps == 0.0 { 0.5 } else { self.eps }
    }

    /// The same in bits.
    pub fn simhash_bits(&self) -> u32 {
        if self.eps == 0.0 { 3 } else { self.eps as u32 }
    }
}

impl ClusterSettings {
    /// Refuses values that cannot work.
    ///
    /// # Errors
    /// [`Error::Config`] that names the setting and its range.
    pub fn check(&self) -> Result<()> {
        match self.near {
            Near::Cosine if self.eps < 0.0 || self.eps >= 1.0 => {
                Err(Error::Config(format!("eps = {}: 1 − cosine above 0 and below 1 is possible", self.eps)))
            }
            Near::Simhash if self.eps.fract() != 0.0 || !(0.0..=16.0).contains(&self.eps) => Err(
                Error::Config(format!("eps = {}: 0 to 16 whole bits of a SimHash are possible", self.eps)),
            ),
            _ => Ok(()),
        }
    }
}
