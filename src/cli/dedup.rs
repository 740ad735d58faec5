//! `webmill dedup`: the job, and commands over its results: texts beside each other, pages like a text, the corpus
//! without its duplicates.

pub mod apply;
pub mod diff;
mod pages;
pub mod similar;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use webmill_run::{Cancel, Job};

use crate::args::{JobFlags, Results};
use crate::jobs::print_committed;
use webmill_jobs::dedup::Dedup;
use webmill_jobs::recipe::Settings;

/// Find duplicates: equal bodies, equal texts, and near-duplicates, which are verified word by word; compare texts;
/// write a corpus without duplicates.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  webmill dedup out/demo/results\n  webmill dedup out/demo/results --set dedup.keep=longest --set dedup.min_resemblance=0.9\n  webmill dedup diff out/demo/results http://www.lakeside.example/ http://mirror.lakeside.example/\n  webmill dedup similar out/demo/results page.txt\n  webmill dedup apply out/demo/results out/demo/crawl --out smaller"
)]
pub struct DedupArgs {
    #[command(subcommand)]
    command: Option<DedupCommand>,
    #[command(flatten)]
    results: Results,
    /// Results of an earlier crawl, with whose pages the new ones are compared, too; may be repeated. Shared
    /// passages are searched for among new pages only.
    #[arg(long, value_name = "EARLIER_RESULTS")]
    against: Vec<String>,
    #[command(flatten)]
    flags: JobFlags,
}

#[derive(Debug, Subcommand)]
enum DedupCommand {
    Apply(Box<apply::ApplyArgs>),
    Diff(diff::DiffArgs),
    Similar(similar::SimilarArgs),
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &DedupArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        None => run_job(args, cancel),
        Some(DedupCommand::Apply(apply)) => apply::run(apply, cancel),
        Some(DedupCommand::Diff(diff)) => diff::run(diff),
        Some(DedupCommand::Similar(similar)) => similar::run(similar),
    }
}

fn run_job(args: &DedupArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut recipe = args.flags.read_recipe()?;
    if !args.against.is_empty() {
        let against: Vec<toml::Value> = args.against.iter().map(|path| path.clone().into()).collect();
        recipe.set(Dedup::TABLE, "against", against);
    }
    let (console, folder) = (args.flags.console(), args.results.folder()?);
    print_committed(&args.flags.context_with(recipe, &folder, &console, cancel)?, Dedup::NAME)
}
