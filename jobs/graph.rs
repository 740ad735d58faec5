//! `webmill graph`: from pages and links to the web graph of pages, hosts and registrable domains.

mod convert;
mod copies;
mod export;
mod feed;
mod info;
mod levels;
pub mod tables;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde::{Deserialize, Serialize};
use webmill_capture::Error;
use webmill_graph::{BuildOptions, GraphBuilder, Numbering};
use webmill_run::{Cancel, Committed, Inputs, Job, Measure, Runtime, Stage, Unit, open_latest};
use webmill_sort::Budget;

use crate::args::Common;
use crate::console::Console;
use crate::levels::graph_file;
use feed::Feed;
use levels::NodeSpool;

/// Build the web graph, look at graphs of any format, convert and export them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill graph build --out results\n  webmill graph info cnr-2000\n  webmill graph convert edges.txt graph.mtx\n  webmill graph convert results results-bv --to bvgraph --level host\n  webmill graph export results --level host --top 200 > hosts.graphml"
)]
pub struct GraphArgs {
    #[command(subcommand)]
    command: GraphCommand,
}

#[derive(Debug, Subcommand)]
enum GraphCommand {
    /// Build the graph of pages, hosts and domains from the tables that `webmill extract` wrote.
    Build {
        /// Fold duplicates into the page that stands for them, after `webmill dedup` (run now if it was not).
        #[arg(long)]
        fold_duplicates: bool,
        #[command(flatten)]
        common: Common,
    },
    Info(info::InfoArgs),
    Convert(convert::ConvertArgs),
    Export(export::ExportArgs),
}

/// Configuration of the job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphJob {
    /// Leave out links from a page to itself.
    pub drop_self: bool,
    /// Leave out links inside one host.
    pub drop_internal: bool,
    /// Leave out links that ask not to be followed.
    pub drop_nofollow: bool,
    /// Hosts (with their subdomains) to which no link counts.
    pub stop_hosts: Vec<String>,
    /// Kinds of links that make arcs, see links.kind.
    pub kinds: Vec<String>,
    /// Keep arcs from a host or domain to itself.
    pub host_self_arcs: bool,
    /// Fold the pages of a cluster of duplicates into the one that stands for them.
    pub fold_duplicates: bool,
    #[serde(skip)]
    extract: Option<Committed>,
    #[serde(skip)]
    dedup: Option<Committed>,
}

impl Default for GraphJob {
    fn default() -> Self {
        let kinds = ["a", "area", "frame", "iframe", "form", "meta-refresh", "http-redirect"];
        GraphJob {
            drop_self: false,
            drop_internal: false,
            drop_nofollow: true,
            stop_hosts: Vec::new(),
            kinds: kinds.map(String::from).into(),
            host_self_arcs: false,
            fold_duplicates: false,
            extract: None,
            dedup: None,
        }
    }
}

/// Runs the command.
pub fn run(args: &GraphArgs, cancel: &Cancel) -> Result<ExitCode> {
    match &args.command {
        GraphCommand::Build { fold_duplicates, common } => {
            let console = Console::new();
            let extract = open_latest(&common.out, "extract")?;
            let mut job: GraphJob = common.recipe(GraphJob::NAME)?;
            job.fold_duplicates |= fold_duplicates;
            crate::print_committed(&job.build_from(&extract, common, &common.runtime(&console, cancel))?)
        }
        GraphCommand::Info(args) => info::run(args),
        GraphCommand::Convert(args) => convert::run(args),
        GraphCommand::Export(args) => export::run(args),
    }
}

pub use info::info_of;

/// The graph of a folder of results: the one built last, else one built now.
pub fn latest(common: &Common, runtime: &Runtime<'_>) -> Result<Option<Committed>> {
    match open_latest(&common.out, "graph") {
        Ok(committed) => Ok(Some(committed)),
        Err(_) => graph(&open_latest(&common.out, "extract")?, common, runtime),
    }
}

/// Builds the graph of `extract`'s tables.
pub fn graph(extract: &Committed, common: &Common, runtime: &Runtime<'_>) -> Result<Option<Committed>> {
    common.recipe::<GraphJob>(GraphJob::NAME)?.build_from(extract, common, runtime)
}

