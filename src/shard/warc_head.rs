//! The head of a WARC record: a version line, named fields, a blank line.
//!
//! One pass finds the end of the head and the fields that reading needs; values stay where they are and are looked at
//! when somebody asks. Field names are compared without case, a repeated field counts by its first value, folded lines
//! are unfolded.
//!
//! Reference: ISO 28500:2009 and 2017 (WARC 1.0, 1.1), and the drafts 0.17 and 0.18.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};

use webmill_capture::url_text;

use super::RecordType;
use super::warc_frame::{Fields, Flaws, Head, Parsed, Start, Value};

/// Does a record head start here? `at_end`: no more bytes will follow.
pub(super) fn starts(bytes: &[u8], at_end: bool) -> Start {
    let short = if at_end { Start::No } else { Start::More };
    let n = bytes.len().min(5);
    if bytes[..n] != b"WARC/"[..n] {
        return Start::No;
    }
    let Some(end) = memchr(b'\n', &bytes[..bytes.len().min(32)]) else {
        return if bytes.len() < 32 { short } else { Start::No };
    };
    if version(&bytes[..end]).is_none() {
        return Start::No;
    }
    // The line that follows is a field, or quoted text like "WARC/1.0" alone on a line would do.
    let rest = &bytes[end + 1..];
    let name = rest.iter().take(80).position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')));
    match name {
        Some(0) => Start::No,
        Some(at) if rest[at] == b':' => Start::Yes,
        Some(_) => Start::No,
        None if rest.len() < 80 => short,
        None => Start::No,
    }
}

/// First record head in `bytes` at the start of a line, `from` on; else how many bytes need not be looked at again.
pub(super) fn find(bytes: &[u8], from: usize, at_end: bool) -> Result<usize, usize> {
    for at in memmem::find_iter(bytes.get(from..).unwrap_or(&[]), b"WARC/") {
        let at = from + at;
        // Zeros that a bad sector left are as good as a line end.
        if at > 0 && !matches!(bytes[at - 1], b'\n' | 0) {
            continue;
        }
        match starts(&bytes[at..], at_end) {
            Start::Yes => return Ok(at),
            Start::No => {}
            Start::More => return Err(at),
        }
    }
    // The magic itself may be cut by the end of what is there.
    Err(if at_end { bytes.len() } else { bytes.len().saturating_sub(5).max(from) })
}

/// `1.0` of `WARC/1.0`.
fn version(line: &[u8]) -> Option<&[u8]> {
    let version = trim_cr(line).strip_prefix(b"WARC/")?.trim_ascii();
    let dot = memchr(b'.', version)?;
    let digits = |b: &[u8]| !b.is_empty() && b.len() <= 3 && b.iter().all(u8::is_ascii_digit);
    (digits(&version[..dot]) && digits(&version[dot + 1..])).then_some(version)
}

