//! Weights of the words of a page.
//!
//! **Definition.** (1 + ln tf) · (ln((1 + N)/(1 + df)) + 1), then each page divided by its Euclidean length. The logarithm of tf caps what
//! a page gains by repeating a word. A measure of the words (`select`) may multiply them (`tfidf_diff`).

use serde::{Deserialize, Serialize};

use crate::rows::SparseRows;

/// What each word weighs in a page where it stands once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TfIdf {
    factors: Vec<f32>,
}

impl TfIdf {
    /// Of words that stand on `frequencies` of `pages` pages.
    pub fn new(pages: u64, frequencies: &[u32]) -> Self {
        let factor = |&df: &u32| ((1.0 + pages as f64) / (1.0 + f64::from(df))).ln() + 1.0;
        TfIdf { factors: frequencies.iter().map(|df| factor(df) as f32).collect() }
    }

    /// The same without regard to how many pages have a word.
    pub fn flat(words: usize) -> Self {
        TfIdf { factors: vec![1.0; words] }
    }

    /// The same, each word multiplied by a measure of it.
    pub fn times(mut self, measure: &[f64]) -> Self {
        self.factors.iter_mut().zip(measure).for_each(|(factor, by)| *factor *= *by as f32);
        self
    }

    /// What each word weighs.
    pub fn factors(&self) -> &[f32] {
        &self.factors
    }

    /// The weights of a page of these counts.
    pub fn row(&self, counts: impl IntoIterator<Item = (u32, f32)>) -> Vec<(u32, f32)> {
        let mut row: Vec<(u32, f32)> = counts
            .into_iter()
            .map(|(word, tf)| (word, (1.0 + tf.max(1.0).ln()) * self.factors[word as usize]))
            .collect();
        let length = row.iter().map(|(_, weight)| f64::from(*weight).powi(2)).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|(_, weight)| *weight = (f64::from(*weight) / length) as f32);
        }
        row
    }

    /// The weights of pages.
    pub fn rows(&self, counts: &SparseRows) -> SparseRows {
        let mut rows = SparseRows::new();
        for (words, tf) in counts.rows() {
            rows.push(self.row(words.iter().copied().zip(tf.iter().copied())));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_as_defined() {
        let mut counts = SparseRows::new();
        counts.push([(0, 1.0), (1, 4.0)]);
        counts.push([]);
        let rows = TfIdf::new(3, &[1, 3]).rows(&counts);
        let (a, b) = ((4.0f64 / 2.0).ln() + 1.0, 1.0 + 4.0f64.ln());
        let length = a.hypot(b);
        let (_, values) = rows.row(0);
        assert!(
            (f64::from(values[0]) - a / length).abs() < 1e-6
                && (f64::from(values[1]) - b / length).abs() < 1e-6
        );
        assert!(rows.row(1).0.is_empty());
        assert_eq!(TfIdf::new(3, &[3]).times(&[2.5]).factors(), [2.5]);
    }
}
