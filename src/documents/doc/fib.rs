//! The head of a Word document.

use crate::ole::{u16_at, u32_at};

/// A place in a table: where it begins, and its bytes.
pub(super) type Place = (usize, usize);

/// Where everything is.
#[derive(Debug, Clone, Default)]
pub(super) struct Fib {
    /// Whether a version before Word 97 wrote it.
    pub old: bool,
    pub encrypted: bool,
    /// Name of the stream of tables.
    pub table: &'static str,
    /// Language of the program that wrote it.
    pub language: u16,
    /// Bytes of the text where no piece table says better.
    pub text: Place,
    /// Characters of body, foot notes, heads, macros, comments, end notes, boxes and boxes of heads.
    pub counts: [u32; 8],
    pub styles: Place,
    pub footnotes: Place,
    pub endnotes: Place,
    pub comments: Place,
    pub character_pages: Place,
    pub paragraph_pages: Place,
    pub fonts: Place,
    pub pieces: Place,
    pub lists: Place,
    pub overrides: Place,
}

impl Fib {
    /// Reads the head; `None` where it is none.
    pub(super) fn read(main: &[u8]) -> Option<Fib> {
        let (mark, version, flags) = (u16_at(main, 0)?, u16_at(main, 2)?, u16_at(main, 10)?);
        if !matches!(mark, 0xA5EC | 0xA5DC) {
            return None;
        }
        let place = |at: usize| {
            let (from, bytes) = (u32_at(main, at).unwrap_or(0), u32_at(main, at + 4).unwrap_or(0));
            (from as usize, bytes as usize)
        };
        let (from, end) = (u32_at(main, 24).unwrap_or(0), u32_at(main, 28).unwrap_or(0));
        let mut fib = Fib {
            old: version < 0xC1,
            encrypted: flags & 0x0100 != 0,
            table: if flags & 0x0200 != 0 { "1Table" } else { "0Table" },
            language: u16_at(main, 6).unwrap_or(0),
            text: (from as usize, end.saturating_sub(from) as usize),
            ..Fib::default()
        };
        let counts_at = if fib.old { 0x34 } else { 0x4C };
        for (at, count) in fib.counts.iter_mut().enumerate() {
            *count = u32_at(main, counts_at + at * 4).unwrap_or(0).min(i32::MAX as u32);
        }
        if fib.old {
            (fib.styles, fib.footnotes) = (place(0x60), place(0x70));
            (fib.character_pages, fib.paragraph_pages) = (place(0xB8), place(0xC0));
            (fib.fonts, fib.pieces) = (place(0xD0), place(0x160));
        } else {
            let nth = |at: usize| place(154 + at * 8);
            (fib.styles, fib.footnotes, fib.endnotes) = (nth(1), nth(3), nth(47));
            (fib.character_pages, fib.paragraph_pages) = (nth(12), nth(13));
            (fib.fonts, fib.pieces) = (nth(15), nth(33));
            (fib.lists, fib.overrides, fib.comments) = (nth(73), nth(74), nth(5));
        }
        Some(fib)
    }
}

/// The bytes of a place, or none of them.
pub(super) fn part((from, bytes): Place, of: &[u8]) -> &[u8] {
    of.get(from..from.saturating_add(bytes)).unwrap_or_default()
}
