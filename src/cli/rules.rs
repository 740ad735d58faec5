//! `webmill rules`: the job that makes tables of values that rules find in pages, and commands over rules.

mod export;
mod library;
mod page;
mod test;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Subcommand;
use webmill_run::{Cancel, Job};

use crate::args::{JobFlags, OutOption, Results, ShardsOption};
use crate::jobs::print_committed;
use webmill_jobs::recipe::Settings;
use webmill_jobs::rules::{RuleSettings, RulesJob};

/// Make tables of the values that rules find in the pages of a corpus; list, search, check and try rules.
///
/// Values may be on list pages, detail pages and further pages of a list, to any depth. Each group of a rule
/// becomes the table `rule_RULE_GROUP`. The shards are read once, as a whole. Tables go to the results, or for
/// shards without results to a folder of their own (--out). Exit code 1 if a rule has mistakes; the other rules are
/// applied.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  webmill rules out/demo/results builtin:all\n  webmill rules check books.toml\n  webmill rules test books.toml page.html\n  webmill rules export out/demo/results --to sqlite --out rules.sqlite"
)]
pub struct RulesArgs {
    #[command(subcommand)]
    command: Option<RulesCommand>,
    #[command(flatten)]
    results: Results,
    /// Rule files and folders; builtin:NAME, builtin:all [default: those of the recipe].
    rules: Vec<String>,
    #[command(flatten)]
    shards: ShardsOption,
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    flags: JobFlags,
}

#[derive(Debug, Subcommand)]
enum RulesCommand {
    List(library::ListArgs),
    Search(library::SearchArgs),
    Check(library::CheckArgs),
    Test(test::TestArgs),
    Export(export::ExportArgs),
    /// Print the JSON Schema of rule files, for editors that complete and check TOML.
    #[command(
        after_help = "Example:\n  webmill rules schema > rule.schema.json\n\nIn editors with Taplo, a first line #:schema ./rule.schema.json turns it on."
    )]
    Schema,
}

/// Whether a subcommand only looks at rules and pages: it leaves nothing half done.
pub fn only_looks(subcommand: Option<&str>) -> bool {
    !matches!(subcommand, None | Some("export"))
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &RulesArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        None => apply(args, cancel),
        Some(RulesCommand::List(args)) => library::list(args),
        Some(RulesCommand::Search(args)) => library::search(args),
        Some(RulesCommand::Check(args)) => library::check(args),
        Some(RulesCommand::Test(args)) => test::run(args),
        Some(RulesCommand::Schema) => {
            webmill_jobs::print(webmill_rules::file::JSON_SCHEMA)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(RulesCommand::Export(args)) => export::run(args, cancel),
    }
}

fn apply(args: &RulesArgs, cancel: &Cancel) -> Result<ExitCode> {
    let (folder, rules) = args.results.or_new(&args.rules, &args.out)?;
    let mut recipe = args.flags.read_recipe()?;
    if !rules.is_empty() {
        let files: Vec<toml::Value> = rules.into_iter().map(toml::Value::from).collect();
        recipe.set(RuleSettings::TABLE, "files", files);
    }
    let console = args.flags.console();
    let context = args.flags.context_with(recipe, &folder, &console, cancel)?.reading(&args.shards.shards);
    let code = print_committed(&context, RulesJob::NAME)?;
    let committed = context.results();
    let refused =
        committed.get(RulesJob::NAME).and_then(|done| done.manifest.counts.dropped.get("unreadable-rule"));
    ensure!(committed.contains_key(RulesJob::NAME) || args.flags.is_dry_run(), "nothing was committed");
    Ok(if refused.is_some() { ExitCode::from(1) } else { code })
}
