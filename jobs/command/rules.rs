//! `webmill rules`: rules that make tables of what stands in pages, and a library of them.

mod apply;
mod export;
mod library;
mod page;
mod test;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use webmill_run::Cancel;

/// Make tables of what rules find in pages; list, search, check and try rules.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill rules check books.toml\n  webmill rules test books.toml page.html\n  webmill rules apply books.toml --out results\n  webmill rules export --results results --format sqlite --out rules.sqlite"
)]
pub struct RulesArgs {
    #[command(subcommand)]
    command: RulesCommand,
}

#[derive(Debug, Subcommand)]
enum RulesCommand {
    List(library::ListArgs),
    Search(library::SearchArgs),
    Check(library::CheckArgs),
    Test(test::TestArgs),
    Apply(Box<apply::ApplyArgs>),
    Export(export::ExportArgs),
    /// Print the JSON Schema of rule files, for editors that complete and check TOML.
    #[command(
        after_help = "Example:\n  webmill rules schema > rule.schema.json\n\nIn editors with Taplo, a first line #:schema ./rule.schema.json turns it on."
    )]
    Schema,
}

/// Whether a subcommand only looks at rules and pages: it leaves nothing half done.
pub fn only_looks(subcommand: Option<&str>) -> bool {
    !matches!(subcommand, Some("apply" | "export"))
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &RulesArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        RulesCommand::List(args) => library::list(args),
        RulesCommand::Search(args) => library::search(args),
        RulesCommand::Check(args) => library::check(args),
        RulesCommand::Test(args) => test::run(args),
        RulesCommand::Schema => {
            crate::print(webmill_rules::file::JSON_SCHEMA)?;
            Ok(ExitCode::SUCCESS)
        }
        RulesCommand::Apply(args) => apply::run(args, cancel),
        RulesCommand::Export(args) => export::run(args, cancel),
    }
}
