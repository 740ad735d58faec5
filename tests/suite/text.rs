//! `webmill text`: forms of output, bad input, order.

use std::io::Write;
use std::process::Stdio;

use crate::support::{Work, objects};

const PAGE: &str = "<html><head><title>Tea at home | The Tea House</title><meta charset=utf-8>
<link rel=canonical href=http://tea.example/a/tea.html><meta name=author content='Ann Lee'></head><body>
<nav><a href=/>Home</a> <a href=/shop>Shop</a></nav><article><h1>Tea at home</h1>
<p>Good tea needs <b>fresh water</b>, a warm pot and patience; this <a href=\"guide.html\">longer guide</a> tells the rest of the story.</p>
<table><tr><th>Leaf</th><th>Minutes</th></tr><tr><td>Green tea</td><td>2</td></tr><tr><td>Black tea</td><td>4</td></tr><tr><td>White tea</td><td>3</td></tr></table>
<p>Heat the water until it boils, warm the pot with some of it, and pour the rest over the leaves at once, since they wait for it.</p>
</article><footer>© 2020 The Tea House</footer></body></html>";

#[test]
fn a_page_in_every_form() {
    let work = Work::new();
    std::fs::write(work.path("tea.page.html"), PAGE).unwrap();
    let text = work.output(&["text", "tea.page.html"]);
    assert!(text.contains("Good tea needs fresh water") && !text.contains("Shop"), "{text}");
    let md = work.output(&["text", "tea.page.html", "--format", "md"]);
    assert!(md.contains("[longer guide](http://tea.example/a/guide.html)"), "{md}");
    assert!(md.contains("| Leaf | Minutes |\n| --- | --- |\n| Green tea | 2 |"), "{md}");
    let other = work.output(&["text", "tea.page.html", "--format", "md", "--url", "http://b.example/c/"]);
    assert!(other.contains("(http://b.example/c/guide.html)"), "{other}");
    let page = &objects(&work.output(&["text", "tea.page.html", "--format", "json"]))[0];
    assert_eq!((&page["id"], &page["author"]), (&"tea.page.html".into(), &"Ann Lee".into()));
    assert_eq!((&page["kind"], &page["markdown"]), (&"page".into(), &serde_json::Value::Null));
    assert_eq!(page["tables"][0]["rows"][1], serde_json::json!({"Leaf": "Black tea", "Minutes": "4"}));
    assert_eq!((&page["language"], &page["encoding"]), (&"eng".into(), &"UTF-8".into()));
    let named = work.output(&["text", "tea.page.html", "--format", "json", "--id", "stem"]);
    assert_eq!(objects(&named)[0]["id"], "tea.page");
}

#[test]
fn folders_are_walked_in_order_by_content() {
    let work = Work::new();
    std::fs::create_dir_all(work.path("site/b")).unwrap();
    for name in ["site/c.htm", "site/b/a", "site/a.html"] {
        std::fs::write(work.path(name), PAGE).unwrap();
    }
    std::fs::write(work.path("site/notes.txt"), "Only words").unwrap();
    std::fs::write(work.path("site/code.py"), "print()").unwrap();
    std::fs::write(work.path("site/page.json"), "{\"html\": \"<html><body>\"}").unwrap();
    let json = work.output(&["text", "site", "--format", "json"]);
    let ids: Vec<_> = objects(&json).iter().map(|page| page["id"].clone()).collect();
    assert_eq!(ids, ["a.html", "b/a", "c.htm", "notes.txt"]);
    let stems = work.run(&["text", "site", "--format", "json", "--id", "stem"]);
    let ids: Vec<_> =
        objects(&String::from_utf8(stems.stdout).unwrap()).iter().map(|p| p["id"].clone()).collect();
    assert_eq!(ids, ["a", "a", "c", "notes"]);
    let said = String::from_utf8(stems.stderr).unwrap();
    assert!(said.contains("1 texts have the id of another: --id path"), "{said}");
    let passed = "site: 2 files passed over: 1 no HTML but application/json, 1 text without HTML";
    assert!(said.contains(passed), "{said}");
    for threads in ["1", "3"] {
        assert_eq!(work.output(&["text", "site", "--format", "json", "--threads", threads]), json);
    }
    let text = work.output(&["text", "site"]);
    assert!(text.starts_with("==> site/a.html <==\n") && text.contains("\n==> site/b/a <==\n"), "{text}");
}

#[test]
fn a_page_from_stdin_and_a_reader_that_goes_away() {
    let work = Work::new();
    for arguments in [&["text", "--format", "json"][..], &["text", "-", "--format", "json"]] {
        let mut child = work.webmill(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(PAGE.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(objects(&String::from_utf8(output.stdout).unwrap())[0]["id"], "-");
    }
    std::fs::create_dir(work.path("many")).unwrap();
    for n in 0..400 {
        std::fs::write(work.path(&format!("many/{n}.html")), PAGE).unwrap();
    }
    let mut child = work.webmill(&["text", "many"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn bad_pages_cost_only_themselves() {
    let work = Work::new();
    std::fs::create_dir_all(work.path("site/sub")).unwrap();
    std::fs::create_dir(work.path("empty")).unwrap();
    std::fs::write(work.path("site/a.html"), PAGE).unwrap();
    std::fs::write(work.path("site/b.html"), "").unwrap();
    std::fs::write(work.path("site/c.html"), b"\x89PNG\r\n\x1a\n\0\0\0").unwrap();
    let said = work.fails(&["text", "site"], 1);
    assert!(said.contains("b.html: empty file") && said.contains("c.html: no HTML but image/png"), "{said}");
    let all = work.webmill(&["text", "missing.html", "site/a.html", "empty"]).output().unwrap();
    let said = String::from_utf8_lossy(&all.stderr).into_owned();
    assert_eq!(all.status.code(), Some(2));
    assert!(
        said.contains("missing.html: No such file") && said.contains("empty: no page among its 0 files"),
        "{said}"
    );
    assert!(String::from_utf8_lossy(&all.stdout).contains("Good tea"));
    for (arguments, words) in [
        (&["text", "http://example.com/"][..], "curl"),
        (&["text", "site", "--url", "http://e.example/"], "one page"),
        (&["text", "site/a.html", "--url", "nowhere"], "--url nowhere"),
        (&["text", "-", "-"], "once"),
        (&["text", "site/b.html"], "empty file"),
    ] {
        let said = work.fails(arguments, 2);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
