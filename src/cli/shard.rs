//! `webmill shard`: look into shards, check, recover, split and convert them.

mod cat;
mod check;
mod copy;
mod ls;
pub(super) mod sources;

use std::process::ExitCode;

use anyhow::Result;

/// List, check, recover, split and convert shards.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill shard check out/demo/crawl && webmill shard ls out/demo/crawl/shards/*.rawdb | less"
)]
pub struct ShardArgs {
    #[command(subcommand)]
    command: ShardCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ShardCommand {
    Ls(ls::LsArgs),
    Cat(cat::CatArgs),
    Check(check::CheckArgs),
    Recover(copy::RecoverArgs),
    Split(copy::SplitArgs),
    Convert(copy::ConvertArgs),
}

/// Runs the command.
pub fn run(args: ShardArgs) -> Result<ExitCode> {
    match args.command {
        ShardCommand::Ls(args) => ls::run(&args),
        ShardCommand::Cat(args) => cat::run(&args),
        ShardCommand::Check(args) => check::run(&args),
        ShardCommand::Recover(args) => copy::recover(&args),
        ShardCommand::Split(args) => copy::split(&args),
        ShardCommand::Convert(args) => copy::convert(&args),
    }
}
