//! What an earlier crawl of the same Web says of pages: in-degrees, PageRank and mirror degrees, from the tables of `webmill run`.
//!
//! Mirror degree of a page: the members of its cluster of duplicates on other registered domains, column
//! `clusters.mirror_degree`. Copies on its own domain say nothing of a page's worth.
//!
//! A job that was not run is said and counts nothing; results that have neither table are an error.

use std::path::Path;

use anyhow::{Context, Result, bail};
use webmill_capture::{CanonicalUrl, Error, UrlKey};
use webmill_crawl::priority::{Earlier, EarlierPage};
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

/// Reads tables `ranks` and `clusters` in the results at `out`; also says what does not count.
///
/// # Errors
/// Results that have neither table; files that cannot be read.
pub fn read(out: &Path) -> Result<(Earlier, Vec<String>)> {
    type Table = fn(&mut Earlier, &Committed) -> webmill_capture::Result<()>;
    let tables: [(&str, &str, Table); 2] =
        [(RankJob::NAME, "in-degrees and PageRank", read_ranks), (Dedup::NAME, "mirrors", read_clusters)];
    let mut earlier = Earlier::default();
    let mut notes = Vec::new();
    let named = || format!("earlier results {}", out.display());
    for (job, what, table) in tables {
        match latest(out, job) {
            Ok(committed) => table(&mut earlier, &committed).with_context(named)?,
            Err(Error::Config(_)) => notes.push(format!(
                "{}: none of {job}, so {what} do not count; `webmill {job} {}` makes them",
                named(),
                out.display()
            )),
            Err(error) => return Err(error).with_context(named),
        }
    }
    if notes.len() == tables.len() {
        bail!("--earlier: {}", notes.join("; "));
    }
    Ok((earlier, notes))
}

fn read_ranks(earlier: &mut Earlier, ranks: &Committed) -> webmill_capture::Result<()> {
    // Pages without in-links say nothing; with too many others the least linked ones go first.
    let mut least = 1;
    let mut reader = Reader::<RankColumns>::open(&ranks.path(&part_file("ranks", Level::Page)))?;
    while let Some(batch) = reader.next()? {
        for page in batch.rows() {
            earlier.nodes += 1.0;
            let Some(url) = CanonicalUrl::parse_stored(page.url) else { continue };
            if page.indegree >= least {
                let (links, page_rank) = (page.indegree, page.pagerank as f32);
                earlier.pages.insert(url.key(), EarlierPage { links, page_rank, mirrors: 0 });
            }
        }
        while earlier.pages.len() > PAGES {
            least *= 2;
            earlier.pages.retain(|_, known| known.links >= least);
        }
    }
    Ok(())
}

fn read_clusters(earlier: &mut Earlier, clusters: &Committed) -> webmill_capture::Result<()> {
    let pages = &mut earlier.pages;
    let mut reader = Reader::<ClusterColumns>::open(&clusters.path("clusters"))?;
    while let Some(batch) = reader.next()? {
        for page in batch.rows().filter(|page| page.mirror_degree > 0) {
            let key = UrlKey(page.url_key.0);
            if pages.len() < PAGES || pages.contains_key(&key) {
                pages.entry(key).or_default().mirrors = page.mirror_degree;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "earlier_tests.rs"]
mod tests;
