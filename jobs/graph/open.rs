//! The graph that a command or the Python package works on: a level of earlier results, or a file of any format of graphs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use webmill_capture::names::near_to;
use webmill_graph::{Columns, Csr, EdgeOptions, LoadedGraph, Parallel, load_with};
use webmill_run::Committed;
use webmill_table::columns;

use super::each_name;
use super::tables::NodeRow;
use crate::job::{is_results, latest};
use crate::levels::{Level, admit, open_graph, read_level};
use crate::rank::teleport::of_level;

/// A graph and the names of its nodes.
pub struct OpenedGraph {
    /// The graph in memory, or mapped.
    pub graph: Csr,
    /// Where it came from.
    pub path: PathBuf,
    names: Names,
}

enum Names {
    /// Those of the file.
    File(Box<LoadedGraph>),
    /// Table `nodes` of a results folder.
    Table(Box<Committed>, Level),
}

/// Bytes per node that measures take beside a graph and its transpose.
pub const NODE_BYTES: u64 = 48;

/// Whether `path` is standard input or something else that can be read only once.
fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Which level of results is opened, and how a graph file is read.
#[derive(Debug, Clone, Default)]
pub struct GraphReading {
    /// Level of the results, by default that of pages; a graph file has none.
    pub level: Option<Level>,
    /// Columns of a list of arcs that hold source, target and perhaps weight, by default found out.
    pub columns: Option<Columns>,
    /// What parallel arcs of a list or matrix become, by default [`Parallel::Add`].
    pub parallel: Option<Parallel>,
}

impl GraphReading {
    fn options(&self, memory: u64) -> EdgeOptions {
        let parallel = self.parallel.unwrap_or_default();
        EdgeOptions { columns: self.columns.clone(), parallel, memory }
    }

    /// Refuses options of graph files where results are read.
    ///
    /// # Errors
    /// Where there is such an option.
    pub fn unused(&self) -> Result<()> {
        if self.columns.is_some() || self.parallel.is_some() {
            bail!("--columns and --parallel say how a graph file is read, and there is none");
        }
        Ok(())
    }
}

/// Opens a graph: a level of a folder of results, or a graph file, for which `memory` bytes suffice with a transpose and the
/// vectors of a measure.
///
/// # Errors
/// Where it cannot be read, or is larger than `memory`.
pub fn open(path: &Path, reading: &GraphReading, memory: u64) -> Result<OpenedGraph> {
    open_if(path, reading, memory, |graph| admit(graph, NODE_BYTES, graph.bytes(), "working on", memory))
}

/// The same where `admitted` refuses graphs that are too large to work on. Says on stderr how a graph file was read.
///
/// # Errors
/// Where it cannot be read, and as `admitted` says.
pub fn open_if(
    path: &Path,
    reading: &GraphReading,
    memory: u64,
    admitted: impl FnOnce(&Csr) -> webmill_capture::Result<()>,
) -> Result<OpenedGraph> {
    let source = open_any(path, reading, memory)?;
    if let Names::File(loaded) = &source.names {
        let read_as = Some(&loaded.read_as).filter(|said| !said.is_empty());
        let read_as = read_as.map_or(String::new(), |said| format!(", {said}"));
        crate::say!("{}: read as a {}{read_as}", path.display(), loaded.format.name());
        loaded.notes.iter().for_each(|note| crate::say!("{}: {note}", path.display()));
    }
    admitted(&source.graph)?;
    Ok(source)
}

fn open_any(path: &Path, reading: &GraphReading, memory: u64) -> Result<OpenedGraph> {
    if is_stream(path) {
        // Its kind shows by its first bytes, and some kinds are mapped: it has to be a file.
        let mut file = tempfile::NamedTempFile::new()?;
        let copied = match path.to_str() {
            Some("-") => std::io::copy(&mut std::io::stdin().lock(), &mut file),
            _ => std::io::copy(&mut std::fs::File::open(path)?, &mut file),
        };
        copied.with_context(|| path.display().to_string())?;
        let source = open_any(file.path(), reading, memory).with_context(|| path.display().to_string())?;
        return Ok(OpenedGraph { path: path.to_path_buf(), ..source });
    }
    if is_results(path) {
        reading.unused()?;
        let committed = latest(path, "graph")?;
        let level = reading.level.unwrap_or(Level::Page);
        let graph = open_graph(&committed, level)?;
        return Ok(OpenedGraph {
            graph,
            path: path.to_path_buf(),
            names: Names::Table(Box::new(committed), level),
        });
    }
    if let Some(level) = reading.level {
        bail!("--level {level}: a graph file has no levels, results have");
    }
    let loaded = load_with(path, &reading.options(memory))?;
    let graph = loaded.graph.clone();
    Ok(OpenedGraph { graph, path: path.to_path_buf(), names: Names::File(Box::new(loaded)) })
}

