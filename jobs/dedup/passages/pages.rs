//! The pages that stand for themselves, numbered in the order of what to keep.
//!
//! Of the current captures those that have a text of enough words and are no copies: the page that is kept of each cluster,
//! and every page that is in none. Two external sorts: by URL, in which the members of clusters are left out, and by
//! fetch, length of the URL and URL, which numbers them. In memory is nothing of them afterwards: what belongs to a number
//! and the number of a key are read from temporary files.

use std::path::Path;

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};
use webmill_run::{Cancel, Unit};
use webmill_sort::{Budget, Join, RowSorter, SortedRows, Sorter};
use webmill_table::{Reader, columns, part_files};

use crate::current_captures;
use crate::dedup::tables::ClusterRow;
use crate::mapped::{Mapped, MappedWriter, Strings, StringsWriter};

columns! {
    struct Member from ClusterRow { url, keep }
}

/// Known facts about a page by its number.
pub struct PageIdentity {
    /// Canonical URL.
    pub url: String,
    /// Host of the URL.
    pub host: String,
    /// Key in table `pages`.
    pub key: u128,
    /// SimHash of the text.
    pub simhash: Option<u64>,
}

/// The pages by number and by key.
pub struct Pages {
    urls: Strings,
    /// Halves of the key, whether there is a SimHash, SimHash; by number.
    facts: Mapped<[u64; 4]>,
    /// Halves of the key, place, number; ascending.
    by_key: Mapped<[u64; 4]>,
    /// How many there are.
    pub len: u32,
}

/// By what pages are numbered: unknown time, time, length of the URL, URL.
type Order = (u8, i64, u32, String);

/// Place, key and SimHash of a page.
type StoredPage = (u64, u128, Option<u64>);

impl Pages {
    /// Reads and numbers the pages of table `pages` that `clusters` does not call copies; texts of fewer than `min_words`
    /// words are left out and counted.
    ///
    /// # Errors
    /// Where a table cannot be read or the disk refuses.
    pub fn read(
        pages: &Path,
        clusters: &Path,
        min_words: u32,
        budget: &Budget,
        unit: &mut Unit<'_>,
    ) -> Result<Self> {
        let cancel = unit.stage().cancel;
        let copies = copies(clusters, &budget.share(4), cancel)?;
        let captures = current_captures::read(&part_files(pages)?, &budget.share(4))?;
        let mut both = Join::of(captures, copies);
        let mut order = RowSorter::new(&budget.share(4));
        let (mut without_text, mut short, mut left) = (0, 0, 0);
        while let Some((page, copy)) = both.next()? {
            cancel.check()?;
            let Some(page) = page else { continue };
            if copy.is_some() {
                left += 1;
            } else if page.text == 0 {
                without_text += 1;
            } else if page.words < min_words {
                short += 1;
            } else {
                // The earliest first, those of unknown times last; of these the shortest URL.
                let (unknown, url) = (u8::from(page.time_ms.is_none()), page.url.as_str());
                let key = (unknown, page.time_ms.unwrap_or(0), url.len() as u32, url);
                order.push(&key, &(page.place, page.key, page.simhash))?;
            }
        }
        drop(both);
        for (reason, n) in [
            ("passages-page-is-a-copy", left),
            ("passages-page-without-text", without_text),
            ("passages-page-of-few-words", short),
        ] {
            if n > 0 {
                unit.dropped(reason, n);
            }
        }
        Self::number(order.finish()?, budget, unit.temp())
    }

    fn number(mut order: SortedRows<Order, StoredPage>, budget: &Budget, temp: &Path) -> Result<Self> {
        let (mut urls, mut facts) = (StringsWriter::create(temp)?, MappedWriter::create(temp)?);
        let mut keys = Sorter::new(&budget.share(4));
        let mut len = 0u32;
        while let Some(((.., url), (place, key, simhash))) = order.next()? {
            let [high, low] = halves(key);
            urls.push(&url)?;
            facts.push([high, low, u64::from(simhash.is_some()), simhash.unwrap_or_default()])?;
            keys.push([high, low, place, u64::from(len)])?;
            len = len.checked_add(1).ok_or_else(|| {
                Error::Limit(format!(
                    "passages are sought among at most {} pages: switch them off by passages = false in the recipe's [dedup]",
                    u32::MAX
                ))
            })?;
        }
        let by_key = Mapped::of(temp, keys.finish()?)?;
        Ok(Pages { urls: urls.finish()?, facts: facts.finish()?, by_key, len })
    }

    /// Known facts about page `number`.
    pub fn identity(&self, number: u32) -> PageIdentity {
        let url = self.urls.get(number as usize).to_owned();
        let host = CanonicalUrl::parse(&url).map(|url| url.host().to_owned()).unwrap_or_default();
        let [high, low, known, simhash] = self.facts[number as usize];
        let key = u128::from(high) << 64 | u128::from(low);
        PageIdentity { url, host, key, simhash: (known == 1).then_some(simhash) }
    }

    /// Place and number of the page with this key.
    pub fn find(&self, key: [u64; 2]) -> Option<(u64, u32)> {
        let at = self.by_key.partition_point(|item| item[..2] < key[..]);
        self.by_key.get(at).filter(|item| item[..2] == key[..]).map(|item| (item[2], item[3] as u32))
    }
}

/// A key as two numbers in its order.
pub fn halves(key: u128) -> [u64; 2] {
    [(key >> 64) as u64, key as u64]
}

/// The URLs of pages that another one of their cluster stands for, ascending.
fn copies(clusters: &Path, budget: &Budget, cancel: &Cancel) -> Result<SortedRows<String, ()>> {
    let mut sorter = RowSorter::new(budget).with_unique_keys();
    let mut reader = Reader::<Member>::open(clusters)?;
    while let Some(batch) = reader.next()? {
        cancel.check()?;
        for member in batch.rows().filter(|member| !member.keep) {
            sorter.push(&member.url, &())?;
        }
    }
    sorter.finish()
}
