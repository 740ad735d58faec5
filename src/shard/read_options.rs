//! How shards are read, and where a walk over a range goes on.

/// Where a walk is: what the walk of the next range needs to go on as if there had been no cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resume {
    /// Where the next record starts, or from where on it is to be searched.
    pub offset: u64,
    /// True after damage whose far side has not been found yet.
    pub searching: bool,
    /// What the records there are marked with ([`super::Record::proven`]).
    pub proven: Option<bool>,
}

impl From<u64> for Resume {
    fn from(offset: u64) -> Self {
        Resume { offset, searching: false, proven: None }
    }
}

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Largest block that is held in memory; a larger one is delivered cut to this size and marked
    /// ([`webmill_capture::Truncation::RecordLimit`]).
    pub max_record_bytes: u64,
    /// Survive what real archives contain; `false` makes every departure from the grammar an error.
    pub lenient: bool,
    /// WARC: compare declared digests with the data and report differences as defects (lenient) or errors.
    pub verify_digests: bool,
    /// RAW DB of which every LF became CR LF, or that of parts of it: read what it was before. Offsets are then those in that.
    pub undo_text_mode: bool,
    /// For a range: where exactly to begin, instead of guessing by proof.
    pub exact_start: Option<Resume>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            max_record_bytes: 64 << 20,
            lenient: true,
            verify_digests: false,
            undo_text_mode: false,
            exact_start: None,
        }
    }
}
