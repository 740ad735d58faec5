//! Table `pages` as the index of an archive: a row a record, one of each URL current, the columns of the public index.

use std::collections::BTreeMap;

use webmill::mill::{LinkRow, PageRow, TextRow, WarcType};

use crate::support::{Work, reader};

/// A WARC record of any type and a day of 2024; `fields` are lines of its head.
fn record(warc_type: &str, url: &str, day: &str, content_type: &str, fields: &str, block: &str) -> String {
    let url = if url.is_empty() { String::new() } else { format!("WARC-Target-URI: {url}\r\n") };
    format!(
        "WARC/1.1\r\nWARC-Type: {warc_type}\r\n{url}WARC-Date: 2024-{day}T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{warc_type}-2024-{day}T00:00:00Z>\r\n\
         Content-Type: {content_type}\r\n{fields}Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

const HTTP: &str = "application/http; msgtype=response";
const DIGEST: &str = "MOH7IEN2JAEJOHYXIEPEEGHOHG5VIABC";

fn archive() -> String {
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Tea</title><p>All about tea, its harvest and its trade.\
                <a href='/b'>b</a>";
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let revisit = format!(
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\nWARC-Refers-To-Target-URI: \
         http://www.tea.example/\r\nWARC-Refers-To-Date: 2024-01-01T00:00:00Z\r\nWARC-Payload-Digest: sha1:{DIGEST}\r\n"
    );
    let tea = "http://www.tea.example/";
    let leaf = "http://www.tea.example/leaf.txt?b=2&A=1";
    let moved = "HTTP/1.1 301 Moved\r\nLocation: /new\r\n\r\n";
    let request = "application/http; msgtype=request";
    let missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    [
        record("warcinfo", "", "01-01", "application/warc-fields", "", "software: none"),
        record("response", tea, "01-01", HTTP, "", page),
        record("request", tea, "01-01", request, "", "GET / HTTP/1.1\r\n\r\n"),
        record("metadata", tea, "01-01", "application/warc-fields", "", "via: http://b.example/"),
        record("revisit", tea, "02-01", HTTP, &revisit, head),
        record("response", tea, "03-01", HTTP, "", missing),
        record("conversion", tea, "03-02", "text/plain", "", "All about tea"),
        record("resource", leaf, "01-02", "text/plain", "", "a leaf"),
        record("revisit", "http://cup.example/", "01-03", HTTP, "", "HTTP/1.1 304 Not Modified\r\n\r\n"),
        record("response", "http://cup.example:8080/old", "01-04", HTTP, "", moved),
    ]
    .concat()
}

#[test]
fn every_record_of_a_url_has_a_row_and_one_of_them_counts() {
    let work = Work::new();
    std::fs::create_dir_all(work.path("segments/17/warc")).unwrap();
    std::fs::write(work.path("segments/17/warc/a.warc"), archive()).unwrap();
    std::fs::write(work.path("mill.toml"), "[extract]\ncrawl = \"TEA-2024\"\n").unwrap();
    work.run(&["extract", "segments", "--out", "out", "--recipe", "mill.toml"]);
    let rows = work.table::<PageRow>("out", "extract");
    let types: Vec<(&str, &str)> =
        rows.iter().map(|row| (row.url.as_str(), row.warc_type.map_or("", WarcType::as_str))).collect();
    assert_eq!(
        types,
        [
            ("http://cup.example/", "revisit"),
            ("http://cup.example:8080/old", "response"),
            ("http://www.tea.example/", "response"),
            ("http://www.tea.example/", "revisit"),
            ("http://www.tea.example/", "response"),
            ("http://www.tea.example/", "conversion"),
            ("http://www.tea.example/leaf.txt?b=2&A=1", "resource"),
        ]
    );
    let current: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].is_current).collect();
    assert_eq!(current, [0, 1, 2, 6]);
    let revisit = &rows[3];
    assert_eq!(revisit.refers_to_url.as_deref(), Some("http://www.tea.example/"));
    assert_eq!(revisit.refers_to_time.0, Some(1_704_067_200_000));
    assert_eq!(revisit.refers_to_digest.as_deref(), Some(DIGEST));
    assert_eq!(revisit.content_digest.as_deref(), Some(DIGEST));
    assert_eq!((revisit.fetch_status, revisit.is_html), (Some(200), false));
    let redirect = &rows[1];
    assert_eq!(redirect.fetch_redirect.as_deref(), Some("http://cup.example:8080/new"));
    assert_eq!((redirect.url_port, redirect.subset.as_str()), (Some(8080), "crawldiagnostics"));
    let leaf = &rows[6];
    assert_eq!(leaf.url_surtkey, "example,tea)/leaf.txt?a=1&b=2");
    assert_eq!(leaf.url_sortkey, "example,tea,www)/leaf.txt?b=2&A=1");
    assert_eq!((leaf.url_path.as_str(), leaf.url_query.as_deref()), ("/leaf.txt", Some("b=2&A=1")));
    assert_eq!((leaf.crawl.as_str(), leaf.warc_segment.as_deref()), ("TEA-2024", Some("17")));
    // A conversion or revisit is no second page: one text that counts, one link, one node. Plain text is a document.
    let texts: Vec<TextRow> = work.table("out", "extract");
    let told: Vec<_> = texts.iter().map(|row| (row.url.as_str(), row.is_current)).collect();
    let (tea, leaf) = ("http://www.tea.example/", "http://www.tea.example/leaf.txt?b=2&A=1");
    assert_eq!(told, [(tea, true), (tea, false), (leaf, true)]);
    assert_eq!(work.table::<LinkRow>("out", "extract").len(), 2);
    let counts = work.counts("out", "extract").to_string();
    for count in ["\"metadata-record\":1", "\"request-record\":1", "\"revisits\":2", "\"warcinfo-record\":1"]
    {
        assert!(counts.contains(count), "{count}: {counts}");
    }
    // What later jobs make does not count a page twice.
    work.run(&["run", "segments", "--out", "out", "--recipe", "mill.toml"]);
}

