//! The HTTP message of a capture, as the server sent it.
//!
//! Readers of pages, indexes and replay call it for the bytes of every record.
//!
//! Reading never fails: what a browser would have shown is found, and what was wrong is flagged in `Defects`.
//!
//! - Lines end with CR LF or LF; the head ends with the first empty line. A line that begins with `<` ends it too (the
//!   empty line is missing).
//! - Lines without a colon are passed over; a line that begins with a blank continues the one before.
//! - Without a status line, data that begins with a block of header lines and an empty line is a head all the same;
//!   anything else is the body of an HTTP/0.9 answer.
//! - Interim answers (`100 Continue`, a proxy's `200 Connection established`) before the real one are passed over.
//! - The head has at most [`MAX_HEAD_BYTES`], as in browsers.
//!
//! Cost: linear in the head, nothing is copied. Reference: RFC 9112; fetch.spec.whatwg.org, "extract a MIME type".

use std::borrow::Cow;

use crate::chunked;

pub use crate::chunked::Payload;

/// Longest head read as one; what follows is taken as body.
pub const MAX_HEAD_BYTES: usize = 256 * 1024;

/// What was wrong with a message: a set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Defects(u16);

impl Defects {
    /// No status line: headers only, or an HTTP/0.9 answer.
    pub const NO_STATUS_LINE: Defects = Defects(1);
    /// A status line without a readable status.
    pub const BAD_STATUS: Defects = Defects(1 << 1);
    /// Lines of the head that end with LF alone.
    pub const BARE_LF: Defects = Defects(1 << 2);
    /// Lines of the head without a colon or name.
    pub const BAD_HEADER: Defects = Defects(1 << 3);
    /// Header lines that are continued on the next.
    pub const FOLDED: Defects = Defects(1 << 4);
    /// No empty line between head and body.
    pub const NO_BLANK_LINE: Defects = Defects(1 << 5);
    /// The data end within the head.
    pub const HEAD_CUT: Defects = Defects(1 << 6);
    /// A head longer than [`MAX_HEAD_BYTES`].
    pub const HEAD_TOO_LONG: Defects = Defects(1 << 7);
    /// Empty lines before the message.
    pub const LEADING_BLANK: Defects = Defects(1 << 8);
    /// Interim answers before the message.
    pub const INTERIM: Defects = Defects(1 << 9);

    const NAMES: [&'static str; 10] = [
        "no-status-line",
        "bad-status",
        "bare-lf",
        "bad-header",
        "folded-header",
        "no-blank-line",
        "head-cut",
        "head-too-long",
        "leading-blank",
        "interim-response",
    ];

    /// Whether nothing was wrong.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of `other` are set.
    pub const fn contains(self, other: Defects) -> bool {
        self.0 & other.0 == other.0
    }

    /// Names of the flags that are set, for counts by reason.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES
            .into_iter()
            .enumerate()
            .filter(move |(bit, _)| self.0 >> bit & 1 == 1)
            .map(|(_, name)| name)
    }
}

