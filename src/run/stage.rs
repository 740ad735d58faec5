//! The staging folder: units of work, their files and receipts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    Cancel, Counts, JobKey, OutputFile, Progress, Reject, TableInfo, crash_point, digest_file, hex128,
};
use webmill_capture::error::{AtPath, Error, Result};

/// Rejects kept of each reason and unit; all are counted.
const SAMPLE: usize = 100;

/// What a finished unit left behind: trusted only while its files match.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Receipt {
    pub unit: String,
    pub files: Vec<OutputFile>,
    /// Files that later units of the job read and nobody after it: they go away with the staging folder.
    #[serde(default)]
    pub scratch: Vec<OutputFile>,
    pub counts: Counts,
    pub rejects: Vec<Reject>,
    pub columns: BTreeMap<String, Vec<String>>,
    pub payload: serde_json::Value,
}

/// The staging folder of a job that runs.
pub struct Stage<'a> {
    pub(super) folder: PathBuf,
    pub(super) key: JobKey,
    pub(super) receipts: Mutex<BTreeMap<String, Receipt>>,
    pub(super) named: Mutex<BTreeSet<String>>,
    /// Where units are kept for other keys; `None` of a stage apart.
    pub(super) kept: Option<PathBuf>,
    /// What was asked for there.
    pub(super) used: Mutex<BTreeSet<String>>,
    /// Facts of this very run, which stand in `run.json` alone.
    pub(super) facts: Mutex<BTreeMap<&'static str, u64>>,
    /// Bytes of memory to stay within; never changes a byte.
    pub memory: u64,
    /// Where progress goes.
    pub progress: &'a dyn Progress,
    /// Whether to stop.
    pub cancel: &'a Cancel,
}

/// One unit of work: the files it writes, what it counts and rejects.
pub struct Unit<'s> {
    stage: &'s Stage<'s>,
    temp: PathBuf,
    receipt: Receipt,
    sampled: BTreeMap<String, usize>,
}

/// What units did, put together in the order of their names.
#[derive(Debug, Default, serde::Serialize)]
pub struct UnitTotals {
    /// What they counted.
    pub counts: Counts,
    /// What they rejected, at most a hundred of each reason and unit.
    pub rejects: Vec<Reject>,
    /// Scratch files, each with the number of its rows.
    pub scratch: Vec<(String, u64)>,
}

impl<'a> Stage<'a> {
    /// A stage in a folder of the caller's, for an engine that spreads units over machines and puts them together in its own way:
    /// nothing is locked or committed.
    ///
    /// # Errors
    /// [`Error::Io`] where its folders cannot be made.
    pub fn apart(
        folder: &Path,
        key: JobKey,
        memory: u64,
        progress: &'a dyn Progress,
        cancel: &'a Cancel,
    ) -> Result<Self> {
        for sub in ["receipts", "temp"] {
            let path = folder.join(sub);
            std::fs::create_dir_all(&path).at(&path)?;
        }
        let (receipts, named, kept, used, facts) = Default::default();
        let folder = folder.to_path_buf();
        Ok(Stage { folder, key, receipts, named, kept, used, facts, memory, progress, cancel })
    }
}

