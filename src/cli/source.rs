//! The flags by which a command finds its graph: the results of earlier jobs, or a file of any format that graphs come in.

use std::path::Path;

use anyhow::Result;
use webmill_graph::{Columns, Csr, Parallel};
use webmill_jobs::graph::open::{self, GraphReading, OpenedGraph};

/// A level of results, or how a graph file is read.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Reading {
    /// Level of the results: page, host or domain [default: page].
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<String>,
    /// Columns of a list of arcs that hold source, target and perhaps weight, by name or number: from,to,weight or 1,3.
    #[arg(long, value_name = "COLUMNS", hide_short_help = true)]
    pub columns: Option<Columns>,
    /// What parallel arcs of a list or matrix become [default: add].
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    pub parallel: Option<ParallelArcs>,
}

/// [`Parallel`] as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ParallelArcs {
    /// Their weights add up; without weights they are counted.
    Add,
    /// The greatest weight counts.
    Max,
    /// The weight of the first counts.
    First,
}

impl Reading {
    /// What the flags say.
    ///
    /// # Errors
    /// For a level that there is not.
    pub fn options(&self) -> Result<GraphReading> {
        let parallel = self.parallel.map(|how| match how {
            ParallelArcs::Add => Parallel::Add,
            ParallelArcs::Max => Parallel::Max,
            ParallelArcs::First => Parallel::First,
        });
        let level = self.level.as_deref().map(open::level_of).transpose()?;
        Ok(GraphReading { level, columns: self.columns.clone(), parallel })
    }
}

/// Opens a graph: a level of a folder of results, or a graph file.
pub fn open(path: &Path, reading: &Reading, memory: u64) -> Result<OpenedGraph> {
    open::open(path, &reading.options()?, memory)
}

/// The same where `admitted` refuses graphs that are too large to work on.
pub fn open_if(
    path: &Path,
    reading: &Reading,
    memory: u64,
    admitted: impl FnOnce(&Csr) -> webmill_capture::Result<()>,
) -> Result<OpenedGraph> {
    open::open_if(path, &reading.options()?, memory, admitted)
}
