//! The `webmill` command: one file a subcommand, nothing but arguments and glue here.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use webmill::Error;
use webmill::jobs::{
    crawl, datasets, dedup, demo, extract, graph, keywords, rank, report, run, say, schema, shape, shard,
    simweb, text,
};
use webmill::run::Cancel;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Mill crawled corpora into tables: web graph, duplicates, main text, Parquet and a report.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110, after_help = "Start with:\n  webmill demo")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunArgs),
    Demo(demo::DemoArgs),
    Crawl(Box<crawl::CrawlArgs>),
    Extract(extract::ExtractArgs),
    Text(text::TextArgs),
    Graph(graph::GraphArgs),
    Rank(rank::RankArgs),
    Shape(shape::ShapeArgs),
    Dedup(dedup::DedupArgs),
    Keywords(keywords::KeywordsArgs),
    Report(report::ReportArgs),
    Shard(shard::ShardArgs),
    Datasets(datasets::DatasetsArgs),
    Simweb(simweb::SimwebArgs),
    Schema(schema::SchemaArgs),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("WEBMILL_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    let cancel = Cancel::default();
    // Looking into shards and pages leaves nothing to resume: there Ctrl-C ends the process as usual.
    if !matches!(cli.command, Command::Shard(_) | Command::Text(_) | Command::Schema(_)) {
        stop_on_interrupt(&cancel);
    }
    let result = match cli.command {
        Command::Run(args) => run::run(&args, &cancel),
        Command::Demo(args) => demo::run(&args, &cancel),
        Command::Crawl(args) => crawl::run(&args, &cancel),
        Command::Extract(args) => extract::run(&args, &cancel),
        Command::Text(args) => text::run(&args),
        Command::Graph(args) => graph::run(&args, &cancel),
        Command::Rank(args) => rank::run(&args, &cancel),
        Command::Shape(args) => shape::run(&args, &cancel),
        Command::Dedup(args) => dedup::run(&args, &cancel),
        Command::Keywords(args) => keywords::run(&args, &cancel),
        Command::Report(args) => report::run(&args, &cancel),
        Command::Shard(args) => shard::run(args),
        Command::Datasets(args) => datasets::run(&args, &cancel),
        Command::Simweb(args) => simweb::run(&args, &cancel),
        Command::Schema(args) => schema::run(&args),
    };
    result.unwrap_or_else(|error| exit_code(&error))
}

/// The first Ctrl-C stops cleanly; a second one ends the process at once: what has a receipt resumes all the same.
fn stop_on_interrupt(cancel: &Cancel) {
    let stop = cancel.clone();
    let handler = ctrlc::set_handler(move || {
        if stop.stopped() {
            std::process::exit(130);
        }
        say!("stopping; once more to stop at once");
        stop.stop();
    });
    if let Err(error) = handler {
        tracing::warn!("Ctrl-C will not stop cleanly: {error}");
    }
}

/// 0 for a reader that went away, 1 for a refusal, 130 for Ctrl-C, 2 for everything else that went wrong.
fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error
        .chain()
        .any(|e| e.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
    {
        return ExitCode::SUCCESS;
    }
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // An error that already quotes its cause does not need it twice.
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    say!("webmill: {message}");
    match error.downcast_ref::<Error>() {
        Some(Error::Refused(_)) => ExitCode::from(1),
        Some(Error::Interrupted) => ExitCode::from(130),
        _ => ExitCode::from(2),
    }
}
