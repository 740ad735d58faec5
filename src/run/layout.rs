//! Where results stand in an output folder, and which of them are the latest.
//!
//! ```text
//! OUT/webmill.json                 the folder is ours, and its layout
//! OUT/JOB/.keys/KEY/               committed results
//! OUT/JOB/.keys/.KEY.partial/      results in the making
//! OUT/JOB/.keys/.units/            what the latest run leaves to one over more input
//! OUT/JOB/.keys/.KEY.lock          held while the job runs
//! OUT/JOB/KEY.rejects.parquet      the list of a run that was refused for its damage
//! OUT/JOB/latest -> .keys/KEY
//! ```
//!
//! **Why `.keys`.** Patterns over `OUT/JOB/*/TABLE` must not find a row twice. A leading dot is not enough: `*` of DuckDB, of
//! polars and of Python's pathlib matches it. So keys stand a level deeper than `latest` too.
//!
//! **Other layouts** are refused, by their number.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::stage::{to_json, write_synced};
use crate::{JobKey, Manifest};
use webmill_capture::error::{AtPath, Error, Result};

/// Form of the output folder, in `webmill.json`.
pub const LAYOUT: u32 = 3;

/// The file that says so.
pub const LAYOUT_FILE: &str = "webmill.json";

pub(crate) const KEYS: &str = ".keys";
pub(crate) const LATEST: &str = "latest";
const REJECTS_FILE: &str = "rejects.parquet";

/// Folder of the keys of `job`, where they are made and committed.
pub(crate) fn keys_folder(out: &Path, job: &str) -> PathBuf {
    out.join(job).join(KEYS)
}

/// Where the results of a key of `job` stand.
pub fn key_folder(out: &Path, job: &str, key: &str) -> PathBuf {
    keys_folder(out, job).join(key)
}

/// Where the rejects of a refused run are listed until a run is committed.
pub(crate) fn refused_list(out: &Path, job: &str, key: &JobKey) -> PathBuf {
    out.join(job).join(format!("{key}.{REJECTS_FILE}"))
}

/// Removes the lists of rejects of refused runs of `job`.
pub(crate) fn remove_refused_lists(out: &Path, job: &str) -> Result<()> {
    for (name, path) in entries(&out.join(job))? {
        if name.strip_suffix(REJECTS_FILE).and_then(|name| name.strip_suffix('.')).is_some_and(is_key) {
            std::fs::remove_file(&path).at(&path)?;
        }
    }
    Ok(())
}

/// Where users find the latest results of `job`, whatever their key.
pub fn latest_link(out: &Path, job: &str) -> PathBuf {
    out.join(job).join(LATEST)
}

/// The committed folder that `out/<job>/latest` names, if it is there. Where a copy of the results has a folder in place of
/// the link, it is that folder.
pub fn latest_folder(out: &Path, job: &str) -> Option<PathBuf> {
    let link = latest_link(out, job);
    let folder = match std::fs::read_link(&link) {
        Ok(target) => key_folder(out, job, target.file_name()?.to_str()?),
        Err(_) => link,
    };
    is_committed(&folder).then_some(folder)
}

/// Names of the jobs that have a folder with results in `out`, in order.
///
/// # Errors
/// [`Error::Io`] where the folder cannot be listed.
pub fn jobs_in(out: &Path) -> Result<Vec<String>> {
    let mut jobs = Vec::new();
    for (name, path) in entries(out)? {
        let latest = path.join(LATEST);
        let ours = path.join(KEYS).is_dir() || latest.is_symlink() || is_committed(&latest);
        if !name.starts_with('.') && ours {
            jobs.push(name);
        }
    }
    Ok(jobs)
}

/// Every committed folder of `job` in `out`, in the order of their keys.
///
/// # Errors
/// [`Error::Io`] where a folder cannot be listed.
pub fn committed_in(out: &Path, job: &str) -> Result<Vec<(String, PathBuf)>> {
    let keys = keys_folder(out, job);
    if !keys.is_dir() {
        return Ok(Vec::new());
    }
    let committed = |(name, path): &(String, PathBuf)| is_key(name) && is_committed(path);
    Ok(entries(&keys)?.into_iter().filter(committed).collect())
}

/// The rest of a run that was not committed, and a run that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedRun {
    /// Name of the job.
    pub job: String,
    /// Key of the run that was not finished.
    pub key: String,
    /// The staging folder, the rest of a removal, or the list of rejects.
    pub path: PathBuf,
    /// Bytes of its staged files.
    pub bytes: u64,
    /// Whether a process works on the key.
    pub is_locked: bool,
}

impl UnfinishedRun {
    /// What it is, in one word.
    pub fn state(&self) -> &'static str {
        match (self.is_locked, self.path.extension().and_then(|e| e.to_str())) {
            (true, _) => "running",
            (false, Some("parquet")) => "refused",
            (false, Some("removed")) => "removed",
            (false, _) => "stopped",
        }
    }
}

/// Staging folders of `job` in `out`, what a stopped [`remove`] left, and lists of refused runs, by name.
///
/// # Errors
/// [`Error::Io`] where a folder cannot be listed.
pub fn unfinished_in(out: &Path, job: &str) -> Result<Vec<UnfinishedRun>> {
    let home = out.join(job);
    let mut found = Vec::new();
    for folder in [home.join(KEYS), home] {
        if !folder.is_dir() {
            continue;
        }
        for (name, path) in entries(&folder)? {
            let key = match name.strip_prefix('.') {
                Some(hidden) => hidden.strip_suffix(".partial").or_else(|| hidden.strip_suffix(".removed")),
                None => name.strip_suffix(REJECTS_FILE).and_then(|key| key.strip_suffix('.')),
            };
            if let Some(key) = key.filter(|key| is_key(key)) {
                let is_locked = is_locked(&folder, key);
                found.push(UnfinishedRun {
                    job: job.to_owned(),
                    key: key.to_owned(),
                    bytes: size_of(&path)?,
                    path,
                    is_locked,
                });
            }
        }
    }
    Ok(found)
}

