//! Faults at every call: what the file system refuses, shortens or delays is success, or an error with a name after which the same
//! command comes to the same bytes; never a panic, never a wrong result.
//!
//! `tests/faults/shim.c` is compiled by the test and loaded before the C library, so that databases, table formats and maps are under
//! it too. A command is run once to count its calls on files of its folder, and then again and again, each time with a fault at
//! another call. Here some calls of each command are tried, the same ones every time; `WEBMILL_FAULTS=all` tries all of them, and a
//! number those from it on, and prints how many came to which end.
//!
//! Reads that change a bit are tried on results, which have digests, not on shards, which may be plain text. Clocks are set two
//! days ahead and behind in the middle.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use webmill::sim::SimConfig;

use crate::archives::Served;
use crate::crawl_support::{self, Dice, answers, write_recipe};
use crate::support::{Work, assert_same, repository};

/// Calls of a command that are tried for each kind of fault, unless all are.
const TRIED: u64 = 24;

/// A kind of faults.
#[derive(Clone, Copy)]
struct Kind {
    /// What the shim calls it.
    name: &'static str,
    /// Whether it lasts from the call on.
    lasts: bool,
    /// Letters of the operations that are counted, as the shim has them; `None`: those of the command.
    operations: Option<&'static str>,
}

const fn kind(name: &'static str, lasts: bool) -> Kind {
    Kind { name, lasts, operations: None }
}

/// The kinds that every command is tried with.
const KINDS: [Kind; 6] = [
    kind("eio", false),
    kind("enospc", true),
    kind("short", false),
    kind("delay", false),
    Kind { operations: Some("c"), ..kind("ahead", false) },
    Kind { operations: Some("c"), ..kind("behind", false) },
];

/// Reads of which a bit is another.
const FLIPS: [Kind; 1] = [Kind { operations: Some("r"), ..kind("flip", false) }];

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

/// Puts a command under a fault at a call; 0: at none.
fn under(command: &mut Command, work: &Work, shim: &Path, at: u64, kind: Kind) {
    let report = work.path("calls");
    let _ = std::fs::remove_file(&report);
    command
        .env("LD_PRELOAD", shim)
        .env("FAULT_UNDER", std::fs::canonicalize(work.path("")).unwrap())
        .env("FAULT_REPORT", &report)
        .env("FAULT_AT", at.to_string())
        .env("FAULT_KIND", kind.name)
        .env("FAULT_LASTS", u8::from(kind.lasts).to_string())
        .env("FAULT_OPS", kind.operations.unwrap_or_default());
}

/// The first call that is tried where all of them are, from it on: `WEBMILL_FAULTS` is `all` or its number.
fn all_from() -> Option<u64> {
    let given = std::env::var("WEBMILL_FAULTS").ok()?;
    if given == "all" { Some(1) } else { given.parse().ok() }
}

