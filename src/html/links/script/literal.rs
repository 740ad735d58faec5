//! What a string literal says.

use std::borrow::Cow;

/// The characters that a literal stands for; a surrogate alone is the replacement character.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('\\') else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let mut after = rest[at + 1..].chars();
        match after.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b' | 'f' | 'v') => out.push(' '),
            Some('\n') => {}
            Some(kind @ ('x' | 'u')) => {
                let (code, bytes) = code(after.as_str(), if kind == 'x' { 2 } else { 4 });
                out.push(code);
                after = after.as_str()[bytes..].chars();
            }
            Some(other) => out.push(other),
            None => {}
        }
        rest = after.as_str();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The character of so many hexadecimal digits, or of those in braces, and the bytes that say it.
fn code(text: &str, digits: usize) -> (char, usize) {
    let braced = text.strip_prefix('{').and_then(|rest| rest.split_once('}')).filter(|_| digits == 4);
    let (digits, bytes) = match braced {
        Some((digits, _)) => (digits, digits.len() + 2),
        None => (text.get(..digits).unwrap_or_default(), text.get(..digits).map_or(0, str::len)),
    };
    let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    (code.unwrap_or(char::REPLACEMENT_CHARACTER), bytes)
}
