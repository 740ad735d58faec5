//! webmill mills crawled corpora into tables: the library behind the command.
//!
//! See `ARCHITECTURE.md` for the crates and the flow. In short: `shard` reads captures off disk, `html` and
//! `text` turn bytes into trees, links and main text, `mill` does so in one pass a page, `table` is the form
//! in which jobs meet, `sort`, `graph` and `dedup` compute on it, `report` draws it, and `run` is the
//! protocol by which a job's results come to be.

pub use webmill_capture as capture;
#[cfg(feature = "crawl")]
pub use webmill_crawl as crawl;
#[cfg(feature = "dedup")]
pub use webmill_dedup as dedup;
#[cfg(feature = "graph")]
pub use webmill_graph as graph;
#[cfg(feature = "html")]
pub use webmill_html as html;
#[cfg(feature = "jobs")]
pub use webmill_jobs as jobs;
#[cfg(feature = "mill")]
pub use webmill_mill as mill;
#[cfg(feature = "report")]
pub use webmill_report as report;
#[cfg(feature = "run")]
pub use webmill_run as run;
#[cfg(feature = "shard")]
pub use webmill_shard as shard;
#[cfg(feature = "sim")]
pub use webmill_sim as sim;
#[cfg(feature = "sort")]
pub use webmill_sort as sort;
#[cfg(feature = "table")]
pub use webmill_table as table;
#[cfg(feature = "text")]
pub use webmill_text as text;

pub use webmill_capture::error::{self, Error, Result};
