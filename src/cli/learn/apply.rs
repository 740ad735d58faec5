//! `webmill learn apply`: the job, with model and pages on the command line.

use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Job};

use crate::args::{JobFlags, Mail, ResultsOrPages};
use crate::jobs::print_committed;
use webmill_jobs::learn::apply::ApplyJob;
use webmill_jobs::learn::left_out;
use webmill_jobs::learn::settings::Learn;
use webmill_jobs::recipe::Settings;

/// Tell the classes of pages by a trained model: table `classes`.
///
/// The model is the latest of the results, or a file or a folder that learn train wrote to. With --out the first argument is the input to classify
/// of: other results, a folder of files, or a .csv, .tsv, .json, .jsonl or .parquet file of texts.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill learn apply out/demo/results\n  webmill learn apply out/demo/results model/\n  webmill learn apply posts/ model.webmill --mail --out told"
)]
pub struct ApplyArgs {
    #[command(flatten)]
    from: ResultsOrPages,
    /// The model: a file, or the folder that learn train wrote to [default: the latest of the results].
    model: Option<String>,
    #[command(flatten)]
    mail: Mail,
    #[command(flatten)]
    flags: JobFlags,
}

/// Runs the command.
pub fn run(args: &ApplyArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut recipe = args.flags.read_recipe()?;
    let table = Learn::TABLE;
    let (folder, pages, model) = args.from.place(args.model.as_ref())?;
    for (name, value) in [("model", model), ("apply_to", pages)] {
        if let Some(value) = value {
            recipe.set(table, name, value);
        }
    }
    if args.mail.mail {
        recipe.set(table, "mail", true);
    }
    let console = args.flags.console();
    let context = args.flags.context_with(recipe, &folder, &console, cancel)?;
    let code = print_committed(&context, ApplyJob::NAME)?;
    if let Some(committed) = context.results().get(ApplyJob::NAME) {
        left_out(&context.runtime, committed);
    }
    Ok(code)
}
