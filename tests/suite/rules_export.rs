//! `webmill rules export`, and what `schema` and the catalogue say of tables of rules.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Work, tool};

/// Names and values that other forms have to write with care.
const RULE: &str = r#"
[rule]
id = "odd"
name = "Odd, \"quoted\" things"
[[layer]]
id = "page"
pages = ['^http://odd\.example/']
[[tag]]
id = "row"
layer = "page"
css = "li"
[[tag]]
id = "text"
layer = "page"
parent = "row"
css = "b"
[[tag]]
id = "source"
layer = "page"
parent = "row"
start = "<pre>"
end = "</pre>"
[[tag]]
id = "number"
layer = "page"
parent = "row"
css = "i"
[[group]]
name = "things"
outer = true
columns = [
  { name = "Text, 文", tag = "text", max_length = 12 },
  { name = "text, 文", tag = "text" },
  { name = "say \"source\"", tag = "source" },
  { name = "number", tag = "number", type = "number" },
  { name = "URL", tag = "text", type = "url" },
]
[[group]]
name = "none"
columns = [{ name = "text", tag = "text" }, { name = "source", tag = "source" }, { name = "number", tag = "number" }]
"#;

const TEXTS: [&str; 8] = [
    "plain",
    "a, \"quoted\", text",
    "价格 1,200 元 €",
    "🫖 kettle",
    "=1+1",
    "",
    "'; DROP TABLE x; --",
    "null",
];
const NUMBERS: [&str; 6] = ["0.1", "1,234,567.5", "-3", "123456789012345678", "soon", "0.30000000000000004"];

fn milled() -> Work {
    let work = Work::new();
    let pages: Vec<(String, String)> = (0..40)
        .map(|page| {
            let rows: String = (0..page % 7)
                .map(|row| {
                    let text = TEXTS[(page + row) % TEXTS.len()];
                    let number = NUMBERS[(page * 3 + row) % NUMBERS.len()];
                    let source =
                        if row == 3 { String::new() } else { format!("<pre>line\r\n{text}\n\tend\n</pre>") };
                    format!("<li><b>{text}</b>{source}<i>{number}</i></li>")
                })
                .collect();
            (format!("http://odd.example/{page}"), format!("<meta charset=utf-8><ul>{rows}</ul>"))
        })
        .collect();
    work.write_pages("shards", &pages);
    std::fs::write(work.path("odd.toml"), RULE).unwrap();
    work
}

fn applied() -> Work {
    let work = milled();
    work.run(&["rules", "odd.toml", "--shards", "shards", "--out", "out"]);
    work
}

fn printed(work: &Work, arguments: &[&str]) -> String {
    String::from_utf8(work.run(arguments).stdout).unwrap()
}

#[test]
fn exports_are_the_tables_value_for_value() {
    let work = applied();
    let export = |form: &str, out: &str| {
        work.run(&["rules", "export", "out", "--to", form, "--out", out]);
    };
    export("json", "tables");
    export("csv", "tables");
    export("sqlite", "all.sqlite");
    let mut names: Vec<String> = std::fs::read_dir(work.path("tables"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected =
        ["rule_odd_none.csv", "rule_odd_none.jsonl", "rule_odd_things.csv", "rule_odd_things.jsonl"];
    assert_eq!(names, expected);
    let sqlite = std::fs::read(work.path("all.sqlite")).unwrap();
    assert!(sqlite.starts_with(b"SQLite format 3\0"));
    assert_eq!(work.unfinished("."), [""; 0]);
    let Some(python) = tool("readers", "python") else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers/exports.py");
    let mut compare = Command::new(python);
    compare.arg(script).args([work.path("out"), work.path("tables"), work.path("all.sqlite")]);
    let output = compare.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("rule_odd_things\t") && told.contains("rules_report\t"), "{told}");
}

#[test]
fn one_table_goes_to_standard_output_or_a_file() {
    let work = applied();
    let export = ["rules", "export", "out", "--table", "rule_odd_things"];
    let lines = printed(&work, &export);
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        lines.starts_with(
            "{\"url\":\"http://odd.example/1\",\"Text, 文\":\"a, \\\"quoted\\\",\",\"text, 文\":"
        ),
        "{lines}"
    );
    assert!(rows.iter().any(|row| row["number"] == 1_234_567.5));
    assert!(rows.iter().any(|row| row["say \"source\""].is_null() && row["URL"].is_null()));
    assert!(rows.iter().all(|row| row["url_key"].as_str().unwrap().len() == 32));
    let csv = printed(&work, &[&export[..], &["--to", "csv"]].concat());
    assert!(
        csv.starts_with("url,\"Text, 文\",\"text, 文\",\"say \"\"source\"\"\",number,URL,url_key,"),
        "{csv}"
    );
    assert!(csv.contains(",1234567.5,") && csv.ends_with("\r\n"), "{csv}");
    std::fs::write(work.path("one.csv"), "an earlier one").unwrap();
    work.run(&[&export[..], &["--to", "csv", "--out", "one.csv"]].concat());
    assert_eq!(std::fs::read_to_string(work.path("one.csv")).unwrap(), csv);
    // A table without rows has a header all the same.
    let report = printed(&work, &["rules", "export", "out", "--table", "rules_problems", "--to", "csv"]);
    assert!(report.starts_with("rule,group,problem,detail,count,url\r\n"), "{report}");
}

