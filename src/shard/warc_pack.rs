//! The bytes of WARC records: heads with digests and identifiers, one gzip member or zstd frame a record, or plain.
//!
//! Packing needs no file, so it can be done on any thread; what comes out is appended as it is. Equal records give
//! equal bytes. Cost: SHA-1 and compression of the block; memory of one compressed record.

use std::io::Write;
use webmill_capture::cut::Cut;

use flate2::Compress;
use xxhash_rust::xxh3::Xxh3;
use zstd::zstd_safe::CParameter;

use webmill_capture::digest::sha1_base32;
use webmill_capture::error::{Error, Result};
use webmill_capture::{Response, Truncation, date};

use super::RecordType;
use super::gzip::gzip;
use super::raw_pack::Compression;

/// Usual compression level of zstd frames.
const ZSTD_LEVEL: i32 = 9;

/// How to write WARC files.
#[derive(Debug, Clone)]
pub struct WarcOptions {
    /// Size beyond which the next record begins another file; a single larger record still goes into one file.
    pub max_shard_bytes: u64,
    /// Gzip members, zstd frames or nothing around each record.
    pub compression: Compression,
    /// WARC 1.0 instead of 1.1: dates in whole seconds.
    pub version_1_0: bool,
    /// Zstd: a dictionary for all records, stored at the start of each file.
    pub dictionary: Option<Vec<u8>>,
}

impl Default for WarcOptions {
    fn default() -> Self {
        WarcOptions {
            max_shard_bytes: 1 << 30,
            compression: Compression::Gzip,
            version_1_0: false,
            dictionary: None,
        }
    }
}

/// A record to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewWarcRecord<'a> {
    /// What the block holds.
    pub kind: RecordType,
    /// The URL it is about; a `warcinfo` has none.
    pub url: Option<&'a str>,
    /// When it was fetched: UTC, ms since 1970.
    pub date_ms: i64,
    /// The server's address, if known.
    pub ip: Option<&'a str>,
    /// Content type of the block; `None`: that of HTTP for responses, requests and revisits.
    pub content_type: Option<&'a str>,
    /// `urn:uuid:…` or another URI without brackets; `None`: made of the content.
    pub id: Option<&'a str>,
    /// Why the block is not all there was.
    pub truncated: Option<Truncation>,
    /// Further fields in order.
    pub extra: &'a [(&'a str, &'a str)],
    /// The block.
    pub data: &'a [u8],
}

/// Makes the bytes of WARC records.
pub struct WarcPacker {
    container: Container,
    version_1_0: bool,
    head: Vec<u8>,
}

enum Container {
    Plain,
    Gzip(Box<Compress>),
    Zstd(zstd::bulk::Compressor<'static>),
}

impl WarcPacker {
    /// A packer for files written under `options`; a dictionary has to be at the start of the file. `level`: that
    /// of the compression, `None` for 9 (zstd) or 6 (gzip).
    ///
    /// # Errors
    /// [`Error::Config`] for a dictionary that cannot be used.
    pub fn new(options: &WarcOptions, level: Option<i32>) -> Result<WarcPacker> {
        if options.dictionary.is_some() && options.compression != Compression::Zstd {
            return Err(Error::Config("a dictionary goes with zstd only".into()));
        }
        let container = match options.compression {
            Compression::None => Container::Plain,
            Compression::Gzip => {
                let level = flate2::Compression::new(level.map_or(6, |level| level.clamp(0, 9) as u32));
                Container::Gzip(Box::new(Compress::new(level, false)))
            }
            Compression::Zstd => {
                let dictionary = options.dictionary.as_deref().unwrap_or_default();
                let level = level.unwrap_or(ZSTD_LEVEL);
                let made = zstd::bulk::Compressor::with_dictionary(level, dictionary).and_then(|mut c| {
                    c.set_parameter(CParameter::ChecksumFlag(true))?;
                    Ok(c)
                });
                Container::Zstd(
                    made.map_err(|e| Error::Config(format!("the zstd dictionary is not usable: {e}")))?,
                )
            }
        };
        Ok(WarcPacker { container, version_1_0: options.version_1_0, head: Vec::new() })
    }

    /// Appends the whole record to `into`; nothing where its head cannot be made.
    ///
    /// # Errors
    /// [`Error::Config`] when a value cannot be said in a WARC head.
    pub fn pack(&mut self, record: &NewWarcRecord<'_>, into: &mut Vec<u8>) -> Result<()> {
        let mut head = std::mem::take(&mut self.head);
        head.clear();
        let packed = make_head(&mut head, record, self.version_1_0)
            .and_then(|()| self.compress(&[&head, b"\r\n", record.data, b"\r\n\r\n"], into));
        self.head = head;
        packed
    }

