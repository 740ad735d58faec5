//! `webmill show`: all that is known of a page, as other readers find it in the tables.

use std::collections::BTreeSet;
use std::path::Path;
use webmill_capture::cut::Cut;

use serde_json::Value;
use webmill::jobs::graph::tables::NodeRow;
use webmill::mill::{PageRow, TextRow};
use webmill::table::read_rows;

use crate::report::write_documents;
use crate::support::{Work, reader, repository, story};

/// A corpus with copies, a shared passage, comments of hosts, links that lead nowhere.
fn corpus(work: &Work) {
    work.synth("shards", 240, u64::MAX);
    std::fs::write(work.path("mill.toml"), "[extract]\ntemplate_pages = 10\n").unwrap();
    work.run(&["run", "shards", "--out", "out", "--recipe", "mill.toml"]);
}

/// Compares with DuckDB page by page.
fn agrees(results: &Path, every: &str) {
    let arguments = [Path::new(env!("CARGO_BIN_EXE_webmill")), results, Path::new(every)];
    let Some(text) = reader("show.py", &arguments) else { return };
    let numbers: Vec<u64> = text.split_whitespace().map(|number| number.parse().unwrap()).collect();
    assert!(numbers[0] >= 5 && numbers[1] >= 20 * numbers[0], "{text}");
}

#[test]
fn numbers_agree_with_duckdb_on_the_demo() {
    agrees(&Work::with_demo().path("demo/results"), "2");
}

/// The names that docs/show.md has in backquotes.
fn documented() -> BTreeSet<String> {
    let text = std::fs::read_to_string(repository("docs/show.md")).unwrap();
    let table = text.split("## JSON").nth(1).unwrap();
    let rows = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .flat_map(|line| line.split('`').skip(1).step_by(2));
    rows.flat_map(|name| name.split('.')).map(str::to_owned).collect()
}

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            found.insert(key.clone());
            keys(value, found);
        }),
        Value::Array(items) => items.iter().for_each(|item| keys(item, found)),
        _ => {}
    }
}

#[test]
fn the_shape_is_fixed_documented_and_the_same_on_any_threads() {
    let work = Work::new();
    corpus(&work);
    agrees(&work.path("out"), "17");
    let pages: Vec<PageRow> = read_rows(&work.path("out/extract/latest/pages")).unwrap();
    let (mut found, mut first) = (BTreeSet::new(), None);
    for page in pages.iter().step_by(9) {
        let arguments = ["show", "out", &page.url, "--format", "json"];
        let told = work.json(&arguments);
        let top: Vec<String> = told.as_object().unwrap().keys().cloned().collect();
        assert_eq!(first.get_or_insert_with(|| top.clone()), &top);
        keys(&told, &mut found);
        let mut one = work.webmill(&arguments);
        let again = one.env("RAYON_NUM_THREADS", "1").output().unwrap().stdout;
        assert_eq!(serde_json::from_slice::<Value>(&again).unwrap(), told);
        for list in ["captures", "duplicates", "passages"] {
            assert!(
                told[list]["listed"].as_array().unwrap().len() as u64
                    <= told[list]["total"].as_u64().unwrap()
            );
        }
    }
    let documented = documented();
    let undocumented: Vec<&String> = found
        .iter()
        .filter(|key| !["total", "listed"].contains(&key.as_str()) && !documented.contains(*key))
        .collect();
    assert!(undocumented.is_empty(), "{undocumented:?}");
    assert!(found.len() > 80, "{found:?}");
    assert!(first.unwrap().iter().all(|key| documented.contains(key)));
}

