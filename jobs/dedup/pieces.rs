//! `dedup` in pieces, for an engine that spreads them over machines.
//!
//! **What.** The engine numbers pages in the order of what to keep (`Order`); any whole numbers that ascend with it will do. It
//! brings together the pages that share buckets or are copies, directly or by way of others, with the texts that may be
//! near-duplicates ([`Connected`]): their duplicates are rows that the job writes on one machine, whatever other pages
//! there are. Only SimHashes that are close connect further pages ([`close_buckets`]); which take part, the pairs by bands
//! tell. Where too many pages are connected, the pages of each bucket are brought together first ([`BucketJoin`]), since buckets
//! do not know of each other, and the pages that near pairs connect afterwards.

use std::path::Path;

use webmill_capture::{CanonicalUrl, Error, Result};
use webmill_dedup::{
    BandJoin, BandJoinOptions, BandJoinTotals, BandMatch, Fingerprint, near_buckets, text_bands,
};
use webmill_run::{Cancel, Inputs, Silent, Stage, job_key};
use webmill_sort::{Budget, Mapped};

use super::by::By;
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
}

impl BucketJoin {
    /// An empty one, whose temporary files go into a folder of `temp`.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn new(settings: &Dedup, temp: &Path) -> Result<Self> {
        let folder = tempfile::tempdir_in(temp).map_err(|e| Error::io(temp, e))?;
        let join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(MEMORY).in_dir(folder.path()));
        let texts = TextsWriter::create(folder.path(), 0)?;
        Ok(BucketJoin { settings: settings.clone(), folder, join, texts, ids: Vec::new() })
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

    /// The near pairs, and the pages of which it may have missed pairs.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self) -> Result<(Vec<Pair>, Vec<i64>)> {
        let BucketJoin { settings, folder, join, texts, ids } = self;
        let mut texts = texts.finish(folder.path(), settings.shape().words as usize)?;
        let mut matches =
            join.run(|meetings, verdicts| texts.verify(meetings, verdicts, settings.min_resemblance))?;
        let mut pairs = Vec::new();
        for found in matches.by_ref() {
            let found = found?;
            pairs.push(Pair {
                first: ids[found.representative as usize],
                later: ids[found.page as usize],
                common: found.similarity as u32,
                of_first: texts.num_shingles(found.representative),
                of_later: texts.num_shingles(found.page),
            });
        }
        let cut = (0u32..).zip(&ids).filter(|(page, _)| matches.was_cut(*page)).map(|(_, id)| *id).collect();
        Ok((pairs, cut))
    }
}

/// Pages that share buckets or are copies, directly or by way of others, and their texts.
pub struct Connected {
    settings: Dedup,
    folder: tempfile::TempDir,
    captures: Vec<CurrentCapture>,
    texts: TextsWriter,
    /// Numbers of pages, ascending: a page's place among them is what it is called here.
    ids: Vec<i64>,
    bands: BandJoin,
    close: BandJoin,
    pairs: Vec<Pair>,
}

/// What an engine has to know of the tables that were written.
#[derive(Debug, Default)]
pub struct Found {
    /// The page that represents each cluster, by the cluster's number.
    pub representatives: Vec<i64>,
    /// The later page of each pair that bands brought together here.
    pub later: Vec<i64>,
    /// Pages of which pairs may be missing, once for each kind of bucket.
    pub cut: Vec<i64>,
}

