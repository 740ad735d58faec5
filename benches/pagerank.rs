//! PageRank side by side with scikit-network: same graph, same tolerance, same machine, taking turns.
//!
//!     python3 -m venv peers && peers/bin/pip install scikit-network
//!     WEBMILL_PEERS=peers/bin/python cargo bench --bench pagerank
//!
//! The graphs are cnr-2000 of the evaluation data (`WEBMILL_DATA`) and an R-MAT graph of 2^20 nodes. For
//! each: seconds to the tolerance on one thread and on all, time per arc and iteration, and the ratio peer / ours
//! of each round: least, median, greatest. Other peers, and the bandwidth used, are in `graph_kernels`.

mod support;

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use support::rmat::rmat;
use support::{Peer, script, shown};
use webmill::graph::{Csr, PageRank, read_bvgraph};

const ROUNDS: usize = 5;
const DAMPING: f64 = 0.85;
const TOLERANCE: f64 = 1e-10;
/// scikit-network's power iteration, whose dangling rule is another one, and the same iteration in plain
/// SciPy.
const SOLVERS: [&str; 2] = ["piteration", "scipy"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let all = std::thread::available_parallelism()?.get();
    let data =
        std::env::var_os("WEBMILL_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    match read_bvgraph(data.join("graphs/cnr-2000")) {
        Ok(graph) => compare("cnr-2000", &graph, all)?,
        Err(error) => println!("skipped: cnr-2000: {error}"),
    }
    compare("R-MAT 2^20", &Csr::from_arcs(1 << 20, rmat(20, 16, 1))?, all)
}

fn compare(name: &str, graph: &Csr, all: usize) -> Result<(), Box<dyn std::error::Error>> {
    println!("{name}: {} nodes, {} arcs, tolerance {TOLERANCE:e}", graph.num_nodes(), graph.num_arcs());
    let transpose = graph.transpose();
    let mut pools = Vec::new();
    for threads in [1, all] {
        pools.push((threads, rayon::ThreadPoolBuilder::new().num_threads(threads).build()?, Vec::new()));
    }
    let mut peer = peer(graph)?;
    let mut theirs = vec![Vec::new(); SOLVERS.len()];
    for round in 0..ROUNDS {
        for (threads, pool, times) in &mut pools {
            let start = Instant::now();
            let ranks = pool.install(|| {
                PageRank { tolerance: TOLERANCE, ..PageRank::default() }.run(graph, &transpose)
            })?;
            let seconds = start.elapsed().as_secs_f64();
            times.push(seconds);
            if round == 0 {
                let steps = ranks.iterations as f64 * graph.num_arcs() as f64;
                println!(
                    "  webmill, {threads} thread(s): {} iterations, bound {:.1e}; {:.2} ns an arc and iteration",
                    ranks.iterations,
                    ranks.error_bound,
                    seconds * 1e9 / steps
                );
            }
        }
        let Some(peer) = &mut peer else { continue };
        for (solver, times) in SOLVERS.iter().zip(&mut theirs) {
            let (seconds, rest) = peer.run(solver)?;
            times.push(seconds);
            if round == 0 {
                println!("  peer {solver}: {seconds:.3} s; highest node, its score, L1 error: {rest}");
            }
        }
    }
    for (threads, _, ours) in &mut pools {
        println!("  webmill, {threads} thread(s): {} s", shown(ours));
        for (solver, times) in SOLVERS.iter().zip(&theirs) {
            let ratios: Vec<f64> = times.iter().zip(ours.iter()).map(|(t, o)| t / o).collect();
            if !ratios.is_empty() {
                println!("    {solver} / webmill: {}", shown(&ratios));
            }
        }
    }
    Ok(())
}

/// The peer that the environment names.
fn peer(graph: &Csr) -> Result<Option<Peer>, Box<dyn std::error::Error>> {
    let Some(python) = std::env::var_os("WEBMILL_PEERS") else {
        println!("  skipped: no peers (set WEBMILL_PEERS to a Python that has scikit-network)");
        return Ok(None);
    };
    let mut command = Command::new(python);
    let (peer, version) = Peer::of_graph(command.arg(script("pagerank.py")), graph, DAMPING, TOLERANCE)?;
    println!("  scikit-network {version}");
    Ok(Some(peer))
}
