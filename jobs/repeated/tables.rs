//! `repeated`: lines and paragraphs that many pages have.

use webmill_table::{Bytes16, table, text_enum};

text_enum! {
    /// What a repeated block is on its first page.
    pub enum RepeatedKind from webmill_dedup::BlockKind {
        /// One line, which in table `texts` is a paragraph, heading, item or row of a table.
        Line = "line",
        /// Several lines without a blank one.
        Paragraph = "paragraph",
    }
}

table! {
    /// One row per line or paragraph of main texts that stands on enough pages (20 by default) of two or more clusters of duplicates, in the order of the URLs of the first pages, then of their texts.
    RepeatedBlockRow = "repeated" {
        hash: Bytes16 = "xxh3-128 of the normalised text (case, width, white space), 32 hexadecimal digits", "9f…";
        kind: RepeatedKind = "line, or paragraph of several lines", "line";
        text: String = "its text on the first page, cut at 2,000 bytes by default", "All rights reserved. …";
        bytes: u64 = "bytes of that text before it was cut", "84";
        pages: u32 = "pages that have it, by their current captures", "412";
        hosts: u32 = "hosts of these pages", "3";
        clusters: u32 = "clusters of duplicates that these pages are in, a page without duplicates being one of its own", "398";
        first_url: String = "canonical URL of the first of these pages, by URL", "http://a.com/1";
        first_url_key: Bytes16 = "its key in table pages", "51…";
    }
}
