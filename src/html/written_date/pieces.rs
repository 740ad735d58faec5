//! A text in pieces: numbers with the unit behind them, words, and the characters between.

use super::names::is_between;
use crate::characters::is_wide;
use std::borrow::Cow;
use webmill_capture::cut::Cut;

/// First digits of the scripts that have their own; the other nine follow.
const ZEROS: [u32; 20] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0,
    0xf20, 0x1040, 0x17e0, 0x1810, 0xff10,
];

/// The value of a digit of any script.
fn digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    if !matches!(c, '\u{660}'..='\u{1819}' | '\u{ff10}'..='\u{ff19}') {
        return None;
    }
    ZEROS.iter().filter_map(|zero| u32::from(c).checked_sub(*zero)).find(|&value| value < 10)
}

/// Whether a text has a digit of a script of its own, or numbers written as Chinese words.
fn has_own_digits(text: &str) -> bool {
    text.chars().any(|c| !c.is_ascii() && (digit(c).is_some() || hanzi(c).is_some()))
}

/// Whether a text may hold a date: it has as many digits as the shortest, `May 6, 2023`, or a year in Chinese words.
pub(super) fn may_hold_date(text: &str) -> bool {
    const LEAST_DIGITS: usize = 5;
    text.bytes().filter(u8::is_ascii_digit).count() >= LEAST_DIGITS
        || !text.is_ascii()
            && (text.contains('年') && text.contains('月')
                || has_own_digits(text)
                    && text.chars().filter(|&c| digit(c).or(hanzi(c)).is_some()).count() >= LEAST_DIGITS - 1)
}

/// A text with ASCII digits and marks in place of those of other scripts, character by character.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let one = |c: char| match (digit(c), c) {
        (Some(value), _) => char::from_digit(value, 10).unwrap_or(c),
        // Full-width forms, and blanks.
        (_, '\u{ff01}'..='\u{ff5e}') => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        (_, '\u{3000}' | '\u{a0}' | '\u{202f}') => ' ',
        _ => c,
    };
    if text.is_ascii() || text.chars().all(|c| one(c) == c) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(one).collect())
}

/// The part of a date that the character behind a number says it is: `年`, `월`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    None,
    Year,
    Month,
    Day,
}

/// A number with its digits, a word, or another character.
#[derive(Copy, Clone, Debug)]
pub(super) enum Piece<'a> {
    Number(u32, usize, Unit),
    Word(&'a str),
    Other(char),
}

/// A piece and the bytes that it stands at.
pub(super) struct Placed<'a> {
    pub(super) piece: Piece<'a>,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The value of a Chinese digit; ten where it counts tens.
fn hanzi(c: char) -> Option<u32> {
    const DIGITS: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
    match c {
        '零' | '○' => Some(0),
        '元' => Some(1),
        '十' => Some(10),
        _ => DIGITS.iter().position(|&digit| digit == c).map(|at| at as u32),
    }
}

/// A number in Chinese words with its unit: `二〇二二年`, `十四日`, `元年`.
fn hanzi_number(text: &str) -> Option<(Piece<'static>, usize)> {
    const MOST: usize = 4;
    let digits: Vec<u32> = text.chars().map_while(hanzi).take(MOST + 1).collect();
    let len: usize = text.chars().take(digits.len()).map(char::len_utf8).sum();
    let (unit, behind) = unit(text.cut(len..));
    if unit == Unit::None || !(1..=MOST).contains(&digits.len()) {
        return None;
    }
    let value = match digits.as_slice() {
        [10] => 10,
        [10, ones @ 0..=9] => 10 + ones,
        [tens @ 0..=9, 10] => 10 * tens,
        [tens @ 0..=9, 10, ones @ 0..=9] => 10 * tens + ones,
        digits if digits.contains(&10) => return None,
        digits => digits.iter().fold(0, |value, digit| 10 * value + digit),
    };
    let written = if digits.len() == MOST { MOST } else { 2 };
    Some((Piece::Number(value, written, unit), len + behind))
}

