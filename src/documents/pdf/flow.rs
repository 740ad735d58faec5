//! Makes one flow of headings, paragraphs, items, tables and notes from the pages of a PDF.
//!
//! The reader of PDF calls it last, when the lines of all pages are known.
//!
//! **Definition.** Headings are short lines in type larger than the body's, which is the size of most characters; the largest
//! is of level 1. A line alone in bold type is a heading below these. A paragraph that a page or a column cuts goes on where
//! its end is no end of a sentence. Notes are small type at the foot of a page behind a number or a sign.
//!
//! **Algorithm.** One pass over the pages makes pieces; when the sizes of all headings are known, a second tells the builder.

use std::collections::BTreeMap;

use super::hyphens::{Lexicon, without_soft};
use super::layout::Block;
use super::layout::aligned;
use super::layout::grids::Grid;
use super::layout::lines::{Line, lines};
use super::layout::paragraphs::beginnings;
use super::layout::words::Word;
use super::lists::marker;
use super::page::Sheet;
use crate::{Builder, Inline, Marker, Table};

/// How much larger than the body the type of a heading is.
const LARGER: f64 = 1.07;
/// The largest type of a note, beside the body's.
const NOTE: f64 = 0.93;
/// Characters and lines of a heading.
const MAX_HEADING: usize = 250;
const MAX_HEADING_LINES: usize = 5;
/// Characters of a bold line that is a heading.
const MAX_BOLD_HEADING: usize = 90;

/// A part of the text.
#[derive(Debug, Default)]
struct Piece {
    words: Inline,
    shape: Shape,
    size: f64,
    bold: bool,
    lines: usize,
    /// First and last baseline.
    top: f64,
    bottom: f64,
    /// Whether it begins, or ends, a block of its page.
    first: bool,
    last: bool,
    /// Whether its last line reaches the end of its column.
    full: bool,
}

#[derive(Debug, Default)]
enum Shape {
    #[default]
    Text,
    Note(String),
    Table {
        table: Table,
        links: Vec<(String, String)>,
    },
    /// The end of a page, and the running heads of it.
    PageEnd(Vec<String>),
}

/// The size of most characters.
pub(super) fn body_size(sheets: &[Sheet]) -> f64 {
    let mut chars: BTreeMap<u64, usize> = BTreeMap::new();
    for line in all_lines(sheets) {
        *chars.entry((line.size * 4.0).round() as u64).or_default() += line.chars();
    }
    let most = chars.into_iter().max_by_key(|&(size, chars)| (chars, std::cmp::Reverse(size)));
    most.map_or(0.0, |(size, _)| size as f64 / 4.0)
}

fn all_lines(sheets: &[Sheet]) -> impl Iterator<Item = &Line> {
    sheets.iter().flat_map(|sheet| &sheet.blocks).flat_map(|block| &block.lines)
}

/// Tells a builder of all pages; `heads` are their running heads.
pub(super) fn tell(
    sheets: Vec<Sheet>,
    heads: Vec<Vec<String>>,
    lexicon: &Lexicon,
    body: f64,
    builder: &mut Builder,
) {
    let mut pieces: Vec<Piece> = Vec::new();
    for (sheet, heads) in sheets.into_iter().zip(heads) {
        let maker = Maker { targets: &sheet.targets, lexicon, body };
        for block in sheet.blocks {
            maker.block(block, &mut pieces);
        }
        pieces.push(Piece { shape: Shape::PageEnd(heads), ..Piece::default() });
    }
    let pieces = merged_headings(pieces, body);
    let levels = levels(&pieces, body);
    let mut teller = ParagraphWriter { builder, lexicon, body, levels, open: None, notes: Vec::new() };
    for piece in pieces {
        if teller.builder.is_full() {
            break;
        }
        teller.take(piece);
    }
    teller.close();
}

impl Piece {
    /// Whether it may be a heading by its type's size.
    fn is_large(&self, body: f64) -> bool {
        matches!(self.shape, Shape::Text)
            && self.size > body * LARGER
            && self.size > body + 0.4
            && self.lines <= MAX_HEADING_LINES
            && self.words.text.chars().count() <= MAX_HEADING
            && self.words.text.chars().any(char::is_alphabetic)
    }

