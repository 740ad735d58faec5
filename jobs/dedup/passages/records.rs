//! Byte strings in temporary files, by number, read one at a time: neither memory nor mappings grow with them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use webmill_capture::error::{AtPath, Error, Result};

/// A complete file of byte strings with a file of where they end.
pub struct Records {
    bytes: File,
    ends: File,
    path: PathBuf,
}

impl Records {
    /// String `number`, which was pushed.
    ///
    /// # Errors
    /// [`Error::Io`] where the files cannot be read, or do not hold it.
    pub fn get(&self, number: u64) -> Result<Vec<u8>> {
        let mut ends = [0; 16];
        self.ends.read_exact_at(&mut ends, 8 * number).at(&self.path)?;
        let (from, to) = ends.split_at(8);
        let at = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        let mut found = vec![0; at(to).saturating_sub(at(from)) as usize];
        self.bytes.read_exact_at(&mut found, at(from)).at(&self.path)?;
        Ok(found)
    }
}

/// Writes [`Records`] in the order of their numbers.
pub struct RecordsWriter {
    bytes: BufWriter<File>,
    ends: BufWriter<File>,
    end: u64,
    path: PathBuf,
}

impl RecordsWriter {
    /// Files at `path` and beside it.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn create(path: &Path) -> Result<Self> {
        let ends = path.with_extension("ends");
        let mut writer = RecordsWriter {
            bytes: BufWriter::new(create(path)?),
            ends: BufWriter::new(create(&ends)?),
            end: 0,
            path: path.to_path_buf(),
        };
        writer.ends.write_all(&0u64.to_le_bytes()).at(path)?;
        Ok(writer)
    }

    /// Adds the string with the next number.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn push(&mut self, parts: &[&[u8]]) -> Result<()> {
        for part in parts {
            self.bytes.write_all(part).at(&self.path)?;
            self.end += part.len() as u64;
        }
        self.ends.write_all(&self.end.to_le_bytes()).at(&self.path)
    }

    /// Completes the files.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn finish(self) -> Result<Records> {
        let whole =
            |file: BufWriter<File>| file.into_inner().map_err(|e| Error::io(&self.path, e.into_error()));
        Ok(Records { bytes: whole(self.bytes)?, ends: whole(self.ends)?, path: self.path.clone() })
    }
}

/// A new file that can be read as well.
pub fn create(path: &Path) -> Result<File> {
    File::options().read(true).write(true).create(true).truncate(true).open(path).at(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back_by_number() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = RecordsWriter::create(&folder.path().join("strings")).unwrap();
        let strings: Vec<String> = (0..1000).map(|i| "é".repeat(i % 7) + &i.to_string()).collect();
        strings.iter().for_each(|s| writer.push(&[s.as_bytes(), b"!"]).unwrap());
        writer.push(&[]).unwrap();
        let records = writer.finish().unwrap();
        for (i, string) in strings.iter().enumerate().rev() {
            assert_eq!(records.get(i as u64).unwrap(), format!("{string}!").into_bytes());
        }
        assert!(records.get(1000).unwrap().is_empty());
        assert!(matches!(records.get(1001), Err(Error::Io { .. })));
    }
}
