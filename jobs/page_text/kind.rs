//! What the bytes of a page are.
//!
//! What a file is, its content says first (a feed, a sitemap, HTML), then its name: called `.html` it is HTML whatever it
//! begins with, unless it is binary; called `.txt` it is plain text without a page's elements. Documents
//! show by their bytes too, Markdown and tables of values by their names. A file that the command line
//! names is read as text where it is nothing else; one in a folder is passed over then. `--input` says it for all files.

use std::fmt;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use webmill_capture::cut::Cut;

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use webmill_crawl::sitemap::{SitemapKind, kind_of};
use webmill_documents::{Hints, Kind, detect};
use webmill_html::decode;
use webmill_html::sniff::{is_html_name, sniff};
use webmill_shard as shard;

/// Bytes of a page that are read; the parser reads no more either.
pub const MAX_BYTES: u64 = 64 << 20;
/// Characters in which a page shows that it is HTML.
const HEAD: usize = 8 << 10;
/// Lines of a list of addresses that are looked at.
const MAX_LINES: usize = 50;

/// What pages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// By content, then by name: .html, .txt.
    Auto,
    /// HTML pages.
    Html,
    /// Plain text.
    Text,
    /// RSS, Atom, JSON Feed or XSPF: each item is a text.
    Feed,
    /// PDF, Office files, OpenDocument, RTF, EPUB, Markdown, tables of values.
    Document,
    /// Sitemaps, their indexes, lists of addresses: URLs with the days of their last changes.
    Sitemap,
}

/// Why a page cannot be read.
#[derive(Debug)]
pub struct Refusal(String);

impl Refusal {
    /// For a reason.
    pub fn new(reason: impl Into<String>) -> Refusal {
        Refusal(reason.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The bytes of a page, and whether they were cut.
pub struct PageBytes {
    /// At most `MAX_BYTES` of them.
    pub bytes: Vec<u8>,
    /// Whether there were more of them than are read.
    pub cut: bool,
    /// The charset that a server declared, as it stands in its answer.
    pub label: Option<Vec<u8>>,
}

impl PageBytes {
    /// Reads a page, at most 64 MiB of it.
    ///
    /// # Errors
    /// Where `from` fails.
    pub fn read(from: &mut impl Read) -> io::Result<PageBytes> {
        let mut bytes = Vec::new();
        from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(PageBytes::of(bytes))
    }

    /// A page in memory; bytes beyond 64 MiB are dropped, and the page counts as cut.
    pub fn of(mut bytes: Vec<u8>) -> PageBytes {
        let cut = bytes.len() as u64 > MAX_BYTES;
        bytes.truncate(MAX_BYTES as usize);
        PageBytes { bytes, cut, label: None }
    }
}

/// A file by its name.
#[derive(Debug, Clone, Copy)]
pub struct PageFile<'a> {
    /// Where it is; `-` for a page that has no name.
    pub path: &'a Path,
    /// Whether somebody asked for this very file; else a folder holds it.
    pub is_named: bool,
    /// Whether somebody said what its address is, so that it is meant as HTML.
    pub has_address: bool,
}

/// The name of a file without its ending, and without a `.gz` behind that.
pub fn stem(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("-");
    let name = name.strip_suffix(".gz").unwrap_or(name);
    Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name)
}

/// What a file turned out to be.
pub enum FileKind {
    /// What it is; never `auto`.
    At(PageBytes, PageKind),
    /// A file of a folder that is no page of any kind, and why.
    PassedOver(String),
}

/// How much is known of a file before it is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct KnownFormat {
    /// The command line names it.
    named: bool,
    /// Its name says HTML, or plain text.
    html: bool,
    text: bool,
}

impl KnownFormat {
    fn of(file: PageFile<'_>) -> KnownFormat {
        let name = file.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let plain = name.to_ascii_lowercase();
        let plain = plain.strip_suffix(".gz").unwrap_or(&plain);
        let text = [".txt", ".text"].iter().any(|end| plain.ends_with(end)) && !stem(file.path).is_empty();
        KnownFormat { named: file.is_named, html: is_html_name(name) || file.has_address && !text, text }
    }
}

/// Tells what the bytes of a page are, unpacked if they were packed.
///
/// Where its name or its known address says HTML, it is HTML unless it is binary, a feed or a sitemap.
///
/// # Errors
/// Where it was asked for or is called a page, and is none.
pub fn tell(mut page: PageBytes, file: PageFile<'_>, input: PageKind) -> Result<FileKind, Refusal> {
    if page.bytes.starts_with(&[0x1f, 0x8b, 8]) {
        let unpacked = PageBytes::read(&mut MultiGzDecoder::new(page.bytes.as_slice()));
        let label = page.label;
        page = unpacked.map_err(|error| Refusal(format!("gzip data that breaks: {error}")))?;
        page.label = label;
    }
    let meant = KnownFormat::of(file);
    let name = file.path.to_string_lossy();
    if matches!(input, PageKind::Auto | PageKind::Document) && is_document(&page.bytes, &name, input) {
        return Ok(FileKind::At(page, PageKind::Document));
    }
    match kind(&page.bytes, meant, input) {
        Ok(kind) => Ok(FileKind::At(page, kind)),
        // A folder holds other files too; one that is called a page and is none is a fault.
        Err(reason) if meant.named || meant.html => Err(Refusal(reason)),
        Err(reason) => Ok(FileKind::PassedOver(reason)),
    }
}