impl Connected {
    /// None yet; temporary files go into a folder of `temp`.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn new(settings: &Dedup, temp: &Path) -> Result<Self> {
        let folder = tempfile::tempdir_in(temp).map_err(|e| Error::io(temp, e))?;
        let texts = TextsWriter::create(folder.path(), 0)?;
        let budget = Budget::new(MEMORY / 2).in_dir(folder.path());
        let join = || BandJoin::new(&BandJoinOptions::default(), &budget);
        let (bands, close) = (join(), join());
        let (captures, ids, pairs) = Default::default();
        Ok(Connected { settings: settings.clone(), folder, captures, texts, ids, bands, close, pairs })
    }

    /// Takes a page, in the order of numbers.
    ///
    /// # Errors
    /// [`Error::Internal`] for pages out of order.
    pub fn page(&mut self, id: i64, facts: &PageFacts<'_>) -> Result<()> {
        if self.ids.last().is_some_and(|last| *last >= id) {
            return Err(Error::Internal("connected pages are not in the order of their numbers".into()));
        }
        if self.ids.len() > u32::MAX as usize {
            return Err(Error::Limit("more than 2^32 connected pages in a partition".into()));
        }
        self.ids.push(id);
        self.captures.push(facts.capture()?);
        Ok(())
    }

    /// Takes the text of a page that no page before has, and its bands, which are empty if its pairs are told. Without bands the text
    /// is signed here.
    ///
    /// # Errors
    /// Where the disk refuses; [`Error::Internal`] for a page that is not here.
    pub fn text(&mut self, id: i64, text: &str, bands: Option<&[u64]>) -> Result<()> {
        let page = place_of(&self.ids, id)?;
        self.texts.push(page, text)?;
        if !self.settings.by.contains(&By::Bands) {
            return Ok(());
        }
        match bands {
            Some(bands) => self.bands.push(page, bands),
            None => self.bands.push(page, &text_bands(text, &self.settings.shape()).unwrap_or_default()),
        }
    }

    /// Takes a page in a bucket of [`close_buckets`].
    ///
    /// # Errors
    /// As of [`Self::text`].
    pub fn close(&mut self, bucket: u64, id: i64) -> Result<()> {
        self.close.push(place_of(&self.ids, id)?, &[bucket])
    }

    /// Takes a near pair that is known.
    pub fn pair(&mut self, pair: Pair) {
        self.pairs.push(pair);
    }

    /// Joins the pages and writes tables `duplicates` and `clusters` into a folder; clusters are numbered from 0 in the order
    /// of their representatives.
    ///
    /// # Errors
    /// Where the disk refuses; [`Error::Internal`] for a pair of pages that are not here.
    pub fn write(self, out: &Path) -> Result<Found> {
        let Connected { settings, folder, captures, mut texts, ids, bands, close, pairs } = self;
        texts.grow(captures.len());
        let (temp, cancel) = (folder.path(), Cancel::default());
        let budget = Budget::new(MEMORY).in_dir(temp);
        let mut captures = captures.into_iter();
        let order = Order::of_rows(settings.keep)?;
        let pages = Pages::gather(|| Ok(captures.next()), |_| 0, &order, settings.min_words, &budget)?;
        let copies = pages.copies(&budget)?;
        let known = EarlierPairs::read(&[], &pages, &budget)?;
        let mut texts = texts.finish(temp, settings.shape().words as usize)?;
        let mut found = Found::default();
        let mut near: Vec<[u32; 3]> = Vec::new();
        let mut by_simhash: Vec<[u32; 2]> = Vec::new();
        for pair in pairs {
            let (first, later) = (place_of(&ids, pair.first)?, place_of(&ids, pair.later)?);
            texts.tell(first, pair.of_first);
            texts.tell(later, pair.of_later);
            near.push([first, later, pair.common]);
        }
        let bound = settings.min_resemblance;
        for (is_close, join) in [(false, bands), (true, close)] {
            near.sort_unstable();
            let before = near.len();
            let mut matches = join.run(|meetings, verdicts| match is_close {
                false => texts.verify(meetings, verdicts, bound),
                true => close::verify(&mut texts, meetings, verdicts, bound),
            })?;
            for pair in matches.by_ref() {
                let BandMatch { representative, page, similarity } = pair?;
                let ends = [representative, page];
                if near[..before].binary_search_by(|pair| pair[..2].cmp(&ends)).is_ok() {
                    continue;
                }
                near.push([representative, page, similarity as u32]);
                match is_close {
                    true => by_simhash.push(ends),
                    false => found.later.push(ids[page as usize]),
                }
            }
            let pages = (0u32..).zip(&ids);
            found.cut.extend(pages.filter(|(page, _)| matches.was_cut(*page)).map(|(_, id)| *id));
        }
        near.sort_unstable();
        by_simhash.sort_unstable();
        let near = Near {
            pairs: Mapped::of(temp, near.into_iter().map(Ok))?,
            close: Mapped::of(temp, by_simhash.into_iter().map(Ok))?,
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
            let mut sizes = vec![0u32; ids.len()];
            let members = &clusters.clusters.members;
            members.iter().for_each(|member| sizes[member.representative as usize] += 1);
            found.representatives =
                ids.iter().zip(&sizes).filter(|(_, size)| **size > 1).map(|(id, _)| *id).collect();
            let (copies, near, clusters) = (&copies, &near, &clusters);
            Tables { settings: &settings, pages: &pages, copies, near, clusters, known: &[false] }
                .write(unit, &budget)
        })?;
        Ok(found)
    }
}

/// A page's place among numbers that ascend.
fn place_of(ids: &[i64], id: i64) -> Result<u32> {
    let missing = |_| Error::Internal(format!("page {id} is not among the connected pages"));
    ids.binary_search(&id).map(|place| place as u32).map_err(missing)
}
