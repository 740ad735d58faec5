//! Answers made into the bytes of records, on whatever thread.
//!
//! Bodies that are compressed already (by the server, or by their media type) are left alone in RAW DB; WARC wants a
//! member around them all the same, made at the least effort. A record's identifier is made of its content.

use std::cell::RefCell;
use std::net::IpAddr;

use data_encoding::BASE64;

use webmill_capture::error::{Error, Result};
use webmill_capture::{Response, Truncation};
use webmill_shard::{Compression, NewRecord, NewWarcRecord, RawPacker, RecordType, WarcOptions, WarcPacker};

use super::{ArchiveFormat, ArchiveOptions};

/// Usual level of zstd: four fifths of the time of level 3 for 2 to 4 % more bytes.
const ZSTD_LEVEL: i32 = 1;
/// Usual level of gzip: three quarters of the time of level 6 for 1 to 4 % more bytes.
const GZIP_LEVEL: i32 = 3;

/// An answer to be stored.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a> {
    /// The URL asked for.
    pub url: &'a str,
    /// The URL first asked for, only where redirects led here.
    pub origin: Option<&'a str>,
    /// When it was asked for: UTC, ms since 1970.
    pub date_ms: i64,
    /// The server's address; `None` through a proxy.
    pub ip: Option<IpAddr>,
    /// The request as sent; empty where it is not known.
    pub request: &'a [u8],
    /// The answer as received: status line to the last byte of the body.
    pub raw: &'a [u8],
    /// Why it is not all that the server had to send.
    pub truncated: Option<Truncation>,
    /// Whether it came over HTTP/2 and was written in the form of HTTP/1.1.
    pub http2: bool,
    /// Whether it is a page of the corpus; other answers are stored in WARC only.
    pub page: bool,
    /// Further properties: names of `a-z 0-9 _ -`. In WARC they become fields `X-Webmill-NAME`.
    pub meta: &'a [(&'a str, &'a str)],
}

/// The bytes of an answer's records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    pub(super) bytes: Vec<u8>,
    /// Where in them the answer's own record begins.
    pub(super) answer: usize,
    pub(super) date_ms: i64,
}

/// Makes the records of an answer; `None` where the format does not keep it. Compressors are kept by the thread.
///
/// # Errors
/// [`Error::Config`] when a URL or property cannot be said in a record's head.
pub fn pack(stored: &Stored<'_>, options: &ArchiveOptions) -> Result<Option<Packed>> {
    if options.format == ArchiveFormat::RawDb && !stored.page {
        return Ok(None);
    }
    let key = (options.format, options.effective(), options.level);
    PACKERS.with_borrow_mut(|slot| {
        let mut packers = match slot.take() {
            Some(packers) if packers.key == key => packers,
            _ => Packers::new(key)?,
        };
        let packed = match &mut packers.form {
            Form::Raw { usual, plain } => raw(stored, if is_packed(stored.raw) { plain } else { usual }),
            Form::Warc { usual, quick } => {
                warc(stored, if is_packed(stored.raw) { quick } else { usual }, &mut packers.plain)
            }
        };
        *slot = Some(packers);
        packed.map(Some)
    })
}

/// The record that a WARC file begins with.
pub(super) fn warcinfo(
    name: &str,
    info: &[(String, String)],
    date_ms: i64,
    options: &ArchiveOptions,
) -> Result<Vec<u8>> {
    let mut block = format!(
        "software: webmill/{}\r\nformat: WARC File Format 1.1\r\n\
         conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n",
        env!("CARGO_PKG_VERSION")
    );
    for (name, value) in info {
        // A line break inside a value goes on with a blank.
        let value = value.replace("\r\n", "\n").replace(['\n', '\r'], "\r\n ");
        block += &format!("{name}: {value}\r\n");
    }
    let warc = WarcOptions { compression: options.effective(), ..WarcOptions::default() };
    let mut bytes = Vec::new();
    WarcPacker::new(&warc, Some(level(options.effective(), options.level)))?.pack(
        &NewWarcRecord {
            kind: RecordType::Warcinfo,
            url: None,
            date_ms,
            ip: None,
            content_type: None,
            id: None,
            truncated: None,
            extra: &[("WARC-Filename", name)],
            data: block.as_bytes(),
        },
        &mut bytes,
    )?;
    Ok(bytes)
}

type Key = (ArchiveFormat, Compression, Option<i32>);

struct Packers {
    key: Key,
    form: Form,
    plain: RawPacker,
}

enum Form {
    Raw { usual: RawPacker, plain: RawPacker },
    Warc { usual: WarcPacker, quick: WarcPacker },
}

thread_local! {
    static PACKERS: RefCell<Option<Packers>> = const { RefCell::new(None) };
}

fn level(compression: Compression, level: Option<i32>) -> i32 {
    level.unwrap_or(if compression == Compression::Zstd { ZSTD_LEVEL } else { GZIP_LEVEL })
}

impl Packers {
    fn new(key: Key) -> Result<Packers> {
        let (format, compression, asked) = key;
        let level = level(compression, asked);
        let form = match format {
            ArchiveFormat::RawDb => {
                Form::Raw { usual: RawPacker::new(compression, Some(level)), plain: RawPacker::default() }
            }
            ArchiveFormat::Warc => {
                let warc = WarcOptions { compression, ..WarcOptions::default() };
                let usual = WarcPacker::new(&warc, Some(level))?;
                Form::Warc { usual, quick: WarcPacker::new(&warc, Some(level.min(1)))? }
            }
        };
        Ok(Packers { key, form, plain: RawPacker::default() })
    }
}

