//! The pages that stand for themselves, numbered in the order of what to keep.
//!
//! Of the current captures those that have a text of enough words and are no copies: the page that is kept of each cluster,
//! and every page that is in none. Two external sorts: by URL, in which the members of clusters are left out, and by
//! fetch, length of the URL and URL, which numbers them. In memory is nothing of them afterwards: what belongs to a number
//! and the number of a key are read from temporary files.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_run::{Cancel, Unit};
use webmill_sort::{Budget, BytesSorter, SortedBytes, Sorter};
use webmill_table::{Reader, columns, part_files};

use super::records::{Records, RecordsWriter};
use crate::current_captures;
use crate::dedup::tables::ClusterRow;

columns! {
    struct Member from ClusterRow { url, keep }
}

/// What is known of a page by its number.
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
    identities: Records,
    by_key: PathBuf,
    /// How many there are.
    pub len: u32,
}

/// Bytes of an identity before the URL: key, whether there is a SimHash, SimHash.
const FIXED: usize = 16 + 1 + 8;

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
        let mut copies = copies(clusters, &budget.share(4), cancel)?;
        let mut captures = current_captures::read(&part_files(pages)?, &budget.share(4))?;
        let mut order = BytesSorter::new(&budget.share(4));
        let (mut key, mut value) = (Vec::new(), Vec::new());
        let (mut without_text, mut short, mut left) = (0, 0, 0);
        let mut copy = next_url(&mut copies)?;
        while let Some(page) = captures.next_current(|_| ())? {
            cancel.check()?;
            while copy.as_ref().is_some_and(|copy| copy.as_slice() < page.url.as_bytes()) {
                copy = next_url(&mut copies)?;
            }
            if copy.as_deref() == Some(page.url.as_bytes()) {
                left += 1;
            } else if page.text == 0 {
                without_text += 1;
            } else if page.words < min_words {
                short += 1;
            } else {
                key.clear();
                key.push(u8::from(page.time_ms.is_none()));
                key.extend_from_slice(&((page.time_ms.unwrap_or(0) as u64) ^ (1 << 63)).to_be_bytes());
                key.extend_from_slice(&(page.url.len() as u32).to_be_bytes());
                key.extend_from_slice(page.url.as_bytes());
                value.clear();
                value.extend_from_slice(&page.place.to_le_bytes());
                value.extend_from_slice(&page.key.to_le_bytes());
                value.push(u8::from(page.simhash.is_some()));
                value.extend_from_slice(&page.simhash.unwrap_or_default().to_le_bytes());
                order.push(&key, &value)?;
            }
        }
        drop((copies, captures));
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

    fn number(mut order: SortedBytes, budget: &Budget, temp: &Path) -> Result<Self> {
        let mut identities = RecordsWriter::create(&temp.join("pages"))?;
        let mut keys = Sorter::new(&budget.share(4));
        let mut len = 0u32;
        while let Some((key, value)) = order.next().transpose()? {
            let broken = || Error::Internal("a sorted page is not what was put in".into());
            let (place, fixed) = value.split_at_checked(8).ok_or_else(broken)?;
            identities.push(&[fixed, key.get(13..).ok_or_else(broken)?])?;
            let place = place.try_into().map_or(0, u64::from_le_bytes);
            let [high, low] = halves(key_of(fixed));
            keys.push([high, low, place, u64::from(len)])?;
            len = len.checked_add(1).ok_or_else(|| {
                Error::Limit(format!(
                    "passages are sought among at most {} pages: switch them off by passages = false in the recipe's [dedup]",
                    u32::MAX
                ))
            })?;
        }
        let by_key = temp.join("keys");
        write_items(&by_key, keys.finish()?)?;
        Ok(Pages { identities: identities.finish()?, by_key, len })
    }

    /// What is known of page `number`.
    ///
    /// # Errors
    /// Where the temporary file cannot be read.
    pub fn identity(&self, number: u32) -> Result<PageIdentity> {
        let record = self.identities.get(u64::from(number))?;
        let broken = || Error::Internal(format!("page {number} is not what was put in"));
        let (fixed, url) = record.split_at_checked(FIXED).ok_or_else(broken)?;
        let url = String::from_utf8_lossy(url).into_owned();
        let host = CanonicalUrl::parse(&url).map(|url| url.host().to_owned()).unwrap_or_default();
        let simhash = fixed[17..].try_into().map_or(0, u64::from_le_bytes);
        Ok(PageIdentity { url, host, key: key_of(fixed), simhash: (fixed[16] == 1).then_some(simhash) })
    }

    /// The pages in the order of their keys, from the first.
    ///
    /// # Errors
    /// As [`identity`](Self::identity).
    pub fn by_key(&self) -> Result<ByKey> {
        Ok(ByKey { items: Items::open(&self.by_key)?, at: None, ended: false })
    }
}

