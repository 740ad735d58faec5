//! Bad input: each gives a message that says what is wrong, where and what to do, and leaves nothing half-written.

use std::io::Write;
use std::process::Stdio;

use crate::support::Work;

fn expect(work: &Work, arguments: &[&str], code: i32, words: &[&str]) {
    let message = work.fails(arguments, code);
    for word in words {
        assert!(message.contains(word), "webmill {arguments:?} says nothing of {word:?}: {message}");
    }
}

#[test]
fn what_is_no_shard_is_named() {
    let work = Work::new();
    std::fs::write(work.path("empty.warc"), b"").unwrap();
    std::fs::write(work.path("paper.warc"), b"%PDF-1.4\n1 0 obj\n<<>>\n").unwrap();
    std::fs::create_dir(work.path("folder")).unwrap();
    std::fs::write(work.path("folder/notes.txt"), b"nothing to mill here\n").unwrap();
    expect(&work, &["extract", "empty.warc", "--out", "out"], 2, &["empty.warc", "empty"]);
    expect(&work, &["extract", "paper.warc", "--out", "out"], 2, &["paper.warc", "PDF"]);
    expect(&work, &["extract", "folder", "--out", "out"], 2, &["folder"]);
    expect(&work, &["extract", "missing.warc", "--out", "out"], 2, &["missing.warc"]);
    expect(&work, &["keywords", "out"], 2, &["webmill extract"]);
    assert_eq!(work.unfinished("."), Vec::<String>::new());
}

#[test]
fn a_named_shard_that_is_none_is_not_passed_over() {
    let work = Work::new();
    work.synth("shards", 10, u64::MAX);
    std::fs::write(work.path("paper.warc"), b"%PDF-1.4\n").unwrap();
    expect(&work, &["extract", "shards", "paper.warc", "--out", "out"], 2, &["paper.warc", "PDF"]);
    std::fs::write(work.path("shards/notes.txt"), b"a note beside the shards\n").unwrap();
    work.run(&["extract", "shards", "--out", "out"]);
}

#[test]
fn nothing_readable_is_an_error_and_no_capture_an_empty_result() {
    let work = Work::new();
    std::fs::write(work.path("bad.raw"), b"version:1.0\nurl:http://a.example/\nlength:999999\n\nshort")
        .unwrap();
    work.fails(&["extract", "bad.raw", "--out", "out", "--max-bad", "1"], 2);
    let info = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Length: 3\r\n\r\na:b\r\n\r\n";
    std::fs::write(work.path("info.warc"), info).unwrap();
    work.run(&["run", "info.warc", "--out", "info"]);
}

#[test]
fn a_refused_conversion_leaves_what_stood_there() {
    let work = Work::new();
    work.synth("shards", 20, u64::MAX);
    let path = work.path("shards/synth-00000.rawdb");
    let mut bytes = std::fs::read(&path).unwrap();
    let head = memchr::memmem::rfind(&bytes, b"version:1.0").unwrap();
    bytes[head..head + 64].fill(0);
    std::fs::write(&path, &bytes).unwrap();
    std::fs::write(work.path("precious.warc"), b"mine").unwrap();
    work.fails(&["shard", "convert", "shards", "-o", "precious.warc", "--max-bad", "0"], 1);
    assert_eq!(std::fs::read(work.path("precious.warc")).unwrap(), b"mine");
}

#[test]
fn a_truncated_gzip_keeps_its_whole_records() {
    let work = Work::new();
    work.synth("shards", 60, u64::MAX);
    work.run(&["shard", "convert", "shards", "-o", "whole.warc.gz"]);
    let bytes = std::fs::read(work.path("whole.warc.gz")).unwrap();
    std::fs::write(work.path("cut.warc.gz"), &bytes[..bytes.len() - 300]).unwrap();
    work.run(&["extract", "cut.warc.gz", "--out", "out", "--max-bad", "0.1"]);
    let manifest = work.manifest("out/extract/latest");
    let rows = manifest["tables"]["pages"]["rows"].as_u64().unwrap();
    assert!((58..=60).contains(&rows), "{rows}");
}

