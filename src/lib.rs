//! webmill mills crawled corpora into tables: the library behind the command.
//!
//! See `ARCHITECTURE.md` for the floors and the flow. In short: [`shard`] reads captures off disk, [`html`] and
//! [`text`] turn bytes into trees, links and main text, [`extract`] does so in one pass a page, [`table`] is the form
//! in which jobs meet, [`sort`], [`graph`] and [`dedup`] compute on it, [`report`] draws it, and [`run`] is the
//! protocol by which a job's results come to be.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod capture;
pub mod crawl;
pub mod dedup;
pub mod error;
pub mod extract;
pub mod graph;
pub mod html;
pub mod report;
pub mod run;
pub mod shard;
pub mod sort;
pub mod synth;
pub mod table;
pub mod text;

pub use error::{Error, Result};
