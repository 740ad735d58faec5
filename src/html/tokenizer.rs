//! Tokenizer: text and tags.
//!
//! The tokenizer reads bytes: all that HTML's syntax consists of is ASCII, so every span begins and ends between
//! characters. It calls the tree builder for each token. Text goes to the next `<`, `&` or NUL by a vectorised
//! search; names are classified by a table of 256 entries, and a tag's name is gathered into the integer that
//! [`Tag::from_key`] takes while its end is looked for.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#tokenization>.

use memchr::{memchr2, memchr3};
use webmill_capture::cut::Cut;

use super::dom::{Attr, Dom, Span};
use super::entities::{Value, decode};
use super::tag::Tag;
use super::tree::{Builder, Contents, Token};

/// Ends a tag's name: white space, `/`, `>`.
const ENDS_TAG: u8 = 1;
/// Ends an attribute's name: these and `=`.
pub(super) const ENDS_NAME: u8 = 2;
/// To be replaced: capital letters, NUL.
pub(super) const ODD: u8 = 4;
const NUL: u8 = 32;
pub(super) const SPACE: u8 = 8;
/// Ends or complicates a value without quotes: white space, `>`, `&`, NUL.
pub(super) const ENDS_VALUE: u8 = 16;

pub(super) static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut class = [0; 256];
    let mut i = 0;
    while i < 256 {
        class[i] = match i as u8 {
            b' ' | b'\t' | b'\n' | 0xc | b'\r' => ENDS_TAG | ENDS_NAME | SPACE | ENDS_VALUE,
            b'/' => ENDS_TAG | ENDS_NAME,
            b'>' => ENDS_TAG | ENDS_NAME | ENDS_VALUE,
            b'=' => ENDS_NAME,
            b'A'..=b'Z' => ODD,
            0 => ODD | NUL | ENDS_VALUE,
            b'&' => ENDS_VALUE,
            _ => 0,
        };
        i += 1;
    }
    class
}

#[inline]
pub(super) fn is(c: u8, class: u8) -> bool {
    CLASS[c as usize] & class != 0
}

const fn repeated(c: u8) -> u64 {
    u64::from_ne_bytes([c; 8])
}

/// How many of eight bytes belong to a tag's name, and whether it is plain: ended there or not within the eight, without
/// capital letters and NUL. Input that is not plain may still be regular.
#[inline]
fn name_in(word: u64) -> (usize, bool) {
    // The lowest high bit set marks the first byte that is zero; those above may be wrong.
    let zero = |x: u64| x.wrapping_sub(repeated(1)) & !x;
    let low = word.wrapping_sub(repeated(0x21)) & !word;
    let end = (zero(word ^ repeated(b'>')) | zero(word ^ repeated(b'/')) | low) & repeated(0x80);
    let len = end.trailing_zeros() as usize / 8;
    let bits = if len < 8 { (1 << (8 * len)) - 1 } else { u64::MAX };
    // Capital letters and NUL lack this bit.
    let cased = repeated(0x20) & bits;
    let ended = len == 8 || is((word >> (8 * len)) as u8, ENDS_TAG);
    (len, word & cased == cased && ended)
}

