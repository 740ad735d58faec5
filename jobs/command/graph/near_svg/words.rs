//! Names as labels of a drawing.

use webmill_capture::CanonicalUrl;

use crate::command::graph::path::plain;

/// The host of a name that is a URL.
pub fn host_of(name: &str) -> Option<String> {
    match CanonicalUrl::parse_stored(name) {
        Some(url) if name.contains("//") => Some(url.host().to_owned()),
        _ => None,
    }
}

/// A name as a label: without its scheme, on the host `own` the path alone; escapes that are UTF-8 as characters.
pub fn label(name: &str, own: Option<&str>) -> String {
    let bare = name.split_once("//").map_or(name, |(_, rest)| rest);
    let own_path =
        own.filter(|own| host_of(name).as_deref() == Some(*own)).and_then(|own| bare.strip_prefix(own));
    let said = own_path.unwrap_or(bare);
    plain(&unescape(said))
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Width in letters: those of East Asian scripts are two wide.
pub fn width_of(text: &str) -> f64 {
    text.chars().map(|c| if c >= '\u{1100}' { 2.0 } else { 1.0 }).sum()
}

/// Cut in the middle to so many letters.
pub fn shorten(text: &str, most: usize) -> String {
    if width_of(text) <= most as f64 {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    let fit = |characters: &mut dyn Iterator<Item = &char>, room: f64| -> Vec<char> {
        let mut left = room;
        characters
            .take_while(|c| {
                left -= width_of(&c.to_string());
                left >= 0.0
            })
            .copied()
            .collect()
    };
    let room = most.saturating_sub(1) as f64;
    let head: String = fit(&mut characters.iter(), (room * 0.55).floor()).into_iter().collect();
    let tail: String = fit(&mut characters.iter().rev(), (room * 0.45).floor()).into_iter().rev().collect();
    format!("{head}…{tail}")
}

/// Text for XML.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out.push(c),
            // What XML does not have.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_and_plain() {
        assert_eq!(label("http://a.org/x/%E5%8C%97?a=1", Some("a.org")), "/x/北?a=1");
        assert_eq!(label("https://b.org/%ff", Some("a.org")), "b.org/%ff");
        assert_eq!(label("a.org", None), "a.org");
        assert_eq!(shorten("abcdefghij", 6), "ab…ij");
        assert_eq!(shorten("北京大学图书馆", 8), "北…馆");
        assert_eq!(escape("<a b=\"&\">\u{1}"), "&lt;a b=&quot;&amp;&quot;&gt;\u{fffd}");
        assert_eq!(unescape("%e5%8c%97%zz%"), "北%zz%");
    }
}
