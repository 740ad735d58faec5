//! Commands on graphs, of files and of results.

use std::collections::{BTreeMap, BTreeSet};

use webmill::jobs::dedup::tables::ClusterRow;
use webmill::jobs::graph::tables::{ArcRow, NodeRow};
use webmill::jobs::levels::Level;
use webmill::jobs::rank::tables::{ConvergenceRow, RankRow};
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
fn formats_hold_one_graph() {
    let work = Work::new();
    let text: String = (0..200u32)
        .flat_map(|a| (1..=a % 7).map(move |i| format!("{a} {}\n", (a * 31 + i * i * 17) % 200)))
        .collect();
    std::fs::write(work.path("a.txt"), text).unwrap();
    let want = scores(&work, &["rank", "a.txt", "--format", "tsv"]);
    let mut from = "a.txt".to_owned();
    for to in ["b.mtx", "c.csr", "d", "e.txt"] {
        work.run(&["graph", "convert", &from, to]);
        let got = scores(&work, &["rank", to, "--format", "tsv"]);
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
        scores(&work, &["rank", "d", "--threads", "1", "--format", "tsv"]),
        scores(&work, &["rank", "d", "--threads", "2", "--format", "tsv"])
    );
    let info: serde_json::Value = serde_json::from_slice(&work.run(&["shape", "c.csr"]).stdout).unwrap();
    assert_eq!(info["nodes"], 200);
    for format in ["graphml", "gexf"] {
        let drawn = work.run(&["graph", "export", "d", "--top", "20", "--to", format]).stdout;
        assert_eq!(String::from_utf8(drawn).unwrap().matches("<node ").count(), 20, "{format}");
    }
}

#[test]
fn graphs_are_converted_onto_themselves_and_read_from_streams() {
    let work = Work::new();
    // Node 0 has no arc, so that a list of arcs alone would not tell where numbers start.
    std::fs::write(work.path("a.txt"), "# Nodes: 5 Edges: 3\n# First: 0\n1 2\n2 3\n3 1\n").unwrap();
    let want = lines(&work, &["rank", "a.txt", "--format", "tsv"]);
    assert_eq!(want.len(), 5);
    for (from, to) in
        [("a.txt", "b.csr"), ("b.csr", "b.csr"), ("b.csr", "c.txt"), ("c.txt", "c.txt"), ("c.txt", "d.csr")]
    {
        work.run(&["graph", "convert", from, to]);
        assert_eq!(lines(&work, &["rank", to, "--format", "tsv"]), want, "{from} to {to}");
    }
    let before = std::fs::read(work.path("b.csr")).unwrap();
    std::fs::write(work.path("bad.txt"), "1 2\n1 x\n").unwrap();
    work.fails(&["graph", "convert", "bad.txt", "b.csr"], 2);
    assert_eq!(std::fs::read(work.path("b.csr")).unwrap(), before);
    assert!(work.unfinished(".").is_empty());
    // Names that a list of arcs cannot hold are refused, and kept beside formats of numbers.
    std::fs::write(work.path("n.txt"), "a b -> c 2\nc -> a b 1\n").unwrap();
    work.run(&["graph", "convert", "n.txt", "n.mtx"]);
    assert_eq!(
        lines(&work, &["rank", "n.mtx", "--format", "tsv"]),
        lines(&work, &["rank", "n.txt", "--format", "tsv"])
    );

    let large: String = (0..60_000u32).map(|a| format!("{a} {}\n", (a * 7 + 1) % 60_000)).collect();
    std::fs::write(work.path("large.txt"), &large).unwrap();
    let stdin = std::fs::File::open(work.path("large.txt")).unwrap();
    let mut cat =
        std::process::Command::new("cat").stdin(stdin).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let piped = work
        .webmill(&["rank", "-", "--top", "5", "--format", "tsv"])
        .stdin(cat.stdout.take().unwrap())
        .output()
        .unwrap();
    cat.wait().unwrap();
    assert_eq!(piped.stdout, work.run(&["rank", "large.txt", "--top", "5", "--format", "tsv"]).stdout);
    assert!(String::from_utf8_lossy(&piped.stderr).contains("of the true ranks"));
}

