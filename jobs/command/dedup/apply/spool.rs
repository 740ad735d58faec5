//! Rows of numbers on disk that are read several times, and joins of sorted ones.
//!
//! Cost: a buffer of 64 KiB for each reader; 8 bytes a number on disk.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use tempfile::NamedTempFile;
use webmill_capture::error::{AtPath, Error, Result};

const BUFFER_BYTES: usize = 64 << 10;

/// Rows of `N` numbers, written once and read as often as needed.
pub struct Spool<const N: usize> {
    file: BufWriter<NamedTempFile>,
    rows: u64,
}

impl<const N: usize> Spool<N> {
    /// An empty one in a file of `folder` that goes away with it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn new(folder: &Path) -> Result<Self> {
        let file = NamedTempFile::new_in(folder).at(folder)?;
        Ok(Spool { file: BufWriter::with_capacity(BUFFER_BYTES, file), rows: 0 })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`Error::Io`]: disk full and the like.
    pub fn push(&mut self, row: [u64; N]) -> Result<()> {
        for number in row {
            let written = self.file.write_all(&number.to_le_bytes());
            written.map_err(|error| Error::io(self.file.get_ref().path(), error))?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Number of rows.
    pub fn count(&self) -> u64 {
        self.rows
    }

    /// The rows from the first on.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn rows(&mut self) -> Result<SpoolRows<N>> {
        let flushed = self.file.flush();
        let path = self.file.get_ref().path();
        flushed.at(path)?;
        let file = self.file.get_ref().reopen().at(path)?;
        Ok(SpoolRows { file: BufReader::with_capacity(BUFFER_BYTES, file), left: self.rows })
    }
}

/// Rows of a [`Spool`].
pub struct SpoolRows<const N: usize> {
    file: BufReader<File>,
    left: u64,
}

impl<const N: usize> Iterator for SpoolRows<N> {
    type Item = Result<[u64; N]>;

    fn next(&mut self) -> Option<Result<[u64; N]>> {
        self.left = self.left.checked_sub(1)?;
        let mut row = [0; N];
        for number in &mut row {
            let mut bytes = [0; 8];
            if let Err(error) = self.file.read_exact(&mut bytes) {
                self.left = 0;
                return Some(Err(Error::io("a temporary file of dedup apply", error)));
            }
            *number = u64::from_le_bytes(bytes);
        }
        Some(Ok(row))
    }
}

/// Both halves of a key.
pub fn halves(key: u128) -> [u64; 2] {
    [(key >> 64) as u64, key as u64]
}

/// The key of two halves.
pub fn whole(high: u64, low: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Calls `each` with every row of `left` and the first row of `right` that begins with the same `K` numbers, if there is
/// one. Both are in ascending order.
///
/// # Errors
/// Those of the rows and of `each`.
pub fn join<const K: usize, const L: usize, const R: usize>(
    left: impl Iterator<Item = Result<[u64; L]>>,
    mut right: impl Iterator<Item = Result<[u64; R]>>,
    mut each: impl FnMut([u64; L], Option<[u64; R]>) -> Result<()>,
) -> Result<()> {
    let mut at = right.next().transpose()?;
    for row in left {
        let row = row?;
        while at.is_some_and(|other| other[..K] < row[..K]) {
            at = right.next().transpose()?;
        }
        each(row, at.filter(|other| other[..K] == row[..K]))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_gives_every_left_row_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut left = Spool::<3>::new(folder.path()).unwrap();
        let mut right = Spool::<2>::new(folder.path()).unwrap();
        for row in [[1, 1, 0], [1, 2, 0], [1, 2, 1], [3, 0, 0]] {
            left.push(row).unwrap();
        }
        for row in [[0, 9], [1, 2], [1, 3], [9, 9]] {
            right.push(row).unwrap();
        }
        for _ in 0..2 {
            let mut seen = Vec::new();
            join::<2, 3, 2>(left.rows().unwrap(), right.rows().unwrap(), |row, found| {
                seen.push((row[2], found.is_some()));
                Ok(())
            })
            .unwrap();
            assert_eq!(seen, [(0, false), (0, true), (1, true), (0, false)]);
        }
        assert_eq!((left.count(), whole(halves(7 << 64 | 5)[0], 5)), (4, 7 << 64 | 5));
    }
}
