//! What a run of a job leaves to its later keys: scratch files of units, and values that took long to work out.
//!
//! **Who calls this.** A job whose input grows, `extract`: what it made of the shards that were there before it takes over.
//!
//! **Where.** `OUT/JOB/.keys/.units`. A value is `NAME.kept`; a unit is `NAME.kept`, its receipt, and its files `NAME.0`, `NAME.1` and so on: hard
//! links, which take no room as long as the job runs, and no folders, which file systems are slow to make. NAME is a digest of all that the content depends
//! on: callers choose it.
//!
//! **Trust.** A value begins with its digest, a receipt has those of the unit's files. What does not match is as if it were not there.
//! With the manifest goes what no unit of the run asked for.
//!
//! **Several runs.** Runs of other keys may keep and remove units at the same time: what one of them spoils is not kept.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::layout::entries;
use crate::stage::{Receipt, Stage, poisoned, to_json, write_synced};
use crate::{Counts, OutputFile, digest_bytes, digest_file, hex128};
use webmill_capture::error::{AtPath, Error, Result};

/// Name of the folder, beside the keys.
pub(crate) const UNITS: &str = ".units";

/// A unit that an earlier run kept, whose files are as they were.
pub struct KeptUnit {
    /// What the paths of its files begin with.
    stem: PathBuf,
    receipt: Receipt,
}

impl KeptUnit {
    /// The paths of its scratch files, by the paths that they had in the job's folder.
    pub fn files(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        let numbered = self.receipt.scratch.iter().enumerate();
        numbered.map(|(number, file)| (file.path.as_str(), numbered_file(&self.stem, number)))
    }
}

/// The path of a file of a unit.
fn numbered_file(stem: &Path, number: usize) -> PathBuf {
    stem.with_extension(number.to_string())
}

impl Stage<'_> {
    fn kept_path(&self, name: &str) -> Option<PathBuf> {
        self.used.lock().ok()?.insert(name.to_owned());
        Some(self.kept.as_ref()?.join(format!("{name}.kept")))
    }

    /// Has whatever `name` keeps stay for later runs, though this one may not ask for it.
    pub fn still_wants(&self, name: &str) {
        let _ = self.kept_path(name);
    }

    /// Keeps a value under `name`.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`] where it cannot be written.
    pub fn remember(&self, name: &str, value: &[u8]) -> Result<()> {
        let Some(path) = self.kept_path(name) else { return Ok(()) };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).at(folder)?;
        }
        let sealed = [&digest_bytes(value).to_be_bytes()[..], value].concat();
        // In this run's own folder, since runs of other keys may write the same value.
        let aside = self.folder.join("temp").join(format!("{name}.kept"));
        std::fs::write(&aside, sealed).at(&aside)?;
        // Another thread may have written the same value, and put it there.
        unless_crossed(std::fs::rename(&aside, &path).at(&path)).map(drop)
    }

    /// The value that was kept under `name`.
    pub fn recall(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = std::fs::read(self.kept_path(name)?).ok()?;
        let value = bytes.split_off(bytes.len().min(16));
        (digest_bytes(&value).to_be_bytes() == bytes.as_slice()).then_some(value)
    }

    /// Keeps a unit that is done under `name`, if its counts are `good`: those that another run of the same unit would come to.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`] where its files can be neither linked nor copied.
    pub fn keep_unit(&self, unit: &str, name: &str, good: impl Fn(&Counts) -> bool) -> Result<()> {
        let receipt = self.receipts.lock().map_err(poisoned)?.get(unit).cloned();
        let (Some(receipt), Some(kept)) = (receipt, &self.kept) else { return Ok(()) };
        if !good(&receipt.counts) {
            return Ok(());
        }
        let stem = kept.join(name);
        std::fs::create_dir_all(kept).at(kept)?;
        let link = |(number, file): (usize, &OutputFile)| {
            link(&self.folder.join(&file.path), &numbered_file(&stem, number))
        };
        match unless_crossed(receipt.scratch.iter().enumerate().try_for_each(link))? {
            Some(()) => self.remember(name, &to_json(&receipt)?),
            None => Ok(()),
        }
    }

    /// The unit that was kept under `name`.
    pub fn kept_unit(&self, name: &str) -> Option<KeptUnit> {
        let receipt: Receipt = serde_json::from_slice(&self.recall(name)?).ok()?;
        let stem = self.kept.as_ref()?.join(name);
        let is_whole = |(number, file): (usize, &OutputFile)| {
            digest_file(&numbered_file(&stem, number))
                .is_ok_and(|(digest, bytes)| bytes == file.bytes && hex128(digest) == file.digest)
        };
        receipt.scratch.iter().enumerate().all(is_whole).then_some(KeptUnit { stem, receipt })
    }

    /// Puts a kept unit in the place of `unit`, which is then found done; `false` where another run has removed it meanwhile. Unit
    /// names stand in the names of their files.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`] where its files can be neither linked nor copied.
    pub fn take_over(&self, unit: &str, kept: KeptUnit) -> Result<bool> {
        let KeptUnit { stem, mut receipt } = kept;
        for (number, file) in receipt.scratch.iter_mut().enumerate() {
            let path = file.path.replacen(&receipt.unit, unit, 1);
            let to = self.folder.join(&path);
            if let Some(folder) = to.parent() {
                std::fs::create_dir_all(folder).at(folder)?;
            }
            if unless_crossed(link(&numbered_file(&stem, number), &to))?.is_none() {
                return Ok(false);
            }
            file.path = path;
        }
        receipt.unit = unit.to_owned();
        write_synced(&self.receipt_path(unit), &to_json(&receipt)?, None)?;
        Ok(true)
    }

    /// Whether an earlier run of this very key did the unit.
    pub fn is_done(&self, unit: &str) -> bool {
        self.receipt_path(unit).exists()
    }

    /// Removes what was kept and nobody asked for.
    pub(crate) fn forget_unused(&self) -> Result<()> {
        let Some(kept) = self.kept.as_ref().filter(|kept| kept.is_dir()) else { return Ok(()) };
        let used: BTreeSet<String> = std::mem::take(&mut *self.used.lock().map_err(poisoned)?);
        for (name, path) in entries(kept)? {
            if used.contains(name.split('.').next().unwrap_or_default()) {
                continue;
            }
            let gone =
                if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            unless_crossed(gone.at(&path))?;
        }
        Ok(())
    }
}

/// Gives a file a further name, in place of what has it; a copy where the file system has no links.
fn link(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_file(to).at(to)?;
    }
    let linked = match std::fs::hard_link(from, to) {
        // Another run put it there: a copy would overwrite a file that it has under other names too.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        linked => linked.or_else(|_| std::fs::copy(from, to).map(drop)),
    };
    linked.at(to)
}

/// `None` where a run of another key wrote or removed the same files meanwhile.
fn unless_crossed<T>(result: Result<T>) -> Result<Option<T>> {
    let is_crossed = |error: &Error| match error {
        Error::Io { source, .. } => matches!(
            source.kind(),
            ErrorKind::NotFound | ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty
        ),
        _ => false,
    };
    match result {
        Err(error) if is_crossed(&error) => Ok(None),
        result => result.map(Some),
    }
}
