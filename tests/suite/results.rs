//! Results as a whole: the catalogue, its set of keys, and `webmill results ls | gc | verify`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use webmill::jobs::builtin::registry;
use webmill::jobs::catalogue::Catalogue;
use webmill::table::{FileFacts, TableInWords};

use crate::support::{Work, assert_same};

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The lines of `webmill results ls --format json`.
fn listed(work: &Work, out: &str) -> Vec<Value> {
    let text = work.run(&["results", "ls", out, "--format", "json"]).stdout;
    String::from_utf8(text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn states(work: &Work, out: &str) -> Vec<(String, String)> {
    let of = |line: &Value, what: &str| line[what].as_str().unwrap().to_owned();
    let mut states: Vec<_> =
        listed(work, out).iter().map(|line| (of(line, "job"), of(line, "state"))).collect();
    states.sort();
    states
}

/// Key that `latest` of a job names.
fn latest(work: &Work, out: &str, job: &str) -> String {
    let target = fs::read_link(work.path(out).join(job).join("latest")).unwrap();
    assert_eq!(target.parent(), Some(Path::new(".keys")), "{}", target.display());
    target.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Two corpora; the jobs of the first, then those of the second with other settings of extraction.
fn two_corpora() -> Work {
    let work = Work::new();
    work.synth("a", 60, u64::MAX);
    work.synth("b", 90, u64::MAX);
    work
}

#[test]
fn results_of_another_layout_are_refused_by_every_command_that_reads_or_adds_to_them() {
    let work = two_corpora();
    work.run(&["extract", "a", "--out", "out"]);
    fs::write(work.path("out/webmill.json"), "{\"layout\": 2}").unwrap();
    for command in [
        &["run", "a", "--out", "out"][..],
        &["extract", "a", "--out", "out"],
        &["graph", "out"],
        &["rank", "out"],
        &["report", "out"],
        &["show", "out", "http://a.example/"],
        &["schema", "out"],
        &["results", "ls", "out"],
        &["results", "verify", "out"],
        &["results", "gc", "out"],
        &["dedup", "similar", "out", "some words"],
        &["serve", "out", "--listen", "127.0.0.1:0"],
    ] {
        let said = work.fails(command, 2);
        assert!(said.contains("webmill.json: found layout 2, expected layout 3"), "{command:?}: {said}");
    }
}

#[test]
fn the_catalogue_names_the_files_of_one_set_of_keys() {
    let work = two_corpora();
    work.run(&["extract", "a", "--out", "out"]);
    work.run(&["graph", "out"]);
    work.run(&["rank", "out"]);
    let whole = json(&work.path("out/tables.json"));
    assert_eq!(whole["format"], 1);
    assert_eq!(whole["stale"], serde_json::json!([]));
    assert_eq!(whole["jobs"]["rank"]["key"], latest(&work, "out", "rank").as_str());
    let pages = &whole["tables"]["pages"];
    assert_eq!(pages["job"], "extract");
    assert_eq!(pages["sorted_by"], serde_json::json!(["url_sortkey", "url", "fetch_time"]));
    assert_eq!(pages["rows"], 60);
    // Nothing was damaged, and the list of what was is a table all the same.
    assert_eq!(
        (&whole["tables"]["rejects"]["rows"], &whole["tables"]["rejects"]["job"]),
        (&0.into(), &"extract".into())
    );
    for (_, table) in whole["tables"].as_object().unwrap() {
        let files = table["files"].as_array().unwrap();
        let (mut rows, mut bytes) = (0, 0);
        for file in files {
            let path = work.path("out").join(file.as_str().unwrap());
            rows += FileFacts::read(&path).unwrap().rows;
            bytes += fs::metadata(&path).unwrap().len();
        }
        assert_eq!((table["rows"].as_u64(), table["bytes"].as_u64()), (Some(rows), Some(bytes)), "{table}");
        let first = work.path("out").join(files[0].as_str().unwrap());
        let columns = TableInWords::read(&first).unwrap().columns;
        let named =
            table["columns"].as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap());
        assert!(named.eq(columns.iter().map(String::as_str)), "{table}");
        assert!(!table["about"].as_str().unwrap().is_empty(), "{table}");
    }

    // Another corpus: graph and ranks are of the first one, until they are made again.
    let said = work.said(&["extract", "b", "--out", "out", "--replace"]);
    assert!(
        said.contains("do not fit") && said.contains("rank (made from graph, which is left out"),
        "{said}"
    );
    let mixed = json(&work.path("out/tables.json"));
    let jobs: Vec<&String> = mixed["jobs"].as_object().unwrap().keys().collect();
    assert_eq!(jobs, ["extract"]);
    assert!(mixed["tables"]["ranks"].is_null() && mixed["tables"]["pages"]["rows"] == 90);
    let stale = mixed["stale"].as_array().unwrap();
    assert_eq!(stale.iter().map(|s| s["job"].as_str().unwrap()).collect::<Vec<_>>(), ["graph", "rank"]);
    let reason = format!("of which the latest is {}", latest(&work, "out", "extract"));
    assert!(stale[0]["reason"].as_str().unwrap().ends_with(&reason), "{stale:?}");
    assert!(fs::read_to_string(work.path("out/webmill.sql")).unwrap().contains("-- Left out: graph "));
    work.run(&["graph", "out"]);
    let said = work.said(&["rank", "out"]);
    assert!(!said.contains("do not fit"), "{said}");
    assert_eq!(json(&work.path("out/tables.json"))["stale"], serde_json::json!([]));
    // Back to the first corpus: its results are found, and the catalogue is as it was.
    for arguments in [&["extract", "a", "--out", "out", "--replace"][..], &["graph", "out"], &["rank", "out"]]
    {
        work.run(arguments);
    }
    assert_eq!(json(&work.path("out/tables.json")), whole);
}

#[test]
fn the_catalogue_opens_wherever_the_folder_lies_and_trusts_no_path() {
    let work = two_corpora();
    work.run(&["extract", "a", "--out", "out"]);
    let before = Catalogue::open(&work.path("out"), registry()).unwrap();
    assert!(before.stale().is_empty() && before.warning().is_none());
    fs::rename(work.path("out"), work.path("moved")).unwrap();
    let moved = Catalogue::open(&work.path("moved"), registry()).unwrap();
    assert_eq!(moved.tables().count(), before.tables().count());
    for (table, other) in moved.tables().zip(before.tables()) {
        assert!(
            table.files.iter().all(|file| file.starts_with(work.path("moved")) && file.is_file()),
            "{table:?}"
        );
        assert_eq!((&table.name, table.rows, &table.columns), (&other.name, other.rows, &other.columns));
    }
    assert_eq!(Catalogue::build(&work.path("moved"), registry()).unwrap(), moved);
    // A catalogue that was made elsewhere, by someone: files outside of the folder are not opened.
    let path = work.path("moved/tables.json");
    let text = fs::read_to_string(&path).unwrap();
    for outside in ["../secret.parquet", "/etc/passwd", "extract/../../secret.parquet"] {
        let mut hostile: Value = serde_json::from_str(&text).unwrap();
        hostile["tables"]["pages"]["files"] = serde_json::json!([outside]);
        fs::write(&path, hostile.to_string()).unwrap();
        assert_eq!(Catalogue::open(&work.path("moved"), registry()).unwrap(), moved, "{outside}");
    }
    // One that is broken, of another program, or older than what lies there is made anew.
    let other = text.replace(r#""webmill": ""#, r#""webmill": "0."#);
    assert_ne!(other, text);
    for stale in ["", "{", "[]", &other] {
        fs::write(&path, stale).unwrap();
        assert_eq!(Catalogue::open(&work.path("moved"), registry()).unwrap(), moved, "{stale}");
    }
    fs::write(&path, &text).unwrap();
    work.run(&["extract", "b", "--out", "moved", "--replace"]);
    fs::write(&path, &text).unwrap();
    assert_eq!(Catalogue::open(&work.path("moved"), registry()).unwrap().table("pages").unwrap().rows, 90);
    assert!(
        Catalogue::open(&work.path("a"), registry())
            .unwrap_err()
            .to_string()
            .contains("no results of webmill here")
    );
}

#[test]
fn a_catalogue_that_cannot_be_written_is_a_warning() {
    let work = two_corpora();
    fs::create_dir_all(work.path("out")).unwrap();
    fs::write(work.path("out/webmill.json"), "{\"layout\": 3}").unwrap();
    fs::create_dir_all(work.path("out/tables.json")).unwrap();
    let said = work.said(&["extract", "a", "--out", "out"]);
    assert!(said.contains("warning: tables.json and webmill.sql are not up to date"), "{said}");
    assert_eq!(work.unfinished("out"), Vec::<String>::new());
    assert_eq!(Catalogue::open(&work.path("out"), registry()).unwrap().table("pages").unwrap().rows, 60);
}

#[test]
fn files_are_sorted_as_they_declare() {
    let work = Work::new();
    work.synth("shards", 300, 150_000);
    work.run(&["run", "shards", "--out", "out"]);
    let catalogue = Catalogue::open(&work.path("out"), registry()).unwrap();
    let mut declared = BTreeSet::new();
    for table in catalogue.tables().filter(|table| !table.sorted_by.is_empty()) {
        declared.insert(table.name.as_str());
        for file in &table.files {
            assert_eq!(FileFacts::read(file).unwrap().sorted_by, table.sorted_by, "{}", file.display());
            let words = TableInWords::read(file).unwrap();
            let columns: Vec<Vec<&str>> =
                table.sorted_by.iter().map(|name| words.column(name).collect()).collect();
            let numbers: Vec<bool> = table
                .sorted_by
                .iter()
                .map(|name| {
                    let kind = &table.columns.iter().find(|column| column.name == *name).unwrap().kind;
                    kind != "String"
                })
                .collect();
            let row = |at: usize| -> Vec<(Option<i64>, &str)> {
                columns
                    .iter()
                    .zip(&numbers)
                    .map(|(column, number)| match number {
                        // Nulls come first, as `None` does.
                        true => (column[at].parse().ok(), ""),
                        false => (None, column[at]),
                    })
                    .collect()
            };
            for at in 1..words.rows.len() {
                assert!(row(at - 1) <= row(at), "{}: row {at}", file.display());
            }
        }
    }
    assert!(declared.is_superset(&BTreeSet::from(["arcs", "nodes", "pages", "ranks"])), "{declared:?}");
}

#[test]
fn gc_removes_what_the_latest_results_do_not_need_and_nothing_else() {
    let work = two_corpora();
    work.run(&["extract", "a", "--out", "out"]);
    work.run(&["graph", "out"]);
    work.run(&["keywords", "out"]);
    work.run(&["extract", "b", "--out", "out", "--replace"]);
    work.run(&["keywords", "out"]);
    // The graph is of the first corpus, so its pages are needed; of keywords the first ones are not.
    let state = |job: &str, state: &str| (job.to_owned(), state.to_owned());
    let before = [
        state("extract", "latest"),
        state("extract", "needed"),
        state("graph", "latest"),
        state("keywords", "latest"),
        state("keywords", "unneeded"),
    ];
    assert_eq!(states(&work, "out"), before);
    let lines = listed(&work, "out");
    let needed = lines.iter().find(|line| line["state"] == "needed").unwrap();
    assert_eq!(needed["needed_by"], serde_json::json!(["graph"]));
    let unneeded = lines.iter().find(|line| line["state"] == "unneeded").unwrap();
    let folder = unneeded["folder"].as_str().unwrap().to_owned();
    // A run that was stopped, one that goes on, a list of rejects of a refused run, and a stranger's folder.
    let keys = work.path("out/extract/.keys");
    let (stopped, running) = ("5".repeat(32), "6".repeat(32));
    for key in [&stopped, &running] {
        fs::create_dir_all(keys.join(format!(".{key}.partial/pages"))).unwrap();
        fs::write(keys.join(format!(".{key}.partial/pages/part.parquet")), "half").unwrap();
    }
    let lock = fs::File::create(keys.join(format!(".{running}.lock"))).unwrap();
    lock.lock().unwrap();
    fs::write(work.path(&format!("out/extract/{stopped}.rejects.parquet")), "list").unwrap();
    fs::create_dir_all(work.path("out/mine/latest")).unwrap();
    fs::write(work.path("out/mine/latest/notes.txt"), "mine").unwrap();
    fs::write(work.path("out/notes.txt"), "mine").unwrap();
    let whole = work.committed("out");

    // While a job is running no key goes.
    let said = work.said(&["results", "gc", "out"]);
    assert!(said.contains("a job is running here"), "{said}");
    assert!(work.path("out").join(&folder).is_dir() && !keys.join(format!(".{stopped}.partial")).exists());
    assert!(!work.path(&format!("out/extract/{stopped}.rejects.parquet")).exists());
    assert!(keys.join(format!(".{running}.partial/pages/part.parquet")).exists());
    drop(lock);
    fs::remove_dir_all(keys.join(format!(".{running}.partial"))).unwrap();

    let told = work.run(&["results", "gc", "out", "--dry-run"]);
    let line = format!("{folder}\t{}\n", unneeded["bytes"]);
    assert_eq!(String::from_utf8_lossy(&told.stdout), line);
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(said.contains("1 removed, would free"), "{said}");
    assert!(work.path("out").join(&folder).is_dir());
    let did = work.run(&["results", "gc", "out"]);
    assert_eq!(did.stdout, told.stdout);
    assert!(!work.path("out").join(&folder).exists());
    let mut left = whole;
    left.retain(|path, _| !path.starts_with(&folder) && !path.ends_with(".rejects.parquet"));
    assert_same(&left, &work.committed("out"), "what is needed stays as it is");
    assert_eq!(states(&work, "out"), before[..4]);
    assert_eq!(fs::read_to_string(work.path("out/mine/latest/notes.txt")).unwrap(), "mine");
    // All that is left still runs without being made again.
    let said = work.said(&["keywords", "out"]);
    assert!(said.contains("was done"), "{said}");
    assert_eq!(work.run(&["results", "gc", "out"]).stdout, b"");
    // A folder that is no results is not touched.
    work.fails(&["results", "gc", "a"], 2);
}

#[test]
fn verify_names_what_is_damaged_or_missing() {
    let work = two_corpora();
    work.run(&["extract", "a", "--out", "out"]);
    work.run(&["keywords", "out"]);
    let output = work.run(&["results", "verify", "out"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.stdout.is_empty() && said.contains("all are whole"), "{said}");
    let keywords = work.path("out/keywords/latest/keywords");
    let file = fs::read_dir(keywords).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&file).unwrap();
    // Of the same size, so that only the digest tells.
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let links = work.path("out/extract/latest/links");
    fs::remove_file(fs::read_dir(links).unwrap().next().unwrap().unwrap().path()).unwrap();
    let output = work.webmill(&["results", "verify", "out"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].starts_with("extract/.keys/") && lines[0].ends_with(".parquet: missing"), "{said}");
    assert!(
        lines[1].starts_with("keywords/.keys/") && lines[1].ends_with("not those that were written"),
        "{said}"
    );
    // The catalogue leaves out what cannot be opened, and gc what it cannot judge.
    let output = work.run(&["results", "ls", "out"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("extract (") && said.contains("left out itself"), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("damaged"));
    fs::remove_dir_all(work.path("out/extract/.keys")).unwrap();
    let output = work.webmill(&["results", "verify", "out"]).output().unwrap();
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("extract/latest: leads to no committed results")
    );
}

#[test]
fn copies_without_links_are_results_and_get_links_again() {
    let work = two_corpora();
    work.run(&["extract", "a", "--out", "out"]);
    work.run(&["keywords", "out"]);
    // As archivers copy that follow links.
    assert!(
        std::process::Command::new("cp")
            .arg("-rL")
            .args([work.path("out"), work.path("copy")])
            .status()
            .unwrap()
            .success()
    );
    assert!(work.path("copy/extract/latest").is_dir() && !work.path("copy/extract/latest").is_symlink());
    let state = |job: &str| (job.to_owned(), "latest".to_owned());
    assert_eq!(states(&work, "copy"), [state("extract"), state("keywords")]);
    work.run(&["results", "verify", "copy"]);
    let said = work.said(&["keywords", "copy"]);
    assert!(said.contains("was done"), "{said}");
    assert_eq!(latest(&work, "copy", "keywords"), latest(&work, "out", "keywords"));
    // An object store keeps neither links nor what they name; the catalogue is enough.
    for job in ["extract", "keywords"] {
        let _ = fs::remove_dir_all(work.path("copy").join(job).join("latest"));
        let _ = fs::remove_file(work.path("copy").join(job).join("latest"));
    }
    assert_eq!(Catalogue::open(&work.path("copy"), registry()).unwrap().table("pages").unwrap().rows, 60);
}
