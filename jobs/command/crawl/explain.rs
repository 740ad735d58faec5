//! `webmill crawl explain`: why a URL was or was not fetched.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

/// What is asked.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// The URL.
    #[arg(value_name = "URL")]
    pub url: String,
    /// Folder of the crawl.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &ExplainArgs) -> Result<ExitCode> {
    bail!("{} in {}: not known yet", args.url, args.out.display())
}
