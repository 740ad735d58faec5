//! `webmill report`: tables `hosts` and `summary`, and `report.html`.

mod corpus;
mod crawls;
mod draw;
mod draw_crawl;
mod hosts;
mod numbers;
mod summary;
pub mod tables;
mod tops;

use serde::{Deserialize, Serialize};
use webmill_capture::error::AtPath;
use webmill_capture::{Error, Result};
use webmill_run::{Committed, Inputs, Job, JobInput, Stage, Unit};
use webmill_sort::Budget;
use webmill_table::schema;

use crate::job::{Context, JobEntry, command, mixed};
use crate::output::{first_part, write_rows};
use crate::recipe::{Settings, check_settings, within};
use tables::{HostRow, SummaryRow};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Report::NAME,
    about: "Write the report: one self-contained page with the numbers and the pictures, and the tables behind it",
    example: "Example:\n  webmill report --out results\n\nReads what extract, graph, rank, shape, dedup and keywords wrote to the same folder, repeated and mirrors where they were run, and the tables of the crawl where the shards are a crawl's.",
    reads_shards: false,
    tables: || vec![schema::<HostRow>(), schema::<SummaryRow>()],
    check: check_settings::<Report>,
    run: report,
};

/// The jobs that the report is about.
#[derive(Clone)]
pub struct Sources {
    /// Pages, links, texts.
    pub extract: Committed,
    /// Nodes and arcs.
    pub graph: Committed,
    /// Scores.
    pub rank: Committed,
    /// Degrees, components.
    pub shape: Committed,
    /// Duplicates, clusters.
    pub dedup: Committed,
    /// Keywords.
    pub keywords: Committed,
    /// Repeated lines and paragraphs, where they were looked for.
    pub repeated: Option<Committed>,
    /// Mirrors, where they were looked for.
    pub mirrors: Option<Committed>,
    /// The crawls that the corpus is of.
    crawls: crawls::Crawls,
}

impl Sources {
    /// Those of a context: what it made, else the latest in its output folder.
    ///
    /// # Errors
    /// Where a job has no results there.
    pub fn of(context: &Context<'_>) -> Result<Self> {
        let extract = context.results_of("extract")?;
        let optional = |job| match context.results_of(job) {
            Ok(committed) => Ok(Some(committed)),
            Err(Error::Config(_)) => Ok(None),
            Err(error) => Err(error),
        };
        Ok(Sources {
            crawls: crawls::Crawls::of(context, &extract)?,
            extract,
            graph: context.results_of("graph")?,
            rank: context.results_of("rank")?,
            shape: context.results_of("shape")?,
            dedup: context.results_of("dedup")?,
            keywords: context.results_of("keywords")?,
            repeated: optional("repeated")?,
            mirrors: optional("mirrors")?,
        })
    }

    fn all(&self) -> Vec<&Committed> {
        let needed = [&self.extract, &self.graph, &self.rank, &self.shape, &self.dedup, &self.keywords];
        needed.into_iter().chain(&self.repeated).chain(&self.mirrors).collect()
    }
}

impl JobInput for Sources {
    fn inputs(&self) -> Inputs {
        Inputs { upstream: Inputs::of_jobs(self.all()).upstream, ..self.crawls.inputs() }
    }
}

/// Configuration of the job.
#[derive(Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Report {
    /// Heading of the page.
    pub title: String,
    /// Rows of each table of top pages or hosts.
    pub top: usize,
}

impl Default for Report {
    fn default() -> Self {
        Report { title: "Corpus report".into(), top: 15 }
    }
}

impl Settings for Report {
    const TABLE: &'static str = "report";

    fn check(&self) -> Result<()> {
        within("top", self.top, 1..=10_000)
    }
}

/// Writes the report about the context's results.
///
/// # Errors
/// What the job meets.
pub fn report(context: &Context<'_>) -> Result<Option<Committed>> {
    let sources = Sources::of(context)?;
    refuse_earlier(&sources)?;
    mixed(&sources.all()).iter().for_each(|warning| context.runtime.progress.note(warning));
    context.run(&context.settings::<Report>()?, &sources)
}

/// Refuses results of an earlier webmill, which lack tables that the report is drawn from, all at once.
fn refuse_earlier(sources: &Sources) -> Result<()> {
    let needed = [
        (&sources.graph, &["levels"][..]),
        (&sources.rank, &["convergence", "agreement"]),
        (&sources.shape, &["laws", "shapes"]),
    ];
    let lacks = |(of, tables): &(&Committed, &[&str])| {
        tables.iter().any(|table| !of.manifest.tables.contains_key(*table))
    };
    let again: Vec<String> = needed
        .iter()
        .filter(|needed| lacks(needed))
        .map(|(of, _)| format!("`webmill {}`", command(&of.manifest.job)))
        .collect();
    if again.is_empty() {
        return Ok(());
    }
    Err(Error::Config(format!(
        "results of an earlier webmill lack tables that the report needs: run {} with this --out again",
        again.join(", ")
    )))
}

impl Job for Report {
    type Input = Sources;
    const NAME: &'static str = "report";
    const VERSION: u32 = 4;

    fn run(&self, sources: &Sources, stage: &Stage<'_>) -> Result<()> {
        stage.unit("report", |unit| self.write(sources, unit))
    }
}

impl Report {
    fn write(&self, sources: &Sources, unit: &mut Unit<'_>) -> Result<()> {
        let stage = unit.stage();
        let budget = Budget::new(stage.memory as usize / 2).in_dir(unit.temp());
        let numbers = numbers::Numbers::read(sources)?;
        let crawl = crawls::CrawlNumbers::read(&sources.crawls, self.top)?;
        let mut hosts = hosts::Hosts::new(&budget.fraction(1, 2));
        let (corpus, noindex) = corpus::Corpus::read(sources, &mut hosts, &budget.fraction(1, 4))?;
        stage.cancel.check()?;
        let tops = tops::Tops::read(sources, &mut hosts, self.top, &corpus, noindex)?;
        stage.cancel.check()?;
        let hosts = hosts.write(unit, &tops.host_names())?;
        let mut summary = summary::rows(sources, &corpus, hosts.count, &numbers);
        let mut drawn = draw::draw(self, sources, &corpus, &tops, &hosts, &numbers)?;
        if let Some(crawl) = &crawl {
            summary.extend(summary::crawl_rows(crawl));
            drawn.sections.push(draw_crawl::section(crawl));
        }
        let path = unit.create("report.html")?;
        std::fs::write(&path, webmill_report::render(&drawn)).at(&path)?;
        unit.wrote("report.html", "", Vec::new(), 0);
        write_rows(unit, first_part::<SummaryRow>(), summary)?;
        Ok(())
    }
}
