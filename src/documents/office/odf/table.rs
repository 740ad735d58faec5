//! Tables of OpenDocument texts and slides.
//!
//! **Definition.** OpenDocument 1.3 part 3, 9: cells and rows may be repeated; places that a cell covers are elements.
//!
//! **Bad input.** Repeated cells are bounded by [`MAX_COLUMNS`], [`MAX_REPEATED_ROWS`] and [`MAX_REPEATED_BYTES`].

use crate::Table;
use crate::blocks::{Block, flattened};
use crate::grid::Grid;
use crate::office::odf::text::Walk;
use crate::xml::Element;

/// Columns that a table may have; further ones are left out.
const MAX_COLUMNS: usize = 1024;
/// Times that a row of a table is shown.
const MAX_REPEATED_ROWS: usize = 64;
/// Bytes that all repeated cells and rows may take.
pub(super) const MAX_REPEATED_BYTES: usize = 32 << 20;

impl<'x> Walk<'x> {
    /// A table in the text.
    pub(super) fn table(&mut self, element: Element<'x>, out: &mut Vec<Block>) {
        self.depth += 1;
        let mut rows = Vec::new();
        let mut header = 0;
        rows_of(element, false, &mut rows, &mut header);
        let cells_of = |row: &Element<'x>| {
            row.children().filter(|cell| matches!(cell.name(), "table-cell" | "covered-table-cell")).count()
        };
        if rows.iter().all(|row| cells_of(row) <= 1) {
            rows.iter().flat_map(|row| row.children()).for_each(|cell| self.blocks(cell, out));
        } else {
            self.grid(&rows, header, out);
        }
        self.depth -= 1;
    }

    fn grid(&mut self, rows: &[Element<'x>], header: usize, out: &mut Vec<Block>) {
        let mut table = Table::default();
        let mut links = Vec::new();
        let mut grid = Grid::default();
        // By column, for how many rows a cell reaches down.
        let mut reach = [0_usize; MAX_COLUMNS];
        for row in rows {
            let (mut shown, mut begun) = (Vec::new(), Vec::new());
            for cell in
                row.children().filter(|cell| matches!(cell.name(), "table-cell" | "covered-table-cell"))
            {
                let times = cell.number::<usize>("number-columns-repeated").unwrap_or(1);
                let times = times.min(MAX_COLUMNS.saturating_sub(shown.len())).max(1);
                if cell.name() != "table-cell" {
                    let times = self.repeats(times, size_of::<String>());
                    for column in shown.len()..shown.len() + times {
                        let reached = reach.get(column).is_some_and(|rows| *rows > 0);
                        shown.push(if reached { grid.again(column) } else { String::new() });
                    }
                    continue;
                }
                let mut blocks = Vec::new();
                self.blocks(cell, &mut blocks);
                let words = flattened(blocks);
                links.extend(words.anchors().map(|(target, anchor)| Block::Link(target, anchor)));
                let rows = cell.number::<usize>("number-rows-spanned").unwrap_or(1);
                let columns = cell.number("number-columns-spanned").unwrap_or(1).max(times);
                begun.push((shown.len(), columns, rows));
                let times = self.repeats(times, words.text.len() + size_of::<String>());
                shown.resize(shown.len() + times, words.text);
            }
            let times = row.number::<usize>("number-rows-repeated").unwrap_or(1).clamp(1, MAX_REPEATED_ROWS);
            let bytes = shown.iter().map(|cell| cell.len() + size_of::<String>()).sum::<usize>();
            let times = self.repeats(times, bytes);
            grid.end(&mut shown);
            reach.iter_mut().for_each(|rows| *rows = rows.saturating_sub(times));
            for (from, columns, rows) in begun {
                reach
                    .iter_mut()
                    .skip(from)
                    .take(columns)
                    .for_each(|reach| *reach = rows.saturating_sub(times));
            }
            table.rows.extend(std::iter::repeat_n(shown, times));
        }
        if header == 1 && table.rows.len() > 1 {
            table.columns = table.rows.remove(0);
        }
        out.push(Block::Table(table));
        out.extend(links);
    }

    /// How often something is repeated: as often as it says while there is room, else once.
    fn repeats(&mut self, times: usize, bytes: usize) -> usize {
        match self.room.checked_sub((times - 1).saturating_mul(bytes)) {
            Some(room) => {
                self.room = room;
                times
            }
            None => 1,
        }
    }
}

/// Rows of a table, those in groups too; `header` counts those that are repeated on every page.
fn rows_of<'x>(parent: Element<'x>, in_header: bool, rows: &mut Vec<Element<'x>>, header: &mut usize) {
    for child in parent.children() {
        match child.name() {
            "table-row" => {
                *header += usize::from(in_header);
                rows.push(child);
            }
            "table-header-rows" => rows_of(child, true, rows, header),
            "table-rows" | "table-row-group" => rows_of(child, in_header, rows, header),
            _ => {}
        }
    }
}
