//! The terms of texts, aside: written while document frequencies are counted, read back once they are known.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_text::Terms;

/// Bytes of a buffer.
const BUFFER: usize = 256 << 10;

/// Writes the terms of texts, one after the other.
pub struct TermsWriter {
    path: PathBuf,
    file: BufWriter<File>,
}

impl TermsWriter {
    /// To a file, which is written anew.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn create(path: PathBuf) -> Result<Self> {
        let file = BufWriter::with_capacity(BUFFER, File::create(&path).at(&path)?);
        Ok(TermsWriter { path, file })
    }

    /// Adds those of a text.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn push(&mut self, terms: &Terms) -> Result<()> {
        let bytes = postcard::to_allocvec(terms).map_err(|e| Error::Internal(e.to_string()))?;
        self.file.write_all(&(bytes.len() as u32).to_le_bytes()).at(&self.path)?;
        self.file.write_all(&bytes).at(&self.path)
    }

    /// Ends it.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(mut self) -> Result<()> {
        self.file.flush().at(&self.path)
    }
}

/// Reads them again, in the same order, and removes the file at last.
pub struct TermsReader {
    path: PathBuf,
    file: BufReader<File>,
    bytes: Vec<u8>,
}

impl TermsReader {
    /// From a file that was written in the same run.
    ///
    /// # Errors
    /// Where it is not there.
    pub fn open(path: &Path) -> Result<Self> {
        let file = BufReader::with_capacity(BUFFER, File::open(path).at(path)?);
        Ok(TermsReader { path: path.to_path_buf(), file, bytes: Vec::new() })
    }

    /// Those of the next text.
    ///
    /// # Errors
    /// Where the disk refuses, or there are no more.
    pub fn next(&mut self) -> Result<Terms> {
        let mut length = [0; 4];
        self.file.read_exact(&mut length).at(&self.path)?;
        self.bytes.resize(u32::from_le_bytes(length) as usize, 0);
        self.file.read_exact(&mut self.bytes).at(&self.path)?;
        postcard::from_bytes(&self.bytes)
            .map_err(|e| Error::Internal(format!("terms aside are not what was written: {e}")))
    }

    /// Removes the file.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_file(&self.path).at(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terms");
        let all = ["Green tea. Black TEA, tea", "", "大熊猫吃竹子，竹林是大熊猫的家。"]
            .map(|text| Terms::of(text, None));
        let mut writer = TermsWriter::create(path.clone()).unwrap();
        all.iter().for_each(|terms| writer.push(terms).unwrap());
        writer.finish().unwrap();
        let mut reader = TermsReader::open(&path).unwrap();
        for terms in &all {
            assert_eq!(reader.next().unwrap(), *terms);
        }
        assert!(reader.next().is_err());
        reader.remove().unwrap();
        assert!(!path.exists());
    }
}
