//! The measures of link analysis by name.

use std::sync::OnceLock;

use anyhow::Result;
use clap::ValueEnum;
use webmill_graph::{Csr, Graph, HubsAuthorities, PageRank, Ranks, Salsa, Scale};

use crate::rank::{Rank, Vectors, hits_said};

/// A score of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Score {
    /// PageRank, sum 1.
    Pagerank,
    /// PageRank on the scale of the literature, sum N.
    PagerankClassical,
    /// HITS authorities.
    Authority,
    /// HITS hubs.
    Hub,
    /// SALSA authorities.
    SalsaAuthority,
    /// SALSA hubs.
    SalsaHub,
    /// Harmonic centrality, of large graphs estimated by HyperBall.
    Harmonic,
    /// Arcs that lead to a node.
    Indegree,
    /// Arcs that leave it.
    Outdegree,
}

/// `--by`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct By {
    /// Score that counts [default: pagerank].
    #[arg(long, value_enum, value_name = "SCORE")]
    pub by: Option<Score>,
}

/// What scores are computed with.
pub struct Measured<'a> {
    pub rank: &'a Rank,
    pub vectors: &'a Vectors,
    /// Whether weights of arcs count.
    pub weighted: bool,
    pub memory: u64,
    /// Hubs and authorities come together: computed once for both, of the one graph that these settings are used on.
    hits: OnceLock<HubsAuthorities>,
}

impl<'a> Measured<'a> {
    /// Settings for the scores of one graph.
    pub fn new(rank: &'a Rank, vectors: &'a Vectors, weighted: bool, memory: u64) -> Self {
        Measured { rank, vectors, weighted, memory, hits: OnceLock::new() }
    }

    fn hits(&self, graph: &Csr, transpose: &Csr) -> Result<&HubsAuthorities> {
        if let Some(found) = self.hits.get() {
            return Ok(found);
        }
        let beside = self.memory.saturating_sub(2 * self.rank.held(graph));
        let found = self.rank.hits(self.weighted, beside)?.run(graph, transpose)?;
        crate::say!("{}", hits_said(&found));
        Ok(self.hits.get_or_init(|| found))
    }

    /// The graph with every arc turned round.
    pub fn transpose(&self, graph: &Csr) -> Result<Csr> {
        Ok(self.rank.transpose(graph, self.memory, &std::env::temp_dir())?)
    }

    /// PageRank.
    pub fn pagerank(&self) -> PageRank<'_> {
        PageRank { weighted: self.weighted, ..self.rank.pagerank(self.memory, self.vectors) }
    }
}

impl Score {
    /// Its name.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The scores of all nodes.
    pub fn run(self, graph: &Csr, transpose: &Csr, with: &Measured<'_>) -> Result<Vec<f64>> {
        let pagerank = |scale| -> Result<Vec<f64>> {
            let ranks = PageRank { scale, ..with.pagerank() }.run(graph, transpose)?;
            say_bound(&ranks);
            Ok(ranks.scores)
        };
        let salsa = || Salsa { weighted: with.weighted }.run(graph, transpose);
        Ok(match self {
            Score::Pagerank => pagerank(Scale::Probability)?,
            Score::PagerankClassical => pagerank(Scale::Classical)?,
            Score::Authority => with.hits(graph, transpose)?.authorities.clone(),
            Score::Hub => with.hits(graph, transpose)?.hubs.clone(),
            Score::SalsaAuthority => salsa()?.authorities,
            Score::SalsaHub => salsa()?.hubs,
            Score::Harmonic => {
                let beside = with.memory.saturating_sub(2 * with.rank.held(graph));
                let found = with.rank.harmonic(beside).run(graph, transpose)?;
                crate::say!("harmonic centrality: {}", found.about());
                found.scores
            }
            Score::Indegree => degrees(transpose),
            Score::Outdegree => degrees(graph),
        })
    }
}

/// Says how near the ranks are to the true ones.
pub fn say_bound(ranks: &Ranks) {
    let how = if ranks.converged { "within" } else { "NOT converged, within" };
    crate::say!(
        "PageRank: {} sweeps, {how} {:.1e} of the true ranks (L1)",
        ranks.iterations,
        ranks.error_bound
    );
}

fn degrees(graph: &Csr) -> Vec<f64> {
    (0..graph.num_nodes() as u32).map(|v| graph.outdegree(v) as f64).collect()
}
