//! petgraph's algorithms on a graph file of webmill: shortest paths, and what reaches what.
//!
//! `cargo run --release --example petgraph_dijkstra -- GRAPH FROM` reads a graph of any kind that `webmill rank`
//! reads, and prints the nodes nearest to the node FROM (its name or number) with their distances, the length of
//! an arc being 1 over its weight: many links make pages near. Without arguments it does so for a small graph.

use petgraph::algo::{dijkstra, kosaraju_scc};
use petgraph::visit::EdgeRef;
use std::error::Error;
use webmill::graph::{TwoWay, load};

const SMALL: &str = "\
http://a.org/ -> http://a.org/news 4
http://a.org/ -> http://b.org/ 1
http://a.org/news -> http://b.org/ 2
http://b.org/ -> http://c.org/ 1
http://c.org/ -> http://b.org/ 1
http://d.org/ -> http://a.org/ 1
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (path, from, _small) = match (args.next(), args.next()) {
        (Some(path), Some(from)) => (path.into(), from, None),
        (None, None) => {
            let dir = tempfile::tempdir()?;
            let path = dir.path().join("small.txt");
            std::fs::write(&path, SMALL)?;
            (path, "http://a.org/".to_owned(), Some(dir))
        }
        _ => return Err("usage: petgraph_dijkstra [GRAPH FROM]".into()),
    };
    let loaded = load(path)?;
    let graph = &loaded.graph;
    let from = (0..graph.num_nodes() as u32)
        .find(|&node| loaded.name(node) == from)
        .ok_or_else(|| format!("there is no node {from}"))?;

    // Algorithms that follow arcs run on the graph itself …
    let distances = dijkstra(graph, from, None, |arc| 1.0 / arc.weight());
    let mut nearest: Vec<(u32, f64)> = distances.into_iter().collect();
    nearest.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    println!("{} of {} nodes are reached from {}", nearest.len(), graph.num_nodes(), loaded.name(from));
    for (node, distance) in nearest.iter().take(20) {
        println!("{distance:.3}\t{}", loaded.name(*node));
    }

    // … and those that also go back along them on the graph with its transpose.
    let transpose = graph.transpose();
    let components = kosaraju_scc(TwoWay::new(graph, &transpose)?);
    let largest = components.iter().map(Vec::len).max().unwrap_or(0);
    println!("{} strongly connected components, the largest of {largest} nodes", components.len());
    Ok(())
}