    fn is_bold_heading(&self) -> bool {
        matches!(self.shape, Shape::Text)
            && self.bold
            && self.lines == 1
            && self.words.text.chars().count() <= MAX_BOLD_HEADING
            && self.words.text.chars().filter(|c| c.is_alphabetic()).count() >= 2
            && !self.words.text.trim_end().ends_with(['.', ',', ';', ':', '。', '，', '；', '：'])
    }
}

/// Makes pieces of a page's blocks.
struct Maker<'a> {
    targets: &'a [String],
    lexicon: &'a Lexicon,
    body: f64,
}

impl Maker<'_> {
    fn block(&self, block: Block, pieces: &mut Vec<Piece>) {
        if let Some(grid) = block.grid {
            pieces.push(self.ruled(grid));
            return;
        }
        let from = pieces.len();
        let lines = &block.lines;
        let mut at = 0;
        for table in aligned::tables(lines) {
            self.paragraphs(lines.get(at..table.from).unwrap_or_default(), pieces);
            at = table.to;
            pieces.push(self.table(table.rows(lines), lines.get(table.from)));
        }
        self.paragraphs(lines.get(at..).unwrap_or_default(), pieces);
        if let Some(first) = pieces.get_mut(from) {
            first.first = true;
        }
        if let Some(last) = pieces.get_mut(from..).and_then(<[Piece]>::last_mut) {
            last.last = true;
        }
    }

    fn paragraphs(&self, lines: &[Line], pieces: &mut Vec<Piece>) {
        if lines.is_empty() {
            return;
        }
        let begins = beginnings(lines);
        let ends = begins.iter().copied().skip(1).chain([lines.len()]);
        let left = lines.iter().map(|line| line.u0).fold(f64::INFINITY, f64::min);
        let right = lines.iter().map(|line| line.u1).fold(f64::NEG_INFINITY, f64::max);
        for (from, to) in begins.iter().copied().zip(ends) {
            let lines = lines.get(from..to).unwrap_or_default();
            let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
            let rest = if last.rtl { last.u0 - left } else { right - last.u1 };
            let words = self.words(lines);
            let label = note_label(first, &words.text).filter(|_| first.size < self.body * NOTE);
            pieces.push(Piece {
                shape: label.map_or(Shape::Text, Shape::Note),
                size: common_size(lines),
                bold: lines.iter().all(|line| line.bold),
                lines: lines.len(),
                top: first.v,
                bottom: last.v,
                full: rest < 2.0 * last.size,
                words,
                ..Piece::default()
            });
        }
    }

    /// The words of a paragraph's lines.
    fn words(&self, lines: &[Line]) -> Inline {
        let mut words = Inline::default();
        for (at, line) in lines.iter().enumerate() {
            let line = line.inline(self.targets, at + 1 == lines.len());
            if words.text.is_empty() { words = line } else { self.lexicon.join(&mut words, line) }
        }
        words
    }

    fn ruled(&self, grid: Grid) -> Piece {
        let rtl = grid
            .rows
            .iter()
            .flatten()
            .flatten()
            .filter(|word| word.text.chars().any(super::scripts::is_rtl))
            .count()
            * 2
            > grid.rows.iter().flatten().map(Vec::len).sum::<usize>();
        let mut rows = grid.rows;
        // Columns that no row has words in are but gaps between lines.
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        let filled: Vec<bool> = (0..width)
            .map(|column| rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty())))
            .collect();
        for row in &mut rows {
            let mut at = 0;
            row.retain(|_| {
                at += 1;
                filled.get(at - 1).copied().unwrap_or(false)
            });
            if rtl {
                row.reverse();
            }
        }
        self.table(rows, None)
    }

    /// A table of words by row and column.
    fn table(&self, rows: Vec<Vec<Vec<Word>>>, first: Option<&Line>) -> Piece {
        let bold = |row: Option<&Vec<Vec<Word>>>| {
            row.is_some_and(|row| {
                row.iter().flatten().all(|word| word.bold) && row.iter().any(|cell| !cell.is_empty())
            })
        };
        let named = bold(rows.first()) && !bold(rows.get(1));
        let mut links = Vec::new();
        let mut texts: Vec<Vec<String>> = Vec::with_capacity(rows.len());
        for row in rows {
            let cells = row.into_iter().map(|cell| {
                let mut words = self.words(&lines(cell));
                without_soft(&mut words);
                links.extend(words.anchors());
                words.text
            });
            texts.push(cells.collect());
        }
        let columns = if named || names_columns(&texts) { texts.remove(0) } else { Vec::new() };
        let table = Table { caption: None, columns, rows: texts };
        let v = first.map_or(0.0, |line| line.v);
        Piece { shape: Shape::Table { table, links }, top: v, bottom: v, ..Piece::default() }
    }
}