/// Whether bytes are a document that is neither HTML, a feed nor plain text.
fn is_document(bytes: &[u8], name: &str, input: PageKind) -> bool {
    match document_kind(bytes, name) {
        None | Some(Kind::Feed) => false,
        Some(Kind::Text) => input == PageKind::Document,
        Some(_) => true,
    }
}

/// The kind of document that bytes are which are called so.
pub fn document_kind(bytes: &[u8], name: &str) -> Option<Kind> {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    detect(bytes, &Hints { media_type: None, sniffed: sniff(bytes), path: name })
}

/// What these bytes are, or why they are nothing that is read.
fn kind(bytes: &[u8], meant: KnownFormat, input: PageKind) -> Result<PageKind, String> {
    if bytes.trim_ascii().is_empty() {
        return Err(if bytes.is_empty() { "empty file" } else { "nothing but white space" }.to_string());
    }
    if shard::sniff(bytes).is_some() {
        return Err("an archive within a file or stream: name the archive itself".to_string());
    }
    let looks = sniff(bytes).unwrap_or("nothing");
    let head = decode(&bytes[..bytes.len().min(8 * HEAD)], None, None).text;
    let is_binary = || {
        looks == "application/octet-stream"
            && head.chars().take(HEAD).filter(|c| c.is_control() && !c.is_whitespace()).take(2).count() > 0
    };
    let is_text = looks.starts_with("text/")
        || looks.ends_with("xml")
        || matches!(looks, "application/json" | "application/octet-stream");
    if !is_text {
        return Err(format!("no HTML but {looks}"));
    }
    if input != PageKind::Auto {
        return if is_binary() { Err("binary data, no text".to_string()) } else { Ok(input) };
    }
    // Programs that write pages are called as these are.
    let script: &[&[u8]] = if meant.html { &[b"<?php", b"<%"] } else { &[b"#!", b"<?php", b"<%"] };
    if !meant.named && script.iter().any(|start| bytes.starts_with(start)) {
        return Err("a script".to_string());
    }
    match kind_of(head.as_bytes()) {
        SitemapKind::Rss | SitemapKind::Atom => return Ok(PageKind::Feed),
        SitemapKind::Urlset | SitemapKind::Index => return Ok(PageKind::Sitemap),
        _ => {}
    }
    if matches!(looks, "application/rss+xml" | "application/atom+xml" | "application/xspf+xml") {
        return Ok(PageKind::Feed);
    }
    if looks == "application/json" && head.contains("jsonfeed.org/version") {
        return Ok(PageKind::Feed);
    }
    if matches!(looks, "text/html" | "application/xhtml+xml") {
        return Ok(PageKind::Html);
    }
    if looks == "application/json" || looks == "image/svg+xml" {
        return Err(format!("no HTML but {looks}"));
    }
    let makers: &[&str] = if (meant.named || meant.html) && !meant.text { &ANY } else { &MAKERS };
    if is_markup(&head, makers) {
        return Ok(PageKind::Html);
    }
    if is_binary() {
        return Err("binary data, no HTML".to_string());
    }
    if meant.html {
        return Ok(PageKind::Html);
    }
    if looks == "application/xml" || head.trim_start().starts_with("<?xml") {
        return Err("no HTML but application/xml".to_string());
    }
    match (meant.named || meant.text, is_list(&head)) {
        (true, true) => Ok(PageKind::Sitemap),
        (true, false) => Ok(PageKind::Text),
        (false, _) => Err("text without HTML".to_string()),
    }
}

/// Whether a text is a list of addresses: two lines and more, and nothing else.
fn is_list(head: &str) -> bool {
    let lines: Vec<&str> =
        head.lines().map(str::trim).filter(|line| !line.is_empty()).take(MAX_LINES).collect();
    let is_address = |line: &&str| {
        ["http://", "https://"].iter().any(|scheme| line.starts_with(scheme))
            && !line.contains(char::is_whitespace)
    };
    // What is cut off at the end of the head is not judged.
    let whole = if lines.len() > 2 { &lines[..lines.len() - 1] } else { &lines[..] };
    lines.len() >= 2 && whole.iter().all(is_address)
}

