//! The head of an ARC record: one line.
//!
//! ```text
//! URL IP-address Archive-date Content-type Archive-length                                            (version 1)
//! URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length    (2)
//! ```
//!
//! The file begins with a record of its own (`filedesc://…`). URLs and media types with spaces occur, so the line is
//! read around its date: digits with an address before them; the last word is the length.
//!
//! Reference: Internet Archive, "ARC File Format", version 1.0 (1996) and 2.0.

use memchr::{memchr, memchr_iter};

use super::RecordType;
use super::warc_frame::{Fields, Flaws, Head, Parsed, Start, Value};
use super::warc_head::digits;

/// Longest line that is believed.
const MAX_LINE: usize = 64 * 1024;

/// Does a record head start here? `at_end`: no more bytes will follow.
pub(super) fn starts(bytes: &[u8], at_end: bool) -> Start {
    // The scheme is looked at first, because most lines of a page fail there.
    let scheme =
        bytes.iter().take(32).position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')));
    match scheme {
        Some(0) => return Start::No,
        Some(at) if bytes[at] == b':' => {}
        None if bytes.len() < 32 && !at_end => return Start::More,
        _ => return Start::No,
    }
    match memchr(b'\n', &bytes[..bytes.len().min(MAX_LINE)]) {
        Some(end) if line(&bytes[..end]).is_some() => Start::Yes,
        None if bytes.len() < MAX_LINE && !at_end => Start::More,
        _ => Start::No,
    }
}

/// First record head in `bytes` at the start of a line, `from` on; else how many bytes need not be looked at again.
pub(super) fn find(bytes: &[u8], from: usize, at_end: bool) -> Result<usize, usize> {
    let line_starts = memchr_iter(b'\n', &bytes[from..]).map(|at| from + at + 1);
    let first = (from == 0 || bytes[from - 1] == b'\n').then_some(from);
    let mut after = from;
    for at in first.into_iter().chain(line_starts) {
        match starts(&bytes[at..], at_end) {
            Start::Yes => return Ok(at),
            Start::No => after = at + 1,
            Start::More => return Err(at),
        }
    }
    // The LF before the next line is kept: it makes the line a line.
    Err(if at_end { bytes.len() } else { bytes.len().saturating_sub(1).max(after.min(bytes.len())) })
}

struct Line {
    url: Value,
    ip: Value,
    date: Value,
    media_type: Value,
    length: std::ops::Range<usize>,
}

fn line(text: &[u8]) -> Option<Line> {
    let text = text.strip_suffix(b"\r").unwrap_or(text).trim_ascii_end();
    let length = memchr::memrchr(b' ', text)? + 1;
    // Rightmost first: a URL may hold anything, even a date.
    let mut end = length - 1;
    let mut word = 2;
    loop {
        let at = memchr::memrchr(b' ', &text[..end])? + 1;
        // In the place of version 1, after a full address and before a length, "null" was a date, too.
        let other_date = word == 3 && digits(&text[length..]).is_some();
        if at > 1 && (is_date(&text[at..end]) || other_date) {
            let ip = memchr::memrchr(b' ', &text[..at - 1])? + 1;
            let address = &text[ip..at - 1];
            let full = address.iter().filter(|b| matches!(b, b'.' | b':')).count() >= 2;
            if ip > 1 && is_address(address) && (full || is_date(&text[at..end])) {
                let rest = &text[(end + 1).min(length)..length];
                let media_type = end + 1..end + 1 + memchr(b' ', rest).unwrap_or(rest.len());
                return Some(Line {
                    url: value(0..ip - 1),
                    ip: value(ip..at - 1),
                    date: value(at..end),
                    media_type: value(media_type),
                    length: length..text.len(),
                });
            }
        }
        end = at - 1;
        word += 1;
    }
}

fn value(range: std::ops::Range<usize>) -> Value {
    range.start as u32..range.end as u32
}

