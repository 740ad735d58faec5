//! Where a graph command finds its graph: the results of earlier jobs, or a file of any format that graphs come in.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use webmill_graph::{Csr, EdgeOptions, Graph, Loaded, load_with};
use webmill_run::Committed;

use crate::graph::each_name;
use crate::job::latest;
use crate::levels::{Level, admit, open_graph};
use crate::rank::Rank;

/// A graph and the names of its nodes.
pub struct Source {
    /// The graph.
    pub graph: Csr,
    /// Where it came from.
    pub path: PathBuf,
    names: Names,
}

enum Names {
    /// Those of the file.
    File(Box<Loaded>),
    /// Table `nodes` of a results folder.
    Table(Box<Committed>, Level),
}

/// Bytes a node that commands take beside a graph.
const NODE_BYTES: u64 = 48;

/// Whether `path` is standard input or something else that can be read only once.
fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Whether `path` is a folder of results.
pub fn is_results(path: &Path) -> bool {
    path.join("webmill.json").is_file()
}

/// Opens a graph: level `level` of a folder of results, or a graph file.
pub fn open(path: &Path, level: Option<&str>, memory: u64) -> Result<Source> {
    let source = open_any(path, level, memory)?;
    if let Names::File(loaded) = &source.names {
        loaded.notes.iter().for_each(|note| crate::say!("{}: {note}", path.display()));
    }
    // Its transpose and the vectors of a measure.
    admit(&source.graph, NODE_BYTES, "working on", memory)?;
    Ok(source)
}

fn open_any(path: &Path, level: Option<&str>, memory: u64) -> Result<Source> {
    if is_stream(path) {
        // Its kind shows by its first bytes, and some kinds are mapped: it has to be a file.
        let mut file = tempfile::NamedTempFile::new()?;
        let copied = match path.to_str() {
            Some("-") => std::io::copy(&mut std::io::stdin().lock(), &mut file),
            _ => std::io::copy(&mut std::fs::File::open(path)?, &mut file),
        };
        copied.with_context(|| path.display().to_string())?;
        let source = open_any(file.path(), level, memory).with_context(|| path.display().to_string())?;
        return Ok(Source { path: path.to_path_buf(), ..source });
    }
    if is_results(path) {
        let committed = latest(path, "graph").with_context(|| {
            format!("{}: build the graph first: webmill graph build --out", path.display())
        })?;
        let level = level.map_or(Ok(Level::Page), level_of)?;
        let graph = open_graph(&committed, level)?;
        return Ok(Source {
            graph,
            path: path.to_path_buf(),
            names: Names::Table(Box::new(committed), level),
        });
    }
    if let Some(level) = level {
        bail!("--level {level}: a graph file has no levels, results have");
    }
    let options = EdgeOptions { memory, ..EdgeOptions::default() };
    let loaded = load_with(path, &options)?;
    let graph = loaded.graph.clone();
    Ok(Source { graph, path: path.to_path_buf(), names: Names::File(Box::new(loaded)) })
}

/// The level of a name.
pub fn level_of(name: &str) -> Result<Level> {
    name.parse().map_err(|e| anyhow::anyhow!("--level: {e}"))
}

impl Source {
    /// What the graph came from, in words.
    pub fn about(&self) -> String {
        match &self.names {
            Names::Table(_, level) => format!("{level} level of {}", self.path.display()),
            Names::File(loaded) => format!("{} {}", loaded.format.name(), self.path.display()),
        }
    }

    /// Names of all nodes, in order.
    pub fn names(&self) -> Result<Vec<String>> {
        match &self.names {
            Names::File(loaded) => Ok((0..self.graph.num_nodes() as u32).map(|v| loaded.name(v)).collect()),
            Names::Table(committed, level) => Ok(each_name(committed, *level).collect::<Result<_, _>>()?),
        }
    }

    /// Names of all nodes where they have any; `None` where they have numbers.
    pub fn labels(&self) -> Result<Option<Vec<String>>> {
        match &self.names {
            Names::File(loaded) => Ok(loaded.labels.clone()),
            Names::Table(..) => self.names().map(Some),
        }
    }

    /// The graph job's results and the level, where this is from such.
    pub fn committed(&self) -> Option<(&Committed, Level)> {
        match &self.names {
            Names::File(_) => None,
            Names::Table(committed, level) => Some((committed, *level)),
        }
    }

    /// The level of results; none of a file.
    pub fn level(&self) -> Option<Level> {
        self.committed().map(|(_, level)| level)
    }

    /// Whether weights count: those of a file always, numbers of links by the settings.
    pub fn weighted(&self, rank: &Rank) -> bool {
        self.level().is_none_or(|level| rank.weighted(level))
    }

    /// What the file calls node 0.
    pub fn first(&self) -> u32 {
        match &self.names {
            Names::File(loaded) => loaded.first,
            Names::Table(..) => 0,
        }
    }
}
