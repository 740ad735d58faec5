//! Captures as pages in a browser: what [`crate::replay`] makes of them, with what the request says of itself.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};

use crate::index::{Entry, Timestamp};
use webmill_capture::{decode_content, memory};

use super::ranges::{self, Part};
use super::{RequestHead, Shared};
use crate::archive::Collection;
use crate::find::Captures;
use crate::record::StoredRecord;
use crate::replay::{self, Context, Destination, Frame, Missing, Modifier, Replayed};
use crate::site::{Lang, links};

/// Bytes of a replayed body after its content codings are undone, at most; fewer where memory holds fewer. The rest is cut off.
const MAX_DECODED_BYTES: usize = 256 << 20;

/// How often a body is held while it is changed: as stored, unpacked, and the longer one that it becomes while that grows.
const COPIES: u64 = 6;

/// What a request says of the browser that made it.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    destination: Option<Destination>,
    language: Lang,
    /// Opens the address in a tab of its own.
    pub top_level: bool,
    /// The collection's token, where the address carried it.
    pub token: Option<String>,
}

impl Reader {
    pub fn of(headers: &HeaderMap) -> Reader {
        Reader {
            destination: Destination::of(headers),
            language: super::pages::language(headers, None),
            top_level: replay::is_top_level(headers),
            token: None,
        }
    }

    /// Whether a page is wanted, as far as is known, and not a picture or script of one.
    pub fn reads_pages(&self) -> bool {
        matches!(self.destination, None | Some(Destination::Document | Destination::Frame))
    }
}

/// The modifier of an address; anything that is no other is that of a page.
pub fn modifier(name: &str) -> Modifier {
    match name {
        "" => Modifier::Frame,
        "if_" | "fr_" => Modifier::Inner,
        "js_" | "wkr_" | "sw_" => Modifier::Script,
        "cs_" => Modifier::Style,
        "im_" | "oe_" => Modifier::Image,
        _ => Modifier::Page,
    }
}

/// The page around a capture.
pub fn frame(
    shared: &Shared,
    asked: &RequestHead,
    collection: &str,
    entry: &Entry<'_>,
    captures: &Captures,
) -> Response {
    let (timestamp, prefix) = (entry.timestamp.to_string(), format!("/{collection}/"));
    let token = shared.tokens.of(collection);
    let written = |time: Option<Timestamp>| time.map(|time| time.to_string());
    let (previous, next) = captures.around(entry.timestamp);
    let (previous, next) = (written(previous), written(next));
    let ends = captures.times.first().zip(captures.times.last());
    let ends = ends.map(|(first, last)| (first.to_string(), last.to_string()));
    let calendar = links::calendar(collection, &entry.url);
    let context =
        Context { token: Some(&token), ..context(asked, &prefix, &timestamp, Modifier::Frame, &entry.url) };
    response(replay::frame_page(&Frame {
        context,
        language: asked.reader.language,
        captures: (!captures.cut).then_some(captures.times.len() as u64),
        ends: ends.as_ref().map(|(first, last)| (first.as_str(), last.as_str())),
        previous: previous.as_deref(),
        next: next.as_deref(),
        calendar: Some(&calendar),
    }))
}

/// A capture with its references rewritten to point into the archive.
pub fn capture(
    asked: &RequestHead,
    collection: &str,
    entry: &Entry<'_>,
    modifier: Modifier,
    record: StoredRecord,
    part: Option<Part>,
) -> Response {
    let (timestamp, prefix) = (entry.timestamp.to_string(), format!("/{collection}/"));
    let context = context(asked, &prefix, &timestamp, modifier, &entry.url);
    let status = record.status.unwrap_or(200);
    let headers = headers(&record);
    let truncated = record.truncated;
    let (body, cut) = decoded(record);
    // Pages are changed into others while both are held.
    let _ = memory::grow(COPIES * body.len() as u64);
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let mut replayed = replay::answer(&context, status, &headers, body);
    let (status, body) = (&mut replayed.status, std::mem::take(&mut replayed.body));
    replayed.body = ranges::cut(asked.range.as_deref(), part, status, &mut replayed.headers, body);
    let mut response = response(replayed);
    if truncated || cut {
        response.headers_mut().insert("x-archive-truncated", HeaderValue::from_static("1"));
    }
    response
}

