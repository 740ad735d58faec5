//! Pages as rows of tf·idf.
//!
//! **Definition.** Words of title and text but for stop words and what has no letter, each weighed (1 + ln tf)·ln((1 + N)/df), rows at length 1. Unlike the weights of
//! classifiers a word of every page weighs next to nothing: no label would tell k-means that it says nothing.

use std::collections::BTreeMap;

use webmill_capture::{Error, Result};
use webmill_learn::{Counter, FeatureOptions, PART, PageFacts, SparseRows, TfIdf, Vocabulary};
use webmill_run::{Measure, Unit};
use webmill_text::StopWords;

use super::pages::{About, Page, Pages};
use super::settings::{COUNTED_WORDS, ClusterSettings, Near};
use crate::learn::settings::TITLE_WEIGHT;

/// Pages that are read at a time.
pub const AT_ONCE: usize = 16 * PART;

/// Counted pages.
pub struct Corpus {
    /// Known facts about each.
    pub abouts: Vec<About>,
    /// Their words.
    pub vocabulary: Vocabulary,
    /// How often each page has each.
    pub counts: SparseRows,
    /// SimHashes of the texts, where they are asked for.
    pub simhashes: Vec<u64>,
}

/// Which parts of a page are counted.
pub fn features() -> FeatureOptions {
    FeatureOptions { title_weight: TITLE_WEIGHT, url: false, anchors: false, ..FeatureOptions::default() }
}

/// What the counter sees of a page.
pub fn facts(page: &Page) -> PageFacts<'_> {
    let language = page.about.language.as_deref().unwrap_or_default();
    PageFacts { title: &page.title, text: &page.text, language, ..PageFacts::default() }
}

impl Corpus {
    /// Counts the pages.
    ///
    /// # Errors
    /// [`Error::Limit`] where memory does not hold them; where the disk fails.
    pub fn read(pages: &mut Pages, settings: &ClusterSettings, unit: &Unit<'_>) -> Result<Corpus> {
        let stage = unit.stage();
        let mut counter = Counter::new(&features(), COUNTED_WORDS);
        let (mut abouts, mut simhashes, mut about_bytes) = (Vec::new(), Vec::new(), 0usize);
        let mut batch: Vec<Page> = Vec::with_capacity(AT_ONCE);
        stage.progress.begin("count words", pages.count, Measure::Items);
        loop {
            stage.cancel.check()?;
            let page = pages.next()?;
            let ended = page.is_none();
            stage.progress.advance(u64::from(!ended));
            batch.extend(page);
            if batch.len() == AT_ONCE || ended {
                counter.add(&batch.iter().map(facts).collect::<Vec<_>>());
                if settings.near == Near::Simhash {
                    simhashes.extend(
                        batch.iter().map(|page| webmill_dedup::simhash(&page.text).map_or(0, |hash| hash.0)),
                    );
                }
                for page in batch.drain(..) {
                    about_bytes +=
                        page.about.url.len() + page.about.host.len() + page.about.domain.len() + 150;
                    abouts.push(page.about);
                }
                // Counts, weighed rows and their inverted index lie side by side.
                let need = 3 * counter.weight() as u64 + about_bytes as u64;
                if need > stage.memory {
                    return Err(Error::Limit(format!(
                        "{} of {} pages take {} MiB already, --memory leaves {} MiB: raise it, or set [learn] batch_pages so low that k-means goes over these pages in batches",
                        abouts.len(),
                        pages.count,
                        need >> 20,
                        stage.memory >> 20
                    )));
                }
            }
            if ended {
                break;
            }
        }
        stage.progress.end();
        let (vocabulary, counts) = counter.finish(least_pages(settings.min_pages, abouts.len()));
        let counts = without_stop_words(&counts, &vocabulary, &languages(abouts.iter()));
        Ok(Corpus { abouts, vocabulary, counts, simhashes })
    }

    /// The weights of the pages of these numbers, by the frequencies among them.
    pub fn weigh(&self, numbers: &[usize]) -> SparseRows {
        weights(&self.counts.select(numbers)).0
    }
}

/// Rows without words that tell no topic.
pub fn without_stop_words(counts: &SparseRows, vocabulary: &Vocabulary, languages: &[&str]) -> SparseRows {
    let tells = telling(vocabulary, languages);
    let mut kept = SparseRows::new();
    for (words, tf) in counts.rows() {
        kept.push(words.iter().copied().zip(tf.iter().copied()).filter(|(word, _)| tells[*word as usize]));
    }
    kept
}

