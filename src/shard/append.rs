//! A file that grows by whole records and outlives whoever writes it.
//!
//! Bytes are gathered and handed to the system by [`AppendFile::flush`]; from then on they survive the death of the
//! process, from [`AppendFile::sync`] on that of the machine. A write that fails (disk full, quota) is undone: the file
//! is cut back to where it was, the bytes wait for the next flush, and nothing that was asked for later is taken in
//! before them. Dropped, it forgets what was not flushed, as a kill would.
//!
//! Memory: 1 MiB and one record.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use webmill_capture::error::{AtPath, Error, Result};

use super::staged::sync_folder;

/// Bytes gathered before they are written without being asked for.
const PENDING_BYTES: usize = 1 << 20;

/// A place in a row of numbered files: after what was written so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Position {
    /// Number of the file.
    pub file: u32,
    /// Byte offset in it.
    pub offset: u64,
}

/// A file being appended to.
pub struct AppendFile {
    path: PathBuf,
    file: File,
    /// Bytes that the system has.
    flushed: u64,
    pending: Vec<u8>,
    /// A failed write left bytes behind `flushed` that could not be cut off yet.
    ragged: bool,
    synced: bool,
    entered: bool,
}

impl AppendFile {
    /// Goes on after the first `keep` bytes of the file at `path`; the rest is cut off. A file that is not there is
    /// created.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when the file has fewer bytes; [`Error::Io`].
    pub fn open(path: &Path, keep: u64) -> Result<AppendFile> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).at(path)?;
        let there = file.metadata().at(path)?.len();
        if there < keep {
            return Err(Error::corrupt(path, there, format!("the file ends before its byte {keep}")));
        }
        let mut opened = AppendFile {
            path: path.to_path_buf(),
            file,
            flushed: keep,
            pending: Vec::new(),
            ragged: there > keep,
            synced: false,
            entered: false,
        };
        opened.trim().at(path)?;
        opened.file.seek(SeekFrom::Start(keep)).at(path)?;
        Ok(opened)
    }

    /// Where it lies now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes put so far, flushed or not.
    pub fn len(&self) -> u64 {
        self.flushed + self.pending.len() as u64
    }

    /// Whether nothing has been put yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that survive the death of the process.
    pub fn flushed(&self) -> u64 {
        self.flushed
    }

    /// Adds a record.
    ///
    /// # Errors
    /// [`Error::Io`] when it, or what was put before it, cannot be written: then it is not added.
    pub fn put(&mut self, record: &[u8]) -> Result<()> {
        if self.pending.len() + record.len() > PENDING_BYTES {
            self.flush()?;
        }
        if record.len() > PENDING_BYTES {
            return self.write(record);
        }
        self.pending.extend_from_slice(record);
        Ok(())
    }

    /// Hands everything to the system.
    ///
    /// # Errors
    /// [`Error::Io`]; nothing of it is in the file then, all of it is tried again by the next flush.
    pub fn flush(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        let written = self.write(&pending);
        self.pending = pending;
        if written.is_ok() {
            self.pending.clear();
        }
        written
    }

    /// Makes everything durable.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self) -> Result<()> {
        self.flush()?;
        if !self.synced {
            self.file.sync_data().map_err(|e| explain(&self.path, e))?;
            self.synced = true;
        }
        if !self.entered {
            sync_folder(&self.path).at(&self.path)?;
            self.entered = true;
        }
        Ok(())
    }

    /// Makes everything durable under another name in the same folder.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn rename(&mut self, path: &Path) -> Result<()> {
        self.sync()?;
        std::fs::rename(&self.path, path).at(path)?;
        self.path = path.to_path_buf();
        sync_folder(path).at(path)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.trim().and_then(|()| self.file.write_all(bytes));
        if let Err(error) = written {
            self.ragged = true;
            let _ = self.trim();
            return Err(explain(&self.path, error));
        }
        self.flushed += bytes.len() as u64;
        self.synced = false;
        Ok(())
    }

    /// Cuts off what a failed write left.
    fn trim(&mut self) -> io::Result<()> {
        if self.ragged {
            self.file.set_len(self.flushed)?;
            self.file.seek(SeekFrom::Start(self.flushed))?;
            self.ragged = false;
        }
        Ok(())
    }
}

/// An I/O error in which a full disk says what to do.
fn explain(path: &Path, error: io::Error) -> Error {
    let full = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge];
    if !full.contains(&error.kind()) {
        return Error::io(path, error);
    }
    let advice =
        format!("{error}; all that was written before is kept: free space and run the command again");
    Error::io(path, io::Error::new(error.kind(), advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_and_is_cut_to_what_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = AppendFile::open(&path, 0).unwrap();
        file.put(b"one").unwrap();
        assert_eq!((file.len(), file.flushed(), std::fs::read(&path).unwrap().len()), (3, 0, 0));
        file.flush().unwrap();
        file.put(b"two").unwrap();
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert!(matches!(AppendFile::open(&path, 4), Err(Error::Corrupt { offset: 3, .. })));
        let mut file = AppendFile::open(&path, 2).unwrap();
        let large = vec![7; PENDING_BYTES + 1];
        file.put(b"x").unwrap();
        file.put(&large).unwrap();
        assert_eq!(file.flushed(), 3 + large.len() as u64);
        file.put(b"y").unwrap();
        let to = folder.path().join("b");
        file.rename(&to).unwrap();
        let bytes = std::fs::read(&to).unwrap();
        assert_eq!(
            (&bytes[..3], &bytes[bytes.len() - 1..], bytes.len()),
            (&b"onx"[..], &b"y"[..], large.len() + 4)
        );
    }
}
