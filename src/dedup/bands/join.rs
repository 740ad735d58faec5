//! Candidates by bands, verified as they arrive: every bucket costs its size, not its square.
//!
//! **Definition.** Pages are numbered in a total order that the caller defines: a page's number is its rank. Pages that
//! share a band hash form a *bucket*. In a bucket, taken in order, a page meets the bucket's representatives, first to
//! last, until the caller's verification accepts it as a duplicate of one; if none does, it becomes a representative
//! itself. A bucket has at most [`BandJoinOptions::most_representatives`]; later pages meet those and no others, and are
//! counted, page by page. The matches are the accepted pairs, each once: per bucket a star about each representative.
//!
//! Small buckets are compared completely ([`BandJoinOptions::whole_buckets`]): all pairs of at most that many pages, and of more
//! than [`SURELY_WHOLE`] as long as an eighth of the meetings finds a duplicate. So all pairs of a family of duplicates
//! are found, while a bucket of pages that only share a template costs no more than its representatives.
//!
//! **Earlier pages.** [`BandJoin::push_earlier`] adds pages of earlier results. Buckets without a fresh page are passed
//! over, the others treated as above, so that the matches are exactly those of a join of all pages that have a fresh
//! page in them. Which of two earlier pages represents a bucket matters for that, so their meetings are verified too;
//! they are marked ([`Meeting::earlier`]) for callers that remember verdicts. Whoever needs the matches among earlier
//! pages as a join of all would give them joins all, and answers the meetings that were met before from memory.
//!
//! **Algorithm.** (hash, page) is sorted, externally where it does not fit. Buckets are gathered in chunks, and worked on
//! in rounds: the first page left of every bucket meets all the others left, the accepted ones leave. The meetings of
//! a round do not depend on each other, so they are put to the caller at once, unique and sorted by representative,
//! then page: it can load each text once and compare in parallel. Verdicts are remembered in a table of fixed size, so
//! that most pairs that share several bands are verified once.
//!
//! **Cost.** With `n` pages, `b` bands and the cap `c`: 12·b·n bytes sorted (on disk past half of the memory), at most
//! `b·c·n` meetings and verifications in buckets that are not looked at whole, `b·n` where pages of a bucket are duplicates; for `n` equal pages `n − 1`
//! verifications while the table has room for them. Memory: [`Budget::memory_bytes`], at least 128 KiB, one bit a page where
//! buckets are cut, and what the verification takes.
//!
//! **The cap.** Near-duplicates that agree in little else than what a whole site has in common would be missed past it.
//! Measured on 20,000 pages of one template, each with one twin: where all pages
//! resemble each other by .64 and twins by .85, .980 of the twins meet with a cap of 1, .980 with 16, .981 with 64 and .983
//! with 256; by .75 and .85 .881, .882, .884, .893; twins by .9 above .984 everywhere. What finds twins is that they share a
//! bucket with few others, not how many pages of a common bucket are met, while meetings grow with the cap: 35, 133
//! and 499 a page. Hence the default of 16.
//!
//! **Determinism.** The matches, the pairs cut off and all totals but [`BandJoinTotals::verifications`] are functions of the
//! pages, their bands and the verdicts: not of the order of pushing, threads, or memory. Verifications are a function
//! of these and the memory.
//!
//! **Errors.** `Io` of the disk, `Internal` for a page with too many bands, and the first error of the verification.

use webmill_capture::bits::Bits;
use webmill_capture::error::{Error, Result};
use webmill_sort::{Budget, Sorted, Sorter};

use crate::bands::known::Verdicts;
use crate::bands::rounds::{Chunk, Desk, SLOT_BYTES};
use crate::bands::stream::{Entries, Entry, Touched, bucket, entry};

/// How buckets are worked on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BandJoinOptions {
    /// Most representatives of a bucket, 1 to 65,536 (default 16).
    pub most_representatives: u32,
    /// Buckets of at most this many pages are compared completely, all pairs, 0 to 1,000 (default 1,000; 0: never). Rows of
    /// pairs are at most half as many a page.
    pub whole_buckets: u32,
}

impl Default for BandJoinOptions {
    fn default() -> Self {
        BandJoinOptions { most_representatives: 16, whole_buckets: MOST_WHOLE }
    }
}

/// Buckets of at most this many pages are compared completely, whatever is found in them.
pub const SURELY_WHOLE: u32 = 64;

/// Largest bucket that may be looked at whole.
const MOST_WHOLE: u32 = 1000;

/// Bytes that verdicts are remembered in, for each band of a page.
const BAND_VERDICTS: usize = 64;

/// Most bands of a page.
const MOST_BANDS: usize = 1024;

/// A question: is the page a duplicate of the representative?
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Meeting {
    /// The page that comes first in the total order.
    pub representative: u32,
    /// The other.
    pub page: u32,
    /// Both are pages of earlier results.
    pub earlier: bool,
}

/// An accepted pair.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct BandMatch {
    /// The page that comes first in the total order.
    pub representative: u32,
    /// The other.
    pub page: u32,
    /// What the verification gave.
    pub similarity: f32,
}

