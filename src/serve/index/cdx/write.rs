//! Entries as lines.

use std::io::Write;

use super::Form;
use crate::index::Entry;

/// First line of a CDX file of eleven fields.
pub const HEADER_11: &str = " CDX N b a m s k r M S V g";
/// First line of a CDX file of nine fields.
pub const HEADER_9: &str = " CDX N b a m s k r V g";

/// Appends the entry as a line, with its line end.
///
/// # Examples
/// ```
/// use webmill_serve::index::cdx::{Form, write_line};
/// use webmill_serve::index::{Entry, Timestamp};
/// let entry = Entry {
///     urlkey: "com,example)/".into(),
///     timestamp: Timestamp(20200131235959),
///     url: "http://example.com/".into(),
///     filename: "a.warc.gz".into(),
///     ..Entry::default()
/// };
/// let mut line = Vec::new();
/// write_line(Form::Cdx11, &entry, &mut line);
/// assert_eq!(line, b"com,example)/ 20200131235959 http://example.com/ - - - - - - 0 a.warc.gz\n");
/// ```
pub fn write_line(form: Form, entry: &Entry<'_>, out: &mut Vec<u8>) {
    push_word(&entry.urlkey, out);
    out.push(b' ');
    push_number(14, entry.timestamp.0, out);
    out.push(b' ');
    match form {
        Form::Cdxj => push_json(entry, out),
        Form::Cdx9 | Form::Cdx11 => push_fields(form, entry, out),
    }
    out.push(b'\n');
}

fn push_fields(form: Form, entry: &Entry<'_>, out: &mut Vec<u8>) {
    for word in [&entry.url, &entry.mime] {
        push_word(word, out);
        out.push(b' ');
    }
    push_optional(entry.status.map(u64::from), out);
    out.push(b' ');
    for word in [&entry.digest, &entry.redirect] {
        push_word(word, out);
        out.push(b' ');
    }
    if form == Form::Cdx11 {
        push_word(&entry.robotflags, out);
        out.push(b' ');
        push_optional(entry.length, out);
        out.push(b' ');
    }
    push_number(1, entry.offset, out);
    out.push(b' ');
    push_word(&entry.filename, out);
}

fn push_json(entry: &Entry<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"url\": ");
    push_text(&entry.url, out);
    let text = |name: &str, value: &str, out: &mut Vec<u8>| {
        if !value.is_empty() {
            out.extend_from_slice(b", \"");
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"\": ");
            push_text(value, out);
        }
    };
    let number = |name: &str, value: u64, out: &mut Vec<u8>| {
        out.extend_from_slice(b", \"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\": \"");
        push_number(1, value, out);
        out.push(b'"');
    };
    text("mime", &entry.mime, out);
    if let Some(status) = entry.status {
        number("status", u64::from(status), out);
    }
    text("digest", &entry.digest, out);
    text("redirect", &entry.redirect, out);
    text("robotflags", &entry.robotflags, out);
    if let Some(length) = entry.length {
        number("length", length, out);
    }
    number("offset", entry.offset, out);
    text("filename", &entry.filename, out);
    for (name, value) in &entry.extra {
        out.extend_from_slice(b", ");
        push_text(name, out);
        out.extend_from_slice(b": ");
        // A value is JSON, but it shall not end the line.
        out.extend(value.bytes().map(|b| if b < b' ' { b' ' } else { b }));
    }
    out.push(b'}');
}

/// As JSON.
fn push_text(text: &str, out: &mut Vec<u8>) {
    let plain = text.bytes().all(|b| b >= b' ' && b != b'"' && b != b'\\' && b != 0x7f);
    if plain {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        serde_json::to_writer(out, text).expect("memory takes any text");
    }
}

/// A field of its own: `-` for nothing, blanks and controls percent-encoded.
fn push_word(word: &str, out: &mut Vec<u8>) {
    if word.is_empty() {
        out.push(b'-');
    } else if word.bytes().all(|b| b > b' ' && b != 0x7f) {
        out.extend_from_slice(word.as_bytes());
    } else {
        for byte in word.bytes() {
            match byte {
                ..=b' ' | 0x7f => write!(out, "%{byte:02X}").expect("memory takes any text"),
                _ => out.push(byte),
            }
        }
    }
}

fn push_optional(value: Option<u64>, out: &mut Vec<u8>) {
    match value {
        Some(value) => push_number(1, value, out),
        None => out.push(b'-'),
    }
}

/// Decimal digits, with zeros before to be `width` at least.
fn push_number(width: usize, mut value: u64, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while value > 0 {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
    }
    out.extend_from_slice(&digits[at.min(digits.len() - width)..]);
}
