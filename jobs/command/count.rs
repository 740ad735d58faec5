//! `webmill count`: jobs of map and reduce over results.

mod grep;
mod kinds;
mod search;
mod words;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use webmill_run::Cancel;

/// Count words, links and visits; index, search and sort: jobs of map and reduce over the results of extract.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count words --out results --top 20\n  webmill count backlinks --out results\n  webmill count index --out results && webmill count search \"web archives\" --out results\n\nThey are no part of `webmill run`, unless its recipe has their table, as [count-words]."
)]
pub struct CountArgs {
    #[command(subcommand)]
    command: CountCommand,
}

#[derive(Debug, Subcommand)]
enum CountCommand {
    Words(words::WordsArgs),
    Backlinks(kinds::BacklinksArgs),
    HostTerms(kinds::HostTermsArgs),
    Index(kinds::IndexArgs),
    Search(search::SearchArgs),
    Grep(grep::GrepArgs),
    Visits(kinds::VisitsArgs),
    Sort(kinds::SortArgs),
}

/// Whether a subcommand only looks at results: it leaves nothing half done.
pub fn only_looks(subcommand: Option<&str>) -> bool {
    subcommand == Some("search")
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &CountArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        CountCommand::Words(args) => words::run(args, cancel),
        CountCommand::Backlinks(args) => args.run(cancel),
        CountCommand::HostTerms(args) => args.run(cancel),
        CountCommand::Index(args) => args.run(cancel),
        CountCommand::Search(args) => search::run(args),
        CountCommand::Grep(args) => grep::run(args, cancel),
        CountCommand::Visits(args) => args.run(cancel),
        CountCommand::Sort(args) => args.run(cancel),
    }
}

/// Flags that override a table of the recipe.
struct Overrides<'a> {
    recipe: &'a mut crate::recipe::Recipe,
    table: &'static str,
}

impl Overrides<'_> {
    fn word(&mut self, name: &str, word: Option<&str>) {
        if let Some(word) = word {
            self.recipe.set(self.table, name, word);
        }
    }

    fn number(&mut self, name: &str, number: Option<impl Into<i64>>) {
        if let Some(number) = number {
            self.recipe.set(self.table, name, number.into());
        }
    }

    fn list(&mut self, name: &str, words: &[String]) {
        if !words.is_empty() {
            let words: Vec<toml::Value> = words.iter().map(|word| word.clone().into()).collect();
            self.recipe.set(self.table, name, words);
        }
    }

    fn yes(&mut self, name: &str, yes: bool) {
        if yes {
            self.recipe.set(self.table, name, true);
        }
    }
}
