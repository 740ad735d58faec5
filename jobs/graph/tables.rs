//! `nodes`, `arcs`: the web graph.

use webmill_table::{Bytes16, table};

use crate::levels::Level;

table! {
    /// One row a node of the web graph, in SURT order; pages, hosts and registrable domains are levels of their own.
    NodeRow = "nodes" {
        level: Level = "page, host or domain", "page";
        node: u32 = "dense number in SURT order within the level, from 0", "1042";
        url: String = "canonical URL of a page; name of a host or domain", "http://pku.edu.cn/";
        url_sortkey: String = "SURT form of the name", "cn,edu,pku)/";
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
        level: Level = "page, host or domain", "page";
        source: u32 = "node the links stand on", "1042";
        target: u32 = "node the links lead to", "7";
        weight: u32 = "number of links", "3";
    }
}

table! {
    /// One row a level of the web graph: how large it is.
    LevelRow = "levels" {
        level: Level = "page, host or domain", "page";
        nodes: u64 = "nodes of the level", "31204";
        arcs: u64 = "arcs of the level", "412077";
        crawled: u64 = "nodes that were crawled; of hosts and domains those with a crawled page", "29110";
    }
}
