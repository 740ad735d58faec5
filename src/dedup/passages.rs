//! Passages that two pages share: which part of one is in the other, with its place in both.
//!
//! Job `dedup` calls it for table `passages` and for pairs of kind `contained`, after exact and near copies are left out.
//!
//! **Definition.** Pages are [winnowed](super::winnow); two pages that share at least `min_shared` selected hashes are
//! aligned, and what both have, unit for unit, is their passages (see `passages_align`).
//!
//! **Algorithm.** (hash, page) goes through an external sort; the pages of one hash make pairs, which are counted by a
//! second one. Then both texts of each pair are read and aligned. Places of a hash are not stored: alignment needs both
//! texts and finds them there, and a text that repeats one phrase costs a single entry.
//!
//! **Omissions, which are counted** ([`PassageCounts`]): hashes on more than [`max_pages`] pages (boilerplate; what `repeated`
//! lists); pairs of pages that both come after the first [`max_representatives`] of a hash (each still meets those); pairs
//! with fewer shared hashes; pairs that neither page has among its [`max_partners`] with the most shared hashes, before it
//! and after it. A page that holds many others, as a manual on one page does, is so aligned with all of them, whichever
//! came first. Whatever the pages, there are at most `max_representatives` pairs a selected hash and twice `max_partners`
//! alignments a page: the work is linear in the texts. Exact copies should be left out by the caller: one page of each
//! text is enough; pairs that are known already are [left out](PassageJoin::leave_out) before partners are chosen.
//!
//! **Cost.** Memory: the given budget, and where one pair of texts is larger than half of it, these two (about 16 bytes a
//! byte of text, texts cut at [`max_text_bytes`]). Disk: 16 bytes a selected hash, 12 a pair.
//!
//! **Determinism.** Rows come by (a, b, place in a), whatever the order of pushing, threads and memory.
//!
//! [`min_shared`]: PassageOptions::min_shared
//! [`max_pages`]: PassageOptions::max_pages
//! [`max_representatives`]: PassageOptions::max_representatives
//! [`max_partners`]: PassageOptions::max_partners
//! [`max_text_bytes`]: PassageOptions::max_text_bytes

pub(crate) mod align;
pub(crate) mod rows;
pub(crate) mod units;
pub(crate) mod winnow;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use webmill_capture::cut::Cut;

use serde::Serialize;
use webmill_capture::bits::Bits;
use webmill_capture::error::Result;
use webmill_sort::{Budget, Sorted, Sorter, look_up};

use crate::passages::winnow::{WinnowOptions, Winnowed};

/// Which passages are sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassageOptions {
    /// k-grams and window.
    pub winnow: WinnowOptions,
    /// Pages above which a hash is boilerplate and makes no pairs, 2 to 100,000; 1,000.
    pub max_pages: u32,
    /// Pages of one hash (the first ones) that every other page of it is paired with, 1 to 1,000; 16.
    pub max_representatives: u32,
    /// Pages before it that a page chooses to be aligned with, those with the most shared hashes, and as many after it that
    /// have not chosen it; 16.
    pub max_partners: u32,
    /// Distinct selected hashes that two pages share at least, from 1; 2.
    pub min_shared: u32,
    /// Words that passages to be joined may have between them on either side, 0 to 1,000; 4, one less than a k-gram. With
    /// 0 both texts of a passage are equal word by word.
    pub max_gap_words: u32,
    /// Words of a passage at least, the gaps not counted; 12, the least that winnowing is sure to find. A letter of a
    /// script without spaces counts 5/12 of a word.
    pub min_words: u32,
    /// Bytes of a text that are looked at, 1 KiB to 1 GiB; 16 MiB. Longer ones are counted.
    pub max_text_bytes: usize,
    /// Words of the shingles by which [`PagePassages::overlap`](super::PagePassages) is computed, up to 100; 3. 0 leaves it
    /// out.
    pub shingle_words: u32,
    /// Share of the shingles of the text with fewer, 0 to 1, below which the overlap of a pair is not counted to its end; 0.
    pub min_overlap: f64,
}

impl Default for PassageOptions {
    fn default() -> Self {
        PassageOptions {
            winnow: WinnowOptions::default(),
            max_pages: 1000,
            max_representatives: 16,
            max_partners: 16,
            min_shared: 2,
            max_gap_words: 4,
            min_words: 12,
            max_text_bytes: 16 << 20,
            shingle_words: 3,
            min_overlap: 0.0,
        }
    }
}

