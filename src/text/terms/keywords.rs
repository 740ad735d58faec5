//! Words that a text is about, by TextRank and by tf·idf.
//!
//! **Definition.** Candidates are the [words](crate::words()) of a text in their [comparison form](crate::normalize()), without
//! stop words (of the text's language, English and Chinese), numbers, single letters and single ideographs. In TextRank they
//! are the nodes of a graph; two that are within [`WINDOW`] candidates of each other in the same sentence are joined by an
//! edge that weighs as often as that happens. A word's score is the weighted PageRank on this graph,
//!
//! S(i) = (1 − d)/n + d · Σⱼ wᵢⱼ / (Σₖ wⱼₖ) · S(j), d = 0.85,
//!
//! where words without edges get their (1 − d)/n only; scores are given as shares of the highest. In tf·idf the score is
//! (1 + ln tf) · idf, see [`DocumentFrequencies`](crate::DocumentFrequencies).
//!
//! **Algorithm.** Power iteration from 1/n, at most [`MAX_STEPS`] steps, until no score changes by more than 10⁻⁷/n.
//! Ties are broken by first occurrence.
//!
//! **Cost.** O(words × window) edges and that times steps; a text is read to [`MAX_WORDS`] words and [`MAX_NODES`]
//! distinct ones.
//!
//! **Reference.** R. Mihalcea, P. Tarau, *TextRank: bringing order into texts*, EMNLP 2004,
//! <https://aclanthology.org/W04-3252>.

use std::collections::HashMap;

use super::frequencies::DocumentFrequencies;
use super::normalize::normalize;
use super::stop_words::StopWords;
use super::words::words;
use crate::language::language;

/// Candidates that a word is joined to behind it.
pub const WINDOW: usize = 4;
/// Words of a text that are read.
const MAX_WORDS: usize = 20_000;
/// Distinct candidates of a text.
const MAX_NODES: usize = 5_000;
/// Bytes of a candidate.
const MAX_BYTES: usize = 64;
const DAMPING: f64 = 0.85;
const MAX_STEPS: usize = 100;

/// A word and how much a text is about it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Keyword {
    /// As it is written most often in the text.
    pub word: String,
    /// More is better; for TextRank the best has 1.
    pub score: f64,
}

/// How often a word is written in each way, and which came first.
type Forms<'t> = HashMap<&'t str, (u32, usize)>;

/// The candidates of a text: distinct words with their forms, and sentences as lists of their numbers.
struct Candidates {
    /// Comparison form, count, commonest form as written.
    nodes: Vec<(String, u32, String)>,
    sentences: Vec<Vec<u32>>,
}

impl Candidates {
    fn of(text: &str) -> Candidates {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut nodes: Vec<(String, u32, Forms<'_>)> = Vec::new();
        let mut sentences = Vec::new();
        let mut seen = 0;
        let stop = StopWords::of(language(text).map(|found| found.iso639_3));
        for sentence in text.split(['\n', '.', '!', '?', '。', '！', '？', '；', ';', '|']) {
            if seen >= MAX_WORDS {
                break;
            }
            let mut list = Vec::new();
            words(sentence, |word| {
                seen += 1;
                if seen > MAX_WORDS || word.len() > MAX_BYTES {
                    return;
                }
                let form = normalize(word);
                if !is_candidate(&form, stop) {
                    return;
                }
                let number = match numbers.get(&form) {
                    Some(&number) => number,
                    None if nodes.len() >= MAX_NODES => return,
                    None => {
                        let number = nodes.len() as u32;
                        numbers.insert(form.clone(), number);
                        nodes.push((form, 0, Forms::new()));
                        number
                    }
                };
                let node = &mut nodes[number as usize];
                node.1 += 1;
                let forms = node.2.len();
                node.2.entry(word).or_insert((0, forms)).0 += 1;
                list.push(number);
            });
            if !list.is_empty() {
                sentences.push(list);
            }
        }
        let nodes = nodes.into_iter().map(|(form, count, forms)| {
            let best = forms.into_iter().min_by_key(|&(_, (n, at))| (std::cmp::Reverse(n), at));
            (form, count, best.map_or_else(String::new, |(word, _)| word.to_string()))
        });
        Candidates { nodes: nodes.collect(), sentences }
    }

    fn tfidf(&self, corpus: &DocumentFrequencies) -> Vec<f64> {
        let score =
            |(form, count, _): &(String, u32, String)| (1.0 + f64::from(*count).ln()) * corpus.idf(form);
        self.nodes.iter().map(score).collect()
    }

    /// As shares of the highest.
    fn textrank(&self) -> Vec<f64> {
        let mut scores = text_rank(self.nodes.len(), &self.sentences);
        let top = scores.iter().copied().fold(0.0, f64::max);
        if top > 0.0 {
            scores.iter_mut().for_each(|score| *score /= top);
        }
        scores
    }

    /// The best by score, ties by first occurrence.
    fn best(&self, scores: &[f64], max: usize) -> Vec<Keyword> {
        let mut order: Vec<usize> = (0..scores.len()).filter(|&i| scores[i] > 0.0).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        order.truncate(max);
        order.into_iter().map(|i| Keyword { word: self.nodes[i].2.clone(), score: scores[i] }).collect()
    }
}

/// Whether a word in its comparison form can say what a text is about.
fn is_candidate(form: &str, stop: StopWords) -> bool {
    let mut letters = form.chars().filter(|c| c.is_alphabetic());
    letters.next().is_some() && letters.next().is_some() && !stop.hold(form)
}

/// Keywords of a text by both measures, each list the best first.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Keywords {
    /// By tf·idf.
    pub tfidf: Vec<Keyword>,
    /// By TextRank.
    pub textrank: Vec<Keyword>,
}

