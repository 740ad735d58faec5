//! What changed since earlier results: pages, hosts, languages, duplicates, places by PageRank.
//!
//! **Definition.** A page is a URL whose current capture has status 2xx and is HTML or a document that was read; it is changed where the digests of its bodies
//! differ. The place of a page is 1 + the number of crawled pages of greater PageRank.
//!
//! **Algorithm.** URLs of both are brought together by an external sort, hosts by another; places are counted in a pass of each table
//! of ranks, of those pages alone that are among the first [`FIRST`] of either.
//!
//! **Cost.** One pass of both tables `pages`, three of both `ranks`; memory within the budget.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use webmill_capture::{Error, Result};
use webmill_mill::PageRow;
use webmill_run::{Cancel, Committed, Inputs, open_latest};
use webmill_sort::{Budget, RowSorter, group};
use webmill_table::{Reader, columns};

use super::Sources;
use super::corpus::{Counts, language_of};
use crate::dedup::tables::ClusterRow;
use crate::levels::{Level, part_file};
use crate::rank::tables::RankRow;

/// Pages by PageRank whose places are compared.
pub const FIRST: usize = 100;
/// Hosts that are listed.
const MOST_HOSTS: usize = 15;

columns! {
    struct Page from PageRow { url, url_host_name, is_current, is_html, page_type, fetch_status, content_digest, content_languages, num_words }
}

columns! {
    struct RankColumns from RankRow { url, crawled, pagerank }
}

columns! {
    struct KeepColumn from ClusterRow { keep }
}

/// A URL or host, and the side that it is of: 0 of earlier results, 1 of these.
type SidedKey = (String, u8);

/// Earlier results.
#[derive(Clone)]
pub struct Earlier {
    extract: Committed,
    dedup: Committed,
    rank: Committed,
    digests: Inputs,
}

impl Earlier {
    /// The latest results in a folder.
    ///
    /// # Errors
    /// [`Error::Config`] where it has none of extract, dedup or rank.
    pub fn open(results: &Path, cancel: &Cancel) -> Result<Self> {
        let latest = |job| open_latest(results, job);
        let (extract, dedup, rank) = (latest("extract")?, latest("dedup")?, latest("rank")?);
        // A manifest has the digests of all tables.
        let manifests = [&extract, &dedup, &rank]
            .map(|of| (of.path("manifest.json"), format!("earlier/{}/manifest.json", of.manifest.job)));
        let digests = Inputs::of_files(&manifests, None, cancel)?;
        Ok(Earlier { extract, dedup, rank, digests })
    }

    /// Digests of the manifests: a part of the report's key.
    pub fn inputs(&self) -> &Inputs {
        &self.digests
    }
}

/// A page that both have: its URL, place before, place now.
pub type Moved = (String, u64, u64);

/// What changed.
#[derive(Debug, Default, PartialEq)]
pub struct Changes {
    /// Pages that are new, gone, changed, unchanged.
    pub pages: [u64; 4],
    /// Hosts with pages that are new, gone.
    pub hosts: [u64; 2],
    /// Pages that a cluster represents by another, before and now.
    pub duplicates: [u64; 2],
    /// Pages by language, before and now.
    pub languages: BTreeMap<String, [u64; 2]>,
    /// Hosts that came (true) and went, those of most pages: pages, name, whether it is new.
    pub listed_hosts: Vec<(u64, String, bool)>,
    /// Pages whose place is another, farthest first.
    pub moved: Vec<Moved>,
    /// New pages with their places.
    pub top_new: Vec<(String, u64)>,
    /// Pages that are gone, with the places that they had.
    pub top_gone: Vec<(String, u64)>,
}

impl Changes {
    /// Compares.
    ///
    /// # Errors
    /// Where a table cannot be read.
    pub fn read(earlier: &Earlier, sources: &Sources, budget: &Budget, most: usize) -> Result<Self> {
        let mut changes = Changes::default();
        let mut pages = RowSorter::new(&budget.fraction(2, 3));
        let mut hosts = RowSorter::new(&budget.fraction(1, 3));
        for (side, extract) in [&earlier.extract, &sources.extract].into_iter().enumerate() {
            changes.push_pages(extract, side as u8, &mut pages, &mut hosts)?;
        }
        changes.join_pages(pages)?;
        changes.join_hosts(hosts)?;
        for (side, dedup) in [&earlier.dedup, &sources.dedup].into_iter().enumerate() {
            let mut reader = Reader::<KeepColumn>::open(&dedup.path("clusters"))?;
            while let Some(batch) = reader.next()? {
                changes.duplicates[side] += batch.rows().filter(|row| !row.keep).count() as u64;
            }
        }
        changes.compare_places([&earlier.rank, &sources.rank], most)?;
        Ok(changes)
    }

