//! Words that a text is about, by TextRank and by tf·idf.
//!
//! **Definition.** Candidates (`candidates`) are the [words](crate::words()) of a text in their [comparison form](crate::normalize()), without
//! stop words (of the text's language, English and Chinese), numbers, single letters and single ideographs. In TextRank they
//! are the nodes of a graph; two that are within four candidates of each other in the same sentence are joined by an
//! edge that weighs as often as that happens. A word's score is the weighted PageRank on this graph (`text_rank`), given as a share of
//! the highest, to four places. In tf·idf the score is (1 + ln tf) · idf, see [`DocumentFrequencies`](crate::DocumentFrequencies). Ties are broken by first
//! occurrence.
//!
//! **Cost.** O(words × window) edges and that times steps; a text is read to 20,000 words and 5,000 distinct ones.
//!
//! **Reference.** R. Mihalcea, P. Tarau, *TextRank: bringing order into texts*, EMNLP 2004,
//! <https://aclanthology.org/W04-3252>.

use super::frequencies::DocumentFrequencies;
use super::terms_of_text::Terms;
use super::text_rank::text_rank;
use crate::language::language;

/// A word and how much a text is about it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Keyword {
    /// As it is written most often in the text.
    pub word: String,
    /// More is better; for TextRank the best has 1.
    pub score: f64,
}

/// By tf·idf.
fn of_corpus(terms: &Terms, corpus: &DocumentFrequencies) -> Vec<f64> {
    let score = |(hash, count): (u64, u32)| (1.0 + f64::from(count).ln()) * corpus.idf_of(hash);
    terms.counts.iter().copied().map(score).collect()
}

/// Steps of a score by TextRank: finer than that it is not solved for, and words that are alike in the graph shall tie.
const STEPS: f64 = 1e4;

/// By TextRank, as shares of the highest.
fn of_graph(terms: &Terms) -> Vec<f64> {
    let mut scores = text_rank(terms.len(), terms.sentences());
    let top = scores.iter().copied().fold(0.0, f64::max);
    if top > 0.0 {
        scores.iter_mut().for_each(|score| *score = (*score / top * STEPS).round().max(1.0) / STEPS);
    }
    scores
}

/// The best by score, ties by first occurrence.
fn best(terms: &Terms, scores: &[f64], max: usize) -> Vec<Keyword> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|&i| scores[i] > 0.0).collect();
    let by_score = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
    if order.len() > max {
        order.select_nth_unstable_by(max, by_score);
        order.truncate(max);
    }
    order.sort_unstable_by(by_score);
    let keyword = |i: usize| Keyword { word: terms.written(i).to_owned(), score: scores[i] };
    order.into_iter().map(keyword).collect()
}

/// Keywords of a text by both measures, each list the best first.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Keywords {
    /// By tf·idf.
    pub tfidf: Vec<Keyword>,
    /// The best words by TextRank, best first.
    pub textrank: Vec<Keyword>,
}

impl Keywords {
    /// At most `max` by each measure of the terms of a text; `corpus` says how common words are.
    pub fn of_terms(terms: &Terms, corpus: &DocumentFrequencies, max: usize) -> Keywords {
        Keywords {
            tfidf: best(terms, &of_corpus(terms, corpus), max),
            textrank: best(terms, &of_graph(terms), max),
        }
    }
}

/// At most `max` keywords of a text by TextRank, the best first.
///
/// # Examples
/// ```
/// let text = "Green tea is tea. Black tea is also tea; tea needs water, and water makes tea.";
/// let found = webmill_text::keywords(text, 2);
/// assert_eq!((found[0].word.as_str(), found[0].score), ("tea", 1.0));
/// ```
pub fn keywords(text: &str, max: usize) -> Vec<Keyword> {
    let terms = Terms::of(text, language(text).map(|found| found.iso639_3));
    best(&terms, &of_graph(&terms), max)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn words_of_both_scripts() {
        let text = "大熊猫生活在中国的竹林里。大熊猫吃竹子，竹林是大熊猫的家。\nThe panda eats bamboo, and bamboo is all the Panda eats.";
        let found: Vec<String> = keywords(text, 6).into_iter().map(|k| k.word).collect();
        assert!(found.contains(&"大熊猫".to_string()) && found.contains(&"bamboo".to_string()), "{found:?}");
        assert!(
            !found.iter().any(|w| matches!(w.as_str(), "the" | "The" | "的" | "and" | "is")),
            "{found:?}"
        );
        assert_eq!(keywords("", 5), []);
        assert_eq!(keywords("12 345, the of", 5), []);
        assert_eq!(keywords("alone", 5), [Keyword { word: "alone".into(), score: 1.0 }]);
    }

    #[test]
    fn rare_words_stand_out_of_a_corpus() {
        let mut corpus = DocumentFrequencies::new(1000);
        for text in ["the weather is fine today", "fine weather again", "weather: comet seen today"] {
            corpus.add(text);
        }
        let text = "weather and comet, comet and weather";
        let both = Keywords::of_terms(&Terms::of(text, Some("eng")), &corpus, 5);
        let found = &both.tfidf;
        assert_eq!((found[0].word.as_str(), &both.textrank), ("comet", &keywords(text, 5)));
        // (1 + ln 2) · ln(1 + (3 - 1 + ½)/(1 + ½))
        assert!((found[0].score - (1.0 + 2f64.ln()) * (1.0f64 + 2.5 / 1.5).ln()).abs() < 1e-12);
    }
}