/// Whether a first row names the columns: it has words and no figures where those below have figures.
fn names_columns(rows: &[Vec<String>]) -> bool {
    let [first, rest @ ..] = rows else { return false };
    let figure = |cell: &str| {
        let bare = cell.trim_matches(|c: char| !c.is_alphanumeric());
        !bare.is_empty() && bare.chars().filter(char::is_ascii_digit).count() * 2 >= bare.chars().count()
    };
    let named = first.iter().all(|cell| !cell.trim().is_empty() && !figure(cell));
    let column = |at: usize| rest.iter().filter(|row| row.get(at).is_some_and(|cell| figure(cell))).count();
    named && !rest.is_empty() && (0..first.len()).any(|at| column(at) * 2 > rest.len())
}

/// The size of most characters of some lines.
fn common_size(lines: &[Line]) -> f64 {
    let longest = lines.iter().reduce(|best, line| if line.chars() > best.chars() { line } else { best });
    longest.map_or(0.0, |line| line.size)
}

/// The number or sign that a note begins with: in small type above the line, or a sign.
fn note_label(line: &Line, text: &str) -> Option<String> {
    let first = line.words.first()?;
    let raised = first.size < line.size * 0.9 && first.text.chars().count() <= 4;
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let sign = text.chars().next().filter(|c| matches!(c, '*' | '†' | '‡' | '§' | '¶' | '①'..='⑳'));
    match (digits, sign) {
        (1..=3, _) if text.get(digits..).is_some_and(|rest| rest.chars().any(char::is_alphabetic)) => {
            text.get(..digits).map(str::to_owned)
        }
        (_, Some(sign)) => Some(sign.to_string()),
        _ if raised => Some(first.text.clone()),
        _ => None,
    }
}

/// Makes headings of several lines one.
fn merged_headings(pieces: Vec<Piece>, body: f64) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if let Some(before) = out.last_mut().filter(|before| {
            before.is_large(body)
                && piece.is_large(body)
                && (before.size - piece.size).abs() < 0.03 * piece.size
                && before.bold == piece.bold
                && (0.0..1.7 * piece.size).contains(&(piece.top - before.bottom))
                && marker(&piece.words.text).is_none()
                && before.words.text.chars().count() + piece.words.text.chars().count() < MAX_HEADING
                && !before.words.text.ends_with(['.', '!', '?', '。', '！', '？'])
        }) {
            super::layout::lines::join(&mut before.words.text, &piece.words.text);
            let shift = before.words.text.len() - piece.words.text.len();
            before.words.links.extend(
                piece.words.links.into_iter().map(|(range, to)| (range.start + shift..range.end + shift, to)),
            );
            before.lines += piece.lines;
            before.bottom = piece.bottom;
            before.last = piece.last;
            continue;
        }
        out.push(piece);
    }
    out
}

/// Sizes of headings, the largest first.
fn levels(pieces: &[Piece], body: f64) -> Vec<f64> {
    let mut sizes: Vec<f64> =
        pieces.iter().filter(|piece| piece.is_large(body)).map(|piece| piece.size).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    sizes.dedup_by(|next, before| *before - *next <= 0.04 * *before);
    sizes.truncate(5);
    sizes
}