    fn push_pages(
        &mut self,
        extract: &Committed,
        side: u8,
        pages: &mut RowSorter<SidedKey, String>,
        hosts: &mut RowSorter<SidedKey, ()>,
    ) -> Result<()> {
        let mut reader = Reader::<Page>::open(&extract.path("pages"))?;
        while let Some(batch) = reader.next()? {
            let counts = |page: &Page<'_>| {
                let is_page = page.is_html || page.page_type.is_some();
                page.is_current && is_page && matches!(page.fetch_status, None | Some(200..=299))
            };
            for page in batch.rows().filter(counts) {
                pages.push(&(page.url, side), &page.content_digest.unwrap_or_default())?;
                hosts.push(&(page.url_host_name, side), &())?;
                let language = language_of(page.content_languages, page.num_words);
                self.languages.entry(language.to_owned()).or_default()[usize::from(side)] += 1;
            }
        }
        Ok(())
    }

    fn join_pages(&mut self, pages: RowSorter<SidedKey, String>) -> Result<()> {
        let one_url = |a: &(SidedKey, String), b: &(SidedKey, String)| a.0.0 == b.0.0;
        group(pages.finish()?, one_url, |((_, side), digest), others| {
            let now = others.last().transpose()?;
            let what = match now {
                _ if *side == 1 => 0,
                None => 1,
                Some((_, now)) => 2 + usize::from(now == *digest),
            };
            self.pages[what] += 1;
            Ok(())
        })
    }

    fn join_hosts(&mut self, hosts: RowSorter<SidedKey, ()>) -> Result<()> {
        let one_host = |a: &(SidedKey, ()), b: &(SidedKey, ())| a.0.0 == b.0.0;
        group(hosts.finish()?, one_host, |((name, side), ()), others| {
            let mut counts = [0, 0];
            counts[usize::from(*side)] += 1;
            others.try_for_each(|page| page.map(|((_, side), ())| counts[usize::from(side)] += 1))?;
            self.note_host(name, counts);
            Ok(())
        })
    }

    fn note_host(&mut self, name: &str, counts: [u64; 2]) {
        let (pages, is_new) = match counts {
            [0, pages] => (pages, true),
            [pages, 0] => (pages, false),
            _ => return,
        };
        self.hosts[usize::from(!is_new)] += 1;
        let at = self.listed_hosts.partition_point(|(other, ..)| *other >= pages);
        if at < MOST_HOSTS {
            self.listed_hosts.insert(at, (pages, name.to_owned(), is_new));
            self.listed_hosts.truncate(MOST_HOSTS);
        }
    }

    fn compare_places(&mut self, ranks: [&Committed; 2], most: usize) -> Result<()> {
        let mut urls = BTreeSet::new();
        for rank in ranks {
            urls.extend(first(rank)?);
        }
        let before = places(ranks[0], &urls)?;
        let now = places(ranks[1], &urls)?;
        for url in urls {
            match (before.get(&url), now.get(&url)) {
                (Some(a), Some(b)) if a != b => self.moved.push((url, *a, *b)),
                (None, Some(place)) => self.top_new.push((url, *place)),
                (Some(place), None) => self.top_gone.push((url, *place)),
                _ => {}
            }
        }
        self.moved.sort_by(|a, b| b.1.abs_diff(b.2).cmp(&a.1.abs_diff(a.2)).then_with(|| a.cmp(b)));
        for list in [&mut self.top_new, &mut self.top_gone] {
            list.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
            list.truncate(most);
        }
        self.moved.truncate(most);
        Ok(())
    }

    /// Languages as counts, before or now.
    pub fn languages_of(&self, side: usize) -> Counts {
        self.languages.iter().map(|(language, counts)| (language.clone(), counts[side])).collect()
    }
}

/// Calls `each` for every crawled page.
fn each_page(rank: &Committed, mut each: impl FnMut(&str, f64)) -> Result<()> {
    let mut reader = Reader::<RankColumns>::over(vec![rank.path(&part_file("ranks", Level::Page))]);
    while let Some(batch) = reader.next()? {
        batch.rows().filter(|row| row.crawled).for_each(|row| each(row.url, row.pagerank));
    }
    Ok(())
}

/// The first pages by PageRank.
fn first(rank: &Committed) -> Result<Vec<String>> {
    let mut best: Vec<(f64, String)> = Vec::new();
    each_page(rank, |url, score| {
        let at = best.partition_point(|(other, _)| *other >= score);
        if at < FIRST {
            best.insert(at, (score, url.to_owned()));
            best.truncate(FIRST);
        }
    })?;
    Ok(best.into_iter().map(|(_, url)| url).collect())
}

/// Places of those of `urls` that were crawled.
fn places(rank: &Committed, urls: &BTreeSet<String>) -> Result<BTreeMap<String, u64>> {
    let mut scores: Vec<(f64, String)> = Vec::new();
    each_page(rank, |url, score| {
        if urls.contains(url) {
            scores.push((score, url.to_owned()));
        }
    })?;
    scores.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    // Pages of a score above that of number n and not above that of number n − 1.
    let mut above = vec![0u64; scores.len() + 1];
    each_page(rank, |_, score| above[scores.partition_point(|(other, _)| *other >= score)] += 1)?;
    let mut sum = 0;
    let mut found = BTreeMap::new();
    for (n, (_, url)) in scores.into_iter().enumerate() {
        sum += above[n];
        found.insert(url, sum + 1);
    }
    Ok(found)
}

/// Refuses a folder to compare with that has no results, and says what it is for.
///
/// # Errors
/// Like [`Earlier::open`].
pub fn open(results: Option<&Path>, cancel: &Cancel) -> Result<Option<Earlier>> {
    let Some(results) = results else { return Ok(None) };
    match Earlier::open(results, cancel) {
        Ok(earlier) => Ok(Some(earlier)),
        Err(Error::Config(why)) => Err(Error::Config(format!("compare: {why}"))),
        Err(error) => Err(error),
    }
}
