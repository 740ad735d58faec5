//! What a body says it is: media type and charset label of the `Content-Type` headers.
//!
//! Several headers, and several types in one, are usual; browsers take the last valid one, and keep the charset of an
//! earlier one of the same type. The label is looked for more leniently than there: after blanks and commas too, since a
//! missing semicolon costs a page its characters.
//!
//! Reference: fetch.spec.whatwg.org, "extract a MIME type".

use crate::Response;
use crate::response::token;

impl<'a> Response<'a> {
    /// Media type, lower-case, without parameters: the last valid one of the `Content-Type` headers, as browsers take
    /// it.
    pub fn media_type(&self) -> Option<String> {
        let last = self.content_types().filter_map(|part| essence(part)).last();
        last.map(|essence| String::from_utf8_lossy(essence).to_ascii_lowercase())
    }

    /// The `charset` parameter of the media type, without quotes.
    pub fn charset_label(&self) -> Option<&'a [u8]> {
        let mut found: Option<(&[u8], Option<&[u8]>)> = None;
        for part in self.content_types() {
            let Some(kind) = essence(part) else { continue };
            let label = charset_parameter(&part[kind.len()..]);
            // The same type named again without a charset keeps the one before.
            let kept =
                found.filter(|(before, _)| before.eq_ignore_ascii_case(kind)).and_then(|(_, label)| label);
            found = Some((kind, label.or(kept)));
        }
        found?.1
    }

    /// Parts of all `Content-Type` headers, split at commas outside quotes.
    fn content_types(&self) -> impl Iterator<Item = &'a [u8]> {
        let declared = self.mime.map(str::as_bytes);
        let headers =
            self.headers().filter(|(name, _)| name.eq_ignore_ascii_case(b"content-type")).map(|(_, v)| v);
        declared
            .into_iter()
            .chain(headers)
            .flat_map(|value| {
                let mut quoted = false;
                value.split(move |&b| {
                    quoted ^= b == b'"';
                    b == b',' && !quoted
                })
            })
            .map(<[u8]>::trim_ascii)
    }
}

/// `type/subtype` at the start of a value; `None` where it is none, or `*/*`.
fn essence(value: &[u8]) -> Option<&[u8]> {
    let end = value
        .iter()
        .position(|b| matches!(b, b';' | b' ' | b'\t' | b'\r' | b'\n' | b'('))
        .unwrap_or(value.len());
    let essence = &value[..end];
    let slash = memchr::memchr(b'/', essence)?;
    let (kind, sub) = (&essence[..slash], &essence[slash + 1..]);
    let valid = |part: &[u8]| !part.is_empty() && part.iter().all(|b| token(*b));
    (valid(kind) && valid(sub) && essence != b"*/*").then_some(essence)
}

/// Value of `charset=`, wherever it begins a word: servers also separate it by blanks or commas.
fn charset_parameter(parameters: &[u8]) -> Option<&[u8]> {
    let lower = parameters.to_ascii_lowercase();
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&lower[from..], b"charset") {
        let at = from + found;
        from = at + 7;
        if at > 0 && token(lower[at - 1]) {
            continue;
        }
        let Some(value) = parameters[from..].trim_ascii_start().strip_prefix(b"=") else { continue };
        let value = value.trim_ascii_start();
        let label = match value.first() {
            Some(&quote @ (b'"' | b'\'')) => value[1..].split(|b| *b == quote).next().unwrap_or_default(),
            _ => value
                .split(|b| b.is_ascii_whitespace() || matches!(b, b';' | b','))
                .next()
                .unwrap_or_default(),
        };
        let label = label.trim_ascii();
        if !label.is_empty() {
            return Some(label);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types() {
        for (head, kind, label) in [
            ("Content-Type: text/html", Some("text/html"), None),
            ("content-type:TEXT/Html;charset=UTF-8", Some("text/html"), Some("UTF-8")),
            ("Content-Type: text/html; charset=\"gb2312\"", Some("text/html"), Some("gb2312")),
            ("Content-Type: text/html; charset = 'gbk' ; x=y", Some("text/html"), Some("gbk")),
            ("Content-Type: text/html charset=big5", Some("text/html"), Some("big5")),
            ("Content-Type: text/html; xcharset=a; charset=b", Some("text/html"), Some("b")),
            ("Content-Type: text/html; charset=", Some("text/html"), None),
            ("Content-Type: text/html; charset=;charset=b", Some("text/html"), Some("b")),
            ("Content-Type: text/html, text/plain; charset=b", Some("text/plain"), Some("b")),
            ("Content-Type: text/html; charset=a, text/html", Some("text/html"), Some("a")),
            ("Content-Type: text/html; charset=a\r\nContent-Type: text/plain", Some("text/plain"), None),
            ("Content-Type: text/html; charset=a\r\nContent-Type: nonsense", Some("text/html"), Some("a")),
            ("Content-Type: text/html; x=\"a,b/c\"; charset=d", Some("text/html"), Some("d")),
            ("Content-Type: */*", None, None),
            ("Content-Type: html", None, None),
            ("Content-Type:", None, None),
            ("Content-Type: text/html\r\n\t;charset=a", Some("text/html"), Some("a")),
            ("X: text/html", None, None),
        ] {
            let data = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n");
            let r = Response::parse(data.as_bytes());
            assert_eq!(r.media_type().as_deref(), kind, "{head}");
            assert_eq!(r.charset_label(), label.map(str::as_bytes), "{head}");
        }
        let r = Response::without_head(b"x", Some("Text/CSS; charset=a"));
        assert_eq!((r.media_type().as_deref(), r.charset_label()), (Some("text/css"), Some(&b"a"[..])));
    }
}
