//! Parts of stored bodies: requests with `Range`, and captures that are parts themselves (206).
//!
//! Players ask for a medium by parts, and seek only where they get them. An answer of one capture, or of the parts of one medium
//! put together where they meet, is cut to the range asked for; where a stretch was never captured, the request for it is
//! refused and what there is plays.
//!
//! Reference: RFC 9110, section 14.

use std::ops::ControlFlow;

use bytes::Bytes;
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use webmill_capture::memory;

use crate::archive::Collection;
use crate::find::same_address;
use crate::index::query::{KeyOf, seconds_of};
use crate::index::{CaptureSource, Entry, KeyRange};
use crate::raw;
use crate::record::StoredRecord;

/// Captured parts of one medium that are read for one request, the nearest in time first.
const MAX_PARTS: usize = 64;
/// Captures that are looked at for them.
const MAX_LOOKED_AT: usize = 100_000;

/// Which bytes of a whole a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Number of its first byte.
    pub start: u64,
    /// Bytes of the whole.
    pub total: u64,
}

impl Part {
    /// The part that a capture with status 206 says to be; `None` for every other one, where it does not say, and of a body whose
    /// codings will be undone, which has other bytes.
    fn of(record: &StoredRecord) -> Option<Part> {
        if record.header("content-encoding").is_some() {
            return None;
        }
        let range = record.header("content-range").filter(|_| record.status == Some(206))?;
        let range = std::str::from_utf8(range).ok()?.trim().strip_prefix("bytes")?.trim_start();
        let (span, total) = range.split_once('/')?;
        let start: u64 = span.split('-').next()?.trim().parse().ok()?;
        let end = start.checked_add(record.payload.len() as u64)?;
        // Of a length that is not known, or is wrong, the last byte held is the end.
        Some(Part { start, total: total.trim().parse().unwrap_or(end).max(end) })
    }
}

/// The stretch of a request: first byte, and last one if it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    From(u64, Option<u64>),
    /// A number of bytes from the end.
    Last(u64),
}

impl Wanted {
    /// The one stretch of a `Range`; several are answered by the whole, as the standard allows.
    fn parse(range: &str) -> Option<Wanted> {
        let (from, to) = range.trim().strip_prefix("bytes=")?.split_once('-')?;
        let (from, to) = (from.trim(), to.trim());
        match (from.is_empty(), to.is_empty()) {
            (true, _) => to.parse().ok().map(Wanted::Last),
            (false, true) => from.parse().ok().map(|from| Wanted::From(from, None)),
            (false, false) => {
                let (from, to) = (from.parse().ok()?, to.parse().ok()?);
                (from <= to).then_some(Wanted::From(from, Some(to)))
            }
        }
    }

    /// First and last byte of a whole of `total` bytes.
    fn within(self, total: u64) -> Option<(u64, u64)> {
        let (from, to) = match self {
            Wanted::From(from, to) => (from, to.unwrap_or(u64::MAX)),
            Wanted::Last(0) => return None,
            Wanted::Last(bytes) => (total.saturating_sub(bytes), u64::MAX),
        };
        (from < total).then(|| (from, to.min(total - 1)))
    }
}

/// Puts the parts of which a capture is one together, around the byte that is asked for; the record then holds all of them. `None`:
/// it is whole.
pub fn joined(
    collection: &Collection,
    index: &dyn CaptureSource,
    entry: &Entry<'_>,
    record: &mut StoredRecord,
    range: Option<&str>,
    key: KeyOf,
) -> Option<Part> {
    let own = Part::of(record)?;
    let mut parts = vec![(own.start, std::mem::take(&mut record.payload))];
    let own_end = own.start + parts[0].1.len() as u64;
    let within = |(from, to): (u64, u64)| from >= own.start && to < own_end;
    let asked = range.and_then(Wanted::parse).and_then(|wanted| wanted.within(own.total));
    if !asked.is_some_and(within) && own_end - own.start != own.total {
        parts.extend(others(collection, index, entry, record, own.total, key));
    }
    parts.sort_by_key(|(start, _)| *start);
    let wanted = asked.map_or(own.start, |(from, _)| from);
    let mut runs: Vec<(u64, Vec<u8>)> = Vec::new();
    for (start, bytes) in parts {
        match runs.last_mut() {
            Some((first, run)) if start <= *first + run.len() as u64 => {
                let held = usize::try_from(*first + run.len() as u64 - start).unwrap_or(usize::MAX);
                run.extend_from_slice(bytes.get(held..).unwrap_or_default());
            }
            _ => runs.push((start, bytes)),
        }
    }
    let holds =
        |byte: u64| runs.iter().position(|(first, run)| (*first..*first + run.len() as u64).contains(&byte));
    let (start, payload) = runs.swap_remove(holds(wanted).or_else(|| holds(own.start)).unwrap_or(0));
    let whole = start == 0 && payload.len() as u64 == own.total;
    record.payload = payload;
    record.headers.retain(|(name, _)| !name.eq_ignore_ascii_case(b"content-range"));
    if whole {
        record.status = Some(200);
    }
    (!whole).then_some(Part { start, total: own.total })
}

