//! Holds the floors of the house: who may import whom, read off the `use crate::…` lines and every `crate::…` path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Module and what it may import. `error` may be imported by all.
const FLOORS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("capture", &[]),
    ("shard", &["capture"]),
    ("html", &["capture"]),
    ("text", &["capture", "html"]),
    ("sort", &[]),
    ("graph", &["capture", "sort"]),
    ("dedup", &["text", "sort"]),
    ("crawl", &["capture", "shard", "html", "text", "dedup"]),
    ("synth", &["capture"]),
    ("report", &[]),
    ("run", &[]),
    ("table", &["capture", "html", "graph", "dedup", "text", "sort", "crawl"]),
    ("extract", &["capture", "html", "text", "dedup", "table"]),
];

const FORBIDDEN_NAMES: &[&str] = &["utils", "util", "helpers", "common", "prelude", "misc"];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Modules named in `crate::MODULE…` and `crate::{MODULE…, …}`.
fn imports(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in source.lines().filter(|l| !l.trim_start().starts_with("//")) {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + 7..];
            let names: Vec<&str> = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap_or("").split(',').collect(),
                None => vec![rest],
            };
            for name in names {
                let word: String =
                    name.trim().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                if word.starts_with(|c: char| c.is_ascii_lowercase()) {
                    found.insert(word);
                }
            }
        }
    }
    found
}

fn check() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let floors: BTreeMap<&str, &[&str]> = FLOORS.iter().copied().collect();
    let mut faults = Vec::new();
    for file in rust_files(&src) {
        let relative = file.strip_prefix(&src).unwrap();
        let module = relative.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        if module == "lib" {
            continue;
        }
        let Some(allowed) = floors.get(module.as_str()) else {
            faults.push(format!("{}: module {module} stands on no floor", relative.display()));
            continue;
        };
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        if FORBIDDEN_NAMES.contains(&stem.as_str()) {
            faults.push(format!("{}: {stem} says nothing about what is inside", relative.display()));
        }
        // Tests may look at anything: oracles stand above what they judge.
        if stem.ends_with("_tests") || stem.starts_with("tests_") || stem == "tests" {
            continue;
        }
        let source = std::fs::read_to_string(&file).unwrap();
        let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for import in imports(source) {
            let known = floors.contains_key(import.as_str());
            if known && import != module && import != "error" && !allowed.contains(&import.as_str()) {
                faults.push(format!("{}: {module} may not import {import}", relative.display()));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn modules_import_only_what_stands_below_them() {
    check();
}

#[test]
fn imports_are_seen() {
    let source = "use crate::capture::Url;\nuse crate::{Error, html, text::words};\n// use crate::run::X;\nlet a = crate::sort::b();";
    let found: Vec<String> = imports(source).into_iter().collect();
    assert_eq!(found, ["capture", "html", "sort", "text"]);
}
