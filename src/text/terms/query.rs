//! Texts ranked by a query, by reading all of them: no index is kept.
//!
//! **Definition.** The terms of a query are its words ([`words`](crate::words())), normalised. A text scores
//! Σ idf(t) · tf·(k₁ + 1) / (tf + k₁·(1 − b + b·length/mean length)), k₁ = 1.2, b = 0.75, where tf is how often t occurs
//! in it, idf(t) = ln(1 + (N − n + ½)/(n + ½)), N the number of texts and n of those with t (Okapi BM25).
//!
//! **Algorithm.** A term occurs where its letters do: Chinese terms anywhere, others between characters that are neither
//! letters nor digits. So texts are searched for substrings and not cut into words.
//!
//! **Cost.** A pass over the text per term; 12 bytes and 4 a term for each text that holds one.
//!
//! **Reference.** S. Robertson, H. Zaragoza, The probabilistic relevance framework: BM25 and beyond, *Foundations and
//! Trends in Information Retrieval* 3 (2009), doi:10.1561/1500000019.

use memchr::memmem;
use webmill_capture::cut::Cut;

use super::normalize::normalize;
use super::words::{is_han, words};

/// Most terms of a query; further ones are left out.
pub const MAX_TERMS: usize = 32;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Inverse document frequency of a term that `holding` of `texts` texts hold, as BM25 has it.
pub fn bm25_idf(texts: f64, holding: f64) -> f64 {
    (1.0 + (texts - holding + 0.5) / (holding + 0.5)).ln()
}

/// What a term that occurs `count` times adds to the score of a text of `length` words, in units of its idf.
pub fn bm25_weight(count: u32, length: f64, mean_length: f64) -> f64 {
    let tf = f64::from(count);
    tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * length / mean_length))
}

/// A query: words and phrases to look for.
#[derive(Debug)]
pub struct Query {
    terms: Vec<Term>,
}

#[derive(Debug)]
struct Term {
    text: String,
    finder: memmem::Finder<'static>,
    /// Whether a character before or behind it may be a letter.
    joined: (bool, bool),
}

impl Query {
    /// The query of these words; `None` where there is no word among them.
    pub fn new(text: &str) -> Option<Query> {
        let mut terms: Vec<Term> = Vec::new();
        let text = normalize(text);
        words(&text, |word| {
            if terms.len() < MAX_TERMS && terms.iter().all(|term| term.text != word) {
                let edge = |c: Option<char>| c.is_some_and(is_han);
                terms.push(Term {
                    text: word.to_owned(),
                    finder: memmem::Finder::new(word).into_owned(),
                    joined: (edge(word.chars().next()), edge(word.chars().next_back())),
                });
            }
        });
        (!terms.is_empty()).then_some(Query { terms })
    }

    /// The words of the query, in its order.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(|term| term.text.as_str())
    }

    /// How often each term occurs in `text`.
    ///
    /// # Examples
    /// ```
    /// let query = webmill_text::Query::new("Web 北京").unwrap();
    /// assert_eq!(query.count("the web, a WEB page in 北京市; webs"), [2, 1]);
    /// ```
    pub fn count(&self, text: &str) -> Vec<u32> {
        let text = normalize(text);
        self.terms.iter().map(|term| term.count(&text)).collect()
    }
}

impl Term {
    fn count(&self, text: &str) -> u32 {
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_han(c));
        let found = self.finder.find_iter(text.as_bytes()).filter(|&at| {
            (self.joined.0 || !letter(text.cut(..at).chars().next_back()))
                && (self.joined.1 || !letter(text.cut(at + self.text.len()..).chars().next()))
        });
        u32::try_from(found.count()).unwrap_or(u32::MAX)
    }
}

/// The texts seen so far.
#[derive(Debug, Default)]
pub struct Ranking {
    texts: u64,
    length: f64,
    found: Vec<(u32, f32)>,
    counts: Vec<u32>,
}

impl Ranking {
    /// Adds a text of `length` words in which the terms occur `counts` times; `number` tells it from the others.
    pub fn add(&mut self, number: u32, counts: &[u32], length: u32) {
        self.texts += 1;
        self.length += f64::from(length);
        if counts.iter().any(|count| *count > 0) {
            self.found.push((number, length as f32));
            self.counts.extend_from_slice(counts);
        }
    }

    /// Numbers and scores of the texts that hold a term, best first, ties by number.
    pub fn scores(&self) -> Vec<(u32, f64)> {
        let terms = self.counts.len() / self.found.len().max(1);
        if terms == 0 {
            return Vec::new();
        }
        let texts = self.texts as f64;
        let mean = (self.length / texts).max(1.0);
        let mut holding = vec![0.0; terms];
        for counts in self.counts.chunks(terms) {
            holding.iter_mut().zip(counts).for_each(|(n, count)| *n += f64::from(u8::from(*count > 0)));
        }
        let idf: Vec<f64> = holding.iter().map(|n| bm25_idf(texts, *n)).collect();
        let score = |(&(number, length), counts): (&(u32, f32), &[u32])| {
            let weight = |count: u32| bm25_weight(count, f64::from(length), mean);
            let terms = counts.iter().zip(&idf).map(|(count, idf)| idf * weight(*count));
            (number, terms.sum::<f64>())
        };
        let mut scores: Vec<(u32, f64)> =
            self.found.iter().zip(self.counts.chunks(terms)).map(score).collect();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_stand_between_other_characters() {
        let query = Query::new("Graph, the graph 网络 Ｃafé").unwrap();
        assert_eq!(query.terms().collect::<Vec<_>>(), ["graph", "the", "网络", "café"]);
        assert_eq!(query.count("Graphs, graph-theory, theGraph, 2graph; GRAPH"), [2, 0, 0, 0]);
        assert_eq!(query.count("a网络b 网络 网 络 CAFÉ 网络café。"), [0, 0, 3, 2]);
        assert_eq!(query.count(""), [0; 4]);
        assert!(Query::new(" … ").is_none());
        let long: String = (0..100).map(|n| format!("w{n} ")).collect();
        assert_eq!(Query::new(&long).unwrap().terms().count(), MAX_TERMS);
    }

    #[test]
    fn bm25_by_hand() {
        let mut ranking = Ranking::default();
        for (number, counts, length) in
            [(7, [1, 0], 10), (8, [0, 0], 10), (3, [2, 1], 20), (9, [1, 0], 10), (1, [0, 0], 0)]
        {
            ranking.add(number, &counts, length);
        }
        let scores = ranking.scores();
        let idf = |n: f64| (1.0 + (5.0 - n + 0.5) / (n + 0.5)).ln();
        let part = |tf: f64, length: f64| tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / 10.0));
        let want =
            [(3, idf(3.0) * part(2.0, 20.0) + idf(1.0) * part(1.0, 20.0)), (7, idf(3.0) * part(1.0, 10.0))];
        assert_eq!(scores.iter().map(|s| s.0).collect::<Vec<_>>(), [3, 7, 9]);
        want.iter()
            .zip(&scores)
            .for_each(|(want, got)| assert!((want.1 - got.1).abs() < 1e-12, "{scores:?}"));
        assert!(Ranking::default().scores().is_empty());
    }
}
