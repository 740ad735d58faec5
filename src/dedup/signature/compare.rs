//! Signatures compared on the same pages: which share of the pairs that resemble each other so much does each one find?
//!
//! **Definition.** Truth is the exact resemblance of the pages' shingles. Every pair of pages from
//! [`TRUTH_FROM`] on is known ([`ResemblanceJoin`]; of pages with equal sets the star), and random pairs stand for the rest.
//! Pairs are put into the bands of [`BANDS`] by their truth; a signature *finds* a pair where its similarity is at its bound
//! or above. In the upper bands the share found is the signature's recall; in the lowest one it is how often it takes
//! strangers for copies.
//!
//! **Algorithm.** Of a band with more pairs than [`CompareOptions::pairs_per_band`] those of the least hashes are taken: a
//! sample that depends on nothing but the pages.
//!
//! **Cost.** All values of the pages are held, within [`CompareOptions::memory_bytes`]; pages past that are left out and
//! counted. Beside that the truth is joined within half as much memory. Comparisons: bands × pairs × signatures.
//!
//! **Determinism.** A function of the pages in their order.

use std::collections::BinaryHeap;
use std::path::PathBuf;

use rayon::prelude::*;
use webmill_capture::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::shingle::Shingles;
use crate::signature::spotsigs::join::{ResemblanceJoin, ResemblanceOptions};
use crate::signature::{PageForms, Signature};

/// Resemblance from which on every pair is known.
pub const TRUTH_FROM: f64 = 0.5;

/// Lower ends of the bands of resemblance, each up to the next: below 0.5 the pairs are random ones.
pub const BANDS: [f64; 5] = [0.0, TRUTH_FROM, 0.7, 0.8, 0.9];

/// Settings of a comparison.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// Words of the shingles that are the truth, 1 to 64 (default 3).
    pub shingle_words: usize,
    /// Pairs of a band that signatures are tried on (default 20,000, at least 1).
    pub pairs_per_band: usize,
    /// Memory for values in bytes (default 512 MiB).
    pub memory_bytes: usize,
    /// Folder for temporary files.
    pub temp_dir: PathBuf,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            shingle_words: 3,
            pairs_per_band: 20_000,
            memory_bytes: 512 << 20,
            temp_dir: std::env::temp_dir(),
        }
    }
}

impl CompareOptions {
    /// Whether the settings can work.
    ///
    /// # Errors
    /// `Config` with the setting and its range.
    pub fn check(&self) -> Result<()> {
        if !(1..=64).contains(&self.shingle_words) {
            return Err(Error::Config("shingle_words must be 1 to 64".to_owned()));
        }
        if self.pairs_per_band == 0 {
            return Err(Error::Config("pairs_per_band must be at least 1".to_owned()));
        }
        Ok(())
    }
}

/// A signature in a band of resemblance: a row of the table.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedSignature {
    /// The signature's name.
    pub signature: String,
    /// Its bound, 0 to 1.
    pub bound: f64,
    /// Pages that have a value of it.
    pub pages: u64,
    /// Values of all pages, 8 bytes each.
    pub values: u64,
    /// Least resemblance of the band's pairs.
    pub from: f64,
    /// Resemblance that they are below (1 belongs to the highest band).
    pub to: f64,
    /// Pairs that it was tried on.
    pub pairs: u64,
    /// Pairs that it found.
    pub found: u64,
}

impl ComparedSignature {
    /// Share of the pairs that it found, 0 to 1; `None` where there are none.
    pub fn share(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.found as f64 / self.pairs as f64)
    }
}

/// What a comparison gives.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct ComparisonTable {
    /// Signature by signature, band by band.
    pub rows: Vec<ComparedSignature>,
    /// Pages compared.
    pub pages: u64,
    /// Pages left out for want of memory.
    pub left_out: u64,
    /// Pairs known in each band, of which at most [`CompareOptions::pairs_per_band`] were tried.
    pub known: [u64; BANDS.len()],
    /// Searches for true pairs that were cut ([`ResemblanceTotals::cut`](crate::ResemblanceTotals::cut)).
    pub cut: u64,
}

/// A comparison; pages are [`add`](Self::add)ed one by one.
///
/// # Examples
/// ```
/// use webmill_dedup::{ExactSignature, PageForms, ShingleSignature, Signature, SignatureComparison};
/// let (exact, shingles) = (ExactSignature, ShingleSignature::default());
/// let signatures: Vec<&dyn Signature> = vec![&exact, &shingles];
/// let mut comparison = SignatureComparison::new(signatures, Default::default())?;
/// for text in ["one two three four five six seven", "One two three four five six seven", "nine ten"] {
///     comparison.add(&PageForms { text, ..PageForms::default() });
/// }
/// let table = comparison.finish()?;
/// let top: Vec<_> = table.rows.iter().filter(|row| row.from == 0.9).map(|row| (row.found, row.pairs)).collect();
/// assert_eq!(top, [(1, 1), (1, 1)]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct SignatureComparison<'s> {
    signatures: Vec<&'s dyn Signature>,
    options: CompareOptions,
    /// Values of all pages, a list a signature.
    values: Vec<Lists>,
    truth: Lists,
    left_out: u64,
}

