//! `webmill learn`: what pages are about, learnt from them.

mod cluster;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use webmill_run::Cancel;

/// Learn from pages: topics without labels.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill learn cluster --out results\n  webmill learn cluster --out results --k 20"
)]
pub struct LearnArgs {
    #[command(subcommand)]
    command: LearnCommand,
}

#[derive(Debug, Subcommand)]
enum LearnCommand {
    Cluster(Box<cluster::ClusterArgs>),
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &LearnArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        LearnCommand::Cluster(args) => cluster::run(args, cancel),
    }
}
