//! Lines and paragraphs that stand on many pages: boilerplate that no template explains, licences, quoted notices.
//!
//! **Definition.** A [block](super::repeated_blocks) is a line, or a paragraph of several lines. Its hash is XXH3-128 of its
//! [normalised](webmill_text::normalize) text; blocks of fewer than [`min_chars`](RepeatedOptions::min_chars) characters
//! after that have none. A hash is repeated where it stands on at least [`min_pages`](RepeatedOptions::min_pages) pages, and
//! these are not all of one cluster of duplicates: what only copies of one page have is no boilerplate.
//!
//! **Algorithm.** (hash, host, page) goes through an external sort; pages and hosts of a hash are counted as they pass, its
//! clusters in a small set that goes on in a sort of its own where a hash has many. Repeated hashes are sorted by their
//! first page, whose text gives the row's.
//!
//! **Cost.** Memory: the given budget, and the blocks of one page. Disk: 24 bytes a distinct block of a page.
//!
//! **Determinism.** Counts are exact (but for collisions of 128 bits). Rows come by first page, then place in its text,
//! whatever the order of pushing, threads and memory.

pub(crate) mod blocks;
mod clusters;

use std::collections::HashMap;
use webmill_capture::cut::Cut;

use serde::Serialize;
use webmill_capture::error::{Error, Result};
use webmill_capture::settings;
use webmill_sort::{Budget, Sorted, Sorter};

use crate::repeated::blocks::{BlockHasher, BlockKind, blocks, hash_all};
use crate::repeated::clusters::ClusterCount;

settings! {
    /// What counts as repeated.
    #[derive(Copy, PartialEq, Eq)]
    pub struct RepeatedOptions {
        /// Least number of characters of a normalised line or paragraph, from 1; 40.
        pub min_chars: u32 = 40;
        /// Least number of pages that have a repeated line or paragraph, from 2; 20.
        pub min_pages: u32 = 20;
        /// Bytes of its text that a row has at most: 2,000. Tests lower it.
        #[serde(skip)]
        pub max_row_bytes: usize = 2000;
    }
}

impl RepeatedOptions {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`Error::Config`] for a value out of its range.
    pub fn check(&self) -> Result<()> {
        for (name, value, least, most) in [
            ("min_chars", self.min_chars as usize, 1, u32::MAX as usize),
            ("min_pages", self.min_pages as usize, 2, u32::MAX as usize),
        ] {
            if !(least..=most).contains(&value) {
                let reason = format!("repeated paragraphs: {name} is {value}, allowed are {least} to {most}");
                return Err(Error::Config(reason));
            }
        }
        Ok(())
    }

    /// The distinct hashes of the lines and paragraphs of a text, ascending, to be [pushed](RepeatedCount::push). Needs no
    /// count, so that texts can be hashed by many threads.
    pub fn hashes(&self, text: &str) -> Vec<u128> {
        self.hashes_and_short(text).0
    }

    /// The same, and how many lines and paragraphs are too short to have a hash.
    pub fn hashes_and_short(&self, text: &str) -> (Vec<u128>, u64) {
        let (mut hashes, mut short) = (Vec::new(), 0);
        hash_all(text, self.min_chars, |hash| match hash {
            Some(hash) => hashes.push(hash),
            None => short += 1,
        });
        hashes.sort_unstable();
        hashes.dedup();
        (hashes, short)
    }
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepeatedCounts {
    /// Pages pushed.
    pub pages: u64,
    /// Distinct (hash, page).
    pub blocks: u64,
    /// Distinct hashes.
    pub distinct: u64,
    /// Repeated hashes.
    pub repeated: u64,
    /// Hashes on enough pages, but of one cluster only.
    pub of_one_cluster: u64,
    /// Rows whose first page had no such block when its text was read again; their text is empty.
    pub texts_missing: u64,
}

/// A row of table `repeated`, but for the name of the first page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedRow<'t> {
    /// Hash of the normalised text.
    pub hash: u128,
    /// What it is on its first page.
    pub kind: BlockKind,
    /// Its text there, cut at [`RepeatedOptions::max_row_bytes`].
    pub text: &'t str,
    /// Bytes of its text there, before it is cut.
    pub bytes: u64,
    /// Pages that have it.
    pub pages: u32,
    /// Hosts of these pages.
    pub hosts: u32,
    /// Clusters of duplicates that these pages are in, from 2.
    pub clusters: u32,
    /// The first of these pages, by number.
    pub first: u32,
}