impl PassageOptions {
    /// The part of a text that is looked at.
    pub fn cut<'t>(&self, text: &'t str) -> &'t str {
        text.cut(..text.floor_char_boundary(self.max_text_bytes))
    }

    /// The hashes to [push](PassageJoin::push) for a text, ascending. Needs no join, so that texts can be winnowed by many
    /// threads, in the pass that reads them.
    pub fn hashes(&self, text: &str) -> Vec<u64> {
        self.winnowed(text).hashes()
    }

    /// The text winnowed, to be [pushed](PassageJoin::push_winnowed).
    pub fn winnowed(&self, text: &str) -> Winnowed {
        Winnowed::of(self.cut(text), &self.winnow)
    }
}

/// What was joined and what was left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PassageCounts {
    /// Pages with a hash.
    pub pages: u64,
    /// Pages pushed without a hash: fewer words than a k-gram.
    pub pages_too_short: u64,
    /// Distinct (hash, page).
    pub selections: u64,
    /// Hashes on more than `max_pages` pages.
    pub boilerplate_hashes: u64,
    /// Their (hash, page).
    pub boilerplate_selections: u64,
    /// Pairs that a hash did not make because neither page is one of its first; a pair counts once a hash.
    pub pairs_not_met: u64,
    /// Pairs with fewer shared hashes than `min_shared`.
    pub pairs_with_few: u64,
    /// Pairs that the caller [left out](PassageJoin::leave_out); only those that hashes would have made.
    pub pairs_left_out: u64,
    /// Pairs beyond the partners of both pages.
    pub pairs_beyond_partners: u64,
    /// Pairs that were aligned.
    pub pairs_aligned: u64,
    /// Those of them without a passage that is long enough.
    pub pairs_without_passage: u64,
    /// Texts of pairs that were cut at `max_text_bytes`; one counts each time that it is read.
    pub texts_cut: u64,
    /// Pairs of places of a hash that alignment did not follow.
    pub seeds_left: u64,
    /// Passages shorter than `min_words`.
    pub passages_too_short: u64,
    /// Passages given out.
    pub passages: u64,
}

impl PassageCounts {
    /// Name and number of everything that was left out.
    pub fn left_out(&self) -> [(&'static str, u64); 9] {
        [
            ("passages-page-too-short", self.pages_too_short),
            ("passages-boilerplate-hash", self.boilerplate_hashes),
            ("passages-pair-not-met", self.pairs_not_met),
            ("passages-few-shared", self.pairs_with_few),
            ("passages-pair-known", self.pairs_left_out),
            ("passages-too-many-partners", self.pairs_beyond_partners),
            ("passages-text-cut", self.texts_cut),
            ("passages-seed-not-followed", self.seeds_left),
            ("passages-too-short", self.passages_too_short),
        ]
    }
}

/// Collects the hashes of pages, in any order.
///
/// # Examples
/// ```
/// use webmill_dedup::{PassageJoin, PassageOptions};
/// use webmill_sort::Budget;
/// let quote = "the mill grinds the corpus of the web into tables, slowly but finely, as all good mills have always done, they say";
/// let texts = [format!("One page says: {quote}. It is old."), "Of other things.".repeat(9), format!("{quote}! So it is.")];
///
/// let mut join = PassageJoin::new(PassageOptions::default(), &Budget::new(1 << 20));
/// for (page, text) in texts.iter().enumerate() {
///     join.push_winnowed(page as u32, join.options().winnowed(text))?;
/// }
/// let mut found = Vec::new();
/// join.finish()?.align(|page| Ok(texts[page as usize].as_str()), |pair| Ok(found.push(pair)))?;
/// let passage = &found[0].passages[0];
/// assert_eq!((found[0].a, found[0].b, passage.words), (0, 2, 22));
/// assert_eq!(&texts[0][passage.a_start as usize..passage.a_end as usize], quote);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct PassageJoin {
    options: PassageOptions,
    budget: Budget,
    /// (hash, page).
    selections: Sorter<[u64; 2]>,
    /// Pairs to leave out: [later page, earlier page].
    known: Sorter<[u32; 2]>,
    ready: Ready,
    counts: PassageCounts,
}

/// Texts that are winnowed already, as many as a quarter of the budget holds: alignment needs them again.
#[derive(Default)]
pub(super) struct Ready {
    pages: HashMap<u32, Winnowed>,
    bytes: usize,
}

impl Ready {
    fn keep(&mut self, page: u32, winnowed: Winnowed, budget: &Budget) {
        let bytes = winnowed.memory_bytes();
        if self.bytes + bytes <= budget.memory_bytes / 4 {
            self.bytes += bytes;
            self.pages.insert(page, winnowed);
        }
    }