impl std::ops::BitOr for Defects {
    type Output = Defects;
    fn bitor(self, other: Defects) -> Defects {
        Defects(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Defects {
    fn bitor_assign(&mut self, other: Defects) {
        self.0 |= other.0;
    }
}

/// A parsed HTTP message that borrows from the stored data.
#[derive(Clone, Debug)]
pub struct Response<'a> {
    /// As written: `HTTP/1.1`; empty where there is no status line.
    pub version: &'a [u8],
    /// Status code; `None` where there is none to read. Browsers take that as 200.
    pub status: Option<u16>,
    /// Reason phrase.
    pub reason: &'a [u8],
    /// Header lines, from the first after the status line to the empty line.
    head: &'a [u8],
    /// Body as transferred.
    pub body: &'a [u8],
    /// What was wrong with the head.
    pub defects: Defects,
    /// Media type that comes from elsewhere than a header.
    pub(super) mime: Option<&'a str>,
}

impl<'a> Response<'a> {
    /// Reads a message. Never fails.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::Response;
    /// let r = Response::parse(b"HTTP/1.1 200 OK\r\nContent-Type: text/HTML; charset=gbk\r\n\r\n<p>");
    /// assert_eq!((r.status, r.body), (Some(200), &b"<p>"[..]));
    /// assert_eq!(r.media_type().as_deref(), Some("text/html"));
    /// assert_eq!(r.charset_label(), Some(&b"gbk"[..]));
    /// ```
    pub fn parse(data: &'a [u8]) -> Response<'a> {
        let mut interim = Defects::default();
        let mut rest = data;
        loop {
            let mut found = Self::parse_one(rest);
            let passing = match found.status {
                Some(100 | 102..=199) => true,
                Some(200) => found.reason.to_ascii_lowercase().ends_with(b"connection established"),
                _ => false,
            };
            if passing && starts_with_http(found.body) {
                interim |= Defects::INTERIM;
                rest = found.body;
                continue;
            }
            found.defects |= interim;
            return found;
        }
    }

    /// A body without a head (WARC `resource` records), of a declared media type.
    pub fn without_head(body: &'a [u8], mime: Option<&'a str>) -> Response<'a> {
        Response {
            version: b"",
            status: None,
            reason: b"",
            head: b"",
            body,
            defects: Defects::default(),
            mime,
        }
    }

    fn parse_one(data: &'a [u8]) -> Response<'a> {
        let mut defects = Defects::default();
        let blank = data.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let start = &data[blank..];
        let mut found = Response::without_head(data, None);
        if starts_with_http(start) {
            let (line, rest) = split_line(start, &mut defects);
            let mut words = line.splitn(2, |b| matches!(b, b' ' | b'\t'));
            found.version = words.next().unwrap_or_default();
            let after = words.next().unwrap_or_default().trim_ascii();
            let digits = after.iter().take_while(|b| b.is_ascii_digit()).count();
            found.status = match &after[..digits] {
                [a, b, c] => Some([a, b, c].iter().fold(0, |n, d| n * 10 + u16::from(*d - b'0'))),
                _ => None,
            }
            .filter(|status| (100..=999).contains(status));
            if found.status.is_none() {
                defects |= Defects::BAD_STATUS;
            }
            found.reason = after[if found.status.is_some() { digits } else { 0 }..].trim_ascii();
            (found.head, found.body) = split_head(rest, &mut defects);
        } else {
            defects = Defects::NO_STATUS_LINE;
            if let Some((head, body)) = bare_headers(start, &mut defects) {
                (found.head, found.body) = (head, body);
            } else {
                found.defects = defects;
                return found;
            }
        }
        if blank > 0 {
            defects |= Defects::LEADING_BLANK;
        }
        found.defects = defects;
        found
    }

    /// Value of the first header of a name (any case), without blanks around it; a folded value keeps its line ends.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.headers().find(|(n, _)| n.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
    }

    /// All headers in their order, names as written.
    pub fn headers(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let mut rest = self.head;
        std::iter::from_fn(move || {
            while !rest.is_empty() {
                let mut end = line_end(rest);
                while matches!(rest.get(end), Some(b' ' | b'\t'))
                    && !rest[end..end + line_end(&rest[end..])].trim_ascii().is_empty()
                {
                    end += line_end(&rest[end..]);
                }
                let (field, after) = rest.split_at(end);
                rest = after;
                if let Some(colon) = memchr::memchr(b':', field) {
                    let name = field[..colon].trim_ascii();
                    if !name.is_empty() {
                        return Some((name, field[colon + 1..].trim_ascii()));
                    }
                }
            }
            None
        })
    }

    /// Body after transfer decoding, at most `max` bytes.
    pub fn payload(&self, max: usize) -> Payload<'a> {
        if self.tokens("transfer-encoding").iter().any(|token| token == "chunked") {
            return chunked::decode(self.body, max);
        }
        let body = self.body;
        let declared =
            self.header("content-length").and_then(|v| std::str::from_utf8(v).ok()?.parse::<u64>().ok());
        let has_none = matches!(self.status, Some(100..=199 | 204 | 304));
        let defect = match declared {
            Some(length) if !has_none && (body.len() as u64) < length => {
                Some("body shorter than Content-Length")
            }
            Some(length) if !has_none && body.len() as u64 > length => {
                Some("body longer than Content-Length")
            }
            _ => None,
        };
        let short = declared.is_some_and(|length| !has_none && (body.len() as u64) < length);
        Payload {
            bytes: Cow::Borrowed(&body[..body.len().min(max)]),
            truncated: short || body.len() > max,
            defect,
        }
    }

    /// Tokens of all headers of a name, lower-case, in order.
    pub(super) fn tokens(&self, name: &str) -> Vec<String> {
        let values = self.headers().filter(|(n, _)| n.eq_ignore_ascii_case(name.as_bytes()));
        values
            .flat_map(|(_, value)| value.split(|b| *b == b','))
            .map(|token| {
                String::from_utf8_lossy(token.split(|b| *b == b';').next().unwrap_or_default().trim_ascii())
                    .to_ascii_lowercase()
            })
            .filter(|token| !token.is_empty())
            .take(16)
            .collect()
    }
}

fn starts_with_http(data: &[u8]) -> bool {
    data.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/")) || data.starts_with(b"ICY ")
}

/// Length of the first line with its end.
fn line_end(data: &[u8]) -> usize {
    memchr::memchr(b'\n', data).map_or(data.len(), |at| at + 1)
}

/// The first line without its end, and what follows.
fn split_line<'a>(data: &'a [u8], defects: &mut Defects) -> (&'a [u8], &'a [u8]) {
    let (line, rest) = data.split_at(line_end(data));
    let line = match line {
        [text @ .., b'\r', b'\n'] => text,
        [text @ .., b'\n'] => {
            *defects |= Defects::BARE_LF;
            text
        }
        text => text,
    };
    (line, rest)
}

