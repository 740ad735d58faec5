//! webmill mills crawled corpora into tables: the library behind the command.
//!
//! Shards go in (RAW DB, WARC, ARC); each page is decoded and parsed once; the web graph with its rankings, duplicates and
//! main texts come out as Parquet. Each part is a crate of its own behind a feature of this one, so that who wants main text
//! alone links no crawler, no Parquet and no command line: `webmill = { version = "0.1", default-features = false, features =
//! ["text"] }`.
//!
//! | feature | module | what | needs |
//! |---|---|---|---|
//! | – | [`capture`] | what was fetched: HTTP message, canonical URL, SURT, dates, digests; the error type | |
//! | `shard` | [`shard`] | how captures lie on disk: RAW DB, WARC, ARC | |
//! | `html` | [`html`] | bytes → characters → tree → links, metadata, structured data | |
//! | `text` | [`text`] | main text, Markdown, title, author, date, languages, keywords | `html` |
//! | `sort` | [`sort`] | external sort within a budget of memory | |
//! | `graph` | [`graph`] | building, CSR, PageRank, HITS, SALSA, components, bow-tie | `sort` |
//! | `dedup` | [`dedup`] | SimHash, Hamming join, shingles, clusters | `text`, `sort` |
//! | `documents` | [`documents`] | PDF, Office files, RTF, OpenDocument, EPUB, feeds, plain text; children that read them | `html` |
//! | `table` | [`table`] | Parquet tables typed both ways | |
//! | `mill` | [`mill`] | the one pass over a page: decoders and analyzers | `dedup`, `documents`, `table` |
//! | `run` | [`run`] | the job runtime: keys, staging, commit, resume | |
//! | `crawl` | [`crawl`] | seeds in, shards and an event log out | `shard`, `learn`, `render`, `rules` |
//! | `render` | [`render`] | pages through a headless Chromium, their requests through a proxy of ours | |
//! | `learn` | [`learn`] | features of pages, classifiers, clusters, evaluation | `text` |
//! | `serve` | [`serve`] | the capture index; CDX, Memento and replay over HTTP; WACZ | `shard`, `html`, `sort` |
//! | `sim` | [`sim`] | a simulated Web with known truth | |
//! | `jobs` | [`jobs`] | the jobs and their registry | all of these |
//! | `cli` (default) | [`cli`] | the command line and the binary | `jobs` |
//! | `sql` | | `webmill query`, by the engine of polars | `cli` |
//!
//! # A whole program: archive file in, ranked table out
//!
//! ```
//! use webmill::graph::{EdgeOptions, PageRank, parse_edges, top};
//! use webmill::mill::{LinkRow, Mill, PageRow};
//! use webmill::shard::{ReadOptions, ShardReader};
//! use webmill::table::{Footer, read_rows, table, write_part};
//!
//! table! {
//!     /// One row per page with its rank.
//!     RankedRow = "ranked" {
//!         url: String = "canonical URL", "http://pku.edu.cn/";
//!         title: Option<String> = "title of the page; null for pages that were not crawled", "PKU";
//!         pagerank: f64 = "PageRank, sum 1", "0.4";
//!     }
//! }
//!
//! # fn main() -> webmill::Result<()> {
//! # let folder = tempfile::tempdir().expect("a folder");
//! # let archive = folder.path().join("crawl.warc");
//! # let record = |url: &str, html: &str| {
//! #     let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
//! #     format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{:08}-0000-0000-0000-000000000000>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n", url.len(), http.len())
//! # };
//! # let pages = [
//! #     record("http://a.example/", "<title>A</title><a href=/tea>tea</a>"),
//! #     record("http://a.example/tea", "<title>Tea</title><a href=/>home</a><a href=/rain/>rain</a>"),
//! #     record("http://a.example/rain/", "<title>Rain</title><a href=/tea>tea</a>"),
//! # ];
//! # std::fs::write(&archive, pages.concat()).expect("written");
//! // Every capture passes through the mill: its rows of `pages` and `links` are taken.
//! let (mill, mut titles, mut arcs) = (Mill::default(), Vec::new(), String::new());
//! let mut reader = ShardReader::open(&archive, &ReadOptions::default())?;
//! while let Some(record) = reader.next() {
//!     let record = record?;
//!     let Some(milled) = record.to_capture().and_then(|capture| mill.mill(&capture).ok()?) else { continue };
//!     for page in milled.rows.of::<PageRow>() {
//!         titles.push((page.url.clone(), page.title.clone()));
//!         for link in milled.rows.of::<LinkRow>() {
//!             arcs += &format!("{} -> {}\n", page.url, link.target_url);
//!         }
//!     }
//! }
//!
//! // The links make a graph, whose nodes are ranked.
//! let list = parse_edges(arcs.as_bytes(), "links".as_ref(), &EdgeOptions::default())?;
//! let ranks = PageRank::default().run(&list.graph, &list.graph.transpose())?;
//! let names = list.names.expect("nodes have names where they are URLs");
//! let rows: Vec<RankedRow> = top(&ranks.scores, 10)
//!     .into_iter()
//!     .map(|node| {
//!         let url = names[node as usize].clone();
//!         let title = titles.iter().find(|(of, _)| *of == url).and_then(|(_, title)| title.clone());
//!         RankedRow { url, title, pagerank: ranks.scores[node as usize] }
//!     })
//!     .collect();
//! let table = folder.path().join("ranked.parquet");
//! write_part(&table, &rows, &Footer { job_key: String::new() })?;
//! assert_eq!(read_rows::<RankedRow>(&table)?[0].title.as_deref(), Some("Tea"));
//! # Ok(())
//! # }
//! ```
//!
//! By task: `examples/main_text.rs` (main text of a page), `examples/links_of_warc.rs` (links of a WARC),
//! `examples/pagerank.rs` (PageRank of an edge list), `examples/near_duplicates.rs` (near-duplicates among texts).
//! How it is built: `ARCHITECTURE.md`.

