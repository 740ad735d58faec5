//! What every job makes of a fixed corpus, kept as text in `tests/golden`, a file a job.
//!
//! A change of output without a change of the job's VERSION fails: results of the program before would pass for results of
//! this one. What changes because a job changed whose results this one reads needs no VERSION of its own: its key has changed.
//! `WEBMILL_GOLDEN=rewrite cargo test --release golden` writes the files anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use webmill::jobs::builtin::registry;
use webmill::shard::{Compression, NewRecord, RawDbWriter, WriteOptions};
use webmill::table::{ColumnType, TableInWords};
use xxhash_rust::xxh3::xxh3_64;

use crate::support::{Work, files_below, repository};

/// Longest cell that is kept whole; of a longer one the beginning and a digest.
const LONGEST: usize = 160;

fn pages(folder: &Path, host: &str, into: &mut BTreeMap<String, Vec<u8>>) {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|e| e == "html" || e == "htm");
    for path in files_below(folder).into_iter().filter(is_page) {
        let name = path.strip_prefix(folder).unwrap().to_string_lossy();
        let url = format!("http:/{host}/{}", name.trim_end_matches("index.html"));
        into.insert(url, std::fs::read(&path).unwrap());
    }
}

/// The pages of the demonstration site and of the Chinese tests, each fetched twice, a day apart; and labels of some, their sites.
fn write_corpus(work: &Work) {
    let mut corpus = BTreeMap::new();
    pages(&repository("datasets/demo-site/hosts"), "", &mut corpus);
    pages(&repository("tests/pages/zh"), "/zh.example", &mut corpus);
    assert!(corpus.len() > 100, "{}", corpus.len());
    let options = WriteOptions { max_shard_bytes: u64::MAX, compression: Compression::None };
    let mut writer = RawDbWriter::new(&work.path("shards"), "golden", options).unwrap();
    for (day, every) in [(0, 1), (1, 3)] {
        for (number, (url, body)) in corpus.iter().enumerate().filter(|(number, _)| number % every == 0) {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
            let data = [head.as_bytes(), body].concat();
            let date_ms = 1_700_000_000_000 + 86_400_000 * day + 1000 * number as i64;
            writer
                .write(&NewRecord {
                    url,
                    date_ms,
                    ip: Some("192.0.2.1"),
                    data: &data,
                    ..NewRecord::default()
                })
                .unwrap();
        }
    }
    writer.finish().unwrap();
    let mut labels = "url,label\n".to_owned();
    for url in corpus.keys().step_by(2) {
        let host = url.trim_start_matches("http://").split('/').next().unwrap();
        writeln!(labels, "\"{url}\",{host}").unwrap();
    }
    labels += "http://a.example/no-page,none\n";
    std::fs::write(work.path("labels.csv"), labels).unwrap();
}

/// A cell as it is kept: numbers to nine digits, since the mathematical functions of systems differ in the last ones.
fn shown(cell: &str, kind: Option<ColumnType>) -> String {
    let number = || {
        cell.parse::<f64>().ok().filter(|_| matches!(kind, Some(ColumnType::Float32 | ColumnType::Float64)))
    };
    if let Some(number) = number() {
        return format!("{number:.8e}");
    }
    let cell = cell.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
    if cell.len() <= LONGEST {
        return cell;
    }
    let start: String = cell.chars().take(40).collect();
    format!("{start}… {} bytes {:016x}", cell.len(), xxh3_64(cell.as_bytes()))
}

