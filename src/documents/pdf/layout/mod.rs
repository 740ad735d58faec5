//! From glyphs on a page to lines in reading order.

pub(super) mod aligned;
pub(super) mod columns;
pub(super) mod grids;
pub(super) mod lines;
pub(super) mod paragraphs;
pub(super) mod words;

use std::collections::BTreeMap;

use super::geometry::Area;
use super::interpret::Glyph;
use super::scripts::is_rtl;
use grids::Grid;
use lines::Line;
use words::{Frame, Word};

/// Lines of a block, and the frame they stand in.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) lines: Vec<Line>,
    pub(super) frame: Frame,
    /// The ruled table that the block is.
    pub(super) grid: Option<Grid>,
}

/// The blocks of a page in reading order: text of the page's main direction first. `rules` are lines that were drawn, `link`
/// tells which link holds a point.
pub(super) fn blocks(
    glyphs: &[Glyph],
    rules: &[Area],
    link: impl Fn((f64, f64)) -> Option<u32>,
) -> Vec<Block> {
    let mut frames: BTreeMap<Frame, Vec<&Glyph>> = BTreeMap::new();
    for glyph in glyphs {
        frames.entry(Frame::of(glyph)).or_default().push(glyph);
    }
    let mut frames: Vec<(Frame, Vec<&Glyph>)> = frames.into_iter().collect();
    frames.sort_by_key(|(_, glyphs)| std::cmp::Reverse(glyphs.len()));
    let mut blocks = Vec::new();
    for (frame, glyphs) in frames {
        let mut words: Vec<Word> = words::words(&glyphs, frame, &link);
        let rtl = words.iter().filter(|word| word.text.chars().any(is_rtl)).count() * 2 > words.len();
        let mut grids: Vec<Option<Grid>> = Vec::new();
        if frame == Frame::UPRIGHT {
            grids = grids::taken(rules, &mut words).into_iter().map(Some).collect();
            let areas = grids.iter().flatten().map(|grid| grid.area);
            words.extend((0..).zip(areas).map(|(number, area)| Word::of_table(number, area)));
        }
        for block in columns::blocks(words, rtl) {
            let mut open: Vec<Line> = Vec::new();
            for mut line in lines::lines(block) {
                let Some(number) = line.words.iter().find_map(|word| word.table) else {
                    open.push(line);
                    continue;
                };
                line.words.retain(|word| word.table.is_none());
                open.extend(Line::new(line.words));
                if !open.is_empty() {
                    blocks.push(Block { lines: std::mem::take(&mut open), frame, grid: None });
                }
                let grid = grids.get_mut(number as usize).and_then(Option::take);
                blocks.extend(grid.map(|grid| Block { lines: Vec::new(), frame, grid: Some(grid) }));
            }
            if !open.is_empty() {
                blocks.push(Block { lines: open, frame, grid: None });
            }
        }
    }
    blocks
}
