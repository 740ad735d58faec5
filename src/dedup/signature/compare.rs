//! Signatures compared on the same pages: which pairs does each one take for copies, and how much do these resemble each
//! other?
//!
//! **Definition.** Truth is the exact resemblance of the pages' shingles, for every pair of pages. Pairs are put into the
//! bands of [`BANDS`] by it. A signature *takes* a pair where its similarity is at its bound or above. The share of a
//! band's pairs that it takes is its recall there; the share of what it takes that stands in a band or above is its
//! precision from that resemblance on.
//!
//! **Algorithm.** The truth, and every signature that is a resemblance itself, is counted by an inverted index, row by row of the
//! triangle of pairs; signatures of a few values are tried on every pair. Dear ones ([`Trial::Sampled`]) are tried on at
//! most [`CompareOptions::pairs_per_band`] pairs of each band, those of the least hashes of the pages' numbers, and what
//! they take is scaled up.
//!
//! **Cost.** A byte a pair for the truth, within half of [`CompareOptions::memory_bytes`], and all values of the pages,
//! within the other half; pages past that are left out and counted. Steps: the pages that share a value, squared, summed
//! over the values; at most [`CompareOptions::max_steps`].
//!
//! **Determinism.** A function of the pages in their order.

mod index;

use std::collections::BinaryHeap;

use rayon::prelude::*;
use webmill_capture::error::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::shingle::Shingles;
use crate::signature::compare::index::InvertedIndex;
use crate::signature::{PageForms, Signature, Trial};

/// Lower ends of the bands of resemblance, each up to the next; 1 belongs to the highest.
pub const BANDS: [f64; 5] = [0.0, 0.5, 0.7, 0.8, 0.9];

/// The band of a resemblance.
fn band_of(resemblance: f64) -> usize {
    BANDS.iter().rposition(|&from| resemblance >= from).unwrap_or(0)
}

/// Settings of a comparison.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// Words of the shingles that are the truth, 1 to 64 (default 3).
    pub shingle_words: usize,
    /// Pairs of a band that dear signatures are tried on (default 2,000, at least 1).
    pub pairs_per_band: usize,
    /// Memory in bytes (default 512 MiB: up to 23,000 pages).
    pub memory_bytes: usize,
    /// Steps of counting that a signature may take (default 2·10¹¹: some minutes).
    pub max_steps: u64,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            shingle_words: 3,
            pairs_per_band: 2_000,
            memory_bytes: 512 << 20,
            max_steps: 200_000_000_000,
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

/// Pairs of a band.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct BandCount {
    /// Pairs whose resemblance is in the band; of dear signatures those where both pages have a value.
    pub known: u64,
    /// Pairs that the signature was tried on: all that are known, but for dear signatures.
    pub tried: u64,
    /// Pairs that it took, of those.
    pub taken: u64,
}

impl BandCount {
    /// Pairs of the band that it takes, estimated where it was not tried on all of them.
    pub fn estimate(&self) -> f64 {
        if self.tried == self.known || self.tried == 0 {
            return self.taken as f64;
        }
        self.taken as f64 * self.known as f64 / self.tried as f64
    }
}

/// A signature and what it takes: a row of the table.
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
    /// Pairs in each band of [`BANDS`].
    pub bands: [BandCount; BANDS.len()],
}

impl ComparedSignature {
    /// Share of the pairs of a band that it takes, 0 to 1; `None` where there are none.
    pub fn recall(&self, band: usize) -> Option<f64> {
        let count = self.bands.get(band).filter(|count| count.tried > 0)?;
        Some(count.taken as f64 / count.tried as f64)
    }

    /// Pairs that it takes, estimated where it was not tried on all.
    pub fn candidates(&self) -> f64 {
        self.taken_from(0)
    }

    /// Pairs of this band and above that it takes, estimated where it was not tried on all.
    pub fn taken_from(&self, band: usize) -> f64 {
        self.bands.iter().skip(band).map(BandCount::estimate).sum()
    }

    /// Share of what it takes that stands in this band or above, 0 to 1; `None` where it takes nothing.
    pub fn precision(&self, band: usize) -> Option<f64> {
        let candidates = self.candidates();
        (candidates > 0.0).then(|| self.taken_from(band) / candidates)
    }

    /// Whether it was tried on a sample of the pairs alone.
    pub fn is_estimate(&self) -> bool {
        self.bands.iter().any(|count| count.tried < count.known)
    }
}

