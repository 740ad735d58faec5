//! `webmill rank`: every measure on every level of the graph, as table `ranks`.

pub mod places;
pub mod settings;
pub mod tables;
pub mod teleport;

use webmill_capture::Result;
use webmill_graph::{Csr, Graph, HubsAuthorities, Ranks, Salsa, SalsaScores, kendall_tau};
use webmill_run::{Committed, Job, Measure, Stage, Unit};
use webmill_table::{Table, columns, schema};

use crate::graph::tables::{Crawled, NodeRow};
use crate::graph::{GraphJob, each_name};
use crate::job::{Context, JobEntry};
use crate::levels::{Level, admit, check_order, open_graph, part_file, read_level, write_level};
use crate::output::TableFile;
use crate::recipe::check_settings;
pub use settings::{Rank, Vectors};
use tables::{AgreementRow, ConvergenceRow, Iterated, RankRow};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: RankJob::NAME,
    about: "Rank pages, hosts and domains: PageRank, HITS, SALSA, harmonic centrality",
    reads_shards: false,
    optional: false,
    tables: || vec![schema::<RankRow>(), schema::<ConvergenceRow>(), schema::<AgreementRow>()],
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
    struct Named from NodeRow { node, url, crawled }
}

/// Calls `each` with number, name and whether a page was captured, for every node of a level in its order.
fn each_node(
    graph: &Committed,
    level: Level,
    mut each: impl FnMut(u32, &str, bool) -> Result<()>,
) -> Result<()> {
    let mut reader = read_level::<Named>(graph, level);
    while let Some(batch) = reader.next()? {
        batch.rows().try_for_each(|node| each(node.node, node.url, node.crawled == Some(Crawled::Html)))?;
    }
    Ok(())
}

/// The vectors of one measure beside the scores of those before it.
const NODE_BYTES: u64 = 96;

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
        admit(&graph, NODE_BYTES, held, "ranking", memory).map_err(|error| settings.leaner(error))?;
        let progress = unit.stage().progress;
        progress.begin(&format!("rank {level}"), 0, Measure::Items);
        let weighted = settings.weighted(level);
        let graph = if weighted { graph } else { graph.without_weights() };
        let transpose = settings.transpose(&graph, memory, unit.temp())?;
        let vectors = self.vectors(source, level, unit)?;
        let room = memory.saturating_sub(held);
        let ranks = settings.pagerank(room, &vectors).run(&graph, &transpose);
        let ranks = ranks.map_err(|error| settings.leaner(error))?;
        drop(vectors);
        unit.stage().cancel.check()?;
        let others = NODE_BYTES * graph.num_nodes() as u64;
        let beside = memory.saturating_sub(2 * held + others);
        let hits = settings.hits(weighted, beside)?.run(&graph, &transpose)?;
        let salsa = Salsa { weighted }.run(&graph, &transpose)?;
        unit.stage().cancel.check()?;
        let harmonic = settings.harmonic(memory.saturating_sub(2 * held)).run(&graph, &transpose)?;
        progress.advance(graph.num_nodes() as u64);
        progress.end();
        progress.note(&format!("rank {level}: {}", hits_said(&hits)));
        progress.note(&format!("rank {level}: harmonic centrality {}", harmonic.about()));
        let scores = Scores { ranks: &ranks, hits: &hits, salsa: &salsa, harmonic: &harmonic.scores };
        write(source, level, unit, (&graph, &transpose), &scores)?;
        let row = |measure, iterations: usize, error, converged| ConvergenceRow {
            level,
            measure,
            iterations: iterations as u32,
            error,
            converged,
            residual: None,
            gap: None,
        };
        let rows = vec![
            row(Iterated::Pagerank, ranks.iterations, ranks.error_bound, ranks.converged),
            ConvergenceRow {
                residual: hits.residual,
                gap: hits.gap,
                ..row(Iterated::Hits, hits.iterations, hits.error, hits.converged)
            },
            row(Iterated::Harmonic, harmonic.iterations, harmonic.relative_error, harmonic.converged),
        ];
        write_level(unit, level, rows)?;
        let agreement = scores.agreement(level, &transpose)?;
        write_level(unit, level, agreement)?;
        Ok(())
    }
}

