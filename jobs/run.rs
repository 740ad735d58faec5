//! `webmill run`: every job in order.

use std::process::ExitCode;

use anyhow::Result;
use webmill_run::{Cancel, Committed, Runtime};

use crate::args::Common;
use crate::console::Console;

/// Mill shards into tables and a report: extract, graph, rank, shape, dedup, keywords, report.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill run crawl-*.raw archive.warc.gz --out results\n\nStopped or killed, the same command goes on where it was; done, it finds everything done."
)]
pub struct RunArgs {
    /// Shards, folders, globs, or - for stdin.
    #[arg(required = true)]
    inputs: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// The committed folders of a whole run.
pub struct Milled {
    pub extract: Committed,
    pub graph: Committed,
    pub rank: Committed,
    pub shape: Committed,
    pub dedup: Committed,
    pub keywords: Committed,
    pub report: Committed,
}

/// Runs the command.
pub fn run(args: &RunArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = Console::new();
    if let Some(milled) = mill(&args.inputs, &args.common, &args.common.runtime(&console, cancel))? {
        crate::print(&format!("{}\n", milled.report.path("report.html").display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs every job; `None` where it was only asked what would be done.
pub fn mill(inputs: &[String], common: &Common, runtime: &Runtime<'_>) -> Result<Option<Milled>> {
    // Mistakes in the recipe of the last job should not wait for the first to finish.
    common.recipe::<crate::extract::Extract>("extract")?;
    common.recipe::<crate::graph::GraphJob>("graph")?;
    common.recipe::<crate::rank::Rank>("rank")?;
    common.recipe::<crate::shape::Shape>("shape")?;
    common.recipe::<crate::dedup::Dedup>("dedup")?;
    common.recipe::<crate::keywords::KeywordsJob>("keywords")?;
    common.recipe::<crate::report::Report>("report")?;
    let Some(extract) = crate::extract::extract(inputs, common, runtime)? else { return Ok(None) };
    let Some(graph) = crate::graph::graph(&extract, common, runtime)? else { return Ok(None) };
    let Some(rank) = crate::rank::rank(&graph, common, runtime)? else { return Ok(None) };
    let Some(shape) = crate::shape::shape(&graph, common, runtime)? else { return Ok(None) };
    let Some(dedup) = crate::dedup::dedup(&extract, common, runtime)? else { return Ok(None) };
    let Some(keywords) = crate::keywords::keywords(&extract, common, runtime)? else { return Ok(None) };
    let sources = crate::report::Sources { extract, graph, rank, shape, dedup, keywords };
    let Some(report) = crate::report::report(&sources, common, runtime)? else { return Ok(None) };
    let crate::report::Sources { extract, graph, rank, shape, dedup, keywords } = sources;
    Ok(Some(Milled { extract, graph, rank, shape, dedup, keywords, report }))
}
