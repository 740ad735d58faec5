//! Records from one format into another without loss.
//!
//! What the other format cannot say travels along: the head of a WARC record in the RAW DB property `x-warc-head`
//! (base64), the head of a RAW DB record in the WARC field `X-RawDB-Head` (base64). On the way back the head is taken
//! from there, so head and data come back byte for byte. Exceptions: compression around records is the writer's; the data
//! of a RAW DB record that was compressed is so again, perhaps to another number of bytes, which its `length` says then; and
//! a head that states a wrong length comes back with the right one. ARC is read only: its records become
//! responses, those without an HTTP head resources (but for answers of name servers), its file description a `warcinfo`.
//!
//! A WARC file begins with a `warcinfo`: one that is made here is marked and not converted back. Its target URIs are
//! canonical URLs. An unknown date, which WARC does not allow, becomes the date of the file that the record comes from and
//! is marked as unknown, so that no index takes it; an address that is none is left out. Records that say what they are
//! a revisit of are revisits in both formats ([`super::Revisit`]).
//!
//! A record that was cut by the reader's limit is not converted but refused.

use std::borrow::Cow;
use std::io::Write;
use std::net::IpAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use flate2::Compression as Level;
use flate2::write::{GzEncoder, ZlibEncoder};

use webmill_capture::error::{Error, Result};
use webmill_capture::{CanonicalUrl, Truncation};

use super::embedded_head::{
    DATE_UNKNOWN, MADE_HERE, RAW_DATE_UNKNOWN, RAW_HEAD, RAW_PLAIN, WARC_HEAD, property,
};
use super::raw_head::{Head, Packing};
use super::warc_frame::Parsed;
use super::warc_head::{self, text};
use super::{
    ArcWriter, Format, NewRecord, NewWarcRecord, RawDbWriter, ReadOptions, Record, RecordType, ShardReader,
    WarcWriter,
};

/// Writes records of any format as one of the two that are written; ARC records can be copied, too.
pub enum Converter {
    /// As RAW DB.
    Raw(RawDbWriter),
    /// Writes WARC.
    Warc(WarcWriter),
    /// ARC records as they are.
    Arc(ArcWriter),
}

/// What was converted and what could not be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversionCounts {
    /// Records written.
    pub records: u64,
    /// Places where damage was met, or records that could not be converted.
    pub damaged: u64,
}

impl Converter {
    /// Writes one record.
    ///
    /// # Errors
    /// [`Error::Config`] when it was cut by the limit, or holds a value that the other format cannot say;
    /// [`Error::Io`].
    pub fn write(&mut self, record: &Record<'_>) -> Result<()> {
        if record.truncated == Some(Truncation::RecordLimit) {
            let limit = record.data.len();
            let advice = "raise the limit to convert it";
            return Err(Error::Config(format!(
                "{}: longer than the limit of {limit} bytes; {advice}",
                record.url
            )));
        }
        match (self, record.format) {
            (Converter::Raw(writer), Format::RawDb) => writer.copy(record),
            (Converter::Raw(writer), _) => to_raw(writer, record),
            (Converter::Warc(writer), Format::Warc) => {
                let head = with_length(record.head, record.data.len());
                writer.write_stored(&head, &record.data)
            }
            (Converter::Warc(writer), Format::RawDb) => raw_to_warc(writer, record),
            (Converter::Warc(writer), Format::Arc) => arc_to_warc(writer, record),
            (Converter::Arc(writer), _) => writer.copy(record),
        }
    }

    /// Says from which file the records come that follow: a record without a date is given the file's own where the
    /// format wants one.
    pub fn from_file(&mut self, path: &Path) {
        if let Converter::Warc(writer) = self {
            let modified = std::fs::metadata(path).and_then(|about| about.modified()).ok();
            let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
            writer.date_of_file = since.map(|since| since.as_secs() as i64 * 1000);
        }
    }

    /// Writes every record of the shard at `path`; tells `on_damage` of every place or record that was lost.
    ///
    /// # Errors
    /// [`Error::Incompatible`] when the file is no shard; [`Error::Io`].
    pub fn convert(
        &mut self,
        path: &Path,
        options: &ReadOptions,
        on_damage: &mut dyn FnMut(Error),
    ) -> Result<ConversionCounts> {
        let mut reader = ShardReader::open(path, options)?;
        self.from_file(path);
        let mut converted = ConversionCounts::default();
        while let Some(next) = reader.next() {
            let written = next.and_then(|record| {
                let (offset, length) = (record.place.offset, record.place.length);
                self.write(&record).map_err(|e| match e {
                    Error::Config(reason) => Error::corrupt(path, offset, reason).losing(length),
                    e => e,
                })
            });
            match written {
                Ok(()) => converted.records += 1,
                Err(error @ (Error::Io { .. } | Error::Internal(_))) => return Err(error),
                Err(error) => {
                    converted.damaged += 1;
                    on_damage(error);
                }
            }
        }
        Ok(converted)
    }

