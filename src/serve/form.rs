//! Query strings and percent-encoding.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What a header or angle brackets cannot hold.
const HEADER: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'<')
    .add(b'>')
    .add(b'"')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Parameters of a query string; further ones are not read.
const MAX_PAIRS: usize = 100;

/// The pairs of a query string, decoded as forms are (`+` is a blank); the first `MAX_PAIRS` of them.
pub fn pairs(query: &str) -> Vec<(String, String)> {
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.take(MAX_PAIRS).map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// Undoes percent-encoding; bytes that are no UTF-8 become U+FFFD.
pub fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A URL as it may stand in a header or between angle brackets: blanks, quotes, brackets, control characters and
/// everything beyond ASCII percent-encoded.
pub fn header_url(url: &str) -> String {
    utf8_percent_encode(url, HEADER).to_string()
}
