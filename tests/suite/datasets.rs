//! Generated corpora: what is planted is found.

use std::collections::{BTreeMap, HashMap};

use webmill::jobs::dedup::tables::ClusterRow;
use webmill::mill::PageRow;

use crate::support::{Work, objects};

#[test]
fn planted_languages_encodings_and_copies_are_found() {
    let work = Work::new();
    work.run(&["datasets", "synth", "--pages", "3000", "--words", "200", "--truth", "--out", "corpora"]);
    work.run(&["run", "corpora/synth-3000-1", "--out", "out", "--max-bad", "0"]);
    let truth: HashMap<String, serde_json::Value> =
        objects(&std::fs::read_to_string(work.path("corpora/synth-3000-1/truth.jsonl")).unwrap())
            .into_iter()
            .map(|v| (v["url"].as_str().unwrap().to_owned(), v))
            .collect();
    assert_eq!(truth.len(), 3000);

    let (mut right, mut all) = ([0, 0], 0);
    for page in work.table::<PageRow>("out", "extract") {
        let known = &truth[&page.url];
        if matches!(known["kind"].as_str(), Some("redirect" | "missing")) {
            continue;
        }
        all += 1;
        right[0] += usize::from(page.content_charset.as_deref() == known["encoding"].as_str());
        right[1] += usize::from(page.content_languages.as_deref() == known["language"].as_str());
    }
    assert_eq!(right[0], all, "encodings");
    assert!(right[1] as f64 >= 0.99 * all as f64, "languages: {} of {all}", right[1]);

    let clusters = work.table::<ClusterRow>("out", "dedup");
    let of: HashMap<String, u32> = clusters.into_iter().map(|page| (page.url, page.cluster)).collect();
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
