//! What an earlier crawl of the same Web says of pages: in-degrees, PageRank and mirror degrees, from the tables of `webmill run`.
//!
//! Mirror degree of a page: the members of its cluster of duplicates on other registered domains, column
//! `clusters.mirror_degree`. Copies on its own domain say nothing of a page's worth.
//!
//! A job that was not run is said and counts nothing; results that have neither table are an error.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use webmill_capture::{CanonicalUrl, Error, UrlKey};
use webmill_crawl::priority::Earlier;
use webmill_run::{Committed, Job};
use webmill_table::{Reader, columns};

use webmill_jobs::dedup::Dedup;
use webmill_jobs::dedup::tables::ClusterRow;
use webmill_jobs::job::latest;
use webmill_jobs::levels::{Level, part_file};
use webmill_jobs::rank::RankJob;
use webmill_jobs::rank::tables::RankRow;

columns! {
    struct RankColumns from RankRow { url, indegree, pagerank }
}

columns! {
    struct ClusterColumns from ClusterRow { url_key, mirror_degree }
}

/// Pages remembered: those with the most in-links, 32 bytes each.
const PAGES: usize = 8_000_000;

/// In-degree, mirror degree and PageRank of a page.
#[derive(Default)]
struct PageScores {
    links: u32,
    mirrors: u32,
    page_rank: f32,
}

/// The known facts, by page.
#[derive(Default)]
struct Degrees {
    pages: HashMap<UrlKey, PageScores>,
    /// Number of nodes of the graph: the mean PageRank is one divided by it.
    nodes: f64,
}

impl Earlier for Degrees {
    fn in_degree(&self, page: UrlKey) -> Option<f64> {
        self.pages.get(&page).map(|known| f64::from(known.links))
    }

    fn mirror_degree(&self, page: UrlKey) -> Option<f64> {
        self.pages.get(&page).map(|known| f64::from(known.mirrors))
    }

    fn page_rank(&self, page: UrlKey) -> Option<f64> {
        self.pages.get(&page).map(|known| f64::from(known.page_rank) * self.nodes)
    }
}

/// Reads tables `ranks` and `clusters` in the results at `out`; also says what does not count.
///
/// # Errors
/// Results that have neither table; files that cannot be read.
pub fn read(out: &Path) -> Result<(Box<dyn Earlier>, Vec<String>)> {
    type Table = fn(&mut Degrees, &Committed) -> webmill_capture::Result<()>;
    let tables: [(&str, &str, Table); 2] = [
        (RankJob::NAME, "in-degrees and PageRank", Degrees::read_ranks),
        (Dedup::NAME, "mirrors", Degrees::read_clusters),
    ];
    let mut degrees = Degrees::default();
    let mut notes = Vec::new();
    let earlier = || format!("earlier results {}", out.display());
    for (job, what, table) in tables {
        match latest(out, job) {
            Ok(committed) => table(&mut degrees, &committed).with_context(earlier)?,
            Err(Error::Config(_)) => notes.push(format!(
                "{}: none of {job}, so {what} do not count; `webmill {job} {}` makes them",
                earlier(),
                out.display()
            )),
            Err(error) => return Err(error).with_context(earlier),
        }
    }
    if notes.len() == tables.len() {
        bail!("--earlier: {}", notes.join("; "));
    }
    Ok((Box::new(degrees), notes))
}

impl Degrees {
    fn read_ranks(&mut self, ranks: &Committed) -> webmill_capture::Result<()> {
        let degrees = &mut self.pages;
        // Pages without in-links say nothing; with too many others the least linked ones go first.
        let mut least = 1;
        let mut reader = Reader::<RankColumns>::open(&ranks.path(&part_file("ranks", Level::Page)))?;
        while let Some(batch) = reader.next()? {
            for page in batch.rows() {
                self.nodes += 1.0;
                let Some(url) = CanonicalUrl::parse_stored(page.url) else { continue };
                if page.indegree >= least {
                    let (links, page_rank) = (page.indegree, page.pagerank as f32);
                    degrees.insert(url.key(), PageScores { links, page_rank, mirrors: 0 });
                }
            }
            while degrees.len() > PAGES {
                least *= 2;
                degrees.retain(|_, known| known.links >= least);
            }
        }
        Ok(())
    }

    fn read_clusters(&mut self, clusters: &Committed) -> webmill_capture::Result<()> {
        let degrees = &mut self.pages;
        let mut reader = Reader::<ClusterColumns>::open(&clusters.path("clusters"))?;
        while let Some(batch) = reader.next()? {
            for page in batch.rows().filter(|page| page.mirror_degree > 0) {
                let key = UrlKey(page.url_key.0);
                if degrees.len() < PAGES || degrees.contains_key(&key) {
                    degrees.entry(key).or_default().mirrors = page.mirror_degree;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "earlier_tests.rs"]
mod tests;
