//! The RAW DB reader: records out of walked places.
//!
//! The walk ([`super::raw_walk`]) says where records are; this takes them out: values, date, compression. A record
//! that is whole but cannot be used (no URL, data that does not unpack to `unzip-length`) is an
//! error of its own and is walked over by its `length`; where its data shows that the `length` may be wrong, whole
//! records inside it are given instead. URLs that are not UTF-8 are percent-encoded byte by byte. An oddity that leaves
//! no doubt (another version, plain data with `unzip-length`, a date that cannot be read) is a defect of the record.
//!
//! Memory: the stored record and its unpacked data, each at most `max_record_bytes`; uncompressed data is borrowed
//! from the read window. A larger record is delivered cut, and its rest is skipped.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use webmill_capture::error::{Error, Result};
use webmill_capture::{Place, Truncation, url_text};

use super::embedded_head::{embedded_head, is_date_unknown};
use super::raw_date;
use super::raw_head::{Head, Packing};
use super::raw_unpack::{UnpackResult, Unpacker};
use super::raw_walk::Walker;
use super::raw_whole::FoundRecord;
use super::stream::Stream;
use super::{Format, ReadOptions, Record, RecordType, Resume, revisit};

/// What gzip data begins with.
const GZIP_MAGIC: &[u8] = b"\x1f\x8b";
/// The message about records that follow the grammar and have another version.
const OTHER_VERSION: &str = "`version` is not 1.0; the record is read as if it were";
const PLAIN_DATA: &str = "the data is not compressed although `unzip-length` says so";

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
struct UnusableRecord {
    reason: String,
    /// Does its data speak against its `length`?
    doubtful: bool,
    /// Is its data compressed as was tried, to another size than it says?
    sized: bool,
}

impl UnusableRecord {
    fn of(reason: impl Into<String>) -> UnusableRecord {
        UnusableRecord { reason: reason.into(), doubtful: false, sized: false }
    }

    fn doubtful(reason: String) -> UnusableRecord {
        UnusableRecord { reason, doubtful: true, sized: false }
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
            Err(error) => {
                let cut_off = error.is_cut_off() && self.lenient;
                return Some(Err(error.cutting_off(cut_off)));
            }
        };
        Some(self.record(found))
    }

    fn record(&mut self, found: FoundRecord) -> Result<Record<'_>> {
        let FoundRecord { at, head, end, proven } = found;
        let held = head.length.min(self.max_record_bytes) as usize;
        let bytes = self.walker.stream.fill(head.len + held);
        if bytes.len() < head.len + held {
            let reason = "the file changed while it was read".to_string();
            let failed = self.walker.stream.take_error();
            return Err(failed.unwrap_or_else(|| self.walker.refuse((at, end), reason, false)));
        }
        let contents = check(&head).and_then(|()| {
            let stored = &bytes[head.len..head.len + held];
            unpack(&head, bytes, stored, self.max_record_bytes, &mut self.unpacker)
        });
        let contents = match contents {
            Ok(contents) => contents,
            Err(UnusableRecord { reason, doubtful, .. }) => {
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
        let dated = head.date.clone().map_or(Cow::Borrowed(""), |range| text(&bytes[range]));
        let url = head.url.clone().map_or(&[][..], |range| &bytes[range]);
        let data = if contents.packed { self.unpacker.data() } else { &bytes[head.len..head.len + held] };
        let (date_ms, dubious) = raw_date::read(&dated, url, data, self.lenient);
        let version = (!head.is_known_version(bytes)).then_some(OTHER_VERSION);
        let defects: Vec<&'static str> = [version, contents.defect, dubious].into_iter().flatten().collect();
        // What proves a place proves no head that damage glued together.
        let proven = proven.map(|proven| proven && head.is_complete(bytes));
        if let (Some(defect), false) = (defects.first(), self.lenient) {
            return Err(self.walker.refuse((at, end), (*defect).to_string(), false));
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
            defects: defects.into_iter().map(Cow::Borrowed).collect(),
        })
    }
}

/// What a whole record needs besides its structure.
fn check(head: &Head) -> Result<(), UnusableRecord> {
    match &head.url {
        Some(url) if !url.is_empty() => Ok(()),
        _ => Err(UnusableRecord::of("the record has no `url`")),
    }
}

