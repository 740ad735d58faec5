//! Equal input gives equal bytes on any number of threads and with any memory; other shardings give the same rows.

use std::collections::BTreeMap;

use crate::support::{Work, assert_same};

#[test]
fn threads_and_memory_change_no_byte() {
    let work = Work::new();
    work.synth("shards", 1500, 1 << 20);
    // Several files a table: more than two threads share out their rows too.
    let run = |out: &str, more: &[&str]| {
        let common = ["run", "shards", "--out", out, "--set", "extract.file_rows=300"];
        work.run(&[&common[..], more].concat());
    };
    run("one", &["--threads", "1"]);
    run("two", &["--threads", "2", "--memory", "256MiB"]);
    run("sixteen", &["--threads", "16"]);
    // On more than one processor this runs several jobs at a time.
    run("all", &[]);
    let one = work.committed("one");
    assert!(one.len() > 15, "{:?}", one.keys());
    assert_same(&one, &work.committed("two"), "2 threads");
    assert_same(&one, &work.committed("sixteen"), "16 threads");
    assert_same(&one, &work.committed("all"), "all threads");
}

#[test]
fn one_shard_or_many_give_the_same_rows() {
    let work = Work::new();
    work.synth("one", 800, u64::MAX);
    work.synth("many", 800, 200_000);
    std::fs::write(work.path("mill.toml"), "[extract]\ntemplate_pages = 10\n").unwrap();
    work.run(&["run", "one", "--out", "out-one", "--recipe", "mill.toml"]);
    work.run(&["run", "many", "--out", "out-many", "--recipe", "mill.toml"]);
    for (job, table) in [
        ("extract", "pages"),
        ("extract", "links"),
        ("extract", "texts"),
        ("extract", "templates"),
        ("keywords", "keywords"),
        ("graph", "nodes"),
        ("graph", "arcs"),
        ("rank", "ranks"),
        ("shape", "degrees"),
        ("shape", "components"),
        ("dedup", "duplicates"),
        ("dedup", "clusters"),
        ("report", "hosts"),
    ] {
        let (a, b) = (rows(&work, "out-one", job, table), rows(&work, "out-many", job, table));
        assert!(!a.is_empty(), "{table} is empty");
        assert_eq!(a, b, "{job}/{table}");
    }
}

/// Rows of a table as text with their number, provenance left out.
fn rows(work: &Work, out: &str, job: &str, table: &str) -> BTreeMap<String, usize> {
    let table = work.words(out, job, table);
    let kept = |at: &usize| !table.columns[*at].starts_with("warc_");
    let mut rows = BTreeMap::new();
    for row in &table.rows {
        let cells: Vec<&str> = (0..row.len()).filter(kept).map(|at| row[at].as_str()).collect();
        *rows.entry(cells.join("|")).or_default() += 1;
    }
    rows
}