/// Attempts with another seed before colliding keys are called hostile.
const MAX_SEEDS: u64 = 4;

impl Job for GraphJob {
    const NAME: &'static str = "graph";
    const VERSION: u32 = 1;

    fn run(&self, stage: &Stage<'_>) -> webmill_capture::Result<()> {
        let extract = self.extract.as_ref().ok_or_else(|| Error::Internal("graph without input".into()))?;
        let facts: serde_json::Map<String, serde_json::Value> =
            stage.unit("graph", |unit| self.build(extract, unit))?;
        for (name, value) in facts {
            stage.fact(&name, value)?;
        }
        Ok(())
    }
}

impl GraphJob {
    fn build_from(
        mut self,
        extract: &Committed,
        common: &Common,
        runtime: &Runtime<'_>,
    ) -> Result<Option<Committed>> {
        self.extract = Some(extract.clone());
        if !self.fold_duplicates {
            return crate::run_job(&self, &Inputs::of_jobs([extract]), common, runtime);
        }
        let Some(dedup) = crate::dedup::dedup(extract, common, runtime)? else { return Ok(None) };
        let inputs = Inputs::of_jobs([extract, &dedup]);
        self.dedup = Some(dedup);
        crate::run_job(&self, &inputs, common, runtime)
    }

    fn build(
        &self,
        extract: &Committed,
        unit: &mut Unit<'_>,
    ) -> webmill_capture::Result<serde_json::Map<String, serde_json::Value>> {
        let budget = Budget::new(unit.stage().memory as usize / 2).in_dir(unit.temp());
        for seed in 0..MAX_SEEDS {
            let progress = unit.stage().progress;
            progress.begin("links", 0, Measure::Items);
            let options = BuildOptions {
                drop_self: self.drop_self,
                drop_internal: self.drop_internal,
                drop_nofollow: self.drop_nofollow,
                stop_hosts: self.stop_hosts.iter().map(|h| webmill_capture::surt::surt_host(h)).collect(),
            };
            let mut builder = GraphBuilder::new(options, &budget.fraction(3, 4));
            let mut feed = Feed::new(extract, seed, &self.kinds, &budget.fraction(1, 4));
            feed.pages(&mut builder)?;
            feed.links(&mut builder, unit.stage())?;
            progress.end();
            progress.begin("graph", 0, Measure::Items);
            let mut spool = NodeSpool::create(&unit.temp().join("nodes"))?;
            let numbered = match builder.number(|node| spool.push(&node))? {
                Numbering::Done(numbered) => numbered,
                Numbering::Collision { .. } => {
                    unit.dropped("key-collisions-resolved", 1);
                    progress.end();
                    continue;
                }
            };
            progress.advance(numbered.num_nodes() as u64);
            let path = unit.create(&graph_file("page"))?;
            let (counts, mut hosts) = numbered.write(&path)?;
            if let Some(dedup) = &self.dedup {
                let folded = copies::fold_copies(dedup, seed, &path, spool, unit, &budget)?;
                (spool, hosts) = (folded.spool, folded.hosts);
                for (reason, n) in
                    [("folded-duplicates", folded.copies), ("links-among-duplicates", folded.links_among)]
                {
                    if n > 0 {
                        unit.dropped(reason, n);
                    }
                }
            }
            unit.wrote(&graph_file("page"), "", Vec::new(), 0);
            for (reason, n) in [
                ("self-links", counts.dropped_self),
                ("internal-links", counts.dropped_internal),
                ("nofollow-links", counts.dropped_nofollow),
                ("stop-host-links", counts.dropped_stop_host),
                ("links-without-page", counts.unknown_source),
                ("other-kinds-of-links", feed.other_kinds),
                ("links-of-superseded-captures", feed.superseded_links),
            ] {
                if n > 0 {
                    unit.dropped(reason, n);
                }
            }
            unit.kept("links", counts.links);
            unit.stage().cancel.check()?;
            let facts = levels::write(unit, spool, &hosts, self.host_self_arcs, &budget)?;
            progress.end();
            return Ok(facts);
        }
        Err(Error::Limit(format!(
            "URLs collide under {MAX_SEEDS} seeds of their keys: this corpus is made to do so"
        )))
    }
}
