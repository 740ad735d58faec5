//! From a file to the bytes of a page.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use flate2::read::MultiGzDecoder;
use webmill_html::decode;
use webmill_html::sniff::sniff;
use webmill_shard as shard;

use super::pages::Found;

/// Bytes of a page that are read; the parser reads no more either.
pub const MAX_BYTES: u64 = 64 << 20;
/// Characters in which a page shows that it is HTML.
const HEAD: usize = 8 << 10;

/// Why a page cannot be read.
#[derive(Debug)]
pub struct Refusal(String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The bytes of a page.
pub struct Bytes {
    pub bytes: Vec<u8>,
    /// Whether there were more of them than are read.
    pub cut: bool,
}

/// Reads a page; `None` for a file of a folder that is no HTML by content nor by name.
pub fn page(found: &Found) -> Result<Option<Bytes>, Refusal> {
    if let Some(fault) = &found.fault {
        return Err(Refusal(fault.clone()));
    }
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound if found.path.to_string_lossy().contains("://") => Refusal(
            "no such file; an address is fetched first: curl -s URL | webmill text --url URL".to_string(),
        ),
        _ => Refusal(error.to_string()),
    };
    let mut page = if found.path.as_os_str() == "-" {
        bounded(&mut io::stdin().lock()).map_err(failed)?
    } else {
        let mut file = File::open(&found.path).map_err(failed)?;
        bounded(&mut file).map_err(failed)?
    };
    if page.bytes.starts_with(&[0x1f, 0x8b, 8]) {
        let unpacked = bounded(&mut MultiGzDecoder::new(page.bytes.as_slice()));
        page = unpacked.map_err(|error| Refusal(format!("gzip data that breaks: {error}")))?;
    }
    // A folder holds other files too; one that is called a page and is none is a fault.
    let meant = found.named || is_called_html(found);
    match refusal(&page.bytes, meant) {
        None => Ok(Some(page)),
        Some(reason) if meant => Err(Refusal(reason)),
        Some(_) => Ok(None),
    }
}

fn bounded(from: &mut impl Read) -> io::Result<Bytes> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let cut = bytes.len() as u64 > MAX_BYTES;
    bytes.truncate(MAX_BYTES as usize);
    Ok(Bytes { bytes, cut })
}

fn is_called_html(found: &Found) -> bool {
    let end = found.path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    matches!(end.as_deref(), Some("html" | "htm" | "xhtml" | "shtml"))
}

/// Why these bytes are no HTML; `None` if they are. Of a file that is `meant` as a page any tag is enough.
fn refusal(bytes: &[u8], meant: bool) -> Option<String> {
    if bytes.trim_ascii().is_empty() {
        return Some(if bytes.is_empty() { "empty file" } else { "nothing but white space" }.to_string());
    }
    if shard::sniff(bytes).is_some() {
        return Some("a shard of a crawl: webmill extract reads it".to_string());
    }
    if !meant && bytes.starts_with(b"#!") {
        return Some("a script".to_string());
    }
    match sniff(bytes) {
        Some("text/html" | "application/xhtml+xml") => None,
        // Text, or in an encoding that does not show: what its characters say.
        Some("text/plain" | "application/octet-stream") => {
            let head = decode(&bytes[..bytes.len().min(4 * HEAD)], None, None);
            if is_markup(&head.text, if meant { &ANY } else { &MAKERS }) {
                return None;
            }
            let binary = head.text.chars().take(HEAD).any(|c| c.is_control() && !c.is_whitespace());
            Some(if binary { "binary data, no HTML" } else { "text without HTML" }.to_string())
        }
        other => Some(format!("no HTML but {}", other.unwrap_or("nothing"))),
    }
}

/// Elements that make a text a page.
const MAKERS: [&str; 6] = ["html", "!doctype html", "head", "body", "meta", "frameset"];
/// Elements that make a text a page if it is meant as one.
const ANY: [&str; 22] = [
    "html",
    "!doctype html",
    "head",
    "body",
    "meta",
    "frameset",
    "title",
    "p",
    "br",
    "a",
    "div",
    "span",
    "table",
    "td",
    "ul",
    "li",
    "h1",
    "h2",
    "h3",
    "font",
    "center",
    "b",
];

/// Whether a text that does not begin with a tag of HTML is HTML all the same, by the elements at its beginning.
fn is_markup(text: &str, makers: &[&str]) -> bool {
    let end = text.floor_char_boundary(HEAD);
    let zeros = text[..end].bytes().filter(|&b| b == 0).count();
    zeros * 20 < end.max(1)
        && text[..end].split('<').skip(1).any(|tag| {
            makers.iter().any(|maker| {
                tag.get(..maker.len()).is_some_and(|start| start.eq_ignore_ascii_case(maker))
                    && tag[maker.len()..]
                        .starts_with(|c: char| c == '>' || c == '/' || c.is_ascii_whitespace())
            })
        })
}

/// A fault of ours costs only the page that it shows on.
pub fn isolated<T>(work: impl FnOnce() -> T) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Refusal("internal error (please report)".to_string()))
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn pages_show_by_content() {
        let utf16: Vec<u8> =
            "\u{feff}<html><title>x</title>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (bytes, html) in [
            (&b"<!DOCTYPE html><p>x"[..], true),
            (b"\n\n<text id=\"http://e.org/\" encoding=\"utf-8\"><html><head>", true),
            (b"Warning: x\n<html><body>", true),
            (&utf16, true),
            (b"URL: http://e.org/\n\n<p>marked <h>text", false),
            (b"{\"html\": \"<html>\"}", false),
            (b"%PDF-1.4 <html>", false),
            (b"plain words", false),
            (b"#!/bin/sh\ncat <<E\n<html><body>\nE\n", false),
            (b"version:1.0\nurl:http://e.org/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nip:1.2.3.4\nlength:9\n\n<html>\n<p>\n", false),
            (b"WARC/1.0\r\nWARC-Type: response\r\n\r\n<html><body>", false),
            (b"", false),
            (b" \n", false),
            (b"\0\x01\x02<html>\0\0\0\0\0\0", false),
        ] {
            assert_eq!(refusal(bytes, false).is_none(), html, "{:?}", String::from_utf8_lossy(bytes));
        }
        assert!(
            refusal(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n<html>", true)
                .is_some_and(|r| r.contains("extract"))
        );
        assert!(
            refusal(b"some <b>words</b>", true).is_none() && refusal(b"some <b>words</b>", false).is_some()
        );
        assert!(refusal(b"a < b", true).is_some() && refusal(b"\0\0\0\0<p>\0\0", true).is_some());
    }
}