impl RankJob {
    fn vectors(&self, graph: &Committed, level: Level, unit: &mut Unit<'_>) -> Result<Vectors> {
        let mut vectors = Vectors::default();
        if let Some(path) = &self.settings.teleport {
            let names = teleport::Names::read(path, Some(level))?;
            let (vector, unknown) = names.vector(|| each_name(graph, level))?;
            if !unknown.is_empty() {
                unit.dropped(&format!("teleport-names-unknown-{level}"), unknown.len() as u64);
            }
            vectors.teleport = Some(vector);
        }
        Ok(vectors)
    }
}

/// How near hubs and authorities came, in words.
pub(crate) fn hits_said(hits: &HubsAuthorities) -> String {
    let how = if hits.converged { "converged" } else { "NOT converged" };
    let Some(residual) = hits.residual else {
        let (iterations, change) = (hits.iterations, hits.change);
        return match hits.converged {
            true => format!("HITS: {how} after {iterations} iterations, last change {change:.1e}"),
            false => {
                let round = if hits.cycles { ", the scores turn in a circle" } else { "" };
                format!(
                    "HITS: {how} after {iterations} iterations{round}; those of least change are given, {change:.1e}"
                )
            }
        };
    };
    let gap = hits.gap.map_or(String::new(), |gap| format!(", gap {gap:.1e}"));
    format!(
        "HITS: {how} after {} iterations, residual {residual:.1e}{gap}, error about {:.1e}",
        hits.iterations, hits.error
    )
}

/// What was computed of a level.
struct Scores<'a> {
    ranks: &'a Ranks,
    hits: &'a HubsAuthorities,
    salsa: &'a SalsaScores,
    harmonic: &'a [f64],
}

impl Scores<'_> {
    /// Kendall's tau-b of each two measures; none where all nodes of one are equal.
    fn agreement(&self, level: Level, transpose: &Csr) -> Result<Vec<AgreementRow>> {
        let indegree: Vec<f64> =
            (0..transpose.num_nodes() as u32).map(|v| transpose.outdegree(v) as f64).collect();
        let measures: [(&'static str, &[f64]); 6] = [
            ("PageRank", &self.ranks.scores),
            ("authority", &self.hits.authorities),
            ("hub", &self.hits.hubs),
            ("SALSA authority", &self.salsa.authorities),
            ("in-degree", &indegree),
            ("harmonic", self.harmonic),
        ];
        let mut found = Vec::new();
        for (i, &(first, a)) in measures.iter().enumerate() {
            for &(second, b) in &measures[i + 1..] {
                found.extend(kendall_tau(a, b)?.map(|tau| AgreementRow { level, first, second, tau }));
            }
        }
        Ok(found)
    }
}

fn write(
    source: &Committed,
    level: Level,
    unit: &mut Unit<'_>,
    (graph, transpose): (&Csr, &Csr),
    scores: &Scores<'_>,
) -> Result<()> {
    let mut file = TableFile::<RankRow>::create(unit, part_file(RankRow::NAME, level))?;
    let mut node = 0usize;
    each_node(source, level, |number, url, crawled| {
        check_order(number, node, graph.num_nodes())?;
        file.push(RankRow {
            level,
            node: number,
            url: url.to_owned(),
            crawled,
            pagerank: scores.ranks.scores[node],
            authority: scores.hits.authorities[node],
            hub: scores.hits.hubs[node],
            salsa_authority: scores.salsa.authorities[node],
            salsa_hub: scores.salsa.hubs[node],
            harmonic: Some(scores.harmonic[node]),
            indegree: transpose.outdegree(number) as u32,
            outdegree: graph.outdegree(number) as u32,
        })?;
        node += 1;
        Ok(())
    })?;
    let rows = file.finish(unit)?;
    unit.kept(&format!("{level}-nodes"), rows);
    Ok(())
}
