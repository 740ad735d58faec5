//! `webmill dedup compare`: signatures held against every pair of a sample.

use serde_json::Value;
use webmill::shard::{Compression, NewRecord, RawDbWriter, WriteOptions};

use crate::support::Work;

const FAMILIES: u64 = 12;

/// Pages of a family share most of their words: the original, a copy, versions with one and with ten words changed.
fn family(family: u64) -> Vec<String> {
    let word = |i: u64| {
        let x = (family << 32 | i).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        match x % 4 {
            0 => ["the", "of", "and", "a"][(x / 4 % 4) as usize].to_owned(),
            _ => format!("{}{}", ["mill", "river", "stone", "grain"][(x / 4 % 4) as usize], x % 997),
        }
    };
    let original: Vec<String> = (0..240).map(word).collect();
    let version = |changes: usize| {
        let mut words = original.clone();
        (0..changes).for_each(|i| words[20 * i + 7] = format!("changed{changes}number{i}of{family}"));
        words.chunks(30).map(|line| format!("<p>{}.</p>", line.join(" "))).collect::<String>()
    };
    vec![version(0), version(0), version(1), version(10)]
}

fn corpus(work: &Work) {
    let options = WriteOptions { max_shard_bytes: u64::MAX, compression: Compression::None };
    let mut writer = RawDbWriter::new(&work.path("shards"), "s", options).unwrap();
    for number in 0..FAMILIES {
        for (version, text) in family(number).into_iter().enumerate() {
            let url = format!("http://site{version}.example/page/{number}");
            let frame = if version % 2 == 0 { "article" } else { "main><div" };
            let html = format!("<html><title>{number}</title><body><{frame}>{text}</body></html>");
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length:";
            let response = format!("{head} {}\r\n\r\n{html}", html.len());
            let record = NewRecord {
                url: &url,
                origin: None,
                date_ms: 1_600_000_000_000,
                ip: Some("10.0.0.1"),
                extra: &[],
                data: response.as_bytes(),
            };
            writer.write(&record).unwrap();
        }
    }
    writer.finish().unwrap();
    work.run(&["extract", "shards", "--out", "results"]);
}

fn compare(work: &Work, more: &[&str]) -> String {
    let output = work.run(&[&["dedup", "compare", "--results", "results"], more].concat());
    String::from_utf8(output.stdout).unwrap()
}

fn row<'v>(table: &'v Value, name: &str) -> &'v Value {
    let rows = table["signatures"].as_array().unwrap();
    rows.iter().find(|row| row["signature"] == name).unwrap_or_else(|| panic!("{name}: {table}"))
}

#[test]
fn signatures_are_held_against_every_pair() {
    let work = Work::new();
    corpus(&work);
    let json = ["--format", "json", "--no-times", "--bands", "16x8,datatrove"];
    let table: Value = serde_json::from_str(&compare(&work, &[&json[..], &["shards"]].concat())).unwrap();
    let pages = 4 * FAMILIES;
    assert_eq!(
        (&table["pages"], &table["of"], &table["left_out"]),
        (&pages.into(), &pages.into(), &0.into())
    );
    let known: u64 =
        table["pairs"].as_array().unwrap().iter().map(|band| band["known"].as_u64().unwrap()).sum();
    assert_eq!(known, pages * (pages - 1) / 2);
    // Of each family: copies, and both with the page that has one word changed; the other page is further off.
    assert_eq!(table["pairs"][4]["known"], 3 * FAMILIES);
    for (name, recall, precision) in [
        ("shingles", Some(1.0), Some(1.0)),
        ("bands 16x8", Some(1.0), Some(1.0)),
        ("bands 14x8w5", Some(1.0), None),
        ("exact", Some(1.0 / 3.0), Some(1.0)),
        ("spotsigs", Some(1.0), Some(1.0)),
    ] {
        let row = row(&table, name);
        assert_eq!(row["pages"], pages, "{row}");
        let share = |value: &Value| value.as_f64().unwrap();
        assert_eq!(recall, Some(share(&row["bands"][4]["recall"])), "{row}");
        // What is taken resembles by half at least: the pages with ten words changed belong to their families too.
        assert!(
            precision.is_none_or(|precision| precision == share(&row["bands"][1]["precision_from"])),
            "{row}"
        );
    }
    assert_eq!(row(&table, "exact")["bytes_per_page"], 16.0);
    assert_eq!(row(&table, "bands 16x8")["bytes_per_page"], 128.0);
    assert!(row(&table, "semantic")["candidates"].as_f64().unwrap() > 0.0);
    let structure = row(&table, "structure");
    assert_eq!((&structure["pages"], &structure["note"]), (&pages.into(), &Value::Null), "{structure}");
    // One frame for all pages of even versions: their structure is the same, whatever they say.
    assert!(structure["bands"][0]["recall"].as_f64().unwrap() > 0.3, "{structure}");
    assert!(row(&table, "simhash").get("micros_per_page").is_none());
}

