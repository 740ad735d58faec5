//! The output folder: written beside, in its place when it is complete.
//!
//! **Protocol.** Everything is written in `.NAME.apply` next to the folder NAME, the manifest last; then the folder is
//! renamed. A folder that an earlier run made is put aside as `.NAME.before` first and deleted after that; what a crash
//! leaves is taken up or cleared away by the next run. At NAME stands at any time what was there before, or all that is new
//! (or, between two renames, nothing, and `.NAME.before` holds what was).
//!
//! **Refused.** A folder that holds anything that no manifest of this command names; one inside of a folder that is read, or
//! that holds what is read.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use webmill_capture::error::{AtPath, Error, Result};
use webmill_run::{crash_point, digest_file, hex128};

/// The file that is written last.
pub const MANIFEST: &str = "manifest.json";
/// What tells that a folder is one of ours before it has a manifest.
const MARK: &str = ".dedup-apply";
/// What a manifest says it is of.
pub const MADE_BY: &str = "webmill dedup apply";

/// A file of the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputFile {
    /// Path inside of the folder.
    pub path: String,
    /// Bytes.
    pub bytes: u64,
    /// xxh3-128, hex.
    pub digest: String,
}

/// What is read back of a manifest.
#[derive(Deserialize)]
struct Made {
    made_by: String,
    outputs: Vec<OutputFile>,
}

/// The folder while it is written.
pub struct Output {
    out: PathBuf,
    staging: PathBuf,
    before: PathBuf,
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
        let sibling = |kind: &str| out.with_file_name(format!(".{name}.{kind}"));
        let (staging, before) = (sibling("apply"), sibling("before"));
        let lock = lock(&sibling("apply.lock"))?;
        if before.exists() {
            match out.exists() {
                true => std::fs::remove_dir_all(&before).at(&before)?,
                false => std::fs::rename(&before, &out).at(&before)?,
            }
        }
        refuse_foreign(&out)?;
        if staging.exists() {
            let ours = staging.join(MARK).exists() || made(&staging).is_some();
            if !ours && std::fs::read_dir(&staging).at(&staging)?.next().is_some() {
                return Err(Error::Config(format!("{}: is in the way; move it", staging.display())));
            }
            std::fs::remove_dir_all(&staging).at(&staging)?;
        }
        std::fs::create_dir(&staging).at(&staging)?;
        std::fs::write(staging.join(MARK), b"").at(&staging)?;
        let temp = staging.join("temp");
        std::fs::create_dir(&temp).at(&temp)?;
        crash_point("staged");
        Ok(Output { out, staging, before, _lock: lock })
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
        if self.out.exists() {
            std::fs::rename(&self.out, &self.before).at(&self.out)?;
        }
        std::fs::rename(&self.staging, &self.out).at(&self.out)?;
        if let Some(parent) = self.out.parent() {
            sync(parent)?;
        }
        crash_point("folder-renamed");
        if self.before.exists() {
            std::fs::remove_dir_all(&self.before).at(&self.before)?;
        }
        Ok(())
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
    let file = File::create(path).at(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => {
            Err(Error::Config(format!("{}: another process is writing this folder", path.display())))
        }
        Err(std::fs::TryLockError::Error(error)) => Err(Error::io(path, error)),
    }
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

/// The manifest of a folder, where this command made it.
fn made(folder: &Path) -> Option<Made> {
    let bytes = std::fs::read(folder.join(MANIFEST)).ok()?;
    serde_json::from_slice::<Made>(&bytes).ok().filter(|made| made.made_by == MADE_BY)
}

/// Refuses a folder with files that are not ours.
fn refuse_foreign(out: &Path) -> Result<()> {
    if !out.exists() {
        return Ok(());
    }
    let refused = |what: &Path| {
        Err(Error::Config(format!(
            "{}: holds what this command did not write ({}); choose a new or empty folder for --out",
            out.display(),
            what.display()
        )))
    };
    if !out.is_dir() {
        return refused(out);
    }
    let named: HashSet<PathBuf> = match made(out) {
        Some(made) => {
            made.outputs.into_iter().map(|file| file.path.into()).chain([MANIFEST.into()]).collect()
        }
        None => HashSet::new(),
    };
    for entry in walkdir::WalkDir::new(out).min_depth(1).sort_by_file_name() {
        let entry = entry.map_err(|error| Error::io(out, error.into()))?;
        let relative = entry.path().strip_prefix(out).unwrap_or(entry.path());
        if !entry.file_type().is_dir() && !named.contains(relative) {
            return refused(relative);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(out: &Path, name: &str) -> Result<()> {
        let output = Output::begin(out, &[])?;
        std::fs::create_dir_all(output.path("shards")).at(out)?;
        std::fs::write(output.path("shards").join(name), name).at(out)?;
        let outputs = output.files()?;
        let manifest = serde_json::json!({ "made_by": MADE_BY, "outputs": outputs });
        output.commit(manifest.to_string().as_bytes())
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| !name.ends_with(".lock"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_it_made_is_replaced_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        write(&out, "one").unwrap();
        write(&out, "two").unwrap();
        assert_eq!(names(&out.join("shards")), ["two"]);
        assert_eq!(names(folder.path()), ["out"]);
        std::fs::write(out.join("shards/mine"), "").unwrap();
        let error = write(&out, "three").unwrap_err().to_string();
        assert!(error.contains("did not write (shards/mine)"), "{error}");
        assert_eq!(names(&out.join("shards")), ["mine", "two"]);
        let foreign = folder.path().join("foreign");
        std::fs::create_dir(&foreign).unwrap();
        write(&foreign, "one").unwrap();
        std::fs::remove_file(foreign.join(MANIFEST)).unwrap();
        assert!(write(&foreign, "two").unwrap_err().to_string().contains("did not write"));
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

    #[test]
    fn what_a_crash_leaves_is_taken_up() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        write(&out, "one").unwrap();
        // Between the two renames.
        std::fs::rename(&out, folder.path().join(".out.before")).unwrap();
        std::fs::create_dir(folder.path().join(".out.apply")).unwrap();
        std::fs::write(folder.path().join(".out.apply").join(MARK), "").unwrap();
        std::fs::write(folder.path().join(".out.apply/half"), "").unwrap();
        Output::begin(&out, &[]).unwrap().discard().unwrap();
        assert_eq!(names(&out.join("shards")), ["one"]);
        // What stands there without a mark is somebody's.
        std::fs::create_dir(folder.path().join(".out.apply")).unwrap();
        std::fs::write(folder.path().join(".out.apply/mine"), "").unwrap();
        assert!(Output::begin(&out, &[]).err().unwrap().to_string().contains("in the way"));
    }
}
