//! Data tables as records.
//!
//! **Definition.** A data table has rows of at least two cells, as many in most rows, and no table inside
//! ([`data_tables`](super::render::data_tables)). Rows of headers at its top name the columns: of several, names are
//! joined from top to bottom; a name that repeats gets a number, an empty one is `column N`. Without such rows, a table
//! whose rows are a header and one cell each is one record; any other is rows only. A cell that spans rows or columns
//! is in every cell that it spans.
//!
//! **Cost.** Linear in the table; [`MAX_TABLES`] tables a page, [`MAX_CELL`] bytes a cell, [`MAX_BYTES`] of all tables.

use std::collections::HashSet;

use super::grid::{Grid, GridRow};
use crate::blocks::page::{NONE, Page};
use webmill_html::{Dom, Tag};

/// Tables of a page that are kept.
const MAX_TABLES: usize = 200;
/// Bytes of a cell that are kept.
const MAX_CELL: usize = 4096;
/// Bytes of all tables of a page that are kept.
const MAX_BYTES: usize = 4 << 20;

/// A data table of the main text.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DataTable {
    /// What its caption says.
    pub caption: Option<String>,
    /// Names of the columns, no two alike; empty where the table names none.
    pub columns: Vec<String>,
    /// Cells row by row, without the rows that name the columns; every row as long as the longest.
    pub rows: Vec<Vec<String>>,
}

impl DataTable {
    /// The rows as pairs of a column's name and a cell; empty if the columns have no names.
    pub fn records(&self) -> impl Iterator<Item = impl Iterator<Item = (&str, &str)>> {
        let rows: &[Vec<String>] = if self.columns.is_empty() { &[] } else { &self.rows };
        rows.iter().map(|row| self.columns.iter().map(String::as_str).zip(row.iter().map(String::as_str)))
    }
}

/// The data tables that hold chosen blocks.
pub(crate) fn records(dom: &Dom<'_>, page: &Page, chosen: &[bool], data: &[bool]) -> Vec<DataTable> {
    let mut out = Vec::new();
    let mut budget = MAX_BYTES;
    for (index, container) in page.containers.iter().enumerate() {
        if out.len() >= MAX_TABLES || budget == 0 {
            break;
        }
        if !data[index] || !(container.first..container.end).any(|block| chosen[block as usize]) {
            continue;
        }
        let mut grid = Grid::new(dom, page, index as u32);
        grid.keep_chosen(page, chosen);
        out.extend(table(page, index as u32, &grid, &mut budget));
    }
    out
}

fn table(page: &Page, index: u32, grid: &Grid, budget: &mut usize) -> Option<DataTable> {
    let head = grid.rows.iter().take_while(|row| row.is_header(page)).count();
    // A table of nothing but headers has none.
    let head = if head < grid.rows.len() { head } else { 0 };
    let mut cells = |row: &GridRow| {
        let mut out: Vec<String> =
            row.places.iter().map(|place| cell(page, place.container, budget)).collect();
        out.resize(grid.width, String::new());
        out
    };
    let body = &grid.rows[head..];
    let pairs = head == 0
        && body.iter().all(|row| row.places.len() == 2 && row.places[0].header && !row.places[1].header);
    let (columns, rows) = if pairs {
        let (names, values): (Vec<_>, Vec<_>) = body
            .iter()
            .map(|row| {
                let mut row = cells(row).into_iter();
                (row.next().unwrap_or_default(), row.next().unwrap_or_default())
            })
            .unzip();
        (distinct(names), vec![values])
    } else {
        let mut names = vec![String::new(); if head > 0 { grid.width } else { 0 }];
        for row in &grid.rows[..head] {
            for (name, part) in names.iter_mut().zip(cells(row)) {
                if !part.is_empty() && *name != part {
                    if !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(&part);
                }
            }
        }
        (distinct(names), body.iter().map(&mut cells).collect())
    };
    let filled = rows.iter().flatten().any(|cell: &String| !cell.is_empty());
    filled.then(|| DataTable { caption: caption(page, index), columns, rows })
}

