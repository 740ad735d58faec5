//! `webmill shape`: the job, or the numbers of a graph file.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use webmill_run::{Cancel, Job};

use crate::command::graph::info::{measure, shape_of};
use crate::command::jobs::print_committed;
use crate::command::source::{self, Source};
use crate::console::Console;
use crate::settings::{Common, Shared};
use crate::shape::Shape;
use crate::shape::measures::Part;

/// Measure the shape of the graph: degree laws, components, bow-tie.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill shape --out results\n  webmill shape cnr-2000\n  webmill shape cnr-2000 --only scc,wcc\n  webmill shape cnr-2000 --only scc --nodes > components.tsv\n\nWith --out it commits tables to the folder that `webmill extract` wrote to, building the graph first if need be; for a graph\nfile it prints the numbers as JSON, all of them or those of the parts that --only names."
)]
pub struct ShapeArgs {
    /// Graph file, or folder of results, whose shape is printed.
    graph: Option<PathBuf>,
    /// Folder for results; the job commits to OUT/shape/.keys/KEY, and OUT/shape/latest leads there.
    #[arg(long, value_name = "DIR", conflicts_with = "graph", required_unless_present = "graph")]
    out: Option<PathBuf>,
    /// Level of the results that is printed: page, host or domain [default: page].
    #[arg(long)]
    level: Option<String>,
    /// Measure and print only these parts of the shape of a graph file or level.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// With --only scc, wcc or bowtie: print a line a node, with its name and what it belongs to, components by number from
    /// 0, the largest, on.
    #[arg(long, requires = "only")]
    nodes: bool,
    #[command(flatten)]
    reading: source::Reading,
    #[command(flatten)]
    shared: Shared,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &ShapeArgs, cancel: &Cancel) -> Result<ExitCode> {
    if let Some(path) = &args.graph {
        if args.nodes && args.only.iter().any(|part| !OF_NODES.contains(part)) {
            bail!("--nodes prints what nodes belong to: with --only scc, wcc or bowtie");
        }
        let source = source::open(path, args.level.as_deref(), &args.reading, args.shared.memory)?;
        return if args.nodes {
            print_nodes(&source, args)
        } else {
            shape_of(&source, &args.shared, &args.only)
        };
    }
    let Some(out) = args.out.clone() else { bail!("name a graph file or --out DIR") };
    args.reading.unused()?;
    if args.level.is_some() || !args.only.is_empty() {
        bail!(
            "to print the shape of a level or a part of it name the results as argument: webmill shape {}",
            out.display()
        );
    }
    let console = Console::new();
    let common = Common { out, shared: args.shared.clone() };
    print_committed(&common.context(&console, cancel)?, Shape::NAME)
}

/// Parts that each node belongs to one of.
const OF_NODES: [Part; 3] = [Part::Scc, Part::Wcc, Part::Bowtie];

/// Writes name, components and part of the bow-tie of each node, as far as they were asked for, in that order.
fn print_nodes(source: &Source, args: &ShapeArgs) -> Result<ExitCode> {
    let found = measure(source, &args.shared, &args.only)?;
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