/// Header lines and body.
fn split_head<'a>(data: &'a [u8], defects: &mut Defects) -> (&'a [u8], &'a [u8]) {
    let mut rest = data;
    loop {
        let head = &data[..data.len() - rest.len()];
        if rest.is_empty() {
            *defects |= Defects::HEAD_CUT;
            return (head, rest);
        }
        if head.len() > MAX_HEAD_BYTES {
            *defects |= Defects::HEAD_TOO_LONG;
            return (head, rest);
        }
        if rest[0] == b'<' {
            *defects |= Defects::NO_BLANK_LINE;
            return (head, rest);
        }
        // Looking for the end of a line must not read past the limit either.
        let window = &rest[..rest.len().min(MAX_HEAD_BYTES)];
        let (line, _) = split_line(window, defects);
        let after = &rest[line_end(window)..];
        if line.is_empty() || line == b"\r" {
            return (head, after);
        }
        match line[0] {
            b' ' | b'\t' if line.trim_ascii().is_empty() => *defects |= Defects::BAD_HEADER,
            b' ' | b'\t' => *defects |= Defects::FOLDED,
            _ => match memchr::memchr(b':', line) {
                None | Some(0) => *defects |= Defects::BAD_HEADER,
                Some(_) => {}
            },
        }
        rest = after;
    }
}

/// A head without status line: nothing but `name: value` lines, and an empty one after them.
fn bare_headers<'a>(data: &'a [u8], defects: &mut Defects) -> Option<(&'a [u8], &'a [u8])> {
    let window = &data[..data.len().min(MAX_HEAD_BYTES)];
    let mut rest = window;
    let mut lines = 0;
    let mut seen = *defects;
    loop {
        if rest.is_empty() {
            return None;
        }
        let (line, after) = split_line(rest, &mut seen);
        if line.is_empty() {
            let head = &data[..window.len() - rest.len()];
            *defects = seen;
            return (lines > 0).then_some((head, &data[window.len() - after.len()..]));
        }
        let folded = lines > 0 && matches!(line[0], b' ' | b'\t');
        let colon = memchr::memchr(b':', line).unwrap_or(0);
        if !folded && (colon == 0 || !line[..colon].iter().all(|b| token(*b))) {
            return None;
        }
        seen |= if folded { Defects::FOLDED } else { Defects::default() };
        lines += 1;
        rest = after;
    }
}

