//! `webmill report`: the job, with flags for its settings.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Job};

use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::report::{ENTRY, Report};
use crate::settings::Common;

/// Write the report: one self-contained page with the numbers and the pictures, and the tables behind it.
#[derive(Debug, clap::Args)]
#[command(after_help = ENTRY.example)]
pub struct ReportArgs {
    /// Earlier results: what changed since then is a part of the report.
    #[arg(long, value_name = "EARLIER_RESULTS")]
    compare: Option<PathBuf>,
    /// Language of the report [default: en].
    #[arg(long, value_parser = ["en", "zh"])]
    lang: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Runs the command.
///
/// # Errors
/// What the job meets.
pub fn run(args: &ReportArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut recipe = args.common.shared.read_recipe()?;
    if let Some(results) = &args.compare {
        recipe.set(Report::NAME, "compare", results.to_string_lossy().into_owned());
    }
    if let Some(lang) = &args.lang {
        recipe.set(Report::NAME, "lang", lang.clone());
    }
    let console = Console::new();
    print_committed(&args.common.context_with(recipe, &console, cancel)?, Report::NAME)
}