fn trim_cr(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// Parses the head at the start of `bytes`.
pub(super) fn parse(bytes: &[u8]) -> Parsed {
    let mut flaws = Flaws::default();
    let no_record = || Parsed::Bad("no WARC version line where a record should start".into());
    if bytes[..bytes.len().min(5)] != b"WARC/"[..bytes.len().min(5)] {
        return no_record();
    }
    let Some(end) = memchr(b'\n', &bytes[..bytes.len().min(64)]) else {
        return if bytes.len() < 64 { Parsed::Incomplete } else { no_record() };
    };
    let Some(version) = version(&bytes[..end]) else { return no_record() };
    if !matches!(version, b"1.0" | b"1.1" | b"0.17" | b"0.18") {
        flaws.add(Flaws::VERSION);
    }
    let mut fields = Fields::default();
    let (mut length, mut again): (Option<Range<usize>>, Option<Range<usize>>) = (None, None);
    let mut last = Slot::Other;
    let mut crlf = line_ends(bytes, end);
    let mut at = end + 1;
    loop {
        let Some(n) = memchr(b'\n', &bytes[at..]) else { return Parsed::Incomplete };
        let end = at + n;
        crlf &= line_ends(bytes, end);
        let line = trim_cr(&bytes[at..end]);
        if line.is_empty() {
            let head_end = at;
            if memmem::find(&bytes[..at], &[0; 16]).is_some() {
                return Parsed::Bad("zeros inside a record head".into());
            }
            if !crlf {
                flaws.add(Flaws::LINE_ENDS);
            }
            if fields.kind.is_empty() || fields.date.is_empty() || fields.id.is_empty() {
                flaws.add(Flaws::MANDATORY);
            }
            let said = length.map(|value| unfolded(bytes, &value));
            if let (Some(said), Some(again)) = (&said, &again)
                && said.as_ref() != unfolded(bytes, again).as_ref()
            {
                flaws.add(Flaws::TWO_LENGTHS);
            }
            let length = said.and_then(|said| digits(&said));
            let kind = kind(&unfolded(bytes, &range(&fields.kind)));
            return Parsed::Complete(Head { fields, kind, length, head_end, block_at: end + 1, flaws });
        }
        if matches!(line[0], b' ' | b'\t') {
            let end = at + line.len();
            match last {
                Slot::Length => {
                    if let Some(value) = again.as_mut().or(length.as_mut()) {
                        value.end = end;
                    }
                }
                slot => {
                    if let Some(value) = slot.value(&mut fields) {
                        value.end = end as u32;
                    }
                }
            }
        } else if let Some(colon) = memchr(b':', line) {
            let value = trimmed(bytes, at + colon + 1, at + line.len());
            last = slot(&line[..colon]);
            match last {
                Slot::Length if length.is_none() => length = Some(value),
                Slot::Length => again = Some(value),
                slot => match slot.value(&mut fields) {
                    Some(field) if field.start == field.end => *field = value.start as u32..value.end as u32,
                    Some(_) => last = Slot::Other,
                    None => {}
                },
            }
        } else {
            flaws.add(Flaws::NO_COLON);
            last = Slot::Other;
        }
        at = end + 1;
    }
}

/// True when the LF at `end` follows exactly one CR.
fn line_ends(bytes: &[u8], end: usize) -> bool {
    end > 0 && bytes[end - 1] == b'\r' && (end < 2 || bytes[end - 2] != b'\r')
}

fn trimmed(bytes: &[u8], mut start: usize, mut end: usize) -> Range<usize> {
    while start < end && matches!(bytes[start], b' ' | b'\t') {
        start += 1;
    }
    while start < end && matches!(bytes[end - 1], b' ' | b'\t') {
        end -= 1;
    }
    start..end
}

/// A value whose folded lines are joined.
fn unfolded<'a>(bytes: &'a [u8], value: &Range<usize>) -> Cow<'a, [u8]> {
    let bytes = &bytes[value.clone()];
    if memchr(b'\n', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let lines: Vec<&[u8]> =
        bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect();
    Cow::Owned(lines.join(&b' '))
}

pub(super) fn range(value: &Value) -> Range<usize> {
    value.start as usize..value.end as usize
}

/// A count of bytes; `None` for everything that is none.
pub(super) fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 18 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(text.iter().fold(0, |n, b| n * 10 + u64::from(b - b'0')))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Kind,
    Url,
    Date,
    Ip,
    Id,
    MediaType,
    Truncated,
    BlockDigest,
    PayloadDigest,
    RawHead,
    DateUnknown,
    Profile,
    RefersId,
    RefersUrl,
    RefersDate,
    SegmentNumber,
    SegmentOrigin,
    SegmentTotal,
    Length,
    Other,
}

impl Slot {
    fn value(self, fields: &mut Fields) -> Option<&mut Value> {
        Some(match self {
            Slot::Kind => &mut fields.kind,
            Slot::Url => &mut fields.url,
            Slot::Date => &mut fields.date,
            Slot::Ip => &mut fields.ip,
            Slot::Id => &mut fields.id,
            Slot::MediaType => &mut fields.media_type,
            Slot::Truncated => &mut fields.truncated,
            Slot::BlockDigest => &mut fields.block_digest,
            Slot::PayloadDigest => &mut fields.payload_digest,
            Slot::RawHead => &mut fields.raw_head,
            Slot::DateUnknown => &mut fields.date_unknown,
            Slot::Profile => &mut fields.profile,
            Slot::RefersId => &mut fields.refers_id,
            Slot::RefersUrl => &mut fields.refers_url,
            Slot::RefersDate => &mut fields.refers_date,
            Slot::SegmentNumber => &mut fields.segment_number,
            Slot::SegmentOrigin => &mut fields.segment_origin,
            Slot::SegmentTotal => &mut fields.segment_total,
            Slot::Length | Slot::Other => return None,
        })
    }
}

