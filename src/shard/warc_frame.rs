//! What the walk over WARC and ARC files is made of: heads as parsed, what was wrong with them, records as found.

use std::borrow::Cow;
use std::ops::Range;

use super::RecordType;

/// Whether a record head starts at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Yes,
    No,
    More,
}

/// Where a field's value lies in the head; empty when the field is missing.
pub(super) type Value = Range<u32>;

/// The values that a reader needs.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    pub kind: Value,
    pub url: Value,
    pub date: Value,
    pub ip: Value,
    pub id: Value,
    pub media_type: Value,
    pub truncated: Value,
    pub block_digest: Value,
    pub payload_digest: Value,
    /// `X-RawDB-Head`.
    pub raw_head: Value,
    /// `X-Webmill-Date-Unknown`.
    pub date_unknown: Value,
    /// What a revisit refers to.
    pub profile: Value,
    pub refers_id: Value,
    pub refers_url: Value,
    pub refers_date: Value,
    /// Which piece of a record that was cut in several it is.
    pub segment_number: Value,
    pub segment_origin: Value,
    pub segment_total: Value,
}

/// A parsed head: places are relative to its first byte.
#[derive(Debug)]
pub(super) struct Head {
    pub fields: Fields,
    pub kind: RecordType,
    pub length: Option<u64>,
    pub head_end: usize,
    pub block_at: usize,
    pub flaws: Flaws,
}

/// What became of parsing a head.
#[derive(Debug)]
pub(super) enum Parsed {
    Complete(Head),
    Incomplete,
    Bad(Cow<'static, str>),
}

/// What was wrong with a record that could be read all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flaws(u16);

impl Flaws {
    pub const VERSION: Flaws = Flaws(1);
    pub const LINE_ENDS: Flaws = Flaws(2);
    pub const MANDATORY: Flaws = Flaws(4);
    pub const TWO_LENGTHS: Flaws = Flaws(8);
    pub const NO_COLON: Flaws = Flaws(16);
    pub const DATE: Flaws = Flaws(32);
    pub const LENGTH: Flaws = Flaws(64);
    pub const NO_LENGTH: Flaws = Flaws(128);
    pub const BLANKS: Flaws = Flaws(256);
    pub const SHARED_MEMBER: Flaws = Flaws(512);
    pub const UNENDED: Flaws = Flaws(1024);

    pub const FIELDS: Flaws = Flaws(2048);
    pub const NOT_FIRST: Flaws = Flaws(4096);

    pub const NOT_FIRST_TEXT: &'static str = "not the first record of its compressed member: no index can lead to it, `webmill shard convert` gives each its own";
    pub const NO_TRAILER: Flaws = Flaws(8192);
    const TEXTS: [&'static str; 14] = [
        "a version of WARC that is neither 1.0 nor 1.1",
        "head lines that do not end in one CR LF",
        "WARC-Type, WARC-Date or WARC-Record-ID is missing",
        "two different lengths: the first counts",
        "a head line without a colon",
        "a date that is not 14 digits",
        "the stated length is wrong: the block was measured",
        "no length: the block was measured",
        "not the blank lines that should follow the block",
        "one compressed member over several records",
        "the end of the block could not be checked",
        "fields of the head that are not what or where they should be",
        Self::NOT_FIRST_TEXT,
        "the file ends before the compressed member does: no check sum proves the record",
    ];

    pub fn add(&mut self, flaw: Flaws) {
        self.0 |= flaw.0;
    }

    pub fn has(self, flaw: Flaws) -> bool {
        self.0 & flaw.0 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn texts(self) -> impl Iterator<Item = &'static str> {
        Self::TEXTS.into_iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, text)| text)
    }
}

/// One record in the window.
#[derive(Debug)]
pub(super) struct FramedRecord {
    pub head: Head,
    pub block: Range<usize>,
    pub full_length: u64,
    /// Longer than the reader's limit.
    pub over_limit: bool,
    /// The file ends inside the block.
    pub cut: bool,
    pub offset: u64,
    pub length: u64,
}
