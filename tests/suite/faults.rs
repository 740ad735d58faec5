//! Faults at every call: what the file system refuses, shortens or delays is success, or an error with a name after which the same
//! command comes to the same bytes; never a panic, never a wrong result.
//!
//! `tests/faults/shim.c` is compiled by the test and loaded before the C library, so that databases, table formats and maps are under
//! it too. A command is run once to count its calls on files of its folder, and then again and again, each time with a fault at
//! another call. Here some calls of each command are tried, the same ones every time; `WEBMILL_FAULTS=all` tries all of them and prints
//! how many came to which end.
//!
//! Faults of reads that change bits are not among them: what guards results against these is tried in `tests/suite/tampered.rs`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use webmill::sim::SimConfig;

use crate::crawl_support::{Dice, Served, answers, write_recipe};
use crate::support::{Work, assert_same, repository};

/// Calls of a command that are tried for each kind of fault, unless all are.
const TRIED: u64 = 24;

/// The kinds of faults: what they are called, and whether they last.
const KINDS: [(&str, bool); 4] = [("eio", false), ("enospc", true), ("short", false), ("delay", false)];

/// The shim, compiled once; `None` where this system has no use for it.
fn shim() -> Option<&'static Path> {
    static MADE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        if !cfg!(target_os = "linux") {
            webmill_evaluation::skip("faults: LD_PRELOAD is of Linux");
            return None;
        }
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults.so");
        let source = repository("tests/faults/shim.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&library, &source])
            .arg("-ldl")
            .output();
        match built {
            Ok(built) if built.status.success() => Some(library),
            Ok(built) => panic!("the shim: {}", String::from_utf8_lossy(&built.stderr)),
            Err(error) => {
                webmill_evaluation::skip(&format!("faults: no C compiler here ({error})"));
                None
            }
        }
    };
    MADE.get_or_init(make).as_deref()
}

/// A command under faults.
struct Trial<'a> {
    name: &'static str,
    work: &'a Work,
    arguments: &'a [&'a str],
    /// What it writes, to be cleared away before each run.
    out: &'a str,
    /// Letters of the operations that are counted, as the shim has them.
    operations: &'static str,
    /// What it came to, to be compared.
    result: &'a dyn Fn() -> BTreeMap<String, Vec<u8>>,
}

/// How runs ended, by kind of fault.
#[derive(Default)]
struct Ends {
    succeeded: u64,
    failed: u64,
}

