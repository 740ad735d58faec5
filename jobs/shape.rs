//! `webmill shape`: degrees with their laws, components, bow-tie.

pub mod tables;

use serde::{Deserialize, Serialize};
use webmill_capture::Result;
use webmill_graph::{
    Assortativity, Components, Csr, Degrees, Distances, Graph, GroupLinks, Histogram, Reciprocity, bow_tie,
    published_distance, strong_components, weak_components,
};
use webmill_run::{Committed, Job, Measure, Stage, Unit};
use webmill_table::{Footer, PartWriter, Table, columns, schema, write_part};

use crate::graph::GraphJob;
use crate::graph::tables::NodeRow;
use crate::job::{Context, JobEntry};
use crate::levels::{Level, admit, open_graph, part_file, read_level};
use crate::recipe::{Recipe, Settings};
use crate::rejects::columns as columns_of;
use tables::{ComponentRow, DegreeRow, Direction, LawRow, ShapeRow};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Shape::NAME,
    about: "Measure the shape of the graph: degree laws, components, bow-tie",
    example: "Example:\n  webmill shape --out results",
    reads_shards: false,
    tables: || {
        vec![schema::<DegreeRow>(), schema::<ComponentRow>(), schema::<LawRow>(), schema::<ShapeRow>()]
    },
    check: |recipe: &Recipe| recipe.settings::<Shape>().map(drop),
    run: shape,
};

/// Configuration of the job: none yet, but for the graph it reads.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shape {}

impl Settings for Shape {
    const TABLE: &'static str = "shape";
}

/// Measures the context's graph, which is built where there is none.
///
/// # Errors
/// What the job meets.
pub fn shape(context: &Context<'_>) -> Result<Option<Committed>> {
    let job: Shape = context.settings()?;
    let Some(graph) = context.require(GraphJob::NAME)? else { return Ok(None) };
    context.run(&job, &graph)
}

impl Job for Shape {
    type Input = Committed;
    const NAME: &'static str = "shape";
    const VERSION: u32 = 3;

    fn run(&self, graph: &Committed, stage: &Stage<'_>) -> Result<()> {
        Level::ALL
            .into_iter()
            .try_for_each(|level| stage.unit(&format!("shape-{level}"), |unit| measure(graph, level, unit)))
    }
}

columns! {
    struct OfHost from NodeRow { host }
}

columns! {
    struct Counted from NodeRow { pages }
}

/// Components of both kinds and what finds them, parts of the bow-tie, degrees, groups.
const NODE_BYTES: u64 = 48;

fn measure(source: &Committed, level: Level, unit: &mut Unit<'_>) -> Result<()> {
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
            bowtie: tie.parts[node].into(),
        })?;
    }
    let rows = writer.finish()?;
    unit.wrote(&relative, ComponentRow::NAME, columns_of::<ComponentRow>(), rows);

    let (mut laws, mut degrees) = (Vec::new(), Vec::new());
    for (direction, histogram) in histograms(source, level, &graph, &transpose)? {
        laws.extend(histogram.power_law().map(|law| LawRow {
            level,
            direction,
            exponent: law.gamma,
            error: law.gamma_error,
            x_min: law.x_min,
            tail: law.tail,
            ks: law.ks,
            ratio_to_log_normal: law.ratio.is_finite().then_some(law.ratio),
            p_value: law.p_value.is_finite().then_some(law.p_value),
        }));
        degrees.extend(histogram.counts.iter().map(|&(degree, count)| DegreeRow {
            level,
            direction,
            degree,
            count,
        }));
    }
    write(unit, level, &degrees)?;
    write(unit, level, &laws)?;
    progress.advance(graph.num_nodes() as u64);
    progress.end();

    let sample = Distances { memory_bytes: Some(unit.stage().memory / 2), ..Distances::default() };
    let distances = sample.run(&graph, &transpose)?;
    let assortativity = Assortativity::of(&graph, &transpose);
    let [bowtie_core, bowtie_in, bowtie_out, bowtie_tendril, bowtie_tube, bowtie_disconnected] = tie.sizes;
    let finite = |x: f64| x.is_finite().then_some(x);
    let row = ShapeRow {
        level,
        sccs: strong.len() as u32,
        largest_scc: largest(&strong),
        wccs: weak.len() as u32,
        largest_wcc: largest(&weak),
        bowtie_core,
        bowtie_in,
        bowtie_out,
        bowtie_tendril,
        bowtie_tube,
        bowtie_disconnected,
        distance_sources: distances.sources as u64,
        distance_mean: finite(distances.mean),
        distance_standard_error: finite(distances.standard_error),
        effective_diameter: finite(distances.effective_diameter()),
        greatest_distance: distances.greatest() as u64,
        connected_pairs: distances.connected,
        published_distance: published_distance(graph.num_nodes() as u64),
        reciprocity: Reciprocity::of(&graph, &transpose).share(),
        assortativity_in_in: assortativity.in_in,
        assortativity_in_out: assortativity.in_out,
        assortativity_out_in: assortativity.out_in,
        assortativity_out_out: assortativity.out_out,
        links_within_hosts: if level == Level::Page { within_hosts(source, &graph)? } else { None },
    };
    write(unit, level, &[row])
}

fn largest(components: &Components) -> u32 {
    components.sizes.first().copied().unwrap_or(0)
}

fn write<T: Table>(unit: &mut Unit<'_>, level: Level, rows: &[T]) -> Result<()> {
    let relative = part_file(T::NAME, level);
    let footer = Footer { job_key: unit.stage().key().to_string() };
    let written = write_part(&unit.create(&relative)?, rows, &footer)?;
    unit.wrote(&relative, T::NAME, columns_of::<T>(), written);
    Ok(())
}

/// Share of the links between pages that stay inside a host.
fn within_hosts(source: &Committed, graph: &Csr) -> Result<Option<f64>> {
    let mut hosts = Vec::with_capacity(graph.num_nodes());
    let mut reader = read_level::<OfHost>(source, Level::Page);
    while let Some(batch) = reader.next()? {
        hosts.extend(batch.rows().map(|node| node.host));
    }
    let links = GroupLinks::of(graph, &hosts)?;
    let all = links.within + links.across;
    Ok((all > 0).then(|| links.within as f64 / all as f64))
}

/// Degree → nodes, for every direction; for hosts and domains also pages → hosts.
fn histograms(
    source: &Committed,
    level: Level,
    graph: &Csr,
    transpose: &Csr,
) -> Result<Vec<(Direction, Histogram)>> {
    let degrees = Degrees::of(graph, transpose);
    let mut all =
        vec![(Direction::In, degrees.r#in), (Direction::Out, degrees.out), (Direction::Total, degrees.total)];
    if level != Level::Page {
        let mut pages = Vec::new();
        let mut reader = read_level::<Counted>(source, level);
        while let Some(batch) = reader.next()? {
            pages.extend(batch.rows().map(|node| u64::from(node.pages)));
        }
        all.push((Direction::Pages, Histogram::of(pages)));
    }
    Ok(all)
}
