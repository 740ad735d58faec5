//! The current captures of all results, in the order of what to keep.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use webmill_capture::bits::Bits;
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Error};
use webmill_dedup::{ExactPair, Fingerprint, Same};
use webmill_sort::{
    Budget, ByKey, Mapped, MappedWriter, RowSorter, Sorter, Strings, StringsWriter, group, keyed,
};
use webmill_table::Bytes16;

use super::order::Order;
use super::tables::DuplicateRow;
use crate::current_captures::{self, CurrentCapture};

/// Known facts about a page but for its URL.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
#[repr(C)]
pub struct Page {
    /// Key in table `pages`.
    pub key: u128,
    /// Hash of the body's digest; 0 for none.
    body: u128,
    /// Digest of the normalised text; 0 for none, or too few words to be compared.
    pub text: u128,
    /// Which capture it is, see [`current_captures::place`].
    place: u64,
    simhash: u64,
    /// Offset of the record in its shard.
    pub offset: i64,
    shard: u32,
    /// Which results it is of: 0 those that are worked on, then the earlier ones in their order.
    pub results: u32,
    has_simhash: u32,
    padding: [u32; 3],
}

// SAFETY: three of sixteen bytes, three of eight, six of four: 96, without padding. Every value is valid, zeroes too.
unsafe impl Zeroable for Page {}
// SAFETY: as above.
unsafe impl Pod for Page {}

/// A [`webmill_dedup::KeepKey`] that comes back.
type Key = (u8, u64, u8, i64, u64, String);

