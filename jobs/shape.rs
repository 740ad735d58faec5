//! `webmill shape`: degrees with their laws, components, bow-tie.

pub mod tables;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::shape::tables::{ComponentRow, DegreeRow};
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use webmill_graph::{
    Assortativity, Csr, Degrees, Distances, Graph, GroupLinks, Histogram, Reciprocity, bow_tie,
    published_distance, strong_components, weak_components,
};
use webmill_run::{Cancel, Committed, Inputs, Job, Measure, Runtime, Stage, Unit};
use webmill_table::{Footer, PartWriter, Table, write_part};

use crate::args::{Common, Settings};
use crate::console::Console;
use crate::levels::{LEVELS, admit, open_graph, part_file, read_nodes};
use crate::rejects::columns;

/// Measure the shape of the graph: degree laws, components, bow-tie.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill shape --out results\n  webmill shape cnr-2000\n\nWith --out it commits tables to the folder that `webmill extract` wrote to, building the graph first if need be; for a graph\nfile it prints the numbers as JSON."
)]
pub struct ShapeArgs {
    /// Graph file, or folder of results, whose shape is printed.
    graph: Option<PathBuf>,
    /// Folder for results; the job commits to OUT/shape/KEY.
    #[arg(long, value_name = "DIR", conflicts_with = "graph", required_unless_present = "graph")]
    out: Option<PathBuf>,
    /// Level of the results that is printed: page, host or domain [default: page].
    #[arg(long)]
    level: Option<String>,
    #[command(flatten)]
    settings: Settings,
}

/// Configuration of the job: none yet, but for the graph it reads.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shape {
    #[serde(skip)]
    graph: Option<Committed>,
}

/// Runs the command.
pub fn run(args: &ShapeArgs, cancel: &Cancel) -> Result<ExitCode> {
    let console = Console::new();
    if let Some(path) = &args.graph {
        return crate::graph::info_of(path, args.level.as_deref(), &args.settings);
    }
    let Some(out) = args.out.clone() else { bail!("name a graph file or --out DIR") };
    if args.level.is_some() {
        bail!("to print the shape of a level name the results as argument: webmill shape {}", out.display());
    }
    let common = Common { out, settings: args.settings.clone() };
    let runtime = common.runtime(&console, cancel);
    let Some(graph) = crate::graph::latest(&common, &runtime)? else { return Ok(ExitCode::SUCCESS) };
    crate::print_committed(&shape(&graph, &common, &runtime)?)
}

/// Measures the graph of `graph`.
pub fn shape(graph: &Committed, common: &Common, runtime: &Runtime<'_>) -> Result<Option<Committed>> {
    let mut job: Shape = common.recipe(Shape::NAME)?;
    job.graph = Some(graph.clone());
    crate::run_job(&job, &Inputs::of_jobs([graph]), common, runtime)
}

/// Numbers of one level for the manifest.
#[derive(Debug, Serialize, Deserialize)]
struct LevelFacts {
    laws: BTreeMap<String, serde_json::Value>,
    bowtie: BTreeMap<String, u64>,
    components: serde_json::Value,
    distances: serde_json::Value,
    mixing: serde_json::Value,
}

impl Job for Shape {
    const NAME: &'static str = "shape";
    const VERSION: u32 = 2;

    fn run(&self, stage: &Stage<'_>) -> webmill_capture::Result<()> {
        let graph = self
            .graph
            .as_ref()
            .ok_or_else(|| webmill_capture::Error::Internal("shape without input".into()))?;
        let (mut laws, mut ties, mut components) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (mut distances, mut mixing) = (BTreeMap::new(), BTreeMap::new());
        for level in LEVELS {
            let facts: LevelFacts =
                stage.unit(&format!("shape-{level}"), |unit| measure(graph, level, unit))?;
            laws.insert(level, facts.laws);
            ties.insert(level, facts.bowtie);
            components.insert(level, facts.components);
            distances.insert(level, facts.distances);
            mixing.insert(level, facts.mixing);
        }
        stage.fact("laws", laws)?;
        stage.fact("bowtie", ties)?;
        stage.fact("components", components)?;
        stage.fact("distances", distances)?;
        stage.fact("mixing", mixing)
    }
}

/// Components of both kinds and what finds them, parts of the bow-tie, degrees, groups.
const NODE_BYTES: u64 = 48;

