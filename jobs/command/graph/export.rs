//! `webmill graph export`: a part of a graph for drawing tools.

use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::ValueEnum;
use webmill_graph::Export;

use crate::command::rank::{Chosen, Measured};
use crate::command::source;
use crate::rank::{Rank, Vectors};
use crate::settings::Shared;

/// Write a part of a graph as GraphML or GEXF to stdout, with its scores.
#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    /// Graph file, or folder of results.
    graph: PathBuf,
    /// Level of the results: page, host or domain [default: page].
    #[arg(long)]
    level: Option<String>,
    /// Only so many nodes, the best by --by.
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Score that is written, and that chooses.
    #[arg(long, value_parser = Chosen::parser(), default_value = "pagerank")]
    by: Chosen,
    /// Only nodes of this host.
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Format.
    #[arg(long, value_enum, default_value = "graphml")]
    format: Drawing,
    #[command(flatten)]
    reading: source::Reading,
    #[command(flatten)]
    shared: Shared,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Drawing {
    Graphml,
    Gexf,
}

/// Runs the command.
pub fn run(args: &ExportArgs) -> Result<ExitCode> {
    let source = source::open(&args.graph, args.level.as_deref(), &args.reading, args.shared.memory)?;
    let pool = args.shared.pool()?;
    let rank: Rank = args.shared.recipe()?.settings()?;
    let weighted = source.weighted(&rank);
    let vectors = Vectors::default();
    let with = Measured { rank: &rank, vectors: &vectors, weighted, memory: args.shared.memory };
    let scores = pool.install(|| with.score(args.by, &source.graph, &source.graph.transpose()))?;
    let names = source.names()?;
    let column = args.by.name();
    let mut export = Export::new(&source.graph).with_labels(&names)?.with_column(column, &scores)?;
    if let Some(host) = &args.host {
        export = export.host(host)?;
    }
    if let Some(most) = args.top {
        export = export.top(most, &scores)?;
    }
    if export.nodes().is_empty() {
        bail!("{}: no node is chosen", args.graph.display());
    }
    let (out, path) = (BufWriter::new(std::io::stdout().lock()), Path::new("-"));
    match args.format {
        Drawing::Graphml => export.write_graphml(out, path)?,
        Drawing::Gexf => export.write_gexf(out, path)?,
    }
    Ok(ExitCode::SUCCESS)
}
