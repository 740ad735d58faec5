//! The jobs and their registry, and what else commands and the Python package have computed. It knows no command line: flags,
//! printing and exit codes are crate `webmill-cli`, arguments and exceptions of Python crate `webmill-python`.
//!
//! A job is a struct of settings ([`recipe::Settings`]) that implements [`webmill_run::Job`], with an entry
//! ([`registry::JobEntry`]) in [`builtin`]; help, recipes, `webmill run`, `webmill schema` and the report read that
//! list. A further job is its file and a line there.
//!
//! | module | what |
//! |---|---|
//! | [`recipe`], [`inputs`] | what users set: TOML tables, shards |
//! | [`walk`] | shards read part by part on all cores, nothing lost at the seams |
//! | [`job`], [`run_options`], [`machine`], [`registry`] | what a job is to its callers, how it is run, what the machine has for it, and the list of jobs |
//! | [`extract`], [`graph`], [`rank`], [`shape`], [`dedup`], [`repeated`], [`mirrors`], [`keywords`], [`report`] | the jobs, each with its tables |
//! | [`learn`] | classes of pages, learnt from labelled ones |
//! | [`count`] | jobs of map and reduce: words, backlinks, terms of hosts, an inverted index, matching lines, visits, any order |
//! | [`crawl`], [`focused`] | crawling; topics of focused crawls |
//! | [`archive`], [`archive_facts`] | archives as collections with an index; what results say of their captures, and full-text search over them |
//! | [`catalogue`] | results as a whole: the tables of one consistent set of keys |
//! | [`page_text`] | the main text of single pages in memory, in all forms of output |
//! | [`graph::open`], [`graph::convert`] | graphs of results and of files, and from one format to another |
//! | [`export`] | tables of results as JSON lines, CSV, SQLite |
//! | [`document_reader`] | who reads documents that are no HTML |
//! | [`levels`], [`current_captures`], [`clustered_captures`], [`output`], [`rejects`], [`ingredients`] | what several jobs share: levels of the graph, which capture of a URL counts and in which cluster it is, files of tables, damaged records, models in keys |

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

use std::io::{self, Write};

/// Writes a line to stderr. A reader of it that went away is no reason to stop a job.
#[macro_export]
macro_rules! say {
    ($($arguments:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($arguments)*);
    }};
}

pub mod archive;
pub mod archive_facts;
pub mod builtin;
pub mod catalogue;
pub mod clustered_captures;
pub mod console;
pub mod count;
pub mod crawl;
pub mod current_captures;
pub mod dedup;
pub mod document_reader;
pub mod dropped;
pub mod export;
pub mod extract;
pub mod filtered;
pub mod focused;
pub mod graph;
pub mod index_row;
pub mod ingredients;
pub mod inputs;
pub mod job;
pub mod keywords;
pub mod learn;
pub mod levels;
pub mod machine;
pub mod mapreduce;
pub mod mirrors;
pub mod output;
pub mod page_text;
pub mod rank;
pub mod recipe;
pub mod registry;
pub mod rejects;
pub mod remote;
pub mod repeated;
pub mod report;
pub mod rules;
pub mod run_all;
pub mod run_options;
pub mod shape;
pub mod signals;
pub mod timings;
pub mod walk;

/// Writes a result to stdout.
///
/// # Errors
/// Where its reader went away or the disk is full.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
