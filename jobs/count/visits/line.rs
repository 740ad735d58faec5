//! A line of an access log: common and combined format of Apache and nginx.
//!
//! **Definition.** `host ident user [time] "request" status bytes`; what follows, as `"referer" "agent"` of the combined format, is not looked at. In
//! quotes `\"`, `\\` and `\xHH` stand for a quotation mark, a backslash and a byte. A request is `METHOD target VERSION`, of HTTP/0.9 without version.
//!
//! **Cost.** One pass; a line with escapes is copied.

use std::borrow::Cow;
use webmill_capture::cut::Cut;

/// What a line says of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine<'a> {
    /// Method as written.
    pub method: Cow<'a, str>,
    /// Target of the request, as written.
    pub target: Cow<'a, str>,
    /// Status of the answer.
    pub status: u16,
}

/// Why a line is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// Not of the format.
    Format,
    /// The request is no HTTP.
    Request,
}

impl<'a> LogLine<'a> {
    /// Reads a line, without its end.
    ///
    /// # Errors
    /// [`Wrong`].
    pub fn parse(line: &'a str) -> Result<LogLine<'a>, Wrong> {
        let mut rest = line;
        for _ in 0..2 {
            let (field, behind) = rest.split_once(' ').ok_or(Wrong::Format)?;
            if field.is_empty() {
                return Err(Wrong::Format);
            }
            rest = behind;
        }
        // A user may have blanks in his name: his field ends where the time begins.
        let at = rest.find(" [").ok_or(Wrong::Format)?;
        if at == 0 {
            return Err(Wrong::Format);
        }
        let (_, rest) = rest.cut(at + 2..).split_once("] ").ok_or(Wrong::Format)?;
        let (request, rest) = quoted(rest).ok_or(Wrong::Format)?;
        let rest = rest.strip_prefix(' ').ok_or(Wrong::Format)?;
        let (status, rest) = rest.split_once(' ').ok_or(Wrong::Format)?;
        if status.len() != 3 || !status.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Wrong::Format);
        }
        let status: u16 = status.parse().map_err(|_| Wrong::Format)?;
        let bytes = rest.split_once(' ').map_or(rest, |(bytes, _)| bytes);
        if bytes.is_empty() || bytes != "-" && !bytes.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Wrong::Format);
        }
        let (method, target) = request_of(request).ok_or(Wrong::Request)?;
        Ok(LogLine { method, target, status })
    }
}

/// Method and target.
fn request_of(request: Cow<'_, str>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    fn parts(request: &str) -> Option<(&str, &str)> {
        let (method, rest) = request.split_once(' ')?;
        // Targets of clients that do not encode blanks hold them.
        let target = match rest.rsplit_once(' ') {
            Some((target, version)) if version.starts_with("HTTP/") => target,
            _ => rest,
        };
        let good =
            !method.is_empty() && method.bytes().all(|b| b.is_ascii_uppercase() || matches!(b, b'-' | b'_'));
        (good && !target.is_empty()).then_some((method, target))
    }
    match request {
        Cow::Borrowed(request) => parts(request).map(|(m, t)| (Cow::Borrowed(m), Cow::Borrowed(t))),
        Cow::Owned(request) => parts(&request).map(|(m, t)| (Cow::Owned(m.into()), Cow::Owned(t.into()))),
    }
}

/// A field in quotes at the front of `text`, and the rest of the text.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let inner = text.strip_prefix('"')?;
    let bytes = inner.as_bytes();
    let mut at = 0;
    let mut escaped = false;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let field = inner.cut(..at);
                let field = if escaped { Cow::Owned(unescaped(field)) } else { Cow::Borrowed(field) };
                return Some((field, inner.cut(at + 1..)));
            }
            b'\\' => {
                escaped = true;
                at += 2;
            }
            _ => at += 1,
        }
    }
    None
}

fn unescaped(field: &str) -> String {
    let bytes = field.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |n: usize| bytes.get(at + n).and_then(|b| char::from(*b).to_digit(16));
        match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'x')) if hex(2).is_some() && hex(3).is_some() => {
                out.push((hex(2).unwrap_or(0) * 16 + hex(3).unwrap_or(0)) as u8);
                at += 4;
            }
            (b'\\', Some(escaped @ (b'"' | b'\\'))) => {
                out.push(*escaped);
                at += 2;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_of_both_formats() {
        let common = r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=1 HTTP/1.0" 200 2326"#;
        let line = LogLine::parse(common).unwrap();
        assert_eq!((&*line.method, &*line.target, line.status), ("GET", "/a?b=1", 200));
        let combined = r#"::1 - - [t] "GET /\xe5\xa5\xbd\" HTTP/1.1" 304 - "http://r/" "A \"b\" c" "more""#;
        let line = LogLine::parse(combined).unwrap();
        assert_eq!((&*line.target, line.status), ("/好\"", 304));
        let blanks = LogLine::parse(r#"h - a user [t] "GET /a b HTTP/1.1" 200 0"#).unwrap();
        assert_eq!(&*blanks.target, "/a b");
        assert_eq!(&*LogLine::parse(r#"h - - [t] "GET /old" 200 0"#).unwrap().target, "/old");
    }

    #[test]
    fn what_is_no_line_is_told_apart() {
        let table = [
            ("", Wrong::Format),
            ("127.0.0.1 - -", Wrong::Format),
            (r#"h - - [t] "GET / HTTP/1.1" 2000 1"#, Wrong::Format),
            (r#"h - - [t] "GET / HTTP/1.1" 200 x"#, Wrong::Format),
            (r#"h - - [t] "GET / HTTP/1.1 200 1"#, Wrong::Format),
            (r#"h - - [t] "\x16\x03\x01" 400 226"#, Wrong::Request),
            (r#"h - - [t] "-" 408 -"#, Wrong::Request),
            (r#"h - - [t] "get / HTTP/1.1" 200 1"#, Wrong::Request),
        ];
        for (line, want) in table {
            assert_eq!(LogLine::parse(line), Err(want), "{line}");
        }
    }

    proptest! {

        #[test]
        fn what_is_escaped_comes_back(target in "/[a-z\"\\\\好]{0,12}") {
            let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
            let line = format!(r#"h - - [t] "GET {} HTTP/1.1" 200 1 "-" "agent""#, escape(&target));
            prop_assert_eq!(&*LogLine::parse(&line).unwrap().target, target.as_str());
        }
    }
}
