//! `webmill report`: tables `hosts` and `summary`, and `report.html`.

mod classes;
mod compare;
mod corpus;
mod crawls;
mod documents;
mod hosts;
mod html;
mod made;
mod numbers;
mod page;
mod periods;
mod ranking;
pub mod summary;
pub mod tables;
mod topics;
mod tops;

use std::path::{Path, PathBuf};

use webmill_capture::error::AtPath;
use webmill_capture::settings::SettingGroup;
use webmill_capture::{Error, Result, settings};
use webmill_run::{Committed, Inputs, Job, JobInput, Stage, Unit};
use webmill_serve::surface::Lang;
use webmill_sort::Budget;
use webmill_table::schema;

use crate::inputs::is_event_log;
use crate::job::{Context, if_any, mixed};
use crate::learn::apply::ApplyJob;
use crate::learn::cluster::ClusterJob;
use crate::learn::{MODEL, TrainJob};
use crate::output::{first_part, write_rows};
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;
use tables::{HostRow, SummaryRow};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Report::NAME,
    about: "Write the report: one self-contained page with the numbers and the pictures, and the tables behind it",
    reads_shards: false,
    optional: false,
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
    /// Results of job `keywords`.
    pub keywords: Committed,
    /// Repeated lines and paragraphs, where they were looked for.
    pub repeated: Option<Committed>,
    /// Mirrors, where they were looked for.
    pub mirrors: Option<Committed>,
    /// Tables of rules, where these were applied to the same shards.
    pub rules: Option<Committed>,
    /// Topics, where these texts were clustered.
    pub topics: Option<Committed>,
    /// Classes that were told of these texts.
    pub classes: Option<Committed>,
    /// What was learnt from these texts, or told those classes.
    pub classifier: Option<Committed>,
    /// The crawls that the corpus is of.
    crawls: crawls::Crawls,
    /// Earlier results that these are compared with.
    earlier: Option<compare::Earlier>,
}

