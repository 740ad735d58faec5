//! Files that earlier programs wrote still open.

use std::path::{Path, PathBuf};

use webmill::jobs::catalogue::Catalogue;
use webmill::jobs::dedup::tables::{ClusterRow, DuplicateRow};
use webmill::jobs::extract::template_row::TemplateRow;
use webmill::jobs::graph::tables::{ArcRow, NodeRow};
use webmill::jobs::keywords::tables::KeywordRow;
use webmill::jobs::rank::tables::RankRow;
use webmill::jobs::report::tables::{HostRow, SummaryRow};
use webmill::jobs::shape::tables::{ComponentRow, DegreeRow};
use webmill::mill::{CommentRow, LinkRow, PageRow, RecordRow, StructuredRow, TextRow};
use webmill::run::open_latest;
use webmill::table::{Reader, Table, columns, read_rows};

use crate::support::Work;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat").join(name)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(&path).unwrap(), target).unwrap();
        } else if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, target).unwrap();
        }
    }
}

columns! {
    struct EarlierPage from PageRow { url, url_key, is_html, title, tags, fetch_status, page_type }
}

columns! {
    struct EarlierText from TextRow { language, text }
}

columns! {
    struct EarlierNode from NodeRow { node, url }
}

columns! {
    struct EarlierLink from LinkRow { source_key, target_url, target_key, anchor, kind, position }
}

columns! {
    struct EarlierRecord from RecordRow { url, columns, cells }
}

columns! {
    struct EarlierComment from CommentRow { url, author, text }
}

columns! {
    struct EarlierItem from StructuredRow { url, syntax, types, data }
}

columns! {
    struct EarlierPair from DuplicateRow { a, b, kind, distance }
}

columns! {
    struct EarlierMember from ClusterRow { url, url_key, cluster, representative, keep, kind, size }
}

columns! {
    struct EarlierTemplate from TemplateRow { url_host_name, pages, sampled, verdict, texts, pages_hit, share, agreement }
}

columns! {
    struct EarlierKeywords from KeywordRow { url, language, tfidf_words, textrank_scores }
}

columns! {
    struct EarlierHost from HostRow { url_host_name, captures, html_pages, errors, bytes, duplicates, pagerank, top_language }
}

