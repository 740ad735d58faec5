//! Answers about archives over HTTP: CDX queries, Memento, replay; and archives packed for the browser (WACZ).
//!
//! An [`Archive`] holds [`Collection`]s: an index, the records it names, and who may see what. A [`Server`] answers about
//! them; [`Options`] bound what a request may cost.
//!
//! Imports: capture, shard, html, index, sort.

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
pub mod wacz;

pub use archive::{Archive, Collection};
pub use find::Captures;
pub use fuzz::fuzz_request;
pub use log::{Logged, RequestLog};
pub use options::Options;
pub use record::{RecordStore, ShardFiles, StoredRecord};
pub use route::Route;
pub use server::Server;