/// Elements that make a text a page.
const MAKERS: [&str; 6] = ["html", "!doctype html", "head", "body", "meta", "frameset"];
/// Elements that make a text a page if it is meant as one.
const ANY: [&str; 25] = [
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
    "pre",
    "blockquote",
    "img",
];

/// Whether a text that does not begin with a tag of HTML is HTML all the same, by the elements at its beginning.
fn is_markup(text: &str, makers: &[&str]) -> bool {
    let begin = after_comment(text);
    let text = text.cut(begin..);
    let end = text.floor_char_boundary(HEAD);
    let zeros = text.cut(..end).bytes().filter(|&b| b == 0).count();
    zeros * 20 < end.max(1)
        && text.cut(..end).split('<').skip(1).any(|tag| {
            makers.iter().any(|maker| {
                tag.get(..maker.len()).is_some_and(|start| start.eq_ignore_ascii_case(maker))
                    && tag
                        .cut(maker.len()..)
                        .starts_with(|c: char| c == '>' || c == '/' || c.is_ascii_whitespace())
            })
        })
}

/// Where a text begins behind the XML declaration and the comments at its head, which may be longer than the examined part.
fn after_comment(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = text.cut(at..).trim_start();
        let skipped = text.len() - rest.len();
        let end = match rest {
            rest if rest.starts_with("<!--") => "-->",
            rest if rest.starts_with("<?xml") => "?>",
            _ => return skipped,
        };
        match rest.find(end) {
            Some(length) => at = skipped + length + end.len(),
            None => return skipped,
        }
    }
}

/// A fault of ours costs only the page that it shows on.
pub fn isolated<T>(work: impl FnOnce() -> T) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Refusal("internal error (please report)".to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: KnownFormat = KnownFormat { named: false, html: false, text: false };
    const NAMED: KnownFormat = KnownFormat { named: true, ..FOUND };
    const HTML: KnownFormat = KnownFormat { html: true, ..FOUND };
    const TEXT: KnownFormat = KnownFormat { text: true, ..FOUND };

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
            assert_eq!(kind(bytes, FOUND, PageKind::Auto).is_ok(), html, "{:?}", String::from_utf8_lossy(bytes));
        }
        let shard = kind(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n<html>", NAMED, PageKind::Auto);
        assert!(shard.is_err_and(|reason| reason.contains("archive")));
    }

    #[test]
    fn what_a_file_is() {
        use PageKind::{Auto, Feed, Html, Sitemap, Text};
        let long = format!("<?xml version='1.0'?><!--{}--><div>\n<p>x", "c ".repeat(20_000));
        for (bytes, meant, input, want) in [
            (&b"some <b>words</b>"[..], NAMED, Auto, Some(Html)),
            (b"some <b>words</b>", FOUND, Auto, None),
            (b"some <b>words</b>", TEXT, Auto, Some(Text)),
            (b"some <b>words</b>", FOUND, Text, Some(Text)),
            (b"a < b", NAMED, Auto, Some(Text)),
            (b"a < b", HTML, Auto, Some(Html)),
            (b"a < b", FOUND, Auto, None),
            (b"\0\0\0\0<p>\0\0", NAMED, Auto, None),
            (b"\0\0\0\0<p>\0\0", FOUND, Text, None),
            (b"\x89PNG\r\n\x1a\n\0\0", HTML, Html, None),
            (b"<pre>\nx\n</pre>", NAMED, Auto, Some(Html)),
            (b"<?xml version='1.0' encoding=?><x><body>y", HTML, Auto, Some(Html)),
            (long.as_bytes(), NAMED, Auto, Some(Html)),
            (b"<?xml version='1.0'?><x/>", NAMED, Auto, None),
            (b"<?xml version='1.0'?><x/>", NAMED, Html, Some(Html)),
            (b"<?xml version='1.0'?><rss version='2.0'>", FOUND, Auto, Some(Feed)),
            (b"<!-- c --><rdf:RDF>", FOUND, Auto, Some(Feed)),
            (b"<feed xmlns='x'>", HTML, Auto, Some(Feed)),
            (b"{\"version\":\"https://jsonfeed.org/version/1\"}", FOUND, Auto, Some(Feed)),
            (b"<urlset><url>", FOUND, Auto, Some(Sitemap)),
            (b"<sitemapindex>", FOUND, Auto, Some(Sitemap)),
            (b"http://e.org/1\nhttp://e.org/2\n", TEXT, Auto, Some(Sitemap)),
            (b"http://e.org/1\nhttp://e.org/2\n", TEXT, Text, Some(Text)),
            (b"http://e.org/1\n", TEXT, Auto, Some(Text)),
            (b"See http://e.org/1\nhttp://e.org/2\n", TEXT, Auto, Some(Text)),
        ] {
            let got = kind(bytes, meant, input).ok();
            assert_eq!(got, want, "{:.60} {meant:?} {input:?}", String::from_utf8_lossy(bytes));
        }
    }
}
