//! The job: every measure on every level, as table `ranks`.

use crate::rank::tables::RankRow;
use webmill_graph::{
    Csr, Graph, HubsAuthorities, HyperBall, Ranks, Salsa, SalsaScores, harmonic_of_all, kendall_tau,
};
use webmill_run::{Committed, Job, Measure, Stage, Unit};
use webmill_table::{Footer, PartWriter, Table};

use super::settings::{Rank, Vectors};
use super::{start, teleport};
use crate::levels::{LEVELS, admit, check_order, each_name, open_graph, part_file, read_nodes};
use crate::rejects::columns;

/// The vectors of one measure beside the scores of those before it.
const NODE_BYTES: u64 = 96;

/// The measures of one graph.
pub struct RankJob {
    pub settings: Rank,
    pub graph: Committed,
}

impl serde::Serialize for RankJob {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.settings.serialize(serializer)
    }
}

impl Job for RankJob {
    const NAME: &'static str = "rank";
    const VERSION: u32 = 2;

    fn run(&self, stage: &Stage<'_>) -> webmill_capture::Result<()> {
        let graph = &self.graph;
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

impl RankJob {
    fn level(
        &self,
        source: &Committed,
        level: &str,
        unit: &mut Unit<'_>,
    ) -> webmill_capture::Result<(serde_json::Value, serde_json::Value, serde_json::Value)> {
        let graph = open_graph(source, level)?;
        admit(&graph, NODE_BYTES, "ranking", unit.stage().memory)?;
        let progress = unit.stage().progress;
        progress.begin(&format!("rank {level}"), 0, Measure::Items);
        let settings = &self.settings;
        let weighted = settings.weighted(level);
        let graph = if weighted { graph } else { graph.without_weights() };
        let transpose = graph.transpose();
        let vectors = self.vectors(level, unit)?;
        let room = unit.stage().memory.saturating_sub(graph.bytes());
        let ranks = settings.pagerank(room, &vectors).run(&graph, &transpose)?;
        drop(vectors);
        unit.stage().cancel.check()?;
        let hits = settings.hits()?.run(&graph, &transpose)?;
        let salsa = Salsa { weighted }.run(&graph, &transpose)?;
        unit.stage().cancel.check()?;
        let harmonic = match settings.harmonic_registers {
            0 => None,
            log_registers => {
                let memory_bytes = Some(unit.stage().memory.saturating_sub(2 * graph.bytes()));
                let ball = HyperBall { log_registers, memory_bytes, ..HyperBall::default() };
                Some(harmonic_of_all(&graph, &transpose, &ball)?)
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

impl RankJob {
    fn vectors(&self, level: &str, unit: &mut Unit<'_>) -> webmill_capture::Result<Vectors> {
        let mut vectors = Vectors::default();
        if let Some(path) = &self.settings.teleport {
            let names = teleport::Names::read(path, level)
                .map_err(|e| webmill_capture::Error::Config(format!("{e:#}")))?;
            let (vector, unknown) = names.vector(each_name(&self.graph, level))?;
            if unknown > 0 {
                unit.dropped(&format!("teleport-names-unknown-{level}"), unknown);
            }
            vectors.teleport = Some(vector);
        }
        if let Some(results) = &self.settings.warm_start {
            vectors.start = start::scores(&self.graph, level, results)?;
        }
        Ok(vectors)
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
    fn correlations(&self, transpose: &Csr) -> webmill_capture::Result<serde_json::Value> {
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

fn write(
    source: &Committed,
    level: &str,
    unit: &mut Unit<'_>,
    (graph, transpose): (&Csr, &Csr),
    scores: &Scores<'_>,
) -> webmill_capture::Result<()> {
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