#[test]
fn an_out_of_another_version_or_of_someone_else_is_refused() {
    let work = Work::new();
    work.synth("shards", 20, u64::MAX);
    std::fs::create_dir(work.path("other")).unwrap();
    for layout in [1, 99] {
        std::fs::write(work.path("other/webmill.json"), format!("{{\"layout\": {layout}}}")).unwrap();
        let named = format!("layout {layout}");
        expect(&work, &["extract", "shards", "--out", "other"], 2, &[&named, "--out"]);
        expect(&work, &["results", "ls", "other"], 2, &[&named]);
    }
    std::fs::create_dir(work.path("mine")).unwrap();
    std::fs::write(work.path("mine/thesis.tex"), b"years of work").unwrap();
    expect(&work, &["extract", "shards", "--out", "mine"], 2, &["thesis.tex"]);
    assert_eq!(std::fs::read(work.path("mine/thesis.tex")).unwrap(), b"years of work");
}

#[test]
fn results_of_another_layout_are_refused_by_every_reader() {
    let work = Work::new();
    work.synth("shards", 20, u64::MAX);
    for out in ["out", "good"] {
        work.run(&["run", "shards", "--out", out]);
    }
    std::fs::write(work.path("text.txt"), "Some words of a text.").unwrap();
    for layout in [2, 99] {
        std::fs::write(work.path("out/webmill.json"), format!("{{\"layout\": {layout}}}")).unwrap();
        let named = format!("layout {layout}");
        for line in [
            "run shards --out out",
            "report out",
            "report good --compare out",
            "rank out",
            "rank out --query words",
            "graph path out http://a.example/ http://b.example/",
            "query out --tables",
            "show out http://a.example/",
            "serve out",
            "results ls out",
            "results verify out",
            "dedup good --against out",
            "dedup apply out --out smaller",
            "dedup similar out text.txt",
            "count search out words",
            "learn apply out",
            "rules export out --to csv --out csv",
        ] {
            expect(&work, &line.split(' ').collect::<Vec<_>>(), 2, &[&named, "expected layout 3"]);
        }
    }
}

#[test]
fn a_damaged_result_is_not_taken_for_done() {
    let work = Work::new();
    work.synth("shards", 20, u64::MAX);
    work.run(&["extract", "shards", "--out", "out"]);
    let pages = work.path("out/extract/latest/pages/part-000000.parquet");
    let bytes = std::fs::read(&pages).unwrap();
    std::fs::write(&pages, &bytes[..bytes.len() / 2]).unwrap();
    expect(&work, &["extract", "shards", "--out", "out"], 2, &["part-000000.parquet", "delete the folder"]);
}

#[test]
fn wrong_settings_are_named() {
    let work = Work::new();
    work.synth("shards", 5, u64::MAX);
    for (recipe, words) in [
        ("[extrakt]", &["extrakt", "extract"][..]),
        ("[extract]\npart_byts = 1", &["part_byts"]),
        ("[dedup]\nkeep = 'newest'", &["newest", "earliest", "canonical"]),
        ("[dedup]\nbands = '16x800'", &["16x800", "1 to 1024"]),
    ] {
        std::fs::write(work.path("wrong.toml"), recipe).unwrap();
        expect(&work, &["extract", "shards", "--out", "out", "--recipe", "wrong.toml"], 2, words);
    }
    expect(&work, &["extract", "shards", "--out", "out", "--memory", "much"], 2, &["much"]);
}

/// A device that is always full stands for a full disk: what is written there must come back as an error.
#[test]
fn a_full_disk_is_an_error_with_its_path() {
    if !std::path::Path::new("/dev/full").exists() {
        webmill_evaluation::skip("no /dev/full here");
        return;
    }
    let work = Work::new();
    work.synth("shards", 20, u64::MAX);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = work
        .webmill(&["shard", "ls", "shards", "--format", "json"])
        .stdout(Stdio::from(full))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("space"), "{output:?}");
}

#[test]
fn standard_input_is_read_and_a_reader_that_goes_away_is_success() {
    let work = Work::new();
    work.synth("shards", 200, u64::MAX);
    let bytes = std::fs::read(work.path("shards/synth-00000.rawdb")).unwrap();
    let mut child = work
        .webmill(&["extract", "-", "--out", "out"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    assert!(child.wait().unwrap().success());
    let mut child = work
        .webmill(&["shard", "cat", "shards"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
