//! The capture index: which captures of which URLs an archive holds, and where.
//!
//! An [`Entry`] is one line of it, whatever form it is kept in. Everything that can hand out entries in the order of the
//! index, by key and then by time, is a [`CaptureSource`]; queries and servers know no more of it.
//!
//! Imports: capture, shard, sort.

pub mod cdx;
mod entry;
pub mod indexer;
mod pass;
pub mod post;
pub mod query;
mod source;
pub mod store;
mod timestamp;
pub mod zipnum;

pub use entry::Entry;
pub use indexer::{Counts, DigestOf, Facts, Indexer, Undated};
pub use pass::Pass;
pub use source::{CaptureSource, KeyRange, MemoryIndex, Scan};
pub use timestamp::Timestamp;
pub use zipnum::{LINES_A_BLOCK, ZipNumWriter};

#[cfg(test)]
mod agreement_tests;
