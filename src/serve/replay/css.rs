//! Style sheets: `url()`, `@import` and the strings of `image-set()` are rewritten to point into the archive.
//!
//! Everything that is not an address (as [`webmill_html::css`] finds them) stays byte for byte.
//!
//! Time is linear; memory that of the output.
//!
//! Reference: CSS Syntax Module Level 3, <https://www.w3.org/TR/css-syntax-3/>.

use webmill_html::css::{Use, each_address, unescape_all};

use super::place::{Modifier, References, Verdict, trim};

/// Rewrites `source` and appends it to `out`.
pub(super) fn rewrite(source: &[u8], references: &References, out: &mut Vec<u8>) {
    let mut css = Css { source, references, out, copied: 0 };
    each_address(source, references.decoded, &mut |at, of| {
        let modifier = match of {
            Use::Import => Modifier::Style,
            Use::Resource => Modifier::Image,
        };
        css.reference(at.start, at.end, modifier);
    });
    let rest = css.copied;
    out.extend_from_slice(&source[rest..]);
}

struct Css<'a> {
    source: &'a [u8],
    references: &'a References,
    out: &'a mut Vec<u8>,
    /// What has been written, up to here.
    copied: usize,
}

impl Css<'_> {
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
    use encoding_rs::GBK;
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
