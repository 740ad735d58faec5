//! `webmill graph convert`: from one format to another.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::ValueEnum;
use webmill_jobs::graph::convert::{GraphConversion, GraphFormat, convert};

use crate::args::JobFlags;
use crate::print::TO_HELP;
use crate::source;

/// Write a graph in another format: by the ending of TO, or --to.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill graph convert out/demo/results hosts.mtx --level host\n  webmill graph convert hosts.mtx hosts --to bvgraph"
)]
pub struct ConvertArgs {
    /// Folder of results, or graph file.
    #[arg(value_name = "RESULTS|GRAPH")]
    from: PathBuf,
    /// File to write (of BVGraph: what its files have in common).
    to: PathBuf,
    #[arg(long = "to", value_enum, value_name = "FORMAT", help = TO_HELP)]
    format: Option<Target>,
    #[command(flatten)]
    reading: source::Reading,
    #[command(flatten)]
    flags: JobFlags,
}

/// [`GraphFormat`] as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// webmill's own, mapped into memory.
    Csr,
    /// Files of the WebGraph framework; names go to BASENAME.urls.
    Bvgraph,
    /// Matrix Market.
    Mtx,
    /// Text: `a -> b weight`, or pairs of numbers where nodes have no names.
    Edges,
}

/// Runs the command.
pub fn run(args: &ConvertArgs) -> Result<ExitCode> {
    let format = args.format.map(|format| match format {
        Target::Csr => GraphFormat::Csr,
        Target::Bvgraph => GraphFormat::Bvgraph,
        Target::Mtx => GraphFormat::Mtx,
        Target::Edges => GraphFormat::Edges,
    });
    convert(&GraphConversion {
        from: args.from.clone(),
        reading: args.reading.options()?,
        to: args.to.clone(),
        format,
        threads: args.flags.budget.threads(),
        memory: args.flags.memory()?,
    })?;
    Ok(ExitCode::SUCCESS)
}
