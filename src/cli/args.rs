//! Flags that more than one command has: each is declared here once, so that it is called and explained alike everywhere.
//!
//! A flag of a name has one value name and one text in all commands (`tests/suite/flags.rs` holds that). What it defaults to
//! where it is left out, a command says in its own words.

mod old;
mod results;

use std::path::{Path, PathBuf};

use webmill_capture::Result;
use webmill_run::{Cancel, Job, Progress};
use webmill_serve::surface::Lang;

use webmill_jobs::builtin::registry;
use webmill_jobs::console::Console;
use webmill_jobs::job::Context;
use webmill_jobs::machine::processors;
use webmill_jobs::recipe::Recipe;
use webmill_jobs::report::Report;
pub use webmill_jobs::run_options::parse_size;
use webmill_jobs::run_options::{
    DEFAULT_MAX_BAD, RunOptions, check_memory, check_share, check_threads, default_memory, thread_pool,
};

pub use old::old_spelling;
pub use results::{Results, ResultsOrGraph, ResultsOrPages};
pub use webmill_jobs::job::is_results;

/// Where something new is written, for commands that cannot do without.
#[derive(Debug, Clone, clap::Args)]
pub struct Out {
    /// Folder or file to write.
    #[arg(short, long, value_name = "PATH")]
    pub out: PathBuf,
}

/// Where something new is written, for commands that have a place of their own for it.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct OutOption {
    /// Folder or file to write.
    #[arg(short, long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// Processors and memory.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Budget {
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    memory: Memory,
}

impl Budget {
    /// Threads to use.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }

    /// Bytes of memory to stay within.
    pub fn memory(&self) -> u64 {
        self.memory.bytes()
    }

    /// Bytes of memory that were asked for.
    pub fn memory_asked(&self) -> Option<u64> {
        self.memory.memory
    }

    /// A thread pool of these threads.
    ///
    /// # Errors
    /// Where they cannot be started.
    pub fn pool(&self) -> Result<rayon::ThreadPool> {
        self.threads.pool()
    }
}

/// Processors.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Threads {
    /// Threads to use [default: all processors].
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,
}

impl Threads {
    /// Threads to use.
    pub fn count(&self) -> usize {
        self.threads.unwrap_or_else(processors)
    }

    /// A thread pool of these threads.
    ///
    /// # Errors
    /// Where they cannot be started.
    pub fn pool(&self) -> Result<rayon::ThreadPool> {
        thread_pool(self.count())
    }
}

/// Memory.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Memory {
    /// Most memory to use, such as 512MiB [default: 4GiB; of a crawl 1GiB].
    ///
    /// The default is at most three quarters of what the machine, or its container, has.
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
}

impl Memory {
    /// Bytes to stay within.
    pub fn bytes(&self) -> u64 {
        self.memory.unwrap_or_else(default_memory)
    }
}

/// How large records may be.
#[derive(Debug, Clone, clap::Args)]
pub struct MaxRecord {
    /// Largest record held in memory.
    #[arg(long, value_name = "SIZE", default_value = "64MiB", value_parser = parse_size, hide_short_help = true)]
    pub max_record: u64,
}

/// How much damage is no failure.
#[derive(Debug, Clone, clap::Args)]
pub struct MaxBad {
    /// Share of damaged records, or of lost bytes, beyond which nothing is committed, unless it is three records at most; 0 refuses these, and
    /// files that are cut off, too.
    #[arg(long, value_name = "SHARE", default_value_t = DEFAULT_MAX_BAD, value_parser = parse_share, hide_short_help = true)]
    pub max_bad: f64,
}

/// The recipe, and settings that override it.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct RecipeFlags {
    /// File of settings, a table for each job (docs/settings.md).
    #[arg(long, value_name = "FILE.toml")]
    recipe: Option<PathBuf>,
    /// Override a setting of the recipe, such as rank.damping=0.9; may be repeated.
    #[arg(long, value_name = "TABLE.KEY=VALUE")]
    set: Vec<String>,
}

