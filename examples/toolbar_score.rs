//! Toolbar scores: PageRank as whole numbers from 0 to 10.
//!
//! `cargo run --release --example toolbar_score -- [GRAPH]` prints how many nodes have each score, and the best nodes of
//! each. On the classical scale no page has a rank below 1 − d; a score is how many times a rank can be divided by 6 before
//! it falls below that: 0.15 to 0.9 is 0, up to 5.4 is 1, up to 32.4 is 2, and so on (I. Rogers, The Google PageRank
//! algorithm and how it works, 2002).

use std::error::Error;
use webmill::graph::{Csr, Graph, PageRank, Scale, load, top};

const BASE: f64 = 6.0;
const GREATEST: u8 = 10;

/// The score of a rank on the classical scale.
fn toolbar(rank: f64, damping: f64) -> u8 {
    // Products of decimal fractions miss their true value by a last digit; edges belong to the upper score.
    let least = |score: &u8| (1.0 - damping) * BASE.powi(i32::from(*score)) * (1.0 - 1e-12);
    (1..=GREATEST).take_while(|score| rank >= least(score)).last().unwrap_or(0)
}

fn main() -> Result<(), Box<dyn Error>> {
    assert_eq!([0.15, 0.89, 0.9, 5.4, 1e30].map(|rank| toolbar(rank, 0.85)), [0, 0, 1, 2, 10]);
    let (graph, loaded) = match std::env::args_os().nth(1) {
        Some(path) => {
            let loaded = load(path)?;
            (loaded.graph.clone(), Some(loaded))
        }
        // A home page that 499 pages link to, and that links to the first ten of them.
        None => {
            (Csr::from_arcs(500, (1..500).map(|page| (page, 0)).chain((1..=10).map(|page| (0, page))))?, None)
        }
    };
    let settings = PageRank { scale: Scale::Classical, ..PageRank::default() };
    let ranks = settings.run(&graph, &graph.transpose())?.scores;
    let best = top(&ranks, graph.num_nodes());
    let scores: Vec<u8> = best.iter().map(|&node| toolbar(ranks[node as usize], settings.damping)).collect();
    for (of_score, nodes) in scores.chunk_by(|a, b| a == b).scan(0, |from, group| {
        let nodes = &best[*from..*from + group.len()];
        *from += group.len();
        Some((group[0], nodes))
    }) {
        let name = |&node: &u32| loaded.as_ref().map_or_else(|| node.to_string(), |loaded| loaded.name(node));
        let first: Vec<String> = nodes.iter().take(3).map(name).collect();
        println!("{of_score}\t{} nodes: {} …", nodes.len(), first.join(", "));
    }
    Ok(())
}
