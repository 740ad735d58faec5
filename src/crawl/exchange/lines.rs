//! Lines that agents leave for each other: a URL that waits, or the key of one that is done.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::frontier::Key;
use crate::scope::Lineage;
use crate::task::{Discovered, Entry, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{AtPath, Error, Result};

/// Longest line, bytes.
const MAX_LINE_BYTES: usize = 64 << 10;

/// A line of a file between agents.
#[derive(Debug, Clone, PartialEq)]
pub enum LineOf {
    /// It waits.
    Url(Box<Discovered>),
    /// The URL with this key is finished.
    Done {
        /// Host of the URL.
        host: String,
        /// Key of the URL.
        key: Key,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum WrittenLine {
    Url(Url),
    Done(String, String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Url {
    url: String,
    purpose: Purpose,
    #[serde(default)]
    depth: u32,
    #[serde(default)]
    redirects: u8,
    #[serde(default)]
    lineage: Lineage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    referrer: Option<String>,
    #[serde(default)]
    priority: f64,
}

fn push(bytes: &mut Vec<u8>, written: &WrittenLine) -> Result<()> {
    let before = bytes.len();
    serde_json::to_writer(&mut *bytes, written)
        .map_err(|e| Error::Internal(format!("a line for another agent: {e}")))?;
    if bytes.len() - before >= MAX_LINE_BYTES {
        // Whoever reads would pass it over: URLs that long are traps.
        bytes.truncate(before);
    } else {
        bytes.push(b'\n');
    }
    Ok(())
}

/// Appends a URL that waits.
pub(crate) fn push_url(bytes: &mut Vec<u8>, found: &Discovered) -> Result<()> {
    let url = Url {
        url: found.url.as_str().to_owned(),
        purpose: found.purpose,
        depth: found.depth,
        redirects: found.redirects,
        lineage: found.lineage,
        origin: found.origin.clone(),
        referrer: found.referrer.as_deref().map(str::to_owned),
        // Not a number there is no word for.
        priority: if found.priority.is_finite() { found.priority } else { 0.0 },
    };
    push(bytes, &WrittenLine::Url(url))
}

/// Appends an entry of a queue.
pub(crate) fn push_entry(bytes: &mut Vec<u8>, entry: &Entry) -> Result<()> {
    let found = Discovered {
        url: entry.url.clone(),
        purpose: entry.purpose,
        depth: entry.depth,
        redirects: entry.redirects,
        lineage: entry.lineage,
        origin: entry.origin.clone(),
        referrer: entry.referrer.as_deref().map(Into::into),
        priority: entry.priority,
    };
    push_url(bytes, &found)
}

/// Appends the key of a finished URL.
pub(crate) fn push_done(bytes: &mut Vec<u8>, host: &str, key: Key) -> Result<()> {
    push(bytes, &WrittenLine::Done(host.to_owned(), format!("{key:032x}")))
}

fn parse(line: &[u8]) -> Option<LineOf> {
    match serde_json::from_slice(line).ok()? {
        WrittenLine::Url(url) => {
            let parsed = CanonicalUrl::parse_stored(&url.url)?;
            Some(LineOf::Url(Box::new(Discovered {
                url: parsed,
                purpose: url.purpose,
                depth: url.depth,
                redirects: url.redirects,
                lineage: url.lineage,
                origin: url.origin,
                referrer: url.referrer.map(Into::into),
                priority: url.priority,
            })))
        }
        WrittenLine::Done(host, key) => {
            let key = Key::from_str_radix(&key, 16).ok()?;
            Some(LineOf::Done { host, key })
        }
    }
}

/// Visits the lines of a file, but for an unfinished last one; how many are none. A file that is gone has none.
///
/// # Errors
/// Those of `visit`; [`Error::Io`].
pub fn read_lines(path: &Path, visit: &mut dyn FnMut(LineOf) -> Result<()>) -> Result<u64> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(Error::io(path, error)),
    };
    let mut reader = BufReader::with_capacity(256 << 10, file);
    let (mut line, mut wrong, mut passing) = (Vec::new(), 0, false);
    loop {
        line.clear();
        (&mut reader).take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line).at(path)?;
        let whole = line.last() == Some(&b'\n');
        if line.is_empty() || (!whole && line.len() < MAX_LINE_BYTES) {
            return Ok(wrong);
        }
        // A line longer than any is passed over piece by piece.
        if std::mem::replace(&mut passing, !whole) {
            continue;
        }
        match if whole { parse(&line) } else { None } {
            Some(known) => visit(known)?,
            None => wrong += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written_and_others_passed_over() {
        let found = Discovered {
            url: CanonicalUrl::parse("http://a.example/x?y=\u{e4}").unwrap(),
            purpose: Purpose::Sitemap,
            depth: 3,
            redirects: 1,
            lineage: Lineage::default(),
            origin: Some("http://b.example/".into()),
            referrer: Some("http://c.example/".into()),
            priority: -0.5,
        };
        let mut bytes = Vec::new();
        push_url(&mut bytes, &found).unwrap();
        bytes.extend(b"nothing\n\xff\xff\n{\"url\":{}}\n{\"done\":[\"a\",\"x\"]}\n");
        bytes.extend(vec![b'x'; 3 * MAX_LINE_BYTES]);
        bytes.push(b'\n');
        push_done(&mut bytes, "a.example", u128::MAX - 7).unwrap();
        let long = Discovered { referrer: Some("x".repeat(MAX_LINE_BYTES).into()), ..found.clone() };
        push_url(&mut bytes, &long).unwrap();
        bytes.extend(b"{\"done\":[\"a.exam");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let mut lines = Vec::new();
        let wrong = read_lines(file.path(), &mut |line| {
            lines.push(line);
            Ok(())
        });
        assert_eq!(wrong.unwrap(), 5);
        assert_eq!(
            lines,
            [LineOf::Url(Box::new(found)), LineOf::Done { host: "a.example".into(), key: u128::MAX - 7 },]
        );
        assert_eq!(read_lines(Path::new("/nowhere/at/all"), &mut |_| Ok(())).unwrap(), 0);
    }
}
