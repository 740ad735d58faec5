//! Table `dropped`: the captures that `webmill dedup apply` left out, or wrote as revisits.

use webmill_table::{Bytes16, table, text_enum};

text_enum! {
    /// Why a page goes.
    pub enum Reason {
        /// Its body is that of the page that stays.
        Body = "body",
        /// Its text is equal to that of another capture.
        Text = "text",
        /// Its text is near that of the page that stays.
        Near = "near",
        /// Its text is mostly in that of the page that stays.
        Contained = "contained",
        /// The Web has it no more.
        Gone = "gone",
    }
}

impl Reason {
    /// All of them, in the order of what they take for granted.
    pub const ALL: [Reason; 5] = [Reason::Body, Reason::Text, Reason::Near, Reason::Contained, Reason::Gone];

    /// The number under which the reason is stored.
    pub fn number(self) -> u64 {
        self as u64
    }

    /// The reason that is stored under `number`.
    pub fn of_number(number: u64) -> Reason {
        Self::ALL.get(number as usize).copied().unwrap_or(Reason::Near)
    }
}

table! {
    /// One row per capture that `dedup apply` left out or wrote as a revisit.
    DroppedRow = "dropped" {
        url: String = "canonical URL", "http://mirror.a.com/1";
        url_key: Bytes16 = "its key in table pages", "9f…";
        warc_filename: String = "shard its record stood in, as in table pages", "crawl-00001.raw";
        warc_record_offset: i64 = "offset of its record there", "183214";
        warc_record_length: i64 = "bytes of the stored record", "18410";
        reason: Reason = "what the page shares with the one that stays: body, text, near or contained; or gone: the Web has it no more (--drop-gone)", "near";
        superseded: bool = "whether another capture of the URL was compared: this one goes with it", "false";
        revisit: bool = "whether a revisit record stands in its place", "false";
        kept_url: Option<String> = "canonical URL of the page that stays instead; null of one that is gone", "http://a.com/1";
        kept_key: Option<Bytes16> = "its key in table pages", "51…";
        cluster: Option<u32> = "number of the cluster in table clusters; null where it is in none", "17";
        bytes: u64 = "bytes of its record, less those of the revisit in its place", "18410";
    }
}
