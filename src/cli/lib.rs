//! The command line: what each subcommand is asked, and what it prints. The program (`src/main.rs`) hands its arguments to it.
//!
//! A subcommand is a file (`rank.rs`) or a file with a folder of parts; flags that several of them have are declared once, in `args.rs`, and
//! rows are printed by one printer for every `--format`, in `print.rs`. What a command computes is a job's or a library's.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod anchors;
pub mod args;
pub mod count;
pub mod crawl;
pub mod datasets;
pub mod dedup;
pub mod demo;
pub mod filter;
pub mod graph;
pub mod index;
pub mod jobs;
pub mod learn;
pub mod overview;
pub mod print;
pub mod query;
pub mod rank;
pub mod reference;
pub mod report;
pub mod results;
pub mod rules;
mod run_end;
pub mod schema;
pub mod serve;
pub mod shape;
pub mod shard;
pub mod show;
pub mod source;
pub mod text;
pub mod wacz;
