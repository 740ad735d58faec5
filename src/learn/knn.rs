//! The classes of the nearest pages.
//!
//! **Definition.** Of the k training pages with the largest cosine (ties: the smaller number), each votes for its classes with its cosine; a
//! class's score is its share of the votes.
//!
//! **Algorithm.** An inverted index gives what the seldom words of a page add to the cosines with all others. What common words (on more
//! than a sixteenth of the pages) can add is bounded by Cauchy and Schwarz: the length of the page's part of common words times that of the
//! other's. The k best by seldom words are computed exactly; only pages that the bound lets come up to these are computed too. Where these
//! would be more work than the postings of the common words, those are added up instead. Exact similarities are computed in the order of
//! words: the result is that of comparing with all.
//!
//! **Cost.** Postings of the seldom words, and the entries of the pages that are computed; memory: the training rows twice, and 4 bytes a page
//! for each thread.
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
    /// Whether a word is on many pages.
    is_common: Vec<bool>,
    /// Length of each page's part of common words.
    common: Vec<f64>,
}

/// A word is common if more than one page in this many has it.
const COMMON: usize = 16;
/// Sums in single precision may be off by some 1e-6: what bounds leave out is out by more.
const SLACK: f64 = 1e-4;

/// Buffers of a thread.
#[derive(Default)]
pub struct NeighbourBuffers {
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
        for (page, (words, values)) in rows.rows().enumerate() {
            for (&word, &value) in words.iter().zip(values) {
                let word = word as usize;
                postings[next[word]] = (page as u32, value);
                next[word] += 1;
            }
        }
        let is_common: Vec<bool> =
            starts.windows(2).map(|of| (of[1] - of[0]) * COMMON > rows.len()).collect();
        let length = |(words, values): (&[u32], &[f32])| {
            let common = words.iter().zip(values).filter(|(word, _)| is_common[**word as usize]);
            common.map(|(_, value)| f64::from(*value).powi(2)).sum::<f64>().sqrt()
        };
        let common = rows.rows().map(length).collect();
        Ok(NearestPages { rows, labels, classes, k: k.max(1), starts, postings, is_common, common })
    }

    /// The training rows and their labels.
    pub fn training(&self) -> (&SparseRows, &Labels, usize) {
        (&self.rows, &self.labels, self.k)
    }

    /// The k nearest pages and their cosines, the nearest first; pages that share no word are not among them.
    pub fn nearest(&self, row: &[(u32, f32)], met: &mut NeighbourBuffers) -> Vec<(u32, f64)> {
        met.sums.resize(self.rows.len(), 0.0);
        met.pages.clear();
        met.dense.resize(self.is_common.len(), 0.0);
        row.iter().for_each(|&(word, value)| met.dense[word as usize] = value);
        let (common, seldom): (Vec<_>, Vec<_>) =
            row.iter().copied().partition(|(word, _)| self.is_common[*word as usize]);
        self.add(&seldom, met);
        let found = match self.reachable(&common, met) {
            Some(pages) => self.exact(&pages, met),
            None => {
                self.add(&common, met);
                let reach =
                    kth(self.k, &met.pages, &met.sums).map_or(f64::NEG_INFINITY, |(sum, _)| sum - SLACK);
                let near = |page: &u32| f64::from(met.sums[*page as usize]) >= reach;
                let pages: Vec<u32> = met.pages.iter().copied().filter(near).collect();
                self.exact(&pages, met)
            }
        };
        met.pages.iter().for_each(|page| met.sums[*page as usize] = 0.0);
        row.iter().for_each(|&(word, _)| met.dense[word as usize] = 0.0);
        best(found, self.k)
    }

    /// Adds what these words give all pages.
    fn add(&self, words: &[(u32, f32)], met: &mut NeighbourBuffers) {
        let of = |word: u32| &self.postings[self.starts[word as usize]..self.starts[word as usize + 1]];
        // Where words stand on about as many pages as there are, all count as met, and it is not asked which were: a wrong guess of the
        // processor costs more than a sum.
        let all = words.iter().map(|(word, _)| of(*word).len()).sum::<usize>();
        if all > self.rows.len() / 2 && met.pages.len() < self.rows.len() {
            met.pages.clear();
            met.pages.extend(0..self.rows.len() as u32);
        }
        let every = met.pages.len() == self.rows.len();
        for &(word, value) in words {
            if every {
                of(word).iter().for_each(|&(page, weight)| met.sums[page as usize] += value * weight);
                continue;
            }
            for &(page, weight) in of(word) {
                let sum = &mut met.sums[page as usize];
                if *sum == 0.0 {
                    met.pages.push(page);
                }
                *sum += value * weight;
            }
        }
    }

    /// Pages that can be among the nearest, whatever common words add; `None` where adding these up is less work.
    fn reachable(&self, common: &[(u32, f32)], met: &NeighbourBuffers) -> Option<Vec<u32>> {
        let length = common.iter().map(|(_, value)| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        let (least, nearest) = kth(self.k, &met.pages, &met.sums)?;
        // The k best so far, exactly: what is among the nearest is at least as near as the last of them.
        let exact = self.exact(&nearest, met);
        let threshold = if exact.len() < self.k {
            least
        } else {
            exact.iter().map(|(_, cosine)| *cosine).fold(f64::INFINITY, f64::min)
        };
        // A page that was not met has common words alone, a part of length 1 at most.
        if length + SLACK >= threshold && met.pages.len() < self.rows.len() {
            return None;
        }
        let reaches = |page: u32| {
            f64::from(met.sums[page as usize]) + length * self.common[page as usize] + SLACK >= threshold
        };
        let pages: Vec<u32> = met.pages.iter().copied().filter(|page| reaches(*page)).collect();
        let entries: usize = pages.iter().map(|page| self.rows.row(*page as usize).0.len()).sum();
        let postings: usize = common
            .iter()
            .map(|(word, _)| self.starts[*word as usize + 1] - self.starts[*word as usize])
            .sum();
        (entries <= postings).then_some(pages)
    }

    /// Cosines with these pages; without those that share no word.
    fn exact(&self, pages: &[u32], met: &NeighbourBuffers) -> Vec<(u32, f64)> {
        let cosine = |page: u32| -> f64 {
            let (words, values) = self.rows.row(page as usize);
            words.iter().zip(values).map(|(w, v)| f64::from(*v) * f64::from(met.dense[*w as usize])).sum()
        };
        pages.iter().map(|&page| (page, cosine(page))).filter(|(_, cosine)| *cosine > 0.0).collect()
    }

    /// Shares of the votes.
    pub fn scores(&self, row: &[(u32, f32)], met: &mut NeighbourBuffers, scores: &mut Vec<f64>) {
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

/// The k-th largest sum, and the pages with the k largest; `None` where fewer have a sum.
fn kth(k: usize, pages: &[u32], sums: &[f32]) -> Option<(f64, Vec<u32>)> {
    let sum = |page: &u32| sums[*page as usize];
    let mut pages: Vec<u32> = pages.iter().copied().filter(|page| sum(page) > 0.0).collect();
    if pages.len() < k {
        return None;
    }
    let (_, last, _) = pages.select_nth_unstable_by(k - 1, |a, b| sum(b).total_cmp(&sum(a)).then(a.cmp(b)));
    let least = f64::from(sum(last));
    pages.truncate(k);
    Some((least, pages))
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
            let mut met = NeighbourBuffers::default();
            prop_assert_eq!(index.nearest(&query, &mut met), all.clone());
            prop_assert_eq!(index.nearest(&query, &mut met), all);
        }
    }

    /// Pages of seldom words of their own, a few shared ones, and words of every page.
    #[test]
    fn bounds_leave_out_pages_and_change_nothing() {
        let mut draw = crate::Draws::new(11);
        let width = 4000;
        let weights =
            TfIdf::new(500, &(0..width).map(|word| if word < 20 { 400 } else { 3 }).collect::<Vec<_>>());
        let page = |draw: &mut crate::Draws| {
            let mut words: Vec<u32> = (0..12).map(|_| draw.below(20) as u32).collect();
            let topic = draw.below(40) as u32;
            words.extend((0..15).map(|_| 20 + topic * 90 + draw.below(90) as u32));
            words.sort_unstable();
            words.dedup();
            weights.row(words.into_iter().map(|word| (word, 1.0)))
        };
        let mut rows = SparseRows::new();
        (0..500).for_each(|_| rows.push(page(&mut draw)));
        let index = NearestPages::new(rows.clone(), width, Labels::single(vec![0; 500]), 1, 5).unwrap();
        let (mut met, mut left_out) = (NeighbourBuffers::default(), 0);
        for _ in 0..100 {
            let query = page(&mut draw);
            let mut dense = vec![0.0; width];
            query.iter().for_each(|(word, value)| dense[*word as usize] = f64::from(*value));
            let all = rows.rows().enumerate().map(|(page, (words, values))| {
                let products = words.iter().zip(values).map(|(w, v)| f64::from(*v) * dense[*w as usize]);
                (page as u32, products.sum::<f64>())
            });
            let all = best(all.filter(|(_, cosine)| *cosine > 0.0).collect(), 5);
            assert_eq!(index.nearest(&query, &mut met), all);
            let (common, seldom): (Vec<_>, Vec<_>) =
                query.iter().copied().partition(|(word, _)| index.is_common[*word as usize]);
            let mut met = NeighbourBuffers {
                sums: vec![0.0; 500],
                dense: dense.iter().map(|x| *x as f32).collect(),
                ..NeighbourBuffers::default()
            };
            index.add(&seldom, &mut met);
            left_out += usize::from(index.reachable(&common, &met).is_some_and(|pages| pages.len() < 100));
        }
        assert!(left_out > 20, "bounds are of use: {left_out}");
    }

    #[test]
    fn too_many_pages_are_refused() {
        let mut rows = SparseRows::new();
        (0..=MAX_PAGES).for_each(|_| rows.push([]));
        let refused = NearestPages::new(rows, 0, Labels::default(), 1, 15).err().unwrap();
        assert!(refused.contains("2000001 training pages"), "{refused}");
    }
}