/// Collects the blocks of pages, in any order.
///
/// # Examples
/// ```
/// use webmill_dedup::{RepeatedCount, RepeatedOptions};
/// use webmill_sort::Budget;
/// let notice = "All rights reserved. No part of this site may be copied anywhere.";
/// let texts: Vec<String> = (0..20).map(|i| format!("Page {i} of the site.\n{notice}\n")).collect();
///
/// let mut count = RepeatedCount::new(RepeatedOptions::default(), &Budget::new(1 << 20))?;
/// for (page, text) in texts.iter().enumerate() {
///     count.push(page as u32, 0, &count.options().hashes(text))?;
/// }
/// let repeated = count.finish(|page| page, |_| ())?; // every page a cluster of its own
/// let mut found = Vec::new();
/// repeated.rows(|page| Ok(&texts[page as usize]), |row| Ok(found.push((row.text.to_owned(), row.pages))))?;
/// assert_eq!(found, [(notice.to_owned(), 20)]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct RepeatedCount {
    options: RepeatedOptions,
    budget: Budget,
    /// (hash, its second half, host and page).
    blocks: Sorter<[u64; 3]>,
    pages: u64,
}

impl RepeatedCount {
    /// A count within `budget`.
    ///
    /// # Errors
    /// [`Error::Config`] for options out of their ranges.
    pub fn new(options: RepeatedOptions, budget: &Budget) -> Result<Self> {
        options.check()?;
        let blocks = Sorter::new(&budget.fraction(3, 4));
        Ok(RepeatedCount { options, budget: budget.clone(), blocks, pages: 0 })
    }

    /// The options that the count was made with.
    pub fn options(&self) -> &RepeatedOptions {
        &self.options
    }

    /// Takes the [hashes](RepeatedOptions::hashes) of a page of a host, both by number. A page is pushed once.
    ///
    /// # Errors
    /// [`Error::Io`] when the sort cannot write.
    pub fn push(&mut self, page: u32, host: u32, hashes: &[u128]) -> Result<()> {
        self.pages += 1;
        let place = u64::from(host) << 32 | u64::from(page);
        self.blocks.extend(hashes.iter().map(|&hash| [(hash >> 64) as u64, hash as u64, place]))
    }

    /// Ends the input and counts. `cluster` says of a page in which cluster it is; a page without duplicates is one of its
    /// own. `first` is told the first page of every repeated hash, in no order and again and again: whose texts
    /// [`Repeated::rows`] will ask for.
    ///
    /// # Errors
    /// [`Error::Io`] when a sort cannot read or write.
    pub fn finish(self, cluster: impl Fn(u32) -> u32, mut first: impl FnMut(u32)) -> Result<Repeated> {
        let RepeatedCount { options, budget, blocks, pages } = self;
        let mut counts = RepeatedCounts { pages, ..RepeatedCounts::default() };
        let mut rows = Sorter::new(&budget.share(8));
        let mut clusters = ClusterCount::new(&budget.share(8));
        let mut group = Group::default();
        let mut end = |group: &Group, clusters: &mut ClusterCount| -> Result<()> {
            let Some(row) = group.finish(&options, &mut counts, clusters)? else { return Ok(()) };
            first(row[0] as u32);
            rows.push(row)
        };
        for block in blocks.finish()? {
            let [high, low, place] = block?;
            if group.hash != (high, low) || group.pages == 0 {
                end(&group, &mut clusters)?;
                group = Group { hash: (high, low), ..Group::default() };
            }
            if let Some(page) = group.push(place) {
                clusters.push(cluster(page))?;
            }
        }
        end(&group, &mut clusters)?;
        Ok(Repeated { options, rows: rows.finish()?, counts })
    }
}

/// First page, hash, its second half, pages and hosts, clusters.
type Row = [u64; 5];

/// The pages of one hash, counted as they pass by host, then page.
#[derive(Default)]
struct Group {
    hash: (u64, u64),
    last: Option<u64>,
    pages: u32,
    hosts: u32,
    first: u32,
}

