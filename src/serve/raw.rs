//! A capture as it was stored: its record, a revisit's original, and which of its headers may act.
//!
//! The body is the stored one without its transfer coding. `Content-Type`, `Content-Encoding`, `Content-Language` and
//! `Content-Disposition` stay, since they say how to read it; `Location` leads to the archive. Every other header gets
//! `X-Archive-Orig-` before its name: nothing that a foreign server once said acts on this one's clients.
//!
//! A record is proven before it is shown: it has the URL and the second of the entry that named it. Else an index that does not fit
//! its shards (a shard that was packed anew, a line of another file) would show one page in the place of another.
//!
//! A revisit has the body of the capture that it refers to: by URL and time, else by digest among the captures of its own
//! URL; where the server said that nothing had changed, or nothing says which capture is meant, the answer before it. Its own
//! head stays, unless it is a 304 or there is none.

use std::ops::ControlFlow;

use axum::body::Body;
use axum::response::Response;
use http::StatusCode;
use http::header::{HeaderName, HeaderValue};

use crate::index::query::{KeyOf, seconds_of};
use crate::index::{CaptureSource, Entry, KeyRange, Timestamp};
use webmill_capture::CanonicalUrl;
use webmill_capture::date::format_14;
use webmill_shard::RecordType;

use crate::answer::Refusal;
use crate::archive::Collection;
use crate::find::same_address;
use crate::form::header_url;
use crate::handle::ranges::{self, Part};
use crate::record::StoredRecord;

/// Most headers of a stored answer that are handed on.
pub const MAX_HEADERS: usize = 200;
/// Longest value of one.
const MAX_HEADER_BYTES: usize = 16 << 10;
/// Captures that are looked at for a revisit's original.
const MAX_LOOKED_AT: usize = 100_000;
/// Originals that are tried for one revisit.
const MAX_TRIED: usize = 4;

/// Headers that say how to read the body.
const KEPT: [&str; 4] = ["content-type", "content-encoding", "content-language", "content-disposition"];

/// The record of a capture, whole: a revisit with the body of its original.
pub fn load(
    collection: &Collection,
    index: &dyn CaptureSource,
    entry: &Entry<'_>,
    key: KeyOf,
) -> Result<StoredRecord, Refusal> {
    let record = proven(collection, entry, key)?;
    if record.kind != RecordType::Revisit {
        return Ok(record);
    }
    let originals = originals(index, entry, &record, key)?;
    let mut why = "it is not in this archive".to_owned();
    for original in &originals {
        match proven(collection, original, key) {
            Ok(found) if matches!(found.kind, RecordType::Response | RecordType::Resource) => {
                return Ok(joined(record, found));
            }
            Ok(_) => {}
            Err(refusal) => why = refusal.message,
        }
    }
    let why = format!("this capture refers to another one for its content: {why}");
    Err(Refusal { reason: Some("no_original"), ..Refusal::not_found(why) })
}

/// The record at the place of an entry, if it is the one that the entry means.
fn proven(collection: &Collection, entry: &Entry<'_>, key: KeyOf) -> Result<StoredRecord, Refusal> {
    let record = collection.records.read(&entry.filename, entry.offset, entry.length)?;
    let same_url = *record.url == *entry.url || key(&record.url) == key(&entry.url);
    let date = record.date_ms.and_then(|ms| format_14(ms).parse().ok()).map(Timestamp);
    if same_url && date.is_none_or(|date| date == entry.timestamp) {
        return Ok(record);
    }
    let date = date.map_or_else(String::new, |date| format!(" of {date}"));
    Err(Refusal {
        reason: Some("other_record"),
        ..Refusal::not_found(format!(
            "{} at byte {} holds {}{date}, not {} of {}: the index does not fit the file",
            entry.filename,
            entry.offset,
            header_url(&record.url),
            header_url(&entry.url),
            entry.timestamp
        ))
    })
}

