//! The death of a writing process: a child of this test is the writer.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::*;
use crate::index::Timestamp;

/// Names the folder and the first number to the child.
const CHILD: &str = "WEBMILL_TEST_STORE_WRITER";
const SHARDS: u64 = 7;

fn open(folder: &Path) -> Store {
    Store::open_with(folder, 30_000).unwrap()
}

fn entry(n: u64) -> Entry<'static> {
    let scattered = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
    Entry {
        urlkey: format!("com,example)/{scattered:06}").into(),
        timestamp: Timestamp(20200101000000 + n / 60 % 60 * 100 + n % 60),
        url: format!("http://example.com/{scattered:06}").into(),
        digest: format!("sha1-of-{n}").into(),
        offset: n,
        filename: format!("{}.warc.gz", n % SHARDS).into(),
        ..Entry::default()
    }
}

/// What is deleted after the addition that ends before `n`.
fn deleted(n: u64) -> Option<u64> {
    n.is_multiple_of(3).then_some(n / 2)
}

fn numbers(store: &Store) -> BTreeMap<u64, u64> {
    let mut all = BTreeMap::new();
    let mut visit = |found: &Entry<'_>| {
        assert_eq!(*found, entry(found.offset), "other than it was added");
        *all.entry(found.offset).or_default() += 1;
        ControlFlow::Continue(())
    };
    store.scan(&KeyRange::default(), &mut visit).unwrap();
    all
}

/// The child: adds and deletes, and says what was acknowledged, until it is killed.
#[test]
fn writer() {
    let Ok(orders) = std::env::var(CHILD) else { return };
    let (first, folder) = orders.split_once(' ').unwrap();
    let store = open(Path::new(folder));
    let mut out = std::io::stdout().lock();
    let mut n: u64 = first.parse().unwrap();
    loop {
        let batch: Vec<_> = (n..n + n % 13 + 1).map(entry).collect();
        writeln!(out, "begin {n} {}", batch.len()).unwrap();
        out.flush().unwrap();
        store.add(&batch).unwrap();
        n += batch.len() as u64;
        writeln!(out, "added {n}").unwrap();
        out.flush().unwrap();
        if let Some(gone) = deleted(n) {
            writeln!(out, "deleting {gone}").unwrap();
            out.flush().unwrap();
            store.delete([&entry(gone)]).unwrap();
            writeln!(out, "deleted {gone}").unwrap();
            out.flush().unwrap();
        }
    }
}

fn spawn(folder: &Path, first: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::crash_tests::writer"])
        .env(CHILD, format!("{first} {}", folder.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What the parent knows of the store's content.
#[derive(Default)]
struct Known {
    /// Numbers that must be there, may be there, and must not.
    sure: BTreeSet<u64>,
    open: BTreeSet<u64>,
    begun: u64,
}

impl Known {
    fn learn(&mut self, line: &str) {
        let mut words = line.split(' ');
        let what = words.next().unwrap_or_default();
        // The last line may be cut off by the death.
        let Some(n) = words.next().and_then(|n| n.parse::<u64>().ok()) else { return };
        match what {
            "begin" => {
                let Some(count) = words.next().and_then(|count| count.parse::<u64>().ok()) else { return };
                self.open.extend(n..n + count);
                self.begun = n + count;
            }
            "added" => {
                let added = self.open.iter().copied().filter(|&number| number < n && number + 20 > n);
                let added: Vec<u64> = added.collect();
                self.open.retain(|number| !added.contains(number));
                self.sure.extend(added);
            }
            "deleting" => {
                self.sure.remove(&n);
                self.open.insert(n);
            }
            "deleted" => {
                self.open.remove(&n);
            }
            _ => {}
        }
    }

    /// Settles what was open by what is there.
    fn check(&mut self, found: &BTreeMap<u64, u64>) {
        for n in &self.sure {
            assert!(found.contains_key(n), "{n} was acknowledged and is gone");
        }
        for (n, times) in found {
            assert_eq!(*times, 1);
            assert!(self.sure.contains(n) || self.open.contains(n), "{n} was deleted and is back");
        }
        self.open.clear();
        self.sure = found.keys().copied().collect();
    }
}

#[test]
fn a_killed_writer_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut known = Known::default();
    let (mut rounds_with_tables, mut acknowledged) = (0, 0);
    for round in 0..25u64 {
        let mut child = spawn(folder.path(), known.begun);
        let out = BufReader::new(child.stdout.take().unwrap());
        let reader = std::thread::spawn(move || out.lines().map_while(Result::ok).collect::<Vec<_>>());
        std::thread::sleep(Duration::from_millis(60 + 37 * round % 190));
        if child.try_wait().unwrap().is_some() {
            let said = child.wait_with_output().unwrap();
            // The harness of the child keeps what it says of its death for its standard output.
            let told = reader.join().unwrap().join("\n");
            panic!("the writer stopped by itself: {}{told}", String::from_utf8_lossy(&said.stderr));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let lines = reader.join().unwrap();
        // What the test harness says has other first words.
        lines.iter().for_each(|line| known.learn(line));
        acknowledged += lines.iter().filter(|line| line.starts_with("added")).count();
        let store = open(folder.path());
        known.check(&numbers(&store));
        rounds_with_tables += usize::from(store.bytes() > 0);
    }
    assert!(acknowledged > 100, "{acknowledged}");
    assert!(rounds_with_tables > 3, "{rounds_with_tables}");
}
