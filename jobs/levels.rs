//! The levels of the web graph and where the graph job keeps them.

use webmill_capture::{Error, Result};
use webmill_graph::{Csr, Graph};
use webmill_run::Committed;
use webmill_table::{Batch, TableReader};

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

/// Refuses a graph that does not fit `--memory` together with its transpose and `bytes` a node, with the estimate.
pub fn admit(graph: &Csr, bytes: u64, doing: &str, memory: u64) -> Result<()> {
    let need = bytes * graph.num_nodes() as u64 + graph.bytes();
    if need <= memory {
        return Ok(());
    }
    Err(Error::Limit(format!(
        "{doing} {} nodes and {} arcs takes about {} MiB, --memory allows {} MiB",
        graph.num_nodes(),
        graph.num_arcs(),
        need.div_ceil(1 << 20),
        memory >> 20
    )))
}

/// Reads columns of the nodes of one level, in node order.
pub fn read_nodes(graph: &Committed, level: &str, columns: &[&str]) -> TableReader {
    TableReader::over(vec![graph.path(&part_file("nodes", level))], columns)
}

/// The names of the nodes of one level, in node order.
pub fn each_name(graph: &Committed, level: &str) -> impl Iterator<Item = Result<String>> {
    let mut reader = read_nodes(graph, level, &["url"]);
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed {
            return None;
        }
        let names = match reader.next().transpose()? {
            Ok(batch) => batch.str("url").map(|urls| {
                urls.iter().map(|url| Ok(url.unwrap_or_default().to_owned())).collect::<Vec<_>>()
            }),
            Err(e) => Err(e),
        };
        Some(names.unwrap_or_else(|e| {
            failed = true;
            vec![Err(e)]
        }))
    })
    .flatten()
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
