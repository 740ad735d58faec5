//! `webmill shape`: degrees with their laws, components, bow-tie.

pub mod measures;
pub mod tables;

use webmill_capture::{Error, Result};
use webmill_graph::{
    BowTie, Components, Csr, DistanceSample, GroupLinks, Histogram, PowerLaw, published_distance,
};
use webmill_run::{Committed, Job, Measure, Stage, Unit};
use webmill_table::{Table, columns, schema};

use crate::graph::GraphJob;
use crate::graph::tables::NodeRow;
use crate::job::Context;
use crate::levels::{Level, admit, open_graph, part_file, read_level, write_level};
use crate::output::write_rows;
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;
use measures::{Measures, Part};
use tables::{ComponentRow, DegreeRow, Direction, LawRow, ShapeRow};
use webmill_capture::settings;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: Shape::NAME,
    about: "Measure the shape of the graph: degree laws, components, bow-tie",
    reads_shards: false,
    optional: false,
    tables: || {
        vec![schema::<DegreeRow>(), schema::<ComponentRow>(), schema::<LawRow>(), schema::<ShapeRow>()]
    },
    check: check_settings::<Shape>,
    run: shape,
};

settings! {
    /// Configuration of the job: none yet, but for the graph it reads.
    pub struct Shape {}
}

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
    const VERSION: u32 = 4;

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
    struct PagesColumn from NodeRow { pages }
}

/// Components of both kinds and what finds them, one of them beside the searches for distances, parts of the bow-tie,
/// degrees, groups.
const NODE_BYTES: u64 = 64;

fn measure(source: &Committed, level: Level, unit: &mut Unit<'_>) -> Result<()> {
    let graph = open_graph(source, level)?.without_weights();
    admit(&graph, NODE_BYTES, graph.bytes(), "measuring", unit.stage().memory)?;
    let progress = unit.stage().progress;
    progress.begin(&format!("shape {level}"), 0, Measure::Items);
    let transpose = graph.transpose();
    let found = Measures::of(&graph, Some(&transpose), Part::ALL, unit.stage().memory / 2)?;
    let missing = || Error::Internal("a part of the shape was not measured".into());
    let (strong, weak) = (found.strong.ok_or_else(missing)?, found.weak.ok_or_else(missing)?);
    let (tie, distances) = (found.tie.ok_or_else(missing)?, found.distances.ok_or_else(missing)?);
    let (degrees, laws) = found.degrees.ok_or_else(missing)?;
    unit.stage().cancel.check()?;
    let component = |node: usize| ComponentRow {
        level,
        node: node as u32,
        scc: strong.of[node],
        wcc: weak.of[node],
        bowtie: tie.parts[node].into(),
    };
    let components = (0..graph.num_nodes()).map(component);
    write_rows(unit, part_file(ComponentRow::NAME, level), components)?;
    let directions = [Direction::In, Direction::Out, Direction::Total];
    let histograms = directions.into_iter().zip([degrees.r#in, degrees.out, degrees.total]).zip(laws);
    let mut histograms: Vec<_> =
        histograms.map(|((direction, histogram), law)| (direction, histogram, law)).collect();
    if level != Level::Page {
        let histogram = pages(source, level)?;
        let law = histogram.power_law();
        histograms.push((Direction::Pages, histogram, law));
    }
    write_degrees(level, histograms, unit)?;
    progress.advance(graph.num_nodes() as u64);
    progress.end();
    let within_hosts = if level == Level::Page { within_hosts(source, &graph)? } else { None };
    let row = shape_row(level, graph.num_nodes(), (&strong, &weak), &tie, &distances);
    let assortativity = found.assortativity.ok_or_else(missing)?;
    let row = ShapeRow {
        reciprocity: found.reciprocity.ok_or_else(missing)?.share(),
        assortativity_in_in: assortativity.in_in,
        assortativity_in_out: assortativity.in_out,
        assortativity_out_in: assortativity.out_in,
        assortativity_out_out: assortativity.out_out,
        links_within_hosts: within_hosts,
        ..row
    };
    write_rows(unit, part_file(ShapeRow::NAME, level), [row])?;
    Ok(())
}

/// Distributions of degrees, and the laws that fit their tails.
fn write_degrees(
    level: Level,
    histograms: Vec<(Direction, Histogram, Option<PowerLaw>)>,
    unit: &mut Unit<'_>,
) -> Result<()> {
    let (mut laws, mut degrees) = (Vec::new(), Vec::new());
    for (direction, histogram, law) in histograms {
        laws.extend(law.map(|law| LawRow {
            level,
            direction,
            exponent: law.gamma,
            error: law.gamma_error,
            x_min: law.x_min,
            tail: law.tail,
            ks: law.ks,
            ratio_to_log_normal: finite(law.ratio),
            p_value: finite(law.p_value),
        }));
        let rows =
            histogram.counts.iter().map(|&(degree, count)| DegreeRow { level, direction, degree, count });
        degrees.extend(rows);
    }
    write_level(unit, level, degrees)?;
    write_level(unit, level, laws)
}

/// The numbers of a level, but for those of mixing.
fn shape_row(
    level: Level,
    nodes: usize,
    (strong, weak): (&Components, &Components),
    tie: &BowTie,
    distances: &DistanceSample,
) -> ShapeRow {
    let largest = |components: &Components| components.sizes.first().copied().unwrap_or(0);
    let [bowtie_core, bowtie_in, bowtie_out, bowtie_tendril, bowtie_tube, bowtie_disconnected] = tie.sizes;
    ShapeRow {
        level,
        sccs: strong.len() as u32,
        largest_scc: largest(strong),
        wccs: weak.len() as u32,
        largest_wcc: largest(weak),
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
        published_distance: published_distance(nodes as u64),
        reciprocity: None,
        assortativity_in_in: None,
        assortativity_in_out: None,
        assortativity_out_in: None,
        assortativity_out_out: None,
        links_within_hosts: None,
    }
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
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

/// Number of pages → number of hosts or domains with that many pages.
fn pages(source: &Committed, level: Level) -> Result<Histogram> {
    let mut pages = Vec::new();
    let mut reader = read_level::<PagesColumn>(source, level);
    while let Some(batch) = reader.next()? {
        pages.extend(batch.rows().map(|node| u64::from(node.pages)));
    }
    Ok(Histogram::of(pages))
}
