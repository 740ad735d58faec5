//! Characters of tags: charsets that are named, and those that are not.
//!
//! Writers of tags put whatever their system used where the standards say Latin-1. What all such fields of a file say
//! together is given to the detection of `webmill-html`: a title of four bytes tells nothing, six fields do.

use std::borrow::Cow;

use webmill_html::charset;

/// Bytes of a field that are kept.
pub(crate) const MAX_FIELD: usize = 4 << 10;

/// Bytes of lyrics that are kept.
pub(crate) const MAX_LYRICS: usize = 256 << 10;

/// What separates fields that are detected together: no trailing byte of any charset, so a character that a field of fixed
/// length cuts off ends there.
const BETWEEN: u8 = b'\n';

/// Characters of fields whose charset nobody knows, detected over all of them together; UTF-8 where they are that.
pub(crate) fn detected(fields: &[&[u8]], tld: Option<&[u8]>) -> Vec<String> {
    let joined = joined(fields);
    let decoded = charset::decode(&joined, None, tld);
    apart(&decoded.text, fields.len()).unwrap_or_else(|| {
        // Only a charset of wide characters or escapes swallows the line breaks between.
        fields.iter().map(|field| charset::decode(field, None, tld).text.into_owned()).collect()
    })
}

/// Fields as lines.
fn joined(fields: &[&[u8]]) -> Vec<u8> {
    fields.iter().map(|field| without_breaks(field)).collect::<Vec<_>>().join(&BETWEEN)
}

/// Splits a text of `count` lines into its fields again.
fn apart(text: &str, count: usize) -> Option<Vec<String>> {
    let parts: Vec<&str> = text.split('\n').collect();
    let back = |part: &&str| part.replace('\u{b}', "\n").trim_end_matches('\u{FFFD}').to_owned();
    (parts.len() == count).then(|| parts.iter().map(back).collect())
}

/// Line breaks of a field as vertical tabs, which no tag has.
fn without_breaks(field: &[u8]) -> Cow<'_, [u8]> {
    if !field.contains(&BETWEEN) {
        return Cow::Borrowed(field);
    }
    Cow::Owned(field.iter().map(|&b| if b == BETWEEN { 0xB } else { b }).collect())
}

/// Characters of UTF-16 with a byte order mark; `little` without one. Half a character at the end is left out.
pub(crate) fn utf16(bytes: &[u8], little: bool) -> String {
    let (little, bytes) = match bytes {
        [0xFF, 0xFE, rest @ ..] => (true, rest),
        [0xFE, 0xFF, rest @ ..] => (false, rest),
        _ => (little, bytes),
    };
    let (units, _) = bytes.as_chunks::<2>();
    let units =
        units.iter().map(|&unit| if little { u16::from_le_bytes(unit) } else { u16::from_be_bytes(unit) });
    char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{FFFD}')).collect()
}

/// Characters of what should be UTF-8 and is another charset now and then.
pub(crate) fn utf8(bytes: &[u8], tld: Option<&[u8]>) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => detected(&[bytes], tld).pop().unwrap_or_default(),
    }
}

/// Up to the first zero byte.
pub(crate) fn until_zero(bytes: &[u8]) -> &[u8] {
    memchr::memchr(0, bytes).map_or(bytes, |end| bytes.get(..end).unwrap_or(bytes))
}

/// A field as a table has it: white space and controls as single spaces, at most [`MAX_FIELD`] bytes. `None` if blank.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let mut line = String::new();
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control() || c == '\u{FEFF}')
        .filter(|word| !word.is_empty());
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > MAX_FIELD {
            cut(&mut line, MAX_FIELD);
            break;
        }
    }
    (!line.is_empty()).then_some(line)
}

/// A text of lines, at most `most` bytes: breaks as `\n`, other controls left out, no blanks at the ends. `None` if blank.
pub(crate) fn lines(text: &str, most: usize) -> Option<String> {
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut kept: String =
        unified.chars().filter(|&c| (c == '\n' || c == '\t' || !c.is_control()) && c != '\u{FEFF}').collect();
    cut(&mut kept, most);
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}

/// Cuts a text to at most `most` bytes, between characters.
pub(crate) fn cut(text: &mut String, most: usize) {
    text.truncate(text.floor_char_boundary(most));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_detected_together() {
        let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
        let (title, artist, comment) = (gbk("月亮代表我的心"), gbk("邓丽君"), gbk("第一行\n第二行"));
        let fields = detected(&[&title, &artist, b"", &comment], None);
        assert_eq!(fields, ["月亮代表我的心", "邓丽君", "", "第一行\n第二行"]);
        let latin = detected(&[b"Caf\xe9 del Mar", b"Beyonc\xe9"], None);
        assert_eq!(latin, ["Café del Mar", "Beyoncé"]);
    }

    #[test]
    fn utf16_with_and_without_a_mark() {
        assert_eq!(utf16(&[0xFF, 0xFE, 0x60, 0x4F], false), "你");
        assert_eq!(utf16(&[0xFE, 0xFF, 0x4F, 0x60, 0x41], true), "你");
        assert_eq!(utf16(&[0x60, 0x4F], true), "你");
        assert_eq!(utf16(&[0x00, 0xD8], true), "\u{FFFD}");
    }

    #[test]
    fn fields_are_cleaned_and_cut() {
        assert_eq!(one_line(" a\u{0}b\t c\r\n").as_deref(), Some("a b c"));
        assert_eq!(one_line("\u{0}\u{FEFF} "), None);
        assert_eq!(one_line(&"好".repeat(5000)).map(|line| line.len()), Some(MAX_FIELD / 3 * 3));
        assert_eq!(lines("a\r\nb\rc\u{7}\n\n", 100).as_deref(), Some("a\nb\nc"));
        assert_eq!(lines("好好", 4).as_deref(), Some("好"));
    }
}
