//! `webmill graph`: the job, and commands over graphs of any format: numbers, other formats, drawings, paths.

mod convert;
mod export;
pub mod info;
pub mod path;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use webmill_run::{Cancel, Job};

use crate::args::{JobFlags, Results};
use crate::jobs::print_committed;
use webmill_jobs::graph::GraphJob;

/// Build the web graph of pages, hosts and domains; look at graphs of any format, convert and export them.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  webmill graph out/demo/results\n  webmill graph info out/demo/results --level host\n  webmill graph convert out/demo/results hosts.mtx --level host\n  webmill graph export out/demo/results --level host --top 200 > hosts.graphml"
)]
pub struct GraphArgs {
    #[command(subcommand)]
    command: Option<GraphCommand>,
    #[command(flatten)]
    results: Results,
    #[command(flatten)]
    flags: JobFlags,
}

#[derive(Debug, Subcommand)]
enum GraphCommand {
    Info(info::InfoArgs),
    Convert(convert::ConvertArgs),
    Export(export::ExportArgs),
    Path(path::PathArgs),
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &GraphArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        None => {
            let console = args.flags.console();
            let context = args.flags.context(&args.results.folder()?, &console, cancel)?;
            print_committed(&context, GraphJob::NAME)
        }
        Some(GraphCommand::Info(args)) => info::run(args),
        Some(GraphCommand::Convert(args)) => convert::run(args),
        Some(GraphCommand::Export(args)) => export::run(args),
        Some(GraphCommand::Path(args)) => path::run(args),
    }
}
