//! Words that say nothing of what a text is about: articles, pronouns, prepositions, conjunctions, auxiliaries.
//!
//! One list a language, in comparison form. A text loses those of its own language, English (which is on every page)
//! and Chinese ones of two characters and more; single ideographs are no keywords anyway.

use std::sync::LazyLock;

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use crate::word_list::sections;

/// Language (ISO 639-3) and its words.
static LISTS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| sections(include_str!("stop_words.txt")).collect());

/// Every stop word, with a bit for each language that it is one of.
static WORDS: LazyLock<HashTable<(&str, u16)>> = LazyLock::new(|| {
    let hash_of = |word: &str| xxh3_64(word.as_bytes());
    let mut words: HashTable<(&str, u16)> = HashTable::new();
    for (language, (_, list)) in LISTS.iter().enumerate() {
        for word in list.split_whitespace() {
            let entry = words.entry(hash_of(word), |known| known.0 == word, |known| hash_of(known.0));
            entry.or_insert((word, 0)).get_mut().1 |= 1 << language;
        }
    }
    words
});

/// The stop words of a language, with the English and Chinese ones.
///
/// # Examples
/// ```
/// use webmill_text::StopWords;
/// let german = StopWords::of(Some("deu"));
/// assert!(german.hold("die") && german.hold("the") && !StopWords::of(Some("eng")).hold("die"));
/// ```
#[derive(Copy, Clone, Debug)]
pub struct StopWords(u16);

impl StopWords {
    /// Those of a language by ISO 639-3; the English and Chinese ones alone where no list of it is known.
    pub fn of(iso639_3: Option<&str>) -> StopWords {
        let bit_of =
            |name| LISTS.iter().position(|(known, _)| *known == name).map_or(0, |language| 1 << language);
        StopWords(bit_of("eng") | bit_of("zho") | iso639_3.map_or(0, bit_of))
    }

    /// Whether there is a list of that language.
    pub fn know(iso639_3: &str) -> bool {
        LISTS.iter().any(|(known, _)| *known == iso639_3)
    }

    /// Whether a word in its comparison form is one of them.
    pub fn hold(&self, form: &str) -> bool {
        self.hold_hashed(form, xxh3_64(form.as_bytes()))
    }

    /// The same of a form whose XXH3 is known.
    pub fn hold_hashed(&self, form: &str, hash: u64) -> bool {
        WORDS.find(hash, |known| known.0 == form).is_some_and(|(_, languages)| languages & self.0 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize;

    #[test]
    fn lists_are_in_comparison_form() {
        for (name, list) in LISTS.iter() {
            for word in list.split_whitespace() {
                assert_eq!(normalize(word), word, "{name}");
            }
        }
        let german = StopWords::of(Some("deu"));
        assert!(german.hold("die") && german.hold("the") && german.hold("我们") && !german.hold("tee"));
        assert!(!StopWords::of(None).hold("die") && !StopWords::of(Some("xxx")).hold("die"));
    }
}
