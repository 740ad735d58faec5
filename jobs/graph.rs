//! `webmill graph`: from pages and links to the web graph of pages, hosts and registrable domains.

pub mod convert;
mod copies;
mod feed;
mod levels;
pub mod open;
mod sources;
pub mod tables;

use webmill_capture::names::near_to;
use webmill_capture::settings;
use webmill_capture::surt::surt_host;
use webmill_capture::{Error, Result, canonical_host};
use webmill_graph::{BuildOptions, GraphBuilder, NumberedGraph, Numbering};
use webmill_html::LinkKind;
use webmill_run::{Committed, Inputs, Job, JobInput, Measure, Stage, Unit};
use webmill_sort::Budget;
use webmill_table::{columns, schema};

use crate::dedup::Dedup;
use crate::extract::Extract;
use crate::job::Context;
use crate::levels::{Level, graph_file, read_level};
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;
use feed::Feed;
use levels::NodeSpool;
use tables::{ArcRow, LevelRow, NodeRow};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: GraphJob::NAME,
    about: "Build the graph of pages, hosts and domains from the tables that `webmill extract` wrote",
    reads_shards: false,
    optional: false,
    tables: || vec![schema::<NodeRow>(), schema::<ArcRow>(), schema::<LevelRow>()],
    check: check_settings::<GraphJob>,
    run: graph,
};

settings! {
    /// Configuration of the job.
    pub struct GraphJob {
        /// Leave out links from a page to itself.
        pub drop_self: bool = false;
        /// Leave out links inside one host.
        pub drop_internal: bool = false;
        /// Leave out links that ask not to be followed.
        pub drop_nofollow: bool = true;
        /// Hosts (with their subdomains) to which no link counts; a host that the corpus does not have is an error.
        pub stop_hosts: Vec<String> = Vec::new();
        /// Kinds of links that make arcs, see links.kind.
        pub kinds: Vec<String> = ["a", "area", "frame", "iframe", "form", "meta-refresh", "http-redirect", "document"]
            .map(String::from)
            .into();
        /// Fold the pages of a cluster of duplicates into the one that stands for them.
        pub fold_duplicates: bool = false;
    }
}

impl Settings for GraphJob {
    const TABLE: &'static str = "graph";

    fn check(&self) -> Result<()> {
        self.stop_surts()?;
        let known = || LinkKind::ALL.iter().map(|kind| kind.name());
        match self.kinds.iter().find(|kind| !known().any(|name| name == kind.as_str())) {
            None => Ok(()),
            Some(kind) => Err(Error::Config(format!(
                "kinds: {kind:?} is no kind of link; kinds: {}",
                known().collect::<Vec<_>>().join(", ")
            ))),
        }
    }
}

/// What the graph is built from.
pub struct GraphInput {
    /// Tables `pages` and `links`.
    pub extract: Committed,
    /// Table `clusters`, where duplicates are folded.
    pub dedup: Option<Committed>,
}

impl JobInput for GraphInput {
    fn inputs(&self) -> Inputs {
        Inputs::of_jobs([&self.extract].into_iter().chain(&self.dedup))
    }
}

/// Builds the graph of the context's pages; where duplicates are folded they are found first.
///
/// # Errors
/// What the job meets.
pub fn graph(context: &Context<'_>) -> Result<Option<Committed>> {
    let job: GraphJob = context.settings()?;
    let extract = context.results_of(Extract::NAME)?;
    let dedup = if job.fold_duplicates {
        // Of these very pages: the latest duplicates may be those of another corpus.
        let Some(dedup) = context.run_entry(Dedup::NAME)? else { return Ok(None) };
        Some(dedup)
    } else {
        None
    };
    context.run(&job, &GraphInput { extract, dedup })
}

/// Attempts with another seed before colliding keys are called hostile.
const MAX_SEEDS: u64 = 4;

impl Job for GraphJob {
    type Input = GraphInput;
    const NAME: &'static str = "graph";
    const VERSION: u32 = 5;

    fn run(&self, input: &GraphInput, stage: &Stage<'_>) -> Result<()> {
        stage.unit("graph", |unit| self.build(input, unit))
    }
}

impl GraphJob {
    /// The stop hosts as SURT, in their order, with the ports that they were named with.
    ///
    /// # Errors
    /// Where one is no host.
    pub fn stop_surts(&self) -> Result<Vec<String>> {
        let surt = |host: webmill_capture::Host| {
            let port = host.port.map_or(String::new(), |port| format!(":{port}"));
            surt_host(&host.name) + &port
        };
        let hosts = self.stop_hosts.iter().map(|host| canonical_host(host).map(surt));
        hosts.collect::<Result<_>>().map_err(|error| match error {
            Error::Config(said) => Error::Config(format!("stop_hosts: {said}")),
            other => other,
        })
    }

