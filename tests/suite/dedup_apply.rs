//! `webmill dedup apply`: the corpus without its duplicates, read back.

mod further;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use webmill::jobs::dedup::tables::ClusterRow;
use webmill::jobs::dropped::DroppedRow;
use webmill::mill::TextRow;
use webmill::shard::{
    Compression, NewRecord, NewWarcRecord, RawDbWriter, ReadOptions, RecordType, ShardReader, WarcOptions,
    WarcWriter, WriteOptions,
};
use webmill::table::read_rows;

use crate::support::{Work, gzip, tool};

const DAY: i64 = 86_400_000;

/// A story of this many words, another one for each number.
fn story(number: u64, words: u64) -> Vec<String> {
    const SYLLABLES: [&str; 16] = [
        "ta", "re", "mi", "lo", "ken", "sur", "van", "dor", "pel", "gan", "fil", "hos", "bra", "tik", "wen",
        "jur",
    ];
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    (0..words)
        .map(|i| {
            let word: String = (0..2 + next() % 2).map(|_| SYLLABLES[next() % 16]).collect();
            if i % 12 == 11 { word + "." } else { word }
        })
        .collect()
}

fn page(title: &str, words: &[String], frame: &str) -> String {
    let paragraphs: String = words.chunks(36).map(|part| format!("<p>{}</p>\n", part.join(" "))).collect();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<!doctype html><html><head><title>{title}</title></head>\
         <body><{frame}><h1>{title}</h1>\n{paragraphs}</{frame}></body></html>\n"
    )
}

/// A capture: URL, day, answer.
type Capture = (&'static str, i64, String);

/// Two stories; copies of the first by body, by text and nearly; another capture of a copy, and of a page that stays; a
/// redirect of a copy.
fn corpus() -> Vec<Capture> {
    let (first, second) = (story(1, 240), story(2, 240));
    let mut near = first.clone();
    near[100] = "otherwise".into();
    let moved = "HTTP/1.1 302 Found\r\nLocation: http://a.example/1\r\n\r\n".to_owned();
    vec![
        ("http://a.example/1", 1, page("First", &first, "main")),
        ("http://b.example/body", 0, page("Old", &story(3, 240), "main")),
        ("http://b.example/body", 2, page("First", &first, "main")),
        ("http://b.example/body", 9, moved),
        ("http://c.example/text", 3, page("First", &first, "article")),
        ("http://d.example/near", 4, page("First", &near, "main")),
        ("http://e.example/", 1, page("Second", &story(4, 240), "main")),
        ("http://e.example/", 5, page("Second", &second, "main")),
    ]
}

fn record<'a>(kind: RecordType, url: &'a str, day: i64, data: &'a [u8]) -> NewWarcRecord<'a> {
    NewWarcRecord {
        kind,
        url: Some(url),
        date_ms: day * DAY,
        ip: None,
        content_type: None,
        id: None,
        truncated: None,
        extra: &[],
        data,
    }
}

/// A WARC file with a request before and metadata behind every answer. Half of the requests name their answer, the other
/// half are named by it.
fn write_warc(path: &Path, captures: &[Capture], compression: Compression) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let options = WarcOptions { max_shard_bytes: u64::MAX, compression, ..WarcOptions::default() };
    let mut writer = WarcWriter::create(path, options).unwrap();
    writer
        .write(&NewWarcRecord {
            url: None,
            content_type: Some("application/warc-fields"),
            ..record(RecordType::Warcinfo, "", 0, b"software: test\r\n")
        })
        .unwrap();
    for (n, (url, day, answer)) in captures.iter().enumerate() {
        let response = record(RecordType::Response, url, *day, answer.as_bytes());
        let asked = format!("GET {url} HTTP/1.1\r\nX-Day: {day}\r\n\r\n");
        let request = record(RecordType::Request, url, *day, asked.as_bytes());
        let (answered, asking) =
            (format!("<{}>", response.content_id()), format!("<{}>", request.content_id()));
        let (to_answer, to_request) =
            ([("WARC-Concurrent-To", answered.as_str())], [("WARC-Concurrent-To", asking.as_str())]);
        let first = n % 2 == 0;
        writer.write(&NewWarcRecord { extra: if first { &to_answer } else { &[] }, ..request }).unwrap();
        writer.write(&NewWarcRecord { extra: if first { &[] } else { &to_request }, ..response }).unwrap();
        let facts = format!("fetchTimeMs: {n}\r\n");
        let metadata = record(RecordType::Metadata, url, *day, facts.as_bytes());
        let metadata = NewWarcRecord { content_type: Some("application/warc-fields"), ..metadata };
        writer.write(&NewWarcRecord { extra: &to_answer, ..metadata }).unwrap();
    }
    writer.finish().unwrap();
}

