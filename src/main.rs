//! The `webmill` command: arguments in, a call to the jobs' library, an exit code out.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use webmill::Error;
use webmill::cli::{
    args, count, crawl, datasets, dedup, demo, filter, graph, index, jobs, learn, overview, query, rank,
    reference, report, results, rules, schema, serve, shape, shard, show, text, wacz,
};
use webmill::jobs::run_options::default_memory;
use webmill::jobs::{document_reader, say};
use webmill::run::Cancel;

#[cfg(feature = "sql")]
mod sql;
#[cfg(feature = "tokens")]
mod tokens;

#[cfg(feature = "sql")]
const ANSWER: Option<query::Answer> = Some(sql::answer);
#[cfg(not(feature = "sql"))]
const ANSWER: Option<query::Answer> = None;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Mill crawled corpora into tables: web graph, duplicates, main text, Parquet and a report.
#[derive(Debug, Parser)]
#[command(name = "webmill", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Subcommands with arguments of their own; every other job of the registry has one besides.
#[derive(Debug, Subcommand)]
enum Command {
    Run(jobs::RunArgs),
    Demo(demo::DemoArgs),
    Crawl(Box<crawl::CrawlCommand>),
    Text(text::TextArgs),
    Graph(graph::GraphArgs),
    Rank(rank::RankArgs),
    Shape(shape::ShapeArgs),
    Report(report::ReportArgs),
    Dedup(Box<dedup::DedupArgs>),
    Filter(Box<filter::FilterArgs>),
    Rules(rules::RulesArgs),
    Learn(Box<learn::LearnArgs>),
    Count(count::CountArgs),
    Show(show::ShowArgs),
    Query(query::QueryArgs),
    Shard(shard::ShardArgs),
    Index(index::IndexArgs),
    Wacz(wacz::WaczArgs),
    Serve(Box<serve::ServeArgs>),
    Datasets(datasets::DatasetsArgs),
    Results(results::ResultsArgs),
    Schema(schema::SchemaArgs),
    /// Print the script with which a shell completes webmill's arguments.
    #[command(
        after_help = "Example:\n  webmill completions bash > ~/.local/share/bash-completion/completions/webmill"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print every subcommand with its arguments as JSON: what docs/commands is made from.
    #[command(hide = true)]
    Reference,
    /// Write a manual page for every subcommand.
    #[command(after_help = "Example:\n  webmill man ~/.local/share/man/man1 && man webmill-graph-info")]
    Man {
        /// Folder that takes the pages.
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    #[cfg(feature = "tokens")]
    webmill::jobs::signals::install_tokenizers(tokens::load);
    if std::env::args_os().nth(1).is_some_and(|first| first == document_reader::SUBCOMMAND) {
        return document_reader::serve().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    // What the reader of pictures misses in them concerns nobody.
    let usual = |_| "warn,nom_exif=off".into();
    let filter = tracing_subscriber::EnvFilter::try_from_env("WEBMILL_LOG").unwrap_or_else(usual);
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    if let Ok(program) = std::env::current_exe() {
        document_reader::start_by(vec![program.into(), document_reader::SUBCOMMAND.into()]);
    }
    run(std::env::args_os()).unwrap_or_else(|error| exit_code(&error))
}

fn run(arguments: impl Iterator<Item = OsString>) -> anyhow::Result<ExitCode> {
    let arguments: Vec<OsString> = arguments.collect();
    if let Some(new) = args::old_spelling(&command(), &arguments) {
        anyhow::bail!(new);
    }
    let matches = command().get_matches_from(arguments);
    let cancel = Cancel::default();
    // Looking into shards and pages leaves nothing to resume: there Ctrl-C ends the process as usual.
    let only_looks = match matches.subcommand() {
        Some((
            "shard" | "query" | "index" | "text" | "schema" | "reference" | "completions" | "man" | "show",
            _,
        )) => true,
        Some(("graph", of)) => of.subcommand_name() == Some("path"),
        Some(("count", of)) => count::only_looks(of.subcommand_name()),
        Some(("rules", of)) => rules::only_looks(of.subcommand_name()),
        Some(("dedup", of)) => matches!(of.subcommand_name(), Some("diff" | "similar")),
        _ => false,
    };
    if !only_looks {
        stop_on_interrupt(&cancel);
    }
    let memory = memory_asked(&matches).unwrap_or_else(default_memory);
    if memory < MUCH_MEMORY {
        give_memory_back_at_once();
    }
    if let Some((name, of_job)) = matches.subcommand()
        && !Cli::command().get_subcommands().any(|known| known.get_name() == name)
        && let Some(job) = jobs::find(name)
    {
        if memory >= MUCH_MEMORY {
            keep_memory();
        }
        return jobs::run(job, of_job, &cancel);
    }
    match Cli::from_arg_matches(&matches)?.command {
        Command::Run(args) => {
            if args.memory() >= MUCH_MEMORY {
                keep_memory();
            }
            jobs::run_everything(&args, &cancel)
        }
        Command::Demo(args) => demo::run(&args, &cancel),
        Command::Crawl(args) => crawl::act(&args, &cancel),
        Command::Text(args) => text::run(&args),
        Command::Graph(args) => graph::run(&args, &cancel),
        Command::Rank(args) => {
            if args.is_lean() {
                give_memory_back_at_once();
            }
            rank::run(&args, &cancel)
        }
        Command::Shape(args) => shape::run(&args, &cancel),
        Command::Report(args) => report::run(&args, &cancel),
        Command::Dedup(args) => dedup::run(&args, &cancel),
        Command::Filter(args) => filter::run(&args, &cancel),
        Command::Count(args) => count::run(&args, &cancel),
        Command::Rules(args) => rules::run(&args, &cancel),
        Command::Learn(args) => {
            use_small_pages();
            learn::run(&args, &cancel)
        }
        Command::Show(args) => show::run(&args),
        Command::Query(args) => query::run(&args, ANSWER),
        Command::Shard(args) => shard::run(args),
        Command::Index(args) => index::run(&args),
        Command::Serve(args) => serve::run(&args, &cancel),
        Command::Wacz(args) => wacz::run(&args, &cancel),
        Command::Datasets(args) => datasets::run(&args, &cancel),
        Command::Results(args) => results::run(&args, &cancel),
        Command::Schema(args) => schema::run(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command(), "webmill", &mut script);
            webmill::jobs::print(&String::from_utf8_lossy(&script))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Reference => reference::run(&command()),
        Command::Man { folder } => {
            std::fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, e))?;
            clap_mangen::generate_to(command(), &folder).map_err(|e| Error::io(&folder, e))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The bytes that `--memory` names.
fn memory_asked(matches: &ArgMatches) -> Option<u64> {
    let named = matches.try_get_one::<u64>("memory").ok().flatten().copied();
    named.or_else(|| memory_asked(matches.subcommand()?.1))
}

/// All subcommands.
fn command() -> clap::Command {
    overview::grouped(jobs::add_subcommands(Cli::command()))
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

/// Takes memory from the system by pages of 4 KiB instead of 2 MiB, which the allocator asks for: runs of a second or less spend up to
/// half of it on having large pages cleared of which they use a part.
fn use_small_pages() {
    #[cfg(target_os = "linux")]
    // SAFETY: the call takes numbers here; where it fails nothing changes.
    unsafe {
        libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
}

/// Lets the allocator return what is freed to the system at once instead of after 10 ms: large records, pages and buffers are held for a
/// moment each, on many threads, and what each thread keeps adds up past a small `--memory`. That costs up to a tenth of the time.
/// Ranking in little memory frees one set of long vectors before it takes the next.
fn give_memory_back_at_once() {
    delay_giving_back(0);
}

/// Memory of a run from which on the allocator keeps freed memory.
const MUCH_MEMORY: u64 = 2 << 30;

/// Lets the allocator keep freed memory: the next job uses it again, and the system need not clear it, which is a twelfth of a short run.
fn keep_memory() {
    delay_giving_back(-1);
}

/// Freed memory goes back to the system after this many milliseconds; never if negative.
fn delay_giving_back(milliseconds: std::ffi::c_long) {
    /// `mi_option_purge_delay` of mimalloc.h; the crate does not name it.
    const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
    // SAFETY: the option is read as a number wherever it is used, and no other thread runs yet that sets one.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, milliseconds) };
}