impl Keywords {
    /// At most `max` by each measure; `corpus` says how common words are. The text is read once.
    pub fn of(text: &str, corpus: &DocumentFrequencies, max: usize) -> Keywords {
        let candidates = Candidates::of(text);
        Keywords {
            tfidf: candidates.best(&candidates.tfidf(corpus), max),
            textrank: candidates.best(&candidates.textrank(), max),
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
    let candidates = Candidates::of(text);
    candidates.best(&candidates.textrank(), max)
}

/// At most `max` keywords of a text by tf·idf, the best first; `corpus` says how common words are.
///
/// # Examples
/// ```
/// use webmill_text::{DocumentFrequencies, keywords_among};
/// let mut corpus = DocumentFrequencies::new(100);
/// for text in ["Rain and wind.", "Wind and tea.", "Wind and comets."] {
///     corpus.add(text);
/// }
/// assert_eq!(keywords_among("The wind, a comet, the comet: comets and wind.", &corpus, 1)[0].word, "comet");
/// ```
pub fn keywords_among(text: &str, corpus: &DocumentFrequencies, max: usize) -> Vec<Keyword> {
    let candidates = Candidates::of(text);
    candidates.best(&candidates.tfidf(corpus), max)
}

/// The words of a text that [`DocumentFrequencies`] count, each once, in order of occurrence.
pub(crate) fn distinct_forms(text: &str) -> Vec<String> {
    Candidates::of(text).nodes.into_iter().map(|node| node.0).collect()
}

/// PageRank of `n` words on the graph that their sentences make.
fn text_rank(n: usize, sentences: &[Vec<u32>]) -> Vec<f64> {
    let mut pairs = Vec::new();
    for sentence in sentences {
        for (i, &a) in sentence.iter().enumerate() {
            for &b in sentence[i + 1..].iter().take(WINDOW) {
                if a != b {
                    pairs.push((a.min(b), a.max(b)));
                }
            }
        }
    }
    pairs.sort_unstable();
    let mut edges: Vec<(u32, u32, f64)> = Vec::new();
    let mut strength = vec![0.0; n];
    for group in pairs.chunk_by(|x, y| x == y) {
        let (a, b) = group[0];
        let weight = group.len() as f64;
        edges.push((a, b, weight));
        strength[a as usize] += weight;
        strength[b as usize] += weight;
    }
    let share = 1.0 / n.max(1) as f64;
    let mut scores = vec![share; n];
    let mut next = vec![0.0; n];
    for _ in 0..MAX_STEPS {
        next.fill((1.0 - DAMPING) * share);
        for &(a, b, weight) in &edges {
            let (a, b) = (a as usize, b as usize);
            next[a] += DAMPING * weight / strength[b] * scores[b];
            next[b] += DAMPING * weight / strength[a] * scores[a];
        }
        let change = scores.iter().zip(&next).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        std::mem::swap(&mut scores, &mut next);
        if change <= 1e-7 * share {
            break;
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn closed_forms() {
        // A star of k leaves: the centre has c = (1-d)/n + d·k·l, each leaf l = (1-d)/n + d·c/k.
        let sentences: Vec<Vec<u32>> = (1..=4).map(|leaf| vec![0, leaf]).collect();
        let (n, k, d) = (5.0, 4.0, DAMPING);
        let centre = ((1.0 - d) / n + d * k * (1.0 - d) / n) / (1.0 - d * d);
        let leaf = (1.0 - d) / n + d * centre / k;
        let scores = text_rank(5, &sentences);
        assert!((scores[0] - centre).abs() < 1e-6 && (scores[3] - leaf).abs() < 1e-6, "{scores:?}");
        // A ring: all alike. Scores add up to 1 where every word has an edge.
        let ring: Vec<Vec<u32>> = (0..7).map(|i| vec![i, (i + 1) % 7]).collect();
        let scores = text_rank(7, &ring);
        assert!(scores.iter().all(|s| (s - 1.0 / 7.0).abs() < 1e-9));
        // Three words in a row, the middle one twice as strong: path a-b-c with weights 1.
        let scores = text_rank(3, &[vec![0, 1], vec![1, 2]]);
        let b = ((1.0 - d) / 3.0 + 2.0 * d * (1.0 - d) / 3.0) / (1.0 - d * d);
        assert!((scores[1] - b).abs() < 1e-6);
        assert!((scores.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    }

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
        let found = keywords_among("weather and comet, comet and weather", &corpus, 5);
        assert_eq!(found[0].word, "comet");
        let both = Keywords::of("weather and comet, comet and weather", &corpus, 5);
        assert_eq!(
            (&both.tfidf, &both.textrank),
            (&found, &keywords("weather and comet, comet and weather", 5))
        );
        // (1 + ln 2) · ln(1 + (3 - 1 + ½)/(1 + ½))
        assert!((found[0].score - (1.0 + 2f64.ln()) * (1.0f64 + 2.5 / 1.5).ln()).abs() < 1e-12);
    }

    #[test]
    fn hostile_texts_are_bounded() {
        let many: String = (0..100_000).map(|i| format!("word{i}x ")).collect();
        assert!(keywords(&many, 10).len() == 10);
        assert_eq!(keywords(&"x".repeat(1 << 20), 10), []);
    }

    proptest! {
        #[test]
        fn scores_are_shares_in_order(text in "([a-f]{2,3} |[一-十]{2}|[.\n]){0,80}") {
            let found = keywords(&text, 10);
            prop_assert!(found.windows(2).all(|w| w[0].score >= w[1].score));
            prop_assert!(found.iter().all(|k| k.score > 0.0 && k.score <= 1.0));
            prop_assert_eq!(found, keywords(&text, 10));
        }
    }
}
