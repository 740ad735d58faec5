//! `webmill count backlinks`, `host-terms`, `index`, `visits`, `sort`: their flags, over the recipe's settings.

use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Job};

use super::Overrides;
use crate::command::jobs::print_committed;
use crate::console::Console;
use crate::count::backlinks::CountBacklinks;
use crate::count::host_terms::CountHostTerms;
use crate::count::index::CountIndex;
use crate::count::sort::CountSort;
use crate::count::visits::CountVisits;
use crate::settings::Common;

/// List the links to each page and the anchors that name it.
///
/// Table count_backlinks has a row a URL that is linked to, with links, linking pages and the pairs of page and anchor, the first 1,000 of each;
/// table count_anchors each text of links to it with how many have it. Both are sorted by SURT, so that a host or a domain is one range. Links of superseded
/// captures, of kinds that make no arcs, and of a page to itself are left out and counted.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count backlinks --out results\n  webmill query \"SELECT url, num_sources FROM count_backlinks ORDER BY num_sources DESC LIMIT 10\" --results results"
)]
pub struct BacklinksArgs {
    /// Pairs of page and anchor that are listed of each URL [default: 1000].
    #[arg(long, value_name = "N")]
    most: Option<u32>,
    #[command(flatten)]
    common: Common,
}

impl BacklinksArgs {
    pub(super) fn run(&self, cancel: &Cancel) -> Result<ExitCode> {
        run(&self.common, CountBacklinks::NAME, cancel, |set| set.number("most", self.most))
    }
}

/// Find the terms that tell what each host is about: the best by tf·idf.
///
/// Table count_host_terms has a row a host. Words of few texts of the corpus are left out: they are names and mistakes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count host-terms --out results\n  webmill count host-terms --out results --most 20 --min-df 5"
)]
pub struct HostTermsArgs {
    /// Terms of a host [default: 100].
    #[arg(long, value_name = "N")]
    most: Option<u32>,
    /// Texts of the corpus that must hold a term [default: 2].
    #[arg(long, value_name = "N")]
    min_df: Option<u32>,
    #[command(flatten)]
    common: Common,
}

impl HostTermsArgs {
    pub(super) fn run(&self, cancel: &Cancel) -> Result<ExitCode> {
        run(&self.common, CountHostTerms::NAME, cancel, |set| {
            set.number("most", self.most);
            set.number("min_df", self.min_df);
        })
    }
}

/// Index the words of the main texts, with their places: what count search and rank --query answer by.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill count index --out results\n  webmill count search '\"web archives\" history' --out results"
)]
pub struct IndexArgs {
    #[command(flatten)]
    common: Common,
}

impl IndexArgs {
    pub(super) fn run(&self, cancel: &Cancel) -> Result<ExitCode> {
        run(&self.common, CountIndex::NAME, cancel, |_| ())
    }
}

/// Count the visits of pages by access logs of their servers, in the common or combined format of Apache and nginx.
///
/// Requests by GET that were answered with 200 to 299 or 304 count; all others are counted by reason. A line that is none is a damaged record: see
/// --max-bad, and table rejects for samples.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count visits access.log access.log.1.gz --host https://www.example.org --out results\n  webmill count visits logs/ --host www.example.org --out results"
)]
pub struct VisitsArgs {
    /// Logs, and folders of them; gzip is unpacked.
    #[arg(required = true)]
    logs: Vec<String>,
    /// Host of targets without one, with or without scheme; without it they are left out.
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl VisitsArgs {
    pub(super) fn run(&self, cancel: &Cancel) -> Result<ExitCode> {
        run(&self.common, CountVisits::NAME, cancel, |set| {
            set.list("logs", &self.logs);
            set.word("host", self.host.as_deref());
        })
    }
}

/// Write a table of results in the order of a column, as table count_sort.
///
/// Rows without a value come last, equal values keep the order of their rows. Of several files the order goes on from each to the next.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill count sort num_words --table texts --descending --out results\n  webmill count sort fetch_time --table pages --out results"
)]
pub struct SortArgs {
    /// Column by whose values rows are sorted.
    column: String,
    /// Table of the results.
    #[arg(long, value_name = "TABLE")]
    table: String,
    /// The greatest first.
    #[arg(long)]
    descending: bool,
    #[command(flatten)]
    common: Common,
}

impl SortArgs {
    pub(super) fn run(&self, cancel: &Cancel) -> Result<ExitCode> {
        run(&self.common, CountSort::NAME, cancel, |set| {
            set.word("column", Some(&self.column));
            set.word("table", Some(&self.table));
            set.yes("descending", self.descending);
        })
    }
}

fn run(
    common: &Common,
    job: &'static str,
    cancel: &Cancel,
    flags: impl FnOnce(&mut Overrides<'_>),
) -> Result<ExitCode> {
    let console = Console::new();
    let mut recipe = common.shared.read_recipe()?;
    flags(&mut Overrides { recipe: &mut recipe, table: job });
    print_committed(&common.context_with(recipe, &console, cancel)?, job)
}
