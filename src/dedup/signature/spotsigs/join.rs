//! All pairs of pages whose multisets of signatures resemble each other, in bounded memory: the matching of SpotSigs.
//!
//! **Definition.** Given for each page a multiset of 64-bit signatures, every pair whose Jaccard resemblance Σ min / Σ max is
//! at least the threshold. Pages of equal multisets form a group; its representative is its lowest page, and the pairs of the
//! group are a star (representative and every other member, resemblance 1). Pages without signatures are in no pair.
//!
//! **Algorithm.** Repeated signatures are numbered, so that multisets become sets of the same resemblance. Sets are sorted by
//! their size on disk, equal ones fall together there. A pair within the threshold τ has sizes |x| ≥ τ·|y|, so the sorted
//! file is cut into blocks that fit memory, and a block meets itself and the sets behind it, up to the first one that is
//! too large for all of the block: these are the partitions by length of the paper, as fine as the sizes themselves. A
//! block is an inverted index, within which the lists of each signature are in the order of size and only the range that
//! size allows is read. Signatures are taken from the rarest to the commonest (by counts in 2²⁰ cells, which is one order
//! for all whatever it is): of x only the first |x| − ⌈2τ/(1+τ)·|x|⌉ + 1 are indexed, of y only the first |y| − ⌈τ|y|⌉ + 1 looked
//! up, since sets that share none of these cannot reach τ. What is found is compared whole, ending where it cannot reach τ
//! any more.
//!
//! **Cost.** [`ResemblanceOptions::memory_bytes`] and 4 MiB for the counts. The file is read once for each block and the
//! part behind it that sizes allow. A page is compared with at most [`most_candidates`](ResemblanceOptions::most_candidates)
//! others of a block, and gives at most [`most_pairs`](ResemblanceOptions::most_pairs) pairs there: heaps of pages of one
//! template cost their size times that, not their square. Pages for which that cut something are counted.
//!
//! **Determinism.** Where nothing was cut, the set of pairs is a function of the input; their order depends on the memory
//! given, never on threads. Where something was cut, which pairs are left depends on the memory too.
//!
//! **Reference.** Theobald, Siddharth, Paepcke, doi:10.1145/1390334.1390431, section 4; the prefixes: Xiao, Wang, Lin, Yu,
//! doi:10.1145/1367497.1367516.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use webmill_capture::error::{AtPath, Error, Result};
use webmill_sort::{Budget, BytesSorter};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::signature::spotsigs::SPOTSIGS_THRESHOLD;
use crate::signature::spotsigs::index::{Block, Found, Rarity};

/// Signatures of a page that are compared.
pub const MAX_SIGNATURES: usize = 1 << 20;

/// Settings of a [`ResemblanceJoin`].
#[derive(Clone, Debug)]
pub struct ResemblanceOptions {
    /// Least resemblance of a pair, 0.05 to 1 (default 0.44, which is SpotSigs').
    pub threshold: f64,
    /// Memory in bytes, at least 1 MiB is taken (default 256 MiB).
    pub memory_bytes: usize,
    /// Folder for temporary files.
    pub temp_dir: PathBuf,
    /// Pages of a block that a page is compared with at most (default 10,000).
    pub most_candidates: usize,
    /// Pairs with pages of a block that a page gives at most (default 1,000).
    pub most_pairs: usize,
}

impl Default for ResemblanceOptions {
    fn default() -> Self {
        ResemblanceOptions {
            threshold: SPOTSIGS_THRESHOLD,
            memory_bytes: 256 << 20,
            temp_dir: std::env::temp_dir(),
            most_candidates: 10_000,
            most_pairs: 1_000,
        }
    }
}

impl ResemblanceOptions {
    /// Whether the settings can work.
    ///
    /// # Errors
    /// `Config` with the setting and its range.
    pub fn check(&self) -> Result<()> {
        if !(0.05..=1.0).contains(&self.threshold) {
            return Err(Error::Config("threshold must be 0.05 to 1".to_owned()));
        }
        if self.most_candidates == 0 || self.most_pairs == 0 {
            return Err(Error::Config("most_candidates and most_pairs must be at least 1".to_owned()));
        }
        Ok(())
    }
}

/// Two pages that resemble each other.
#[derive(Copy, Clone, PartialEq, PartialOrd, Debug)]
pub struct Resembling {
    /// The page of lower number.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Their resemblance, threshold to 1.
    pub resemblance: f64,
}

