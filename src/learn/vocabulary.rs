//! The words of a corpus, numbered in the order of their bytes, and the pages as rows of counts.
//!
//! **Algorithm.** Pages are counted by threads in parts of [`PART`] pages, each with numbers of its own, which are joined in the order
//! of the parts. In the end the words that stay are sorted, and the rows get their numbers. So numbers follow from the words alone.
//!
//! **Bound.** At most `max_words` words are held once a part was joined: of more, those of the fewest pages go (ties: later in the order
//! of bytes), until three quarters are left. They are counted ([`Vocabulary::dropped`]); their counts on later pages begin anew, so a
//! frequency may be too low then, never too high.
//!
//! **Cost.** Memory: the words, and 8 bytes for each different word of each page.
//!
//! **Determinism.** Parts are of fixed size: no number of threads changes a byte.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::facts::{FeatureOptions, FeatureOrigin, PageFacts};
use crate::features::{Extractor, counted, summed};
use crate::interner::Interner;
use crate::rows::SparseRows;

/// Pages that a thread counts before they are joined with the others.
pub const PART: usize = 256;

/// Words by number, and on how many pages each stands.
#[derive(Default)]
pub struct Vocabulary {
    words: Interner,
    frequencies: Vec<u32>,
    pages: u64,
    dropped: u64,
}

/// The form of a vocabulary in a model file.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub struct StoredVocabulary {
    /// Words, in the order of their numbers.
    pub words: Vec<String>,
    /// Pages with each.
    pub frequencies: Vec<u32>,
    /// Pages that were counted.
    pub pages: u64,
    /// Words that were dropped for the bound.
    pub dropped: u64,
}

impl Vocabulary {
    /// Number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The word of a number.
    ///
    /// # Panics
    /// Where there is no such number.
    pub fn word(&self, number: u32) -> &str {
        self.words.word(number)
    }

    /// The number of a word.
    pub fn number(&self, word: &str) -> Option<u32> {
        self.words.find(word)
    }

    /// Pages with the word of this number.
    pub fn frequency(&self, number: u32) -> u32 {
        self.frequencies[number as usize]
    }

    /// Pages with each word.
    pub fn frequencies(&self) -> &[u32] {
        &self.frequencies
    }

    /// Pages that were counted.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Words that were dropped because there were more than the bound.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Source of each word.
    pub fn sources(&self) -> Vec<FeatureOrigin> {
        (0..self.len() as u32).map(|number| FeatureOrigin::of(self.word(number))).collect()
    }

    /// The words of these numbers, which ascend, numbered anew.
    pub fn select(&self, numbers: &[u32]) -> Vocabulary {
        let mut words = Interner::default();
        for &number in numbers {
            words.intern_hashed(self.word(number), self.words.hash(number));
        }
        let frequencies = numbers.iter().map(|&number| self.frequency(number)).collect();
        Vocabulary { words, frequencies, pages: self.pages, dropped: self.dropped }
    }

    /// The counts of a page's known words, ascending by number.
    pub fn count(&self, extractor: &mut Extractor, page: &PageFacts<'_>) -> Vec<(u32, u32)> {
        let mut seen = Vec::new();
        extractor.features(page, |feature, count| {
            if let Some(number) = self.number(feature) {
                seen.push((number, count));
            }
        });
        summed(&mut seen)
    }

    /// In the form that is stored.
    pub fn stored(&self) -> StoredVocabulary {
        StoredVocabulary {
            words: (0..self.len() as u32).map(|number| self.word(number).to_owned()).collect(),
            frequencies: self.frequencies.clone(),
            pages: self.pages,
            dropped: self.dropped,
        }
    }

    /// From the form that is stored; `None` where it is none.
    pub fn from_stored(stored: &StoredVocabulary) -> Option<Vocabulary> {
        let mut words = Interner::default();
        stored.words.iter().for_each(|word| {
            words.intern(word);
        });
        let whole = words.len() == stored.words.len() && stored.words.len() == stored.frequencies.len();
        whole.then(|| Vocabulary {
            words,
            frequencies: stored.frequencies.clone(),
            pages: stored.pages,
            dropped: stored.dropped,
        })
    }
}

/// Counts pages.
pub struct Counter {
    options: FeatureOptions,
    max_words: usize,
    words: Interner,
    frequencies: Vec<u32>,
    rows: Rows,
    forgotten: u64,
    dropped: u64,
}

/// Rows of (number, count).
#[derive(Default)]
struct Rows {
    ends: Vec<usize>,
    entries: Vec<(u32, u32)>,
}

struct Part {
    words: Interner,
    rows: Rows,
}

