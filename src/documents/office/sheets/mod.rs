//! Sheets: cells of any format as tables, and the title that one of them is.
//!
//! **What.** Every sheet is a heading with its name and a table. Rows of a single cell above the table are paragraphs: titles and
//! remarks. The first row names the columns where it looks like a header.
//!
//! **Definition.** A cell that is text of at least two characters weighs P = 1 / (1 + row / 5), twice that alone in its row, 1.1
//! times that in bold, three times that on the active sheet; the heaviest is the title, the first of equals.
//!
//! **Cost.** Linear in the filled cells; rows and columns without any take no place. [`MAX_CELLS`] places of a sheet are shown,
//! so that cells in far corners span no large empty field; a sheet takes no more cells than the text has room for.

mod biff;
mod book;
mod format;
pub(crate) mod xls;
mod xlsb;
pub(crate) mod xlsx;

use std::collections::{BTreeMap, BTreeSet};

use crate::{Builder, Inline, Table, TitleSource};

/// Characters between two cells of a row.
const SEPARATOR: usize = 3;
/// Places of a sheet: rows times columns that have a filled cell.
const MAX_CELLS: usize = 4_000_000;
/// Rows of single cells above a table that are taken for remarks.
const MAX_REMARKS: usize = 20;

/// A filled cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) bold: bool,
    /// Whether it is words, no number or date.
    pub(crate) is_text: bool,
}

/// A filled cell and its place.
#[derive(Debug)]
struct PlacedCell {
    row: u32,
    column: u32,
    cell: Cell,
}

/// A sheet: its filled cells.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) active: bool,
    cells: Vec<PlacedCell>,
    /// Whether they stand row by row, from left to right, one at a place.
    sorted: bool,
    /// Rows, those that are met again counted again.
    rows: usize,
    max_rows: usize,
    /// Characters that further cells may have, with what parts one from the next.
    room: usize,
    cut: bool,
}

impl Sheet {
    /// A sheet without cells, of a document that is being built.
    pub(crate) fn new(name: &str, active: bool, builder: &Builder) -> Self {
        Sheet {
            name: name.to_owned(),
            active,
            sorted: true,
            room: builder.room().saturating_add(SEPARATOR),
            max_rows: builder.limits().max_table_rows,
            ..Sheet::default()
        }
    }

    /// Fills a cell; `false` where the sheet takes no more.
    pub(crate) fn fill(&mut self, row: u32, column: u32, cell: Cell) -> bool {
        if cell.text.trim().is_empty() {
            return true;
        }
        let last = self.cells.last().map(|last| (last.row, last.column));
        let starts_row = last.is_none_or(|(last, _)| last != row);
        let chars = cell.text.chars().count() + SEPARATOR;
        if starts_row && self.rows >= self.max_rows || self.room < chars {
            self.cut = true;
            return false;
        }
        self.room -= chars;
        self.rows += usize::from(starts_row);
        self.sorted &= last < Some((row, column));
        self.cells.push(PlacedCell { row, column, cell });
        true
    }

    /// A filled cell.
    pub(crate) fn cell(&mut self, row: u32, column: u32) -> Option<&Cell> {
        self.sort();
        let at =
            self.cells.binary_search_by_key(&(row, column), |placed| (placed.row, placed.column)).ok()?;
        self.cells.get(at).map(|placed| &placed.cell)
    }

    /// Puts the cells in order; of several at one place the last stays.
    fn sort(&mut self) {
        if !self.sorted {
            self.cells.reverse();
            self.cells.sort_by_key(|placed| (placed.row, placed.column));
            self.cells.dedup_by_key(|placed| (placed.row, placed.column));
            self.sorted = true;
        }
    }

    /// Cells row by row, once they are in order.
    fn by_row(&self) -> impl Iterator<Item = &[PlacedCell]> {
        self.cells.chunk_by(|a, b| a.row == b.row)
    }

