//! Lines of a capture index that a client sends: CDX-9 and CDX-11, and CDXJ.
//!
//! The key is made anew from the URL, but for requests other than GET, whose key says what was sent.

use serde_json::{Map, Value};

use webmill_index::query::KeyOf;
use webmill_index::{Entry, Timestamp};

/// What was sent.
#[derive(Debug, Default)]
pub struct Posted {
    /// Entries in their order.
    pub entries: Vec<Entry<'static>>,
    /// Lines that are none, with their number and what is wrong; at most the first hundred.
    pub bad: Vec<(u64, String)>,
    /// How many lines are none.
    pub bad_lines: u64,
}

/// Reads lines. Empty ones and headers (` CDX N b a …`) are passed over.
pub fn parse_posted(text: &str, key: KeyOf) -> Posted {
    let mut posted = Posted::default();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with(" CDX ") || line.starts_with("CDX N") {
            continue;
        }
        match parse(line.trim_end(), key) {
            Ok(entry) => posted.entries.push(entry),
            Err(why) => {
                posted.bad_lines += 1;
                if posted.bad.len() < 100 {
                    posted.bad.push((number as u64 + 1, why));
                }
            }
        }
    }
    posted
}

fn parse(line: &str, key: KeyOf) -> Result<Entry<'static>, String> {
    let mut words = line.splitn(3, ' ');
    let (Some(urlkey), Some(time), Some(rest)) = (words.next(), words.next(), words.next()) else {
        return Err("fewer than three fields".to_owned());
    };
    if time.len() != 14 || !time.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("{time:?} is no timestamp of 14 digits"));
    }
    let mut entry = match rest.trim_start().starts_with('{') {
        true => cdxj(rest)?,
        false => cdx(rest)?,
    };
    entry.timestamp = Timestamp(time.parse().map_err(|_| "timestamp".to_owned())?);
    entry.urlkey = match urlkey.contains("__wb_") {
        true => urlkey.to_owned().into(),
        false => key(&entry.url).into(),
    };
    if entry.urlkey.is_empty() {
        return Err(format!("{:?} is no URL", entry.url));
    }
    Ok(entry)
}

fn number(text: &str, name: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{name} {text:?} is no number"))
}

/// A field with `-` for nothing.
fn some(text: &str) -> String {
    if text == "-" { String::new() } else { text.to_owned() }
}

fn cdx(rest: &str) -> Result<Entry<'static>, String> {
    let words: Vec<&str> = rest.split(' ').collect();
    // Without key and time: CDX-9 has seven fields, CDX-11 nine.
    let (url, mime, status, digest, redirect, flags, length, offset, filename) = match *words {
        [url, mime, status, digest, redirect, offset, filename] => {
            (url, mime, status, digest, redirect, "-", "-", offset, filename)
        }
        [url, mime, status, digest, redirect, flags, length, offset, filename, ..] => {
            (url, mime, status, digest, redirect, flags, length, offset, filename)
        }
        _ => return Err(format!("{} fields: CDX has 9 or 11", words.len() + 2)),
    };
    let status = some(status);
    let length = some(length);
    Ok(Entry {
        url: url.to_owned().into(),
        mime: some(mime).into(),
        status: if status.is_empty() { None } else { status.parse().ok() },
        digest: crate::record::digest(&some(digest)).into(),
        redirect: some(redirect).into(),
        robotflags: some(flags).into(),
        length: if length.is_empty() { None } else { Some(number(&length, "length")?) },
        offset: number(offset, "offset")?,
        filename: filename.to_owned().into(),
        ..Entry::default()
    })
}

fn cdxj(rest: &str) -> Result<Entry<'static>, String> {
    let object: Map<String, Value> = serde_json::from_str(rest).map_err(|error| error.to_string())?;
    let mut entry = Entry::default();
    let mut offset = None;
    for (name, value) in object {
        let text = match &value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        match name.as_str() {
            "url" => entry.url = text.into(),
            "mime" => entry.mime = some(&text).into(),
            "status" => entry.status = text.parse().ok(),
            "digest" => entry.digest = crate::record::digest(&some(&text)).into(),
            "redirect" => entry.redirect = some(&text).into(),
            "robotflags" => entry.robotflags = some(&text).into(),
            "length" => entry.length = text.parse().ok(),
            "offset" => offset = Some(number(&text, "offset")?),
            "filename" => entry.filename = text.into(),
            "urlkey" | "timestamp" => {}
            _ => entry.extra.push((name.into(), value.to_string().into())),
        }
    }
    entry.offset = offset.ok_or("no offset")?;
    if entry.filename.is_empty() {
        return Err("no filename".to_owned());
    }
    Ok(entry)
}