impl Counter {
    /// Holds at most `max_words` words.
    pub fn new(options: &FeatureOptions, max_words: usize) -> Self {
        Counter {
            options: options.clone(),
            max_words: max_words.clamp(16, u32::MAX as usize / 2),
            words: Interner::default(),
            frequencies: Vec::new(),
            rows: Rows::default(),
            forgotten: 0,
            dropped: 0,
        }
    }

    /// Gives the rows counted so far up; their words and frequencies stay.
    pub fn forget_rows(&mut self) {
        self.forgotten += self.rows.ends.len() as u64;
        self.rows.ends.clear();
        self.rows.entries.clear();
    }

    /// Counts further pages. Give multiples of [`PART`] but for the last ones, so that the bound falls at the same pages whatever is
    /// given at a time.
    pub fn add(&mut self, pages: &[PageFacts<'_>]) {
        let parts: Vec<Part> = pages
            .par_chunks(PART)
            .map(|pages| {
                let mut extractor = Extractor::new(&self.options);
                let mut part = Part { words: Interner::default(), rows: Rows::default() };
                let mut seen = Vec::new();
                for page in pages {
                    let row = counted(&mut extractor, page, &mut part.words, &mut seen);
                    part.rows.entries.extend(row);
                    part.rows.ends.push(part.rows.entries.len());
                }
                part
            })
            .collect();
        parts.into_iter().for_each(|part| self.join(&part));
    }

    fn join(&mut self, part: &Part) {
        let numbers: Vec<u32> = (0..part.words.len() as u32)
            .map(|number| self.words.intern_hashed(part.words.word(number), part.words.hash(number)))
            .collect();
        self.frequencies.resize(self.words.len(), 0);
        let from = self.rows.entries.len();
        for &(number, count) in &part.rows.entries {
            let number = numbers[number as usize];
            self.frequencies[number as usize] += 1;
            self.rows.entries.push((number, count));
        }
        self.rows.ends.extend(part.rows.ends.iter().map(|end| from + end));
        if self.words.len() > self.max_words {
            self.shrink();
        }
    }

    /// Drops the words of the fewest pages, until three quarters of the bound are left.
    fn shrink(&mut self) {
        let mut order: Vec<u32> = (0..self.words.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let by = self.frequencies[b as usize].cmp(&self.frequencies[a as usize]);
            by.then_with(|| self.words.word(a).cmp(self.words.word(b)))
        });
        let left = self.max_words / 4 * 3;
        self.dropped += (order.len() - left) as u64;
        order.truncate(left);
        order.sort_unstable();
        self.keep(&order);
    }

    /// Keeps the words of these numbers and gives them the numbers of their places.
    fn keep(&mut self, order: &[u32]) {
        let mut numbers = vec![u32::MAX; self.words.len()];
        let mut words = Interner::default();
        for &number in order {
            numbers[number as usize] = words.intern_hashed(self.words.word(number), self.words.hash(number));
        }
        self.frequencies = order.iter().map(|&number| self.frequencies[number as usize]).collect();
        self.words = words;
        let mut kept = 0;
        let mut from = 0;
        for end in &mut self.rows.ends {
            for at in from..*end {
                let (number, count) = self.rows.entries[at];
                if numbers[number as usize] != u32::MAX {
                    self.rows.entries[kept] = (numbers[number as usize], count);
                    kept += 1;
                }
            }
            from = std::mem::replace(end, kept);
        }
        self.rows.entries.truncate(kept);
    }

    /// Pages counted so far.
    pub fn pages(&self) -> usize {
        self.forgotten as usize + self.rows.ends.len()
    }

    /// Bytes held.
    pub fn weight(&self) -> usize {
        self.words.weight()
            + self.frequencies.capacity() * 4
            + self.rows.entries.capacity() * 8
            + self.rows.ends.capacity() * 8
    }

