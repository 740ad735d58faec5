//! `webmill learn train` and `webmill learn features`: the jobs, with what is usual on the command line.

use std::process::ExitCode;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use webmill_run::{Cancel, Job};
use webmill_table::{Reader, columns};

use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::job::Context;
use crate::learn::settings::{Learn, SOURCES};
use crate::learn::tables::EvaluationRow;
use crate::learn::train::TrainJob;
use crate::learn::words::FeaturesJob;
use crate::learn::{left_out, too_many_unmatched};
use crate::recipe::{Recipe, Settings};
use crate::settings::Common;

/// Labelled pages, and which of their words count.
#[derive(Debug, clap::Args)]
struct PageArgs {
    /// Where the pages are: a folder of results, a folder with a folder a class, or a .csv, .tsv, .json, .jsonl or .parquet file of texts with labels [default: the results in the output folder].
    pages: Option<String>,
    /// Labels of pages, lines of url,label: .csv, .tsv, .json, .jsonl or .parquet.
    #[arg(long, value_name = "FILE")]
    labels: Option<String>,
    /// Sources of features, with commas between.
    #[arg(long, value_delimiter = ',', value_name = "SOURCE", value_parser = PossibleValuesParser::new(SOURCES))]
    sources: Vec<String>,
    /// Words that are chosen; 0: all [default: 5000; of method auto what is best].
    #[arg(long, value_name = "N")]
    features: Option<i64>,
    /// By which measure they are chosen [default: chi-square].
    #[arg(long, value_name = "MEASURE", value_parser = PossibleValuesParser::new(["chi-square", "information-gain", "right-half", "mutual-information", "cross-entropy", "weight-of-evidence"]))]
    measure: Option<String>,
    /// Files are mails or posts: their heads and quoted lines are left out.
    #[arg(long)]
    mail: bool,
    /// All that is visible of HTML files counts, not their main text alone.
    #[arg(long)]
    whole: bool,
    /// Any number of labels a page.
    #[arg(long)]
    multi: bool,
    /// Name of the column of texts [default: text].
    #[arg(long, value_name = "NAME")]
    text_column: Option<String>,
    /// Name of the column of labels [default: label].
    #[arg(long, value_name = "NAME")]
    label_column: Option<String>,
}

impl PageArgs {
    fn set(&self, recipe: &mut Recipe, table: &str) {
        let texts = [
            ("pages", &self.pages),
            ("labels", &self.labels),
            ("measure", &self.measure),
            ("text_column", &self.text_column),
            ("label_column", &self.label_column),
        ];
        for (name, value) in texts {
            if let Some(value) = value {
                recipe.set(table, name, value.clone());
            }
        }
        for (name, on) in [("mail", self.mail), ("whole", self.whole), ("multi", self.multi)] {
            if on {
                recipe.set(table, name, true);
            }
        }
        if let Some(features) = self.features {
            recipe.set(table, "features", features);
        }
        if !self.sources.is_empty() {
            let sources: Vec<toml::Value> = self.sources.iter().map(|source| source.clone().into()).collect();
            recipe.set(table, "sources", sources);
        }
    }
}

/// Measure how well words tell classes of labelled pages apart: table `features`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  webmill learn features --labels labels.csv --out results")]
pub struct FeaturesArgs {
    #[command(flatten)]
    pages: PageArgs,
    #[command(flatten)]
    common: Common,
}

/// Train a classifier on labelled pages and evaluate it: a model, and tables `evaluation`, `confusion`, `calibration`, `trials`.
///
/// Without test pages it is evaluated in folds; pages of one registrable domain stay in one. Exit code 1 where more than a tenth of the labels name no page.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill learn train --labels labels.csv --out results\n  webmill learn train posts/ --mail --test later-posts/ --out model\n  webmill learn train titles.tsv --test later.tsv --method svm --features 0 --out model"
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
    /// Folds of the evaluation [default: 5].
    #[arg(long, value_name = "N")]
    folds: Option<i64>,
    /// Let folds part pages of one registrable domain.
    #[arg(long)]
    part_domains: bool,
    /// Do not train on a quarter and a half of the pages too.
    #[arg(long)]
    no_curve: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs `learn features`.
pub fn features(args: &FeaturesArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut recipe = args.common.shared.read_recipe()?;
    args.pages.set(&mut recipe, Learn::TABLE);
    let console = Console::new();
    let context = args.common.context_with(recipe, &console, cancel)?;
    let code = print_committed(&context, FeaturesJob::NAME)?;
    finish(&context, FeaturesJob::NAME, code)
}

/// Runs `learn train`.
pub fn train(args: &TrainArgs, cancel: &Cancel) -> Result<ExitCode> {
    let mut recipe = args.common.shared.read_recipe()?;
    let table = Learn::TABLE;
    args.pages.set(&mut recipe, table);
    for (name, value) in [("test", &args.test), ("method", &args.method)] {
        if let Some(value) = value {
            recipe.set(table, name, value.clone());
        }
    }
    if let Some(folds) = args.folds {
        recipe.set(table, "folds", folds);
    }
    for (name, off) in [("by_domain", args.part_domains), ("curve", args.no_curve)] {
        if off {
            recipe.set(table, name, false);
        }
    }
    let console = Console::new();
    let context = args.common.context_with(recipe, &console, cancel)?;
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
            crate::say!("{told}");
            ExitCode::from(1)
        }
        None => code,
    })
}

columns! {
    struct Measured from EvaluationRow { scope, class, measure, value, num_pages }
}

/// Says accuracy and macro F1 of what was trained.
fn say_how_good(context: &Context<'_>) -> Result<()> {
    let results = context.results();
    let Some(committed) = results.get(TrainJob::NAME).filter(|_| !context.is_dry_run()) else {
        return Ok(());
    };
    let mut reader = Reader::<Measured>::open(&committed.path("evaluation"))?;
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
    crate::say!("{told}");
    Ok(())
}
