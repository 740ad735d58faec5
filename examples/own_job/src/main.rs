//! webmill with a job of one's own.
//!
//! ```sh
//! cargo run --release -- run SHARDS --out results
//! cargo run --release -- page-languages results
//! cargo run --release -- schema page_languages
//! ```
//!
//! **A further job** is a file like `page_languages.rs`, its `mod` and its `.with(…::ENTRY)` below. Subcommand, help, `run`,
//! the check of its table in the recipe, `schema` and the catalogue of results follow from the entry in the registry.

mod page_languages;

use std::process::ExitCode;

use webmill::cli::jobs::program;
use webmill::jobs::registry::Registry;

fn main() -> ExitCode {
    program("own_job", Registry::default().with(page_languages::ENTRY))
}
