//! What commands say, and refuse, where something is not as it should be.

use std::process::Stdio;

use webmill::jobs::builtin::registry;
use webmill::jobs::crawl::event_row::EventRow;
use webmill::mill::PageRow;
use webmill::table::{Reader, columns, read_rows};

use crate::support::{Work, mirror, repository};

columns! {
    struct Outcome from EventRow { outcome }
}

/// The crawl that an earlier program left, under another name.
fn crawl(work: &Work, name: &str) {
    mirror(&repository("tests/compat/first/crawl"), &work.path(name));
}

#[test]
fn the_event_logs_of_two_crawls_are_both_read() {
    let work = Work::new();
    crawl(&work, "a");
    crawl(&work, "b");
    work.run(&["extract", "a", "--out", "one"]);
    work.run(&["extract", "a", "b", "--out", "two"]);
    let rows =
        |out: &str| -> Vec<PageRow> { read_rows(&work.path(out).join("extract/latest/pages")).unwrap() };
    let (one, two) = (rows("one"), rows("two"));
    let of_logs = |rows: &[PageRow]| rows.iter().filter(|row| row.warc_filename.contains("events-")).count();
    assert!(of_logs(&one) > 5);
    assert_eq!((two.len(), of_logs(&two)), (2 * one.len(), 2 * of_logs(&one)));
    let mut events = Reader::<Outcome>::open(&work.path("a/events/events-00000.parquet")).unwrap();
    let events = events.next().unwrap().unwrap();
    let stored = events.rows().filter(|event| event.outcome == "stored").count();
    assert_eq!(work.counts("two", "extract")["kept"]["crawl-stored"], 2 * stored);
}

#[test]
fn verbose_says_where_the_time_of_every_job_went() {
    let work = Work::new();
    work.synth("shards", 300, u64::MAX);
    let told = work.said(&["run", "shards", "--out", "out", "--verbose", "--threads", "2"]);
    for job in registry().jobs().iter().filter(|job| work.path("out").join(job.name).exists()) {
        let line = told.lines().find(|line| {
            line.trim_start().starts_with(&format!("{}  ", job.name)) && line.contains(" written")
        });
        assert!(line.is_some_and(|line| line.contains(" s, ")), "{}: {told}", job.name);
    }
    for part in ["shards", "trees", "blocks", "models", "languages", "aside", "tables"] {
        let of_part = |line: &&str| line.trim_start().starts_with(part) && line.contains(" s of threads");
        assert!(told.lines().any(|line| of_part(&line)), "{part}: {told}");
    }
    let run = std::fs::read(work.path("out/extract/latest/run.json")).unwrap();
    let run: serde_json::Value = serde_json::from_slice(&run).unwrap();
    let of = |part: &serde_json::Value| part[1].as_f64().unwrap();
    let parts: f64 = run["parts"].as_array().unwrap().iter().map(of).sum();
    let seconds = run["seconds"].as_f64().unwrap();
    assert!(parts > 0.0 && parts <= 2.0 * seconds, "{parts} s of two threads in {seconds} s");
    // Nothing is told of what was done before.
    assert!(!work.said(&["run", "shards", "--out", "out", "--verbose"]).contains(" of threads"));
}

#[test]
fn the_report_says_what_ranks_were_computed_with() {
    let work = Work::new();
    work.synth("shards", 200, u64::MAX);
    let recipe = "[rank]\ndamping = 0.5\ndangling = \"lost\"\nhits_variant = \"hub-averaging\"\n";
    std::fs::write(work.path("mill.toml"), recipe).unwrap();
    work.run(&["run", "shards", "--out", "out", "--recipe", "mill.toml"]);
    let html = std::fs::read_to_string(work.path("out/report/latest/report.html")).unwrap();
    assert!(html.contains("d = 0.5, dangling mass lost"), "the settings of PageRank");
    assert!(html.contains("HITS (hub-averaging)") && !html.contains("d = 0.85"));
}