#[test]
fn what_cannot_be_exported_is_told() {
    let work = applied();
    let export = ["rules", "export", "out"];
    for (options, expected) in [
        (
            &["--table", "rule_odd_thing"][..],
            "no table of rules is called rule_odd_thing; near to it: rule_odd_things",
        ),
        (&["--table", "pages"], "tables: "),
        (&["--to", "sqlite"], "--out FILE says"),
        (&["--to", "csv"], "--out FOLDER says"),
        (&["--to", "sqlite", "--out", "nowhere/all.sqlite"], "nowhere"),
        (&["--to", "sqlite", "--out", "shards"], "shards: a folder, not a file"),
        (&["--table", "rule_odd_none", "--out", "out"], "out: a folder, not a file"),
        (&["--to", "csv", "--out", "odd.toml"], "odd.toml"),
    ] {
        let said = work.fails(&[&export[..], options].concat(), 2);
        assert!(said.contains(expected), "{options:?}: {said}");
    }
    assert_eq!(std::fs::read_to_string(work.path("odd.toml")).unwrap(), RULE);
    let other = milled();
    other.run(&["extract", "shards", "--out", "out"]);
    assert!(other.fails(&export, 2).contains("`webmill rules` makes them"));
    // A damaged table leaves nothing half written.
    let path = work.path("out/rules/latest/rule_odd_things/part-000000.parquet");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[40..200].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    for form in ["json", "csv", "sqlite"] {
        std::fs::write(work.path("kept"), "as it was").unwrap();
        let table = ["--table", "rule_odd_things", "--to", form, "--out", "kept"];
        work.fails(&[&export[..], &table].concat(), 2);
        assert_eq!(std::fs::read_to_string(work.path("kept")).unwrap(), "as it was");
    }
    assert_eq!(work.unfinished("."), [""; 0]);
}

#[test]
fn tables_of_rules_are_described() {
    let work = applied();
    let catalogue: Value =
        serde_json::from_slice(&std::fs::read(work.path("out/tables.json")).unwrap()).unwrap();
    let table = &catalogue["tables"]["rule_odd_things"];
    assert!(table["about"].as_str().unwrap().contains("group things of rule odd"), "{table}");
    let described: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|c| c["description"].as_str().unwrap()).collect();
    assert_eq!(described[1], "text that tag text found, cut at 12 characters; null where there is none");
    assert!(described.iter().all(|description| !description.is_empty()), "{described:?}");
    let views = std::fs::read_to_string(work.path("out/webmill.sql")).unwrap();
    assert!(views.contains("COMMENT ON VIEW \"rule_odd_things\" IS 'Rows of group things"), "{views}");
    let shown = printed(&work, &["schema", "out", "rule_odd_things"]);
    assert!(shown.contains("number that tag number found") && shown.contains("12.5"), "{shown}");
    let all = printed(&work, &["schema", "out", "--format", "json"]);
    let all: Vec<Value> = serde_json::from_str(&all).unwrap();
    assert_eq!(all.len(), catalogue["tables"].as_object().unwrap().len());
    let report = all.iter().find(|table| table["table"] == "rules_report").unwrap();
    assert!(report["columns"].as_array().unwrap().iter().all(|column| column["example"] != ""));
    let common = printed(&work, &["schema", "rule_RULE_GROUP"]);
    assert!(common.contains("top_url") && common.contains("warc_record_offset"), "{common}");
    let said = work.fails(&["schema", "rule_odd_things"], 2);
    assert!(said.contains("webmill schema RESULTS describes what results have"), "{said}");
    let tables = printed(&work, &["query", "out", "--tables"]);
    assert!(tables.contains("rule_odd_none (0 rows)") || tables.contains("rule_odd_none ("), "{tables}");
}

#[test]
fn two_rules_may_not_have_one_table() {
    let work = milled();
    std::fs::create_dir(work.path("rules")).unwrap();
    for (file, id, group) in [("a.toml", "odd", "of_things"), ("b.toml", "odd_of", "things")] {
        let rule = RULE.replace("id = \"odd\"", &format!("id = \"{id}\""));
        let rule = rule.replace("name = \"things\"", &format!("name = \"{group}\""));
        std::fs::write(work.path(&format!("rules/{file}")), rule).unwrap();
    }
    let applied = work.webmill(&["rules", "rules", "--shards", "shards", "--out", "out"]).output().unwrap();
    let said = String::from_utf8_lossy(&applied.stderr).into_owned();
    assert_eq!(applied.status.code(), Some(1), "{said}");
    assert!(said.contains("b.toml: rule: rule odd has a table rule_odd_of_things too"), "{said}");
}
