//! Tokenizer: text, tags and attributes.
//!
//! The tokenizer reads bytes: all that HTML's syntax consists of is ASCII, so every span begins and ends between
//! characters. It calls the tree builder for each token. Text goes to the next `<`, `&` or NUL by a vectorised
//! search; names are classified by a table of 256 entries, and a tag's name is gathered into the integer that
//! [`Tag::from_key`] takes while its end is looked for.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#tokenization>.

use memchr::{memchr2, memchr3};

use super::dom::{Attr, Dom, Span};
use super::entities::{Value, decode};
use super::tag::Tag;
use super::tree::{Builder, Contents, Token};

/// Ends a tag's name: white space, `/`, `>`.
const ENDS_TAG: u8 = 1;
/// Ends an attribute's name: these and `=`.
const ENDS_NAME: u8 = 2;
/// To be replaced: capital letters, NUL.
const ODD: u8 = 4;
const NUL: u8 = 32;
const SPACE: u8 = 8;
/// Ends or complicates a value without quotes: white space, `>`, `&`, NUL.
const ENDS_VALUE: u8 = 16;

static CLASS: [u8; 256] = classes();

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
fn is(c: u8, class: u8) -> bool {
    CLASS[c as usize] & class != 0
}

/// Number of attributes from which on names are looked up in a table instead of one by one.
const MANY: usize = 12;

/// Finds repeated names among many attributes of one tag: open addressing, cleared by a new generation.
#[derive(Default)]
pub(super) struct Names {
    generation: u32,
    slots: Vec<(u32, u32)>,
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
                        self.dom.side.push_str(&self.text[start..at]);
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
                self.dom.side.push_str(&self.text[start..end]);
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
        for c in self.text[start..end].chars() {
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

    /// Reads the attributes of an end tag, which say nothing; false if the source ends first.
    fn skip_attributes(&mut self) -> bool {
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

    /// Passes over an end tag, whose name is at the position.
    pub fn skip_end_tag(&mut self) {
        self.tag_name();
        self.skip_attributes();
    }

    /// Reads attributes to the end of the tag; whether it is self-closing, or `None` if the source ends first.
    fn attributes(&mut self, first: usize) -> Option<bool> {
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
            } else if !self.repeats(first, name) {
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

    /// Whether the tag that is being read has an attribute of the name already; the first one counts.
    #[inline]
    fn repeats(&mut self, first: usize, name: Span) -> bool {
        let count = self.dom.attrs.len() - first;
        if count >= MANY {
            return self.repeats_among_many(first, name);
        }
        let wanted = self.dom.bytes(name);
        self.dom.attrs[first..]
            .iter()
            .any(|attr| attr.name.len == name.len && self.dom.bytes(attr.name) == wanted)
    }

    fn repeats_among_many(&mut self, first: usize, name: Span) -> bool {
        let Builder { names, dom, limits, .. } = self;
        let slots = (2 * limits.max_attrs_per_tag).next_power_of_two().max(4 * MANY);
        if names.slots.is_empty() {
            names.slots = vec![(0, 0); slots];
        }
        let mask = names.slots.len() - 1;
        let hash = |name: &[u8]| {
            let mut h = name.len() as u64;
            for chunk in name.chunks(8) {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                h = (h.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
            }
            (h >> 32) as usize & mask
        };
        let from = if dom.attrs.len() - first == MANY {
            names.generation += 1;
            first
        } else {
            dom.attrs.len() - 1
        };
        // Names are entered when the next one comes, so that what is not kept is not entered.
        let mut find = |name: &[u8], enter: u32| {
            let mut at = hash(name);
            loop {
                let (generation, attr) = names.slots[at];
                if generation != names.generation {
                    if enter != u32::MAX {
                        names.slots[at] = (names.generation, enter);
                    }
                    return false;
                }
                if dom.bytes(dom.attrs[attr as usize].name) == name {
                    return true;
                }
                at = (at + 1) & mask;
            }
        };
        for at in from..dom.attrs.len() {
            find(dom.bytes(dom.attrs[at].name), at as u32);
        }
        find(dom.bytes(name), u32::MAX)
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
                self.dom.side.push_str(&self.text[start..at - len]);
                self.push_value(value);
                start = at;
            }
        }
        self.pos = at;
        if start == begin {
            return Some(Span::new(begin, at));
        }
        self.dom.side.push_str(&self.text[start..at]);
        Some(self.side_from(side))
    }
}