#[test]
fn one_screen_says_it_all() {
    let work = Work::new();
    let page = |n: u64, links: &str| {
        format!("<html><title>Page {n}</title><body><p>{}</p>{links}</body></html>", story(n))
    };
    let home = "<a href=\"/one\">the first</a> <a href=\"/copy\">a copy</a> <a href=\"/gone\">gone</a>";
    work.write_pages(
        "shards",
        &[
            ("http://a.org/".into(), page(0, home)),
            ("http://a.org/one".into(), page(1, "<a href=\"/\">home</a>")),
            ("http://a.org/copy".into(), page(1, "<a href=\"/\">home</a>")),
        ],
    );
    work.run(&["run", "shards", "--out", "results"]);
    let text = |url: &str| work.output(&["show", "results", url]);
    // Found without a scheme, and in the folder `results`.
    let one = text("a.org/one");
    assert_eq!(one, text("http://A.org:80/x/../one"));
    for line in [
        "http://a.org/one\n",
        "title       Page 1\n",
        "captures    1\n",
        "links in    1 link from 1 page\n",
        "http://a.org/  “the first”\n",
        "links out   1 link to 1 page\n",
        "duplicates  1\n",
        "body 1.000 http://a.org/copy\n",
        "; throughout: ",
    ] {
        assert!(one.contains(line), "{line:?} in {one}");
    }
    let words = story(1);
    assert!(one.contains(words.cut(..60)), "{one}");
    assert!(one.lines().count() < 50, "{one}");
    // Of a page that was never fetched the links are known.
    let gone = text("http://a.org/gone");
    assert!(gone.contains("captures    none") && gone.contains("“gone”"), "{gone}");
    let told = work.json(&["show", "results", "http://a.org/gone", "--format", "json"]);
    assert_eq!(
        (&told["captures"]["total"], &told["page"], &told["text"]),
        (&0.into(), &Value::Null, &Value::Null)
    );
}

