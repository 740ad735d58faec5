//! The tables as other readers of Parquet see them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::support::Work;

/// The Python that `make tools` installs the readers into.
fn python() -> Option<std::path::PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/readers/bin/python");
    if !path.exists() {
        webmill_evaluation::skip(
            "no Python with pandas, pyarrow, polars and duckdb in target/readers: run `make tools`",
        );
        return None;
    }
    Some(path)
}

#[test]
fn pandas_pyarrow_polars_and_duckdb_open_every_table() {
    let Some(python) = python() else { return };
    let work = Work::new();
    work.synth("shards", 300, u64::MAX);
    std::fs::write(work.path("mill.toml"), "[extract]\ntemplate_pages = 10\n").unwrap();
    work.run(&["run", "shards", "--out", "out", "--recipe", "mill.toml"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/open_all.py");
    let output = Command::new(python).arg(script).arg(work.path("out")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let tables: BTreeMap<(&str, &str), Vec<&str>> = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|line| ((line[0], line[1]), line[3].split(',').collect()))
        .collect();
    assert!(tables.len() >= 20, "{tables:?}");
    // What is never null is declared so; lists and flags among it.
    for (table, columns) in [
        (("extract", "pages"), &["url", "url_key", "is_html", "tags"][..]),
        (("extract", "texts"), &["text", "paragraph_languages", "num_words"]),
        (("keywords", "keywords"), &["tfidf_words", "tfidf_scores"]),
        (("rank", "ranks"), &["level", "pagerank"]),
    ] {
        assert!(
            columns.iter().all(|column| tables[&table].contains(column)),
            "{table:?}: {:?}",
            tables[&table]
        );
    }
    assert!(!tables[&("extract", "pages")].contains(&"title"));
}
