//! Sparse rows, one after the other: compressed sparse rows (CSR).
//!
//! **Cost.** 8 bytes an entry, 8 a row.

use std::ops::Range;

/// Rows of (column, value) pairs, columns ascending within a row.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct SparseRows {
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl SparseRows {
    /// No rows yet.
    pub fn new() -> Self {
        SparseRows::default()
    }

    /// Adds a row; its columns must ascend.
    pub fn push(&mut self, row: impl IntoIterator<Item = (u32, f32)>) {
        let from = self.columns.len();
        for (column, value) in row {
            debug_assert!(self.columns[from..].last().is_none_or(|last| *last < column), "columns ascend");
            self.columns.push(column);
            self.values.push(value);
        }
        self.ends.push(self.columns.len());
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of entries of all rows.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// One more than the largest column; 0 where there is no entry.
    pub fn width(&self) -> usize {
        self.columns.iter().max().map_or(0, |largest| *largest as usize + 1)
    }

    /// Columns of all entries, row after row.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Where the entries of a row stand among all.
    #[inline]
    pub fn range(&self, number: usize) -> Range<usize> {
        let from = if number == 0 { 0 } else { self.ends[number - 1] };
        from..self.ends[number]
    }

    /// Columns and values of a row.
    #[inline]
    pub fn row(&self, number: usize) -> (&[u32], &[f32]) {
        let range = self.range(number);
        (&self.columns[range.clone()], &self.values[range])
    }

    /// Columns and values of every row, in order.
    pub fn rows(&self) -> impl Iterator<Item = (&[u32], &[f32])> {
        (0..self.len()).map(|number| self.row(number))
    }

    /// The rows of these numbers, in their order.
    pub fn select(&self, numbers: &[usize]) -> SparseRows {
        let mut selected = SparseRows::new();
        for &number in numbers {
            let (columns, values) = self.row(number);
            selected.columns.extend_from_slice(columns);
            selected.values.extend_from_slice(values);
            selected.ends.push(selected.columns.len());
        }
        selected
    }

    /// Adds the rows of another after these.
    pub fn append(&mut self, other: &SparseRows) {
        let from = self.columns.len();
        self.columns.extend_from_slice(&other.columns);
        self.values.extend_from_slice(&other.values);
        self.ends.extend(other.ends.iter().map(|end| from + end));
    }

    /// Whether the parts fit each other and no column is beyond `width`: data from a file need not.
    pub fn is_whole(&self, width: usize) -> bool {
        self.columns.len() == self.values.len()
            && self.ends.is_sorted()
            && self.ends.last().copied().unwrap_or(0) == self.columns.len()
            && self.width() <= width
    }

    /// Bytes that the rows take.
    pub fn bytes(&self) -> usize {
        8 * self.ends.len() + 8 * self.columns.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        let mut rows = SparseRows::new();
        rows.push([(1, 0.5), (4, 2.0)]);
        rows.push([]);
        rows.push([(0, 1.0)]);
        assert_eq!((rows.len(), rows.entries(), rows.width()), (3, 3, 5));
        assert_eq!(rows.row(0), (&[1, 4][..], &[0.5, 2.0][..]));
        assert_eq!(rows.row(1), (&[][..], &[][..]));
        let back = rows.select(&[2, 0]);
        assert_eq!(back.row(0), rows.row(2));
        assert_eq!(back.row(1), rows.row(0));
        assert_eq!(SparseRows::new().width(), 0);
    }
}
