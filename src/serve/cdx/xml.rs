//! The XML that OpenWayback asks of a remote index (`q=type:urlquery url:…`), as OutbackCDX answers it.

use std::fmt::Write;

use crate::index::query::{Query, Row};
use webmill_capture::escape::push_escaped;

use crate::form::decode;

/// Results where the client does not say how many.
const RESULTS: u64 = 10_000;

/// The pairs that a query in this language is in ours. Anything that is no `name:value` is passed over.
pub fn xml_pairs(q: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut limited = false;
    for word in q.split(' ').filter(|word| !word.is_empty()) {
        let Some((name, value)) = word.split_once(':') else { continue };
        let mut pair = |name: &str, value: String| pairs.push((name.to_owned(), value));
        match name {
            // Encoded once more within the query.
            "url" if value.contains("://") => pair("url", value.to_owned()),
            "url" => pair("url", decode(value)),
            "type" if value == "prefixquery" => pair("matchType", "prefix".to_owned()),
            "type" => pair("matchType", "exact".to_owned()),
            "limit" => {
                limited = true;
                pair("limit", value.to_owned());
            }
            "offset" => pair("offset", value.to_owned()),
            "startdate" => pair("from", value.to_owned()),
            "enddate" => pair("to", value.to_owned()),
            _ => {}
        }
    }
    if !limited {
        pairs.push(("limit".to_owned(), RESULTS.to_string()));
    }
    pairs
}

/// Writes the answer.
pub struct XmlWriter {
    /// Bytes written and not yet taken.
    pub out: String,
}

impl XmlWriter {
    /// Begins the answer to a query.
    pub fn new(query: &Query, prefix: bool, now: &str) -> XmlWriter {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<wayback>\n<request>\n");
        let key = query.range.from.as_str();
        let time = |time: Option<crate::index::Timestamp>, other: &str| {
            time.map_or_else(|| other.to_owned(), |time| time.to_string())
        };
        for (name, value) in [
            ("startdate", time(query.from, "19960101000000")),
            ("enddate", time(query.to, now)),
            ("type", if prefix { "prefixquery" } else { "urlquery" }.to_owned()),
            ("firstreturned", query.offset.to_string()),
            ("url", key.to_owned()),
            ("resultsrequested", query.most_rows().to_string()),
            ("resultstype", "resultstypecapture".to_owned()),
        ] {
            element(name, &value, &mut out);
        }
        out.push_str("</request>\n<results>\n");
        XmlWriter { out }
    }

    /// Writes a row.
    pub fn row(&mut self, row: &Row<'_, '_>) {
        let entry = row.entry;
        let or_dash = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
        self.out.push_str("<result>\n");
        for (name, value) in [
            ("compressedoffset", entry.offset.to_string()),
            // So called, and its length by custom.
            ("compressedendoffset", entry.length.map_or_else(|| "-".to_owned(), |length| length.to_string())),
            ("mimetype", or_dash(row.mime())),
            ("file", entry.filename.to_string()),
            ("redirecturl", or_dash(&entry.redirect)),
            ("urlkey", entry.urlkey.to_string()),
            ("digest", or_dash(&entry.digest)),
            ("httpresponsecode", entry.status.map_or_else(|| "-".to_owned(), |status| status.to_string())),
            ("robotflags", or_dash(&entry.robotflags)),
            ("url", entry.url.to_string()),
            ("capturedate", entry.timestamp.to_string()),
        ] {
            element(name, &value, &mut self.out);
        }
        self.out.push_str("</result>\n");
    }

    /// Ends the answer.
    pub fn end(&mut self) {
        self.out.push_str("</results>\n</wayback>\n");
    }
}

fn element(name: &str, text: &str, out: &mut String) {
    let _ = write!(out, "<{name}>");
    for c in text.chars() {
        match c {
            // Characters that XML cannot say.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}')
            }
            c => push_escaped(c, out),
        }
    }
    let _ = writeln!(out, "</{name}>");
}