impl Stage<'_> {
    /// What its units did so far.
    ///
    /// # Errors
    /// [`Error::Internal`] where a unit panicked.
    pub fn told(&self) -> Result<UnitTotals> {
        let mut told = UnitTotals { scratch: self.scratch()?, ..UnitTotals::default() };
        for receipt in self.receipts.lock().map_err(poisoned)?.values() {
            told.counts.merge(&receipt.counts);
            told.rejects.extend(receipt.rejects.iter().cloned());
        }
        Ok(told)
    }

    /// Notes a number that depends on what earlier runs left: it stands in `run.json`.
    pub fn fact(&self, name: &'static str, value: u64) {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).insert(name, value);
    }

    /// The job's key, for the footers of its files.
    pub fn key(&self) -> &JobKey {
        &self.key
    }

    /// Does a unit of work, unless its receipt stands and its files match; returns what the unit returned then or now.
    ///
    /// Units are named uniquely within a job by `[a-z0-9-]`; the order of names is the order in which counts,
    /// rejects and files are put together.
    ///
    /// # Errors
    /// What `work` meets; [`Error::Interrupted`] where the user asked to stop; [`Error::Internal`] for a name that
    /// another unit of this job has.
    pub fn unit<T, F>(&self, name: &str, work: F) -> Result<T>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce(&mut Unit<'_>) -> Result<T>,
    {
        if let Some(receipt) = self.begin(name)?
            && let Ok(payload) = serde_json::from_value(receipt.payload.clone())
        {
            self.keep(name, receipt)?;
            return Ok(payload);
        }
        let (mut work, mut made) = (Some(work), None);
        self.do_unit(name, &mut |unit| {
            let work = work.take().expect("a unit is done once");
            let value = work(unit)?;
            let payload = serde_json::to_value(&value).map_err(|e| Error::Internal(e.to_string()))?;
            made = Some(value);
            Ok(payload)
        })?;
        Ok(made.expect("a unit that is done has made something"))
    }

    /// Takes the name of a unit; the receipt that stands from an earlier run.
    fn begin(&self, name: &str) -> Result<Option<Receipt>> {
        self.cancel.check()?;
        if !self.named.lock().map_err(poisoned)?.insert(name.to_owned()) {
            return Err(Error::Internal(format!(
                "two units of work are called {name}: one would pass for the other"
            )));
        }
        Ok(self.standing_receipt(&self.receipt_path(name)))
    }

    pub(super) fn receipt_path(&self, name: &str) -> PathBuf {
        self.folder.join("receipts").join(format!("{name}.json"))
    }

    fn keep(&self, name: &str, receipt: Receipt) -> Result<()> {
        self.receipts.lock().map_err(poisoned)?.insert(name.to_owned(), receipt);
        Ok(())
    }

    /// Does a unit of work; `work` gives the payload of its receipt.
    fn do_unit(&self, name: &str, work: &mut dyn FnMut(&mut Unit<'_>) -> Result<Value>) -> Result<()> {
        crash_point("unit-started");
        let temp = self.folder.join("temp").join(name);
        clear_folder(&temp)?;
        let mut unit = Unit {
            stage: self,
            temp: temp.clone(),
            receipt: Receipt { unit: name.to_owned(), ..Receipt::default() },
            sampled: BTreeMap::new(),
        };
        let payload = work(&mut unit)?;
        crash_point("unit-written");
        let mut receipt = Receipt { payload, ..unit.receipt };
        let complete = |file: &mut OutputFile, is_synced: bool| {
            let path = self.folder.join(&file.path);
            if is_synced {
                File::open(&path).and_then(|f| f.sync_all()).at(&path)?;
            }
            let (digest, bytes) = digest_file(&path)?;
            (file.bytes, file.digest) = (bytes, hex128(digest));
            Ok::<_, Error>(())
        };
        receipt.files.par_iter_mut().try_for_each(|file| complete(file, true))?;
        // Scratch files need not outlive the system: one that a power cut spoilt has another digest than its receipt, and is made anew.
        receipt.scratch.iter_mut().try_for_each(|file| complete(file, false))?;
        std::fs::remove_dir_all(&temp).at(&temp)?;
        crash_point("unit-synced");
        write_synced(&self.receipt_path(name), &to_json(&receipt)?, Some("receipt-written"))?;
        crash_point("receipt-renamed");
        self.keep(name, receipt)
    }

    /// Path of a file in the staging folder that an earlier unit of this job wrote.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    /// Takes back a unit whose files turn out to be wrong, so that it can be done again.
    ///
    /// # Errors
    /// [`Error::Io`] where its receipt or files cannot be removed.
    pub fn discard(&self, name: &str) -> Result<()> {
        self.named.lock().map_err(poisoned)?.remove(name);
        let receipt_path = self.receipt_path(name);
        if receipt_path.exists() {
            std::fs::remove_file(&receipt_path).at(&receipt_path)?;
        }
        if let Some(receipt) = self.receipts.lock().map_err(poisoned)?.remove(name) {
            for file in receipt.files.into_iter().chain(receipt.scratch) {
                let path = self.folder.join(&file.path);
                std::fs::remove_file(&path).at(&path)?;
            }
        }
        Ok(())
    }

    /// The scratch files of all units so far, each with the number of its rows, in the order of the units.
    ///
    /// # Errors
    /// [`Error::Internal`] where a unit panicked.
    pub fn scratch(&self) -> Result<Vec<(String, u64)>> {
        let receipts = self.receipts.lock().map_err(poisoned)?;
        let files = receipts.values().flat_map(|receipt| &receipt.scratch);
        Ok(files.map(|file| (file.path.clone(), file.rows)).collect())
    }

    fn standing_receipt(&self, path: &Path) -> Option<Receipt> {
        let receipt: Receipt = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        let matches = receipt.files.iter().chain(&receipt.scratch).all(|file| {
            digest_file(&self.folder.join(&file.path))
                .is_ok_and(|(digest, bytes)| bytes == file.bytes && hex128(digest) == file.digest)
        });
        matches.then_some(receipt)
    }
}

impl<'s> Unit<'s> {
    /// The stage this unit belongs to.
    pub fn stage(&self) -> &'s Stage<'s> {
        self.stage
    }

    /// A folder for files that go away with the unit.
    pub fn temp(&self) -> &Path {
        &self.temp
    }

    /// Path of a file of this unit, its folder made. Call [`wrote`](Self::wrote) when it is complete.
    ///
    /// # Errors
    /// [`Error::Io`] where the folder cannot be made.
    pub fn create(&self, relative: &str) -> Result<PathBuf> {
        let path = self.stage.folder.join(relative);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).at(parent)?;
        }
        // A file that other keys have under further names stays as it is there.
        if path.symlink_metadata().is_ok_and(|about| about.nlink() > 1) {
            std::fs::remove_file(&path).at(&path)?;
        }
        Ok(path)
    }

    /// Declares a complete file: its table with columns (empty for other files) and rows.
    pub fn wrote(&mut self, relative: &str, table: &str, columns: Vec<String>, rows: u64) {
        if !table.is_empty() {
            self.receipt.columns.insert(table.to_owned(), columns);
        }
        self.receipt.files.push(output(relative, table, rows));
    }

    /// Declares a complete file that later units of this job read ([`Stage::scratch`]): it is kept until the job is
    /// committed and is no part of its results.
    pub fn scratch(&mut self, relative: &str, rows: u64) {
        self.receipt.scratch.push(output(relative, "", rows));
    }

    /// Counts records read.
    pub fn read(&mut self, n: u64) {
        self.receipt.counts.read += n;
    }

    /// Counts bytes read, those that are lost included.
    pub fn read_bytes(&mut self, n: u64) {
        self.receipt.counts.bytes += n;
    }

    /// Names a file of the input that could not be read, or not to its end. What it cost is [`damaged`](Self::damaged)'s.
    pub fn unreadable(&mut self, file: &str) {
        self.receipt.counts.unreadable.insert(file.to_owned());
    }

    /// Counts a record of which the results hold something.
    pub fn used(&mut self) {
        self.receipt.counts.used += 1;
    }

    /// Counts a record of a kind that the job does not take.
    pub fn unused(&mut self, kind: &str) {
        self.receipt.counts.unused += 1;
        self.dropped(&format!("{kind}-record"), 1);
    }

    /// Counts and samples a record that obeys its format and is left out all the same: held against `--max-bad`.
    pub fn left_out(&mut self, reject: Reject) {
        add(&mut self.receipt.counts.left_out, &reject.reason, 1);
        self.rejected(reject);
    }

    /// Checks that each record that was read is counted exactly once.
    ///
    /// # Errors
    /// [`Error::Internal`] where one is not.
    pub fn close_ledger(&self) -> Result<()> {
        match self.receipt.counts.is_balanced() {
            true => Ok(()),
            false => Err(Error::Internal(format!(
                "unit {}: not every record is counted once: {:?}",
                self.receipt.unit, self.receipt.counts
            ))),
        }
    }

    /// Counts something kept.
    pub fn kept(&mut self, what: &str, n: u64) {
        add(&mut self.receipt.counts.kept, what, n);
    }

    /// Counts something left out for a reason that is no damage; a reason without a case is not told.
    pub fn dropped(&mut self, reason: &str, n: u64) {
        if n > 0 {
            add(&mut self.receipt.counts.dropped, reason, n);
        }
    }

    /// Counts and samples a damaged record, or a place of damage, with the bytes it lost: held against `--max-bad`.
    pub fn damaged(&mut self, reject: Reject) {
        self.receipt.counts.damaged += 1;
        self.receipt.counts.bytes_lost += reject.bytes_lost;
        self.rejected(reject);
    }

    /// Counts and samples a file that ends inside a record, with those of its bytes that gave nothing.
    pub fn cut_off(&mut self, reject: Reject) {
        self.receipt.counts.cut_off += 1;
        self.receipt.counts.cut_off_bytes += reject.bytes_lost;
        self.rejected(reject);
    }

    /// Counts and samples something that was dropped without being damaged, and may be counted besides: a part of a record.
    pub fn rejected(&mut self, reject: Reject) {
        add(&mut self.receipt.counts.dropped, &reject.reason, 1);
        let sampled = self.sampled.entry(reject.reason.clone()).or_default();
        if *sampled < SAMPLE {
            *sampled += 1;
            self.receipt.rejects.push(reject);
        }
    }
}

