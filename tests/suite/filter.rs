//! `webmill filter` on planted pages: each rule drops what it was planted for, and one pass does it all.

use std::collections::BTreeMap;

use webmill::jobs::filtered::{FilterSummaryRow, FilteredRow};
use webmill::jobs::signals::SignalRow;
use webmill::mill::TextRow;
use webmill::table::read_rows;

use crate::support::{Work, assert_same, files_below, story};

const QUESTION: &str = "Which of the seven planets in this list has the longest day when it is measured against the distant stars?";
const NOTICE: &str =
    "All rights reserved. No part of this site may be copied, on paper or on other media, without asking.";

fn page(url: &str, paragraphs: &[&str]) -> (String, String) {
    let body: String = paragraphs.iter().map(|text| format!("<p>{text}</p>")).collect();
    (
        url.to_owned(),
        format!(
            "<html lang=en><head><title>A story</title></head><body><article>{body}</article></body></html>"
        ),
    )
}

/// Pages of two hosts: stories, and one of each kind that a rule drops.
fn mill(work: &Work) {
    let mut pages: Vec<_> = (0..24)
        .map(|i| {
            let texts = [story(3 * i), story(3 * i + 1), story(3 * i + 2)];
            let host = ["a", "b"][i as usize % 2];
            page(&format!("http://{host}.example/{i}"), &[&texts[0], NOTICE, &texts[1], &texts[2]])
        })
        .collect();
    let long = [story(900), story(901)];
    pages.push(page("http://a.example/copy", &[&story(0), NOTICE, &story(1), &story(2)]));
    pages.push(page("http://a.example/question", &[&long[0], QUESTION, &long[1]]));
    pages.push(page(
        "http://a.example/mail",
        &[&long[1], &story(903), "Write to kim@univ.example.org if you want to know more of it."],
    ));
    pages.push(page(
        "http://b.example/code",
        &[&story(904), "Then if (a) { b(); } is written and the rest follows it.", &story(905)],
    ));
    let again = "The same sentence stands here and stands here once more. ".repeat(12);
    pages.push(page("http://b.example/again", &[&again]));
    pages.push(page("http://b.example/notice", &[NOTICE]));
    work.write_pages("shards", &pages);
    work.run(&["run", "shards", "--out", "results"]);
}

fn texts(work: &Work, out: &str) -> BTreeMap<String, String> {
    let rows: Vec<TextRow> = read_rows(&work.path(out).join("texts")).unwrap();
    rows.into_iter().map(|row| (row.url, row.text)).collect()
}

fn went(work: &Work, out: &str) -> BTreeMap<String, FilteredRow> {
    let rows: Vec<FilteredRow> = read_rows(&work.path(out).join("filtered")).unwrap();
    rows.into_iter().map(|row| (row.url.clone(), row)).collect()
}

