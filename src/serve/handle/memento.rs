//! TimeGates, TimeMaps and captures.

use std::ops::ControlFlow;
use webmill_capture::cut::Cut;

use axum::response::Response;
use http::StatusCode;

use crate::index::query::{Dialect, Query};
use crate::index::{CaptureSource, Entry, KeyRange, Timestamp};

use super::guard::Guarded;
use super::query::with_links;
use super::sent::Sent;
use super::{RequestHead, Shared, ranges, replayed};
use crate::access::Access;
use crate::answer::{Refusal, set, text, whole};
use crate::archive::Collection;
use crate::cdx::RowWriter;
use crate::find::Captures;
use crate::form::header_url;
use crate::memento::{Addresses, ListedCapture, TIMEMAP_PAGE, accept_datetime, http_date, link_timemap};
use crate::raw;
use crate::record::StoredRecord;

/// The newest there can be.
const NEWEST: Timestamp = Timestamp(99_991_231_235_959);
/// Captures of a URL that are looked at for its TimeGate, links and TimeMap.
const MAX_CAPTURES: usize = 1_000_000;

/// The time that is asked for without one in the address.
fn wanted(asked: &RequestHead) -> Result<Timestamp, Refusal> {
    match &asked.accept_datetime {
        None => Ok(NEWEST),
        Some(value) => accept_datetime(value)
            .ok_or_else(|| Refusal::bad(format!("Accept-Datetime is no date of HTTP: {value:?}"))),
    }
}

/// Up to fourteen digits, the rest the first of its kind.
fn moment(time: &str) -> Option<Timestamp> {
    const FIRST: &str = "00000101000000";
    if time.is_empty() {
        return None;
    }
    format!("{time}{}", FIRST.get(time.len()..)?).parse().ok().map(Timestamp)
}

fn not_captured(url: &str) -> Refusal {
    Refusal::not_found(format!("{} is not in this archive", header_url(url)))
}

/// Captures of a URL around a time; refused where there are none.
fn captures(
    shared: &Shared,
    index: &dyn CaptureSource,
    url: &str,
    around: Timestamp,
) -> Result<Captures, Refusal> {
    let key = (shared.archive.key)(url);
    if key.is_empty() {
        return Err(Refusal::bad(format!("{} is no URL", header_url(url))));
    }
    let found = Captures::of(index, &key, url, around, MAX_CAPTURES)?;
    if found.times.is_empty() { Err(not_captured(url)) } else { Ok(found) }
}

/// Leads to the capture that is nearest to the time asked for. `plain`: the address of people, who get the frame.
pub fn timegate(
    shared: &Shared,
    asked: &RequestHead,
    collection: &str,
    url: &str,
    plain: bool,
) -> Result<Response, Refusal> {
    let held = shared.collection(collection)?;
    let index = Guarded::new(held.index.as_ref(), &held.access, &asked.who);
    let around = wanted(asked)?;
    let found = captures(shared, &index, url, around)?;
    let nearest = found.nearest.first().ok_or_else(|| not_captured(url))?;
    let addresses = Addresses { base: &asked.base, collection: &held.name, url: &nearest.url };
    let modifier = if plain && asked.accept_datetime.is_none() { "" } else { "mp_" };
    let mut response = text(StatusCode::FOUND, String::new());
    set(&mut response, "location", &addresses.memento(nearest.timestamp, modifier));
    set(&mut response, "vary", "accept-datetime");
    Ok(with_links(response, &addresses.links(&found.times, None)))
}

/// Lists the captures of a URL.
pub fn timemap(
    shared: &Shared,
    asked: &RequestHead,
    collection: &str,
    form: &str,
    page: u64,
    url: &str,
) -> Result<Response, Refusal> {
    let held = shared.collection(collection)?;
    let index = Guarded::new(held.index.as_ref(), &held.access, &asked.who);
    let addresses = Addresses { base: &asked.base, collection: &held.name, url };
    let (media_type, body) = if form == "link" {
        let body = link_timemap(&addresses, &listed(shared, &index, url)?, page);
        ("application/link-format", body)
    } else {
        rows(shared, &index, held, form, page, url)?
    };
    let Some(body) = body else {
        // No capture, or no such page.
        let mut response = text(StatusCode::NOT_FOUND, String::new());
        set(&mut response, "content-type", media_type);
        return Ok(response);
    };
    // No `Vary`: a TimeMap lists all moments (RFC 7089, 4.5).
    Ok(with_links(whole(StatusCode::OK, media_type, body), &addresses.links(&[], None)))
}

