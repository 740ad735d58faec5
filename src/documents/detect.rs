//! Which kind of document a body is, by its bytes; what was declared of it only parts texts.
//!
//! **Definition.** A signature decides before any label: a PDF is one whatever the server calls it. Containers are told by
//! what they hold: a ZIP by the media type that its entry `mimetype` states (OpenDocument, EPUB) or the folders of its
//! entries (`word/`, `ppt/`, `xl/`), an OLE file by its streams. Texts have no signature: media type and ending of the path
//! tell Markdown and tables from other texts; pages, scripts, styles and data of programs are no documents.
//!
//! **Cost.** A search through the bytes of a container; for all else a look at the first kilobyte.
//!
//! **Bad input.** Names of entries are read wherever the signature of an entry stands, so that a container without its
//! directory is known as well; at most 65,536 are looked at.

use memchr::memmem;

use crate::Kind;

/// Bytes at the beginning in which a PDF may begin (ISO 32000-1, annex H.3.4.1 as implemented).
const PDF_WINDOW: usize = 1024;

/// Entries of a container that are looked at.
const MAX_ENTRIES: usize = 65_536;

/// Media type and address of a body, beside its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints<'a> {
    /// Media type that the server declared, lower case, without parameters.
    pub media_type: Option<&'a str>,
    /// Media type that the bytes look like, by [`sniff`](webmill_html::sniff::sniff).
    pub sniffed: Option<&'a str>,
    /// Path of its address, or name of its file.
    pub path: &'a str,
}

/// The kind of document that a body is; `None` for anything else.
///
/// # Examples
/// ```
/// use webmill_documents::{Hints, Kind, detect};
/// let hints = Hints { media_type: Some("text/html"), ..Hints::default() };
/// assert_eq!(detect(b"%PDF-1.4\n", &hints), Some(Kind::Pdf));
/// assert_eq!(detect(b"<p>Tea", &hints), None);
/// ```
pub fn detect(body: &[u8], hints: &Hints<'_>) -> Option<Kind> {
    match body {
        [b'P', b'K', 3, 4, ..] => return zip_kind(body),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => return ole_kind(body, hints),
        [b'{', b'\\', b'r', b't', b'f', ..] => return Some(Kind::Rtf),
        _ => {}
    }
    let is_page = matches!(hints.sniffed, Some("text/html" | "application/xhtml+xml"));
    let head = body.get(..PDF_WINDOW).unwrap_or(body);
    let at = memmem::find(head, b"%PDF-");
    if at == Some(0) || at.is_some() && (!is_page || hints.media_type == Some("application/pdf")) {
        return Some(Kind::Pdf);
    }
    text_kind(body, hints)
}

/// The document that a ZIP is.
fn zip_kind(body: &[u8]) -> Option<Kind> {
    let mut found = None;
    for (name, from) in entry_names(body).take(MAX_ENTRIES) {
        if name == b"mimetype" {
            let stated = body.get(from..).unwrap_or_default();
            if let Some(kind) = stated_kind(stated.get(..80).unwrap_or(stated)) {
                return Some(kind);
            }
        }
        let kind = match name {
            b"xl/workbook.bin" => Some(Kind::Xlsb),
            b"word/document.xml" | b"word/document2.xml" => Some(Kind::Docx),
            b"ppt/presentation.xml" => Some(Kind::Pptx),
            b"xl/workbook.xml" => Some(Kind::Xlsx),
            b"META-INF/container.xml" => Some(Kind::Epub),
            _ => None,
        };
        // A document may hold others as parts: its own are named at the top.
        if kind.is_some() && (found.is_none() || kind == Some(Kind::Xlsb)) {
            found = kind;
        }
    }
    found
}

