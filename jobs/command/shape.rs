//! `webmill shape`: the job, or the numbers of a graph file.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_run::{Cancel, Job};

use crate::command::graph::info::info_of;
use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::settings::{Common, Shared};
use crate::shape::Shape;

/// Measure the shape of the graph: degree laws, components, bow-tie.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill shape --out results\n  webmill shape cnr-2000\n\nWith --out it commits tables to the folder that `webmill extract` wrote to, building the graph first if need be; for a graph\nfile it prints the numbers as JSON."
)]
pub struct ShapeArgs {
    /// Graph file, or folder of results, whose shape is printed.
    graph: Option<PathBuf>,
    /// Folder for results; the job commits to OUT/shape/KEY.
    #[arg(long, value_name = "DIR", conflicts_with = "graph", required_unless_present = "graph")]
    out: Option<PathBuf>,
    /// Level of the results that is printed: page, host or domain [default: page].
    #[arg(long)]
    level: Option<String>,
    #[command(flatten)]
    shared: Shared,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &ShapeArgs, cancel: &Cancel) -> Result<ExitCode> {
    if let Some(path) = &args.graph {
        return info_of(path, args.level.as_deref(), &args.shared);
    }
    let Some(out) = args.out.clone() else { bail!("name a graph file or --out DIR") };
    if args.level.is_some() {
        bail!("to print the shape of a level name the results as argument: webmill shape {}", out.display());
    }
    let console = Console::new();
    let common = Common { out, shared: args.shared.clone() };
    print_committed(&common.context(&console, cancel)?, Shape::NAME)
}
