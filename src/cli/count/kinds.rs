//! `webmill count backlinks`, `host-terms`, `index`, `visits`, `sort`: jobs over the named inputs, with the recipe's settings.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Job};

use crate::args::{Host, JobFlags, OutOption, Results};
use crate::jobs::{ResultArgs, print_committed};
use webmill_jobs::count::sort::CountSort;
use webmill_jobs::count::visits::CountVisits;

/// List the links to each page and the anchors that name it.
///
/// Table count_backlinks has a row per URL that is linked to, with links, linking pages and the pairs of page and anchor, the first 1,000 of each;
/// table count_anchors each text of links to it with how many have it. Both are sorted by SURT, so that a host or a domain is one range. Links of superseded
/// captures, of kinds that make no arcs, and of a page to itself are left out and counted.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count backlinks out/demo/results\n  webmill query out/demo/results \"SELECT url, num_sources FROM count_backlinks ORDER BY num_sources DESC LIMIT 10\""
)]
pub struct BacklinksArgs {
    #[command(flatten)]
    pub(super) job: ResultArgs,
}

/// Find the terms that tell what each host is about: the best by tf·idf.
///
/// Table count_host_terms has a row per host. Words of few texts of the corpus are left out: they are names and mistakes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count host-terms out/demo/results\n  webmill count host-terms out/demo/results --set count-host-terms.most=20 --set count-host-terms.min_df=5"
)]
pub struct HostTermsArgs {
    #[command(flatten)]
    pub(super) job: ResultArgs,
}

/// Index the words of the main texts, with their places: what count search and rank --query answer by.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill count index out/demo/results\n  webmill count search out/demo/results '\"web archives\" history'"
)]
pub struct IndexArgs {
    #[command(flatten)]
    pub(super) job: ResultArgs,
}

/// Count the visits of pages by access logs of their servers, in the common or combined format of Apache and nginx.
///
/// Requests by GET that were answered with 200 to 299 or 304 count; all others are counted by reason. Targets without a host are of --host, without it
/// they are left out. A line that is none is a damaged record: see --max-bad, and table rejects for samples (count-visits_rejects beside other results). With --out a folder of its own takes the
/// table, and all arguments are logs.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill count visits [OPTIONS] [RESULTS] <LOGS>...",
    after_help = "Examples:\n  webmill count visits out/demo/results access.log access.log.1.gz --host https://www.example.org\n  webmill count visits logs/ --host www.example.org --out visits"
)]
pub struct VisitsArgs {
    #[command(flatten)]
    results: Results,
    /// Logs, and folders of them; gzip is unpacked.
    logs: Vec<String>,
    #[command(flatten)]
    host: Host,
    #[command(flatten)]
    out: OutOption,
    #[command(flatten)]
    flags: JobFlags,
}

impl VisitsArgs {
    pub(super) fn run(&self, cancel: &Cancel) -> Result<ExitCode> {
        let (folder, logs) = self.results.or_new(&self.logs, &self.out)?;
        anyhow::ensure!(!logs.is_empty(), "<LOGS> is missing: webmill count visits [RESULTS] <LOGS>...");
        let logs: Vec<toml::Value> = logs.into_iter().map(toml::Value::from).collect();
        let mut settings = vec![("logs", logs.into())];
        settings.extend(self.host.host.clone().map(|host| ("host", host.into())));
        run(&self.flags, &folder, CountVisits::NAME, settings, cancel)
    }
}

/// Write a table of results in the order of a column, as table count_sort.
///
/// Rows without a value come last, equal values keep the order of their rows. Of several files the order goes on from each to the next.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill count sort [OPTIONS] --table <TABLE> [RESULTS] <COLUMN>",
    after_help = "Examples:\n  webmill count sort out/demo/results num_words --table texts --set count-sort.descending=true\n  webmill count sort out/demo/results fetch_time --table pages"
)]
pub struct SortArgs {
    #[command(flatten)]
    results: Results,
    /// Column by whose values rows are sorted.
    column: Option<String>,
    /// Table of the results that is meant.
    #[arg(long, value_name = "TABLE", required = true)]
    table: String,
    #[command(flatten)]
    flags: JobFlags,
}

impl SortArgs {
    pub(super) fn run(&self, cancel: &Cancel) -> Result<ExitCode> {
        let (folder, [column]) = self.results.before([&self.column], ["COLUMN"])?;
        let settings = vec![("column", column.into()), ("table", self.table.clone().into())];
        run(&self.flags, &folder, CountSort::NAME, settings, cancel)
    }
}

fn run(
    flags: &JobFlags,
    folder: &Path,
    job: &'static str,
    settings: Vec<(&str, toml::Value)>,
    cancel: &Cancel,
) -> Result<ExitCode> {
    let console = flags.console();
    let mut recipe = flags.read_recipe()?;
    settings.into_iter().for_each(|(name, value)| recipe.set(job, name, value));
    print_committed(&flags.context_with(recipe, folder, &console, cancel)?, job)
}