    /// Finishes the current file and gives the paths of all files written.
    ///
    /// # Errors
    /// [`Error::Io`]; files finished before stay.
    pub fn finish(self) -> Result<Vec<PathBuf>> {
        match self {
            Converter::Raw(writer) => writer.finish(),
            Converter::Warc(writer) => writer.finish(),
            Converter::Arc(writer) => writer.finish(),
        }
    }
}

fn to_raw(writer: &mut RawDbWriter, record: &Record<'_>) -> Result<()> {
    if let Some(head) = raw_head(record)
        && writer_takes(writer, &head, record)?
    {
        return Ok(());
    }
    if record.property(MADE_HERE).is_some() {
        // The warcinfo of an earlier conversion says nothing about the records.
        return Ok(());
    }
    let encoded = BASE64.encode(&with_length(record.head, record.data.len()));
    let refers = record.revisit.as_ref().map(|r| r.properties(record.payload_digest.as_deref()));
    let mut extra = Vec::new();
    if record.format == Format::Warc {
        extra.push((WARC_HEAD, encoded.as_str()));
    }
    if record.date_ms.is_none() {
        extra.push((RAW_DATE_UNKNOWN, "1"));
    }
    extra.extend(refers.iter().flatten().map(|(name, value)| (*name, value.as_str())));
    let url = if record.url.is_empty() { record.id.as_deref().unwrap_or("unknown:") } else { &record.url };
    let url = encoded_controls(url.trim());
    writer.write(&NewRecord {
        url: &url,
        origin: record.origin.as_deref(),
        date_ms: record.date_ms.unwrap_or(0),
        ip: record.ip.as_deref(),
        extra: &extra,
        data: &record.data,
    })
}

/// The RAW DB head that is embedded in a WARC head.
fn raw_head(record: &Record<'_>) -> Option<Vec<u8>> {
    let Parsed::Complete(parsed) = warc_head::parse(&[record.head, &b"\r\n"[..]].concat()) else {
        return None;
    };
    let encoded = text(record.head, &parsed.fields.raw_head)?;
    BASE64.decode(encoded.as_bytes()).ok()
}

/// Writes a record under its old head, compressed as that says; false where the head is none of a record that can be read, or
/// not that of this data.
fn writer_takes(writer: &mut RawDbWriter, head: &[u8], record: &Record<'_>) -> Result<bool> {
    let data = &*record.data;
    let Ok(parsed) = Head::parse(&[head, b"\n"].concat()) else { return Ok(false) };
    if parsed.len != head.len() + 1 || parsed.url.as_ref().is_none_or(Range::is_empty) {
        return Ok(false);
    }
    let failed = |e: std::io::Error| Error::Internal(format!("compression failed: {e}"));
    let stored: Cow<[u8]> = match parsed.packing(head) {
        Ok(None) => Cow::Borrowed(data),
        Ok(Some(_)) if parsed.unzip_length != Some(data.len() as u64) => return Ok(false),
        // Never compressed, though the head says so.
        Ok(Some(Packing::Unnamed)) if record.property(RAW_PLAIN).is_some() => Cow::Borrowed(data),
        Ok(Some(Packing::Unnamed | Packing::Zlib | Packing::Deflate)) => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Level::default());
            Cow::Owned(encoder.write_all(data).and_then(|()| encoder.finish()).map_err(failed)?)
        }
        Ok(Some(Packing::Gzip)) => {
            let mut encoder = GzEncoder::new(Vec::new(), Level::default());
            Cow::Owned(encoder.write_all(data).and_then(|()| encoder.finish()).map_err(failed)?)
        }
        Ok(Some(Packing::Zstd)) => Cow::Owned(zstd::bulk::compress(data, 3).map_err(failed)?),
        Err(_) => return Ok(false),
    };
    if stored.len() as u64 == parsed.length {
        return writer.write_stored(head, &stored).map(|()| true);
    }
    // `length` is the last line.
    let lines = head.strip_suffix(b"\n").unwrap_or(head);
    let kept = memchr::memrchr(b'\n', lines).map_or(0, |at| at + 1);
    let head = [&head[..kept], format!("length:{}\n", stored.len()).as_bytes()].concat();
    writer.write_stored(&head, &stored).map(|()| true)
}

