//! What cells of a workbook refer to: strings, formats, the day from which days are counted.

use crate::office::sheets::Cell;
use crate::office::sheets::format::Format;
use crate::ole::{u16_at, u32_at};

/// Bytes that all shared strings may have together.
const MAX_STRING_BYTES: usize = 256 << 20;

/// Strings that cells share, within a bound.
#[derive(Debug)]
pub(super) struct Strings {
    all: Vec<String>,
    room: usize,
}

impl Default for Strings {
    fn default() -> Self {
        Strings { all: Vec::new(), room: MAX_STRING_BYTES }
    }
}

impl Strings {
    /// Adds a string; `false` where there is no room for it.
    pub(super) fn push(&mut self, text: String) -> bool {
        let Some(room) = self.room.checked_sub(text.len() + size_of::<String>()) else { return false };
        self.room = room;
        self.all.push(text);
        true
    }

    /// A string by its number.
    pub(super) fn get(&self, at: usize) -> Option<&str> {
        self.all.get(at).map(String::as_str)
    }
}

/// A record of a binary workbook.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) kind: u16,
    pub(super) data: &'a [u8],
}

impl<'a> Record<'a> {
    pub(super) fn u8(&self, at: usize) -> Option<u8> {
        self.data.get(at).copied()
    }

    pub(super) fn u16(&self, at: usize) -> Option<u16> {
        u16_at(self.data, at)
    }

    pub(super) fn u32(&self, at: usize) -> Option<u32> {
        u32_at(self.data, at)
    }

    pub(super) fn f64(&self, at: usize) -> Option<f64> {
        Some(f64::from_le_bytes(self.data.get(at..at.checked_add(8)?)?.try_into().ok()?))
    }

    /// What follows a place.
    pub(super) fn behind(&self, at: usize) -> &'a [u8] {
        self.data.get(at..).unwrap_or_default()
    }
}

/// How the numbers of a cell are shown, and whether they are bold.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) format: Format,
    pub(super) bold: bool,
}

/// What cells refer to.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) strings: Strings,
    /// Styles of cells by their numbers.
    pub(super) styles: Vec<Style>,
    /// Whether days are counted from 1904 on, not from 1900.
    pub(super) since_1904: bool,
}

impl Book {
    fn is_bold(&self, style: usize) -> bool {
        self.styles.get(style).is_some_and(|style| style.bold)
    }

    /// A cell of words.
    pub(super) fn words(&self, style: usize, text: impl Into<String>) -> Cell {
        Cell { text: text.into(), bold: self.is_bold(style), is_text: true }
    }

    /// A cell with a string that cells share.
    pub(super) fn shared(&self, style: usize, at: usize) -> Cell {
        self.words(style, self.strings.get(at).unwrap_or_default())
    }

    /// A cell with a number, as its style shows it.
    pub(super) fn number(&self, style: usize, number: f64) -> Cell {
        let format = self.styles.get(style).map_or_else(Format::default, |style| style.format.clone());
        Cell { text: format.show(number, self.since_1904), bold: self.is_bold(style), is_text: false }
    }

    /// A cell with a value that is neither words nor a number.
    pub(super) fn value(&self, style: usize, text: impl Into<String>) -> Cell {
        Cell { text: text.into(), bold: self.is_bold(style), is_text: false }
    }

    /// A cell that is true or false.
    pub(super) fn truth(&self, style: usize, is_true: bool) -> Cell {
        self.value(style, if is_true { "TRUE" } else { "FALSE" })
    }

    /// A cell whose formula failed.
    pub(super) fn error(&self, style: usize, code: u8) -> Cell {
        self.value(
            style,
            match code {
                0x00 => "#NULL!",
                0x07 => "#DIV/0!",
                0x0F => "#VALUE!",
                0x17 => "#REF!",
                0x1D => "#NAME?",
                0x24 => "#NUM!",
                0x2A => "#N/A",
                0x2B => "#GETTING_DATA",
                _ => "#ERROR",
            },
        )
    }
}

/// The number that 30 bits say: an integer, or the upper half of a floating point number, either over 100 or not.
pub(super) fn rk(bits: u32) -> f64 {
    let number = if bits & 2 != 0 {
        f64::from((bits as i32) >> 2)
    } else {
        f64::from_bits(u64::from(bits & !3) << 32)
    };
    if bits & 1 != 0 { number / 100.0 } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_bits_are_numbers() {
        // [MS-XLS] 2.5.217: 100 as a float, 100 as an integer, 1.23 and -1 as integers.
        let cases =
            [(0x4059_0000, 100.0), (100 << 2 | 2, 100.0), (123 << 2 | 3, 1.23), (u32::MAX << 2 | 2, -1.0)];
        for (bits, number) in cases {
            assert_eq!(rk(bits), number, "{bits:x}");
        }
    }
}
