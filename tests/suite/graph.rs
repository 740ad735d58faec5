//! Commands on graphs, of files and of results.

use std::collections::{BTreeMap, BTreeSet};

use webmill::jobs::dedup::tables::ClusterRow;
use webmill::jobs::graph::tables::{ArcRow, NodeRow};
use webmill::jobs::levels::Level;
use webmill::jobs::rank::tables::{ConvergenceRow, Iterated, RankRow};
use webmill::mill::TextRow;

use crate::support::{Work, assert_same};

fn lines(work: &Work, arguments: &[&str]) -> Vec<Vec<String>> {
    let output = work.run(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn scores(work: &Work, arguments: &[&str]) -> BTreeMap<String, f64> {
    lines(work, arguments).into_iter().map(|line| (line[0].clone(), line[1].parse().unwrap())).collect()
}

fn assert_near(got: &BTreeMap<String, f64>, want: &[(&str, f64)], within: f64) {
    assert_eq!(got.len(), want.len(), "{got:?}");
    for (name, score) in want {
        assert!((got[*name] - score).abs() < within, "{name}: {got:?}");
    }
}

#[test]
fn vectors_of_the_literature() {
    let work = Work::new();
    std::fs::write(
        work.path("abc.txt"),
        "http://a/ -> http://b/\nhttp://a/ -> http://c/\nhttp://b/ -> http://c/\nhttp://c/ -> http://a/\n",
    )
    .unwrap();
    let classical = ["rank", "abc.txt", "--by", "pagerank-classical"];
    let half = scores(&work, &[&classical[..], &["--damping", "0.5"]].concat());
    assert_near(
        &half,
        &[("http://a/", 14. / 13.), ("http://b/", 10. / 13.), ("http://c/", 15. / 13.)],
        1e-10,
    );
    let usual = scores(&work, &classical);
    assert_near(&usual, &[("http://a/", 1.16337), ("http://b/", 0.64443), ("http://c/", 1.19220)], 1e-5);

    // Three hubs that know one authority, and one that points to all four.
    let hubs = "1 11\n2 11\n3 11\n4 11\n4 12\n4 13\n4 14\n";
    std::fs::write(work.path("hubs.txt"), hubs).unwrap();
    let of = |kind: &str| {
        let all = scores(&work, &["rank", "hubs.txt", "--by", "hub", "--hits-variant", kind]);
        ["1", "2", "3", "4"].map(|name| all[name])
    };
    for (kind, want) in
        [("hits", [0.3470, 0.3470, 0.3470, 0.7992]), ("hub-averaging", [0.5676, 0.5676, 0.5676, 0.1833])]
    {
        let got = of(kind);
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-4), "{kind}: {got:?}");
    }
    assert!(work.fails(&["rank", "hubs.txt", "--hits-variant", "best"], 2).contains("no kind of HITS"));
}

#[test]
fn formats_hold_one_graph() {
    let work = Work::new();
    let text: String = (0..200u32)
        .flat_map(|a| (1..=a % 7).map(move |i| format!("{a} {}\n", (a * 31 + i * i * 17) % 200)))
        .collect();
    std::fs::write(work.path("a.txt"), text).unwrap();
    let want = scores(&work, &["rank", "a.txt"]);
    let mut from = "a.txt".to_owned();
    for to in ["b.mtx", "c.csr", "d", "e.txt"] {
        work.run(&["graph", "convert", &from, to]);
        let got = scores(&work, &["rank", to]);
        // Matrix Market counts from 1: names may be other numbers, scores may not.
        let sorted = |scores: &BTreeMap<String, f64>| {
            let mut values: Vec<f64> = scores.values().copied().collect();
            values.sort_by(f64::total_cmp);
            values
        };
        assert_eq!(sorted(&got), sorted(&want), "{to}");
        from = to.to_owned();
    }
    assert_eq!(
        scores(&work, &["rank", "d", "--threads", "1"]),
        scores(&work, &["rank", "d", "--threads", "2"])
    );
    let info: serde_json::Value =
        serde_json::from_slice(&work.run(&["graph", "info", "c.csr", "--all"]).stdout).unwrap();
    assert_eq!(info["nodes"], 200);
    for format in ["graphml", "gexf"] {
        let drawn = work.run(&["graph", "export", "d", "--top", "20", "--format", format]).stdout;
        assert_eq!(String::from_utf8(drawn).unwrap().matches("<node ").count(), 20, "{format}");
    }
}

