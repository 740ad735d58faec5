//! The RAW DB reader: records out of walked places.
//!
//! The walk ([`super::raw_walk`]) says where records are; this takes them out: values, date, compression. A record
//! that is whole but cannot be used (unknown version, no URL, data that does not unpack to `unzip-length`) is an
//! error of its own and is walked over by its `length`; where its data shows that the `length` may be wrong, whole
//! records inside it are given instead. URLs that are not UTF-8 are percent-encoded byte by byte.
//!
//! Memory: the stored record and its unpacked data, each at most `max_record_bytes`; uncompressed data is borrowed
//! from the read window. A larger record is delivered cut, and its rest is skipped.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use webmill_capture::date::{parse_any, parse_rfc822};
use webmill_capture::error::{Error, Result};
use webmill_capture::{Place, Truncation, url_text};

use super::embedded_head::{embedded_head, is_date_unknown};
use super::raw_head::Head;
use super::raw_unpack::{Unpacked, Unpacker};
use super::raw_walk::{Found, Walker};
use super::stream::Stream;
use super::{Format, ReadOptions, Record, RecordType, Resume, revisit};

/// Reads the RAW DB records of a file or of a range of it.
pub struct RawReader {
    walker: Walker,
    unpacker: Unpacker,
    max_record_bytes: u64,
    lenient: bool,
    name: Arc<str>,
}

/// What unpacking says about a record besides its bytes.
struct Contents {
    packed: bool,
    full_length: u64,
    truncated: bool,
    defect: Option<&'static str>,
    /// Bytes of the stored data that are its compressed frame, where others follow.
    used: Option<usize>,
}

/// Why a whole record cannot be used.
struct Unusable {
    reason: String,
    /// Does its data speak against its `length`?
    doubtful: bool,
}

impl Unusable {
    fn of(reason: impl Into<String>) -> Unusable {
        Unusable { reason: reason.into(), doubtful: false }
    }

    fn doubtful(reason: String) -> Unusable {
        Unusable { reason, doubtful: true }
    }
}

impl RawReader {
    /// Reads the records that start in `range` of `stream` (which is at its first byte).
    pub fn new(stream: Stream, range: Range<u64>, options: &ReadOptions) -> RawReader {
        let name = Arc::clone(stream.name());
        RawReader {
            walker: Walker::new(stream, range, options.exact_start, options.max_record_bytes),
            unpacker: Unpacker::new(options.max_record_bytes),
            max_record_bytes: options.max_record_bytes,
            lenient: options.lenient,
            name,
        }
    }

    /// Where the walk started; see [`super::ShardReader::first_offset`].
    pub fn first_offset(&self) -> Option<u64> {
        self.walker.first()
    }

    /// Where the walk is.
    pub fn resume(&self) -> Resume {
        self.walker.resume()
    }

