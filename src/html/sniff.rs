//! Media type from the first bytes: the signatures of the WHATWG MIME Sniffing Standard that crawls meet.
//!
//! Beyond the standard: signatures of two and three letters must be followed by what follows them in their formats (`BM`
//! begins words too), what stands before the first element of XML is passed over, and a control or two make no text binary.

use super::detect::beyond::utf_32;
use super::detect::utf16_by_zeros;
use webmill_capture::cut::Cut;

/// Bytes looked at.
const WINDOW: usize = 1024;

/// Bytes in which the end of what stands before the first element is sought.
const PROLOG: usize = 64 << 10;

const MAGIC: &[(&[u8], &str)] = &[
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (b"OggS\x00", "application/ogg"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\xd0\xcf\x11\xe0", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
];

/// What behind `<`, at the start of a document, makes it HTML; from `pre` on, beyond the standard, what fragments and
/// old pages begin with.
const HTML_TAGS: &str = "!doctype html,html,head,script,iframe,h1,div,font,table,a,style,title,b,body,br,p,!--,meta,link,\
    frameset,center,base,form,ul,img,noscript,pre,span,h2,h3,h4,h5,h6,hr,ol,dl,tt,blockquote,article,section,main,nav,\
    header,footer";

/// Endings of the names of pages and of programs that write them.
const HTML_ENDINGS: &[&str] = &[
    "html", "htm", "xhtml", "xht", "shtml", "shtm", "stm", "phtml", "php", "php3", "php4", "php5", "asp",
    "aspx", "jsp", "jspx", "jhtml", "cfm", "do",
];

/// The media type that `body` looks like; `None` for an empty body.
pub fn sniff(body: &[u8]) -> Option<&'static str> {
    let head = &body[..body.len().min(WINDOW)];
    if head.is_empty() {
        return None;
    }
    if let Some(kind) = signature(head) {
        return Some(kind);
    }
    if head.starts_with(b"\xfe\xff") || head.starts_with(b"\xff\xfe") {
        return Some("text/plain");
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if starts_with_tag(text) {
        return Some("text/html");
    }
    if text.starts_with(b"<") {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
        return Some(sniff_xml(text, first_element(&body[..body.len().min(PROLOG)])));
    }
    if is_binary(head) {
        return Some("application/octet-stream");
    }
    if matches!(text.first(), Some(b'{' | b'[')) && matches!(body.trim_ascii_end().last(), Some(b'}' | b']'))
    {
        return Some("application/json");
    }
    Some("text/plain")
}

/// The format whose signature `head` begins with.
fn signature(head: &[u8]) -> Option<&'static str> {
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(kind);
    }
    match head {
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        // The reserved field is zero, and the second header says how long it is.
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, _, _, _, _, 12..=124, 0, 0, 0, ..] => Some("image/bmp"),
        // Version and revision are small numbers.
        [b'I', b'D', b'3', 0..=9, 0..=9, ..] => Some("audio/mpeg"),
        [b'F' | b'C' | b'Z', b'W', b'S', 1..=8 | 11..=12 | 14..=31, ..] => {
            Some("application/x-shockwave-flash")
        }
        _ => None,
    }
}

/// Whether bytes are no text: one in twenty is a control, and not because characters take two or four bytes each.
fn is_binary(head: &[u8]) -> bool {
    let controls =
        head.iter().filter(|b| matches!(b, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)).count();
    controls * 20 > head.len() && utf16_by_zeros(head).is_none() && utf_32(head).is_none()
}

/// What follows declarations, instructions, comments and the doctype.
fn first_element(text: &[u8]) -> &[u8] {
    let mut rest = text;
    loop {
        let end: &[u8] = match rest {
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', ..] => b">",
            _ => return rest,
        };
        let whole = memchr::memmem::find(&rest[2..], end).map(|at| 2 + at + end.len());
        let Some(next) = whole.or_else(|| memchr::memchr(b'>', rest).map(|at| at + 1)) else {
            return &[];
        };
        rest = rest.get(next..).unwrap_or_default().trim_ascii_start();
    }
}

