//! The job runtime: keys, staging, receipts, resume, manifest, rejects. It knows nothing of the Web.
//!
//! **What.** [`Runtime::run`] brings a [`Job`] from its configuration and inputs to a committed folder, exactly once.
//!
//! **Protocol.** For a job with key `k` (see [`job_key`]) under the output folder `out`:
//!
//! 1. `out/<job>/.keys/<k>/manifest.json` exists and its sizes hold: done, nothing is written.
//! 2. Lock `out/<job>/.keys/.<k>.lock`; work in `out/<job>/.keys/.<k>.partial/`.
//! 3. Each unit of work writes its files, syncs them, then its receipt (written aside, synced, renamed). A unit whose
//!    receipt stands and whose files match it in size and digest is not done again.
//! 4. Rejects are written, then `run.json` and last `manifest.json`, synced; receipts are removed, the folder renamed
//!    to its final name, its parent synced, the link `latest` moved. From the manifest on, a crash costs nothing.
//!
//! A crash at any point leaves either a staging folder that resumes or a committed folder. Nothing half-written ever
//! stands at a final name.
//!
//! **Determinism.** The manifest holds what follows from key and inputs only; host, threads and times stand in
//! `run.json`. Units may run in any order and on any number of threads: all that is gathered over them is put in
//! order of the units' names.
//!
//! **Reference.** Write-once files with the manifest last are the commit protocol of log-structured search engines.
//!
//! # What a folder of results holds
//!
//! A job is a struct that is its configuration. key = hash(name, version, configuration, ingredients, input digests and names,
//! upstream keys). Threads, memory and paths are not in it. Ingredients are digests of the shipped models and lists that a job uses,
//! and the versions of the crates whose data reach results: a program with another model does not take these results for its own.
//! `tests/golden` holds what every job makes of a fixed corpus, and fails where that changes while VERSION does not.
//!
//! ```text
//! out/webmill.json                    this folder is ours, layout 3
//! out/tables.json, webmill.sql        the tables of one consistent set of keys, for programs and for DuckDB
//! out/report.html                     a link to the page of the latest report, written after its commit
//! out/JOB/.keys/.KEY.lock             held while the job runs
//! out/JOB/.keys/.units/            what units of the latest run made, for a later key of a larger input (module `kept`)
//! out/JOB/.keys/.KEY.partial/receipts/*.json  a unit of work is done: its files with size and digest, its counts and rejects
//! out/JOB/.keys/KEY/manifest.json     written last; from here on the folder never changes
//! out/JOB/.keys/KEY/run.json          system, threads, seconds by part of the work: what may differ between equal results
//! out/JOB/KEY.rejects.parquet         the list of a run that was refused for its damage; goes away with the commit
//! out/JOB/latest -> .keys/KEY
//! ```
//!
//! Files of a unit are synced before its receipt (scratch files are not: one that a power cut spoilt has another digest than the
//! receipt says), receipts before the manifest, the manifest before the rename, the rename before `latest`. `run::CRASH_POINTS` names
//! every step; a test makes the process die at each and compares the bytes after the next run.
//!
//! Keys stand in `.keys` so that patterns over `out/JOB/*/TABLE` find each row once. A name with a leading dot beside `latest` would
//! not do: `*` of DuckDB, polars and pathlib matches it; a level more does, in all of them. (`**` goes into hidden folders in these
//! three, and finds keys.) Another layout is refused by its number (`run::layout`).
//!
//! The catalogue (`jobs/catalogue.rs`) is written after each commit. It begins with the `latest` of each job and leaves out jobs
//! whose recorded upstream is not chosen, until none goes; the remaining tables may be joined. Failing to write it fails no job, and whoever
//! opens it looks whether it names the latest keys. It names only what lies in the folder, by relative paths: tables of a crawl's own
//! folder are not in it.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod commit;
mod crash;
mod digest;
mod inputs;
mod kept;
mod key;
pub mod layout;
mod manifest;
mod progress;
mod stage;

pub use commit::{Committed, Runtime, open_latest};
pub use crash::{CRASH_POINTS, crash_point};
pub use digest::{digest_all, digest_bytes, digest_file, digest_start, hex128};
pub use inputs::{InputFile, Inputs, Upstream};
pub use kept::KeptUnit;
pub use key::{JobKey, job_key};
pub use manifest::{Counts, Manifest, OutputFile, TableInfo};
pub use progress::{Cancel, Measure, Notes, Progress, Reject, RejectSink, Silent};
pub use stage::{Stage, Unit, UnitTotals};

use webmill_capture::error::Result;

/// What a job reads, and by what it is told from other inputs.
pub trait JobInput: Sync {
    /// Digests of files and keys of upstream jobs: their share of the job's key.
    fn inputs(&self) -> Inputs;
}

impl JobInput for Committed {
    fn inputs(&self) -> Inputs {
        Inputs::of_jobs([self])
    }
}

/// Something that a job's bytes depend on beside configuration and inputs: a shipped model, a table of data, an analyzer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Ingredient {
    /// What it is.
    pub name: String,
    /// Digest of its content, or its name and version.
    pub digest: String,
}

impl Ingredient {
    /// An ingredient by the digest of its content.
    pub fn of_bytes<'a>(name: &str, contents: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Ingredient { name: name.to_owned(), digest: hex128(digest_all(contents)) }
    }
}

/// A job is a struct that is its configuration: what it serialises to is what its key is made of.
pub trait Job: serde::Serialize + Sync {
    /// What it reads.
    type Input: JobInput;
    /// Name of the file, the subcommand and the output folder.
    const NAME: &'static str;
    /// Raised when equal input may give other bytes than before.
    const VERSION: u32;
    /// Whether it reads records of others: then it has a list of rejects, be it empty, so that whoever asks for it finds it.
    const READS_RECORDS: bool = false;

    /// Models and data tables of the program that its bytes depend on: part of its key, so that a program with other
    /// ones does not pass these results off as its own.
    fn ingredients(&self) -> Vec<Ingredient> {
        Vec::new()
    }

    /// Does the work, unit by unit, in the staging folder.
    ///
    /// # Errors
    /// Whatever stops the job; finished units stay and are not done again.
    fn run(&self, input: &Self::Input, stage: &Stage<'_>) -> Result<()>;
}