#[test]
fn request_and_metadata_records_have_rows_on_demand() {
    let work = Work::new();
    std::fs::write(work.path("a.warc"), archive()).unwrap();
    std::fs::write(work.path("mill.toml"), "[extract]\ncompanions = true\n").unwrap();
    work.run(&["extract", "a.warc", "--out", "out", "--recipe", "mill.toml"]);
    let mut types = BTreeMap::<&str, usize>::new();
    let rows = work.table::<PageRow>("out", "extract");
    for row in &rows {
        *types.entry(row.warc_type.map_or("", WarcType::as_str)).or_default() += 1;
    }
    let want = [
        ("conversion", 1),
        ("metadata", 1),
        ("request", 1),
        ("resource", 1),
        ("response", 3),
        ("revisit", 2),
    ];
    assert_eq!(types, BTreeMap::from(want));
    assert_eq!(rows.iter().filter(|row| row.is_current).count(), 4);
}

#[test]
fn what_crawlers_tell_of_themselves_and_robots_txt_are_no_texts() {
    let work = Work::new();
    let log = record(
        "resource",
        "metadata://gnu.org/software/wget/warc/wget.log",
        "01-02",
        "text/plain",
        "",
        "A log of all.",
    );
    let rules = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /";
    let rules = record("response", "http://www.tea.example/robots.txt", "01-03", HTTP, "", rules);
    std::fs::write(work.path("a.warc"), archive() + &log + &rules).unwrap();
    work.run(&["extract", "a.warc", "--out", "out"]);
    assert_eq!(work.manifest("out/extract/latest")["counts"]["dropped"]["resource-record"], 1);
    let rows = work.table::<PageRow>("out", "extract");
    assert!(rows.iter().all(|row| !row.url.starts_with("metadata:")));
    let texts = work.output(&["text", "a.warc"]);
    assert!(texts.contains("All about tea") && !texts.contains("User-agent"), "{texts}");
}

#[test]
fn queries_for_the_public_index_run_over_pages() {
    let work = Work::new();
    std::fs::write(work.path("a.warc"), archive()).unwrap();
    work.run(&["extract", "a.warc", "--out", "out"]);
    let Some(text) = reader("index_queries.py", &[&work.path("out/extract/latest/pages")]) else { return };
    assert_eq!(text.lines().filter(|line| line.ends_with("ok")).count(), 8, "{text}");
}