#[test]
fn a_recipe_is_checked_whole_before_the_first_job() {
    let work = Work::new();
    work.synth("shards", 50, u64::MAX);
    for (recipe, words) in [
        ("[rank]\ndamping = 1.5\n", &["mill.toml", "[rank]", "damping = 1.5"][..]),
        ("[report]\ntop = 0\n", &["[report]", "top = 0"]),
        ("[dedup]\nmin_resemblance = 2.0\n", &["[dedup]", "min_resemblance"]),
        ("[keywords]\nper_pag = 3\n", &["[keywords]", "per_pag"]),
        ("[graph]\nkinds = [\"anchor\"]\n", &["[graph]", "anchor", "http-redirect"]),
        ("[rank]\nteleport = \"absent.txt\"\n", &["[rank]", "absent.txt"]),
        ("[crawl]\nconnection = 3\n", &["[crawl]", "connection"]),
        ("[ranks]\ndamping = 0.5\n", &["[ranks]", "jobs: extract, graph"]),
        ("[rank\n", &["mill.toml", "TOML"]),
    ] {
        std::fs::write(work.path("mill.toml"), recipe).unwrap();
        let message = work.fails(&["run", "shards", "--out", "out", "--recipe", "mill.toml"], 2);
        assert!(words.iter().all(|word| message.contains(word)), "{recipe}: {message}");
        assert!(!work.path("out/extract").exists(), "{recipe}: a job began");
    }
}

#[test]
fn threads_are_bounded() {
    let work = Work::new();
    work.synth("shards", 20, u64::MAX);
    for threads in ["100000", "0", "-1", "all"] {
        for command in
            [&["run", "shards", "--out", "out"][..], &["extract", "shards", "--out", "out"], &["demo"]]
        {
            let message = work.fails(&[command, &["--threads", threads]].concat(), 2);
            assert!(message.contains("from 1 to") || message.contains("unexpected argument"), "{message}");
        }
    }
    work.run(&["extract", "shards", "--out", "out", "--threads", "3"]);
}

#[test]
fn results_of_different_corpora_are_not_joined_silently() {
    let work = Work::new();
    work.synth("a", 200, u64::MAX);
    work.synth("b", 300, u64::MAX);
    let first = work.said(&["run", "a", "--out", "out"]);
    assert!(!first.contains("warning"), "{first}");
    work.run(&["extract", "b", "--out", "out", "--replace"]);
    for command in [&["report", "out"][..], &["rank", "out", "--query", "the", "--format", "tsv"]] {
        let said = String::from_utf8(work.webmill(command).output().unwrap().stderr).unwrap();
        assert!(
            said.contains("warning") && said.contains("graph were not made from the latest of extract"),
            "{said}"
        );
    }
}

#[test]
fn what_is_said_is_said_once() {
    let work = Work::new();
    work.synth("shards", 300, u64::MAX);
    work.run(&["run", "shards", "--out", "out"]);
    let texts: Vec<webmill::mill::TextRow> = read_rows(&work.path("out/extract/latest/texts")).unwrap();
    let word = texts[0].text.split_whitespace().find(|word| word.chars().all(char::is_alphabetic)).unwrap();
    let said = work.said(&["rank", "out", "--query", word, "--format", "tsv"]);
    assert_eq!(said.matches("HITS:").count(), 1, "{said}");
    let said = work.said(&["demo", "--out", "demo"]);
    assert!(!said.contains("{\""), "{said}");
}