impl RecipeFlags {
    /// Whether there is a recipe of its own.
    pub fn has_file(&self) -> bool {
        self.recipe.is_some()
    }

    /// The recipe with what `--set` overrides, for commands whose flags override some of it before it is checked.
    ///
    /// # Errors
    /// Where it cannot be read, or `--set` names no setting.
    pub fn read(&self) -> Result<Recipe> {
        let recipe = self.recipe.as_ref().map_or_else(|| Ok(Recipe::default()), |path| Recipe::read(path))?;
        self.over(recipe)
    }

    /// Another recipe with what `--set` overrides.
    ///
    /// # Errors
    /// Where `--set` names no setting.
    pub fn over(&self, mut recipe: Recipe) -> Result<Recipe> {
        self.set.iter().try_for_each(|text| recipe.assign(text))?;
        Ok(recipe)
    }
}

/// How many are printed.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Top {
    /// Print only this many, the best first.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
}

/// How many pages.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Pages {
    /// Number of pages at which a crawl stops, or that a generated Web has.
    #[arg(long, value_name = "N")]
    pub pages: Option<u64>,
}

/// A host.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Host {
    /// Host whose nodes are exported, or whose logs these are.
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
}

/// Shards of results that lie elsewhere than when they were read.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ShardsOption {
    /// The shards that the results are of [default: where they lay when they were read].
    #[arg(long, value_name = "SHARDS")]
    pub shards: Vec<String>,
}

/// Whether pages are mails.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Mail {
    /// Files are mails or posts: their heads and quoted lines are left out.
    #[arg(long)]
    pub mail: bool,
}

/// Labels of pages.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Labels {
    /// Labels of pages, lines of url,label: .csv, .tsv, .json, .jsonl or .parquet.
    #[arg(long, value_name = "FILE")]
    pub labels: Option<String>,
}

/// The address of one page.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Address {
    /// Address of the page, against which its links are resolved.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
}

/// Files of URLs.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Seeds {
    /// File of URLs, one a line, # for comments; - for stdin.
    #[arg(long, value_name = "FILE")]
    pub seeds: Vec<PathBuf>,
}

/// Whether anything is done.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct DryRun {
    /// Print what would be done, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// Whether each step is told.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Verbose {
    /// Print each step and how long it took.
    #[arg(short, long, hide_short_help = true)]
    pub verbose: bool,
}

/// The language of texts for people.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Language {
    /// Language of the report, the museum and the last lines of a run [default: the locale's; of the museum the browser's].
    #[arg(long, value_name = "LANG", value_parser = ["en", "zh"], hide_short_help = true)]
    lang: Option<String>,
}

impl Language {
    /// The language that was asked for.
    pub fn asked(&self) -> Option<Lang> {
        self.lang.as_deref().and_then(Lang::named)
    }

    /// The language that was asked for, else that of the locale.
    pub fn lang(&self) -> Lang {
        self.asked().unwrap_or_else(|| Lang::of_locale(|name| std::env::var(name).ok()))
    }

    /// Sets the language of the report: the one that was asked for, else that of a recipe, else that of the locale.
    pub fn set(&self, recipe: &mut Recipe) {
        let lang = self.lang();
        // English is what the report is in where nothing is said: results of the same settings have the same key.
        if self.asked().is_some() || lang != Lang::default() && !recipe.has(Report::NAME, "lang") {
            recipe.set(Report::NAME, "lang", lang.name());
        }
    }
}

/// Flags of every job.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "How it runs")]
pub struct JobFlags {
    #[command(flatten)]
    recipe: RecipeFlags,
    /// Threads and memory.
    #[command(flatten)]
    pub budget: Budget,
    /// How much damage is no failure.
    #[command(flatten)]
    pub damage: MaxBad,
    #[command(flatten)]
    verbose: Verbose,
    #[command(flatten)]
    dry: DryRun,
}

