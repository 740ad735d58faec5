//! The recipe's `[learn-cluster]`.

use serde::{Deserialize, Serialize};
use webmill_capture::{Error, Result};

use crate::learn::page::Reading;
use crate::recipe::{Settings, within};

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

/// Settings of `learn-cluster`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterSettings {
    /// A folder of files, or a table of lines, that are clustered instead of the texts of `webmill extract`; a file lies in a folder that is its label.
    pub folder: String,
    /// Files are mails: heads and quoted lines are left out.
    pub mail: bool,
    /// All that is visible of HTML files counts, not their main text alone.
    pub whole: bool,
    /// A CSV file `url,label` that the topics are measured by.
    pub labels: String,
    /// How: kmeans, dbscan, hierarchical, stream.
    pub method: ClusterMethod,
    /// Topics; 0: 2, 4, 8 … by the elbow of the silhouette on 2,000 pages.
    pub k: u32,
    /// Most topics that are tried where k is chosen.
    pub most_k: u32,
    /// What everything that is drawn follows from.
    pub seed: u64,
    /// How often k-means begins anew; the least inertia stays.
    pub restarts: u32,
    /// Farthest that neighbours of DBSCAN are: 1 − cosine, or bits of the SimHash. 0: 0.5, or 3 bits.
    pub eps: f64,
    /// Pages within eps that make a core, itself counted.
    pub min_points: u32,
    /// By what pages are near.
    pub near: Near,
    /// Topics within each language that a twentieth of the pages are in; pages of others are clustered with the most common one.
    pub by_language: bool,
    /// How often a word of the title counts.
    pub title_weight: u32,
    /// Whether stop words, and what has no letter, count like other words.
    pub stop_words: bool,
    /// Words on fewer pages are left out.
    pub min_pages: u32,
    /// Most different words held at a time; of more, those of the fewest pages go.
    pub counted_words: u32,
    /// Pages beyond which k-means goes over them in batches, and they stay on disk.
    pub batch_pages: u64,
    /// Most words that batches are told apart by, those of the most pages; centroids and sums take 28 bytes a word and topic.
    pub batch_words: u32,
    /// Pages beyond which the tree is one of k-means parts.
    pub tree_pages: u32,
    /// Those parts.
    pub tree_parts: u32,
    /// Radius of a leaf of the stream, to begin with.
    pub radius: f64,
    /// Most leaves of the stream.
    pub leaves: u32,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        ClusterSettings {
            folder: String::new(),
            mail: false,
            whole: false,
            labels: String::new(),
            method: ClusterMethod::Kmeans,
            k: 0,
            most_k: 128,
            seed: 0,
            restarts: 5,
            eps: 0.0,
            min_points: 5,
            near: Near::Cosine,
            by_language: true,
            title_weight: 3,
            stop_words: false,
            min_pages: 2,
            counted_words: 2_000_000,
            batch_pages: 1_000_000,
            batch_words: 100_000,
            tree_pages: 20_000,
            tree_parts: 1000,
            radius: 0.5,
            leaves: 5000,
        }
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

impl Settings for ClusterSettings {
    const TABLE: &'static str = "learn-cluster";

    fn check(&self) -> Result<()> {
        within("k", self.k, 0..=100_000)?;
        within("most_k", self.most_k, 2..=4096)?;
        within("restarts", self.restarts, 1..=1000)?;
        within("min_points", self.min_points, 1..=1_000_000)?;
        within("title_weight", self.title_weight, 0..=100)?;
        within("min_pages", self.min_pages, 1..=1_000_000)?;
        within("counted_words", self.counted_words, 1000..=1 << 30)?;
        within("batch_pages", self.batch_pages, 0..=u64::MAX / 2)?;
        within("batch_words", self.batch_words, 100..=1 << 24)?;
        within("tree_pages", self.tree_pages, 2..=100_000)?;
        within("tree_parts", self.tree_parts, 2..=20_000)?;
        within("radius", self.radius, 0.0..=1.0)?;
        within("leaves", self.leaves, 2..=1_000_000)?;
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
