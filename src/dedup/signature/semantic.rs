//! Semantic fingerprint: two tellings of one story have the same few keywords.
//!
//! **Definition.** Of a text the first [`SEMANTIC_CHARS`] characters are read and their
//! [synonyms](crate::Synonyms) folded. The words of what comes out (see [`words`](webmill_text::words())), without stop words
//! and those of fewer than two letters, are weighted by tf·idf: occurrences times the inverse document frequency that the
//! caller gives, times three for nouns and proper names where a
//! [table of parts of speech](PartsOfSpeech) is given. The [`SEMANTIC_KEYWORDS`] of most weight, ties by their bytes, are
//! sorted as bytes and joined by a byte 0; the fingerprint is XXH3-64 of that. Equal fingerprints make a candidate, nothing
//! more. A text of fewer than two different words has none: pages of no word or one are
//! candidates of nothing.
//!
//! Words of the two tables are kept whole: neighbours that the segmentation cut and that make such a word together are one
//! (罗 玉 凤 where the table has 罗玉凤), the longest first.
//!
//! **Cost.** Linear in the characters read: some 100 bytes a distinct word, for the time of the call.
//!
//! **Determinism.** A function of the text, the tables and the frequencies.

use std::collections::HashMap;
use std::io::BufRead;
use webmill_capture::cut::Cut;

use webmill_capture::error::{Error, Result};
use webmill_text::{StopWords, language, normalize, words};
use xxhash_rust::xxh3::xxh3_64;

use crate::signature::synonyms::{MAX_LINE_BYTES, MAX_WORD_CHARS, Synonyms, read_line};
use crate::signature::{PageParts, Signature};

/// Segments that are joined to a word of a table at most.
const MAX_JOINED: usize = 8;

/// Entries of a table of parts of speech.
const MAX_ENTRIES: usize = 8_000_000;

/// Characters of a text that are read, from its beginning.
pub const SEMANTIC_CHARS: usize = 20_000;

/// Keywords that are hashed.
pub const SEMANTIC_KEYWORDS: usize = 5;

/// Texts of fewer different keywords have no fingerprint.
const LEAST_KEYWORDS: usize = 2;

/// What the weight of nouns and proper names is multiplied by.
const NOUN_FACTOR: f64 = 3.0;

/// Which words are nouns or proper names.
///
/// A line of the file is `word tag`, as dictionaries of segmenters have it (a number between the two is passed over).
/// Nouns are the tags that begin with `n` in the lower-case sets of Chinese dictionaries (`n`, `nr`, `ns`, `nt`, `nz`), `NN…` of the
/// Penn set, `NOUN` and `PROPN` of the universal one; words of other tags are known too and count once.
#[derive(Clone, Debug, Default)]
pub struct PartsOfSpeech {
    nouns: HashMap<String, bool>,
    refused: u64,
}

impl PartsOfSpeech {
    /// Reads a table. Lines that cannot be used are counted ([`refused`](Self::refused)).
    ///
    /// # Errors
    /// `Io` with `name` where the source cannot be read, `Limit` past 8 million words.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::PartsOfSpeech;
    /// let table = PartsOfSpeech::read("罗玉凤 nr\n北大 3 nt\n征婚 v\n".as_bytes(), "tags.txt")?;
    /// assert!(table.is_noun("罗玉凤") && table.is_noun("北大") && !table.is_noun("征婚"));
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn read(mut source: impl BufRead, name: &str) -> Result<Self> {
        let mut made = PartsOfSpeech::default();
        let mut line = Vec::new();
        loop {
            line.clear();
            let bytes = read_line(&mut source, &mut line).map_err(|e| Error::io(name, e))?;
            if bytes == 0 {
                return Ok(made);
            }
            match std::str::from_utf8(&line) {
                Ok(text) if bytes <= MAX_LINE_BYTES => made.line(text),
                _ => made.refused += 1,
            }
            if made.nouns.len() > MAX_ENTRIES {
                return Err(Error::Limit(format!("{name}: more than {MAX_ENTRIES} words")));
            }
        }
    }

    fn line(&mut self, line: &str) {
        let mut fields = line.split_whitespace();
        let Some(word) = fields.next().filter(|word| !word.starts_with('#')) else { return };
        let form = normalize(word);
        match fields.next_back() {
            Some(tag) if !form.is_empty() && form.chars().count() <= MAX_WORD_CHARS => {
                // A word of several tags is a noun if one of them says so.
                *self.nouns.entry(form).or_insert(false) |= is_noun_tag(tag);
            }
            _ => self.refused += 1,
        }
    }

    /// Whether a word given in its comparison form is a noun or a proper name.
    pub fn is_noun(&self, form: &str) -> bool {
        self.nouns.get(form).copied().unwrap_or(false)
    }

    /// Lines without a tag, with a word that is too long, longer than 1 MiB or no UTF-8.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    fn knows(&self, form: &str) -> bool {
        self.nouns.contains_key(form)
    }
}

fn is_noun_tag(tag: &str) -> bool {
    matches!(tag, "NOUN" | "PROPN" | "noun" | "propn")
        || tag.starts_with("NN")
        || (tag.starts_with('n') && tag.len() <= 4 && tag != "num" && tag != "neg")
}