impl JobFlags {
    /// Flags of a program that sets them itself.
    pub fn of(threads: &Threads, memory: u64, max_bad: f64) -> Self {
        JobFlags {
            recipe: RecipeFlags::default(),
            budget: Budget { threads: threads.clone(), memory: Memory { memory: Some(memory) } },
            damage: MaxBad { max_bad },
            verbose: Verbose::default(),
            dry: DryRun::default(),
        }
    }

    /// The context that these flags describe for the jobs of the registry: results in the folder `out`.
    ///
    /// # Errors
    /// Where the recipe cannot be read or has a mistake anywhere.
    pub fn context<'a>(
        &self,
        out: &Path,
        progress: &'a dyn Progress,
        cancel: &'a Cancel,
    ) -> Result<Context<'a>> {
        self.context_with(self.read_recipe()?, out, progress, cancel)
    }

    /// The same with a recipe that flags have overridden.
    ///
    /// # Errors
    /// Where the recipe has a mistake anywhere, or the memory is too small.
    pub fn context_with<'a>(
        &self,
        recipe: Recipe,
        out: &Path,
        progress: &'a dyn Progress,
        cancel: &'a Cancel,
    ) -> Result<Context<'a>> {
        self.options(recipe, out).context(progress, cancel)
    }

    /// What these flags say, for jobs with this recipe.
    fn options(&self, recipe: Recipe, out: &Path) -> RunOptions {
        RunOptions {
            threads: self.budget.threads(),
            memory: self.budget.memory(),
            max_bad: self.damage.max_bad,
            dry_run: self.dry.dry_run,
            ..RunOptions::new(out.to_path_buf(), recipe)
        }
    }

    /// The console on which jobs with these flags tell how far they are.
    pub fn console(&self) -> Console {
        Console::new(self.verbose.verbose)
    }

    /// Bytes of memory to stay within.
    ///
    /// # Errors
    /// `Error::Config` for less than jobs can work with.
    pub fn memory(&self) -> Result<u64> {
        check_memory(self.budget.memory())
    }

    /// Whether it only says what would be done.
    pub fn is_dry_run(&self) -> bool {
        self.dry.dry_run
    }

    /// The recipe, checked whole.
    ///
    /// # Errors
    /// Where it cannot be read or has a mistake anywhere.
    pub fn recipe(&self) -> Result<Recipe> {
        let recipe = self.read_recipe()?;
        registry().check_recipe(&recipe)?;
        Ok(recipe)
    }

    /// The recipe as it is written and `--set` overrides it, for commands whose flags override more before it is checked.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn read_recipe(&self) -> Result<Recipe> {
        self.recipe.read()
    }
}

/// Parses a number of threads.
///
/// # Errors
/// For anything but a number, for 0, or for more threads than the machine can use.
fn parse_threads(text: &str) -> Result<usize, String> {
    check_threads(text.parse().unwrap_or(0)).map_err(|why| format!("{text}: {why}"))
}

