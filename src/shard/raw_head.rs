//! The head of a RAW DB record: `version` first, `length` last, lower-case names, one LF a line, then a blank line.
//!
//! Parsing is strict about structure, because structure is what proves a record boundary, and lenient about values as
//! the format's description is: spaces around a value do not count. Cost: linear in the head, which is at most
//! [`MAX_HEAD_BYTES`] in at most [`MAX_HEAD_LINES`] lines.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use webmill_capture::date::parse_any;

/// Longest head that is read or written.
pub(crate) const MAX_HEAD_BYTES: usize = 256 * 1024;
/// Most lines of a head.
pub(crate) const MAX_HEAD_LINES: usize = 1024;
/// Most lines of a head that a search takes for one: every `version:` in a damaged file is a candidate, and this bounds
/// what each costs.
pub(crate) const SEARCH_HEAD_LINES: usize = 64;
/// Zeros in a row that no value holds.
const ZEROED_BYTES: usize = 8;
/// What every record begins with.
pub(crate) const MARK: &[u8] = b"version:";

/// How the data of one record is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// `unzip-length` without `x-compression`, the historic form: zlib, gzip or raw deflate, as the bytes say.
    Unnamed,
    Zlib,
    Deflate,
    Gzip,
    Zstd,
}

/// A parsed head; ranges point into its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    /// Bytes with the blank line's LF: where data begins.
    pub len: usize,
    pub version: Range<usize>,
    pub url: Option<Range<usize>>,
    pub origin: Option<Range<usize>>,
    pub date: Option<Range<usize>>,
    pub ip: Option<Range<usize>>,
    pub unzip_length: Option<u64>,
    pub compression: Option<Range<usize>>,
    /// webmill's own property: why the crawler did not get all of the data.
    pub truncated: Option<Range<usize>>,
    /// Byte count of data as stored.
    pub length: u64,
    /// Does the head hold properties that the format does not define?
    pub has_own: bool,
}

/// Why there is no head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The bytes end before the head does.
    Unfinished,
    /// They break the grammar.
    Broken(Cow<'static, str>),
}

const CR_LF: &str = "lines end in CR LF: the file was transferred in text mode and every LF became CR LF; \
                     `webmill shard recover` undoes it";
/// The advice in messages about CR LF, and its replacement after recovery was tried.
pub(super) const CR_LF_ADVICE: [&str; 2] =
    ["`webmill shard recover` undoes it", "here no line begins with it, so it was not undone"];

fn broken<T>(reason: impl Into<Cow<'static, str>>) -> Result<T, Fault> {
    Err(Fault::Broken(reason.into()))
}

