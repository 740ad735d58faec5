//! Makes the bytes of records from an answer, on any thread.
//!
//! The thread that fetched an answer calls it, so that the writer thread only appends.
//!
//! Bodies that are compressed already (by the server, or by their media type) are left alone in RAW DB; WARC wants a
//! member around them all the same, made at the least effort. A record's identifier is made of its content.
//!
//! What belongs to an answer stands before it: request, metadata, the rendered page. So where the answer is whole all is,
//! and a shard may be cut behind any answer.
//!
//! | | RAW DB | WARC |
//! |---|---|---|
//! | a revisit | head of the answer, no body, `x-revisit`, `x-refers-to` | record `revisit` with the head of the answer, but of a 304 |
//! | how it was found | properties `x-via`, `x-hops` | record `metadata`: `via`, `hopsFromSeed` or `seed` |
//! | rendered | a record with the head of a WARC conversion in `x-warc-head` | record `conversion` |
//!
//! A revisit in WARC may have a block or none (ISO 28500, 6.7.1). That of a 304 has none, since pywb replays the head of a
//! revisit with the body of what it refers to, and a browser shows nothing of a 304; without a head it takes that of the page.
//! What the server said stands in the field `X-Webmill-Head`, in base 64.

use std::borrow::Cow;
use std::cell::RefCell;

use data_encoding::BASE64;

use webmill_capture::Response;
use webmill_capture::date::format_rfc3339;
use webmill_capture::error::{Error, Result};
use webmill_shard::{
    Compression, NewRecord, NewWarcRecord, RawPacker, RecordType, Revisit as Repeated, RevisitProfile,
    WarcOptions, WarcPacker,
};

use super::stored::{Packed, Rendered, Revisit, Stored, Via};
use super::{ArchiveFormat, ArchiveOptions};

/// Level of zstd: four fifths of the time of level 3 for 2 to 4 % more bytes.
const ZSTD_LEVEL: i32 = 1;
/// Level of gzip: three quarters of the time of level 6 for 1 to 4 % more bytes.
const GZIP_LEVEL: i32 = 3;

/// The head of an answer that is not the block of its record.
pub(super) const HEAD_FIELD: &str = "X-Webmill-Head";

/// Longest answer after which a thread keeps its compressors and their buffers.
const KEPT_BYTES: usize = 1 << 20;