    /// The words of at least `min_pages` pages, in the order of their bytes, and the rows of counts that were not given up.
    pub fn finish(mut self, min_pages: u32) -> (Vocabulary, SparseRows) {
        let mut order: Vec<u32> = (0..self.words.len() as u32).collect();
        order.retain(|&number| self.frequencies[number as usize] >= min_pages);
        order.par_sort_unstable_by(|&a, &b| self.words.word(a).cmp(self.words.word(b)));
        self.keep(&order);
        let (mut unsorted, mut rest, mut from) = (Vec::new(), &mut self.rows.entries[..], 0);
        for &end in &self.rows.ends {
            let row;
            (row, rest) = rest.split_at_mut(end - from);
            unsorted.push(row);
            from = end;
        }
        unsorted.into_par_iter().with_min_len(64).for_each(|row| row.sort_unstable());
        let (mut from, mut rows) = (0, SparseRows::new());
        for &end in &self.rows.ends {
            let row = &self.rows.entries[from..end];
            rows.push(row.iter().map(|&(number, count)| (number, count as f32)));
            from = end;
        }
        let pages = self.pages() as u64;
        (Vocabulary { words: self.words, frequencies: self.frequencies, pages, dropped: self.dropped }, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn count(texts: &[String], max_words: usize, min_pages: u32) -> (Vocabulary, SparseRows) {
        let pages: Vec<PageFacts<'_>> =
            texts.iter().map(|text| PageFacts { text, ..PageFacts::default() }).collect();
        let mut counter = Counter::new(&FeatureOptions::default(), max_words);
        counter.add(&pages);
        counter.finish(min_pages)
    }

    proptest! {
        #[test]
        fn counts_equal_a_map(texts in prop::collection::vec("[a-e ]{0,30}", 0..600), min_pages in 1u32..4) {
            let (vocabulary, rows) = count(&texts, 1000, min_pages);
            let maps: Vec<BTreeMap<&str, u32>> = texts
                .iter()
                .map(|text| text.split(' ').filter(|w| !w.is_empty()).fold(BTreeMap::new(), |mut map, word| {
                    *map.entry(word).or_default() += 1;
                    map
                }))
                .collect();
            let mut frequencies = BTreeMap::<&str, u32>::new();
            maps.iter().flat_map(BTreeMap::keys).for_each(|word| *frequencies.entry(word).or_default() += 1);
            frequencies.retain(|_, count| *count >= min_pages);
            let words: Vec<&str> = (0..vocabulary.len() as u32).map(|n| vocabulary.word(n)).collect();
            prop_assert_eq!(words, frequencies.keys().copied().collect::<Vec<_>>());
            prop_assert_eq!(vocabulary.frequencies().to_vec(), frequencies.values().copied().collect::<Vec<_>>());
            for (row, map) in rows.rows().zip(&maps) {
                let row: Vec<(&str, u32)> = row.0.iter().zip(row.1).map(|(&n, &c)| (vocabulary.word(n), c as u32)).collect();
                let kept = map.iter().filter(|(word, _)| frequencies.contains_key(*word));
                prop_assert_eq!(row, kept.map(|(word, count)| (*word, *count)).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn words_beyond_the_bound_are_counted() {
        let texts: Vec<String> = (0..1000).map(|page| format!("common w{}", word(page))).collect();
        let (vocabulary, rows) = count(&texts, 100, 1);
        assert!(vocabulary.len() <= 100);
        assert!(vocabulary.dropped() >= 900);
        assert_eq!(vocabulary.frequency(vocabulary.number("common").unwrap()), 1000);
        assert_eq!(rows.len(), 1000);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let (other, same) = one.install(|| count(&texts, 100, 1));
        assert_eq!((other.stored(), same), (vocabulary.stored(), rows));
    }

    fn word(mut number: usize) -> String {
        let mut word = String::new();
        for _ in 0..3 {
            word.push((b'a' + (number % 26) as u8) as char);
            number /= 26;
        }
        word
    }

    #[test]
    fn words_are_the_same_without_rows() {
        let texts: Vec<String> = (0..1000).map(|page| format!("common w{}", word(page % 300))).collect();
        let (vocabulary, _) = count(&texts, 1000, 2);
        let mut counter = Counter::new(&FeatureOptions::default(), 1000);
        for texts in texts.chunks(PART) {
            let of = |text| PageFacts { text, ..PageFacts::default() };
            counter.add(&texts.iter().map(|text| of(text)).collect::<Vec<_>>());
            counter.forget_rows();
        }
        let (other, rows) = counter.finish(2);
        assert_eq!((other.stored(), rows.len()), (vocabulary.stored(), 0));
    }

    #[test]
    fn a_vocabulary_comes_back() {
        let (vocabulary, _) = count(&["b a".into(), "a c".into()], 100, 1);
        let back = Vocabulary::from_stored(&vocabulary.stored()).unwrap();
        assert_eq!(back.stored(), vocabulary.stored());
        assert_eq!(back.number("b"), Some(1));
        let page = PageFacts { text: "c x a c", ..PageFacts::default() };
        assert_eq!(back.count(&mut Extractor::new(&FeatureOptions::default()), &page), [(0, 1), (2, 2)]);
        assert_eq!(vocabulary.select(&[0, 2]).number("c"), Some(1));
    }
}
