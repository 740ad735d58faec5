//! The words of a text and how often each stands there.
//!
//! **Definition.** A term is a [word](webmill_text::words) in its [comparison form](webmill_text::normalize), without stop words (English
//! and Chinese), numbers, single letters and words of more than 64 bytes; or a phrase that the topic names. Terms are known by 64-bit hashes.
//!
//! **Cost.** Linear in the text, of which 20,000 words are read.

use std::borrow::Cow;
use std::collections::HashSet;
use webmill_capture::cut::Cut;

use webmill_capture::CanonicalUrl;
use webmill_text::{StopWords, normalize_into, words};
use xxhash_rust::xxh3::xxh3_64;

/// Words of a text that are read.
const MAX_WORDS: usize = 20_000;
/// Bytes of a term.
const MAX_BYTES: usize = 64;
/// Words of a phrase.
pub(super) const MAX_PHRASE: usize = 5;
/// Bytes of a URL whose words count.
const MAX_URL_BYTES: usize = 512;

/// Phrases that count as terms.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Phrases {
    known: HashSet<u64>,
    longest: usize,
}

impl Phrases {
    /// Adds a phrase and gives its term; that of a single word is the word's own.
    pub fn add(&mut self, text: &str) -> Option<u64> {
        let hashes = forms(text);
        match hashes.as_slice() {
            [] => None,
            [one] => Some(*one),
            many if many.len() <= MAX_PHRASE => {
                let term = joined(many);
                self.known.insert(term);
                self.longest = self.longest.max(many.len());
                Some(term)
            }
            _ => None,
        }
    }
}

/// Hash of words in a row.
fn joined(hashes: &[u64]) -> u64 {
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// The hashes of all words of a short text, stop words among them.
fn forms(text: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    let mut form = String::new();
    words(text, |word| {
        form.clear();
        normalize_into(word, &mut form);
        hashes.push(xxh3_64(form.as_bytes()));
    });
    hashes
}

/// Distinct terms, ascending by hash, each with its count.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bag(Vec<(u64, f32)>);

impl Bag {
    /// The terms of texts, each as often as its weight says.
    pub fn of<'t>(texts: impl IntoIterator<Item = (&'t str, f32)>) -> Bag {
        Bag::with(&Phrases::default(), texts)
    }

    pub(super) fn with<'t>(phrases: &Phrases, texts: impl IntoIterator<Item = (&'t str, f32)>) -> Bag {
        let stop = StopWords::of(None);
        let mut found: Vec<(u64, f32)> = Vec::new();
        let mut left = MAX_WORDS;
        for (text, weight) in texts {
            let mut last: Vec<u64> = Vec::new();
            first_forms(text, &mut left, |form| {
                let hash = xxh3_64(form.as_bytes());
                if is_term(form, &stop) {
                    found.push((hash, weight));
                }
                if phrases.longest > 1 {
                    if last.len() == phrases.longest {
                        last.remove(0);
                    }
                    last.push(hash);
                    for from in 0..last.len().saturating_sub(1) {
                        let term = joined(&last[from..]);
                        if phrases.known.contains(&term) {
                            found.push((term, weight));
                        }
                    }
                }
            });
        }
        found.sort_by_key(|(term, _)| *term);
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Bag(found)
    }

    /// Terms and counts.
    pub fn iter(&self) -> impl Iterator<Item = (u64, f32)> + '_ {
        self.0.iter().copied()
    }

    /// Terms, ascending.
    pub fn terms(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().map(|(term, _)| *term)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Whether a word in its comparison form counts.
fn is_term(form: &str, stop: &StopWords) -> bool {
    let mut chars = form.chars();
    let (Some(first), second) = (chars.next(), chars.next()) else { return false };
    let single = second.is_none() && first.is_ascii();
    form.len() <= MAX_BYTES && !single && !form.bytes().all(|b| b.is_ascii_digit()) && !stop.hold(form)
}

/// Calls `each` with the first words of a text in their comparison form, and with whether it is a stop word.
pub(super) fn each_form(text: &str, most: usize, mut each: impl FnMut(&str, bool)) {
    let stop = StopWords::of(None);
    let mut left = most;
    first_forms(text, &mut left, |form| {
        if form.len() <= MAX_BYTES {
            each(form, stop.hold(form));
        }
    });
}

/// The words of a text in their comparison form, as many as are left.
fn first_forms(text: &str, left: &mut usize, mut each: impl FnMut(&str)) {
    let mut form = String::new();
    words(text, |word| {
        if *left > 0 {
            *left -= 1;
            form.clear();
            normalize_into(word, &mut form);
            each(&form);
        }
    });
}

/// The path of a URL as it is read.
pub(super) fn decoded_path(url: &CanonicalUrl) -> Cow<'_, str> {
    let path = url.path();
    let path = path.cut(..path.floor_char_boundary(MAX_URL_BYTES));
    percent_encoding::percent_decode_str(path).decode_utf8_lossy()
}

/// Host and path of a URL, cut at all that is no letter.
pub fn url_words(url: &CanonicalUrl) -> String {
    let decoded = decoded_path(url);
    let host = url.host();
    let mut out = String::with_capacity(host.len() + decoded.len() + 1);
    for c in host.chars().chain(std::iter::once(' ')).chain(decoded.chars()) {
        out.push(if c.is_alphabetic() { c } else { ' ' });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_phrases_and_urls() {
        let mut phrases = Phrases::default();
        let green_tea = phrases.add("Green tea").unwrap();
        let bag = Bag::with(&phrases, [("The green TEA, green tea and 42 teas", 1.0), ("Tea", 3.0)]);
        let count = |term: u64| bag.iter().find(|(known, _)| *known == term).map(|(_, count)| count);
        assert_eq!(count(green_tea), Some(2.0));
        assert_eq!(count(xxh3_64(b"tea")), Some(5.0));
        assert_eq!(count(xxh3_64(b"the")), None);
        assert_eq!(count(xxh3_64(b"42")), None);
        assert_eq!(phrases.add("  "), None);
        let url = CanonicalUrl::parse("http://www.cs.example/~ann/tea-2/%E8%8C%B6.html").unwrap();
        assert_eq!(
            url_words(&url).split_whitespace().collect::<Vec<_>>(),
            ["www", "cs", "example", "ann", "tea", "茶", "html"]
        );
    }

    #[test]
    fn a_long_text_is_read_to_a_bound() {
        let bag = Bag::of([("tea ".repeat(1_000_000).as_str(), 1.0)]);
        assert_eq!(bag.iter().next().unwrap().1, 20_000.0);
    }
}
