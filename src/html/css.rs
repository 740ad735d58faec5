//! Style sheets: the places where they name other files.
//!
//! **Definition.** `url()`, with quotes or without, `@import`, and the strings of `image-set()`. `@namespace` names a
//! vocabulary and no place.
//!
//! **Algorithm.** One pass over the bytes by the tokens of CSS: comments, strings, names with escapes, `url(` without
//! quotes. Malformed style sheets are read by the standard's rules of recovery: a string ends at its line, a bad `url(` at
//! its parenthesis, everything at the end of the source.
//!
//! **Cost.** Time is linear; memory is constant.
//!
//! **Reference.** CSS Syntax Module Level 3, <https://www.w3.org/TR/css-syntax-3/>.

use std::ops::Range;
use webmill_capture::cut::Cut;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};

/// Parentheses that are told apart; deeper ones are passed over without being looked into.
const MAX_DEPTH: usize = 64;

/// What a style sheet uses an address for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Another style sheet.
    Import,
    /// A picture, a font, a cursor, …
    Resource,
}

/// Hands the place of each address in `source`, a style sheet in `encoding`, to `visit`, in order: the bytes between its
/// quotes or parentheses, escapes and blanks still in it.
///
/// # Examples
/// ```
/// use webmill_html::css::{Use, each_address};
/// let source = "@import 'a.css'; b { background: URL( c.png ) }";
/// let mut found = Vec::new();
/// each_address(source.as_bytes(), encoding_rs::UTF_8, &mut |at, of| found.push((&source[at], of)));
/// assert_eq!(found, [("a.css", Use::Import), ("c.png ", Use::Resource)]);
/// ```
pub fn each_address(source: &[u8], encoding: &'static Encoding, visit: &mut dyn FnMut(Range<usize>, Use)) {
    Css { source, visit, at: 0, double: has_trailing_ascii(encoding) }.run();
}

/// Whether the second bytes of characters may look like ASCII: a backslash there escapes nothing.
fn has_trailing_ascii(encoding: &'static Encoding) -> bool {
    [GBK, GB18030, BIG5, SHIFT_JIS, EUC_KR, EUC_JP].contains(&encoding)
}

struct Css<'a> {
    source: &'a [u8],
    visit: &'a mut dyn FnMut(Range<usize>, Use),
    at: usize,
    double: bool,
}

/// What an open parenthesis belongs to.
#[derive(Copy, Clone, PartialEq)]
enum Open {
    ImageSet,
    Other,
}

/// What the at-rule that is being read makes of a string.
#[derive(Copy, Clone, PartialEq)]
enum Rule {
    None,
    Import,
    Namespace,
}

impl Css<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.source.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        let mut open: Vec<Open> = Vec::new();
        let mut beyond = 0usize;
        let mut rule = Rule::None;
        while self.at < self.source.len() {
            match self.byte(0) {
                b'/' if self.byte(1) == b'*' => {
                    let body = &self.source[self.at + 2..];
                    let end = memchr::memmem::find(body, b"*/").map_or(body.len(), |end| end + 2);
                    self.at += 2 + end;
                }
                quote @ (b'"' | b'\'') => {
                    let (start, end) = self.string(quote);
                    let of = match rule {
                        Rule::Import => Some(Use::Import),
                        _ if beyond == 0 && open.last() == Some(&Open::ImageSet) => Some(Use::Resource),
                        _ => None,
                    };
                    if let Some(of) = of {
                        (self.visit)(start..end, of);
                    }
                    if rule == Rule::Import {
                        rule = Rule::None;
                    }
                }
                b'@' => {
                    self.at += 1;
                    rule = match &self.name()[..] {
                        b"import" => Rule::Import,
                        b"namespace" => Rule::Namespace,
                        _ => Rule::None,
                    };
                }
                b'(' => {
                    self.at += 1;
                    if open.len() < MAX_DEPTH { open.push(Open::Other) } else { beyond += 1 }
                }
                b')' => {
                    self.at += 1;
                    if beyond > 0 {
                        beyond -= 1;
                    } else {
                        open.pop();
                    }
                }
                b';' | b'{' | b'}' => {
                    self.at += 1;
                    rule = Rule::None;
                    if self.source[self.at - 1] != b';' {
                        open.clear();
                        beyond = 0;
                    }
                }
                b if self.starts_name(b) => {
                    let name = self.name();
                    if self.byte(0) != b'(' {
                        continue;
                    }
                    if name == b"url" {
                        self.at += 1;
                        self.url(rule);
                        if rule == Rule::Import {
                            rule = Rule::None;
                        }
                        continue;
                    }
                    self.at += 1;
                    let kind = if name.ends_with(b"image-set") { Open::ImageSet } else { Open::Other };
                    if open.len() < MAX_DEPTH { open.push(kind) } else { beyond += 1 }
                }
                _ => self.at += 1,
            }
        }
    }

    fn starts_name(&self, b: u8) -> bool {
        b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b'-')
            || b >= 0x80
            || (b == b'\\' && !matches!(self.byte(1), b'\n' | b'\r' | 0xc))
    }

    /// Length of the character at the position, where its second byte may look like something else.
    fn character(&self) -> usize {
        let second = self.byte(1);
        // Half-width katakana and stray bytes are followed by what is no second byte, or by one that does no harm.
        if self.double && self.byte(0) > 0x80 && second >= 0x40 { 2 } else { 1 }
    }

    /// Passes over a name; its start in lower case, escapes resolved.
    fn name(&mut self) -> Vec<u8> {
        const KEPT: usize = 32;
        let mut name = Vec::new();
        while self.at < self.source.len() {
            let b = self.byte(0);
            if !self.starts_name(b) {
                break;
            }
            let c = if b == b'\\' {
                let (length, c) = unescape(&self.source[self.at..]);
                self.at += length;
                u8::try_from(c).unwrap_or(b'?')
            } else {
                self.at += self.character().min(self.source.len() - self.at);
                b
            };
            if name.len() < KEPT {
                name.push(c.to_ascii_lowercase());
            }
        }
        name
    }

    /// Passes over a string; its inside.
    fn string(&mut self, quote: u8) -> (usize, usize) {
        self.at += 1;
        let start = self.at;
        while self.at < self.source.len() {
            match self.byte(0) {
                b if b == quote => {
                    self.at += 1;
                    return (start, self.at - 1);
                }
                // A bad string: what follows is read anew.
                b'\n' | b'\r' | 0xc => return (start, self.at),
                b'\\' => self.at += 2,
                _ => self.at += self.character(),
            }
        }
        self.at = self.source.len();
        (start, self.at)
    }

    /// What follows `url(`.
    fn url(&mut self, rule: Rule) {
        while self.byte(0).is_ascii_whitespace() {
            self.at += 1;
        }
        let of = match rule {
            Rule::Import => Use::Import,
            _ => Use::Resource,
        };
        let quote = self.byte(0);
        let quoted = matches!(quote, b'"' | b'\'');
        let (start, end) = if quoted {
            self.string(quote)
        } else {
            let start = self.at;
            while self.at < self.source.len() && self.byte(0) != b')' {
                self.at += if self.byte(0) == b'\\' { 2 } else { self.character() };
            }
            self.at = self.at.min(self.source.len());
            (start, self.at)
        };
        if rule != Rule::Namespace {
            (self.visit)(start..end, of);
        }
        if quoted {
            // Up to the parenthesis; modifiers of a URL are few, and a missing one must not cost the rest.
            while self.byte(0).is_ascii_whitespace() {
                self.at += 1;
            }
        }
        if self.byte(0) == b')' {
            self.at += 1;
        }
    }
}

