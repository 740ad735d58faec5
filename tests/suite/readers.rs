//! The tables as other readers of Parquet see them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::report::write_documents;
use crate::support::{Work, reader, repository, tool};

/// Opens every table of the results with all readers; the columns that are never null, by job and table.
fn open_all(results: &Path) -> BTreeMap<(String, String), Vec<String>> {
    let text = reader("open_all.py", &[results]).unwrap_or_default();
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
    if tool("readers", "python").is_none() {
        return;
    }
    let work = Work::with_demo();
    one_page(&work.path("one.warc"));
    work.run(&["run", "one.warc", "--out", "one"]);
    let pages = repository("tests/pages");
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
        let tables = open_all(&work.path(moved));
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
fn recipes(results: &Path, empty: &[&str]) {
    let (binary, recipes) = (Path::new(env!("CARGO_BIN_EXE_webmill")), repository("docs/recipes.sql"));
    let mut arguments = vec![binary, &recipes, results];
    arguments.extend(empty.iter().map(Path::new));
    let text = reader("recipes.py", &arguments).unwrap_or_default();
    assert!(text.lines().count() >= 30);
}

/// Two hundred generated queries over the tables of the demonstration, of marked pages and of a synthetic Web.
#[test]
fn generated_queries_are_answered_alike_by_duckdb_python_and_query() {
    if tool("readers", "python").is_none() {
        return;
    }
    let work = Work::with_demo();
    let pages = repository("tests/pages");
    work.run(&[
        "datasets",
        "pack",
        pages.to_str().unwrap(),
        "--site",
        "https://pages.example/",
        "--out",
        "packed",
    ]);
    work.run(&["run", "packed", "--out", "pages"]);
    work.synth("shards", 100, u64::MAX);
    work.run(&["run", "shards", "--out", "synth"]);
    let results = ["demo/results", "pages", "synth"].map(|results| work.path(results));
    let how = [env!("CARGO_BIN_EXE_webmill"), "200", "1"].map(Path::new);
    let arguments: Vec<&Path> = how.into_iter().chain(results.iter().map(|path| path.as_path())).collect();
    let counts = reader("differential.py", &arguments).unwrap_or_default();
    assert!(counts.contains(" equal"), "{counts}");
}

/// What `webmill run` leaves out unless it is asked for: topics, classes (here every other text) and counts.
fn learn(work: &Work, out: &str) {
    let sql = "SELECT url FROM texts WHERE is_current AND num_words > 0 ORDER BY url";
    let urls = work.output(&["query", out, sql, "--format", "csv"]);
    let lines = urls.lines().skip(1).enumerate();
    let labels: String = lines.map(|(at, url)| format!("{url},{}\n", ["even", "odd"][at % 2])).collect();
    std::fs::write(work.path("labels.csv"), format!("url,label\n{labels}")).unwrap();
    work.run(&["learn", "cluster", out, "--k", "2"]);
    // Words of one page count too: the smallest corpus has four.
    std::fs::write(work.path("learn.toml"), "[learn]\nmin_pages = 1\n").unwrap();
    let train = ["learn", "train", out, "--labels", "labels.csv", "--method", "naive-bayes"];
    work.run(&[&train[..], &["--recipe", "learn.toml"]].concat());
    work.run(&["learn", "apply", out]);
    work.run(&["count", "words", out]);
    work.run(&["count", "backlinks", out]);
}

/// The demonstration site has no document, chain of redirects or page fetched twice.
#[test]
fn recipes_are_answered_alike_by_duckdb_and_query_on_the_demo() {
    if tool("readers", "python").is_none() {
        return;
    }
    let work = Work::with_demo();
    learn(&work, "demo/results");
    recipes(
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
    if tool("readers", "python").is_none() {
        return;
    }
    let work = Work::new();
    write_documents(&work, "shards");
    work.run(&["run", "shards", "--out", "out"]);
    learn(&work, "out");
    let text = std::fs::read_to_string(repository("docs/recipes.sql")).unwrap();
    let names = text.lines().filter_map(|line| line.strip_prefix("-- name: "));
    let none = ["documents-for-ocr", "albums", "cameras"];
    let empty: Vec<&str> = names.filter(|name| none.contains(name) || !OF_DOCUMENTS.contains(name)).collect();
    recipes(&work.path("out"), &empty);
}

/// A synthetic Web has no PDF, redirects, authors, comments or data; every page of it has links to it and one capture.
#[test]
fn recipes_are_answered_alike_by_duckdb_and_query_on_a_synthetic_web() {
    if tool("readers", "python").is_none() {
        return;
    }
    let work = Work::new();
    work.synth("shards", 300, 150_000);
    work.run(&["run", "shards", "--out", "synth"]);
    learn(&work, "synth");
    let empty = ["redirect-chains", "most-linked-pdfs", "page-life", "orphans", "authors"];
    let no_data = ["structured-data", "tables-by-page", "posts-by-host"];
    recipes(&work.path("synth"), &[&empty[..], &no_data, OF_DOCUMENTS].concat());
}
