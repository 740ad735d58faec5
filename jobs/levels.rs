//! The levels of the web graph and where the graph job keeps them.

use webmill::graph::Csr;
use webmill::run::Committed;
use webmill::table::{Batch, TableReader};
use webmill::{Error, Result};

/// Page, host, registrable domain.
pub const LEVELS: [&str; 3] = ["page", "host", "domain"];

/// File of a level's graph in the folder of the graph job.
pub fn graph_file(level: &str) -> String {
    format!("graph/{level}.csr")
}

/// Part of table `nodes` (or another by node) that holds a level: one part a level, in the order of the levels.
pub fn part_file(table: &str, level: &str) -> String {
    let number = LEVELS.iter().position(|l| *l == level).unwrap_or(LEVELS.len());
    format!("{table}/part-{number}-{level}.parquet")
}

/// A level's graph, mapped.
pub fn open_graph(graph: &Committed, level: &str) -> Result<Csr> {
    Csr::open(graph.path(&graph_file(level)))
}

/// Reads columns of the nodes of one level, in node order.
pub fn read_nodes(graph: &Committed, level: &str, columns: &[&str]) -> TableReader {
    TableReader::over(vec![graph.path(&part_file("nodes", level))], columns)
}

/// The numbers of a batch of nodes must go on where the last batch ended: what is zipped with them relies on it.
pub fn check_order(batch: &Batch, start: usize, nodes: usize) -> Result<()> {
    let numbers = batch.u32("node")?;
    let ordered = (0..batch.len()).all(|i| numbers.get(i) == Some((start + i) as u32));
    if ordered && start + batch.len() <= nodes {
        Ok(())
    } else {
        Err(Error::Internal("table nodes is not in node order, or not of the graph beside it".into()))
    }
}