fn raw_to_warc(writer: &mut WarcWriter, record: &Record<'_>) -> Result<()> {
    if let Some(head) = property(record.head, WARC_HEAD) {
        let head = with_length(&head, record.data.len());
        if writer.write_stored(&head, &record.data).is_ok() {
            return Ok(());
        }
    }
    let encoded = BASE64.encode(record.head);
    let refers = record.revisit.as_ref().map(|r| r.fields(record.payload_digest.as_deref()));
    let mut extra = vec![(RAW_HEAD, encoded.as_str())];
    if record.property("unzip-length").is_some() && record.stored == Some(&*record.data) {
        extra.push((RAW_PLAIN, "1"));
    }
    extra.extend(refers.iter().flatten().map(|(name, value)| (*name, value.as_str())));
    let url = match CanonicalUrl::parse_stored(&record.url) {
        Some(url) => url.into_string(),
        // No URL comes of it; the head that travels along has what it was.
        None => format!("urn:x-webmill:{}", encoded_text(&record.url)),
    };
    let kind = if record.revisit.is_some() { RecordType::Revisit } else { RecordType::Response };
    write_warc(writer, record, &NewWarcRecord { url: Some(&url), extra: &extra, ..of(kind, record) })
}

fn arc_to_warc(writer: &mut WarcWriter, record: &Record<'_>) -> Result<()> {
    let info = record.kind == RecordType::FileDesc;
    let name = encoded_controls(record.url.strip_prefix("filedesc://").unwrap_or_default());
    let url = encoded_controls(&record.url).replace(' ', "%20");
    let is_http = record.data.starts_with(b"HTTP/") || record.data.starts_with(b"ICY ");
    let declared = record.content_type.as_deref().filter(|_| !is_http);
    let file_name = [("WARC-Filename", name.as_str())];
    let kind = match info {
        true => RecordType::Warcinfo,
        false if is_http || record.url.starts_with("dns:") => RecordType::Response,
        false => RecordType::Resource,
    };
    let made = of(kind, record);
    let made = NewWarcRecord {
        url: (!info).then_some(&url),
        ip: made.ip.filter(|ip| !info && *ip != "0.0.0.0"),
        content_type: declared,
        extra: if name.is_empty() { &[] } else { &file_name },
        ..made
    };
    write_warc(writer, record, &made)
}

/// The WARC record of a kind with what the record of another format says of itself.
fn of<'a>(kind: RecordType, record: &'a Record<'_>) -> NewWarcRecord<'a> {
    NewWarcRecord {
        kind,
        url: None,
        ip: record.ip.as_deref().filter(|ip| ip.parse::<IpAddr>().is_ok()),
        truncated: record.truncated,
        data: &record.data,
        ..NewWarcRecord::default()
    }
}

/// Writes `made`, after a warcinfo where the file has nothing yet, with the record's date, or the file's own where it has
/// none: then it is marked as unknown.
fn write_warc(writer: &mut WarcWriter, record: &Record<'_>, made: &NewWarcRecord<'_>) -> Result<()> {
    let date_ms = record.date_ms.or(writer.date_of_file).unwrap_or(0);
    if made.kind != RecordType::Warcinfo {
        writer.begin_with_info(date_ms)?;
    }
    let mut extra = made.extra.to_vec();
    if record.date_ms.is_none() {
        extra.push((DATE_UNKNOWN, "1"));
    }
    writer.write(&NewWarcRecord { date_ms, extra: &extra, ..*made })
}

/// A URL in which control characters, line ends among them, are percent-encoded.
fn encoded_controls(url: &str) -> String {
    percent_encoded(url, |b| b.is_ascii_control())
}

/// Any text as part of a URN.
fn encoded_text(text: &str) -> String {
    percent_encoded(text, |b| !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'/' | b':')))
}

fn percent_encoded(text: &str, which: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for c in text.chars() {
        let mut bytes = [0; 4];
        if c.encode_utf8(&mut bytes).bytes().any(&which) {
            c.encode_utf8(&mut bytes).bytes().for_each(|b| encoded += &format!("%{b:02X}"));
        } else {
            encoded.push(c);
        }
    }
    encoded
}

/// A WARC head that states `length`: as it is where it does, else with that line put right.
fn with_length(head: &[u8], length: usize) -> Cow<'_, [u8]> {
    let is_length = |line: &[u8]| line.get(..15).is_some_and(|n| n.eq_ignore_ascii_case(b"content-length:"));
    let said = head.split(|b| *b == b'\n').find(|line| is_length(line));
    if said.and_then(|line| warc_head::digits(line[15..].trim_ascii())) == Some(length as u64) {
        return Cow::Borrowed(head);
    }
    // Joined of segments, it is none any more, and the digest was that of the first.
    let is = |line: &[u8], name: &str| {
        line.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
    };
    let segmented = head.split(|b| *b == b'\n').any(|line| is(line, "warc-segment-number:"));
    let stale =
        |line: &[u8]| segmented && (is(line, "warc-segment-number:") || is(line, "warc-block-digest:"));
    let mut lines: Vec<&[u8]> =
        head.split_inclusive(|b| *b == b'\n').filter(|line| !is_length(line) && !stale(line)).collect();
    let right = format!("Content-Length: {length}\r\n");
    lines.push(right.as_bytes());
    Cow::Owned(lines.concat())
}
