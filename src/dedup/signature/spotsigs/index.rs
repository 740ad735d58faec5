//! A block of sets as an inverted index over their rarest elements; see `spotsigs_join`.

use std::ops::Range;

use rayon::prelude::*;

use crate::signature::spotsigs::jaccard;
use crate::signature::spotsigs::join::ResemblanceOptions;

/// Cells that elements are counted in.
const CELLS_LOG2: u32 = 20;

/// Sets that a task looks up.
const TASK: usize = 256;

/// What is rounded away where a real number is a bound on integers: a bound too low costs a comparison, one too high a pair.
const ROUNDING: f64 = 1e-9;

/// How often elements occur, by cells: an order from the rarest to the commonest.
pub(crate) struct Rarity {
    cells: Vec<u32>,
}

impl Rarity {
    pub(crate) fn new() -> Self {
        Rarity { cells: vec![0; 1 << CELLS_LOG2] }
    }

    #[inline]
    fn cell(element: u64) -> usize {
        (element.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - CELLS_LOG2)) as usize
    }

    #[inline]
    pub(crate) fn count(&mut self, element: u64) {
        let cell = &mut self.cells[Self::cell(element)];
        *cell = cell.saturating_add(1);
    }

    /// The first of a set's elements in the order, as many as asked for, rarest first.
    fn first(&self, elements: &[u64], count: usize, into: &mut Vec<(u32, u64)>) {
        into.clear();
        into.extend(elements.iter().map(|&element| (self.cells[Self::cell(element)], element)));
        if count < into.len() {
            into.select_nth_unstable(count);
            into.truncate(count);
        }
        into.sort_unstable();
    }
}

/// Pairs (page, page, resemblance) and what finding them took.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) pairs: Vec<(u32, u32, f64)>,
    pub(crate) compared: u64,
    pub(crate) cut: u64,
}

/// Sets in order of size, one behind the other.
#[derive(Default)]
pub(crate) struct Block {
    pages: Vec<u32>,
    starts: Vec<usize>,
    elements: Vec<u64>,
    /// (element, set), of the elements that are indexed.
    postings: Vec<(u64, u32)>,
}

impl Block {
    pub(crate) fn add(&mut self, page: u32, elements: impl ExactSizeIterator<Item = u64>) {
        self.starts.push(self.elements.len());
        self.pages.push(page);
        self.elements.extend(elements);
    }

