//! The head of an ARC record: one line.
//!
//! ```text
//! URL IP-address Archive-date Content-type Archive-length                                            (version 1)
//! URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length    (2)
//! ```
//!
//! The file begins with a record of its own (`filedesc://…`). URLs and media types with spaces occur, so the line is
//! read around its date: digits with an address (or a word that stands for none) before them; the last word is the
//! length. Where a head is expected, at the start of a member or after the LF of a block, lines are taken, too, whose
//! fields are transposed, missing or no dates and addresses at all: the first `scheme:` is the URL, the last number the
//! length, and what looks like an address, date or media type is one. A search through damaged bytes does not believe
//! such lines, since pages hold them.
//!
//! Reference: Internet Archive, "ARC File Format", version 1.0 (1996) and 2.0.

use memchr::{memchr, memchr2_iter};

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

/// As [`starts`], in a place where a head is expected.
pub(super) fn starts_here(bytes: &[u8], at_end: bool) -> Start {
    match starts(bytes, at_end) {
        Start::No => {}
        known => return known,
    }
    let text = |b: &u8| !b.is_ascii_control() || matches!(b, b'\t' | b'\r');
    let known = &bytes[..bytes.len().min(64)];
    if known.iter().take_while(|b| **b != b'\n').any(|b| !text(b)) {
        return Start::No;
    }
    match memchr(b'\n', &bytes[..bytes.len().min(MAX_LINE)]) {
        Some(end) if loose(&bytes[..end]).is_some() => Start::Yes,
        None if bytes.len() < MAX_LINE && !at_end => Start::More,
        _ => Start::No,
    }
}

/// First record head in `bytes` at the start of a line, `from` on; else how many bytes need not be looked at again.
pub(super) fn find(bytes: &[u8], from: usize, at_end: bool) -> Result<usize, usize> {
    // Zeros that a bad sector left end where a line may begin.
    let begins = |at: &usize| bytes.get(*at - 1) == Some(&b'\n') || bytes.get(*at).is_some_and(|b| *b != 0);
    let line_starts = memchr2_iter(b'\n', 0, &bytes[from..]).map(|at| from + at + 1).filter(begins);
    let first = (from == 0 || matches!(bytes[from - 1], b'\n' | 0)).then_some(from);
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

#[derive(Debug)]
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
    if memchr(0, text).is_some() {
        return None;
    }
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
            if ip > 1 && is_address(address) && (is_date(&text[at..end]) || is_full_address(address)) {
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
    stands_for_none(word)
        || (word.len() >= 2 && word.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b'.' | b':')))
}

/// Words that archives have where an address should be.
fn stands_for_none(word: &[u8]) -> bool {
    [&b"-"[..], b"0", b"None", b"none", b"null", b"unknown"].contains(&word)
}

fn is_full_address(word: &[u8]) -> bool {
    is_address(word) && std::str::from_utf8(word).is_ok_and(|word| word.parse::<std::net::IpAddr>().is_ok())
}

/// Does a word begin with a scheme and go on after it?
fn has_scheme(word: &[u8]) -> bool {
    let scheme = word
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))
        .unwrap_or(0);
    scheme >= 2 && word[0].is_ascii_alphabetic() && word[scheme] == b':' && word.len() > scheme + 1
}