#[test]
fn graphs_are_converted_onto_themselves_and_read_from_streams() {
    let work = Work::new();
    // Node 0 has no arc, so that a list of arcs alone would not tell where numbers start.
    std::fs::write(work.path("a.txt"), "# Nodes: 5 Edges: 3\n# First: 0\n1 2\n2 3\n3 1\n").unwrap();
    let want = lines(&work, &["rank", "a.txt"]);
    assert_eq!(want.len(), 5);
    for (from, to) in
        [("a.txt", "b.csr"), ("b.csr", "b.csr"), ("b.csr", "c.txt"), ("c.txt", "c.txt"), ("c.txt", "d.csr")]
    {
        work.run(&["graph", "convert", from, to]);
        assert_eq!(lines(&work, &["rank", to]), want, "{from} to {to}");
    }
    let before = std::fs::read(work.path("b.csr")).unwrap();
    std::fs::write(work.path("bad.txt"), "1 2\n1 x\n").unwrap();
    work.fails(&["graph", "convert", "bad.txt", "b.csr"], 2);
    assert_eq!(std::fs::read(work.path("b.csr")).unwrap(), before);
    assert!(work.unfinished(".").is_empty());
    // Names that a list of arcs cannot hold are refused, and kept beside formats of numbers.
    std::fs::write(work.path("n.txt"), "a b -> c 2\nc -> a b 1\n").unwrap();
    work.run(&["graph", "convert", "n.txt", "n.mtx"]);
    assert_eq!(lines(&work, &["rank", "n.mtx"]), lines(&work, &["rank", "n.txt"]));

    let large: String = (0..60_000u32).map(|a| format!("{a} {}\n", (a * 7 + 1) % 60_000)).collect();
    std::fs::write(work.path("large.txt"), &large).unwrap();
    let stdin = std::fs::File::open(work.path("large.txt")).unwrap();
    let mut cat =
        std::process::Command::new("cat").stdin(stdin).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let piped =
        work.webmill(&["rank", "-", "--top", "5"]).stdin(cat.stdout.take().unwrap()).output().unwrap();
    cat.wait().unwrap();
    assert_eq!(piped.stdout, work.run(&["rank", "large.txt", "--top", "5"]).stdout);
    assert!(String::from_utf8_lossy(&piped.stderr).contains("of the true ranks"));
}

#[test]
fn arguments_that_would_be_ignored_are_refused() {
    let work = Work::new();
    std::fs::write(work.path("a.txt"), "0 1\n").unwrap();
    for arguments in [
        &["rank", "a.txt", "--out", "x"][..],
        &["rank", "--out", "x", "--top", "3"],
        &["shape", "--out", "x", "--level", "host"],
        &["rank", "a.txt", "--level", "host"],
        &["rank"],
        &["graph", "export", "a.txt", "--host", "a.example"],
    ] {
        work.fails(arguments, 2);
    }
}

#[test]
fn odd_graphs_have_scores_that_are_numbers() {
    let work = Work::new();
    for (name, text) in [
        ("one.txt", "http://a/\n"),
        ("self.txt", "0 0\n1 1\n2 2\n"),
        ("dangling.txt", "http://a/\nhttp://b/\nhttp://c/\n"),
        ("zero.txt", "http://a/ -> http://b/ 0\n"),
    ] {
        std::fs::write(work.path(name), text).unwrap();
        for by in ["pagerank", "authority", "hub", "salsa-authority", "harmonic", "indegree"] {
            let got = scores(&work, &["rank", name, "--by", by]);
            assert!(!got.is_empty() && got.values().all(|score| score.is_finite()), "{name} {by}: {got:?}");
            if by == "pagerank" {
                assert!((got.values().sum::<f64>() - 1.0).abs() < 1e-9, "{name}: {got:?}");
            }
        }
        work.run(&["shape", name]);
    }
    std::fs::write(work.path("empty.txt"), "").unwrap();
    for command in ["rank", "shape"] {
        assert!(work.fails(&[command, "empty.txt"], 2).contains("empty.txt: an empty graph"));
    }
}

