//! Focused crawling beside the crawl itself: topic files, the crawl of a crawl, tables.
//!
//! [`replay`] runs the order of a focused crawl ([`webmill_crawl::focus`]) over the stored pages of an earlier run ([`stored`]) instead of the
//! net, beside breadth-first and best-first order: strategies are compared offline and with known truth.

pub mod hubs;
pub mod links;
pub mod replay;
pub mod stored;
pub mod tables;
pub mod topic_file;
