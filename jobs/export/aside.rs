//! A file that is written aside and renamed when it is whole.

use std::fs::File;
use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};

/// A file beside its place; it goes away where it is not committed.
pub struct AsideFile {
    path: PathBuf,
    /// Where it is to stand.
    place: PathBuf,
}

impl AsideFile {
    /// A file that will be renamed to `path`. The aside file does not exist yet.
    ///
    /// # Errors
    /// Where `path` names no file, or its folder is not there.
    pub fn new(path: &Path) -> Result<Self> {
        let name = path.file_name().map(|name| name.to_string_lossy());
        let Some(name) = name else {
            return Err(Error::Config(format!("{}: no name of a file", path.display())));
        };
        let aside = path.with_file_name(format!(".{name}.{}.aside", std::process::id()));
        std::fs::metadata(folder(path)).at(folder(path))?;
        // Of a process of this number that was killed.
        let _ = std::fs::remove_file(&aside);
        Ok(AsideFile { path: aside, place: path.to_path_buf() })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the file and gives it its name.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn commit(self) -> Result<()> {
        File::open(&self.path).and_then(|file| file.sync_all()).at(&self.place)?;
        std::fs::rename(&self.path, &self.place).at(&self.place)?;
        File::open(folder(&self.place)).and_then(|folder| folder.sync_all()).at(&self.place)
    }
}

impl Drop for AsideFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
