//! Cells of tables in their columns: some span several columns, some several rows.
//!
//! **Definition.** HTML Living Standard, 4.9.12: a cell stands in the first column of its row that no cell of a row above
//! covers. Places that a cell covers beside its first are empty.
//!
//! **Cost.** Linear in the places; covered ones may be [`MAX_COVERED`] of a table, further spans count for nothing.

/// Columns of a table; what stands in further ones stands in the last.
pub(crate) const MAX_COLUMNS: usize = 1024;
/// Places that cells cover beside their first.
const MAX_COVERED: usize = 1_000_000;

/// Places of the rows to come that cells cover.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// By column, for how many rows more.
    covered: Vec<usize>,
    spent: usize,
}

impl Grid {
    /// Puts a cell into a row; it spans these numbers of columns and rows.
    pub(crate) fn place(&mut self, row: &mut Vec<String>, text: String, (columns, rows): (usize, usize)) {
        while self.covered.get(row.len()).is_some_and(|rows| *rows > 0) {
            row.push(String::new());
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

    /// Ends a row.
    pub(crate) fn end(&mut self, row: &[String]) {
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
            grid.end(&row);
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
        assert_eq!(rows(table), ["a,b,", ",c,d", "e,f", "g"]);
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