    /// Appends one member, frame or plain record with the bytes of `parts`.
    pub(super) fn compress(&mut self, parts: &[&[u8]], into: &mut Vec<u8>) -> Result<()> {
        match &mut self.container {
            Container::Plain => parts.iter().for_each(|part| into.extend_from_slice(part)),
            Container::Gzip(deflate) => gzip(deflate, parts, into)?,
            Container::Zstd(compressor) => {
                let record = parts.concat();
                let begin = into.len();
                into.resize(begin + zstd::zstd_safe::compress_bound(record.len()), 0);
                let n = compressor
                    .compress_to_buffer(&record, &mut into[begin..])
                    .map_err(|e| Error::Internal(format!("compression failed: {e}")))?;
                into.truncate(begin + n);
            }
        }
        Ok(())
    }
}

/// A response without anything, to name only some fields.
impl Default for NewWarcRecord<'_> {
    fn default() -> Self {
        NewWarcRecord {
            kind: RecordType::Response,
            url: None,
            date_ms: 0,
            ip: None,
            content_type: None,
            id: None,
            truncated: None,
            extra: &[],
            data: &[],
        }
    }
}

impl NewWarcRecord<'_> {
    /// The identifier of a record that is given none: a UUID (version 8, RFC 9562) made of type, URL, date and block.
    pub fn content_id(&self) -> String {
        let record = self;
        let mut hash = Xxh3::new();
        for part in [record.kind.name().as_bytes(), record.url.unwrap_or_default().as_bytes()] {
            hash.update(part);
            hash.update(&[0]);
        }
        hash.update(&record.date_ms.to_le_bytes());
        hash.update(record.data);
        let id = hash.digest128() & !(0xf << 76) & !(0x3 << 62) | 0x8 << 76 | 0x2 << 62;
        let hex = format!("{id:032x}");
        format!(
            "urn:uuid:{}-{}-{}-{}-{}",
            hex.cut(..8),
            hex.cut(8..12),
            hex.cut(12..16),
            hex.cut(16..20),
            hex.cut(20..)
        )
    }
}

fn make_head(head: &mut Vec<u8>, record: &NewWarcRecord<'_>, version_1_0: bool) -> Result<()> {
    let date_ms = if version_1_0 { record.date_ms.div_euclid(1000) * 1000 } else { record.date_ms };
    let id = match record.id {
        Some(id) => id.trim_start_matches('<').trim_end_matches('>').to_string(),
        None => record.content_id(),
    };
    head.extend_from_slice(if version_1_0 { b"WARC/1.0\r\n" } else { b"WARC/1.1\r\n" });
    let mut line = |name: &str, value: &str| {
        let token =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        if !token || value.bytes().any(|b| matches!(b, b'\r' | b'\n' | 0)) {
            return Err(Error::Config(format!("`{name}` of {:?} cannot hold {value:?}", record.url)));
        }
        write!(head, "{name}: {value}\r\n").map_err(|e| Error::Internal(e.to_string()))
    };
    line("WARC-Type", record.kind.name())?;
    line("WARC-Record-ID", &format!("<{id}>"))?;
    line("WARC-Date", &date::format_rfc3339(date_ms))?;
    if let Some(url) = record.url {
        line("WARC-Target-URI", url)?;
    }
    if let Some(ip) = record.ip {
        line("WARC-IP-Address", ip)?;
    }
    let content_type = match (record.content_type, record.kind) {
        (Some(given), _) => Some(given),
        (None, RecordType::Response | RecordType::Revisit) => Some("application/http; msgtype=response"),
        (None, RecordType::Request) => Some("application/http; msgtype=request"),
        (None, RecordType::Warcinfo) => Some("application/warc-fields"),
        (None, _) => None,
    };
    if let Some(content_type) = content_type {
        line("Content-Type", content_type)?;
    }
    if let Some(truncated) = record.truncated {
        let reason = match truncated {
            Truncation::RecordLimit | Truncation::BodyLimit => Truncation::Length,
            reason => reason,
        };
        line("WARC-Truncated", reason.name())?;
    }
    let is = |name: &str| record.extra.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    if !is("WARC-Block-Digest") {
        line("WARC-Block-Digest", &format!("sha1:{}", sha1_base32(record.data)))?;
    }
    let http = content_type.is_some_and(|t| t.starts_with("application/http"));
    if record.kind == RecordType::Response && http && record.truncated.is_none() && !is("WARC-Payload-Digest")
    {
        // The standard's payload is the entity body: what is left when the transfer coding is off.
        let payload = Response::parse(record.data).payload(usize::MAX);
        line("WARC-Payload-Digest", &format!("sha1:{}", sha1_base32(&payload.bytes)))?;
    }
    for (name, value) in record.extra {
        line(name, value)?;
    }
    line("Content-Length", &record.data.len().to_string())
}