impl Head {
    /// Parses the head that `bytes` begin with.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Head, Fault> {
        Self::parse_lines(bytes, MAX_HEAD_LINES)
    }

    /// Parses a head of at most `max_lines`.
    pub(crate) fn parse_lines(bytes: &[u8], max_lines: usize) -> Result<Head, Fault> {
        if !bytes.starts_with(MARK) {
            if MARK.starts_with(bytes) {
                return Err(Fault::Unfinished);
            }
            return broken("no record starts here");
        }
        // Most candidates of a search fail here, before anybody looks for the end of the line.
        if bytes.get(MARK.len()).is_some_and(|b| !b.is_ascii_digit() && *b != b' ') {
            return broken("`version` is not digits, a dot and digits");
        }
        let mut head = Head {
            len: 0,
            version: 0..0,
            url: None,
            origin: None,
            date: None,
            ip: None,
            unzip_length: None,
            compression: None,
            truncated: None,
            length: 0,
            has_own: false,
        };
        let mut at = 0;
        let mut ended = false;
        for _ in 0..=max_lines {
            let rest = &bytes[at..bytes.len().min(MAX_HEAD_BYTES)];
            let Some(len) = memchr(b'\n', rest) else {
                if bytes.len() >= MAX_HEAD_BYTES {
                    return broken("the head does not end within 256 KiB");
                }
                // A line of binary zeros is no name; do not wait for its end.
                return match rest.first() {
                    Some(b) if !is_name(*b) => broken("a head line has no lower-case name"),
                    _ => Err(Fault::Unfinished),
                };
            };
            let line = &rest[..len];
            if line.is_empty() {
                if !ended {
                    return broken("the head ends without `length`");
                }
                head.len = at + 1;
                return Ok(head);
            }
            if line.ends_with(b"\r") {
                return broken(CR_LF);
            }
            if ended {
                return broken("`length` is not the last property");
            }
            ended = head.line(line, at)?;
            at += len + 1;
        }
        broken(format!("the head has more than {max_lines} lines"))
    }

    /// Takes one line that begins at byte `at` of the head; true for `length`.
    fn line(&mut self, line: &[u8], at: usize) -> Result<bool, Fault> {
        let colon = memchr(b':', line).unwrap_or(line.len());
        let name = &line[..colon];
        if colon == line.len() || name.is_empty() || !name.iter().all(|b| is_name(*b)) {
            return broken("a head line has no lower-case name");
        }
        if memchr(b'\r', line).is_some() {
            return broken("a head line contains CR");
        }
        if is_zeroed(line) {
            return broken("a head line was zeroed");
        }
        let value = trimmed(line, colon + 1);
        let text = &line[value.clone()];
        let value = value.start + at..value.end + at;
        match name {
            b"version" => {
                if at > 0 {
                    return broken("`version` occurs again inside a head");
                }
                if !is_version(text) {
                    return broken("`version` is not digits, a dot and digits");
                }
                self.version = value;
            }
            b"url" => once(&mut self.url, value, "`url` occurs twice")?,
            b"origin" => once(&mut self.origin, value, "`origin` occurs twice")?,
            b"date" => once(&mut self.date, value, "`date` occurs twice")?,
            b"ip" => once(&mut self.ip, value, "`ip` occurs twice")?,
            b"x-compression" => once(&mut self.compression, value, "`x-compression` occurs twice")?,
            b"unzip-length" => {
                let number = number(text, "unzip-length")?;
                if self.unzip_length.replace(number).is_some() {
                    return broken("`unzip-length` occurs twice");
                }
            }
            b"length" => {
                self.length = number(text, "length")?;
                return Ok(true);
            }
            _ => {
                self.has_own = true;
                if name == b"truncated" {
                    self.truncated.get_or_insert(value);
                }
            }
        }
        Ok(false)
    }

    /// True for the one version that is written; the grammar of others has held, and they are read as it.
    pub(crate) fn is_known_version(&self, bytes: &[u8]) -> bool {
        &bytes[self.version.clone()] == b"1.0"
    }

    /// Is it the head of one record, as far as it can show that? One that damage glued together out of the heads of two
    /// lacks what stood between, or has bytes in it that nobody writes into a head.
    pub(crate) fn is_complete(&self, bytes: &[u8]) -> bool {
        let bytes = &bytes[..self.len.min(bytes.len())];
        let value = |range: &Option<Range<usize>>| range.clone().and_then(|range| bytes.get(range));
        let dated = || value(&self.date).is_some_and(|d| parse_any(&String::from_utf8_lossy(d)).is_some());
        let odd = |b: &u8| matches!(b, 0..=8 | 11..=31 | 127 | 255);
        value(&self.url).is_some_and(|url| !url.is_empty()) && dated() && !bytes.iter().any(odd)
    }

    /// How the data is compressed, or the reason why that cannot be said.
    pub(crate) fn packing(&self, bytes: &[u8]) -> Result<Option<Packing>, String> {
        let named = self.compression.clone().map(|range| &bytes[range]);
        match (self.unzip_length, named) {
            (None, None) => Ok(None),
            (Some(_), None) => Ok(Some(Packing::Unnamed)),
            (Some(_), Some(b"gzip")) => Ok(Some(Packing::Gzip)),
            (Some(_), Some(b"zstd")) => Ok(Some(Packing::Zstd)),
            (Some(_), Some(other)) => Err(format!(
                "unknown compression `{}`",
                String::from_utf8_lossy(&other[..other.len().min(40)])
            )),
            (None, Some(_)) => Err("compressed data without `unzip-length`".into()),
        }
    }

    /// Bytes of the whole record: head, blank line, data, blank line. `None` past the largest number.
    pub(crate) fn record_bytes(&self) -> Option<u64> {
        self.length.checked_add(self.len as u64 + 1)
    }
}

fn once(slot: &mut Option<Range<usize>>, value: Range<usize>, twice: &'static str) -> Result<(), Fault> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => broken(twice),
    }
}

pub(crate) fn is_name(b: u8) -> bool {
    matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')
}

fn is_version(text: &[u8]) -> bool {
    let Some(dot) = memchr(b'.', text) else { return false };
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    digits(&text[..dot]) && digits(&text[dot + 1..])
}

fn number(text: &[u8], name: &str) -> Result<u64, Fault> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return broken(format!("`{name}` is not a number"));
    }
    let parsed = text.iter().try_fold(0u64, |n, b| n.checked_mul(10)?.checked_add(u64::from(b - b'0')));
    parsed.map_or_else(|| broken(format!("`{name}` is larger than any file")), Ok)
}

/// The value that begins at `from`, without the spaces around it.
fn trimmed(line: &[u8], from: usize) -> Range<usize> {
    let mut range = from..line.len();
    while range.start < range.end && line[range.start] == b' ' {
        range.start += 1;
    }
    while range.start < range.end && line[range.end - 1] == b' ' {
        range.end -= 1;
    }
    range
}

/// Does a line hold a stretch of zeros, as lost sectors leave it? It would make one head of the beginning of one and the
/// end of another.
fn is_zeroed(line: &[u8]) -> bool {
    memchr(0, line).is_some_and(|at| line[at..].windows(ZEROED_BYTES).any(|w| w.iter().all(|b| *b == 0)))
}

