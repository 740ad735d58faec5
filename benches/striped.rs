//! PageRank from disk of a graph that is larger than the memory, beside the run in little memory (`lean`) of the same graph.
//!
//!     cargo bench -p webmill-graph --bench striped -- [SCALE [DEGREE [SHARE [STRIPES]]]]
//!     cargo bench -p webmill-graph --bench striped -- GRAPH [SHARE [STRIPES]]
//!
//! An R-MAT graph of 2^SCALE nodes with DEGREE arcs each (24, 16), or a graph file of any kind, is written as webmill's own
//! file; the run from disk may take a SHARE of its size (0.25), with STRIPES stripes (8). Each run is a process of its own, on
//! all processors; of both: sweeps, seconds a sweep of the clock and of CPU, the peak of memory, and of the one from disk the seconds to write the
//! scratch files, coded bytes an arc, and the bytes that system calls read a second of sweeping. Files are in the page cache
//! where that holds them: then this is what processors allow, not the disk. Set `TMPDIR` to where there is room.

use std::path::Path;
use std::process::Command;
use std::time::Instant;
use webmill_graph::{Csr, Graph, GraphFile, PageRank, Rmat, StripedPageRank, load};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let argument = |at: usize| arguments.get(at).map(String::as_str);
    if argument(0) == Some("child") {
        let (Some(way), Some(path)) = (argument(1), argument(2)) else { return Err("no graph".into()) };
        return child(way, Path::new(path), argument(3), argument(4));
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("graph.csr");
    let named = argument(0).filter(|first| first.parse::<u32>().is_err());
    match named {
        Some(name) => load(name)?.graph.write(&path)?,
        None => {
            let scale = argument(0).map_or(Ok(24), str::parse)?;
            let degree = argument(1).map_or(Ok(16), str::parse)?;
            Rmat { scale, degree, ..Rmat::default() }.run()?.write(&path)?;
        }
    }
    let rest = if named.is_some() { 1 } else { 2 };
    let share: f64 = argument(rest).map_or(Ok(0.25), str::parse)?;
    let size = std::fs::metadata(&path)?.len();
    let graph = GraphFile::open(&path)?;
    println!(
        "{}: {} nodes, {} arcs, {} MiB; memory {:.0} MiB",
        named.unwrap_or("R-MAT"),
        graph.num_nodes(),
        graph.num_arcs(),
        size >> 20,
        share * size as f64 / f64::from(1 << 20)
    );
    let memory = (share * size as f64) as u64;
    for way in ["disk", "lean"] {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["child", way])
            .arg(&path)
            .args([memory.to_string(), argument(rest + 1).unwrap_or("8").into()]);
        let status = command.env("TMPDIR", folder.path()).status()?;
        if !status.success() {
            return Err(format!("{way}: {status}").into());
        }
    }
    Ok(())
}

fn child(way: &str, path: &Path, memory: Option<&str>, stripes: Option<&str>) -> Result<(), Failure> {
    if way == "lean" {
        let graph = Csr::open(path)?;
        let transpose = graph.transpose();
        let (started, before) = (Instant::now(), cpu_seconds()?);
        let ranks = PageRank { lean: true, ..PageRank::default() }.run(&graph, &transpose)?;
        let sweeps = ranks.iterations as f64;
        let (seconds, cpu) = (started.elapsed().as_secs_f64() / sweeps, (cpu_seconds()? - before) / sweeps);
        println!(
            "lean: {} sweeps to {:.1e}, {seconds:.3} s a sweep ({cpu:.3} of CPU, {:.2} ns an arc); peak {} MiB with the mapped graph",
            ranks.iterations,
            ranks.error_bound,
            cpu * 1e9 / graph.num_arcs() as f64,
            status("VmHWM:")? >> 10
        );
        return Ok(());
    }
    let graph = GraphFile::open(path)?;
    let memory_bytes = memory.map(str::parse).transpose()?;
    let stripes = stripes.map_or(Ok(8), str::parse)?;
    let settings = StripedPageRank { memory_bytes, stripes, ..StripedPageRank::default() };
    let started = Instant::now();
    let mut first = None;
    let mut last = (started, 0, 0.0);
    let ranks = settings.run(&graph, None, &mut |_| {
        last = (Instant::now(), read_bytes().unwrap_or(0), cpu_seconds().unwrap_or(0.0));
        first.get_or_insert(last);
        Ok(())
    })?;
    let (begun, read, before) = first.ok_or("no sweep was made")?;
    let seconds = (last.0 - begun).as_secs_f64();
    let sweeps = (ranks.iterations as f64 - 1.0).max(1.0);
    let (a_sweep, cpu) = (seconds / sweeps, (last.2 - before) / sweeps);
    println!(
        "from disk, {stripes} stripes: {} sweeps to {:.1e}, {a_sweep:.3} s a sweep ({cpu:.3} of CPU, {:.2} ns an arc), {:.0} MB read a sweep, \
         {:.0} MB/s; {:.1} s to write scratch files and for the first sweep; {:.3} bytes an arc; peak {} MiB, of which {} anonymous at the end",
        ranks.iterations,
        ranks.error_bound,
        cpu * 1e9 / graph.num_arcs() as f64,
        (last.1 - read) as f64 / sweeps / 1e6,
        (last.1 - read) as f64 / seconds / 1e6,
        (begun - started).as_secs_f64(),
        ranks.arc_bytes as f64 / graph.num_arcs() as f64,
        status("VmHWM:")? >> 10,
        status("RssAnon:")? >> 10
    );
    Ok(())
}

/// A number of this process's status, KiB.
fn status(name: &str) -> Result<u64, Failure> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such line")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Bytes that system calls have read.
fn read_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/io").ok()?;
    text.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
}

/// Seconds of CPU of this process, of all threads: user and system, in hundredths.
fn cpu_seconds() -> Result<f64, Failure> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let behind = text.rsplit_once(')').ok_or("no name")?.1;
    let ticks: Vec<u64> =
        behind.split_whitespace().skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<u64>() as f64 / 100.0)
}
