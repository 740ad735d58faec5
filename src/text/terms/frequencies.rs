//! How many texts of a corpus hold a word, within a budget.
//!
//! **Definition.** df(w) is the number of texts that hold w, N the number of texts. idf(w) = ln(1 + (N − df + ½)/(df + ½)),
//! which is positive and falls with df.
//!
//! **Algorithm.** Lossy counting in rounds: when more words than the budget are held, those of lowest count go, the
//! threshold being the smallest that leaves half of the budget free. It is remembered as the *error*: a word that went may
//! have been counted that often, so a word that comes anew starts from it, and one that is not held is answered by it. A
//! count is never too low. Words are kept by their 64-bit hashes.
//!
//! **Cost.** Amortised constant time a word; memory is the budget. Parts of a corpus are counted apart and merged; as long
//! as no word had to go, neither order nor division changes a count.
//!
//! **Reference.** G. S. Manku, R. Motwani, *Approximate frequency counts over data streams*, VLDB 2002.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::terms_of_text::Terms;
use crate::language::language;

/// Counts of the texts that hold a word.
#[derive(Clone, Debug)]
pub struct DocumentFrequencies {
    counts: Counts,
    texts: u64,
    /// Most that a word not held can have been counted.
    error: u32,
    budget: usize,
}

/// Counts by hashes, which need not be hashed once more.
type Counts = HashMap<u64, u32, BuildHasherDefault<IdentityHasher>>;

/// Takes a hash as it is.
#[derive(Clone, Copy, Default, Debug)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl DocumentFrequencies {
    /// Counts of no text yet; at most `words` words are held, some 32 bytes each.
    pub fn new(words: usize) -> Self {
        DocumentFrequencies { counts: Counts::default(), texts: 0, error: 0, budget: words.max(16) }
    }

    /// Counts the distinct words of one text.
    pub fn add(&mut self, text: &str) {
        self.add_terms(&Terms::of(text, language(text).map(|found| found.iso639_3)));
    }

    /// Counts the terms of one text.
    pub fn add_terms(&mut self, terms: &Terms) {
        self.texts += 1;
        for &(word, _) in &terms.counts {
            let error = self.error;
            let count = self.counts.entry(word).or_insert(error);
            *count = count.saturating_add(1);
        }
        self.shrink();
    }

    /// Adds the counts of another part of the corpus.
    pub fn merge(&mut self, other: &DocumentFrequencies) {
        self.texts += other.texts;
        // Growing step by step while another table is read in its order would crowd one end of this.
        self.counts.reserve(other.counts.len());
        for (word, count) in &mut self.counts {
            if !other.counts.contains_key(word) {
                *count = count.saturating_add(other.error);
            }
        }
        for (&word, &count) in &other.counts {
            let mine = self.counts.entry(word).or_insert(self.error);
            *mine = mine.saturating_add(count);
        }
        self.error = self.error.saturating_add(other.error);
        self.shrink();
    }

    /// Number of texts.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// Number of texts that hold a word given in its comparison form, too high by at most [`error`](Self::error).
    pub fn count(&self, form: &str) -> u32 {
        self.count_of(hash(form))
    }

    fn count_of(&self, hash: u64) -> u32 {
        self.counts.get(&hash).copied().unwrap_or(self.error)
    }

    /// Most that a count is too high.
    pub fn error(&self) -> u32 {
        self.error
    }

    /// Inverse document frequency of a word given in its comparison form; 0 for a corpus without texts.
    pub fn idf(&self, form: &str) -> f64 {
        self.idf_of(hash(form))
    }

    /// The same by the hash of the form.
    pub(super) fn idf_of(&self, hash: u64) -> f64 {
        if self.texts == 0 {
            return 0.0;
        }
        let df = f64::from(self.count_of(hash)).min(self.texts as f64);
        (1.0 + (self.texts as f64 - df + 0.5) / (df + 0.5)).ln()
    }

    fn shrink(&mut self) {
        if self.counts.len() <= self.budget {
            return;
        }
        let mut counts: Vec<u32> = self.counts.values().copied().collect();
        let keep = self.budget / 2;
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let threshold = counts[keep];
        self.counts.retain(|_, count| *count > threshold);
        self.error = self.error.max(threshold);
    }
}

fn hash(form: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(form.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 4] = ["green tea, tea", "black tea", "black coffee", "water"];

    #[test]
    fn counts_texts_not_occurrences() {
        let mut all = DocumentFrequencies::new(1000);
        TEXTS.iter().for_each(|text| all.add(text));
        assert_eq!((all.count("tea"), all.count("black"), all.count("none"), all.texts()), (2, 2, 0, 4));
        assert!((all.idf("tea") - (1.0f64 + 2.5 / 2.5).ln()).abs() < 1e-12);
        assert!((all.idf("none") - (1.0f64 + 4.5 / 0.5).ln()).abs() < 1e-12);
        assert!(all.idf("water") > all.idf("tea") && DocumentFrequencies::new(9).idf("tea") == 0.0);
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let mut all = DocumentFrequencies::new(1000);
        TEXTS.iter().for_each(|text| all.add(text));
        let (mut one, mut two) = (DocumentFrequencies::new(1000), DocumentFrequencies::new(1000));
        TEXTS[..1].iter().for_each(|text| one.add(text));
        TEXTS[1..].iter().for_each(|text| two.add(text));
        two.merge(&one);
        for word in ["tea", "black", "green", "coffee", "water", "none"] {
            assert_eq!(two.count(word), all.count(word), "{word}");
        }
    }

    #[test]
    fn memory_is_bounded_and_errors_are_known() {
        let mut corpus = DocumentFrequencies::new(100);
        for i in 0..2000 {
            corpus.add(&format!("common often{} rare{i}x", i % 3));
        }
        assert!(corpus.counts.len() <= 100);
        let (common, often) = (corpus.count("common"), corpus.count("often1"));
        assert!((2000..=2000 + corpus.error()).contains(&common), "{common}");
        assert!((667..=667 + corpus.error()).contains(&often), "{often}");
        assert!(corpus.count("rare7x") <= corpus.error());
        assert!(corpus.error() < 100, "{}", corpus.error());
    }
}
