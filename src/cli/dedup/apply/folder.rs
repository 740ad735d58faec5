//! The output folder: written beside, in its place when it is complete.
//!
//! **Protocol.** Everything is written in `.NAME.apply` next to the folder NAME, the manifest last; then the folder is
//! renamed. What a crash leaves is cleared away by the next run. At NAME stands nothing, or all of it.
//!
//! **Refused.** A folder that holds anything; one inside of a folder that is read, or around one.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Serialize;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_run::{crash_point, digest_file, hex128};

/// The file that is written last.
pub const MANIFEST: &str = "manifest.json";
/// The file by which a folder that is written is known.
const MARK: &str = ".dedup-apply";

/// A finished file of the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutputFile {
    /// Path inside of the folder.
    pub path: String,
    /// Length of the file.
    pub bytes: u64,
    /// xxh3-128, hex.
    pub digest: String,
}

/// The folder while it is written.
pub struct Output {
    out: PathBuf,
    staging: PathBuf,
    _lock: File,
}

impl Output {
    /// Begins the folder `out`; `read` are files and folders that are read.
    ///
    /// # Errors
    /// [`Error::Config`] for a folder that is refused, or that another process writes; [`Error::Io`].
    pub fn begin(out: &Path, read: &[PathBuf]) -> Result<Output> {
        let absolute = std::path::absolute(out).at(out)?;
        let name = absolute.file_name().map(|name| name.to_string_lossy().into_owned());
        let (Some(name), Some(parent)) = (name, absolute.parent()) else {
            return Err(Error::Config(format!("{}: not a folder to write", out.display())));
        };
        std::fs::create_dir_all(parent).at(parent)?;
        // Links are followed, so that no folder is two.
        let out = parent.canonicalize().at(parent)?.join(&name);
        refuse_inputs(&out, read)?;
        refuse_full(&out)?;
        let staging = out.with_file_name(format!(".{name}.apply"));
        let lock = lock(&out.with_file_name(format!(".{name}.apply.lock")))?;
        clear(&staging)?;
        std::fs::create_dir(&staging).at(&staging)?;
        std::fs::write(staging.join(MARK), b"").at(&staging)?;
        let temp = staging.join("temp");
        std::fs::create_dir(&temp).at(&temp)?;
        crash_point("staged");
        Ok(Output { out, staging, _lock: lock })
    }

    /// Where a file of the output is written.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.staging.join(relative)
    }

    /// Folder for temporary files.
    pub fn temp(&self) -> PathBuf {
        self.staging.join("temp")
    }

    /// The folder as it will be.
    pub fn folder(&self) -> &Path {
        &self.out
    }

    /// Everything written so far, by path; synced.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn files(&self) -> Result<Vec<OutputFile>> {
        let temp = self.temp();
        let mut files = Vec::new();
        let walk = walkdir::WalkDir::new(&self.staging).sort_by_file_name().into_iter();
        for entry in walk.filter_entry(|entry| entry.path() != temp) {
            let entry = entry.map_err(|error| Error::io(&self.staging, error.into()))?;
            let relative = entry.path().strip_prefix(&self.staging).unwrap_or(entry.path());
            if !entry.file_type().is_file() {
                File::open(entry.path()).and_then(|folder| folder.sync_all()).at(entry.path())?;
                continue;
            }
            if relative == Path::new(MARK) {
                continue;
            }
            File::open(entry.path()).and_then(|file| file.sync_all()).at(entry.path())?;
            let (digest, bytes) = digest_file(entry.path())?;
            let path = relative.to_string_lossy().into_owned();
            files.push(OutputFile { path, bytes, digest: hex128(digest) });
        }
        Ok(files)
    }

    /// Puts the folder in its place, complete with this manifest.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn commit(self, manifest: &[u8]) -> Result<()> {
        let temp = self.temp();
        std::fs::remove_dir_all(&temp).at(&temp)?;
        let path = self.path(MANIFEST);
        std::fs::write(&path, manifest).at(&path)?;
        File::open(&path).and_then(|file| file.sync_all()).at(&path)?;
        let mark = self.path(MARK);
        std::fs::remove_file(&mark).at(&mark)?;
        sync(&self.staging)?;
        crash_point("manifest-written");
        // An empty folder is replaced; one in which something was written since refuses.
        std::fs::rename(&self.staging, &self.out).at(&self.out)?;
        self.out.parent().map_or(Ok(()), sync)
    }

    /// Leaves nothing behind.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn discard(self) -> Result<()> {
        std::fs::remove_dir_all(&self.staging).at(&self.staging)
    }
}