fn is_date(word: &[u8]) -> bool {
    (8..=20).contains(&word.len()) && word.iter().all(u8::is_ascii_digit)
}

fn is_address(word: &[u8]) -> bool {
    word == b"-"
        || (word.len() >= 2 && word.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b'.' | b':')))
}

/// Parses the line at the start of `bytes`.
pub(super) fn parse(bytes: &[u8]) -> Parsed {
    let Some(end) = memchr(b'\n', bytes) else {
        return if bytes.len() < MAX_LINE {
            Parsed::Incomplete
        } else {
            Parsed::Bad("the line where an ARC record should start does not end".into())
        };
    };
    if starts(bytes, true) != Start::Yes {
        return Parsed::Bad(
            "no ARC record (URL, address, date, media type, length) where one should start".into(),
        );
    }
    let Some(line) = line(&bytes[..end]) else {
        return Parsed::Bad(
            "no ARC record (URL, address, date, media type, length) where one should start".into(),
        );
    };
    let mut flaws = Flaws::default();
    let date = &bytes[line.date.start as usize..line.date.end as usize];
    if !(12..=17).contains(&date.len()) || !is_date(date) {
        flaws.add(Flaws::DATE);
    }
    let kind = if bytes.starts_with(b"filedesc:") { RecordType::FileDesc } else { RecordType::Response };
    let length = digits(&bytes[line.length]);
    let fields = Fields {
        url: line.url,
        ip: line.ip,
        date: line.date,
        media_type: line.media_type,
        ..Fields::default()
    };
    let head_end = if bytes[..end].ends_with(b"\r") { end - 1 } else { end };
    Parsed::Complete(Head { fields, kind, length, head_end, block_at: end + 1, flaws })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<[&str; 4]> {
        let line = line(text.as_bytes())?;
        let cut = |v: Value| &text[v.start as usize..v.end as usize];
        Some([cut(line.url), cut(line.ip), cut(line.media_type), &text[line.length]])
    }

    #[test]
    fn lines() {
        for (text, want) in [
            (
                "http://a/ 1.2.3.4 20080430204825 text/html 12",
                Some(["http://a/", "1.2.3.4", "text/html", "12"]),
            ),
            (
                "http://a/ b c 1.2.3.4 20080430204825 text/html 12\r",
                Some(["http://a/ b c", "1.2.3.4", "text/html", "12"]),
            ),
            (
                "http://a/ ::1 20080430204825 text/html; charset=x 12",
                Some(["http://a/", "::1", "text/html;", "12"]),
            ),
            (
                "http://a/ 1.2.3.4 20080430204825 text/html 200 ABC - 17 f.arc 12",
                Some(["http://a/", "1.2.3.4", "text/html", "12"]),
            ),
            ("http://a/ 1.2.3.4 20080430204825 12", Some(["http://a/", "1.2.3.4", "", "12"])),
            ("http://a/ 1.2.3.4 null text/html 12", Some(["http://a/", "1.2.3.4", "text/html", "12"])),
            ("http://a/ 1.2.3.4 null text/html abc", None),
            ("http://a/ 1.2.3.4 text/html 12", None),
            ("http://a/ host 20080430204825 text/html 12", None),
            ("", None),
            (" ", None),
            ("20080430204825 1", None),
        ] {
            assert_eq!(parts(text), want, "{text}");
        }
    }

    #[test]
    fn a_start_waits_for_its_line() {
        let text = b"http://a/ 1.2.3.4 20080430204825 text/html 12\n";
        for n in 0..text.len() {
            assert_eq!(starts(&text[..n], false), Start::More, "{n}");
            assert_eq!(starts(&text[..n], true), Start::No, "{n}");
        }
        assert_eq!(starts(text, false), Start::Yes);
        let page = [b"<html>\n1\n".as_slice(), text].concat();
        assert_eq!(find(&page, 0, false), Ok(9));
        assert_eq!(find(&page[..20], 0, false), Err(9));
        assert_eq!(find(b"<html>", 0, true), Err(6));
    }
}
