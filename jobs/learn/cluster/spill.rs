//! Records aside: written once, read in order or block by block.

use std::marker::PhantomData;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use webmill_capture::Result;
use webmill_sort::{Budget, Numbered, NumberedWriter};

/// Memory of a sort of the places of blocks.
const SORT_BYTES: usize = 64 << 10;

/// Records of a block.
pub const BLOCK: usize = 256;

/// Writes records to a file without a name: it vanishes with the process, however that ends.
pub struct SpillWriter<T> {
    rows: NumberedWriter,
    block: Vec<T>,
    blocks: u64,
    count: u64,
}

/// Records that were written.
pub struct Spill<T> {
    rows: Numbered,
    blocks: u64,
    count: u64,
    kind: PhantomData<T>,
}

impl<T: Serialize + DeserializeOwned> SpillWriter<T> {
    /// In this folder.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(folder: &Path) -> Result<Self> {
        let rows = NumberedWriter::create(&Budget::new(SORT_BYTES).in_dir(folder))?;
        Ok(SpillWriter { rows, block: Vec::with_capacity(BLOCK), blocks: 0, count: 0 })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn push(&mut self, record: T) -> Result<()> {
        self.block.push(record);
        self.count += 1;
        if self.block.len() == BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if !self.block.is_empty() {
            self.rows.put(self.blocks, &self.block)?;
            self.blocks += 1;
            self.block.clear();
        }
        Ok(())
    }

    /// Ends it.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(mut self) -> Result<Spill<T>> {
        self.flush()?;
        Ok(Spill { rows: self.rows.finish()?, blocks: self.blocks, count: self.count, kind: PhantomData })
    }
}

impl<T: DeserializeOwned> Spill<T> {
    /// Number of records.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks as usize
    }

    /// The records of a block.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn block(&self, number: usize) -> Result<Vec<T>> {
        self.rows.get(number as u64)
    }

    /// All records in order, block by block.
    ///
    /// # Errors
    /// Where the disk refuses; what `each` meets.
    pub fn each_block(&self, mut each: impl FnMut(Vec<T>) -> Result<()>) -> Result<()> {
        (0..self.blocks()).try_for_each(|number| each(self.block(number)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SpillWriter::create(folder.path()).unwrap();
        let records: Vec<(u32, String)> = (0..600).map(|n| (n, "x".repeat(n as usize % 7))).collect();
        records.iter().for_each(|record| writer.push(record.clone()).unwrap());
        let spill = writer.finish().unwrap();
        assert_eq!((spill.len(), spill.blocks()), (600, 3));
        assert_eq!(spill.block(1).unwrap(), records[256..512]);
        let mut back = Vec::new();
        spill
            .each_block(|block| {
                back.extend(block);
                Ok(())
            })
            .unwrap();
        assert_eq!(back, records);
        let none = SpillWriter::<u32>::create(folder.path()).unwrap().finish().unwrap();
        assert_eq!((none.len(), none.blocks()), (0, 0));
    }
}
