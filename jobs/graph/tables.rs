//! `nodes`, `arcs`: the web graph.

use webmill_table::{Bytes16, TextEnum, table, text_enum};

use crate::levels::Level;

text_enum! {
    /// What the captures of a URL are at best.
    pub enum Crawled {
        /// A page with status 2xx, HTML or a document that was read: it has links, text and ranks of its own.
        Html = "html",
        /// Something else with status 2xx: a picture, a style, a document that was not read.
        Other = "other",
        /// An answer that leads to another URL.
        Redirect = "redirect",
        /// An answer with status 4xx or 5xx.
        Error = "error",
    }
}

impl Crawled {
    /// The one of a number, where there is one; the better ones have the lesser numbers.
    pub(super) fn of(code: u8) -> Option<Self> {
        Self::VARIANTS.get(usize::from(code)).copied()
    }
}

table! {
    /// One row per node of the web graph, in SURT order; pages, hosts and registrable domains are levels of their own.
    NodeRow = "nodes" sorted by [node] {
        level: Level = "page, host or domain", "page";
        node: u32 = "dense number in SURT order within the level, from 0", "1042";
        url: String = "canonical URL of a page; name of a host or domain", "http://pku.edu.cn/";
        url_sortkey: String = "SURT form of the name", "cn,edu,pku)/";
        url_key: Option<Bytes16> = "url_key of a page; null for hosts and domains", "9f…";
        crawled: Option<Crawled> = "what its captures are at best: html (HTML or a document that was read, with status 2xx), something else with status 2xx, a redirect, an error; of hosts and domains the best of their pages; null where there is none, as of mere link targets", "html";
        host: u32 = "number of the node's host in level host; for domains that of the first", "12";
        domain: u32 = "number of the node's registrable domain in level domain", "9";
        pages: u32 = "nodes of level page in it, crawled or not; for a page 1, or where duplicates are folded how many pages it stands for", "1";
    }
}

table! {
    /// One row per arc: all links from one node to another of the same level together.
    ArcRow = "arcs" sorted by [source, target] {
        level: Level = "page, host or domain", "page";
        source: u32 = "node the links stand on", "1042";
        target: u32 = "node the links lead to", "7";
        weight: u32 = "number of links", "3";
    }
}

table! {
    /// One row per level of the web graph: how large it is.
    LevelRow = "levels" {
        level: Level = "page, host or domain", "page";
        nodes: u64 = "nodes of the level", "31204";
        arcs: u64 = "arcs of the level", "412077";
        crawled: u64 = "nodes whose column crawled is html", "29110";
    }
}
