//! `webmill rules apply`: the job, with rules named on the command line.

use std::process::ExitCode;

use anyhow::{Result, ensure};
use webmill_run::{Cancel, Job};

use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::recipe::Settings;
use crate::rules::{RuleSettings, RulesJob};
use crate::settings::Common;

/// Make tables of what rules find in the pages of a corpus, on list pages, detail pages and chains of pages, however deep.
///
/// Each group of a rule becomes the table `rule_RULE_GROUP`. The shards are read once, as a whole. Exit code 1 where a rule has mistakes: the others are applied.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill rules apply books.toml --out results\n  webmill rules apply rules/ --shards crawl/ --out results"
)]
pub struct ApplyArgs {
    /// Rule files, and folders of them; builtin:NAME or builtin:all for those that come with the program.
    #[arg(required = true)]
    rules: Vec<String>,
    /// The shards [default: those that the results in the output folder are of].
    #[arg(long, value_name = "SHARD")]
    shards: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// Runs the command.
pub fn run(args: &ApplyArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = Console::new();
    let mut recipe = args.common.shared.read_recipe()?;
    let files: Vec<toml::Value> = args.rules.iter().map(|path| path.clone().into()).collect();
    recipe.set(RuleSettings::TABLE, "files", files);
    let context = args.common.context_with(recipe, &console, cancel)?.reading(&args.shards);
    let code = print_committed(&context, RulesJob::NAME)?;
    let committed = context.results();
    let refused =
        committed.get(RulesJob::NAME).and_then(|done| done.manifest.counts.dropped.get("unreadable-rule"));
    ensure!(committed.contains_key(RulesJob::NAME) || args.common.shared.dry_run, "nothing was committed");
    Ok(if refused.is_some() { ExitCode::from(1) } else { code })
}
