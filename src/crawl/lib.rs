//! The crawl stage: seeds in, shards and an event log out.
//!
//! **What.** A polite, resumable crawler for one machine. [`Crawl`] is the engine; the other modules are what it stands on:
//! [`frontier`] (what to fetch next), [`fetch`] (how), [`robots`], [`politeness`], [`scope`], [`traps`], [`brake`] and
//! [`rewrite`] (whether, when and in what form), [`page`] (what a response says), [`archive`] and [`journal`] (what is kept).
//!
//! **Guarantees.** A page is stored as the server sent it and exactly once, also over crashes. A host is never asked by two
//! connections at once, never sooner than its delay, never for what its robots.txt forbids. Memory is bounded by the
//! frontier's budget and the bodies in flight.
//!
//! **Reference.** A. Heydon and M. Najork, Mercator: a scalable, extensible Web crawler, World Wide Web 2 (1999),
//! doi:10.1023/A:1019213109274; RFC 9309 (robots), RFC 9110 and 9112 (HTTP).

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod agents;
pub mod archive;
pub mod brake;
mod config;
mod counted;
mod engine;
pub mod event;
pub mod fetch;
pub mod frontier;
pub mod journal;
pub mod page;
pub mod politeness;
pub mod priority;
pub mod rewrite;
pub mod robots;
pub mod scope;
pub mod sitemap;
mod task;
pub mod traps;

pub use config::{CrawlLimits, CrawlOptions};
pub use counted::Counted;
pub use engine::{Crawl, Ended, Observer, Replayed, Snapshot, Totals};
pub use task::{Entry, Found, HostState, Purpose};
