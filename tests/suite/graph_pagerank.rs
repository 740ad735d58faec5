//! Ranks of graphs that are larger than the memory: graph and transpose stay on disk.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use webmill::graph::{Csr, CsrWriter, PageRank, WeightKind};
use webmill::jobs::rank::tables;
use webmill::table::{DynamicReader, Value};

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
fn lean_ranks_are_those_of_rank() {
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
    let topic = "http://h3.example/3\nhttp://h4.example/4\t2.5\nhttp://none.example/\n";
    std::fs::write(work.path("topic.txt"), topic).unwrap();
    for flags in [
        &[][..],
        &["--set", "rank.damping=0.5", "--set", "rank.dangling=lost"],
        &["--teleport", "topic.txt", "--set", "rank.dangling=uniform"],
        &["--by", "authority"],
        &["--by", "salsa-hub"],
        &["--by", "harmonic"],
        &["--by", "indegree"],
    ] {
        for graph in ["a.csr", "a.txt"] {
            let rank = |more: &[&str]| {
                work.run(&[&["rank", graph, "--format", "tsv"][..], flags, more].concat()).stdout
            };
            let (one, two) = (rank(&["--lean", "--threads", "1"]), rank(&["--lean", "--threads", "2"]));
            assert!(one == two && distance(&scores(&one), &scores(&rank(&[]))) < 3e-12, "{flags:?}");
        }
    }
}

#[test]
fn lean_ranks_of_results_are_those_of_rank() {
    let work = Work::new();
    work.synth("corpus", 400, u64::MAX);
    work.run(&["run", "corpus", "--out", "results"]);
    let ranks = || -> Vec<Vec<Value>> {
        let mut reader =
            DynamicReader::open(&work.path("results/rank/latest/ranks"), &tables::ranks()).unwrap();
        std::iter::from_fn(|| reader.next().unwrap()).flatten().collect()
    };
    let want = ranks();
    work.run(&["rank", "results", "--lean"]);
    let found = ranks();
    assert_eq!(found.len(), want.len());
    for (a, b) in found.iter().flatten().zip(want.iter().flatten()) {
        match (a, b) {
            (Value::Float(a), Value::Float(b)) => assert!((a - b).abs() < 1e-11, "{a} {b}"),
            _ => assert_eq!(a, b),
        }
    }
    assert!(work.unfinished("results").is_empty());
}

/// Builds without optimisation are for looking for mistakes, not for waiting.
const NODES: u32 = if cfg!(debug_assertions) { 100_000 } else { 1 << 20 };

/// Ranks a graph within 64 MiB, and the most private memory that the process had, in bytes.
fn lean(work: &Work, graph: &str) -> (BTreeMap<String, f64>, u64) {
    let arguments = [
        "rank",
        graph,
        "--lean",
        "--memory",
        "64MiB",
        "--threads",
        "2",
        "--top",
        "20",
        "--recipe",
        "rank.toml",
        "--format",
        "tsv",
    ];
    let mut child = work.webmill(&arguments).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let kib = |line: &str| line.trim().trim_end_matches(" kB").parse::<u64>().ok();
        let now = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).and_then(kib);
        peak = now.map_or(peak, |kib| peak.max(kib << 10));
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (scores(&output.stdout), peak)
}

#[test]
fn a_graph_several_times_larger_than_the_memory() {
    let work = Work::new();
    let path = work.path("large.csr");
    let mut writer = CsrWriter::create(&path, NODES as usize, WeightKind::None).unwrap();
    for node in 0..NODES {
        // Links come in runs, as those of the Web do; one node in eight has none.
        let first = node.wrapping_mul(2_654_435_761) % (NODES - 80);
        let last = if node % 8 == 3 { first } else { first + 74 };
        (first..last).for_each(|target| writer.push(node, target, 0).unwrap());
    }
    writer.finish().unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(NODES < 1 << 20 || size > 4 * (64 << 20), "{size} bytes");
    std::fs::write(work.path("rank.toml"), "[rank]\ntolerance = 1e-2\n").unwrap();

    // What the program takes by itself is not what the graph takes.
    Csr::from_arcs(4, [(0, 1), (1, 2)]).unwrap().write(work.path("small.csr")).unwrap();
    let (_, alone) = lean(&work, "small.csr");
    let (found, peak) = lean(&work, "large.csr");
    assert!(alone > 1 << 20 && peak <= alone + (64 << 20), "{} MiB, alone {} MiB", peak >> 20, alone >> 20);
    let graph = Csr::open(&path).unwrap();
    let settings = PageRank { tolerance: 1e-2, lean: true, ..PageRank::default() };
    let want = settings.run(&graph, &graph.transpose()).unwrap().scores;
    assert!(
        found.len() == 20 && found.iter().all(|(node, score)| want[node.parse::<usize>().unwrap()] == *score)
    );

    if NODES == 1 << 20 {
        let said = work.fails(&["rank", "large.csr", "--memory", "64MiB", "--format", "tsv"], 2);
        assert!(said.contains("--lean"), "{said}");
    }
    CsrWriter::create(work.path("wide.csr"), 8 << 20, WeightKind::None).unwrap().finish().unwrap();
    let said = work.fails(&["rank", "wide.csr", "--lean", "--memory", "64MiB", "--format", "tsv"], 2);
    assert!(said.contains("takes about 384 MiB"), "{said}");
    assert_eq!(graph.num_nodes(), NODES as usize);
}