/// What a join did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct BandJoinTotals {
    /// Buckets of two pages or more.
    pub buckets: u64,
    /// Pages of the largest bucket.
    pub largest_bucket: u64,
    /// Times that a page met a representative, in all buckets.
    pub meetings: u64,
    /// Meetings that were put to the verification; fewer, as verdicts are remembered.
    pub verifications: u64,
    /// Buckets in which a page met the most representatives and was none's duplicate.
    pub capped_buckets: u64,
    /// Times that this happened to a page.
    pub capped_meetings: u64,
    /// Pages that it happened to.
    pub capped_pages: u64,
}

/// Gathers pages by their bands and joins them.
///
/// # Examples
/// ```
/// use webmill_dedup::{BandJoin, BandJoinOptions, BandShape, Shingles, text_bands};
/// use webmill_sort::Budget;
///
/// let texts = [
///     "the mill grinds the corpus of the web into tables slowly but finely as mills do everywhere",
///     "whoever reads a page once need not read it again as the tables hold all that was on it",
///     "the mill grinds the corpus of the web into tables slowly but finely as mills do everywhere now",
/// ];
/// let mut join = BandJoin::new(&BandJoinOptions::default(), &Budget::new(1 << 20));
/// for (page, text) in texts.iter().enumerate() {
///     // Pages without bands are no near-duplicates of anything.
///     if let Some(bands) = text_bands(text, &BandShape::default()) {
///         join.push(page as u32, &bands)?;
///     }
/// }
/// let shingles = texts.map(|text| Shingles::of(text, 3));
/// let matches = join.run(|meetings, verdicts| {
///     for (meeting, verdict) in meetings.iter().zip(verdicts) {
///         let (a, b) = (meeting.representative as usize, meeting.page as usize);
///         let resemblance = shingles[a].resemblance(&shingles[b]);
///         *verdict = (resemblance >= 0.8).then_some(resemblance as f32);
///     }
///     Ok(())
/// })?;
/// let pairs: Vec<(u32, u32)> =
///     matches.map(|found| found.map(|found| (found.representative, found.page))).collect::<Result<_, _>>()?;
/// assert_eq!(pairs, [(0, 2)]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct BandJoin {
    options: BandJoinOptions,
    budget: Budget,
    fresh: Sorter<Entry>,
    earlier: Option<EarlierBuckets>,
    /// Bands of all pages.
    bands: usize,
}

/// Earlier pages in buckets that fresh ones touch.
struct EarlierBuckets {
    sorter: Sorter<Entry>,
    touched: Touched,
    /// An earlier page was taken, for which all fresh ones must be known.
    begun: bool,
}

impl BandJoin {
    /// A join of pages with each other. Values of the options out of range are taken as the nearest in it.
    pub fn new(options: &BandJoinOptions, budget: &Budget) -> Self {
        BandJoin {
            options: options.clone(),
            budget: budget.clone(),
            fresh: Sorter::new(&budget.fraction(1, 2)),
            earlier: None,
            bands: 0,
        }
    }

    /// A join of pages with each other and with earlier ones.
    pub fn with_earlier(options: &BandJoinOptions, budget: &Budget) -> Self {
        let earlier = EarlierBuckets {
            sorter: Sorter::new(&budget.fraction(3, 16)),
            touched: Touched::new(budget.memory_bytes / 16),
            begun: false,
        };
        let fresh = Sorter::new(&budget.fraction(1, 4));
        BandJoin { fresh, earlier: Some(earlier), ..Self::new(options, budget) }
    }

    /// Takes a page: its rank in the total order, and the hashes of its bands.
    ///
    /// # Errors
    /// `Io` when the disk refuses; `Internal` for more than 1,024 bands, and after an earlier page.
    pub fn push(&mut self, page: u32, bands: &[u64]) -> Result<()> {
        admit(page, bands)?;
        self.bands += bands.len();
        if let Some(earlier) = &mut self.earlier {
            if earlier.begun {
                return Err(Error::Internal("a join was given a fresh page after an earlier one".into()));
            }
            bands.iter().for_each(|&band| earlier.touched.insert(band));
        }
        bands.iter().try_for_each(|&band| self.fresh.push(entry(band, page)))
    }

    /// Takes a page of earlier results, whose ranks are in the same order as those of fresh pages. All fresh pages come
    /// before: of the earlier ones only what they may touch is kept and sorted.
    ///
    /// # Errors
    /// As [`push`](Self::push); `Internal` in a join that was not made [with earlier ones](Self::with_earlier).
    pub fn push_earlier(&mut self, page: u32, bands: &[u64]) -> Result<()> {
        admit(page, bands)?;
        let Some(earlier) = &mut self.earlier else {
            return Err(Error::Internal("a join without earlier pages was given one".into()));
        };
        earlier.begun = true;
        self.bands += bands.len();
        for &band in bands {
            if earlier.touched.contains(band) {
                earlier.sorter.push(entry(band, page))?;
            }
        }
        Ok(())
    }

