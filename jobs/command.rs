//! Commands around the jobs: their arguments, and what they print.

mod anchors;
pub mod args;
pub mod count;
pub mod crawl;
pub mod datasets;
pub mod dedup;
pub mod demo;
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
pub mod schema;
pub mod serve;
pub mod shape;
pub mod shard;
pub mod show;
pub mod source;
pub mod text;
pub mod wacz;