#[test]
fn without_shards_the_row_of_structure_says_why_it_is_empty() {
    let work = Work::new();
    corpus(&work);
    let table: Value = serde_json::from_str(&compare(&work, &["--format", "json"])).unwrap();
    let structure = row(&table, "structure");
    assert_eq!(structure["pages"], 0);
    assert!(structure["note"].as_str().unwrap().contains("give the shards"), "{structure}");
    assert!(row(&table, "simhash")["micros_per_page"].as_f64().unwrap() > 0.0);
    // Shards of other pages are no reason to stop, but are told.
    std::fs::rename(work.path("shards"), work.path("kept")).unwrap();
    work.synth("shards", 30, u64::MAX);
    let output = work.webmill(&["dedup", "compare", "--results", "results", "shards"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("48 pages without structure: shard not given"), "{said}");
}

#[test]
fn the_table_has_every_form_and_does_not_depend_on_threads() {
    let work = Work::new();
    corpus(&work);
    for (format, parts) in [
        (
            "table",
            &["48 pages of 48", "signature", "R .9-1", "P .8", "bands 16x8", "give the shards", "recall"][..],
        ),
        ("markdown", &["| signature", "|---", "| bands 16x8"]),
        (
            "csv",
            &[
                "signature,bound,pages,bytes_per_page,candidates,from,to,known",
                "exact,1,48,16.000,",
                "\"absent: ",
            ],
        ),
        ("json", &["\"signatures\"", "\"precision_from\""]),
    ] {
        let of = |threads| {
            compare(&work, &["--format", format, "--no-times", "--bands", "16x8", "--threads", threads])
        };
        let one = of("1");
        assert_eq!(one, of("3"), "{format}");
        assert!(parts.iter().all(|part| one.contains(part)), "{format}: {one}");
        let timed = compare(&work, &["--format", format]);
        assert!(["us/page", "micros_per_page"].iter().any(|name| timed.contains(name)), "{timed}");
    }
    let csv = compare(&work, &["--format", "csv"]);
    let fields = csv.lines().next().unwrap().split(',').count();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(rows.len(), 7 * 5);
    assert!(
        rows.iter().filter(|row| !row.contains('"')).all(|row| row.split(',').count() == fields),
        "{csv}"
    );
}

#[test]
fn samples_are_the_same_pages_every_time() {
    let work = Work::new();
    corpus(&work);
    let few = compare(&work, &["--sample", "10", "--no-times"]);
    assert!(few.starts_with("10 pages of 48;"), "{few}");
    assert_eq!(few, compare(&work, &["--sample", "10", "--no-times"]));
    for (arguments, part) in [
        (&["--sample", "1"][..], "2..=50000"),
        (&["--simhash-bits", "65"], "0..=64"),
        (&["--shingle-words", "0"], "shingle_words"),
        (&["--bands", "0x1"], "1 to 1024"),
        (&["--synonyms", "nothing.txt"], "nothing.txt"),
        (&["no-such-shard.warc"], "no-such-shard.warc"),
    ] {
        let said = work.fails(&[&["dedup", "compare", "--results", "results"], arguments].concat(), 2);
        assert!(said.contains(part), "{arguments:?}: {said}");
    }
    let said = work.fails(&["dedup", "compare", "--results", "elsewhere"], 2);
    assert!(said.contains("elsewhere") && said.contains("extract"), "{said}");
}

#[test]
fn faults_of_synonyms_are_told_by_their_lines_and_end_nothing() {
    let work = Work::new();
    corpus(&work);
    std::fs::write(work.path("words.txt"), "car automobile\nautomobile car\nlonely\nx y\nz y\n").unwrap();
    let arguments = ["dedup", "compare", "--results", "results", "--synonyms", "words.txt", "--no-times"];
    let output = work.run(&arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    for part in [
        "words.txt, line 2: \u{201C}car\u{201D} would stand for itself",
        "line 3: \u{201C}lonely\u{201D} has no variant",
        "line 5: \u{201C}y\u{201D} already has another base",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    std::fs::write(
        work.path("cycles.txt"),
        (0..200).map(|i| format!("a{i} b{i}\nb{i} a{i}\n")).collect::<String>(),
    )
    .unwrap();
    let output = work.run(&["dedup", "compare", "--results", "results", "--synonyms", "cycles.txt"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.matches("cycles.txt, line ").count() == 20 && said.contains("more such lines"), "{said}");
    std::fs::write(work.path("empty.txt"), "# nothing\n").unwrap();
    let said = work.fails(&["dedup", "compare", "--results", "results", "--synonyms", "empty.txt"], 2);
    assert!(said.contains("empty.txt: no line"), "{said}");
}