fn unpack(
    head: &Head,
    bytes: &[u8],
    stored: &[u8],
    max: u64,
    unpacker: &mut Unpacker,
) -> Result<Contents, UnusableRecord> {
    let Some(packing) = head.packing(bytes).map_err(UnusableRecord::of)? else {
        let truncated = (stored.len() as u64) < head.length;
        return Ok(Contents { packed: false, full_length: head.length, truncated, defect: None, used: None });
    };
    match packing {
        Packing::Unnamed => unpack_unnamed(head, stored, max, unpacker),
        _ => unpack_as(packing, head, stored, max, unpacker),
    }
}

/// Unpacks data whose compression no property names, as its bytes say: gzip has a magic number, zlib a checksum, raw deflate
/// must give `unzip-length` bytes of all that is stored, and plain data be as long as that.
fn unpack_unnamed(
    head: &Head,
    stored: &[u8],
    max: u64,
    unpacker: &mut Unpacker,
) -> Result<Contents, UnusableRecord> {
    let first = if stored.starts_with(GZIP_MAGIC) { Packing::Gzip } else { Packing::Zlib };
    let is_zlib =
        matches!(stored, [a, b, ..] if a & 15 == 8 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0);
    let may_be_plain = head.unzip_length == Some(head.length) && !is_zlib && first != Packing::Gzip;
    let (mut refused, mut empty) = (None::<UnusableRecord>, None);
    for packing in [first, Packing::Deflate] {
        match unpack_as(packing, head, stored, max, unpacker) {
            // What is cut by the limit shows by giving something.
            Ok(contents) if contents.truncated && unpacker.data().is_empty() => empty = Some(contents),
            Ok(contents) if packing == Packing::Deflate && contents.used.is_some() => {}
            // Of a part of plain data the beginning may look like deflate.
            Ok(contents) if packing == Packing::Deflate && contents.truncated && may_be_plain => {}
            Ok(contents) => return Ok(contents),
            Err(deflate) if deflate.sized && !is_zlib && first != Packing::Gzip => refused = Some(deflate),
            Err(reason) => refused = refused.or(Some(reason)),
        }
    }
    if may_be_plain {
        let truncated = (stored.len() as u64) < head.length;
        let defect = Some(PLAIN_DATA);
        return Ok(Contents { packed: false, full_length: head.length, truncated, defect, used: None });
    }
    match refused {
        Some(reason) => Err(reason),
        None => empty.ok_or_else(|| UnusableRecord::of("the data is not compressed in any known way")),
    }
}

fn unpack_as(
    packing: Packing,
    head: &Head,
    stored: &[u8],
    max: u64,
    unpacker: &mut Unpacker,
) -> Result<Contents, UnusableRecord> {
    let declared = head.unzip_length.unwrap_or(0);
    let cut_input = (stored.len() as u64) < head.length;
    let truncated = declared > max;
    // One byte of room beyond the declared size tells a bomb from an honest record.
    let limit =
        usize::try_from(if truncated { max } else { declared.saturating_add(1) }).unwrap_or(usize::MAX);
    let (mut defect, mut rest_after) = (None, None);
    match unpacker.unpack(packing, stored, limit) {
        Ok(UnpackResult::Whole { used }) => {
            let (got, used) = (unpacker.data().len() as u64, used as u64);
            if got != declared {
                let reason = format!("the data unzips to {got} bytes, not the {declared} of `unzip-length`");
                return Err(UnusableRecord {
                    sized: used == head.length,
                    ..UnusableRecord::doubtful(reason)
                });
            }
            if used < head.length {
                rest_after = Some(used as usize);
                defect = Some("bytes follow the compressed data inside the record");
            }
        }
        Ok(UnpackResult::Cut) if truncated => {}
        Ok(UnpackResult::Cut) => {
            let reason = format!("the data unzips to more than the {declared} bytes of `unzip-length`");
            return Err(UnusableRecord { sized: true, ..UnusableRecord::doubtful(reason) });
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
        Err(reason) => return Err(UnusableRecord::doubtful(reason)),
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