fn measure(
    source: &Committed,
    level: &'static str,
    unit: &mut Unit<'_>,
) -> webmill_capture::Result<LevelFacts> {
    let graph = open_graph(source, level)?.without_weights();
    admit(&graph, NODE_BYTES, "measuring", unit.stage().memory)?;
    let progress = unit.stage().progress;
    progress.begin(&format!("shape {level}"), 0, Measure::Items);
    let transpose = graph.transpose();
    let strong = strong_components(&graph);
    let weak = weak_components(&graph);
    let tie = bow_tie(&graph, &transpose, &strong);
    unit.stage().cancel.check()?;
    let footer = Footer { job_key: unit.stage().key().to_string() };

    let relative = part_file(ComponentRow::NAME, level);
    let mut writer = PartWriter::<ComponentRow>::create(&unit.create(&relative)?, &footer)?;
    for node in 0..graph.num_nodes() {
        writer.push(ComponentRow {
            level,
            node: node as u32,
            scc: strong.of[node],
            wcc: weak.of[node],
            bowtie: tie.parts[node].name(),
        })?;
    }
    let rows = writer.finish()?;
    unit.wrote(&relative, ComponentRow::NAME, columns::<ComponentRow>(), rows);

    let mut laws = BTreeMap::new();
    let mut degrees = Vec::new();
    for (direction, histogram) in histograms(source, level, &graph, &transpose)? {
        if let Some(law) = histogram.power_law() {
            laws.insert(
                direction.to_owned(),
                serde_json::json!({
                    "exponent": law.gamma, "error": law.gamma_error, "x_min": law.x_min, "tail": law.tail, "ks": law.ks,
                    "ratio_to_log_normal": law.ratio, "p_value": law.p_value,
                }),
            );
        }
        degrees.extend(histogram.counts.iter().map(|&(degree, count)| DegreeRow {
            level,
            direction,
            degree,
            count,
        }));
    }
    let relative = part_file(DegreeRow::NAME, level);
    let rows = write_part(&unit.create(&relative)?, &degrees, &footer)?;
    unit.wrote(&relative, DegreeRow::NAME, columns::<DegreeRow>(), rows);
    progress.advance(graph.num_nodes() as u64);
    progress.end();

    let bowtie =
        webmill_graph::Part::ALL.iter().zip(tie.sizes).map(|(p, n)| (p.name().to_owned(), n)).collect();
    let sample = Distances { memory_bytes: Some(unit.stage().memory / 2), ..Distances::default() };
    let distances = sample.run(&graph, &transpose)?;
    let correlations = Assortativity::of(&graph, &transpose);
    let largest = |sizes: &[u32]| sizes.first().copied().unwrap_or(0);
    Ok(LevelFacts {
        laws,
        bowtie,
        components: serde_json::json!({
            "scc": { "number": strong.len(), "largest": largest(&strong.sizes) },
            "wcc": { "number": weak.len(), "largest": largest(&weak.sizes) },
        }),
        distances: serde_json::json!({
            "sources": distances.sources,
            "mean": distances.mean,
            "standard_error": distances.standard_error,
            "effective_diameter": distances.effective_diameter(),
            "greatest_seen": distances.greatest(),
            "connected_pairs": distances.connected,
            "published_estimate": published_distance(graph.num_nodes() as u64),
        }),
        mixing: serde_json::json!({
            "reciprocity": Reciprocity::of(&graph, &transpose).share(),
            "assortativity_in_in": correlations.in_in,
            "assortativity_in_out": correlations.in_out,
            "assortativity_out_in": correlations.out_in,
            "assortativity_out_out": correlations.out_out,
            "links_within_hosts": if level == "page" { within_hosts(source, &graph)? } else { None },
        }),
    })
}

/// Share of the links between pages that stay inside a host.
fn within_hosts(source: &Committed, graph: &Csr) -> webmill_capture::Result<Option<f64>> {
    let mut hosts = Vec::with_capacity(graph.num_nodes());
    let mut reader = read_nodes(source, "page", &["host"]);
    while let Some(batch) = reader.next()? {
        let column = batch.u32("host")?;
        hosts.extend((0..batch.len()).map(|i| column.get(i).unwrap_or(0)));
    }
    let links = GroupLinks::of(graph, &hosts)?;
    let all = links.within + links.across;
    Ok((all > 0).then(|| links.within as f64 / all as f64))
}

/// Degree → nodes, for every direction; for hosts and domains also pages → hosts.
fn histograms(
    source: &Committed,
    level: &str,
    graph: &Csr,
    transpose: &Csr,
) -> webmill_capture::Result<Vec<(&'static str, Histogram)>> {
    let degrees = Degrees::of(graph, transpose);
    let mut all = vec![("in", degrees.r#in), ("out", degrees.out), ("total", degrees.total)];
    if level != "page" {
        let mut pages = Vec::new();
        let mut reader = read_nodes(source, level, &["pages"]);
        while let Some(batch) = reader.next()? {
            let column = batch.u32("pages")?;
            pages.extend((0..batch.len()).map(|i| u64::from(column.get(i).unwrap_or(0))));
        }
        all.push(("pages", Histogram::of(pages)));
    }
    Ok(all)
}