fn sync(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).at(folder)
}

/// Holds the folder against other processes. The lock is a file beside it, which stays: deleting it would let two in.
fn lock(path: &Path) -> Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path).at(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            Err(Error::Config(format!("{}: another process writes the folder beside it", path.display())))
        }
        Err(std::fs::TryLockError::Error(error)) => Err(Error::io(path, error)),
    }
}

/// Clears away what a run left that ended before it was complete.
fn clear(staging: &Path) -> Result<()> {
    if !staging.exists() {
        return Ok(());
    }
    let text = std::fs::read(staging.join(MANIFEST)).unwrap_or_default();
    let is_made = serde_json::from_slice::<serde_json::Value>(&text)
        .is_ok_and(|manifest| manifest["made_by"].as_str().is_some_and(|by| by.starts_with("webmill ")));
    if !staging.join(MARK).exists() && !is_made && is_full(staging)? {
        return Err(Error::Config(format!("{}: is in the way; move it", staging.display())));
    }
    std::fs::remove_dir_all(staging).at(staging)
}

fn is_full(folder: &Path) -> Result<bool> {
    Ok(std::fs::read_dir(folder).at(folder)?.next().is_some())
}

/// Refuses a folder that holds anything.
fn refuse_full(out: &Path) -> Result<()> {
    if out.exists() && (!out.is_dir() || is_full(out)?) {
        let out = out.display();
        return Err(Error::Config(format!("{out}: is not empty; choose a new or empty folder for --out")));
    }
    Ok(())
}

fn refuse_inputs(out: &Path, read: &[PathBuf]) -> Result<()> {
    for input in read {
        let Ok(path) = input.canonicalize() else { continue };
        let inside = path.is_dir() && out.starts_with(&path);
        if inside || path.starts_with(out) || (path.is_file() && path.parent() == Some(out)) {
            return Err(Error::Config(format!(
                "{}: is where {} is read from; write to another folder, and keep what you have until you trust the copy",
                out.display(),
                input.display()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_and_what_a_crash_leaves_is_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let (out, staging) = (folder.path().join("out"), folder.path().join(".out.apply"));
        let refused = || Output::begin(&out, &[]).err().unwrap().to_string();
        let output = Output::begin(&out, &[]).unwrap();
        assert!(refused().contains("another process"));
        std::fs::write(output.path("half"), "").unwrap();
        drop(output);
        let output = Output::begin(&out, &[]).unwrap();
        assert!(!output.path("half").exists());
        output.commit(b"{}").unwrap();
        assert!(out.join(MANIFEST).exists() && !staging.exists());
        assert!(refused().contains("is not empty"));
        // What stands there without a mark is somebody's.
        std::fs::remove_dir_all(&out).unwrap();
        std::fs::create_dir(&staging).unwrap();
        std::fs::write(staging.join("mine"), "").unwrap();
        assert!(refused().contains("in the way"));
    }

    #[test]
    fn it_is_not_written_into_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let shards = folder.path().join("shards");
        std::fs::create_dir(&shards).unwrap();
        let file = shards.join("a.warc");
        std::fs::write(&file, "").unwrap();
        for (out, read) in [
            (shards.join("out"), &shards),
            (shards.clone(), &shards),
            (shards.clone(), &file),
            (folder.path().to_path_buf(), &shards),
        ] {
            let error = Output::begin(&out, std::slice::from_ref(read)).err().unwrap().to_string();
            assert!(error.contains("is where"), "{} {}: {error}", out.display(), read.display());
        }
        // Beside a file that is given by itself is not in its folder.
        Output::begin(&shards.join("out"), std::slice::from_ref(&file)).unwrap().discard().unwrap();
    }
}
