//! `webmill report`: the job, with flags for its settings.

use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Job};

use crate::args::{JobFlags, Language, Results};
use crate::jobs::print_committed;
use webmill_jobs::report::Report;

/// Write the report: one self-contained page with the numbers and the pictures, and the tables behind it.
///
/// Reads what extract, graph, rank, shape, dedup and keywords wrote, repeated, mirrors, rules and learn cluster where they were run, and the
/// tables of the crawl where the shards are a crawl's.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill report out/demo/results\n  webmill report out/demo/results --lang zh\n  webmill report out/demo/results --compare results-of-last-year"
)]
pub struct ReportArgs {
    #[command(flatten)]
    results: Results,
    /// Earlier results: what changed since then is a part of the report.
    #[arg(long, value_name = "EARLIER_RESULTS")]
    compare: Option<String>,
    #[command(flatten)]
    language: Language,
    #[command(flatten)]
    flags: JobFlags,
}

/// Runs the command.
///
/// # Errors
/// What the job meets.
pub fn run(args: &ReportArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut recipe = args.flags.read_recipe()?;
    if let Some(earlier) = &args.compare {
        recipe.set(Report::NAME, "compare", earlier.clone());
    }
    args.language.set(&mut recipe);
    let (console, folder) = (args.flags.console(), args.results.folder()?);
    print_committed(&args.flags.context_with(recipe, &folder, &console, cancel)?, Report::NAME)
}