fn slot(name: &[u8]) -> Slot {
    let name = name.trim_ascii_end();
    let candidates: &[(&[u8], Slot)] = match name.len() {
        9 => &[(b"WARC-Type", Slot::Kind), (b"WARC-Date", Slot::Date)],
        12 => &[
            (b"Content-Type", Slot::MediaType),
            (b"WARC-Profile", Slot::Profile),
            (b"X-RawDB-Head", Slot::RawHead),
        ],
        14 => &[
            (b"Content-Length", Slot::Length),
            (b"WARC-Record-ID", Slot::Id),
            (b"WARC-Truncated", Slot::Truncated),
            (b"WARC-Refers-To", Slot::RefersId),
        ],
        15 => &[(b"WARC-Target-URI", Slot::Url), (b"WARC-IP-Address", Slot::Ip)],
        17 => &[(b"WARC-Block-Digest", Slot::BlockDigest)],
        19 => &[
            (b"WARC-Payload-Digest", Slot::PayloadDigest),
            (b"WARC-Refers-To-Date", Slot::RefersDate),
            (b"WARC-Segment-Number", Slot::SegmentNumber),
        ],
        22 => &[
            (b"WARC-Segment-Origin-ID", Slot::SegmentOrigin),
            (b"X-Webmill-Date-Unknown", Slot::DateUnknown),
        ],
        25 => &[
            (b"WARC-Refers-To-Target-URI", Slot::RefersUrl),
            (b"WARC-Segment-Total-Length", Slot::SegmentTotal),
        ],
        _ => return Slot::Other,
    };
    candidates.iter().find(|c| name.eq_ignore_ascii_case(c.0)).map_or(Slot::Other, |c| c.1)
}

fn kind(name: &[u8]) -> RecordType {
    const KINDS: [RecordType; 8] = [
        RecordType::Response,
        RecordType::Request,
        RecordType::Metadata,
        RecordType::Revisit,
        RecordType::Resource,
        RecordType::Warcinfo,
        RecordType::Conversion,
        RecordType::Continuation,
    ];
    let found = KINDS.into_iter().find(|k| name.eq_ignore_ascii_case(k.name().as_bytes()));
    found.unwrap_or(RecordType::Unknown)
}

/// A value as text: folded lines joined by a space, bytes that are not UTF-8 replaced.
pub(super) fn text<'a>(head: &'a [u8], value: &Value) -> Option<Cow<'a, str>> {
    let bytes = &head[range(value)];
    if bytes.is_empty() {
        return None;
    }
    match unfolded(head, &range(value)) {
        Cow::Borrowed(bytes) => Some(String::from_utf8_lossy(bytes)),
        Cow::Owned(bytes) => Some(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())),
    }
}

/// The URL without the angle brackets that WARC 1.0 printed and some writers took literally; bytes that are not UTF-8 are
/// percent-encoded ([`url_text`]).
pub(super) fn url<'a>(head: &'a [u8], value: &Value) -> Cow<'a, str> {
    let url = match unfolded(head, &range(value)) {
        Cow::Borrowed(bytes) => url_text(bytes),
        Cow::Owned(bytes) => Cow::Owned(url_text(&bytes).into_owned()),
    };
    match url {
        Cow::Borrowed(url) => Cow::Borrowed(unbracketed(url)),
        Cow::Owned(url) => Cow::Owned(unbracketed(&url).to_owned()),
    }
}

fn unbracketed(url: &str) -> &str {
    url.strip_prefix('<').and_then(|u| u.strip_suffix('>')).unwrap_or(url)
}