/// Lists of numbers, one behind the other.
#[derive(Default)]
struct Lists {
    numbers: Vec<u64>,
    ends: Vec<usize>,
}

impl Lists {
    fn end(&mut self) {
        self.ends.push(self.numbers.len());
    }

    /// Takes back what was pushed since the last end.
    fn undo(&mut self) {
        self.numbers.truncate(self.ends.last().copied().unwrap_or(0));
    }

    fn get(&self, i: u32) -> &[u64] {
        let i = i as usize;
        let from = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.numbers[from..self.ends[i]]
    }

    fn with_values(&self) -> u64 {
        (0..self.ends.len() as u32).filter(|&i| !self.get(i).is_empty()).count() as u64
    }
}

/// A pair with its truth, least hash first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Drawn {
    hash: u64,
    a: u32,
    b: u32,
}

impl Drawn {
    fn of(a: u32, b: u32) -> Self {
        let hash = xxh3_64(&(u64::from(a) << 32 | u64::from(b)).to_le_bytes());
        Drawn { hash, a, b }
    }
}

/// The pairs of least hashes of each band.
struct Sample {
    most: usize,
    bands: [BinaryHeap<Drawn>; BANDS.len()],
    known: [u64; BANDS.len()],
}

impl Sample {
    fn add(&mut self, a: u32, b: u32, resemblance: f64) {
        let band = BANDS.iter().rposition(|&from| resemblance >= from).unwrap_or(0);
        self.known[band] += 1;
        let held = &mut self.bands[band];
        held.push(Drawn::of(a, b));
        if held.len() > self.most {
            held.pop();
        }
    }
}

impl<'s> SignatureComparison<'s> {
    /// A comparison of these signatures, without pages.
    ///
    /// # Errors
    /// `Config` for settings out of range.
    pub fn new(signatures: Vec<&'s dyn Signature>, options: CompareOptions) -> Result<Self> {
        options.check()?;
        let values = signatures.iter().map(|_| Lists::default()).collect();
        Ok(SignatureComparison { signatures, options, values, truth: Lists::default(), left_out: 0 })
    }

    /// Takes a page; false where it is left out because memory is full.
    pub fn add(&mut self, page: &PageForms<'_>) -> bool {
        for (signature, lists) in self.signatures.iter().zip(&mut self.values) {
            signature.values(page, &mut lists.numbers);
        }
        let shingles = Shingles::of(page.text, self.options.shingle_words);
        self.truth.numbers.extend_from_slice(shingles.hashes());
        let all = || self.values.iter().chain([&self.truth]);
        let bytes: usize = all().map(|lists| 8 * (lists.numbers.len() + lists.ends.len() + 1)).sum();
        let fits = bytes <= self.options.memory_bytes && self.truth.ends.len() < u32::MAX as usize;
        for lists in self.values.iter_mut().chain([&mut self.truth]) {
            if fits { lists.end() } else { lists.undo() }
        }
        self.left_out += u64::from(!fits);
        fits
    }

    /// Finds the true pairs and tries the signatures on them.
    ///
    /// # Errors
    /// `Io` for temporary files.
    pub fn finish(self) -> Result<ComparisonTable> {
        let pages = self.truth.ends.len();
        let mut sample =
            Sample { most: self.options.pairs_per_band, bands: Default::default(), known: [0; BANDS.len()] };
        let cut = self.true_pairs(&mut sample)?;
        self.random_pairs(&mut sample);
        let bands: Vec<Vec<Drawn>> = sample.bands.into_iter().map(BinaryHeap::into_sorted_vec).collect();
        let mut rows = Vec::new();
        for (signature, lists) in self.signatures.iter().zip(&self.values) {
            let (with_values, bound) = (lists.with_values(), signature.bound());
            for (band, pairs) in bands.iter().enumerate() {
                let finds = |pair: &&Drawn| {
                    let (a, b) = (lists.get(pair.a), lists.get(pair.b));
                    !a.is_empty() && !b.is_empty() && signature.similarity(a, b) >= bound
                };
                rows.push(ComparedSignature {
                    signature: signature.name().to_owned(),
                    bound,
                    pages: with_values,
                    values: lists.numbers.len() as u64,
                    from: BANDS[band],
                    to: BANDS.get(band + 1).copied().unwrap_or(1.0),
                    pairs: pairs.len() as u64,
                    found: pairs.par_iter().filter(finds).count() as u64,
                });
            }
        }
        Ok(ComparisonTable { rows, pages: pages as u64, left_out: self.left_out, known: sample.known, cut })
    }