/// RFC 9110's token characters.
pub(super) fn token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn broken_messages() {
        type D = Defects;
        let none = D::default();
        type B = &'static [u8];
        type Case = (B, Option<u16>, B, B, B, Defects);
        let cases: &[Case] = &[
            // data, status, reason, header x, body, defects
            (b"HTTP/1.1 200 OK\r\nx: 1\r\n\r\nb", Some(200), b"OK", b"1", b"b", none),
            (b"HTTP/1.1 200\r\nX:1\r\n\r\n", Some(200), b"", b"1", b"", none),
            (b"http/1.0 404 Not  Found \r\nx : 1\r\n\r\n", Some(404), b"Not  Found", b"1", b"", none),
            (b"HTTP/1.1 200 OK\nx: 1\n\nb\n", Some(200), b"OK", b"1", b"b\n", D::BARE_LF),
            (b"HTTP/1.1 200 OK\r\nx: 1\r\n\nb", Some(200), b"OK", b"1", b"b", D::BARE_LF),
            (b"HTTP/1.1 200 OK\r\nx: 1\n\r\nb", Some(200), b"OK", b"1", b"b", D::BARE_LF),
            (b"\r\n\nHTTP/1.1 200 OK\r\nx: 1\r\n\r\nb", Some(200), b"OK", b"1", b"b", D::LEADING_BLANK),
            (b"HTTP/1.1\r\nx: 1\r\n\r\nb", None, b"", b"1", b"b", D::BAD_STATUS),
            (b"HTTP/1.1 abc def\r\nx: 1\r\n\r\nb", None, b"abc def", b"1", b"b", D::BAD_STATUS),
            (b"HTTP/1.1 20000 OK\r\nx: 1\r\n\r\nb", None, b"20000 OK", b"1", b"b", D::BAD_STATUS),
            (b"HTTP/1.1 099 OK\r\nx: 1\r\n\r\nb", None, b"099 OK", b"1", b"b", D::BAD_STATUS),
            (b"HTTP/1.1 200OK\r\nx: 1\r\n\r\nb", Some(200), b"OK", b"1", b"b", none),
            (b"ICY 200 OK\r\nx: 1\r\n\r\nb", Some(200), b"OK", b"1", b"b", none),
            (
                b"HTTP/1.1 200 OK\r\nx: 1\r\n<html>\r\n\r\n</html>",
                Some(200),
                b"OK",
                b"1",
                b"<html>\r\n\r\n</html>",
                D::NO_BLANK_LINE,
            ),
            (b"HTTP/1.1 200 OK\r\nx: 1\r\n", Some(200), b"OK", b"1", b"", D::HEAD_CUT),
            (b"HTTP/1.1 200 OK\r\nx: 1", Some(200), b"OK", b"1", b"", D::HEAD_CUT),
            (b"HTTP/1.1 200 OK", Some(200), b"OK", b"", b"", D::HEAD_CUT),
            (b"HTTP/1.1 200 OK\r\njunk\r\n: y\r\nx: 1\r\n\r\nb", Some(200), b"OK", b"1", b"b", D::BAD_HEADER),
            (
                b"HTTP/1.1 200 OK\r\nx: a\r\n\tb\r\ny: 1\r\n\r\nb",
                Some(200),
                b"OK",
                b"a\r\n\tb",
                b"b",
                D::FOLDED,
            ),
            (b"HTTP/1.1 200 OK\r\n\r\n\r\nb", Some(200), b"OK", b"", b"\r\nb", none),
            (b"x: 1\r\ny: 2\r\n\r\nb", None, b"", b"1", b"b", D::NO_STATUS_LINE),
            (b"<html>x: 1\r\n\r\nb", None, b"", b"", b"<html>x: 1\r\n\r\nb", D::NO_STATUS_LINE),
            (b"x: 1\r\nno header\r\n\r\nb", None, b"", b"", b"x: 1\r\nno header\r\n\r\nb", D::NO_STATUS_LINE),
            (b"x: 1", None, b"", b"", b"x: 1", D::NO_STATUS_LINE),
            (b"\nplain", None, b"", b"", b"\nplain", D::NO_STATUS_LINE),
            (b"", None, b"", b"", b"", D::NO_STATUS_LINE),
            (
                b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nx: 1\r\n\r\nb",
                Some(200),
                b"OK",
                b"1",
                b"b",
                D::INTERIM,
            ),
            (
                b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 404 No\r\nx: 1\r\n\r\nb",
                Some(404),
                b"No",
                b"1",
                b"b",
                D::INTERIM,
            ),
            (b"HTTP/1.1 100 Continue\r\n\r\n", Some(100), b"Continue", b"", b"", none),
            (
                b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 is a protocol",
                Some(200),
                b"OK",
                b"",
                b"HTTP/1.1 is a protocol",
                none,
            ),
        ];
        for (data, status, reason, x, body, defects) in cases {
            let r = Response::parse(data);
            let name = String::from_utf8_lossy(data);
            assert_eq!(r.status, *status, "{name}");
            assert_eq!(r.reason, *reason, "{name}");
            assert_eq!(r.header("X").unwrap_or_default(), *x, "{name}");
            assert_eq!(r.body, *body, "{name}");
            assert_eq!(r.defects, *defects, "{name}: {:?}", r.defects.names().collect::<Vec<_>>());
        }
    }

    #[test]
    fn endless_heads_are_bounded() {
        let mut data = b"HTTP/1.1 200 OK\r\n".to_vec();
        data.resize(3 * MAX_HEAD_BYTES, b'a');
        let r = Response::parse(&data);
        assert!(r.defects.contains(Defects::HEAD_TOO_LONG | Defects::BAD_HEADER));
        assert!(r.head.len() <= 2 * MAX_HEAD_BYTES && !r.body.is_empty());
    }

    proptest! {
        #[test]
        fn never_panics_and_loses_nothing(data in proptest::collection::vec(any::<u8>(), 0..300), kind in 0_usize..3) {
            let start: &[u8] = [&b""[..], b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nA: b\n\r\n"][kind];
            let data = [start, &data].concat();
            let r = Response::parse(&data);
            prop_assert!(data.ends_with(r.body));
            let _ = (r.media_type(), r.charset_label(), r.headers().count(), r.tokens("a"));
            for (name, _) in r.headers() {
                prop_assert!(r.header(&String::from_utf8_lossy(name)).is_some() || !name.is_ascii());
            }
        }
    }
}
