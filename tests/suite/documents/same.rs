//! Equal input gives equal bytes of all tables: on any number of threads, whatever documents came before in which child, and
//! after a death in the middle; no child outlives the program.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::files::gold;
use super::{Answer, answer, hostile, paper, recipe, write};
use crate::support::{Work, assert_same};

/// Documents and pages, of which some crash or eat memory where the program is told to obey.
fn corpus() -> Vec<Answer> {
    let mut all = hostile::all();
    // What takes long on one thread is left to its own test.
    all.retain(|answer| !answer.url.ends_with("/pages.pdf") && !answer.url.ends_with("/fonts.pdf"));
    for (number, word) in ["crash", "eat", "panic", "crash"].into_iter().enumerate() {
        let bytes = hostile::obedient(word);
        let at = (number + 1) * all.len() / 6;
        all.insert(at, answer(&format!("http://a.example/obey/{number}.pdf"), "application/pdf", bytes));
    }
    all
}

/// Several parts, so that threads share them out.
const PARTS: &str = "part_bytes = 200000\nmax_unread = 1.0";

#[test]
fn threads_change_no_byte() {
    let work = Work::new();
    write(&work, "shards", &corpus());
    let recipe = recipe(&work, "parts", PARTS);
    for threads in ["1", "2"] {
        let mut command =
            work.webmill(&["run", "shards", "--out", threads, "--threads", threads, "--recipe", &recipe]);
        let output = command.env("WEBMILL_TEST_DOCUMENTS", "please:").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let one = work.committed("1");
    assert!(one.keys().any(|name| name.contains("extract") && name.contains("/media/")), "{:?}", one.keys());
    assert_same(&one, &work.committed("2"), "2 threads");
}

#[test]
fn a_death_in_the_middle_resumes_to_equal_bytes() {
    let work = Work::new();
    let papers = (0..40).map(|n| {
        let bytes = if n % 8 == 0 { gold("office-05-en.doc") } else { paper("A Paper", n) };
        answer(&format!("http://a.example/{n}.pdf"), "application/pdf", bytes)
    });
    write(&work, "shards", &papers.collect::<Vec<_>>());
    let recipe = recipe(&work, "parts", "part_bytes = 20000");
    let extract =
        |out: &str| work.webmill(&["extract", "shards", "--out", out, "--threads", "1", "--recipe", &recipe]);
    assert!(extract("whole").output().unwrap().status.success());
    for point in ["unit-written", "receipt-renamed", "manifest-written"] {
        assert!(!extract(point).env("WEBMILL_CRASH_AT", point).output().unwrap().status.success());
        assert!(extract(point).output().unwrap().status.success());
        assert_same(&work.committed("whole"), &work.committed(point), point);
    }
}

/// Processes whose working folder is this one, and which read documents: their numbers.
fn children(folder: &Path) -> Vec<u32> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let reads = |process: &u32| {
        let arguments = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let here = std::fs::read_link(format!("/proc/{process}/cwd")).is_ok_and(|cwd| cwd == folder);
        here && memchr::memmem::find(&arguments, b"read-documents").is_some()
    };
    numbers.filter(reads).collect()
}

#[test]
fn killed_it_takes_its_children_along_and_goes_on() {
    if !cfg!(target_os = "linux") {
        webmill_evaluation::skip("processes are looked for in /proc");
        return;
    }
    let work = Work::new();
    let mut answers: Vec<Answer> = (0..6)
        .map(|n| answer(&format!("http://a.example/{n}.pdf"), "application/pdf", paper("A Paper", n)))
        .collect();
    answers.push(answer("http://a.example/hang.pdf", "application/pdf", hostile::obedient("hang")));
    write(&work, "shards", &answers);
    let folder = work.path("").canonicalize().unwrap();
    let arguments = ["extract", "shards", "--out", "out", "--threads", "1"];
    let mut run = work
        .webmill(&arguments)
        .env("WEBMILL_TEST_DOCUMENTS", "please:")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let wait = |what: &str, until: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !until() {
            assert!(began.elapsed() < Duration::from_secs(30), "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait("no child was started", &|| !children(&folder).is_empty());
    run.kill().unwrap();
    run.wait().unwrap();
    wait("a child outlives the program", &|| children(&folder).is_empty());
    // The same command, not told to obey.
    work.run(&arguments);
    work.run(&["extract", "shards", "--out", "fresh"]);
    assert_same(&work.committed("fresh"), &work.committed("out"), "resumed");
    wait("a child outlives a run", &|| children(&folder).is_empty());
}
