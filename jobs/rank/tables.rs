//! `ranks`: what link analysis says of each node.

use webmill_table::{table, text_enum};

use crate::levels::Level;

text_enum! {
    /// A measure that is computed by iteration, or may be estimated.
    pub enum Iterated {
        /// PageRank.
        Pagerank = "pagerank",
        /// HITS: authorities and hubs.
        Hits = "hits",
        /// Harmonic centrality, by searches or by HyperBall.
        Harmonic = "harmonic",
    }
}

table! {
    /// One row a node with its link-analysis scores.
    RankRow = "ranks" sorted by [node] {
        level: Level = "page, host or domain", "page";
        node: u32 = "node of table nodes", "1042";
        url: String = "its URL, host or domain", "http://pku.edu.cn/";
        crawled: bool = "whether it was crawled", "true";
        pagerank: f64 = "PageRank, by default with d = 0.85 and dangling mass spread uniformly, sum over the level 1", "0.00017";
        authority: f64 = "HITS authority (or that of the variant asked for), L2 norm over the level 1", "0.021";
        hub: f64 = "HITS hub, likewise", "0.003";
        salsa_authority: f64 = "SALSA authority, sum over the level 1", "0.0012";
        salsa_hub: f64 = "SALSA hub, sum over the level 1", "0.0004";
        harmonic: Option<f64> = "harmonic centrality: sum of 1/distance from every node that leads here, exact, or where the graph is large estimated by HyperBall (error in table convergence)", "10432.5";
        indegree: u32 = "arcs that lead to it", "214";
        outdegree: u32 = "arcs that leave it", "31";
    }
}

table! {
    /// One row a measure that is computed by iteration or may be estimated, with how near it came.
    ConvergenceRow = "convergence" {
        level: Level = "page, host or domain", "page";
        measure: Iterated = "pagerank, hits or harmonic", "pagerank";
        iterations: u32 = "iterations that were made", "52";
        error: f64 = "of PageRank the bound on the L1 distance to the true ranks, of HITS an estimate of the L2 distance to the true authorities (residual over gap; with thresholds the last change, or where it did not converge the change of the scores given, which are those of least change), of harmonic centrality the relative standard error, 0 where it is exact", "0.000000000001";
        converged: bool = "whether the tolerance, or what double precision can tell, was reached before the most iterations", "true";
        residual: Option<f64> = "of HITS without thresholds what is left of its equations: |Bx - s x| / s for the authorities x, B both steps and s its greatest eigenvalue", "0.000000000000001";
        gap: Option<f64> = "of HITS without thresholds 1 - s2/s1 of the two largest singular values, at most: where it is small, another community is nearly as strong; null where there is one only", "0.31";
    }
}

table! {
    /// One row two measures, with how far they rank the nodes of a level alike; none where all nodes are equal by one.
    AgreementRow = "agreement" {
        level: Level = "page, host or domain", "page";
        first: &'static str = "name of one measure", "PageRank";
        second: &'static str = "name of the other measure", "in-degree";
        tau: f64 = "Kendall's tau-b: 1 for the same order, 0 for none, -1 for the reverse", "0.71";
    }
}
