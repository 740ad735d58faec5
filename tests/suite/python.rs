//! The Python package: its own tests, on the compiled part that `make tools` puts into it, against this binary.

use std::path::Path;
use std::process::Command;

use crate::support::Work;

/// The tests of Spark, which have a Python of their own.
const OF_SPARK: &str = "python/tests/test_spark.py";

#[test]
fn the_package_passes_its_own_tests() {
    let ignored = format!("--ignore={OF_SPARK}");
    pass("python", "the peers of the package", &["python/tests", &ignored]);
}

#[test]
fn spark_gives_the_answers_of_one_machine() {
    pass("spark", "PySpark, or no Java to run it", &[OF_SPARK]);
}

/// Runs tests with the Python that `make tools` has put into `target/ENVIRONMENT`.
fn pass(environment: &str, with: &str, tests: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("target").join(environment).join("bin/python");
    if !python.exists() {
        webmill_evaluation::skip(&format!("no Python with {with} in target/{environment}: run `make tools`"));
        return;
    }
    let output = Command::new(python)
        .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--import-mode=importlib"])
        .args(tests)
        .current_dir(root)
        .env("PYTHONPATH", root.join("python"))
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("target/clean/bin/python");
    if !python.exists() || !root.join("python/webmill/_webmill.abi3.so").exists() {
        webmill_evaluation::skip("no Python with polars alone in target/clean: run `make tools`");
        return;
    }
    let work = Work::with_demo();
    let output = Command::new(python)
        .arg(root.join("python/tests/clean.py"))
        .arg(work.path("demo"))
        .env("PYTHONPATH", root.join("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_package_asks_for_no_older_interpreter_than_it_is_built_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    assert!(read("pyproject.toml").contains("requires-python = \">=3.10\""));
    assert!(read("Cargo.toml").contains("\"abi3-py310\""));
}
