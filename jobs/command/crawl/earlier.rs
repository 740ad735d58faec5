//! What an earlier crawl of the same Web says of pages: in-degrees and mirrors, from the tables of `webmill run`.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use webmill_capture::{CanonicalUrl, UrlKey};
use webmill_crawl::priority::Earlier;
use webmill_table::{Reader, columns};

use crate::dedup::tables::ClusterRow;
use crate::job::latest;
use crate::levels::{Level, part_file};
use crate::rank::tables::RankRow;

columns! {
    struct Ranked from RankRow { url, indegree }
}

columns! {
    struct Clustered from ClusterRow { url_key, size }
}

/// Pages remembered: those with the most in-links, 24 bytes each.
const PAGES: usize = 8_000_000;

/// In-degree and mirror degree by page.
struct Degrees(HashMap<UrlKey, (u32, u32)>);

impl Earlier for Degrees {
    fn in_degree(&self, page: UrlKey) -> Option<f64> {
        self.0.get(&page).map(|(links, _)| f64::from(*links))
    }

    fn mirror_degree(&self, page: UrlKey) -> Option<f64> {
        self.0.get(&page).map(|(_, mirrors)| f64::from(*mirrors))
    }
}

/// Reads tables `ranks` and `clusters` in the results at `out`.
pub fn read(out: &Path) -> Result<Box<dyn Earlier>> {
    let ranks = latest(out, "rank").with_context(|| format!("earlier results {}", out.display()))?;
    let clusters = latest(out, "dedup").with_context(|| format!("earlier results {}", out.display()))?;
    let mut degrees: HashMap<UrlKey, (u32, u32)> = HashMap::new();
    // Pages without in-links say nothing; with too many others the least linked ones go first.
    let mut least = 1;
    let mut reader = Reader::<Ranked>::open(&ranks.path(&part_file("ranks", Level::Page)))?;
    while let Some(batch) = reader.next()? {
        for page in batch.rows() {
            let Some(url) = CanonicalUrl::parse_stored(page.url) else { continue };
            if page.indegree >= least {
                degrees.insert(url.key(), (page.indegree, 0));
            }
        }
        while degrees.len() > PAGES {
            least *= 2;
            degrees.retain(|_, (links, _)| *links >= least);
        }
    }
    let mut reader = Reader::<Clustered>::open(&clusters.path("clusters"))?;
    while let Some(batch) = reader.next()? {
        for page in batch.rows() {
            let key = UrlKey(page.url_key.0);
            if degrees.len() < PAGES || degrees.contains_key(&key) {
                degrees.entry(key).or_default().1 = page.size.saturating_sub(1);
            }
        }
    }
    Ok(Box::new(Degrees(degrees)))
}
