//! The one integration-test binary: what holds of the whole, seen from outside.

mod bad_input;
mod chinese_pages;
mod compat;
mod crates;
mod crawl_bad_input;
mod crawl_corners;
mod crawl_politeness;
mod crawl_resume;
mod crawl_support;
mod crawl_truth;
mod damage;
mod datasets;
mod demo;
mod determinism;
mod golden;
mod graph;
mod hostile_pages;
mod hostile_shapes;
mod messages;
mod readers;
mod records;
mod resume;
mod shard;
mod support;
mod templates;
mod text;
