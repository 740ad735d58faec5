//! Reads the file of facts: see [`super::build`] for its layout.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::mapreduce::postings::{Cursor, Index};
use flate2::read::ZlibDecoder;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_text::{bm25_idf, bm25_weight};

use super::StoredFacts;
use super::build::{MAGIC, index_of};

const FOOTER: usize = 2 * 8 + MAGIC.len();
const ROW: usize = 40;
/// Largest block that is unpacked: texts are cut far below.
const BLOCK: u64 = 64 << 20;

/// The file, open.
pub struct FactsFile {
    path: PathBuf,
    file: File,
    rows: Vec<Row>,
    /// Captures by key and time.
    by_key: Vec<(u128, u64, u32)>,
    blocks: Vec<u64>,
    index: Index,
    texts: u64,
    mean: f64,
}

struct Row {
    key: u128,
    length: u32,
    block: u32,
    start: u32,
    bytes: u32,
}

impl FactsFile {
    pub fn open(path: &Path) -> Result<FactsFile> {
        let file = File::open(path).at(path)?;
        let size = file.metadata().at(path)?.len();
        let corrupt = |why: &str| Error::corrupt(path, 0, format!("{why}; delete it and it is made again"));
        let mut footer = [0; FOOTER];
        let end = size.checked_sub(FOOTER as u64).ok_or_else(|| corrupt("not whole"))?;
        file.read_exact_at(&mut footer, end).at(path)?;
        let mut magic = *MAGIC;
        file.read_exact_at(&mut magic, 0).at(path)?;
        if footer[16..] != MAGIC[..] || magic != *MAGIC {
            return Err(corrupt("not a file of facts"));
        }
        let number = |at: usize| footer[at * 8..at * 8 + 8].try_into().map_or(0, u64::from_le_bytes);
        let places = [number(0), number(1), end];
        if !places.is_sorted() {
            return Err(corrupt("its footer is wrong"));
        }
        let read = |from: u64, to: u64| -> Result<Vec<u8>> {
            let mut bytes = vec![0; (to - from) as usize];
            file.read_exact_at(&mut bytes, from).at(path)?;
            Ok(bytes)
        };
        let long = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        let short = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
        let (mut rows, mut by_key) = (Vec::new(), Vec::new());
        for (bytes, at) in read(places[0], places[1])?.chunks_exact(ROW).zip(0u32..) {
            let key = bytes[..16].try_into().map_or(0, u128::from_le_bytes);
            by_key.push((key, long(&bytes[16..24]), at));
            let [length, block, start, bytes] = [24, 28, 32, 36].map(|at| short(&bytes[at..at + 4]));
            rows.push(Row { key, length, block, start, bytes });
        }
        by_key.sort_unstable();
        let blocks = read(places[1], places[2])?.chunks_exact(8).map(long).collect();
        let index = Index::open(&index_of(path))?;
        if index.texts() != rows.len() as u64 {
            return Err(corrupt("its index is of other texts"));
        }
        let texts = rows.iter().filter(|row| row.length > 0).count() as u64;
        let words: u64 = rows.iter().map(|row| u64::from(row.length)).sum();
        let mean = (words as f64 / texts.max(1) as f64).max(1.0);
        let path = path.to_path_buf();
        Ok(FactsFile { path, file, rows, by_key, blocks, index, texts, mean })
    }

    /// Captures.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Captures with a text.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// The number of the capture of a URL at a time; of its latest where that time is not known to the file.
    pub fn find(&self, key: u128, timestamp: u64) -> Option<u32> {
        let at = self.by_key.partition_point(|row| (row.0, row.1) < (key, timestamp));
        self.by_key.get(at).filter(|row| (row.0, row.1) == (key, timestamp)).map(|row| row.2)
    }

    /// The stored facts about a capture.
    pub fn known(&self, number: u32) -> Result<StoredFacts> {
        let corrupt =
            || Error::corrupt(&self.path, 0, "a capture that is not there; delete it and it is made again");
        let row = self.rows.get(number as usize).ok_or_else(corrupt)?;
        let block = row.block as usize;
        let (Some(from), Some(to)) = (self.blocks.get(block), self.blocks.get(block + 1)) else {
            return Err(corrupt());
        };
        let packed = self.read(*from, to.saturating_sub(*from))?;
        let mut bytes = Vec::new();
        // What stands before the capture in its block, and no more than it.
        let wanted = u64::from(row.start) + u64::from(row.bytes);
        ZlibDecoder::new(&packed[..]).take(wanted.min(BLOCK)).read_to_end(&mut bytes).at(&self.path)?;
        let json = bytes.get(row.start as usize..).ok_or_else(corrupt)?;
        serde_json::from_slice(json).map_err(|_| corrupt())
    }

    /// Captures with a term, one of each URL, by score, ties by number.
    pub fn scores(&self, terms: &[String]) -> Result<Vec<(u32, f64)>> {
        let mut scores: Vec<f32> = Vec::new();
        let mut found = Vec::new();
        for wanted in terms {
            let Some(term) = self.index.find(wanted)? else { continue };
            if scores.is_empty() {
                scores.resize(self.rows.len(), 0.0);
            }
            let idf = bm25_idf(self.texts as f64, term.texts as f64);
            let mut cursor = self.index.cursor(&term)?;
            // A number that the index has is less than its texts, which are the rows.
            while let Some(row) = self.rows.get(cursor.number() as usize) {
                let capture = cursor.number();
                let weight = bm25_weight(cursor.count(), f64::from(row.length), self.mean);
                let score = &mut scores[capture as usize];
                if *score == 0.0 {
                    found.push(capture);
                }
                *score += (idf * weight) as f32;
                cursor.seek(capture + 1)?;
            }
        }
        found.sort_unstable_by(|a, b| scores[*b as usize].total_cmp(&scores[*a as usize]).then(a.cmp(b)));
        let mut urls = HashSet::with_capacity(found.len());
        found.retain(|capture| urls.insert(self.rows[*capture as usize].key));
        Ok(found.into_iter().map(|capture| (capture, f64::from(scores[capture as usize]))).collect())
    }

    fn read(&self, from: u64, length: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length as usize];
        self.file.read_exact_at(&mut bytes, from).at(&self.path)?;
        Ok(bytes)
    }
}
