//! The notebooks: their committed outputs are those of the demonstration, and they run on corpora that have little or nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::readers::one_page;
use crate::support::{Work, repository, tool};

/// The Python that `make tools` installs what the notebooks need into.
fn python() -> Option<PathBuf> {
    let path = tool("notebooks", "python")?;
    let compiled = ["_webmill.abi3.so", "_webmill.pyd"];
    if !compiled.iter().any(|name| repository("python/webmill").join(name).exists()) {
        webmill_evaluation::skip(
            "no compiled part of the Python package for the notebooks: run `make tools`",
        );
        return None;
    }
    Some(path)
}

/// Runs all notebooks, two at a time; what they complain of is in the message.
fn regenerate(python: &Path, work: &Work, results: &str, more: &[&str]) {
    let output = Command::new(python)
        .arg(repository("notebooks/regenerate.py"))
        .arg("--results")
        .arg(work.path(results))
        .args(more)
        .args(["--jobs", "2", "--timeout", "60"])
        .current_dir(work.path("."))
        .env("PYTHONPATH", repository("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{results}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn notebooks_say_of_the_demonstration_what_is_committed() {
    let Some(python) = python() else { return };
    let work = Work::with_demo();
    regenerate(&python, &work, "demo/results", &["--check"]);
}

#[test]
fn notebooks_run_on_an_empty_corpus_on_one_page_and_on_pages_of_all_kinds() {
    let Some(python) = python() else { return };
    let work = Work::new();
    let record = "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n\
                  WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000002>\r\n\
                  Content-Type: application/warc-fields\r\nContent-Length: 16\r\n\r\nsoftware: none\r\n\r\n\r\n";
    std::fs::write(work.path("empty.warc"), record).unwrap();
    one_page(&work.path("one.warc"));
    let pages = repository("tests/pages");
    let pages = pages.to_str().unwrap();
    work.run(&["datasets", "pack", pages, "--site", "https://pages.example/", "--out", "packed"]);
    for (archive, results) in [("empty.warc", "empty"), ("one.warc", "one"), ("packed", "pages")] {
        work.run(&["run", archive, "--out", results]);
        let written = format!("of-{results}");
        regenerate(&python, &work, results, &["--archive", archive, "--out", &written]);
        let notebooks = std::fs::read_dir(work.path(&written)).unwrap().count();
        assert_eq!(notebooks, 7, "{results}");
    }
}