/// Further parts of the same whole, as first byte and bytes.
fn others(
    collection: &Collection,
    index: &dyn CaptureSource,
    entry: &Entry<'_>,
    record: &StoredRecord,
    total: u64,
    key: KeyOf,
) -> Vec<(u64, Vec<u8>)> {
    let mut near: Vec<(u64, Entry<'static>)> = Vec::new();
    let mut looked_at = 0;
    let own = |other: &Entry<'_>| other.filename == entry.filename && other.offset == entry.offset;
    let found = index.scan(&KeyRange::exact(&entry.urlkey), &mut |other| {
        looked_at += 1;
        if other.status == Some(206) && !own(other) && same_address(&other.url, &entry.url) {
            let distance = seconds_of(other.timestamp).abs_diff(seconds_of(entry.timestamp));
            let at = near.partition_point(|(of, _)| *of <= distance);
            if at < MAX_PARTS {
                near.insert(at, (distance, other.clone().into_owned()));
                near.truncate(MAX_PARTS);
            }
        }
        if looked_at < MAX_LOOKED_AT { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if found.is_err() {
        return Vec::new();
    }
    let mut bytes = 0;
    let mut parts = Vec::new();
    for (_, other) in near {
        let Ok(other) = raw::load(collection, index, &other, key) else { continue };
        // Another version of the medium has another length or mark.
        let same =
            ["etag", "last-modified"].iter().all(|name| match (other.header(name), record.header(name)) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            });
        let Some(part) = Part::of(&other).filter(|part| same && part.total == total) else { continue };
        bytes += other.payload.len() as u64;
        if memory::grow(2 * bytes).is_err() || bytes > memory::large() / 2 {
            break;
        }
        parts.push((part.start, other.payload));
    }
    parts
}

/// Cuts an answer to the range that is asked for. `part` says which bytes of the whole `body` is; `None`: all.
pub fn cut(
    range: Option<&str>,
    part: Option<Part>,
    status: &mut StatusCode,
    headers: &mut HeaderMap,
    body: Bytes,
) -> Bytes {
    if !matches!(*status, StatusCode::OK | StatusCode::PARTIAL_CONTENT) {
        return body;
    }
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    let length = body.len() as u64;
    let Part { start, total } = part.unwrap_or(Part { start: 0, total: length });
    // A page that was changed is longer than what was captured of it.
    let end = start.saturating_add(length);
    let total = total.max(end);
    let mut say = |status: &mut StatusCode, code: StatusCode, value: String| {
        *status = code;
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(header::CONTENT_RANGE, value);
        }
    };
    let Some(wanted) = range.and_then(Wanted::parse) else {
        if part.is_some() && length > 0 {
            say(status, StatusCode::PARTIAL_CONTENT, format!("bytes {start}-{}/{total}", end - 1));
        }
        return body;
    };
    match wanted.within(total) {
        Some((from, to)) if (start..end).contains(&from) => {
            let to = to.min(end - 1);
            say(status, StatusCode::PARTIAL_CONTENT, format!("bytes {from}-{to}/{total}"));
            let at = |byte: u64| usize::try_from(byte - start).unwrap_or(body.len());
            body.slice(at(from)..at(to + 1))
        }
        lacking => {
            say(status, StatusCode::RANGE_NOT_SATISFIABLE, format!("bytes */{total}"));
            if lacking.is_some() {
                let why = HeaderValue::from_static("these bytes of it were not captured");
                headers.insert(HeaderName::from_static("x-archive-reason"), why);
            }
            Bytes::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_cut_to_what_is_asked_for() {
        let third = Some(Part { start: 10, total: 30 });
        for (range, part, status, content_range, bytes) in [
            (None, None, 200, None, "0123456789"),
            (None, third, 206, Some("bytes 10-19/30"), "0123456789"),
            (Some("bytes=0-"), None, 206, Some("bytes 0-9/10"), "0123456789"),
            (Some("bytes=3-4"), None, 206, Some("bytes 3-4/10"), "34"),
            (Some("bytes=-4"), None, 206, Some("bytes 6-9/10"), "6789"),
            (Some("bytes=8-99"), None, 206, Some("bytes 8-9/10"), "89"),
            (Some("bytes=10-"), None, 416, Some("bytes */10"), ""),
            (Some("bytes=4-3"), None, 200, None, "0123456789"),
            (Some("bytes=0-1,4-5"), None, 200, None, "0123456789"),
            (Some("lines=1-2"), None, 200, None, "0123456789"),
            (Some("bytes=12-13"), third, 206, Some("bytes 12-13/30"), "23"),
            (Some("bytes=18-"), third, 206, Some("bytes 18-19/30"), "89"),
            (Some("bytes=0-"), third, 416, Some("bytes */30"), ""),
        ] {
            let (mut got, mut headers) = (StatusCode::OK, HeaderMap::new());
            let body = cut(range, part, &mut got, &mut headers, Bytes::from_static(b"0123456789"));
            let said = headers.get("content-range").map(|value| value.to_str().unwrap());
            assert_eq!(
                (got.as_u16(), said, &body[..]),
                (status, content_range, bytes.as_bytes()),
                "{range:?}"
            );
        }
    }
}
