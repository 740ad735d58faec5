//! `webmill crawl URL… --out DIR` crawls; `webmill crawl ACTION …` does something with a crawl that is there.

use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use webmill_run::Cancel;

use super::args::CrawlArgs;
use super::{ctl, explain};

const ABOUT: &str = "Crawl from seeds into RAW DB or WARC shards, politely, resumably, with an event log";
const AFTER: &str = "Examples:
  webmill crawl https://www.example.org/ --out crawl --contact https://you.example/crawler --pages 1000
  webmill crawl explain out/demo/crawl http://www.lakeside.example/missing";
const MORE: &str = "Every setting of the table [crawl] (docs/settings.md) can be given as --set crawl.KEY=VALUE.

Stopped or killed, the same command goes on where it was. Shards are in OUT/shards, the event log in OUT/events, the
settings in OUT/crawl.toml.

Exits with 0 when everything was fetched or a limit was reached, 3 when URLs are missing (the summary says which, why, and
the command that goes on), 130 when stopped, 2 after an error.";

/// The action: a derived parser cannot say that an action makes arguments unnecessary.
#[derive(Debug)]
pub enum CrawlCommand {
    /// A crawl is begun or goes on.
    Crawl(Box<CrawlArgs>),
    /// Something else is done with one that is there.
    Act(Action),
}

/// What else can be done with the folder of a crawl. A seed of such a name is written as a URL: `http://explain/`.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Say which rule decides about a URL, and why it was or was not fetched.
    Explain(explain::ExplainArgs),
    Ctl(ctl::CtlArgs),
}

impl Args for CrawlCommand {
    fn augment_args(command: Command) -> Command {
        Action::augment_subcommands(CrawlArgs::augment_args(command))
            .subcommand_required(false)
            .arg_required_else_help(false)
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
            .disable_help_subcommand(true)
            .about(ABOUT)
            .after_help(AFTER)
            .after_long_help(format!("{AFTER}\n\n{MORE}"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for CrawlCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match matches.subcommand() {
            Some(_) => Action::from_arg_matches(matches).map(CrawlCommand::Act),
            None => CrawlArgs::from_arg_matches(matches).map(Box::new).map(CrawlCommand::Crawl),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(command: &CrawlCommand, cancel: &Cancel) -> Result<ExitCode> {
    match command {
        CrawlCommand::Crawl(args) => super::run(args, cancel),
        CrawlCommand::Act(Action::Explain(args)) => explain::run(args),
        CrawlCommand::Act(Action::Ctl(args)) => ctl::run(args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(typed: &[&str]) -> Result<CrawlCommand, clap::Error> {
        let command = CrawlCommand::augment_args(Command::new("crawl").no_binary_name(true));
        CrawlCommand::from_arg_matches(&command.try_get_matches_from(typed)?)
    }

    #[test]
    fn actions_stand_beside_crawling() {
        let crawl = |typed: &[&str]| matches!(parse(typed), Ok(CrawlCommand::Crawl(_)));
        assert!(crawl(&["http://a.example/", "--out", "o"]) && crawl(&["--out", "o", "--seeds", "s"]));
        assert!(crawl(&["--out", "o", "http://explain/"]));
        let Ok(CrawlCommand::Act(Action::Explain(args))) = parse(&["explain", "o", "http://a.example/"])
        else {
            panic!("no action");
        };
        assert_eq!(args.url, "http://a.example/");
        for bad in [&["explain"][..], &["http://a.example/"], &[]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
