//! Jobs of map and reduce over tables of `extract`: words, backlinks, terms of hosts, an inverted index, lines that match, visits of
//! logs, any table in any order.
//!
//! **What.** Each job is a kernel ([`crate::mapreduce::MapReduce`]) and the table that comes out of it. They are run by request:
//! `webmill count KIND`, or `webmill run` with a recipe that has their table (`[count-words]`).
//!
//! **Algorithm.** Row groups of a table are the splits; consecutive ones of some hundred megabytes are a unit of work whose sorted pairs stay
//! until the job is committed, and each part of the output is a unit again ([`engine`]): a job that is killed goes on behind the units that are
//! done.
//!
//! **Determinism.** Neither threads, memory nor units change a byte. Parts: as many as the settings say, else one for each 32 MiB of the stored table.

pub mod backlinks;
pub mod engine;
pub mod grep;
pub mod host_terms;
pub mod index;
#[cfg(test)]
mod kernels;
pub mod pieces;
pub mod sort;
pub mod terms;
pub mod visits;
pub mod words;

use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::{Cancel, Committed, Inputs, Job, JobInput};

use crate::extract::Extract;
use crate::job::Context;
use crate::recipe::Settings;

/// Why a row is left out: its capture is not the current one of its URL.
pub const SUPERSEDED: &str = "superseded";

/// Runs a job over the context's results of `extract`.
fn of_extract<J: Job<Input = Committed> + Settings>(context: &Context<'_>) -> Result<Option<Committed>> {
    context.run(&context.settings::<J>()?, &context.results_of(Extract::NAME)?)
}

/// What a job counts: results, or files that were named.
pub enum CountInput {
    /// Tables of a job.
    Results(Box<Committed>),
    /// Files, with what tells them from others.
    Files(Inputs),
}

impl JobInput for CountInput {
    fn inputs(&self) -> Inputs {
        match self {
            CountInput::Results(committed) => committed.inputs(),
            CountInput::Files(inputs) => inputs.clone(),
        }
    }
}

/// The files that arguments name, those of folders in the order of their paths; each with its digest.
///
/// # Errors
/// [`Error::Config`] where there is none, [`Error::Io`] where one cannot be read.
pub fn named_files(arguments: &[String], cancel: &Cancel) -> Result<Inputs> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for argument in arguments {
        let path = Path::new(argument);
        if !path.is_dir() {
            std::fs::metadata(path).at(path)?;
            files.push((path.to_path_buf(), file_name(path)));
            continue;
        }
        for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
            let entry = entry.map_err(|e| Error::io(path, e.into()))?;
            if entry.file_type().is_file() {
                let inside = entry.path().strip_prefix(path).unwrap_or(entry.path());
                files.push((entry.path().to_path_buf(), inside.to_string_lossy().into_owned()));
            }
        }
    }
    if files.is_empty() {
        return Err(Error::Config(format!("no file in {}", arguments.join(", "))));
    }
    Inputs::of_files(&files, None, cancel)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