/// A key as two numbers in its order.
pub fn halves(key: u128) -> [u64; 2] {
    [(key >> 64) as u64, key as u64]
}

fn key_of(fixed: &[u8]) -> u128 {
    fixed[..16].try_into().map_or(0, u128::from_le_bytes)
}

/// The URLs of pages that another one of their cluster stands for, ascending.
fn copies(clusters: &Path, budget: &Budget, cancel: &Cancel) -> Result<SortedBytes> {
    let mut sorter = BytesSorter::new(budget).with_unique_keys();
    let mut reader = Reader::<Member>::open(clusters)?;
    while let Some(batch) = reader.next()? {
        cancel.check()?;
        for member in batch.rows().filter(|member| !member.keep) {
            sorter.push(member.url.as_bytes(), &[])?;
        }
    }
    sorter.finish()
}

fn next_url(copies: &mut SortedBytes) -> Result<Option<Vec<u8>>> {
    Ok(copies.next().transpose()?.map(|(url, _)| url.to_vec()))
}

/// A walk over the pages by key: keys are asked for in ascending order.
pub struct ByKey {
    items: Items<4>,
    at: Option<[u64; 4]>,
    ended: bool,
}

impl ByKey {
    /// Place and number of the page with this key, which is no smaller than the one asked for before.
    ///
    /// # Errors
    /// Where the temporary file cannot be read.
    pub fn find(&mut self, key: [u64; 2]) -> Result<Option<(u64, u32)>> {
        while !self.ended && self.at.is_none_or(|item| item[..2] < key[..]) {
            self.at = self.items.next()?;
            self.ended = self.at.is_none();
        }
        Ok(self.at.filter(|item| item[..2] == key[..]).map(|item| (item[2], item[3] as u32)))
    }
}

/// Writes items of `N` numbers in the order in which they come.
///
/// # Errors
/// Where the disk refuses, and those of the items.
pub fn write_items<const N: usize>(
    path: &Path,
    items: impl IntoIterator<Item = Result<[u64; N]>>,
) -> Result<()> {
    let mut file = BufWriter::new(File::create(path).at(path)?);
    for item in items {
        item?.iter().try_for_each(|number| file.write_all(&number.to_le_bytes())).at(path)?;
    }
    file.flush().at(path)
}

/// Items that [`write_items`] wrote, in their order.
pub struct Items<const N: usize> {
    file: BufReader<File>,
    path: PathBuf,
}

impl<const N: usize> Items<N> {
    /// From the first one on.
    ///
    /// # Errors
    /// Where the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        let file = BufReader::with_capacity(1 << 16, File::open(path).at(path)?);
        Ok(Items { file, path: path.to_path_buf() })
    }

    /// The next item.
    ///
    /// # Errors
    /// Where the file cannot be read.
    #[allow(clippy::should_implement_trait, reason = "its errors are not items")]
    pub fn next(&mut self) -> Result<Option<[u64; N]>> {
        let mut item = [0; N];
        for (i, number) in item.iter_mut().enumerate() {
            let mut bytes = [0; 8];
            match self.file.read_exact(&mut bytes) {
                Ok(()) => *number = u64::from_le_bytes(bytes),
                Err(e) if i == 0 && e.kind() == ErrorKind::UnexpectedEof => return Ok(None),
                Err(e) => return Err(Error::io(&self.path, e)),
            }
        }
        Ok(Some(item))
    }
}
