//! Strings of dictionaries as text, and dates.

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::fonts::doc_encoding;

/// A text string: UTF-16 or UTF-8 behind a mark, else PDFDocEncoding. Controls are left out.
pub(super) fn text(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xFE, 0xFF, rest @ ..] => UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xFF, 0xFE, rest @ ..] => UTF_16LE.decode_without_bom_handling(rest).0.into_owned(),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match std::str::from_utf8(bytes) {
            // Not allowed, but common; bytes beyond ASCII are hardly ever UTF-8 by chance.
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| doc_encoding(*byte)).collect(),
        },
    };
    // Escapes that name the language of what follows: between two U+001B.
    let mut inside = false;
    let shown = text.chars().filter(|&c| {
        if c == '\u{1B}' {
            inside = !inside;
        }
        !inside && (!c.is_control() || matches!(c, '\t' | '\n' | '\r')) && c != '\u{FFFD}'
    });
    shown.collect()
}
