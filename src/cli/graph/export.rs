//! `webmill graph export`: a part of a graph for drawing tools.

use std::io::BufWriter;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::ValueEnum;
use webmill_graph::Export;

use crate::args::{Host, JobFlags, ResultsOrGraph, Top};
use crate::print::TO_HELP;
use crate::rank::{ByFlag, ChosenScore, MeasureInputs};
use crate::source;
use webmill_jobs::rank::{Rank, Vectors};

/// Write a part of a graph as GraphML or GEXF to stdout, with its scores.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill graph export out/demo/results --level host --top 200 > hosts.graphml"
)]
pub struct ExportArgs {
    #[command(flatten)]
    graph: ResultsOrGraph,
    #[command(flatten)]
    top: Top,
    #[command(flatten)]
    by: ByFlag,
    #[command(flatten)]
    host: Host,
    #[arg(long = "to", value_enum, value_name = "FORMAT", help = TO_HELP)]
    format: Option<Drawing>,
    #[command(flatten)]
    reading: source::Reading,
    #[command(flatten)]
    flags: JobFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Drawing {
    Graphml,
    Gexf,
}

/// Runs the command.
pub fn run(args: &ExportArgs) -> Result<ExitCode> {
    let (path, memory) = (args.graph.path()?, args.flags.memory()?);
    let source = source::open(&path, &args.reading, memory)?;
    let pool = args.flags.budget.pool()?;
    let rank: Rank = args.flags.recipe()?.settings()?;
    let by = args.by.by.unwrap_or_else(ChosenScore::pagerank);
    let weighted = source.weighted();
    let vectors = Vectors::default();
    let with = MeasureInputs { rank: &rank, vectors: &vectors, weighted, memory };
    let scores = pool.install(|| with.score(by, &source.graph, &source.graph.transpose()))?;
    let names = source.names()?;
    let mut export = Export::new(&source.graph).with_labels(&names)?.with_column(by.name(), &scores)?;
    if let Some(host) = &args.host.host {
        export = export.host(host)?;
    }
    if let Some(most) = args.top.top {
        export = export.top(most, &scores)?;
    }
    if export.nodes().is_empty() {
        bail!("{}: no node is chosen", path.display());
    }
    let (out, stdout) = (BufWriter::new(std::io::stdout().lock()), Path::new("-"));
    match args.format.unwrap_or(Drawing::Graphml) {
        Drawing::Graphml => export.write_graphml(out, stdout)?,
        Drawing::Gexf => export.write_gexf(out, stdout)?,
    }
    Ok(ExitCode::SUCCESS)
}