/// The page that says that the archive lacks something.
pub fn missing(
    asked: &RequestHead,
    held: &Collection,
    time: &str,
    modifier: Modifier,
    url: &str,
    reason: Option<&str>,
) -> Response {
    let prefix = format!("/{}/", held.name);
    response(replay::not_archived_page(&Missing {
        context: context(asked, &prefix, time, modifier, url),
        language: asked.reader.language,
        reason,
        nearest: &[],
        about: &super::pages::about(held),
    }))
}

/// The answer to a replayed page that asks whether it may ask.
pub fn preflight(
    asked: &RequestHead,
    collection: &str,
    time: &str,
    modifier: Modifier,
    url: &str,
    headers: &HeaderMap,
) -> Response {
    let prefix = format!("/{collection}/");
    response(replay::preflight(&context(asked, &prefix, time, modifier, url), headers))
}

/// Longest text that a page may have made a script of it, in bytes.
pub const MAX_SCRIPT: usize = 4 << 20;

/// Text that a replayed page runs, as a script of it.
pub fn script_text(asked: &RequestHead, collection: &str, time: &str, url: &str, text: &[u8]) -> Response {
    let time = if time.bytes().all(|b| b.is_ascii_digit()) { time } else { "" };
    let prefix = format!("/{collection}/");
    let _ = memory::grow(COPIES * text.len() as u64);
    response(replay::script_text(&context(asked, &prefix, time, Modifier::Page, url), text))
}

/// A file that frames and replayed pages need.
pub fn asset(name: &str) -> Option<Response> {
    let (media_type, bytes) = replay::asset(name)?;
    let mut response = crate::answer::whole(StatusCode::OK, media_type, bytes);
    crate::answer::set(&mut response, "cache-control", "max-age=3600");
    // Replayed pages have an origin of their own, and these files tell nothing.
    crate::answer::set(&mut response, "access-control-allow-origin", "*");
    Some(response)
}

/// Where a request without a place in the archive was meant to lead, by the page that made it.
pub fn meant(
    shared: &Shared,
    asked: &RequestHead,
    method: &Method,
    target: &str,
    headers: &HeaderMap,
) -> Option<String> {
    let get = matches!(*method, Method::GET | Method::HEAD);
    let is_collection =
        |prefix: &str| shared.archive.collection(prefix.trim_matches('/')).is_some() && prefix.ends_with('/');
    get.then(|| replay::by_referer(target, headers, &asked.base, is_collection)).flatten()
}

fn context<'a>(
    asked: &'a RequestHead,
    prefix: &'a str,
    timestamp: &'a str,
    modifier: Modifier,
    url: &'a str,
) -> Context<'a> {
    Context {
        origin: &asked.base,
        prefix,
        token: asked.reader.token.as_deref(),
        timestamp,
        modifier,
        url,
        destination: asked.reader.destination,
    }
}

fn headers(record: &StoredRecord) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in record.headers.iter().take(crate::raw::MAX_HEADERS) {
        // The body is sent without its codings.
        if name.eq_ignore_ascii_case(b"content-encoding") || name.eq_ignore_ascii_case(b"transfer-encoding") {
            continue;
        }
        let value: Vec<u8> =
            value.iter().map(|b| if matches!(b, 0..=31 | 127) { b' ' } else { *b }).collect();
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(&value)) {
            headers.append(name, value);
        }
    }
    headers
}

/// The body without content codings, and whether its end is missing; as it is where they cannot be undone.
fn decoded(record: StoredRecord) -> (Bytes, bool) {
    if record.header("content-encoding").is_none() {
        return (record.payload.into(), false);
    }
    let mut head = b"HTTP/1.1 200 OK\r\n".to_vec();
    for (name, value) in
        record.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(b"content-encoding"))
    {
        head.extend_from_slice(name);
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    let response = webmill_capture::Response::parse(&head);
    // What a small body unpacks to is not known before.
    let bytes = |bound: u64| usize::try_from(bound / COPIES).unwrap_or(usize::MAX).min(MAX_DECODED_BYTES);
    let (small, max) = (bytes(memory::small()), bytes(memory::large()));
    let first = decode_content(&response, &record.payload, small);
    if first.bytes.len() < small || small == max {
        return (first.bytes.into_owned().into(), first.truncated);
    }
    drop(first);
    let _ = memory::grow(memory::small().saturating_add(1));
    let whole = decode_content(&response, &record.payload, max);
    (whole.bytes.into_owned().into(), whole.truncated)
}

fn response(replayed: Replayed) -> Response {
    let mut response = Response::new(Body::from(replayed.body));
    *response.status_mut() = replayed.status;
    *response.headers_mut() = replayed.headers;
    response
}
