//! webgraph-algo and the crate `graph` on a graph that the benchmark `graph_kernels` hands over.
//!
//! usage: graph-peers OFFSETS TARGETS DAMPING TOLERANCE    (raw little-endian 64 and 32 bits)
//!
//! Prints `ready` and the kernels it has; then, for each line on stdin that names one, the seconds it took and what
//! it found: `iterations highest-score` or the number of components.

use std::collections::HashSet;
use std::io::BufRead;
use std::time::Instant;

use dsi_progress_logger::no_logging;
use graph::prelude::*;
use webgraph::graphs::csr_graph::CsrGraph;
use webgraph::graphs::vec_graph::VecGraph;
use webgraph_algo::rank::pagerank::{PageRank, preds};
use webgraph_algo::sccs;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let offsets: Vec<u64> = std::fs::read(&args[1])
        .unwrap()
        .chunks_exact(8)
        .map(|b| u64::from_le_bytes(b.try_into().unwrap()))
        .collect();
    let targets: Vec<u32> = std::fs::read(&args[2])
        .unwrap()
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    let (damping, tolerance): (f64, f64) = (args[3].parse().unwrap(), args[4].parse().unwrap());
    let n = offsets.len() - 1;
    let arcs = || {
        (0..n).flat_map(|u| {
            targets[offsets[u] as usize..offsets[u + 1] as usize].iter().map(move |&v| (u, v as usize))
        })
    };
    // Arrays of arcs as they are, of arcs turned round, of both.
    let (mut out, mut into, mut both) = (VecGraph::empty(n), VecGraph::empty(n), VecGraph::empty(n));
    out.add_arcs(arcs());
    into.add_arcs(arcs().map(|(u, v)| (v, u)));
    both.add_arcs(arcs().flat_map(|(u, v)| [(u, v), (v, u)]).filter(|(u, v)| u != v));
    let (out, into, both) =
        (CsrGraph::from_seq_graph(&out), CsrGraph::from_seq_graph(&into), CsrGraph::from_seq_graph(&both));
    let plain: DirectedCsrGraph<u32> = GraphBuilder::new()
        .csr_layout(CsrLayout::Deduplicated)
        .edges(arcs().map(|(u, v)| (u as u32, v as u32)).collect::<Vec<_>>())
        .build();
    println!(
        "ready webgraph-algo:pagerank webgraph-algo:scc webgraph-algo:wcc graph:pagerank-f32 graph:wcc graph:wcc-baseline"
    );
    let distinct = |components: Vec<u32>| components.into_iter().collect::<HashSet<_>>().len().to_string();
    for line in std::io::stdin().lock().lines() {
        let start = Instant::now();
        let (seconds, found) = match line.unwrap().trim() {
            "webgraph-algo:pagerank" => {
                let mut ranks = PageRank::new(&into);
                ranks.alpha(damping);
                ranks.run(preds::L1Norm::try_from(tolerance).unwrap());
                let seconds = start.elapsed();
                let best = ranks.rank().iter().copied().fold(0.0, f64::max);
                (seconds, format!("{} {best}", ranks.iterations()))
            }
            "webgraph-algo:scc" => {
                let found = sccs::tarjan(&out, no_logging![]);
                (start.elapsed(), found.num_components().to_string())
            }
            "webgraph-algo:wcc" => {
                let found = sccs::symm_par(&both, no_logging![]);
                (start.elapsed(), found.num_components().to_string())
            }
            // Single precision comes to rest far above the tolerance: as many iterations as it needs to 1e-5.
            "graph:pagerank-f32" => {
                let (ranks, iterations, _) =
                    page_rank(&plain, PageRankConfig::new(1000, 1e-5, damping as f32));
                (start.elapsed(), format!("{iterations} {}", ranks.into_iter().fold(0.0, f32::max)))
            }
            "graph:wcc" => {
                let found = wcc_afforest_dss(&plain, WccConfig::default()).to_vec();
                (start.elapsed(), distinct(found))
            }
            "graph:wcc-baseline" => {
                let found = wcc_baseline(&plain, WccConfig::default()).to_vec();
                (start.elapsed(), distinct(found))
            }
            other => panic!("no kernel {other}"),
        };
        println!("{} {found}", seconds.as_secs_f64());
    }
}