/// Does a value obey the grammar when written?
pub(crate) fn is_value(value: &[u8]) -> bool {
    memchr2(b'\r', b'\n', value).is_none()
        && !is_zeroed(value)
        && !value.starts_with(b" ")
        && !value.ends_with(b" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specification_examples() {
        let own = b"version:1.0\nurl:http://www.pku.edu/\norigin:http://www.somewhere/\ndate:Tue,15 Apr 2003 08:13:06 GMT\n\
                    ip:162.105.129.12\nunzip-length:30233\nlength:18133\n\nxyz";
        let head = Head::parse(own).unwrap();
        assert_eq!(head.length, 18133);
        assert_eq!(head.unzip_length, Some(30233));
        assert_eq!(&own[head.len..], b"xyz");
        assert_eq!(&own[head.url.clone().unwrap()], b"http://www.pku.edu/");
        assert_eq!(head.packing(own), Ok(Some(Packing::Unnamed)));

        let spaced = b"version:  1.0 \nurl: www.pku.edu/ \ndate: Tue,15 Apr 2003 08:13:06 GMT\nip: unknown\nlength: 3 \n\n";
        let head = Head::parse(spaced).unwrap();
        assert!(head.is_known_version(spaced));
        assert_eq!(&spaced[head.url.clone().unwrap()], b"www.pku.edu/");
        assert_eq!(head.length, 3);
    }

    #[test]
    fn what_breaks_the_grammar() {
        for (bytes, reason) in [
            (&b"Version:1.0\nlength:1\n\n"[..], "no record starts here"),
            (b"version:version:1.0\nlength:1\n\n", "not digits"),
            (b"version:10\nlength:1\n\n", "not digits"),
            (b"version:1.0\nversion:1.0\nlength:1\n\n", "occurs again"),
            (b"version:1.0\nurl:a\nurl:b\nlength:1\n\n", "occurs twice"),
            (b"version:1.0\nlength:1\nurl:a\n\n", "not the last"),
            (b"version:1.0\nurl:a\n\n", "without `length`"),
            (b"version:1.0\nURL:a\nlength:1\n\n", "lower-case name"),
            (b"version:1.0\n:a\nlength:1\n\n", "lower-case name"),
            (b"version:1.0\nurl\nlength:1\n\n", "lower-case name"),
            (b"version:1.0\r\nurl:a\r\nlength:1\r\n\r\n", "text mode"),
            (b"version:1.0\nurl:a\rb\nlength:1\n\n", "contains CR"),
            (b"version:1.0\nlength:-1\n\n", "not a number"),
            (b"version:1.0\nlength:\n\n", "not a number"),
            (b"version:1.0\nlength:99999999999999999999\n\n", "larger than any file"),
            (b"version:1.0\n\0\0\0\0", "lower-case name"),
            (b"version:1.0\nurl:http://a/\0\0\0\0\0\0\0\0b\nlength:1\n\n", "zeroed"),
        ] {
            match Head::parse(bytes) {
                Err(Fault::Broken(found)) => assert!(found.contains(reason), "{found} for {reason}"),
                other => panic!("{other:?} for {reason}"),
            }
        }
        let whole = b"version:1.0\nurl:a\nlength:9223372036854775807\n\n";
        for cut in 0..whole.len() {
            assert_eq!(Head::parse(&whole[..cut]).unwrap_err(), Fault::Unfinished, "{cut}");
        }
        assert_eq!(Head::parse(whole).unwrap().record_bytes(), Some((1 << 63) + whole.len() as u64));
    }

    #[test]
    fn what_a_complete_head_has() {
        for (bytes, complete) in [
            (&b"version:1.0\nurl:a\ndate:Tue,15Apr200308:13:06GMT\nlength:1\n\n"[..], true),
            (b"version:1.0\nurl:\xd6\xd0\t\ndate:20030415081306\nx-own:1\nlength:1\n\n", true),
            (b"version:1.0\nurl:a\nlength:1\n\n", false),
            (b"version:1.0\nurl:\ndate:20030415081306\nlength:1\n\n", false),
            (b"version:1.0\nurl:a\ndate:Tue, 15 Ap\xe3\x00Y\nlength:1\n\n", false),
            (b"version:1.0\nurl:a\x07b\ndate:20030415081306\nlength:1\n\n", false),
            (b"version:1.0\nurl:a\ndate:20030415081306\nip:1.\xff\xff\nlength:1\n\n", false),
        ] {
            assert_eq!(Head::parse(bytes).unwrap().is_complete(bytes), complete, "{bytes:?}");
        }
    }

    #[test]
    fn an_endless_head_is_cut_off() {
        let mut long = b"version:1.0\nurl:".to_vec();
        long.resize(MAX_HEAD_BYTES, b'a');
        assert!(matches!(Head::parse(&long), Err(Fault::Broken(_))));
        let many = [&b"version:1.0\n"[..], &b"a:b\n".repeat(1100)].concat();
        assert!(matches!(Head::parse(&many), Err(Fault::Broken(_))));
    }
}
