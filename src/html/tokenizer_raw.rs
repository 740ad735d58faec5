//! Tokenizer: the contents of `script`, `style`, `title`, `textarea` and the like, which are text up to their own end
//! tag.
//!
//! Within a script, `<!--` followed by `<script` hides a `</script` until `-->`, as scripts that write scripts need.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#script-data-state>.

use memchr::{memchr, memchr2};
use webmill_capture::cut::Cut;

use super::dom::Span;
use super::entities::{Value, decode};
use super::tree::{Builder, Contents};
use super::tree_text::is_space;

impl Builder<'_> {
    /// Reads the text of the current node and the end tag that closes it.
    pub fn raw_contents(&mut self) {
        let contents = std::mem::replace(&mut self.contents, Contents::Markup);
        let start = self.pos;
        let end = match contents {
            Contents::Markup => return,
            Contents::Plaintext => None,
            Contents::Script => self.script_end(start),
            Contents::Rcdata(tag) | Contents::Rawtext(tag) => self.raw_end(start, tag.name().as_bytes()),
        };
        let text_end = end.unwrap_or(self.src.len());
        let mut span = match contents {
            Contents::Rcdata(_) => self.rcdata(start, text_end),
            _ => self.without_nul(start, text_end),
        };
        if std::mem::take(&mut self.ignore_newline) && self.dom.bytes(span).first() == Some(&b'\n') {
            span = Span { start: span.start + 1, len: span.len - 1 };
        }
        if span.len > 0 {
            // `plaintext` may be reopened below others; the rest are the current node.
            if contents == Contents::Plaintext { self.characters(span) } else { self.insert_text(span) }
        }
        self.pos = text_end;
        if end.is_none() {
            if contents != Contents::Plaintext {
                self.pop();
            }
            return;
        }
        // Where the source ends within the end tag there is none, but the end closes the element as well.
        self.pos += 2;
        self.skip_end_tag();
        self.pop();
    }

    /// Place of the `<` of the end tag.
    fn raw_end(&self, mut at: usize, name: &[u8]) -> Option<usize> {
        loop {
            at += memchr(b'<', &self.src[at..])?;
            if self.byte(at + 1) == Some(b'/') && self.is_name(at + 2, name) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Whether a name is at a place, ended as a tag's name is.
    fn is_name(&self, at: usize, name: &[u8]) -> bool {
        self.src.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
            && self.byte(at + name.len()).is_some_and(|c| is_space(c) || matches!(c, b'/' | b'>'))
    }

    fn script_end(&self, mut at: usize) -> Option<usize> {
        // 0: script; 1: after `<!--`; 2: after `<script` in that.
        let mut depth = 0;
        loop {
            let rest = &self.src[at..];
            if depth == 0 {
                at += memchr(b'<', rest)?;
            } else {
                at += memchr2(b'<', b'-', rest)?;
                if self.src[at] == b'-' {
                    if self.src[at..].starts_with(b"-->") {
                        depth = 0;
                        at += 2;
                    }
                    at += 1;
                    continue;
                }
            }
            if self.byte(at + 1) == Some(b'/') {
                if self.is_name(at + 2, b"script") {
                    if depth < 2 {
                        return Some(at);
                    }
                    depth = 1;
                }
            } else if depth == 0 && self.src[at..].starts_with(b"<!--") {
                depth = 1;
                // The dashes may be those of `-->`.
                at += 1;
            } else if depth == 1 && self.is_name(at + 1, b"script") {
                depth = 2;
            }
            at += 1;
        }
    }

    fn rcdata(&mut self, start: usize, end: usize) -> Span {
        if memchr2(b'&', 0, &self.src[start..end]).is_none() {
            return Span::new(start, end);
        }
        let side = self.dom.side.len();
        let mut from = start;
        let mut at = start;
        while let Some(found) = memchr2(b'&', 0, &self.src[at..end]) {
            at += found;
            let decoded = if self.src[at] == 0 {
                Some((1, Value::Char(char::REPLACEMENT_CHARACTER)))
            } else {
                // The end tag's `<` ends a reference as well as the end of the source does.
                decode(&self.src[at..end], false)
            };
            match decoded {
                Some((len, value)) => {
                    self.dom.side.push_str(self.text.cut(from..at));
                    self.push_value(value);
                    at += len;
                    from = at;
                }
                None => at += 1,
            }
        }
        self.dom.side.push_str(self.text.cut(from..end));
        self.side_from(side)
    }

    /// Text as it stands, but NUL replaced.
    pub fn without_nul(&mut self, start: usize, end: usize) -> Span {
        if !self.has_nul || memchr(0, &self.src[start..end]).is_none() {
            return Span::new(start, end);
        }
        let side = self.dom.side.len();
        for (i, part) in self.text.cut(start..end).split('\0').enumerate() {
            if i > 0 {
                self.dom.side.push(char::REPLACEMENT_CHARACTER);
            }
            self.dom.side.push_str(part);
        }
        self.side_from(side)
    }
}
