//! The current captures in the total order, and the texts of those that need comparing.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_dedup::{ExactPair, Fingerprint, Pair, Same, Shingles};
use webmill_mill::TextRow;
use webmill_sort::{Budget, BytesSorter};
use webmill_table::{Reader, columns};

use crate::current_captures::{self, place};

/// Bytes a page takes in memory while duplicates are sought.
const BYTES_A_PAGE: usize = 160;

/// Strings one after the other in a temporary file, by number.
struct Strings {
    starts: Vec<u64>,
    bytes: Option<Mmap>,
}

impl Strings {
    fn get(&self, i: usize) -> &str {
        let (Some(bytes), Some(&from), Some(&to)) = (&self.bytes, self.starts.get(i), self.starts.get(i + 1))
        else {
            return "";
        };
        std::str::from_utf8(&bytes[from as usize..to as usize]).unwrap_or_default()
    }
}

struct StringsWriter {
    file: BufWriter<File>,
    path: PathBuf,
    starts: Vec<u64>,
}

impl StringsWriter {
    fn create(path: &Path) -> Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path).at(path)?;
        Ok(StringsWriter { file: BufWriter::new(file), path: path.to_path_buf(), starts: vec![0] })
    }

    fn push(&mut self, text: &str) -> Result<()> {
        self.file.write_all(text.as_bytes()).at(&self.path)?;
        let end = self.starts.last().copied().unwrap_or(0) + text.len() as u64;
        self.starts.push(end);
        Ok(())
    }

    fn finish(self) -> Result<Strings> {
        let file = self.file.into_inner().map_err(|e| Error::io(&self.path, e.into_error()))?;
        let empty = self.starts.last() == Some(&0);
        // SAFETY: the file is a temporary one of this process, complete, and not written to again.
        let bytes = if empty { None } else { Some(unsafe { Mmap::map(&file) }.at(&self.path)?) };
        Ok(Strings { starts: self.starts, bytes })
    }
}

/// Pages by number: earliest fetch first, then shortest URL, then URL.
pub struct Pages {
    urls: Strings,
    pub keys: Vec<u128>,
    body: Vec<u128>,
    text: Vec<u128>,
    simhash: Vec<Option<u64>>,
    place: Vec<u64>,
}

