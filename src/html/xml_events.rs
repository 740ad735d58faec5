//! What readers of XML from the Web share, event by event: feeds here, sitemaps in the crawler.
//!
//! Nothing that a DTD declares is expanded; anything that is no reference stays as it is written.

use std::borrow::Cow;

use quick_xml::events::{BytesRef, BytesStart};

/// Attributes of an element that are looked at.
const MAX_ATTRIBUTES: usize = 64;

/// The character of windows-1252 that a number from 128 to 159 was meant to be: in Unicode these are controls, which no page has.
pub fn meant(number: u32) -> Option<char> {
    let byte = u8::try_from(number).ok().filter(|byte| (0x80..=0x9f).contains(byte))?;
    encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next()
}

/// What a reference stands for: XML's five names and numbers of characters, those of windows-1252 as HTML has them; any other is
/// given as written.
pub fn resolve(reference: &BytesRef<'_>) -> Cow<'static, str> {
    let name: &str = reference;
    match name {
        "amp" => "&".into(),
        "lt" => "<".into(),
        "gt" => ">".into(),
        "quot" => "\"".into(),
        "apos" => "'".into(),
        _ => match reference.resolve_char_ref() {
            Ok(Some(c)) => meant(c as u32).unwrap_or(c).to_string().into(),
            _ => format!("&{name};").into(),
        },
    }
}

/// The value of the attribute called `name`, whatever its case, of the first 64; references in it are resolved.
pub fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start
        .html_attributes()
        .with_checks(false)
        .take(MAX_ATTRIBUTES)
        .flatten()
        .find(|attribute| attribute.key.as_ref().eq_ignore_ascii_case(name))?;
    let value: &str = &found.value;
    Some(quick_xml::escape::unescape(value).map_or_else(|_| value.to_owned(), Cow::into_owned))
}