    pub(super) fn take(&mut self, page: u32) -> Option<Winnowed> {
        self.pages.remove(&page)
    }
}

impl PassageJoin {
    /// A join within `budget`.
    pub fn new(options: PassageOptions, budget: &Budget) -> Self {
        let selections = Sorter::new(&budget.share(2));
        let known = Sorter::new(&budget.share(8));
        PassageJoin {
            options,
            budget: budget.clone(),
            selections,
            known,
            ready: Ready::default(),
            counts: PassageCounts::default(),
        }
    }

    /// The options that the join was made with.
    pub fn options(&self) -> &PassageOptions {
        &self.options
    }

    /// Takes the [hashes](PassageOptions::hashes) of a page. Pages are numbered in the order in which they represent
    /// others: the earliest first. A page is pushed once.
    ///
    /// # Errors
    /// `Error::Io` when the sort cannot write.
    pub fn push(&mut self, page: u32, hashes: &[u64]) -> Result<()> {
        match hashes {
            [] => self.counts.pages_too_short += 1,
            _ => self.counts.pages += 1,
        }
        self.selections.extend(hashes.iter().map(|&hash| [hash, u64::from(page)]))
    }

    /// Takes the hashes of a page that was [winnowed](PassageOptions::winnowed): it is kept for alignment where the budget allows.
    ///
    /// # Errors
    /// `Error::Io` when the sort cannot write.
    pub fn push_winnowed(&mut self, page: u32, winnowed: Winnowed) -> Result<()> {
        self.push(page, &winnowed.hashes())?;
        self.ready.keep(page, winnowed, &self.budget);
        Ok(())
    }

    /// Leaves a pair of pages out, in either order: two that are known to be near each other, of which there is nothing more
    /// to say. It takes no other partner's place.
    ///
    /// # Errors
    /// `Error::Io` when the sort cannot write.
    pub fn leave_out(&mut self, page: u32, other: u32) -> Result<()> {
        self.known.push([page.max(other), page.min(other)])
    }

    /// Ends the input and forms the pairs.
    ///
    /// # Errors
    /// `Error::Io` when a sort cannot read or write.
    pub fn finish(self) -> Result<PassagePairs> {
        let PassageJoin { options, budget, selections, known, mut ready, mut counts } = self;
        // [later page, earlier page, shared hashes]
        let mut pairs = Sorter::new(&budget.share(4)).with_combine(|first: &mut [u32; 3], next| {
            let same = first[..2] == next[..2];
            first[2] = if same { first[2].saturating_add(next[2]) } else { first[2] };
            same
        });
        let mut bucket = Bucket::default();
        for selection in selections.finish()? {
            let [hash, page] = selection?;
            if bucket.hash != hash {
                bucket.pair(&options, &mut counts, &mut pairs)?;
                bucket = Bucket { hash, last: None, size: 0, pages: bucket.pages };
                bucket.pages.clear();
            }
            bucket.push(page as u32, &options);
        }
        bucket.pair(&options, &mut counts, &mut pairs)?;
        let chosen = chosen_by_later(pairs.finish()?, known.finish()?, &options, &mut counts, &budget)?;
        let (pairs, pages) = chosen_by_either(chosen, &options, &mut counts, &budget)?;
        ready.pages.retain(|page, _| pages.contains(*page));
        Ok(PassagePairs { options, budget, pairs, pages, ready, counts })
    }
}

/// The pages of one hash.
#[derive(Default)]
struct Bucket {
    hash: u64,
    last: Option<u32>,
    size: u64,
    /// The pages, ascending; one more than `max_pages` at most.
    pages: Vec<u32>,
}

impl Bucket {
    fn push(&mut self, page: u32, options: &PassageOptions) {
        if self.last.replace(page) != Some(page) {
            self.size += 1;
            if self.size <= u64::from(options.max_pages) {
                self.pages.push(page);
            }
        }
    }

    fn pair(
        &self,
        options: &PassageOptions,
        counts: &mut PassageCounts,
        pairs: &mut Sorter<[u32; 3]>,
    ) -> Result<()> {
        counts.selections += self.size;
        if self.size > u64::from(options.max_pages) {
            counts.boilerplate_hashes += 1;
            counts.boilerplate_selections += self.size;
            return Ok(());
        }
        let mut left = self.size * self.size.saturating_sub(1) / 2;
        for (i, &page) in self.pages.iter().enumerate() {
            let met = &self.pages[..i.min(options.max_representatives as usize)];
            left -= met.len() as u64;
            pairs.extend(met.iter().map(|&earlier| [page, earlier, 1]))?;
        }
        counts.pairs_not_met += left;
        Ok(())
    }
}

