//! `webmill learn`: classes of pages, learnt from labelled ones, and topics without labels.

mod apply;
mod cluster;
mod train;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use webmill_run::Cancel;

/// Learn classes from labelled pages and predict those of other pages; find topics without labels.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill learn train out/demo/results --labels labels.csv\n  webmill learn apply out/demo/results\n  webmill learn train posts/ --mail --test later-posts/ --out model\n  webmill learn cluster out/demo/results --k 20"
)]
pub struct LearnArgs {
    #[command(subcommand)]
    command: LearnCommand,
}

#[derive(Debug, Subcommand)]
enum LearnCommand {
    Features(Box<train::FeaturesArgs>),
    Train(Box<train::TrainArgs>),
    Apply(Box<apply::ApplyArgs>),
    Cluster(Box<cluster::ClusterArgs>),
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &LearnArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        LearnCommand::Features(args) => train::features(args, cancel),
        LearnCommand::Train(args) => train::train(args, cancel),
        LearnCommand::Apply(args) => apply::run(args, cancel),
        LearnCommand::Cluster(args) => cluster::run(args, cancel),
    }
}
