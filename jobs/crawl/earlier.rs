//! What an earlier crawl of the same Web says of pages: in-degrees and mirrors, from the tables of `webmill run`.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use webmill_capture::{CanonicalUrl, UrlKey};
use webmill_crawl::priority::Earlier;
use webmill_run::open_latest;
use webmill_table::TableReader;

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
    let ranks = open_latest(out, "rank").with_context(|| format!("earlier results {}", out.display()))?;
    let clusters = open_latest(out, "dedup").with_context(|| format!("earlier results {}", out.display()))?;
    let mut degrees: HashMap<UrlKey, (u32, u32)> = HashMap::new();
    // Pages without in-links say nothing; with too many others the least linked ones go first.
    let mut least = 1;
    let mut reader = TableReader::open(&ranks.path("ranks"), &["level", "url", "indegree"])?;
    while let Some(batch) = reader.next()? {
        let (level, url, links) = (batch.str("level")?, batch.str("url")?, batch.u32("indegree")?);
        for i in (0..batch.len()).filter(|i| level.get(*i) == Some("page")) {
            let links = links.get(i).unwrap_or(0);
            let Some(url) = url.get(i).and_then(CanonicalUrl::parse_stored) else { continue };
            if links >= least {
                degrees.insert(url.key(), (links, 0));
            }
        }
        while degrees.len() > PAGES {
            least *= 2;
            degrees.retain(|_, (links, _)| *links >= least);
        }
    }
    let mut reader = TableReader::open(&clusters.path("clusters"), &["url_key", "size"])?;
    while let Some(batch) = reader.next()? {
        let (keys, size) = (batch.keys("url_key")?, batch.u32("size")?);
        for (i, key) in keys.into_iter().enumerate() {
            let Some(key) = key.map(UrlKey) else { continue };
            if degrees.len() < PAGES || degrees.contains_key(&key) {
                degrees.entry(key).or_default().1 = size.get(i).unwrap_or(1).saturating_sub(1);
            }
        }
    }
    Ok(Box::new(Degrees(degrees)))
}
