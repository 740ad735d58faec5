//! Characters of a part: its charset, and references.

use std::borrow::Cow;

/// Bytes of a part as text: by their mark, by zeros between, by the declared charset, else UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> String {
    if let Some((charset, _)) = encoding_rs::Encoding::for_bom(bytes) {
        return charset.decode(bytes).0.into_owned();
    }
    if bytes.starts_with(b"<\0") {
        return encoding_rs::UTF_16LE.decode(bytes).0.into_owned();
    }
    if bytes.starts_with(b"\0<") {
        return encoding_rs::UTF_16BE.decode(bytes).0.into_owned();
    }
    let declared = declared_charset(bytes.get(..bytes.len().min(200)).unwrap_or_default());
    declared.unwrap_or(encoding_rs::UTF_8).decode(bytes).0.into_owned()
}

fn declared_charset(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let head = String::from_utf8_lossy(head);
    let declaration = head.strip_prefix("<?xml")?.split_once("?>")?.0;
    let label = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let label = label.split(['"', '\'']).nth(1)?;
    // A part whose declaration can be read byte by byte is not of two bytes a character, whatever it says.
    encoding_rs::Encoding::for_label(label.as_bytes()).filter(|charset| charset.is_ascii_compatible())
}

/// Words with references replaced by what they stand for; those that XML does not know stay as they are.
pub(super) fn unescaped(raw: &str) -> Cow<'_, str> {
    if !raw.contains('&') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        let reference =
            from.get(1..).and_then(|from| from.split_once(';')).filter(|(name, _)| name.len() < 12);
        match reference.and_then(|(name, behind)| Some((character(name)?, behind))) {
            Some((c, behind)) => {
                text.push(c);
                rest = behind;
            }
            None => {
                text.push('&');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => {}
    }
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|&c| c != '\0')
}
