//! The classes of the nearest pages.
//!
//! **Definition.** Of the k training pages with the largest cosine (ties: the smaller number), each votes for its classes with its cosine; a
//! class's score is its share of the votes.
//!
//! **Algorithm.** An inverted index adds up, in single precision, what the words of a page give the cosines with all others. Pages that come
//! as near as the k-th of these sums, up to what rounding can change, are computed exactly in the order of words: the result is that of
//! comparing with all.
//!
//! **Cost.** Postings of the words of a page, and the entries of the pages that are computed; memory: the training rows twice, and 4 bytes a
//! page for each thread.

use crate::labels::Labels;
use crate::rows::SparseRows;

/// Most training pages.
pub const MAX_PAGES: usize = 2_000_000;

/// Training pages with their index.
pub struct NearestPages {
    rows: SparseRows,
    labels: Labels,
    classes: usize,
    k: usize,
    starts: Vec<usize>,
    /// Page and weight, word by word.
    postings: Vec<(u32, f32)>,
}

/// Sums in single precision may be off by some 1e-6: what is left out is out by more.
const SLACK: f64 = 1e-4;

/// Buffers of a thread.
#[derive(Default)]
pub struct Met {
    sums: Vec<f32>,
    dense: Vec<f32>,
}

impl NearestPages {
    /// Indexes rows of length 1.
    ///
    /// # Errors
    /// The reason, where there are too many pages.
    pub fn new(
        rows: SparseRows,
        width: usize,
        labels: Labels,
        classes: usize,
        k: usize,
    ) -> Result<Self, String> {
        if rows.len() > MAX_PAGES {
            return Err(format!(
                "{} training pages: nearest neighbours are looked for among all of them, which is refused above {MAX_PAGES}; \
                 take another method, or fewer labels",
                rows.len()
            ));
        }
        let mut starts = vec![0usize; width + 1];
        rows.rows().for_each(|(words, _)| words.iter().for_each(|&word| starts[word as usize + 1] += 1));
        (1..=width).for_each(|word| starts[word] += starts[word - 1]);
        let mut next = starts.clone();
        let mut postings = vec![(0, 0.0); rows.entries()];
        for (page, (words, values)) in rows.rows().enumerate() {
            for (&word, &value) in words.iter().zip(values) {
                let word = word as usize;
                postings[next[word]] = (page as u32, value);
                next[word] += 1;
            }
        }
        Ok(NearestPages { rows, labels, classes, k: k.max(1), starts, postings })
    }

    /// The training rows and their labels.
    pub fn training(&self) -> (&SparseRows, &Labels, usize) {
        (&self.rows, &self.labels, self.k)
    }

    /// The k nearest pages and their cosines, the nearest first; pages that share no word are not among them.
    pub fn nearest(&self, row: &[(u32, f32)], met: &mut Met) -> Vec<(u32, f64)> {
        met.sums.clear();
        met.sums.resize(self.rows.len(), 0.0);
        met.dense.resize(self.starts.len() - 1, 0.0);
        for &(word, value) in row {
            met.dense[word as usize] = value;
            let postings = &self.postings[self.starts[word as usize]..self.starts[word as usize + 1]];
            postings.iter().for_each(|&(page, weight)| met.sums[page as usize] += value * weight);
        }
        let reach = kth(self.k, &met.sums).map_or(f64::NEG_INFINITY, |sum| sum - SLACK);
        let near = (0u32..).zip(&met.sums).filter(|(_, sum)| **sum > 0.0 && f64::from(**sum) >= reach);
        let found = self.exact(near.map(|(page, _)| page), met);
        row.iter().for_each(|&(word, _)| met.dense[word as usize] = 0.0);
        best(found, self.k)
    }

    /// Cosines with these pages; without those that share no word.
    fn exact(&self, pages: impl Iterator<Item = u32>, met: &Met) -> Vec<(u32, f64)> {
        let cosine = |page: u32| -> f64 {
            let (words, values) = self.rows.row(page as usize);
            words.iter().zip(values).map(|(w, v)| f64::from(*v) * f64::from(met.dense[*w as usize])).sum()
        };
        pages.map(|page| (page, cosine(page))).filter(|(_, cosine)| *cosine > 0.0).collect()
    }

    /// Shares of the votes.
    pub fn scores(&self, row: &[(u32, f32)], met: &mut Met, scores: &mut Vec<f64>) {
        scores.clear();
        scores.resize(self.classes, 0.0);
        let mut all = 0.0;
        for (page, cosine) in self.nearest(row, met) {
            all += cosine;
            self.labels.of(page as usize).iter().for_each(|&class| scores[class as usize] += cosine);
        }
        if all > 0.0 {
            scores.iter_mut().for_each(|score| *score /= all);
        }
    }
}

/// The k-th largest sum; `None` where fewer pages have one.
fn kth(k: usize, sums: &[f32]) -> Option<f64> {
    let mut sums: Vec<f32> = sums.iter().copied().filter(|sum| *sum > 0.0).collect();
    (sums.len() >= k).then(|| f64::from(*sums.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a)).1))
}

/// The k nearest, the nearest first; ties: the smaller number.
fn best(mut found: Vec<(u32, f64)>, k: usize) -> Vec<(u32, f64)> {
    let nearer = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if found.len() > k {
        found.select_nth_unstable_by(k - 1, nearer);
        found.truncate(k);
    }
    found.sort_by(nearer);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::TfIdf;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nearest_are_those_of_comparing_with_all(
            pages in prop::collection::vec(prop::collection::btree_map(0u32..30, 1f32..9.0, 0..12), 1..80),
            query in prop::collection::btree_map(0u32..30, 1f32..9.0, 0..12),
            k in 1usize..6,
        ) {
            let weights = TfIdf::flat(30);
            let mut rows = SparseRows::new();
            pages.iter().for_each(|page| rows.push(weights.row(page.iter().map(|(w, v)| (*w, *v)))));
            let query = weights.row(query.iter().map(|(w, v)| (*w, *v)));
            let mut all: Vec<(u32, f64)> = rows.rows().enumerate().filter_map(|(page, (words, values))| {
                let shared: Vec<f64> = words.iter().zip(values).map(|(w, v)| {
                    f64::from(*v) * query.iter().find(|(q, _)| q == w).map_or(0.0, |(_, x)| f64::from(*x))
                }).collect();
                shared.iter().any(|x| *x > 0.0).then(|| (page as u32, shared.iter().sum()))
            }).collect();
            all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            all.truncate(k);
            let labels = Labels::single(vec![0; pages.len()]);
            let index = NearestPages::new(rows, 30, labels, 1, k).unwrap();
            let mut met = Met::default();
            prop_assert_eq!(index.nearest(&query, &mut met), all.clone());
            prop_assert_eq!(index.nearest(&query, &mut met), all);
        }
    }

    #[test]
    fn too_many_pages_are_refused() {
        let mut rows = SparseRows::new();
        (0..=MAX_PAGES).for_each(|_| rows.push([]));
        let refused = NearestPages::new(rows, 0, Labels::default(), 1, 15).err().unwrap();
        assert!(refused.contains("2000001 training pages"), "{refused}");
    }
}
