//! `webmill results`: what a folder of results holds, what of it is needed, and whether it is whole.

mod gc;
mod inventory;
mod ls;
mod verify;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use webmill_run::Cancel;

use super::args::{DryRun, Results as FolderOfResults};
use super::print::RowFormat;

/// List, check and tidy a folder of results.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill results ls out/demo/results\n  webmill results verify out/demo/results\n  webmill results gc out/demo/results --dry-run"
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
    #[command(after_help = "Example:\n  webmill results ls out/demo/results --format json")]
    Ls {
        #[command(flatten)]
        results: FolderOfResults,
        #[command(flatten)]
        format: RowFormat,
    },
    /// Remove keys that the latest results do not need, unfinished ones that nobody works on, and lists of refused runs.
    ///
    /// What the latest results were made from stays, whatever its age. While a job is running here, no key is removed.
    #[command(after_help = "Example:\n  webmill results gc out/demo/results --dry-run")]
    Gc {
        #[command(flatten)]
        results: FolderOfResults,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Compare sizes and digests of all files with the manifests, and name those that are damaged or missing.
    ///
    /// Exit code 0: all are whole; 1: some are not.
    #[command(after_help = "Example:\n  webmill results verify out/demo/results")]
    Verify {
        #[command(flatten)]
        results: FolderOfResults,
    },
}

/// Runs the command.
///
/// # Errors
/// Where the folder holds no results, or the disk refuses.
pub fn run(args: &ResultsArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        Action::Ls { results, format } => ls::run(&results.folder()?, format.form()),
        Action::Gc { results, dry } => gc::run(&results.folder()?, dry.dry_run, cancel),
        Action::Verify { results } => verify::run(&results.folder()?, cancel),
    }
}
