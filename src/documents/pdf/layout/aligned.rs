//! Tables without lines: rows whose words stand in columns.
//!
//! **Definition.** A run of lines in which at least two have wide gaps, and in which at least one gap is free through all of
//! them. Cells are short; a first column of bullets or numbers is a list, and no table. A line whose first column is empty and
//! that stands close below the one before goes on with its cells.
//!
//! **Cost.** O(lines · columns).

use super::columns::{cover, gaps};
use super::lines::Line;
use super::words::Word;
use crate::pdf::lists::is_marker;

/// Characters that cells have at most, on average.
const CELL_CHARS: f64 = 40.0;

/// Lines of a block that are a table.
#[derive(Debug, PartialEq)]
pub(in crate::pdf) struct AlignedTable {
    pub(in crate::pdf) from: usize,
    /// The line behind it.
    pub(in crate::pdf) to: usize,
    /// Middles of the gaps between columns.
    gutters: Vec<f64>,
}

/// The tables among the lines of a block, in order.
pub(in crate::pdf) fn tables(lines: &[Line]) -> Vec<AlignedTable> {
    let mut tables: Vec<AlignedTable> = Vec::new();
    let mut from = 0;
    while from < lines.len() {
        match lines.get(from).filter(|line| pieces(line) >= 2).and_then(|_| run(lines, from)) {
            Some(table) => {
                from = table.to;
                tables.push(table);
            }
            None => from += 1,
        }
    }
    tables
}

/// The table that begins at a line.
fn run(lines: &[Line], from: usize) -> Option<AlignedTable> {
    let mut covered: Vec<(f64, f64)> = Vec::new();
    let (mut wide, mut to) = (0usize, from);
    let mut kept = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(from) {
        let size = line.size;
        if let Some(before) = lines.get(at.wrapping_sub(1)).filter(|_| at > from)
            && (line.v - before.v > 3.0 * size.max(before.size) || (size - before.size).abs() > 0.2 * size)
        {
            break;
        }
        line.words.iter().for_each(|word| cover(&mut covered, (word.u0, word.u1)));
        if gaps(&covered, 0.8 * size).is_empty() {
            break;
        }
        if pieces(line) >= 2 {
            wide += 1;
            to = at + 1;
            kept.clone_from(&covered);
        } else if at + 1 > to + 2 {
            break;
        }
    }
    let rows = lines.get(from..to)?;
    let size = rows.first()?.size;
    let gutters: Vec<f64> = gaps(&kept, 0.8 * size).into_iter().map(|(_, middle)| middle).collect();
    let table = AlignedTable { from, to, gutters };
    let columns = table.gutters.len() + 1;
    let chars: usize = rows.iter().map(Line::chars).sum();
    let enough = wide >= if columns == 2 { 3 } else { 2 };
    let short = (chars as f64) <= CELL_CHARS * (wide * columns) as f64;
    let listed =
        rows.iter().filter(|row| table.cells(row).first().is_some_and(|cell| is_list_mark(cell))).count();
    (columns >= 2 && enough && short && wide * 2 > rows.len() && listed * 2 < rows.len()).then_some(table)
}

fn is_list_mark(cell: &[&Word]) -> bool {
    matches!(cell, [word] if is_marker(&word.text))
}

/// Pieces of a line with wide gaps between.
fn pieces(line: &Line) -> usize {
    let mut words: Vec<&Word> = line.words.iter().collect();
    words.sort_by(|a, b| a.u0.total_cmp(&b.u0));
    1 + words.windows(2).filter(|pair| matches!(pair, [a, b] if b.u0 - a.u1 > 1.2 * line.size)).count()
}

impl AlignedTable {
    /// The words of a line by columns, in the direction of reading.
    fn cells<'a>(&self, line: &'a Line) -> Vec<Vec<&'a Word>> {
        let mut cells = vec![Vec::new(); self.gutters.len() + 1];
        for word in &line.words {
            let at = self.gutters.partition_point(|gutter| *gutter < (word.u0 + word.u1) / 2.0);
            if let Some(cell) = cells.get_mut(at) {
                cell.push(word);
            }
        }
        if line.rtl {
            cells.reverse();
        }
        cells
    }

    /// The rows of the table: lines of words by columns.
    pub(in crate::pdf) fn rows(&self, lines: &[Line]) -> Vec<Vec<Vec<Word>>> {
        let mut rows: Vec<Vec<Vec<Word>>> = Vec::new();
        let lines = lines.get(self.from..self.to).unwrap_or_default();
        let rtl = lines.iter().filter(|line| line.rtl).count() * 2 > lines.len();
        let mut before: Option<&Line> = None;
        for line in lines {
            let mut cells = self.cells(line);
            if line.rtl != rtl {
                cells.reverse();
            }
            let close = before.is_some_and(|before| line.v - before.v < 1.35 * line.size.max(before.size));
            let goes_on = close && cells.first().is_some_and(Vec::is_empty);
            let cells: Vec<Vec<Word>> =
                cells.into_iter().map(|cell| cell.into_iter().cloned().collect()).collect();
            match rows.last_mut().filter(|_| goes_on) {
                Some(row) => row.iter_mut().zip(cells).for_each(|(cell, more)| cell.extend(more)),
                None => rows.push(cells),
            }
            before = Some(line);
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[(&str, f64)], v: f64) -> Line {
        let word = |(text, u0): &(&str, f64)| Word {
            text: (*text).into(),
            u0: *u0,
            u1: u0 + 5.0 * text.len() as f64,
            v,
            size: 10.0,
            space: 2.5,
            spaced: true,
            ..Word::default()
        };
        Line::new(words.iter().map(word).collect()).unwrap()
    }

    fn texts(rows: &[Vec<Vec<Word>>]) -> Vec<Vec<String>> {
        let cell =
            |cell: &Vec<Word>| cell.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        rows.iter().map(|row| row.iter().map(cell).collect()).collect()
    }

    #[test]
    fn rows_in_columns_are_a_table() {
        let lines = [
            line(&[("Plain", 0.0), ("words", 28.0), ("before", 56.0)], 0.0),
            line(&[("kind", 0.0), ("price", 60.0), ("where", 120.0)], 14.0),
            line(&[("tea", 0.0), ("2", 60.0), ("the", 120.0), ("pier", 138.0)], 28.0),
            line(&[("kiosk", 120.0)], 40.0),
            line(&[("rope", 0.0), ("17", 60.0), ("shed", 120.0)], 54.0),
        ];
        let tables = tables(&lines);
        assert_eq!((tables.len(), tables[0].from, tables[0].to), (1, 1, 5));
        assert_eq!(
            texts(&tables[0].rows(&lines)),
            [["kind", "price", "where"], ["tea", "2", "the pier kiosk"], ["rope", "17", "shed"]]
        );
    }

    #[test]
    fn lists_are_no_tables() {
        let lines: Vec<Line> = ["•", "•", "•"]
            .iter()
            .enumerate()
            .map(|(at, mark)| line(&[(mark, 0.0), ("tea", 40.0), ("leaves", 58.0)], 14.0 * at as f64))
            .collect();
        assert!(tables(&lines).is_empty());
    }
}