impl Pages {
    /// Reads and orders the current captures of table `pages`. Texts of fewer than `min_words` words are not
    /// compared: so little says nothing of a page.
    pub fn read(
        parts: &[PathBuf],
        min_words: u32,
        budget: &Budget,
        temp: &Path,
        memory: usize,
    ) -> Result<Self> {
        let mut captures = current_captures::read(parts, &budget.share(2))?;
        let mut sorter = BytesSorter::new(&budget.share(2));
        let (mut key, mut value) = (Vec::new(), Vec::new());
        let mut count = 0usize;
        while let Some(page) = captures.next_current(|_| ())? {
            count += 1;
            key.clear();
            key.push(u8::from(page.time_ms.is_none()));
            key.extend_from_slice(&((page.time_ms.unwrap_or(0) as u64) ^ (1 << 63)).to_be_bytes());
            key.extend_from_slice(&(page.url.len() as u32).to_be_bytes());
            key.extend_from_slice(page.url.as_bytes());
            value.clear();
            let text = if page.words >= min_words { page.text } else { 0 };
            for number in [page.key, page.body, text] {
                value.extend_from_slice(&number.to_le_bytes());
            }
            value.extend_from_slice(&page.place.to_le_bytes());
            if let Some(simhash) = page.simhash.filter(|_| page.words >= min_words) {
                value.extend_from_slice(&simhash.to_le_bytes());
            }
            sorter.push(&key, &value)?;
        }
        drop(captures);
        if count.saturating_mul(BYTES_A_PAGE) > memory / 2 {
            return Err(Error::Limit(format!(
                "duplicates among {count} pages take about {} MiB of memory, half of --memory is allowed for it: raise --memory",
                count.saturating_mul(BYTES_A_PAGE) >> 20
            )));
        }
        let mut urls = StringsWriter::create(&temp.join("urls"))?;
        let mut pages = Pages {
            urls: Strings { starts: Vec::new(), bytes: None },
            keys: Vec::with_capacity(count),
            body: Vec::with_capacity(count),
            text: Vec::with_capacity(count),
            simhash: Vec::with_capacity(count),
            place: Vec::with_capacity(count),
        };
        let mut sorted = sorter.finish()?;
        while let Some((key, value)) = sorted.next().transpose()? {
            urls.push(std::str::from_utf8(&key[13..]).unwrap_or_default())?;
            let long = |i: usize| value[16 * i..16 * i + 16].try_into().map_or(0, u128::from_le_bytes);
            let short =
                |at: usize| value.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
            pages.keys.push(long(0));
            pages.body.push(long(1));
            pages.text.push(long(2));
            pages.place.push(short(48).unwrap_or_default());
            pages.simhash.push(short(56));
        }
        pages.urls = urls.finish()?;
        Ok(pages)
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Canonical URL of a page.
    pub fn url(&self, page: u32) -> &str {
        self.urls.get(page as usize)
    }

    /// SimHash of a page.
    pub fn simhash(&self, page: u32) -> Option<u64> {
        self.simhash[page as usize]
    }

    /// Stars of equal bodies, and of equal texts among pages whose bodies differ; centres are the earliest pages.
    pub fn copies(&self) -> Vec<ExactPair> {
        let mut pairs = Vec::new();
        for (digests, same) in [(&self.body, Same::Body), (&self.text, Same::Text)] {
            let mut order: Vec<u32> = (0..self.len() as u32).filter(|i| digests[*i as usize] != 0).collect();
            order.sort_unstable_by_key(|i| (digests[*i as usize], *i));
            for group in order.chunk_by(|a, b| digests[*a as usize] == digests[*b as usize]) {
                let centre = group[0];
                let others = group[1..]
                    .iter()
                    .filter(|i| same == Same::Body || self.body[**i as usize] != self.body[centre as usize]);
                pairs.extend(others.map(|&b| ExactPair { a: centre, b, same }));
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// Numbers and fingerprints of the pages that may be near-duplicates: one page of each text.
    pub fn fingerprints(&self) -> (Vec<u32>, Vec<Fingerprint>) {
        let mut order: Vec<u32> =
            (0..self.len() as u32).filter(|i| self.simhash[*i as usize].is_some()).collect();
        order.sort_unstable_by_key(|i| (self.text[*i as usize], *i));
        order.dedup_by_key(|i| self.text[*i as usize]);
        order.sort_unstable();
        let fingerprints = order.iter().filter_map(|i| self.simhash[*i as usize].map(Fingerprint)).collect();
        (order, fingerprints)
    }
}

columns! {
    struct Read from TextRow { url_key, text, warc_filename, warc_record_offset }
}

/// Texts of the pages that are in a pair.
pub struct Texts {
    numbers: Vec<u32>,
    slots: Vec<u32>,
    strings: Strings,
}

impl Texts {
    /// Copies the texts of the pages in `pairs` out of table `texts`.
    pub fn gather(table: &Path, pages: &Pages, pairs: &[Pair], temp: &Path) -> Result<Self> {
        let mut numbers: Vec<u32> = pairs.iter().flat_map(|p| [p.a, p.b]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut wanted: Vec<(u128, u64, u32)> =
            numbers.iter().map(|&n| (pages.keys[n as usize], pages.place[n as usize], n)).collect();
        wanted.sort_unstable();
        let mut slots = vec![u32::MAX; numbers.len()];
        let mut writer = StringsWriter::create(&temp.join("texts"))?;
        let mut slot = 0;
        if !numbers.is_empty() {
            let mut reader = Reader::<Read>::open(table)?;
            while let Some(batch) = reader.next()? {
                for row in batch.rows() {
                    let sought = (row.url_key.0, place(row.warc_filename, row.warc_record_offset));
                    if let Ok(found) = wanted.binary_search_by(|w| (w.0, w.1).cmp(&sought))
                        && let Ok(index) = numbers.binary_search(&wanted[found].2)
                    {
                        writer.push(row.text)?;
                        slots[index] = slot;
                        slot += 1;
                    }
                }
            }
        }
        Ok(Texts { numbers, slots, strings: writer.finish()? })
    }

    /// Shingles of a page's text.
    pub fn shingles(&self, page: u32, width: usize) -> Result<Shingles> {
        let slot = self.numbers.binary_search(&page).ok().map(|i| self.slots[i]).filter(|s| *s != u32::MAX);
        let slot = slot.ok_or_else(|| Error::Internal(format!("page {page} is compared but has no text")))?;
        Ok(Shingles::of(self.strings.get(slot as usize), width))
    }
}
