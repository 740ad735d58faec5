//! Ranks of graphs that are larger than the memory, from disk.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use webmill::graph::{Csr, CsrWriter, PageRank, WeightKind};
use webmill::jobs::command::graph::pagerank::NodeRankRow;
use webmill::table::read_rows;

use crate::support::Work;

fn scores(output: &[u8]) -> BTreeMap<String, f64> {
    let text = String::from_utf8(output.to_vec()).unwrap();
    let line = |line: &str| {
        let (name, score) = line.split_once('\t').unwrap();
        (name.to_owned(), score.parse().unwrap())
    };
    text.lines().map(line).collect()
}

fn distance(a: &BTreeMap<String, f64>, b: &BTreeMap<String, f64>) -> f64 {
    assert!(a.keys().eq(b.keys()), "{a:?} {b:?}");
    a.iter().map(|(name, score)| (score - b[name]).abs()).sum()
}

#[test]
fn ranks_from_disk_are_those_of_rank() {
    let work = Work::new();
    let text: String = (0..300u32)
        .flat_map(|a| {
            let target = move |i: u32| (a * 31 + i * i * 17) % 300;
            let url = |n: u32| format!("http://h{}.example/{n}", n % 7);
            (1..=a % 5).map(move |i| format!("{} -> {} {}\n", url(a), url(target(i)), 1 + i % 3))
        })
        .collect();
    std::fs::write(work.path("a.txt"), text).unwrap();
    work.run(&["graph", "convert", "a.txt", "a.csr"]);
    std::fs::write(
        work.path("topic.txt"),
        "http://h3.example/3\nhttp://h4.example/4\t2.5\nhttp://none.example/\n",
    )
    .unwrap();
    for flags in [
        &[][..],
        &["--damping", "0.5", "--dangling", "lost"],
        &["--teleport", "topic.txt", "--dangling", "uniform"],
    ] {
        let want = scores(&work.run(&[&["rank", "a.csr"][..], flags].concat()).stdout);
        for stripes in ["1", "8", "100"] {
            let command = [&["graph", "pagerank", "a.csr", "--stripes", stripes][..], flags].concat();
            let output = work.run(&command);
            assert!(distance(&scores(&output.stdout), &want) < 3e-12);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("sweeps, within"), "{said}");
            assert_eq!(said.contains("1 names are no nodes"), flags.contains(&"--teleport"), "{said}");
        }
    }
    // The best, and the same in a table.
    let best = String::from_utf8(work.run(&["graph", "pagerank", "a.csr", "--top", "20"]).stdout).unwrap();
    let all = String::from_utf8(work.run(&["graph", "pagerank", "a.csr"]).stdout).unwrap();
    let mut lines: Vec<&str> = all.lines().collect();
    let score = |line: &str| line.split('\t').nth(1).unwrap().parse::<f64>().unwrap();
    lines.sort_by(|a, b| score(b).total_cmp(&score(a)));
    assert_eq!(best.lines().collect::<Vec<_>>(), lines[..20]);
    let names =
        |text: &str| text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>();
    work.run(&["graph", "pagerank", "a.csr", "--top", "20", "--out", "best.parquet"]);
    let rows: Vec<NodeRankRow> = read_rows(&work.path("best.parquet")).unwrap();
    assert_eq!(rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>(), names(&best));
    work.run(&["graph", "pagerank", "a.csr", "--out", "all.parquet", "--threads", "1"]);
    work.run(&[
        "graph",
        "pagerank",
        "a.csr",
        "--out",
        "again.parquet",
        "--threads",
        "2",
        "--memory",
        "100MiB",
    ]);
    assert_eq!(
        std::fs::read(work.path("all.parquet")).unwrap(),
        std::fs::read(work.path("again.parquet")).unwrap()
    );
    let rows: Vec<NodeRankRow> = read_rows(&work.path("all.parquet")).unwrap();
    assert!(rows.iter().zip(0..).all(|(row, node)| row.node == node) && rows.len() == 300);
    assert!(work.unfinished(".").is_empty());

    for (arguments, code, says) in [
        (&["graph", "pagerank", "a.txt"][..], 2, "webmill graph convert"),
        (&["graph", "pagerank", "a.csr", "--stripes", "0"], 2, "from 1 to 4096"),
        (&["graph", "pagerank", "a.csr", "--damping", "1"], 2, "damping"),
        (&["graph", "pagerank", "a.csr", "--level", "host"], 2, "a graph file has no levels"),
        (&["graph", "pagerank", "none.csr"], 2, "none.csr"),
        (&["graph", "pagerank", "a.csr", "--out", "none/x.txt"], 2, "no such folder"),
    ] {
        let said = work.fails(arguments, code);
        assert!(said.contains(says), "{arguments:?}: {said}");
    }
    let mut bytes = std::fs::read(work.path("a.csr")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(work.path("bad.csr"), bytes).unwrap();
    let said = work.fails(&["graph", "pagerank", "bad.csr", "--out", "bad.txt"], 2);
    assert!(said.contains("bad.csr at byte"), "{said}");
    assert!(work.unfinished(".").is_empty() && !work.path("bad.txt").exists());
}