/// The calls that are tried of so many.
fn tried(calls: u64, dice: &mut Dice) -> impl Iterator<Item = u64> {
    let step = calls.div_ceil(TRIED).max(1);
    let (first, step) = match all_from() {
        Some(first) => (first, 1),
        None => (1 + dice.below(step), step),
    };
    (first..=calls).step_by(usize::try_from(step).unwrap())
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
    /// The kinds of faults.
    kinds: &'a [Kind],
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

    fn command(&self, shim: &Path, at: u64, kind: Kind) -> Output {
        let mut command = self.work.webmill(self.arguments);
        under(
            &mut command,
            self.work,
            shim,
            at,
            Kind { operations: kind.operations.or(Some(self.operations)), ..kind },
        );
        command.output().unwrap()
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
        self.clear();
        self.work.run(self.arguments);
        let expected = (self.result)();
        let mut dice = Dice(7);
        for &kind in self.kinds {
            self.clear();
            let whole = self.command(shim, 0, kind);
            assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
            assert_same(&expected, &(self.result)(), "under the shim");
            let (calls, _) = self.calls();
            assert!(calls >= 20 || kind.operations == Some("c"), "{}: {calls} calls", self.name);
            let mut ends = Ends::default();
            for at in tried(calls, &mut dice) {
                self.try_one(shim, at, kind, &expected, &mut ends);
            }
            println!(
                "{}: {} of {calls} calls, {}{}: {} succeeded, {} failed with a name and went on",
                self.name,
                ends.succeeded + ends.failed,
                kind.name,
                if kind.lasts { " from there on" } else { "" },
                ends.succeeded,
                ends.failed
            );
        }
    }

    fn try_one(
        &self,
        shim: &Path,
        at: u64,
        kind: Kind,
        expected: &BTreeMap<String, Vec<u8>>,
        ends: &mut Ends,
    ) {
        self.clear();
        let ended = self.command(shim, at, kind);
        let (_, what) = self.calls();
        let said = String::from_utf8_lossy(&ended.stderr);
        let mut about =
            format!("{}: {} at call {at} ({what}): {:?}", self.name, kind.name, ended.status.code());
        let _ = write!(about, "\n{said}");
        assert!(!said.contains("panicked") && ended.status.code().is_some_and(|code| code < 100), "{about}");
        // A list of tables that leaves some out says which jobs are to be run again, or that it is of before.
        let is_warned =
            ["run these jobs again", "are not up to date"].iter().any(|words| said.contains(words));
        if ended.status.success() && !is_warned {
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
        // A file that is read back for its digest, and differently, is damaged to whoever uses it next, and is made anew.
        let found = (self.result)();
        let is_manifest = |path: &String| path.ends_with("/manifest.json");
        let differs =
            |(path, bytes): (&String, &Vec<u8>)| is_manifest(path) && found.get(path) != Some(bytes);
        if kind.name == "flip" && expected.iter().any(differs) {
            let again =
                self.work.webmill(&["run", "shards", "--out", "out", "--threads", "1"]).output().unwrap();
            assert!(again.status.success(), "{about}\n{}", String::from_utf8_lossy(&again.stderr));
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
        kinds: &KINDS,
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
    let trial = Trial {
        name: "run",
        work: &work,
        arguments,
        out: "out",
        operations: "orwsnultmd",
        kinds: &KINDS,
        result: &result,
    };
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
        kinds: &KINDS,
        result: &result,
    };
    trial.run();
}

#[test]
fn a_crawl_under_faults() {
    let served = crawl_support::Served::new(SimConfig::plain(24, 3, 71));
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
        kinds: &KINDS,
        result: &result,
    };
    trial.run();
}

#[test]
fn jobs_over_results_with_flipped_reads() {
    let work = Work::new();
    work.synth("shards", 30, 40_000);
    work.run(&["run", "shards", "--out", "out", "--threads", "1"]);
    let result = || work.committed("out");
    for job in ["graph", "rank", "dedup", "keywords"] {
        let arguments = &[job, "out", "--threads", "1"];
        let out = format!("out/{job}");
        let trial = Trial {
            name: job,
            work: &work,
            arguments,
            out: &out,
            operations: "r",
            kinds: &FLIPS,
            result: &result,
        };
        trial.run();
    }
}

/// The query and its answer.
const ASKED: &str =
    "SELECT texts.url, texts.title, texts.num_words FROM texts JOIN pages USING (url_key) ORDER BY 1, 2, 3";

#[test]
fn queries_with_flipped_reads() {
    let Some(shim) = shim() else { return };
    let work = Work::new();
    work.synth("shards", 30, 40_000);
    work.run(&["run", "shards", "--out", "out", "--threads", "1"]);
    let query = |at| {
        let mut command = work.webmill(&["query", "out", ASKED, "--format", "csv"]);
        under(&mut command, &work, shim, at, FLIPS[0]);
        command.output().unwrap()
    };
    let expected = query(0);
    assert!(expected.status.success(), "{}", String::from_utf8_lossy(&expected.stderr));
    let report = std::fs::read_to_string(work.path("calls")).unwrap();
    let calls: u64 = report.split(' ').next().unwrap().parse().unwrap();
    let (mut succeeded, mut failed) = (0, 0);
    for at in tried(calls, &mut Dice(7)) {
        let found = query(at);
        let said = String::from_utf8_lossy(&found.stderr);
        let call = std::fs::read_to_string(work.path("calls")).unwrap_or_default();
        assert!(
            !said.contains("panicked") && found.status.code().is_some_and(|code| code < 100),
            "{call}: {said}"
        );
        match found.status.success() {
            true => assert!(found.stdout == expected.stdout, "{call}: another answer\n{said}"),
            false => assert!(!said.trim().is_empty(), "{call}"),
        }
        if found.status.success() { succeeded += 1 } else { failed += 1 }
    }
    println!(
        "query: {} of {calls} calls, flip: {succeeded} succeeded, {failed} failed with a name",
        succeeded + failed
    );
}

#[test]
fn a_server_under_faults() {
    let Some(shim) = shim() else { return };
    let work = Work::new();
    work.write_pages(
        "shards",
        &[("http://a.example/".into(), "<p>one".into()), ("http://a.example/2".into(), "<p>two".into())],
    );
    const LINE: &str =
        "example,a)/3 20200101000000 http://a.example/3 text/html 200 AAAA - - 10 0 other.warc";
    let paths = [
        "/shards/cdx?url=a.example/&matchType=host",
        "/shards/2026id_/http://a.example/",
        "/shards/2026mp_/http://a.example/2",
        "/",
    ];
    let index = work.path("index");
    let start = |at, kind| {
        let _ = std::fs::remove_dir_all(&index);
        let mut command =
            work.webmill(&["serve", "shards", "--listen", "127.0.0.1:0", "--index", "index", "--writable"]);
        under(&mut command, &work, shim, at, kind);
        Served::of(&mut command)
    };
    let ask = |served: &Served| {
        let mut answers: Vec<(u16, Vec<u8>)> = Vec::new();
        for path in paths {
            let (status, _, body) = served.get(path);
            answers.push((status, without_port(&body, served)));
        }
        answers
    };
    for kind in KINDS {
        let kind = Kind { operations: kind.operations.or(Some("orwsnultmd")), ..kind };
        let served = start(0, kind).unwrap();
        let expected = ask(&served);
        assert!(expected.iter().all(|(status, _)| *status == 200), "{expected:?}");
        assert_eq!(served.post("/shards", LINE), 200);
        served.stop();
        let report = std::fs::read_to_string(work.path("calls")).unwrap();
        let calls: u64 = report.split(' ').next().unwrap().parse().unwrap();
        let (mut answered, mut refused, mut not_begun) = (0, 0, 0);
        for at in tried(calls, &mut Dice(7)) {
            let Ok(served) = start(at, kind) else {
                not_begun += 1;
                continue;
            };
            for ((status, body), expected) in ask(&served).into_iter().zip(&expected) {
                match status {
                    200 => assert!(body == expected.1, "{} at {at}: another answer", kind.name),
                    _ => refused += 1,
                }
                assert!(status == 200 || (400..=503).contains(&status), "{} at {at}: {status}", kind.name);
                answered += 1;
            }
            let added = served.post("/shards", LINE) == 200;
            served.stop();
            // What was said to be added is there when the server comes again.
            let mut command = work.webmill(&[
                "serve",
                "shards",
                "--listen",
                "127.0.0.1:0",
                "--index",
                "index",
                "--writable",
            ]);
            let again = Served::of(&mut command).unwrap();
            let (status, _, body) = again.get("/shards/cdx?url=a.example/3");
            let there = status == 200 && String::from_utf8_lossy(&body).contains("http://a.example/3");
            assert!(there || !added, "{} at {at}: added and gone", kind.name);
        }
        println!(
            "serve: of {calls} calls, {}: {answered} answers, {refused} of them errors; {not_begun} times not begun",
            kind.name
        );
    }
}

/// A body without the server's port, which is another each time.
fn without_port(body: &[u8], served: &Served) -> Vec<u8> {
    String::from_utf8_lossy(body).replace(served.address(), "HOST").into_bytes()
}