/// Everything that a job committed, as text.
fn committed(folder: &Path, manifest: &serde_json::Value) -> String {
    let schemas = registry().tables();
    let kind = |table: &str, column: &str| {
        let table = schemas.iter().find(|schema| schema.name == table)?;
        table.columns.iter().find(|c| c.name == column).map(|c| c.kind)
    };
    let mut text = String::new();
    for (name, _) in manifest["tables"].as_object().unwrap() {
        if name == "rejects" {
            continue;
        }
        let table = TableInWords::read(&folder.join(name)).unwrap();
        writeln!(text, "\n## {name}: {} rows\n{}", table.rows.len(), table.columns.join("\t")).unwrap();
        let kinds: Vec<_> = table.columns.iter().map(|column| kind(name, column)).collect();
        for row in &table.rows {
            let cells: Vec<String> = row.iter().zip(&kinds).map(|(cell, kind)| shown(cell, *kind)).collect();
            writeln!(text, "{}", cells.join("\t")).unwrap();
        }
    }
    writeln!(text, "\n## other files").unwrap();
    for file in manifest["outputs"].as_array().unwrap().iter().filter(|file| file["table"] == "") {
        let path = file["path"].as_str().unwrap();
        let bytes = std::fs::read(folder.join(path)).unwrap();
        // Keys change with the versions of crates whose data are in the program.
        let bytes = match path.ends_with(".html") {
            true => without_keys(&String::from_utf8(bytes).unwrap()).into_bytes(),
            false => bytes,
        };
        writeln!(text, "{path}\t{} bytes\t{:016x}", bytes.len(), xxh3_64(&bytes)).unwrap();
    }
    writeln!(text, "\n## counts\n{}", serde_json::to_string_pretty(&manifest["counts"]).unwrap()).unwrap();
    text
}

fn without_keys(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut digits = String::new();
    for c in html.chars().chain(['\0']) {
        if c.is_ascii_hexdigit() {
            digits.push(c);
            continue;
        }
        out += if digits.len() == 32 { "KEY" } else { &digits };
        digits.clear();
        if c != '\0' {
            out.push(c);
        }
    }
    out
}

#[test]
fn output_changes_only_with_the_version_of_its_job() {
    let work = Work::new();
    write_corpus(&work);
    // So little that a small corpus has rows in every table.
    let recipe = "[extract]\ntemplate_pages = 10\n[repeated]\nmin_chars = 8\nmin_pages = 2\n\
                  [mirrors]\nmin_pages = 2\nmin_clusters = 1\nsuspected_from = 0.1\n\
                  [rules]\nfiles = [\"builtin:all\"]\n[signals]\n\
                  [count-words]\nskip_regexes = ['\\b[^f\\s]\\S*']\n[count-backlinks]\nmost = 3\n[count-host-terms]\nmost = 5\n[count-index]\n\
                  [count-grep]\npattern = \"[Ff]err(y|ies)\"\n\
                  [count-visits]\nlogs = [\"access.log\"]\nhost = \"a.example\"\n\
                  [learn]\njobs = [\"train\", \"apply\"]\nlabels = \"labels.csv\"\nfolds = 2\n\
                  [count-sort]\ntable = \"degrees\"\ncolumn = \"count\"\n";
    let log = "10.0.0.1 - - [24/Nov/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 200 5\n";
    std::fs::write(work.path("access.log"), log.repeat(3)).unwrap();
    std::fs::write(work.path("mill.toml"), recipe).unwrap();
    work.run(&["run", "shards", "--out", "out", "--recipe", "mill.toml"]);
    std::fs::write(work.path("features.toml"), "[learn]\nlabels = \"labels.csv\"\nmin_pages = 12\n").unwrap();
    work.run(&["learn", "features", "out", "--recipe", "features.toml"]);
    work.run(&["learn", "cluster", "out", "--k", "4"]);
    let rewrite = std::env::var("WEBMILL_GOLDEN").is_ok_and(|how| how == "rewrite");
    let mut wrong = Vec::new();
    for job in registry().jobs() {
        let folder = work.path("out").join(job.name).join("latest");
        let manifest = std::fs::read(folder.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
        let version = &manifest["job_version"];
        let text = format!("# {}, version {version}\n{}", job.name, committed(&folder, &manifest));
        let path = repository("tests/golden").join(format!("{}.txt", job.name));
        if rewrite {
            std::fs::write(&path, &text).unwrap();
            continue;
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        if known == text {
            continue;
        }
        let same_version = known.lines().next() == text.lines().next();
        let advice = match same_version {
            true => format!(
                "its output changed and its VERSION {version} did not: raise it unless that of a job it reads \
                 was raised, then rewrite"
            ),
            false => "its VERSION changed: rewrite".to_owned(),
        };
        let differing = known.lines().zip(text.lines()).find(|(a, b)| a != b).unwrap_or(("", "other length"));
        wrong.push(format!(
            "job {}: {advice} tests/golden with WEBMILL_GOLDEN=rewrite\n- {}\n+ {}",
            job.name, differing.0, differing.1
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
