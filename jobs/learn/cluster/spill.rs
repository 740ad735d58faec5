//! Records aside: written once, read in order or block by block.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::marker::PhantomData;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};

/// Records of a block.
pub const BLOCK: usize = 256;

/// Writes records to a file without a name: it vanishes with the process, however that ends.
pub struct SpillWriter<T> {
    folder: PathBuf,
    file: BufWriter<File>,
    block: Vec<T>,
    ends: Vec<u64>,
    count: u64,
}

/// Records that were written.
pub struct Spill<T> {
    folder: PathBuf,
    file: File,
    /// Where blocks end.
    ends: Vec<u64>,
    count: u64,
    kind: PhantomData<T>,
}

impl<T: Serialize + DeserializeOwned> SpillWriter<T> {
    /// In this folder.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(folder: &Path) -> Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(folder).at(folder)?);
        Ok(SpillWriter {
            folder: folder.to_path_buf(),
            file,
            block: Vec::with_capacity(BLOCK),
            ends: Vec::new(),
            count: 0,
        })
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
        if self.block.is_empty() {
            return Ok(());
        }
        let bytes = postcard::to_allocvec(&self.block).map_err(|e| Error::Internal(e.to_string()))?;
        self.file.write_all(&bytes).at(&self.folder)?;
        self.ends.push(self.ends.last().copied().unwrap_or(0) + bytes.len() as u64);
        self.block.clear();
        Ok(())
    }

    /// Ends it.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(mut self) -> Result<Spill<T>> {
        self.flush()?;
        let SpillWriter { folder, file, ends, count, .. } = self;
        let file = file.into_inner().map_err(|e| e.into_error()).at(&folder)?;
        Ok(Spill { folder, file, ends, count, kind: PhantomData })
    }
}

impl<T: DeserializeOwned> Spill<T> {
    /// Number of records.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.ends.len()
    }

    /// The records of a block.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn block(&self, number: usize) -> Result<Vec<T>> {
        let from = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut bytes = vec![0; (self.ends[number] - from) as usize];
        self.file.read_exact_at(&mut bytes, from).at(&self.folder)?;
        postcard::from_bytes(&bytes)
            .map_err(|e| Error::Internal(format!("a block aside is not what was written: {e}")))
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
