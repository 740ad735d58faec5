//! Reads WARC and ARC files, record by record.
//!
//! The walk (where records begin and end, what to do about damage) is the same for both formats; only heads differ.
//! Records are borrowed from the decoded window; nothing is copied. Where the reader may choose, it
//! takes the reading that loses the least:
//!
//! | in real archives | lenient | strict |
//! |---|---|---|
//! | wrong or missing Content-Length | block measured, defect | error |
//! | missing or extra blank lines | defect | error |
//! | one member over many records, whole-file gzip | defect | error |
//! | members cut without regard to records | defect | error |
//! | repeated, folded, colon-less header lines, LF or CR CR LF | first value, defect | error |
//! | record cut into segments that follow one another | joined | the same |
//! | segment without the others before it | a `continuation` of its own, defect | the same |
//! | URI in angle brackets or with spaces | brackets off, spaces kept | the same |
//! | date in another form (14 digits, RFC 822), or none | read if it can be, defect | error |
//! | digest that does not agree (asked for) | defect | error |
//! | digest by an algorithm that is not computed (asked for) | defect | defect |
//! | file compressed as a whole | places are those inside | the same, and an error |
//! | gzip member without its trailer at the end of the file | defect, then an error | error |
//! | file cut off inside a block | the bytes there are, marked as truncated; then an error | error |
//! | damaged member, no head where one should be | error, goes on after | the same |
//!
//! Reference: ISO 28500; Internet Archive, "ARC File Format".

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use data_encoding::BASE64;

use webmill_capture::date::{parse_14, parse_any, parse_w3c};
use webmill_capture::error::{Error, Result};
use webmill_capture::{Place, Truncation, url_text};

use super::member::Members;
use super::stream::Stream;
use super::warc_digest::verify;
use super::warc_frame::{Flaws, FramedRecord};
use super::warc_head::{text, url};
use super::warc_walk::{Walk, open};
use super::{Container, Format, ReadOptions, Record, RecordType, Resume, revisit};

#[path = "warc_segments.rs"]
mod segments;

use segments::Segments;

/// How the defect of a date begins that is not in the standard's form.
const ODD_DATE: &str = "WARC-Date";

/// Walks a WARC or ARC file, or the records that start in a range of it.
pub struct WarcReader {
    walk: Walk,
    format: Format,
    name: Arc<str>,
    lenient: bool,
    verify: bool,
    segments: Segments,
}

impl WarcReader {
    /// Reads the records of `stored` (positioned at its start) that start in `range`.
    ///
    /// # Errors
    /// A failing read while the first record is searched. A zstd dictionary that cannot be used is damage like any
    /// other: an error of [`WarcReader::next`].
    pub fn new(
        stored: Stream,
        format: Format,
        container: Container,
        range: Range<u64>,
        options: &ReadOptions,
    ) -> Result<WarcReader> {
        let name = Arc::clone(stored.name());
        let (members, damage) = open(stored, container, &range, options)?;
        let mut walk = Walk::new(members, format, range, options)?;
        if let Some(error) = damage {
            walk.without_dictionary(error);
        }
        Ok(WarcReader::with(walk, format, name, options))
    }

    /// Reads the one record at the position of `members`, without a search where it is damaged.
    pub(super) fn of_one(members: Members, format: Format, options: &ReadOptions) -> Result<WarcReader> {
        let name = Arc::clone(members.stored().name());
        let walk = Walk::of_one(members, format, options)?;
        Ok(WarcReader::with(walk, format, name, options))
    }

    fn with(walk: Walk, format: Format, name: Arc<str>, options: &ReadOptions) -> WarcReader {
        let segments = Segments::new(options.max_record_bytes);
        let (lenient, verify) = (options.lenient, options.verify_digests);
        WarcReader { walk, format, name, lenient, verify, segments }
    }

    /// Where the first record of the range was found.
    pub fn first_offset(&self) -> Option<u64> {
        self.walk.first_offset()
    }

    /// Bytes of zeros after the last record, once it was read.
    pub fn padding(&self) -> u64 {
        self.walk.members.padding()
    }

    /// Where the walk is.
    pub fn resume(&self) -> Resume {
        self.segments.resume().unwrap_or_else(|| self.walk.resume())
    }

    /// The next record, an error for damage (after which reading goes on after it), or `None` at the end.
    #[allow(clippy::should_implement_trait, reason = "a lending reader cannot be an Iterator")]
    pub fn next(&mut self) -> Option<Result<Record<'_>>> {
        let framed = match self.segments.next(&mut self.walk)? {
            Ok(framed) => framed,
            Err(error) => return Some(Err(error)),
        };
        let offset = framed.offset;
        let is_first = segments::is_first(self.walk.members.window(), &framed);
        let record = if is_first {
            let first = record(self.walk.members.window(), framed, self.format, &self.name).into_owned();
            self.segments.join(first, &mut self.walk)
        } else {
            record(self.walk.members.window(), framed, self.format, &self.name)
        };
        let path = self.walk.members.stored().path();
        let odd = record.defects.iter().find(|defect| defect.starts_with(ODD_DATE));
        if let (Some(odd), false) = (odd, self.lenient) {
            return Some(Err(Error::corrupt(path, offset, odd.to_string()).losing(record.place.length)));
        }
        if !self.verify {
            return Some(Ok(record));
        }
        Some(verified(record, path, offset, self.lenient))
    }
}

