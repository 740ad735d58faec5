//! The head of a Word document.

use crate::ole::{u16_at, u32_at};

/// A place in a table: where it begins, and its bytes.
pub(super) type Place = (usize, usize);

/// Where everything is.
#[derive(Debug, Clone)]
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
        let nth = |at: usize| place(154 + at * 8);
        let mut fib = Fib {
            old: version < 0xC1,
            encrypted: flags & 0x0100 != 0,
            table: if flags & 0x0200 != 0 { "1Table" } else { "0Table" },
            language: u16_at(main, 6).unwrap_or(0),
            text: (from as usize, end.saturating_sub(from) as usize),
            counts: [0; 8],
            styles: nth(1),
            footnotes: nth(3),
            endnotes: nth(47),
            comments: nth(5),
            character_pages: nth(12),
            paragraph_pages: nth(13),
            fonts: nth(15),
            pieces: nth(33),
            lists: nth(73),
            overrides: nth(74),
        };
        for (at, count) in fib.counts.iter_mut().enumerate() {
            *count = u32_at(main, 0x4C + at * 4).unwrap_or(0).min(i32::MAX as u32);
        }
        Some(fib)
    }
}

/// The bytes of a place, or none of them.
pub(super) fn part((from, bytes): Place, of: &[u8]) -> &[u8] {
    of.get(from..from.saturating_add(bytes)).unwrap_or_default()
}
