//! Aligning the pairs of a join: texts in, rows of passages out.
//!
//! Pairs are taken in their order into batches of as many texts as the memory holds; texts of a batch are read one after
//! the other, then winnowed and aligned by all threads. A page that begins the next batch too is kept, and the last used
//! ones in a quarter of the memory.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rayon::prelude::*;
use webmill_capture::error::{Error, Result};

use crate::containment::Overlap;
use crate::passages::align::{Alignment, align};
use crate::passages::winnow::Winnowed;
use crate::passages::{PassageCounts, PassageOptions, PassagePairs};
use crate::shingle::Shingles;

/// A passage of two pages: a row of table `passages`, but for the pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// First byte in the text of the first page.
    pub a_start: u64,
    /// End in the text of the first page.
    pub a_end: u64,
    /// First byte in the text of the second page.
    pub b_start: u64,
    /// End in the text of the second page.
    pub b_end: u64,
    /// Words that are equal (letters, in scripts without spaces).
    pub words: u32,
    /// What share of the first text these are, 0 to 1. The shares of a page's passages with one other sum up to at most 1.
    pub share_a: f64,
    /// What share of the second text these are, 0 to 1.
    pub share_b: f64,
}

/// What two pages share.
#[derive(Clone, Debug, PartialEq)]
pub struct PagePassages {
    /// The earlier page.
    pub a: u32,
    /// The later page.
    pub b: u32,
    /// Distinct selected hashes that both have.
    pub shared: u32,
    /// In the order of the first text; empty if none is long enough.
    pub passages: Vec<Passage>,
    /// Shingles of both texts, exactly; `None` if [`shingle_words`](PassageOptions::shingle_words) is 0 or they have less in common than
    /// [`min_overlap`](PassageOptions::min_overlap).
    pub overlap: Option<Overlap>,
}

impl PassagePairs {
    /// Calls `each` with what every pair shares, by (a, b). `text` gives the text of a page, always the same one that its
    /// hashes were made of.
    ///
    /// # Errors
    /// [`Error::Io`] when the sort cannot be read, and the errors of `text` and `each`; the first one ends it.
    pub fn align<T: AsRef<str> + Send>(
        self,
        mut text: impl FnMut(u32) -> Result<T>,
        mut each: impl FnMut(PagePassages) -> Result<()> + Send,
    ) -> Result<PassageCounts> {
        let PassagePairs { options, budget, pairs, mut ready, mut counts, .. } = self;
        let mut pairs = pairs.peekable();
        let mut prepared: BTreeMap<u32, PreparedText> = BTreeMap::new();
        let (mut round, mut found) = (0, Vec::new());
        loop {
            let next = match pairs.peek() {
                None if found.is_empty() => return Ok(counts),
                None => u32::MAX,
                Some(Ok(pair)) => pair[0],
                Some(Err(_)) => u32::MAX,
            };
            let mut memory = keep_latest(&mut prepared, next, budget.memory_bytes / 4);
            round += 1;
            let (mut batch, mut texts) = (Vec::new(), BTreeMap::new());
            while memory < budget.memory_bytes / 2 && batch.len() < BATCH || batch.is_empty() {
                let Some(pair) = pairs.next().transpose()? else { break };
                for page in &pair[..2] {
                    if let Some(prepared) = prepared.get_mut(page) {
                        prepared.used = round;
                    } else if !texts.contains_key(page) {
                        let text = text(*page)?;
                        memory += BYTES_A_BYTE * text.as_ref().len().min(options.max_text_bytes);
                        counts.texts_cut += u64::from(text.as_ref().len() > options.max_text_bytes);
                        texts.insert(*page, text);
                    }
                }
                batch.push(pair);
            }
            let texts: Vec<_> =
                texts.into_iter().map(|(page, text)| (page, text, ready.take(page))).collect();
            let align = || {
                let made = texts.into_par_iter().map(|(page, text, winnowed)| {
                    (page, PreparedText::of(text.as_ref(), winnowed, round, &options))
                });
                prepared.extend(made.collect::<Vec<(u32, PreparedText)>>());
                align_batch(&batch, &prepared, &options)
            };
            // What a batch gave is handed out while the next one is aligned.
            let give = || {
                found.drain(..).try_for_each(|(pair, seeds_left, short): (PagePassages, u64, u64)| {
                    counts.seeds_left += seeds_left;
                    counts.passages_too_short += short;
                    counts.passages += pair.passages.len() as u64;
                    counts.pairs_aligned += 1;
                    counts.pairs_without_passage += u64::from(pair.passages.is_empty());
                    each(pair)
                })
            };
            let (aligned, given) = rayon::join(align, give);
            given?;
            found = aligned?;
        }
    }
}

