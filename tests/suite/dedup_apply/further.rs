//! Results of several crawls and jobs, and captures that cannot become revisits.

use webmill::jobs::dedup::tables::{DuplicateKind, DuplicateRow, FoundBy};

use super::*;
use crate::support::{self, gzip};

fn left_of(path: &Path) -> Vec<String> {
    records(path).into_iter().map(|seen| seen.1).collect()
}

fn dropped_by(work: &Work, out: &str) -> Vec<(String, String, String)> {
    let rows = dropped(work, out);
    rows.into_iter().map(|row| (row.url, row.reason.as_str().to_owned(), row.kept_url.unwrap())).collect()
}

fn own(rows: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    rows.iter().map(|(page, reason, kept)| ((*page).into(), (*reason).into(), (*kept).into())).collect()
}

#[test]
fn pages_of_an_earlier_crawl_stay_instead_of_new_ones_whatever_is_to_be_kept() {
    let work = Work::new();
    let first = story(1, 240);
    let mut longer = first.clone();
    longer.extend(["or".to_owned(), "so".to_owned(), "again".to_owned()]);
    let seen = ("http://seen.example/", 20, page("First", &first, "main"));
    write_raw(&work.path("may/a.rawdb"), &[seen]);
    // Fetched before it, all of them: the order of what to keep puts them first.
    let new = [
        ("http://long.example/", 1, page("First", &longer, "main")),
        ("http://body.example/", 2, page("First", &first, "main")),
        ("http://text.example/", 3, page("First", &first, "article")),
        ("http://other.example/", 4, page("Second", &story(2, 240), "main")),
    ];
    write_raw(&work.path("june/a.rawdb"), &new);
    mill(&work, "may", "results-may");
    work.run(&["extract", "june", "--out", "results"]);
    work.run(&["dedup", "results", "--against", "results-may", "--set", "dedup.keep=longest"]);
    let formed = clusters(&work, "results");
    assert!(formed.iter().any(|row| row.keep && row.url == "http://long.example/" && !row.earlier));
    assert!(formed.iter().any(|row| !row.keep && row.url == "http://seen.example/" && row.earlier));
    let apply = |policy: &str| {
        let out = format!("out-{policy}");
        let report =
            said(&work.run(&["dedup", "apply", "results", "june", "--out", &out, "--policy", policy]));
        assert!(!report.contains("though tables call them copies"), "{report}");
        (left_of(&work.path(&out).join("shards/a.rawdb")), dropped_by(&work, &out))
    };
    let near = own(&[
        ("http://long.example/", "near", "http://seen.example/"),
        ("http://body.example/", "near", "http://seen.example/"),
        ("http://text.example/", "near", "http://seen.example/"),
    ]);
    assert_eq!(apply("near"), (vec!["http://other.example/".to_owned()], near));
    let (left, gone) = apply("exact");
    assert_eq!(left, ["http://long.example/", "http://other.example/"]);
    let exact = own(&[
        ("http://body.example/", "body", "http://seen.example/"),
        ("http://text.example/", "text", "http://seen.example/"),
    ]);
    assert_eq!(gone, exact);
    // Jobs that read the clusters of these pages do not miss those of the earlier crawl.
    for job in ["repeated", "mirrors"] {
        work.run(&[job, "results"]);
        assert!(work.counts("results", job)["dropped"]["cluster-of-no-page"].is_null(), "{job}");
    }
}

#[test]
fn near_pages_that_only_passages_found_go() {
    let work = Work::new();
    let first = story(1, 240);
    let mut second = first.clone();
    second.extend(story(3, 10));
    // Half of the shingles are the same: bands of 13 rows do not tell.
    (0..240).step_by(20).for_each(|at| second[at] = format!("other{at}"));
    let pages = [
        ("http://short.example/", 1, page("One", &first, "main")),
        ("http://long.example/", 2, page("Two", &second, "main")),
    ];
    write_raw(&work.path("shards/a.rawdb"), &pages);
    work.run(&["extract", "shards", "--out", "results"]);
    work.run(&["dedup", "results", "--set", "dedup.bands=20x13w5", "--set", "dedup.min_resemblance=0.4"]);
    assert!(clusters(&work, "results").is_empty());
    let pairs: Vec<DuplicateRow> = read_rows(&work.path("results/dedup/latest/duplicates")).unwrap();
    let found: Vec<_> = pairs.iter().map(|pair| (pair.kind, pair.found_by)).collect();
    assert_eq!(found, [(DuplicateKind::Near, FoundBy::Passages)]);
    for (policy, left) in [("exact", 2), ("near", 1), ("contained", 1)] {
        let out = format!("out-{policy}");
        work.run(&["dedup", "apply", "results", "shards", "--out", &out, "--policy", policy]);
        let stays = left_of(&work.path(&out).join("shards/a.rawdb"));
        assert!(
            stays.len() == left && stays.contains(&"http://long.example/".to_owned()),
            "{policy}: {stays:?}"
        );
    }
    let gone = own(&[("http://short.example/", "near", "http://long.example/")]);
    assert_eq!((dropped_by(&work, "out-near"), dropped_by(&work, "out-contained")), (gone.clone(), gone));
}

