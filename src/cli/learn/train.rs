//! `webmill learn train` and `webmill learn features`: the jobs, with the defaults of the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use webmill_run::{Cancel, Job};
use webmill_table::{Reader, columns};

use crate::args::{JobFlags, Labels, Mail, ResultsOrPages};
use crate::jobs::print_committed;
use webmill_jobs::job::Context;
use webmill_jobs::learn::settings::Learn;
use webmill_jobs::learn::tables::EvaluationRow;
use webmill_jobs::learn::train::TrainJob;
use webmill_jobs::learn::words::FeaturesJob;
use webmill_jobs::learn::{left_out, too_many_unmatched};
use webmill_jobs::recipe::{Recipe, Settings};

/// Labelled pages.
#[derive(Debug, clap::Args)]
struct PageArgs {
    #[command(flatten)]
    from: ResultsOrPages,
    #[command(flatten)]
    labels: Labels,
    #[command(flatten)]
    mail: Mail,
    #[command(flatten)]
    flags: JobFlags,
}

impl PageArgs {
    /// The recipe with the flags given here, and the folder that the job commits to.
    fn recipe(&self, table: &str) -> Result<(Recipe, PathBuf)> {
        let mut recipe = self.flags.read_recipe()?;
        let (folder, pages, _) = self.from.place(None)?;
        for (name, value) in [("pages", &pages), ("labels", &self.labels.labels)] {
            if let Some(value) = value {
                recipe.set(table, name, value.clone());
            }
        }
        if self.mail.mail {
            recipe.set(table, "mail", true);
        }
        Ok((recipe, folder))
    }
}

/// Measure how well words separate classes of labelled pages: table `features`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  webmill learn features out/demo/results --labels labels.csv")]
pub struct FeaturesArgs {
    #[command(flatten)]
    pages: PageArgs,
}

/// Train a classifier on labelled pages and evaluate it: a model, and tables `evaluation`, `confusion`, `calibration`, `trials`.
///
/// Pages are those of the results; with --out a folder with one subfolder per class, or a .csv, .tsv, .json, .jsonl
/// or .parquet file of texts with labels. Without test pages the classifier is evaluated by cross-validation; pages
/// of one registrable domain stay in one fold. Exit code 1 if more than a tenth of the labels name no page.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill learn train out/demo/results --labels labels.csv\n  webmill learn train posts/ --mail --test later-posts/ --out model\n  webmill learn train titles.tsv --test later.tsv --method svm --set learn.features=0 --out model"
)]
pub struct TrainArgs {
    #[command(flatten)]
    pages: PageArgs,
    /// Pages to evaluate on, laid out as those to train on; they are never looked at for any choice [default: folds].
    #[arg(long, value_name = "PATH")]
    test: Option<String>,
    /// The method [default: auto, the one that cross-validation on the training pages finds best].
    #[arg(long, value_name = "METHOD", value_parser = PossibleValuesParser::new(["auto", "naive-bayes", "complement-bayes", "svm", "logistic", "neighbours", "adaboost"]))]
    method: Option<String>,
}

/// Runs `learn features`.
pub fn features(args: &FeaturesArgs, cancel: &Cancel) -> Result<ExitCode> {
    let (recipe, folder) = args.pages.recipe(Learn::TABLE)?;
    let console = args.pages.flags.console();
    let context = args.pages.flags.context_with(recipe, &folder, &console, cancel)?;
    let code = print_committed(&context, FeaturesJob::NAME)?;
    finish(&context, FeaturesJob::NAME, code)
}

/// Runs `learn train`.
pub fn train(args: &TrainArgs, cancel: &Cancel) -> Result<ExitCode> {
    let table = Learn::TABLE;
    let (mut recipe, folder) = args.pages.recipe(table)?;
    for (name, value) in [("test", &args.test), ("method", &args.method)] {
        if let Some(value) = value {
            recipe.set(table, name, value.clone());
        }
    }
    let console = args.pages.flags.console();
    let context = args.pages.flags.context_with(recipe, &folder, &console, cancel)?;
    let code = print_committed(&context, TrainJob::NAME)?;
    say_how_good(&context)?;
    finish(&context, TrainJob::NAME, code)
}

fn finish(context: &Context<'_>, job: &str, code: ExitCode) -> Result<ExitCode> {
    if let Some(committed) = context.results().get(job) {
        left_out(&context.runtime, committed);
    }
    Ok(match too_many_unmatched(context) {
        Some(told) => {
            webmill_jobs::say!("{told}");
            ExitCode::from(1)
        }
        None => code,
    })
}

columns! {
    struct MeasureColumns from EvaluationRow { scope, class, measure, value, num_pages }
}

/// Says accuracy and macro F1 of what was trained.
fn say_how_good(context: &Context<'_>) -> Result<()> {
    let results = context.results();
    let Some(committed) = results.get(TrainJob::NAME).filter(|_| !context.is_dry_run()) else {
        return Ok(());
    };
    let mut reader = Reader::<MeasureColumns>::open(&committed.path("evaluation"))?;
    let mut told = String::new();
    while let Some(batch) = reader.next()? {
        for row in batch.rows().filter(|row| matches!(row.scope, "test" | "folds") && row.class.is_none()) {
            match row.measure {
                "accuracy" => {
                    told = format!("{} {} pages: accuracy {:.4}", row.scope, row.num_pages, row.value)
                }
                "macro-f1" => told.push_str(&format!(", macro F1 {:.4}", row.value)),
                "calibration-error" => told.push_str(&format!(", calibration error {:.4}", row.value)),
                _ => {}
            }
        }
    }
    webmill_jobs::say!("{told}");
    Ok(())
}