/// The kind of XML: by its beginning, and by what stands after the prolog.
fn sniff_xml(head: &[u8], elements: &[u8]) -> &'static str {
    let (start, elements) = (head.to_ascii_lowercase(), &elements[..elements.len().min(WINDOW)]);
    let lower = elements.to_ascii_lowercase();
    let holds =
        |needle: &[u8]| [&start, &lower].iter().any(|text| memchr::memmem::find(text, needle).is_some());
    let page = [&b"<body"[..], b"<head", b"<div", b"<table", b"<h1"];
    if holds(b"<html") || page.iter().any(|tag| lower.starts_with(tag) && starts_with_tag(elements)) {
        "application/xhtml+xml"
    } else if holds(b"<rss") || holds(b"<rdf:rdf") {
        "application/rss+xml"
    } else if holds(b"<feed") {
        "application/atom+xml"
    } else if lower.starts_with(b"<playlist") && holds(b"xspf.org/ns/") {
        "application/xspf+xml"
    } else if holds(b"<svg") {
        "image/svg+xml"
    } else if head.starts_with(b"<?xml") {
        "application/xml"
    } else if start.starts_with(b"<!doctype") {
        "text/html"
    } else {
        "text/plain"
    }
}

/// Whether `text` starts with a tag of HTML, followed by a space or `>`.
fn starts_with_tag(text: &[u8]) -> bool {
    let Some(text) = text.strip_prefix(b"<") else { return false };
    HTML_TAGS.split(',').any(|tag| {
        text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
            && text.get(tag.len()).is_some_and(|next| {
                tag == "!--" || matches!(next, b' ' | b'>' | b'\t' | b'\n' | b'\r' | b'/')
            })
    })
}

/// Whether a sniffed type is a format that is no text.
pub fn is_format(sniffed: &str) -> bool {
    const OTHERS: &str =
        "image/webp image/bmp audio/mpeg application/x-shockwave-flash application/octet-stream";
    MAGIC.iter().any(|(_, kind)| *kind == sniffed) || OTHERS.split(' ').any(|kind| kind == sniffed)
}

/// Whether a document of this declared and sniffed type is parsed as HTML. A server that says `text/html` is believed
/// unless the bytes are a format that is no text, as a picture's are; one that says `text/plain` is believed too.
pub fn is_markup(declared: Option<&str>, sniffed: Option<&str>) -> bool {
    let looks = matches!(sniffed, Some("text/html" | "application/xhtml+xml"));
    match declared {
        Some(declared) if is_html_type(declared) => sniffed.is_some_and(|kind| !is_format(kind)),
        Some("text/xml" | "application/xml") => sniffed == Some("application/xhtml+xml"),
        None
        | Some(
            "" | "unknown" | "application/unknown" | "unknown/unknown" | "*/*" | "application/octet-stream",
        ) => looks,
        // What is no such document, for it lacks the signature: a page that says that the document is gone.
        Some(declared) if is_signed(declared) => looks,
        Some(_) => false,
    }
}

/// Whether documents of a media type begin with a signature, so that text under this name is something else: PDF, Office
/// files, OpenDocument, EPUB, RTF.
pub fn is_signed(media: &str) -> bool {
    const SIGNED: &str = "application/pdf application/x-pdf application/rtf text/rtf application/msword \
        application/vnd.ms-word application/vnd.ms-excel application/vnd.ms-powerpoint application/epub+zip";
    SIGNED.split(' ').any(|known| known == media)
        || media.starts_with("application/vnd.openxmlformats-officedocument.")
        || media.starts_with("application/vnd.oasis.opendocument.")
}

/// Whether a media type, in lower case and without parameters, is one of HTML or XHTML.
pub fn is_html_type(media: &str) -> bool {
    matches!(
        media,
        "text/html"
            | "text/xhtml"
            | "text/x-server-parsed-html"
            | "application/xhtml"
            | "application/xhtml+xml"
            | "application/vnd.wap.xhtml+xml"
    )
}

