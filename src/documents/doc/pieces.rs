//! The piece table: which bytes the characters of the text are.

use std::ops::Range;

use super::fib::{Fib, part};
use crate::ole::{u16_at, u32_at};

/// Pieces that are kept.
const MAX_PIECES: usize = 500_000;

/// A piece of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its characters, by their numbers.
    pub cps: Range<u32>,
    /// Its first byte.
    pub from: u32,
    /// Whether a character takes one byte.
    pub narrow: bool,
}

impl Piece {
    /// Place of the bytes of a character.
    pub(super) fn place(&self, cp: u32) -> u32 {
        let chars = cp.saturating_sub(self.cps.start);
        self.from.saturating_add(if self.narrow { chars } else { chars.saturating_mul(2) })
    }
}

/// The pieces in the order of the text.
pub(super) fn pieces_of(fib: &Fib, table: &[u8]) -> Vec<Piece> {
    let mut pieces = listed(part(fib.pieces, table));
    if pieces.is_empty() {
        let chars = fib.counts.iter().fold(0_u32, |all, &count| all.saturating_add(count));
        let chars = chars.min(u32::try_from(fib.text.1).unwrap_or(u32::MAX));
        let from = u32::try_from(fib.text.0).unwrap_or(u32::MAX);
        pieces.push(Piece { cps: 0..chars, from, narrow: true });
    }
    pieces
}

/// The pieces that a table lists behind properties of its own.
fn listed(mut table: &[u8]) -> Vec<Piece> {
    while let Some(1) = table.first() {
        let bytes = usize::from(u16_at(table, 1).unwrap_or(u16::MAX));
        table = table.get(3 + bytes..).unwrap_or_default();
    }
    if table.first() != Some(&2) {
        return Vec::new();
    }
    let bytes = u32_at(table, 1).unwrap_or(0) as usize;
    let table = table.get(5..).unwrap_or_default();
    let count = (bytes.min(table.len()).saturating_sub(4) / 12).min(MAX_PIECES);
    let mut pieces = Vec::new();
    let mut last = 0;
    for at in 0..count {
        let cps = u32_at(table, at * 4).zip(u32_at(table, at * 4 + 4));
        let Some(((start, end), place)) = cps.zip(u32_at(table, (count + 1) * 4 + at * 8 + 2)) else { break };
        // They follow each other; what does not is damage.
        if start < last || end <= start || end > i32::MAX as u32 {
            continue;
        }
        last = end;
        let (narrow, from) = match place & 0x4000_0000 {
            0 => (false, place & 0x3FFF_FFFF),
            _ => (true, (place & 0x3FFF_FFFF) / 2),
        };
        pieces.push(Piece { cps: start..end, from, narrow });
    }
    pieces
}
