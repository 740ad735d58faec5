//! `webmill report`: tables `hosts` and `summary`, and `report.html`.

mod corpus;
mod draw;
pub mod tables;
mod tops;

use std::process::ExitCode;

use crate::report::tables::{HostRow, SummaryRow};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use webmill_run::{Cancel, Committed, Inputs, Job, Runtime, Stage, Unit, open_latest};
use webmill_table::{Footer, Table, write_part};

use crate::args::Common;
use crate::console::Console;
use crate::rejects::columns;

/// Write the report: one self-contained page with the numbers and the pictures, and the tables behind it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  webmill report --out results\n\nReads what extract, graph, rank, shape, dedup and keywords wrote to the same folder."
)]
pub struct ReportArgs {
    #[command(flatten)]
    common: Common,
}

/// The jobs that the report is about.
#[derive(Clone)]
pub struct Sources {
    pub extract: Committed,
    pub graph: Committed,
    pub rank: Committed,
    pub shape: Committed,
    pub dedup: Committed,
    pub keywords: Committed,
}

/// Configuration of the job.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Report {
    /// Heading of the page.
    pub title: String,
    /// Rows of each table of top pages or hosts.
    pub top: usize,
    #[serde(skip)]
    sources: Option<Sources>,
}

impl Default for Report {
    fn default() -> Self {
        Report { title: "Corpus report".into(), top: 15, sources: None }
    }
}

/// Runs the command.
pub fn run(args: &ReportArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = Console::new();
    let out = &args.common.out;
    let sources = Sources {
        extract: open_latest(out, "extract")?,
        graph: open_latest(out, "graph")?,
        rank: open_latest(out, "rank")?,
        shape: open_latest(out, "shape")?,
        dedup: open_latest(out, "dedup")?,
        keywords: open_latest(out, "keywords")?,
    };
    crate::print_committed(&report(&sources, &args.common, &args.common.runtime(&console, cancel))?)
}

/// Writes the report about `sources`.
pub fn report(sources: &Sources, common: &Common, runtime: &Runtime<'_>) -> Result<Option<Committed>> {
    let mut job: Report = common.recipe(Report::NAME)?;
    job.sources = Some(sources.clone());
    let Sources { extract, graph, rank, shape, dedup, keywords } = sources;
    let upstream = [extract, graph, rank, shape, dedup, keywords];
    crate::run_job(&job, &Inputs::of_jobs(upstream), common, runtime)
}

impl Job for Report {
    const NAME: &'static str = "report";
    const VERSION: u32 = 1;

    fn run(&self, stage: &Stage<'_>) -> webmill_capture::Result<()> {
        let sources = self
            .sources
            .as_ref()
            .ok_or_else(|| webmill_capture::Error::Internal("report without input".into()))?;
        stage.unit("report", |unit| self.write(sources, unit))
    }
}

impl Report {
    fn write(&self, sources: &Sources, unit: &mut Unit<'_>) -> webmill_capture::Result<()> {
        let mut corpus = corpus::Corpus::read(sources)?;
        unit.stage().cancel.check()?;
        let tops = tops::Tops::read(sources, &mut corpus, self.top)?;
        let hosts = corpus.host_rows();
        let summary = corpus.summary_rows(sources);
        let html =
            webmill_report::render(&draw::draw(&self.title, sources, &corpus, &tops, &hosts, self.top)?);
        let path = unit.create("report.html")?;
        std::fs::write(&path, html).map_err(|e| webmill_capture::Error::io(&path, e))?;
        unit.wrote("report.html", "", Vec::new(), 0);
        write_table::<HostRow>(unit, &hosts)?;
        write_table::<SummaryRow>(unit, &summary)
    }
}

fn write_table<T: Table>(unit: &mut Unit<'_>, rows: &[T]) -> webmill_capture::Result<()> {
    let relative = format!("{}/part-000000.parquet", T::NAME);
    let footer = Footer { job_key: unit.stage().key().to_string() };
    let written = write_part(&unit.create(&relative)?, rows, &footer)?;
    unit.wrote(&relative, T::NAME, columns::<T>(), written);
    Ok(())
}
