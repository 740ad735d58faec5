//! Graphs from one format to another, for `webmill graph convert` and the Python package.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use webmill_graph::{EdgeList, write_bvgraph, write_matrix};

use super::open::{GraphReading, OpenedGraph, open};
use crate::run_options::thread_pool;

/// A format in which graphs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// webmill's own, mapped into memory.
    Csr,
    /// Files of the WebGraph framework; names go to BASENAME.urls.
    Bvgraph,
    /// Matrix Market.
    Mtx,
    /// Text: `a -> b weight`, or pairs of numbers where nodes have no names.
    Edges,
}

impl FromStr for GraphFormat {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "csr" => GraphFormat::Csr,
            "bvgraph" => GraphFormat::Bvgraph,
            "mtx" => GraphFormat::Mtx,
            "edges" => GraphFormat::Edges,
            other => bail!("{other}: no format of graphs; there are csr, bvgraph, mtx and edges"),
        })
    }
}

/// A graph that is to be written in another format.
#[derive(Debug, Clone)]
pub struct GraphConversion {
    /// Folder of results, or graph file.
    pub from: PathBuf,
    /// Which level of results, or how the file is read.
    pub reading: GraphReading,
    /// File to write; of BVGraph what its files have in common.
    pub to: PathBuf,
    /// Format of that file; by default its ending decides.
    pub format: Option<GraphFormat>,
    /// Number of threads.
    pub threads: usize,
    /// Bytes of memory to stay within.
    pub memory: u64,
}

/// Writes a graph in another format. What stood in its place stays where that fails.
///
/// # Errors
/// Where the graph cannot be read or does not fit into the memory, no format has the ending, or the disk refuses.
pub fn convert(conversion: &GraphConversion) -> Result<()> {
    let GraphConversion { from, reading, to, format, threads, memory } = conversion;
    let format = match format {
        Some(format) => *format,
        None => by_ending(to)?,
    };
    if let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        bail!("{}: there is no folder {} to write to", to.display(), folder.display());
    }
    let source = open(from, reading, *memory)?;
    // Beside its place first: a failure leaves what was there, and a graph may be converted onto itself.
    let staged = with_ending(to, ".partial");
    let written = thread_pool(*threads)?.install(|| write(&source, format, &staged)).and_then(|()| {
        for ending in ENDINGS {
            let from = with_ending(&staged, ending);
            if from.is_file() {
                let to = with_ending(to, ending);
                std::fs::rename(&from, &to).with_context(|| to.display().to_string())?;
            }
        }
        Ok(())
    });
    if written.is_err() {
        ENDINGS.iter().for_each(|ending| drop(std::fs::remove_file(with_ending(&staged, ending))));
    }
    written
}

/// Endings of what a conversion writes.
const ENDINGS: [&str; 5] = ["", ".urls", ".graph", ".offsets", ".properties"];

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Names of nodes, where they have any and the format has no place for them.
fn write_names(source: &OpenedGraph, to: &Path) -> Result<()> {
    let Some(names) = source.labels()? else { return Ok(()) };
    let path = with_ending(to, ".urls");
    let mut out = create(&path)?;
    names.iter().try_for_each(|name| writeln!(out, "{name}"))?;
    out.flush().with_context(|| path.display().to_string())
}

fn by_ending(path: &Path) -> Result<GraphFormat> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csr") => Ok(GraphFormat::Csr),
        Some("mtx") => Ok(GraphFormat::Mtx),
        Some("txt" | "tsv" | "edges") => Ok(GraphFormat::Edges),
        None => Ok(GraphFormat::Bvgraph),
        Some(other) => {
            bail!(".{other}: no format has this ending; say it with --to csr, bvgraph, mtx or edges")
        }
    }
}

fn write(source: &OpenedGraph, format: GraphFormat, to: &Path) -> Result<()> {
    match format {
        GraphFormat::Csr => {
            source.graph.write(to)?;
            write_names(source, to)?;
        }
        GraphFormat::Mtx => {
            write_matrix(&source.graph, create(to)?, to)?;
            write_names(source, to)?;
        }
        GraphFormat::Edges => {
            let (graph, names) = (source.graph.clone(), source.labels()?);
            let list =
                EdgeList { graph, names, first: source.first(), read_as: String::new(), notes: Vec::new() };
            list.write(create(to)?, to)?;
        }
        GraphFormat::Bvgraph => {
            if source.graph.weights().is_some() {
                crate::say!("BVGraph has no weights: they are left out");
            }
            let stats = write_bvgraph(&source.graph.without_weights(), to)?;
            write_names(source, to)?;
            crate::say!(
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
