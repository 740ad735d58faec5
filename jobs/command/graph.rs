//! `webmill graph`: build the web graph, look at graphs of any format, convert and export them.

mod convert;
mod export;
pub mod info;
pub mod path;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
pub use convert::{ConvertArgs, run as convert};
use webmill_run::{Cancel, Job};

use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::graph::GraphJob;
use crate::settings::Common;

/// Build the web graph, look at graphs of any format, convert and export them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill graph build --out results\n  webmill graph info cnr-2000\n  webmill graph convert edges.txt graph.mtx\n  webmill graph convert results results-bv --to bvgraph --level host\n  webmill graph export results --level host --top 200 > hosts.graphml\n  webmill graph path example.org example.com results --level host"
)]
pub struct GraphArgs {
    #[command(subcommand)]
    command: GraphCommand,
}

#[derive(Debug, Subcommand)]
enum GraphCommand {
    /// Build the graph of pages, hosts and domains from the tables that `webmill extract` wrote.
    Build {
        /// Fold duplicates into the page that stands for them, after `webmill dedup` (run now if it was not).
        #[arg(long)]
        fold_duplicates: bool,
        #[command(flatten)]
        common: Common,
    },
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
        GraphCommand::Build { fold_duplicates, common } => {
            let console = Console::new();
            let mut recipe = common.shared.read_recipe()?;
            if *fold_duplicates {
                recipe.set(GraphJob::NAME, "fold_duplicates", true);
            }
            print_committed(&common.context_with(recipe, &console, cancel)?, GraphJob::NAME)
        }
        GraphCommand::Info(args) => info::run(args),
        GraphCommand::Convert(args) => convert::run(args),
        GraphCommand::Export(args) => export::run(args),
        GraphCommand::Path(args) => path::run(args),
    }
}
