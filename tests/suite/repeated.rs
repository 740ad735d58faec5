//! Table `repeated`: what stands on many pages is counted exactly, and left out on request.

use webmill::jobs::repeated::known::KnownRepeated;
use webmill::jobs::repeated::tables::{RepeatedBlockRow, RepeatedKind};
use webmill::mill::TextRow;
use webmill::sort::Budget;

use crate::support::{Work, assert_same, story};

const NOTICE: &str =
    "All rights reserved. No part of this site may be copied, on paper or on other media, without asking.";
const RECIPE: &str = "[extract]\ntemplate_pages = 0\n";

/// Extract, dedup and repeated, without templates, which would take away what is looked for.
fn mill(work: &Work, shards: &str, out: &str, recipe: &str, more: &[&str]) -> Vec<RepeatedBlockRow> {
    std::fs::write(work.path("mill.toml"), format!("{RECIPE}{recipe}")).unwrap();
    let common = [&[out, "--recipe", "mill.toml"], more].concat();
    work.run(&[&["extract", shards, "--out"], &common[..]].concat());
    work.run(&[&["dedup"], &common[..]].concat());
    work.run(&[&["repeated"], &common[..]].concat());
    work.table(out, "repeated")
}

fn page(url: String, paragraphs: &[&str]) -> (String, String) {
    let body: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    (url, format!("<html><head><title>A story</title></head><body><article>{body}</article></body></html>"))
}

/// 25 stories on two hosts with the notice, 6 without.
fn stories() -> Vec<(String, String)> {
    let with = |i: u64| {
        let texts = [story(2 * i), story(2 * i + 1)];
        page(format!("http://{}.example/{i}", ["a", "b"][i as usize % 2]), &[&texts[0], NOTICE, &texts[1]])
    };
    let without = |i: u64| page(format!("http://c.example/{i}"), &[&story(1000 + i), &story(2000 + i)]);
    (0..25).map(with).chain((0..6).map(without)).collect()
}

#[test]
fn a_line_of_many_pages_is_counted_and_left_out_on_request() {
    let work = Work::new();
    work.write_pages("shards", &stories());
    let found = mill(&work, "shards", "out", "", &[]);
    let [row] = found.as_slice() else { panic!("one line: {found:?}") };
    assert_eq!((row.text.as_str(), row.bytes, row.kind), (NOTICE, NOTICE.len() as u64, RepeatedKind::Line));
    assert_eq!((row.pages, row.hosts, row.clusters), (25, 2, 25));
    assert_eq!(row.first_url, "http://a.example/0");
    let texts: Vec<TextRow> = work.table("out", "extract");
    let first = texts.iter().find(|text| text.url == row.first_url).unwrap();
    assert_eq!(first.url_key, row.first_url_key);

    let known = KnownRepeated::load(&work.path("out"), &Budget::new(64 << 10)).unwrap();
    assert!(known.len() == 1 && known.contains(row.hash.0) && !known.contains(0));
    for text in &texts {
        let pruned = known.without(&text.text);
        assert_eq!(pruned.lines, u64::from(!text.url.starts_with("http://c.")), "{}", text.url);
        assert!(!pruned.text.contains("rights reserved") && pruned.text.len() > 200);
        assert_eq!(known.without(&pruned.text).text, pruned.text, "twice changes nothing");
    }
    let counts = work.counts("out", "repeated");
    assert_eq!(counts["kept"]["pages"], 31);
    assert_eq!(counts["kept"]["repeated-blocks"], 1);
    let kept = |name: &str| counts["kept"][name].as_u64().unwrap();
    let dropped = |name: &str| counts["dropped"][name].as_u64().unwrap_or(0);
    let left_out = dropped("block-on-too-few-pages") + dropped("block-of-one-cluster");
    assert_eq!(kept("distinct-blocks"), kept("repeated-blocks") + left_out);
}

#[test]
fn copies_of_one_page_repeat_nothing_and_only_current_captures_count() {
    let work = Work::new();
    let copy = [story(1), NOTICE.to_owned(), story(2)];
    let copy: Vec<&str> = copy.iter().map(String::as_str).collect();
    let mut pages: Vec<_> = (0..30).map(|i| page(format!("http://h{i}.example/"), &copy)).collect();
    // Pages that had another notice once.
    let then = NOTICE.replace("rights", "wrongs");
    pages.extend((0..30).map(|i| page(format!("http://old.example/{i}"), &[&story(100 + i), &then])));
    pages.extend(
        (0..30).map(|i| page(format!("http://old.example/{i}"), &[&story(100 + i), &story(300 + i)])),
    );
    work.write_pages("shards", &pages);
    assert_eq!(mill(&work, "shards", "out", "", &[]), []);
    let counts = work.counts("out", "repeated");
    assert_eq!(counts["kept"]["pages"], 60);
    assert_eq!(counts["dropped"]["text-of-superseded-capture"], 30);
    assert!(counts["dropped"]["block-of-one-cluster"].as_u64().unwrap() >= 3, "{counts}");
    let known = KnownRepeated::load(&work.path("out"), &Budget::new(64 << 10)).unwrap();
    assert!(known.is_empty() && known.without(NOTICE).text == NOTICE);
}

#[test]
fn rows_are_the_same_whatever_threads_memory_and_shards() {
    let work = Work::new();
    work.synth("shards", 600, u64::MAX);
    work.synth("many", 600, 100_000);
    let recipe = "[repeated]\nmin_chars = 12\nmin_pages = 2\n";
    let one = mill(&work, "shards", "one", recipe, &["--threads", "1"]);
    mill(&work, "shards", "two", recipe, &["--threads", "2", "--memory", "64MiB"]);
    assert_same(&work.committed("one"), &work.committed("two"), "2 threads and little memory");
    let many = mill(&work, "many", "parts", recipe, &[]);
    assert_eq!(one, many, "other shards");
}

#[test]
fn settings_and_missing_results_are_said() {
    let work = Work::new();
    work.write_pages("shards", &stories()[..2]);
    work.run(&["extract", "shards", "--out", "out"]);
    let message = work.fails(&["repeated", "out"], 2);
    assert!(message.contains("webmill dedup"), "{message}");
    let Err(error) = KnownRepeated::load(&work.path("out"), &Budget::new(1 << 10)) else {
        panic!("there are no results");
    };
    assert!(error.to_string().contains("webmill repeated"), "{error}");
    for (recipe, word) in
        [("[repeated]\nmin_pages = 1\n", "min_pages"), ("[repeated]\nmin_words = 3\n", "min_words")]
    {
        std::fs::write(work.path("bad.toml"), recipe).unwrap();
        let message = work.fails(&["dedup", "out", "--recipe", "bad.toml"], 2);
        assert!(message.contains(word), "{message}");
    }
}
