//! Values of attributes that carry metadata: texts, lists, names, languages.

use std::borrow::Cow;
use webmill_capture::cut::Cut;

use super::entities::{Value, decode};
use super::text_buffer::collapse;

/// Bytes of any text taken.
pub(super) const MAX_TEXT: usize = 2048;

/// Entries of any list taken.
pub(super) const MAX_LIST: usize = 64;

/// `text` with character references resolved once more: content systems escape twice.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(rest.cut(..at));
        rest = rest.cut(at..);
        let (length, value) = match decode(rest.as_bytes(), false) {
            Some((length, Value::Name(value))) => (length, Cow::Borrowed(value)),
            Some((length, Value::Char(c))) => (length, Cow::Owned(c.to_string())),
            None => (1, Cow::Borrowed("&")),
        };
        out.push_str(&value);
        rest = rest.cut(length..);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

pub(super) fn squeezed(text: &str) -> Option<String> {
    let mut out = String::new();
    collapse(text, MAX_TEXT, &mut out);
    (!out.is_empty()).then_some(out)
}

/// A list with commas, semicolons or their full-width forms; entries that are there already are left out.
pub(super) fn push_list(list: &mut Vec<String>, content: &str) {
    for entry in content.split([',', ';', '，', '、', '；', '|']) {
        if list.len() >= MAX_LIST {
            return;
        }
        if let Some(entry) = squeezed(entry).filter(|entry| !list.contains(entry)) {
            list.push(entry);
        }
    }
}

/// A text whose character references were escaped twice, as it was meant.
pub(super) fn plain(text: String) -> Option<String> {
    if text.contains('&') && text.contains(';') { squeezed(&unescape(&text)) } else { Some(text) }
}

/// Characters of a label, of one with Han characters, and its words.
const MAX_LABEL: usize = 60;
const MAX_HAN_LABEL: usize = 30;
const MAX_LABEL_WORDS: usize = 8;

/// Categories or tags without quotes and arrows at their ends: breadcrumbs in parts, nothing that is too long for one.
pub(super) fn labels(list: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for part in list.iter().flat_map(|entry| entry.split(['<', '>', '‹', '›', '»'])) {
        let part = part.trim_matches(|c: char| c.is_whitespace() || "„\"“”’‘'←→«".contains(c));
        let han = part.chars().any(|c| ('\u{3400}'..='\u{9fff}').contains(&c));
        let fits = part.chars().count() <= if han { MAX_HAN_LABEL } else { MAX_LABEL }
            && part.split_whitespace().count() <= MAX_LABEL_WORDS;
        if fits && !part.is_empty() && out.len() < MAX_LIST && !out.iter().any(|known| known == part) {
            out.push(part.to_owned());
        }
    }
    out
}

/// A language by BCP 47, lower-case; `None` for what cannot be one.
pub(super) fn language_tag(text: &str) -> Option<String> {
    let tag = text.split([',', ' ']).find(|part| !part.is_empty())?;
    let primary = tag.split(['-', '_']).next()?;
    let valid = (2..=9).contains(&primary.len())
        && tag.len() <= 35
        && tag.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    valid.then(|| tag.to_ascii_lowercase().replace('_', "-"))
}

/// Not an address, nor a text, nor what a template should have filled.
pub(super) fn is_name(text: &str) -> bool {
    !["://", "{{", "${", "{%", "<%"].iter().any(|mark| text.contains(mark))
        && !text.starts_with("www.")
        && !text.starts_with('@')
        && text.chars().count() <= 150
        && text.chars().any(char::is_alphabetic)
}

pub(super) fn has_token(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_escaped_twice() {
        let cases = [
            ("a", "a"),
            ("a &amp; b", "a & b"),
            ("&#8217;&eacute;", "’é"),
            ("&", "&"),
            ("&x &&amp", "&x &&"),
        ];
        for (text, expected) in cases {
            assert_eq!(unescape(text), expected);
        }
    }

    #[test]
    fn labels_are_short() {
        let long = "a label that goes on for more words than labels have";
        let given = [
            "„Tea“ ",
            "Home › Food » Tea",
            "← Older",
            "'quoted'",
            long,
            &"x".repeat(61),
            &"茶".repeat(31),
            "茶艺",
        ];
        let given: Vec<String> = given.iter().map(|&s| s.to_owned()).collect();
        assert_eq!(labels(&given), ["Tea", "Home", "Food", "Older", "quoted", "茶艺"]);
    }

    #[test]
    fn names_and_tags() {
        assert!(is_name("Ann Lee") && is_name("王小明"));
        assert!(
            !is_name("https://x.org/ann")
                && !is_name("@ann")
                && !is_name("{{ author.name }}")
                && !is_name("123")
                && !is_name(&"x".repeat(200))
        );
        assert_eq!(language_tag("zh_CN, en").as_deref(), Some("zh-cn"));
        assert_eq!(language_tag("x"), None);
        let mut list = vec!["a".to_owned()];
        push_list(&mut list, " b ，a; c  d ");
        assert_eq!(list, ["a", "b", "c d"]);
    }
}
