//! What `webmill run` knows of the captures of an archive, for the pages of `webmill serve`: title, main text, rank,
//! duplicates, hosts; and full-text search over the main texts.
//!
//! **Form.** Two files beside the results, made when they are first asked for: `OUT/archive-facts/KEY.facts`, tables `pages`,
//! `texts`, `ranks`, `clusters` joined capture by capture in compressed blocks (`build`), and `KEY.index`, an inverted index of the
//! texts ([`crate::mapreduce::postings`]). Their key is that of the results that they were made of, so other results give other files.
//!
//! **Search.** Terms are the words of [`webmill_text::words()`], normalised; of Chinese words of three characters and more
//! every two neighbours are a term too, so that 北京 finds 北京市. Texts score by BM25 as in `rank --query`
//! ([`webmill_text::bm25_idf`]); a title counts as once more said. Of the captures of a URL the best is shown.
//!
//! **Cost.** Building reads the tables once and sorts the postings within the budget; besides, it holds 60 bytes for each page of
//! `ranks` and each of `clusters`. Opened, it holds 48 bytes for each capture. A query reads the
//! postings of its terms and the captures that it shows.
//!
//! **Determinism.** Equal results give equal files.

mod build;
mod excerpt;
mod file;
mod terms;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use webmill_capture::error::AtPath;
use webmill_capture::{CanonicalUrl, Error, Result};
use webmill_serve::index::Timestamp;
use webmill_serve::site::{CaptureFacts, Facts, HostLine, SearchAnswer, SearchHit};
use webmill_sort::Budget;
use webmill_table::{Reader, columns};

use crate::job::{if_any, latest};
use crate::report::tables::HostRow;
use file::FactsFile;

/// Version of the form and content of the file.
const VERSION: u32 = 5;

/// A capture as the file keeps it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct StoredFacts {
    url: String,
    timestamp: u64,
    facts: CaptureFacts,
}

columns! {
    struct Host from HostRow { url_host_name, captures, html_pages, hosts_in, pagerank, top_language }
}

/// What the results in a folder say of the captures of an archive.
pub struct ArchiveFacts {
    file: FactsFile,
    hosts: Option<Vec<HostLine>>,
}

impl ArchiveFacts {
    /// Opens the facts of the folder of results `out`, making their file if there is none; `memory` bytes bound the
    /// sort.
    ///
    /// # Errors
    /// [`Error::Config`] where `out` holds no results of `webmill extract`; [`Error::Io`].
    pub fn open(out: &Path, memory: u64) -> Result<ArchiveFacts> {
        let sources = build::Sources::latest(out)?;
        let folder = out.join("archive-facts");
        let path = folder.join(format!("{}.facts", sources.key()));
        let file = match FactsFile::open(&path) {
            Ok(file) => file,
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                std::fs::create_dir_all(&folder).at(&folder)?;
                build::build(&sources, &path, &Budget::new(memory as usize).in_dir(&folder))?;
                forget_others(&folder, &path);
                FactsFile::open(&path)?
            }
            Err(error) => return Err(error),
        };
        let report = if_any(latest(out, "report"))?;
        let hosts = report.map(|report| read_hosts(&report.path("hosts"))).transpose()?;
        Ok(ArchiveFacts { file, hosts })
    }

    /// Captures that are known.
    pub fn len(&self) -> usize {
        self.file.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn known(&self, url: &str, timestamp: Timestamp) -> Result<Option<StoredFacts>> {
        let Some(url) = CanonicalUrl::parse_stored(url) else { return Ok(None) };
        self.file.find(url.key().0, timestamp.0).map(|number| self.file.known(number)).transpose()
    }
}

/// Files of earlier results are of no use: whatever asks for those again makes them again.
fn forget_others(folder: &Path, kept: &Path) {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let old = |path: &PathBuf| {
        let ours = path.extension().is_some_and(|end| end == "facts" || end == "index");
        ours && path.file_stem() != kept.file_stem()
    };
    files.filter(old).for_each(|path| {
        let _ = std::fs::remove_file(path);
    });
}

fn read_hosts(folder: &Path) -> Result<Vec<HostLine>> {
    let mut hosts = Vec::new();
    let mut reader = Reader::<Host>::open(folder)?;
    while let Some(batch) = reader.next()? {
        hosts.extend(batch.rows().map(|host| HostLine {
            host: host.url_host_name.to_owned(),
            captures: host.captures,
            pages: Some(host.html_pages),
            hosts_in: Some(u64::from(host.hosts_in)),
            pagerank: Some(host.pagerank),
            language: host.top_language.map(str::to_owned),
        }));
    }
    hosts.sort_by(|a, b| b.captures.cmp(&a.captures).then_with(|| a.host.cmp(&b.host)));
    Ok(hosts)
}

impl Facts for ArchiveFacts {
    fn of(&self, url: &str, timestamp: Timestamp) -> Result<Option<CaptureFacts>> {
        Ok(self.known(url, timestamp)?.map(|known| known.facts))
    }

    fn searchable(&self) -> bool {
        self.file.texts() > 0
    }

    fn search(&self, query: &str, limit: usize, offset: usize) -> Result<SearchAnswer> {
        let terms = terms::of_query(query);
        let scores = self.file.scores(&terms)?;
        let mut hits = Vec::new();
        for (number, score) in scores.iter().skip(offset).take(limit) {
            let known = self.file.known(*number)?;
            hits.push(SearchHit {
                excerpt: excerpt::excerpt(known.facts.text.as_deref().unwrap_or_default(), &terms),
                url: known.url,
                timestamp: (known.timestamp > 0).then_some(Timestamp(known.timestamp)),
                title: known.facts.title,
                score: *score,
            });
        }
        Ok(SearchAnswer { total: scores.len() as u64, hits, words: terms })
    }

    fn hosts(&self, limit: usize, offset: usize) -> Result<Option<(Vec<HostLine>, u64)>> {
        let page = |hosts: &Vec<HostLine>| {
            (hosts.iter().skip(offset).take(limit).cloned().collect(), hosts.len() as u64)
        };
        Ok(self.hosts.as_ref().map(page))
    }
}
