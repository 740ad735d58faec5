//! `webmill rules`: tables out of a shop by a rule, over list pages, detail pages and chains; mistakes, bad input.

use std::process::Output;

use webmill::table::TableInWords;

use crate::support::Work;

/// Every page of a kettle, by its address alone.
const NAMES: &str = r#"
[rule]
id = "names"
name = "Names of kettles"

[[layer]]
id = "page"
pages = ['/kettle/', '/moved$']

[[tag]]
id = "name"
layer = "page"
jsonld = "Product.name"

[[group]]
name = "all"
columns = [{ name = "name", tag = "name" }]
"#;

const RULE: &str = r#"
[rule]
id = "shop"
name = "Kettles of a shop"
site_name = "The kettle shop"
site_url = "http://shop.example/"
notes = "Prices in euros."

[[layer]]
id = "list"
entries = ["http://shop.example/list?page=<1,1,1,false>"]
paging = "next"

[[layer]]
id = "kettle"
from = "link"

[[tag]]
id = "row"
layer = "list"
css = "li.kettle"

[[tag]]
id = "link"
layer = "list"
parent = "row"
css = "a"
link = true

[[tag]]
id = "price"
layer = "list"
parent = "row"
css = "b"
rematch = '([\d.,]+) EUR'

[[tag]]
id = "next"
layer = "list"
xpath = "//a[@rel='next']/@href"
link = true

[[tag]]
id = "name"
layer = "kettle"
jsonld = "Product.name"

[[tag]]
id = "colour"
layer = "kettle"
start = "Colour: "
end = "<"

[[group]]
name = "kettles"
columns = [
  { name = "name", tag = "name" },
  { name = "price", tag = "price", type = "number" },
  { name = "address", tag = "link", type = "url" },
]

[[group]]
name = "colours"
outer = true
columns = [{ name = "name", tag = "name", max_length = 4 }, { name = "colour", tag = "colour" }]
"#;

/// Three list pages of four kettles each; the last kettle's page is not there, the third has no colour, and the last list page
/// leads back to the first.
fn shop() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for page in 1..=3 {
        let rows: String = (4 * page - 4..4 * page)
            .map(|n| {
                format!("<li class='kettle x'><a href='/kettle/{n}'>see</a> <b>1,{n:03}.50 EUR</b></li>")
            })
            .collect();
        let next = page % 3 + 1;
        let body = format!("<ul>{rows}<li>advertisement</ul><a rel=next href='?page={next}'>next</a>");
        pages.push((format!("http://shop.example/list?page={page}"), format!("<body>{body}")));
    }
    for n in 0..11 {
        let colours = if n == 2 { "" } else { "<i>Colour: red</i><i>Colour: blue</i>" };
        let data = format!(
            r#"<script type="application/ld+json">{{"@type":"Product","name":"Kettle {n}"}}</script>"#
        );
        pages.push((format!("http://shop.example/kettle/{n}"), format!("<body>{data}{colours}")));
    }
    pages
}

fn milled(rule: &str) -> Work {
    let work = Work::new();
    work.write_pages("shards", &shop());
    std::fs::write(work.path("shop.toml"), rule).unwrap();
    work.run(&["extract", "shards", "--out", "out"]);
    work
}

