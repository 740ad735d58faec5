//! `dedup` in pieces, for an engine that spreads them over machines.
//!
//! **What.** The engine numbers pages in the order of what to keep ([`order_key`]); any whole numbers that ascend with it will
//! do. It brings the pages of each bucket together ([`BucketJoin`]), which gives the near pairs. Then it brings together the pages that are connected
//! by pairs and copies ([`Connected::write`]), which gives the tables. Buckets do not know of each other, nor do connected pages of
//! others, so that any division gives the rows that the job writes on one machine.

use std::collections::HashMap;
use std::path::Path;

use webmill_capture::{CanonicalUrl, Error, Result};
use webmill_dedup::{BandJoin, BandJoinOptions, BandJoinTotals, Fingerprint, KeepPolicy, near_buckets};
use webmill_run::{Cancel, Inputs, Silent, Stage, job_key};
use webmill_sort::{Budget, Mapped, MappedWriter, PutKey};

use super::candidates::Near;
use super::earlier::EarlierPairs;
use super::order::Order;
use super::output::Tables;
use super::pages::Pages;
use super::texts::TextsWriter;
use super::{Dedup, close};
use crate::current_captures::{CurrentCapture, body_of, place};

/// Bytes that are gathered in memory before the disk helps.
const MEMORY: usize = 256 << 20;

/// A page as an engine knows it: columns of table `pages`.
pub struct PageFacts<'a> {
    /// Canonical URL.
    pub url: &'a str,
    /// When it was fetched.
    pub time_ms: Option<i64>,
    /// Digest of its body.
    pub digest: Option<&'a str>,
    /// Bytes of its body.
    pub length: u64,
    /// Digest of its normalised text; 0 without one.
    pub text: u128,
    /// SimHash of its text.
    pub simhash: Option<u64>,
    /// Words of its text.
    pub words: u32,
    /// Shard and offset of its record.
    pub place: (&'a str, i64),
}

impl PageFacts<'_> {
    fn capture(&self) -> Result<CurrentCapture> {
        let strange = || Error::Config(format!("{:?} is not a canonical URL", self.url));
        let url = CanonicalUrl::parse_stored(self.url).ok_or_else(strange)?;
        Ok(CurrentCapture {
            url: self.url.to_owned(),
            key: url.key().0,
            time_ms: self.time_ms,
            body: body_of(self.digest, self.length),
            text: self.text,
            simhash: self.simhash,
            words: self.words,
            place: place(self.place.0, self.place.1),
            shard: self.place.0.to_owned(),
            offset: self.place.1,
            ..CurrentCapture::default()
        })
    }
}

/// Bytes that sort as pages do in the order of what to keep.
///
/// # Errors
/// [`Error::Config`] for a policy that needs other tables.
pub fn order_key(policy: KeepPolicy, url: &str, time_ms: Option<i64>, words: u32) -> Result<Vec<u8>> {
    let capture = CurrentCapture { url: url.to_owned(), time_ms, words, ..CurrentCapture::default() };
    let mut key = Vec::new();
    Order::of_rows(policy)?.key(&capture).put(&mut key);
    Ok(key)
}

/// A near pair: numbers of the first and the later page, shingles that both have, shingles of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The page that comes first.
    pub first: i64,
    /// The other.
    pub later: i64,
    /// Shingles in common.
    pub common: u32,
    /// Shingles of the first.
    pub of_first: u32,
    /// Shingles of the other.
    pub of_later: u32,
    /// Whether only their SimHashes brought them together.
    pub is_close: bool,
}

/// Buckets of the pages whose SimHashes are within the bits of the settings, as (bucket, place in `simhashes`), and whether
/// there were more than are looked at. Pages come in the order of their numbers.
///
/// # Errors
/// Where the disk refuses.
pub fn close_buckets(settings: &Dedup, simhashes: &[u64]) -> Result<(Vec<(u64, u32)>, bool)> {
    let mut buckets = Vec::new();
    let push = |bucket, place| {
        buckets.push((bucket, place));
        Ok(())
    };
    let simhashes: &[Fingerprint] = bytemuck::cast_slice(simhashes);
    let found = near_buckets(simhashes, settings.simhash_bits, &Budget::new(MEMORY), push)?;
    Ok((buckets, found.cut))
}

/// Joins the pages of buckets.
pub struct BucketJoin {
    settings: Dedup,
    folder: tempfile::TempDir,
    join: BandJoin,
    texts: TextsWriter,
    /// Numbers of pages, ascending: a page's place among them is what it is called here.
    ids: Vec<i64>,
    is_close: bool,
}