    fn true_pairs(&self, sample: &mut Sample) -> Result<u64> {
        let mut join = ResemblanceJoin::new(ResemblanceOptions {
            threshold: TRUTH_FROM,
            memory_bytes: self.options.memory_bytes / 2,
            temp_dir: self.options.temp_dir.clone(),
            ..ResemblanceOptions::default()
        })?;
        for page in 0..self.truth.ends.len() as u32 {
            join.push(page, self.truth.get(page))?;
        }
        let take = |pair: crate::Resembling| {
            sample.add(pair.a, pair.b, pair.resemblance);
            Ok(())
        };
        Ok(join.finish(take)?.cut)
    }

    /// Adds random pairs below [`TRUTH_FROM`]: as many draws as a band holds, each pair once.
    fn random_pairs(&self, sample: &mut Sample) {
        let pages = self.truth.ends.len() as u64;
        if pages < 2 {
            return;
        }
        let draws = self.options.pairs_per_band as u64;
        let mut drawn: Vec<(u32, u32)> = (0..draws)
            .filter_map(|i| {
                let hash = |salt: u64| xxh3_64(&(2 * i + salt).to_le_bytes()) % pages;
                let (a, b) = (hash(0) as u32, hash(1) as u32);
                (a != b).then_some((a.min(b), a.max(b)))
            })
            .collect();
        drawn.sort_unstable();
        drawn.dedup();
        for (a, b) in drawn {
            let resemblance =
                crate::signature::spotsigs::multiset_resemblance(self.truth.get(a), self.truth.get(b));
            if resemblance < TRUTH_FROM {
                sample.add(a, b, resemblance);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{ExactSignature, ShingleSignature, SimHashSignature, SpotSignature};

    /// 40 families of texts of 80 words: the original and versions with 0 (other case), 1, 2, 4, 8 and 12 words changed.
    fn texts() -> Vec<String> {
        let mut texts = Vec::new();
        for family in 0..40u64 {
            let word = |i: u64| {
                let hash = xxh3_64(&(family << 32 | i).to_le_bytes());
                if hash.is_multiple_of(3) { "the".to_owned() } else { format!("word{}", hash % 5000) }
            };
            let original: Vec<String> = (0..80).map(word).collect();
            texts.push(original.join(" "));
            for changes in [0, 1, 2, 4, 8, 12] {
                let mut changed = original.clone();
                (0..changes).for_each(|i| changed[6 * i + 3] = format!("changed{changes}x{i}f{family}"));
                texts.push(changed.join(" ").to_uppercase());
            }
        }
        texts
    }

    fn table(signatures: Vec<&dyn Signature>, texts: &[String], options: CompareOptions) -> ComparisonTable {
        let mut comparison = SignatureComparison::new(signatures, options).expect("settings are sound");
        for text in texts {
            comparison.add(&PageForms { text, language: Some("eng"), tree: None });
        }
        comparison.finish().expect("the disk takes it")
    }

    #[test]
    fn the_truth_finds_itself_and_others_a_share() {
        let (exact, simhash, spots) = (ExactSignature, SimHashSignature::default(), SpotSignature::default());
        let shingles = ShingleSignature::default();
        let found = table(vec![&exact, &simhash, &shingles, &spots], &texts(), CompareOptions::default());
        assert_eq!((found.pages, found.left_out, found.cut, found.rows.len()), (280, 0, 0, 4 * BANDS.len()));
        let shares = |name: &str| -> Vec<f64> {
            let rows = found.rows.iter().filter(|row| row.signature == name);
            rows.map(|row| row.share().expect("pairs in every band")).collect()
        };
        assert_eq!(shares("shingles"), [0.0, 0.0, 0.0, 1.0, 1.0]);
        assert!(shares("exact")[..4].iter().all(|&share| share == 0.0) && shares("exact")[4] > 0.0);
        assert!(shares("simhash")[0] < 0.01 && shares("simhash")[4] > 0.5);
        assert!(shares("spotsigs")[0] < 0.01 && shares("spotsigs")[3] > 0.9, "{:?}", shares("spotsigs"));
        // 40 stars of equal texts, and 40 originals with one word changed.
        assert_eq!(found.known[4], 80);
    }

    #[test]
    fn bands_hold_a_sample_and_pages_past_the_memory_are_counted() {
        let shingles = ShingleSignature::default();
        let few = CompareOptions { pairs_per_band: 30, ..CompareOptions::default() };
        let found = table(vec![&shingles], &texts(), few);
        assert_eq!((found.known[4], found.rows[4].pairs, found.rows[4].found), (80, 30, 30));
        let small = CompareOptions { memory_bytes: 64 << 10, ..CompareOptions::default() };
        let found = table(vec![&shingles], &texts(), small);
        assert!(found.left_out > 100 && found.pages + found.left_out == 280, "{}", found.left_out);
    }

    #[test]
    fn no_pages_give_rows_without_pairs() {
        let found = table(vec![&ExactSignature], &[], CompareOptions::default());
        assert!(found.rows.iter().all(|row| row.share().is_none() && row.pages == 0));
        assert!(CompareOptions { pairs_per_band: 0, ..Default::default() }.check().is_err());
        assert!(CompareOptions { shingle_words: 0, ..Default::default() }.check().is_err());
    }
}