fn table(work: &Work, sql: &str) -> String {
    let output: Output = work.run(&["query", "out", sql, "--format", "csv"]);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn rows_join_list_pages_detail_pages_and_chains() {
    let work = milled(RULE);
    let output = work.run(&["rules", "out", "shop.toml"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("rule shop, group kettles: missing-page 1×"), "{told}");
    let kettles = table(&work, "SELECT name, price, address, url, path, layer FROM rule_shop_kettles");
    let lines: Vec<&str> = kettles.lines().collect();
    assert_eq!(lines.len(), 13, "{kettles}");
    assert_eq!(
        lines[1],
        "Kettle 0,1000.5,http://shop.example/kettle/0,http://shop.example/kettle/0,0.0.0,kettle"
    );
    // The page of the last kettle is not there: its row still comes, of the list page that names it.
    let last = ",1011.5,http://shop.example/kettle/11,http://shop.example/list?page=3,11.0,list";
    assert_eq!(lines[12], last);
    let colours = table(&work, "SELECT name, colour FROM rule_shop_colours WHERE host = 'shop.example'");
    assert_eq!(colours.lines().count(), 1 + 10 * 2 + 1, "{colours}");
    assert!(colours.contains("\nKett,\n"), "{colours}");
    let report =
        table(&work, "SELECT tag, pages, pages_without_match, results FROM rules_report ORDER BY tag");
    for line in ["colour,11,1,20", "link,3,0,12", "name,11,0,11", "next,3,0,3", "price,3,0,12", "row,3,0,12"]
    {
        assert!(report.lines().any(|found| found == line), "{line}: {report}");
    }
    let problems = table(&work, "SELECT \"group\", problem, detail, \"count\" FROM rules_problems");
    assert!(problems.contains("colours,shortened,name,21"), "{problems}");
}

#[test]
fn the_capture_of_each_url_that_counts_gives_the_rows() {
    let work = Work::new();
    std::fs::create_dir(work.path("rules")).unwrap();
    std::fs::write(work.path("rules/shop.toml"), RULE).unwrap();
    std::fs::write(work.path("rules/names.toml"), NAMES).unwrap();
    let mut captures: Vec<(String, String, i64, u16)> =
        shop().into_iter().map(|(url, html)| (url, html, 5, 200)).collect();
    // Of the captures of one URL an earlier one, one of the same moment and a later one that failed do not count.
    let name = |name: &str| {
        format!(r#"<script type="application/ld+json">{{"@type":"Product","name":"{name}"}}</script>"#)
    };
    let kettle = |n: u32| format!("http://shop.example/kettle/{n}");
    captures.push((kettle(0), name("before"), 4, 200));
    captures.push((kettle(1), name("gone"), 9, 404));
    for n in 0..20 {
        captures.push((kettle(2), name(&format!("moment {n}")), 5, 200));
    }
    // The page of the last kettle has moved.
    captures.push((kettle(11), String::new(), 5, 301));
    captures.push(("http://shop.example/moved".into(), name("Kettle 11"), 5, 200));
    for (shards, half) in [("shards/a", 0), ("shards/b", 1)] {
        let half = captures.iter().skip(half).step_by(2).map(|(url, html, date_ms, status)| {
            let moved = if *status == 301 { "Location: /moved\r\n" } else { "" };
            let data = format!("HTTP/1.1 {status} X\r\n{moved}Content-Type: text/html\r\n\r\n{html}");
            (url, data, 1000 * date_ms)
        });
        work.write_captures(shards, "part", half);
    }
    work.run(&["rules", "rules", "--shards", "shards", "--out", "named"]);
    work.run(&["extract", "shards", "--out", "out"]);
    work.run(&["rules", "out", "rules"]);
    for name in ["rule_shop_kettles", "rule_shop_colours", "rule_names_all", "rules_report", "rules_problems"]
    {
        let read = |out: &str| {
            let table = TableInWords::read(&work.path(&format!("{out}/rules/latest/{name}"))).unwrap();
            (table.columns, table.rows)
        };
        assert_eq!(
            read("named"),
            read("out"),
            "{name}: shards of results have the names that extract gave them"
        );
    }
    let elsewhere = "SELECT count(*) AS n FROM rule_names_all r JOIN pages p ON r.url_key = p.url_key \
                     WHERE p.is_current AND r.warc_record_offset <> p.warc_record_offset";
    assert_eq!(table(&work, elsewhere).trim(), "n\n0", "rows are of the captures that extract calls current");
    let kettles = table(&work, "SELECT name, address FROM rule_shop_kettles");
    assert!(kettles.contains("Kettle 0,"), "{kettles}");
    assert!(kettles.contains("Kettle 1,"), "{kettles}");
    assert!(kettles.contains("Kettle 11,http://shop.example/kettle/11"), "{kettles}");
    // Shards that are gone or are others now would give other rows than the pages beside them.
    let shards: Vec<_> = std::fs::read_dir(work.path("shards/b")).unwrap().flatten().collect();
    let whole = std::fs::read(shards[0].path()).unwrap();
    std::fs::write(shards[0].path(), [&whole[..], &whole[..]].concat()).unwrap();
    let why = work.fails(&["rules", "out", "rules"], 2);
    assert!(why.contains("has changed since"), "{why}");
    std::fs::remove_file(shards[0].path()).unwrap();
    let why = work.fails(&["rules", "out", "rules"], 2);
    assert!(why.contains("is not where it was"), "{why}");
}

#[test]
fn mistakes_are_told_and_other_rules_go_on() {
    let work = milled(RULE);
    std::fs::create_dir(work.path("rules")).unwrap();
    std::fs::copy(work.path("shop.toml"), work.path("rules/shop.toml")).unwrap();
    let broken =
        RULE.replace("id = \"shop\"", "id = \"broken\"").replace("tag = \"price\"", "tag = \"prize\"");
    std::fs::write(work.path("rules/broken.toml"), broken).unwrap();
    std::fs::write(work.path("rules/no.toml"), b"\xff\xfe").unwrap();
    let mut check = work.webmill(&["rules", "check", "rules"]);
    let check = check.output().unwrap();
    let told = String::from_utf8_lossy(&check.stdout).into_owned();
    assert_eq!(check.status.code(), Some(1), "{told}");
    assert!(told.contains("no tag is called \"prize\"; near to it: price"), "{told}");
    assert!(told.contains("shop.toml: good: 2 layers, 6 tags, 2 tables"), "{told}");
    let applied = work.webmill(&["rules", "out", "rules"]).output().unwrap();
    assert_eq!(applied.status.code(), Some(1), "{}", String::from_utf8_lossy(&applied.stderr));
    assert_eq!(table(&work, "SELECT count(*) AS n FROM rule_shop_kettles").trim(), "n\n12");
    let problems = table(&work, "SELECT rule, detail FROM rules_problems WHERE problem = 'unreadable-rule'");
    assert!(problems.contains("broken.toml") && problems.contains("no.toml"), "{problems}");
    let list = String::from_utf8(work.run(&["rules", "list", "rules/shop.toml"]).stdout).unwrap();
    assert!(list.contains("rule_shop_kettles, rule_shop_colours"), "{list}");
    let found = String::from_utf8(work.run(&["rules", "search", "PRICES kettle", "rules"]).stdout).unwrap();
    assert!(found.starts_with("shop\t"), "{found}");
}

#[test]
fn a_rule_is_tried_on_a_page() {
    let work = milled(RULE);
    let (_, html) = &shop()[0];
    std::fs::write(work.path("page.html"), html).unwrap();
    let arguments = ["rules", "test", "shop.toml", "page.html", "--url", "http://shop.example/list?page=1"];
    let shown = String::from_utf8(work.run(&arguments).stdout).unwrap();
    assert!(shown.contains("row 4\n"), "{shown}");
    assert!(shown.contains("http://shop.example/kettle/3"), "{shown}");
    assert!(shown.contains("table rule_shop_kettles: 4 rows"), "{shown}");
    let arguments =
        ["rules", "test", "out", "shop.toml", "http://shop.example/kettle/2", "--layer", "kettle"];
    let shown = String::from_utf8(work.run(&arguments).stdout).unwrap();
    assert!(shown.contains("Kettle 2"), "{shown}");
    assert!(shown.contains("colour finds nothing: start matches 0×"), "{shown}");
    // Without results the page is looked for in the shards.
    std::fs::rename(work.path("out"), work.path("elsewhere")).unwrap();
    let address = "http://shop.example/kettle/2";
    let arguments = ["rules", "test", "shop.toml", address, "--shards", "shards", "--layer", "kettle"];
    let shown = String::from_utf8(work.run(&arguments).stdout).unwrap();
    assert!(shown.contains("Kettle 2"), "{shown}");
    let none = ["rules", "test", "shop.toml", "http://shop.example/kettle/99", "--shards", "shards"];
    assert!(work.fails(&none, 2).contains("no page of shards"));
}

#[test]
fn a_run_applies_the_rules_that_come_with_the_program() {
    let work = Work::new();
    work.write_pages("shards", &shop());
    work.run(&["run", "shards", "--out", "none"]);
    assert!(!work.path("none/rules").exists(), "rules are asked for");
    std::fs::write(work.path("all.toml"), "[rules]\nfiles = [\"builtin:all\"]\n").unwrap();
    let told = work.run(&["run", "shards", "--out", "out", "--recipe", "all.toml"]).stderr;
    assert!(!String::from_utf8_lossy(&told).contains("no-match"), "no site has all that they look for");
    let products = table(&work, "SELECT count(*) AS n, min(name) AS name FROM rule_products_products");
    assert_eq!(products.trim(), "n,name\n11,Kettle 0");
    let found =
        table(&work, "SELECT count(*) AS n FROM rules_report WHERE results > 0 AND rule <> 'products'");
    assert_eq!(found.trim(), "n\n0");
    assert_eq!(
        table(&work, "SELECT count(*) AS n FROM rules_problems WHERE problem = 'no-match'").trim(),
        "n\n0"
    );
}

#[test]
fn a_run_that_misses_much_behind_links_says_so() {
    let work = Work::new();
    let pages: Vec<_> = shop().into_iter().filter(|(url, _)| !url.ends_with('7')).collect();
    work.write_pages("shards", &pages);
    std::fs::write(work.path("shop.toml"), RULE).unwrap();
    let apply = |out: &str, more: &[&str]| {
        let arguments = ["rules", "shop.toml", "--shards", "shards", "--out", out];
        work.webmill(&[&arguments, more].concat()).output().unwrap()
    };
    let done = apply("out", &[]);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{told}");
    assert!(told.contains("2 of 15 links that rules follow lead to pages that are in no shard"), "{told}");
    assert_eq!(table(&work, "SELECT count(*) AS n FROM rule_shop_kettles").trim(), "n\n12");
    std::fs::write(work.path("lax.toml"), "[rules]\nmax_missing = 0.2\n").unwrap();
    assert!(apply("lax", &["--recipe", "lax.toml"]).status.success());
}

#[test]
fn layers_that_open_each_other_and_gbk_pages_end() {
    let work = Work::new();
    let link = |n: u32| format!("http://a.example/{n}");
    // A ring of ten pages, each of which leads to the next and to itself.
    let pages: Vec<(String, String)> = (0..10)
        .map(|n| {
            (
                link(n),
                format!(
                    "<meta charset=gbk><a href='/{}'>下一页</a><a href='/{n}'>x</a><b>价 {n}</b>",
                    (n + 1) % 10
                ),
            )
        })
        .collect();
    work.write_pages("shards", &pages);
    std::fs::write(
        work.path("ring.toml"),
        r#"
[rule]
id = "ring"
name = "A ring"
[[layer]]
id = "a"
entries = ["http://a.example/0"]
from = "to_a"
[[layer]]
id = "b"
from = "to_b"
[[tag]]
id = "to_b"
layer = "a"
css = "a"
link = true
[[tag]]
id = "to_a"
layer = "b"
css = "a"
link = true
[[tag]]
id = "price"
layer = "b"
start = "<b>"
end = "</b>"
[[group]]
name = "prices"
columns = [{ name = "price", tag = "price" }]
"#,
    )
    .unwrap();
    work.run(&["rules", "ring.toml", "--shards", "shards", "--out", "out"]);
    assert_eq!(table(&work, "SELECT count(*) AS n FROM rule_ring_prices").trim(), "n\n10");
}

/// A text over three pages that all match the layer, and one of two pages that lead to each other.
#[test]
fn chains_are_one_text_wherever_they_are_entered() {
    let work = Work::new();
    let page = |name: &str, next: &str, text: &str| {
        (
            format!("http://t.example/{name}"),
            format!("<h1>T</h1><p>{text}</p><a class=next href='{next}'>on</a>"),
        )
    };
    let pages = [
        page("a3", "http://t.example/gone", "three"),
        page("a1", "a2", "one"),
        page("a2", "a3", "two"),
        page("b1", "b2", "x"),
        page("b2", "b1", "y"),
    ];
    work.write_pages("shards", &pages);
    let rule = r#"
[rule]
id = "text"
name = "Texts over pages"
[[layer]]
id = "text"
pages = ['^http://t\.example/']
paging = "next"
content = "body"
[[tag]]
id = "next"
layer = "text"
css = "a.next"
link = true
[[tag]]
id = "title"
layer = "text"
css = "h1"
[[tag]]
id = "body"
layer = "text"
css = "p"
separator = " "
[[tag]]
id = "words"
layer = "text"
css = "p"
[[group]]
name = "texts"
columns = [{ name = "title", tag = "title" }, { name = "body", tag = "body" }]
[[group]]
name = "paragraphs"
columns = [{ name = "title", tag = "title" }, { name = "words", tag = "words" }]
"#;
    std::fs::write(work.path("text.toml"), rule).unwrap();
    std::fs::write(work.path("lax.toml"), "[rules]\nmax_missing = 1\n").unwrap();
    work.run(&["rules", "text.toml", "--shards", "shards", "--out", "out", "--recipe", "lax.toml"]);
    let texts = table(&work, "SELECT title, body, url FROM rule_text_texts");
    assert_eq!(texts, "title,body,url\nT,one two three,http://t.example/a1\nT,x y,http://t.example/b1\n");
    let paragraphs = table(&work, "SELECT words, url FROM rule_text_paragraphs");
    let expected = "words,url\none,http://t.example/a1\ntwo,http://t.example/a2\nthree,http://t.example/a3\nx,http://t.example/b1\ny,http://t.example/b2\n";
    assert_eq!(paragraphs, expected);
}
