//! Names of glyphs and simple encodings: what character is meant.

use std::borrow::Cow;

use encoding_rs::{MACINTOSH, WINDOWS_1252};
use read_fonts::ps::PredefinedEncoding;
use read_fonts::ps::agl;

/// An encoding of one byte that fonts may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pdf) enum BaseEncoding {
    Standard,
    WinAnsi,
    MacRoman,
    Expert,
}

impl BaseEncoding {
    pub(in crate::pdf) fn from_name(name: &[u8]) -> Option<Self> {
        match name {
            b"StandardEncoding" => Some(BaseEncoding::Standard),
            b"WinAnsiEncoding" => Some(BaseEncoding::WinAnsi),
            b"MacRomanEncoding" => Some(BaseEncoding::MacRoman),
            b"MacExpertEncoding" => Some(BaseEncoding::Expert),
            _ => None,
        }
    }

    /// The character of a code.
    pub(in crate::pdf) fn character(self, code: u8) -> Option<String> {
        match self {
            BaseEncoding::WinAnsi => match code {
                0..=31 => None,
                127 | 129 | 141 | 143 | 144 | 157 => Some("•".into()),
                160 => Some(" ".into()),
                173 => Some("-".into()),
                _ => one(WINDOWS_1252.decode_without_bom_handling(&[code]).0),
            },
            BaseEncoding::MacRoman => match code {
                0..=31 | 127 => None,
                202 => Some(" ".into()),
                219 => Some("¤".into()),
                _ => one(MACINTOSH.decode_without_bom_handling(&[code]).0),
            },
            BaseEncoding::Standard => character_of_name(PredefinedEncoding::Standard.name(code)),
            BaseEncoding::Expert => character_of_name(PredefinedEncoding::Expert.name(code)),
        }
    }
}

fn one(text: Cow<'_, str>) -> Option<String> {
    let c = text.chars().next()?;
    (c != '\u{FFFD}').then(|| c.to_string())
}

/// The characters of a glyph's name after the Adobe Glyph List, `uniXXXX` and `uXXXXX`; small capitals and old figures
/// are their plain characters.
pub(in crate::pdf) fn character_of_name(name: &str) -> Option<String> {
    let plain = name.split('.').next().unwrap_or_default();
    // The list has the names of ZapfDingbats too, `a1` and on, which other fonts use for codes.
    let numbered = plain.strip_prefix('a').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    if plain.is_empty() || numbered && plain.len() > 1 {
        return None;
    }
    let text: String = agl::name_to_chars(plain).map(folded).collect();
    if !text.is_empty() && super::tounicode::is_text(&text) {
        return Some(text);
    }
    let shorter =
        ["small", "oldstyle", "inferior", "superior"].iter().find_map(|tail| plain.strip_suffix(tail));
    if let Some(base) = shorter.filter(|base| !base.is_empty()) {
        let lower = base.chars().count() == 1;
        let text: String = agl::name_to_chars(base).collect();
        if !text.is_empty() && super::tounicode::is_text(&text) {
            return Some(if lower { text.to_lowercase() } else { text });
        }
    }
    extra_name(plain).map(str::to_owned)
}

/// Characters of private use of the older glyph list as the plain ones.
fn folded(c: char) -> char {
    match u32::from(c) {
        code @ 0xF730..=0xF739 => char::from_u32(code - 0xF700).unwrap_or(c),
        code @ 0xF761..=0xF77A => char::from_u32(code - 0xF700).unwrap_or(c),
        0xF6E8 | 0xF8E9 => '©',
        0xF8E8 => '®',
        0xF8EA => '™',
        _ => c,
    }
}

/// Names that the list has not but fonts do.
fn extra_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "nbspace" | "spacehackarabic" | "space1" => " ",
        "sfthyphen" | "hyphenchar" => "-",
        "ff" => "ff",
        "fi" | "f_i" => "fi",
        "fl" | "f_l" => "fl",
        "ffi" => "ffi",
        "ffl" => "ffl",
        "ft" | "f_t" => "ft",
        "Th" | "T_h" => "Th",
        "dotlessj" => "ȷ",
        "visiblespace" => "␣",
        "openbullet" => "◦",
        "angbracketleft" => "⟨",
        "angbracketright" => "⟩",
        "arrowsouthwest" => "↙",
        "ampersanditalic" => "&",
        _ => return None,
    })
}

/// The character of a name that is but a number: `C65`, `g41`, `a65`, `cid_65`.
pub(in crate::pdf) fn character_of_number(name: &str) -> Option<String> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
    let letters = name.len() - digits.len();
    let prefix = name.get(..letters)?;
    let code = match (prefix, digits.len()) {
        ("G", 2) => u32::from_str_radix(digits, 16).ok()?,
        ("C" | "c" | "char" | "a" | "ch", 2..=3) => digits.parse().ok()?,
        _ => return None,
    };
    u8::try_from(code).ok().and_then(|code| BaseEncoding::WinAnsi.character(code))
}

/// The character of a code of TeX's text fonts where it differs from Latin 1: of the old encoding (OT1, Computer Modern), or of
/// the Cork one (T1). For fonts of pixels, whose glyphs are named by their codes.
pub(in crate::pdf) fn tex_character(code: u32, cork: bool) -> Option<&'static str> {
    let table: &[(u32, &str)] = if cork {
        &[
            (16, "“"),
            (17, "”"),
            (18, "„"),
            (19, "«"),
            (20, "»"),
            (21, "–"),
            (22, "—"),
            (27, "ff"),
            (28, "fi"),
            (29, "fl"),
            (30, "ffi"),
            (31, "ffl"),
            (39, "’"),
            (96, "‘"),
            (127, "-"),
            (255, "ß"),
        ]
    } else {
        &[
            (11, "ff"),
            (12, "fi"),
            (13, "fl"),
            (14, "ffi"),
            (15, "ffl"),
            (16, "ı"),
            (25, "ß"),
            (26, "æ"),
            (27, "œ"),
            (28, "ø"),
            (34, "”"),
            (39, "’"),
            (92, "“"),
            (96, "‘"),
            (123, "–"),
            (124, "—"),
        ]
    };
    table.iter().find(|(known, _)| *known == code).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_characters() {
        for (name, text) in [
            ("A", Some("A")),
            ("Aacute", Some("Á")),
            ("a.alt", Some("a")),
            ("uni4F60597D", Some("你好")),
            ("u20BB7", Some("𠮷")),
            ("f_f_i", Some("ffi")),
            ("Asmall", Some("a")),
            ("oneoldstyle", Some("1")),
            (".notdef", None),
            ("nonsense", None),
        ] {
            assert_eq!(character_of_name(name).as_deref(), text, "{name}");
        }
        assert_eq!(character_of_number("C65").as_deref(), Some("A"));
        assert_eq!(character_of_number("G41").as_deref(), Some("A"));
        assert_eq!(character_of_number("glyph65"), None);
    }

    #[test]
    fn encodings_are_characters() {
        for (encoding, code, text) in [
            (BaseEncoding::WinAnsi, 0x80, Some("€")),
            (BaseEncoding::WinAnsi, 0xA0, Some(" ")),
            (BaseEncoding::MacRoman, 0x8E, Some("é")),
            (BaseEncoding::Standard, 0x27, Some("’")),
            (BaseEncoding::Standard, 0xAE, Some("\u{FB01}")),
            (BaseEncoding::Standard, 0x80, None),
        ] {
            assert_eq!(encoding.character(code).as_deref(), text, "{encoding:?} {code:x}");
        }
    }
}