/// Pages by number: the place in the order of what to keep.
pub struct Pages {
    urls: Strings,
    pages: Mapped<Page>,
    shards: Vec<String>,
    by_key: ByKey,
    /// The first page that has a text, by its digest.
    by_text: ByKey,
    /// Pages whose text no page before has.
    speaks: Bits,
    /// What is not compared, by reason: captures, pages whose bodies alone are.
    pub left_out: [(&'static str, u64); 3],
}

impl Pages {
    /// Reads and orders the current captures of `parts` of table `pages`, by results.
    ///
    /// # Errors
    /// Where a table cannot be read or the disk refuses; [`Error::Limit`] for 2³² pages.
    pub fn read(parts: &[Vec<PathBuf>], order: &Order, min_words: u32, budget: &Budget) -> Result<Self> {
        let of_results =
            (0..).zip(parts).flat_map(|(number, parts)| std::iter::repeat_n(number, parts.len()));
        let of_part: Vec<u32> = of_results.collect();
        let mut captures = current_captures::read(&parts.concat(), &budget.share(2))?;
        let next = || captures.next_current(|_| ());
        let mut pages = Self::gather(next, |part| of_part[part as usize], order, min_words, budget)?;
        pages.left_out[0].1 = captures.superseded();
        Ok(pages)
    }

    /// Orders the captures that `next` gives, of whose parts `of_part` tells the results; texts of fewer than `min_words`
    /// words are not compared.
    ///
    /// # Errors
    /// As of [`Pages::read`].
    pub fn gather(
        mut next: impl FnMut() -> Result<Option<CurrentCapture>>,
        of_part: impl Fn(u32) -> u32,
        order: &Order,
        min_words: u32,
        budget: &Budget,
    ) -> Result<Self> {
        let mut sorter = RowSorter::new(&budget.share(2));
        let (mut shards, mut count) = (Shards::default(), 0u64);
        let (mut without_text, mut few_words) = (0, 0);
        while let Some(capture) = next()? {
            count += 1;
            if capture.text == 0 {
                without_text += 1;
            } else if capture.words < min_words {
                few_words += 1;
            }
            let compared = capture.words >= min_words;
            let page = Page {
                key: capture.key,
                body: capture.body,
                text: if compared { capture.text } else { 0 },
                place: capture.place,
                simhash: capture.simhash.unwrap_or_default(),
                offset: capture.offset,
                shard: shards.number(&capture.shard),
                results: of_part(capture.part),
                has_simhash: u32::from(capture.simhash.is_some()),
                padding: [0; 3],
            };
            sorter.push(&order.key(&capture), &page)?;
        }
        if count > u64::from(u32::MAX) {
            return Err(Error::Limit(format!("{count} pages: duplicates are numbered by 32 bits")));
        }
        let mut pages = Self::store(sorter, shards.names, budget)?;
        pages.left_out = [
            ("superseded-capture", 0),
            ("page-without-text", without_text),
            ("text-of-few-words", few_words),
        ];
        Ok(pages)
    }

    fn store(sorter: RowSorter<Key, Page>, shards: Vec<String>, budget: &Budget) -> Result<Self> {
        let (share, temp) = (budget.share(4), &budget.temp_dir);
        let mut urls = StringsWriter::create(temp)?;
        let mut pages = MappedWriter::create(temp)?;
        let mut keys = Sorter::new(&share);
        let mut texts = Sorter::new(&share).with_combine(one_digest);
        for row in sorter.finish()? {
            let ((.., url), page) = row?;
            let number = pages.len();
            urls.push(&url)?;
            keys.push(keyed(page.key, number))?;
            if page.text != 0 {
                texts.push(keyed(page.text, number))?;
            }
            pages.push(page)?;
        }
        let pages = pages.finish()?;
        let mut speaks = Bits::with_room(pages.len());
        let by_text = ByKey::of(texts)?;
        for first in by_text.numbers() {
            speaks.insert(first);
        }
        Ok(Pages {
            urls: urls.finish()?,
            by_key: ByKey::of(keys)?,
            by_text,
            pages,
            shards,
            speaks,
            left_out: [("", 0); 3],
        })
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// The page with this number.
    pub fn page(&self, page: u32) -> &Page {
        &self.pages[page as usize]
    }

    /// Canonical URL of a page.
    pub fn url(&self, page: u32) -> &str {
        self.urls.get(page as usize)
    }

    /// Host of a page.
    pub fn host(&self, page: u32) -> String {
        CanonicalUrl::parse_stored(self.url(page)).map_or_else(String::new, |url| url.host().to_owned())
    }

    /// Shard of a page's record.
    pub fn shard(&self, page: u32) -> &str {
        self.shards.get(self.page(page).shard as usize).map_or("", String::as_str)
    }

    /// SimHash of a page's text.
    pub fn simhash(&self, page: u32) -> Option<Fingerprint> {
        let page = self.page(page);
        (page.has_simhash == 1).then_some(Fingerprint(page.simhash))
    }

    /// Hamming distance of two pages' SimHashes.
    pub fn distance(&self, a: u32, b: u32) -> Option<u8> {
        Some(self.simhash(a)?.distance(self.simhash(b)?) as u8)
    }

    /// A row of two pages, without what is said of both.
    pub fn pair(&self, a: u32, b: u32) -> DuplicateRow {
        DuplicateRow {
            a: self.url(a).to_owned(),
            b: self.url(b).to_owned(),
            a_key: Bytes16(self.page(a).key),
            b_key: Bytes16(self.page(b).key),
            a_host: self.host(a),
            b_host: self.host(b),
            a_text_digest: Some(self.page(a).text).filter(|text| *text != 0).map(Bytes16),
            b_text_digest: Some(self.page(b).text).filter(|text| *text != 0).map(Bytes16),
            a_earlier: self.page(a).results > 0,
            b_earlier: self.page(b).results > 0,
            distance: self.distance(a, b),
            ..DuplicateRow::default()
        }
    }

    /// What tables may call the shard at `path`: its name, with folders in front or without.
    pub fn names_of(&self, path: &Path) -> Vec<&str> {
        self.shards.iter().map(String::as_str).filter(|name| path.ends_with(name)).collect()
    }

    /// Whether the page is the first with its text, which is long enough to be compared: it speaks for all that have it.
    pub fn speaks(&self, page: u32) -> bool {
        self.speaks.contains(page)
    }

    /// Number of texts that are compared.
    pub fn texts(&self) -> usize {
        self.by_text.numbers().len()
    }

    /// The page of a capture, by the number of its results, [`current_captures::place`] and key; `None` where another
    /// capture is current. Crawls give their shards the same names.
    pub fn at(&self, results: u32, place: u64, key: u128) -> Option<u32> {
        let own = |page: &Page| page.place == place && page.results == results;
        self.of_key(key).filter(|&page| own(self.page(page)))
    }

    /// The page that speaks for the text of this digest.
    pub fn speaker(&self, digest: u128) -> Option<u32> {
        self.by_text.get(digest).map(|page| page as u32)
    }

    /// The page of this key.
    pub fn of_key(&self, key: u128) -> Option<u32> {
        self.by_key.get(key).map(|page| page as u32)
    }

    /// Stars of equal bodies, and of equal texts among pages whose bodies differ; centres are the first pages.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn copies(&self, budget: &Budget) -> Result<Copies> {
        let mut sorter = Sorter::new(&budget.share(2));
        for (digest, same) in [(0, Same::Body), (1, Same::Text)] {
            let mut order = Sorter::new(&budget.share(2));
            for (number, page) in (0u64..).zip(self.pages.iter()) {
                let digest = if digest == 0 { page.body } else { page.text };
                if digest != 0 {
                    order.push(keyed(digest, number))?;
                }
            }
            group(
                order.finish()?,
                |a, b| a[..2] == b[..2],
                |centre, others| {
                    for entry in others {
                        let (a, b) = (centre[2] as u32, entry?[2] as u32);
                        if same == Same::Body
                            || self.page(a).body != self.page(b).body
                            || self.page(a).body == 0
                        {
                            sorter.push([a, b, u32::from(same == Same::Text)])?;
                        }
                    }
                    Ok(())
                },
            )?;
        }
        Ok(Copies(sorter.mapped()?))
    }
}

/// Whether two entries have the same digest.
fn one_digest(a: &mut [u64; 3], b: &[u64; 3]) -> bool {
    a[..2] == b[..2]
}

/// Exact copies, by first page, then second.
pub struct Copies(Mapped<[u32; 3]>);

impl Copies {
    /// The pairs.
    pub fn iter(&self) -> impl Iterator<Item = ExactPair> {
        self.0.iter().map(|&[a, b, text]| ExactPair {
            a,
            b,
            same: if text == 1 { Same::Text } else { Same::Body },
        })
    }
}

/// Names of shards by number.
#[derive(Default)]
struct Shards {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Shards {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}