impl Sources {
    /// Those of a context: what it made, else the latest in its output folder.
    ///
    /// # Errors
    /// Where a job has no results there.
    pub fn of(context: &Context<'_>) -> Result<Self> {
        let extract = context.results_of("extract")?;
        let optional = |job| if_any(context.results_of(job));
        let settings = context.settings::<Report>()?;
        let is_of = |rules: &Committed| {
            let inputs = &rules.manifest.inputs;
            let of_tables = inputs.upstream.iter().any(|of| of.key == extract.manifest.key);
            let shards = |of: &Committed| -> Vec<(String, String)> {
                let shards = of.manifest.inputs.files.iter().filter(|file| !is_event_log(&file.name));
                shards.map(|file| (file.name.clone(), file.digest.clone())).collect()
            };
            of_tables || shards(rules) == shards(&extract)
        };
        // Topics of a folder of files are not about these pages.
        let is_of_texts = |topics: &Committed| {
            topics.manifest.inputs.upstream.iter().any(|of| of.key == extract.manifest.key)
        };
        let classes = optional(ApplyJob::NAME)?.filter(is_of_texts);
        // A model may be learnt from files; it is of these pages where it told their classes.
        let is_of_classes = |trained: &Committed| {
            let model = trained.manifest.outputs.iter().find(|output| output.path == MODEL);
            let told_by = classes.iter().flat_map(|classes| &classes.manifest.inputs.files);
            model.is_some_and(|model| told_by.into_iter().any(|file| file.digest == model.digest))
        };
        let classifier =
            optional(TrainJob::NAME)?.filter(|trained| is_of_texts(trained) || is_of_classes(trained));
        Ok(Sources {
            classifier,
            classes,
            rules: optional("rules")?.filter(is_of),
            topics: optional(ClusterJob::NAME)?.filter(is_of_texts),
            earlier: compare::open(settings.compare.as_deref(), context.runtime.cancel)?,
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
        needed
            .into_iter()
            .chain(&self.repeated)
            .chain(&self.mirrors)
            .chain(&self.rules)
            .chain(&self.topics)
            .chain(&self.classes)
            .chain(&self.classifier)
            .collect()
    }
}

impl JobInput for Sources {
    fn inputs(&self) -> Inputs {
        let mut inputs = self.crawls.inputs();
        if let Some(earlier) = &self.earlier {
            inputs.files.extend(earlier.inputs().files.iter().cloned());
            inputs.paths.extend(earlier.inputs().paths.iter().cloned());
        }
        Inputs { upstream: Inputs::of_jobs(self.all()).upstream, ..inputs }
    }
}

settings! {
    /// Settings of the job.
    pub struct Report {
        /// Rows of each list of top pages or hosts.
        pub top: usize = 15, within 1..=10_000;
        /// Language of the page: en or zh.
        pub lang: String = "en".into();
        /// Folder of earlier results; the page then has a part about the changes since. The key of the job depends
        /// on the content of the folder, not on its path.
        #[serde(skip_serializing)]
        pub compare: Option<PathBuf> = None;
    }
}

impl Settings for Report {
    const TABLE: &'static str = "report";

    fn check(&self) -> Result<()> {
        if self.language().name() != self.lang {
            return Err(Error::Config(format!("lang = {} is neither en nor zh", self.lang)));
        }
        self.check_ranges("")
    }
}

impl Report {
    fn language(&self) -> Lang {
        Lang::named(&self.lang).unwrap_or_default()
    }
}

/// The page, in the results of the job, and in the folder of all results the name that leads to it.
pub const PAGE: &str = "report.html";

/// Writes the report about the context's results.
///
/// # Errors
/// What the job meets.
pub fn report(context: &Context<'_>) -> Result<Option<Committed>> {
    let sources = Sources::of(context)?;
    mixed(&sources.all()).iter().for_each(|warning| context.runtime.progress.note(warning));
    let settings = context.settings::<Report>()?;
    let committed = context.run(&settings, &sources)?;
    if !context.is_dry_run() {
        link(&context.runtime.out)?;
    }
    Ok(committed)
}

/// Lets the name in the folder of all results lead to the page of the latest report.
fn link(out: &Path) -> Result<()> {
    let (aside, path) = (out.join(format!(".{PAGE}.aside")), out.join(PAGE));
    if aside.is_symlink() {
        std::fs::remove_file(&aside).at(&aside)?;
    }
    std::os::unix::fs::symlink("report/latest/report.html", &aside).at(&aside)?;
    std::fs::rename(&aside, &path).at(&path)
}

impl Job for Report {
    type Input = Sources;
    const NAME: &'static str = "report";
    const VERSION: u32 = 14;

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
        let (corpus, documents) = rayon::join(
            || corpus::Corpus::read(sources, &mut hosts, &budget.fraction(1, 4)),
            || documents::Documents::read(sources),
        );
        let ((corpus, noindex), documents) = (corpus?, documents?);
        stage.cancel.check()?;
        let tops = tops::Tops::read(sources, &mut hosts, self.top, &corpus, noindex)?;
        stage.cancel.check()?;
        let hosts = hosts.write(unit, &tops.host_names())?;
        let topics = topics::Topics::read(sources)?;
        let classes = classes::Classes::read(sources)?;
        let mut summary = summary::rows(sources, &corpus, hosts.count, &numbers);
        summary.extend(tops.pages[0].first().map(|page| summary::first_page(&page.url, page.pagerank)));
        summary.extend(documents.summary());
        summary.extend(classes.summary());
        let budget = budget.fraction(1, 2);
        let changes = sources.earlier.as_ref();
        let changes =
            changes.map(|earlier| compare::Changes::read(earlier, sources, &budget, self.top)).transpose()?;
        summary.extend(crawl.iter().flat_map(summary::crawl_rows));
        summary.extend(changes.iter().flat_map(summary::changes_rows));
        let found = page::ReportParts {
            sources,
            corpus: &corpus,
            tops: &tops,
            hosts: &hosts,
            numbers: &numbers,
            documents: &documents,
            topics: &topics,
            classes: &classes,
            crawl: crawl.as_ref(),
            changes: changes.as_ref(),
        };
        let rows = summary.iter().map(|row| (row.section.as_str(), row.name.as_str(), row.value));
        let html = html::render(self.language(), rows, &page::data(self, &found))
            .map_err(|error| Error::Internal(format!("the report's templates: {error}")))?;
        let path = unit.create(PAGE)?;
        std::fs::write(&path, html).at(&path)?;
        unit.wrote(PAGE, "", Vec::new(), 0);
        write_rows(unit, first_part::<SummaryRow>(), summary)?;
        Ok(())
    }
}