/// Length and value of the escape at the start.
fn unescape(bytes: &[u8]) -> (usize, u32) {
    let digits = bytes[1..].iter().take(6).take_while(|b| b.is_ascii_hexdigit()).count();
    if digits == 0 {
        return (2.min(bytes.len()), bytes.get(1).map_or(0xFFFD, |&b| b.into()));
    }
    let text = std::str::from_utf8(&bytes[1..=digits]).unwrap_or_default();
    let value = u32::from_str_radix(text, 16).unwrap_or(0xFFFD);
    let space = match bytes.get(1 + digits) {
        Some(b'\r') if bytes.get(2 + digits) == Some(&b'\n') => 2,
        Some(b' ' | b'\t' | b'\n' | b'\r' | 0xc) => 1,
        _ => 0,
    };
    (1 + digits + space, value)
}

/// The text of a name or a string, its escapes resolved.
pub fn unescape_all(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.cut(..at));
        rest = rest.cut(at..);
        let mut following = rest.cut(1..).chars();
        let length = match following.next() {
            None => 1,
            // A line break is continued.
            Some('\r') if following.next() == Some('\n') => 3,
            Some('\n' | '\r' | '\u{c}') => 2,
            Some(c) if c.is_ascii_hexdigit() => {
                let (length, value) = unescape(rest.as_bytes());
                out.push(char::from_u32(value).filter(|&c| c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER));
                length
            }
            Some(c) => {
                out.push(c);
                1 + c.len_utf8()
            }
        };
        rest = rest.cut(length..);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(String, Use)> {
        let mut found = Vec::new();
        each_address(source.as_bytes(), encoding_rs::UTF_8, &mut |at, of| {
            found.push((unescape_all(source.cut(at).trim()), of));
        });
        found
    }

    #[test]
    fn every_form_of_an_address() {
        use Use::{Import, Resource};
        let cases: [(&str, &[(&str, Use)]); 17] = [
            ("a{b:url(x)}", &[("x", Resource)]),
            ("a{b:url( 'x' )c:url(\"y\")}", &[("x", Resource), ("y", Resource)]),
            ("a{b:u\\72 l(x)}", &[("x", Resource)]),
            ("a{b:url(\\78)}", &[("x", Resource)]),
            (
                "@import 'a';@IMPORT url(b) screen;@\\69mport \"c\" layer(d)",
                &[("a", Import), ("b", Import), ("c", Import)],
            ),
            ("@import/**/'a'/* url(x) */supports(b:c);", &[("a", Import)]),
            ("@namespace url(n);@namespace p 'n';", &[]),
            ("a{b:'url(x)'}/* url(x) */", &[]),
            (
                "a{b:image-set('x' 1x, url(y) 2x, 'z' type('t'))}",
                &[("x", Resource), ("y", Resource), ("z", Resource)],
            ),
            ("a{b:-webkit-image-set(url(y) 2x)}", &[("y", Resource)]),
            ("@font-face{src:url(f.woff2)format('woff2'),local('F')}", &[("f.woff2", Resource)]),
            ("a{b:'x\nc:url(y)}", &[("y", Resource)]),
            ("a{b:url(x", &[("x", Resource)]),
            ("a{b:myurl(x)}", &[]),
            ("/* open", &[]),
            ("@import", &[]),
            ("a{b:src('x')}", &[]),
        ];
        for (source, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|&(text, of)| (text.to_owned(), of)).collect();
            assert_eq!(found(source), expected, "{source}");
        }
    }

    #[test]
    fn depth_costs_nothing() {
        let source = format!("a{{b:{}url(x)", "f(".repeat(1_000_000));
        assert_eq!(found(&source).len(), 1);
    }
}
