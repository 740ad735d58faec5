//! `webmill learn apply`: the job, with model and pages on the command line.

use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Job};

use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::learn::apply::ApplyJob;
use crate::learn::left_out;
use crate::learn::settings::Learn;
use crate::recipe::Settings;
use crate::settings::Common;

/// Tell the classes of pages by a trained model: table `classes`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill learn apply --out results\n  webmill learn apply model/ --pages other-results/ --out results\n  webmill learn apply model.webmill --pages posts/ --mail --out told"
)]
pub struct ApplyArgs {
    /// The model: a file, or the output folder of learn train [default: the latest in the output folder].
    model: Option<String>,
    /// Where the pages are: a folder of results, of files, or a .csv, .tsv, .json, .jsonl or .parquet file of texts [default: the results in the output folder].
    #[arg(long, value_name = "PATH")]
    pages: Option<String>,
    /// Files are mails or posts: their heads and quoted lines are left out.
    #[arg(long)]
    mail: bool,
    /// All that is visible of HTML files counts, not their main text alone.
    #[arg(long)]
    whole: bool,
    /// Name of the column of texts [default: text].
    #[arg(long, value_name = "NAME")]
    text_column: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Runs the command.
pub fn run(args: &ApplyArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut recipe = args.common.shared.read_recipe()?;
    let table = Learn::TABLE;
    for (name, value) in
        [("model", &args.model), ("apply_to", &args.pages), ("text_column", &args.text_column)]
    {
        if let Some(value) = value {
            recipe.set(table, name, value.clone());
        }
    }
    for (name, on) in [("mail", args.mail), ("whole", args.whole)] {
        if on {
            recipe.set(table, name, true);
        }
    }
    let console = Console::new();
    let context = args.common.context_with(recipe, &console, cancel)?;
    let code = print_committed(&context, ApplyJob::NAME)?;
    if let Some(committed) = context.results().get(ApplyJob::NAME) {
        left_out(&context.runtime, committed);
    }
    Ok(code)
}
