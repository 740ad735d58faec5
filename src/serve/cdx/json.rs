//! JSON as pywb writes it: a blank after commas and colons, ASCII alone.

use std::fmt::Write;

/// Writes a string with its quotes.
pub fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            c => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

/// Writes a value that is JSON already; any other text becomes a string.
pub fn value(json: &str, out: &mut String) {
    if json.is_ascii()
        && !json.contains(['\n', '\r'])
        && serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok()
    {
        out.push_str(json);
    } else if let Ok(text) = serde_json::from_str::<String>(json) {
        string(&text, out);
    } else if let Ok(value) = serde_json::from_str::<serde_json::Value>(json) {
        // Names and texts beyond ASCII are JSON as well.
        out.push_str(&value.to_string());
    } else {
        string(json, out);
    }
}
