//! `simulated_pages` and `simulated_arcs`: the truth about a simulated Web, to hold a crawl against.

use webmill_table::{TableSchema, schema, table};

table! {
    /// One row a URL of a simulated Web, traps aside, with what must become of it in an obedient crawl.
    SimulatedPageRow = "simulated_pages" {
        url: String = "canonical URL", "http://www.kalmar12.example/news/7.html";
        url_host_name: String = "name of the host, lower case", "www.kalmar12.example";
        expect: &'static str = "store, store-cut (stored, its end uncertain), redirect, gone, failed, dead (host), denied (robots.txt) or unknown (nothing that may be followed leads to it)", "store";
        depth: Option<u8> = "fewest links from a seed; redirects count nothing; null where it is unknown", "2";
        noindex: bool = "whether the page asks not to be indexed", "false";
        trap: Option<&'static str> = "trap of its host, where a crawler may enter it: such a host may be cut off", "calendar";
        topic: Option<u32> = "topic of its main text, from 0, the commonest first; null where none are planted, and for what is no page of its own", "12";
    }
}

table! {
    /// One row a link on a page of a simulated Web that must be stored.
    SimulatedArcRow = "simulated_arcs" {
        source: String = "canonical URL of the page", "http://www.kalmar12.example/";
        target: String = "canonical URL that it leads to, without session id", "http://www.kalmar12.example/news/7.html";
        followed: bool = "whether an obedient crawler follows it: false for nofollow", "true";
    }
}

/// Both tables.
pub fn all() -> Vec<TableSchema> {
    vec![schema::<SimulatedPageRow>(), schema::<SimulatedArcRow>()]
}