/// Tells a builder of pieces; holds a paragraph back until it is known whether the next page goes on with it.
struct ParagraphWriter<'b, 'l> {
    builder: &'b mut Builder,
    lexicon: &'l Lexicon,
    body: f64,
    levels: Vec<f64>,
    open: Option<Piece>,
    notes: Vec<(String, Inline)>,
}

impl ParagraphWriter<'_, '_> {
    fn take(&mut self, piece: Piece) {
        match piece.shape {
            Shape::PageEnd(heads) => heads.iter().for_each(|head| self.builder.furniture(head)),
            Shape::Note(label) => {
                let mut words = piece.words;
                without_label(&mut words, &label);
                without_soft(&mut words);
                self.notes.push((label, words));
            }
            Shape::Table { table, links } => {
                self.close();
                self.builder.table(table);
                links.iter().for_each(|(target, anchor)| self.builder.link(target, anchor));
            }
            Shape::Text => match &mut self.open {
                Some(open) if goes_on(open, &piece) => {
                    self.lexicon.join(&mut open.words, piece.words);
                    (open.last, open.full, open.bottom) = (piece.last, piece.full, piece.bottom);
                    open.lines += piece.lines;
                }
                _ => {
                    self.close();
                    self.open = Some(piece);
                }
            },
        }
    }

    /// Tells what was held back.
    fn close(&mut self) {
        if let Some(mut piece) = self.open.take() {
            without_soft(&mut piece.words);
            self.tell(piece);
        }
        for (label, words) in std::mem::take(&mut self.notes) {
            self.builder.note(&label, words);
        }
    }

    fn tell(&mut self, piece: Piece) {
        if piece.is_large(self.body) {
            let level =
                self.levels.iter().position(|size| piece.size >= size * 0.96).unwrap_or(self.levels.len());
            self.builder.heading(u8::try_from(level + 1).unwrap_or(6), piece.words);
        } else if piece.is_bold_heading() {
            self.builder.heading(u8::try_from(self.levels.len() + 1).unwrap_or(6), piece.words);
        } else if let Some((marker, bytes)) = marker(&piece.words.text) {
            let mut words = piece.words;
            cut_front(&mut words, bytes);
            self.builder.item(0, marker, words);
        } else {
            self.builder.paragraph(piece.words);
        }
    }
}

/// Whether a piece goes on with a paragraph that the end of a page or a column cut.
fn goes_on(open: &Piece, piece: &Piece) -> bool {
    if !(open.last && piece.first)
        || (open.size - piece.size).abs() > 0.1 * piece.size
        || open.bold != piece.bold
    {
        return false;
    }
    let text = open.words.text.trim_end();
    let (Some(end), Some(begin)) = (text.chars().next_back(), piece.words.text.chars().next()) else {
        return false;
    };
    if matches!(marker(&piece.words.text), Some((Marker::Bullet | Marker::Number(_), _))) {
        return false;
    }
    let ended = matches!(
        end,
        '.' | '!' | '?' | ':' | '。' | '！' | '？' | '：' | '…' | '؟' | '"' | '”' | '」' | '』'
    );
    let small = begin.is_alphabetic() && begin.is_lowercase();
    matches!(end, '-' | '\u{2010}' | '\u{AD}') && small
        || !ended
            && open.full
            && (small || begin.is_ascii_digit() || !begin.is_uppercase() && begin.is_alphabetic())
        || small && open.lines > 1 && !ended
}

/// Takes bytes off the front, with the links in them.
fn cut_front(words: &mut Inline, bytes: usize) {
    words.text = words.text.get(bytes..).unwrap_or_default().to_owned();
    words.links.retain_mut(|(range, _)| {
        *range = range.start.saturating_sub(bytes)..range.end.saturating_sub(bytes);
        range.start < range.end
    });
}

fn without_label(words: &mut Inline, label: &str) {
    let Some(rest) = words.text.strip_prefix(label) else { return };
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ')' | ':'));
    let bytes = words.text.len() - rest.len();
    cut_front(words, bytes);
}
