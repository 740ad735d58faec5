//! Marks on rows of a file: captures that count, media that stay.

/// A bit a row.
pub struct Marks(Vec<u64>);

impl Marks {
    /// None of so many rows.
    pub fn none(rows: u64) -> Self {
        Marks(vec![0; rows.div_ceil(64) as usize])
    }

    /// All of so many rows except these.
    pub fn but(rows: u64, except: &[u64]) -> Self {
        let mut marks = Marks(vec![u64::MAX; rows.div_ceil(64) as usize]);
        for row in except {
            if let Some(word) = marks.0.get_mut((row / 64) as usize) {
                *word &= !(1 << (row % 64));
            }
        }
        marks
    }

    /// These rows.
    pub fn only(rows: &[u64]) -> Self {
        let mut marks = Marks::none(rows.iter().max().map_or(0, |row| row + 1));
        rows.iter().for_each(|row| marks.set(*row));
        marks
    }

    /// Marks a row.
    pub fn set(&mut self, row: u64) {
        if let Some(word) = self.0.get_mut((row / 64) as usize) {
            *word |= 1 << (row % 64);
        }
    }

    /// Whether a row is marked.
    pub fn get(&self, row: u64) -> bool {
        self.0.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }
}
