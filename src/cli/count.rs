//! `webmill count`: jobs of map and reduce over results.

mod grep;
mod kinds;
mod search;
mod words;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use webmill_run::{Cancel, Job};

use webmill_jobs::count::backlinks::CountBacklinks;
use webmill_jobs::count::host_terms::CountHostTerms;
use webmill_jobs::count::index::CountIndex;

/// Count words, links and visits; index, search and sort: jobs of map and reduce over the results of extract.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count words out/demo/results --top 20\n  webmill count backlinks out/demo/results\n  webmill count index out/demo/results && webmill count search out/demo/results \"web archives\"\n\nThey are no part of `webmill run`, unless its recipe has their table, as [count-words]."
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
        CountCommand::Backlinks(args) => args.job.run(CountBacklinks::NAME, cancel),
        CountCommand::HostTerms(args) => args.job.run(CountHostTerms::NAME, cancel),
        CountCommand::Index(args) => args.job.run(CountIndex::NAME, cancel),
        CountCommand::Search(args) => search::run(args),
        CountCommand::Grep(args) => grep::run(args, cancel),
        CountCommand::Visits(args) => args.run(cancel),
        CountCommand::Sort(args) => args.run(cancel),
    }
}
