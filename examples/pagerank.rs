//! PageRank of a list of links.
//!
//! `cargo run --release --example pagerank -- [GRAPH]` reads a graph of any kind that `webmill rank` reads (a line an arc,
//! `a -> b` or two numbers; Matrix Market; BVGraph) and prints the 20 highest ranks with their names. Without an argument
//! it does so for a small graph.

use std::error::Error;
use std::path::Path;
use webmill::graph::{EdgeOptions, PageRank, load, parse_edges, top};

const SMALL: &str = "\
http://a.org/ -> http://b.org/
http://a.org/ -> http://c.org/
http://b.org/ -> http://c.org/
http://c.org/ -> http://a.org/
http://d.org/ -> http://c.org/
";

fn main() -> Result<(), Box<dyn Error>> {
    let (graph, names) = match std::env::args_os().nth(1) {
        Some(path) => {
            let loaded = load(path)?;
            let names = (0..loaded.graph.num_nodes() as u32).map(|node| loaded.name(node)).collect();
            (loaded.graph, names)
        }
        None => {
            let list = parse_edges(SMALL.as_bytes(), Path::new("built in"), &EdgeOptions::default())?;
            (list.graph, list.names.unwrap_or_default())
        }
    };
    // PageRank pulls along the arcs, so it needs the graph turned round as well.
    let ranks = PageRank::default().run(&graph, &graph.transpose())?;
    println!("{} sweeps, every rank within {:.0e} of its limit", ranks.iterations, ranks.error_bound);
    for node in top(&ranks.scores, 20) {
        println!("{:.6}\t{}", ranks.scores[node as usize], names[node as usize]);
    }
    Ok(())
}