#[test]
fn arguments_that_would_be_ignored_are_refused() {
    let work = Work::new();
    std::fs::write(work.path("a.txt"), "0 1\n").unwrap();
    for arguments in [
        &["rank", "x", "a.txt", "--format", "tsv"][..],
        &["rank", "x", "--top", "3", "--format", "tsv"],
        &["shape", "x", "--level", "host"],
        &["rank", "a.txt", "--level", "host", "--format", "tsv"],
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
        ("one.txt", "http://a/ -> http://a/\n"),
        ("self.txt", "0 0\n1 1\n2 2\n"),
        ("dangling.txt", "http://a/ -> http://b/\nhttp://a/ -> http://c/\n"),
        ("zero.txt", "http://a/ -> http://b/ 0\n"),
    ] {
        std::fs::write(work.path(name), text).unwrap();
        for by in ["pagerank", "authority", "hub", "salsa-authority", "harmonic", "indegree"] {
            let got = scores(&work, &["rank", name, "--by", by, "--format", "tsv"]);
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
    let dropped = &work.counts("one", "graph")["dropped"];
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
    let ask =
        |more: &[&str]| lines(&work, &[&["rank", "out", "--query", word, "--format", "tsv"], more].concat());
    let found = ask(&[]);
    assert!(
        found.iter().any(|line| line[0] == "authority") && found.iter().any(|line| line[0] == "hub"),
        "{found:?}"
    );
    assert!(found.iter().all(|line| line[1].parse::<f64>().unwrap() > 0.0 && line[2].starts_with("http")));
    assert_eq!(found, ask(&["--threads", "1"]));
    let compiled = ask(&["--arc", "--top", "3"]);
    assert!((1..=6).contains(&compiled.len()), "{compiled:?}");
    assert!(ask(&["--by", "salsa-authority"]).iter().all(|line| line[0] == "salsa-authority"));
    assert!(lines(&work, &["rank", "out", "--query", "qqqxyzzy", "--format", "tsv"]).is_empty());
    assert!(work.fails(&["rank", "out", "--query", "…", "--format", "tsv"], 2).contains("no word"));
    std::fs::write(work.path("a.txt"), "0 1\n").unwrap();
    assert!(work.fails(&["rank", "a.txt", "--query", "x", "--format", "tsv"], 2).contains("results"));
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
    let best = scores(&work, &["rank", "cold", "--level", "page", "--top", "1", "--format", "tsv"])
        .into_keys()
        .next()
        .unwrap();
    std::fs::write(work.path("topic"), format!("{best}\nhttp://nowhere.example/\n")).unwrap();
    let topic = scores(
        &work,
        &["rank", "cold", "--level", "page", "--teleport", "topic", "--top", "1", "--format", "tsv"],
    );
    let plain = scores(&work, &["rank", "cold", "--level", "page", "--top", "1", "--format", "tsv"]);
    assert!(topic[&best] > plain[&best], "{topic:?} {plain:?}");
    work.run(&["rank", "cold", "--teleport", "topic"]);
    let sums = pagerank("cold").iter().sum::<f64>();
    assert!((sums - 3.0).abs() < 1e-9, "three levels of sum 1: {sums}");
    std::fs::write(work.path("topic"), "http://nowhere.example/\n").unwrap();
    assert!(work.fails(&["rank", "cold", "--teleport", "topic"], 2).contains("none of the 1 names"));
}

#[test]
fn hubs_follow_weights_and_say_how_near_they_came() {
    let work = Work::new();
    std::fs::write(work.path("w.txt"), "1 3 3.0\n2 3 1.0\n2 4 1.0\n").unwrap();
    // Of AᵀA = ((10, 1), (1, 1)): the greatest eigenvalue is (11 + √85) / 2.
    let x = (11.0 + 85f64.sqrt()) / 2.0 - 1.0;
    let (third, fourth) = (x / x.hypot(1.0), 1.0 / x.hypot(1.0));
    let output = work.run(&["rank", "w.txt", "--by", "authority", "--format", "tsv"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("HITS: converged after") && said.contains("residual") && said.contains("gap"),
        "{said}"
    );
    let found = scores(&work, &["rank", "w.txt", "--by", "authority", "--format", "tsv"]);
    assert_near(&found, &[("1", 0.0), ("2", 0.0), ("3", third), ("4", fourth)], 1e-12);

    // Two long cycles that differ by one link: too near to tell apart in three iterations.
    let ring =
        |from: u32, n: u32| (0..n).flat_map(move |i| [(from + i, from + (i + 1) % n), (from + i, from + i)]);
    let near: String =
        ring(1, 400).chain(ring(401, 400)).chain([(1, 5)]).map(|(a, b)| format!("{a} {b}\n")).collect();
    std::fs::write(work.path("near.txt"), near).unwrap();
    std::fs::write(work.path("mill.toml"), "[rank]\nhits_max_iterations = 6\n").unwrap();
    let output = work.run(&["rank", "near.txt", "--by", "hub", "--recipe", "mill.toml", "--format", "tsv"]);
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
    let exact = scores(&work, &["rank", "g.txt", "--by", "harmonic", "--format", "tsv"]);
    assert!(
        said(&["rank", "g.txt", "--by", "harmonic", "--format", "tsv"])
            .contains("harmonic centrality: exact")
    );
    std::fs::write(work.path("mill.toml"), "[rank]\nharmonic_exact_nodes = 10\n").unwrap();
    let estimate = ["rank", "g.txt", "--by", "harmonic", "--recipe", "mill.toml", "--format", "tsv"];
    let message = said(&estimate);
    assert!(message.contains("2^10 registers, relative standard error 3.2 %"), "{message}");
    let estimated = scores(&work, &estimate);
    assert!(estimated.iter().all(|(name, score)| (score / exact[name] - 1.0).abs() < 0.15));
    assert!(estimated.iter().any(|(name, score)| *score != exact[name]));
    let asked = [&estimate[..], &["--set", "rank.harmonic_exact_nodes=9223372036854775807"]].concat();
    assert!(said(&asked).contains("harmonic centrality: exact"));
    assert_eq!(scores(&work, &asked), exact);

    work.synth("shards", 60, u64::MAX);
    work.run(&["run", "shards", "--out", "out"]);
    let rows: Vec<ConvergenceRow> = work.table("out", "rank");
    assert_eq!(rows.len(), 9);
    for row in &rows {
        assert!(row.converged && row.error <= 1e-10, "{}", row.measure);
        assert_eq!(row.residual.is_some(), row.measure == "hits");
    }
    std::fs::write(work.path("mill.toml"), "[rank]\nhits_max_iterations = 3\n").unwrap();
    work.run(&["run", "shards", "--out", "out", "--recipe", "mill.toml"]);
    let rows: Vec<ConvergenceRow> = work.table("out", "rank");
    assert!(rows.iter().any(|row| row.measure == "hits" && !row.converged && row.iterations == 3));
    assert!(rows.iter().all(|row| row.converged || row.measure == "hits" && row.error > 1e-10));
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
    work.fails(&["shape", "out", "--only", "scc"], 2);
}

#[test]
fn lists_of_arcs_as_users_have_them() {
    use std::io::Write;
    let work = Work::new();
    let write = |name: &str, bytes: &[u8]| std::fs::write(work.path(name), bytes).unwrap();
    let tabs = "http://a/\thttp://b/\r\nhttp://b/\thttp://c/\r\nhttp://c/\thttp://b/\r\n";
    write("tabs.tsv", tabs.as_bytes());
    write("named.tsv", format!("\u{feff}Source URL\tTarget URL\n{tabs}").as_bytes());
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(tabs.as_bytes()).unwrap();
    write("tabs.tsv.gz", &gzip.finish().unwrap());
    let expected = scores(&work, &["rank", "tabs.tsv", "--format", "tsv"]);
    assert_eq!(expected.len(), 3);
    for name in ["named.tsv", "tabs.tsv.gz"] {
        assert_eq!(scores(&work, &["rank", name, "--format", "tsv"]), expected, "{name}");
    }

    let header = "# Directed graph (each unordered pair of nodes is saved once): web.txt\n# A crawl\n";
    write(
        "snap.txt",
        format!("{header}# Nodes: 4 Edges: 3\n# FromNodeId\tToNodeId\n0\t0\n0\t1\n2\t3\n").as_bytes(),
    );
    write("ids.csv", b"id_1,id_2\n0,0\n0,1\n2,3\n");
    let expected = scores(&work, &["rank", "snap.txt", "--by", "indegree", "--format", "tsv"]);
    assert_eq!(expected.values().sum::<f64>(), 3.0);
    assert_eq!(scores(&work, &["rank", "ids.csv", "--by", "indegree", "--format", "tsv"]), expected);

    // What was guessed is said; names that differ in bytes that are no text are two.
    for (name, bytes, says) in [
        ("latin.tsv", &b"http://a/\xe9\thttp://b/\nhttp://a/\xe8\thttp://b/\n"[..], "written as %XX"),
        ("both.txt", b"# Undirected graph: x\n1 2\n2 3\n", "links have no direction"),
    ] {
        write(name, bytes);
        let output = work.run(&["rank", name, "--by", "indegree", "--format", "tsv"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(name) && said.contains(says), "{name}: {said}");
    }
    assert_eq!(
        scores(&work, &["rank", "latin.tsv", "--by", "indegree", "--format", "tsv"])["http://b/"],
        2.0
    );

    // What cannot be meant so is refused with its line, and nothing is printed.
    let mostly: String = (0..50).map(|i| format!("alice bob{i}\n")).collect();
    for (name, text, says) in [
        ("mostly.txt", format!("http://a/ -> http://b/\n{mostly}"), "line 2: \"alice bob0\" is no arc"),
        ("third.txt", "0 1\n1 2\nfoo bar\n2 0\n".into(), "line 3: \"foo bar\" is no pair of numbers"),
        (
            "weight.tsv",
            "http://a/\thttp://b/\nhttp://a/\thttp://b/\tmany\n".into(),
            "line 2: \"many\" is no weight",
        ),
        (
            "json.txt",
            "{\"source\":\"http://a/\",\"target\":\"http://b/\"}\n".into(),
            "a quote ends inside a cell",
        ),
    ] {
        write(name, text.as_bytes());
        let message = work.fails(&["rank", name, "--format", "tsv"], 2);
        assert!(message.contains(name) && message.contains(says), "{message}");
        assert!(work.webmill(&["rank", name, "--format", "tsv"]).output().unwrap().stdout.is_empty());
    }
}

#[test]
fn graph_files_come_by_one_front_door_that_says_how_they_were_read() {
    let work = Work::new();
    let write = |name: &str, text: &str| std::fs::write(work.path(name), text).unwrap();
    // Parallel arcs add up, with weights, without them and in a matrix.
    write("many.txt", "x\ty\nx\ty\nx\tz\ny\tx\nz\tx\n");
    write("ones.txt", "x\ty\t1\nx\ty\t1\nx\tz\t1\ny\tx\t1\nz\tx\t1\n");
    write(
        "ones.mtx",
        "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 2 1\n1 2 1\n1 3 1\n2 1 1\n3 1 1\n",
    );
    let many = scores(&work, &["rank", "many.txt", "--format", "tsv"]);
    assert!(many["y"] > many["z"]);
    assert_eq!(scores(&work, &["rank", "ones.txt", "--format", "tsv"]), many);
    let matrix = scores(&work, &["rank", "ones.mtx", "--format", "tsv"]);
    assert_eq!([matrix["1"], matrix["2"], matrix["3"]], [many["x"], many["y"], many["z"]]);
    for file in ["many.txt", "ones.txt", "ones.mtx"] {
        for how in ["max", "first"] {
            let one: Vec<f64> =
                scores(&work, &["rank", file, "--parallel", how, "--format", "tsv"]).into_values().collect();
            assert_eq!(one[1], one[2], "{file} {how}");
        }
    }

    // One sign of percent, and both directions of a symmetric matrix.
    write("one.mtx", "%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n5 4\n5 1\n");
    let info = work.json(&["graph", "info", "one.mtx"]);
    assert_eq!(
        (&info["arcs"], &info["self_loops"], &info["weighted"]),
        (&8.into(), &0.into(), &false.into())
    );
    let said = |arguments: &[&str]| String::from_utf8(work.run(arguments).stderr).unwrap();
    assert!(said(&["graph", "info", "one.mtx"]).contains("one.mtx: read as a Matrix Market file"));

    write("gaps.txt", "1 2\n3 4\n5 8\n10 6\n");
    let gaps = said(&["graph", "info", "gaps.txt"]);
    assert!(gaps.contains("read as a list of arcs, arcs between numbers with blanks between"), "{gaps}");

    write("table.csv", "day,who,whom\nmon,\"Smith, Ann\",Bob\ntue,Bob,Cid\n");
    let ranks = scores(&work, &["rank", "table.csv", "--columns", "who,whom", "--format", "tsv"]);
    assert_eq!(ranks.into_keys().collect::<Vec<_>>(), ["Bob", "Cid", "Smith, Ann"]);
    let error = work.fails(&["rank", "table.csv", "--columns", "who,whon", "--format", "tsv"], 2);
    assert!(error.contains("near to it: who, whom"), "{error}");
    write("empty.tsv", "x\ty\nx\t\tz\n");
    let error = work.fails(&["rank", "empty.tsv", "--format", "tsv"], 2);
    assert!(
        error.contains("empty.tsv") && error.contains("line 2") && error.contains("column 2 is empty"),
        "{error}"
    );
    let error = work.fails(&["rank", "one.mtx", "--columns", "1,2", "--format", "tsv"], 2);
    assert!(error.contains("has no columns to choose"), "{error}");
}

#[test]
fn hosts_are_found_as_they_are_typed_and_wrong_ones_have_near_ones() {
    let work = Work::new();
    let page = |links: &str| format!("<title>t</title><p>{links} {}", crate::support::story(1));
    work.write_pages(
        "shards",
        &[
            (
                "http://xn--fsqu00a.xn--0zwm56d/a".into(),
                page("<a href=\"http://upper.example/\">u</a> <a href=\"http://dot.example/\">d</a>"),
            ),
            ("http://upper.example/".into(), page("<a href=\"http://dot.example./x\">d</a>")),
            ("http://dot.example/".into(), page("<a href=\"http://例子.测试/a\">e</a>")),
        ],
    );
    work.run(&["extract", "shards", "--out", "out"]);
    work.run(&["graph", "out"]);
    let drawn = work.output(&["graph", "export", "out", "--host", "例子.测试"]);
    assert_eq!(drawn.matches("<node ").count(), 1);
    let drawn = work.output(&["graph", "export", "out", "--host", "Dot.Example.", "--level", "host"]);
    assert_eq!(drawn.matches("<node ").count(), 1);
    let error = work.fails(&["graph", "export", "out", "--host", "uper.example"], 2);
    assert!(error.contains("near to it: upper.example"), "{error}");

    let path = ["graph", "path", "out", "例子.测试", "DOT.example:80", "--level", "host", "--format", "json"];
    assert_eq!(work.json(&path)["length"], 1.0);
    let error = work.fails(&["graph", "path", "out", "dot.exmaple", "dot.example", "--level", "host"], 2);
    assert!(error.contains("near to it: dot.example"), "{error}");

    std::fs::write(work.path("topic"), "例子.测试\nDot.Example\n").unwrap();
    for level in ["page", "host"] {
        let said = String::from_utf8(
            work.run(&[
                "rank",
                "out",
                "--level",
                level,
                "--teleport",
                "topic",
                "--top",
                "1",
                "--format",
                "tsv",
            ])
            .stderr,
        );
        assert!(!said.unwrap().contains("are no nodes"), "{level}");
    }
    std::fs::write(work.path("topic"), "uper.example\n").unwrap();
    let error = work.fails(&["rank", "out", "--level", "host", "--teleport", "topic", "--format", "tsv"], 2);
    assert!(error.contains("near to it: upper.example"), "{error}");

    let build = |hosts: &str| {
        std::fs::write(work.path("mill.toml"), format!("[graph]\nstop_hosts = [{hosts}]\n")).unwrap();
        ["graph", "out", "--recipe", "mill.toml"]
    };
    work.run(&build("\"例子.测试\", \"Upper.Example\""));
    assert_eq!(work.counts("out", "graph")["dropped"]["stop-host-links"], 2);
    let error = work.fails(&build("\"uper.example\""), 2);
    assert!(error.contains("no page and no link is on uper.example; near to it: upper.example"), "{error}");
    let error = work.fails(&build("\"http://upper.example/x\""), 2);
    assert!(error.contains("did you mean upper.example?"), "{error}");
}
