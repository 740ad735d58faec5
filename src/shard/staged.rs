//! A file that appears under its name only when it is whole.
//!
//! It is written as `.NAME.partial` in the same folder; [`Staged::commit`] syncs it, renames it and syncs the folder.
//! Dropped without a commit, it is deleted; [`Staged::keep`] leaves it for a later [`Staged::resume`]. A crash leaves
//! the partial file, never half a file at the final name.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use webmill_capture::error::{AtPath, Error, Result};

const WRITE_BYTES: usize = 256 * 1024;

/// A file being written; implements `Write`.
pub struct Staged {
    path: PathBuf,
    partial: PathBuf,
    file: Option<BufWriter<File>>,
    written: u64,
    in_place: bool,
}

impl Staged {
    /// Begins the file that will be at `path`. A partial file of the same name, left by a crash, is overwritten.
    ///
    /// # Errors
    /// [`Error::Io`] when the partial file cannot be created; [`Error::Config`] when `path` has no file name.
    pub fn create(path: &Path) -> Result<Staged> {
        let partial = Self::partial_path(path)?;
        let file = File::create(&partial).at(&partial)?;
        Ok(Self::with(path, partial, file, 0))
    }

    /// Goes on with the partial file for `path`, cut to its first `keep` bytes.
    ///
    /// # Errors
    /// [`Error::Io`] when it is not there or cannot be cut.
    pub fn resume(path: &Path, keep: u64) -> Result<Staged> {
        let partial = Self::partial_path(path)?;
        let mut file = OpenOptions::new().write(true).open(&partial).at(&partial)?;
        file.set_len(keep).at(&partial)?;
        file.seek(SeekFrom::Start(keep)).at(&partial)?;
        Ok(Self::with(path, partial, file, keep))
    }

    /// Goes on with the finished file at `path` itself, cut to its first `keep` bytes: for formats that are
    /// append-only. Written bytes stay, whether committed or not.
    ///
    /// # Errors
    /// [`Error::Io`] when it is not there or cannot be cut.
    pub fn append(path: &Path, keep: u64) -> Result<Staged> {
        let mut file = OpenOptions::new().write(true).open(path).at(path)?;
        file.set_len(keep).at(path)?;
        file.seek(SeekFrom::Start(keep)).at(path)?;
        let mut staged = Self::with(path, path.to_path_buf(), file, keep);
        staged.in_place = true;
        Ok(staged)
    }

    fn with(path: &Path, partial: PathBuf, file: File, written: u64) -> Staged {
        let file = Some(BufWriter::with_capacity(WRITE_BYTES, file));
        Staged { path: path.to_path_buf(), partial, file, written, in_place: false }
    }

    /// `.NAME.partial` next to `path`.
    ///
    /// # Errors
    /// [`Error::Config`] when `path` has no file name.
    pub fn partial_path(path: &Path) -> Result<PathBuf> {
        let name = path
            .file_name()
            .ok_or_else(|| Error::Config(format!("{}: not the name of a file to write", path.display())))?;
        let mut partial = std::ffi::OsString::from(".");
        partial.push(name);
        partial.push(".partial");
        Ok(path.with_file_name(partial))
    }

    /// The final name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes written so far, kept ones included.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes `bytes`, with the path in the error.
    ///
    /// # Errors
    /// [`Error::Io`]: disk full and the like.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|e| self.explain(e))
    }

    /// An I/O error about this file, in which a full disk says what to do.
    pub fn explain(&self, error: io::Error) -> Error {
        let error = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                let advice =
                    format!("{error}; nothing is left at the final name: free space or write elsewhere");
                io::Error::new(error.kind(), advice)
            }
            _ => error,
        };
        Error::io(&self.path, error)
    }

    /// Makes the file durable and gives it its name.
    ///
    /// # Errors
    /// [`Error::Io`]; the partial file is then deleted.
    pub fn commit(mut self) -> Result<PathBuf> {
        let Some(file) = self.file.take() else {
            return Err(Error::Internal("staged file committed twice".into()));
        };
        if let Err(error) = finish(file, &self.partial, &self.path) {
            if !self.in_place {
                let _ = fs::remove_file(&self.partial);
            }
            return Err(self.explain(error));
        }
        Ok(self.path.clone())
    }

    /// Flushes and leaves the partial file in place for [`Staged::resume`].
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn keep(mut self) -> Result<PathBuf> {
        if let Some(file) = self.file.take() {
            let synced = file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|f| f.sync_all());
            synced.map_err(|e| self.explain(e))?;
        }
        Ok(self.partial.clone())
    }
}

fn finish(file: BufWriter<File>, partial: &Path, path: &Path) -> io::Result<()> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    drop(file);
    if partial != path {
        fs::rename(partial, path)?;
    }
    sync_folder(path)
}

/// Makes a rename durable. Only Unix can open a folder to sync it.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("already committed"))?;
        let n = file.write(bytes)?;
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.in_place {
            return;
        }
        if let Some(file) = self.file.take() {
            // Dropping the writer would flush what nobody wants any more.
            let _ = file.into_parts();
            let _ = fs::remove_file(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.raw");
        let mut staged = Staged::create(&path).unwrap();
        staged.put(b"half").unwrap();
        assert!(!path.exists());
        drop(staged);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

        let mut staged = Staged::create(&path).unwrap();
        staged.put(b"whole+junk").unwrap();
        staged.keep().unwrap();
        assert!(!path.exists());
        let mut staged = Staged::resume(&path, 5).unwrap();
        staged.put(b"!").unwrap();
        assert_eq!(staged.written(), 6);
        staged.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole!");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
