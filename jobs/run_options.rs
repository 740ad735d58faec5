//! How jobs are run: what the command line reads from flags and the Python package from its arguments.

use std::path::PathBuf;

use webmill_capture::{Error, Result};
use webmill_run::{Cancel, Progress, Runtime};

use crate::builtin::registry;
use crate::job::Context;
use crate::machine::{self, processors};
use crate::recipe::Recipe;
use crate::rejects::RejectTable;

/// Bytes of memory that jobs stay within by default, where the machine has enough.
const DEFAULT_MEMORY: u64 = 4 << 30;
/// Memory that a thread needs.
const THREAD_MEMORY: u64 = 64 << 20;
/// Least memory that jobs can work with: buffers of rows and of sorts.
const MIN_MEMORY: u64 = 64 << 20;
/// What dictionaries and models hold once they were used, beyond the 64 MiB that the program takes besides.
const DICTIONARIES: u64 = 80 << 20;
/// Share of damaged records, or of lost bytes, beyond which nothing is committed by default.
pub const DEFAULT_MAX_BAD: f64 = 0.01;

/// What jobs read, where they write, and what they may use.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Shards, folders, globs and URLs of shards; empty for jobs that read results alone.
    pub inputs: Vec<String>,
    /// Folder of results.
    pub out: PathBuf,
    /// Settings of jobs.
    pub recipe: Recipe,
    /// Number of threads, see [`check_threads`].
    pub threads: usize,
    /// Bytes of memory to stay within, at least 64 MiB.
    pub memory: u64,
    /// Share of damaged records, or of lost bytes, beyond which nothing is committed: 0 to 1.
    pub max_bad: f64,
    /// Only say what would be done.
    pub dry_run: bool,
}

impl RunOptions {
    /// Jobs that write to `out`, with the settings of `recipe`, on all processors.
    pub fn new(out: PathBuf, recipe: Recipe) -> Self {
        RunOptions {
            inputs: Vec::new(),
            out,
            recipe,
            threads: processors(),
            memory: default_memory(),
            max_bad: DEFAULT_MAX_BAD,
            dry_run: false,
        }
    }

    /// The context in which the jobs of the registry run.
    ///
    /// # Errors
    /// [`Error::Config`] where the recipe has a mistake anywhere, or an option is out of its range.
    pub fn context<'a>(self, progress: &'a dyn Progress, cancel: &'a Cancel) -> Result<Context<'a>> {
        let threads = check_threads(self.threads);
        let max_bad = check_share(self.max_bad);
        let threads = threads.map_err(|why| Error::Config(format!("--threads {}: {why}", self.threads)))?;
        let memory = check_memory(self.memory)?;
        if let Some(least) = machine::memory().filter(|least| *least < memory) {
            progress.note(&format!(
                "--memory {} MiB is more than the {} MiB that this machine, or its container, has",
                memory >> 20,
                least >> 20
            ));
        }
        let for_jobs = memory - DICTIONARIES.min(memory / 8 * 5);
        // Each reads, gathers and sorts for itself.
        let most = usize::try_from(for_jobs / THREAD_MEMORY).unwrap_or(usize::MAX).max(1);
        if threads > most {
            progress
                .note(&format!("--memory {} MiB is enough for {most} of {threads} threads", memory >> 20));
        }
        let runtime = Runtime {
            out: self.out,
            threads: threads.min(most),
            memory: for_jobs,
            max_bad: max_bad.map_err(|why| Error::Config(format!("--max-bad {}: {why}", self.max_bad)))?,
            progress,
            cancel,
            rejects: &RejectTable,
        };
        let context = Context::new(registry(), self.recipe, runtime)?;
        Ok(context.reading(&self.inputs).dry_run(self.dry_run))
    }
}

/// Bytes of memory that jobs stay within by default: 4 GiB, but three quarters at most of what the machine has.
pub fn default_memory() -> u64 {
    within_machine(DEFAULT_MEMORY, machine::memory())
}