/// Whether a process holds the key.
fn is_locked(folder: &Path, key: &str) -> bool {
    // Without a lock file there was no process.
    File::open(folder.join(format!(".{key}.lock"))).is_ok_and(|file| file.try_lock().is_err())
}

/// Removes `path`: a committed or staged folder of this key, or its list of rejects. `false` where a process works
/// on the key. Committed folders are renamed first, so that none is ever there in part.
///
/// # Errors
/// [`Error::Io`] where it cannot be removed.
pub fn remove(out: &Path, job: &str, key: &str, path: &Path) -> Result<bool> {
    let is_folder = path.is_dir();
    let keys = path.parent().filter(|_| is_folder).map_or_else(|| keys_folder(out, job), Path::to_path_buf);
    std::fs::create_dir_all(&keys).at(&keys)?;
    let lock = keys.join(format!(".{key}.lock"));
    let lock = File::create(&lock).at(&lock)?;
    if lock.try_lock().is_err() {
        return Ok(false);
    }
    if is_folder {
        let aside = path.with_file_name(format!(".{key}.removed"));
        if path != aside {
            if aside.exists() {
                std::fs::remove_dir_all(&aside).at(&aside)?;
            }
            std::fs::rename(path, &aside).at(path)?;
        }
        std::fs::remove_dir_all(&aside).at(&aside)?;
    } else {
        std::fs::remove_file(path).at(path)?;
    }
    Ok(true)
}

/// Bytes of a file, or of all files below a folder; links are not followed, and what goes away meanwhile counts nothing.
///
/// # Errors
/// [`Error::Io`] where a folder cannot be listed.
pub fn size_of(path: &Path) -> Result<u64> {
    let (mut bytes, mut left) = (0, vec![path.to_path_buf()]);
    while let Some(path) = left.pop() {
        let within = match path.symlink_metadata() {
            Ok(about) if about.is_dir() => entries(&path),
            Ok(about) => {
                bytes += about.len();
                continue;
            }
            Err(error) => Err(Error::io(&path, error)),
        };
        match within {
            Ok(within) => left.extend(within.into_iter().map(|(_, path)| path)),
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// Checks that `out` holds results of this layout.
///
/// # Errors
/// [`Error::Config`] for a folder without results; [`Error::Incompatible`] for those of another layout, which it names.
pub fn check_layout(out: &Path) -> Result<()> {
    let marker = out.join(LAYOUT_FILE);
    let bytes = match std::fs::read(&marker) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let why = format!("{}: no results of webmill here (there is no {LAYOUT_FILE})", out.display());
            return Err(Error::Config(why));
        }
        Err(e) => return Err(Error::io(marker, e)),
    };
    let found = serde_json::from_slice::<serde_json::Value>(&bytes).ok().and_then(|v| v["layout"].as_u64());
    if found == Some(LAYOUT.into()) {
        return Ok(());
    }
    let found = found.map_or_else(|| "an unreadable marker".into(), |n| format!("layout {n}"));
    let expected =
        format!("layout {LAYOUT}: run the jobs into another --out, or use the webmill that wrote it");
    Err(Error::Incompatible { path: marker, found, expected })
}

/// Makes `out` a folder of ours, or refuses one that holds something else.
///
/// # Errors
/// [`Error::Config`] or [`Error::Incompatible`] for a folder of someone else or of another layout.
pub fn claim(out: &Path) -> Result<()> {
    let marker = out.join(LAYOUT_FILE);
    if marker.exists() {
        return check_layout(out);
    }
    std::fs::create_dir_all(out).at(out)?;
    // Another run may claim it at the same time. Where folders cannot be locked, the two are left to their luck.
    let folder = File::open(out).ok();
    let _alone = folder.as_ref().filter(|folder| folder.lock().is_ok());
    if marker.exists() {
        return check_layout(out);
    }
    let foreign = std::fs::read_dir(out)
        .map(|mut entries| {
            entries.find_map(|e| e.ok().filter(|e| !e.file_name().to_string_lossy().starts_with('.')))
        })
        .unwrap_or_default();
    if let Some(entry) = foreign {
        return Err(Error::Config(format!(
            "{}: holds files that webmill did not write ({}); choose a new or empty folder for --out",
            out.display(),
            entry.file_name().to_string_lossy()
        )));
    }
    mark(&marker)
}

fn mark(marker: &Path) -> Result<()> {
    write_synced(marker, &to_json(&serde_json::json!({ "layout": LAYOUT }))?, None)
}

/// Whether `name` is that of a key: 32 hexadecimal digits.
fn is_key(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

pub(crate) fn is_committed(folder: &Path) -> bool {
    folder.join(Manifest::FILE).is_file()
}

/// Names and paths of the entries of a folder, by name; names that are no Unicode are nothing of ours.
pub(crate) fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).at(folder)? {
        let entry = entry.at(folder)?;
        if let Ok(name) = entry.file_name().into_string() {
            found.push((name, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// Holds the job against other processes until dropped.
pub(crate) fn lock(keys: &Path, key: &JobKey) -> Result<File> {
    let path = keys.join(format!(".{key}.lock"));
    let file = File::create(&path).at(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::Config(format!(
            "{}: another process is running this job; wait for it or stop it",
            keys.display()
        ))),
        Err(std::fs::TryLockError::Error(error)) => Err(Error::io(&path, error)),
    }
}
