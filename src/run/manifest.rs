//! The manifest: what a committed folder holds and what it was made from. Byte-identical for equal key and inputs.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Ingredient, Inputs, JobKey};

/// What was read, kept and dropped, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Records read, damaged ones included.
    pub read: u64,
    /// Records that do not obey their format: what `--max-bad` is held against.
    pub damaged: u64,
    /// Bytes read, lost ones included; 0 where a job reads no files.
    #[serde(default)]
    pub bytes: u64,
    /// Bytes of them that gave no record: `--max-bad` is held against these too, since one place of damage may cost a
    /// thousand records or none.
    #[serde(default)]
    pub bytes_lost: u64,
    /// Files of the input that could not be read, or not to their end.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unreadable: BTreeSet<String>,
    /// Kept, by what they are.
    pub kept: BTreeMap<String, u64>,
    /// Dropped, by reason; damaged ones stand here too.
    pub dropped: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds another unit's counts.
    pub fn merge(&mut self, other: &Counts) {
        self.read += other.read;
        self.damaged += other.damaged;
        self.bytes += other.bytes;
        self.bytes_lost += other.bytes_lost;
        self.unreadable.extend(other.unreadable.iter().cloned());
        for (into, from) in [(&mut self.kept, &other.kept), (&mut self.dropped, &other.dropped)] {
            for (name, n) in from {
                *into.entry(name.clone()).or_default() += n;
            }
        }
    }

    /// Damaged records / records read, or bytes lost / bytes read, whichever is more; 0 where nothing was read.
    pub fn bad_share(&self) -> f64 {
        share(self.damaged, self.read).max(share(self.bytes_lost, self.bytes))
    }

    /// The damage in words: records and bytes, each with its share.
    ///
    /// # Examples
    /// ```
    /// use webmill_run::Counts;
    /// let counts = Counts { read: 200, damaged: 1, bytes: 4000, bytes_lost: 1000, ..Counts::default() };
    /// assert_eq!(counts.damage(), "1 of 200 records are damaged (0.50 %), 1000 of 4000 bytes lost (25.00 %)");
    /// assert_eq!(counts.bad_share(), 0.25);
    /// ```
    pub fn damage(&self) -> String {
        let percent = |part, whole| 100.0 * share(part, whole);
        let (damaged, read) = (self.damaged, self.read);
        let mut text = format!("{damaged} of {read} records are damaged ({:.2} %)", percent(damaged, read));
        if self.bytes > 0 {
            let (lost, bytes) = (self.bytes_lost, self.bytes);
            text += &format!(", {lost} of {bytes} bytes lost ({:.2} %)", percent(lost, bytes));
        }
        if !self.unreadable.is_empty() {
            text += &format!(", {} not read to the end", files(self.unreadable.len()));
        }
        text
    }
}

fn files(n: usize) -> String {
    if n == 1 { "1 file".into() } else { format!("{n} files") }
}

fn share(part: u64, whole: u64) -> f64 {
    if part == 0 { 0.0 } else { (part as f64 / whole.max(1) as f64).min(1.0) }
}

/// A file of a committed folder.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OutputFile {
    /// Path in the folder, with `/`.
    pub path: String,
    /// Table it belongs to; empty for other files.
    pub table: String,
    /// Rows; 0 for other files.
    pub rows: u64,
    /// Size.
    pub bytes: u64,
    /// xxh3-128, hex.
    pub digest: String,
}

/// Columns and size of a table over all its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TableInfo {
    /// Rows of all parts.
    pub rows: u64,
    /// Columns as `name: type`.
    pub columns: Vec<String>,
}

/// `manifest.json` of a committed folder.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Manifest {
    /// Version of the manifest's own form.
    pub format: u32,
    /// Name of the job.
    pub job: String,
    /// VERSION of the job that wrote the results.
    pub job_version: u32,
    /// Key of the job.
    pub key: JobKey,
    /// Version of the program.
    pub webmill: String,
    /// Configuration, seed included.
    pub configuration: serde_json::Value,
    /// Shipped models and data tables that the job used.
    #[serde(default)]
    pub ingredients: Vec<Ingredient>,
    /// What was read.
    pub inputs: Inputs,
    /// Counts kept and dropped by reason.
    pub counts: Counts,
    /// Tables by name.
    pub tables: BTreeMap<String, TableInfo>,
    /// Every file, in path order.
    pub outputs: Vec<OutputFile>,
}

impl Manifest {
    /// The current form.
    pub const FORMAT: u32 = 1;
    /// The file's name.
    pub const FILE: &'static str = "manifest.json";
}
