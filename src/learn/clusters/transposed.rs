//! Rows by column: in which rows a column stands (an inverted index).
//!
//! **Cost.** 8 bytes an entry, 8 a column.

use crate::SparseRows;

/// Entries by column, rows ascending.
pub(super) struct TransposedRows {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f32>,
}

impl TransposedRows {
    pub fn of(rows: &SparseRows) -> Self {
        let mut starts = vec![0usize; rows.width() + 1];
        for (columns, _) in rows.rows() {
            columns.iter().for_each(|column| starts[*column as usize + 1] += 1);
        }
        for column in 1..starts.len() {
            starts[column] += starts[column - 1];
        }
        let mut next = starts.clone();
        let (mut numbers, mut entries) = (vec![0u32; rows.entries()], vec![0f32; rows.entries()]);
        for (number, (columns, values)) in rows.rows().enumerate() {
            for (&column, &value) in columns.iter().zip(values) {
                let at = next[column as usize];
                next[column as usize] += 1;
                numbers[at] = number as u32;
                entries[at] = value;
            }
        }
        TransposedRows { starts, rows: numbers, values: entries }
    }

    /// Rows and values of a column.
    pub fn column(&self, column: u32) -> (&[u32], &[f32]) {
        let range = self.starts[column as usize]..self.starts[column as usize + 1];
        (&self.rows[range.clone()], &self.values[range])
    }

    /// Products of a row with all rows, added to `dots`, each in the order of columns.
    pub fn add_dots(&self, columns: &[u32], values: &[f32], dots: &mut [f32]) {
        for (&column, &value) in columns.iter().zip(values) {
            let (rows, others) = self.column(column);
            for (&row, &other) in rows.iter().zip(others) {
                dots[row as usize] += value * other;
            }
        }
    }
}
