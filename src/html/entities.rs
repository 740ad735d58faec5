//! Character references: `&amp;`, `&#8217;`, `&#x2019;`, and `&copy` without its semicolon.
//!
//! A reference is what the tokenizer of the HTML standard makes of an ampersand: the longest name of the standard's
//! table that follows it, or a number. Every name but 106 ends in a semicolon and consists of letters and digits,
//! so the longest match is either the whole run of letters and digits with its semicolon, or a prefix of the run
//! among those 106. The first is one look-up in a hash table; the second, six
//! at most. In attribute values a reference without semicolon that `=`, a letter or a digit follows
//! is text, which saves most query strings.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state>.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a reference stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Name(&'static str),
    Char(char),
}

const LONGEST_NAME: usize = 31;
const LONGEST_BARE: usize = 6;

/// A name: what it stands for, and whether it is a reference without a semicolon too.
struct Name {
    value: String,
    bare: bool,
}

/// Names of the standard: a line each, with a semicolon where that is needed, and the code points that it stands for.
static NAMES: LazyLock<HashMap<&str, Name>> = LazyLock::new(|| {
    let character = |code: &str| u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
    let named = |line: &'static str| {
        let (name, codes) = line.split_once(' ')?;
        let value = codes.split(' ').filter_map(character).collect();
        Some((name.trim_end_matches(';'), Name { value, bare: !name.ends_with(';') }))
    };
    include_str!("entity_names.txt").lines().filter_map(named).collect()
});

fn named(name: &[u8]) -> Option<&'static Name> {
    NAMES.get(std::str::from_utf8(name).ok()?)
}

/// The reference at the start of `bytes`, which begin with an ampersand: its length and what it stands for; `None` if
/// the ampersand is text.
pub(crate) fn decode(bytes: &[u8], in_attribute: bool) -> Option<(usize, Value)> {
    match bytes.get(1)? {
        b'#' => number(bytes),
        c if c.is_ascii_alphanumeric() => {
            let run =
                bytes[1..].iter().take(LONGEST_NAME + 1).take_while(|c| c.is_ascii_alphanumeric()).count();
            let next = bytes.get(1 + run).copied().unwrap_or(0);
            if next == b';' {
                if let Some(name) = named(&bytes[1..1 + run]) {
                    return Some((run + 2, Value::Name(&name.value)));
                }
            } else if in_attribute && next == b'=' {
                return None;
            }
            let longest = run.min(LONGEST_BARE);
            if in_attribute && run > longest {
                return None;
            }
            // In an attribute a shorter match would be followed by a letter or digit, and so be text.
            let shortest = if in_attribute { longest } else { 2 };
            (shortest..=longest).rev().find_map(|len| {
                let name = named(&bytes[1..1 + len]).filter(|name| name.bare)?;
                Some((len + 1, Value::Name(&name.value)))
            })
        }
        _ => None,
    }
}

fn number(bytes: &[u8]) -> Option<(usize, Value)> {
    let (radix, first) = if matches!(bytes.get(2), Some(b'x' | b'X')) { (16, 3) } else { (10, 2) };
    let mut code = 0u32;
    let mut at = first;
    while let Some(digit) = bytes.get(at).and_then(|&c| (c as char).to_digit(radix)) {
        code = code.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == first {
        return None;
    }
    if bytes.get(at) == Some(&b';') {
        at += 1;
    }
    Some((at, Value::Char(character(code))))
}

/// What browsers show for the code points 0x80 to 0x9f: windows-1252, where it has a character there.
const C1: [u16; 32] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d,
    0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a,
    0x153, 0x9d, 0x17e, 0x178,
];

fn character(code: u32) -> char {
    let code = match code {
        0 => 0xfffd,
        0x80..=0x9f => u32::from(C1[code as usize - 0x80]),
        other => other,
    };
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str, in_attribute: bool) -> Option<(usize, String)> {
        decode(source.as_bytes(), in_attribute).map(|(len, value)| {
            let value = match value {
                Value::Name(name) => name.to_string(),
                Value::Char(c) => c.to_string(),
            };
            (len, value)
        })
    }

    #[test]
    fn every_name_is_found() {
        assert_eq!((NAMES.len(), NAMES.values().filter(|name| name.bare).count()), (2125, 106));
        for (name, Name { value, bare }) in NAMES.iter() {
            assert!(name.len() <= LONGEST_NAME && name.bytes().all(|c| c.is_ascii_alphanumeric()));
            for in_attribute in [false, true] {
                let found = text(&format!("&{name};="), in_attribute);
                assert_eq!(found, Some((name.len() + 2, value.clone())));
            }
            if *bare {
                assert!((2..=LONGEST_BARE).contains(&name.len()));
                let found = text(&format!("&{name} "), true);
                assert_eq!(found.map(|found| found.0), Some(name.len() + 1), "{name}");
            }
        }
    }

    #[test]
    fn as_the_standard_reads_them() {
        type ExpectedEntity = Option<(usize, &'static str)>;
        let cases: &[(&str, ExpectedEntity, ExpectedEntity)] = &[
            ("&", None, None),
            ("& ", None, None),
            ("&;", None, None),
            ("&amp", Some((4, "&")), Some((4, "&"))),
            ("&amp;amp;", Some((5, "&")), Some((5, "&"))),
            ("&ampx", Some((4, "&")), None),
            ("&notit;", Some((4, "\u{ac}")), None),
            ("&notin;", Some((7, "\u{2209}")), Some((7, "\u{2209}"))),
            ("&copy=1", Some((5, "\u{a9}")), None),
            ("&copy1", Some((5, "\u{a9}")), None),
            ("&copy?", Some((5, "\u{a9}")), Some((5, "\u{a9}"))),
            ("&hellip", None, None),
            ("&NotEqualTilde;", Some((15, "\u{2242}\u{338}")), Some((15, "\u{2242}\u{338}"))),
            ("&ThisNameIsLongerThanAnyOneOfTheStandard;", None, None),
            ("&#", None, None),
            ("&#x", None, None),
            ("&#xg", None, None),
            ("&#65", Some((4, "A")), Some((4, "A"))),
            ("&#x41;B", Some((6, "A")), Some((6, "A"))),
            ("&#0;", Some((4, "\u{fffd}")), Some((4, "\u{fffd}"))),
            ("&#xd800;", Some((8, "\u{fffd}")), Some((8, "\u{fffd}"))),
            ("&#x110000;", Some((10, "\u{fffd}")), Some((10, "\u{fffd}"))),
            ("&#99999999999;", Some((14, "\u{fffd}")), Some((14, "\u{fffd}"))),
            ("&#150;", Some((6, "\u{2013}")), Some((6, "\u{2013}"))),
            ("&#x81;", Some((6, "\u{81}")), Some((6, "\u{81}"))),
            ("&#13;", Some((5, "\r")), Some((5, "\r"))),
        ];
        for &(source, in_text, in_value) in cases {
            assert_eq!(text(source, false), in_text.map(|(len, value)| (len, value.to_string())), "{source}");
            assert_eq!(text(source, true), in_value.map(|(len, value)| (len, value.to_string())), "{source}");
        }
    }
}
