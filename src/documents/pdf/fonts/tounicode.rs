//! ToUnicode maps: what a code of a font means.
//!
//! They are written by many programs and read leniently: `bfchar` and `bfrange` in any order, with missing brackets, with
//! destinations of one byte, with ranges that run beyond a byte. Maps that say nothing (all codes the same character,
//! replacement characters, controls, characters of private use) are not believed.

use std::collections::HashMap;
use std::rc::Rc;

/// Codes that a map may tell.
const MAX_CODES: usize = 1 << 17;

/// Codes and what they mean.
#[derive(Debug, Default)]
pub(in crate::pdf) struct ToUnicode {
    codes: HashMap<u32, Rc<str>>,
    /// Codes that were told, those told again too.
    told: usize,
    /// Whether codes are UTF-16 themselves.
    identity: bool,
}

#[derive(Debug, PartialEq)]
enum Token<'a> {
    Hex(Vec<u8>),
    Word(&'a [u8]),
    Open,
    Close,
}

impl ToUnicode {
    /// A map whose codes are characters.
    pub(in crate::pdf) fn identity() -> Self {
        ToUnicode { identity: true, ..ToUnicode::default() }
    }

    /// Reads a map; `None` for one that is not believed.
    pub(in crate::pdf) fn parse(data: &[u8]) -> Option<Self> {
        let mut map = ToUnicode::default();
        let mut tokens = Tokens { data, at: 0 };
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(b"beginbfchar") => map.chars(&mut tokens),
                Token::Word(b"beginbfrange") => map.ranges(&mut tokens),
                _ => {}
            }
        }
        if map.codes.is_empty() && memchr::memmem::find(data, b"begincidrange").is_some() {
            // Written as the identity: codes are characters.
            return Some(ToUnicode::identity());
        }
        let mut values = map.codes.values();
        let first = values.next()?;
        let alike = map.codes.len() > 3 && values.all(|value| value == first);
        (!alike).then_some(map)
    }

    /// What a code means, where the map says something that can be believed.
    pub(in crate::pdf) fn get(&self, code: u32) -> Option<Rc<str>> {
        if self.identity {
            return char::from_u32(code).filter(|c| !c.is_control()).map(|c| Rc::from(c.to_string()));
        }
        self.codes.get(&code).filter(|text| is_text(text)).cloned()
    }

    fn chars(&mut self, tokens: &mut Tokens<'_>) {
        let mut code: Option<u32> = None;
        while let Some(token) = tokens.next() {
            match (token, code.take()) {
                (Token::Hex(bytes), None) => code = number(&bytes),
                (Token::Hex(bytes), Some(code)) => self.insert(code, &utf16(&bytes)),
                (Token::Word(word), _) if word.starts_with(b"end") => return,
                _ => {}
            }
        }
    }

    fn ranges(&mut self, tokens: &mut Tokens<'_>) {
        let mut bounds: Vec<u32> = Vec::with_capacity(2);
        while let Some(token) = tokens.next() {
            match token {
                Token::Hex(bytes) => {
                    if let [low, high] = bounds[..] {
                        bounds.clear();
                        self.range(low, high, utf16(&bytes));
                    } else {
                        bounds.extend(number(&bytes));
                    }
                }
                Token::Open => {
                    let mut code = bounds.first().copied().unwrap_or(0);
                    bounds.clear();
                    while let Some(Token::Hex(bytes)) = tokens.next() {
                        self.insert(code, &utf16(&bytes));
                        code = code.saturating_add(1);
                    }
                }
                Token::Word(word) if word.starts_with(b"end") => return,
                _ => {}
            }
        }
    }

    fn range(&mut self, low: u32, high: u32, mut units: Vec<u16>) {
        let high = high.min(low.saturating_add(0xFFFF));
        for code in low..=high {
            if self.told >= MAX_CODES {
                return;
            }
            self.insert(code, &units);
            if let Some(last) = units.last_mut() {
                *last = last.wrapping_add(1);
            }
        }
    }

    fn insert(&mut self, code: u32, units: &[u16]) {
        self.told += 1;
        if self.told <= MAX_CODES {
            let text: String =
                char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or('\u{FFFD}')).collect();
            self.codes.insert(code, Rc::from(text));
        }
    }
}

