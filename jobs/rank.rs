//! `webmill rank`: PageRank and HITS on every level of the graph.

mod print;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use webmill::graph::{
    Csr, Graph, Hits, HubsAuthorities, HyperBall, PageRank, Ranks, Salsa, SalsaScores, kendall_tau,
};
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
    /// Registers of HyperBall's counters as a power of two, 4 to 16, for harmonic centrality: 6 has an error of 13 %,
    /// each more divides it by 1.4; 0 leaves it out.
    pub harmonic_registers: u32,
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
            harmonic_registers: 6,
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
    const VERSION: u32 = 2;

    fn run(&self, stage: &Stage<'_>) -> webmill::Result<()> {
        let graph =
            self.graph.as_ref().ok_or_else(|| webmill::Error::Internal("rank without input".into()))?;
        let mut pagerank = serde_json::Map::new();
        let mut hits = serde_json::Map::new();
        let mut correlation = serde_json::Map::new();
        for level in LEVELS {
            let (p, h, c): (serde_json::Value, serde_json::Value, serde_json::Value) =
                stage.unit(&format!("rank-{level}"), |unit| self.level(graph, level, unit))?;
            pagerank.insert(level.into(), p);
            hits.insert(level.into(), h);
            correlation.insert(level.into(), c);
        }
        stage.fact("pagerank", pagerank)?;
        stage.fact("hits", hits)?;
        stage.fact("kendall_tau", correlation)
    }
}

impl Rank {
    fn level(
        &self,
        source: &Committed,
        level: &str,
        unit: &mut Unit<'_>,
    ) -> webmill::Result<(serde_json::Value, serde_json::Value, serde_json::Value)> {
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
        let salsa = Salsa { weighted }.run(&graph, &transpose)?;
        unit.stage().cancel.check()?;
        let harmonic = match self.harmonic_registers {
            0 => None,
            log_registers => {
                let memory_bytes = Some(unit.stage().memory.saturating_sub(2 * graph.bytes()));
                let ball = HyperBall { log_registers, memory_bytes, ..HyperBall::default() };
                Some(ball.run(&graph, &transpose)?.harmonic)
            }
        };
        progress.advance(graph.num_nodes() as u64);
        progress.end();
        let scores = Scores { ranks: &ranks, hits: &hits, salsa: &salsa, harmonic: harmonic.as_deref() };
        write(source, level, unit, (&graph, &transpose), &scores)?;
        Ok((
            serde_json::json!({ "iterations": ranks.iterations, "error_bound": ranks.error_bound, "converged": ranks.converged }),
            serde_json::json!({ "iterations": hits.iterations, "change": hits.change, "converged": hits.converged }),
            scores.correlations(&transpose)?,
        ))
    }
}

/// What was computed of a level.
struct Scores<'a> {
    ranks: &'a Ranks,
    hits: &'a HubsAuthorities,
    salsa: &'a SalsaScores,
    harmonic: Option<&'a [f64]>,
}

impl Scores<'_> {
    /// Kendall's tau-b of each two measures; none where all nodes of one are equal.
    fn correlations(&self, transpose: &Csr) -> webmill::Result<serde_json::Value> {
        let indegree: Vec<f64> =
            (0..transpose.num_nodes() as u32).map(|v| transpose.outdegree(v) as f64).collect();
        let mut measures: Vec<(&str, &[f64])> = vec![
            ("PageRank", &self.ranks.scores),
            ("authority", &self.hits.authorities),
            ("hub", &self.hits.hubs),
            ("SALSA authority", &self.salsa.authorities),
            ("in-degree", &indegree),
        ];
        measures.extend(self.harmonic.map(|scores| ("harmonic", scores)));
        let mut found = serde_json::Map::new();
        for (i, (first, a)) in measures.iter().enumerate() {
            for (second, b) in &measures[i + 1..] {
                if let Some(tau) = kendall_tau(a, b)? {
                    found.insert(format!("{first} – {second}"), tau.into());
                }
            }
        }
        Ok(found.into())
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
    scores: &Scores<'_>,
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
                pagerank: scores.ranks.scores[node],
                authority: scores.hits.authorities[node],
                hub: scores.hits.hubs[node],
                salsa_authority: scores.salsa.authorities[node],
                salsa_hub: scores.salsa.hubs[node],
                harmonic: scores.harmonic.map(|h| h[node]),
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
