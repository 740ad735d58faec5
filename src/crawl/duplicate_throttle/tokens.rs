//! Words of a text as hashes.
//!
//! Words are runs of letters and digits without regard to the case of ASCII letters; characters of scripts without
//! spaces count singly. A run of letters and one of digits that touch are one word (`f16`, `12th`).

use webmill_capture::cut::Cut;

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
const MAX_DIGITS: usize = 18;

const SEED: u64 = 0xCBF2_9CE4_8422_2325;

/// Gives every word of `text` to `each`.
pub(super) fn tokens(text: &str, each: &mut impl FnMut(Token)) {
    // Where the word that is being read begins, and where the one before it ended.
    let (mut begin, mut before) = (None, None);
    let mut end = |begin: &mut Option<usize>, at: usize| {
        if let Some(from) = begin.take() {
            let after_colon = before.is_some_and(|before| text.cut(before..from) == ":");
            each(token(text.cut(from..at), after_colon));
            before = Some(at);
        }
    };
    for (at, c) in text.char_indices() {
        let alone = stands_alone(c);
        if alone || !c.is_alphanumeric() {
            end(&mut begin, at);
        }
        if c.is_alphanumeric() {
            begin.get_or_insert(at);
        }
        if alone {
            end(&mut begin, at + c.len_utf8());
        }
    }
    end(&mut begin, text.len());
}

fn token(word: &str, after_colon: bool) -> Token {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    Token {
        hash: mix(word.bytes().map(|byte| byte.to_ascii_lowercase()).fold(SEED, hash)),
        number: if digits == word.len() && digits <= MAX_DIGITS { word.parse().ok() } else { None },
        digits: digits > 0,
        after_colon,
    }
}

/// Whether a letter of a script without spaces is a word by itself: Thai to Myanmar, Khmer, kana, Han; Hangul has spaces.
fn stands_alone(c: char) -> bool {
    let wide = matches!(c, '\u{0E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{2E80}'..='\u{A4CF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    wide && c.is_alphanumeric()
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
