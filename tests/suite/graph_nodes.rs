//! What table `nodes` says of the captures behind its nodes, and which files tables of levels have.

use std::collections::BTreeMap;
use std::path::Path;

use webmill::jobs::graph::tables::{LevelRow, NodeRow};
use webmill::jobs::rank::tables::RankRow;
use webmill::table::{FileFacts, TextEnum, part_files, read_rows};

use crate::support::Work;

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>A page.";
const PDF: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.4 and so on";
const MOVED: &str = "HTTP/1.1 301 Moved\r\nLocation: http://a.example/\r\nContent-Length: 0\r\n\r\n";
const MISSING: &str = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>Nothing.";
const BROKEN: &str = "HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\n\r\n<p>Broken.";

#[test]
fn nodes_say_what_their_captures_are_at_best() {
    let work = Work::new();
    let links: String = ["paper.pdf", "moved", "missing", "nowhere", "later", "mended", "old.pdf"]
        .iter()
        .map(|path| format!("<a href=\"/{path}\">{path}</a> "))
        .chain([
            "<a href='http://files.example/a.pdf'>a</a> <a href='http://unknown.example/'>u</a>".to_owned()
        ])
        .collect();
    let home = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{links}");
    work.write_answers(
        "shards",
        [
            ("http://a.example/", home.as_str()),
            ("http://a.example/paper.pdf", PDF),
            ("http://a.example/moved", MOVED),
            ("http://a.example/missing", MISSING),
            // The best of several captures counts, whichever is the latest.
            ("http://a.example/later", MISSING),
            ("http://a.example/later", PAGE),
            ("http://a.example/later", BROKEN),
            ("http://a.example/mended", BROKEN),
            ("http://a.example/mended", MOVED),
            ("http://a.example/old.pdf", PDF),
            ("http://a.example/old.pdf", MISSING),
            ("http://files.example/a.pdf", PDF),
            // No link leads here: no node.
            ("http://a.example/unlinked.pdf", PDF),
        ],
    );
    work.run(&["extract", "shards", "--out", "out"]);
    work.run(&["graph", "out"]);
    let nodes: Vec<NodeRow> = read_rows(&work.path("out/graph/latest/nodes")).unwrap();
    let found: BTreeMap<(&str, &str), Option<&str>> = nodes
        .iter()
        .map(|node| ((node.level.as_str(), node.url.as_str()), node.crawled.map(TextEnum::as_str)))
        .collect();
    let expected = BTreeMap::from([
        (("page", "http://a.example/"), Some("html")),
        (("page", "http://a.example/paper.pdf"), Some("other")),
        (("page", "http://a.example/moved"), Some("redirect")),
        (("page", "http://a.example/missing"), Some("error")),
        (("page", "http://a.example/nowhere"), None),
        (("page", "http://a.example/later"), Some("html")),
        (("page", "http://a.example/mended"), Some("redirect")),
        (("page", "http://a.example/old.pdf"), Some("other")),
        (("page", "http://files.example/a.pdf"), Some("other")),
        (("page", "http://unknown.example/"), None),
        (("host", "a.example"), Some("html")),
        (("host", "files.example"), Some("other")),
        (("host", "unknown.example"), None),
        (("domain", "a.example"), Some("html")),
        (("domain", "files.example"), Some("other")),
        (("domain", "unknown.example"), None),
    ]);
    assert_eq!(found, expected);
    let levels: Vec<LevelRow> = read_rows(&work.path("out/graph/latest/levels")).unwrap();
    assert_eq!(levels.iter().map(|level| level.crawled).collect::<Vec<_>>(), [2, 1, 1]);
    // Ranks say of the same nodes whether they are pages.
    work.run(&["rank", "out"]);
    let ranks: Vec<RankRow> = read_rows(&work.path("out/rank/latest/ranks")).unwrap();
    let pages: Vec<&str> = ranks.iter().filter(|rank| rank.crawled).map(|rank| rank.url.as_str()).collect();
    assert_eq!(pages, ["http://a.example/", "http://a.example/later", "a.example", "a.example"]);
}

/// Rows of each file of every table of a committed folder, by table.
fn rows_of_files(folder: &Path) -> BTreeMap<String, Vec<u64>> {
    let tables = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    tables
        .filter(|path| path.is_dir())
        .map(|table| {
            let files = part_files(&table).unwrap();
            let rows = files.iter().map(|file| FileFacts::read(file).unwrap().rows).collect();
            (table.file_name().unwrap().to_string_lossy().into_owned(), rows)
        })
        .filter(|(_, rows): &(String, Vec<u64>)| !rows.is_empty())
        .collect()
}

#[test]
fn no_file_is_empty_where_its_table_has_others() {
    let work = Work::new();
    // One host: no arcs between hosts, nothing to agree on, no laws.
    let page = |n: u64| (format!("http://a.example/{n}"), format!("<p>Page {n} <a href=/{}>next</a>", n + 1));
    work.write_pages("shards", &(0..9).map(page).collect::<Vec<_>>());
    work.run(&["run", "shards", "--out", "out"]);
    let mut tables = 0;
    for job in ["graph", "rank", "shape", "dedup", "repeated", "mirrors", "keywords", "report"] {
        for (table, rows) in rows_of_files(&work.path("out").join(job).join("latest")) {
            assert!(rows.len() == 1 || !rows.contains(&0), "{job}, {table}: {rows:?}");
            tables += 1;
        }
    }
    assert!(tables > 12, "{tables}");
    assert_eq!(rows_of_files(&work.path("out/graph/latest"))["arcs"].len(), 1);
}
