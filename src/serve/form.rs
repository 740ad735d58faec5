//! Query strings and percent-encoding.

/// The pairs of a query string, decoded as forms are (`+` is a blank); at most `most` of them.
pub fn pairs(query: &str, most: usize) -> Vec<(String, String)> {
    let parts = query.split('&').filter(|part| !part.is_empty());
    parts
        .take(most)
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name, true), decode(value, true))
        })
        .collect()
}

/// Undoes percent-encoding; bytes that are no UTF-8 become U+FFFD. `form`: `+` is a blank.
pub fn decode(text: &str, form: bool) -> String {
    let encoded = text.contains('%') || form && text.contains('+');
    if !encoded {
        return text.to_owned();
    }
    let digit = |b: Option<&u8>| b.and_then(|b| char::from(*b).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (*byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', ..) if form => out.push(b' '),
            (byte, ..) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A URL as it may stand in a header or between angle brackets: blanks, quotes, brackets, control characters and
/// everything beyond ASCII percent-encoded.
pub fn header_url(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for byte in url.bytes() {
        match byte {
            0..=32 | 127.. | b'<' | b'>' | b'"' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
                out.push_str(&format!("%{byte:02X}"));
            }
            byte => out.push(char::from(byte)),
        }
    }
    out
}
