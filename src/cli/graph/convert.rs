//! `webmill graph convert`: from one format to another.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use webmill_graph::{EdgeList, write_bvgraph, write_matrix};

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
    let target = match args.format {
        Some(format) => format,
        None => by_ending(&args.to)?,
    };
    if let Some(folder) = args.to.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
    {
        bail!("{}: there is no folder {} to write to", args.to.display(), folder.display());
    }
    let source = source::open(&args.from, &args.reading, args.flags.memory()?)?;
    let pool = args.flags.budget.pool()?;
    // Beside its place first: a failure leaves what was there, and a graph may be converted onto itself.
    let staged = with_ending(&args.to, ".partial");
    let written = pool.install(|| write(&source, target, &staged)).and_then(|()| {
        for ending in ENDINGS {
            let from = with_ending(&staged, ending);
            if from.is_file() {
                let to = with_ending(&args.to, ending);
                std::fs::rename(&from, &to).with_context(|| to.display().to_string())?;
            }
        }
        Ok(())
    });
    if written.is_err() {
        ENDINGS.iter().for_each(|ending| drop(std::fs::remove_file(with_ending(&staged, ending))));
    }
    written.map(|()| ExitCode::SUCCESS)
}

/// Endings of what a conversion writes.
const ENDINGS: [&str; 5] = ["", ".urls", ".graph", ".offsets", ".properties"];

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Names of nodes, where they have any and the format has no place for them.
fn write_names(source: &source::Source, to: &Path) -> Result<()> {
    let Some(names) = source.labels()? else { return Ok(()) };
    let path = with_ending(to, ".urls");
    let mut out = create(&path)?;
    names.iter().try_for_each(|name| writeln!(out, "{name}"))?;
    out.flush().with_context(|| path.display().to_string())
}

fn by_ending(path: &Path) -> Result<Target> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csr") => Ok(Target::Csr),
        Some("mtx") => Ok(Target::Mtx),
        Some("txt" | "tsv" | "edges") => Ok(Target::Edges),
        None => Ok(Target::Bvgraph),
        Some(other) => {
            bail!(".{other}: no format has this ending; say it with --to csr, bvgraph, mtx or edges")
        }
    }
}

fn write(source: &source::Source, target: Target, to: &Path) -> Result<()> {
    match target {
        Target::Csr => {
            source.graph.write(to)?;
            write_names(source, to)?;
        }
        Target::Mtx => {
            write_matrix(&source.graph, create(to)?, to)?;
            write_names(source, to)?;
        }
        Target::Edges => {
            let (graph, names) = (source.graph.clone(), source.labels()?);
            let list =
                EdgeList { graph, names, first: source.first(), read_as: String::new(), notes: Vec::new() };
            list.write(create(to)?, to)?;
        }
        Target::Bvgraph => {
            if source.graph.weights().is_some() {
                webmill_jobs::say!("BVGraph has no weights: they are left out");
            }
            let stats = write_bvgraph(&source.graph.without_weights(), to)?;
            write_names(source, to)?;
            webmill_jobs::say!(
                "{} nodes, {} arcs, {:.3} bits a link",
                stats.nodes,
                stats.arcs,
                stats.bits_per_link()
            );
        }
    }
    Ok(())
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    Ok(BufWriter::with_capacity(1 << 18, File::create(path).with_context(|| path.display().to_string())?))
}