/// The pairs of one page that have the most shared hashes, ties by the earlier partner.
struct BestPartners {
    most: usize,
    /// (shared hashes, partner), the worst on top.
    heap: BinaryHeap<(Reverse<u32>, u32)>,
}

impl BestPartners {
    fn new(options: &PassageOptions) -> Self {
        BestPartners { most: options.max_partners as usize, heap: BinaryHeap::new() }
    }

    /// Takes a pair; gives back the one that is not among the best.
    fn push(&mut self, shared: u32, partner: u32) -> Option<(u32, u32)> {
        self.heap.push((Reverse(shared), partner));
        let worst = (self.heap.len() > self.most).then(|| self.heap.pop()).flatten();
        worst.map(|(Reverse(shared), partner)| (shared, partner))
    }

    fn drain(&mut self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.heap.drain().map(|(Reverse(shared), partner)| (shared, partner))
    }
}

/// Set in the number of shared hashes of a pair that the later page chose.
const CHOSEN: u32 = 1 << 31;

/// Leaves out pairs that are known and pairs that share too little, and marks of each page's pairs with earlier ones the best. Takes
/// pairs by (later, earlier), gives them by (earlier, later).
fn chosen_by_later(
    pairs: Sorted<[u32; 3]>,
    known: Sorted<[u32; 2]>,
    options: &PassageOptions,
    counts: &mut PassageCounts,
    budget: &Budget,
) -> Result<Sorted<[u32; 3]>> {
    let mut marked = Sorter::new(&budget.share(4));
    let (mut page, mut best) = (u32::MAX, BestPartners::new(options));
    let mut known = known.map(|pair| Ok((pair?, ()))).peekable();
    for pair in pairs {
        let [later, earlier, shared] = pair?;
        if later != page {
            marked.extend(best.drain().map(|(shared, earlier)| [earlier, page, shared | CHOSEN]))?;
            page = later;
        }
        if shared < options.min_shared {
            counts.pairs_with_few += 1;
            continue;
        }
        if look_up(&mut known, |pair| pair.cmp(&[later, earlier]))?.is_some() {
            counts.pairs_left_out += 1;
            continue;
        }
        if let Some((shared, earlier)) = best.push(shared.min(CHOSEN - 1), earlier) {
            marked.push([earlier, later, shared])?;
        }
    }
    marked.extend(best.drain().map(|(shared, earlier)| [earlier, page, shared | CHOSEN]))?;
    marked.finish()
}

/// The pairs that the later page chose, and of the others of each page with later ones the best; with the pages that are in
/// any, a bit each. Takes and gives pairs by (earlier, later).
fn chosen_by_either(
    marked: Sorted<[u32; 3]>,
    options: &PassageOptions,
    counts: &mut PassageCounts,
    budget: &Budget,
) -> Result<(Sorted<[u32; 3]>, Bits)> {
    let mut kept = Sorter::new(&budget.share(4));
    let mut pages = Bits::default();
    let (mut page, mut best) = (u32::MAX, BestPartners::new(options));
    let mut keep = |pair: [u32; 3]| {
        pages.insert(pair[0]);
        pages.insert(pair[1]);
        kept.push(pair)
    };
    for pair in marked {
        let [earlier, later, shared] = pair?;
        if earlier != page {
            best.drain().try_for_each(|(shared, later)| keep([page, later, shared]))?;
            page = earlier;
        }
        if shared & CHOSEN != 0 {
            keep([earlier, later, shared & !CHOSEN])?;
        } else if best.push(shared, later).is_some() {
            counts.pairs_beyond_partners += 1;
        }
    }
    best.drain().try_for_each(|(shared, later)| keep([page, later, shared]))?;
    Ok((kept.finish()?, pages))
}

/// Pairs of pages to be aligned, by [`align`](Self::align).
pub struct PassagePairs {
    pub(super) options: PassageOptions,
    pub(super) budget: Budget,
    /// [earlier page, later page, shared hashes]
    pub(super) pairs: Sorted<[u32; 3]>,
    pages: Bits,
    pub(super) ready: Ready,
    pub(super) counts: PassageCounts,
}

impl PassagePairs {
    /// Whether a page is in any of them: others' texts are not asked for.
    pub fn contains(&self, page: u32) -> bool {
        self.pages.contains(page)
    }

    /// What was counted so far.
    pub fn counts(&self) -> &PassageCounts {
        &self.counts
    }
}
