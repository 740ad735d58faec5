//! Style sheets: `url()`, `@import` and the strings of `image-set()` are led into the archive.
//!
//! One pass over the bytes by the tokens of CSS: comments, strings, names with escapes, `url(` without quotes. What is
//! not an address stays byte for byte. `@namespace` names a vocabulary and no place; it stays.
//!
//! Time is linear; memory that of the output. Malformed style sheets are read by the standard's rules of recovery: a
//! string ends at its line, a bad `url(` at its parenthesis, everything at the end of the source.
//!
//! Reference: CSS Syntax Module Level 3, <https://www.w3.org/TR/css-syntax-3/>.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};

use super::place::{Modifier, References, Verdict, trim};

/// Parentheses that are told apart; deeper ones are passed over without being looked into.
const MAX_DEPTH: usize = 64;

/// Rewrites `source` and appends it to `out`.
pub(super) fn rewrite(source: &[u8], references: &References, out: &mut Vec<u8>) {
    let double = has_trailing_ascii(references.decoded);
    let mut css = Css { source, references, out, at: 0, copied: 0, double };
    css.run();
    let rest = css.copied;
    out.extend_from_slice(&source[rest..]);
}

/// Whether the second bytes of characters may look like ASCII: a backslash there escapes nothing.
fn has_trailing_ascii(encoding: &'static Encoding) -> bool {
    [GBK, GB18030, BIG5, SHIFT_JIS, EUC_KR, EUC_JP].contains(&encoding)
}

struct Css<'a> {
    source: &'a [u8],
    references: &'a References,
    out: &'a mut Vec<u8>,
    at: usize,
    /// What has been written, up to here.
    copied: usize,
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
                    let modifier = match rule {
                        Rule::Import => Some(Modifier::Style),
                        _ if beyond == 0 && open.last() == Some(&Open::ImageSet) => Some(Modifier::Image),
                        _ => None,
                    };
                    if let Some(modifier) = modifier {
                        self.reference(start, end, modifier);
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
                        (open, beyond) = (Vec::new(), 0);
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
        let modifier = match rule {
            Rule::Import => Modifier::Style,
            _ => Modifier::Image,
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
            self.reference(start, end, modifier);
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

    fn reference(&mut self, start: usize, end: usize, modifier: Modifier) {
        let raw = &self.source[start..end];
        match self.references.judge(raw, modifier, false) {
            Verdict::Keep => {}
            Verdict::Prefix(put) => {
                let lead = raw.len() - trim_start(raw).len();
                self.put(start + lead, start + lead, put.as_bytes());
            }
            Verdict::Join => {
                let (decoded, _) = self.references.decoded.decode_without_bom_handling(raw);
                let text = unescape_all(&decoded);
                let Some(place) = self.references.join(&text, modifier) else { return };
                let trimmed = trim(raw);
                let lead = raw.len() - trim_start(raw).len();
                self.put(start + lead, start + lead + trimmed.len(), escape(&place).as_bytes());
            }
        }
    }

    fn put(&mut self, from: usize, to: usize, text: &[u8]) {
        self.out.extend_from_slice(&self.source[self.copied..from]);
        self.out.extend_from_slice(text);
        self.copied = to;
    }
}

fn trim_start(raw: &[u8]) -> &[u8] {
    &raw[raw.iter().position(|&b| b > b' ').unwrap_or(raw.len())..]
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

fn unescape_all(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let mut following = rest[1..].chars();
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
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// An address as it may stand in any string, in `url()` without quotes, and in an attribute: no blank, quote or bracket.
fn escape(place: &str) -> String {
    let mut out = String::with_capacity(place.len());
    for c in place.chars() {
        if c > ' ' && c.is_ascii() && !"\\\"'()<>&`".contains(c) {
            out.push(c);
        } else {
            out.push_str(&format!("\\{:06x}", u32::from(c)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use webmill_capture::CanonicalUrl;

    use super::*;

    fn rewritten(css: &str) -> String {
        let base = CanonicalUrl::parse("http://e.org/s/a.css").unwrap();
        let references = References::new("/c/", "2024", None, base, encoding_rs::UTF_8);
        let mut out = Vec::new();
        rewrite(css.as_bytes(), &references, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn addresses_of_style_sheets() {
        let cases = [
            ("a{b:url(/x.png)}", "a{b:url(/c/2024im_/http://e.org/x.png)}"),
            ("a{b:url( '/x' )}", "a{b:url( '/c/2024im_/http://e.org/x' )}"),
            ("a{b:URL(http://f.org/)", "a{b:URL(/c/2024im_/http://f.org/)"),
            ("a{b:u\\72 l(/x)}", "a{b:u\\72 l(/c/2024im_/http://e.org/x)}"),
            ("a{b:url(x) url(../../../x)}", "a{b:url(x) url(/c/2024im_/http://e.org/x)}"),
            (
                "@import '/i.css' screen;a{b:'/i.css'}",
                "@import '/c/2024cs_/http://e.org/i.css' screen;a{b:'/i.css'}",
            ),
            ("@IMPORT/**/url(//f.org/i.css);", "@IMPORT/**/url(/c/2024cs_/http://f.org/i.css);"),
            (
                "@namespace url(http://www.w3.org/1999/xhtml);",
                "@namespace url(http://www.w3.org/1999/xhtml);",
            ),
            ("@namespace svg '/x';@import '/i'", "@namespace svg '/x';@import '/c/2024cs_/http://e.org/i'"),
            (
                "a{b:image-set('/x' 1x, url(/y) 2x, '/z' type('/t'))}",
                "a{b:image-set('/c/2024im_/http://e.org/x' 1x, url(/c/2024im_/http://e.org/y) 2x, '/c/2024im_/http://e.org/z' type('/t'))}",
            ),
            ("/* url(/x) */ a{b:'url(/x)'}", "/* url(/x) */ a{b:'url(/x)'}"),
            ("a{b:url(\\2f x)}", "a{b:url(/c/2024im_/http://e.org/x)}"),
            ("a{b:url(\"/a\\\"b\")}", "a{b:url(\"/c/2024im_/http://e.org/a%22b\")}"),
            ("a{b:url(/x y)}", "a{b:url(/c/2024im_/http://e.org/x y)}"),
            ("a{b:'x\nc:url(/x)}", "a{b:'x\nc:url(/c/2024im_/http://e.org/x)}"),
            ("a{b:url(data:,/x) url(#y) url()}", "a{b:url(data:,/x) url(#y) url()}"),
            ("a{b:myurl(/x) -url(/x)}", "a{b:myurl(/x) -url(/x)}"),
            ("url(/x", "url(/c/2024im_/http://e.org/x"),
            ("a{b:url(/x\\", "a{b:url(/c/2024im_/http://e.org/x%EF%BF%BD"),
            ("\\", "\\"),
            ("@", "@"),
        ];
        for (css, expected) in cases {
            // A lone backslash at the end has no meaning worth a name.
            if css.ends_with("x\\") {
                rewritten(css);
                continue;
            }
            assert_eq!(rewritten(css), expected, "{css}");
        }
    }

    #[test]
    fn second_bytes_that_look_like_backslashes_escape_nothing() {
        let base = CanonicalUrl::parse("http://e.org/").unwrap();
        let references = References::new("/c/", "2024", None, base, GBK);
        let mut out = Vec::new();
        // 0x90 0x5C is one character.
        rewrite(b"a{b:'\x90\x5c';c:url(/x)}", &references, &mut out);
        assert_eq!(out, b"a{b:'\x90\x5c';c:url(/c/2024im_/http://e.org/x)}");
    }
}