impl Trial<'_> {
    fn clear(&self) {
        let path = self.work.path(self.out);
        let gone = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        if path.exists() {
            gone.unwrap();
        }
    }

    fn command(&self, shim: &Path, at: u64, (kind, lasts): (&str, bool)) -> Output {
        let report = self.work.path("calls");
        let _ = std::fs::remove_file(&report);
        self.work
            .webmill(self.arguments)
            .env("LD_PRELOAD", shim)
            .env("FAULT_UNDER", std::fs::canonicalize(self.work.path("")).unwrap())
            .env("FAULT_REPORT", &report)
            .env("FAULT_AT", at.to_string())
            .env("FAULT_KIND", kind)
            .env("FAULT_LASTS", u8::from(lasts).to_string())
            .env("FAULT_OPS", self.operations)
            .output()
            .unwrap()
    }

    /// The most calls that a process of the last run made, and what the call with the fault was.
    fn calls(&self) -> (u64, String) {
        let report = std::fs::read_to_string(self.work.path("calls")).unwrap_or_default();
        let lines = report.lines().filter_map(|line| line.split_once(' '));
        let lines = lines.filter_map(|(n, what)| Some((n.parse().ok()?, what.to_owned())));
        lines.max_by_key(|(n, what)| (!what.is_empty(), *n)).unwrap_or_default()
    }

    /// Runs it with faults at this and that call.
    fn run(&self) {
        let Some(shim) = shim() else { return };
        let all = std::env::var("WEBMILL_FAULTS").is_ok_and(|value| value == "all");
        self.clear();
        self.work.run(self.arguments);
        let expected = (self.result)();
        self.clear();
        let whole = self.command(shim, 0, ("", false));
        assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
        assert_same(&expected, &(self.result)(), "under the shim");
        let (calls, _) = self.calls();
        assert!(calls >= 20, "{}: {calls} calls", self.name);
        let mut dice = Dice(calls);
        for kind in KINDS {
            let mut ends = Ends::default();
            let step = if all { 1 } else { calls.div_ceil(TRIED) };
            let first = 1 + if all { 0 } else { dice.below(step) };
            for at in (first..=calls).step_by(usize::try_from(step).unwrap()) {
                self.try_one(shim, at, kind, &expected, &mut ends);
            }
            println!(
                "{}: {} of {calls} calls, {}{}: {} succeeded, {} failed with a name and went on",
                self.name,
                ends.succeeded + ends.failed,
                kind.0,
                if kind.1 { " from there on" } else { "" },
                ends.succeeded,
                ends.failed
            );
        }
    }

    fn try_one(
        &self,
        shim: &Path,
        at: u64,
        kind: (&str, bool),
        expected: &BTreeMap<String, Vec<u8>>,
        ends: &mut Ends,
    ) {
        self.clear();
        let ended = self.command(shim, at, kind);
        let (_, what) = self.calls();
        let said = String::from_utf8_lossy(&ended.stderr);
        let mut about = format!("{}: {} at call {at} ({what}): {:?}", self.name, kind.0, ended.status.code());
        let _ = write!(about, "\n{said}");
        assert!(!said.contains("panicked") && ended.status.code().is_some_and(|code| code < 100), "{about}");
        // A list of tables that leaves some out says which jobs are to be run again.
        if ended.status.success() && !said.contains("run these jobs again") {
            ends.succeeded += 1;
        } else {
            ends.failed += 1;
            assert!(!said.trim().is_empty(), "{about}");
            let again = self.work.webmill(self.arguments).output().unwrap();
            let said = String::from_utf8_lossy(&again.stderr);
            // What was renamed to its final name is whole, though the sync after that failed: it is refused to be written over.
            let is_there = said.contains("is not empty; choose a new or empty folder");
            assert!(again.status.success() || is_there, "{about}\nand the same command afterwards: {said}");
        }
        assert_same(expected, &(self.result)(), &about);
    }
}

#[test]
fn an_index_under_faults() {
    let work = Work::new();
    work.synth("shards", 40, 40_000);
    let result = || BTreeMap::from([("index".to_owned(), std::fs::read(work.path("new.cdxj")).unwrap())]);
    let arguments = &["index", "shards", "--out", "new.cdxj", "--threads", "1"];
    let trial = Trial {
        name: "index",
        work: &work,
        arguments,
        out: "new.cdxj",
        operations: "orwsnultmd",
        result: &result,
    };
    trial.run();
}

#[test]
fn a_run_under_faults() {
    let work = Work::new();
    work.synth("shards", 30, 40_000);
    let result = || work.committed("out");
    let arguments = &["run", "shards", "--out", "out", "--threads", "1"];
    let trial =
        Trial { name: "run", work: &work, arguments, out: "out", operations: "orwsnultmd", result: &result };
    trial.run();
}

#[test]
fn a_copy_without_duplicates_under_faults() {
    let work = Work::new();
    work.synth("shards", 40, 40_000);
    work.run(&["run", "shards", "--out", "out"]);
    let result = || work.committed("clean");
    let arguments = &["dedup", "apply", "out", "--out", "clean"];
    let trial = Trial {
        name: "dedup apply",
        work: &work,
        arguments,
        out: "clean",
        operations: "orwsnultmd",
        result: &result,
    };
    trial.run();
}

#[test]
fn a_crawl_under_faults() {
    let served = Served::new(SimConfig::plain(24, 3, 71));
    let work = Work::new();
    write_recipe(&work.path("recipe.toml"), &served.options());
    std::fs::write(work.path("seeds.txt"), served.sim.seeds().collect::<Vec<_>>().join("\n")).unwrap();
    let result = || {
        let mut stored: Vec<String> =
            answers(&work.path("crawl")).iter().map(|page| page.url.clone()).collect();
        stored.sort();
        BTreeMap::from([("pages".to_owned(), stored.join("\n").into_bytes())])
    };
    let arguments =
        &["crawl", "--recipe", "recipe.toml", "--seeds", "seeds.txt", "--out", "crawl", "--threads", "1"];
    // Reads and maps of the frontier are those of its engine: a read that fails there is damage, and what was built is built again.
    let trial = Trial {
        name: "crawl",
        work: &work,
        arguments,
        out: "crawl",
        operations: "orwsnultd",
        result: &result,
    };
    trial.run();
}
