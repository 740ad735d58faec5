//! The bytes of RAW DB records: strict heads, data compressed record by record.
//!
//! Packing needs no file, so it can be done on any thread; what comes out is appended as it is. Equal records give
//! equal bytes. Cost: one pass over the data; memory of one compressed record.

use flate2::Compress;
use serde::{Deserialize, Serialize};

use webmill_capture::date::format_rfc822;
use webmill_capture::error::{Error, Result};

use super::gzip::gzip;
use super::raw_head::{MAX_HEAD_BYTES, MAX_HEAD_LINES, is_name, is_value};

const DEFINED: &[&str] =
    &["version", "url", "origin", "date", "ip", "unzip-length", "x-compression", "length"];

/// Compression of each record by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Stored as it is.
    #[default]
    None,
    /// One gzip member.
    Gzip,
    /// One Zstandard frame.
    Zstd,
}

/// A record to be written.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewRecord<'a> {
    /// The URL finally fetched.
    pub url: &'a str,
    /// The URL first asked for, only after a redirect.
    pub origin: Option<&'a str>,
    /// When it was fetched: UTC, ms since 1970. The format keeps whole seconds.
    pub date_ms: i64,
    /// The server's address, if known.
    pub ip: Option<&'a str>,
    /// Properties of the user's own, in order: names of `a-z 0-9 _ -` that the format does not define.
    pub extra: &'a [(&'a str, &'a str)],
    /// The complete HTTP response as the server sent it.
    pub data: &'a [u8],
}

/// Makes the bytes of RAW DB records.
///
/// # Examples
/// ```
/// use webmill_shard::{Compression, NewRecord, RawPacker};
///
/// let record = NewRecord { url: "http://a.example/", data: b"hi", ..NewRecord::default() };
/// let mut bytes = Vec::new();
/// RawPacker::new(Compression::None, None).pack(&record, &mut bytes)?;
/// assert!(bytes.starts_with(b"version:1.0\nurl:http://a.example/\n") && bytes.ends_with(b"length:2\n\nhi\n"));
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
#[derive(Default)]
pub struct RawPacker {
    compression: Compression,
    level: Option<i32>,
    gzip: Option<Box<Compress>>,
    zstd: Option<zstd::bulk::Compressor<'static>>,
    head: Vec<u8>,
    packed: Vec<u8>,
}

impl RawPacker {
    /// A packer that compresses data by `compression` where that makes it smaller. `level`: that of the algorithm,
    /// `None` for 3 (zstd) or 6 (gzip).
    pub fn new(compression: Compression, level: Option<i32>) -> RawPacker {
        RawPacker { compression, level, ..RawPacker::default() }
    }

    /// Appends the whole record to `into`; nothing where it fails.
    ///
    /// # Errors
    /// [`Error::Config`] when a value cannot be said in a RAW DB head.
    pub fn pack(&mut self, record: &NewRecord<'_>, into: &mut Vec<u8>) -> Result<()> {
        let (head, stored) = self.parts(record)?;
        into.reserve(head.len() + stored.len() + 2);
        for part in [head, b"\n", stored, b"\n"] {
            into.extend_from_slice(part);
        }
        Ok(())
    }

    /// The record's head without the blank line, and its data as stored.
    pub(super) fn parts<'a>(&'a mut self, record: &NewRecord<'a>) -> Result<(&'a [u8], &'a [u8])> {
        let packed = self.compress(record.data)?;
        let stored = if packed.is_some() { &self.packed[..] } else { record.data };
        self.head.clear();
        make_head(&mut self.head, record, packed, stored.len())?;
        Ok((&self.head, stored))
    }

    /// What [`RawPacker::compress`] made.
    pub(super) fn packed(&self) -> &[u8] {
        &self.packed
    }

    /// Compresses `data` and names the algorithm; `None` where it stays as it is, also because nothing would be gained.
    pub(super) fn compress(&mut self, data: &[u8]) -> Result<Option<&'static str>> {
        self.packed.clear();
        let failed = |e: std::io::Error| Error::Internal(format!("compression failed: {e}"));
        let name = match self.compression {
            Compression::None => return Ok(None),
            Compression::Gzip => {
                let level = flate2::Compression::new(self.level.map_or(6, |level| level.clamp(0, 9) as u32));
                let deflate = self.gzip.get_or_insert_with(|| Box::new(Compress::new(level, false)));
                gzip(deflate, &[data], &mut self.packed)?;
                "gzip"
            }
            Compression::Zstd => {
                let compressor = match &mut self.zstd {
                    Some(compressor) => compressor,
                    none => {
                        none.insert(zstd::bulk::Compressor::new(self.level.unwrap_or(3)).map_err(failed)?)
                    }
                };
                self.packed.resize(zstd::zstd_safe::compress_bound(data.len()), 0);
                let n = compressor.compress_to_buffer(data, &mut self.packed[..]).map_err(failed)?;
                self.packed.truncate(n);
                "zstd"
            }
        };
        Ok((self.packed.len() < data.len()).then_some(name))
    }
}

fn make_head(
    head: &mut Vec<u8>,
    record: &NewRecord<'_>,
    packed: Option<&str>,
    stored_len: usize,
) -> Result<()> {
    let mut line = |name: &str, value: &str| {
        if !is_value(value.as_bytes()) {
            return Err(Error::Config(format!("`{name}` of {:?} cannot hold {value:?}", record.url)));
        }
        head.extend_from_slice(name.as_bytes());
        head.push(b':');
        head.extend_from_slice(value.as_bytes());
        head.push(b'\n');
        Ok(())
    };
    if record.url.is_empty() {
        return Err(Error::Config("a RAW DB record needs a `url`".into()));
    }
    line("version", "1.0")?;
    line("url", record.url)?;
    if let Some(origin) = record.origin {
        line("origin", origin)?;
    }
    line("date", &format_rfc822(record.date_ms))?;
    if let Some(ip) = record.ip {
        line("ip", ip)?;
    }
    for (name, value) in record.extra {
        if name.is_empty() || !name.bytes().all(is_name) || DEFINED.contains(name) {
            return Err(Error::Config(format!("`{name}` cannot be a property of one's own")));
        }
        line(name, value)?;
    }
    if let Some(packed) = packed {
        line("x-compression", packed)?;
        line("unzip-length", &record.data.len().to_string())?;
    }
    line("length", &stored_len.to_string())?;
    if head.len() >= MAX_HEAD_BYTES || record.extra.len() + DEFINED.len() > MAX_HEAD_LINES {
        return Err(Error::Config(format!("the head of {:.200}… is longer than readers take", record.url)));
    }
    Ok(())
}
