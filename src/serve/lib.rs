//! Answers about archives over HTTP: CDX queries, Memento, replay; and archives packed for the browser (WACZ).
//!
//! Imports: capture, shard, html, index.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod site;
pub mod wacz;
