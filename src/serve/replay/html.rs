//! Rewrites the links of an archived page, so that they lead into the archive.
//!
//! `answer` calls it for every page that is replayed. It changes tags of the source, and addresses in scripts and style sheets.
//!
//! One pass over the bytes of the page. Only values of attributes, style sheets and the specifiers of module scripts are
//! written anew; every other byte is copied. The page's encoding is not changed: all that HTML's syntax consists of is
//! ASCII, and of the encodings in use all but UTF-16 and ISO-2022-JP keep it so (those two are brought here as UTF-8, see
//! [`super::answer`]).
//!
//! The tokenizer is that of the standard, without a tree: contents of `script`, `style`, `title`, `textarea` and the
//! like are text up to their own end tag; within `svg` and `math` they are not, which is kept track of by a stack of a few
//! names. Where a tree builder would decide otherwise (a `title` in a `frameset`), references may be left as they are:
//! this costs a picture and no safety, which rests on the policy that is sent along.
//!
//! The contents of `noscript`, which browsers with scripts take as text, are rewritten as markup up to their end tag.
//! A `srcdoc` is a page in an attribute: it is decoded, rewritten and encoded, [`MAX_SRCDOC`] deep; beyond, the attribute
//! is set aside.
//!
//! Time is linear in the page and in each of its nested documents; memory that of the output and one tag.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#tokenization>.

use memchr::{memchr, memchr2};

use super::css;
use super::place::References;
use super::script::{self, Realm};
use super::tags::{self, Attribute};

/// Documents within documents within … that are rewritten.
const MAX_SRCDOC: usize = 3;

/// Foreign elements that are told apart; deeper ones count as the deepest.
const MAX_FOREIGN: usize = 256;

/// Rewrites the page `source` and appends it to `out`, with `inject` before its first element that could be or contain
/// a script. `references` are changed by its `<base>`.
pub(super) fn rewrite(source: &[u8], references: &mut References, inject: &str, out: &mut Vec<u8>) {
    rewrite_nested(source, references, inject, MAX_SRCDOC, out);
}

pub(super) fn rewrite_nested(
    source: &[u8],
    references: &mut References,
    inject: &str,
    nested: usize,
    out: &mut Vec<u8>,
) {
    let mut page = Html::new(source, references, inject, nested, out);
    page.run();
    page.finish();
}

/// What an element in SVG or MathML makes of its contents.
#[derive(Copy, Clone, PartialEq)]
enum Foreign {
    Svg,
    Math,
    /// HTML again: `foreignObject` and the like.
    Html(&'static str),
}

struct Html<'a> {
    source: &'a [u8],
    references: &'a mut References,
    out: &'a mut Vec<u8>,
    inject: &'a str,
    injected: bool,
    at: usize,
    /// What has been written, up to here.
    copied: usize,
    foreign: Vec<Foreign>,
    nested: usize,
    /// Whether this is the inside of a `noscript`, within which another means nothing.
    noscript: bool,
}

