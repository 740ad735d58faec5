//! `webmill crawl URL… --out DIR` crawls; `webmill crawl ACTION …` does something with a crawl that is there.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Subcommand;
use webmill_run::Cancel;

use super::args::CrawlArgs;
use super::explain;

/// Crawl from seeds into RAW DB or WARC shards, politely, resumably, with an event log.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  webmill crawl --seeds seeds.txt --out crawl --contact https://example.org/crawler --pages 100000\n  webmill crawl http://127.0.0.1:8000/ --out crawl --allow-private --delay 0\n  webmill crawl explain https://example.org/missing --out crawl\n  webmill run crawl --out results\n\nStopped or killed, the same command goes on where it was. Shards are in OUT/shards, the event log in OUT/events, the\nsettings in OUT/crawl.toml; all settings can be set in the table [crawl] of a recipe."
)]
pub struct CrawlCommand {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    crawl: Option<CrawlArgs>,
}

/// What else can be done with the folder of a crawl. A seed of such a name is written as a URL: `http://explain/`.
#[derive(Debug, Subcommand)]
enum Action {
    Explain(explain::ExplainArgs),
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(command: &CrawlCommand, cancel: &Cancel) -> Result<ExitCode> {
    match (&command.action, &command.crawl) {
        (Some(Action::Explain(args)), _) => explain::run(args),
        (None, Some(args)) => super::run(args, cancel),
        (None, None) => Err(anyhow::anyhow!("nothing was asked for")).context("webmill crawl"),
    }
}