/// The text of a cell, on one line.
fn cell(page: &Page, container: u32, budget: &mut usize) -> String {
    let it = &page.containers[container as usize];
    let mut out = String::new();
    for block in &page.blocks[it.first as usize..it.end as usize] {
        for word in page.text_of(block).split_whitespace() {
            if out.len() + word.len() >= MAX_CELL.min(*budget) {
                break;
            }
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
    *budget -= out.len();
    out
}

fn caption(page: &Page, table: u32) -> Option<String> {
    let depth = page.containers[table as usize].depth;
    let mut inside = (table + 1..).zip(&page.containers[table as usize + 1..]);
    let caption =
        inside.by_ref().take_while(|(_, it)| it.depth > depth).find(|(_, it)| it.tag == Tag::Caption);
    let (index, _) = caption.filter(|(_, it)| it.table == table || it.table == NONE)?;
    Some(cell(page, index, &mut MAX_CELL.clone())).filter(|text| !text.is_empty())
}

/// Names made such that no two are alike and none is empty.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut out = Vec::with_capacity(names.len());
    for (at, name) in (1..).zip(names) {
        let name = if name.is_empty() { format!("column {at}") } else { name };
        let mut unique = name.clone();
        let mut number = 2;
        while !seen.insert(unique.clone()) {
            unique = format!("{name} {number}");
            number += 1;
        }
        out.push(unique);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use crate::output::render::data_tables;
    use webmill_html::{Limits, parse};

    fn read(source: &str) -> Vec<DataTable> {
        let dom = parse(source, &Limits::default());
        let page = blocks(&dom, dom.body().expect("a body"));
        records(&dom, &page, &vec![true; page.blocks.len()], &data_tables(&page))
    }

    fn one(source: &str) -> (Vec<String>, Vec<Vec<String>>) {
        let table = read(source).pop().expect("a table");
        (table.columns, table.rows)
    }

    #[test]
    fn headers_become_keys() {
        let table = &read(
            "<table><caption>Tea  times</caption><thead><tr><th>Leaf<th>Minutes</thead><tr><td>Green <b>tea</b><td>2
            <tr><td>Black<td></table>",
        )[0];
        assert_eq!(table.caption.as_deref(), Some("Tea times"));
        let records: Vec<Vec<_>> = table.records().map(Iterator::collect).collect();
        assert_eq!(
            records,
            [[("Leaf", "Green tea"), ("Minutes", "2")], [("Leaf", "Black"), ("Minutes", "")]]
        );
    }

    #[test]
    fn shapes_of_tables() {
        let rows = |rows: &[&[&str]]| -> Vec<Vec<String>> {
            rows.iter().map(|row| row.iter().map(|cell| cell.to_string()).collect()).collect()
        };
        let names = |names: &[&str]| -> Vec<String> { names.iter().map(|n| n.to_string()).collect() };
        // Rows without names.
        let got = one("<table><tr><td>a<td>b<tr><td>c<td>d</table>");
        assert_eq!(got, (names(&[]), rows(&[&["a", "b"], &["c", "d"]])));
        // Headers at the side: one record.
        let got = one("<table><tr><th>Born<td>1900<tr><th>Died<td>1980</table>");
        assert_eq!(got, (names(&["Born", "Died"]), rows(&[&["1900", "1980"]])));
        // Headers above and at the side.
        let got = one("<table><tr><th><th>x<th>x<tr><th>r<td>1<td>2<tr><th>s<td>3<td>4</table>");
        assert_eq!(got, (names(&["column 1", "x", "x 2"]), rows(&[&["r", "1", "2"], &["s", "3", "4"]])));
        // Two rows of headers with spans, and a cell that reaches down.
        let got = one(
            "<table><tr><th rowspan=2>Name<th colspan=2>Price<tr><th>low<th>high<tr><td rowspan=2>a<td>1<td>2<tr><td>3<td>4</table>",
        );
        assert_eq!(
            got,
            (names(&["Name", "Price low", "Price high"]), rows(&[&["a", "1", "2"], &["a", "3", "4"]]))
        );
    }

    #[test]
    fn layout_is_no_table() {
        for source in [
            "<table><tr><td>one cell</table>",
            "<table><tr><td>a<td>b</table>",
            "<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>x<tr><td>y<td>z</table>",
        ] {
            let tables = read(source);
            assert!(
                tables.iter().all(|table| table.rows.len() == 2 && table.rows[0] == ["a", "b"]),
                "{tables:?}"
            );
        }
    }

    #[test]
    fn hostile_tables_are_bounded() {
        let cell = "word ".repeat(20_000);
        let tables = read(&format!(
            "<table>{}</table>",
            format!("<tr><td colspan=64 rowspan=64>{cell}<td>b").repeat(300)
        ));
        let bytes: usize = tables.iter().flat_map(|t| t.rows.iter().flatten()).map(String::len).sum();
        assert!(bytes <= MAX_BYTES, "{bytes}");
        let same = format!("<table><tr>{}<tr>{}</table>", "<th>a".repeat(5000), "<td>1".repeat(5000));
        assert!(read(&same).iter().all(|table| table.columns.len() <= 64));
    }
}