#[test]
fn ranks_of_results_from_disk() {
    let work = Work::new();
    work.synth("corpus", 400, u64::MAX);
    for job in ["extract", "graph", "rank"] {
        let arguments: &[&str] = match job {
            "extract" => &["extract", "corpus", "--out", "results"],
            "graph" => &["graph", "build", "--out", "results"],
            _ => &["rank", "--out", "results"],
        };
        work.run(arguments);
    }
    for level in ["page", "host", "domain"] {
        let want = scores(&work.run(&["rank", "results", "--level", level]).stdout);
        let found = scores(&work.run(&["graph", "pagerank", "results", "--level", level]).stdout);
        assert!(want.len() > 1 && distance(&found, &want) < 3e-12, "{level}");
    }
}

/// Builds without optimisation are for looking for mistakes, not for waiting.
const NODES: u32 = if cfg!(debug_assertions) { 100_000 } else { 1 << 21 };

/// Ranks a graph within 64 MiB; the most that the process had in memory, in bytes.
fn peak(work: &Work, graph: &str) -> u64 {
    let arguments =
        ["graph", "pagerank", graph, "--memory", "64MiB", "--threads", "2", "--out", "ranks.parquet"];
    let mut command = work.webmill(&arguments);
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    // Until the process is gone: what it had at most only grows.
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let kib = |line: &str| line.trim().trim_end_matches(" kB").parse::<u64>().ok();
        let most = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(kib);
        peak = most.map_or(peak, |kib| kib << 10);
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    peak
}

#[test]
fn a_graph_several_times_larger_than_the_memory() {
    let work = Work::new();
    let path = work.path("large.csr");
    let mut writer = CsrWriter::create(&path, NODES as usize, WeightKind::None).unwrap();
    let mut x = 1u64;
    let mut targets = Vec::new();
    for node in 0..NODES {
        targets.clear();
        // Half of the links stay close by; one node in eight has none.
        for n in 0..if node % 8 == 3 { 0 } else { 38 } {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = (x >> 33) as u32;
            targets.push(if n % 2 == 0 { (node & !1023) + random % 1024 } else { random % NODES } % NODES);
        }
        targets.sort_unstable();
        targets.dedup();
        targets.iter().for_each(|target| writer.push(node, *target, 0).unwrap());
    }
    writer.finish().unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    if NODES > 1 << 20 {
        assert!(size > 4 * (64 << 20), "{size} bytes");
    }
    // Eight million nodes do not fit as one stripe.
    CsrWriter::create(work.path("wide.csr"), 8 << 20, WeightKind::None).unwrap().finish().unwrap();
    let said = work.fails(&["graph", "pagerank", "wide.csr", "--stripes", "1", "--memory", "64MiB"], 2);
    assert!(said.contains("take 2 stripes or more"), "{said}");
    // What the program takes by itself, its own code among it, is not what the graph takes.
    Csr::from_arcs(4, [(0, 1), (1, 2)]).unwrap().write(work.path("small.csr")).unwrap();
    let (alone, peak) = (peak(&work, "small.csr"), peak(&work, "large.csr"));
    assert!(alone > 1 << 20 && peak <= alone + (64 << 20), "{} MiB, alone {} MiB", peak >> 20, alone >> 20);
    let rows: Vec<NodeRankRow> = read_rows(&work.path("ranks.parquet")).unwrap();
    let graph = Csr::open(&path).unwrap();
    let want = PageRank { lean: true, ..PageRank::default() }.run(&graph, &graph.transpose()).unwrap();
    let apart: f64 = rows.iter().zip(&want.scores).map(|(row, want)| (row.pagerank - want).abs()).sum();
    assert!(rows.len() == NODES as usize && apart <= 1e-12 + want.error_bound + 1e-13, "{apart:e}");
}