    /// The text of most weight, and its weight.
    fn title(&self) -> Option<(f64, &str)> {
        let mut best: Option<(f64, &str)> = None;
        let first = self.cells.first()?.row;
        for row in self.by_row() {
            let alone = if row.len() == 1 { 2.0 } else { 1.0 };
            let sheet = if self.active { 3.0 } else { 1.0 };
            for PlacedCell { row, cell, .. } in row {
                if !cell.is_text || !crate::title::is_title_like(&cell.text) {
                    continue;
                }
                let place = 1.0 / (1.0 + f64::from(row - first) / 5.0);
                let weight = place * alone * sheet * if cell.bold { 1.1 } else { 1.0 };
                if best.is_none_or(|(most, _)| weight > most) {
                    best = Some((weight, &cell.text));
                }
            }
        }
        best
    }

    /// Tells of the sheet: its name, remarks, table.
    fn tell(mut self, builder: &mut Builder) {
        builder.heading(1, self.name.as_str());
        let columns = self.cells.iter().map(|placed| placed.column).collect::<BTreeSet<_>>();
        // Cells that stand alone above wider rows.
        let remarks = match self.by_row().position(|row| row.len() > 1) {
            Some(at) if at <= MAX_REMARKS => at,
            _ => 0,
        };
        for placed in self.cells.drain(..remarks) {
            builder.paragraph(Inline::from(placed.cell.text));
        }
        let rows = self.by_row().count();
        let most = (MAX_CELLS / rows.max(1)).max(1);
        if self.cut || columns.len() > most {
            builder.warn("cells-cut");
        }
        let places = columns.into_iter().take(most).zip(0..).collect::<BTreeMap<u32, usize>>();
        let is_header = rows > 1 && self.by_row().next().is_some_and(|row| is_header(row, places.len()));
        let mut table = Table { caption: Some(self.name), ..Table::default() };
        let mut row = None;
        for placed in self.cells {
            if row != Some(placed.row) {
                row = Some(placed.row);
                table.rows.push(Vec::new());
            }
            if let (Some(cells), Some(&at)) = (table.rows.last_mut(), places.get(&placed.column)) {
                cells.resize(at, String::new());
                cells.push(placed.cell.text);
            }
        }
        if is_header {
            table.columns = table.rows.remove(0);
        }
        builder.table(table);
    }
}

/// Whether a row names columns: words only, no two alike, in most of them.
fn is_header(row: &[PlacedCell], width: usize) -> bool {
    let names = row.iter().map(|placed| placed.cell.text.trim()).collect::<BTreeSet<_>>();
    row.iter().all(|placed| placed.cell.is_text) && names.len() == row.len() && row.len() * 2 > width
}

/// Tells of the sheets of a workbook one after the other, and weighs their cells.
#[derive(Debug, Default)]
pub(crate) struct SheetWriter {
    pages: usize,
    heaviest: Option<(f64, String)>,
}

impl SheetWriter {
    /// Sheets that were begun.
    pub(crate) fn pages(&self) -> usize {
        self.pages
    }

    /// Whether another sheet is read; where none is, a warning says so.
    pub(crate) fn goes_on(&self, builder: &mut Builder) -> bool {
        let most = builder.limits().max_pages as usize;
        let goes_on = self.pages < most && !builder.is_full() && !builder.is_full_of_rows();
        if !goes_on {
            builder.warn("pages-cut");
        }
        goes_on
    }

    /// The next sheet, without cells.
    pub(crate) fn begin(&mut self, name: &str, active: bool, hidden: bool, builder: &mut Builder) -> Sheet {
        if hidden {
            builder.warn("hidden-sheets");
        }
        self.pages += 1;
        Sheet::new(name, active, builder)
    }

    /// Tells of a sheet, and of links: their targets and words.
    pub(crate) fn tell(&mut self, mut sheet: Sheet, links: &[(String, String)], builder: &mut Builder) {
        sheet.sort();
        let known = self.heaviest.as_ref().map_or(0.0, |(most, _)| *most);
        if let Some((weight, text)) = sheet.title().filter(|(weight, _)| *weight > known) {
            self.heaviest = Some((weight, text.to_owned()));
        }
        sheet.tell(builder);
        links.iter().for_each(|(target, anchor)| builder.link(target, anchor));
    }

    /// Gives the document the number of its sheets, and its title, unless it has one.
    pub(crate) fn finish(self, builder: &mut Builder) {
        builder.document.pages = u32::try_from(self.pages).ok();
        if let Some((_, text)) = self.heaviest {
            builder.document.give_title(&text, TitleSource::Type);
        }
    }
}

#[cfg(test)]
#[path = "sheets_tests.rs"]
mod tests;