fn parse_share(text: &str) -> Result<f64, String> {
    check_share(text.parse().unwrap_or(f64::NAN)).map_err(|why| format!("{text}: {why}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// A command that has all flags of this file.
    #[derive(Debug, Parser)]
    struct All {
        #[command(flatten)]
        job: JobFlags,
        #[command(flatten)]
        out: OutOption,
        #[command(flatten)]
        max_record: MaxRecord,
        #[command(flatten)]
        top: Top,
        #[command(flatten)]
        pages: Pages,
        #[command(flatten)]
        host: Host,
        #[command(flatten)]
        shards: ShardsOption,
        #[command(flatten)]
        mail: Mail,
        #[command(flatten)]
        labels: Labels,
        #[command(flatten)]
        address: Address,
        #[command(flatten)]
        seeds: Seeds,
    }

    fn parse(line: &str) -> Result<All, clap::Error> {
        All::try_parse_from(std::iter::once("webmill").chain(line.split_whitespace()))
    }

    /// What a flag sets, as text.
    type Value = fn(&All) -> String;

    #[test]
    fn each_flag_has_its_default_both_spellings_and_its_range() {
        // (flag, its default, a value that is accepted and how it is read, one that is not)
        let cases: [(&str, Value, &str, &str, &str, &str); 14] = [
            (
                "--memory",
                |all| all.job.budget.memory().to_string(),
                &default_memory().to_string(),
                "1GiB",
                "1073741824",
                "much",
            ),
            ("--max-bad", |all| all.job.damage.max_bad.to_string(), "0.01", "0.5", "0.5", "1.5"),
            (
                "--max-record",
                |all| all.max_record.max_record.to_string(),
                "67108864",
                "1MiB",
                "1048576",
                "-1",
            ),
            (
                "--recipe",
                |all| format!("{:?}", all.job.recipe.recipe),
                "None",
                "r.toml",
                "Some(\"r.toml\")",
                "",
            ),
            (
                "--set",
                |all| format!("{:?}", all.job.recipe.set),
                "[]",
                "rank.lean=true",
                "[\"rank.lean=true\"]",
                "",
            ),
            ("--out", |all| format!("{:?}", all.out.out), "None", "new", "Some(\"new\")", ""),
            ("-o", |all| format!("{:?}", all.out.out), "None", "new", "Some(\"new\")", ""),
            ("--top", |all| format!("{:?}", all.top.top), "None", "3", "Some(3)", "-3"),
            ("--pages", |all| format!("{:?}", all.pages.pages), "None", "5", "Some(5)", "five"),
            ("--host", |all| format!("{:?}", all.host.host), "None", "a.example", "Some(\"a.example\")", ""),
            ("--shards", |all| format!("{:?}", all.shards.shards), "[]", "a.warc", "[\"a.warc\"]", ""),
            ("--labels", |all| format!("{:?}", all.labels.labels), "None", "l.csv", "Some(\"l.csv\")", ""),
            (
                "--url",
                |all| format!("{:?}", all.address.url),
                "None",
                "http://a.example/",
                "Some(\"http://a.example/\")",
                "",
            ),
            ("--seeds", |all| format!("{:?}", all.seeds.seeds), "[]", "-", "[\"-\"]", ""),
        ];
        for (flag, value, default, good, read, bad) in cases {
            assert_eq!(value(&parse("").unwrap()), default, "{flag}");
            for line in [format!("{flag} {good}"), format!("{flag}={good}")] {
                assert_eq!(value(&parse(&line).unwrap()), read, "{line}");
            }
            assert!(parse(flag).is_err(), "{flag} needs a value");
            assert!(bad.is_empty() || parse(&format!("{flag}={bad}")).is_err(), "{flag}={bad}");
        }
    }

    #[test]
    fn what_may_be_repeated_adds_up_and_else_is_an_error() {
        assert_eq!(parse("--seeds a --seeds b").unwrap().seeds.seeds.len(), 2);
        assert_eq!(parse("--shards a --shards b").unwrap().shards.shards, ["a", "b"]);
        assert!(parse("--top 1 --top 2").unwrap_err().to_string().contains("cannot be used multiple times"));
        for switch in ["--mail", "--verbose", "-v", "--dry-run"] {
            assert!(parse(switch).is_ok() && parse(&format!("{switch}=yes")).is_err(), "{switch}");
        }
    }

    #[test]
    fn threads_are_bounded() {
        assert_eq!(parse("--threads 3").unwrap().job.budget.threads(), 3);
        for bad in ["0", "100000", "-1", "many", ""] {
            let error = parse(&format!("--threads={bad}")).unwrap_err().to_string();
            assert!(bad.is_empty() || error.contains("from 1 to"), "{bad}: {error}");
        }
    }
}