/// Makes semantic fingerprints.
///
/// `idf` gives the inverse document frequency of a word in its comparison form: that of
/// [`DocumentFrequencies`](webmill_text::DocumentFrequencies), or of any table of counts.
#[derive(Clone, Debug)]
pub struct Semantic<'t, F> {
    /// Inverse document frequency of a word.
    pub idf: F,
    /// Words that stand for one another.
    pub synonyms: Option<&'t Synonyms>,
    /// Which words are nouns.
    pub parts_of_speech: Option<&'t PartsOfSpeech>,
}

impl<'t, F: Fn(&str) -> f64> Semantic<'t, F> {
    /// Fingerprints with frequencies alone.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::Semantic;
    /// use webmill_text::DocumentFrequencies;
    /// let mut corpus = DocumentFrequencies::new(1000);
    /// ["rain and wind", "wind and sun", "sun and rain"].iter().for_each(|text| corpus.add(text));
    /// let semantic = Semantic::new(|form: &str| corpus.idf(form));
    /// let one = semantic.fingerprint("A comet was seen over Madrid. The comet, bright over Madrid!");
    /// assert_eq!(one, semantic.fingerprint("Over Madrid: bright comet seen"));
    /// assert_eq!(semantic.fingerprint("comet comet"), None);
    /// ```
    pub fn new(idf: F) -> Self {
        Semantic { idf, synonyms: None, parts_of_speech: None }
    }

    /// The fingerprint of a text; `None` where it has too few different words.
    pub fn fingerprint(&self, text: &str) -> Option<u64> {
        let keywords = self.keywords(text);
        (keywords.len() >= LEAST_KEYWORDS).then(|| xxh3_64(keywords.join("\0").as_bytes()))
    }

    /// The keywords that are hashed, sorted as bytes.
    pub fn keywords(&self, text: &str) -> Vec<String> {
        let text = match text.char_indices().nth(SEMANTIC_CHARS) {
            Some((end, _)) => text.cut(..end),
            None => text,
        };
        let stop = StopWords::of(language(text).map(|found| found.iso639_3));
        let folded = match self.synonyms {
            Some(synonyms) => synonyms.fold(text),
            None => normalize(text),
        };
        let mut counts: HashMap<&str, u32> = HashMap::new();
        self.each_word(&folded, |word| {
            if counts_as_keyword(word, stop) {
                *counts.entry(word).or_default() += 1;
            }
        });
        let mut weighted: Vec<(f64, &str)> = counts
            .into_iter()
            .map(|(word, count)| (self.weight(word, count), word))
            .filter(|(weight, _)| *weight > 0.0)
            .collect();
        weighted.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        weighted.truncate(SEMANTIC_KEYWORDS);
        let mut keywords: Vec<String> = weighted.into_iter().map(|(_, word)| word.to_owned()).collect();
        keywords.sort_unstable();
        keywords
    }

    fn weight(&self, form: &str, count: u32) -> f64 {
        let noun = self.parts_of_speech.is_some_and(|table| table.is_noun(form));
        let factor = if noun { NOUN_FACTOR } else { 1.0 };
        f64::from(count) * (self.idf)(form) * factor
    }

    /// Words of a text in comparison form, those of the tables whole.
    fn each_word<'f>(&self, text: &'f str, mut each: impl FnMut(&'f str)) {
        let mut segments: Vec<&'f str> = Vec::new();
        words(text, |word| segments.push(word));
        if self.synonyms.is_none() && self.parts_of_speech.is_none() {
            return segments.into_iter().for_each(each);
        }
        let start = |segment: &str| segment.as_ptr() as usize - text.as_ptr() as usize;
        let mut at = 0;
        while at < segments.len() {
            let from = start(segments[at]);
            let (mut end, mut taken) = (from + segments[at].len(), 1);
            let mut reach = end;
            for (i, next) in segments[at + 1..].iter().take(MAX_JOINED - 1).enumerate() {
                if start(next) != reach {
                    break;
                }
                reach += next.len();
                if self.is_whole(text.cut(from..reach)) {
                    (end, taken) = (reach, i + 2);
                }
            }
            each(text.cut(from..end));
            at += taken;
        }
    }

    fn is_whole(&self, word: &str) -> bool {
        self.parts_of_speech.is_some_and(|table| table.knows(word))
            || self.synonyms.is_some_and(|table| table.is_base(word))
    }
}

impl<F: Fn(&str) -> f64 + Sync> Signature for Semantic<'_, F> {
    fn name(&self) -> &'static str {
        "semantic"
    }

    /// Fingerprints are equal or they are not.
    fn least(&self) -> f64 {
        1.0
    }

    fn values(&self, page: &PageParts<'_>) -> Vec<u64> {
        self.fingerprint(page.text).into_iter().collect()
    }

    fn keys(&self, values: &[u64]) -> Vec<u64> {
        values.to_vec()
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        f64::from(u8::from(a == b && !a.is_empty()))
    }
}

/// Whether a word in comparison form can say what a text is about.
fn counts_as_keyword(form: &str, stop: StopWords) -> bool {
    form.len() <= 4 * MAX_WORD_CHARS
        && form.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
        && !stop.hold(form)
}

#[cfg(test)]
#[path = "semantic_tests.rs"]
mod tests;