impl<'s> Builder<'s> {
    pub fn run(mut self) -> Dom<'s> {
        while self.pos < self.src.len() && !self.spent() {
            self.step();
            while self.contents != Contents::Markup {
                self.raw_contents();
            }
        }
        self.end_of_file();
        self.dom.work = self.work;
        self.dom
    }

    #[inline]
    pub fn byte(&self, at: usize) -> Option<u8> {
        self.src.get(at).copied()
    }

    /// A run of text and what ends it.
    fn step(&mut self) {
        let mut start = self.pos;
        // Start of the run in the side buffer, once it had to go there.
        let mut side = None;
        loop {
            let Some(found) = self.find_text_end() else {
                self.pos = self.src.len();
                return self.end_run(start, self.pos, side);
            };
            let at = found;
            match self.src[at] {
                b'<' => {
                    let next = self.byte(at + 1).unwrap_or(0);
                    if next.is_ascii_alphabetic() {
                        self.end_run(start, at, side);
                        self.pos = at + 1;
                        return self.start_tag_at();
                    }
                    match next {
                        b'/' => match self.byte(at + 2) {
                            Some(c) if c.is_ascii_alphabetic() => {
                                self.end_run(start, at, side);
                                self.pos = at + 2;
                                return self.end_tag_at();
                            }
                            Some(b'>') => {
                                self.end_run(start, at, side);
                                self.pos = at + 3;
                                return;
                            }
                            Some(_) => {
                                self.end_run(start, at, side);
                                self.pos = at + 2;
                                return self.bogus_comment();
                            }
                            None => self.pos = at + 2,
                        },
                        b'!' => {
                            self.end_run(start, at, side);
                            self.pos = at + 2;
                            return self.markup_declaration();
                        }
                        b'?' => {
                            self.end_run(start, at, side);
                            self.pos = at + 1;
                            return self.bogus_comment();
                        }
                        _ => self.pos = at + 1,
                    }
                }
                b'&' => match decode(&self.src[at..], false) {
                    Some((len, value)) => {
                        side.get_or_insert(self.dom.side.len());
                        self.dom.side.push_str(self.text.cut(start..at));
                        self.push_value(value);
                        start = at + len;
                        self.pos = start;
                    }
                    None => self.pos = at + 1,
                },
                _ => {
                    self.end_run(start, at, side);
                    self.pos = at + 1;
                    return self.nul();
                }
            }
        }
    }

    #[inline]
    fn find_text_end(&self) -> Option<usize> {
        let rest = &self.src[self.pos..];
        let found = if self.has_nul { memchr3(b'<', b'&', 0, rest) } else { memchr2(b'<', b'&', rest) };
        found.map(|at| self.pos + at)
    }

    pub fn push_value(&mut self, value: Value) {
        match value {
            Value::Name(name) => self.dom.side.push_str(name),
            Value::Char(c) => self.dom.side.push(c),
        }
    }

    #[inline]
    fn end_run(&mut self, start: usize, end: usize, side: Option<usize>) {
        match side {
            None if start < end => self.characters(Span::new(start, end)),
            None => {}
            Some(from) => {
                self.dom.side.push_str(self.text.cut(start..end));
                let span = self.side_from(from);
                self.characters(span);
            }
        }
    }

    /// A tag's name; the position is then behind it. The span is that of a name of [`Tag::Unknown`], which is needed in
    /// lower case.
    #[inline]
    fn tag_name(&mut self) -> (Tag, Span) {
        let start = self.pos;
        // Nearly all names are of less than eight bytes and in lower case: they are their own keys.
        if let Some(word) = self.word(start) {
            let (len, plain) = name_in(word);
            if plain && len < 8 {
                self.pos = start + len;
                let key = word & ((1 << (8 * len)) - 1);
                return (Tag::from_key(key), Span::new(start, self.pos));
            }
        }
        self.odd_tag_name()
    }

    /// The next eight bytes, unless the source ends before.
    #[inline]
    fn word(&self, at: usize) -> Option<u64> {
        let bytes = self.src.get(at..at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    fn odd_tag_name(&mut self) -> (Tag, Span) {
        let start = self.pos;
        let mut key = 0u64;
        let mut odd = 0;
        let mut at = start;
        while let Some(c) = self.byte(at) {
            let class = CLASS[c as usize];
            if class & ENDS_TAG != 0 {
                break;
            }
            odd |= class;
            if at - start < 8 {
                // Only letters have a counterpart in lower case.
                let lower = c | if c.is_ascii_uppercase() { 32 } else { 0 };
                key |= u64::from(lower) << (8 * (at - start));
            }
            at += 1;
        }
        self.pos = at;
        let tag = match at - start {
            // A key cannot tell NUL from the end of the name.
            _ if odd & NUL != 0 => Tag::Unknown,
            0..=8 => Tag::from_key(key),
            _ => self.long_tag(start, at),
        };
        let span =
            if tag == Tag::Unknown && odd & ODD != 0 { self.lower(start, at) } else { Span::new(start, at) };
        (tag, span)
    }

    fn long_tag(&self, start: usize, end: usize) -> Tag {
        let mut lower = [0; 16];
        let name = &self.src[start..end];
        match lower.get_mut(..name.len()) {
            Some(lower) => {
                lower.copy_from_slice(name);
                lower.make_ascii_lowercase();
                Tag::from_long(lower)
            }
            None => Tag::Unknown,
        }
    }

    /// A name in lower case, NUL replaced.
    pub fn lower(&mut self, start: usize, end: usize) -> Span {
        let from = self.dom.side.len();
        for c in self.text.cut(start..end).chars() {
            self.dom.side.push(if c == '\0' { char::REPLACEMENT_CHARACTER } else { c.to_ascii_lowercase() });
        }
        self.side_from(from)
    }

    fn start_tag_at(&mut self) {
        let (tag, name) = self.tag_name();
        let before = self.dom.attrs.len();
        if tag == Tag::Unknown {
            self.dom.attrs.push(Attr { name, value: Span::default() });
        }
        let first = self.dom.attrs.len();
        let self_closing = if self.byte(self.pos) == Some(b'>') {
            self.pos += 1;
            false
        } else {
            match self.attributes(first) {
                Some(self_closing) => self_closing,
                // The source ends within the tag: there is no tag.
                None => {
                    self.pos = self.src.len();
                    return self.dom.attrs.truncate(before);
                }
            }
        };
        let count = (self.dom.attrs.len() - first) as u32;
        let nodes = self.dom.nodes.len();
        let total = self.dom.attrs.len();
        self.start_tag(&Token { tag, name, attrs: first as u32, count, self_closing });
        if self.dom.nodes.len() == nodes && self.dom.attrs.len() == total {
            self.dom.attrs.truncate(before);
        }
    }

    pub fn end_tag_at(&mut self) {
        let (tag, name) = self.tag_name();
        if self.byte(self.pos) == Some(b'>') {
            self.pos += 1;
        } else {
            if !self.skip_attributes() {
                return;
            }
        }
        self.end_tag(&Token { tag, name, attrs: 0, count: 0, self_closing: false });
    }

    /// Passes over an end tag, whose name is at the position.
    pub fn skip_end_tag(&mut self) {
        self.tag_name();
        self.skip_attributes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_name() {
        let cases = [
            ("div>xxxx", (3, true)),
            ("a href=x", (1, true)),
            ("br/>xxxx", (2, true)),
            ("h1\t>xxxx", (2, true)),
            ("x-y>\x01\x01\x01\x01", (3, true)),
            ("fieldset", (8, true)),
            ("DIV>xxxx", (3, false)),
            ("div\0>xxx", (3, false)),
            ("a\x01b>xxxx", (1, false)),
        ];
        for (source, expected) in cases {
            let bytes = source.as_bytes().try_into().expect("each case has eight bytes");
            assert_eq!(name_in(u64::from_le_bytes(bytes)), expected, "{source:?}");
        }
    }
}
