//! The measures of link analysis by name.

use anyhow::Result;
use clap::ValueEnum;
use webmill::graph::{Csr, Graph, Hits, HyperBall, PageRank, Salsa, Variant};

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
    /// Authorities with hub-averaging.
    AveragingAuthority,
    /// Hubs by the mean of their authorities.
    AveragingHub,
    /// SALSA authorities.
    SalsaAuthority,
    /// SALSA hubs.
    SalsaHub,
    /// Harmonic centrality by HyperBall.
    Harmonic,
    /// Arcs that lead to a node.
    Indegree,
    /// Arcs that leave it.
    Outdegree,
}

impl Score {
    /// The scores of all nodes.
    pub fn run(self, graph: &Csr, transpose: &Csr, memory: u64) -> Result<Vec<f64>> {
        let hits = |variant| Hits { variant, ..Hits::default() }.run(graph, transpose);
        Ok(match self {
            Score::Pagerank => pagerank(memory).run(graph, transpose)?.scores,
            Score::PagerankClassical => {
                let scale = webmill::graph::Scale::Classical;
                PageRank { scale, ..pagerank(memory) }.run(graph, transpose)?.scores
            }
            Score::Authority => hits(Variant::Hits)?.authorities,
            Score::Hub => hits(Variant::Hits)?.hubs,
            Score::AveragingAuthority => hits(Variant::HubAveraging)?.authorities,
            Score::AveragingHub => hits(Variant::HubAveraging)?.hubs,
            Score::SalsaAuthority => Salsa::default().run(graph, transpose)?.authorities,
            Score::SalsaHub => Salsa::default().run(graph, transpose)?.hubs,
            Score::Harmonic => {
                let ball = HyperBall { memory_bytes: Some(memory), ..HyperBall::default() };
                ball.run(graph, transpose)?.harmonic
            }
            Score::Indegree => degrees(transpose),
            Score::Outdegree => degrees(graph),
        })
    }
}

/// PageRank as commands on files use it: to 1e-12, arcs by weight where they have one.
pub fn pagerank(memory: u64) -> PageRank<'static> {
    PageRank { tolerance: 1e-12, memory_bytes: Some(memory), ..PageRank::default() }
}

fn degrees(graph: &Csr) -> Vec<f64> {
    (0..graph.num_nodes() as u32).map(|v| graph.outdegree(v) as f64).collect()
}