#[test]
fn bad_graphs_are_told_with_their_place() {
    let work = Work::new();
    let write = |name: &str, bytes: &[u8]| std::fs::write(work.path(name), bytes).unwrap();
    write("a.txt", b"0 1\n1 2\n2 0\n");
    work.run(&["graph", "convert", "a.txt", "good.csr"]);
    work.run(&["graph", "convert", "a.txt", "good"]);
    let good = std::fs::read(work.path("good.csr")).unwrap();
    write("short.csr", &good[..good.len() - 3]);
    let mut other = good.clone();
    other[8] ^= 0x40;
    write("version.csr", &other);
    write("nan.txt", b"http://a/ -> http://b/ NaN\n");
    write("range.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n");
    write("nan.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 nan\n");
    write("cut.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n");
    write("large.txt", b"18446744073709551616 1\n1 2\n");
    write("below.txt", b"-1 2\n");
    write("four.txt", b"0 1 2 3\n");
    let bv = std::fs::read(work.path("good.graph")).unwrap();
    std::fs::copy(work.path("good.properties"), work.path("cut.properties")).unwrap();
    write("cut.graph", &bv[..2]);
    for (name, want) in [
        ("short.csr", "short.csr"),
        ("version.csr", "version"),
        ("nan.txt", "nan.txt"),
        ("range.mtx", "range.mtx"),
        ("nan.mtx", "nan.mtx"),
        ("cut.mtx", "cut.mtx"),
        ("cut", "cut"),
        ("nowhere", "nowhere"),
        ("large.txt", "no pair of numbers"),
        ("below.txt", "no pair of numbers"),
        ("four.txt", "no pair of numbers"),
    ] {
        let output = work.webmill(&["rank", name]).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1..=2)), "{name}: {:?} {message}", output.status);
        assert!(message.contains(want) && !message.contains("panicked"), "{name}: {message}");
        assert!(output.stdout.is_empty(), "{name}");
    }
}