/// Makes the records of an answer; `None` where the format does not keep it. Compressors are kept by the thread.
///
/// # Errors
/// [`Error::Config`] when a URL or property cannot be said in a record's head.
pub fn pack(stored: &Stored<'_>, options: &ArchiveOptions) -> Result<Option<Packed>> {
    if options.format == ArchiveFormat::RawDb && !stored.page && stored.revisit.is_none() {
        return Ok(None);
    }
    let mut stored = *stored;
    if stored.revisit.is_some() {
        // The body is that of the capture it refers to, whose fault it is where that one is cut.
        stored.raw = head_of(stored.raw);
        stored.truncated = None;
    }
    if !options.via {
        stored.via = None;
    }
    let stored = &stored;
    let key = (options.format, options.effective());
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
        // They keep buffers as long as the longest answer, on every thread.
        if stored.raw.len() <= KEPT_BYTES {
            *slot = Some(packers);
        }
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
    for (name, value) in options.info.iter().chain(info.iter().map(|(name, value)| (name, value))) {
        // A line break inside a value goes on with a blank.
        let value = value.replace("\r\n", "\n").replace(['\n', '\r'], "\r\n ");
        block += &format!("{name}: {value}\r\n");
    }
    let warc = WarcOptions { compression: options.effective(), ..WarcOptions::default() };
    let mut bytes = Vec::new();
    WarcPacker::new(&warc, Some(level(options.effective())))?.pack(
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

type Key = (ArchiveFormat, Compression);

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

fn level(compression: Compression) -> i32 {
    if compression == Compression::Zstd { ZSTD_LEVEL } else { GZIP_LEVEL }
}

impl Packers {
    fn new(key: Key) -> Result<Packers> {
        let (format, compression) = key;
        let level = level(compression);
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

/// The head of an answer, with the empty line.
fn head_of(raw: &[u8]) -> &[u8] {
    &raw[..raw.len() - Response::parse(raw).body.len()]
}

/// A digest as both formats write it, with the name of its algorithm.
fn labelled(digest: &str) -> Option<Cow<'_, str>> {
    match digest {
        "" => None,
        named if named.contains(':') => Some(Cow::Borrowed(named)),
        bare => Some(Cow::Owned(format!("sha1:{bare}"))),
    }
}

fn repeated<'a>(revisit: &Revisit<'a>) -> Repeated<'a> {
    Repeated {
        profile: revisit.profile,
        refers_to_url: Some(Cow::Borrowed(revisit.refers_to_url)),
        refers_to_date_ms: Some(revisit.refers_to_date_ms),
        refers_to_id: None,
    }
}

fn raw_record<R>(stored: &Stored<'_>, data: &[u8], then: impl FnOnce(&NewRecord<'_>) -> R) -> R {
    let ip = stored.ip.map(|ip| ip.to_string());
    let refers =
        stored.revisit.map(|revisit| repeated(&revisit).properties(labelled(revisit.digest).as_deref()));
    let mut extra = Vec::with_capacity(stored.meta.len() + 6);
    if stored.http2 {
        extra.push(("protocol", "h2"));
    }
    if let Some(truncated) = stored.truncated {
        extra.push(("truncated", truncated.name()));
    }
    extra.extend(refers.iter().flatten().map(|(name, value)| (*name, value.as_str())));
    if let Some(via) = stored.via {
        extra.extend(via.url.map(|url| ("x-via", url)));
        extra.extend(Some(("x-hops", via.hops)).filter(|(_, hops)| !hops.is_empty()));
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
    if let Some(rendered) = &stored.rendered {
        let answer = answer_record(stored, None, &[]);
        raw_rendered(stored, rendered, &answer.content_id(), packer, &mut bytes)?;
    }
    let answer = bytes.len();
    raw_record(stored, stored.raw, |record| packer.pack(record, &mut bytes))?;
    Ok(Packed { bytes, answer, date_ms: stored.date_ms })
}

/// RAW DB has answers only: a conversion is stored as those of converted WARC files are, its WARC head in a property.
fn raw_rendered(
    stored: &Stored<'_>,
    rendered: &Rendered<'_>,
    answer_id: &str,
    packer: &mut RawPacker,
    into: &mut Vec<u8>,
) -> Result<()> {
    let mut plain = Vec::new();
    let warc = WarcOptions { compression: Compression::None, ..WarcOptions::default() };
    pack_rendered(stored, rendered, answer_id, &mut WarcPacker::new(&warc, None)?, &mut plain)?;
    let end = memchr::memmem::find(&plain, b"\r\n\r\n")
        .ok_or_else(|| Error::Internal("a WARC head does not end".into()))?;
    let head = BASE64.encode(&plain[..end + 2]);
    packer.pack(
        &NewRecord {
            url: stored.url,
            origin: None,
            date_ms: rendered.date_ms,
            ip: Some("unknown"),
            extra: &[("x-warc-head", head.as_str())],
            data: rendered.data,
        },
        into,
    )
}

fn link(id: &str) -> String {
    format!("<{id}>")
}

/// The record of the answer itself.
fn answer_record<'a>(
    stored: &'a Stored<'_>,
    ip: Option<&'a str>,
    extra: &'a [(&'a str, &'a str)],
) -> NewWarcRecord<'a> {
    NewWarcRecord {
        kind: if stored.revisit.is_some() { RecordType::Revisit } else { RecordType::Response },
        url: Some(stored.url),
        date_ms: stored.date_ms,
        ip,
        content_type: None,
        id: None,
        truncated: stored.truncated,
        extra,
        data: stored.raw,
    }
}

