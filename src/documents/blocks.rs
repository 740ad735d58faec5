//! Blocks between a reader and the [`Builder`]: what a cell or a note holds is gathered before it is told.

use std::ops::Range;

use crate::{Builder, Inline, Marker, Table};
use webmill_html::script::{Position, push_placed};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    Heading(u8, Inline),
    Paragraph(Inline),
    Item(u8, Marker, Inline),
    Table(Table),
    /// A link of words that stand in a table.
    Link(String, String),
}

impl Block {
    /// Tells a builder of it.
    pub(crate) fn tell(self, builder: &mut Builder) {
        match self {
            Block::Heading(level, words) => builder.heading(level, words),
            Block::Paragraph(words) => builder.paragraph(words),
            Block::Item(depth, marker, words) => builder.item(depth, marker, words),
            Block::Table(table) => builder.table(table),
            Block::Link(target, anchor) => builder.link(&target, &anchor),
        }
    }
}

/// Blocks as one run of words with line breaks, numbers of items before them; for cells and notes.
pub(crate) fn flattened(blocks: Vec<Block>) -> Inline {
    let mut all = Inline::default();
    for block in blocks {
        let words = match block {
            Block::Heading(_, words) | Block::Paragraph(words) | Block::Item(_, Marker::Bullet, words) => {
                words
            }
            Block::Item(_, Marker::Number(number), words) => words.behind(&format!("{number}.")),
            Block::Table(table) => Inline::from(lines_of(&table)),
            Block::Link(..) => continue,
        };
        if !words.is_blank() {
            if !all.text.is_empty() {
                all.text.push('\n');
            }
            all.append(&words);
        }
    }
    all
}

/// A table as lines, for one that stands in a cell.
fn lines_of(table: &Table) -> String {
    let rows = std::iter::once(&table.columns).chain(&table.rows);
    let line = |row: &Vec<String>| {
        row.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" ")
    };
    rows.map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Adds words, as part of the link before where they lead to the same place.
pub(crate) fn push(words: &mut Inline, more: &str, target: Option<&str>) {
    let from = words.text.len();
    words.text.push_str(more);
    let Some(target) = target.map(str::trim).filter(|target| !target.is_empty()) else { return };
    match words.links.last_mut() {
        Some((range, known)) if range.end == from && known == target => range.end = words.text.len(),
        _ if more.trim().is_empty() => {}
        _ => words.links.push((from..words.text.len(), target.to_owned())),
    }
}

/// Adds words that may be raised or lowered.
pub(crate) fn push_at(words: &mut Inline, more: &str, position: Option<Position>, target: Option<&str>) {
    let Some(position) = position else { return push(words, more, target) };
    let from = words.text.len();
    push_placed(more, position, target.is_some(), &mut words.text);
    let placed = words.text.split_off(from);
    push(words, &placed, target);
}

/// Words without the white space around them.
pub(crate) fn trimmed(words: Inline) -> Inline {
    let from = words.text.len() - words.text.trim_start().len();
    let text = words.text.trim().to_owned();
    Inline {
        links: moved(words.links, from, text.len()),
        formulas: moved(words.formulas, from, text.len()),
        text,
    }
}

/// Ranges moved to the left, those outside of the text left out.
fn moved<T>(ranges: Vec<(Range<usize>, T)>, by: usize, end: usize) -> Vec<(Range<usize>, T)> {
    let moved = ranges
        .into_iter()
        .map(|(range, said)| (range.start.saturating_sub(by)..range.end.saturating_sub(by).min(end), said));
    moved.filter(|(range, _)| range.start < range.end).collect()
}

/// Adds words as markup has them: white space is one space, and none behind white space.
pub(crate) fn push_collapsed(words: &mut Inline, text: &str, link: Option<&str>) {
    let mut collapsed = String::with_capacity(text.len());
    let mut spaced = words.text.is_empty() || words.text.ends_with([' ', '\n']);
    for c in text.chars() {
        let is_space = matches!(c, ' ' | '\t' | '\n' | '\r');
        if !(is_space && spaced) {
            collapsed.push(if is_space { ' ' } else { c });
        }
        spaced = is_space;
    }
    push(words, &collapsed, link);
}
