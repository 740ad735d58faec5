//! `webmill count`: jobs of map and reduce over results, seen from outside.

use std::collections::BTreeMap;

use webmill::run::CRASH_POINTS;

use crate::support::{Work, assert_same, gzip};

/// The lines after the first, which is the folder.
fn printed(work: &Work, arguments: &[&str]) -> Vec<String> {
    work.output(arguments).lines().skip(1).map(str::to_owned).collect()
}

/// A page whose main text is this paragraph.
fn page(title: &str, paragraph: &str, links: &[&str]) -> String {
    let links: String =
        links.iter().map(|to| format!("<p>See <a href='{to}'>page {to}</a> for more of it.</p>")).collect();
    let more = "It was a long day at the lake, and everybody who had come to see the boats stayed until the evening.";
    format!(
        "<html><head><title>{title}</title></head><body><article><h1>{title}</h1><p>{paragraph} {more}</p>{links}</article></body></html>"
    )
}

/// Three pages: A links to B and C, B to C, C to A; an earlier capture of A links to B alone.
fn write_three(work: &Work) {
    let url = |name: &str| format!("http://{name}.example/");
    let pages = [
        (url("a"), page("Old boats", "Nobody sails the green boats.", &["http://b.example/"])),
        (
            url("b"),
            page("Harbour", "The harbour has green boats, and the red boats left.", &["http://c.example/"]),
        ),
        (
            url("c"),
            page("Lake", "A lake without any harbour is a lake for green boats.", &["http://a.example/"]),
        ),
        (
            url("a"),
            page("Boats", "Green boats and red harbour boats.", &["http://b.example/", "http://c.example/"]),
        ),
    ];
    work.write_pages("shards", &pages);
    work.run(&["extract", "shards", "--out", "out"]);
}

#[test]
fn words_of_files() {
    let work = Work::new();
    std::fs::write(work.path("one.txt"), "Hello World, Bye World!").unwrap();
    std::fs::write(work.path("two.txt"), "Hello Hadoop, Goodbye to hadoop.").unwrap();
    let count = |more: &[&str]| {
        let arguments =
            [&["count", "words", "one.txt", "two.txt", "--out", "counts", "--top", "20"], more].concat();
        let mut words: Vec<String> = printed(&work, &arguments)
            .iter()
            .map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(" "))
            .collect();
        words.sort();
        words.join(", ")
    };
    let space = ["--set", "count-words.split=space", "--set", "count-words.case=keep"];
    assert_eq!(count(&space), "Bye 1, Goodbye 1, Hadoop, 1, Hello 2, World! 1, World, 1, hadoop. 1, to 1");
    let skipping = ["--set", r#"count-words.skip_regexes=["\\.", "\\,", "\\!", "to"]"#];
    assert_eq!(
        count(&[&space[..], &skipping].concat()),
        "Bye 1, Goodbye 1, Hadoop 1, Hello 2, World 2, hadoop 1"
    );
    assert_eq!(
        count(&[&["--set", "count-words.split=space"], &skipping[..]].concat()),
        "bye 1, goodbye 1, hadoop 2, hello 2, world 2"
    );
    assert_eq!(count(&[]), "bye 1, goodbye 1, hadoop 2, hello 2, to 1, world 2");
    assert_eq!(
        count(&["--set", "count-words.skip_words=[\"to\"]"]),
        "bye 1, goodbye 1, hadoop 2, hello 2, world 2"
    );
}

#[test]
fn files_in_any_encoding_and_folders_of_them() {
    let work = Work::new();
    std::fs::create_dir(work.path("texts")).unwrap();
    // "图书馆里有很多书，我们在图书馆读书。" in GBK, and UTF-16 with a mark.
    let gbk: Vec<u8> = [
        0xcd, 0xbc, 0xca, 0xe9, 0xb9, 0xdd, 0xc0, 0xef, 0xd3, 0xd0, 0xba, 0xdc, 0xb6, 0xe0, 0xca, 0xe9, 0xa3,
        0xac, 0xce, 0xd2, 0xc3, 0xc7, 0xd4, 0xda, 0xcd, 0xbc, 0xca, 0xe9, 0xb9, 0xdd, 0xb6, 0xc1, 0xca, 0xe9,
        0xa1, 0xa3,
    ]
    .into();
    std::fs::write(work.path("texts/a.txt"), gbk).unwrap();
    let wide: Vec<u8> = "\u{feff}图书馆 tea".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(work.path("texts/b.txt"), wide).unwrap();
    std::fs::write(
        work.path("texts/c.bin"),
        (0u32..4000).flat_map(|n| (n * n).to_le_bytes()).collect::<Vec<_>>(),
    )
    .unwrap();
    let words = printed(&work, &["count", "words", "texts", "--out", "counts", "--top", "1"]);
    assert_eq!(words, ["图书馆\t3\t2"]);
    let counts = work.counts("counts", "count-words");
    assert_eq!((&counts["kept"]["texts"], &counts["dropped"]["no-text"]), (&2.into(), &1.into()));
    assert_eq!(work.words("counts", "count-words", "rejects.parquet").column("shard").next(), Some("c.bin"));
    assert!(work.fails(&["count", "words", "missing.txt", "--out", "counts"], 2).contains("missing.txt"));
}

