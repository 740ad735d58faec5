//! The Python package: its own tests, on the compiled part that `make tools` puts into it, against this binary.

use std::process::Command;

use crate::support::{Work, repository, tool};

/// The tests of Spark, which have a Python of their own.
const OF_SPARK: &str = "python/tests/test_spark.py";

#[test]
fn the_package_passes_its_own_tests() {
    let ignored = format!("--ignore={OF_SPARK}");
    pass("python", &["python/tests", &ignored]);
}

#[test]
fn spark_gives_the_answers_of_one_machine() {
    pass("spark", &[OF_SPARK]);
}

/// Runs tests with the Python that `make tools` has put into `target/ENVIRONMENT`.
fn pass(environment: &str, tests: &[&str]) {
    let Some(python) = tool(environment, "python") else { return };
    let output = Command::new(python)
        .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--import-mode=importlib"])
        .args(tests)
        .current_dir(repository("."))
        .env("PYTHONPATH", repository("python"))
        .env("WEBMILL_BINARY", env!("CARGO_BIN_EXE_webmill"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    for line in said.lines().filter(|line| line.starts_with("SKIPPED")) {
        webmill_evaluation::skip(&format!("python/tests: {line}"));
    }
}

/// With the oldest polars that the package says it works with, and nothing else. `make wheel` tries the wheel itself.
#[test]
fn a_clean_environment_is_enough() {
    let Some(python) = tool("clean", "python") else { return };
    if !repository("python/webmill/_webmill.abi3.so").exists() {
        webmill_evaluation::skip("no compiled part of the Python package: run `make tools`");
        return;
    }
    let work = Work::with_demo();
    let output = Command::new(python)
        .arg(repository("python/tests/clean.py"))
        .arg(work.path("demo"))
        .env("PYTHONPATH", repository("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_package_asks_for_no_older_interpreter_than_it_is_built_for() {
    let read = |name: &str| std::fs::read_to_string(repository(name)).unwrap();
    assert!(read("pyproject.toml").contains("requires-python = \">=3.10\""));
    assert!(read("Cargo.toml").contains("\"abi3-py310\""));
}
