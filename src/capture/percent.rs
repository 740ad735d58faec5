//! One spelling of percent-encoding.
//!
//! Only unreserved characters are decoded (they mean the same either way), hex digits are upper-case. A `%` that begins
//! no triplet stays as it is, for servers see it so; but nothing is decoded that would make a triplet of it, or the
//! form would not be stable: `%%36%31` may not become `%61`, which would be read as `a`.
//!
//! Reference: RFC 3986, sections 2.3 and 6.2.2.

use crate::cut::Cut;
use std::borrow::Cow;

/// Value of a hex digit.
pub(super) const fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// RFC 3986's unreserved characters.
pub(super) const fn unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Appends a byte as `%XX`.
pub(super) fn push_triplet(byte: u8, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}

/// Appends `part` with its percent-encoding unified.
pub(super) fn unify(part: &str, out: &mut String) {
    let bytes = part.as_bytes();
    let (mut copied, mut at) = (0, 0);
    // Where `out` has a `%` that begins no triplet: the two places after it must not become hex digits.
    let mut stray: Option<usize> = None;
    while let Some(found) = memchr::memchr(b'%', &bytes[at..]) {
        let percent = at + found;
        let value = match (bytes.get(percent + 1).copied().map(hex), bytes.get(percent + 2).copied().map(hex))
        {
            (Some(Some(high)), Some(Some(low))) => high << 4 | low,
            _ => {
                out.push_str(part.cut(copied..=percent));
                stray = Some(out.len() - 1);
                (copied, at) = (percent + 1, percent + 1);
                continue;
            }
        };
        out.push_str(part.cut(copied..percent));
        let guarded = stray.is_some_and(|s| out.len() - s <= 2) && hex(value).is_some();
        if unreserved(value) && !guarded {
            out.push(char::from(value));
        } else {
            push_triplet(value, out);
        }
        (copied, at) = (percent + 3, percent + 3);
    }
    out.push_str(part.cut(copied..));
}

/// Lower-cases the ASCII letters of `text[from..]`, but not the hex digits of its triplets.
pub(super) fn lower_outside_triplets(text: &mut String, from: usize) {
    let mut tail = text.split_off(from);
    let mut skip = 0;
    for c in tail.drain(..) {
        skip = if c == '%' { 3 } else { skip };
        text.push(if skip > 0 { c } else { c.to_ascii_lowercase() });
        skip = usize::saturating_sub(skip, 1);
    }
}

/// A URL as archives and servers write it, as text: one that is not UTF-8 has each byte beyond ASCII percent-encoded and
/// none replaced, for a URL is bytes. So the queries of pages in another encoding stay apart from each other, and are
/// spelt as browsers spell the links that lead to them.
///
/// # Examples
/// ```
/// use webmill_capture::url_text;
/// assert_eq!(url_text(b"http://a.example/?q=\xd6\xd0"), "http://a.example/?q=%D6%D0");
/// assert_eq!(url_text("http://a.example/é".as_bytes()), "http://a.example/é");
/// ```
pub fn url_text(input: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(input) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(input.len() + 64);
    for byte in input {
        if byte.is_ascii() { text.push(char::from(*byte)) } else { push_triplet(*byte, &mut text) }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unified(text: &str) -> String {
        let mut out = String::new();
        unify(text, &mut out);
        out
    }

    #[test]
    fn table() {
        for (text, want) in [
            ("%7e%41%2f%2D", "~A%2F-"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%4g", "%zz%4g"),
            ("%%36%31", "%%361"),
            ("%6%31", "%6%31"),
            ("%6%7E", "%6~"),
            ("%2561", "%2561"),
            ("é%c3%a9", "é%C3%A9"),
        ] {
            assert_eq!(unified(text), want, "{text}");
        }
        assert_eq!(url_text(b"a\xffb\xc3\xa9"), "a%FFb%C3%A9");
        // Bytes of another encoding that would pass for UTF-8 are none here.
        assert_eq!(url_text(b"\xc9\xcf\xba\xa3"), "%C9%CF%BA%A3");
        assert_eq!(url_text("\u{e9}".as_bytes()), "\u{e9}");
        let mut host = String::from("A%4FbC%c3D");
        lower_outside_triplets(&mut host, 1);
        assert_eq!(host, "A%4Fbc%c3d");
    }

    proptest! {
        #[test]
        fn stable(text in "[%0-9a-fzé]{0,24}") {
            let once = unified(&text);
            prop_assert_eq!(unified(&once), once);
        }
    }
}