/// Whether the body gains nothing by compression: its content coding or its media type says so.
fn is_packed(raw: &[u8]) -> bool {
    let response = Response::parse(raw);
    let coded = response.header("content-encoding").is_some_and(|value| {
        let value = value.trim_ascii();
        !value.is_empty() && !value.eq_ignore_ascii_case(b"identity")
    });
    coded || response.media_type().is_some_and(|media_type| is_packed_type(&media_type))
}

fn is_packed_type(media_type: &str) -> bool {
    let (class, name) = media_type.split_once('/').unwrap_or((media_type, ""));
    match class {
        "image" => !matches!(name, "svg+xml" | "bmp" | "x-ms-bmp" | "x-icon" | "vnd.microsoft.icon"),
        "audio" => !matches!(name, "wav" | "x-wav" | "midi"),
        "video" => true,
        "font" => name.starts_with("woff"),
        "application" => {
            let names = ["zip", "gzip", "x-gzip", "x-bzip2", "x-xz", "zstd", "x-7z-compressed", "vnd.rar"];
            let more =
                ["x-rar-compressed", "java-archive", "epub+zip", "font-woff", "x-tar+gzip", "x-compress"];
            names.contains(&name)
                || more.contains(&name)
                || name.starts_with("vnd.openxmlformats-officedocument.")
                || name.starts_with("vnd.oasis.opendocument.")
        }
        _ => false,
    }
}

fn raw_record<'a, R>(stored: &Stored<'_>, data: &[u8], then: impl FnOnce(&NewRecord<'_>) -> R) -> R
where
    R: 'a,
{
    let ip = stored.ip.map(|ip| ip.to_string());
    let mut extra = Vec::with_capacity(stored.meta.len() + 2);
    if stored.http2 {
        extra.push(("protocol", "h2"));
    }
    if let Some(truncated) = stored.truncated {
        extra.push(("truncated", truncated.name()));
    }
    extra.extend_from_slice(stored.meta);
    then(&NewRecord {
        url: stored.url,
        origin: stored.origin,
        date_ms: stored.date_ms,
        ip: Some(ip.as_deref().unwrap_or("unknown")),
        extra: &extra,
        data,
    })
}

fn raw(stored: &Stored<'_>, packer: &mut RawPacker) -> Result<Packed> {
    let mut bytes = Vec::with_capacity(stored.raw.len() / 2 + 512);
    raw_record(stored, stored.raw, |record| packer.pack(record, &mut bytes))?;
    Ok(Packed { bytes, answer: 0, date_ms: stored.date_ms })
}

/// The request, then the answer: where the answer is whole, so is its request.
fn warc(stored: &Stored<'_>, packer: &mut WarcPacker, plain: &mut RawPacker) -> Result<Packed> {
    let ip = stored.ip.map(|ip| ip.to_string());
    let raw_head = match stored.origin {
        Some(_) => Some(head_for_origin(stored, plain)?),
        None => None,
    };
    let names: Vec<String> = stored.meta.iter().map(|(name, _)| format!("X-Webmill-{name}")).collect();
    let mut extra = Vec::with_capacity(names.len() + 3);
    if stored.http2 {
        extra.push(("WARC-Protocol", "h2"));
    }
    if let Some(head) = &raw_head {
        extra.push(("X-RawDB-Head", head.as_str()));
    }
    extra.extend(names.iter().map(String::as_str).zip(stored.meta.iter().map(|(_, value)| *value)));
    let mut answer = NewWarcRecord {
        kind: RecordType::Response,
        url: Some(stored.url),
        date_ms: stored.date_ms,
        ip: ip.as_deref(),
        content_type: None,
        id: None,
        truncated: stored.truncated,
        extra: &extra,
        data: stored.raw,
    };
    let answer_id = answer.content_id();
    answer.id = Some(&answer_id);
    let mut bytes = Vec::with_capacity(stored.raw.len() / 2 + 1024);
    if stored.request.is_empty() {
        packer.pack(&answer, &mut bytes)?;
        return Ok(Packed { bytes, answer: 0, date_ms: stored.date_ms });
    }
    let link = |id: &str| format!("<{id}>");
    let answer_link = [("WARC-Concurrent-To", link(&answer_id))];
    let protocol = stored.http2.then_some(("WARC-Protocol", "h2"));
    let request_extra: Vec<(&str, &str)> =
        protocol.into_iter().chain(answer_link.iter().map(|(name, value)| (*name, value.as_str()))).collect();
    let mut request = NewWarcRecord {
        kind: RecordType::Request,
        truncated: None,
        id: None,
        extra: &request_extra,
        data: stored.request,
        ..answer
    };
    let request_id = request.content_id();
    request.id = Some(&request_id);
    packer.pack(&request, &mut bytes)?;
    let begin = bytes.len();
    let request_link = link(&request_id);
    let mut extra = extra.clone();
    extra.insert(0, ("WARC-Concurrent-To", request_link.as_str()));
    answer.extra = &extra;
    packer.pack(&answer, &mut bytes)?;
    Ok(Packed { bytes, answer: begin, date_ms: stored.date_ms })
}

/// WARC has no field for the URL first asked for; the RAW DB head that has travels along, as in a conversion.
fn head_for_origin(stored: &Stored<'_>, plain: &mut RawPacker) -> Result<String> {
    let mut head = Vec::new();
    raw_record(stored, &[], |record| plain.pack(record, &mut head))?;
    let stated = b"length:0\n\n\n";
    let Some(lines) = head.strip_suffix(stated) else {
        return Err(Error::Internal("a RAW DB head does not end with its length".into()));
    };
    let length = format!("length:{}\n", stored.raw.len());
    Ok(BASE64.encode(&[lines, length.as_bytes()].concat()))
}