#[test]
fn what_was_not_computed_is_named() {
    let work = Work::new();
    work.synth("shards", 60, u64::MAX);
    work.run(&["extract", "shards", "--out", "out"]);
    let pages: Vec<PageRow> = read_rows(&work.path("out/extract/latest/pages")).unwrap();
    let url = &pages[3].url;
    let missing = || -> Vec<String> {
        let told = work.json(&["show", "out", url, "--format", "json"]);
        told["missing"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["table"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(missing(), ["nodes", "keywords", "duplicates", "clusters", "passages", "hosts"]);
    let text = String::from_utf8(work.run(&["show", "out", url]).stdout).unwrap();
    assert!(text.contains("nodes: run `webmill graph out`"), "{text}");
    work.run(&["graph", "out"]);
    assert_eq!(missing()[0], "ranks");
    work.run(&["rank", "out"]);
    assert!(!missing().contains(&"ranks".to_owned()));
    // Ranks of another graph are not taken for those of this one.
    work.synth("more", 80, u64::MAX);
    work.run(&["extract", "shards", "more", "--out", "out"]);
    work.run(&["graph", "out"]);
    let told = work.json(&["show", "out", url, "--format", "json"]);
    assert_eq!(told["rank"], Value::Null);
    assert!(
        told["missing"].to_string().contains("not of the latest graph")
            && !told["warnings"].as_array().unwrap().is_empty()
    );
    assert!(work.fails(&["show", "nothing", url], 2).contains("neither nothing nor the current folder"));
}

#[test]
fn pages_near_one_that_is_not_there_are_proposed() {
    let work = Work::new();
    let page = |n: u64| format!("<title>{n}</title><p>{}", story(n));
    let urls = [
        "http://www.a.org/news/1?x=1",
        "http://www.a.org/news/2",
        "http://www.a.org/about/",
        "http://b.org/",
    ];
    let pages: Vec<(String, String)> = (0..).zip(urls).map(|(n, url)| (url.to_owned(), page(n))).collect();
    work.write_pages("shards", &pages);
    work.run(&["extract", "shards", "--out", "results"]);
    for (asked, first) in [
        ("https://www.a.org/about/", "http://www.a.org/about/  (the same page to indexes)"),
        ("http://a.org/news/2", "http://www.a.org/news/2  (the same page to indexes)"),
        ("http://www.a.org/about", "http://www.a.org/about/  ("),
        ("http://www.a.org/news/1", "http://www.a.org/news/1?x=1  (the same path)"),
        ("http://www.a.org/news/17", "http://www.a.org/news/1?x=1  (of the same host)"),
    ] {
        let said = work.fails(&["show", "results", asked], 1);
        assert!(said.contains("no such page in results, but\n"), "{said}");
        assert!(said.lines().nth(1).unwrap().trim().starts_with(first), "{asked}: {said}");
        assert!(!said.contains("b.org"), "{said}");
    }
    assert!(work.fails(&["show", "results", "http://c.org/"], 1).contains("nor any other of its host"));
    let output =
        work.webmill(&["show", "results", "http://a.org/news/2", "--format", "json"]).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["near"][0]["url"], "http://www.a.org/news/2");
}

#[test]
fn hostile_urls_are_refused_or_not_there() {
    let work = Work::new();
    work.write_pages(
        "shards",
        &[("http://a.org/".into(), format!("<title>\u{202e}x\u{1b}[31m</title><p>{}", story(1)))],
    );
    work.run(&["extract", "shards", "--out", "results"]);
    let text = String::from_utf8(work.run(&["show", "results", "http://a.org/"]).stdout).unwrap();
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    let long = format!("http://a.org/{}", "x/".repeat(40_000));
    for (url, code) in [
        ("", 2),
        ("http://", 2),
        ("javascript:alert(1)", 2),
        ("mailto:a@b.org", 2),
        ("file:///etc/passwd", 2),
        ("http://[::1", 2),
        ("http://a.org/\u{1b}[31m'; DROP TABLE pages; --", 1),
        ("http://a.org/%00%ff%", 1),
        ("http://a.org/../../etc/passwd", 1),
        ("http://\u{202e}gro.a/", 2),
        (&long, 2),
    ] {
        let output = work.webmill(&["show", "results", url]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let short: String = url.chars().take(60).collect();
        assert!(
            output.status.code() == Some(code) || code == 2 && output.status.code() == Some(1),
            "{short:?}: {said}"
        );
        assert!(!said.contains("panicked") && !said.contains(['\u{1b}', '\u{202e}']), "{short:?}: {said:?}");
    }
}

#[test]
fn sorted_tables_are_looked_up_by_their_statistics() {
    let work = Work::new();
    // More rows than a row group has: 40,000 link targets that nothing was fetched of.
    let links: String = (0..40_000).map(|n| format!("<a href=\"/t/{n:05}\">{n}</a> ")).collect();
    let page = |text: &str| format!("<title>t</title><p>{}{text}", story(1));
    work.write_pages(
        "shards",
        &[
            ("http://a.org/0".into(), page(links.cut(..links.len() / 2))),
            ("http://a.org/1".into(), page(&links)),
        ],
    );
    work.run(&["extract", "shards", "--out", "results"]);
    work.run(&["graph", "results"]);
    work.run(&["rank", "results"]);
    let nodes: Vec<NodeRow> = read_rows(&work.path("results/graph/latest/nodes")).unwrap();
    assert!(nodes.len() > 32_768, "{} nodes", nodes.len());
    let texts: Vec<TextRow> = read_rows(&work.path("results/extract/latest/texts")).unwrap();
    assert!(!texts.is_empty());
    let told = work.json(&["show", "results", "http://a.org/t/00007", "--format", "json"]);
    let read = told["read"]
        .as_array()
        .unwrap()
        .iter()
        .find(|read| read["table"] == "ranks" && read["by"] == "node")
        .unwrap();
    assert!(read["row_groups"].as_u64().unwrap() >= 2, "{told}");
    assert_eq!(read["row_groups_read"], 1, "{told}");
    assert_eq!(told["links_in"]["pages"]["total"], 2);
}

#[test]
fn documents_and_pictures_are_shown_as_what_they_are() {
    let work = Work::new();
    write_documents(&work, "shards");
    work.run(&["run", "shards", "--out", "out"]);
    let told = |url: &str| work.json(&["show", "out", url, "--format", "json"]);
    let report = told("http://a.example/report.pdf");
    assert_eq!((&report["document"]["format"], &report["document"]["pages"]), (&"pdf".into(), &1.into()));
    assert_eq!((&report["page"]["page_type"], &report["medium"]), (&"document".into(), &Value::Null));
    assert_eq!(told("http://a.example/broken.pdf")["document"]["failure"], "damaged");
    assert_eq!(told("http://a.example/")["document"], Value::Null);
    let sound = &told("http://a.example/a.wav")["medium"];
    assert_eq!((&sound["kind"], &sound["duration_ms"]), (&"audio".into(), &1000.into()));
    // One that was not fetched is known by the page that shows it.
    let pier = told("http://a.example/pier.png");
    assert_eq!((&pier["medium"]["source"], &pier["medium"]["width"]), (&"img".into(), &40.into()));
    assert_eq!(pier["medium"]["shown_by"], "http://a.example/");
    let screen = String::from_utf8(work.run(&["show", "out", "http://a.example/pier.png"]).stdout).unwrap();
    assert!(screen.contains("image, 40 × 30, not fetched, shown by http://a.example/"), "{screen}");
}