#[test]
fn names_that_are_no_nodes_with_nobody_listening() {
    let work = Work::new();
    std::fs::write(work.path("arcs.txt"), "http://a/ -> http://b/\n").unwrap();
    std::fs::write(work.path("topic"), "http://a/\nhttp://nowhere.example/\n").unwrap();
    let mut child = work
        .webmill(&["rank", "arcs.txt", "--teleport", "topic", "--format", "tsv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "a closed stderr is no reason to fail");
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
    let said = work.said(&["rank", "arcs.txt", "--teleport", "topic", "--format", "tsv"]);
    assert!(said.contains("1 names are no nodes"), "{said}");
}

#[test]
fn mistakes_are_answered_with_what_to_do() {
    let work = Work::new();
    std::fs::create_dir_all(work.path("site/a")).unwrap();
    std::fs::write(work.path("site/a/index.html"), "<p>Tea").unwrap();
    let message = work.fails(&["run", "site", "--out", "out"], 2);
    assert!(message.contains("webmill datasets pack site --site"), "{message}");
    std::fs::write(work.path("arcs.txt"), "1 2\n").unwrap();
    let message = work.fails(&["graph", "convert", "arcs.txt", "gout/links"], 2);
    assert!(message.contains("no folder gout") && !message.contains("partial"), "{message}");
}

#[test]
fn completions_and_manual_pages_know_every_job() {
    let work = Work::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = work.output(&["completions", shell]);
        assert!(["dedup", "keywords", "convert"].iter().all(|word| script.contains(word)), "{shell}");
    }
    work.run(&["man", "man1"]);
    for page in ["webmill.1", "webmill-extract.1", "webmill-report.1", "webmill-graph-info.1"] {
        let text = std::fs::read_to_string(work.path("man1").join(page)).unwrap();
        assert!(text.contains(".TH"), "{page}");
    }
}

#[test]
fn help_describes_each_job() {
    let work = Work::new();
    let help = work.output(&["--help"]);
    for job in registry().jobs().iter().filter(|job| !job.optional) {
        let line = help.lines().find(|line| line.trim_start().starts_with(&format!("{} ", job.name)));
        assert!(line.is_some_and(|line| !line.contains("Options of every job")), "{}: {help}", job.name);
    }
    let at = |name: &str| help.find(&format!("\n  {name} ")).unwrap_or_else(|| panic!("{name}: {help}"));
    assert!(
        at("extract") < at("dedup") && at("dedup") < at("report") && at("report") < at("completions"),
        "{help}"
    );
    let of_dedup = work.output(&["dedup", "--help"]);
    let parts = ["near-duplicates", "Examples:", "\n  diff ", "--against", "--set"];
    assert!(parts.iter().all(|part| of_dedup.contains(part)), "{of_dedup}");
}

#[test]
fn a_dry_run_only_says_what_would_be_done() {
    let work = Work::new();
    work.synth("shards", 60, u64::MAX);
    let plan = |arguments: &[&str]| work.output(arguments);
    let fresh = plan(&["run", "shards", "--out", "out", "--dry-run"]);
    assert!(fresh.starts_with("extract would write out/extract/") && fresh.lines().count() == 1, "{fresh}");
    assert!(!work.path("out/extract").exists());
    work.run(&["run", "shards", "--out", "out"]);
    let done = plan(&["run", "shards", "--out", "out", "--dry-run"]);
    // Of those that a run makes without being asked, rules have nothing to apply.
    assert!(
        done.lines().count()
            == registry().jobs().iter().filter(|job| !job.optional && job.name != "rules").count()
            && done.lines().all(|line| line.contains("is done:")),
        "{done}"
    );
    for job in ["dedup", "rank", "shape"] {
        let one = plan(&[job, "out", "--dry-run"]);
        assert!(one.starts_with(&format!("{job} is done: out/{job}/")) && one.lines().count() == 1, "{one}");
    }
    let url = "http://127.0.0.1:9/a.warc";
    assert_eq!(plan(&["run", url, "--out", "none", "--dry-run"]), format!("would fetch {url}\n"));
    assert!(!work.path("none").exists());
    let other = plan(&["rank", "out", "--set", "rank.damping=0.5", "--dry-run"]);
    assert!(other.starts_with("rank would write"), "{other}");
}

#[test]
fn flags_override_a_recipe_before_it_is_checked() {
    let work = Work::new();
    work.synth("shards", 60, u64::MAX);
    work.run(&["run", "shards", "--out", "out"]);
    std::fs::write(work.path("mill.toml"), "[rank]\ndamping = 7\n").unwrap();
    work.fails(&["rank", "out", "--recipe", "mill.toml"], 2);
    work.run(&["rank", "out", "--recipe", "mill.toml", "--set", "rank.damping=0.7"]);
    let manifest = work.manifest("out/rank/latest").to_string();
    assert!(manifest.contains("\"damping\":0.7"), "{manifest}");
}

#[test]
fn a_small_corpus_is_milled_in_the_least_memory() {
    let work = Work::new();
    work.synth("shards", 60, u64::MAX);
    work.run(&["run", "shards", "--out", "out", "--memory", "64MiB"]);
}