#[test]
fn repeated_lines_are_left_out_of_texts_and_results_of_other_clusters_are_said() {
    const NOTICE: &str = "All rights reserved. No part of this site may be copied anywhere without asking.";
    let work = Work::new();
    let pages: Vec<(String, String)> = (0..4)
        .map(|n| {
            let texts = [support::story(2 * n), support::story(2 * n + 1)];
            let body = format!("<p>{}</p><p>{NOTICE}</p><p>{}</p>", texts[0], texts[1]);
            let head = "<html><head><title>A story</title></head>";
            (format!("http://h{n}.example/"), format!("{head}<body><article>{body}</article></body></html>"))
        })
        .collect();
    work.write_pages("shards", &pages);
    std::fs::write(work.path("mill.toml"), "[extract]\ntemplate_pages = 0\n[repeated]\nmin_pages = 3\n")
        .unwrap();
    let common = ["results", "--recipe", "mill.toml"];
    work.run(&[&["extract", "shards", "--out"], &common[..]].concat());
    work.run(&[&["dedup"], &common[..]].concat());
    let common_of = ["dedup", "apply", "results", "--texts", "jsonl", "--memory", "16MiB"];
    let apply = |out, repeated| [&common_of[..], &["--out", out, repeated]].concat();
    let missing = work.fails(&apply("none", "--drop-repeated"), 2);
    assert!(missing.contains("webmill repeated"), "{missing}");
    work.run(&[&["repeated"], &common[..]].concat());
    for (out, repeated, lines, left) in
        [("later", "--drop-repeated", 3, 1), ("all", "--drop-repeated=all", 4, 0)]
    {
        let report = said(&work.run(&apply(out, repeated)));
        let dropped = format!("{lines} repeated lines");
        assert!(report.contains(&dropped) && !report.contains("warning"), "{report}");
        let written = std::fs::read_to_string(work.path(out).join("texts.jsonl")).unwrap();
        assert_eq!(written.lines().count(), 4);
        assert_eq!(written.matches("rights reserved").count(), left, "{written}");
        for n in 0..8 {
            assert!(written.contains(support::story(n).split(' ').next().unwrap()), "the rest is there");
        }
    }
    // Made from clusters that are not those that are applied.
    work.run(&[&["dedup", "--set", "dedup.keep=longest"], &common[..]].concat());
    let report = said(&work.run(&apply("mixed", "--drop-repeated")));
    assert!(report.contains("repeated were not made from the latest of dedup"), "{report}");
}

