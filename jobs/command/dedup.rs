//! `webmill dedup`: the job, and what is done with its results: texts beside each other, pages like a text, the corpus
//! without its duplicates.
//!
//! Flags of the job override its table of the recipe; they are checked where that is.

pub mod apply;
pub mod diff;
mod pages;
pub mod similar;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Subcommand;
use webmill_dedup::{BandChoice, KeepPolicy};
use webmill_run::{Cancel, Job};

use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::dedup::Dedup;
use crate::recipe::{Recipe, Settings};
use crate::settings::{Common, Shared};

/// Find duplicates: equal bodies, equal texts, near-duplicates verified word by word; or look at them closer.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  webmill dedup --out results\n  webmill dedup --out results --keep longest --min-resemblance 0.9\n  webmill dedup --out results --against results-of-may --bands datatrove\n  webmill dedup diff http://a.com/1 http://b.com/1 --results results\n  webmill dedup similar results page.txt\n  webmill dedup apply results crawl/ --out smaller\n\nWith --out it reads the tables that `webmill extract` wrote to the same folder and commits to OUT/dedup/.keys/KEY."
)]
pub struct DedupArgs {
    #[command(subcommand)]
    command: Option<DedupCommand>,
    /// Folder for results; the job commits to OUT/dedup/.keys/KEY, and OUT/dedup/latest leads there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    shared: Shared,
}

#[derive(Debug, Subcommand)]
enum DedupCommand {
    Apply(Box<apply::ApplyArgs>),
    Diff(diff::DiffArgs),
    Similar(similar::SimilarArgs),
}

/// Settings of the job as flags.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Settings")]
struct Overrides {
    /// Results of an earlier crawl whose pages count as seen; may be repeated. Passages are sought among new pages only.
    #[arg(long, value_name = "RESULTS")]
    against: Vec<PathBuf>,
    /// Which page of a cluster is kept: earliest (fetch), longest (text), rank (best), canonical (URL) [default: earliest].
    #[arg(long, value_name = "POLICY", value_parser = parse_keep)]
    keep: Option<KeepPolicy>,
    /// MinHash bands that find candidates: auto (by the least resemblance), webmill, datatrove, or bands x rows with the
    /// words of a shingle, as 16x8 or 14x8w5 [default: auto].
    #[arg(long, value_name = "SHAPE", value_parser = parse_bands)]
    bands: Option<BandChoice>,
    /// Least resemblance of the word shingles of near-duplicates, 0 to 1 [default: 0.8].
    #[arg(long, value_name = "R")]
    min_resemblance: Option<f64>,
}

impl Overrides {
    /// Puts the flags into a recipe.
    fn apply(&self, recipe: &mut Recipe) {
        let mut set = |name: &str, value: Option<toml::Value>| {
            if let Some(value) = value {
                recipe.set(Dedup::TABLE, name, value);
            }
        };
        let path = |path: &PathBuf| toml::Value::from(path.to_string_lossy().into_owned());
        let against: Vec<toml::Value> = self.against.iter().map(path).collect();
        set("against", (!against.is_empty()).then(|| against.into()));
        set("keep", self.keep.map(|policy| policy.name().into()));
        set("bands", self.bands.map(|bands| String::from(bands).into()));
        set("min_resemblance", self.min_resemblance.map(Into::into));
    }

    /// The first flag that was given.
    fn given(&self) -> Option<&'static str> {
        [
            ("--against", !self.against.is_empty()),
            ("--keep", self.keep.is_some()),
            ("--bands", self.bands.is_some()),
            ("--min-resemblance", self.min_resemblance.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }
}

fn parse_keep(text: &str) -> Result<KeepPolicy, String> {
    KeepPolicy::of_name(text)
        .ok_or_else(|| format!("{text}: policies are {}", KeepPolicy::ALL.map(KeepPolicy::name).join(", ")))
}

fn parse_bands(text: &str) -> Result<BandChoice, String> {
    text.parse().map_err(|e: webmill_capture::Error| e.to_string())
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
    let Some(out) = args.out.clone() else {
        let what = args.overrides.given().map_or_else(String::new, |flag| format!("{flag} is for the job: "));
        bail!(
            "{what}name the folder that `webmill extract` wrote to (--out DIR), or a subcommand (see --help)"
        )
    };
    let mut recipe = args.shared.read_recipe()?;
    args.overrides.apply(&mut recipe);
    let console = Console::new();
    let common = Common { out, shared: args.shared.clone() };
    print_committed(&common.context_with(recipe, &console, cancel)?, Dedup::NAME)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: DedupArgs,
    }

    fn parse(line: &str) -> Result<DedupArgs, String> {
        let words = std::iter::once("dedup").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.args).map_err(|e| e.to_string())
    }

    #[test]
    fn flags_of_the_job_are_settings_of_its_table() {
        let line = "--out r --against may --against june --keep rank --bands datatrove --min-resemblance 0.9";
        let mut recipe = Recipe::default();
        parse(line).unwrap().overrides.apply(&mut recipe);
        let wanted =
            "against = [\"may\", \"june\"]\nkeep = \"rank\"\nbands = \"14x8w5\"\nmin_resemblance = 0.9\n";
        let wanted: toml::Table = toml::from_str(wanted).unwrap();
        assert_eq!(recipe.table(Dedup::TABLE), Some(&wanted));
    }

    #[test]
    fn flags_that_are_not_given_leave_the_recipe_alone() {
        let mut recipe = Recipe::default();
        parse("--out r").unwrap().overrides.apply(&mut recipe);
        assert_eq!(recipe.table(Dedup::TABLE), None);
    }

    #[test]
    fn wrong_values_are_refused_with_what_is_allowed() {
        for (line, parts) in [
            ("--out r --keep newest", &["newest", "earliest, longest, rank, canonical"][..]),
            ("--out r --bands 16x800", &["16x800", "1 to 1024"]),
            ("--out r --bands nemo", &["nemo", "webmill, datatrove"]),
            ("--out r --min-resemblance much", &["much"]),
            ("--out r diff a b", &["cannot be used with"]),
        ] {
            let message = parse(line).expect_err(line);
            assert!(parts.iter().all(|part| message.contains(part)), "{line}: {message}");
        }
    }

    #[test]
    fn subcommands_need_no_folder_for_results() {
        assert!(parse("diff a.txt b.txt").unwrap().command.is_some());
        assert!(parse("--out r").unwrap().command.is_none());
    }
}