#[test]
fn only_captures_that_count_are_counted() {
    let work = Work::new();
    write_three(&work);
    work.run(&["count", "words", "out"]);
    let words = work.words("out", "count-words", "count_words");
    let of: BTreeMap<&str, (&str, &str)> =
        words.rows.iter().map(|row| (row[0].as_str(), (row[1].as_str(), row[2].as_str()))).collect();
    assert_eq!(of["green"], ("3", "3"));
    assert!(!of.contains_key("sails"), "a word of a capture that a later one replaced");
    let told = work.counts("out", "count-words");
    assert_eq!((&told["kept"]["texts"], &told["dropped"]["superseded"]), (&3.into(), &1.into()));

    work.run(&["count", "backlinks", "out"]);
    let links = work.words("out", "count-backlinks", "count_backlinks");
    let sources: Vec<(&str, &str)> =
        links.rows.iter().map(|row| (row[1].as_str(), row[5].as_str())).collect();
    assert_eq!(
        sources,
        [
            ("http://a.example/", r#"["http://c.example/"]"#),
            ("http://b.example/", r#"["http://a.example/"]"#),
            ("http://c.example/", r#"["http://a.example/", "http://b.example/"]"#),
        ]
    );
    let told = work.counts("out", "count-backlinks");
    assert_eq!((&told["kept"]["links"], &told["dropped"]["superseded"]), (&4.into(), &1.into()));
    let anchors = work.words("out", "count-backlinks", "count_anchors");
    let of_c: Vec<_> = anchors.rows.iter().filter(|row| row[1] == "http://c.example/").collect();
    assert_eq!((of_c.len(), of_c[0][3].as_str()), (1, "2"));

    work.run(&["count", "host-terms", "out"]);
    let hosts = work.words("out", "count-host-terms", "count_host_terms");
    assert_eq!(hosts.column("host").collect::<Vec<_>>(), ["a.example", "b.example", "c.example"]);
    assert!(hosts.column("terms").next().unwrap().contains("harbour"));
}

#[test]
fn queries_find_words_and_phrases() {
    let work = Work::new();
    write_three(&work);
    assert!(work.fails(&["count", "search", "out", "boats", "--format", "tsv"], 2).contains("count index"));
    work.run(&["graph", "out"]);
    let ranked = |query: &str| {
        let output = work.run(&["rank", "out", "--query", query, "--top", "5", "--format", "tsv"]);
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (scanned, told) = ranked("red harbour");
    assert!(told.contains("no index of these texts"), "{told}");
    work.run(&["count", "index", "out"]);
    let found = |query: &str| -> Vec<String> {
        let lines = work.output(&["count", "search", "out", query, "--format", "tsv"]);
        lines.lines().map(|line| line.split('\t').nth(1).unwrap().to_owned()).collect()
    };
    let mut all = found("green");
    all.sort();
    assert_eq!(all, ["http://a.example/", "http://b.example/", "http://c.example/"]);
    assert_eq!(found("\"red boats\""), ["http://b.example/"]);
    assert_eq!(found("\"red harbour\""), ["http://a.example/"]);
    assert_eq!(found("sails"), [""; 0], "a word of a capture that does not count");
    assert_eq!(found("\"harbour lake\""), [""; 0]);
    work.fails(&["count", "search", "out", "…", "--format", "tsv"], 2);
    // The index ranks as the scan does, where no superseded capture takes part.
    work.write_pages(
        "fresh",
        &[("http://d.example/".into(), page("Tea", "Harbour tea is red.", &["http://a.example/"]))],
    );
    let (indexed, told) = ranked("red harbour");
    assert!(told.contains("those of the index"), "{told}");
    assert_eq!(indexed, scanned);
    // An index of other texts is not asked.
    work.run(&["extract", "fresh", "--out", "out", "--replace"]);
    work.run(&["graph", "out"]);
    assert!(ranked("tea").1.contains("no index of these texts"));
}

#[test]
fn lines_are_printed_as_grep_does() {
    let work = Work::new();
    write_three(&work);
    let lines = work.output(&["count", "grep", "out", "GREEN b.ats", "--set", "count-grep.ignore_case=true"]);
    let urls: Vec<&str> = lines.lines().map(|line| line.split("/:").next().unwrap()).collect();
    assert_eq!(urls, ["http://a.example", "http://b.example", "http://c.example"], "{lines}");
    work.fails(&["count", "grep", "out", "GREEN b.ats"], 1);
    work.fails(&["count", "grep", "out", "--set", "count-grep.fixed=true", "b.ats"], 1);
    assert!(work.fails(&["count", "grep", "out", "("], 2).contains("pattern"));
}

#[test]
fn visits_of_logs() {
    let work = Work::new();
    let line = |target: &str, status: u16| {
        format!(
            "10.0.0.1 - - [24/Nov/2026:10:00:00 +0000] \"GET {target} HTTP/1.1\" {status} 120 \"-\" \"Browser\"\n"
        )
    };
    let mut log = String::new();
    for n in 0..400 {
        log += &line(if n % 4 == 0 { "/a" } else { "/b/../b?q=1" }, if n % 10 == 9 { 404 } else { 200 });
    }
    std::fs::write(work.path("access.log"), &log).unwrap();
    std::fs::write(work.path("access.log.1.gz"), gzip(line("http://other.example/", 304).as_bytes()))
        .unwrap();
    let arguments =
        ["count", "visits", "access.log", "access.log.1.gz", "--host", "a.example", "--out", "out"];
    work.run(&arguments);
    let rows = work.words("out", "count-visits", "count_visits").rows;
    let rows: Vec<(&str, &str)> = rows.iter().map(|row| (row[1].as_str(), row[2].as_str())).collect();
    assert_eq!(
        rows,
        [("http://a.example/a", "100"), ("http://a.example/b?q=1", "260"), ("http://other.example/", "1")]
    );
    assert_eq!(work.counts("out", "count-visits")["dropped"]["other-status"], 40);
    // Too many lines that are none are refused, unless they are allowed; then they are sampled.
    for _ in 0..20 {
        log += "no line of a log\n";
    }
    // What scanners send is no request, but no damage either.
    for request in [r"\x16\x03", "-", "", "get / HTTP/1.1"] {
        log += &format!("10.0.0.1 - - [t] \"{request}\" 400 1\n");
    }
    std::fs::write(work.path("access.log"), &log).unwrap();
    assert!(work.fails(&arguments, 1).contains("20 of 425 records are damaged"));
    work.run(&[&arguments[..], &["--max-bad", "0.1"]].concat());
    let told = work.counts("out", "count-visits");
    assert_eq!((&told["dropped"]["bad-line"], &told["dropped"]["bad-request"]), (&20.into(), &4.into()));
    assert_eq!(work.words("out", "count-visits", "rejects.parquet").rows.len(), 20);
    assert!(
        work.fails(&["count", "visits", "access.log", "--host", "a b", "--out", "out"], 2).contains("host")
    );
}

#[test]
fn tables_in_any_order() {
    let work = Work::new();
    work.synth("shards", 300, 1 << 20);
    work.run(&["extract", "shards", "--out", "out"]);
    let pages = work.words("out", "extract", "pages");
    for (column, descending) in
        [("num_words", false), ("num_words", true), ("url", true), ("simhash", false), ("title", false)]
    {
        let flag: &[&str] = if descending { &["--set", "count-sort.descending=true"] } else { &[] };
        work.run(&[&["count", "sort", "out", column, "--table", "pages"], flag].concat());
        let sorted = work.words("out", "count-sort", "count_sort");
        assert_eq!(sorted.columns, pages.columns);
        let at = pages.columns.iter().position(|name| name == column).unwrap();
        let value = |row: &Vec<String>| -> (bool, i64, String) {
            match row[at].parse() {
                Ok(number) if column != "title" => (false, number, String::new()),
                _ => (row[at] == "null", 0, row[at].clone()),
            }
        };
        // Stable, nulls last in either direction.
        let mut want = pages.rows.clone();
        want.sort_by(|a, b| {
            let (a, b) = (value(a), value(b));
            let by_value = (a.1, &a.2).cmp(&(b.1, &b.2));
            a.0.cmp(&b.0).then(if a.0 {
                std::cmp::Ordering::Equal
            } else if descending {
                by_value.reverse()
            } else {
                by_value
            })
        });
        assert!(sorted.rows == want, "{column} {descending}");
    }
    assert!(work.fails(&["count", "sort", "out", "x", "--table", "pages"], 2).contains("no column x"));
    assert!(work.fails(&["count", "sort", "out", "x", "--table", "y"], 2).contains("no table is called y"));
}

const KINDS: [&[&str]; 6] = [
    &["count", "words", "OUT"],
    &["count", "backlinks", "OUT"],
    &["count", "host-terms", "OUT"],
    &["count", "index", "OUT"],
    &["count", "grep", "OUT", "a.e"],
    &["count", "sort", "OUT", "text", "--table", "texts"],
];

/// A kind asked for of these results.
fn on<'a>(kind: &[&'a str], out: &'a str) -> Vec<&'a str> {
    kind.iter().map(|word| if *word == "OUT" { out } else { word }).collect()
}

#[test]
fn threads_and_memory_change_no_byte() {
    let work = Work::new();
    work.synth("shards", 400, 1 << 20);
    for (out, threads, memory) in [("one", "1", "4GiB"), ("two", "2", "64MiB")] {
        work.run(&["extract", "shards", "--out", out]);
        for kind in KINDS {
            let how = ["--threads", threads, "--memory", memory];
            work.run(&[&on(kind, out)[..], &how].concat());
        }
    }
    let one = work.committed("one");
    assert!(one.keys().filter(|name| name.starts_with("count-")).count() > 10, "{:?}", one.keys());
    assert_same(&one, &work.committed("two"), "2 threads, 64 MiB");
}

#[test]
fn death_at_any_step_costs_no_byte() {
    let work = Work::new();
    work.synth("shards", 150, 1 << 20);
    work.run(&["extract", "shards", "--out", "whole"]);
    for kind in [KINDS[0], KINDS[2]] {
        work.run(&on(kind, "whole"));
    }
    let expected = work.committed("whole");
    for point in CRASH_POINTS {
        let out = format!("out-{point}");
        work.run(&["extract", "shards", "--out", &out]);
        for kind in [KINDS[0], KINDS[2]] {
            let arguments = on(kind, &out);
            let died = work.webmill(&arguments).env("WEBMILL_CRASH_AT", point).output().unwrap();
            assert!(!died.status.success(), "{point}: the process should have died");
            work.run(&arguments);
        }
        assert_same(&expected, &work.committed(&out), point);
        assert_eq!(work.unfinished(&out), Vec::<String>::new(), "{point}");
    }
}

#[test]
fn a_run_counts_what_its_recipe_names() {
    let work = Work::new();
    work.synth("shards", 60, 1 << 20);
    work.run(&["run", "shards", "--out", "out"]);
    assert!(!work.path("out/count-words").exists());
    std::fs::write(work.path("mill.toml"), "[count-words]\nsplit = \"space\"\n[count-index]\n").unwrap();
    work.run(&["run", "shards", "--out", "out", "--recipe", "mill.toml"]);
    assert!(work.path("out/count-words/latest").exists() && work.path("out/count-index/latest").exists());
    assert!(!work.path("out/count-backlinks").exists());
    std::fs::write(work.path("mill.toml"), "[count-words]\nsplit = \"letters\"\n").unwrap();
    assert!(
        work.fails(&["run", "shards", "--out", "out", "--recipe", "mill.toml"], 2).contains("count-words")
    );
}

#[test]
fn no_page_has_no_words() {
    let work = Work::new();
    work.write_pages("shards", &[("http://a.example/".into(), "<html></html>".into())]);
    work.run(&["extract", "shards", "--out", "out"]);
    for kind in &KINDS[..4] {
        work.run(&on(kind, "out"));
    }
    work.fails(&["count", "grep", "out", "x"], 1);
    assert!(work.words("out", "count-words", "count_words").rows.is_empty());
    assert!(work.output(&["count", "search", "out", "word", "--format", "tsv"]).is_empty());
}
