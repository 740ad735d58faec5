//! `ranks`: what link analysis says of each node.

use webmill_table::table;

table! {
    /// One row a node with its link-analysis scores.
    RankRow = "ranks" {
        level: &'static str = "page, host or domain", "page";
        node: u32 = "node of table nodes", "1042";
        url: String = "its URL, host or domain", "http://pku.edu.cn/";
        crawled: bool = "whether it was crawled", "true";
        pagerank: f64 = "PageRank, by default with d = 0.85 and dangling mass spread uniformly, sum over the level 1", "0.00017";
        authority: f64 = "HITS authority (or that of the variant asked for), L2 norm over the level 1", "0.021";
        hub: f64 = "HITS hub, likewise", "0.003";
        salsa_authority: f64 = "SALSA authority, sum over the level 1", "0.0012";
        salsa_hub: f64 = "SALSA hub, sum over the level 1", "0.0004";
        harmonic: Option<f64> = "harmonic centrality: sum of 1/distance from every node that leads here, estimated by HyperBall where the graph is large; null where it was not asked for", "10432.5";
        indegree: u32 = "arcs that lead to it", "214";
        outdegree: u32 = "arcs that leave it", "31";
    }
}