fn files(work: &Work, out: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = work.path(out);
    let name = |path: &std::path::Path| path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
    files_below(&folder).iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

#[test]
fn one_pass_leaves_out_what_each_rule_was_made_for_and_says_why() {
    let work = Work::new();
    mill(&work);
    let item = format!(
        "{{\"id\": \"planets-7\", \"question\": \"{QUESTION}\", \"choices\": [\"Venus\"]}}\nno json\n{{\"q\": \"short\"}}\n"
    );
    std::fs::write(work.path("test.jsonl"), item).unwrap();
    std::fs::write(
        work.path("own.toml"),
        "[[rules]]\nname = 'code'\nwhen = \"host = 'b.example'\"\ndrop = 'curly_bracket'\n",
    )
    .unwrap();
    let common = [
        "filter",
        "results",
        "--by",
        "gopher-repetition,own.toml",
        "--where",
        "num_words > 5",
        "--duplicates",
        "near",
        "--drop-repeated=all",
        "--without",
        "test.jsonl",
        "--mask",
        "--max-bad",
        "0.5",
    ];
    let said = work.said(&[&common[..], &["--out", "clean", "--threads", "1"]].concat());
    for part in [
        "1 of 3 lines are no JSON objects",
        "1 items of fewer than 8 words",
        "went by gopher-repetition: ",
        "went by own: code",
        "1  pieces of personal data",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let went = went(&work, "clean");
    let why = |url: &str| went.get(url).map(|row| (row.filter.as_str(), row.rule.as_str()));
    assert_eq!(why("http://a.example/question"), Some(("without", "test.jsonl")));
    assert_eq!(went["http://a.example/question"].value, "planets-7, share 1.00");
    // A copy is not left out for a page that a rule leaves out.
    let urls =
        |host: &str| format!("host = '{host}' or url in ('http://a.example/copy', 'http://a.example/0')");
    for kept in ["http://a.example/copy", "http://a.example/0"] {
        let out = kept.rsplit('/').next().unwrap();
        work.run(&[
            "filter",
            "results",
            "--where",
            &urls("b.example"),
            "--where",
            &format!("url = '{kept}' or host = 'b.example'"),
            "--duplicates",
            "near",
            "--out",
            out,
        ]);
        assert!(texts(&work, out).contains_key(kept), "{kept}");
    }
    assert!(work.said(&["filter", "results", "--by", "c4", "--out", "dry", "--dry-run"]).contains("would"));
    assert!(!work.path("dry").exists());
    assert_eq!(why("http://b.example/code"), Some(("own", "code")));
    assert_eq!(went["http://b.example/code"].value, "curly_bracket = true");
    assert_eq!(went["http://b.example/again"].filter, "gopher-repetition");
    let copies = [why("http://a.example/copy"), why("http://a.example/0")];
    assert_eq!(copies.iter().flatten().filter(|why| why.0 == "duplicates").count(), 1, "{copies:?}");
    assert_eq!(went.len(), 5, "{went:?}");
    let kept = texts(&work, "clean");
    assert_eq!(kept.len(), 25);
    assert!(kept.values().all(|text| !text.contains("rights reserved")), "repeated lines are left out");
    let mail = &kept["http://a.example/mail"];
    assert!(mail.contains("email@example.com") && !mail.contains("kim@"), "{mail}");

    // The summary adds up to all texts, by host.
    let rows: Vec<FilterSummaryRow> = read_rows(&work.path("clean/filter_summary")).unwrap();
    let all: Vec<TextRow> = work.table("results", "extract");
    assert_eq!(rows.iter().map(|row| row.texts).sum::<u64>(), all.len() as u64);
    let of_b: u64 =
        rows.iter().filter(|row| row.host == "b.example" && row.filter.is_some()).map(|row| row.texts).sum();
    assert_eq!(of_b, went.values().filter(|row| row.host == "b.example").count() as u64);

    // The same bytes on any number of threads, and again.
    work.run(&[&common[..], &["--out", "other", "--threads", "3"]].concat());
    assert_same(&files(&work, "clean"), &files(&work, "other"), "three threads");
    let zst = [&common[..], &["--out", "lines", "--texts", "jsonl.zst"]].concat();
    work.run(&zst);
    let lines = zstd::decode_all(std::fs::File::open(work.path("lines/texts.jsonl.zst")).unwrap()).unwrap();
    assert_eq!(lines.iter().filter(|b| **b == b'\n').count(), 25);

    // A text of repeated lines alone goes for them.
    work.run(&["filter", "results", "--drop-repeated=all", "--out", "bare"]);
    let bare = self::went(&work, "bare");
    assert_eq!(
        bare.values().map(|row| (&*row.url, &*row.filter)).collect::<Vec<_>>(),
        [("http://b.example/notice", "repeated")]
    );
    let rows: Vec<FilterSummaryRow> = read_rows(&work.path("bare/filter_summary")).unwrap();
    assert_eq!(rows.iter().filter(|row| row.filter.is_none()).map(|row| row.texts).sum::<u64>(), 29);

    // Only the lines of the item go.
    work.run(&["filter", "results", "--without", "test.jsonl", "--cut", "--max-bad", "0.5", "--out", "cut"]);
    let cut = texts(&work, "cut");
    let question = &cut["http://a.example/question"];
    assert!(cut.len() == 30 && !question.contains("planets") && question.lines().count() == 2, "{question}");
}

#[test]
fn signals_are_of_the_current_texts_and_made_once() {
    let work = Work::new();
    mill(&work);
    assert!(!work.path("results/signals").exists(), "only on request");
    let said = work.said(&["filter", "results", "--by", "c4,fineweb"]);
    assert!(said.contains("nothing is written: --out") && said.contains("by language: eng"), "{said}");
    let rows: Vec<SignalRow> = work.table("results", "signals");
    let all: Vec<TextRow> = work.table("results", "extract");
    assert!(rows.iter().map(|row| &row.url).eq(all.iter().map(|row| &row.url)));
    assert!(rows.iter().find(|row| row.url.ends_with("/code")).unwrap().curly_bracket);
    assert!(rows.iter().all(|row| row.bad_words.is_none()));
    std::fs::write(work.path("words.txt"), "stars\n").unwrap();
    work.run(&["filter", "results", "--by", "c4", "--set", "signals.bad_words=words.txt", "--out", "c4"]);
    assert_eq!(went(&work, "c4")["http://a.example/question"].rule, "bad_words");
    // Asked for in a recipe, it is a job of the run.
    std::fs::write(work.path("mill.toml"), "[signals]\n").unwrap();
    work.run(&["run", "shards", "--out", "with", "--recipe", "mill.toml"]);
    assert_eq!(work.table::<SignalRow>("with", "signals").len(), rows.len());
}

#[test]
fn mistakes_are_named_before_anything_is_read_and_nothing_left_is_said() {
    let work = Work::new();
    mill(&work);
    for (args, wanted) in [
        (&["--where", "num_wrds > 3"][..], "no column is called \"num_wrds\"; near it: num_words"),
        (&["--by", "gofer"], "gofer: no file of this name, and no filter; filters: gopher, "),
        (&["--by", "bad.toml"], "filter bad: rule \"x\": it has either drop or keep"),
        (&[], "nothing to filter by"),
        (&["--without", "missing.jsonl"], "missing.jsonl"),
        (&["--without", "short.jsonl"], "no item of 8 words or more"),
        (&["--by", "c4,c4"], "two filters are called c4"),
    ] {
        std::fs::write(work.path("short.jsonl"), "{\"q\": \"too short\"}\n").unwrap();
        std::fs::write(work.path("bad.toml"), "[[rules]]\nname = 'x'\n").unwrap();
        let message = work.fails(&[&["filter", "results", "--out", "no"], args].concat(), 2);
        assert!(message.contains(wanted), "{args:?}: {message}");
        assert!(!work.path("no").exists());
    }
    let message = work.fails(&["filter", "results", "--where", "num_words > 100000", "--out", "none"], 1);
    assert!(message.contains("no text is left") && message.contains("0 of 30 texts stay"), "{message}");
}

#[test]
fn tokens_are_counted_by_the_file_of_a_tokenizer() {
    let work = Work::new();
    mill(&work);
    let tokenizer = r#"{"version": "1.0", "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}, "padding": null,
        "added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"the": 0, "[UNK]": 1}, "unk_token": "[UNK]"}}"#;
    std::fs::write(work.path("tokenizer.json"), tokenizer).unwrap();
    let args =
        ["filter", "results", "--where", "model_tokens > 0", "--set", "signals.tokenizer=tokenizer.json"];
    if cfg!(feature = "tokens") {
        assert!(work.said(&args).contains("30 of 30 texts stay"));
        let texts: Vec<TextRow> = work.table("results", "extract");
        let rows: Vec<SignalRow> = work.table("results", "signals");
        // A run of letters, digits and underscores, or a run of other signs, is a token there.
        let tokens = regex::Regex::new(r"\w+|[^\w\s]+").unwrap();
        for (row, text) in rows.iter().zip(&texts) {
            assert_eq!(row.model_tokens, Some(tokens.find_iter(&text.text).count() as u32), "{}", row.url);
        }
        std::fs::write(work.path("tokenizer.json"), "{}").unwrap();
        assert!(work.fails(&args, 2).contains("tokenizer.json: no tokenizer"));
    } else {
        assert!(work.fails(&args, 2).contains("build it with --features tokens"));
    }
}
