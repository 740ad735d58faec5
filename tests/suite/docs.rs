//! The documentation: pages that are made from the program are as it is, commands in all pages run, links lead somewhere.
//!
//! `WEBMILL_GOLDEN=rewrite cargo test --release --test suite docs::pages` makes the pages of commands, tables and settings
//! anew; what a hand wrote above their mark stays.

mod links;
mod pages;
mod run;
mod settings;
mod words;

use std::path::PathBuf;

use crate::support::{files_below, repository};

/// Every Markdown page that users read, by its path in the repository: README and all below docs.
fn all_pages() -> Vec<String> {
    let root = repository("");
    let docs = files_below(&repository("docs"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "md"));
    let docs = docs.map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
    ["BENCHMARKS.md", "README.md", "README.zh.md"].map(str::to_owned).into_iter().chain(docs).collect()
}

/// The source of the program.
fn sources() -> impl Iterator<Item = PathBuf> {
    let files = ["jobs", "src"].map(|folder| files_below(&repository(folder))).concat();
    files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs"))
}

fn read(page: &str) -> String {
    std::fs::read_to_string(repository(page)).unwrap_or_else(|e| panic!("{page}: {e}"))
}