impl BucketJoin {
    /// An empty one, whose temporary files go into a folder of `temp`; `is_close` says that its buckets are those of
    /// [`close_buckets`], not bands.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn new(settings: &Dedup, is_close: bool, temp: &Path) -> Result<Self> {
        let folder = tempfile::tempdir_in(temp).map_err(|e| Error::io(temp, e))?;
        let join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(MEMORY).in_dir(folder.path()));
        let texts = TextsWriter::create(folder.path(), 0)?;
        Ok(BucketJoin { settings: settings.clone(), folder, join, texts, ids: Vec::new(), is_close })
    }

    /// Takes a page with its text in one of its buckets. Pages come in the order of their numbers.
    ///
    /// # Errors
    /// Where the disk refuses; [`Error::Internal`] for pages out of order.
    pub fn push(&mut self, bucket: u64, id: i64, text: &str) -> Result<()> {
        if self.ids.last().is_none_or(|last| *last < id) {
            let page = u32::try_from(self.ids.len())
                .map_err(|_| Error::Limit("more than 2^32 pages of buckets in a partition".into()))?;
            self.ids.push(id);
            self.texts.push(page, text)?;
        } else if self.ids.last() != Some(&id) {
            return Err(Error::Internal("pages of buckets are not in the order of their numbers".into()));
        }
        self.join.push((self.ids.len() - 1) as u32, &[bucket])
    }

    /// The near pairs, what the join did, and the pages of which it may have missed pairs.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self) -> Result<(Vec<Pair>, BandJoinTotals, Vec<i64>)> {
        let BucketJoin { settings, folder, join, texts, ids, is_close } = self;
        let mut texts = texts.finish(folder.path(), settings.shape().words as usize)?;
        let mut matches = join.run(|meetings, verdicts| match is_close {
            true => close::verify(&mut texts, meetings, verdicts, settings.min_resemblance),
            false => texts.verify(meetings, verdicts, settings.min_resemblance),
        })?;
        let mut pairs = Vec::new();
        for found in matches.by_ref() {
            let found = found?;
            pairs.push(Pair {
                first: ids[found.representative as usize],
                later: ids[found.page as usize],
                common: found.similarity as u32,
                of_first: texts.num_shingles(found.representative),
                of_later: texts.num_shingles(found.page),
                is_close,
            });
        }
        let cut = (0u32..).zip(&ids).filter(|(page, _)| matches.was_cut(*page)).map(|(_, id)| *id).collect();
        Ok((pairs, *matches.totals(), cut))
    }
}

/// Pages that are connected by pairs and copies, and their texts.
pub struct Connected {
    settings: Dedup,
    folder: tempfile::TempDir,
    captures: Vec<CurrentCapture>,
    texts: TextsWriter,
    numbers: HashMap<i64, u32>,
    last: Option<i64>,
    pairs: Vec<Pair>,
}

impl Connected {
    /// None yet; temporary files go into a folder of `temp`.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn new(settings: &Dedup, temp: &Path) -> Result<Self> {
        let folder = tempfile::tempdir_in(temp).map_err(|e| Error::io(temp, e))?;
        let texts = TextsWriter::create(folder.path(), 0)?;
        let (captures, numbers, pairs) = Default::default();
        Ok(Connected { settings: settings.clone(), folder, captures, texts, numbers, last: None, pairs })
    }

    /// Takes a page, in the order of numbers; with its text where no page before has the same.
    ///
    /// # Errors
    /// Where the disk refuses; [`Error::Internal`] for pages out of order.
    pub fn page(&mut self, id: i64, facts: &PageFacts<'_>, text: Option<&str>) -> Result<()> {
        if self.last.is_some_and(|last| last >= id) {
            return Err(Error::Internal("connected pages are not in the order of their numbers".into()));
        }
        self.last = Some(id);
        let number = u32::try_from(self.captures.len())
            .map_err(|_| Error::Limit("more than 2^32 connected pages in a partition".into()))?;
        self.numbers.insert(id, number);
        self.captures.push(facts.capture()?);
        text.map_or(Ok(()), |text| self.texts.push(number, text))
    }

    /// Takes a near pair.
    pub fn pair(&mut self, pair: Pair) {
        self.pairs.push(pair);
    }

    /// Writes tables `duplicates` and `clusters` into a folder; clusters are numbered from 0 in the order of their
    /// representatives.
    ///
    /// # Errors
    /// Where the disk refuses; [`Error::Internal`] for a pair of pages that are not here.
    pub fn write(self, out: &Path) -> Result<()> {
        let Connected { settings, folder, captures, mut texts, numbers, pairs, .. } = self;
        texts.grow(captures.len());
        let (temp, cancel) = (folder.path(), Cancel::default());
        let budget = Budget::new(MEMORY).in_dir(temp);
        let mut captures = captures.into_iter();
        let order = Order::of_rows(settings.keep)?;
        let pages = Pages::gather(|| Ok(captures.next()), |_| 0, &order, settings.min_words, &budget)?;
        let copies = pages.copies(&budget)?;
        let known = EarlierPairs::read(&[], &pages, &budget)?;
        let mut texts = texts.finish(temp, settings.shape().words as usize)?;
        let number = |id| {
            let missing = || Error::Internal(format!("page {id} of a pair is not among the connected pages"));
            numbers.get(&id).copied().ok_or_else(missing)
        };
        let mut close: Vec<[u32; 2]> = Vec::new();
        let mut found = pairs
            .iter()
            .map(|pair| {
                let (first, later) = (number(pair.first)?, number(pair.later)?);
                texts.tell(first, pair.of_first);
                texts.tell(later, pair.of_later);
                close.extend(pair.is_close.then_some([first, later]));
                Ok([first, later, pair.common])
            })
            .collect::<Result<Vec<_>>>()?;
        found.sort_unstable();
        found.dedup();
        close.sort_unstable();
        let mut near = MappedWriter::create(temp)?;
        found.into_iter().try_for_each(|pair| near.push(pair))?;
        let near = Near {
            pairs: near.finish()?,
            close: Mapped::of(temp, close.into_iter().map(Ok))?,
            further: Vec::new(),
            close_cut: false,
            texts,
            known,
            totals: BandJoinTotals::default(),
            compared: 0,
            without_bands: 0,
            text_missing: 0,
        };
        let key = job_key(&settings, &Inputs::default())?;
        let stage = Stage::apart(out, key, MEMORY as u64, &Silent, &cancel)?;
        stage.unit("duplicates", |unit| {
            let clusters = settings.cluster(&pages, &copies, &near, &budget, unit)?;
            let (copies, near, clusters) = (&copies, &near, &clusters);
            Tables { settings: &settings, pages: &pages, copies, near, clusters, known: &[false] }
                .write(unit, &budget)
        })
    }
}