#[test]
fn duplicates_are_folded_into_their_representatives() {
    let work = Work::new();
    work.synth("shards", 1200, u64::MAX);
    work.run(&["run", "shards", "--out", "plain"]);
    std::fs::write(work.path("fold.toml"), "[graph]\nfold_duplicates = true\n").unwrap();
    work.run(&["run", "shards", "--out", "one", "--recipe", "fold.toml", "--threads", "1"]);
    work.run(&[
        "run",
        "shards",
        "--out",
        "two",
        "--recipe",
        "fold.toml",
        "--threads",
        "2",
        "--memory",
        "128MiB",
    ]);
    assert_same(&work.committed("one"), &work.committed("two"), "folded on two threads");

    let clusters: Vec<ClusterRow> = work.table("one", "dedup");
    let copies: BTreeSet<&str> =
        clusters.iter().filter(|page| !page.keep).map(|page| page.url.as_str()).collect();
    assert!(copies.len() > 20, "a corpus without copies shows nothing: {}", copies.len());
    let nodes = |out| {
        let nodes: Vec<NodeRow> = work.table(out, "graph");
        nodes.into_iter().filter(|node| node.level == Level::Page).collect::<Vec<_>>()
    };
    let (plain, folded) = (nodes("plain"), nodes("one"));
    assert_eq!(folded.len(), plain.len() - copies.len());
    assert!(folded.iter().all(|node| !copies.contains(node.url.as_str())));
    assert_eq!(folded.iter().map(|node| node.pages as usize).sum::<usize>(), plain.len());
    let weight = |out| {
        let arcs: Vec<ArcRow> = work.table(out, "graph");
        arcs.iter().filter(|arc| arc.level == Level::Page).map(|arc| u64::from(arc.weight)).sum::<u64>()
    };
    let manifest = std::fs::read(work.path("one").join("graph/latest/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    let dropped = &manifest["counts"]["dropped"];
    assert_eq!(dropped["folded-duplicates"], copies.len());
    let among = dropped["links-among-duplicates"].as_u64().unwrap_or(0);
    assert_eq!(weight("one") + among, weight("plain"), "no link is lost");
}

#[test]
fn hubs_and_authorities_of_a_query() {
    let work = Work::new();
    work.synth("shards", 1500, u64::MAX);
    work.run(&["run", "shards", "--out", "out"]);
    let texts: Vec<TextRow> = work.table("out", "extract");
    let word = texts[0].text.split_whitespace().find(|word| word.chars().all(char::is_alphabetic)).unwrap();
    let ask = |more: &[&str]| lines(&work, &[&["rank", "out", "--query", word], more].concat());
    let found = ask(&[]);
    assert!(
        found.iter().any(|line| line[0] == "authority") && found.iter().any(|line| line[0] == "hub"),
        "{found:?}"
    );
    assert!(found.iter().all(|line| line[1].parse::<f64>().unwrap() > 0.0 && line[2].starts_with("http")));
    assert_eq!(found, ask(&["--threads", "1"]));
    let compiled = ask(&["--arc", "--top", "3"]);
    assert!((1..=6).contains(&compiled.len()), "{compiled:?}");
    // Without in-links and with one root, only pages that an answer links to are around it.
    assert!(ask(&["--roots", "1", "--in-links", "0"]).len() <= found.len());
    assert!(ask(&["--by", "salsa-authority"]).iter().all(|line| line[0] == "salsa-authority"));
    assert!(lines(&work, &["rank", "out", "--query", "qqqxyzzy"]).is_empty());
    assert!(work.fails(&["rank", "out", "--query", "…"], 2).contains("no word"));
    std::fs::write(work.path("a.txt"), "0 1\n").unwrap();
    assert!(work.fails(&["rank", "a.txt", "--query", "x"], 2).contains("results"));
    work.fails(&["rank", "--out", "out", "--query", "x"], 2);
}

#[test]
fn chosen_pages() {
    let work = Work::new();
    work.synth("shards", 600, u64::MAX);
    work.run(&["run", "shards", "--out", "cold"]);
    let pagerank = |out| {
        let ranks: Vec<RankRow> = work.table(out, "rank");
        ranks.into_iter().map(|row| row.pagerank).collect::<Vec<_>>()
    };
    let best = scores(&work, &["rank", "cold", "--top", "1"]).into_keys().next().unwrap();
    std::fs::write(work.path("topic"), format!("{best}\nhttp://nowhere.example/\n")).unwrap();
    let topic = scores(&work, &["rank", "cold", "--teleport", "topic", "--top", "1"]);
    let plain = scores(&work, &["rank", "cold", "--top", "1"]);
    assert!(topic[&best] > plain[&best], "{topic:?} {plain:?}");
    work.run(&["rank", "--out", "cold", "--teleport", "topic"]);
    let sums = pagerank("cold").iter().sum::<f64>();
    assert!((sums - 3.0).abs() < 1e-9, "three levels of sum 1: {sums}");
    std::fs::write(work.path("topic"), "http://nowhere.example/\n").unwrap();
    assert!(work.fails(&["rank", "cold", "--teleport", "topic"], 2).contains("none of the 1 names"));
}

#[test]
fn pairs_of_urls_sparse_numbers_and_lists_without_arcs() {
    let work = Work::new();
    let write = |name: &str, text: &str| std::fs::write(work.path(name), text).unwrap();
    write("arrows.txt", "http://a/ -> http://b/\nhttp://b/ -> http://c/\nhttp://c/ -> http://b/\n");
    write("tabs.tsv", "source\ttarget\nhttp://a/\thttp://b/\nhttp://b/\thttp://c/\nhttp://c/\thttp://b/\n");
    write("blanks.txt", "http://a/ http://b/\nhttp://b/ http://c/\nhttp://c/ http://b/\n");
    let expected = scores(&work, &["rank", "arrows.txt"]);
    for name in ["tabs.tsv", "blanks.txt"] {
        assert_eq!(scores(&work, &["rank", name]), expected, "{name}");
    }

    write("sparse.txt", "7 9000000000\n9000000000 4200\n");
    let output = work.run(&["rank", "sparse.txt", "--by", "indegree"]);
    let (text, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(text, "4200\t1e0\n9000000000\t1e0\n7\t0e0\n");
    assert!(said.contains("sparse.txt: 3 of the numbers from 7 to 9000000000 occur"), "{said}");
    work.run(&["graph", "convert", "sparse.txt", "named.txt"]);
    assert!(std::fs::read_to_string(work.path("named.txt")).unwrap().contains("7 -> 9000000000\n"));

    write("people.txt", "alice bob\nbob carol\n");
    let message = work.fails(&["rank", "people.txt"], 2);
    for part in ["people.txt", "no line holds an arc: 2 lines", "line 1", "alice bob"] {
        assert!(message.contains(part), "{message}");
    }
    write("blank.txt", "http://a/ -> http://b/my page\nhttp://a/ -> http://b/page 2\n");
    let message = work.fails(&["rank", "blank.txt"], 2);
    assert!(
        message.contains("blank.txt") && message.contains("line 2") && message.contains("tabs"),
        "{message}"
    );
}

#[test]
fn hubs_follow_weights_and_say_how_near_they_came() {
    let work = Work::new();
    std::fs::write(work.path("w.txt"), "1 3 3.0\n2 3 1.0\n2 4 1.0\n").unwrap();
    // Of AᵀA = ((10, 1), (1, 1)): the greatest eigenvalue is (11 + √85) / 2.
    let x = (11.0 + 85f64.sqrt()) / 2.0 - 1.0;
    let (third, fourth) = (x / x.hypot(1.0), 1.0 / x.hypot(1.0));
    let output = work.run(&["rank", "w.txt", "--by", "authority"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("HITS: converged after") && said.contains("residual") && said.contains("gap"),
        "{said}"
    );
    let found = scores(&work, &["rank", "w.txt", "--by", "authority"]);
    assert_near(&found, &[("1", 0.0), ("2", 0.0), ("3", third), ("4", fourth)], 1e-12);

    // Two long cycles that differ by one link: too near to tell apart in three iterations.
    let ring =
        |from: u32, n: u32| (0..n).flat_map(move |i| [(from + i, from + (i + 1) % n), (from + i, from + i)]);
    let near: String =
        ring(1, 400).chain(ring(401, 400)).chain([(1, 5)]).map(|(a, b)| format!("{a} {b}\n")).collect();
    std::fs::write(work.path("near.txt"), near).unwrap();
    std::fs::write(work.path("mill.toml"), "[rank]\nhits_max_iterations = 6\n").unwrap();
    let output = work.run(&["rank", "near.txt", "--by", "hub", "--recipe", "mill.toml"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("HITS: NOT converged after 6 iterations, residual"), "{said}");
}

#[test]
fn harmonic_centrality_says_whether_it_is_exact() {
    let work = Work::new();
    let arcs: String = (0..300)
        .flat_map(|u| [(u, (u + 1) % 300), (u, u * 7 % 300)])
        .map(|(a, b)| format!("{a} {b}\n"))
        .collect();
    std::fs::write(work.path("g.txt"), arcs).unwrap();
    let said = |arguments: &[&str]| String::from_utf8(work.run(arguments).stderr).unwrap();
    let exact = scores(&work, &["rank", "g.txt", "--by", "harmonic"]);
    assert!(said(&["rank", "g.txt", "--by", "harmonic"]).contains("harmonic centrality: exact"));
    std::fs::write(work.path("mill.toml"), "[rank]\nharmonic_exact_nodes = 10\n").unwrap();
    let estimate = ["rank", "g.txt", "--by", "harmonic", "--recipe", "mill.toml"];
    let message = said(&estimate);
    assert!(message.contains("2^10 registers, relative standard error 3.2 %"), "{message}");
    let estimated = scores(&work, &estimate);
    assert!(estimated.iter().all(|(name, score)| (score / exact[name] - 1.0).abs() < 0.15));
    assert!(estimated.iter().any(|(name, score)| *score != exact[name]));
    let asked = [&estimate[..], &["--exact"]].concat();
    assert!(said(&asked).contains("harmonic centrality: exact"));
    assert_eq!(scores(&work, &asked), exact);

    work.synth("shards", 60, u64::MAX);
    work.run(&["run", "shards", "--out", "out"]);
    let rows: Vec<ConvergenceRow> = work.table("out", "rank");
    assert_eq!(rows.len(), 9);
    for row in &rows {
        assert!(row.converged && row.error <= 1e-10, "{}", row.measure.as_str());
        assert_eq!(row.residual.is_some(), row.measure == Iterated::Hits);
    }
}

#[test]
fn parts_of_the_shape_alone() {
    let work = Work::new();
    std::fs::write(work.path("g.txt"), "0 1\n1 0\n1 2\n3 4\n").unwrap();
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&work.run(&[&["shape", "g.txt"], arguments].concat()).stdout).unwrap()
    };
    let all = json(&[]);
    let scc = json(&["--only", "scc"]);
    assert_eq!(scc["strong_components"]["number"], 4);
    assert_eq!(scc["strong_components"]["sizes"], serde_json::json!([[1, 3], [2, 1]]));
    let keys: Vec<&String> = scc.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["graph", "strong_components"]);
    let both = json(&["--only", "wcc,bowtie"]);
    assert_eq!(both["weak_components"]["sizes"], serde_json::json!([[2, 1], [3, 1]]));
    assert_eq!(both["bowtie"], all["shape"]["bowtie"]);
    assert!(both.get("strong_components").is_none());
    let nodes = lines(&work, &["shape", "g.txt", "--only", "scc,wcc", "--nodes"]);
    assert_eq!(nodes[0], ["0", "0", "0"]);
    assert_eq!(nodes[2], ["2", "1", "0"]);
    assert_eq!(nodes[4], ["4", "3", "1"]);
    assert!(
        work.fails(&["shape", "g.txt", "--only", "degrees", "--nodes"], 2).contains("scc, wcc or bowtie")
    );
    work.fails(&["shape", "--out", "out", "--only", "scc"], 2);
}

#[test]
fn lists_of_arcs_as_users_have_them() {
    use std::io::Write;
    let work = Work::new();
    let write = |name: &str, bytes: &[u8]| std::fs::write(work.path(name), bytes).unwrap();
    let tabs = "http://a/\thttp://b/\r\nhttp://b/\thttp://c/\r\nhttp://c/\thttp://b/\r\n";
    write("tabs.tsv", tabs.as_bytes());
    write("commas.csv", b"source,target\nhttp://a/,http://b/\nhttp://b/,http://c/\nhttp://c/,http://b/\n");
    write(
        "quoted.csv",
        b"\"http://a/\",\"http://b/\"\n\"http://b/\",\"http://c/\"\n\"http://c/\",\"http://b/\"\n",
    );
    write("named.tsv", format!("\u{feff}Source URL\tTarget URL\n{tabs}").as_bytes());
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(tabs.as_bytes()).unwrap();
    write("tabs.tsv.gz", &gzip.finish().unwrap());
    let expected = scores(&work, &["rank", "tabs.tsv"]);
    assert_eq!(expected.len(), 3);
    for name in ["commas.csv", "quoted.csv", "named.tsv", "tabs.tsv.gz"] {
        assert_eq!(scores(&work, &["rank", name]), expected, "{name}");
    }

    let header = "# Directed graph (each unordered pair of nodes is saved once): web.txt\n# A crawl\n";
    write(
        "snap.txt",
        format!("{header}# Nodes: 4 Edges: 3\n# FromNodeId\tToNodeId\n0\t0\n0\t1\n2\t3\n").as_bytes(),
    );
    write("ids.csv", b"id_1,id_2\n0,0\n0,1\n2,3\n");
    let expected = scores(&work, &["rank", "snap.txt", "--by", "indegree"]);
    assert_eq!(expected.values().sum::<f64>(), 3.0);
    assert_eq!(scores(&work, &["rank", "ids.csv", "--by", "indegree"]), expected);

    // What was guessed is said; names that differ in bytes that are no text are two.
    for (name, bytes, says) in [
        ("latin.tsv", &b"http://a/\xe9\thttp://b/\nhttp://a/\xe8\thttp://b/\n", "written as %XX"),
        (
            "again.txt",
            b"http://a/ http://b/page 2\nhttp://a/ http://b/page 3\n",
            "come again with another weight",
        ),
        ("both.txt", b"# Undirected graph: x\n1 2\n2 3\n", "links have no direction"),
    ] {
        write(name, bytes);
        let output = work.run(&["rank", name, "--by", "indegree"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(name) && said.contains(says), "{name}: {said}");
    }
    assert_eq!(scores(&work, &["rank", "latin.tsv", "--by", "indegree"])["http://b/"], 2.0);

    // What cannot be meant so is refused with its line, and nothing is printed.
    let mostly: String = (0..50).map(|i| format!("alice bob{i}\n")).collect();
    for (name, text, says) in [
        (
            "mostly.txt",
            format!("http://a/ -> http://b/\n{mostly}"),
            "only 1 lines hold an arc: 50 would be nodes",
        ),
        ("third.txt", "0 1\n1 2\nfoo bar\n2 0\n".into(), "line 3: \"foo bar\" is no pair of numbers"),
        (
            "weight.tsv",
            "http://a/\thttp://b/\nhttp://a/\thttp://b/\tmany\n".into(),
            "line 2: \"many\" is no weight",
        ),
        ("json.txt", "{\"source\":\"http://a/\",\"target\":\"http://b/\"}\n".into(), "no line holds an arc"),
    ] {
        write(name, text.as_bytes());
        let message = work.fails(&["rank", name], 2);
        assert!(message.contains(name) && message.contains(says), "{message}");
        assert!(work.webmill(&["rank", name]).output().unwrap().stdout.is_empty());
    }
}

/// A graph with weights whose links point to low numbers mostly, as a matrix.
fn weighted_matrix(nodes: usize, links: usize) -> Vec<Vec<f64>> {
    let mut state = 11u64;
    let mut below = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut matrix = vec![vec![0.0; nodes]; nodes];
    for _ in 0..links {
        let (source, target) = (below(nodes), below(nodes).min(below(nodes)));
        matrix[source][target] = (1 + below(40)) as f64 / 8.0;
    }
    matrix
}

/// x ↦ xᵀM.
fn times(x: &[f64], matrix: &[Vec<f64>]) -> Vec<f64> {
    let column = |v: usize| x.iter().zip(matrix).map(|(x, row)| x * row[v]).sum();
    (0..x.len()).map(column).collect()
}

fn transposed(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..matrix.len()).map(|v| matrix.iter().map(|row| row[v]).collect()).collect()
}

/// Rows that sum to 1, or to 0.
fn shares(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let share = |row: &Vec<f64>| {
        let whole: f64 = row.iter().sum();
        row.iter().map(|cell| if whole > 0.0 { cell / whole } else { 0.0 }).collect()
    };
    matrix.iter().map(share).collect()
}

#[test]
fn scores_of_a_file_with_weights_are_what_dense_iteration_gives() {
    let work = Work::new();
    let n = 60;
    let links = weighted_matrix(n, 420);
    let mut text = format!("# Nodes: {n}\n# First: 0\n");
    for (u, row) in links.iter().enumerate() {
        for (v, weight) in row.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            text += &format!("{u} {v} {weight}\n");
        }
    }
    std::fs::write(work.path("g.txt"), text).unwrap();
    let back = transposed(&links);
    let (walk, walk_back) = (shares(&links), shares(&back));

    let mut rank = vec![1.0 / n as f64; n];
    for _ in 0..400 {
        let lost: f64 =
            rank.iter().zip(&walk).filter(|(_, row)| row.iter().all(|w| *w == 0.0)).map(|(x, _)| x).sum();
        let given = times(&rank, &walk);
        rank = given.iter().map(|x| 0.85 * (x + lost / n as f64) + 0.15 / n as f64).collect();
    }
    let hits = |first: &[Vec<f64>], second: &[Vec<f64>]| {
        let mut x = vec![1.0; n];
        for _ in 0..20_000 {
            x = times(&times(&x, first), second);
            let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            x.iter_mut().for_each(|x| *x /= length);
        }
        x
    };
    let salsa = |first: &[Vec<f64>], second: &[Vec<f64>], from: &[Vec<f64>]| {
        let may: Vec<bool> = from.iter().map(|row| row.iter().any(|w| *w > 0.0)).collect();
        let all = may.iter().filter(|may| **may).count() as f64;
        let mut x: Vec<f64> = may.iter().map(|may| if *may { 1.0 / all } else { 0.0 }).collect();
        for _ in 0..20_000 {
            x = times(&times(&x, first), second);
        }
        x
    };
    for (by, expected) in [
        ("pagerank", rank),
        ("authority", hits(&back, &links)),
        ("hub", hits(&links, &back)),
        ("salsa-authority", salsa(&walk_back, &walk, &back)),
        ("salsa-hub", salsa(&walk, &walk_back, &links)),
        ("harmonic", harmonic_by_all_distances(&links)),
    ] {
        let found = scores(&work, &["rank", "g.txt", "--by", by]);
        assert_eq!(found.len(), n);
        for (node, expected) in expected.iter().enumerate() {
            let found = found[&node.to_string()];
            assert!((found - expected).abs() < 1e-9, "{by} of {node}: {found}, not {expected}");
        }
    }
}

/// By the distances of all pairs (Floyd and Warshall), which count arcs.
fn harmonic_by_all_distances(links: &[Vec<f64>]) -> Vec<f64> {
    let n = links.len();
    let mut distance: Vec<Vec<f64>> = links
        .iter()
        .map(|row| row.iter().map(|w| if *w > 0.0 { 1.0 } else { f64::INFINITY }).collect())
        .collect();
    for through in 0..n {
        for from in 0..n {
            for to in 0..n {
                distance[from][to] = distance[from][to].min(distance[from][through] + distance[through][to]);
            }
        }
    }
    (0..n).map(|to| (0..n).filter(|from| *from != to).map(|from| 1.0 / distance[from][to]).sum()).collect()
}

#[test]
fn hubs_that_did_not_converge_are_told_in_the_table() {
    let work = Work::new();
    work.synth("shards", 300, u64::MAX);
    std::fs::write(work.path("mill.toml"), "[rank]\nhits_max_iterations = 8\n").unwrap();
    let output = work.run(&["run", "shards", "--out", "out", "--recipe", "mill.toml"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let rows: Vec<ConvergenceRow> = work.table("out", "rank");
    let hits = rows.iter().find(|row| row.level == Level::Page && row.measure == Iterated::Hits).unwrap();
    assert!(!hits.converged && hits.iterations == 8, "{} {}", hits.converged, hits.iterations);
    assert!(hits.error > 1e-10 && hits.residual.unwrap() > 1e-12 && hits.gap.is_some());
    assert!(said.contains("rank page: HITS: NOT converged after 8 iterations, residual"), "{said}");
    assert!(rows.iter().all(|row| row.converged || row.measure == Iterated::Hits));
}
