//! What an earlier crawl of the same Web says of pages: in-degrees and mirror degrees, from the tables of `webmill run`.
//!
//! Mirror degree of a page: the members of its cluster of duplicates on other registered domains, column
//! `clusters.mirror_degree`. Copies on its own domain say nothing of a page's worth.
//!
//! What the results do not have (a job that was not run, a table of an earlier webmill) is said and counts nothing; only
//! results that have neither table are an error.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use webmill_capture::{CanonicalUrl, Error, UrlKey};
use webmill_crawl::priority::Earlier;
use webmill_run::{Committed, Job};
use webmill_table::{Reader, columns};

use crate::dedup::Dedup;
use crate::dedup::tables::ClusterRow;
use crate::job::latest;
use crate::levels::{Level, part_file};
use crate::rank::RankJob;
use crate::rank::tables::RankRow;

columns! {
    struct Ranked from RankRow { url, indegree }
}

columns! {
    struct Clustered from ClusterRow { url_key, mirror_degree }
}

/// Pages remembered: those with the most in-links, 24 bytes each.
const PAGES: usize = 8_000_000;

/// In-degree and mirror degree by page.
#[derive(Default)]
struct Degrees(HashMap<UrlKey, (u32, u32)>);

impl Earlier for Degrees {
    fn in_degree(&self, page: UrlKey) -> Option<f64> {
        self.0.get(&page).map(|(links, _)| f64::from(*links))
    }

    fn mirror_degree(&self, page: UrlKey) -> Option<f64> {
        self.0.get(&page).map(|(_, mirrors)| f64::from(*mirrors))
    }
}

/// Reads tables `ranks` and `clusters` in the results at `out`; also says what does not count, and why.
///
/// # Errors
/// Results that have neither table; files that cannot be read.
pub fn read(out: &Path) -> Result<(Box<dyn Earlier>, Vec<String>)> {
    let mut degrees = Degrees::default();
    let mut notes = Vec::new();
    let ranked = degrees.read::<RankJob>(out, "in-degrees do", Degrees::read_ranks, &mut notes)?;
    let clustered = degrees.read::<Dedup>(out, "mirrors do", Degrees::read_clusters, &mut notes)?;
    if !ranked && !clustered {
        bail!("--earlier: {}", notes.join("; "));
    }
    Ok((Box::new(degrees), notes))
}

impl Degrees {
    /// Reads a table of the job `J`; says whether it is there, and notes where it is not or is of another version.
    fn read<J: Job>(
        &mut self,
        out: &Path,
        what: &str,
        table: fn(&mut Self, &Committed) -> webmill_capture::Result<()>,
        notes: &mut Vec<String>,
    ) -> Result<bool> {
        let earlier = || format!("earlier results {}", out.display());
        let again = format!("`webmill {} --out {}` makes them", J::NAME, out.display());
        let committed = match latest(out, J::NAME) {
            Ok(committed) => committed,
            Err(Error::Config(_)) => {
                notes.push(format!("{}: none of {}, so {what} not count; {again}", earlier(), J::NAME));
                return Ok(false);
            }
            Err(error) => return Err(error).with_context(earlier),
        };
        match table(self, &committed) {
            Err(Error::Incompatible { found, expected, .. }) => {
                notes.push(format!(
                    "{}: those of {} are of another webmill (found {found}, expected {expected}), so {what} not count; {again} anew",
                    earlier(),
                    J::NAME,
                ));
                Ok(false)
            }
            Err(error) => Err(error).with_context(earlier),
            Ok(()) => {
                let version = committed.manifest.job_version;
                if version != J::VERSION {
                    notes.push(format!(
                        "{}: those of {} are of version {version}, this webmill makes version {}; read as they are, {again} anew",
                        earlier(),
                        J::NAME,
                        J::VERSION
                    ));
                }
                Ok(true)
            }
        }
    }

    fn read_ranks(&mut self, ranks: &Committed) -> webmill_capture::Result<()> {
        let degrees = &mut self.0;
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
        Ok(())
    }

    fn read_clusters(&mut self, clusters: &Committed) -> webmill_capture::Result<()> {
        let degrees = &mut self.0;
        let mut reader = Reader::<Clustered>::open(&clusters.path("clusters"))?;
        while let Some(batch) = reader.next()? {
            for page in batch.rows().filter(|page| page.mirror_degree > 0) {
                let key = UrlKey(page.url_key.0);
                if degrees.len() < PAGES || degrees.contains_key(&key) {
                    degrees.entry(key).or_default().1 = page.mirror_degree;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "earlier_tests.rs"]
mod tests;
