//! `webmill results`: what a folder of results holds, what of it is needed, and whether it is whole.

mod gc;
mod inventory;
mod ls;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use webmill_run::Cancel;

/// List, check and tidy a folder of results.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill results ls results\n  webmill results verify results\n  webmill results gc results --dry-run"
)]
pub struct ResultsArgs {
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List jobs and keys: age, size, rows, which are the latest, what those need, which do not fit; writes tables.json and
    /// webmill.sql anew.
    ///
    /// Of a key: `latest` is what RESULTS/JOB/latest names; `needed` was read by a latest one; `unneeded` is what `webmill
    /// results gc` removes; `damaged` cannot be opened. `running` and `stopped` are unfinished; the same command goes on with
    /// a stopped one.
    #[command(after_help = "Example:\n  webmill results ls results --format json")]
    Ls {
        /// Folder of results.
        results: PathBuf,
        /// A table to look at, or one JSON object a line.
        #[arg(long, value_enum, default_value = "table")]
        format: Form,
    },
    /// Remove keys that the latest results do not need, unfinished ones that nobody works on, and lists of refused runs.
    ///
    /// What the latest results were made from stays, whatever its age. While a job is running here, no key is removed.
    #[command(after_help = "Example:\n  webmill results gc results --dry-run")]
    Gc {
        /// Folder of results.
        results: PathBuf,
        /// Say what would be removed, and remove nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Compare sizes and digests of all files with the manifests, and name those that are damaged or missing.
    ///
    /// Exit code 0: all are whole; 1: some are not.
    #[command(after_help = "Example:\n  webmill results verify results")]
    Verify {
        /// Folder of results.
        results: PathBuf,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    Table,
    Json,
}

/// Runs the command.
///
/// # Errors
/// Where the folder holds no results, or the disk refuses.
pub fn run(args: &ResultsArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        Action::Ls { results, format } => ls::run(results, *format),
        Action::Gc { results, dry_run } => gc::run(results, *dry_run, cancel),
        Action::Verify { results } => verify::run(results, cancel),
    }
}
