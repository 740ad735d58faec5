//! `webmill shape`: the job, or the numbers of a graph file.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use webmill_run::{Cancel, Job};

use crate::args::{JobFlags, ResultsOrGraph, is_results};
use crate::graph::info::{measure, shape_of};
use crate::jobs::print_committed;
use crate::source;
use webmill_jobs::graph::open::OpenedGraph;
use webmill_jobs::shape::Shape;
use webmill_jobs::shape::measures::Part;

/// Measure the shape of the graph: degree laws, components, bow-tie.
///
/// Of results it commits tables, building the graph first if need be. With --level or --only, and of a graph file, it prints the
/// numbers as JSON.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill shape out/demo/results\n  webmill shape out/demo/results --level host\n  webmill shape out/demo/results --only scc --nodes > components.tsv"
)]
pub struct ShapeArgs {
    #[command(flatten)]
    graph: ResultsOrGraph,
    /// Measure and print only these parts of the shape of a graph file or level.
    #[arg(long, value_delimiter = ',', value_name = "PART", value_parser = part_parser())]
    only: Vec<Part>,
    /// With --only scc, wcc or bowtie: print a line a node, with its name and what it belongs to, components by number from
    /// 0, the largest, on.
    #[arg(long, requires = "only")]
    nodes: bool,
    #[command(flatten)]
    reading: source::Reading,
    #[command(flatten)]
    flags: JobFlags,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &ShapeArgs, cancel: &Cancel) -> Result<ExitCode> {
    let path = args.graph.path()?;
    if !is_results(&path) || args.reading.level.is_some() || !args.only.is_empty() {
        if args.nodes && args.only.iter().any(|part| !OF_NODES.contains(part)) {
            bail!("--nodes prints what nodes belong to: with --only scc, wcc or bowtie");
        }
        let source = source::open(&path, &args.reading, args.flags.memory()?)?;
        return if args.nodes {
            print_nodes(&source, args)
        } else {
            shape_of(&source, &args.flags, &args.only)
        };
    }
    args.reading.options()?.unused()?;
    let console = args.flags.console();
    print_committed(&args.flags.context(&path, &console, cancel)?, Shape::NAME)
}

/// Takes the name of a part.
fn part_parser() -> impl TypedValueParser<Value = Part> {
    PossibleValuesParser::new(Part::ALL.iter().map(|part| part.name()))
        .try_map(|text| Part::ALL.iter().copied().find(|part| part.name() == text).ok_or("no such part"))
}

/// Parts that each node belongs to one of.
const OF_NODES: [Part; 3] = [Part::Scc, Part::Wcc, Part::Bowtie];

/// Writes name, components and part of the bow-tie of each node, as far as they were asked for, in that order.
fn print_nodes(source: &OpenedGraph, args: &ShapeArgs) -> Result<ExitCode> {
    let found = measure(source, &args.flags, &args.only)?;
    let asked = |part| args.only.contains(&part);
    let (strong, weak) = (found.strong.filter(|_| asked(Part::Scc)), found.weak.filter(|_| asked(Part::Wcc)));
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (node, name) in source.names()?.iter().enumerate() {
        write!(out, "{}", name.replace(['\t', '\n', '\r'], " "))?;
        for components in [&strong, &weak].into_iter().flatten() {
            write!(out, "\t{}", components.of[node])?;
        }
        if let Some(tie) = &found.tie {
            write!(out, "\t{}", tie.parts[node].name())?;
        }
        writeln!(out)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