/// The unit that a text begins with, and its bytes.
fn unit(text: &str) -> (Unit, usize) {
    let spaced = text.trim_start_matches(' ');
    let blanks = text.len() - spaced.len();
    let found = match spaced.chars().next() {
        Some('年') => Unit::Year,
        Some('月') => Unit::Month,
        Some('日' | '号' | '號') => Unit::Day,
        Some('년') if blanks == 0 => Unit::Year,
        Some('월') if blanks == 0 => Unit::Month,
        Some('일') if blanks == 0 => Unit::Day,
        _ => return (Unit::None, 0),
    };
    (found, blanks + 3)
}

/// Whether a character goes on a word: a letter, or a mark on one.
fn is_in_word(c: char) -> bool {
    c.is_alphabetic() && !is_wide(c)
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{200c}' | '\u{200d}'
            | '\u{93c}'..='\u{963}' | '\u{981}'..='\u{983}' | '\u{9bc}'..='\u{9e3}' | '\u{a01}'..='\u{a65}'
            | '\u{a70}'..='\u{ae5}' | '\u{af0}'..='\u{b65}' | '\u{b70}'..='\u{be5}' | '\u{bf0}'..='\u{c65}'
            | '\u{c70}'..='\u{ce5}' | '\u{cf0}'..='\u{d65}' | '\u{d70}'..='\u{de5}' | '\u{df0}'..='\u{df3}'
            | '\u{e31}'..='\u{e4e}' | '\u{eb1}'..='\u{ece}' | '\u{102b}'..='\u{103e}' | '\u{17b4}'..='\u{17d3}')
}

/// The bytes of the word that a text begins with. Abbreviations of Thai and Lao have dots in them.
fn word(text: &str) -> usize {
    let dotted = text.starts_with(|c: char| matches!(c, '\u{e00}'..='\u{eff}'));
    let end = text.find(|c: char| !(is_in_word(c) || dotted && c == '.')).unwrap_or(text.len());
    text.cut(..end).trim_end_matches('.').len()
}

/// The pieces of a text that [`plain`] made; blanks, commas and marks of direction are left out.
pub(super) fn pieces(text: &str) -> Vec<Placed<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let from = text.len() - rest.len();
        let (piece, len) = if c.is_ascii_digit() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (unit, behind) = unit(rest.cut(digits..));
            let value = rest.cut(..digits).parse().unwrap_or(0);
            (Some(Piece::Number(value, digits, unit)), digits + behind)
        } else if let Some((number, len)) = hanzi(c).and_then(|_| hanzi_number(rest)) {
            (Some(number), len)
        } else if is_in_word(c) {
            let len = word(rest).max(c.len_utf8());
            (Some(Piece::Word(rest.cut(..len))), len)
        } else {
            let blank =
                matches!(c, ' ' | ',' | '،' | '၊' | '、' | '\u{a0}' | '\u{200e}' | '\u{200f}' | '\u{2009}');
            ((!blank).then_some(Piece::Other(c)), c.len_utf8())
        };
        rest = rest.cut(len..);
        out.extend(piece.map(|piece| Placed { piece, from, to: from + len }));
    }
    out
}

/// Whether a piece may stand between the parts of a date that names its month.
pub(super) fn joins(piece: Piece<'_>) -> bool {
    match piece {
        Piece::Other(c) => ".-–/’'()׳॰".contains(c),
        Piece::Word(word) => is_between(word),
        Piece::Number(..) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_all_scripts() {
        for (text, want) in [
            ("১৪ মার্চ ২০২২", "14 মার্চ 2022"),
            ("２０２２／３／１４　９：０５", "2022/3/14 9:05"),
            ("۱۴۰۰/۱۲/۲۳", "1400/12/23"),
            ("plain – text", "plain – text"),
        ] {
            assert_eq!(plain(text), want);
            assert_eq!(plain(text).chars().count(), text.chars().count());
        }
        assert!(
            may_hold_date("二〇二二年三月十四日") && may_hold_date("๑๔ มี.ค. ๒๕๖๕") && !may_hold_date("12 a")
        );
    }

    #[test]
    fn numbers_in_chinese_words() {
        for (text, value) in [
            ("二〇二二年", 2022),
            ("十月", 10),
            ("三十一日", 31),
            ("二十日", 20),
            ("十四日", 14),
            ("元年", 1),
        ] {
            assert!(
                matches!(hanzi_number(text), Some((Piece::Number(found, ..), _)) if found == value),
                "{text}"
            );
        }
        assert!(hanzi_number("三人").is_none() && hanzi_number("十十十年").is_none());
    }
}