impl Group {
    /// The page of this place, unless it was the last one.
    fn push(&mut self, place: u64) -> Option<u32> {
        let last = self.last.replace(place);
        if last == Some(place) {
            return None;
        }
        let page = place as u32;
        self.hosts += u32::from(last.is_none_or(|last| last >> 32 != place >> 32));
        self.first = if self.pages == 0 { page } else { self.first.min(page) };
        self.pages += 1;
        Some(page)
    }

    /// Counts the group; its row if it is repeated. `clusters` holds those of its pages, and none afterwards.
    fn finish(
        &self,
        options: &RepeatedOptions,
        counts: &mut RepeatedCounts,
        clusters: &mut ClusterCount,
    ) -> Result<Option<Row>> {
        counts.blocks += u64::from(self.pages);
        counts.distinct += u64::from(self.pages > 0);
        if self.pages < options.min_pages {
            clusters.clear();
            return Ok(None);
        }
        let clusters = clusters.take()?;
        if clusters < 2 {
            counts.of_one_cluster += 1;
            return Ok(None);
        }
        counts.repeated += 1;
        let sizes = u64::from(self.pages) << 32 | u64::from(self.hosts);
        Ok(Some([u64::from(self.first), self.hash.0, self.hash.1, sizes, u64::from(clusters)]))
    }
}

/// Repeated lines and paragraphs, counted.
pub struct Repeated {
    options: RepeatedOptions,
    rows: Sorted<Row>,
    counts: RepeatedCounts,
}

impl Repeated {
    /// What was counted so far.
    pub fn counts(&self) -> &RepeatedCounts {
        &self.counts
    }

    /// Calls `each` with every row. `text` gives the text of a page, the same that its hashes were made of; it is asked
    /// once for each first page, in ascending order.
    ///
    /// # Errors
    /// [`Error::Io`] when the sort cannot be read, and the errors of `text` and `each`.
    pub fn rows<T: AsRef<str>>(
        self,
        mut text: impl FnMut(u32) -> Result<T>,
        mut each: impl FnMut(RepeatedRow<'_>) -> Result<()>,
    ) -> Result<RepeatedCounts> {
        let Repeated { options, rows, mut counts } = self;
        let mut rows = rows.peekable();
        while let Some(row) = rows.next() {
            let row = row?;
            let mut wanted = HashMap::from([sought(row)]);
            while let Some(Ok(next)) = rows.peek()
                && next[0] == row[0]
            {
                wanted.extend([sought(*next)]);
                rows.next();
            }
            let first = row[0] as u32;
            let text = text(first)?;
            counts.texts_missing += page_rows(first, text.as_ref(), wanted, &options, &mut each)?;
        }
        Ok(counts)
    }
}

/// Hash of a row; its pages, hosts and clusters.
fn sought([_, high, low, sizes, clusters]: Row) -> (u128, [u32; 3]) {
    (u128::from(high) << 64 | u128::from(low), [(sizes >> 32) as u32, sizes as u32, clusters as u32])
}

/// Gives the rows of one page in the order of its text; says how many were not found there.
fn page_rows(
    first: u32,
    text: &str,
    mut wanted: HashMap<u128, [u32; 3]>,
    options: &RepeatedOptions,
    each: &mut impl FnMut(RepeatedRow<'_>) -> Result<()>,
) -> Result<u64> {
    let mut hasher = BlockHasher::new(options.min_chars);
    for block in blocks(text) {
        let part = block.of(text);
        if let Some(hash) = hasher.hash(part)
            && let Some([pages, hosts, clusters]) = wanted.remove(&hash)
        {
            let text = part.trim();
            let bytes = text.len() as u64;
            let text = text.cut(..text.floor_char_boundary(options.max_row_bytes));
            each(RepeatedRow { hash, kind: block.kind, text, bytes, pages, hosts, clusters, first })?;
        }
    }
    let mut missing: Vec<_> = wanted.into_iter().collect();
    missing.sort_unstable();
    for &(hash, [pages, hosts, clusters]) in &missing {
        let kind = BlockKind::Line;
        each(RepeatedRow { hash, kind, text: "", bytes: 0, pages, hosts, clusters, first })?;
    }
    Ok(missing.len() as u64)
}

#[cfg(test)]
mod tests;