/// What a comparison gives.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct ComparisonTable {
    /// Signature by signature.
    pub rows: Vec<ComparedSignature>,
    /// Pages compared.
    pub pages: u64,
    /// Pages left out for want of memory.
    pub left_out: u64,
    /// Pairs in each band of [`BANDS`].
    pub known: [u64; BANDS.len()],
}

/// The values of a page, made by [`SignatureComparison::sign`].
#[derive(Clone, Debug)]
pub struct SignedPage {
    /// A list a signature.
    values: Vec<Vec<u64>>,
    shingles: Shingles,
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
/// let recall: Vec<_> = table.rows.iter().map(|row| row.recall(4)).collect();
/// assert_eq!((recall, table.rows[0].precision(4)), (vec![Some(1.0), Some(1.0)], Some(1.0)));
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
pub(crate) struct Lists {
    numbers: Vec<u64>,
    ends: Vec<usize>,
}

impl Lists {
    fn push(&mut self, list: &[u64]) {
        self.numbers.extend_from_slice(list);
        self.ends.push(self.numbers.len());
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, i: usize) -> &[u64] {
        let from = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.numbers[from..self.ends[i]]
    }

    fn with_values(&self) -> u64 {
        (0..self.len()).filter(|&i| !self.get(i).is_empty()).count() as u64
    }
}

/// The band of every pair, row by row: page i with all before it.
struct Truth {
    bands: Vec<u8>,
    known: [u64; BANDS.len()],
}

/// Pairs of so many pages.
fn triangle(pages: usize) -> usize {
    pages.saturating_mul(pages.saturating_sub(1)) / 2
}

impl Truth {
    fn row(&self, i: usize) -> &[u8] {
        &self.bands[triangle(i)..triangle(i) + i]
    }
}

/// Counts a row of pairs by band.
type Taken = [u64; BANDS.len()];

fn sum(mut a: Taken, b: Taken) -> Taken {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
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

    /// Makes the values of a page, on any thread.
    pub fn sign(&self, page: &PageForms<'_>) -> SignedPage {
        let of = |signature: &&dyn Signature| {
            let mut values = Vec::new();
            signature.values(page, &mut values);
            values
        };
        let shingles = Shingles::of(page.text, self.options.shingle_words);
        SignedPage { values: self.signatures.iter().map(of).collect(), shingles }
    }

    /// Takes a page's values; false where it is left out because memory is full.
    pub fn push(&mut self, page: &SignedPage) -> bool {
        let all = || self.values.iter().chain([&self.truth]);
        let held: usize = all().map(|lists| lists.numbers.len() + lists.len()).sum();
        let more: usize = page.values.iter().map(|list| list.len() + 1).sum::<usize>() + 1;
        // The index of a list takes about as much again.
        let bytes = 24usize.saturating_mul(held + more + page.shingles.hashes().len());
        let half = self.options.memory_bytes / 2;
        if bytes > half || triangle(self.truth.len() + 1) > half {
            self.left_out += 1;
            return false;
        }
        self.values.iter_mut().zip(&page.values).for_each(|(lists, values)| lists.push(values));
        self.truth.push(page.shingles.hashes());
        true
    }

    /// Signs a page and takes its values; false where it is left out because memory is full.
    pub fn add(&mut self, page: &PageForms<'_>) -> bool {
        self.push(&self.sign(page))
    }

    /// Finds the resemblance of every pair and tries the signatures.
    ///
    /// # Errors
    /// `Limit` where the pages share so much that it would take more than [`CompareOptions::max_steps`].
    pub fn finish(self) -> Result<ComparisonTable> {
        let truth = self.truth()?;
        let mut rows = Vec::new();
        for (signature, lists) in self.signatures.iter().zip(&self.values) {
            let bands = match signature.trial() {
                Trial::EveryPair => exhaustive(&truth, every_pair(*signature, lists, &truth)),
                Trial::Counted => exhaustive(&truth, self.counted(*signature, lists, &truth)?),
                Trial::Sampled => sampled(*signature, lists, &truth, self.options.pairs_per_band),
            };
            rows.push(ComparedSignature {
                signature: signature.name().to_owned(),
                bound: signature.bound(),
                pages: lists.with_values(),
                values: lists.numbers.len() as u64,
                bands,
            });
        }
        let pages = self.truth.len() as u64;
        Ok(ComparisonTable { rows, pages, left_out: self.left_out, known: truth.known })
    }

    fn index(&self, lists: &Lists) -> Result<InvertedIndex> {
        let index = InvertedIndex::of(lists);
        if index.steps() > self.options.max_steps {
            return Err(Error::Limit(format!(
                "{} pages share so much that every pair takes {} steps, {} are allowed: compare fewer pages",
                lists.len(),
                index.steps(),
                self.options.max_steps
            )));
        }
        Ok(index)
    }

    fn truth(&self) -> Result<Truth> {
        let index = self.index(&self.truth)?;
        let pages = self.truth.len();
        let mut bands = vec![0; triangle(pages)];
        let (mut rows, mut rest) = (Vec::with_capacity(pages), &mut bands[..]);
        for i in 0..pages {
            let (row, behind) = rest.split_at_mut(i);
            rows.push(row);
            rest = behind;
        }
        let known = rows
            .into_par_iter()
            .enumerate()
            .map_init(Vec::new, |counts, (i, row)| {
                let mut known = Taken::default();
                let resemblances = index.resemblances(i, counts);
                for (band, resemblance) in row.iter_mut().zip(resemblances) {
                    *band = band_of(resemblance) as u8;
                    known[usize::from(*band)] += 1;
                }
                known
            })
            .reduce(Taken::default, sum);
        Ok(Truth { bands, known })
    }

    /// What a signature takes that is a resemblance itself.
    fn counted(&self, signature: &dyn Signature, lists: &Lists, truth: &Truth) -> Result<Taken> {
        let (index, bound) = (self.index(lists)?, signature.bound());
        Ok((0..lists.len())
            .into_par_iter()
            .map_init(Vec::new, |counts, i| {
                let mut taken = Taken::default();
                for (band, resemblance) in truth.row(i).iter().zip(index.resemblances(i, counts)) {
                    taken[usize::from(*band)] += u64::from(resemblance > 0.0 && resemblance >= bound);
                }
                taken
            })
            .reduce(Taken::default, sum))
    }
}

/// Whether a signature takes two pages of these values.
fn takes(signature: &dyn Signature, a: &[u64], b: &[u64]) -> bool {
    !a.is_empty() && !b.is_empty() && signature.similarity(a, b) >= signature.bound()
}

/// What a signature takes of all pairs, tried on each.
fn every_pair(signature: &dyn Signature, lists: &Lists, truth: &Truth) -> Taken {
    (0..lists.len())
        .into_par_iter()
        .map(|i| {
            let mut taken = Taken::default();
            for (j, band) in truth.row(i).iter().enumerate() {
                taken[usize::from(*band)] += u64::from(takes(signature, lists.get(i), lists.get(j)));
            }
            taken
        })
        .reduce(Taken::default, sum)
}

fn exhaustive(truth: &Truth, taken: Taken) -> [BandCount; BANDS.len()] {
    let mut bands = [BandCount::default(); BANDS.len()];
    for ((band, known), taken) in bands.iter_mut().zip(truth.known).zip(taken) {
        *band = BandCount { known, tried: known, taken };
    }
    bands
}

/// What a signature takes of the pairs of least hashes in each band, among pages that have a value of it.
fn sampled(signature: &dyn Signature, lists: &Lists, truth: &Truth, most: usize) -> [BandCount; BANDS.len()] {
    let pages: Vec<usize> = (0..lists.len()).filter(|&i| !lists.get(i).is_empty()).collect();
    let mut drawn: [BinaryHeap<(u64, u32, u32)>; BANDS.len()] = Default::default();
    let mut bands = [BandCount::default(); BANDS.len()];
    for (at, &i) in pages.iter().enumerate() {
        let row = truth.row(i);
        for &j in &pages[..at] {
            let band = usize::from(row[j]);
            bands[band].known += 1;
            let hash = xxh3_64(&((i as u64) << 32 | j as u64).to_le_bytes());
            let held = &mut drawn[band];
            if held.len() < most || held.peek().is_some_and(|worst| hash < worst.0) {
                held.push((hash, i as u32, j as u32));
                if held.len() > most {
                    held.pop();
                }
            }
        }
    }
    for (band, drawn) in bands.iter_mut().zip(drawn) {
        let pairs = drawn.into_vec();
        band.tried = pairs.len() as u64;
        let taken =
            |&&(_, i, j): &&(u64, u32, u32)| takes(signature, lists.get(i as usize), lists.get(j as usize));
        band.taken = pairs.par_iter().filter(taken).count() as u64;
    }
    bands
}

#[cfg(test)]
mod tests;
