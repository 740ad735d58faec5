//! What the blocks of a segment have in common: how frequent what is, learned from a sample of it.
//!
//! Frequencies of numbers ([`super::rans`]), a dictionary for the text of keys (zstd's), pairs of media type and status,
//! digests that many pages share (that of nothing, of an error page), anchors. A model is learned from equal rows
//! equally; a segment that it does not fit is larger, never wrong.

use std::collections::HashMap;

use data_encoding::BASE32;
use zstd::zstd_safe::DDict;

use super::anchors::Anchors;
use super::block::{BLOCK_ROWS, Gatherer};
use super::columns::TABLES;
use super::names::Names;
use super::rans::Table;
use super::run::Run;
use super::wire::{Fault, Wire, put_bytes, put_number};
use crate::Entry;

/// Bytes of the largest dictionary.
const MAX_DICTIONARY: usize = 96 << 10;
/// Pairs, and frequent digests, are named by a byte.
const MAX_NAMED: usize = 255;
/// A digest seen this often in a sample is frequent.
const FREQUENT: usize = 6;

/// A digest as its bytes.
pub(super) type Sha1 = [u8; 20];

/// The digest's twenty bytes, where it is the base32 of such.
pub(super) fn sha1_of(digest: &str) -> Option<Sha1> {
    let mut bytes = [0; 20];
    if digest.len() != 32 {
        return None;
    }
    BASE32.decode_mut(digest.as_bytes(), &mut bytes).ok()?;
    Some(bytes)
}

/// What is learned; see the head of the file.
pub(super) struct Model {
    pub(super) tables: Vec<Table>,
    pub(super) anchors: Anchors,
    pub(super) pairs: Vec<(String, Option<u16>)>,
    pub(super) pair_ids: HashMap<(String, Option<u16>), u8>,
    pub(super) frequent: Vec<Sha1>,
    pub(super) frequent_ids: HashMap<Sha1, u8>,
    pub(super) dictionary: Vec<u8>,
    pub(super) decoder: Option<DDict<'static>>,
}

impl Model {
    /// Learns from stretches of neighbours. Names get their numbers.
    pub(super) fn learn(sample: &[Run], anchors: Anchors, names: &mut Names) -> Self {
        let rows = || sample.iter().flat_map(|run| (0..run.len()).map(|at| run.row(at)));
        let mut pairs: HashMap<(String, Option<u16>), usize> = HashMap::new();
        let mut digests: HashMap<Sha1, usize> = HashMap::new();
        for row in rows().filter(|row| !row.deleted) {
            *pairs.entry(pair_of(&row.entry)).or_default() += 1;
            if let Some(digest) = sha1_of(&row.entry.digest) {
                *digests.entry(digest).or_default() += 1;
            }
        }
        digests.retain(|_, count| *count >= FREQUENT);
        let mut model = Self::of_parts(Vec::new(), anchors, most(pairs), most(digests), Vec::new());
        let mut gatherer = Gatherer::default();
        let mut counts = vec![[0; 256]; TABLES];
        let (mut text, mut sizes) = (Vec::new(), Vec::new());
        for run in sample {
            for from in (0..run.len()).step_by(BLOCK_ROWS) {
                let to = (from + BLOCK_ROWS).min(run.len());
                // A name past all bounds is reported when the segment is written.
                if gatherer.gather(run, from..to, &model, names).is_ok() {
                    gatherer.count(&mut counts);
                    text.extend_from_slice(gatherer.text());
                    sizes.push(gatherer.text().len());
                }
            }
        }
        model.tables = counts.iter().map(Table::of_counts).collect();
        let room = (text.len() / 32).min(MAX_DICTIONARY);
        // Too little text for a dictionary is text without one.
        let dictionary = match sizes.len() >= 16 && room >= 1024 {
            true => zstd::dict::from_continuous(&text, &sizes, room).unwrap_or_default(),
            false => Vec::new(),
        };
        model.set_dictionary(dictionary);
        model
    }

    fn of_parts(
        tables: Vec<Table>,
        anchors: Anchors,
        pairs: Vec<(String, Option<u16>)>,
        frequent: Vec<Sha1>,
        dictionary: Vec<u8>,
    ) -> Self {
        let mut model = Model {
            tables,
            anchors,
            pair_ids: pairs.iter().cloned().zip(0..).collect(),
            pairs,
            frequent_ids: frequent.iter().copied().zip(0..).collect(),
            frequent,
            dictionary: Vec::new(),
            decoder: None,
        };
        model.set_dictionary(dictionary);
        model
    }

    fn set_dictionary(&mut self, dictionary: Vec<u8>) {
        self.decoder = match dictionary.is_empty() {
            true => None,
            false => DDict::try_create(&dictionary),
        };
        self.dictionary = dictionary;
    }

    /// Bytes of memory, about.
    pub(super) fn memory(&self) -> usize {
        self.tables.len() * 3100 + self.anchors.memory() + self.dictionary.len() * 3
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_number(out, self.tables.len() as u64);
        self.tables.iter().for_each(|table| table.put(out));
        put_number(out, self.pairs.len() as u64);
        for (mime, status) in &self.pairs {
            put_bytes(out, mime.as_bytes());
            put_number(out, status.map_or(0, |status| u64::from(status) + 1));
        }
        put_number(out, self.frequent.len() as u64);
        self.frequent.iter().for_each(|digest| out.extend_from_slice(digest));
        put_bytes(out, &self.dictionary);
        self.anchors.put(out);
    }

    pub(super) fn get(wire: &mut Wire<'_>, files: usize) -> Result<Self, Fault> {
        if wire.count(TABLES)? != TABLES {
            return Err("another number of tables");
        }
        let tables = (0..TABLES).map(|_| Table::get(wire)).collect::<Result<_, Fault>>()?;
        let mut pairs = Vec::new();
        for _ in 0..wire.count(MAX_NAMED)? {
            let mime = wire.text()?.to_owned();
            let status = wire.count(1 << 16)?;
            pairs.push((mime, status.checked_sub(1).map(|status| status as u16)));
        }
        let mut frequent = Vec::new();
        for _ in 0..wire.count(MAX_NAMED)? {
            frequent.push(wire.take(20)?.try_into().expect("twenty bytes"));
        }
        let dictionary = wire.sized()?.to_vec();
        let anchors = Anchors::get(wire, files)?;
        let model = Self::of_parts(tables, anchors, pairs, frequent, dictionary);
        match model.decoder.is_none() && !model.dictionary.is_empty() {
            true => Err("a dictionary that is none"),
            false => Ok(model),
        }
    }
}

/// Media type and status.
pub(super) fn pair_of(entry: &Entry<'_>) -> (String, Option<u16>) {
    (entry.mime.as_ref().to_owned(), entry.status)
}

/// The most frequent, most frequent first; of equals the least.
fn most<T: Ord>(counts: HashMap<T, usize>) -> Vec<T> {
    let mut all: Vec<(usize, T)> = counts.into_iter().map(|(value, count)| (count, value)).collect();
    all.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    all.truncate(MAX_NAMED);
    all.into_iter().map(|(_, value)| value).collect()
}