/// Candidates for the capture that a revisit refers to, best first.
fn originals(
    index: &dyn CaptureSource,
    entry: &Entry<'_>,
    record: &StoredRecord,
    key: KeyOf,
) -> Result<Vec<Entry<'static>>, Refusal> {
    let digest = if record.digest.is_empty() { entry.digest.to_string() } else { record.digest.clone() };
    // Text that cannot be a digest names nothing.
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"+/=:-_".contains(&b);
    let digest = if digest.bytes().all(plain) { digest } else { String::new() };
    let (url, date) = record.refers_to.clone().unwrap_or_default();
    let date = date.and_then(|ms| format_14(ms).parse().ok()).map(Timestamp);
    // Nothing names the content: it is that of the last answer before.
    let unnamed = record.not_modified || (digest.is_empty() && date.is_none());
    let same_key = entry.urlkey.to_string();
    let other_key = url.map(|url| key(&url)).filter(|key| *key != same_key);
    let mut found: Vec<(u64, Entry<'static>)> = Vec::new();
    for (far, urlkey) in other_key.into_iter().chain([same_key]).enumerate() {
        let mut looked_at = 0;
        index.scan(&KeyRange::exact(&urlkey), &mut |other| {
            looked_at += 1;
            let same = !digest.is_empty() && *other.digest == *digest;
            let then = date == Some(other.timestamp);
            let named = same || then && (digest.is_empty() || other.digest.is_empty());
            let before = unnamed
                && other.timestamp < entry.timestamp
                && other.status.is_none_or(|status| (200..300).contains(&status));
            if !other.is_revisit() && (named || before) {
                let distance =
                    seconds_of(other.timestamp).abs_diff(seconds_of(date.unwrap_or(entry.timestamp)));
                let steps =
                    u64::from(!named) * 4 + far as u64 * 2 + u64::from(!same_address(&other.url, &entry.url));
                let rank = (steps << 40) | distance.min((1 << 40) - 1);
                let at = found.partition_point(|(of, _)| *of <= rank);
                if at < MAX_TRIED {
                    found.insert(at, (rank, other.clone().into_owned()));
                    found.truncate(MAX_TRIED);
                }
            }
            if looked_at < MAX_LOOKED_AT { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
    }
    Ok(found.into_iter().map(|(_, entry)| entry).collect())
}

/// A revisit with the body of its original.
fn joined(revisit: StoredRecord, original: StoredRecord) -> StoredRecord {
    let own_head = revisit.status.is_some_and(|status| status != 304) && !revisit.headers.is_empty();
    let (status, headers) = match own_head {
        true => (revisit.status, revisit.headers),
        false => (original.status, original.headers),
    };
    StoredRecord { status, headers, url: revisit.url, date_ms: revisit.date_ms, ..original }
}

/// Where a stored answer redirects to, in full; `None` where it does not.
pub fn redirects_to(record: &StoredRecord) -> Option<String> {
    record.status.filter(|status| (300..=399).contains(status))?;
    let location = String::from_utf8_lossy(record.header("location")?).into_owned();
    Some(CanonicalUrl::parse(&record.url)?.join(&location)?.into_string())
}

/// The answer with the stored body. `prefix` is what addresses of captures begin with (`http://h/coll/2020…id_/`).
pub fn answer(record: StoredRecord, prefix: &str, range: Option<&str>, part: Option<Part>) -> Response {
    let location = redirects_to(&record);
    let mut response = Response::new(Body::empty());
    // Interim answers cannot end one.
    let status = record.status.filter(|status| (200..=999).contains(status)).unwrap_or(200);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    for (name, value) in record.headers.iter().take(MAX_HEADERS) {
        let value: Vec<u8> =
            value.iter().map(|b| if matches!(b, 0..=31 | 127) { b' ' } else { *b }).collect();
        if value.len() > MAX_HEADER_BYTES {
            continue;
        }
        let lower = String::from_utf8_lossy(name).to_ascii_lowercase();
        let name = match lower.as_str() {
            kept if KEPT.contains(&kept) => lower,
            "location" if location.is_some() => continue,
            _ => format!("x-archive-orig-{lower}"),
        };
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_bytes(&value)) {
            headers.append(name, value);
        }
    }
    if let Some(location) = location
        && let Ok(value) = HeaderValue::from_str(&format!("{prefix}{}", header_url(&location)))
    {
        headers.insert(http::header::LOCATION, value);
    }
    if record.truncated {
        headers.insert("x-archive-truncated", HeaderValue::from_static("1"));
    }
    let mut status = response.status();
    let body = ranges::cut(range, part, &mut status, response.headers_mut(), record.payload.into());
    *response.status_mut() = status;
    *response.body_mut() = Body::from(body);
    response
}
