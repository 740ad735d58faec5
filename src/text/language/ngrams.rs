//! Words and the character n-grams in them: what a text is judged by.
//!
//! **Definition.** A word is a longest run of letters of one script with the marks on them, in lower case; apostrophes
//! between letters belong to it. Its n-grams are those of two, three and four characters of the word with a space before
//! and after, single letters beyond ASCII, and the word itself from three letters on. Each is known by 32 bits of a hash.
//! Languages are told by the same code when the table is trained and when it is used.
//!
//! **Cost.** Linear: about four hashes a letter; of a word of more than [`MAX_WORD`] letters the first ones count.

use super::script::Script;

/// Letters of a word that are looked at.
pub const MAX_WORD: usize = 32;

/// N-grams that a word has at most.
pub const MAX_NGRAMS: usize = 4 * (MAX_WORD + 2) + 1;

/// A word, lower-cased, with a space before and after.
#[derive(Debug, Clone)]
pub struct Word {
    letters: [u32; MAX_WORD + 2],
    len: usize,
    /// The script of its first letter.
    pub script: Script,
}

const SPACE: u32 = ' ' as u32;

impl Word {
    fn none() -> Word {
        let mut letters = [0; MAX_WORD + 2];
        letters[0] = SPACE;
        Word { letters, len: 1, script: Script::Other }
    }

    fn begin(&mut self, script: Script, c: char) {
        (self.len, self.script) = (1, script);
        self.push(c);
    }

    fn push(&mut self, c: char) {
        if self.len <= MAX_WORD {
            let c = if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) };
            self.letters[self.len] = c as u32;
            self.len += 1;
        }
    }

    /// Letters and marks, at most [`MAX_WORD`].
    pub fn letters(&self) -> usize {
        self.len - 1
    }

    /// The word with a space before and after.
    pub fn padded(&self) -> &[u32] {
        &self.letters[..self.len + 1]
    }

    fn end(&mut self) -> &Word {
        self.letters[self.len] = SPACE;
        self
    }

    /// A hash of all its letters.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.padded().iter().fold(SEED, |hash, &c| mix(hash, c))
    }

    /// The hashes of its n-grams.
    #[inline]
    pub fn ngrams(&self, mut each: impl FnMut(u32)) {
        let padded = self.padded();
        for (at, &first) in padded.iter().enumerate() {
            let mut hash = mix(SEED, first);
            if first > 0x7F {
                each(finish(hash, 1));
            }
            for (n, &next) in padded[at + 1..].iter().take(3).enumerate() {
                hash = mix(hash, next);
                each(finish(hash, n as u64 + 2));
            }
        }
        if self.letters() >= WORD {
            each(finish(self.hash(), 9));
        }
    }
}

/// Letters from which on a word is an n-gram of its own.
pub(super) const WORD: usize = 3;

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn mix(hash: u64, c: u32) -> u64 {
    (hash ^ u64::from(c)).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29)
}

#[inline]
fn finish(hash: u64, n: u64) -> u32 {
    ((hash ^ n).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32
}

/// Calls `each` with the words of a text.
pub fn words(text: &str, mut each: impl FnMut(&Word)) {
    let (mut word, mut is_open) = (Word::none(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let script = Script::of(c);
        match script {
            Some(script) if is_open && word.script == script => word.push(c),
            None if !is_open => {}
            None if joins(c, chars.peek().copied(), word.script) => {
                if c != '\u{AD}' && c != '\u{200C}' && c != '\u{200D}' && !is_accent(c) {
                    word.push('\'');
                } else if is_accent(c) {
                    word.push(c);
                }
            }
            script => {
                if is_open {
                    each(word.end());
                }
                is_open = script.is_some();
                if let Some(script) = script {
                    word.begin(script, c);
                }
            }
        }
    }
    if is_open {
        each(word.end());
    }
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}')
}

/// Whether `c`, no letter, stands within a word of a script.
fn joins(c: char, next: Option<char>, script: Script) -> bool {
    match c {
        '\'' | '’' | '\u{2BC}' | '\u{2BB}' | 'ʹ' => next.and_then(Script::of) == Some(script),
        '\u{AD}' | '\u{200C}' | '\u{200D}' => true,
        _ => is_accent(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        words(text, |word| {
            let padded = word.padded();
            out.push(padded[1..padded.len() - 1].iter().filter_map(|&c| char::from_u32(c)).collect());
        });
        out
    }

    #[test]
    fn words_are_runs_of_letters_of_one_script() {
        assert_eq!(split("L'Été, 2024: x86-64"), ["l'été", "x"]);
        assert_eq!(split("Привет world м’яч"), ["привет", "world", "м'яч"]);
        assert_eq!(split("हिन्दी में"), ["हिन्दी", "में"]);
        assert_eq!(split("so\u{AD}ft 'quoted' don't"), ["soft", "quoted", "don't"]);
        assert_eq!(split("12 字 !"), Vec::<String>::new());
    }

    #[test]
    fn ngrams_of_a_word_are_two_to_four_letters_and_the_word() {
        let mut all = Vec::new();
        words("the", |word| word.ngrams(|n| all.push(n)));
        // " t" "th" "he" "e ", " th" "the" "he ", " the" "the ", the word, and no single ASCII letters.
        assert_eq!(all.len(), 10);
        let mut long = 0;
        words(&"é".repeat(100_000), |word| word.ngrams(|_| long += 1));
        assert!(long <= MAX_NGRAMS, "{long}");
        long = 0;
        words(&"a".repeat(100_000), |word| word.ngrams(|_| long += 1));
        assert!(long <= MAX_NGRAMS, "{long}");
    }
}