/// Whether characters can stand in a text.
pub(in crate::pdf) fn is_text(text: &str) -> bool {
    let silent = |c: char| {
        matches!(c, '\u{FFFD}' | '\u{FFFE}' | '\u{FFFF}' | '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..)
            || c.is_control() && !matches!(c, '\t' | '\n' | '\r')
    };
    !text.is_empty() && !text.chars().all(silent)
}

fn number(bytes: &[u8]) -> Option<u32> {
    (1..=4).contains(&bytes.len()).then(|| bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
}

/// Pairs of bytes; an odd one stands in front alone.
fn utf16(bytes: &[u8]) -> Vec<u16> {
    let (odd, pairs) = bytes.split_at(bytes.len() % 2);
    let first = odd.iter().map(|byte| u16::from(*byte));
    first
        .chain(pairs.chunks_exact(2).map(|pair| pair.iter().fold(0, |sum, byte| sum << 8 | u16::from(*byte))))
        .collect()
}

struct Tokens<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.data.get(self.at)?;
            self.at += 1;
            match byte {
                b'<' if self.data.get(self.at) == Some(&b'<') => self.at += 1,
                b'<' => return Some(Token::Hex(self.hex())),
                b'[' => return Some(Token::Open),
                b']' => return Some(Token::Close),
                b'%' => {
                    while self.data.get(self.at).is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
                        self.at += 1;
                    }
                }
                b'a'..=b'z' | b'A'..=b'Z' => {
                    let from = self.at - 1;
                    while self.data.get(self.at).is_some_and(u8::is_ascii_alphanumeric) {
                        self.at += 1;
                    }
                    return self.data.get(from..self.at).map(Token::Word);
                }
                _ => {}
            }
        }
    }

    fn hex(&mut self) -> Vec<u8> {
        let mut digits = Vec::with_capacity(8);
        while let Some(&byte) = self.data.get(self.at) {
            self.at += 1;
            match char::from(byte).to_digit(16) {
                Some(digit) => digits.push(digit as u8),
                None if byte == b'>' => break,
                None => {}
            }
        }
        if digits.len() % 2 == 1 {
            digits.insert(0, 0);
        }
        digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |sum, digit| sum << 4 | digit)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_again_and_again_ends() {
        let map = b"<0041> <0042> <0061> ".to_vec();
        let ranges = [b"beginbfrange ".to_vec(), map, b"<0000> <FFFFFFFF> <D800> ".repeat(100_000)].concat();
        let map = ToUnicode::parse(&ranges).unwrap();
        assert!(map.told <= MAX_CODES + 100_000);
    }

    #[test]
    fn maps_are_read_leniently() {
        let map = ToUnicode::parse(
            b"2 beginbfchar <01> <0041> <02> <00660066> endbfchar \
              2 beginbfrange <10> <12> <0061> <20> <21> [<4F60> <597D>] endbfrange \
              1 beginbfchar <30> <D842DFB7> endbfchar 1 beginbfchar <31> <E001> <32> <42> endbfchar",
        )
        .unwrap();
        for (code, text) in [
            (1, Some("A")),
            (2, Some("ff")),
            (0x12, Some("c")),
            (0x21, Some("好")),
            (0x30, Some("𠮷")),
            (0x31, None),
            (0x32, Some("B")),
            (0x99, None),
        ] {
            assert_eq!(map.get(code).as_deref(), text, "{code:x}");
        }
    }

    #[test]
    fn a_map_of_one_character_is_not_believed() {
        assert!(
            ToUnicode::parse(b"1 beginbfchar <01><0041><02><0041><03><0041><04><0041> endbfchar").is_none()
        );
        assert!(ToUnicode::parse(b"nothing").is_none());
    }
}
