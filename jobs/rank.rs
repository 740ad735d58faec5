//! `webmill rank`: PageRank and HITS on every level of the graph.

mod print;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use webmill::graph::{Csr, Graph, Hits, HubsAuthorities, PageRank, Ranks};
use webmill::run::{Cancel, Committed, Inputs, Job, Measure, Runtime, Stage, Unit};
use webmill::table::{Footer, PartWriter, RankRow, Table};

use crate::args::{Common, Settings};
use crate::console::Console;
use crate::levels::{LEVELS, check_order, open_graph, part_file, read_nodes};
use crate::rejects::columns;
use crate::scores::Score;
use crate::source;
use print::RowFormat;

/// Rank pages, hosts and domains; or print the scores of a graph file.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill rank --out results\n  webmill rank graph.txt --format tsv --top 20\n  webmill rank graph.mtx --by harmonic\n  webmill rank results --level host --by authority --top 10\n  webmill rank results --explain http://www.example.org/\n\nWith --out alone it commits table ranks to the folder that `webmill extract` wrote to, building the graph first if need be.\nGraph files: webmill's own, BVGraph (basename or .graph), Matrix Market, text with an arc a line."
)]
pub struct RankArgs {
    /// Graph file, or folder of results, whose scores are printed.
    graph: Option<PathBuf>,
    /// Folder for results; the job commits to OUT/rank/KEY.
    #[arg(long, value_name = "DIR", required_unless_present = "graph")]
    out: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
    /// Level of the results: page, host or domain.
    #[arg(long, default_value = "page", help_heading = "Printing")]
    level: String,
    /// Score that is printed.
    #[arg(long, value_enum, default_value = "pagerank", help_heading = "Printing")]
    by: Score,
    /// Print only so many, the best.
    #[arg(long, value_name = "N", help_heading = "Printing")]
    top: Option<usize>,
    /// Print where the PageRank of this node comes from: its strongest in-links.
    #[arg(long, value_name = "URL", help_heading = "Printing")]
    explain: Option<String>,
    /// How it is printed.
    #[arg(long, value_enum, default_value = "tsv", help_heading = "Printing")]
    format: RowFormat,
}

/// Configuration of the job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rank {
    /// PageRank's damping.
    pub damping: f64,
    /// Greatest L1 distance of the PageRank vector to the true one.
    pub tolerance: f64,
    /// Most iterations of PageRank.
    pub max_iterations: usize,
    /// Change of the HITS vectors at which they count as converged.
    pub hits_tolerance: f64,
    /// Most iterations of HITS.
    pub hits_max_iterations: usize,
    /// Follow page arcs in proportion to the number of links behind them.
    pub weighted_pages: bool,
    /// Likewise arcs of hosts and domains.
    pub weighted_hosts: bool,
    #[serde(skip)]
    graph: Option<Committed>,
}

impl Default for Rank {
    fn default() -> Self {
        Rank {
            damping: 0.85,
            tolerance: 1e-12,
            max_iterations: 1000,
            hits_tolerance: 1e-10,
            hits_max_iterations: 1000,
            weighted_pages: false,
            weighted_hosts: true,
            graph: None,
        }
    }
}