    /// # Errors
    /// Where no page and no link is on one of the stop hosts.
    fn all_met(&self, numbered: &NumberedGraph) -> Result<()> {
        let Some(unmet) = numbered.unmet_stop_hosts().first() else { return Ok(()) };
        let named = self.stop_surts()?.iter().position(|surt| surt == unmet);
        let named = named.map_or(unmet, |at| &self.stop_hosts[at]);
        let host = canonical_host(named)?.to_string();
        let hosts = numbered.hosts();
        Err(Error::Config(format!(
            "stop_hosts: no page and no link is on {named}{}",
            near_to(&host, (0..hosts.len()).map(|host| hosts.name(host)))
        )))
    }

    fn build(&self, input: &GraphInput, unit: &mut Unit<'_>) -> Result<()> {
        let budget = Budget::new(unit.stage().memory as usize / 2).in_dir(unit.temp());
        for seed in 0..MAX_SEEDS {
            if self.build_by(seed, input, unit, &budget)? {
                return Ok(());
            }
            unit.dropped("key-collisions-resolved", 1);
        }
        Err(Error::Limit(format!(
            "URLs collide under {MAX_SEEDS} seeds of their keys: this corpus is made to do so"
        )))
    }

    /// Builds the graphs of all levels, URLs keyed by this seed; false where two of them have one key.
    fn build_by(&self, seed: u64, input: &GraphInput, unit: &mut Unit<'_>, budget: &Budget) -> Result<bool> {
        let progress = unit.stage().progress;
        progress.begin("links", 0, Measure::Items);
        let options = BuildOptions {
            drop_self: self.drop_self,
            drop_internal: self.drop_internal,
            drop_nofollow: self.drop_nofollow,
            stop_hosts: self.stop_surts()?,
        };
        let mut builder = GraphBuilder::new(options, &budget.fraction(3, 4));
        let mut feed = Feed::new(&input.extract, seed, &self.kinds, &budget.fraction(1, 4));
        feed.pages(&mut builder)?;
        feed.links(&mut builder, unit.stage())?;
        progress.end();
        progress.begin("graph", 0, Measure::Items);
        let mut spool = NodeSpool::create(&unit.temp().join("nodes"))?;
        let mut captured = feed.captured()?;
        let Numbering::Done(numbered) = builder.number(|node| spool.push(&node, captured.of(&node)?))? else {
            progress.end();
            return Ok(false);
        };
        self.all_met(&numbered)?;
        progress.advance(numbered.num_nodes() as u64);
        let path = unit.create(&graph_file(Level::Page))?;
        let (counts, mut hosts) = numbered.write(&path)?;
        if let Some(dedup) = &input.dedup {
            let folded = copies::fold_copies(dedup, seed, &path, spool, unit, budget)?;
            (spool, hosts) = (folded.spool, folded.hosts);
            unit.dropped("folded-duplicates", folded.copies);
            unit.dropped("links-among-duplicates", folded.links_among);
        }
        unit.wrote(&graph_file(Level::Page), "", Vec::new(), 0);
        for (reason, n) in [
            ("self-links", counts.dropped_self),
            ("internal-links", counts.dropped_internal),
            ("nofollow-links", counts.dropped_nofollow),
            ("stop-host-links", counts.dropped_stop_host),
            ("links-without-page", counts.unknown_source),
            ("other-kinds-of-links", feed.other_kinds),
            ("links-of-superseded-captures", feed.superseded_links),
            ("links-to-no-url", feed.no_urls),
        ] {
            unit.dropped(reason, n);
        }
        unit.kept("links", counts.links);
        unit.stage().cancel.check()?;
        levels::write(unit, spool, &hosts, budget)?;
        progress.end();
        Ok(true)
    }
}

columns! {
    struct UrlColumn from NodeRow { url }
}

/// The names of the nodes of one level, in node order.
pub fn each_name(graph: &Committed, level: Level) -> impl Iterator<Item = Result<String>> {
    let mut reader = read_level::<UrlColumn>(graph, level);
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed {
            return None;
        }
        let names = reader.next().transpose()?;
        failed = names.is_err();
        Some(match names {
            Ok(batch) => batch.rows().map(|node| Ok(node.url.to_owned())).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        })
    })
    .flatten()
}