    /// What the block takes at most, its index included.
    pub(crate) fn bytes(&self) -> usize {
        self.elements.len() * 24 + self.pages.len() * 24
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    fn set(&self, i: usize) -> &[u64] {
        let end = self.starts.get(i + 1).copied().unwrap_or(self.elements.len());
        &self.elements[self.starts[i]..end]
    }

    /// The first set of that size or more.
    fn first_of_size(&self, size: usize) -> usize {
        let (mut from, mut to) = (0, self.pages.len());
        while from < to {
            let middle = from + (to - from) / 2;
            if self.set(middle).len() < size { from = middle + 1 } else { to = middle }
        }
        from
    }

    /// Whether a set of that size can be within the threshold of one of the block.
    pub(crate) fn reaches(&self, size: usize, threshold: f64) -> bool {
        self.pages.len().checked_sub(1).is_some_and(|last| self.set(last).len() >= least(threshold, size))
    }

    /// Makes the index.
    pub(crate) fn index(&mut self, rarity: &Rarity, threshold: f64) {
        let share = 2.0 * threshold / (1.0 + threshold);
        let prefix = |i: usize| {
            let set = self.set(i);
            set.len() + 1 - least(share, set.len())
        };
        let total = (0..self.pages.len()).map(prefix).sum();
        let mut postings = Vec::with_capacity(total);
        let mut first = Vec::new();
        for i in 0..self.pages.len() {
            rarity.first(self.set(i), prefix(i), &mut first);
            postings.extend(first.iter().map(|&(_, element)| (element, i as u32)));
        }
        postings.par_sort_unstable();
        self.postings = postings;
    }

    /// Every pair of the block.
    pub(crate) fn join_itself(&self, rarity: &Rarity, options: &ResemblanceOptions) -> Found {
        self.join(self, rarity, options, |i| i)
    }

    /// Every pair of a set of the block and one of `others`, which are as large or larger.
    pub(crate) fn join_others(&self, others: &Block, rarity: &Rarity, options: &ResemblanceOptions) -> Found {
        self.join(others, rarity, options, |_| self.pages.len())
    }

    /// Looks up each of `others` among the sets before the one that `until` says.
    fn join(
        &self,
        others: &Block,
        rarity: &Rarity,
        options: &ResemblanceOptions,
        until: impl Fn(usize) -> usize + Sync,
    ) -> Found {
        let tasks = (0..others.pages.len().div_ceil(TASK)).into_par_iter();
        let found: Vec<Found> = tasks
            .map(|task| {
                let mut search = Search {
                    block: self,
                    options,
                    seen: vec![u32::MAX; self.pages.len()],
                    first: Vec::new(),
                    found: Found::default(),
                };
                for i in task * TASK..((task + 1) * TASK).min(others.pages.len()) {
                    search.look_up(others.pages[i], others.set(i), i as u32, until(i), rarity);
                }
                search.found
            })
            .collect();
        found.into_iter().fold(Found::default(), |mut all, mut one| {
            all.pairs.append(&mut one.pairs);
            all.compared += one.compared;
            all.cut += one.cut;
            all
        })
    }

    /// The sets among `range` whose indexed elements hold `element`.
    fn holders(&self, element: u64, range: &Range<u32>) -> &[(u64, u32)] {
        let from = self.postings.partition_point(|posting| *posting < (element, range.start));
        let rest = &self.postings[from..];
        // Lists are short as a rule: near ends are looked for step by step.
        let near = rest.iter().take(16).position(|posting| *posting >= (element, range.end));
        let to = near.unwrap_or_else(|| rest.partition_point(|posting| *posting < (element, range.end)));
        &rest[..to]
    }
}

struct Search<'b> {
    block: &'b Block,
    options: &'b ResemblanceOptions,
    /// For each set of the block the last one that met it.
    seen: Vec<u32>,
    first: Vec<(u32, u64)>,
    found: Found,
}

impl Search<'_> {
    fn look_up(&mut self, page: u32, set: &[u64], number: u32, until: usize, rarity: &Rarity) {
        let threshold = self.options.threshold;
        let least_size = least(threshold, set.len());
        let from = self.block.first_of_size(least_size).min(until);
        if from >= until {
            return;
        }
        let mut first = std::mem::take(&mut self.first);
        rarity.first(set, set.len() + 1 - least_size, &mut first);
        let (mut candidates, mut pairs) = (0, 0);
        'search: for &(_, element) in &first {
            for &(_, i) in self.block.holders(element, &(from as u32..until as u32)) {
                if std::mem::replace(&mut self.seen[i as usize], number) == number {
                    continue;
                }
                if candidates == self.options.most_candidates || pairs == self.options.most_pairs {
                    self.found.cut += 1;
                    break 'search;
                }
                candidates += 1;
                self.found.compared += 1;
                if let Some(resemblance) = compare(self.block.set(i as usize), set, threshold) {
                    pairs += 1;
                    self.found.pairs.push((self.block.pages[i as usize], page, resemblance));
                }
            }
        }
        self.first = first;
    }
}

/// The least integer that is `share` of `size` or more, at least 1 and at most `size`.
fn least(share: f64, size: usize) -> usize {
    ((share * size as f64 - ROUNDING).ceil() as usize).clamp(1, size.max(1))
}

/// Resemblance of two sets if it is at least the threshold.
fn compare(a: &[u64], b: &[u64], threshold: f64) -> Option<f64> {
    let needed = least(threshold / (1.0 + threshold), a.len() + b.len());
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        if common + (a.len() - i).min(b.len() - j) < needed {
            return None;
        }
        let (x, y) = (a[i], b[j]);
        common += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    let resemblance = jaccard(common, a.len(), b.len());
    (resemblance >= threshold).then_some(resemblance)
}