/// Runs the command.
pub fn run(args: &RankArgs, cancel: &Cancel) -> Result<ExitCode> {
    if let Some(path) = &args.graph {
        let memory = args.settings.memory;
        let source = source::open(path, &args.level, memory)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(args.settings.threads()).build()?;
        pool.install(|| match &args.explain {
            Some(url) => print::explain(&source, url, args.top.unwrap_or(15), args.format, memory),
            None => print::scores(&source, args.by, args.top, args.format, memory),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(out) = args.out.clone() else { bail!("name a graph file or --out DIR") };
    if args.explain.is_some() {
        bail!("--explain wants the results as argument: webmill rank {} --explain URL", out.display());
    }
    let common = Common { out, settings: args.settings.clone() };
    let console = Console::new();
    let runtime = common.runtime(&console, cancel);
    let Some(graph) = crate::graph::latest(&common, &runtime)? else { return Ok(ExitCode::SUCCESS) };
    crate::print_committed(&rank(&graph, &common, &runtime)?)
}

/// Ranks the graph of `graph`.
pub fn rank(graph: &Committed, common: &Common, runtime: &Runtime<'_>) -> Result<Option<Committed>> {
    let mut job: Rank = common.recipe(Rank::NAME)?;
    job.graph = Some(graph.clone());
    crate::run_job(&job, &Inputs::of_jobs([graph]), common, runtime)
}

impl Job for Rank {
    const NAME: &'static str = "rank";
    const VERSION: u32 = 1;

    fn run(&self, stage: &Stage<'_>) -> webmill::Result<()> {
        let graph =
            self.graph.as_ref().ok_or_else(|| webmill::Error::Internal("rank without input".into()))?;
        let mut pagerank = serde_json::Map::new();
        let mut hits = serde_json::Map::new();
        for level in LEVELS {
            let (p, h) = stage.unit(&format!("rank-{level}"), |unit| self.level(graph, level, unit))?;
            pagerank.insert(level.into(), p);
            hits.insert(level.into(), h);
        }
        stage.fact("pagerank", pagerank)?;
        stage.fact("hits", hits)
    }
}

impl Rank {
    fn level(
        &self,
        source: &Committed,
        level: &str,
        unit: &mut Unit<'_>,
    ) -> webmill::Result<(serde_json::Value, serde_json::Value)> {
        let graph = open_graph(source, level)?;
        admit(&graph, unit.stage().memory)?;
        let progress = unit.stage().progress;
        progress.begin(&format!("rank {level}"), 0, Measure::Items);
        let weighted = if level == "page" { self.weighted_pages } else { self.weighted_hosts };
        let graph = if weighted { graph } else { graph.without_weights() };
        let transpose = graph.transpose();
        let settings = PageRank {
            damping: self.damping,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            weighted,
            ..PageRank::default()
        };
        let ranks = settings.run(&graph, &transpose)?;
        unit.stage().cancel.check()?;
        let hits = Hits {
            tolerance: self.hits_tolerance,
            max_iterations: self.hits_max_iterations,
            ..Hits::default()
        }
        .run(&graph, &transpose)?;
        progress.advance(graph.num_nodes() as u64);
        progress.end();
        write(source, level, unit, (&graph, &transpose), &ranks, &hits)?;
        Ok((
            serde_json::json!({ "iterations": ranks.iterations, "error_bound": ranks.error_bound, "converged": ranks.converged }),
            serde_json::json!({ "iterations": hits.iterations, "change": hits.change, "converged": hits.converged }),
        ))
    }
}

/// Refuses a graph whose vectors and transpose do not fit, with the estimate.
fn admit(graph: &Csr, memory: u64) -> webmill::Result<()> {
    let vectors = webmill::graph::memory_estimate(graph.num_nodes()) * 2;
    let need = vectors + graph.bytes();
    if need > memory {
        return Err(webmill::Error::Limit(format!(
            "ranking {} nodes and {} arcs takes about {} MiB, --memory allows {} MiB",
            graph.num_nodes(),
            graph.num_arcs(),
            need >> 20,
            memory >> 20
        )));
    }
    Ok(())
}

fn write(
    source: &Committed,
    level: &str,
    unit: &mut Unit<'_>,
    (graph, transpose): (&Csr, &Csr),
    ranks: &Ranks,
    hits: &HubsAuthorities,
) -> webmill::Result<()> {
    let relative = part_file(RankRow::NAME, level);
    let footer = Footer { job_key: unit.stage().key().to_string() };
    let mut writer = PartWriter::<RankRow>::create(&unit.create(&relative)?, &footer)?;
    let name = LEVELS.into_iter().find(|l| *l == level).unwrap_or("page");
    let mut node = 0usize;
    let mut reader = read_nodes(source, level, &["node", "url", "crawled"]);
    while let Some(batch) = reader.next()? {
        check_order(&batch, node, graph.num_nodes())?;
        let (url, crawled) = (batch.str("url")?, batch.bool("crawled")?);
        for i in 0..batch.len() {
            writer.push(RankRow {
                level: name,
                node: node as u32,
                url: url.get(i).unwrap_or_default().to_owned(),
                crawled: crawled.get(i).unwrap_or(false),
                pagerank: ranks.scores[node],
                authority: hits.authorities[node],
                hub: hits.hubs[node],
                indegree: transpose.outdegree(node as u32) as u32,
                outdegree: graph.outdegree(node as u32) as u32,
            })?;
            node += 1;
        }
    }
    let rows = writer.finish()?;
    unit.wrote(&relative, RankRow::NAME, columns::<RankRow>(), rows);
    unit.kept(&format!("{level}-nodes"), rows);
    Ok(())
}
