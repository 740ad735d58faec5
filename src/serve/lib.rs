//! Answers about archives over HTTP: CDX queries, Memento, replay; and archives packed for the browser (WACZ).
//!
//! An [`Archive`] holds [`Collection`]s: an index, the records it names, and who may see what. A [`Server`] answers about
//! them; [`Options`] bound what a request may cost.
//!
//! Imports: capture, shard, html, index, sort.
//!
//! # From shards to answers
//!
//! ```text
//! shards ─Pass, Indexer─▶ Entry ─sort─▶ CDX · CDXJ · ZipNum · Parquet · Store ─CaptureSource─▶ Query ─▶ serve
//! ```
//!
//! - An `Entry` is a line of an index, whatever form it has. Whatever hands entries out in order is a `CaptureSource` (memory,
//!   store); queries, Memento and pages know no more of it. A record is read by its place (`shard::RecordFile`), a revisit with the
//!   body of the capture that it refers to.
//! - The store (`index::store`) is a keyspace of fjall: a capture is a pair of key and value, so that keys compare as entries do. An
//!   addition is acknowledged when its batch in the journal is synced.
//! - Two keys: `url_surtkey` folds what the Internet Archive's tools fold, so that indexes join; `url_sortkey` folds nothing, so that
//!   the order of tables is that of canonical URLs.
//! - Replay trusts headers, not rewriting: each answer is sandboxed into an origin of its own and may fetch from its collection alone
//!   (`serve::replay`).

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod access;
mod answer;
mod archive;
pub mod cdx;
mod connection;
mod find;
pub mod form;
mod fuzz;
mod handle;
mod held;
pub mod index;
mod log;
pub mod memento;
mod options;
mod raw;
mod record;
pub mod replay;
mod route;
mod server;
pub mod site;
mod stream;
pub mod surface;
mod turns;
pub mod wacz;

pub use archive::{Archive, Collection, RESERVED_NAMES};
pub use find::Captures;
pub use fuzz::fuzz_request;
pub use log::{LoggedRequest, RequestLog};
pub use options::Options;
pub use record::{RecordStore, ShardFiles, StoredRecord};
pub use route::Route;
pub use server::Server;
