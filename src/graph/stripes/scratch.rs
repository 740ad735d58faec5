//! Files without a name that hold what memory does not.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use webmill_capture::error::{AtPath, Result};

/// Numbers that are read or written at a time.
pub(super) const CHUNK: usize = 1 << 13;

/// Bytes that are appended and read.
pub(super) struct Scratch {
    pub file: File,
    pub folder: PathBuf,
    pub length: u64,
}

impl Scratch {
    pub fn new(folder: &Path) -> Result<Scratch> {
        let file = tempfile::tempfile_in(folder).at(folder)?;
        Ok(Scratch { file, folder: folder.to_path_buf(), length: 0 })
    }

    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all_at(bytes, self.length).at(&self.folder)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    pub fn read(&self, into: &mut [u8], at: u64) -> Result<()> {
        self.file.read_exact_at(into, at).at(&self.folder)
    }
}

/// A vector.
pub(super) struct Numbers(Scratch);

impl Numbers {
    pub fn new(folder: &Path) -> Result<Numbers> {
        Ok(Numbers(Scratch::new(folder)?))
    }

    pub fn read(&self, at: u64, into: &mut [f64]) -> Result<()> {
        self.0.read(bytemuck::cast_slice_mut(into), 8 * at)
    }

    pub fn write(&self, at: u64, numbers: &[f64]) -> Result<()> {
        self.0.file.write_all_at(bytemuck::cast_slice(numbers), 8 * at).at(&self.0.folder)
    }

    /// Writes numbers one by one from the beginning.
    pub fn writer(&self) -> NumbersWriter<'_> {
        NumbersWriter { to: self, at: 0, buffer: Vec::with_capacity(CHUNK) }
    }

    /// The first `all` numbers one by one.
    pub fn reader(&self, all: u64) -> NumbersReader<'_> {
        NumbersReader { of: self, all, read: 0, buffer: Vec::new(), at: 0 }
    }
}

/// See [`Numbers::writer`].
pub(super) struct NumbersWriter<'a> {
    to: &'a Numbers,
    at: u64,
    buffer: Vec<f64>,
}

impl NumbersWriter<'_> {
    #[inline]
    pub fn push(&mut self, number: f64) -> Result<()> {
        self.buffer.push(number);
        if self.buffer.len() == CHUNK { self.flush() } else { Ok(()) }
    }

    /// Writes what waits; must come last.
    pub fn flush(&mut self) -> Result<()> {
        self.to.write(self.at, &self.buffer)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Numbers that came.
    pub fn len(&self) -> u64 {
        self.at + self.buffer.len() as u64
    }
}

/// See [`Numbers::reader`].
pub(super) struct NumbersReader<'a> {
    of: &'a Numbers,
    all: u64,
    read: u64,
    buffer: Vec<f64>,
    at: usize,
}

impl NumbersReader<'_> {
    /// The next number; `None` behind the last.
    #[inline]
    pub fn next(&mut self) -> Result<Option<f64>> {
        if self.at == self.buffer.len() {
            self.buffer.resize((self.all - self.read).min(CHUNK as u64) as usize, 0.0);
            self.of.read(self.read, &mut self.buffer)?;
            self.read += self.buffer.len() as u64;
            self.at = 0;
        }
        let number = self.buffer.get(self.at).copied();
        self.at += 1;
        Ok(number)
    }
}
