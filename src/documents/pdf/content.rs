//! Operators of content streams.
//!
//! The object reader has such a scanner too, which ends a page at the first stray character; this one goes on behind it.
//! Operands are borrowed where they can be. Strings, arrays and dictionaries nest to a depth.

use std::borrow::Cow;

use super::stream::hexadecimal;

/// Operands that are kept before an operator; earlier ones are dropped.
const MAX_OPERANDS: usize = 64;
/// Items of an array.
const MAX_ITEMS: usize = 1 << 16;
/// Depth of arrays and dictionaries.
const MAX_DEPTH: usize = 16;

/// What stands before an operator.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand<'a> {
    Number(f64),
    Name(Cow<'a, [u8]>),
    Text(Vec<u8>),
    Array(Vec<Operand<'a>>),
    Dict(Vec<(Cow<'a, [u8]>, Operand<'a>)>),
    Other,
}

impl Operand<'_> {
    pub(super) fn number(&self) -> Option<f64> {
        if let Operand::Number(number) = self { Some(*number) } else { None }
    }

    pub(super) fn name(&self) -> Option<&[u8]> {
        if let Operand::Name(name) = self { Some(name) } else { None }
    }

    pub(super) fn entry(&self, key: &[u8]) -> Option<&Self> {
        let Operand::Dict(entries) = self else { return None };
        entries.iter().find(|(name, _)| name.as_ref() == key).map(|(_, value)| value)
    }
}

/// Reads a content stream operator by operator.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    data: &'a [u8],
    at: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

impl<'a> Scanner<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Scanner { data, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.data.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                    self.at += 1;
                }
            } else if is_space(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// The next operator, its operands in `operands`.
    pub(super) fn next(&mut self, operands: &mut Vec<Operand<'a>>) -> Option<&'a [u8]> {
        operands.clear();
        loop {
            self.skip_space();
            let byte = self.peek()?;
            if let Some(operand) = self.operand(byte, 0) {
                if operands.len() >= MAX_OPERANDS {
                    operands.remove(0);
                }
                operands.push(operand);
                continue;
            }
            let word = self.word();
            if word.is_empty() {
                // A bracket that closes nothing.
                self.at += 1;
                continue;
            }
            match word {
                b"true" | b"false" | b"null" => operands.push(Operand::Other),
                b"BI" => self.skip_image(),
                _ => return Some(word),
            }
        }
    }

    fn word(&mut self) -> &'a [u8] {
        let from = self.at;
        while self.peek().is_some_and(|byte| !is_space(byte) && !is_delimiter(byte)) {
            self.at += 1;
        }
        self.data.get(from..self.at).unwrap_or_default()
    }

    /// An operand, unless an operator or something stray stands here.
    fn operand(&mut self, first: u8, depth: usize) -> Option<Operand<'a>> {
        match first {
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number(),
            b'/' => {
                self.at += 1;
                Some(Operand::Name(unescaped(self.word())))
            }
            b'(' => Some(Operand::Text(self.literal())),
            b'<' if self.data.get(self.at + 1) == Some(&b'<') => {
                self.at += 2;
                Some(self.dict(depth))
            }
            b'<' => Some(Operand::Text(self.hexadecimal())),
            b'[' => {
                self.at += 1;
                Some(self.array(depth))
            }
            _ => None,
        }
    }

    fn number(&mut self) -> Option<Operand<'a>> {
        let from = self.at;
        while self.peek().is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.')) {
            self.at += 1;
        }
        let digits = self.data.get(from..self.at).unwrap_or_default();
        Some(Operand::Number(parse_number(digits)))
    }

    fn literal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut text = Vec::new();
        let mut open = 1usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.escape(&mut text);
                    continue;
                }
                b'\r' => {
                    if self.peek() == Some(b'\n') {
                        self.at += 1;
                    }
                    text.push(b'\n');
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
        text
    }

    fn escape(&mut self, text: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                text.push(code as u8);
            }
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
            }
            b'\n' => {}
            _ => text.push(byte),
        }
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        let rest = self.data.get(self.at + 1..).unwrap_or_default();
        let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        self.at = (self.at + end + 2).min(self.data.len());
        hexadecimal(rest)
    }

    fn array(&mut self, depth: usize) -> Operand<'a> {
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(byte) if depth < MAX_DEPTH => match self.operand(byte, depth + 1) {
                    Some(item) if items.len() < MAX_ITEMS => items.push(item),
                    Some(_) => {}
                    None => self.skip_stray(),
                },
                Some(_) => self.skip_stray(),
            }
        }
        Operand::Array(items)
    }

    fn skip_stray(&mut self) {
        if self.word().is_empty() {
            self.at += 1;
        }
    }

    fn dict(&mut self, depth: usize) -> Operand<'a> {
        let mut entries = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                None => break,
                Some(b'>') => {
                    self.at += if self.data.get(self.at + 1) == Some(&b'>') { 2 } else { 1 };
                    break;
                }
                Some(b'/') if depth < MAX_DEPTH => {
                    self.at += 1;
                    let key = unescaped(self.word());
                    self.skip_space();
                    let Some(byte) = self.peek() else { break };
                    match self.operand(byte, depth + 1) {
                        Some(value) if entries.len() < MAX_ITEMS => entries.push((key, value)),
                        Some(_) => {}
                        None if byte == b'>' => {}
                        None => self.skip_stray(),
                    }
                }
                Some(_) => self.skip_stray(),
            }
        }
        Operand::Dict(entries)
    }

    /// Skips a picture within the stream: up to an `EI` between white space behind which operators go on.
    fn skip_image(&mut self) {
        let rest = self.data.get(self.at..).unwrap_or_default();
        let begin = memchr::memmem::find(rest, b"ID").map_or(rest.len(), |at| at + 3);
        let body = rest.get(begin..).unwrap_or_default();
        for at in memchr::memmem::find_iter(body, b"EI") {
            let before = at == 0 || body.get(at - 1).copied().is_some_and(is_space);
            let behind = body.get(at + 2..).unwrap_or_default();
            let after = behind.first().copied().is_none_or(is_space);
            let plain =
                behind.iter().take(12).all(|byte| is_space(*byte) && *byte != 0 || (32..127).contains(byte));
            if before && after && plain {
                self.at += begin + at + 2;
                return;
            }
        }
        self.at = self.data.len();
    }
}

/// Digits as a number, as loosely as other readers take them: `--5`, `5-3` (the tail dropped), `.`.
fn parse_number(digits: &[u8]) -> f64 {
    let mut negative = false;
    let mut value = 0.0;
    let mut scale = 0.0;
    for (at, &byte) in digits.iter().enumerate() {
        match byte {
            b'-' | b'+' if value == 0.0 && scale == 0.0 && at < 2 => negative |= byte == b'-',
            b'-' | b'+' => break,
            b'.' if scale == 0.0 => scale = 1.0,
            b'.' => break,
            _ => {
                let digit = f64::from(byte.wrapping_sub(b'0'));
                if scale == 0.0 {
                    value = value * 10.0 + digit;
                } else {
                    scale /= 10.0;
                    value += digit * scale;
                }
            }
        }
    }
    if negative { -value } else { value }
}

/// A name with its `#xx` read.
fn unescaped(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.contains(&b'#') {
        return Cow::Borrowed(name);
    }
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while let Some(&byte) = name.get(at) {
        let digit = |at: usize| name.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'#', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(out)
}
