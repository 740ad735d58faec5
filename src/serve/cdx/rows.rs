//! Rows of an answer in each form.
//!
//! | | text | json | cdxj | link |
//! |---|---|---|---|---|
//! | pywb | CDX-11 or `fl` | an object a line | key, time, object | links |
//! | Wayback | seven fields or `fl` | array of arrays, names first, all strings | as pywb | – |
//! | OutbackCDX | CDX-11 or `fl` | array of arrays, numbers as numbers | as pywb | – |
//!
//! Empty fields are `-` in text and not there in objects. Blanks and control characters in a field of text are
//! percent-encoded, so that a line has as many columns as it should.

use std::fmt::Write;

use crate::index::query::{Dialect, Field, FieldKind, Output, PageLine, Pages, Query, QueryEnd, Row};

use super::json;
use crate::form::header_url;
use crate::memento::http_date;

/// Writes the rows of one answer.
pub struct RowWriter {
    dialect: Dialect,
    output: Output,
    fields: Option<Vec<Field>>,
    dupes: bool,
    originals: bool,
    /// The collection, for links.
    collection: String,
    rows: u64,
    /// Bytes written and not yet taken.
    pub out: String,
}

fn fields(names: &str, dialect: Dialect) -> Vec<Field> {
    names.split(' ').filter_map(|name| Field::parse(name, dialect).ok()).collect()
}

impl RowWriter {
    /// A writer for the answer of `query` about `collection`.
    pub fn new(query: &Query, collection: &str) -> RowWriter {
        let mut fields = match (&query.fields, query.output, query.dialect) {
            (Some(fields), ..) => Some(fields.clone()),
            (None, Output::Cdxj | Output::Link, _) | (None, Output::Json, Dialect::Pywb) => None,
            (None, _, Dialect::Wayback) => {
                Some(fields("urlkey timestamp original mimetype statuscode digest length", query.dialect))
            }
            (None, Output::Json, _) => Some(fields(
                "urlkey timestamp original mimetype statuscode digest length offset filename",
                query.dialect,
            )),
            (None, Output::Text, _) => Some(fields(
                "urlkey timestamp original mimetype statuscode digest redirect robotflags length offset filename",
                query.dialect,
            )),
        };
        if let Some(list) = &mut fields
            && query.fields.is_none()
        {
            if query.resolve_revisits {
                list.extend(self::fields("orig.length orig.offset orig.filename", query.dialect));
            }
            if query.show_dupe_count {
                list.extend(self::fields("dupecount", query.dialect));
            }
        }
        RowWriter {
            dialect: query.dialect,
            output: query.output,
            fields,
            dupes: query.show_dupe_count,
            originals: query.resolve_revisits,
            collection: collection.to_owned(),
            rows: 0,
            out: String::new(),
        }
    }