    /// The next record, an error for damage, `None` at the end.
    #[allow(clippy::should_implement_trait, reason = "a lending reader cannot be an Iterator")]
    pub fn next(&mut self) -> Option<Result<Record<'_>>> {
        let found = match self.walker.next()? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        Some(self.record(found))
    }

    fn record(&mut self, found: Found) -> Result<Record<'_>> {
        let Found { at, head, end, proven } = found;
        let held = head.length.min(self.max_record_bytes) as usize;
        let bytes = self.walker.stream.fill(head.len + held);
        if bytes.len() < head.len + held {
            let reason = "the file changed while it was read".to_string();
            let failed = self.walker.stream.take_error();
            return Err(failed.unwrap_or_else(|| self.walker.refuse((at, end), reason, false)));
        }
        let contents = check(&head, bytes).and_then(|()| {
            let stored = &bytes[head.len..head.len + held];
            unpack(&head, bytes, stored, self.max_record_bytes, &mut self.unpacker)
        });
        let contents = match contents {
            Ok(contents) => contents,
            Err(Unusable { reason, doubtful }) => {
                return Err(self.walker.refuse((at, end), reason, doubtful));
            }
        };
        if let Some(after) = contents.used.map(|used| at + (head.len + used) as u64)
            && self.walker.whole_inside(after, end).is_some()
        {
            let reason = "`length` is larger than the compressed data".to_string();
            return Err(self.walker.refuse((at, end), reason, true));
        }
        let bytes = self.walker.stream.buffered();
        let parse_date = if self.lenient { parse_any } else { parse_rfc822 };
        let date_ms = head.date.clone().and_then(|range| parse_date(&text(&bytes[range])));
        // What proves a place proves no head that damage glued together.
        let proven = proven.map(|proven| proven && head.is_complete(bytes));
        if !self.lenient {
            let reason = match (date_ms, contents.defect) {
                (None, _) => Some("`date` is missing or not in RFC 822 form"),
                (_, defect) => defect,
            };
            if let Some(reason) = reason {
                return Err(self.walker.refuse((at, end), reason.to_string(), false));
            }
        }
        let bytes = self.walker.stream.buffered();
        let value = |range: &Option<Range<usize>>| range.clone().map(|range| text(&bytes[range]));
        let stored = &bytes[head.len..head.len + held];
        // A record that was converted from WARC need not be a response.
        let date_ms = date_ms.filter(|_| !(head.has_own && is_date_unknown(&bytes[..head.len - 1])));
        let embedded = if head.has_own { embedded_head(&bytes[..head.len - 1]) } else { None };
        let (mut kind, content_type, id, cut, mut refers) = match embedded {
            Some(t) => (t.kind, t.content_type.map(Cow::Owned), t.id.map(Cow::Owned), t.truncated, t.revisit),
            None => (RecordType::Response, None, None, None, None),
        };
        let data = if contents.packed { self.unpacker.data() } else { stored };
        if head.has_own
            && kind == RecordType::Response
            && let Some((found, digest)) = revisit::of_raw(&bytes[..head.len - 1], data)
        {
            kind = RecordType::Revisit;
            refers = Some((found.into_owned(), digest.map(Cow::into_owned)));
        }
        let (revisit, payload_digest) = refers.unzip();
        let truncated = match contents.truncated {
            true => Some(Truncation::RecordLimit),
            false => value(&head.truncated).map(|reason| Truncation::from_warc(&reason)).or(cut),
        };
        Ok(Record {
            format: Format::RawDb,
            kind,
            head: &bytes[..head.len - 1],
            url: head.url.clone().map_or(Cow::Borrowed(""), |range| url_text(&bytes[range])),
            origin: head
                .origin
                .clone()
                .map(|range| url_text(&bytes[range]))
                .filter(|origin| !origin.is_empty()),
            date_ms,
            ip: value(&head.ip).filter(|ip| !ip.is_empty() && ip != "unknown"),
            content_type,
            data: Cow::Borrowed(data),
            full_length: contents.full_length,
            truncated,
            place: Place { shard: Arc::clone(&self.name), offset: at, length: end - at },
            proven,
            stored: (held as u64 == head.length).then_some(stored),
            id,
            block_digest: None,
            payload_digest: payload_digest.flatten().map(Cow::Owned),
            revisit,
            defects: contents.defect.map(Cow::Borrowed).into_iter().collect(),
        })
    }
}

/// What a whole record needs besides its structure.
fn check(head: &Head, bytes: &[u8]) -> Result<(), Unusable> {
    if !head.is_known_version(bytes) {
        let version = String::from_utf8_lossy(&bytes[head.version.clone()]);
        let reason = format!("a record of version {version}, of which only 1.0 is known; it is walked over");
        return Err(Unusable::of(reason));
    }
    match &head.url {
        Some(url) if !url.is_empty() => Ok(()),
        _ => Err(Unusable::of("the record has no `url`")),
    }
}