/// Whether a file of this name, or an address with this path, is said to be HTML: by its ending, that of compression aside.
///
/// # Examples
/// ```
/// use webmill_html::sniff::is_html_name;
/// assert!(is_html_name("a/page.HTM") && is_html_name("index.php") && is_html_name("page.xhtml.gz"));
/// assert!(!is_html_name("page.txt") && !is_html_name("html"));
/// ```
pub fn is_html_name(name: &str) -> bool {
    let end = name.len().checked_sub(3).and_then(|at| name.get(at..));
    let packed = end.is_some_and(|end| end.eq_ignore_ascii_case(".gz"));
    let name = if packed { name.cut(..name.len() - 3) } else { name };
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| HTML_ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)))
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
            (b"<?xml version='1.0'?><playlist xmlns='http://xspf.org/ns/0/'>", Some("application/xspf+xml")),
            (b"<?xml version='1.0'?><article>http://xspf.org/ns/0/", Some("application/xml")),
            (b"<?xml version='1.0'?><urlset>", Some("application/xml")),
            (b"%PDF-1.4", Some("application/pdf")),
            (b"RIFF....WEBPVP8", Some("image/webp")),
            (b"<pre>\nA story", Some("text/html")),
            (b"<article><h1>A", Some("text/html")),
            (b"<articles><a/></articles>", Some("text/plain")),
            (
                b"<?xml version='1.0'?>\n<?xml-stylesheet href='a.xsl'?>\n<html>",
                Some("application/xhtml+xml"),
            ),
            (b"<?xml version='1.0'?><!-- c --><div><p>x</p></div>", Some("application/xhtml+xml")),
            (b"<?xml version='1.0'?><!-- <html> is not here --><divan>", Some("application/xhtml+xml")),
            (b"<?xml version='1.0'?><!-- c --><divan>", Some("application/xml")),
            (b"<?xml version='1.0' <html><head>", Some("application/xhtml+xml")),
            (b"<?xml <!-- <?", Some("application/xml")),
            (b"BMW and other makers", Some("text/plain")),
            (b"BM6\x00\x00\x00\x00\x00\x00\x006\x00\x00\x00\x28\x00\x00\x00\x01", Some("image/bmp")),
            (b"ID3 tags told", Some("text/plain")),
            (b"CWS is a word", Some("text/plain")),
            (b"ID3\x03\x00\x00\x00\x00", Some("audio/mpeg")),
            (b"words, a bell\x07 and more words", Some("text/plain")),
            (b" \0<\0h\0t\0m\0l\0>\0a\0", Some("text/plain")),
            (b"{\"a\": 1}", Some("application/json")),
            (b"plain words", Some("text/plain")),
            (b"\x01\x02\x03", Some("application/octet-stream")),
        ];
        for (body, want) in table {
            assert_eq!(sniff(body), *want, "{:?}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn comments_longer_than_the_window_hide_no_page() {
        let page = format!("<?xml version=\"1.0\"?>\n<!-- {} -->\n<html><p>x", "licence ".repeat(1000));
        assert_eq!(sniff(page.as_bytes()), Some("application/xhtml+xml"));
        let endless = format!("<?xml version=\"1.0\"?>\n<!-- {}", "licence ".repeat(10_000));
        assert_eq!(sniff(endless.as_bytes()), Some("application/xml"));
    }

    #[test]
    fn belief() {
        assert!(is_markup(Some("text/html"), Some("text/plain")));
        assert!(!is_markup(Some("text/html"), Some("image/png")));
        assert!(!is_markup(Some("text/plain"), Some("text/html")));
        for text in ["application/xml", "application/rss+xml", "image/svg+xml", "application/json"] {
            assert!(is_markup(Some("text/html"), Some(text)) && !is_markup(None, Some(text)), "{text}");
        }
        for binary in ["application/pdf", "application/octet-stream", "audio/mpeg", "image/bmp"] {
            assert!(!is_markup(Some("application/xhtml+xml"), Some(binary)), "{binary}");
        }
        assert!(is_markup(Some("text/xml"), Some("application/xhtml+xml")));
        assert!(!is_markup(Some("text/xml"), Some("application/rss+xml")));
        assert!(!is_markup(Some("text/html"), None));
        assert!(is_markup(None, Some("text/html")));
    }
}
