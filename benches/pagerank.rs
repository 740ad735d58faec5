//! PageRank side by side with scikit-network: same graph, same tolerance, same machine, taking turns.
//!
//!     python3 -m venv peers && peers/bin/pip install scikit-network
//!     WEBMILL_PEERS=peers/bin/python cargo bench --bench pagerank
//!
//! The graphs are cnr-2000 of the evaluation data (`WEBMILL_DATA`) and an R-MAT graph of 2^20 nodes. For
//! each: seconds to the tolerance on one thread and on all, time per arc and iteration, and the ratio peer / ours
//! of each round: least, median, greatest. Other peers, and the bandwidth used, are in `graph_kernels`.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;
use webmill::graph::{Csr, Graph, PageRank, read_bvgraph};

const ROUNDS: usize = 5;
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
    compare("R-MAT 2^20", &rmat(20, 16)?, all)
}

fn compare(name: &str, graph: &Csr, all: usize) -> Result<(), Box<dyn std::error::Error>> {
    println!("{name}: {} nodes, {} arcs, tolerance {TOLERANCE:e}", graph.num_nodes(), graph.num_arcs());
    let transpose = graph.transpose();
    let mut pools = Vec::new();
    for threads in [1, all] {
        pools.push((threads, rayon::ThreadPoolBuilder::new().num_threads(threads).build()?, Vec::new()));
    }
    let mut peer = Peer::start(graph)?;
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
        println!("  webmill, {threads} thread(s): {} s", spread(ours));
        for (solver, times) in SOLVERS.iter().zip(&theirs) {
            let mut ratios: Vec<f64> = times.iter().zip(ours.iter()).map(|(t, o)| t / o).collect();
            if !ratios.is_empty() {
                println!("    {solver} / webmill: {}", spread(&mut ratios));
            }
        }
    }
    Ok(())
}

/// Least, median and greatest.
fn spread(values: &mut [f64]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    format!("{:.3} / {:.3} / {:.3}", sorted[0], sorted[sorted.len() / 2], sorted[sorted.len() - 1])
}

/// The peer's process, which keeps the graph.
struct Peer {
    child: Child,
    into: ChildStdin,
    from: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

impl Peer {
    fn start(graph: &Csr) -> Result<Option<Peer>, Box<dyn std::error::Error>> {
        let Some(python) = std::env::var_os("WEBMILL_PEERS") else {
            println!("  skipped: no peers (set WEBMILL_PEERS to a Python that has scikit-network)");
            return Ok(None);
        };
        let folder = tempfile::tempdir()?;
        let (offsets, targets) = (folder.path().join("offsets"), folder.path().join("targets"));
        std::fs::write(&offsets, bytemuck::cast_slice(graph.offsets()))?;
        std::fs::write(&targets, bytemuck::cast_slice(graph.targets()))?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/pagerank.py");
        let mut command = Command::new(python);
        command.arg(script).arg(&offsets).arg(&targets).args(["0.85".to_owned(), TOLERANCE.to_string()]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let into = child.stdin.take().ok_or("no stdin")?;
        let from = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut peer = Peer { child, into, from, _folder: folder };
        let hello = peer.line()?;
        println!("  scikit-network {}", hello.trim_start_matches("ready "));
        Ok(Some(peer))
    }

    fn line(&mut self) -> Result<String, Box<dyn std::error::Error>> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            return Err("the peer ended".into());
        }
        Ok(line.trim().to_owned())
    }

    fn run(&mut self, solver: &str) -> Result<(f64, String), Box<dyn std::error::Error>> {
        writeln!(self.into, "{solver}")?;
        let line = self.line()?;
        let (seconds, rest) = line.split_once(' ').ok_or("the peer said something else")?;
        Ok((seconds.parse()?, rest.to_owned()))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An R-MAT graph of 2^scale nodes (0.57, 0.19, 0.19, 0.05), always the same.
fn rmat(scale: u32, degree: usize) -> webmill::error::Result<Csr> {
    let mut x = 88_172_645_463_325_252u64;
    let mut draw = move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 32) as u32
    };
    let arcs = (0..degree << scale).map(|_| {
        (0..scale).fold((0, 0), |(u, v), _| {
            let quadrant =
                [0.57, 0.76, 0.95].iter().filter(|p| f64::from(draw()) >= **p * f64::from(u32::MAX)).count();
            (u << 1 | (quadrant as u32 >> 1), v << 1 | (quadrant as u32 & 1))
        })
    });
    Csr::from_arcs(1 << scale, arcs)
}
