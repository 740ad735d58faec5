//! The death of a writing process: a child of this test is the writer.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::*;
use crate::index::Timestamp;

/// Names the folder and the first number to the child.
const CHILD: &str = "WEBMILL_TEST_STORE_WRITER";

fn open(folder: &Path) -> Store {
    Store::open_with(folder, 30_000).unwrap()
}

fn entry(n: u64) -> Entry<'static> {
    let scattered = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
    Entry {
        urlkey: format!("com,example)/{scattered:06}").into(),
        timestamp: Timestamp(20200101000000 + n % 60),
        offset: n,
        ..Entry::default()
    }
}

/// The child: adds ten entries, deletes the first of them, and says so, until it is killed.
#[test]
fn writer() {
    let Ok(orders) = std::env::var(CHILD) else { return };
    let (first, folder) = orders.split_once(' ').unwrap();
    let store = open(Path::new(folder));
    let mut out = std::io::stdout().lock();
    for n in (first.parse().unwrap()..).step_by(10) {
        let batch: Vec<_> = (n..n + 10).map(entry).collect();
        store.add(&batch).unwrap();
        store.delete([&batch[0]]).unwrap();
        writeln!(out, "done {n}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_killed_writer_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut done: BTreeSet<u64> = BTreeSet::new();
    for round in 0..25u64 {
        let next = done.last().map_or(0, |last| last + 20);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "index::store::crash_tests::writer", "--nocapture"])
            .env(CHILD, format!("{next} {}", folder.path().display()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let reader = std::thread::spawn(move || out.lines().map_while(Result::ok).collect::<Vec<_>>());
        std::thread::sleep(Duration::from_millis(60 + 37 * round % 190));
        child.kill().unwrap();
        child.wait().unwrap();
        // What the harness says has other first words, and the last line may be cut off by the death.
        let lines = reader.join().unwrap();
        let said = lines.iter().filter_map(|line| line.strip_prefix("done ")?.parse::<u64>().ok());
        done.extend(said.filter(|n| n.is_multiple_of(10)));
        let mut found = BTreeSet::new();
        let mut visit = |there: &Entry<'_>| {
            assert_eq!(*there, entry(there.offset), "other than it was added");
            assert!(found.insert(there.offset), "{} is there twice", there.offset);
            ControlFlow::Continue(())
        };
        open(folder.path()).scan(&KeyRange::default(), &mut visit).unwrap();
        for n in &done {
            assert!(!found.contains(n), "{n} was deleted and is back");
            assert!((n + 1..n + 10).all(|n| found.contains(&n)), "a number behind {n} is gone");
        }
    }
    assert!(done.len() > 100, "{}", done.len());
    assert!(open(folder.path()).bytes() > 0, "nothing came from the journal into a table");
}