impl<'a> Html<'a> {
    fn new(
        source: &'a [u8],
        references: &'a mut References,
        inject: &'a str,
        nested: usize,
        out: &'a mut Vec<u8>,
    ) -> Html<'a> {
        let injected = inject.is_empty();
        let (foreign, noscript) = (Vec::new(), false);
        Html { source, references, out, inject, injected, at: 0, copied: 0, foreign, nested, noscript }
    }

    fn byte(&self, at: usize) -> u8 {
        self.source.get(at).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        let end = self.source.len();
        while self.at < end {
            let Some(found) = memchr(b'<', &self.source[self.at..end]) else {
                self.text(end);
                self.at = end;
                return;
            };
            let open = self.at + found;
            self.text(open);
            self.at = open;
            match self.byte(open + 1) {
                b'!' => self.declaration(),
                b'?' => self.skip_to(b">", 2),
                b'/' => match self.byte(open + 2) {
                    b'>' => self.at += 3,
                    c if c.is_ascii_alphabetic() => self.end_tag(),
                    _ => self.skip_to(b">", 2),
                },
                c if c.is_ascii_alphabetic() => self.start_tag(),
                _ => self.at += 1,
            }
        }
    }

    fn finish(&mut self) {
        let end = self.source.len();
        if !self.injected {
            self.inject_at(end);
        }
        self.out.extend_from_slice(&self.source[self.copied..end]);
        self.copied = end;
    }

    /// Text up to `end`: where there is more than white space, the page's body has begun.
    fn text(&mut self, end: usize) {
        if self.injected {
            return;
        }
        let text = &self.source[self.at..end];
        let text = if self.at == 0 { text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text) } else { text };
        if !text.iter().all(u8::is_ascii_whitespace) {
            self.inject_at(end - text.len());
        }
    }

    fn inject_at(&mut self, at: usize) {
        self.injected = true;
        let inject = self.inject;
        self.put(at, at, inject.as_bytes());
    }

    fn put(&mut self, from: usize, to: usize, text: &[u8]) {
        self.out.extend_from_slice(&self.source[self.copied..from]);
        self.out.extend_from_slice(text);
        self.copied = to;
    }

    /// Moves behind the next `mark` that begins `from` bytes on or later.
    fn skip_to(&mut self, mark: &[u8], from: usize) {
        let start = (self.at + from).min(self.source.len());
        let rest = &self.source[start..];
        self.at = memchr::memmem::find(rest, mark).map_or(self.source.len(), |at| start + at + mark.len());
    }

    fn declaration(&mut self) {
        let rest = &self.source[self.at + 2..];
        if rest.starts_with(b"--") {
            // `<!-->` and `<!--->` are comments too; one may end in `--!>`.
            if rest[2..].starts_with(b">") {
                self.at += 5;
            } else if rest[2..].starts_with(b"->") {
                self.at += 6;
            } else {
                let body = &rest[2..];
                let mut from = 0;
                self.at += loop {
                    let Some(dashes) = memchr::memmem::find(&body[from..], b"--") else {
                        break self.source.len() - self.at;
                    };
                    let after = from + dashes + 2;
                    match body.get(after) {
                        Some(b'>') => break 4 + after + 1,
                        Some(b'!') if body.get(after + 1) == Some(&b'>') => break 4 + after + 2,
                        _ => from = after - 1,
                    }
                };
            }
        } else if rest.starts_with(b"[CDATA[") && self.in_foreign() {
            self.skip_to(b"]]>", 9);
        } else {
            self.skip_to(b">", 2);
        }
    }

    fn in_foreign(&self) -> bool {
        matches!(self.foreign.last(), Some(Foreign::Svg | Foreign::Math))
    }

    /// The name at a place, in lower case, and its end.
    fn name(&self, start: usize) -> (Vec<u8>, usize) {
        let rest = &self.source[start..];
        let length = rest
            .iter()
            .position(|&b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'))
            .unwrap_or(rest.len());
        (rest[..length.min(32)].to_ascii_lowercase(), start + length)
    }

    /// Reads attributes from `at` on; the place behind the tag and whether it is self-closing, or `None` where the source ends first.
    fn attributes(&self, mut at: usize, mut each: impl FnMut(Attribute)) -> Option<(usize, bool)> {
        let space = |b: &u8| b.is_ascii_whitespace();
        loop {
            while self.source.get(at).is_some_and(space) {
                at += 1;
            }
            match *self.source.get(at)? {
                b'>' => return Some((at + 1, false)),
                b'/' => {
                    at += 1;
                    if *self.source.get(at)? == b'>' {
                        return Some((at + 1, true));
                    }
                    continue;
                }
                _ => {}
            }
            let start = at;
            // An equals sign may begin a name.
            at += 1;
            while !self.source.get(at).is_none_or(|b| space(b) || matches!(b, b'/' | b'>' | b'=')) {
                at += 1;
            }
            let mut attribute = Attribute { name: (start, at), value: None };
            while self.source.get(at).is_some_and(space) {
                at += 1;
            }
            if *self.source.get(at)? == b'=' {
                at += 1;
                while self.source.get(at).is_some_and(space) {
                    at += 1;
                }
                match *self.source.get(at)? {
                    quote @ (b'"' | b'\'') => {
                        let inside = at + 1;
                        let length = memchr(quote, &self.source[inside..])?;
                        attribute.value = Some((inside, inside + length));
                        at = inside + length + 1;
                    }
                    b'>' => {}
                    _ => {
                        let inside = at;
                        while !self.source.get(at).is_none_or(|b| space(b) || *b == b'>') {
                            at += 1;
                        }
                        attribute.value = Some((inside, at));
                    }
                }
            }
            each(attribute);
        }
    }

    fn end_tag(&mut self) {
        let (name, at) = self.name(self.at + 2);
        let Some((end, _)) = self.attributes(at, |_| ()) else {
            self.at = self.source.len();
            return;
        };
        self.at = end;
        let closes = |open: &Foreign| match open {
            Foreign::Svg => name == b"svg",
            Foreign::Math => name == b"math",
            Foreign::Html(of) => name == of.as_bytes(),
        };
        if let Some(at) = self.foreign.iter().rposition(closes) {
            self.foreign.truncate(at);
        }
    }

    fn start_tag(&mut self) {
        let open = self.at;
        let (name, name_end) = self.name(open + 1);
        let mut attributes = Vec::new();
        let Some((tag_end, self_closing)) = self.attributes(name_end, |attribute| attributes.push(attribute))
        else {
            // The source ends within the tag: there is none.
            self.at = self.source.len();
            return;
        };
        if !self.injected && !matches!(&name[..], b"html" | b"head") {
            self.inject_at(open);
        }
        let foreign = self.enter(&name, self_closing);
        let tag = tags::Tag { name: &name, source: self.source, attributes: &attributes, foreign };
        let kind = tag.contents();
        for edit in tag.edits(self.references, self.nested) {
            let (from, to) = edit.span;
            self.put(from, to, &edit.text);
        }
        self.at = tag_end;
        if !self.injected && name == b"head" {
            self.inject_at(tag_end);
        }
        if foreign && self_closing {
            return;
        }
        self.contents(&name, kind, !foreign);
    }

    /// Keeps track of SVG and MathML; whether the element is one of theirs.
    fn enter(&mut self, name: &[u8], self_closing: bool) -> bool {
        if self.in_foreign() && tags::breaks_out(name) {
            while self.in_foreign() {
                self.foreign.pop();
            }
            return false;
        }
        let within = self.in_foreign();
        let root = match name {
            b"svg" => Some(Foreign::Svg),
            b"math" => Some(Foreign::Math),
            _ => None,
        };
        let math = self.foreign.last() == Some(&Foreign::Math);
        let point = if within { tags::integration_point(name, math) } else { None };
        if let Some(inside) = point.map(Foreign::Html).or(root).filter(|_| !self_closing) {
            self.push(inside);
        }
        within || root.is_some()
    }

    fn push(&mut self, foreign: Foreign) {
        if self.foreign.len() >= MAX_FOREIGN {
            self.foreign.pop();
        }
        self.foreign.push(foreign);
    }

    /// Contents that are no markup.
    fn contents(&mut self, name: &[u8], kind: tags::Contents, html: bool) {
        let start = self.at;
        match name {
            b"script" => {
                let end = if html { self.script_end(start) } else { self.raw_end(start, b"script") };
                self.script(start, end, kind);
                self.at = end;
            }
            b"style" => {
                let end = self.raw_end(start, b"style");
                let mut sheet = Vec::new();
                css::rewrite(&self.source[start..end], self.references, &mut sheet);
                if sheet != self.source[start..end] {
                    self.put(start, end, &sheet);
                }
                self.at = end;
            }
            b"noscript" if html && !self.noscript => {
                // Nothing within reaches beyond the end tag.
                let end = self.raw_end(start, b"noscript");
                let mut inner = Vec::new();
                let mut references = self.references.clone();
                let source = &self.source[start..end];
                let mut page = Html::new(source, &mut references, "", self.nested, &mut inner);
                page.noscript = true;
                page.run();
                page.finish();
                if inner != self.source[start..end] {
                    self.put(start, end, &inner);
                }
                self.at = end;
            }
            b"title" | b"textarea" | b"xmp" | b"iframe" | b"noembed" | b"noframes" if html => {
                self.at = self.raw_end(start, name);
            }
            b"plaintext" if html => self.at = self.source.len(),
            _ => {}
        }
    }

    fn script(&mut self, start: usize, end: usize, kind: tags::Contents) {
        let source = &self.source[start..end];
        let mut text = Vec::new();
        match kind {
            tags::Contents::ImportMap => script::rewrite_import_map(source, self.references, &mut text),
            tags::Contents::Script => script::rewrite(source, self.references, Realm::Page, &mut text),
            tags::Contents::Data => return,
        }
        if text != source {
            self.put(start, end, &text);
        }
    }

    /// Place of the `<` of the end tag, or the end of the source.
    fn raw_end(&self, mut at: usize, name: &[u8]) -> usize {
        while let Some(found) = memchr(b'<', &self.source[at..]) {
            at += found;
            if self.byte(at + 1) == b'/' && self.is_name(at + 2, name) {
                return at;
            }
            at += 1;
        }
        self.source.len()
    }

    fn is_name(&self, at: usize, name: &[u8]) -> bool {
        self.source.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
            && self
                .source
                .get(at + name.len())
                .is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'))
    }

    /// Within a script `<!--` followed by `<script` hides an end tag up to `-->`.
    fn script_end(&self, mut at: usize) -> usize {
        let mut hidden = 0;
        loop {
            let rest = &self.source[at..];
            let found = if hidden == 0 { memchr(b'<', rest) } else { memchr2(b'<', b'-', rest) };
            let Some(found) = found else { return self.source.len() };
            at += found;
            let rest = &self.source[at..];
            if rest[0] == b'-' {
                if rest.starts_with(b"-->") {
                    hidden = 0;
                    at += 2;
                }
            } else if self.byte(at + 1) == b'/' {
                if self.is_name(at + 2, b"script") {
                    if hidden < 2 {
                        return at;
                    }
                    hidden = 1;
                }
            } else if hidden == 0 && rest.starts_with(b"<!--") {
                hidden = 1;
                // The dashes may be those of `-->`.
                at += 1;
            } else if hidden == 1 && self.is_name(at + 1, b"script") {
                hidden = 2;
            }
            at += 1;
        }
    }
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
