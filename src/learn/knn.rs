//! The classes of the nearest pages.
//!
//! **Definition.** Of the k training pages with the largest cosine (ties: the smaller number), each votes for its classes with its cosine; a
//! class's score is its share of the votes.
//!
//! **Algorithm.** An inverted index whose words have the largest weight that any page gives them. A page's words are taken in falling order
//! of what they can add at most; once all that are left cannot lift a page that was not met yet among the k best of what is known, no
//! further pages are met. What was met is computed again, exactly, in the order of words. So the result is that of comparing with all.
//!
//! **Cost.** Postings of the words that are taken; memory: the training rows twice, and 4 bytes a page for each thread.
//!
//! **Reference.** H. Turtle, J. Flood, *Query evaluation: strategies and optimizations*, Information Processing & Management 31, 1995 (max-score);
//! A. Z. Broder et al., *Efficient query evaluation using a two-level retrieval process*, CIKM 2003 (WAND).

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
    largest: Vec<f32>,
}

/// Buffers of a thread.
#[derive(Default)]
pub struct Met {
    sums: Vec<f32>,
    pages: Vec<u32>,
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
        let mut largest = vec![0.0f32; width];
        for (page, (words, values)) in rows.rows().enumerate() {
            for (&word, &value) in words.iter().zip(values) {
                let word = word as usize;
                postings[next[word]] = (page as u32, value);
                next[word] += 1;
                largest[word] = largest[word].max(value);
            }
        }
        Ok(NearestPages { rows, labels, classes, k: k.max(1), starts, postings, largest })
    }

    /// The training rows and their labels.
    pub fn training(&self) -> (&SparseRows, &Labels, usize) {
        (&self.rows, &self.labels, self.k)
    }

    /// The k nearest pages and their cosines, the nearest first; pages that share no word are not among them.
    pub fn nearest(&self, row: &[(u32, f32)], met: &mut Met) -> Vec<(u32, f64)> {
        let bound = |&(word, value): &(u32, f32)| f64::from(value) * f64::from(self.largest[word as usize]);
        let mut order: Vec<(u32, f32)> = row.to_vec();
        order.sort_by(|a, b| bound(b).total_cmp(&bound(a)).then(a.0.cmp(&b.0)));
        let mut left: f64 = order.iter().map(bound).sum();
        met.sums.resize(self.rows.len(), 0.0);
        met.pages.clear();
        // Where words stand on about as many pages as there are, all count as met.
        let postings = |word: u32| self.starts[word as usize + 1] - self.starts[word as usize];
        let every = row.iter().map(|(word, _)| postings(*word)).sum::<usize>() > self.rows.len() / 2;
        if every {
            met.pages.extend(0..self.rows.len() as u32);
        }
        // Sums in single precision may be off by some 1e-6: what the bounds leave out is out by more.
        const SLACK: f64 = 1e-4;
        let mut threshold = 0.0f64;
        let mut look = 8;
        let mut sums: Vec<f32> = Vec::new();
        for (taken, &(word, value)) in order.iter().enumerate() {
            let postings = &self.postings[self.starts[word as usize]..self.starts[word as usize + 1]];
            if every {
                // Without asking what was met: a wrong guess of the processor costs more than the sum.
                postings.iter().for_each(|&(page, weight)| met.sums[page as usize] += value * weight);
            } else {
                for &(page, weight) in postings {
                    let sum = &mut met.sums[page as usize];
                    if *sum == 0.0 {
                        met.pages.push(page);
                    }
                    *sum += value * weight;
                }
            }
            left -= bound(&(word, value));
            let is_last = taken + 1 == order.len();
            if is_last {
                left = 0.0;
            }
            // Looked at ever more seldom: finding the k-th best costs a pass over all that were met.
            if met.pages.len() >= self.k && (is_last || taken == look) {
                look *= 2;
                sums.clear();
                sums.extend(met.pages.iter().map(|&page| met.sums[page as usize]));
                let at = sums.len() - self.k;
                let (_, kth, _) = sums.select_nth_unstable_by(at, f32::total_cmp);
                threshold = f64::from(*kth);
                if left + SLACK < threshold {
                    break;
                }
            }
        }
        // What is left may still lift a page that was met by so much.
        let enough = met.pages.len() >= self.k;
        let reach = if enough { threshold - left.max(0.0) - SLACK } else { f64::NEG_INFINITY };
        met.dense.resize(self.largest.len(), 0.0);
        row.iter().for_each(|&(word, value)| met.dense[word as usize] = value);
        let mut found: Vec<(u32, f64)> = Vec::new();
        for &page in &met.pages {
            let sum = f64::from(std::mem::take(&mut met.sums[page as usize]));
            if sum >= reach && sum > 0.0 {
                let (words, values) = self.rows.row(page as usize);
                let exact = words
                    .iter()
                    .zip(values)
                    .map(|(w, v)| f64::from(*v) * f64::from(met.dense[*w as usize]))
                    .sum();
                found.push((page, exact));
            }
        }
        row.iter().for_each(|&(word, _)| met.dense[word as usize] = 0.0);
        let nearer = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if found.len() > self.k {
            found.select_nth_unstable_by(self.k - 1, nearer);
            found.truncate(self.k);
        }
        found.sort_by(nearer);
        found
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
