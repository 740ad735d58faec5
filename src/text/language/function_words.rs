//! Languages told by their function words: a quick answer whether a paragraph is in the language of its text.
//!
//! **Definition.** The share of a text's words that are among a few dozen articles, prepositions and conjunctions of each
//! language. Prose has 20 to 45 % of them, in other languages than its own mostly below 10 %. Catalan and Afrikaans stand
//! in the list only to keep their neighbours from being sure.
//!
//! **Cost.** Linear; one look into a table a short word.

use std::sync::LazyLock;

use crate::word_list::sections;

/// Words beyond which nothing is gained: one more is counted, and none looked up.
const MAX_WORDS: u32 = 300;

/// Languages that have a list.
const LANGUAGES: usize = 9;

/// Language (ISO 639-3) and its words.
static LISTS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| sections(include_str!("function_words.txt")).collect());

/// Function words by their bytes as a number, each with a bit for each language that it is one of: open addressing, 0 for none.
struct Words([(u64, u16); Words::PLACES]);

static WORDS: LazyLock<Box<Words>> = LazyLock::new(|| {
    let mut words = Box::new(Words([(0, 0); Words::PLACES]));
    for (bit, (_, list)) in LISTS.iter().enumerate() {
        for word in list.split_whitespace() {
            let number = packed(word.as_bytes());
            let place = words.place(number);
            words.0[place] = (number, words.0[place].1 | 1 << bit);
        }
    }
    words
});

impl Words {
    /// Several times as many as there are words.
    const PLACES: usize = 4096;

    /// Where a word stands, or would.
    #[inline]
    fn place(&self, number: u64) -> usize {
        let mut place = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize;
        while self.0[place].0 != number && self.0[place].0 != 0 {
            place = (place + 1) % Self::PLACES;
        }
        place
    }

    /// The languages that it is a function word of.
    #[inline]
    fn languages(&self, number: u64) -> u16 {
        self.0[self.place(number)].1
    }
}

/// At most eight bytes as a number.
fn packed(word: &[u8]) -> u64 {
    word.iter().fold(0, |number, &b| number << 8 | u64::from(b))
}

/// Whether a paragraph of a text in this language (ISO 639-3) may well be in it too: a sixth of its words are function words
/// of it, and of no other language more.
pub(crate) fn speaks(text: &str, iso639_3: &str) -> bool {
    let Some(language) = LISTS.iter().position(|(name, _)| *name == iso639_3) else { return false };
    let Count { hits, words } = Count::of(text);
    words >= 6 && hits[language] * 6 >= words && hits.iter().all(|&other| other <= hits[language])
}

/// How many words of a text are function words of each language, and how many words that are.
#[derive(Default, PartialEq, Eq, Debug)]
struct Count {
    hits: [u32; LANGUAGES],
    words: u32,
}

impl Count {
    /// Takes a word, in lower case, of at most eight bytes; 0 for a longer one.
    #[inline]
    fn add(&mut self, known: &Words, packed: u64) {
        self.words += 1;
        let mut languages = if packed == 0 || self.words > MAX_WORDS { 0 } else { known.languages(packed) };
        while languages != 0 {
            self.hits[languages.trailing_zeros() as usize] += 1;
            languages &= languages - 1;
        }
    }

    /// Of the first words of a text.
    fn of(text: &str) -> Count {
        if text.is_ascii() { Count::of_ascii(text.as_bytes()) } else { Count::of_any(text) }
    }

    fn of_any(text: &str) -> Count {
        let (mut count, known) = (Count::default(), &**WORDS);
        let mut lower = String::new();
        let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        for word in words.take(MAX_WORDS as usize + 1) {
            lower.clear();
            lower.extend(word.chars().flat_map(char::to_lowercase));
            count.add(known, if word.len() > 8 || lower.len() > 8 { 0 } else { packed(lower.as_bytes()) });
        }
        count
    }

    /// The same of ASCII.
    fn of_ascii(text: &[u8]) -> Count {
        let (mut count, known) = (Count::default(), &**WORDS);
        let (mut number, mut length) = (0u64, 0);
        // A blank ends the last word.
        for &b in text.iter().chain(b" ") {
            // One bit is the case of letters.
            let letter = b | 0x20;
            if letter.is_ascii_lowercase() {
                number = number << 8 | u64::from(letter);
                length += 1;
            } else if length > 0 {
                count.add(known, if length > 8 { 0 } else { number });
                if count.words > MAX_WORDS {
                    break;
                }
                (number, length) = (0, 0);
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_of_ascii_are_counted_as_those_of_any_text(text in "((the|The|and|die|abcdefgh|abcdefghi|[a-zA-Z]{1,9})[ .@`{\\[]{0,2}|[ -~]){0,400}") {
            prop_assert_eq!(Count::of_ascii(text.as_bytes()), Count::of_any(&text));
        }
    }

    #[test]
    fn paragraphs_go_with_their_text() {
        assert!(speaks("Das ist nicht der Fall, und es wird so bleiben.", "deu"));
        assert!(!speaks("This is not the case, and it will be so.", "deu"));
        assert!(
            !speaks("Das ist gut.", "deu") && !speaks("Съешь же ещё этих мягких булок, да выпей чаю.", "rus")
        );
    }
}