/// Reads a whole table, each cell by its type.
fn rows<T: Table>(results: &Path, job: &str) -> Vec<T> {
    read_rows(&results.join(job).join("latest").join(T::NAME)).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn results_of_earlier_programs_open() {
    for form in ["first", "second"] {
        let results = folder(form).join("results");
        for job in ["extract", "graph", "rank", "shape", "dedup", "keywords", "report"] {
            let committed = open_latest(&results, job).unwrap();
            assert_eq!(committed.manifest.job, job);
        }
        // Of tables that have got further columns since, the earlier ones.
        let mut pages = Reader::<EarlierPage>::open(&results.join("extract/latest/pages")).unwrap();
        let batch = pages.next().unwrap().unwrap();
        assert_eq!(batch.len(), 4, "{form}");
        assert!(
            batch.rows().all(|page| page.is_html && page.title.is_some() && page.url.starts_with("http"))
        );
        assert!(batch.rows().all(|page| page.tags.iter().count() < 99 && page.url_key.0 != 0));
        assert!(batch.rows().all(|page| page.page_type.is_some() && page.fetch_status == Some(200)));
        let mut texts = Reader::<EarlierText>::open(&results.join("extract/latest/texts")).unwrap();
        let texts = texts.next().unwrap().unwrap();
        assert!(texts.rows().any(|text| text.language == Some("zho") && !text.text.is_empty()));
        let of = |table: &str| results.join("extract/latest").join(table);
        assert!(!Reader::<EarlierLink>::open(&of("links")).unwrap().next().unwrap().unwrap().is_empty());
        assert!(!Reader::<EarlierRecord>::open(&of("records")).unwrap().next().unwrap().unwrap().is_empty());
        Reader::<EarlierComment>::open(&of("comments")).unwrap().next().unwrap();
        Reader::<EarlierItem>::open(&of("structured")).unwrap().next().unwrap();
        Reader::<EarlierTemplate>::open(&results.join("extract/latest/templates")).unwrap().next().unwrap();
        let mut nodes = Reader::<EarlierNode>::open(&results.join("graph/latest/nodes")).unwrap();
        let mut named = 0;
        while let Some(batch) = nodes.next().unwrap() {
            named += batch.len();
        }
        assert_eq!(named, rows::<RankRow>(&results, "rank").len());
        assert_eq!(named, rows::<ComponentRow>(&results, "shape").len());
        assert!(
            !rows::<ArcRow>(&results, "graph").is_empty() && !rows::<DegreeRow>(&results, "shape").is_empty()
        );
        Reader::<EarlierPair>::open(&results.join("dedup/latest/duplicates")).unwrap().next().unwrap();
        Reader::<EarlierMember>::open(&results.join("dedup/latest/clusters")).unwrap().next().unwrap();
        let mut keywords =
            Reader::<EarlierKeywords>::open(&results.join("keywords/latest/keywords")).unwrap();
        assert_eq!(keywords.next().unwrap().unwrap().len(), texts.len());
        let mut hosts = Reader::<EarlierHost>::open(&results.join("report/latest/hosts")).unwrap();
        assert_eq!(hosts.next().unwrap().unwrap().len(), 1);
        assert!(rows::<SummaryRow>(&results, "report").len() > 50);
    }
}

#[test]
fn commands_read_results_of_earlier_programs() {
    for form in ["first", "second"] {
        let work = Work::new();
        copy(&folder(form).join("results"), &work.path("out"));
        let best = work.run(&["rank", "out", "--top", "3"]).stdout;
        assert_eq!(String::from_utf8(best).unwrap().lines().count(), 3);
        work.run(&["graph", "info", "out", "--level", "host"]);
        work.run(&["dedup", "--out", "out"]);
        // Nodes of another form are refused by name.
        let refused = work.fails(&["rank", "--out", "out"], 2);
        assert!(refused.contains("column crawled of type Bool"), "{refused}");
    }
}

/// Names in a job's folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn results_of_the_first_layout_are_read_as_they_are_and_moved_when_written_to() {
    let work = Work::new();
    copy(&folder("second").join("results"), &work.path("out"));
    let key = std::fs::read_link(work.path("out/extract/latest")).unwrap().display().to_string();
    let before = Catalogue::open(&work.path("out")).unwrap();
    assert_eq!(before.jobs()["extract"].folder, format!("extract/{key}"));
    let pages = before.table("pages").unwrap().rows;
    let listed = work.run(&["results", "ls", "out", "--format", "json"]).stdout;
    assert!(String::from_utf8(listed).unwrap().contains(&format!("\"folder\":\"extract/{key}\"")));
    work.run(&["results", "verify", "out"]);
    work.run(&["rank", "out", "--top", "3"]);
    assert_eq!(names(&work.path("out/extract")), [key.clone(), "latest".into()], "reading moves nothing");
    // A program of that layout that is at work here is waited for.
    let lock = std::fs::File::create(work.path(&format!("out/extract/.{key}.lock"))).unwrap();
    lock.lock().unwrap();
    let refused = work.fails(&["dedup", "--out", "out"], 2);
    assert!(refused.contains("another process"), "{refused}");
    drop(lock);
    // Stopped when some keys were moved and links not yet: they are found, and the rest follows.
    std::fs::create_dir_all(work.path("out/graph/.keys")).unwrap();
    let graph = std::fs::read_link(work.path("out/graph/latest")).unwrap();
    std::fs::rename(work.path("out/graph").join(&graph), work.path("out/graph/.keys").join(&graph)).unwrap();
    assert_eq!(open_latest(&work.path("out"), "graph").unwrap().manifest.job, "graph");
    let said = work.run(&["dedup", "--out", "out"]).stderr;
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("results of an earlier layout were moved"), "{said}");
    for job in ["extract", "graph", "rank", "dedup"] {
        let names = names(&work.path("out").join(job));
        assert_eq!(names, [".keys", "latest"], "{job}");
        assert!(open_latest(&work.path("out"), job).unwrap().folder.parent().unwrap().ends_with(".keys"));
    }
    let marker = std::fs::read_to_string(work.path("out/webmill.json")).unwrap();
    assert!(marker.contains("\"layout\": 2"), "{marker}");
    let after = Catalogue::open(&work.path("out")).unwrap();
    assert_eq!(after.jobs()["extract"].folder, format!("extract/.keys/{key}"));
    assert_eq!(after.table("pages").unwrap().rows, pages);
}

#[test]
fn shards_and_crawls_of_earlier_programs_open() {
    let work = Work::new();
    copy(&folder("first"), &work.path("old"));
    work.run(&["run", "old/shards", "old/crawl", "--out", "out", "--max-bad", "0"]);
    let pages: Vec<PageRow> = rows(&work.path("out"), "extract");
    assert_eq!(pages.len(), 4 + 85);
    // Its frontier opens: what was seen is known. Its proxy is gone, so that nothing more is fetched.
    let again = ["crawl", "http://www.lakeside.example/", "--out", "old/crawl", "--time", "1s"];
    let again = work.webmill(&again).output().unwrap();
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(said.contains("URLs wait") && !said.contains("panicked"), "{said}");
}