#[test]
fn a_capture_whose_revisit_cannot_be_written_stays_as_it_is() {
    let work = Work::new();
    let corpus = corpus();
    std::fs::create_dir_all(work.path("raw")).unwrap();
    let options = WriteOptions { max_shard_bytes: u64::MAX, compression: Compression::None };
    let mut writer = RawDbWriter::create(&work.path("raw/a.rawdb"), options).unwrap();
    // Heads just below what readers take: those of revisits would be beyond it.
    let names: Vec<String> = (0..1016).map(|n| format!("x-own-{n}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    let wide = "v".repeat(262_000);
    let long = [("x-own", wide.as_str())];
    let copy = &corpus[2].2;
    let captures = [
        ("http://a.example/1", &corpus[0].2, &[][..]),
        ("http://b.example/many", copy, &many),
        ("http://b.example/long", copy, &long),
        ("http://b.example/plain", copy, &[]),
    ];
    for (day, (url, answer, extra)) in (1..).zip(captures) {
        let data = answer.as_bytes();
        let date_ms = day * DAY;
        writer.write(&NewRecord { url, origin: None, date_ms, ip: None, extra, data }).unwrap();
    }
    writer.finish().unwrap();
    // Compressed as a whole, too, so that it is written anew.
    std::fs::create_dir(work.path("whole")).unwrap();
    std::fs::write(work.path("whole/a.rawdb.gz"), gzip(&std::fs::read(work.path("raw/a.rawdb")).unwrap()))
        .unwrap();
    for (shards, name) in [("raw", "a.rawdb"), ("whole", "a.rawdb.gz")] {
        let (results, out) = (format!("results-{shards}"), format!("out-{shards}"));
        mill(&work, shards, &results);
        let report = work.fails(&["dedup", "apply", &results, shards, "--out", &out, "--as-revisit"], 1);
        assert!(report.contains("1 captures went (1 body)"), "{report}");
        assert!(
            report.contains("2 captures stay as they are because their revisits could not be written"),
            "{report}"
        );
        let path = work.path(&out).join("shards").join(name);
        let (before, after) = (records(&work.path(shards).join(name)), records(&path));
        assert_eq!(after.len(), before.len(), "{shards}: no record is lost");
        let parts = |seen: &SeenRecord| (seen.0, seen.1.clone(), seen.3.clone(), seen.4.clone());
        for (was, is) in before.iter().zip(&after).take(3) {
            assert!(parts(was) == parts(is), "{shards}: {} as it was", was.1);
        }
        assert_eq!(after[3].0, RecordType::Revisit, "{shards}");
        let rows = dropped(&work, &out);
        let rows: Vec<(&str, bool)> = rows.iter().map(|row| (row.url.as_str(), row.revisit)).collect();
        assert_eq!(rows, [("http://b.example/plain", true)], "{shards}");
        let manifest = work.manifest(&out);
        assert_eq!(manifest["counts"]["revisits_not_written"], 2, "{shards}");
        assert_eq!((&manifest["shards"][0]["gone"], &manifest["shards"][0]["going"]), (&1.into(), &3.into()));
    }
}

#[test]
fn pages_that_are_gone_go_by_the_age_that_the_captures_tell() {
    let work = Work::new();
    let body = |number| page("A page", &story(number, 240), "main");
    let answer = |status: &str| format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n<p>no");
    let captures: Vec<Capture> = vec![
        ("http://a.example/long", 1, body(1)),
        ("http://a.example/long", 30, answer("404 Not Found")),
        ("http://a.example/long", 90, answer("503 Busy")),
        // A copy of what is gone stays.
        ("http://b.example/copy", 3, body(1)),
        ("http://c.example/short", 1, body(2)),
        ("http://c.example/short", 95, answer("410 Gone")),
        ("http://d.example/again", 1, body(3)),
        ("http://d.example/again", 2, answer("404 Not Found")),
        ("http://d.example/again", 100, body(3)),
    ];
    write_warc(&work.path("shards/a.warc.gz"), &captures, Compression::Gzip);
    mill(&work, "shards", "results");
    for (age, urls, copies) in [
        ("71d", &[][..], 1),
        ("70d", &["http://a.example/long"], 0),
        ("0", &["http://a.example/long", "http://c.example/short"], 0),
    ] {
        let out = format!("out-{age}");
        let flags = ["dedup", "apply", "results", "shards", "--texts", "jsonl", "--drop-gone", age, "--out"];
        let report = said(&work.run(&[&flags[..], &[&out]].concat()));
        let rows = dropped(&work, &out);
        let gone = rows.iter().filter(|row| row.reason.as_str() == "gone");
        assert!(gone.clone().all(|row| row.kept_url.is_none() && row.kept_key.is_none()));
        assert_eq!(gone.map(|row| row.url.as_str()).collect::<Vec<_>>(), urls, "{age}");
        assert_eq!(rows.len(), urls.len() + copies, "{age}");
        assert!(urls.is_empty() || report.contains(&format!("{} gone", urls.len())), "{report}");
        let left = records(&work.path(&out).join("shards/a.warc.gz"));
        let pages = left.iter().filter(|seen| seen.0 == RecordType::Response).count();
        assert_eq!(pages, captures.len() - rows.len(), "{age}: answers 404 stay");
        let texts = std::fs::read_to_string(work.path(&out).join("texts.jsonl")).unwrap();
        assert!(urls.iter().all(|url| !texts.contains(url)) && texts.contains("http://d.example/again"));
        assert_eq!(texts.contains("http://b.example/copy"), copies == 0, "{age}");
    }
}