fn write_raw(path: &Path, captures: &[Capture]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let options = WriteOptions { max_shard_bytes: u64::MAX, compression: Compression::Gzip };
    let mut writer = RawDbWriter::create(path, options).unwrap();
    for (url, day, answer) in captures {
        let (date_ms, data) = (day * DAY, answer.as_bytes());
        writer.write(&NewRecord { url, origin: None, date_ms, ip: None, extra: &[], data }).unwrap();
    }
    writer.finish().unwrap();
}

fn write_arc(path: &Path, captures: &[Capture]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let info = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n";
    let mut bytes = format!("filedesc://a.arc 0.0.0.0 19700101000000 text/plain {}\n{info}\n", info.len());
    for (url, day, answer) in captures {
        let day = day + 1;
        bytes += &format!("{url} 127.0.0.1 197001{day:02}000000 text/html {}\n{answer}\n", answer.len());
    }
    std::fs::write(path, bytes).unwrap();
}

/// Every record: type, URL, date, head, data, stored bytes.
type SeenRecord = (RecordType, String, Option<i64>, Vec<u8>, Vec<u8>, Vec<u8>);

fn records(path: &Path) -> Vec<SeenRecord> {
    let stored = std::fs::read(path).unwrap();
    let mut reader = ShardReader::open(path, &ReadOptions::default()).unwrap();
    let mut all = Vec::new();
    while let Some(next) = reader.next() {
        let record = next.unwrap();
        let place = record.place.offset as usize..(record.place.offset + record.place.length) as usize;
        all.push((
            record.kind,
            record.url.to_string(),
            record.date_ms,
            record.head.to_vec(),
            record.data.to_vec(),
            stored.get(place).unwrap_or_default().to_vec(),
        ));
    }
    all
}

fn mill(work: &Work, shards: &str, out: &str) {
    work.run(&["extract", shards, "--out", out]);
    work.run(&["dedup", out]);
}

fn clusters(work: &Work, out: &str) -> Vec<ClusterRow> {
    read_rows(&work.path(out).join("dedup/latest/clusters")).unwrap()
}

