//! The levels of the web graph and where the graph job keeps them.

use webmill_capture::{Error, Result};
use webmill_graph::Csr;
use webmill_run::{Committed, Unit};
use webmill_table::{Columns, Reader, Table, text_enum};

use crate::output::write_rows;

text_enum! {
    /// Level of the web graph.
    pub enum Level {
        /// One URL.
        Page = "page",
        /// All pages of a host name.
        Host = "host",
        /// All pages of a registrable domain.
        Domain = "domain",
    }
}

impl Level {
    /// Every level, the finest first.
    pub const ALL: [Level; 3] = [Level::Page, Level::Host, Level::Domain];
}

/// File of a level's graph in the folder of the graph job.
pub fn graph_file(level: Level) -> String {
    format!("graph/{level}.csr")
}

/// Part of table `nodes` (or another by node) that holds a level: one part a level, in the order of the levels.
pub fn part_file(table: &str, level: Level) -> String {
    format!("{table}/part-{}-{level}.parquet", level as u8)
}

/// Writes and declares the part of a table that holds a level. Of hosts and domains none is written where there are no rows: a
/// table has a file without rows only where it has no others.
///
/// # Errors
/// Where the disk refuses.
pub fn write_level<T: Table>(
    unit: &mut Unit<'_>,
    level: Level,
    rows: impl IntoIterator<Item = T>,
) -> Result<()> {
    let mut rows = rows.into_iter().peekable();
    if level != Level::Page && rows.peek().is_none() {
        return Ok(());
    }
    write_rows(unit, part_file(T::NAME, level), rows).map(drop)
}

/// A level's graph, mapped.
pub fn open_graph(graph: &Committed, level: Level) -> Result<Csr> {
    Csr::open(graph.path(&graph_file(level)))
}

/// Refuses work on a graph that takes more than `--memory` allows, with the estimate: `bytes` per node, and `beside`.
pub fn admit(graph: &Csr, bytes: u64, beside: u64, doing: &str, memory: u64) -> Result<()> {
    let need = bytes * graph.num_nodes() as u64 + beside;
    if need <= memory {
        return Ok(());
    }
    Err(Error::Limit(format!(
        "{doing} {} nodes and {} arcs takes about {} MiB, --memory leaves {} MiB",
        graph.num_nodes(),
        graph.num_arcs(),
        need.div_ceil(1 << 20),
        memory >> 20
    )))
}

/// Reads chosen columns of a table of nodes on one level, in node order.
pub fn read_level<C: Columns>(committed: &Committed, level: Level) -> Reader<C> {
    Reader::over(vec![committed.path(&part_file(C::Row::NAME, level))])
}

/// The number of a node must be that of its row: columns zipped with nodes rely on it.
///
/// # Errors
/// [`Error::Internal`] where it is another, or beyond the `nodes` of the graph.
pub fn check_order(node: u32, row: usize, nodes: usize) -> Result<()> {
    if node as usize == row && row < nodes {
        Ok(())
    } else {
        Err(Error::Internal("table nodes is not in node order, or not of the graph beside it".into()))
    }
}