#[doc(inline)]
pub use webmill_capture as capture;
#[cfg(feature = "cli")]
#[doc(inline)]
pub use webmill_cli as cli;
#[cfg(feature = "crawl")]
#[doc(inline)]
pub use webmill_crawl as crawl;
#[cfg(feature = "dedup")]
#[doc(inline)]
pub use webmill_dedup as dedup;
#[cfg(feature = "documents")]
#[doc(inline)]
pub use webmill_documents as documents;
#[cfg(feature = "graph")]
#[doc(inline)]
pub use webmill_graph as graph;
#[cfg(feature = "html")]
#[doc(inline)]
pub use webmill_html as html;
#[cfg(feature = "jobs")]
#[doc(inline)]
pub use webmill_jobs as jobs;
#[cfg(feature = "learn")]
#[doc(inline)]
pub use webmill_learn as learn;
#[cfg(feature = "mill")]
#[doc(inline)]
pub use webmill_mill as mill;
#[cfg(feature = "render")]
#[doc(inline)]
pub use webmill_render as render;
#[cfg(feature = "rules")]
#[doc(inline)]
pub use webmill_rules as rules;
#[cfg(feature = "run")]
#[doc(inline)]
pub use webmill_run as run;
#[cfg(feature = "serve")]
#[doc(inline)]
pub use webmill_serve as serve;
#[cfg(feature = "shard")]
#[doc(inline)]
pub use webmill_shard as shard;
#[cfg(feature = "sim")]
#[doc(inline)]
pub use webmill_sim as sim;
#[cfg(feature = "sort")]
#[doc(inline)]
pub use webmill_sort as sort;
#[cfg(feature = "table")]
#[doc(inline)]
pub use webmill_table as table;
#[cfg(feature = "text")]
#[doc(inline)]
pub use webmill_text as text;

pub use webmill_capture::error::{self, Error, Result};
