//! The documentation: pages that are made from the program are as it is, commands in all pages run, links lead somewhere.
//!
//! `WEBMILL_GOLDEN=rewrite cargo test --release --test suite docs::pages` makes the pages of commands, tables and settings
//! anew; what a hand wrote above their mark stays.

mod links;
mod pages;
mod run;
mod settings;

use crate::support::repository;

/// Every Markdown page that users read, by its path in the repository: README and all below docs.
fn all_pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned(), "README.zh.md".to_owned(), "BENCHMARKS.md".to_owned()];
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(repository(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(name);
            } else if name.ends_with(".md") {
                pages.push(name);
            }
        }
    }
    pages.sort();
    pages
}

fn read(page: &str) -> String {
    std::fs::read_to_string(repository(page)).unwrap_or_else(|e| panic!("{page}: {e}"))
}
