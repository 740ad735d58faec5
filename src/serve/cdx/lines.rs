//! Lines of a capture index that a client sends: CDX-9 and CDX-11, and CDXJ.
//!
//! The key is made anew from the URL, but for requests other than GET, whose key says what was sent.

use crate::index::Entry;
use crate::index::cdx::{Layout, parse};
use crate::index::query::KeyOf;

/// What was sent.
#[derive(Debug, Default)]
pub struct PostedLines {
    /// Entries in their order.
    pub entries: Vec<Entry<'static>>,
    /// Lines that are none, with their number and the reason; at most the first hundred.
    pub bad: Vec<(u64, String)>,
    /// How many lines are none.
    pub bad_lines: u64,
}

/// Reads lines. Empty ones and headers (` CDX N b a …`) are passed over.
pub fn parse_posted(text: &str, key: KeyOf) -> PostedLines {
    let mut posted = PostedLines::default();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with(" CDX ") || line.starts_with("CDX N") {
            continue;
        }
        match posted_entry(line.trim_end(), key) {
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

fn posted_entry(line: &str, key: KeyOf) -> Result<Entry<'static>, String> {
    let time = line.split(' ').nth(1).ok_or("fewer than three fields")?;
    if time.len() != 14 || !time.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("{time:?} is no timestamp of 14 digits"));
    }
    let layout = Layout::of_line(line.as_bytes()).ok_or("neither CDXJ nor CDX of 9 to 11 fields")?;
    let mut entry = parse(&layout, line.as_bytes()).map_err(|fault| fault.to_string())?.into_owned();
    if !layout.has_offset(line.as_bytes()) {
        return Err("no offset".to_owned());
    }
    if entry.filename.is_empty() {
        return Err("no filename".to_owned());
    }
    if !entry.urlkey.contains("__wb_") {
        entry.urlkey = key(&entry.url).into();
    }
    if entry.urlkey.is_empty() {
        return Err(format!("{:?} is no URL", entry.url));
    }
    Ok(entry)
}
