//! `duplicates` and `clusters`: which pages are copies, and which one to keep.

use webmill_table::{Bytes16, table, text_enum};

text_enum! {
    /// What two duplicates share.
    pub enum DuplicateKind {
        /// Equal bodies.
        Body = "body",
        /// Equal normalised main texts.
        Text = "text",
        /// The shingles of either are mostly those of the other.
        Near = "near",
        /// The shingles of one are mostly in the other, which has many more.
        Contained = "contained",
        /// The chains of words behind stop words are mostly the same.
        Spotsigs = "spotsigs",
        /// The keywords of most weight are the same.
        Semantic = "semantic",
        /// The tags are mostly the same, in the same order.
        Structure = "structure",
    }
}

text_enum! {
    /// How a pair was found.
    pub enum FoundBy {
        /// Equal digests of bodies or texts.
        Digest = "digest",
        /// Equal MinHash bands.
        Bands = "bands",
        /// SimHashes within the Hamming distance.
        Simhash = "simhash",
        /// Both.
        BandsAndSimhash = "bands+simhash",
        /// A page that no candidate accepted, tried against the representatives of their clusters.
        Cluster = "cluster",
        /// Passages that winnowing found in both.
        Passages = "passages",
        /// SpotSigs.
        Spotsigs = "spotsigs",
        /// Semantic fingerprints.
        Semantic = "semantic",
        /// Structural similarity.
        Structure = "structure",
    }
}

text_enum! {
    /// How a page joined its cluster.
    pub enum Membership {
        /// The page that is kept.
        Representative = "representative",
        /// Its body is the representative's.
        Body = "body",
        /// Its text is the representative's.
        Text = "text",
        /// It, or the first of its exact copies, is near the representative.
        Near = "near",
        /// It is no near-duplicate, and like the representative by its SpotSigs.
        Spotsigs = "spotsigs",
        /// Likewise, and has the keywords of the representative.
        Semantic = "semantic",
        /// Likewise, and has its markup.
        Structure = "structure",
    }
}

table! {
    /// One row per pair of duplicates: exact copies are a star around the one to keep; near-duplicates (unless `verify = false`) and contained texts were compared shingle by shingle, pairs of further kinds by what their signature compares. `a` comes before `b` in the order of what to keep.
    DuplicateRow = "duplicates" {
        a: String = "canonical URL of the first page", "http://a.com/1";
        b: String = "canonical URL of the second page", "http://mirror.a.com/1";
        a_key: Bytes16 = "key of the first page in table pages", "9f…";
        b_key: Bytes16 = "key of the second page in table pages", "51…";
        a_host: String = "host of the first page", "a.com";
        b_host: String = "host of the second page", "mirror.a.com";
        kind: DuplicateKind = "body (equal bodies), text (equal normalised main texts), near (resemblance from the bound on), contained (below it, but one text is mostly in the other); where asked for: spotsigs, semantic, structure", "near";
        resemblance: Option<f64> = "Jaccard resemblance of the word shingles, 0 to 1, exact; of further kinds that of what they compare: SpotSigs as multisets, 1 for equal keywords, 2 LCS / (n1 + n2) of the tags; null for near pairs that were not verified", "0.94";
        a_in_b: Option<f64> = "share of the first page's shingles that the second has, 0 to 1; null where shingles were not compared", "0.98";
        b_in_a: Option<f64> = "share of the second page's shingles that the first has, 0 to 1; null likewise", "0.96";
        a_shingles: Option<u32> = "distinct shingles of the first page's text; null where shingles were not compared, as of copies, whose digests tell", "810";
        b_shingles: Option<u32> = "distinct shingles of the second page's text, likewise", "827";
        shared_shingles: Option<u32> = "distinct shingles that both have: what resemblance and containment are computed from", "794";
        distance: Option<u8> = "Hamming distance of the SimHashes, 0 to 64; null where a page has none", "2";
        a_text_digest: Option<Bytes16> = "digest of the first page's normalised text, as in table pages; null where it is too short to be compared", "51…";
        b_text_digest: Option<Bytes16> = "digest of the second page's text, likewise", "52…";
        a_earlier: bool = "whether the first page is of earlier results that this run was made against", "false";
        b_earlier: bool = "whether the second page is", "false";
        found_by: FoundBy = "digest; bands, simhash or bands+simhash; cluster (a page left alone, tried against representatives); passages; spotsigs, semantic, structure", "bands";
    }
}

table! {
    /// One row per page that belongs to a cluster of two or more. Of a run against earlier results: a page whose cluster has a new page or is not what the earlier tables say; one that is alone now has a cluster of its own.
    ClusterRow = "clusters" {
        url: String = "canonical URL", "http://mirror.a.com/1";
        url_key: Bytes16 = "its key in table pages", "9f…";
        host: String = "host of the page", "mirror.a.com";
        cluster: u32 = "number of the cluster, in the order of the representatives", "17";
        representative: String = "page that stands for the cluster: the first by the policy (earliest fetch by default), then earliest fetched, then shortest URL, then URL", "http://a.com/1";
        representative_key: Bytes16 = "key of the representative in table pages", "51…";
        representative_host: String = "host of the representative", "a.com";
        keep: bool = "whether this page is the representative", "false";
        kind: Membership = "how it joined: representative, body, text or near; spotsigs, semantic or structure where cluster_by names them", "body";
        resemblance: Option<f64> = "verified resemblance of its text (of near members that of the first of its exact copies) to the representative's, 1 for the representative and exact copies; null for members whose words were not compared", "0.93";
        distance: Option<u8> = "Hamming distance of its SimHash to the representative's", "0";
        size: u32 = "pages in the cluster", "4";
        mirror_degree: u32 = "pages of the cluster on other registered domains than this page's", "2";
        earlier: bool = "whether the page is of earlier results that this run was made against", "false";
        warc_filename: String = "shard of the page's current capture, as in table pages", "crawl-00001.raw";
        warc_record_offset: i64 = "offset of its record there", "183214";
    }
}
