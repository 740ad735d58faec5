//! How many pages of a background hold a term, within a budget.
//!
//! **Definition.** idf(t) = ln(1 + (N − df + ½)/(df + ½)) over N pages; 1 where there are none.
//!
//! **Algorithm.** As [`webmill_text::DocumentFrequencies`]: where more terms than the budget are held, the rarest go, and a term that is not held
//! counts as often as they did. Kept apart from it because it is stored with the frontier.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// Terms held.
const BUDGET: usize = 400_000;

/// Counts of the pages that hold a term.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Corpus {
    pages: u64,
    counts: HashMap<u64, u32>,
    error: u32,
}

/// A corpus as it is stored: terms ascending.
#[derive(Serialize, Deserialize)]
struct StoredCorpus {
    pages: u64,
    error: u32,
    counts: Vec<(u64, u32)>,
}

impl Corpus {
    /// Counts the terms of a page, each once.
    pub fn add(&mut self, terms: impl IntoIterator<Item = u64>) {
        self.pages += 1;
        for term in terms {
            let error = self.error;
            let count = self.counts.entry(term).or_insert(error);
            *count = count.saturating_add(1);
        }
        if self.counts.len() > BUDGET {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        let mut counts: Vec<u32> = self.counts.values().copied().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let threshold = counts[BUDGET / 2];
        self.counts.retain(|_, count| *count > threshold);
        self.error = self.error.max(threshold);
    }

    /// Number of pages.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Inverse document frequency.
    pub fn idf(&self, term: u64) -> f32 {
        if self.pages == 0 {
            return 1.0;
        }
        let all = self.pages as f64;
        let df = f64::from(self.counts.get(&term).copied().unwrap_or(self.error)).min(all);
        (1.0 + (all - df + 0.5) / (df + 0.5)).ln() as f32
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut counts: Vec<(u64, u32)> = self.counts.iter().map(|(term, count)| (*term, *count)).collect();
        counts.sort_unstable();
        postcard::to_allocvec(&StoredCorpus { pages: self.pages, error: self.error, counts })
            .unwrap_or_default()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Corpus> {
        let StoredCorpus { pages, error, counts } = postcard::from_bytes(bytes).ok()?;
        Some(Corpus { pages, error, counts: counts.into_iter().collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_storage() {
        let mut corpus = Corpus::default();
        assert_eq!(corpus.idf(1), 1.0);
        (0..10).for_each(|page| corpus.add([1, 100 + page]));
        assert!(corpus.idf(1) < 0.1 && corpus.idf(105) > 1.0 && corpus.idf(7) > corpus.idf(105));
        assert_eq!(Corpus::from_bytes(&corpus.to_bytes()).unwrap(), corpus);
        assert!(Corpus::from_bytes(&[255; 3]).is_none());
    }

    #[test]
    fn the_rarest_terms_go() {
        let mut corpus = Corpus::default();
        corpus.add(0..3);
        corpus.add(0..(BUDGET as u64 + 10));
        assert!(corpus.counts.len() <= BUDGET / 2 && corpus.error == 1 && corpus.counts[&1] == 2);
    }
}
