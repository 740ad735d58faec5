//! What a string literal says.

use std::borrow::Cow;
use webmill_capture::cut::Cut;

/// The characters that a literal stands for; a surrogate alone is the replacement character.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('\\') else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(text.cut(..first));
    let mut rest = text.cut(first..);
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.cut(..at));
        let mut after = rest.cut(at + 1..).chars();
        match after.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b' | 'f' | 'v') => out.push(' '),
            Some('\n') => {}
            Some(kind @ ('x' | 'u')) => {
                let (mut unit, mut bytes) = code(after.as_str(), if kind == 'x' { 2 } else { 4 });
                // A surrogate and its other half are one character.
                if let Some(high) = unit.filter(|unit| (0xd800..0xdc00).contains(unit))
                    && let Some(half) = after.as_str().cut(bytes..).strip_prefix("\\u")
                    && let (Some(low @ 0xdc00..0xe000), more) = code(half, 4)
                {
                    unit = Some(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                    bytes += 2 + more;
                }
                out.push(unit.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
                after = after.as_str().cut(bytes..).chars();
            }
            Some(other) => out.push(other),
            None => {}
        }
        rest = after.as_str();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Most bytes of the digits in braces of `\u{…}`, zeros before them among them.
const MAX_DIGITS: usize = 8;

/// The number in `digits` hexadecimal digits, or in braces, and the bytes that it takes; `None` if there is no number.
fn code(text: &str, digits: usize) -> (Option<u32>, usize) {
    let braced = text.strip_prefix('{').filter(|_| digits == 4);
    let end = braced.and_then(|rest| rest.bytes().take(MAX_DIGITS + 1).position(|b| b == b'}'));
    let (digits, bytes) = match (braced, end) {
        (Some(rest), Some(end)) => (rest.cut(..end), end + 2),
        _ => (text.get(..digits).unwrap_or_default(), text.get(..digits).map_or(0, str::len)),
    };
    (u32::from_str_radix(digits, 16).ok(), bytes)
}