impl Receipt {
    pub fn tables(receipts: &BTreeMap<String, Receipt>) -> BTreeMap<String, TableInfo> {
        let mut tables: BTreeMap<String, TableInfo> = BTreeMap::new();
        for receipt in receipts.values() {
            for (table, columns) in &receipt.columns {
                tables.entry(table.clone()).or_default().columns.clone_from(columns);
            }
            for file in receipt.files.iter().filter(|f| !f.table.is_empty()) {
                tables.entry(file.table.clone()).or_default().rows += file.rows;
            }
        }
        tables
    }
}

/// A file whose digest is not known yet.
fn output(relative: &str, table: &str, rows: u64) -> OutputFile {
    OutputFile { path: relative.to_owned(), table: table.to_owned(), rows, bytes: 0, digest: String::new() }
}

fn add(counts: &mut BTreeMap<String, u64>, name: &str, n: u64) {
    match counts.get_mut(name) {
        Some(count) => *count += n,
        None => {
            counts.insert(name.to_owned(), n);
        }
    }
}

pub(super) fn poisoned<T>(_: std::sync::PoisonError<T>) -> Error {
    Error::Internal("a unit of work panicked".into())
}

pub(super) fn to_json(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|e| Error::Internal(e.to_string()))?;
    text.push(b'\n');
    Ok(text)
}

/// Makes `folder` an empty folder.
fn clear_folder(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).at(folder)?;
    }
    std::fs::create_dir_all(folder).at(folder)
}

/// Writes aside, syncs, renames: `path` either does not exist or is whole.
pub(super) fn write_synced(path: &Path, bytes: &[u8], crash_before_rename: Option<&str>) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = path.with_file_name(format!(".{name}.aside"));
    let mut file = File::create(&aside).at(&aside)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).at(&aside)?;
    if let Some(point) = crash_before_rename {
        crash_point(point);
    }
    std::fs::rename(&aside, path).at(path)?;
    if let Some(parent) = path.parent() {
        sync_folder(parent)?;
    }
    Ok(())
}

pub(super) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|f| f.sync_all()).at(folder)
}
