//! Graph kernels side by side with their peers: same graph, same tolerance and dangling rule, same machine,
//! taking turns.
//!
//!     python3 -m venv peers && peers/bin/pip install networkit scikit-network
//!     cargo build --release --manifest-path benches/peers/graph_rust/Cargo.toml --target-dir peers/rust
//!     WEBMILL_PEERS=peers/bin/python WEBMILL_GRAPH_PEERS=peers/rust/release/graph-peers \
//!         cargo bench --bench graph_kernels
//!
//! The graphs are cnr-2000 of the evaluation data (`WEBMILL_DATA`) and R-MAT graphs of the scales named as
//! arguments (20 if none are). For each kernel: seconds, for PageRank also time per arc and iteration and the
//! bandwidth that this means beside a measured triad, and the ratio peer / webmill of each round: least, median,
//! greatest. A peer that finds another number of components, or another highest score, shows.

mod support;

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use support::rmat::rmat;
use support::{Peer, script, shown, spread};
use webmill::graph::{Csr, Hits, PageRank, read_bvgraph, strong_components, weak_components_with};

const ROUNDS: usize = 5;
const DAMPING: f64 = 0.85;
const TOLERANCE: f64 = 1e-10;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    println!(
        "triad: {:.1} GB/s on one thread, {:.1} GB/s on all",
        triad(1) / 1e9,
        triad(rayon_threads()) / 1e9
    );
    let data =
        std::env::var_os("WEBMILL_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let scales: Vec<u32> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    match read_bvgraph(data.join("graphs/cnr-2000")) {
        Ok(graph) => compare("cnr-2000", &graph)?,
        Err(error) => println!("skipped: cnr-2000: {error}"),
    }
    for scale in if scales.is_empty() { vec![20] } else { scales } {
        compare(&format!("R-MAT 2^{scale}"), &Csr::from_arcs(1 << scale, rmat(scale, 16, 1))?)?;
    }
    Ok(())
}

fn rayon_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What a run found: iterations (0 if it is not by them), and the highest score or the number of components.
struct RunResult {
    iterations: usize,
    value: f64,
}

fn compare(name: &str, graph: &Csr) -> Outcome<()> {
    let (n, arcs) = (graph.num_nodes() as f64, graph.num_arcs() as f64);
    println!("{name}: {n} nodes, {arcs} arcs, tolerance {TOLERANCE:e}, {} threads", rayon_threads());
    let transpose = graph.transpose();
    let mut peers = peers(graph)?;
    let greatest = |scores: &[f64]| scores.iter().copied().fold(0.0, f64::max);
    let ours: [(&str, &dyn Fn() -> Outcome<RunResult>); 4] = [
        ("pagerank", &|| {
            let ranks = PageRank { damping: DAMPING, tolerance: TOLERANCE, ..PageRank::default() }
                .run(graph, &transpose)?;
            Ok(RunResult { iterations: ranks.iterations, value: greatest(&ranks.scores) })
        }),
        ("hits", &|| {
            let scores = Hits::default().run(graph, &transpose)?;
            Ok(RunResult { iterations: scores.iterations, value: greatest(&scores.authorities) })
        }),
        ("scc", &|| Ok(RunResult { iterations: 0, value: strong_components(graph).len() as f64 })),
        ("wcc", &|| {
            Ok(RunResult { iterations: 0, value: weak_components_with(graph, &transpose).len() as f64 })
        }),
    ];
    for (kernel, run) in ours {
        let names: Vec<(usize, String)> = peers
            .iter()
            .enumerate()
            .flat_map(|(i, peer)| peer.1.iter().map(move |name| (i, name.clone())))
            .filter(|(_, name)| name.split(':').nth(1).is_some_and(|k| k.split('-').next() == Some(kernel)))
            .collect();
        let (mut mine, mut theirs) = (Vec::new(), vec![Vec::new(); names.len()]);
        let (mut found, mut rests) =
            (RunResult { iterations: 0, value: 0.0 }, vec![String::new(); names.len()]);
        for _ in 0..ROUNDS {
            let start = Instant::now();
            found = run()?;
            mine.push(start.elapsed().as_secs_f64());
            for (((peer, name), times), rest) in names.iter().zip(&mut theirs).zip(&mut rests) {
                let (seconds, what) = peers[*peer].0.run(name)?;
                times.push(seconds);
                *rest = what;
            }
        }
        println!("  {kernel}: {} s; found {} {}", shown(&mine), found.iterations, found.value);
        let steps = found.iterations as f64 * arcs;
        if kernel == "pagerank" {
            // Streamed: of an arc its source's cell (4 bytes); of a node cells, constant, factor, weights of sums
            // (28). Gathered: a value of an arc (4), from the caches where they hold it.
            let (bytes, seconds) = (4.0 + 28.0 * n / arcs, spread(&mine)[1]);
            let (streamed, gathered) = (bytes * steps / seconds / 1e9, 4.0 * steps / seconds / 1e9);
            println!(
                "    {:.2} ns an arc and iteration, all set-up included; {bytes:.1} bytes an arc streamed, 4 gathered: \
                 {streamed:.1} + {gathered:.1} GB/s",
                seconds * 1e9 / steps
            );
        }
        for (((_, name), times), rest) in names.iter().zip(&theirs).zip(&rests) {
            let ratios: Vec<f64> = times.iter().zip(&mine).map(|(t, o)| t / o).collect();
            println!("    {name}: {} s; found {rest}; {name} / webmill {}", shown(times), shown(&ratios));
            let iterations = rest.split(' ').next().and_then(|word| word.parse::<f64>().ok());
            if let (true, Some(iterations)) = (kernel == "pagerank", iterations) {
                let scale = found.iterations as f64 / iterations;
                let per_arc: Vec<f64> = ratios.iter().map(|ratio| 1.0 / (ratio * scale)).collect();
                println!("      time per arc and iteration, webmill / {name}: {}", shown(&per_arc));
            }
        }
    }
    Ok(())
}

/// Those that the environment names, with the kernels that each has.
fn peers(graph: &Csr) -> Outcome<Vec<(Peer, Vec<String>)>> {
    let mut peers = Vec::new();
    for (variable, script) in
        [("WEBMILL_PEERS", Some(script("graph_kernels.py"))), ("WEBMILL_GRAPH_PEERS", None)]
    {
        match std::env::var_os(variable) {
            Some(program) => {
                let (peer, kernels) =
                    Peer::of_graph(Command::new(program).args(script), graph, DAMPING, TOLERANCE)?;
                peers.push((peer, kernels.split_whitespace().map(str::to_owned).collect()));
            }
            None => println!("  skipped: {variable} is not set"),
        }
    }
    Ok(peers)
}

/// Bytes a second of a = b + s c, on `threads` threads, each with arrays of its own.
fn triad(threads: usize) -> f64 {
    let n = (16 << 20) / threads;
    let one = || {
        let (mut a, b, c) = (vec![0.0f64; n], vec![1.0f64; n], vec![2.0f64; n]);
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            for ((a, b), c) in a.iter_mut().zip(&b).zip(&c) {
                *a = b + 3.0 * c;
            }
            best = best.min(start.elapsed().as_secs_f64());
            std::hint::black_box(&a);
        }
        24.0 * n as f64 / best
    };
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        runs.into_iter().map(|run| run.join().unwrap_or(0.0)).sum()
    })
}
