//! Tables as rows of text and as Markdown, within limits.
//!
//! **Definition.** All rows of a table are as wide as its widest one. A table of a single column is paragraphs.
//!
//! **Cost.** Linear in rows times width, of which all tables of a document may have [`MAX_CELLS`]; a table may have
//! [`MAX_COLUMNS`] columns. So no single wide row makes thousands of short ones as wide.

use std::collections::{BTreeMap, BTreeSet};

use crate::builder::{LastBlock, one_line};
use crate::{Builder, Inline, Table};
use webmill_capture::markdown::escape_text;

/// Columns of a table; those of a sheet since Excel 2007.
pub(crate) const MAX_COLUMNS: usize = 16_384;
/// Places of all tables together.
pub(super) const MAX_CELLS: usize = 4_000_000;

impl Builder {
    /// Adds a table. One of a single column is paragraphs; one without words is left out.
    pub fn table(&mut self, mut table: Table) {
        let filled = |row: &Vec<String>| row.iter().any(|cell| !cell.trim().is_empty());
        table.rows.retain(filled);
        if !filled(&table.columns) {
            table.columns.clear();
        }
        let width = table.rows.iter().map(Vec::len).max().unwrap_or(0).max(table.columns.len());
        if width == 0 || self.full {
            return;
        }
        if width == 1 {
            for cell in table.columns.into_iter().chain(table.rows.into_iter().flatten()) {
                self.paragraph(cell);
            }
            return;
        }
        let room = self.limits.max_table_rows - self.rows.min(self.limits.max_table_rows);
        if table.rows.len() > room {
            table.rows.truncate(room);
            self.warn("rows-cut");
        }
        self.rows += table.rows.len();
        if width > MAX_COLUMNS {
            self.warn("columns-cut");
        }
        let width = width.min(MAX_COLUMNS);
        self.block(LastBlock::Other);
        let mut head = true;
        let columns = std::mem::take(&mut table.columns);
        let named = !columns.is_empty();
        let rows = std::mem::take(&mut table.rows);
        for mut row in named.then_some(columns).into_iter().chain(rows) {
            if self.cells.saturating_add(width) > MAX_CELLS {
                self.warn("cells-cut");
                self.cells = MAX_CELLS;
                break;
            }
            self.cells += width;
            row.truncate(width);
            row.iter_mut().for_each(|cell| *cell = one_line(cell));
            let line = joined(&row);
            row.resize(width, String::new());
            let Some(admitted) = self.admit(Inline::from(line)) else {
                if self.full {
                    break;
                }
                continue;
            };
            self.line(&admitted.text);
            if self.full {
                // Of a row that is too long for the text the beginning is told, as words.
                escape_text(&admitted.text, &mut self.document.markdown);
                self.document.markdown.push('\n');
                break;
            }
            self.mark_row(&row, std::mem::take(&mut head));
            if named && table.columns.is_empty() {
                table.columns = row;
            } else {
                table.rows.push(row);
            }
        }
        if !table.rows.is_empty() {
            name_apart(&mut table.columns);
            self.document.tables.push(table);
        }
    }

    /// Adds a row to the Markdown; behind the first one stands the line that makes it a table.
    fn mark_row(&mut self, row: &[String], head: bool) {
        let markdown = &mut self.document.markdown;
        for cell in row {
            markdown.push_str("| ");
            let mut escaped = String::with_capacity(cell.len());
            escape_text(cell, &mut escaped);
            markdown.push_str(&escaped.replace('|', "\\|"));
            markdown.push(' ');
        }
        markdown.push_str("|\n");
        if head {
            markdown.push_str(&"| --- ".repeat(row.len()));
            markdown.push_str("|\n");
        }
    }
}

/// Cells of a row, as tables of HTML pages have them in texts.
fn joined(row: &[String]) -> String {
    let last = row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |at| at + 1);
    row[..last].join(" | ")
}

/// Names of columns with no two alike: later ones get a number.
fn name_apart(columns: &mut [String]) {
    let mut taken = BTreeSet::<String>::new();
    let mut times = BTreeMap::<String, usize>::new();
    for (at, column) in columns.iter_mut().enumerate() {
        if column.is_empty() {
            *column = format!("column {}", at + 1);
        }
        let name = column.clone();
        let count = times.entry(name.clone()).or_insert(1);
        while !taken.insert(column.clone()) {
            *count += 1;
            *column = format!("{name} {count}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Kind, Limits};

    fn told(limits: &Limits, columns: Vec<String>, rows: Vec<Vec<String>>) -> Document {
        let mut builder = Builder::new(Kind::Csv, limits);
        builder.table(Table { caption: None, columns, rows });
        builder.finish()
    }

    fn row(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|&cell| cell.to_owned()).collect()
    }

    #[test]
    fn one_wide_row_does_not_widen_all_others_without_end() {
        let mut rows = vec![vec!["x".to_owned(); 2 * MAX_COLUMNS]];
        rows.resize(1000, row(&["a", "b"]));
        let document = told(&Limits::default(), Vec::new(), rows);
        assert_eq!(document.warnings, ["columns-cut", "cells-cut"]);
        assert_eq!(document.tables[0].rows.len(), MAX_CELLS / MAX_COLUMNS);
        assert_eq!(document.tables[0].rows[0].len(), MAX_COLUMNS);
    }

    #[test]
    fn row_that_is_too_long_for_the_text_is_cut() {
        let limits = Limits { max_text_chars: 12, ..Limits::default() };
        let document = told(&limits, row(&["a", "b"]), vec![row(&["1", "23456"]), row(&["7", "8"])]);
        assert_eq!(document.text, "a | b\n1 | 23\n");
        assert_eq!(document.markdown, "| a | b |\n| --- | --- |\n1 | 23\n");
        assert_eq!(document.warnings, ["text-cut"]);
        assert!(document.tables.is_empty());
    }

    #[test]
    fn names_of_columns_are_apart() {
        let mut columns = row(&["a", "a", "a 2", "", "a"]);
        name_apart(&mut columns);
        assert_eq!(columns, ["a", "a 2", "a 2 2", "column 4", "a 3"]);
    }
}
