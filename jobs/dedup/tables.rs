//! `duplicates` and `clusters`: which pages are copies, and which one to keep.

use webmill_table::{Bytes16, table, text_enum};

text_enum! {
    /// What two duplicates share.
    pub enum DuplicateKind {
        /// Equal bodies.
        Body = "body",
        /// Equal normalised main texts.
        Text = "text",
        /// SimHashes within k.
        Near = "near",
    }
}

text_enum! {
    /// How a page joined its cluster.
    pub enum Membership from webmill_dedup::Joined {
        /// The page that is kept.
        Representative = "representative",
        /// Its body is the representative's.
        Body = "body",
        /// Its text is the representative's.
        Text = "text",
        /// It, or the first of its exact copies, is near the representative.
        Near = "near",
    }
}

table! {
    /// One row a pair of duplicates. Exact copies are a star around one of them, near-duplicates all pairs of distinct fingerprints within k, candidates that clusters did not accept among them.
    DuplicateRow = "duplicates" {
        a: String = "canonical URL of the first page", "http://a.com/1";
        b: String = "canonical URL of the second page", "http://mirror.a.com/1";
        kind: DuplicateKind = "body (equal bodies), text (equal normalised main texts) or near (SimHash within k)", "near";
        distance: Option<u8> = "Hamming distance of the SimHashes, 0 to 64", "2";
        resemblance: Option<f64> = "Jaccard resemblance of the word shingles, 0 to 1; null where it was not computed", "0.94";
    }
}

table! {
    /// One row a page that belongs to a cluster of two or more.
    ClusterRow = "clusters" {
        url: String = "canonical URL", "http://mirror.a.com/1";
        url_key: Bytes16 = "its key in table pages", "0x9f…";
        cluster: u32 = "number of the cluster, in the order of the representatives", "17";
        representative: String = "page that stands for the cluster: earliest fetched, then shortest URL, then URL", "http://a.com/1";
        keep: bool = "whether this page is the representative", "false";
        kind: Membership = "how it joined: representative, body, text or near", "body";
        distance: Option<u8> = "Hamming distance of its SimHash to the representative's", "0";
        size: u32 = "pages in the cluster", "4";
    }
}
