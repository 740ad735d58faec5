//! Words of a text as hashes.
//!
//! Words are runs of letters and digits without regard to the case of ASCII letters; characters of scripts without
//! spaces count singly. A run of letters and one of digits that touch are one word (`f16`, `12th`).

/// A word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub hash: u64,
    /// Its value, where it is made of at most 18 digits.
    pub number: Option<u64>,
    /// Whether it has a digit.
    pub digits: bool,
    /// Whether nothing but a colon stands between the word before and this one.
    pub after_colon: bool,
}

/// Longest number that is one.
const MAX_DIGITS: u32 = 18;

const SEED: u64 = 0xCBF2_9CE4_8422_2325;

/// Gives every word of `text` to `each`.
pub(super) fn tokens(text: &str, each: &mut impl FnMut(Token)) {
    let bytes = text.as_bytes();
    let (mut word, mut gap) = (Word::NONE, Gap::Other);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match KINDS[usize::from(byte)] {
            1 => {
                word.add(byte.to_ascii_lowercase());
                at += 1;
            }
            0 => {
                end(&mut word, &mut gap, each);
                gap.take(byte);
                at += 1;
            }
            length => {
                let length = usize::from(length);
                let Some(character) = bytes.get(at..at + length) else { break };
                match wide(character) {
                    Some(false) => character.iter().for_each(|&byte| word.add(byte)),
                    Some(true) => {
                        end(&mut word, &mut gap, each);
                        character.iter().for_each(|&byte| word.add(byte));
                        end(&mut word, &mut gap, each);
                    }
                    None => {
                        end(&mut word, &mut gap, each);
                        gap = Gap::Other;
                    }
                }
                at += length;
            }
        }
    }
    end(&mut word, &mut gap, each);
}

/// Hash of a word that stands alone, as [`tokens`] gives it.
pub(super) fn hash_of(word: &str) -> u64 {
    let mut hash = 0;
    tokens(word, &mut |token| hash = token.hash);
    hash
}

/// Mixes 64 bits: the finaliser of SplitMix64.
pub(super) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// What stands between two words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    Colon,
    Other,
}

impl Gap {
    fn take(&mut self, byte: u8) {
        *self = if *self == Gap::None && byte == b':' { Gap::Colon } else { Gap::Other };
    }
}

fn end(word: &mut Word, gap: &mut Gap, each: &mut impl FnMut(Token)) {
    if word.length == 0 {
        return;
    }
    let all_digits = word.digits == word.length && word.digits <= MAX_DIGITS;
    each(Token {
        hash: mix(word.hash),
        number: all_digits.then_some(word.number),
        digits: word.digits > 0,
        after_colon: *gap == Gap::Colon,
    });
    (*word, *gap) = (Word::NONE, Gap::None);
}

/// A word as it is read.
struct Word {
    hash: u64,
    length: u32,
    number: u64,
    digits: u32,
}

impl Word {
    const NONE: Word = Word { hash: SEED, length: 0, number: 0, digits: 0 };

    #[inline]
    fn add(&mut self, byte: u8) {
        self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        self.length = self.length.saturating_add(1);
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            self.digits = self.digits.saturating_add(1);
            self.number = self.number.wrapping_mul(10).wrapping_add(u64::from(digit));
        }
    }
}

/// Kind of a byte of UTF-8: 0 no part of a word, 1 of a word, 2 to 4 lead byte of a character of so many bytes.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => 1,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Whether the character in these bytes stands alone (Some(true)), joins a word (Some(false)) or is none (None).
fn wide(bytes: &[u8]) -> Option<bool> {
    // U+4000 to U+9FFF.
    if (0xE4..=0xE9).contains(&bytes[0]) {
        return Some(true);
    }
    let c = std::str::from_utf8(bytes).ok()?.chars().next()?;
    // Thai to Myanmar, Khmer, kana, Han; Hangul has spaces.
    let alone = matches!(c, '\u{0E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{2E80}'..='\u{A4CF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    c.is_alphanumeric().then_some(alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Token> {
        let mut found = Vec::new();
        tokens(text, &mut |token| found.push(token));
        found
    }

    #[test]
    fn words_numbers_and_clocks() {
        let found = all("Room 12 opens at 9:05, été F16 今天.");
        assert_eq!(found.len(), 10);
        assert_eq!(found[1].number, Some(12));
        assert_eq!((found[4].number, found[4].after_colon), (Some(9), false));
        assert_eq!((found[5].number, found[5].after_colon), (Some(5), true));
        assert!(found[7].digits && found[7].number.is_none());
        assert_eq!(all("ROOM")[0], all("room")[0]);
        assert_eq!(hash_of("Room"), found[0].hash);
        assert!(!all("9: 05")[1].after_colon);
        assert_eq!(all(&"1".repeat(19))[0].number, None);
        assert!(all("… — !").is_empty());
    }
}
