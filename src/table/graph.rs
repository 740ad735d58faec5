//! `nodes`, `arcs`, `ranks`, `degrees`, `components`: the web graph and what is computed on it.

use crate::table::{Bytes16, table};

table! {
    /// One row a node of the web graph, in SURT order; pages, hosts and registrable domains are levels of their own.
    NodeRow = "nodes" {
        level: &'static str = "page, host or domain", "page";
        node: u32 = "dense number in SURT order within the level, from 0", "1042";
        url: String = "canonical URL of a page; name of a host or domain", "http://pku.edu.cn/";
        url_surtkey: String = "SURT form of the name", "cn,edu,pku)/";
        url_key: Option<Bytes16> = "url_key of a page; null for hosts and domains", "0x9f…";
        crawled: bool = "a capture with status 2xx and HTML stands behind it; false for mere link targets", "true";
        host: u32 = "number of the node's host in level host; for domains that of the first", "12";
        domain: u32 = "number of the node's registrable domain in level domain", "9";
        pages: u32 = "nodes of level page in it, crawled or not; for a page 1, or where duplicates are folded how many pages it stands for", "1";
    }
}

table! {
    /// One row an arc: all links from one node to another of the same level together.
    ArcRow = "arcs" {
        level: &'static str = "page, host or domain", "page";
        source: u32 = "node the links stand on", "1042";
        target: u32 = "node the links lead to", "7";
        weight: u32 = "number of links", "3";
    }
}

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

table! {
    /// One row a degree that occurs.
    DegreeRow = "degrees" {
        level: &'static str = "page, host or domain", "page";
        direction: &'static str = "in, out or total; pages for pages in a host", "in";
        degree: u64 = "number of arcs in that direction", "17";
        count: u64 = "nodes that have it", "4021";
    }
}

table! {
    /// One row a node with the component it belongs to.
    ComponentRow = "components" {
        level: &'static str = "page, host or domain", "page";
        node: u32 = "node of table nodes", "1042";
        scc: u32 = "strongly connected component, numbered by size, 0 the largest; ties by smallest node", "0";
        wcc: u32 = "weakly connected component, numbered likewise", "0";
        bowtie: &'static str = "part of the bow-tie: core, in, out, tendril, tube, disconnected", "core";
    }
}