/// What a join did.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ResemblanceTotals {
    /// Pages with signatures.
    pub pages: u64,
    /// Pages without: in no pair.
    pub without: u64,
    /// Pages whose signatures were cut at [`MAX_SIGNATURES`].
    pub shortened: u64,
    /// Pages whose multiset an earlier page has.
    pub equal: u64,
    /// Pairs of sets compared.
    pub compared: u64,
    /// Pairs given.
    pub pairs: u64,
    /// Searches of a page in a block that ended because there were too many candidates or pairs.
    pub cut: u64,
    /// Blocks that the sets were cut into.
    pub blocks: u64,
}

/// A join; pages are [`push`](Self::push)ed in any order.
///
/// # Examples
/// ```
/// use webmill_dedup::{ResemblanceJoin, ResemblanceOptions};
/// let mut join = ResemblanceJoin::new(ResemblanceOptions { threshold: 0.5, ..Default::default() })?;
/// for (page, signatures) in [[1, 2, 3], [2, 3, 4], [7, 8, 9], [3, 1, 2]].iter().enumerate() {
///     join.push(page as u32, signatures)?;
/// }
/// let mut pairs = Vec::new();
/// join.finish(|pair| Ok(pairs.push((pair.a, pair.b, pair.resemblance))))?;
/// assert_eq!(pairs, [(0, 3, 1.0), (0, 1, 0.5)]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct ResemblanceJoin {
    options: ResemblanceOptions,
    sorter: BytesSorter,
    rarity: Rarity,
    totals: ResemblanceTotals,
    elements: Vec<u64>,
    bytes: Vec<u8>,
}

impl ResemblanceJoin {
    /// An empty join.
    ///
    /// # Errors
    /// `Config` for settings out of range.
    pub fn new(options: ResemblanceOptions) -> Result<Self> {
        options.check()?;
        let memory = options.memory_bytes.max(1 << 20);
        let sorter = BytesSorter::new(&Budget::new(memory).in_dir(&options.temp_dir));
        let (rarity, totals) = (Rarity::new(), ResemblanceTotals::default());
        Ok(ResemblanceJoin { options, sorter, rarity, totals, elements: Vec::new(), bytes: Vec::new() })
    }

    /// Takes a page and its signatures, repeated as often as they occur, in any order.
    ///
    /// # Errors
    /// `Io` where a run cannot be written.
    pub fn push(&mut self, page: u32, signatures: &[u64]) -> Result<()> {
        if signatures.is_empty() {
            self.totals.without += 1;
            return Ok(());
        }
        self.totals.pages += 1;
        self.elements.clear();
        self.elements.extend_from_slice(signatures);
        self.elements.sort_unstable();
        if self.elements.len() > MAX_SIGNATURES {
            // The least hashes: a choice that equal pages make alike.
            self.elements.truncate(MAX_SIGNATURES);
            self.totals.shortened += 1;
        }
        number_repetitions(&mut self.elements);
        self.bytes.clear();
        for &element in &self.elements {
            self.rarity.count(element);
            self.bytes.extend_from_slice(&element.to_le_bytes());
        }
        let mut key = [0; 24];
        key[..4].copy_from_slice(&(self.elements.len() as u32).to_be_bytes());
        key[4..20].copy_from_slice(&xxh3_128(&self.bytes).to_be_bytes());
        key[20..].copy_from_slice(&page.to_be_bytes());
        self.sorter.push(&key, &self.bytes)
    }

    /// Gives `emit` every pair: first the stars of equal pages, then the others.
    ///
    /// # Errors
    /// `Io` for temporary files; the first error of `emit`, which ends the join.
    pub fn finish(self, mut emit: impl FnMut(Resembling) -> Result<()>) -> Result<ResemblanceTotals> {
        let ResemblanceJoin { options, sorter, rarity, mut totals, .. } = self;
        let mut sets = stars(sorter, &options, &mut totals, &mut emit)?;
        let memory = options.memory_bytes.max(1 << 20);
        let mut start = 0;
        loop {
            sets.seek(start)?;
            let mut block = Block::default();
            while block.bytes() < memory / 4 * 3 {
                let Some((page, elements)) = sets.next()? else { break };
                block.add(page, elements);
            }
            if block.is_empty() {
                return Ok(totals);
            }
            start = sets.at;
            totals.blocks += 1;
            block.index(&rarity, options.threshold);
            let inside = block.join_itself(&rarity, &options);
            deliver(inside, &mut totals, &mut emit)?;
            meet_the_rest(&block, &mut sets, &rarity, &options, memory / 8, |found| {
                deliver(found, &mut totals, &mut emit)
            })?;
        }
    }
}

