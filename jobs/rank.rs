//! `webmill rank`: every measure on every level of the graph, as table `ranks`. Which measures there are says
//! [`webmill_graph::measure`].
//!
//! A graph that is larger than the memory is ranked with `lean`: graph files are mapped anyway, and `Csr::transpose_on_disk` makes
//! the transpose in a file, as many targets at a time as fit. Only private memory is counted; the page cache belongs to the system.
//! `lean` changes the order of PageRank's sums, so it is a setting and not `--memory`'s business.

pub mod places;
pub mod settings;
pub mod tables;
pub mod teleport;

use webmill_capture::Result;
use webmill_graph::kendall_tau;
use webmill_graph::measure::{self, MEASURES, Score, Values};
use webmill_run::{Committed, Job, Measure, Stage, Unit};
use webmill_table::{DynamicWriter, Value, columns, schema};

use crate::graph::tables::{Crawled, NodeRow};
use crate::graph::{GraphJob, each_name};
use crate::job::Context;
use crate::levels::{Level, admit, check_order, open_graph, part_file, read_level, write_level};
use crate::output::footer;
use crate::recipe::check_settings;
use crate::registry::JobEntry;
pub use settings::{Rank, Vectors};
use tables::{AgreementRow, ConvergenceRow};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: RankJob::NAME,
    about: "Rank pages, hosts and domains: PageRank, HITS, SALSA, harmonic centrality",
    reads_shards: false,
    optional: false,
    tables: || vec![tables::ranks(), schema::<ConvergenceRow>(), schema::<AgreementRow>()],
    check: check_settings::<Rank>,
    run: rank,
};

/// Ranks the context's graph, which is built where there is none.
///
/// # Errors
/// What the job meets.
pub fn rank(context: &Context<'_>) -> Result<Option<Committed>> {
    let settings = context.settings::<Rank>()?.with_contents()?;
    let Some(graph) = context.require(GraphJob::NAME)? else { return Ok(None) };
    context.run(&RankJob { settings }, &graph)
}

columns! {
    struct NodeColumns from NodeRow { node, url, crawled }
}

/// Calls `each` with number, name and whether a page was captured, for every node of a level in its order.
fn each_node(
    graph: &Committed,
    level: Level,
    mut each: impl FnMut(u32, &str, bool) -> Result<()>,
) -> Result<()> {
    let mut reader = read_level::<NodeColumns>(graph, level);
    while let Some(batch) = reader.next()? {
        batch.rows().try_for_each(|node| each(node.node, node.url, node.crawled == Some(Crawled::Html)))?;
    }
    Ok(())
}

/// Bytes a node of what a comparison of two scores takes.
const COMPARISON_BYTES: u64 = 32;

/// Bytes a node of all scores that are kept until they are written, with the comparison of two of them.
fn node_bytes() -> u64 {
    8 * measure::columns().count() as u64 + COMPARISON_BYTES
}

/// The measures of one graph.
#[derive(serde::Serialize)]
#[serde(transparent)]
pub struct RankJob {
    /// What they are computed with.
    pub settings: Rank,
}

impl Job for RankJob {
    type Input = Committed;
    const NAME: &'static str = "rank";
    const VERSION: u32 = 6;

    fn run(&self, graph: &Committed, stage: &Stage<'_>) -> Result<()> {
        Level::ALL
            .into_iter()
            .try_for_each(|level| stage.unit(&format!("rank-{level}"), |unit| self.level(graph, level, unit)))
    }
}

