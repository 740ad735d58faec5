//! The jobs of the registry as subcommands: a further job has its own without a line here.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use webmill_run::layout::latest_link;
use webmill_run::{Cancel, Counts, Progress};

use super::args::{JobFlags, Language, Out, Results};
use crate::run_end;
use crate::schema::{self, SchemaArgs};
use webmill_jobs::builtin::{install, registry};
use webmill_jobs::catalogue;
use webmill_jobs::document_reader;
use webmill_jobs::extract::{self, too_many_unread};
use webmill_jobs::job::Context;
use webmill_jobs::recipe::Recipe;
use webmill_jobs::registry::{JobEntry, Registry};
use webmill_jobs::rules::too_many_missing;
use webmill_jobs::run_all::run_all;

/// Turn shards into tables and a report: run extract, graph, rank, shape, dedup, repeated, mirrors, keywords,
/// rules, report.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Example:\n  webmill run out/demo/crawl --out results\n\nStopped or killed, the same command goes on where it was; done, it finds everything done."
)]
pub struct RunArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    language: Language,
}

impl RunArgs {
    /// Bytes of memory to stay within.
    pub fn memory(&self) -> u64 {
        self.input.flags.budget.memory()
    }
}

/// What a job takes that reads shards.
#[derive(Debug, Clone, clap::Args)]
pub struct InputArgs {
    #[command(flatten)]
    shards: Shards,
    #[command(flatten)]
    out: Out,
    /// Put results of these shards in the place of those of other ones.
    ///
    /// Without it, shards that are not there any more or hold something else are an error: results of a corpus are added to, and not
    /// replaced by mistake.
    #[arg(long)]
    replace: bool,
    /// Flags of every job.
    #[command(flatten)]
    flags: JobFlags,
}

impl InputArgs {
    /// The context that these arguments describe, with a recipe that was read before.
    ///
    /// # Errors
    /// Where the recipe has a mistake anywhere.
    pub fn context<'a>(
        &self,
        recipe: Recipe,
        progress: &'a dyn Progress,
        cancel: &'a Cancel,
    ) -> webmill_capture::Result<Context<'a>> {
        let context = self.flags.context_with(recipe, &self.out.out, progress, cancel)?;
        Ok(context.reading(&self.shards.shards).replacing(self.replace))
    }
}

/// Shards that are read.
#[derive(Debug, Clone, clap::Args)]
pub struct Shards {
    /// Shards, folders, globs, URLs of shards, or - for stdin; recognised by content, whatever their names.
    ///
    /// Inputs given by URL are fetched first; jobs keep them in the folder of results and use the copy there.
    #[arg(required = true, value_name = "SHARDS")]
    pub shards: Vec<String>,
}

/// What a job takes that reads what earlier jobs wrote.
#[derive(Debug, Clone, clap::Args)]
pub struct ResultArgs {
    #[command(flatten)]
    results: Results,
    #[command(flatten)]
    flags: JobFlags,
}

impl ResultArgs {
    /// Runs the job.
    ///
    /// # Errors
    /// What it meets.
    pub fn run(&self, job: &str, cancel: &Cancel) -> Result<ExitCode> {
        let console = self.flags.console();
        print_committed(&self.flags.context(&self.results.folder()?, &console, cancel)?, job)
    }
}

/// Adds a subcommand for every job that `command` does not know yet.
pub fn add_subcommands(mut command: Command) -> Command {
    for job in registry().jobs().iter().filter(|job| !job.optional) {
        if command.find_subcommand(job.name).is_none() {
            let bare = Command::new(job.name);
            let with_arguments = match job.reads_shards {
                true => InputArgs::augment_args(bare),
                false => ResultArgs::augment_args(bare),
            };
            // The arguments' own descriptions would stand in their place else.
            command = {
                let reads =
                    if job.reads_shards { "out/demo/crawl --out results" } else { "out/demo/results" };
                let example = format!("Example:\n  {} {} {reads}", command.get_name(), job.name);
                command.subcommand(with_arguments.about(job.about).after_help(example))
            };
        }
    }
    command
}

/// The job of that name.
pub fn find(name: &str) -> Option<&'static JobEntry> {
    registry().find(name).filter(|job| !job.optional)
}