/// Makes a sorted list with repetitions a sorted list without: the second 7 is another element than the first.
fn number_repetitions(elements: &mut [u64]) {
    let (mut last, mut nth) = (None, 0u64);
    for element in elements.iter_mut() {
        nth = if last == Some(*element) { nth + 1 } else { 0 };
        last = Some(*element);
        if nth > 0 {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&element.to_le_bytes());
            bytes[8..].copy_from_slice(&nth.to_le_bytes());
            *element = xxh3_64(&bytes);
        }
    }
    elements.sort_unstable();
}

/// Writes the sets in order of size, each once, and gives the pairs of equal ones.
fn stars(
    sorter: BytesSorter,
    options: &ResemblanceOptions,
    totals: &mut ResemblanceTotals,
    emit: &mut impl FnMut(Resembling) -> Result<()>,
) -> Result<SetFile> {
    let file = tempfile::tempfile_in(&options.temp_dir).at(&options.temp_dir)?;
    let mut out = BufWriter::new(file);
    let mut sorted = sorter.finish()?;
    let mut group: Option<([u8; 20], u32)> = None;
    let mut end = 0;
    while let Some(pair) = sorted.next() {
        let (key, elements) = pair?;
        let (Some(&same), Some(&page)) = (key.first_chunk::<20>(), key.last_chunk::<4>()) else {
            return Err(Error::Internal("a set without its key".to_owned()));
        };
        let page = u32::from_be_bytes(page);
        match group {
            Some((of, representative)) if of == same => {
                // The same page twice is no pair.
                if page != representative {
                    totals.equal += 1;
                    totals.pairs += 1;
                    emit(Resembling { a: representative, b: page, resemblance: 1.0 })?;
                }
            }
            _ => {
                group = Some((same, page));
                let length = (elements.len() / 8) as u32;
                let head = [page.to_le_bytes(), length.to_le_bytes()].concat();
                out.write_all(&head).and_then(|()| out.write_all(elements)).at(&options.temp_dir)?;
                end += (head.len() + elements.len()) as u64;
            }
        }
    }
    let file = out.into_inner().map_err(|e| Error::io(&options.temp_dir, e.into_error()))?;
    Ok(SetFile {
        reader: BufReader::with_capacity(256 << 10, file),
        at: 0,
        end,
        dir: options.temp_dir.clone(),
        bytes: Vec::new(),
    })
}

/// The sets in order of size, in a temporary file.
struct SetFile {
    reader: BufReader<File>,
    at: u64,
    end: u64,
    dir: PathBuf,
    bytes: Vec<u8>,
}

impl SetFile {
    fn seek(&mut self, at: u64) -> Result<()> {
        self.at = at;
        self.reader.seek(SeekFrom::Start(at)).at(&self.dir)?;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<(u32, impl ExactSizeIterator<Item = u64>)>> {
        if self.at >= self.end {
            return Ok(None);
        }
        let (mut page, mut length) = ([0; 4], [0; 4]);
        self.reader.read_exact(&mut page).and_then(|()| self.reader.read_exact(&mut length)).at(&self.dir)?;
        self.bytes.resize(8 * u32::from_le_bytes(length) as usize, 0);
        self.reader.read_exact(&mut self.bytes).at(&self.dir)?;
        self.at += 8 + self.bytes.len() as u64;
        let elements = self.bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk));
        Ok(Some((u32::from_le_bytes(page), elements)))
    }
}

/// Looks up the sets behind a block in it, as far as sizes allow; `sets` stands behind the block.
fn meet_the_rest(
    block: &Block,
    sets: &mut SetFile,
    rarity: &Rarity,
    options: &ResemblanceOptions,
    batch_bytes: usize,
    mut deliver: impl FnMut(Found) -> Result<()>,
) -> Result<()> {
    let mut batch = Block::default();
    loop {
        let within = match sets.next()? {
            Some((page, elements)) => {
                let reachable = block.reaches(elements.len(), options.threshold);
                if reachable {
                    batch.add(page, elements);
                }
                reachable
            }
            None => false,
        };
        if !within || batch.bytes() >= batch_bytes {
            deliver(block.join_others(&batch, rarity, options))?;
            batch = Block::default();
        }
        if !within {
            return Ok(());
        }
    }
}

fn deliver(
    found: Found,
    totals: &mut ResemblanceTotals,
    emit: &mut impl FnMut(Resembling) -> Result<()>,
) -> Result<()> {
    totals.compared += found.compared;
    totals.cut += found.cut;
    totals.pairs += found.pairs.len() as u64;
    let mut pairs = found.pairs.into_iter();
    pairs.try_for_each(|(x, y, resemblance)| emit(Resembling { a: x.min(y), b: x.max(y), resemblance }))
}

#[cfg(test)]
#[path = "join_tests.rs"]
mod tests;