/// Names of the entries of a ZIP with the places where their data begin, as they are met.
fn entry_names(body: &[u8]) -> impl Iterator<Item = (&[u8], usize)> {
    memmem::find_iter(body, b"PK\x03\x04").filter_map(|at| {
        let header = body.get(at..at + 30)?;
        let number =
            |at: usize| Some(usize::from(u16::from_le_bytes([*header.get(at)?, *header.get(at + 1)?])));
        let (name, extra) = (number(26)?, number(28)?);
        Some((body.get(at + 30..at + 30 + name)?, at + 30 + name + extra))
    })
}

/// The kind that an entry `mimetype` states.
fn stated_kind(stated: &[u8]) -> Option<Kind> {
    let opendocument = b"application/vnd.oasis.opendocument.";
    if stated.starts_with(b"application/epub+zip") {
        return Some(Kind::Epub);
    }
    let form = stated.strip_prefix(opendocument)?;
    [(&b"text"[..], Kind::Odt), (b"presentation", Kind::Odp), (b"spreadsheet", Kind::Ods)]
        .into_iter()
        .find_map(|(name, kind)| form.starts_with(name).then_some(kind))
}

/// The document that an OLE file is: its directory names streams in UTF-16. One that is encrypted holds what it was called.
fn ole_kind(body: &[u8], hints: &Hints<'_>) -> Option<Kind> {
    let holds = |name: &str| {
        let wide: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
        memmem::find(body, &wide).is_some()
    };
    if holds("EncryptedPackage") {
        let ending = ending(hints.path);
        let named = [Kind::Docx, Kind::Xlsx, Kind::Pptx, Kind::Xlsb].into_iter();
        return named.clone().find(|kind| kind.name() == ending).or(Some(Kind::Docx));
    }
    // A text or a presentation may hold sheets as parts, and a presentation texts.
    [
        ("PowerPoint Document", Kind::Ppt),
        ("WordDocument", Kind::Doc),
        ("Workbook", Kind::Xls),
        ("Book", Kind::Xls),
    ]
    .into_iter()
    .find_map(|(name, kind)| holds(name).then_some(kind))
}

/// The document that a text is.
fn text_kind(body: &[u8], hints: &Hints<'_>) -> Option<Kind> {
    let ending = ending(hints.path);
    match hints.sniffed? {
        "application/rss+xml" | "application/atom+xml" | "application/xspf+xml" => return Some(Kind::Feed),
        "application/json" => {
            let head = body.get(..PDF_WINDOW).unwrap_or(body);
            return memmem::find(head, b"jsonfeed.org/version").map(|_| Kind::Feed);
        }
        "text/plain" => {}
        // What is declared plain text is read as a browser shows it.
        "text/html" | "application/xhtml+xml" | "application/xml" => {
            return (hints.media_type == Some("text/plain") && !is_program(&ending)).then_some(Kind::Text);
        }
        _ => return None,
    }
    let sheet = matches!(ending.as_str(), "csv" | "tsv" | "tab");
    match hints.media_type {
        Some("text/markdown" | "text/x-markdown") => Some(Kind::Markdown),
        Some("text/csv" | "application/csv" | "text/x-csv" | "text/tab-separated-values") => Some(Kind::Csv),
        Some("application/vnd.ms-excel") => Some(Kind::Csv),
        None
        | Some(
            "" | "text/plain" | "application/octet-stream" | "binary/octet-stream" | "text/x-web-markdown",
        ) => match ending.as_str() {
            _ if sheet => Some(Kind::Csv),
            "md" | "markdown" | "mkd" | "mdown" => Some(Kind::Markdown),
            _ if is_program(&ending) || hints.path == "/robots.txt" => None,
            _ => Some(Kind::Text),
        },
        Some(_) => None,
    }
}

/// Whether files of this ending are read by programs rather than people.
fn is_program(ending: &str) -> bool {
    matches!(
        ending,
        "js" | "mjs"
            | "css"
            | "json"
            | "xml"
            | "xsl"
            | "map"
            | "svg"
            | "ics"
            | "webmanifest"
            | "wasm"
            | "cdx"
            | "cdxj"
    )
}

