//! The manifest: what a committed folder holds and what it was made from. Byte-identical for equal key and inputs.

use std::collections::BTreeMap;

use crate::{Ingredient, Inputs, JobKey};

/// What was read, kept and dropped, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Records read, damaged ones included.
    pub read: u64,
    /// Records that do not obey their format: what `--max-bad` is held against.
    pub damaged: u64,
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
        for (into, from) in [(&mut self.kept, &other.kept), (&mut self.dropped, &other.dropped)] {
            for (name, n) in from {
                *into.entry(name.clone()).or_default() += n;
            }
        }
    }

    /// Damaged records / records read; 0 where none was read.
    pub fn bad_share(&self) -> f64 {
        if self.read == 0 { 0.0 } else { self.damaged as f64 / self.read as f64 }
    }
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
    /// Version of the job.
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
