//! How captures are stored on disk: shards in three formats (RAW DB, WARC, ARC), behind one reader.
//!
//! A shard is a file of records. [`Format`] says which grammar it obeys, [`Container`] how the file as a whole is
//! compressed; both are recognised by content. [`ShardReader`] walks a shard, or a byte range of one, and lends one
//! [`Record`] at a time; damage is an error with path, offset and reason, after which the walk goes on with the next
//! record that can be shown to be one. [`discover`] finds shards, also inside WACZ files, [`split`] cuts them for threads, [`Converter`] and the
//! writers make them, [`recover`] copies the complete records of damaged ones.
//!
//! The pages of a WARC file:
//!
//! ```
//! use webmill_shard::{ReadOptions, ShardReader};
//!
//! let warc = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2024-05-03T10:31:00Z\r\n\
//!     WARC-Record-ID: <urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8>\r\nWARC-Target-URI: http://a.example/\r\n\
//!     Content-Type: application/http;msgtype=response\r\nContent-Length: 49\r\n\r\n\
//!     HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello\r\n\r\n";
//! let mut reader = ShardReader::from_reader(Box::new(&warc[..]), "a.warc", &ReadOptions::default())?;
//! let mut pages = Vec::new();
//! while let Some(record) = reader.next() {
//!     // A damaged record is an error; the next call goes on after it.
//!     let record = record?;
//!     if let Some(capture) = record.to_capture() {
//!         pages.push((capture.url.into_owned(), capture.response.status, record.place.offset));
//!     }
//! }
//! assert_eq!(pages, [("http://a.example/".to_owned(), Some(200), 0)]);
//! # Ok::<(), webmill_capture::error::Error>(())
//! ```
//!
//! Memory: one record of at most [`ReadOptions::max_record_bytes`] stored and as many unpacked, plus the read window.
//! Determinism: a shard gives the same records whether it is read whole or in ranges ([`split`]).
//!
//! **Why.** Own WARC and RAW DB readers: bounded memory, resynchronisation after damage and exact stored offsets are the point, and
//! no library offers them together.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod append;
mod arc;
mod arc_write;
mod convert;
mod discover;
mod embedded_head;
mod gzip;
mod member;
mod owned;
mod raw;
mod raw_date;
mod raw_head;
mod raw_pack;
mod raw_unpack;
mod raw_walk;
mod raw_whole;
mod raw_write;
mod read_options;
mod reader;
mod record;
mod record_at;
mod recover;
mod revisit;
mod split;
mod staged;
pub mod stream;
mod tail;
mod text_mode;
mod validate;
mod wacz;
mod warc;
mod warc_digest;
mod warc_frame;
mod warc_head;
mod warc_pack;
mod warc_walk;
mod warc_write;

#[cfg(test)]
mod tests_archives;
#[cfg(test)]
mod tests_damage;
#[cfg(test)]
mod tests_place;
#[cfg(test)]
mod tests_raw;
#[cfg(test)]
mod tests_warc;

pub use append::{AppendFile, Position};
pub use arc_write::ArcWriter;
pub use convert::{ConversionCounts, Converter};
pub use discover::{Input, discover, sniff};
pub use owned::OwnedRecord;
pub use raw::{RawReader, fuzz_raw};
pub use raw_pack::{Compression, NewRecord, RawPacker};
pub use raw_write::{RawDbWriter, WriteOptions};
pub use read_options::{ReadOptions, Resume};
pub use reader::ShardReader;
pub use record::{Container, Format, Record};
pub use record_at::{RecordFile, read_record_at};
pub use recover::{RecoveryCounts, recover};
pub use revisit::{Revisit, RevisitProfile};
pub use split::{Part, follows, split};
pub use staged::Staged;
pub use tail::{cut_tail, whole_end};
pub use validate::{RuleFault, Validator};
pub use wacz::{StoredFile, WaczMember, wacz_members, zip_error};
pub use warc::{WarcReader, fuzz_warc};
pub use warc_pack::{NewWarcRecord, WarcOptions, WarcPacker};
pub use warc_write::WarcWriter;
pub use webmill_capture::RecordType;

/// The page that explains RAW DB and its compression, for whoever finds shards and no program that reads them.
pub const RAW_DB_PAGE: &str = include_str!("../../docs/raw-db.md");
/// What that page is called beside shards; [`discover`] passes it over.
pub const RAW_DB_PAGE_NAME: &str = "RAW-DB.md";