fn listed(shared: &Shared, index: &dyn CaptureSource, url: &str) -> Result<Vec<ListedCapture>, Refusal> {
    let key = (shared.archive.key)(url);
    let (mut captures, mut cut) = (Vec::new(), false);
    index.scan(&KeyRange::exact(&key), &mut |entry| {
        if captures.len() == MAX_CAPTURES {
            cut = true;
            return ControlFlow::Break(());
        }
        captures.push(ListedCapture { time: entry.timestamp, url: entry.url.to_string() });
        ControlFlow::Continue(())
    })?;
    match cut {
        true => Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "this URL has too many captures to list")),
        false => Ok(captures),
    }
}

/// A TimeMap of lines; a page of them, where one is named.
fn rows(
    shared: &Shared,
    index: &dyn CaptureSource,
    held: &Collection,
    form: &str,
    page: u64,
    url: &str,
) -> Result<(&'static str, Option<String>), Refusal> {
    let offset = (page.max(1) - 1).saturating_mul(TIMEMAP_PAGE as u64).to_string();
    let limit = if page == 0 { "0".to_owned() } else { TIMEMAP_PAGE.to_string() };
    let pairs = [
        ("url", url),
        ("matchType", "exact"),
        ("output", form),
        ("offset", offset.as_str()),
        ("limit", limit.as_str()),
    ];
    let query = Query::parse(pairs, Dialect::Pywb, shared.archive.key, &shared.options.limits)?;
    let mut writer = RowWriter::new(&query, &held.name);
    let end = query.run(index, &mut |row| {
        writer.row(row);
        ControlFlow::Continue(())
    })?;
    if end.cut.is_some() {
        let why = "this URL has too many captures for one answer: ask for pages of its TimeMap";
        return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why));
    }
    writer.end(&end);
    Ok((writer.media_type(), (end.rows > 0).then_some(writer.out)))
}

struct ReplayedCapture {
    entry: Entry<'static>,
    record: StoredRecord,
    captures: Captures,
}

/// The best capture that can be shown. One whose redirects lead back to its own URL (http to https, a wall that lets
/// in who comes back from it) gives way to the next, which is what a visitor came to see in the end.
fn find(
    shared: &Shared,
    asked: &RequestHead,
    held: &Collection,
    captures: Captures,
    url: &str,
    as_stored: bool,
) -> Result<ReplayedCapture, Refusal> {
    let index = Guarded::new(held.index.as_ref(), &held.access, &asked.who).readable();
    let (mut refused, mut circle) = (None, None);
    for entry in &captures.nearest {
        let verdict = held.access.of(&entry.urlkey, entry.timestamp, &asked.who);
        if verdict.access == Access::Block {
            let why = verdict.message.unwrap_or("access to this capture is blocked");
            refused.get_or_insert(Refusal::new(StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS, why));
            break;
        }
        match raw::load(held, &index, entry, shared.archive.key) {
            Ok(record) => {
                let to = raw::redirects_to(&record);
                let back = to.filter(|to| leads_back(shared, held, &index, entry, to.clone()));
                let Some(to) = back else {
                    return Ok(ReplayedCapture { entry: entry.clone(), record, captures });
                };
                circle.get_or_insert((entry.clone(), record, to));
            }
            Err(refusal) => {
                refused.get_or_insert(refusal);
            }
        }
    }
    match (circle, refused) {
        (Some((entry, record, _)), _) if as_stored => Ok(ReplayedCapture { entry, record, captures }),
        (Some((_, _, to)), None) => {
            let why = format!("this capture leads to {}, and from there back", header_url(&to));
            Err(Refusal { reason: Some("circle"), ..Refusal::not_found(why) })
        }
        (_, Some(refusal)) => Err(refusal),
        (None, None) => Err(not_captured(url)),
    }
}

