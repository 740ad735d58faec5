//! The tables as other readers of Parquet see them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::report::write_documents;
use crate::support::Work;

/// The Python that `make tools` installs the readers into.
pub fn python() -> Option<std::path::PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/readers/bin/python");
    if !path.exists() {
        webmill_evaluation::skip(
            "no Python with pandas, pyarrow, polars and duckdb in target/readers: run `make tools`",
        );
        return None;
    }
    Some(path)
}

/// Opens every table of the results with all readers; the columns that are never null, by job and table.
fn open_all(python: &Path, results: &Path) -> BTreeMap<(String, String), Vec<String>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/open_all.py");
    let output = Command::new(python).arg(script).arg(results).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|line| {
            let table = (line[0].to_owned(), line[1].to_owned());
            (table, line[3].split(',').map(str::to_owned).collect())
        })
        .collect()
}

/// A WARC file of one page.
pub fn one_page(path: &Path) {
    let body = "<html><head><title>One</title></head><body><p>The only page there is.</p></body></html>";
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://one.example/\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    );
    std::fs::write(path, record).unwrap();
}

#[test]
fn pandas_pyarrow_polars_and_duckdb_open_every_table() {
    let Some(python) = python() else { return };
    let work = Work::with_demo();
    one_page(&work.path("one.warc"));
    work.run(&["run", "one.warc", "--out", "one"]);
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let pages = pages.to_str().unwrap();
    work.run(&["datasets", "pack", pages, "--site", "https://pages.example/", "--out", "packed"]);
    work.run(&["run", "packed", "--out", "pages"]);
    work.synth("shards", 300, 150_000);
    let recipe = "[extract]\ntemplate_pages = 10\n[rules]\nfiles = [\"builtin:all\"]\n";
    std::fs::write(work.path("mill.toml"), recipe).unwrap();
    work.run(&["run", "shards", "--out", "synth", "--recipe", "mill.toml"]);
    // Keys of another recipe beside them, which nobody must count.
    std::fs::write(work.path("other.toml"), "[extract]\ntemplate_pages = 20\n").unwrap();
    work.run(&["run", "shards", "--out", "synth", "--recipe", "other.toml"]);
    work.run(&["run", "shards", "--out", "synth", "--recipe", "mill.toml"]);
    for (results, moved) in [("demo/results", "a"), ("one", "b"), ("pages", "it's c"), ("synth", "d")] {
        // The folder may be moved, and named as one likes.
        std::fs::rename(work.path(results), work.path(moved)).unwrap();
        let tables = open_all(&python, &work.path(moved));
        assert!(tables.len() >= 20, "{results}: {tables:?}");
        // What is never null is declared so; lists and flags among it.
        for (job, table, columns) in [
            ("extract", "pages", &["url", "url_key", "is_html", "tags"][..]),
            ("extract", "texts", &["text", "paragraph_languages", "num_words"]),
            ("keywords", "keywords", &["tfidf_words", "tfidf_scores"]),
            ("rank", "ranks", &["level", "pagerank"]),
        ] {
            let never_null = &tables[&(job.to_owned(), table.to_owned())];
            assert!(
                columns.iter().all(|column| never_null.iter().any(|n| n == column)),
                "{table}: {never_null:?}"
            );
        }
        assert!(!tables[&("extract".to_owned(), "pages".to_owned())].contains(&"title".to_owned()));
    }
}

/// Runs every recipe of docs/recipes.sql over `results` by DuckDB and by `webmill query`, which must agree.
fn recipes(python: &Path, results: &Path, empty: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(python)
        .arg(root.join("tests/readers/recipes.py"))
        .args([Path::new(env!("CARGO_BIN_EXE_webmill")), &root.join("docs/recipes.sql"), results])
        .args(empty)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).lines().count() >= 30);
}

/// What `webmill run` leaves out unless it is asked for: topics, classes (here every other text) and counts.
fn learn(work: &Work, out: &str) {
    let sql = "SELECT url FROM texts WHERE is_current AND num_words > 0 ORDER BY url";
    let urls = work.run(&["query", sql, "--results", out, "--format", "csv"]).stdout;
    let urls = String::from_utf8(urls).unwrap();
    let lines = urls.lines().skip(1).enumerate();
    let labels: String = lines.map(|(at, url)| format!("{url},{}\n", ["even", "odd"][at % 2])).collect();
    std::fs::write(work.path("labels.csv"), format!("url,label\n{labels}")).unwrap();
    work.run(&["learn", "cluster", "--out", out, "--k", "2"]);
    // Words of one page count too: the smallest corpus has four.
    std::fs::write(work.path("learn.toml"), "[learn-train]\nmin_pages = 1\n").unwrap();
    let train = ["learn", "train", "--labels", "labels.csv", "--method", "naive-bayes", "--out", out];
    work.run(&[&train[..], &["--recipe", "learn.toml"]].concat());
    work.run(&["learn", "apply", "--out", out]);
    work.run(&["count", "words", "--out", out]);
    work.run(&["count", "backlinks", "--out", out]);
}

/// The demonstration site has no document, chain of redirects or page fetched twice.
#[test]
fn recipes_are_answered_alike_by_duckdb_and_query_on_the_demo() {
    let Some(python) = python() else { return };
    let work = Work::with_demo();
    learn(&work, "demo/results");
    recipes(
        &python,
        &work.path("demo/results"),
        &[&["most-linked-pdfs", "page-life", "redirect-chains"], OF_DOCUMENTS].concat(),
    );
}

/// Questions about documents and media, which neither the demonstration site nor a synthetic Web answers.
const OF_DOCUMENTS: &[&str] = &[
    "documents-by-format",
    "documents-not-read",
    "documents-for-ocr",
    "longest-documents",
    "titles-by-source",
    "most-linked-documents",
    "top-documents",
    "links-of-documents",
    "sheets",
    "media-by-format",
    "songs",
    "albums",
    "pictures-without-alt",
    "largest-pictures",
    "cameras",
];

/// A page, documents, a picture and a sound; none needs OCR, is on an album or has a camera.
#[test]
fn recipes_are_answered_alike_by_duckdb_and_query_on_documents() {
    let Some(python) = python() else { return };
    let work = Work::new();
    write_documents(&work, "shards");
    work.run(&["run", "shards", "--out", "out"]);
    learn(&work, "out");
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/recipes.sql")).unwrap();
    let names = text.lines().filter_map(|line| line.strip_prefix("-- name: "));
    let none = ["documents-for-ocr", "albums", "cameras"];
    let empty: Vec<&str> = names.filter(|name| none.contains(name) || !OF_DOCUMENTS.contains(name)).collect();
    recipes(&python, &work.path("out"), &empty);
}

/// A synthetic Web has no PDF, redirects, authors, comments or data; every page of it has links to it and one capture.
#[test]
fn recipes_are_answered_alike_by_duckdb_and_query_on_a_synthetic_web() {
    let Some(python) = python() else { return };
    let work = Work::new();
    work.synth("shards", 300, 150_000);
    work.run(&["run", "shards", "--out", "synth"]);
    learn(&work, "synth");
    let empty = ["redirect-chains", "most-linked-pdfs", "page-life", "orphans", "authors"];
    let no_data = ["structured-data", "tables-by-page", "comments-by-host"];
    recipes(&python, &work.path("synth"), &[&empty[..], &no_data, OF_DOCUMENTS].concat());
}
