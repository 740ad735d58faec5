//! Sheets: cells of any format as tables, and the title that one of them is.
//!
//! **What.** Every sheet is a heading with its name and a table. Rows of a single cell above the table are paragraphs: titles and
//! remarks. The first row names the columns where it looks like a header.
//!
//! **Definition.** A cell that is text of at least two characters weighs P = 1 / (1 + row / 5), twice that alone in its row, 1.1
//! times that in bold, three times that on the active sheet; the heaviest is the title, the first of equals.
//!
//! **Cost.** Linear in the filled cells; rows and columns without any take no place. [`MAX_CELLS`] places of a sheet are shown,
//! so that cells in far corners span no large empty field.

mod biff;
mod book;
mod format;
pub(crate) mod xls;
pub(crate) mod xlsb;
pub(crate) mod xlsx;

use std::collections::{BTreeMap, BTreeSet};

use crate::{Builder, Inline, Limits, Table, TitleSource};

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

/// A sheet: its filled cells by row and column.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) active: bool,
    rows: BTreeMap<u32, BTreeMap<u32, Cell>>,
    cells: usize,
    max_cells: usize,
    max_rows: usize,
    cut: bool,
}

impl Sheet {
    /// A sheet without cells.
    pub(crate) fn new(name: &str, active: bool, limits: &Limits) -> Self {
        Sheet {
            name: name.to_owned(),
            active,
            max_cells: MAX_CELLS,
            max_rows: limits.max_table_rows,
            ..Sheet::default()
        }
    }

    /// Fills a cell; `false` where the sheet takes no more.
    pub(crate) fn fill(&mut self, row: u32, column: u32, cell: Cell) -> bool {
        if cell.text.trim().is_empty() {
            return true;
        }
        if self.cells >= self.max_cells || self.rows.len() >= self.max_rows && !self.rows.contains_key(&row) {
            self.cut = true;
            return false;
        }
        self.cells += 1;
        self.rows.entry(row).or_default().insert(column, cell);
        true
    }

    /// A filled cell.
    pub(crate) fn cell(&self, row: u32, column: u32) -> Option<&Cell> {
        self.rows.get(&row)?.get(&column)
    }

    /// The text of most weight, and its weight.
    fn title(&self) -> Option<(f64, &str)> {
        let mut best: Option<(f64, &str)> = None;
        let first = *self.rows.keys().next()?;
        for (&row, cells) in &self.rows {
            let place = 1.0 / (1.0 + f64::from(row - first) / 5.0);
            let alone = if cells.len() == 1 { 2.0 } else { 1.0 };
            let sheet = if self.active { 3.0 } else { 1.0 };
            for cell in cells.values().filter(|cell| cell.is_text && crate::title::is_title_like(&cell.text))
            {
                let weight = place * alone * sheet * if cell.bold { 1.1 } else { 1.0 };
                if best.is_none_or(|(most, _)| weight > most) {
                    best = Some((weight, &cell.text));
                }
            }
        }
        best
    }

    /// Tells of the sheet: its name, remarks, table.
    fn tell(&self, builder: &mut Builder) {
        builder.heading(1, self.name.as_str());
        let columns = self.rows.values().flat_map(|row| row.keys().copied()).collect::<BTreeSet<_>>();
        let width = columns.len();
        // Cells that stand alone above wider rows.
        let remarks = match self.rows.values().position(|row| row.len() > 1) {
            Some(at) if at <= MAX_REMARKS => at,
            _ => 0,
        };
        for row in self.rows.values().take(remarks) {
            row.values().for_each(|cell| builder.paragraph(Inline::from(cell.text.as_str())));
        }
        let rows = self.rows.values().skip(remarks).collect::<Vec<_>>();
        let most = (MAX_CELLS / rows.len().max(1)).max(1);
        if self.cut || width > most {
            builder.warn("cells-cut");
        }
        let places = columns
            .into_iter()
            .take(most)
            .enumerate()
            .map(|(at, column)| (column, at))
            .collect::<BTreeMap<_, _>>();
        let shown = |row: &&BTreeMap<u32, Cell>| {
            let mut cells = Vec::new();
            for (column, cell) in *row {
                let Some(&at) = places.get(column) else { break };
                cells.resize(at, String::new());
                cells.push(cell.text.clone());
            }
            cells
        };
        let header = rows.len() > 1 && rows.first().is_some_and(|row| is_header(row, places.len()));
        let mut table = Table { caption: Some(self.name.clone()), ..Table::default() };
        table.rows = rows.iter().map(shown).collect();
        if header {
            table.columns = table.rows.remove(0);
        }
        builder.table(table);
    }
}

/// Whether a row names columns: words only, no two alike, in most of them.
fn is_header(row: &BTreeMap<u32, Cell>, width: usize) -> bool {
    let names = row.values().map(|cell| cell.text.trim()).collect::<BTreeSet<_>>();
    row.values().all(|cell| cell.is_text) && names.len() == row.len() && row.len() * 2 > width
}

/// The cell of most weight of the sheets that were told.
#[derive(Debug, Default)]
pub(crate) struct Heaviest(Option<(f64, String)>);

impl Heaviest {
    /// Tells of a sheet, and weighs its cells.
    pub(crate) fn tell(&mut self, sheet: &Sheet, builder: &mut Builder) {
        let known = self.0.as_ref().map_or(0.0, |(most, _)| *most);
        if let Some((weight, text)) = sheet.title().filter(|(weight, _)| *weight > known) {
            self.0 = Some((weight, text.to_owned()));
        }
        sheet.tell(builder);
    }

    /// Gives the document its title, unless it has one.
    pub(crate) fn give(self, builder: &mut Builder) {
        if let Some((_, text)) = self.0 {
            builder.document.give_title(&text, TitleSource::Type);
        }
    }
}

#[cfg(test)]
#[path = "sheets_tests.rs"]
mod tests;
