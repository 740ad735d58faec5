//! From glyphs on a page to lines in reading order.

pub(super) mod columns;
pub(super) mod lines;
pub(super) mod paragraphs;
pub(super) mod words;

use std::collections::BTreeMap;

use super::interpret::Glyph;
use super::scripts::is_rtl;
use lines::Line;
use words::{Frame, Word};

/// Lines of a block, and the frame they stand in.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) lines: Vec<Line>,
    pub(super) frame: Frame,
}

/// The blocks of a page in reading order: text of the page's main direction first.
pub(super) fn blocks(glyphs: &[Glyph], link: impl Fn((f64, f64)) -> Option<u32>) -> Vec<Block> {
    let mut frames: BTreeMap<Frame, Vec<&Glyph>> = BTreeMap::new();
    for glyph in glyphs {
        frames.entry(Frame::of(glyph)).or_default().push(glyph);
    }
    let mut frames: Vec<(Frame, Vec<&Glyph>)> = frames.into_iter().collect();
    frames.sort_by_key(|(_, glyphs)| std::cmp::Reverse(glyphs.len()));
    let mut blocks = Vec::new();
    for (frame, glyphs) in frames {
        let words: Vec<Word> = words::words(&glyphs, frame, &link);
        let rtl = words.iter().filter(|word| word.text.chars().any(is_rtl)).count() * 2 > words.len();
        for block in columns::blocks(words, rtl) {
            blocks.push(Block { lines: lines::lines(block), frame });
        }
    }
    blocks
}