fn dropped(work: &Work, out: &str) -> Vec<DroppedRow> {
    read_rows(&work.path(out).join("dropped")).unwrap()
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Files below a folder, by path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder_) = folders.pop() {
        for entry in std::fs::read_dir(&folder_).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_path_buf(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// What stays of the corpus by policy near: URL and day.
const STAYS: [(&str, i64); 4] = [
    ("http://a.example/1", 1),
    ("http://b.example/body", 9),
    ("http://e.example/", 1),
    ("http://e.example/", 5),
];

#[test]
fn every_format_keeps_its_records_byte_for_byte_and_twice_changes_nothing() {
    let work = Work::new();
    let corpus = corpus();
    write_warc(&work.path("gz/a.warc.gz"), &corpus, Compression::Gzip);
    write_warc(&work.path("zst/a.warc.zst"), &corpus, Compression::Zstd);
    write_warc(&work.path("plain/a.warc"), &corpus, Compression::None);
    write_raw(&work.path("raw/a.rawdb"), &corpus);
    write_arc(&work.path("arc/a.arc"), &corpus);
    // Everything in one member; and RAW DB that was compressed as a whole.
    std::fs::create_dir(work.path("one")).unwrap();
    std::fs::write(work.path("one/a.warc.gz"), gzip(&std::fs::read(work.path("plain/a.warc")).unwrap()))
        .unwrap();
    std::fs::create_dir(work.path("whole")).unwrap();
    std::fs::write(work.path("whole/a.rawdb.gz"), gzip(&std::fs::read(work.path("raw/a.rawdb")).unwrap()))
        .unwrap();
    for (shards, name) in [
        ("gz", "a.warc.gz"),
        ("zst", "a.warc.zst"),
        ("plain", "a.warc"),
        ("raw", "a.rawdb"),
        ("arc", "a.arc"),
        ("one", "a.warc.gz"),
        ("whole", "a.rawdb.gz"),
    ] {
        let (results, out) = (format!("results-{shards}"), format!("out-{shards}"));
        mill(&work, shards, &results);
        let report = said(&work.run(&["dedup", "apply", &results, shards, "--out", &out]));
        assert!(report.contains("3 pages go (1 body, 1 near, 1 text)"), "{shards}: {report}");
        assert!(report.contains("4 captures went (2 body, 1 near, 1 text)"), "{shards}: {report}");
        let (before, after) =
            (records(&work.path(shards).join(name)), records(&work.path(&out).join("shards").join(name)));
        let stays: BTreeSet<(String, i64)> = STAYS.iter().map(|(url, at)| ((*url).to_owned(), *at)).collect();
        let kept = |seen: &&SeenRecord| {
            matches!(seen.0, RecordType::Warcinfo | RecordType::FileDesc)
                || stays.contains(&(seen.1.clone(), seen.2.unwrap() / DAY))
        };
        let wanted: Vec<&SeenRecord> = before.iter().filter(kept).collect();
        let parts = |seen: &SeenRecord| (seen.0, seen.1.clone(), seen.3.clone(), seen.4.clone());
        assert_eq!(
            after.iter().map(parts).collect::<Vec<_>>(),
            wanted.iter().map(|seen| parts(seen)).collect::<Vec<_>>(),
            "{shards}: head and data of every record that stays, with its request and metadata, and of no other"
        );
        if !["one", "whole"].contains(&shards) {
            let stored: Vec<&[u8]> = wanted.iter().map(|seen| &*seen.5).collect();
            let bytes = std::fs::read(work.path(&out).join("shards").join(name)).unwrap();
            assert_eq!(bytes, stored.concat(), "{shards}: as stored, compressed members and all");
        }
        let bare = said(&work.run(&["dedup", "apply", &results, "--out", &format!("bare-{shards}")]));
        assert!(bare.contains("4 captures are of these pages (2 body, 1 near, 1 text)"), "{bare}");
        assert!(!bare.contains("went"), "no shard was copied: {bare}");
        let again = format!("{out}/shards");
        let twice = format!("twice-{shards}");
        let report = said(&work.run(&["dedup", "apply", &results, &again, "--out", &twice]));
        assert!(
            report.contains("0 captures went") && report.contains("4 captures had gone before"),
            "{report}"
        );
        assert_eq!(
            files(&work.path(&again)),
            files(&work.path(&twice).join("shards")),
            "{shards}: twice changes nothing"
        );
        assert!(dropped(&work, &twice).is_empty());
        mill(&work, &again, &format!("results-of-{shards}"));
        assert!(clusters(&work, &format!("results-of-{shards}")).is_empty(), "{shards}: no cluster is left");
    }
}

#[test]
fn the_table_says_what_went_and_what_stays_instead() {
    let work = Work::new();
    write_warc(&work.path("shards/a.warc.gz"), &corpus(), Compression::Gzip);
    mill(&work, "shards", "results");
    work.run(&["dedup", "apply", "results", "shards", "--out", "out"]);
    let rows = dropped(&work, "out");
    let seen: Vec<(&str, &str, bool, &str)> = rows
        .iter()
        .map(|row| (row.url.as_str(), row.reason.as_str(), row.superseded, row.kept_url.as_deref().unwrap()))
        .collect();
    assert_eq!(
        seen,
        [
            ("http://b.example/body", "body", true, "http://a.example/1"),
            ("http://b.example/body", "body", false, "http://a.example/1"),
            ("http://c.example/text", "text", false, "http://a.example/1"),
            ("http://d.example/near", "near", false, "http://a.example/1"),
        ]
    );
    let before = records(&work.path("shards/a.warc.gz"));
    for row in &rows {
        let mut at = 0;
        let found = before.iter().find(|seen| {
            let here = at;
            at += seen.5.len() as i64;
            here == row.warc_record_offset
        });
        assert_eq!(
            found.map(|seen| (&*seen.1, seen.5.len() as i64)),
            Some((&*row.url, row.warc_record_length))
        );
        assert_eq!((row.bytes as i64, row.revisit, row.cluster), (row.warc_record_length, false, Some(0)));
    }
    let manifest = work.manifest("out");
    let bytes: u64 = rows.iter().filter(|row| row.reason.as_str() == "body").map(|row| row.bytes).sum();
    let counts = &manifest["counts"];
    assert_eq!(counts["captures"]["body"]["bytes"], bytes);
    assert_eq!((&counts["captures"]["body"]["superseded"], &counts["companions"]), (&1.into(), &8.into()));
    assert_eq!(manifest["shards"][0]["captures_known"], 8);
}

#[test]
fn policies_leave_less_and_less() {
    let work = Work::new();
    let mut corpus = corpus();
    let mut long = story(1, 240);
    long.extend(story(7, 900));
    corpus.push(("http://f.example/long", 6, page("Long", &long, "main")));
    write_raw(&work.path("shards/a.rawdb"), &corpus);
    mill(&work, "shards", "results");
    let left = |policy: &str| -> BTreeSet<String> {
        let out = format!("out-{policy}");
        work.run(&["dedup", "apply", "results", "shards", "--out", &out, "--policy", policy]);
        let all = records(&work.path(&out).join("shards/a.rawdb"));
        all.into_iter().filter(|seen| seen.4.starts_with(b"HTTP/1.1 200")).map(|seen| seen.1).collect()
    };
    let exact = left("exact");
    let near = left("near");
    assert_eq!(exact.difference(&near).collect::<Vec<_>>(), ["http://d.example/near"]);
    let want = ["http://a.example/1", "http://e.example/", "http://f.example/long"];
    assert_eq!(near.iter().map(String::as_str).collect::<Vec<_>>(), want);
    let contained = left("contained");
    assert!(!contained.contains("http://a.example/1"), "the short one goes for the long one");
    assert!(contained.contains("http://f.example/long") && contained.is_subset(&near));
}

#[test]
fn copies_become_revisits_that_others_can_read() {
    let work = Work::new();
    write_warc(&work.path("gz/a.warc.gz"), &corpus(), Compression::Gzip);
    write_warc(&work.path("plain/a.warc"), &corpus(), Compression::None);
    std::fs::create_dir(work.path("one")).unwrap();
    std::fs::write(work.path("one/a.warc.gz"), gzip(&std::fs::read(work.path("plain/a.warc")).unwrap()))
        .unwrap();
    write_raw(&work.path("raw/a.rawdb"), &corpus());
    for (shards, name) in [("gz", "a.warc.gz"), ("plain", "a.warc"), ("one", "a.warc.gz"), ("raw", "a.rawdb")]
    {
        let (results, out) = (format!("results-{shards}"), format!("out-{shards}"));
        mill(&work, shards, &results);
        let report = said(&work.run(&["dedup", "apply", &results, shards, "--out", &out, "--as-revisit"]));
        assert!(report.contains("1 of them became revisits"), "{shards}: {report}");
        let path = work.path(&out).join("shards").join(name);
        let mut reader = ShardReader::open(&path, &ReadOptions::default()).unwrap();
        let mut revisits = Vec::new();
        let mut requests = 0;
        while let Some(next) = reader.next() {
            let record = next.unwrap();
            requests += u32::from(record.kind == RecordType::Request);
            if let Some(revisit) = &record.revisit {
                let digest = record.payload_digest.clone().unwrap().into_owned();
                let url = revisit.refers_to_url.clone().unwrap().into_owned();
                revisits.push((record.url.to_string(), url, revisit.refers_to_date_ms, digest));
            }
        }
        let original = page("First", &story(1, 240), "main");
        let body = &original.as_bytes()[original.find("\r\n\r\n").unwrap() + 4..];
        let digest = format!("sha1:{}", webmill::capture::digest::sha1_base32(body));
        let want = ("http://b.example/body".to_owned(), "http://a.example/1".to_owned(), Some(DAY), digest);
        assert_eq!(revisits, [want], "{shards}");
        // The request of a capture that became a revisit stays.
        assert_eq!(requests, if shards == "raw" { 0 } else { 5 }, "{shards}");
        let rows = dropped(&work, &out);
        let row = rows.iter().find(|row| row.revisit).unwrap();
        assert!(row.bytes > 0 && (row.bytes as i64) < row.warc_record_length, "{row:?}");
        // Twice changes nothing here, either.
        let twice = format!("twice-{shards}");
        let again = format!("{out}/shards");
        let report = said(&work.run(&["dedup", "apply", &results, &again, "--out", &twice, "--as-revisit"]));
        assert!(report.contains("1 captures were revisits before"), "{shards}: {report}");
        assert_eq!(files(&work.path(&again)), files(&work.path(&twice).join("shards")), "{shards}");
    }
    read_by_others(&work);
}

/// warcio and FastWARC read the copies without a complaint.
fn read_by_others(work: &Work) {
    let Some(python) = tool("archives", "python") else { return };
    let output = std::process::Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/archives/read_crawl.py"))
        .args([work.path("out-gz/shards/a.warc.gz"), work.path("out-plain/shards/a.warc")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut revisits = 0;
    for line in lines.lines() {
        let seen: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(seen["problems"].as_array().is_none_or(Vec::is_empty), "{line}");
        if seen["type"] == "revisit" {
            revisits += 1;
            assert_eq!(seen["refers_url"], "http://a.example/1", "{line}");
            assert_eq!(seen["refers_date"], "1970-01-02T00:00:00Z", "{line}");
            assert_eq!(seen["status"], 200, "{line}");
        }
    }
    assert_eq!(revisits, 4, "two files, two readers: {lines}");
}

#[test]
fn damage_is_left_out_and_counted() {
    let work = Work::new();
    let mut all = corpus();
    all.extend(
        (0..300).map(|n| ("http://g.example/", 10 + n, page("Daily", &story(100 + n as u64, 30), "main"))),
    );
    write_raw(&work.path("raw/a.rawdb"), &all);
    write_warc(&work.path("gz/a.warc.gz"), &all, Compression::Gzip);
    for (shards, name) in [("raw", "a.rawdb"), ("gz", "a.warc.gz")] {
        let results = format!("results-{shards}");
        mill(&work, shards, &results);
        let before = records(&work.path(shards).join(name));
        // In the middle of an answer of the second half.
        let hurt = before.iter().rposition(|seen| seen.0 == RecordType::Response).unwrap() - 30;
        let at: usize = before[..hurt].iter().map(|seen| seen.5.len()).sum();
        let mut bytes = std::fs::read(work.path(shards).join(name)).unwrap();
        bytes[at..at + 40].fill(b'#');
        std::fs::create_dir(work.path(&format!("hurt-{shards}"))).unwrap();
        std::fs::write(work.path(&format!("hurt-{shards}")).join(name), bytes).unwrap();
        let (hurt_shards, out) = (format!("hurt-{shards}"), format!("out-{shards}"));
        let report = said(&work.run(&["dedup", "apply", &results, &hurt_shards, "--out", &out]));
        assert!(report.contains("damaged") && report.contains("4 captures went"), "{shards}: {report}");
        let after = records(&work.path(&out).join("shards").join(name));
        assert!(!after.iter().any(|seen| seen.5 == before[hurt].5), "{shards}");
        let gone = before.len() - after.len();
        assert_eq!(gone, 1 + if shards == "gz" { 12 } else { 4 }, "{shards}");
        // Beyond the bound nothing is written, and nothing left lying about.
        let strict = format!("strict-{shards}");
        let refused =
            work.fails(&["dedup", "apply", &results, &hurt_shards, "--out", &strict, "--max-bad", "0"], 1);
        assert!(refused.contains("nothing is written"), "{refused}");
        assert!(!work.path(&strict).exists() && !work.path(&format!(".{strict}.apply")).exists());
        // What the end of an incomplete download lacks is no damage, and none of its bytes are.
        let file = work.path(&hurt_shards).join(name);
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() - 150]).unwrap();
        let cut = format!("cut-{shards}");
        let cut = said(&work.run(&["dedup", "apply", &results, &hurt_shards, "--out", &cut]));
        assert!(cut.contains("1 file cut off at the end (incomplete downloads; "), "{cut}");
        let lost = |report: &str| {
            let damage = report.lines().find(|line| line.contains("records are damaged")).unwrap();
            damage.split(", ").nth(1).unwrap().split(' ').next().unwrap().to_owned()
        };
        assert_eq!(lost(&cut), lost(&report), "{cut}");
    }
}

#[test]
fn shards_of_one_name_are_told_apart_and_missing_ones_are_said() {
    let work = Work::new();
    let corpus = corpus();
    write_raw(&work.path("crawl/one/x.rawdb"), &corpus[..2]);
    write_raw(&work.path("crawl/two/x.rawdb"), &corpus[2..]);
    mill(&work, "crawl", "results");
    work.run(&["dedup", "apply", "results", "crawl", "--out", "out"]);
    let left = |path: &str| records(&work.path(path)).len();
    assert_eq!((left("out/shards/one/x.rawdb"), left("out/shards/two/x.rawdb")), (1, 3));
    // Given one by one they are found by their folders.
    work.run(&["dedup", "apply", "results", "crawl/two/x.rawdb", "crawl/one/x.rawdb", "--out", "each"]);
    assert_eq!((left("each/shards/one/x.rawdb"), left("each/shards/two/x.rawdb")), (1, 3));
    let report = work.fails(&["dedup", "apply", "results", "crawl/two", "--out", "half"], 1);
    assert!(report.contains("1 shards of the results were not given, with 2 captures"), "{report}");
    assert_eq!(left("half/shards/x.rawdb"), 3);
    // Another shard of that name loses nothing.
    write_raw(&work.path("other/two/x.rawdb"), &corpus[..1]);
    let report = work.fails(&["dedup", "apply", "results", "other", "--out", "wrong"], 1);
    assert!(report.contains("captures of the results are not in the shards given"), "{report}");
    assert_eq!(files(&work.path("other")), files(&work.path("wrong/shards")));
    write_raw(&work.path("unknown/z.rawdb"), &corpus[..1]);
    let report = work.fails(&["dedup", "apply", "results", "unknown", "--out", "stranger"], 1);
    assert!(report.contains("1 shards are not in the results, nothing goes from them: z.rawdb"), "{report}");
}

#[test]
fn texts_of_what_stays_come_as_table_and_as_lines() {
    let work = Work::new();
    write_raw(&work.path("shards/a.rawdb"), &corpus());
    mill(&work, "shards", "results");
    work.run(&["dedup", "apply", "results", "--out", "table", "--texts", "parquet"]);
    let rows: Vec<TextRow> = read_rows(&work.path("table/texts")).unwrap();
    let urls: Vec<&str> = rows.iter().map(|row| row.url.as_str()).collect();
    assert_eq!(urls, ["http://a.example/1", "http://e.example/"]);
    let all: Vec<TextRow> = read_rows(&work.path("results/extract/latest/texts")).unwrap();
    let second = all.iter().filter(|row| row.url == "http://e.example/").find(|row| row == &&rows[1]);
    assert!(
        second.is_some() && rows[1].text.contains(&story(2, 240)[5]),
        "the current capture's text, as it was"
    );
    assert_eq!(dropped(&work, "table").len(), 4);
    assert!(!work.path("table/shards").exists());
    let parse = |bytes: Vec<u8>| -> Vec<serde_json::Value> {
        String::from_utf8(bytes).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for form in ["jsonl", "jsonl.zst"] {
        let report = said(&work.run(&["dedup", "apply", "results", "--out", form, "--texts", form]));
        assert!(
            report.contains("2 texts written") && report.contains("1 of superseded captures"),
            "{report}"
        );
        let bytes = std::fs::read(work.path(form).join(format!("texts.{form}"))).unwrap();
        let lines = parse(match form {
            "jsonl" => bytes,
            _ => zstd::stream::decode_all(&bytes[..]).unwrap(),
        });
        for (line, row) in lines.iter().zip(&rows) {
            assert_eq!((&line["url"], &line["text"]), (&row.url.as_str().into(), &row.text.as_str().into()));
            assert_eq!(
                (&line["title"], &line["num_words"]),
                (&row.title.clone().into(), &row.num_words.into())
            );
        }
        assert_eq!(lines.len(), 2);
    }
}

#[test]
fn what_is_there_is_not_overwritten_and_a_crash_leaves_nothing_half_done() {
    let work = Work::new();
    write_raw(&work.path("shards/a.rawdb"), &corpus());
    mill(&work, "shards", "results");
    for (out, why) in
        [("shards", "is where"), ("shards/out", "is where"), ("results", "is where"), (".", "is where")]
    {
        let report = work.fails(&["dedup", "apply", "results", "shards", "--out", out], 2);
        assert!(report.contains(why), "{out}: {report}");
    }
    std::fs::create_dir(work.path("mine")).unwrap();
    std::fs::write(work.path("mine/notes.txt"), "mine").unwrap();
    let report = work.fails(&["dedup", "apply", "results", "shards", "--out", "mine"], 2);
    assert!(report.contains("is not empty"), "{report}");
    let apply = ["dedup", "apply", "results", "shards", "--out", "out"];
    for point in ["staged", "manifest-written"] {
        let crashed = work.webmill(&apply).env("WEBMILL_CRASH_AT", point).output().unwrap();
        assert!(!crashed.status.success() && !work.path("out").exists(), "{point}");
    }
    work.run(&apply);
    let complete = files(&work.path("out"));
    assert!(complete.contains_key(Path::new("manifest.json")) && !work.path(".out.apply").exists());
    assert!(work.fails(&apply, 2).contains("is not empty"));
    assert_eq!(files(&work.path("out")), complete);
    let report = work.fails(&["dedup", "apply", "nothing", "shards", "--out", "new"], 2);
    assert!(report.contains("nothing") && report.contains("webmill run"), "{report}");
}
