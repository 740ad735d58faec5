//! Bits that rot: a changed bit in a table is an error that names the file, or changes no answer; and `run` makes such results anew.

use std::path::PathBuf;

use crate::crawl_support::Dice;
use crate::support::{Work, assert_same, files_below};

/// Parquet files of committed results.
fn tables(work: &Work, out: &str) -> Vec<PathBuf> {
    let mut files = files_below(&work.path(out));
    // Results alone: the units that are kept for additions have other tests.
    let is_kept = |path: &PathBuf| path.components().any(|part| part.as_os_str() == ".units");
    files.retain(|path| path.extension().is_some_and(|e| e == "parquet") && !is_kept(path));
    files.sort();
    files
}

#[test]
fn a_changed_bit_gives_no_other_answer() {
    let work = Work::new();
    work.synth("shards", 60, u64::MAX);
    work.run(&["extract", "shards", "--out", "out"]);
    let query = ["query", "out", "SELECT * FROM pages ORDER BY url, warc_record_offset", "--format", "json"];
    let answer = work.output(&query);
    let file =
        tables(&work, "out").into_iter().find(|path| path.to_string_lossy().contains("/pages/")).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let mut dice = Dice(4711);
    let mut refused = 0;
    for _ in 0..60 {
        let mut bytes = whole.clone();
        let at = usize::try_from(dice.below(bytes.len() as u64)).unwrap();
        bytes[at] ^= 1 << dice.below(8);
        std::fs::write(&file, bytes).unwrap();
        let asked = work.webmill(&query).output().unwrap();
        if asked.status.success() {
            assert_eq!(String::from_utf8(asked.stdout).unwrap(), answer, "byte {at} was changed in silence");
        } else {
            let said = String::from_utf8_lossy(&asked.stderr);
            assert!(said.contains("part-000000.parquet") && !said.contains("panicked"), "byte {at}: {said}");
            refused += 1;
        }
    }
    assert!(refused >= 30, "{refused} of 60");
}

#[test]
fn run_makes_damaged_results_anew_and_says_so() {
    let work = Work::new();
    work.synth("shards", 40, u64::MAX);
    work.run(&["run", "shards", "--out", "out"]);
    let expected = work.committed("out");
    for (name, job) in [("/texts/", "extract"), ("/ranks/", "rank")] {
        let file =
            tables(&work, "out").into_iter().find(|path| path.to_string_lossy().contains(name)).unwrap();
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[40] ^= 4;
        std::fs::write(&file, bytes).unwrap();
        let said = work.said(&["run", "shards", "--out", "out"]);
        let told = format!("{job}: 1 of ");
        assert!(said.contains(&told) && said.contains("made anew"), "{said}");
        assert_same(&expected, &work.committed("out"), name);
    }
}
