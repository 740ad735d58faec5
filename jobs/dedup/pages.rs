//! The current captures of all results, in the order of what to keep.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Error};
use webmill_dedup::{ExactPair, Fingerprint, Same};
use webmill_sort::{Budget, BytesSorter, Sorter};

use super::order::Order;
use crate::current_captures::{self, CurrentCapture};
use crate::mapped::{Mapped, MappedWriter, Strings, StringsWriter};

/// Known facts about a page but for its URL.
#[derive(Copy, Clone, Debug)]
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

/// Where the pages are read from, and what of them is compared.
pub struct Sources<'a> {
    /// Parts of table `pages`, by results.
    pub parts: Vec<Vec<PathBuf>>,
    /// Texts of fewer words are not compared.
    pub min_words: u32,
    /// By what pages are ordered.
    pub order: &'a Order,
}

/// Pages by number: the place in the order of what to keep.
pub struct Pages {
    urls: Strings,
    pages: Mapped<Page>,
    shards: Vec<String>,
    /// (place, number), ascending.
    by_place: Mapped<[u64; 2]>,
    /// (upper and lower half of the key, number), ascending.
    by_key: Mapped<[u64; 3]>,
    /// (upper and lower half of the text's digest, first page that has it), ascending.
    by_text: Mapped<[u64; 3]>,
    /// Pages whose text no page before has.
    speaks: Vec<u64>,
    /// Captures that are not compared, and pages of which only the bodies are compared, by reason.
    pub left_out: [(&'static str, u64); 3],
}

impl Pages {
    /// Reads and orders the current captures.
    ///
    /// # Errors
    /// Where a table cannot be read or the disk refuses; [`Error::Limit`] for 2³² pages.
    pub fn read(sources: &Sources<'_>, budget: &Budget, temp: &Path) -> Result<Self> {
        let ends: Vec<usize> = sources
            .parts
            .iter()
            .scan(0, |end, parts| {
                *end += parts.len();
                Some(*end)
            })
            .collect();
        let mut captures = current_captures::read(&sources.parts.concat(), &budget.share(2))?;
        let mut superseded = 0;
        let next = || captures.next_current(|_| superseded += 1);
        let of_part = |part: u32| ends.partition_point(|&end| end <= part as usize) as u32;
        let mut pages = Self::gather(next, of_part, sources.order, sources.min_words, (budget, temp))?;
        pages.left_out[0].1 = superseded;
        Ok(pages)
    }

    /// Orders the captures that `next` gives, of whose parts `of_part` tells the results.
    ///
    /// # Errors
    /// As of [`Pages::read`].
    pub fn gather(
        mut next: impl FnMut() -> Result<Option<CurrentCapture>>,
        of_part: impl Fn(u32) -> u32,
        order: &Order,
        min_words: u32,
        (budget, temp): (&Budget, &Path),
    ) -> Result<Self> {
        let mut sorter = BytesSorter::new(&budget.share(2));
        let (mut key, mut shards, mut count) = (Vec::new(), Shards::default(), 0u64);
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
            key.clear();
            order.key(&capture, &mut key);
            sorter.push(&key, bytemuck::bytes_of(&page))?;
        }
        if count > u64::from(u32::MAX) {
            return Err(Error::Limit(format!("{count} pages: duplicates are numbered by 32 bits")));
        }
        let mut pages = Self::store(sorter, shards.names, budget, temp)?;
        pages.left_out = [
            ("superseded-capture", 0),
            ("page-without-text", without_text),
            ("text-of-few-words", few_words),
        ];
        Ok(pages)
    }

    fn store(sorter: BytesSorter, shards: Vec<String>, budget: &Budget, temp: &Path) -> Result<Self> {
        let share = budget.share(4);
        let mut urls = StringsWriter::create(temp)?;
        let mut pages = MappedWriter::create(temp)?;
        let (mut places, mut texts, mut keys) =
            (Sorter::new(&share), Sorter::new(&share), Sorter::new(&share));
        let mut sorted = sorter.finish()?;
        while let Some((key, value)) = sorted.next().transpose()? {
            let number = pages.len();
            let page: Page = bytemuck::pod_read_unaligned(value);
            urls.push(Order::url(key))?;
            places.push([page.place, number])?;
            keys.push([(page.key >> 64) as u64, page.key as u64, number])?;
            if page.text != 0 {
                texts.push([(page.text >> 64) as u64, page.text as u64, number])?;
            }
            pages.push(page)?;
        }
        drop(sorted);
        let pages = pages.finish()?;
        let mut speaks = vec![0u64; pages.len().div_ceil(64)];
        let mut last = None;
        let mut by_text = MappedWriter::create(temp)?;
        for entry in texts.finish()? {
            let entry = entry?;
            if last.replace([entry[0], entry[1]]) != Some([entry[0], entry[1]]) {
                speaks[entry[2] as usize / 64] |= 1 << (entry[2] % 64);
                by_text.push(entry)?;
            }
        }
        Ok(Pages {
            urls: urls.finish()?,
            by_place: Mapped::of(temp, places.finish()?)?,
            by_key: Mapped::of(temp, keys.finish()?)?,
            by_text: by_text.finish()?,
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

    /// What tables may call the shard at `path`: its name, with folders in front or without.
    pub fn names_of(&self, path: &Path) -> Vec<&str> {
        self.shards.iter().map(String::as_str).filter(|name| path.ends_with(name)).collect()
    }

    /// Whether the page is the first with its text, which is long enough to be compared: it speaks for all that have it.
    pub fn speaks(&self, page: u32) -> bool {
        self.speaks[page as usize / 64] >> (page % 64) & 1 == 1
    }

    /// Number of texts that are compared.
    pub fn texts(&self) -> usize {
        self.by_text.len()
    }

    /// The page of a capture, by the number of its results, [`current_captures::place`] and key; `None` where another
    /// capture is current. Crawls give their shards the same names.
    pub fn at(&self, results: u32, place: u64, key: u128) -> Option<u32> {
        let from = self.by_place.partition_point(|entry| entry[0] < place);
        let same = self.by_place[from..].iter().take_while(|entry| entry[0] == place);
        let own = |page: &Page| page.key == key && page.results == results;
        same.map(|entry| entry[1] as u32).find(|&page| own(self.page(page)))
    }

    /// The page that speaks for the text of this digest.
    pub fn speaker(&self, digest: u128) -> Option<u32> {
        number(&self.by_text, digest)
    }

    /// The page of this key.
    pub fn of_key(&self, key: u128) -> Option<u32> {
        number(&self.by_key, key)
    }

    /// Stars of equal bodies, and of equal texts among pages whose bodies differ; centres are the first pages.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn copies(&self, budget: &Budget, temp: &Path) -> Result<Copies> {
        let mut sorter = Sorter::new(&budget.share(2));
        for (digest, same) in [(0, Same::Body), (1, Same::Text)] {
            let mut order = Sorter::new(&budget.share(2));
            for (number, page) in (0u64..).zip(self.pages.iter()) {
                let digest = if digest == 0 { page.body } else { page.text };
                if digest != 0 {
                    order.push([(digest >> 64) as u64, digest as u64, number])?;
                }
            }
            let mut centre = [0; 3];
            for entry in order.finish()? {
                let entry = entry?;
                if entry[..2] != centre[..2] {
                    centre = entry;
                    continue;
                }
                let (a, b) = (centre[2] as u32, entry[2] as u32);
                if same == Same::Body || self.page(a).body != self.page(b).body || self.page(a).body == 0 {
                    sorter.push([a, b, u32::from(same == Same::Text)])?;
                }
            }
        }
        Ok(Copies(Mapped::of(temp, sorter.finish()?)?))
    }
}

/// The number that stands behind the halves of `sought`.
fn number(entries: &[[u64; 3]], sought: u128) -> Option<u32> {
    let halves = [(sought >> 64) as u64, sought as u64];
    let at = entries.binary_search_by(|entry| [entry[0], entry[1]].cmp(&halves)).ok()?;
    Some(entries[at][2] as u32)
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