impl RankJob {
    fn level(&self, source: &Committed, level: Level, unit: &mut Unit<'_>) -> Result<()> {
        let graph = open_graph(source, level)?;
        let (settings, memory) = (&self.settings, unit.stage().memory);
        let held = settings.held(&graph);
        admit(&graph, node_bytes(), held, "ranking", memory).map_err(|error| settings.leaner(error))?;
        let progress = unit.stage().progress;
        progress.begin(&format!("rank {level}"), 0, Measure::Items);
        // Between hosts and domains, arcs are followed in proportion to the links behind them.
        let weighted = level != Level::Page;
        let graph = if weighted { graph } else { graph.without_weights() };
        let transpose = settings.transpose(&graph, memory, unit.temp())?;
        let vectors = self.vectors(source, level, unit)?;
        let others = node_bytes() * graph.num_nodes() as u64;
        let with = settings.measures(&graph, (memory, others), weighted, &vectors)?;
        let (mut scores, mut convergence) = (Vec::new(), Vec::new());
        for measure in MEASURES.iter().filter(|measure| measure.info().in_tables) {
            let found = measure.run(&graph, &transpose, &with).map_err(|error| settings.leaner(error))?;
            unit.stage().cancel.check()?;
            progress.advance(graph.num_nodes() as u64);
            let near = found.convergence.as_ref();
            for note in found.note.iter().map(|note| format!("rank {level}: {note}")) {
                match near.is_none_or(|near| near.converged) {
                    true => progress.detail(&note),
                    false => progress.note(&note),
                }
            }
            convergence
                .extend(found.convergence.map(|near| ConvergenceRow::new(level, measure.info().name, near)));
            scores.extend(measure.info().scores.iter().zip(found.scores));
        }
        progress.end();
        write(source, level, unit, &scores)?;
        write_level(unit, level, convergence)?;
        write_level(unit, level, agreement(level, scores)?)
    }
}

impl RankJob {
    fn vectors(&self, graph: &Committed, level: Level, unit: &mut Unit<'_>) -> Result<Vectors> {
        let mut vectors = Vectors::default();
        if let Some(path) = &self.settings.teleport {
            let names = teleport::Names::read(path, Some(level))?;
            let (vector, unknown) = names.vector(|| each_name(graph, level))?;
            unit.dropped(&format!("teleport-names-unknown-{level}"), unknown.len() as u64);
            vectors.teleport = Some(vector);
        }
        Ok(vectors)
    }
}

/// A score with one number per node.
type ScoreVector = (&'static Score, Vec<f64>);

/// Kendall's tau-b of each two scores that are compared, estimates last; without those of a score by which all nodes
/// are equal.
fn agreement(level: Level, mut scores: Vec<ScoreVector>) -> Result<Vec<AgreementRow>> {
    scores.retain(|(score, _)| score.compared);
    scores.sort_by_key(|(score, _)| score.values == Values::Estimates);
    let mut rows = Vec::new();
    for (i, (first, a)) in scores.iter().enumerate() {
        for (second, b) in &scores[i + 1..] {
            let (first, second) = (first.label, second.label);
            rows.extend(kendall_tau(a, b)?.map(|tau| AgreementRow { level, first, second, tau }));
        }
    }
    Ok(rows)
}

fn write(source: &Committed, level: Level, unit: &mut Unit<'_>, scores: &[ScoreVector]) -> Result<()> {
    let table = tables::ranks();
    let relative = part_file(&table.name, level);
    let mut file = DynamicWriter::create(&unit.create(&relative)?, &table, &footer(unit))?;
    let nodes = scores.first().map_or(0, |(_, scores)| scores.len());
    let mut node = 0usize;
    each_node(source, level, |number, url, crawled| {
        check_order(number, node, nodes)?;
        let mut row = vec![
            Value::Text(level.as_str().to_owned()),
            Value::Int(number.into()),
            Value::Text(url.to_owned()),
            Value::Bool(crawled),
        ];
        row.extend(scores.iter().map(|(score, scores)| match score.values {
            Values::Counts => Value::Int(scores[node] as i64),
            Values::Real | Values::Estimates => Value::Float(scores[node]),
        }));
        node += 1;
        file.push(row)
    })?;
    let rows = file.finish()?;
    unit.wrote(&relative, &table.name, table.columns_in_words(), rows);
    unit.kept(&format!("{level}-nodes"), rows);
    Ok(())
}
