//! The jobs of the registry as subcommands: a further job has its own without a line here.

use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use webmill_run::{Cancel, Committed};

use crate::console::Console;
use crate::job::JobEntry;
use crate::registry::{JOBS, run_all};
use crate::settings::Common;

/// Mill shards into tables and a report: every job in order.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Example:\n  webmill run crawl-*.raw archive.warc.gz --out results\n\nStopped or killed, the same command goes on where it was; done, it finds everything done."
)]
pub struct ShardArgs {
    /// Shards, folders, globs, or - for stdin.
    #[arg(required = true)]
    pub inputs: Vec<String>,
    /// Options of every job.
    #[command(flatten)]
    pub common: Common,
}

/// Adds a subcommand for every job that `command` does not know yet.
pub fn add_subcommands(mut command: Command) -> Command {
    for job in JOBS {
        if command.find_subcommand(job.name).is_none() {
            let bare = Command::new(job.name).about(job.about).after_help(job.example);
            command = command.subcommand(match job.reads_shards {
                true => ShardArgs::augment_args(bare).about(job.about).after_help(job.example),
                false => Common::augment_args(bare),
            });
        }
    }
    command
}

/// The job of that name.
pub fn find(name: &str) -> Option<&'static JobEntry> {
    JOBS.iter().find(|job| job.name == name)
}

/// Runs a job by the arguments that [`add_subcommands`] declared.
///
/// # Errors
/// What the job meets.
pub fn run(job: &JobEntry, matches: &ArgMatches, cancel: &Cancel) -> Result<ExitCode> {
    let (inputs, common) = match job.reads_shards {
        true => {
            let args = ShardArgs::from_arg_matches(matches)?;
            (args.inputs, args.common)
        }
        false => (Vec::new(), Common::from_arg_matches(matches)?),
    };
    let console = Console::new();
    let context = common.context(&console, cancel)?.reading(&inputs);
    print_committed(&context.run_entry(job.name)?)
}

/// Runs every job on shards.
///
/// # Errors
/// What a job meets.
pub fn run_everything(args: &ShardArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = Console::new();
    let context = args.common.context(&console, cancel)?.reading(&args.inputs);
    if let Some(report) = run_all(&context)?.filter(|_| !args.common.shared.dry_run) {
        crate::print(&format!("{}\n", report.path("report.html").display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the folder that a job committed.
///
/// # Errors
/// Where standard output cannot be written.
pub fn print_committed(committed: &Option<Committed>) -> Result<ExitCode> {
    if let Some(committed) = committed {
        crate::print(&format!("{}\n", committed.folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
