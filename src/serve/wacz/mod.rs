//! WACZ: an archive with its index and its list of pages in one ZIP file, which a browser replays by reading ranges of it.
//!
//! **Form.** `archive/` holds WARC files of one gzip member a record, stored in the ZIP as they are, so that a record is a
//! range of the ZIP file; `indexes/index.cdx.gz` is their CDXJ index in gzip members of [`LINES`] lines,
//! `indexes/index.idx` the first key of each member; `pages/pages.jsonl` names the pages, `datapackage.json` every file
//! with its SHA-256, `datapackage-digest.json` the SHA-256 of that.
//!
//! **Cost.** [`write()`] reads every shard twice, once to index it and once to copy it; shards that are not WARC of one gzip
//! member a record are converted first, beside the output. Index lines and pages are sorted within a budget, so memory
//! does not depend on the size of the archive.
//!
//! **Determinism.** Equal shards and options give equal bytes: ZIP members carry no time, and the date of creation is that
//! of the newest capture unless another is given.
//!
//! **Trust.** [`Wacz`] reads files of others: names that lead out of the archive, members that are not there, records behind
//! the end and indexes that unpack without end are errors.
//!
//! Reference: WACZ 1.1.1, CDXJ 0.1.0 (Webrecorder specifications); ISO 28500:2017; APPNOTE.TXT 6.3.9 (ZIP64).

mod collect;
mod lines;
mod open;
mod package;
#[cfg(test)]
mod replay_tests;
#[cfg(test)]
mod tests;
mod write;

pub use collect::PageDescription;
pub use lines::LINES;
pub use open::{Fault, Member, Wacz};
pub use write::{Options, Report, write};