fn verified<'a>(mut record: Record<'a>, path: &Path, offset: u64, lenient: bool) -> Result<Record<'a>> {
    let found = verify(&record);
    if let (Some(first), false) = (found.wrong.first(), lenient) {
        return Err(Error::corrupt(path, offset, first.to_string()).losing(record.place.length));
    }
    record.defects.extend(found.wrong.into_iter().chain(found.unchecked));
    Ok(record)
}

fn record<'a>(window: &'a [u8], framed: FramedRecord, format: Format, name: &Arc<str>) -> Record<'a> {
    let head = &window[..framed.head.head_end];
    let data = &window[framed.block];
    let fields = &framed.head.fields;
    let date = text(window, &fields.date);
    let arc = format == Format::Arc;
    let mut record = Record {
        format,
        kind: framed.head.kind,
        head,
        url: url(window, &fields.url),
        origin: None,
        date_ms: date
            .as_deref()
            .and_then(|d| if arc { arc_date(d) } else { parse_w3c(d).or_else(|| parse_any(d)) }),
        ip: text(window, &fields.ip).filter(|ip| !arc || ip.contains(['.', ':'])),
        content_type: text(window, &fields.media_type),
        data: Cow::Borrowed(data),
        full_length: framed.full_length,
        truncated: text(window, &fields.truncated).map(|t| Truncation::from_warc(&t)),
        place: Place { shard: Arc::clone(name), offset: framed.offset, length: framed.length },
        proven: framed.head.flaws.has(Flaws::NO_TRAILER).then_some(false),
        stored: None,
        id: text(window, &fields.id),
        block_digest: text(window, &fields.block_digest),
        payload_digest: text(window, &fields.payload_digest),
        revisit: (framed.head.kind == RecordType::Revisit).then(|| revisit::of_warc(window, fields)),
        defects: framed.head.flaws.texts().map(Cow::Borrowed).collect(),
    };
    if let Some(date) = date.filter(|date| !arc && parse_w3c(date).is_none()) {
        let read = if record.date_ms.is_some() { "not of the standard's form" } else { "no date" };
        record.defects.push(Cow::Owned(format!("{ODD_DATE} {}: {read}", quoted(&date))));
    }
    if !fields.date_unknown.is_empty() {
        record.date_ms = None;
    }
    if record.kind == RecordType::Continuation {
        record
            .defects
            .push(Cow::Borrowed("a continuation that is not joined: its first segment is not before it"));
    }
    if framed.over_limit {
        record.truncated = Some(Truncation::RecordLimit);
    } else if framed.cut {
        record.truncated = Some(Truncation::Unspecified);
    }
    if !fields.raw_head.is_empty() {
        record.origin = text(window, &fields.raw_head).and_then(|h| origin(&h)).map(Cow::Owned);
    }
    record
}

/// A foreign value in messages, at most 100 characters of it.
pub(super) fn quoted(value: &str) -> String {
    format!("{:?}", value.chars().take(100).collect::<String>())
}

/// Ten to seventeen digits, or more by mistake; else a date in words.
fn arc_date(text: &str) -> Option<i64> {
    parse_14(text.get(..17).unwrap_or(text)).or_else(|| parse_any(text))
}

/// The `origin` property of a RAW DB head that travels in base64.
fn origin(encoded: &str) -> Option<String> {
    let head = BASE64.decode(encoded.as_bytes()).ok()?;
    let line = head.split(|b| *b == b'\n').find_map(|line| line.strip_prefix(b"origin:"))?;
    Some(url_text(line.trim_ascii()).into_owned())
}

/// Reads `data` as WARC and ARC in every container, strictly and leniently, and holds what must hold of any bytes: no
/// panic, an end, places that go forward. For fuzzing.
pub fn fuzz_warc(data: &[u8]) {
    for (format, container) in [
        (Format::Warc, Container::Plain),
        (Format::Warc, Container::Gzip),
        (Format::Warc, Container::Zstd),
        (Format::Warc, Container::Lz4),
        (Format::Warc, Container::WholeGzip),
        (Format::Warc, Container::WholeZstd),
        (Format::Arc, Container::Plain),
        (Format::Arc, Container::Gzip),
        (Format::Arc, Container::Lz4),
    ] {
        for (lenient, max_record_bytes, start) in [(true, 64 << 20, 0), (false, 64 << 20, 0), (true, 100, 5)]
        {
            let options =
                ReadOptions { lenient, max_record_bytes, verify_digests: true, ..ReadOptions::default() };
            let stored = Stream::from_reader(Box::new(std::io::Cursor::new(data.to_vec())), "fuzz");
            let Ok(mut reader) = WarcReader::new(stored, format, container, start..u64::MAX, &options) else {
                continue;
            };
            let (mut at, mut steps, mut all_lost) = (0, 0, 0);
            while let Some(next) = reader.next() {
                if let (Err(Error::Corrupt { lost, .. }), true) = (&next, lenient) {
                    all_lost += lost;
                    assert!(container.is_whole() || all_lost <= data.len() as u64, "no byte is lost twice");
                }
                if let Ok(record) = next {
                    assert!(record.place.offset >= at, "places go forward");
                    assert!(
                        container.is_whole()
                            || record.place.offset + record.place.length <= data.len() as u64,
                        "places are in the file"
                    );
                    assert!(record.data.len() as u64 <= max_record_bytes, "the limit holds");
                    at = record.place.offset;
                }
                steps += 1;
                assert!(steps <= 2 * data.len() * 1100 + 2, "reading ends");
            }
        }
    }
}
