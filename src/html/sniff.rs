//! Media type from the first bytes: the signatures of the WHATWG MIME Sniffing Standard that crawls meet.

/// Bytes looked at.
const WINDOW: usize = 1024;

const MAGIC: &[(&[u8], &str)] = &[
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (b"OggS\x00", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"FWS", "application/x-shockwave-flash"),
    (b"CWS", "application/x-shockwave-flash"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\xd0\xcf\x11\xe0", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
];

/// Tags that, at the start of a document, make it HTML.
const HTML_TAGS: &[&[u8]] = &[
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
    b"<!--",
    b"<meta",
    b"<link",
    b"<frameset",
    b"<center",
    b"<base",
    b"<form",
    b"<ul",
    b"<img",
    b"<noscript",
];

/// The media type that `body` looks like; `None` for an empty body.
pub fn sniff(body: &[u8]) -> Option<&'static str> {
    let head = &body[..body.len().min(WINDOW)];
    if head.is_empty() {
        return None;
    }
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(kind);
    }
    if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    if head.starts_with(b"\xfe\xff") || head.starts_with(b"\xff\xfe") {
        return Some("text/plain");
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if starts_with_tag(text) {
        return Some("text/html");
    }
    if text.starts_with(b"<?xml") || text.starts_with(b"<") {
        return Some(sniff_xml(text));
    }
    if head.iter().any(|b| matches!(b, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)) {
        return Some("application/octet-stream");
    }
    if matches!(text.first(), Some(b'{' | b'[')) && matches!(body.trim_ascii_end().last(), Some(b'}' | b']'))
    {
        return Some("application/json");
    }
    Some("text/plain")
}

fn sniff_xml(text: &[u8]) -> &'static str {
    let holds = |needle: &[u8]| memchr::memmem::find(&text.to_ascii_lowercase(), needle).is_some();
    if holds(b"<html") {
        "application/xhtml+xml"
    } else if holds(b"<rss") || holds(b"<rdf:rdf") {
        "application/rss+xml"
    } else if holds(b"<feed") {
        "application/atom+xml"
    } else if holds(b"<svg") {
        "image/svg+xml"
    } else if text.starts_with(b"<?xml") {
        "application/xml"
    } else if text.starts_with(b"<!doctype") || text.starts_with(b"<!DOCTYPE") {
        "text/html"
    } else {
        "text/plain"
    }
}

/// Whether `text` starts with a tag of HTML, followed by a space or `>`.
fn starts_with_tag(text: &[u8]) -> bool {
    HTML_TAGS.iter().any(|tag| {
        text.len() > tag.len()
            && text[..tag.len()].eq_ignore_ascii_case(tag)
            && (*tag == b"<!--" || matches!(text[tag.len()], b' ' | b'>' | b'\t' | b'\n' | b'\r' | b'/'))
    })
}

/// Whether a document of this declared and sniffed type is parsed as HTML. A server that says `text/html` of a picture
/// is not believed; one that says `text/plain` is.
pub fn is_markup(declared: Option<&str>, sniffed: Option<&str>) -> bool {
    let looks = matches!(sniffed, Some("text/html" | "application/xhtml+xml"));
    match declared {
        Some("text/html" | "application/xhtml+xml" | "application/vnd.wap.xhtml+xml") => {
            looks || matches!(sniffed, Some("text/plain" | "application/xml" | "application/json"))
        }
        None
        | Some(
            "" | "unknown" | "application/unknown" | "unknown/unknown" | "*/*" | "application/octet-stream",
        ) => looks,
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types() {
        let table: &[(&[u8], Option<&str>)] = &[
            (b"", None),
            (b"<!DOCTYPE HTML><p>", Some("text/html")),
            (b"  \n<HTML lang=en>", Some("text/html")),
            (b"\xef\xbb\xbf<p>x", Some("text/html")),
            (b"<!-- a --><rss/>", Some("text/html")),
            (b"<parrot>", Some("text/plain")),
            (b"<?xml version='1.0'?><html xmlns='x'>", Some("application/xhtml+xml")),
            (b"<?xml version='1.0'?><rss version='2.0'>", Some("application/rss+xml")),
            (b"<?xml version='1.0'?><feed>", Some("application/atom+xml")),
            (b"<?xml version='1.0'?><urlset>", Some("application/xml")),
            (b"%PDF-1.4", Some("application/pdf")),
            (b"RIFF....WEBPVP8", Some("image/webp")),
            (b"{\"a\": 1}", Some("application/json")),
            (b"plain words", Some("text/plain")),
            (b"\x01\x02\x03", Some("application/octet-stream")),
        ];
        for (body, want) in table {
            assert_eq!(sniff(body), *want, "{:?}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn belief() {
        assert!(is_markup(Some("text/html"), Some("text/plain")));
        assert!(!is_markup(Some("text/html"), Some("image/png")));
        assert!(!is_markup(Some("text/plain"), Some("text/html")));
        assert!(is_markup(None, Some("text/html")));
    }
}
