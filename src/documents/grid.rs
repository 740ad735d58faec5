//! Cells of tables in their columns: some span several columns, some several rows.
//!
//! **Definition.** HTML Living Standard, 4.9.12: a cell stands in the first column of its row that no cell of a row above
//! covers. Places that a cell covers to the right of its first are empty; in the rows below it is written again, a
//! long one as `〃`, as tables of pages are.
//!
//! **Cost.** Linear in the places; covered ones may be [`MAX_COVERED`] of a table, further spans count for nothing.

/// Columns of a table; what stands in further ones stands in the last.
pub(crate) const MAX_COLUMNS: usize = 1024;
/// Places that cells cover beside their first.
const MAX_COVERED: usize = 1_000_000;

/// Bytes of a cell that is written again, and of all of a table's.
const MAX_REPEATED: usize = 200;
const MAX_ALL_REPEATED: usize = 64 << 10;

/// Places of the rows to come that cells cover.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// By column, for how many rows more.
    covered: Vec<usize>,
    spent: usize,
    /// The row above, and the bytes of cells that were written again.
    above: Vec<String>,
    repeated: usize,
}

impl Grid {
    /// Puts a cell into a row; it spans these numbers of columns and rows.
    pub(crate) fn place(&mut self, row: &mut Vec<String>, text: String, (columns, rows): (usize, usize)) {
        while self.covered.get(row.len()).is_some_and(|rows| *rows > 0) {
            row.push(self.again(row.len()));
        }
        if row.len() >= MAX_COLUMNS {
            if let Some(last) = row.last_mut() {
                last.push(' ');
                last.push_str(&text);
            }
            return;
        }
        let from = row.len();
        row.push(text);
        let columns = columns.clamp(1, MAX_COLUMNS - from);
        // Rows are counted when they come: a span of many costs nothing by itself.
        self.spent = self.spent.saturating_add(columns - 1);
        if self.spent > MAX_COVERED {
            return;
        }
        row.resize(from + columns, String::new());
        if rows > 1 {
            self.covered.resize(self.covered.len().max(row.len()), 0);
            self.covered.iter_mut().skip(from).take(columns).for_each(|covered| *covered = rows);
        }
    }

    /// The cell above a column, for a cell that is the lower part of it.
    pub(crate) fn again(&mut self, column: usize) -> String {
        let Some(cell) = self.above.get(column) else { return String::new() };
        if cell.len() > MAX_REPEATED || self.repeated + cell.len() > MAX_ALL_REPEATED {
            return "〃".to_owned();
        }
        self.repeated += cell.len();
        cell.clone()
    }

    /// Ends a row, behind whose last cell others may reach down.
    pub(crate) fn end(&mut self, row: &mut Vec<String>) {
        let reaching = |column: usize| {
            self.covered.get(column).is_some_and(|rows| *rows > 0)
                && self.above.get(column).is_some_and(|cell| !cell.is_empty())
        };
        let last =
            (row.len()..self.covered.len().min(self.above.len())).rev().find(|&column| reaching(column));
        while last.is_some_and(|last| row.len() <= last) {
            let covered = self.covered.get(row.len()).is_some_and(|rows| *rows > 0);
            row.push(if covered { self.again(row.len()) } else { String::new() });
        }
        self.above = row.clone();
        let empty = row.iter().filter(|cell| cell.is_empty()).count();
        self.spent = self.spent.saturating_add(empty);
        if self.spent > MAX_COVERED {
            self.covered.clear();
        }
        self.covered.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(table: &[&[(&str, usize, usize)]]) -> Vec<String> {
        let mut grid = Grid::default();
        let shown = table.iter().map(|cells| {
            let mut row = Vec::new();
            cells
                .iter()
                .for_each(|&(text, columns, rows)| grid.place(&mut row, text.into(), (columns, rows)));
            grid.end(&mut row);
            row.join(",")
        });
        shown.collect()
    }

    #[test]
    fn cells_stand_beside_those_that_reach_down() {
        let table: &[&[_]] = &[
            &[("a", 1, 2), ("b", 2, 1)],
            &[("c", 1, 1), ("d", 1, 3)],
            &[("e", 1, 1), ("f", 1, 1)],
            &[("g", 0, 0)],
        ];
        assert_eq!(rows(table), ["a,b,", "a,c,d", "e,f,d", "g,,d"]);
    }

    #[test]
    fn spans_are_bounded() {
        let wide: &[(&str, usize, usize)] = &[("x", usize::MAX, usize::MAX), ("y", 1, 1)];
        let all = rows(&vec![wide; 3000]);
        assert_eq!(all[0].matches(',').count(), MAX_COLUMNS - 1);
        assert!(all[0].ends_with(" y") && all[2999] == "x,y");
        assert!(all.iter().map(String::len).sum::<usize>() < 3 * MAX_COVERED);
    }
}