/// Whether the redirects that begin with that of `entry` to `target` lead back to the URL of the entry.
fn leads_back(
    shared: &Shared,
    held: &Collection,
    index: &dyn CaptureSource,
    entry: &Entry<'_>,
    mut target: String,
) -> bool {
    const MAX_STEPS: usize = 8;
    let key = shared.archive.key;
    let mut seen = vec![(entry.filename.to_string(), entry.offset)];
    for _ in 0..MAX_STEPS {
        let target_key = key(&target);
        if target_key == entry.urlkey {
            return true;
        }
        let Ok(found) = Captures::of(index, &target_key, &target, entry.timestamp, MAX_CAPTURES) else {
            return false;
        };
        let new = |other: &&Entry<'_>| !seen.iter().any(|(f, o)| *f == *other.filename && *o == other.offset);
        let Some(next) = found.nearest.iter().find(new) else { return false };
        let Ok(record) = raw::load(held, index, next, key) else { return false };
        let Some(to) = raw::redirects_to(&record) else { return false };
        seen.push((next.filename.to_string(), next.offset));
        target = to;
    }
    false
}

/// Shows a capture.
pub fn replay(
    shared: &Shared,
    asked: &RequestHead,
    collection: &str,
    time: &str,
    modifier: &str,
    url: &str,
    sent: Option<&Sent>,
) -> Result<Response, Refusal> {
    let held = shared.collection(collection)?;
    let around = match moment(time) {
        Some(time) => time,
        None => wanted(asked)?,
    };
    // Relative references need the slash that a browser puts behind a host.
    if modifier != "id_"
        && sent.is_none()
        && let Some(whole) = with_path(url)
    {
        let token = asked.reader.token.as_deref().unwrap_or_default();
        let address = format!("/{}/{time}{modifier}{token}/{}", held.name, header_url(&whole));
        return Ok(super::redirect(&address));
    }
    let kind = replayed::modifier(modifier);
    let index = Guarded::new(held.index.as_ref(), &held.access, &asked.who);
    let found = match sent {
        Some(sent) => sent.captures(&index, shared.archive.key, url, around, MAX_CAPTURES),
        None => captures(shared, &index, url, around),
    };
    let found = found.and_then(|captures| find(shared, asked, held, captures, url, modifier == "id_"));
    let ReplayedCapture { entry, mut record, captures } = match found {
        Ok(found) => found,
        // People get a page that says so; its reason is that of the refusal where that is another one.
        Err(refusal)
            if modifier != "id_" && refusal.status == StatusCode::NOT_FOUND && asked.reader.reads_pages() =>
        {
            let time = if time.is_empty() { asked_time(around) } else { time.to_owned() };
            let mut response = replayed::missing(asked, held, &time, kind, url, refusal.reason);
            set(&mut response, "x-archive-reason", &header_url(&refusal.message));
            return Ok(response);
        }
        Err(refusal) => return Err(refusal),
    };
    let addresses = Addresses { base: &asked.base, collection: &held.name, url: &entry.url };
    let range = asked.range.as_deref().filter(|_| !modifier.is_empty());
    let part = ranges::joined(held, &index.readable(), &entry, &mut record, range, shared.archive.key);
    let mut response = match modifier {
        "" => replayed::frame(shared, asked, &held.name, &entry, &captures),
        "id_" => {
            let prefix = address_prefix(&addresses, entry.timestamp, "id_");
            let mut response = raw::answer(record, &prefix, range, part);
            set(
                &mut response,
                "content-security-policy",
                if shared.options.raw_open { "sandbox" } else { RAW_POLICY },
            );
            response
        }
        _ => replayed::capture(asked, &held.name, &entry, kind, record, part),
    };
    set(&mut response, "memento-datetime", &http_date(entry.timestamp));
    set(&mut response, "content-location", &addresses.memento(entry.timestamp, modifier));
    if time.is_empty() {
        set(&mut response, "vary", "accept-datetime");
    }
    Ok(with_links(response, &addresses.links(&captures.times, Some(entry.timestamp))))
}

/// What a capture as it was stored may do when a browser opens it: it has an origin of its own, no scripts, and loads nothing but
/// what it brings with itself, so that no request leaves for the live Web.
const RAW_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; \
                          media-src data:; form-action 'none'; base-uri 'none'";

/// What addresses of captures of a time begin with.
fn address_prefix(addresses: &Addresses<'_>, time: Timestamp, modifier: &str) -> String {
    format!("{}/{}/{time}{modifier}/", addresses.base, addresses.collection)
}

/// A URL without a path, with one.
fn with_path(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let bare = !rest.is_empty() && !rest.cut(end..).starts_with('/');
    bare.then(|| format!("{scheme}://{}/{}", rest.cut(..end), rest.cut(end..)))
}

/// A time as addresses write it; nothing for the newest.
fn asked_time(time: Timestamp) -> String {
    if time == NEWEST { String::new() } else { time.to_string() }
}
