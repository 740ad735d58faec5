//! The fourteen fonts that need not be embedded: their widths, and the encodings of Symbol and ZapfDingbats.
//!
//! Source: Adobe's metrics of the core 14 fonts (AFM 4.1), the 229 characters of the standard Latin set, and ISO 32000-1,
//! annex D. Oblique faces of Helvetica are as wide as the upright ones; Courier is 600 throughout.

use std::collections::HashMap;
use std::sync::LazyLock;

use read_fonts::ps::agl;

use super::names::{BaseEncoding, character_of_name};

/// Facts of a standard font.
#[derive(Debug, Default)]
pub(super) struct Standard {
    /// Widths by name in thousandths.
    widths: HashMap<String, f64>,
    /// The same by character.
    by_character: HashMap<String, f64>,
    /// The width of all, where they have one.
    fixed: Option<f64>,
    /// Names by code, of a font of symbols.
    names: HashMap<u32, String>,
    is_dingbats: bool,
}

/// Helvetica, Helvetica-Bold, Times-Roman, Times-Bold, Times-Italic, Times-BoldItalic.
static LATIN: LazyLock<[Standard; 6]> = LazyLock::new(|| std::array::from_fn(latin));
static SYMBOL: LazyLock<Standard> = LazyLock::new(|| symbols(include_str!("symbol_codes.txt"), false));
static DINGBATS: LazyLock<Standard> = LazyLock::new(|| symbols(include_str!("dingbat_codes.txt"), true));
static COURIER: LazyLock<Standard> = LazyLock::new(|| Standard { fixed: Some(600.0), ..latin(0) });

/// The font of a column of the table of widths: those of [`LATIN`] in thousandths, and the names of glyphs that have them.
fn latin(column: usize) -> Standard {
    let mut widths = HashMap::new();
    for (numbers, names) in include_str!("latin_widths.txt").lines().filter_map(|line| line.split_once(": "))
    {
        let width = numbers.split(' ').nth(column).and_then(|number| number.parse::<f64>().ok());
        widths.extend(names.split(' ').filter_map(|name| Some((name.to_owned(), width?))));
    }
    Standard { by_character: by_character(&widths), widths, ..Standard::default() }
}

/// A font of symbols: its codes in hexadecimals, names and widths.
fn symbols(table: &str, is_dingbats: bool) -> Standard {
    let mut font = Standard { is_dingbats, ..Standard::default() };
    for entry in table.split(',') {
        let mut words = entry.split_whitespace();
        let (Some(code), Some(name), Some(width)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let (Ok(code), Ok(width)) = (u32::from_str_radix(code, 16), width.parse::<f64>()) else { continue };
        font.names.insert(code, name.to_owned());
        font.widths.insert(name.to_owned(), width);
    }
    font.by_character = by_character(&font.widths);
    font
}

/// Widths by character; of several names of one the shortest counts.
fn by_character(widths: &HashMap<String, f64>) -> HashMap<String, f64> {
    let mut named: Vec<(&String, &f64)> = widths.iter().collect();
    named.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then(a.0.cmp(b.0)));
    let mut by_character = HashMap::new();
    for (name, width) in named {
        if let Some(text) = character_of_name(name) {
            by_character.entry(text).or_insert(*width);
        }
    }
    by_character
}

impl Standard {
    /// The standard font that a name means, also by its usual other names.
    pub(super) fn by_name(name: &str) -> Option<&'static Standard> {
        let plain = name.split_once('+').filter(|(tag, _)| tag.len() == 6).map_or(name, |(_, plain)| plain);
        let lower = plain.to_ascii_lowercase();
        let bold = lower.contains("bold");
        let [helvetica, helvetica_bold, times, times_bold, times_italic, times_bold_italic] = &*LATIN;
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&["zapfdingbats", "dingbats"]) {
            Some(&DINGBATS)
        } else if lower.starts_with("symbol") {
            Some(&SYMBOL)
        } else if has(&["helvetica", "arial"]) {
            Some(if bold { helvetica_bold } else { helvetica })
        } else if has(&["times"]) {
            Some(match (bold, has(&["italic", "oblique"])) {
                (false, false) => times,
                (true, false) => times_bold,
                (false, true) => times_italic,
                (true, true) => times_bold_italic,
            })
        } else if has(&["courier"]) {
            Some(&COURIER)
        } else {
            None
        }
    }

    /// The width of a code that has a name or stands in an encoding.
    pub(super) fn width(&self, code: u32, name: Option<&str>, base: Option<BaseEncoding>) -> Option<f64> {
        if self.fixed.is_some() {
            return self.fixed;
        }
        if let Some(width) =
            name.or_else(|| self.names.get(&code).map(String::as_str)).and_then(|name| self.widths.get(name))
        {
            return Some(*width);
        }
        let text = base.unwrap_or(BaseEncoding::Standard).character(u8::try_from(code).ok()?)?;
        self.by_character.get(&text).copied()
    }

    /// Whether it is a font of symbols, whose own encoding stands above any other.
    pub(super) fn is_symbols(&self) -> bool {
        !self.names.is_empty()
    }

    /// Whether it has a glyph of a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.widths.contains_key(name)
    }

    /// The character of a code of a font of symbols.
    pub(super) fn character(&self, code: u32) -> Option<String> {
        let name = self.names.get(&code)?;
        self.dingbat(name).or_else(|| character_of_name(name))
    }

    /// The character of a name of ZapfDingbats.
    pub(super) fn dingbat(&self, name: &str) -> Option<String> {
        self.is_dingbats.then(|| agl::name_to_char(name).map(String::from)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_fonts_have_widths_and_symbols() {
        let font = Standard::by_name("Helvetica").unwrap();
        assert!((font.width(u32::from(b'A'), None, None).unwrap() - 667.0).abs() < 2.0);
        assert!((font.width(32, None, Some(BaseEncoding::WinAnsi)).unwrap() - 278.0).abs() < 2.0);
        assert_eq!(Standard::by_name("Symbol").unwrap().character(0x61).as_deref(), Some("α"));
        assert_eq!(Standard::by_name("ZapfDingbats").unwrap().character(0x33).as_deref(), Some("✓"));
        assert!(Standard::by_name("Unheard").is_none());
    }
}
