//! PageRank of a graph whose arcs are larger than the memory: the transpose is made on disk, both are mapped (`lean`).
//!
//!     cargo bench -p webmill-graph --bench lean -- [SCALE [DEGREE [SHARE]]]
//!     cargo bench -p webmill-graph --bench lean -- GRAPH [SHARE]
//!
//! An R-MAT graph of 2^SCALE nodes with DEGREE arcs each (22, 16), or a graph file of any kind, is written as webmill's own
//! file; the run may take a SHARE of its size (0.5). Prints seconds for the transpose, sweeps, seconds per sweep of the clock and
//! of CPU, and the most private memory that the process had (RssAnon, looked at every 2 ms). Files are in the page cache where that
//! holds them: then this is what processors allow, not the disk. Set `TMPDIR` to where there is room.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use webmill_graph::{Csr, PageRank, load};

#[path = "support/rmat.rs"]
mod rmat;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let argument = |at: usize| arguments.get(at).map(String::as_str);
    if let (Some("child"), Some(path), Some(memory)) = (argument(0), argument(1), argument(2)) {
        return child(Path::new(path), memory.parse()?);
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("graph.csr");
    let named = argument(0).filter(|first| first.parse::<u32>().is_err());
    match named {
        Some(name) => load(name)?.graph.write(&path)?,
        None => {
            let scale = argument(0).map_or(Ok(22), str::parse)?;
            let degree = argument(1).map_or(Ok(16), str::parse)?;
            Csr::from_arcs(1 << scale, rmat::rmat(scale, degree, 1))?.write(&path)?;
        }
    }
    let share: f64 = argument(if named.is_some() { 1 } else { 2 }).map_or(Ok(0.5), str::parse)?;
    let memory = (share * std::fs::metadata(&path)?.len() as f64) as u64;
    // A process of its own, which never had the graph in memory.
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("child").arg(&path).arg(memory.to_string()).env("TMPDIR", folder.path());
    if command.status()?.success() { Ok(()) } else { Err("the run failed".into()) }
}

fn child(path: &Path, memory: u64) -> Result<(), Failure> {
    let done = AtomicBool::new(false);
    let run = || -> Result<(), Failure> {
        let graph = Csr::open(path)?;
        let (nodes, arcs) = (graph.num_nodes(), graph.num_arcs());
        println!("{nodes} nodes, {arcs} arcs, {} MiB; memory {} MiB", graph.bytes() >> 20, memory >> 20);
        let began = Instant::now();
        let transpose = graph.transpose_on_disk(memory, &std::env::temp_dir())?;
        println!("transpose: {:.1} s", began.elapsed().as_secs_f64());
        let (began, cpu) = (Instant::now(), cpu());
        let ranks = PageRank { lean: true, memory_bytes: Some(memory), ..PageRank::default() }
            .run(&graph, &transpose)?;
        let a_sweep = began.elapsed().as_secs_f64() / ranks.iterations as f64;
        let cpu = (self::cpu() - cpu) / ranks.iterations as f64;
        println!(
            "{} sweeps to {:.1e}, {a_sweep:.3} s a sweep ({cpu:.3} of CPU, {:.2} ns an arc)",
            ranks.iterations,
            ranks.error_bound,
            1e9 * cpu / arcs as f64
        );
        Ok(())
    };
    std::thread::scope(|scope| {
        let peak = scope.spawn(|| {
            let mut peak = 0;
            while !done.load(Relaxed) {
                peak = peak.max(anonymous());
                std::thread::sleep(Duration::from_millis(2));
            }
            peak
        });
        let outcome = run();
        done.store(true, Relaxed);
        println!("{} MiB of private memory at most", peak.join().unwrap_or(0) >> 10);
        outcome
    })
}

/// Private memory of this process, in KiB.
fn anonymous() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|kib| kib.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Seconds of CPU of this process.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ').skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