fn unpack(
    head: &Head,
    bytes: &[u8],
    stored: &[u8],
    max: u64,
    unpacker: &mut Unpacker,
) -> Result<Contents, Unusable> {
    let Some(packing) = head.packing(bytes).map_err(Unusable::of)? else {
        let truncated = (stored.len() as u64) < head.length;
        return Ok(Contents { packed: false, full_length: head.length, truncated, defect: None, used: None });
    };
    let declared = head.unzip_length.unwrap_or(0);
    let cut_input = (stored.len() as u64) < head.length;
    let truncated = declared > max;
    // One byte of room beyond the declared size tells a bomb from an honest record.
    let limit =
        usize::try_from(if truncated { max } else { declared.saturating_add(1) }).unwrap_or(usize::MAX);
    let (mut defect, mut rest_after) = (None, None);
    match unpacker.unpack(packing, stored, limit) {
        Ok(Unpacked::Whole { used }) => {
            let (got, used) = (unpacker.data().len() as u64, used as u64);
            if got != declared {
                let reason = format!("the data unzips to {got} bytes, not the {declared} of `unzip-length`");
                return Err(Unusable::doubtful(reason));
            }
            if used < head.length {
                rest_after = Some(used as usize);
                defect = Some("bytes follow the compressed data inside the record");
            }
        }
        Ok(Unpacked::Cut) if truncated => {}
        Ok(Unpacked::Cut) => {
            let reason = format!("the data unzips to more than the {declared} bytes of `unzip-length`");
            return Err(Unusable::doubtful(reason));
        }
        // The stored data is itself over the limit: what it gave is a truncated record.
        Err(_) if cut_input => {
            return Ok(Contents {
                packed: true,
                full_length: declared,
                truncated: true,
                defect: None,
                used: None,
            });
        }
        Err(reason) => return Err(Unusable::doubtful(reason)),
    }
    Ok(Contents { packed: true, full_length: declared, truncated, defect, used: rest_after })
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    // The usual case is checked faster than it is repaired.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Reads `data` as a RAW DB file in every way there is and holds what must hold of any bytes: no panic, bounded
/// memory, places that go forward, ranges that join, and no byte that is neither in a record nor counted as lost. For
/// fuzzing.
pub fn fuzz_raw(data: &[u8]) {
    let options = ReadOptions { max_record_bytes: 1 << 16, ..ReadOptions::default() };
    let read = |range: Range<u64>, exact_start: Option<Resume>| {
        let stream = Stream::from_reader(Box::new(std::io::Cursor::new(data.to_vec())), "fuzz");
        let options = ReadOptions { exact_start, ..options.clone() };
        let mut reader = RawReader::new(stream, range, &options);
        let mut places = Vec::new();
        let mut accounted = 0;
        let mut steps = 0;
        while let Some(next) = reader.next() {
            steps += 1;
            assert!(steps <= 2 * data.len() + 2, "more steps than bytes");
            if let Err(Error::Corrupt { lost, .. }) = next {
                accounted += lost;
            } else if let Ok(record) = next {
                accounted += record.place.length;
                assert!(record.data.len() <= 1 << 16, "a record over the limit");
                assert!(
                    record.place.offset + record.place.length <= data.len() as u64,
                    "a place outside the file"
                );
                places.push((record.place.offset, record.place.length));
            }
        }
        assert!(places.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0), "records overlap");
        (places, accounted, reader.first_offset(), reader.resume())
    };
    let (whole, accounted, _, _) = read(0..u64::MAX, None);
    assert_eq!(accounted, data.len() as u64, "bytes are neither read nor lost, or both");
    let cut = data.len() as u64 / 2;
    let (mut joined, before, _, resume) = read(0..cut, None);
    let range = cut..u64::MAX;
    let (mut second, mut after, first, _) = read(range.clone(), None);
    if !super::follows(&resume, &range, first) {
        (second, after, _, _) = read(range, Some(resume));
    }
    joined.append(&mut second);
    assert_eq!(joined, whole, "ranges do not join");
    assert_eq!(before + after, accounted, "ranges lose what the whole does not");
}
