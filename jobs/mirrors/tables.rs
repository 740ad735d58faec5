//! `mirrors`: sites whose pages match path by path.

use webmill_table::{table, text_enum};

text_enum! {
    /// What two sites are to each other.
    pub enum MirrorKind from webmill_dedup::MirrorKind {
        /// Most of their pages agree.
        Mirror = "mirror",
        /// Many of their pages agree.
        Suspected = "suspected",
        /// One host under two schemes.
        Scheme = "scheme",
        /// One host with and without `www.`.
        Www = "www",
    }
}

table! {
    /// One row per pair of sites (a site is a host under a scheme) whose pages agree path by path; pairs of the largest sites first.
    MirrorRow = "mirrors" {
        host_a: String = "host of the site that is first by host, then scheme; with its port where the URLs have one", "a.org";
        host_b: String = "host of the other site", "mirror.b.net";
        scheme_a: String = "scheme of the first site", "https";
        scheme_b: String = "scheme of the other site", "http";
        kind: MirrorKind = "mirror (share from 0.7 on, by default) or suspected (from 0.3 on); apart from both scheme (one host under two schemes) and www (one host with and without www., under whatever schemes), which are variants of one site", "mirror";
        share: f64 = "agreeing paths / pages of the smaller site, 0 to 1", "0.93";
        common_paths: u64 = "paths, with their queries, that both sites have", "412";
        agreeing: u64 = "common paths whose pages are in one cluster of duplicates", "398";
        shared_clusters: u32 = "clusters of duplicates that both sites have pages in; a lower bound where some are on more than 64 sites", "400";
        pages_a: u64 = "pages of the first site: URLs whose current capture is a page of status 2xx, HTML or a document that was read", "428";
        pages_b: u64 = "pages of the other site", "1204";
    }
}