/// Of the texts made ready, leaves that of page `next` and the last used ones, as many as take `most` bytes; returns what
/// they take. Partners of neighbouring pages are often the same.
fn keep_latest(prepared: &mut BTreeMap<u32, PreparedText>, next: u32, most: usize) -> usize {
    let mut order: Vec<(bool, Reverse<u64>, u32)> =
        prepared.iter().map(|(&page, made)| (page != next, Reverse(made.used), page)).collect();
    order.sort_unstable();
    let mut memory = 0;
    for (other, _, page) in order {
        let bytes = prepared.get(&page).map_or(0, PreparedText::memory_bytes);
        if other && memory + bytes > most {
            prepared.remove(&page);
        } else {
            memory += bytes;
        }
    }
    memory
}

/// Most pairs in a batch.
const BATCH: usize = 1 << 12;

/// Memory that a byte of text takes while it is aligned: text, units, selections, shingles.
const BYTES_A_BYTE: usize = 16;

/// A text made ready.
struct PreparedText {
    winnowed: Winnowed,
    shingles: Option<Shingles>,
    /// Number of the last batch with it.
    used: u64,
}

impl PreparedText {
    fn of(text: &str, winnowed: Option<Winnowed>, used: u64, options: &PassageOptions) -> Self {
        let winnowed = winnowed.unwrap_or_else(|| options.winnowed(text));
        let text = options.cut(text);
        let shingles =
            (options.shingle_words > 0).then(|| Shingles::of(text, options.shingle_words as usize));
        PreparedText { winnowed, shingles, used }
    }

    fn memory_bytes(&self) -> usize {
        self.winnowed.memory_bytes() + self.shingles.as_ref().map_or(0, |shingles| 8 * shingles.len())
    }
}

/// Each pair of a batch with the seeds and the passages that were left out.
fn align_batch(
    batch: &[[u32; 3]],
    prepared: &BTreeMap<u32, PreparedText>,
    options: &PassageOptions,
) -> Result<Vec<(PagePassages, u64, u64)>> {
    let of = |page: u32| {
        prepared.get(&page).ok_or_else(|| Error::Internal(format!("page {page} of a pair is not prepared")))
    };
    let word = u64::from(options.winnow.characters);
    batch
        .par_iter()
        .map(|&[a, b, shared]| {
            let (x, y) = (of(a)?, of(b)?);
            let max_gap = u64::from(options.max_gap_words) * word;
            let found = align(&x.winnowed, &y.winnowed, &options.winnow, max_gap);
            let seeds_left = found.seeds_left;
            let all = found.passages.len();
            let passages = rows(found, &x.winnowed, &y.winnowed, u64::from(options.min_words) * word);
            let short = (all - passages.len()) as u64;
            let shingles = x.shingles.as_ref().zip(y.shingles.as_ref());
            let overlap = shingles.and_then(|(x, y)| Overlap::from(x, y, options.min_overlap));
            Ok((PagePassages { a, b, shared, passages, overlap }, seeds_left, short))
        })
        .collect()
}

/// Passages of at least `min_weight`, in bytes.
pub(crate) fn rows(found: Alignment, a: &Winnowed, b: &Winnowed, min_weight: u64) -> Vec<Passage> {
    let share = |words: usize, of: &Winnowed| words as f64 / of.units.len().max(1) as f64;
    found
        .passages
        .into_iter()
        .filter(|passage| passage.weight >= min_weight)
        .map(|passage| {
            let (x, y) = (a.units.bytes(passage.a), b.units.bytes(passage.b));
            Passage {
                a_start: x.start as u64,
                a_end: x.end as u64,
                b_start: y.start as u64,
                b_end: y.end as u64,
                words: passage.equal as u32,
                share_a: share(passage.equal, a),
                share_b: share(passage.equal, b),
            }
        })
        .collect()
}

/// The passages of two texts, without a join.
///
/// # Examples
/// ```
/// use webmill_dedup::{PassageOptions, passages};
/// let (a, b) = ("He said: one two three four five six seven eight nine ten eleven twelve.", "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve!");
/// let found = passages(a, b, &PassageOptions::default());
/// assert_eq!((found[0].a_start, found[0].b_start, found[0].words), (9, 0, 12));
/// ```
pub fn passages(a: &str, b: &str, options: &PassageOptions) -> Vec<Passage> {
    let of = |text| Winnowed::of(options.cut(text), &options.winnow);
    let (a, b) = (of(a), of(b));
    let word = u64::from(options.winnow.characters);
    let found = align(&a, &b, &options.winnow, u64::from(options.max_gap_words) * word);
    rows(found, &a, &b, u64::from(options.min_words) * word)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