    /// Whether a page with these bands may share a bucket with a fresh page: whether what it takes to verify it may be
    /// needed. True in a join without earlier pages.
    pub fn touches(&self, bands: &[u64]) -> bool {
        let Some(earlier) = &self.earlier else { return true };
        bands.iter().any(|&band| earlier.touched.contains(band))
    }

    /// Joins: `verify` is given meetings, and for each sets a similarity where the page is a duplicate (it is given
    /// `None`). It is asked for a pair again where memory was too small to remember the verdict, and must give
    /// the same answer.
    ///
    /// # Errors
    /// `Io` when the disk refuses; the first error of `verify`, which ends the join.
    pub fn run(
        self,
        verify: impl FnMut(&[Meeting], &mut [Option<f32>]) -> Result<()>,
    ) -> Result<BandMatches> {
        let BandJoin { options, budget, fresh, earlier, bands } = self;
        let earlier = earlier.map(|earlier| earlier.sorter.finish()).transpose()?;
        let mut entries = Entries::new(fresh.finish()?, earlier)?;
        let mut found =
            Sorter::new(&budget.fraction(1, 8)).with_combine(|first: &mut [u32; 3], next| first == next);
        let mut known = Verdicts::new((budget.memory_bytes / 4).min(bands.saturating_mul(BAND_VERDICTS)));
        let (mut totals, mut cut) = (BandJoinTotals::default(), Bits::default());
        let mut desk = Desk {
            verify,
            accept: |meeting: Meeting, similarity: f32| match meeting.earlier {
                true => Ok(()),
                false => found.push([meeting.representative, meeting.page, similarity.to_bits()]),
            },
            known: &mut known,
            totals: &mut totals,
            cut: &mut cut,
            most: options.most_representatives.clamp(1, 1 << 16),
            parallel: budget.threads > 1,
        };
        let most_pages = (budget.memory_bytes / 8 / SLOT_BYTES).clamp(2 * MOST_WHOLE as usize, 1 << 30);
        let whole = options.whole_buckets.min(MOST_WHOLE) as usize;
        work(&mut entries, most_pages, whole, &mut desk)?;
        drop((entries, known));
        Ok(BandMatches { found: found.finish()?, totals, cut })
    }
}

fn admit(page: u32, bands: &[u64]) -> Result<()> {
    match bands.len() {
        0..=MOST_BANDS => Ok(()),
        len => Err(Error::Internal(format!("page {page} has {len} bands, at most {MOST_BANDS} are joined"))),
    }
}

/// Gathers buckets in chunks of at most `most_pages` pages and works on them.
fn work<F, G>(entries: &mut Entries, most_pages: usize, whole: usize, desk: &mut Desk<'_, F, G>) -> Result<()>
where
    F: FnMut(&[Meeting], &mut [Option<f32>]) -> Result<()>,
    G: FnMut(Meeting, f32) -> Result<()>,
{
    let mut chunk = Chunk::default();
    // The bucket that is being gathered, where it begins in the chunk, and its pages so far.
    let (mut current, mut from, mut pages) = (None, 0, 0);
    loop {
        let next = entries.next()?;
        let of = next.map(|(entry, _)| bucket(&entry));
        if of != current || next.is_none() {
            desk.totals.buckets += u64::from(pages >= 2);
            desk.totals.largest_bucket = desk.totals.largest_bucket.max(pages);
            if chunk.in_pieces() {
                chunk.work_piece(desk)?;
                chunk.end_pieces();
            } else {
                chunk.complete_from(from, whole);
            }
            (current, from, pages) = (of, chunk.len(), 0);
        }
        let Some((entry, fresh)) = next else { break };
        if chunk.len() >= most_pages {
            if chunk.complete() > 0 {
                chunk.work(from, desk)?;
                from = 0;
            } else {
                chunk.work_piece(desk)?;
            }
        }
        chunk.push(entry[2], fresh);
        pages += 1;
    }
    chunk.work(chunk.len(), desk)
}

/// The accepted pairs, by representative and page, each once. Ends after the first error of the disk.
pub struct BandMatches {
    found: Sorted<[u32; 3]>,
    totals: BandJoinTotals,
    cut: Bits,
}

impl BandMatches {
    /// What the join did.
    pub fn totals(&self) -> &BandJoinTotals {
        &self.totals
    }

    /// Did the page meet only the most representatives of one of its buckets, so that a duplicate of it may be missing?
    pub fn was_cut(&self, page: u32) -> bool {
        self.cut.contains(page)
    }
}

impl Iterator for BandMatches {
    type Item = Result<BandMatch>;

    fn next(&mut self) -> Option<Result<BandMatch>> {
        let found = self.found.next()?;
        Some(found.map(|[representative, page, similarity]| BandMatch {
            representative,
            page,
            similarity: f32::from_bits(similarity),
        }))
    }
}

#[cfg(test)]
#[path = "join_tests.rs"]
mod tests;