/// Runs a job by the arguments that [`add_subcommands`] declared.
///
/// # Errors
/// What the job meets.
pub fn run(job: &JobEntry, matches: &ArgMatches, cancel: &Cancel) -> Result<ExitCode> {
    if !job.reads_shards {
        return ResultArgs::from_arg_matches(matches)?.run(job.name, cancel);
    }
    let args = InputArgs::from_arg_matches(matches)?;
    let console = args.flags.console();
    print_committed(&args.context(args.flags.read_recipe()?, &console, cancel)?, job.name)
}

/// A whole program over a registry of one's own: `run`, `schema` and a subcommand for each job. Other programs' `main` calls
/// it; see `examples/own_job`. It returns the exit code.
pub fn program(name: &'static str, registry: Registry) -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == document_reader::SUBCOMMAND) {
        return document_reader::serve().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    if let Ok(program) = std::env::current_exe() {
        document_reader::start_by(vec![program.into(), document_reader::SUBCOMMAND.into()]);
    }
    install(registry);
    let run = RunArgs::augment_args(Command::new("run"));
    let schema = SchemaArgs::augment_args(Command::new("schema"));
    let command = Command::new(name).subcommand_required(true).subcommand(run).subcommand(schema);
    act(&add_subcommands(command).get_matches()).unwrap_or_else(|error| {
        webmill_jobs::say!("{name}: {error:#}");
        ExitCode::from(2)
    })
}

fn act(matches: &ArgMatches) -> Result<ExitCode> {
    let cancel = Cancel::default();
    match matches.subcommand() {
        Some(("run", args)) => run_everything(&RunArgs::from_arg_matches(args)?, &cancel),
        Some(("schema", args)) => schema::run(&SchemaArgs::from_arg_matches(args)?),
        Some((job, args)) => match find(job) {
            Some(job) => run(job, args, &cancel),
            None => bail!("no job is called {job}"),
        },
        None => bail!("no subcommand"),
    }
}

/// Runs every job on shards, and ends with what came of it.
///
/// # Errors
/// What a job meets.
pub fn run_everything(args: &RunArgs, cancel: &Cancel) -> Result<ExitCode> {
    let (input, console) = (&args.input, args.input.flags.console());
    let mut recipe = input.flags.read_recipe()?;
    args.language.set(&mut recipe);
    let context = input.context(recipe, &console, cancel)?;
    let report = run_all(&context)?.filter(|_| !context.is_dry_run());
    let code = finish(&context)?;
    if report.is_some() {
        run_end::print(&context, args.language.lang())?;
    }
    Ok(code)
}

/// Runs a job and prints where its results are, a name without the key; nothing where it was only asked what would be done.
///
/// # Errors
/// What the job meets; where standard output cannot be written.
pub fn print_committed(context: &Context<'_>, job: &str) -> Result<ExitCode> {
    let committed = context.run_entry(job)?;
    if job == extract::ENTRY.name {
        extract::say_what_was_read(context);
    }
    if committed.is_some() && !context.is_dry_run() {
        webmill_jobs::print(&format!("{}\n", latest_link(&context.runtime.out, job).display()))?;
    }
    finish(context)
}

/// Prints the messages at the end of a call's jobs; returns the exit code.
///
/// # Errors
/// Where results cannot be read.
pub fn finish(context: &Context<'_>) -> Result<ExitCode> {
    warn_of_stale(context);
    exit_code(context)
}

/// Says which results do not fit the others, once all jobs of the call are done.
fn warn_of_stale(context: &Context<'_>) {
    if !context.is_dry_run() {
        catalogue::warn(&context.runtime.out, context.registry(), context.runtime.progress);
    }
}

/// 1 where a file could not be read to its end, more records are bad than `--max-bad` allows, no page is among them, too much of what rules
/// follow is missing, or too many documents were not read, though the jobs are done; else 0.
fn exit_code(context: &Context<'_>) -> Result<ExitCode> {
    let results = context.results();
    let lacks = |counts: &Counts| !counts.unreadable.is_empty() || counts.is_beyond(context.runtime.max_bad);
    let lacks = results.values().any(|committed| lacks(&committed.manifest.counts));
    let lacking: Vec<String> =
        [too_many_missing(context)?, too_many_unread(context)?].into_iter().flatten().collect();
    lacking.iter().for_each(|told| webmill_jobs::say!("{told}"));
    Ok(ExitCode::from(u8::from(lacks || extract::has_no_page(context) || !lacking.is_empty())))
}