columns! {
    struct NodeColumns from NodeRow { node, url }
}

/// The node of a canonical URL in the table of pages.
///
/// # Errors
/// Where the table cannot be read.
pub fn find_page(committed: &Committed, url: &str) -> Result<Option<u32>> {
    let Some(surt) = webmill_capture::CanonicalUrl::parse_stored(url).map(|url| url.surt()) else {
        return Ok(None);
    };
    let mut reader = read_level::<NodeColumns>(committed, Level::Page)
        .only(move |group| group.may_hold("url_sortkey", &surt));
    while let Some(batch) = reader.next()? {
        if let Some(row) = batch.rows().find(|row| row.url == url) {
            return Ok(Some(row.node));
        }
    }
    Ok(None)
}

/// The names of these nodes on a level, in their order.
///
/// # Errors
/// Where the table cannot be read, or does not have them.
pub fn page_names(committed: &Committed, level: Level, nodes: &[u32]) -> Result<Vec<String>> {
    let mut wanted = nodes.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let mut names = HashMap::with_capacity(wanted.len());
    let asked = wanted.clone();
    let mut reader =
        read_level::<NodeColumns>(committed, level).only(move |group| group.may_hold_numbers("node", &asked));
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| wanted.binary_search(&row.node).is_ok()) {
            names.insert(row.node, row.url.to_owned());
        }
    }
    let of = |node: &u32| {
        let name = names.get(node).cloned();
        name.with_context(|| format!("table nodes has no node {node}: it is not of the graph beside it"))
    };
    nodes.iter().map(of).collect()
}

/// The level of a name.
///
/// # Errors
/// For any other name.
pub fn level_of(name: &str) -> Result<Level> {
    name.parse().map_err(|e| anyhow::anyhow!("--level: {e}"))
}

impl OpenedGraph {
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

    /// The node of a name: as it stands, as a URL or host in canonical form, or for nodes without names their number.
    ///
    /// # Errors
    /// Where there is none, with names near to it, and where the table of nodes cannot be read.
    pub fn find(&self, name: &str) -> Result<u32> {
        let canonical = webmill_capture::CanonicalUrl::parse_stored(name).map(|url| url.into_string());
        let host = of_level(name, Some(Level::Host));
        let found = match &self.names {
            Names::File(loaded) => match &loaded.labels {
                Some(labels) => {
                    let find = |name: &str| labels.iter().position(|label| label == name);
                    let others = || canonical.as_deref().and_then(find).or_else(|| find(&host));
                    find(name).or_else(others).map(|node| node as u32)
                }
                None => {
                    let number = name.parse::<u32>().ok().and_then(|number| number.checked_sub(loaded.first));
                    number.filter(|node| (*node as usize) < self.graph.num_nodes())
                }
            },
            Names::Table(committed, Level::Page) => {
                canonical.as_ref().map(|url| find_page(committed, url)).transpose()?.flatten()
            }
            Names::Table(committed, level) => {
                let asked = of_level(name, Some(*level));
                let mut names = each_name(committed, *level).zip(0..);
                names
                    .find_map(|(known, node)| match known {
                        Ok(known) => (known == asked).then_some(Ok(node)),
                        Err(error) => Some(Err(error)),
                    })
                    .transpose()?
            }
        };
        let near = || {
            let asked = if self.level().is_some_and(|level| level != Level::Page) { &host } else { name };
            match &self.names {
                Names::File(loaded) => near_to(name, loaded.labels.iter().flatten().cloned()),
                Names::Table(committed, level) => {
                    near_to(asked, each_name(committed, *level).filter_map(|name| name.ok()))
                }
            }
        };
        found.with_context(|| format!("{name}: no such node in the {}{}", self.about(), near()))
    }

    /// Names of these nodes, in their order; of a table the row groups that hold them are read and no others.
    ///
    /// # Errors
    /// Where the table of nodes cannot be read, or does not have them.
    pub fn names_of(&self, nodes: &[u32]) -> Result<Vec<String>> {
        match &self.names {
            Names::File(loaded) => Ok(nodes.iter().map(|node| loaded.name(*node)).collect()),
            Names::Table(committed, level) => page_names(committed, *level, nodes),
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

    /// Whether weights count: those of a file always, numbers of links between hosts and between domains.
    pub fn weighted(&self) -> bool {
        self.level() != Some(Level::Page)
    }

    /// What the file calls node 0.
    pub fn first(&self) -> u32 {
        match &self.names {
            Names::File(loaded) => loaded.first,
            Names::Table(..) => 0,
        }
    }
}
