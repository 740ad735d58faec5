//! `webmill query`: SQL over the tables of results.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::support::{Work, objects};

fn query(work: &Work, arguments: &[&str]) -> Output {
    work.run(&[&["query", "demo/results"], arguments].concat())
}

fn text(work: &Work, arguments: &[&str]) -> String {
    String::from_utf8(query(work, arguments).stdout).unwrap()
}

fn rows(work: &Work, sql: &str) -> Vec<Value> {
    objects(&text(work, &[sql, "--format", "json"]))
}

#[test]
fn answers_in_four_forms() {
    let work = Work::with_demo();
    let sql = "SELECT url, pagerank FROM ranks WHERE level = 'page' ORDER BY pagerank DESC, url LIMIT 3";
    let best = rows(&work, sql);
    assert_eq!(best.len(), 3);
    let csv = text(&work, &[sql, "--format", "csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "url,pagerank");
    for (line, row) in lines[1..].iter().zip(&best) {
        assert_eq!(*line, format!("{},{}", row["url"].as_str().unwrap(), row["pagerank"]));
    }
    let table = text(&work, &[sql]);
    assert!(table.contains("pagerank") && table.contains(best[0]["url"].as_str().unwrap()), "{table}");
    assert!(table.trim_end().ends_with("3 rows"), "{table}");
    query(&work, &[sql, "--format", "parquet", "--out", "best.parquet"]);
    let bytes = std::fs::read(work.path("best.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    // The same bytes again, with one thread too.
    let mut again = work.webmill(&["query", "demo/results", sql, "--format", "csv"]);
    assert_eq!(
        String::from_utf8(again.env("POLARS_MAX_THREADS", "1").output().unwrap().stdout).unwrap(),
        csv
    );
}

#[test]
fn values_of_every_kind_are_written() {
    let work = Work::with_demo();
    let of_pages = "SELECT fetch_time, is_current, fetch_status, title, content_charset FROM pages \
                    WHERE title IS NOT NULL ORDER BY url, fetch_time LIMIT 1";
    let row = &rows(&work, of_pages)[0];
    assert!(row["fetch_time"].as_str().unwrap().ends_with('Z'), "{row}");
    assert!(row["is_current"].is_boolean() && row["fetch_status"].is_number() && row["title"].is_string());
    let lists = &rows(&work, "SELECT tfidf_words, tfidf_scores FROM keywords ORDER BY url LIMIT 1")[0];
    assert!(lists["tfidf_words"][0].is_string() && lists["tfidf_scores"][0].is_number(), "{lists}");
    let nulls = &rows(&work, "SELECT published FROM pages WHERE published IS NULL LIMIT 1")[0];
    assert!(nulls["published"].is_null());
    let none = text(&work, &["SELECT url FROM pages WHERE url = 'nothing'", "--format", "csv"]);
    assert_eq!(none, "url\n");
}

/// What docs/sql.md says of the dialect.
#[test]
fn the_dialect_is_as_described() {
    let work = Work::with_demo();
    for sql in [
        "SELECT url FROM pages AS p WHERE EXISTS (SELECT 1 FROM links AS l WHERE l.target_url = p.url) LIMIT 2",
        "SELECT url FROM pages WHERE url IN (SELECT target_url FROM links) LIMIT 2",
        "SELECT level, pagerank FROM ranks QUALIFY ROW_NUMBER() OVER (PARTITION BY level ORDER BY pagerank) = 1 LIMIT 2",
        "SELECT n FROM (SELECT COUNT(*) FILTER (WHERE is_html) AS n FROM pages UNION ALL SELECT 2 AS n) AS two",
        "SELECT url FROM pages WHERE REGEXP_LIKE(url, 'lake.*html') ORDER BY url LIMIT 2",
        // Its streaming engine has no plan for this one.
        "SELECT a.url FROM pages AS a JOIN pages AS b ON a.fetch_time < b.fetch_time LIMIT 2",
    ] {
        assert_eq!(rows(&work, sql).len(), 2, "{sql}");
    }
    // Answers that polars' SQL gives otherwise, or not: a value for each.
    for (sql, value) in [
        ("SELECT SUM(1) - COUNT(*) AS v FROM pages", "0"),
        ("SELECT COUNT(*) - 100000 < 0 AS v FROM pages", "true"),
        (
            "SELECT ROUND(SUM(p), 6) AS v FROM (SELECT 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS p FROM pages GROUP BY url_host_name) AS t",
            "100.0",
        ),
        ("SELECT COUNT(*) AS v FROM pages WHERE fetch_time < TIMESTAMP '2000-01-01 00:00:00'", "0"),
        ("SELECT COUNT(*) AS v FROM pages WHERE fetch_time < '2000-01-01T00:00:00Z'", "0"),
        ("SELECT MAX(YEAR(DATE_TRUNC('year', fetch_time))) >= 2020 AS v FROM pages", "true"),
        ("SELECT SUM(fetch_status * 100000000) / SUM(fetch_status) AS v FROM pages", "100000000.0"),
        ("SELECT (SELECT COUNT(*) FROM pages) - COUNT(*) AS v FROM pages", "0"),
        ("SELECT COUNT(*) AS v FROM pages WHERE status <> fetch_status OR host <> url_host_name", "0"),
        ("SELECT COUNT(*) AS v FROM pages WHERE date <> CAST(fetch_time AS DATE)", "0"),
        (
            "SELECT MAX(n) AS v FROM (SELECT NTILE(3) OVER (ORDER BY url DESC, fetch_time) AS n FROM pages) AS t",
            "3",
        ),
        (
            "SELECT COUNT(*) AS v FROM (SELECT SUM(x) OVER (ORDER BY x) AS s FROM (VALUES (1), (1), (NULL)) AS t(x)) AS u WHERE s = 2",
            "3",
        ),
        ("SELECT x AS v FROM (VALUES (1), (NULL), (2)) AS t(x) ORDER BY x DESC LIMIT 1", "2"),
        ("SELECT COUNT(*) AS v FROM (VALUES (TRUE), (FALSE), (NULL)) AS t(x) WHERE x IS NOT TRUE", "2"),
    ] {
        assert_eq!(rows(&work, sql)[0]["v"].to_string(), value, "{sql}");
    }
    let tables = rows(&work, "SHOW TABLES");
    let pages = tables.iter().find(|table| table["name"] == "pages").unwrap();
    assert!(pages["rows"].as_u64().is_some_and(|rows| rows > 10), "{pages}");
    let columns = rows(&work, "DESCRIBE pages");
    for (name, kind) in
        [("fetch_status", "BIGINT"), ("status", "BIGINT"), ("date", "DATE"), ("tags", "VARCHAR[]")]
    {
        let column = columns.iter().find(|column| column["column_name"] == name).unwrap();
        assert_eq!(column["column_type"], kind, "{name}");
    }
}

#[test]
fn a_crawl_has_tables_alone_and_beside_results() {
    let work = Work::with_demo();
    let events = "SELECT COUNT(*) AS n FROM events";
    let alone = work.output(&["query", events, "--crawl", "demo/crawl", "--format", "csv"]);
    assert!(alone.lines().nth(1).unwrap().parse::<u64>().unwrap() > 80, "{alone}");
    let both = "SELECT COUNT(DISTINCT e.url) AS n FROM events AS e JOIN pages AS p ON e.url = p.url";
    let joined = text(&work, &[both, "--crawl", "demo/crawl", "--format", "csv"]);
    assert!(joined.lines().nth(1).unwrap().parse::<u64>().unwrap() > 60, "{joined}");
    let said = work.fails(&["query", "SELECT 1", "--crawl", "demo"], 2);
    assert!(said.contains("no tables of a crawl"), "{said}");
}

#[test]
fn results_that_do_not_fit_the_others_are_left_out_and_said() {
    let work = Work::new();
    work.synth("shards", 60, u64::MAX);
    work.run(&["run", "shards", "--out", "demo/results"]);
    std::fs::write(work.path("other.toml"), "[extract]\ntemplate_pages = 9\n").unwrap();
    work.run(&["extract", "shards", "--out", "demo/results", "--recipe", "other.toml"]);
    let output = query(&work, &["SELECT COUNT(*) AS n FROM pages"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("leave out") && said.contains("rank"), "{said}");
    let said = work.fails(&["query", "demo/results", "SELECT url FROM ranks"], 2);
    assert!(said.contains("leave out") && said.contains("no table ranks"), "{said}");
}

#[test]
fn a_table_to_look_at_says_what_it_leaves_out() {
    let work = Work::with_demo();
    let table = text(&work, &["SELECT url, text FROM texts ORDER BY url", "--top", "2"]);
    let last = table.trim_end().lines().last().unwrap();
    assert!(last.contains("2 of them shown (--top)") && last.contains("values were cut"), "{last}");
}

#[test]
fn queries_come_from_files_and_from_standard_input() {
    let work = Work::with_demo();
    let file = "-- name: one\nSELECT COUNT(*) AS n FROM pages;\n-- name: two\nSELECT 2 AS n;";
    std::fs::write(work.path("questions.sql"), file).unwrap();
    let two = text(&work, &["--file", "questions.sql", "--name", "two", "--format", "csv"]);
    assert_eq!(two, "n\n2\n");
    let said = work.fails(&["query", "demo/results", "--file", "questions.sql"], 2);
    assert!(said.contains("one, two"), "{said}");
    let names = work.output(&["query", "--names"]);
    assert!(names.lines().count() >= 25, "{names}");
    assert!(names.lines().all(|line| line.ends_with(['?', '.'])), "{names}");
    let domains = text(&work, &["--name", "top-domains", "--format", "csv"]);
    assert!(domains.starts_with("domain,captures,urls\n") && domains.lines().count() > 2, "{domains}");
    let mut child = work
        .webmill(&["query", "demo/results", "-", "--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"SELECT 1 AS n").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"n\n1\n");
    let tables = text(&work, &["--tables"]);
    assert!(tables.contains("pages (") && tables.contains("url_surtkey"), "{tables}");
}

#[test]
fn what_is_no_question_about_the_tables_is_refused() {
    let work = Work::with_demo();
    for (sql, why) in [
        ("DROP TABLE pages", "begins with"),
        ("SELECT 1; SELECT 2", "one at a time"),
        ("SELECT * FROM read_csv('/etc/passwd')", "reads files"),
        ("SELECT * FROM 'secret.parquet'", "secret.parquet"),
        ("SELECT url FROM page", "near to it: pages"),
        ("SELECT ulr FROM pages", "near to it: url"),
        ("SELECT (SELECT target_url FROM links) AS n FROM pages", "rows and 1 columns"),
        ("SELECT 9223372036854775807 + 1 AS n", "beyond whole numbers of 64 bits"),
        ("SELECT url ~ 'a' FROM pages", "REGEXP_LIKE"),
        ("SELECT COUNT(*) FROM pages WHERE (url, title) IN (SELECT url, title FROM texts)", "parts"),
        ("SELECT MEDIAN(x) OVER (ORDER BY url) FROM pages", "median"),
        ("SELECT * FROM pages NATURAL JOIN texts", "USING"),
        ("WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT n FROM t", "RECURSIVE"),
        ("SELECT pagerank FROM pages", "no column pagerank in pages; tables with one: "),
        ("SHOW views", "SHOW TABLES"),
        ("SELECT * FROM pages WHERE", "an expression"),
        ("", "no query"),
    ] {
        let said = work.fails(&["query", "demo/results", sql], 2);
        assert!(said.contains(why), "{sql}: {said}");
        assert!(!said.contains("panicked"), "{sql}: {said}");
    }
    let said = work.fails(&["query", "nowhere", "SELECT 1"], 2);
    assert!(said.contains("nowhere"), "{said}");
}
