//! Tokenizer: attributes, of one name the first of a tag.

use memchr::{memchr2, memchr3};
use webmill_capture::cut::Cut;

use super::dom::{Attr, Span};
use super::entities::{Value, decode};
use super::tokenizer::{CLASS, ENDS_NAME, ENDS_VALUE, ODD, SPACE, is};
use super::tree::Builder;

impl Builder<'_> {
    /// Reads the attributes of an end tag, which say nothing; false if the source ends first.
    pub fn skip_attributes(&mut self) -> bool {
        let before = self.dom.attrs.len();
        let side = self.dom.side.len();
        let ended = self.attributes(before).is_some();
        self.dom.attrs.truncate(before);
        self.dom.side.truncate(side);
        if !ended {
            self.pos = self.src.len();
        }
        ended
    }

    /// Reads attributes to the end of the tag; whether it is self-closing, or `None` if the source ends first.
    pub fn attributes(&mut self, first: usize) -> Option<bool> {
        loop {
            let mut c = self.byte(self.pos)?;
            while is(c, SPACE) {
                self.pos += 1;
                c = self.byte(self.pos)?;
            }
            if c == b'>' {
                self.pos += 1;
                return Some(false);
            }
            if c == b'/' {
                self.pos += 1;
                if self.byte(self.pos)? == b'>' {
                    self.pos += 1;
                    return Some(true);
                }
                continue;
            }
            let name = self.attribute_name();
            let mut c = self.byte(self.pos)?;
            while is(c, SPACE) {
                self.pos += 1;
                c = self.byte(self.pos)?;
            }
            let mut value = Span::default();
            if c == b'=' {
                self.pos += 1;
                let mut c = self.byte(self.pos)?;
                while is(c, SPACE) {
                    self.pos += 1;
                    c = self.byte(self.pos)?;
                }
                value = match c {
                    b'"' | b'\'' => {
                        self.pos += 1;
                        self.quoted(c)?
                    }
                    b'>' => value,
                    _ => self.unquoted()?,
                };
            }
            if self.dom.attrs.len() - first >= self.limits.max_attrs_per_tag {
                self.dom.cuts.attributes = true;
            } else if !self.names.repeats(&self.dom, first, name) {
                self.dom.attrs.push(Attr { name, value });
            }
        }
    }

    #[inline]
    fn attribute_name(&mut self) -> Span {
        let start = self.pos;
        let mut odd = CLASS[self.src[start] as usize];
        // An equals sign may begin a name.
        let mut at = start + 1;
        while let Some(c) = self.byte(at) {
            let class = CLASS[c as usize];
            if class & ENDS_NAME != 0 {
                break;
            }
            odd |= class;
            at += 1;
        }
        self.pos = at;
        if odd & ODD != 0 { self.lower(start, at) } else { Span::new(start, at) }
    }

    #[inline]
    fn quoted(&mut self, quote: u8) -> Option<Span> {
        let start = self.pos;
        let rest = &self.src[start..];
        let found = if self.has_nul { memchr3(quote, b'&', 0, rest) } else { memchr2(quote, b'&', rest) };
        let at = start + found?;
        if self.src[at] == quote {
            self.pos = at + 1;
            return Some(Span::new(start, at));
        }
        self.value_with_references(start, at, |c| c == quote).inspect(|_| self.pos += 1)
    }

    fn unquoted(&mut self) -> Option<Span> {
        let start = self.pos;
        let mut at = start;
        while !is(self.byte(at)?, ENDS_VALUE) {
            at += 1;
        }
        if matches!(self.src[at], b'&' | 0) {
            return self.value_with_references(start, at, |c| is(c, SPACE) || c == b'>');
        }
        self.pos = at;
        Some(Span::new(start, at))
    }

    /// A value from its first reference or NUL (`at`) on; the position is then at what ends it.
    fn value_with_references(
        &mut self,
        mut start: usize,
        mut at: usize,
        ends: impl Fn(u8) -> bool,
    ) -> Option<Span> {
        let begin = start;
        let side = self.dom.side.len();
        loop {
            let c = self.byte(at)?;
            if ends(c) {
                break;
            }
            let (len, value) = match c {
                b'&' => decode(&self.src[at..], true).unzip(),
                0 => (Some(1), Some(Value::Char(char::REPLACEMENT_CHARACTER))),
                _ => (None, None),
            };
            at += len.unwrap_or(1);
            if let (Some(len), Some(value)) = (len, value) {
                self.dom.side.push_str(self.text.cut(start..at - len));
                self.push_value(value);
                start = at;
            }
        }
        self.pos = at;
        if start == begin {
            return Some(Span::new(begin, at));
        }
        self.dom.side.push_str(self.text.cut(start..at));
        Some(self.side_from(side))
    }
}