/// The ending of a path, lower case.
fn ending(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_html::sniff::sniff;

    fn kind(body: &[u8], media_type: Option<&str>, path: &str) -> Option<Kind> {
        detect(body, &Hints { media_type, sniffed: sniff(body), path })
    }

    fn entry(name: &str, data: &str) -> Vec<u8> {
        let mut entry = b"PK\x03\x04".to_vec();
        entry.extend([0; 22]);
        entry.extend((name.len() as u16).to_le_bytes());
        entry.extend([0; 2]);
        entry.extend(name.as_bytes());
        entry.extend(data.as_bytes());
        entry
    }

    #[test]
    fn bytes_decide() {
        let ole = |name: &str| {
            let wide = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes);
            [0xd0, 0xcf, 0x11, 0xe0].into_iter().chain(wide).collect::<Vec<u8>>()
        };
        type Case<'a> = (Vec<u8>, Option<&'a str>, &'a str, Option<Kind>);
        let table: &[Case<'_>] = &[
            (b"%PDF-1.7".to_vec(), Some("text/html"), "/a.html", Some(Kind::Pdf)),
            (b"junk\n%PDF-1.7".to_vec(), None, "/a", Some(Kind::Pdf)),
            (b"<p>about %PDF-1.7".to_vec(), Some("text/html"), "/a", None),
            (b"<html><p>Not found".to_vec(), Some("application/pdf"), "/a.pdf", None),
            (entry("word/document.xml", "<w"), None, "/a.zip", Some(Kind::Docx)),
            (
                [entry("[Content_Types].xml", ""), entry("xl/workbook.bin", "")].concat(),
                None,
                "",
                Some(Kind::Xlsb),
            ),
            (entry("mimetype", "application/vnd.oasis.opendocument.text"), None, "", Some(Kind::Odt)),
            (
                entry("mimetype", "application/vnd.oasis.opendocument.spreadsheet-template"),
                None,
                "",
                Some(Kind::Ods),
            ),
            (entry("mimetype", "application/epub+zip"), None, "", Some(Kind::Epub)),
            (entry("readme.txt", "word/document.xml"), None, "/a.docx", None),
            (ole("WordDocument"), None, "/a.xls", Some(Kind::Doc)),
            (ole("Workbook"), None, "", Some(Kind::Xls)),
            (ole("EncryptedPackage"), None, "/a.xlsx", Some(Kind::Xlsx)),
            (ole("Other"), None, "/a.doc", None),
            (b"{\\rtf1 x}".to_vec(), Some("application/msword"), "/a.doc", Some(Kind::Rtf)),
            (b"plain words".to_vec(), Some("text/plain"), "/a.txt", Some(Kind::Text)),
            (b"<b>no page</b>".to_vec(), Some("text/plain"), "/a.txt", Some(Kind::Text)),
            (b"var a = 1;".to_vec(), Some("text/plain"), "/a.js", None),
            (b"User-agent: *".to_vec(), Some("text/plain"), "/robots.txt", None),
            (b"a,b\n1,2".to_vec(), Some("text/plain"), "/a.CSV", Some(Kind::Csv)),
            (b"a\tb\n1\t2".to_vec(), Some("text/tab-separated-values"), "/x", Some(Kind::Csv)),
            (b"# Tea".to_vec(), Some("text/markdown"), "/x", Some(Kind::Markdown)),
            (b"# Tea".to_vec(), Some("text/css"), "/x", None),
            (
                b"<?xml version='1.0'?><rss><channel/></rss>".to_vec(),
                Some("text/xml"),
                "/x",
                Some(Kind::Feed),
            ),
            (b"{\"version\": \"https://jsonfeed.org/version/1.1\"}".to_vec(), None, "/x", Some(Kind::Feed)),
            (b"{\"a\": 1}".to_vec(), Some("application/json"), "/x", None),
            (Vec::new(), None, "/x.txt", None),
        ];
        for (body, media_type, path, expected) in table {
            assert_eq!(kind(body, *media_type, path), *expected, "{media_type:?} {path}");
        }
    }
}
