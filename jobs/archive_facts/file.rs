//! Reading the file of what is known: see [`super::build`] for its layout.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_text::{bm25_idf, bm25_weight};

use super::Known;
use super::build::MAGIC;

const FOOTER: usize = 6 * 8 + MAGIC.len();
const ROW: usize = 40;
/// Largest block that is unpacked: texts are cut far below.
const BLOCK: u64 = 64 << 20;

/// The file, open.
pub struct FactsFile {
    path: PathBuf,
    file: File,
    postings_at: u64,
    dictionary: (u64, u64),
    ranked: u64,
    rows: Vec<Row>,
    /// Captures by key and time.
    by_key: Vec<(u128, u64, u32)>,
    blocks: Vec<u64>,
    starts: Vec<Start>,
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

/// A block of the dictionary: its first term, where it is, where the postings of that term are.
struct Start {
    first: Vec<u8>,
    at: u64,
    postings: u64,
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
        if footer[48..] != MAGIC[..] || magic != *MAGIC {
            return Err(corrupt("not a file of facts"));
        }
        let number = |at: usize| footer[at * 8..at * 8 + 8].try_into().map_or(0, u64::from_le_bytes);
        let places = [number(0), number(1), number(2), number(3), number(4), end];
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
        for (bytes, at) in read(places[2], places[3])?.chunks_exact(ROW).zip(0u32..) {
            let key = bytes[..16].try_into().map_or(0, u128::from_le_bytes);
            by_key.push((key, long(&bytes[16..24]), at));
            let [length, block, start, bytes] = [24, 28, 32, 36].map(|at| short(&bytes[at..at + 4]));
            rows.push(Row { key, length, block, start, bytes });
        }
        by_key.sort_unstable();
        let blocks = read(places[3], places[4])?.chunks_exact(8).map(long).collect();
        let dictionary = (places[1], places[2]);
        let mut starts = Vec::new();
        let terms = read(places[1], places[2])?;
        for pair in read(places[4], places[5])?.chunks_exact(16) {
            let (at, postings) = (long(&pair[..8]), long(&pair[8..]));
            let mut block = terms.get(at as usize..).ok_or_else(|| corrupt("its dictionary is wrong"))?;
            let first = term(&mut block).ok_or_else(|| corrupt("its dictionary is wrong"))?.to_vec();
            starts.push(Start { first, at, postings });
        }
        let texts = rows.iter().filter(|row| row.length > 0).count() as u64;
        let words: u64 = rows.iter().map(|row| u64::from(row.length)).sum();
        let mean = (words as f64 / texts.max(1) as f64).max(1.0);
        let path = path.to_path_buf();
        let (postings_at, ranked) = (places[0], number(5));
        Ok(FactsFile {
            path,
            file,
            postings_at,
            dictionary,
            ranked,
            rows,
            by_key,
            blocks,
            starts,
            texts,
            mean,
        })
    }

    /// Captures.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Captures with a text.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// Pages that were ranked.
    pub fn ranked(&self) -> u64 {
        self.ranked
    }

    /// The number of the capture of a URL at a time; of its latest where that time is not known to the file.
    pub fn find(&self, key: u128, timestamp: u64) -> Option<u32> {
        let at = self.by_key.partition_point(|row| (row.0, row.1) < (key, timestamp));
        self.by_key.get(at).filter(|row| (row.0, row.1) == (key, timestamp)).map(|row| row.2)
    }

    /// What is known of a capture.
    pub fn known(&self, number: u32) -> Result<Known> {
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
            let Some((holding, from, length)) = self.term(wanted)? else { continue };
            if scores.is_empty() {
                scores.resize(self.rows.len(), 0.0);
            }
            let idf = bm25_idf(self.texts as f64, f64::from(holding));
            let bytes = self.read(self.postings_at + from, length)?;
            let (mut rest, mut capture) = (&bytes[..], 0u64);
            while let (Some(step), Some(count)) = (number(&mut rest), number(&mut rest)) {
                capture += step;
                let Some(row) = self.rows.get(capture as usize) else { break };
                let weight = bm25_weight(count as u32, f64::from(row.length), self.mean);
                let score = &mut scores[capture as usize];
                if *score == 0.0 {
                    found.push(capture as u32);
                }
                *score += (idf * weight) as f32;
            }
        }
        found.sort_unstable_by(|a, b| scores[*b as usize].total_cmp(&scores[*a as usize]).then(a.cmp(b)));
        let mut urls = HashSet::with_capacity(found.len());
        found.retain(|capture| urls.insert(self.rows[*capture as usize].key));
        Ok(found.into_iter().map(|capture| (capture, f64::from(scores[capture as usize]))).collect())
    }

    /// How many captures hold a term, where its postings are and how long they are.
    fn term(&self, wanted: &str) -> Result<Option<(u32, u64, u64)>> {
        let after = self.starts.partition_point(|start| start.first.as_slice() <= wanted.as_bytes());
        let Some(start) = after.checked_sub(1).map(|at| &self.starts[at]) else { return Ok(None) };
        let end = self.starts.get(after).map_or(self.dictionary.1 - self.dictionary.0, |next| next.at);
        let block = self.read(self.dictionary.0 + start.at, end.saturating_sub(start.at))?;
        let (mut rest, mut postings) = (&block[..], start.postings);
        while let Some(name) = term(&mut rest) {
            let (Some(holding), Some(length)) = (number(&mut rest), number(&mut rest)) else { break };
            if name == wanted.as_bytes() {
                return Ok(Some((holding as u32, postings, length)));
            }
            postings += length;
        }
        Ok(None)
    }

    fn read(&self, from: u64, length: u64) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length as usize];
        self.file.read_exact_at(&mut bytes, from).at(&self.path)?;
        Ok(bytes)
    }
}

/// The next term of a block of the dictionary.
fn term<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = number(rest)? as usize;
    let (term, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(term)
}

/// The next number, LEB128.
fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