fn warc(stored: &Stored<'_>, packer: &mut WarcPacker, plain: &mut RawPacker) -> Result<Packed> {
    let ip = stored.ip.map(|ip| ip.to_string());
    let raw_head = match stored.origin {
        Some(_) => Some(head_for_origin(stored, plain)?),
        None => None,
    };
    let refers = stored.revisit.map(|revisit| repeated(&revisit).fields(labelled(revisit.digest).as_deref()));
    let names: Vec<String> = stored.meta.iter().map(|(name, _)| format!("X-Webmill-{name}")).collect();
    let mut extra = Vec::with_capacity(names.len() + 8);
    if stored.http2 {
        extra.push(("WARC-Protocol", "h2"));
    }
    extra.extend(refers.iter().flatten().map(|(name, value)| (*name, value.as_str())));
    if let Some(head) = &raw_head {
        extra.push(("X-RawDB-Head", head.as_str()));
    }
    let not_modified =
        stored.revisit.is_some_and(|revisit| revisit.profile == RevisitProfile::ServerNotModified);
    let unsaid = not_modified.then(|| BASE64.encode(stored.raw));
    extra.extend(unsaid.iter().map(|head| (HEAD_FIELD, head.as_str())));
    extra.extend(names.iter().map(String::as_str).zip(stored.meta.iter().map(|(_, value)| *value)));
    let answer_id = answer_record(stored, None, &[]).content_id();
    let mut bytes = Vec::with_capacity(stored.raw.len() / 2 + 1024);
    let request_link = match stored.request {
        [] => None,
        _ => Some(link(&pack_request(stored, ip.as_deref(), &answer_id, packer, &mut bytes)?)),
    };
    if let Some(via) = &stored.via {
        pack_via(stored, via, &answer_id, packer, &mut bytes)?;
    }
    if let Some(rendered) = &stored.rendered {
        pack_rendered(stored, rendered, &answer_id, packer, &mut bytes)?;
    }
    if let Some(link) = &request_link {
        extra.insert(0, ("WARC-Concurrent-To", link.as_str()));
    }
    let begin = bytes.len();
    let mut answer = NewWarcRecord { id: Some(&answer_id), ..answer_record(stored, ip.as_deref(), &extra) };
    if not_modified {
        answer.data = b"";
    }
    packer.pack(&answer, &mut bytes)?;
    Ok(Packed { bytes, answer: begin, date_ms: stored.date_ms })
}

/// The record of the request; gives its identifier.
fn pack_request(
    stored: &Stored<'_>,
    ip: Option<&str>,
    answer_id: &str,
    packer: &mut WarcPacker,
    into: &mut Vec<u8>,
) -> Result<String> {
    let answer_link = link(answer_id);
    let protocol = stored.http2.then_some(("WARC-Protocol", "h2"));
    let extra: Vec<(&str, &str)> =
        protocol.into_iter().chain([("WARC-Concurrent-To", answer_link.as_str())]).collect();
    let mut request = NewWarcRecord {
        kind: RecordType::Request,
        truncated: None,
        data: stored.request,
        ..answer_record(stored, ip, &extra)
    };
    let id = request.content_id();
    request.id = Some(&id);
    packer.pack(&request, into)?;
    Ok(id)
}

/// The record that says how the URL was found.
fn pack_via(
    stored: &Stored<'_>,
    via: &Via<'_>,
    answer_id: &str,
    packer: &mut WarcPacker,
    into: &mut Vec<u8>,
) -> Result<()> {
    let mut block = String::new();
    if let Some(url) = via.url.filter(|url| !url.bytes().any(|b| b < b' ')) {
        block = format!("via: {url}\r\n");
    }
    match via.hops {
        "" => block.push_str("seed: \r\n"),
        hops => block.push_str(&format!("hopsFromSeed: {hops}\r\n")),
    }
    packer.pack(
        &NewWarcRecord {
            kind: RecordType::Metadata,
            content_type: Some("application/warc-fields"),
            truncated: None,
            data: block.as_bytes(),
            ..answer_record(stored, None, &[("WARC-Concurrent-To", &link(answer_id))])
        },
        into,
    )
}

/// The record of the page as a browser had it.
fn pack_rendered(
    stored: &Stored<'_>,
    rendered: &Rendered<'_>,
    answer_id: &str,
    packer: &mut WarcPacker,
    into: &mut Vec<u8>,
) -> Result<()> {
    let date = format_rfc3339(stored.date_ms);
    let refers = link(answer_id);
    packer.pack(
        &NewWarcRecord {
            kind: RecordType::Conversion,
            url: Some(stored.url),
            date_ms: rendered.date_ms,
            ip: None,
            content_type: Some(rendered.content_type),
            id: None,
            truncated: None,
            extra: &[
                ("WARC-Refers-To", refers.as_str()),
                ("WARC-Refers-To-Target-URI", stored.url),
                ("WARC-Refers-To-Date", date.as_str()),
            ],
            data: rendered.data,
        },
        into,
    )
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