/// `usual` bytes, three quarters of those of the machine at most, and no less than jobs can work with.
pub fn within_machine(usual: u64, machine: Option<u64>) -> u64 {
    machine.map_or(usual, |bytes| usual.min((bytes / 4 * 3).max(MIN_MEMORY)))
}

/// Checks a number of threads: from 1 to eight per processor, since more only wait for each other.
///
/// # Errors
/// A message with the range, for any other number.
pub fn check_threads(threads: usize) -> Result<usize, String> {
    let most = (8 * processors()).max(64);
    match threads {
        threads if (1..=most).contains(&threads) => Ok(threads),
        _ => Err(format!("a number of threads from 1 to {most} is needed")),
    }
}

/// Bytes of memory to stay within.
///
/// # Errors
/// [`Error::Config`] for less than jobs can work with.
pub fn check_memory(bytes: u64) -> Result<u64> {
    match bytes {
        bytes if bytes < MIN_MEMORY => {
            Err(Error::Config(format!("--memory {bytes}: at least 64MiB are needed")))
        }
        bytes => Ok(bytes),
    }
}

/// A share from 0 to 1.
///
/// # Errors
/// A message with the range, for any other number.
pub fn check_share(share: f64) -> Result<f64, String> {
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a share from 0 to 1 is needed".to_owned()) }
}

/// Starts a pool of `threads` threads.
///
/// # Errors
/// [`Error::Config`] where they cannot be started.
pub fn thread_pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::Config(format!("--threads {threads}: they cannot be started: {e}")))
}

/// Parses a number of bytes as `512MiB`, `4GiB`, `1.5G`, `65536`.
///
/// # Errors
/// A sentence for any other text.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| format!("{text}: not a size; write 512MiB or 4GiB"))?;
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        other => return Err(format!("{other}: unknown unit; use KiB, MiB, GiB or TiB")),
    };
    let bytes = number * factor;
    if !bytes.is_finite() || bytes >= u64::MAX as f64 {
        return Err(format!("{text}: too large"));
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let table: &[(&str, Option<u64>)] = &[
            ("65536", Some(65_536)),
            ("4GiB", Some(4 << 30)),
            ("1.5k", Some(1536)),
            ("2MB", Some(2_000_000)),
            (" 1 GiB ", Some(1 << 30)),
            ("", None),
            ("GiB", None),
            ("1XB", None),
            ("99999999999999TiB", None),
        ];
        for (text, want) in table {
            assert_eq!(parse_size(text).ok(), *want, "{text}");
        }
    }

    #[test]
    fn a_small_machine_has_less_by_default() {
        let table =
            [(None, 4 << 30), (Some(24 << 30), 4 << 30), (Some(2 << 30), 3 << 29), (Some(1), MIN_MEMORY)];
        for (machine, memory) in table {
            assert_eq!(within_machine(DEFAULT_MEMORY, machine), memory, "{machine:?}");
        }
        assert!(machine::memory().is_none_or(|bytes| default_memory() <= bytes));
    }

    #[test]
    fn options_out_of_range_are_refused_by_name() {
        let options = || RunOptions::new(PathBuf::from("results"), Recipe::default());
        let (progress, cancel) = (webmill_run::Silent, Cancel::default());
        assert!(options().context(&progress, &cancel).is_ok());
        for (options, why) in [
            (RunOptions { threads: 0, ..options() }, "from 1 to"),
            (RunOptions { threads: 1_000_000, ..options() }, "from 1 to"),
            (RunOptions { memory: 1 << 20, ..options() }, "at least 64MiB"),
            (RunOptions { max_bad: 1.5, ..options() }, "from 0 to 1"),
            (RunOptions { max_bad: f64::NAN, ..options() }, "from 0 to 1"),
        ] {
            let refused = options.context(&progress, &cancel).err().unwrap().to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