/// A line whose fields are not in their places. `None` where its length cannot be told, or nothing but the URL.
fn loose(text: &[u8]) -> Option<Line> {
    let text = text.trim_ascii_end();
    if text.iter().any(|b| b.is_ascii_control() && !matches!(b, b'\t' | b'\r')) {
        return None;
    }
    let mut words: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = 0;
    for word in text.split(|b| matches!(b, b' ' | b'\t')) {
        if !word.is_empty() {
            words.push(at..at + word.len());
        }
        at += word.len() + 1;
    }
    let word = |i: usize| &text[words[i].clone()];
    let last = words.len().checked_sub(1).filter(|last| *last >= 3)?;
    let url = (0..words.len().min(5)).find(|i| has_scheme(word(*i)))?;
    // A number that is not the last word may be the date.
    let is_length = |i: &usize| digits(word(*i)).is_some() && (*i == last || word(*i).len() < 8);
    let length = (url + 1..words.len()).rev().find(is_length)?;
    let others = || (0..length).filter(|i| *i != url);
    let later = |i: &usize| *i > url;
    let ip = others()
        .filter(later)
        .find(|i| is_full_address(word(*i)) || stands_for_none(word(*i)))
        .or_else(|| others().find(|i| is_full_address(word(*i))));
    let date = others().find(|i| is_date(word(*i)));
    let is_type = |i: &usize| {
        memchr(b'/', word(*i)).is_some_and(|at| at > 0) && !has_scheme(word(*i)) || word(*i) == b"no-type"
    };
    let media_type = others().filter(|i| later(i) && Some(*i) != date).rfind(is_type);
    if ip.is_none() && date.is_none() && media_type.is_none() {
        return None;
    }
    let after = [ip, date, media_type, Some(length)];
    let url_end = after.into_iter().flatten().filter(later).min().unwrap_or(length) - 1;
    let one = |i: Option<usize>| i.map_or(0..0, |i| value(words[i].clone()));
    let date_words = match (date, ip, media_type) {
        // A date in words stands between address and media type.
        (None, Some(ip), Some(media_type)) if ip + 1 < media_type => {
            value(words[ip + 1].start..words[media_type - 1].end)
        }
        _ => one(date),
    };
    Some(Line {
        url: value(words[url].start..words[url_end.max(url)].end),
        ip: one(ip),
        date: date_words,
        media_type: one(media_type),
        length: words[length].clone(),
    })
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
    let mut flaws = Flaws::default();
    let proper = if starts(bytes, true) == Start::Yes { line(&bytes[..end]) } else { None };
    let Some(line) = proper.or_else(|| {
        flaws.add(Flaws::FIELDS);
        loose(&bytes[..end])
    }) else {
        return Parsed::Bad(
            "no ARC record (URL, address, date, media type, length) where one should start".into(),
        );
    };
    let date = &bytes[line.date.start as usize..line.date.end as usize];
    if !(12..=17).contains(&date.len()) || !is_date(date) {
        flaws.add(Flaws::DATE);
    }
    let ip = &bytes[line.ip.start as usize..line.ip.end as usize];
    if ip != b"-" && stands_for_none(ip) {
        flaws.add(Flaws::FIELDS);
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
    use webmill_capture::cut::Cut;

    fn parts(text: &str) -> Option<[&str; 4]> {
        let line = line(text.as_bytes())?;
        let cut = |v: Value| text.cut(v.start as usize..v.end as usize);
        Some([cut(line.url), cut(line.ip), cut(line.media_type), text.cut(line.length)])
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
            ("http://a/ None 20080430204825 text/html 12", Some(["http://a/", "None", "text/html", "12"])),
            ("http://a/ 0 2008043020 text/html 12", Some(["http://a/", "0", "text/html", "12"])),
            ("http://a/ - 20080430204825000 text/html 12", Some(["http://a/", "-", "text/html", "12"])),
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
    fn lines_whose_fields_are_not_in_their_places() {
        for (text, want) in [
            (
                "http://a/ 20080430204825 1.2.3.4 text/html 12",
                Some(["http://a/", "1.2.3.4", "20080430204825", "12"]),
            ),
            (
                "http://a/ text/html 20080430204825 1.2.3.4 12",
                Some(["http://a/", "1.2.3.4", "20080430204825", "12"]),
            ),
            (
                "1.2.3.4 http://a/ 20080430204825 text/html 12",
                Some(["http://a/", "1.2.3.4", "20080430204825", "12"]),
            ),
            (
                "http://a/ 1.2.3.4 30 Apr 2008 20:48:25 text/html 12",
                Some(["http://a/", "1.2.3.4", "30 Apr 2008 20:48:25", "12"]),
            ),
            ("http://a/ None 2008Apr30 text/html 12", Some(["http://a/", "None", "2008Apr30", "12"])),
            ("http://a/ b 0 bogus date text/html 12", Some(["http://a/ b", "0", "bogus date", "12"])),
            ("http://a/ 1.2.3.4 text/html 12", Some(["http://a/", "1.2.3.4", "", "12"])),
            (
                "http://a/ host 20080430204825 text/html 12",
                Some(["http://a/ host", "", "20080430204825", "12"]),
            ),
            ("http://a/\rb None x text/html 12 -", Some(["http://a/\rb", "None", "x", "12"])),
            ("dns:a.example None x text/dns 12", Some(["dns:a.example", "None", "x", "12"])),
            ("http://a/ None 20080430204825 text/html abc", None),
            ("http://a/ is a page of 12", None),
            ("see http://a/ for 12", None),
            ("a b c 12", None),
            ("12", None),
        ] {
            let found = loose(text.as_bytes()).map(|line| {
                let cut = |v: Value| text.cut(v.start as usize..v.end as usize);
                [cut(line.url), cut(line.ip), cut(line.date), text.cut(line.length)]
            });
            assert_eq!(found, want, "{text}");
            let line = format!("{text}\n");
            // A head in its places without a usable length is a head all the same.
            let is_head = want.is_some() || text.ends_with("abc");
            assert_eq!(starts_here(line.as_bytes(), true) == Start::Yes, is_head, "{text}");
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