    /// The media type of the answer.
    pub fn media_type(&self) -> &'static str {
        match (self.output, self.dialect) {
            (Output::Cdxj, _) => "text/x-cdxj",
            (Output::Json, Dialect::Pywb) => "text/x-ndjson",
            (Output::Json, _) => "application/json",
            (Output::Link, _) => "application/link-format",
            (Output::Text, _) => "text/plain",
        }
    }

    fn is_array(&self) -> bool {
        self.output == Output::Json && self.dialect != Dialect::Pywb
    }

    /// Writes a row.
    pub fn row(&mut self, row: &Row<'_, '_>) {
        match self.output {
            Output::Text => self.text(row),
            Output::Json if self.is_array() => self.array(row),
            Output::Json => {
                self.object(row, true);
                self.out.push('\n');
            }
            Output::Cdxj => {
                let _ = write!(self.out, "{} {} ", column(&row.entry.urlkey), row.entry.timestamp);
                self.object(row, false);
                self.out.push('\n');
            }
            Output::Link => {
                let separator = if self.rows == 0 { "" } else { ",\n" };
                let _ = write!(
                    self.out,
                    "{separator}<{}>; rel=\"memento\"; datetime=\"{}\"; collection=\"{}\"",
                    header_url(&row.entry.url),
                    http_date(row.entry.timestamp),
                    self.collection
                );
            }
        }
        self.rows += 1;
    }

    fn text(&mut self, row: &Row<'_, '_>) {
        for (number, field) in self.fields.iter().flatten().enumerate() {
            if number > 0 {
                self.out.push(' ');
            }
            match field.value(row) {
                Some(value) => self.out.push_str(&column(&value)),
                None => self.out.push('-'),
            }
        }
        self.out.push('\n');
    }

    /// The names of the columns, where they come first.
    fn header(&mut self) {
        self.out.push('[');
        if self.dialect == Dialect::Wayback {
            let names: Vec<String> = self.fields.iter().flatten().map(|field| field.name.clone()).collect();
            self.strings(&names);
            self.rows += 1;
        }
    }

    fn strings(&mut self, values: &[String]) {
        self.out.push('[');
        for (number, value) in values.iter().enumerate() {
            if number > 0 {
                self.out.push_str(", ");
            }
            json::string(value, &mut self.out);
        }
        self.out.push(']');
    }

    fn array(&mut self, row: &Row<'_, '_>) {
        if self.rows == 0 {
            self.header();
        }
        if self.rows > 0 {
            self.out.push_str(",\n");
        }
        let fields = self.fields.take().unwrap_or_default();
        if self.dialect == Dialect::Wayback {
            let value = |field: &Field| field.value(row).map_or_else(|| "-".to_owned(), |v| v.into_owned());
            self.strings(&fields.iter().map(value).collect::<Vec<_>>());
        } else {
            self.out.push('[');
            for (number, field) in fields.iter().enumerate() {
                if number > 0 {
                    self.out.push_str(", ");
                }
                match field.value(row) {
                    Some(value) if is_number(&field.kind) => {
                        self.out.push_str(match value.trim_start_matches('0') {
                            "" => "0",
                            digits => digits,
                        });
                    }
                    Some(value) => json::string(&value, &mut self.out),
                    None => self.out.push_str("null"),
                }
            }
            self.out.push(']');
        }
        self.fields = Some(fields);
    }

    fn object(&mut self, row: &Row<'_, '_>, with_key: bool) {
        self.out.push('{');
        let mut first = true;
        let mut put = |out: &mut String, name: &str, value: &str| {
            if !std::mem::take(&mut first) {
                out.push_str(", ");
            }
            json::string(name, out);
            out.push_str(": ");
            json::string(value, out);
        };
        let known: &[(&str, FieldKind)] = match &self.fields {
            Some(_) => &[],
            None => &[
                ("urlkey", FieldKind::UrlKey),
                ("timestamp", FieldKind::Timestamp),
                ("url", FieldKind::Url),
                ("mime", FieldKind::Mime),
                ("status", FieldKind::Status),
                ("digest", FieldKind::Digest),
                ("redirect", FieldKind::Redirect),
                ("robotflags", FieldKind::RobotFlags),
                ("length", FieldKind::Length),
                ("offset", FieldKind::Offset),
                ("filename", FieldKind::Filename),
            ],
        };
        for (name, kind) in &known[if with_key { 0 } else { 2.min(known.len()) }..] {
            // Names of nothing but a kind: making one a row is cheaper than a lock around a list of them.
            if let Some(value) = Field::known("", kind.clone()).value(row) {
                put(&mut self.out, name, &value);
            }
        }
        for field in self.fields.iter().flatten() {
            let of_line = matches!(field.kind, FieldKind::UrlKey | FieldKind::Timestamp);
            if let Some(value) = field.value(row).filter(|_| with_key || !of_line) {
                put(&mut self.out, &field.name, &value);
            }
        }
        if self.originals && self.fields.is_none() {
            let dash = || "-".into();
            for (name, kind) in [
                ("orig.length", FieldKind::OriginalLength),
                ("orig.offset", FieldKind::OriginalOffset),
                ("orig.filename", FieldKind::OriginalFilename),
            ] {
                put(&mut self.out, name, &Field::known("", kind).value(row).unwrap_or_else(dash));
            }
        }
        if let (true, None, Some(dupes)) = (self.dupes, &self.fields, row.dupes) {
            put(&mut self.out, "dupecount", &dupes.to_string());
        }
        if self.fields.is_none() {
            for (name, value) in &row.entry.extra {
                if !std::mem::take(&mut first) {
                    self.out.push_str(", ");
                }
                json::string(name, &mut self.out);
                self.out.push_str(": ");
                json::value(value, &mut self.out);
            }
        }
        self.out.push('}');
    }

    /// Writes what comes after the last row.
    pub fn end(&mut self, end: &QueryEnd) {
        // Nothing at all, not even the names of columns: as the servers of the field say that they have nothing.
        if self.is_array() && self.rows == 0 {
            self.out.push('[');
        }
        if let Some(key) = &end.resume_key {
            match (self.output, self.is_array()) {
                (_, true) => {
                    self.out.push_str(if self.rows == 0 { "" } else { ",\n" });
                    self.out.push_str("[],\n[");
                    json::string(&key.to_string(), &mut self.out);
                    self.out.push(']');
                }
                (Output::Json, false) => {
                    self.out.push_str("{\"resumeKey\": ");
                    json::string(&key.to_string(), &mut self.out);
                    self.out.push_str("}\n");
                }
                _ => {
                    let _ = write!(self.out, "\n{key}\n");
                }
            }
        }
        if self.is_array() {
            self.out.push_str("]\n");
        } else if self.output == Output::Link {
            self.out.push('\n');
        }
    }

    /// Writes how many pages there are.
    pub fn pages(&mut self, pages: &Pages) {
        let Pages { pages, page_size, blocks, .. } = pages;
        let _ = match self.dialect {
            Dialect::Pywb => {
                writeln!(self.out, "{{\"pages\": {pages}, \"pageSize\": {page_size}, \"blocks\": {blocks}}}")
            }
            _ => writeln!(self.out, "{pages}"),
        };
    }

    /// Writes where a block begins: key and time, and after tabs the collection, its first line, and its number.
    pub fn page_line(&mut self, line: &PageLine<'_>) {
        if self.output == Output::Json && self.dialect == Dialect::Pywb {
            self.out.push_str("{\"urlkey\": ");
            json::string(&format!("{} {}", line.urlkey, line.timestamp), &mut self.out);
            self.out.push_str(", \"part\": ");
            json::string(&self.collection, &mut self.out);
            let _ = writeln!(self.out, ", \"line\": {}, \"lineno\": {}}}", line.line, line.block);
        } else {
            let key = column(line.urlkey);
            let _ = writeln!(
                self.out,
                "{key} {}\t{}\t{}\t{}",
                line.timestamp, self.collection, line.line, line.block
            );
        }
    }
}

/// Whether OutbackCDX writes a field as a number.
fn is_number(kind: &FieldKind) -> bool {
    use FieldKind as K;
    matches!(
        kind,
        K::Timestamp
            | K::Status
            | K::Length
            | K::Offset
            | K::OriginalLength
            | K::OriginalOffset
            | K::DupeCount
    )
}

/// A field of a line of text.
fn column(value: &str) -> std::borrow::Cow<'_, str> {
    if !value.contains(|c: char| c <= ' ' || c == '\u{7f}') {
        return value.into();
    }
    let mut out = String::with_capacity(value.len() + 8);
    for c in value.chars() {
        if c <= ' ' || c == '\u{7f}' {
            let _ = write!(out, "%{:02X}", c as u32);
        } else {
            out.push(c);
        }
    }
    out.into()
}
