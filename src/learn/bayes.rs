//! Naive Bayes: multinomial and complement.
//!
//! **Definition.** Multinomial: score(c) = ln P(c) + Σ x_w ln((N_cw + α)/(N_c + α·V)). Complement: θ_cw = (N_w − N_cw + α)/(N − N_c + α·V),
//! w_cw = −ln θ_cw; score(c) = Σ x_w w_cw, without a prior. N_cw sums what the pages of c have of word w: counts, or weights.
//!
//! **Exactness.** Sums are integers, counts in 2²⁰ths, so that they do not depend on an order: models of parts, merged, equal the model of
//! the whole.
//!
//! **Cost.** One pass over the entries; 8 bytes a word and class.
//!
//! **Reference.** J. D. M. Rennie et al., *Tackling the poor assumptions of naive Bayes text classifiers*, ICML 2003.

use serde::{Deserialize, Serialize};

use crate::labels::Labels;
use crate::linear::Linear;
use crate::rows::SparseRows;

/// What 1 counts as.
const ONE: f64 = (1u64 << 20) as f64;

/// Sums of words by class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BayesCounts {
    classes: usize,
    sums: Vec<u64>,
    pages: Vec<u64>,
}

impl BayesCounts {
    /// No pages yet.
    pub fn new(width: usize, classes: usize) -> Self {
        BayesCounts { classes, sums: vec![0; width * classes], pages: vec![0; classes] }
    }

    /// Adds pages; one of several classes counts in each.
    pub fn add(&mut self, rows: &SparseRows, labels: &Labels) {
        for ((words, values), of) in rows.rows().zip(labels.iter()) {
            for &class in of {
                self.pages[class as usize] += 1;
                for (&word, &value) in words.iter().zip(values) {
                    let units = (f64::from(value.max(0.0)) * ONE).round() as u64;
                    let sum = &mut self.sums[word as usize * self.classes + class as usize];
                    *sum = sum.saturating_add(units);
                }
            }
        }
    }

    /// Adds what was counted of other pages.
    ///
    /// # Panics
    /// Where classes or words differ.
    pub fn merge(&mut self, other: &BayesCounts) {
        assert_eq!(
            (self.classes, self.sums.len()),
            (other.classes, other.sums.len()),
            "the same words and classes"
        );
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
        self.pages.iter_mut().zip(&other.pages).for_each(|(sum, more)| *sum += more);
    }

    fn width(&self) -> usize {
        self.sums.len() / self.classes.max(1)
    }

    fn totals(&self) -> Vec<f64> {
        let mut totals = vec![0u128; self.classes];
        for sums in self.sums.chunks(self.classes) {
            totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += u128::from(*sum));
        }
        totals.iter().map(|total| *total as f64 / ONE).collect()
    }

    /// The multinomial classifier; `uniform`: all classes are as probable before a page is seen.
    pub fn multinomial(&self, alpha: f64, uniform: bool) -> Linear {
        let width = self.width();
        let all: u64 = self.pages.iter().sum();
        let vectors: Vec<(Vec<f64>, f64)> = self
            .totals()
            .iter()
            .enumerate()
            .map(|(class, total)| {
                let below = (total + alpha * width as f64).ln();
                let of =
                    |word: usize| (self.sums[word * self.classes + class] as f64 / ONE + alpha).ln() - below;
                let prior = (self.pages[class].max(1) as f64 / all.max(1) as f64).ln();
                ((0..width).map(of).collect(), if uniform { 0.0 } else { prior })
            })
            .collect();
        Linear::from_classes(width, &vectors)
    }

    /// The complement classifier.
    pub fn complement(&self, alpha: f64) -> Linear {
        let width = self.width();
        let totals = self.totals();
        let all: f64 = totals.iter().sum();
        let by_word: Vec<u128> = self
            .sums
            .chunks(self.classes.max(1))
            .map(|sums| sums.iter().map(|s| u128::from(*s)).sum())
            .collect();
        let vectors: Vec<(Vec<f64>, f64)> = totals
            .iter()
            .enumerate()
            .map(|(class, total)| {
                let below = (all - total + alpha * width as f64).ln();
                let of = |word: usize| {
                    let rest = by_word[word] - u128::from(self.sums[word * self.classes + class]);
                    below - (rest as f64 / ONE + alpha).ln()
                };
                ((0..width).map(of).collect(), 0.0)
            })
            .collect();
        Linear::from_classes(width, &vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merged_parts_equal_the_whole(
            pages in prop::collection::vec((prop::collection::btree_map(0u32..9, 0f32..5.0, 0..6), 0u32..3), 0..40),
            cut in 0usize..40,
        ) {
            let cut = cut.min(pages.len());
            let count = |pages: &[(std::collections::BTreeMap<u32, f32>, u32)]| {
                let mut rows = SparseRows::new();
                pages.iter().for_each(|(row, _)| rows.push(row.iter().map(|(w, v)| (*w, *v))));
                let mut counts = BayesCounts::new(9, 3);
                counts.add(&rows, &Labels::single(pages.iter().map(|(_, class)| *class)));
                counts
            };
            let mut merged = count(&pages[cut..]);
            merged.merge(&count(&pages[..cut]));
            prop_assert_eq!(&merged, &count(&pages));
        }
    }

    #[test]
    fn scores_are_as_defined() {
        // Manning, Raghavan, Schütze, Introduction to Information Retrieval, example 13.1: 0 beijing, 1 chinese, 2 japan, 3 macao,
        // 4 shanghai, 5 tokyo.
        let mut rows = SparseRows::new();
        rows.push([(0, 1.0), (1, 2.0)]);
        rows.push([(1, 2.0), (4, 1.0)]);
        rows.push([(1, 1.0), (3, 1.0)]);
        rows.push([(1, 1.0), (2, 1.0), (5, 1.0)]);
        let mut counts = BayesCounts::new(6, 2);
        counts.add(&rows, &Labels::single([0, 0, 0, 1]));
        let mut scores = Vec::new();
        counts.multinomial(1.0, false).scores([(1, 3.0), (2, 1.0), (5, 1.0)], &mut scores);
        assert!(
            (scores[0].exp() - 0.0003).abs() < 5e-5 && (scores[1].exp() - 0.0001).abs() < 5e-5,
            "{scores:?}"
        );
        // Complement of class 0 is class 1: θ of chinese is (1 + 1)/(3 + 6).
        let complement = counts.complement(1.0);
        assert!((f64::from(complement.weight(1, 0)) + (2.0f64 / 9.0).ln()).abs() < 1e-6);
    }
}
