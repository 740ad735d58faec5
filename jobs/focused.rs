//! Focused crawling beside the crawl itself: topic files, what links of an earlier run teach, table `harvest`.
//!
//! `examples/focused.rs` runs the order of a focused crawl ([`webmill_crawl::focus`]) over the stored pages of an earlier run instead of
//! the net, beside breadth-first and best-first order.

pub mod links;
pub mod tables;
pub mod topic_file;
