//! Generated corpora: what is planted is found.

use std::collections::{BTreeMap, HashMap};

use polars::prelude::*;

use crate::support::Work;

fn strings(frame: &DataFrame, name: &str) -> Vec<Option<String>> {
    frame.column(name).unwrap().str().unwrap().iter().map(|v| v.map(str::to_owned)).collect()
}

fn table(work: &Work, path: &str) -> DataFrame {
    let mut whole: Option<DataFrame> = None;
    for entry in std::fs::read_dir(work.path(path)).unwrap() {
        let file = std::fs::File::open(entry.unwrap().path()).unwrap();
        let frame = ParquetReader::new(file).finish().unwrap();
        whole = Some(match whole {
            None => frame,
            Some(before) => before.vstack(&frame).unwrap(),
        });
    }
    whole.unwrap()
}

#[test]
fn planted_languages_encodings_and_copies_are_found() {
    let work = Work::new();
    work.run(&["datasets", "synth", "--pages", "3000", "--words", "200", "--truth", "--out", "corpora"]);
    work.run(&["run", "corpora/synth-3000-1", "--out", "out", "--max-bad", "0"]);
    let truth: HashMap<String, serde_json::Value> =
        std::fs::read_to_string(work.path("corpora/synth-3000-1/truth.jsonl"))
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|v| (v["url"].as_str().unwrap().to_owned(), v))
            .collect();
    assert_eq!(truth.len(), 3000);

    let pages = table(&work, "out/extract/latest/pages");
    let (urls, charsets, languages) =
        (strings(&pages, "url"), strings(&pages, "content_charset"), strings(&pages, "content_languages"));
    let (mut right, mut all) = ([0, 0], 0);
    for i in 0..pages.height() {
        let known = &truth[urls[i].as_deref().unwrap()];
        if matches!(known["kind"].as_str(), Some("redirect" | "missing")) {
            continue;
        }
        all += 1;
        right[0] += usize::from(charsets[i].as_deref() == known["encoding"].as_str());
        right[1] += usize::from(languages[i].as_deref() == known["language"].as_str());
    }
    assert_eq!(right[0], all, "encodings");
    assert!(right[1] as f64 >= 0.99 * all as f64, "languages: {} of {all}", right[1]);

    let clusters = table(&work, "out/dedup/latest/clusters");
    let cluster = clusters.column("cluster").unwrap().u32().unwrap().clone();
    let of: HashMap<String, u32> = strings(&clusters, "url")
        .into_iter()
        .zip(cluster.iter())
        .map(|(url, c)| (url.unwrap(), c.unwrap()))
        .collect();
    let mut found: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (url, known) in &truth {
        let kind = known["kind"].as_str().unwrap();
        let Some(original) = known["of"].as_str().filter(|_| matches!(kind, "body" | "text" | "near")) else {
            continue;
        };
        let edits = known["edits"].as_u64().unwrap();
        let counts =
            found.entry(if kind == "near" { format!("near {edits}") } else { kind.into() }).or_default();
        counts.1 += 1;
        counts.0 += usize::from(of.get(url).is_some_and(|c| of.get(original) == Some(c)));
    }
    for (kind, least) in [("body", 1.0), ("text", 0.95), ("near 1", 0.75), ("near 2", 0.5)] {
        let (hits, planted) = found[kind];
        assert!(
            planted > 5 && hits as f64 >= least * planted as f64,
            "{kind}: {hits} of {planted} ({found:?})"
        );
    }
}