/// Which words tell of topics: none of the stop words of these languages, no single ideographs, which are mostly grammar, and nothing without a letter.
pub fn telling(vocabulary: &Vocabulary, languages: &[&str]) -> Vec<bool> {
    let lists: Vec<StopWords> = languages.iter().map(|language| StopWords::of(Some(language))).collect();
    let tells = |word: &str| {
        word.chars().any(char::is_alphabetic)
            && !is_ideograph(word)
            && !lists.iter().any(|list| list.hold(word))
    };
    (0..vocabulary.len() as u32).map(|word| tells(vocabulary.word(word))).collect()
}

fn is_ideograph(word: &str) -> bool {
    let mut characters = word.chars();
    matches!((characters.next(), characters.next()), (Some('\u{3400}'..='\u{9FFF}'), None))
}

/// Languages of at least a twentieth of pages, in the order of their codes.
pub fn languages<'a>(abouts: impl Iterator<Item = &'a About>) -> Vec<&'a str> {
    common(abouts.map(|about| about.language.as_deref()))
}

/// Languages that at least a twentieth of pages are in, in the order of their codes: a stray page does not take words from the others.
pub fn common<'a>(languages: impl Iterator<Item = Option<&'a str>>) -> Vec<&'a str> {
    let (mut pages, mut all) = (BTreeMap::<&str, usize>::new(), 0);
    for language in languages {
        all += 1;
        if let Some(language) = language {
            *pages.entry(language).or_default() += 1;
        }
    }
    common_of(pages, all)
}

/// The languages that at least a twentieth of `all` pages are in; `pages` has the number of pages of each.
pub fn common_of<L>(pages: BTreeMap<L, usize>, all: usize) -> Vec<L> {
    pages.into_iter().filter(|(_, count)| 20 * count >= all).map(|(language, _)| language).collect()
}

/// Pages in groups by the common languages that they are in, the largest first; those of other languages go with the commonest one (ties: the
/// first code). Where there is one language or none, all are one group, which is called by none.
pub fn by_language<'a>(
    pages: Vec<usize>,
    common: &[&'a str],
    language: impl Fn(usize) -> Option<&'a str>,
) -> Vec<(Option<&'a str>, Vec<usize>)> {
    let of = |common: &str| pages.iter().filter(|page| language(**page) == Some(common)).count();
    let Some(most) =
        common.iter().copied().rev().max_by_key(|common| of(common)).filter(|_| common.len() > 1)
    else {
        return if pages.is_empty() { Vec::new() } else { vec![(None, pages)] };
    };
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for page in pages {
        let language = language(page).filter(|language| common.contains(language));
        groups.entry(language.unwrap_or(most)).or_default().push(page);
    }
    let mut groups: Vec<_> = groups.into_iter().map(|(language, pages)| (Some(language), pages)).collect();
    groups.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
    groups
}

/// On how many pages a word must be: in a corpus of a few pages on fewer than the settings say, or no word would be left.
pub fn least_pages(min_pages: u32, pages: usize) -> u32 {
    min_pages.min((pages as u32 / 2).max(1))
}

/// Rows of counts, weighed by the frequencies among them; and what each word weighs.
pub fn weights(counts: &SparseRows) -> (SparseRows, TfIdf) {
    let mut frequencies = vec![0u32; counts.width()];
    counts.rows().flat_map(|(words, _)| words).for_each(|word| frequencies[*word as usize] += 1);
    let weights = idf(counts.len(), &frequencies);
    let rows = weigh(counts, &weights);
    (rows, weights)
}

/// The weights of words by their document frequencies in a corpus of `pages` pages.
pub fn idf(pages: usize, frequencies: &[u32]) -> TfIdf {
    let n = pages as f64;
    let idf: Vec<f64> = frequencies.iter().map(|df| ((1.0 + n) / f64::from((*df).max(1))).ln()).collect();
    TfIdf::flat(idf.len()).times(&idf)
}

/// Weighed rows, without words that weigh nothing.
pub fn weigh(counts: &SparseRows, weights: &TfIdf) -> SparseRows {
    let mut rows = SparseRows::new();
    for (words, tf) in counts.rows() {
        let row = weights.row(words.iter().copied().zip(tf.iter().copied()));
        rows.push(row.into_iter().filter(|(_, weight)| *weight > 0.0));
    }
    rows
}
