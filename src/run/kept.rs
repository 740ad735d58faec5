//! What a run of a job leaves to its later keys: scratch files of units, and values that took long to work out.
//!
//! **Who calls this.** A job whose input grows, `extract`: what it made of the shards that were there before it takes over.
//!
//! **Where.** `OUT/JOB/.keys/.units`. A value is `NAME.kept`; a unit is `NAME.kept`, its receipt, and its files below `NAME/`: hard
//! links, which take no room as long as the job runs. NAME is a digest of all that the content depends on: callers choose it.
//!
//! **Trust.** A value begins with its digest, a receipt has those of the unit's files. What does not match is as if it were not there.
//! With the manifest goes what no unit of the run asked for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::layout::entries;
use crate::stage::{Receipt, Stage, poisoned, to_json, write_synced};
use crate::{Counts, OutputFile, digest_bytes, digest_file, hex128};
use webmill_capture::error::{AtPath, Result};

/// Name of the folder, beside the keys.
pub(crate) const UNITS: &str = ".units";

/// A unit that an earlier run kept, whose files are as they were.
pub struct KeptUnit {
    folder: PathBuf,
    receipt: Receipt,
}

impl KeptUnit {
    /// The paths of its scratch files, by the paths that they had in the job's folder.
    pub fn files(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        self.receipt.scratch.iter().map(|file| (file.path.as_str(), self.folder.join(&file.path)))
    }
}

impl Stage<'_> {
    fn kept_path(&self, name: &str) -> Option<PathBuf> {
        self.used.lock().ok()?.insert(name.to_owned());
        Some(self.kept.as_ref()?.join(format!("{name}.kept")))
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
        let aside = path.with_extension("aside");
        std::fs::write(&aside, sealed).at(&aside)?;
        std::fs::rename(&aside, &path).at(&path)
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
        let receipts = self.receipts.lock().map_err(poisoned)?;
        let (Some(receipt), Some(kept)) = (receipts.get(unit), &self.kept) else { return Ok(()) };
        if !good(&receipt.counts) {
            return Ok(());
        }
        let folder = kept.join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).at(&folder)?;
        }
        for file in &receipt.scratch {
            link(&self.folder.join(&file.path), &folder.join(&file.path))?;
        }
        self.remember(name, &to_json(receipt)?)
    }

    /// The unit that was kept under `name`.
    pub fn kept_unit(&self, name: &str) -> Option<KeptUnit> {
        let receipt: Receipt = serde_json::from_slice(&self.recall(name)?).ok()?;
        let folder = self.kept.as_ref()?.join(name);
        let is_whole = |file: &OutputFile| {
            digest_file(&folder.join(&file.path))
                .is_ok_and(|(digest, bytes)| bytes == file.bytes && hex128(digest) == file.digest)
        };
        receipt.scratch.iter().all(is_whole).then_some(KeptUnit { folder, receipt })
    }

    /// Puts a kept unit in the place of `unit`, which is then found done. Unit names stand in the names of their files.
    ///
    /// # Errors
    /// [`webmill_capture::Error::Io`] where its files can be neither linked nor copied.
    pub fn take_over(&self, unit: &str, kept: KeptUnit) -> Result<()> {
        let KeptUnit { folder, mut receipt } = kept;
        for file in &mut receipt.scratch {
            let path = file.path.replacen(&receipt.unit, unit, 1);
            link(&folder.join(&file.path), &self.folder.join(&path))?;
            file.path = path;
        }
        receipt.unit = unit.to_owned();
        write_synced(&self.receipt_path(unit), &to_json(&receipt)?, None)
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
            if used.contains(name.strip_suffix(".kept").unwrap_or(&name)) {
                continue;
            }
            if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) }
                .at(&path)?;
        }
        Ok(())
    }
}

/// Gives a file a further name, in place of what has it; a copy where the file system has no links.
fn link(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).at(folder)?;
    }
    if to.exists() {
        std::fs::remove_file(to).at(to)?;
    }
    std::fs::hard_link(from, to).or_else(|_| std::fs::copy(from, to).map(drop)).at(to)
}
