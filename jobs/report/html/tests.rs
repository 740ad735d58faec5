use regex::Regex;
use serde_json::{Value, json};

use webmill_serve::surface::{Lang, escape, escape_tidied, shorten, thousands};

use super::page::{MAX_BYTES, TEMPLATES};
use super::*;

const HOSTILE: &str = "\"><script>alert(1)</script>\u{202e}<img src=http://a.example/ onerror=x>";

/// Numbers that every report has.
const NUMBERS: [(&str, &str); 20] = [
    ("input", "files"),
    ("input", "bytes"),
    ("input", "records read"),
    ("input", "records damaged"),
    ("input", "bytes lost"),
    ("corpus", "captures"),
    ("corpus", "html pages"),
    ("corpus", "documents"),
    ("corpus", "pages"),
    ("corpus", "hosts"),
    ("corpus", "words"),
    ("corpus", "links"),
    ("corpus", "duplicates"),
    ("corpus", "clusters"),
    ("corpus", "texts"),
    ("graph", "page nodes"),
    ("graph", "page arcs"),
    ("graph", "page crawled"),
    ("language", HOSTILE),
    ("keyword", HOSTILE),
];

fn rendered(numbers: &[(&str, &str, f64)], data: &Value) -> String {
    let always = NUMBERS.iter().map(|(section, name)| (*section, *name, 1200.0));
    // Enough of them for a picture with a folded table.
    let many = "abcdefghijkl".split("").filter(|name| !name.is_empty()).map(|name| ("keyword", name, 7.0));
    let sizes = ["2", "3"].map(|size| ("cluster size", size, 1.0));
    render(Lang::En, always.chain(many).chain(sizes).chain(numbers.iter().copied()), data).unwrap()
}

/// A report of hostile names, with `rows` of clusters.
fn hostile(rows: usize) -> Value {
    let row = |n: usize| json!({"url": format!("http://a.example/{n:0>200}"), "title": HOSTILE, "size": 2});
    let ranked = json!({"name": "javascript:alert(1)", "title": HOSTILE, "cells": [HOSTILE], "best": [0]});
    json!({
        "first_host": HOSTILE, "hosts": 1, "fetched": null,
        "first_page": {"url": "javascript:alert(1)", "title": HOSTILE},
        "bow_tie_of_pages": null, "times": "by_fetch",
        "languages_over_time": OverTime::of(&[HOSTILE.into(), "b".into()], &[(HOSTILE.into(), vec![0, 1])]),
        "parts": ["ranking", "texts", "duplicates"],
        "ranking": {
            "columns": [0],
            "scores": [["pagerank", HOSTILE, HOSTILE]],
            "scopes": [{"name": "pages", "columns": [0], "rows": [ranked]}],
            "rank": {
                "damping": "0.85", "dangling": "uniform", "teleport": false,
                "hits_variant": HOSTILE,
            },
        },
        "clusters": (0..rows).map(row).collect::<Vec<_>>(),
    })
}

#[test]
fn numbers_and_names_are_short() {
    for (n, want) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(thousands(n), want);
    }
    assert_eq!(shorten("abcd", 4) + &shorten("abcde", 4), "abcdabc…");
    assert_eq!(escape("<a href=\"x\">&'\u{202e}"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{202e}");
    assert_eq!(escape_tidied("<a\u{202e}b\0"), "&lt;a\u{fffd}b ");
}

#[test]
fn hostile_names_stay_text() {
    let of = format!("{HOSTILE} {HOSTILE}");
    let html = rendered(
        &[("language over time", &of, 1.0), ("language over time", &format!("b {HOSTILE}"), 1.0)],
        &hostile(3),
    );
    assert_eq!(html.matches("<script").count(), 1, "our own");
    assert!(!html.contains("<img") && !html.contains("href=\"javascript") && !html.contains('\u{202e}'));
    assert!(html.contains("&lt;img src=http://a.example/ onerror=x&gt;") && !html.contains("&amp;lt;"));
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    let order = [
        "<a href=\"#texts\">Languages and texts</a>",
        "id=\"h-texts\">Languages and texts</h2>",
        "id=\"h-duplicates\"",
    ];
    assert!(order.map(|text| html.find(text).unwrap_or_else(|| panic!("no {text}"))).is_sorted());
}

#[test]
fn a_number_that_table_summary_lacks_is_an_error() {
    let numbers = NUMBERS.iter().skip(1).map(|(section, name)| (*section, *name, 1.0));
    let error = render(Lang::Zh, numbers, &hostile(1)).unwrap_err();
    assert!(error.contains("table summary has no input: files"), "{error}");
}

#[test]
fn long_tables_lose_rows_and_say_so() {
    let html = rendered(&[("language over time", &format!("b {HOSTILE}"), 1.0)], &hostile(5000));
    assert!(html.len() <= MAX_BYTES && html.len() > MAX_BYTES / 3, "{}", html.len());
    assert!(html.contains("further rows are left off"));
}

#[test]
fn each_word_of_the_report_is_used_and_each_used_one_is_there() {
    let all: String = TEMPLATES.iter().map(|(_, source)| *source).collect();
    let words = Lang::En.words("report");
    let named = Regex::new(r"\bt\.([a-z][a-z_0-9]*)").unwrap();
    let used: Vec<&str> = named.captures_iter(&all).map(|word| word.get(1).unwrap().as_str()).collect();
    used.iter().for_each(|word| assert!(words.contains_key(*word), "no word {word}"));
    // Words that are called by a name of the data.
    let called = [
        "part_",
        "note_",
        "kind_",
        "title_",
        "media_",
        "bow_tie_",
        "dangling_",
        "agreement_",
        "degrees_",
        "score_",
        "life_",
    ];
    let of_code = [
        "by_fetch",
        "by_publication",
        "pages_in_cluster",
        "wanted",
        "wanted_note",
        "domains",
        "domains_note",
    ];
    for word in words.keys().map(String::as_str) {
        let by_name = called.iter().any(|start| word.starts_with(start)) || of_code.contains(&word);
        assert!(by_name || used.contains(&word), "{word} is used nowhere");
    }
}
