//! Table `passages`: what stands in two pages.

use webmill_table::{Bytes16, table};

table! {
    /// One row per passage that stands in two pages which are no near-duplicates of each other, by pages in the order of what to keep, then place in the first text. Exact and near copies have rows in table duplicates instead; the page that is kept of them represents all.
    PassageRow = "passages" {
        a: String = "canonical URL of the first page: fetched earlier, or at the same time with the shorter URL, then the smaller one", "http://a.com/1";
        b: String = "canonical URL of the second page", "http://b.org/quotes";
        a_key: Bytes16 = "key of the first page in table pages", "9f…";
        b_key: Bytes16 = "key of the second page in table pages", "51…";
        a_host: String = "host of the first page", "a.com";
        b_host: String = "host of the second page", "b.org";
        a_start: u64 = "first byte of the passage in the first page's texts.text", "1204";
        a_end: u64 = "byte after its last one there", "1753";
        b_start: u64 = "first byte of the passage in the second page's texts.text", "0";
        b_end: u64 = "byte after its last one there", "549";
        words: u32 = "words that are equal, without the few others that a passage may hold; letters, in scripts without spaces", "90";
        share_a: f64 = "what share of the first text these are, 0 to 1", "0.14";
        share_b: f64 = "what share of the second text these are, 0 to 1", "0.91";
    }
}
