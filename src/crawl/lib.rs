//! A polite, resumable crawler for one machine: seeds in, shards and an event log out.
//!
//! [`Crawl`] is the engine. Each of its parts can be used alone:
//!
//! | question | modules |
//! |---|---|
//! | what to fetch next | [`frontier`], [`priority`]; what rules ask for: [`steering`]; of several crawlers which one: [`agents`], [`exchange`] |
//! | whether, when and in what form | [`scope`], [`robots`], [`politeness`], [`traps`], [`duplicate_throttle`], [`kinds`], [`rewrite`], [`site_settings`] |
//! | how | [`fetch`], [`secret`], [`RenderOptions`] |
//! | what a response says | [`page`], [`sitemap`], [`requisites`] |
//! | when a page is visited again | [`revisit`] |
//! | what is kept | [`archive`], [`journal`], [`mod@event`], [`longest_bodies`] |
//! | how it goes, and why so | [`control`], [`mod@explain`] |
//!
//! **Guarantees.** A page is stored as the server sent it and exactly once, also over crashes; a visit again stores what differs, or
//! that nothing does. A host is never asked by two connections at once, never sooner than its delay, never for what its robots.txt
//! forbids. An outage costs time and no page: what waits on a host that is away stays queued, and what was given up is counted
//! ([`Crawl::missing`]) and asked for again on request ([`Crawl::ask_again`]). What an operator asked for is obeyed once, also over
//! crashes. Memory is bounded by [`CrawlOptions::memory`], but for one long body at a time, and for browsers where pages are rendered.
//!
//! ```
//! use std::io::{Read, Write};
//! use webmill_capture::CanonicalUrl;
//! use webmill_crawl::{Crawl, CrawlOptions, Observer, Snapshot};
//!
//! # let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
//! # let seed = CanonicalUrl::parse(&format!("http://{}/", server.local_addr().unwrap())).unwrap();
//! # std::thread::spawn(move || {
//! #     for mut stream in server.incoming().flatten() {
//! #         let _ = stream.read(&mut [0; 4096]);
//! #         let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
//! #         let _ = stream.write_all(answer);
//! #     }
//! # });
//! struct Quiet;
//! impl Observer for Quiet {
//!     fn look(&mut self, _: &Snapshot) {}
//! }
//!
//! let mut options = CrawlOptions { memory: 16 << 20, ..CrawlOptions::default() };
//! // For a server on this machine; on servers of others keep the defaults, and name yourself in the user agent.
//! options.fetch.allow_private = true;
//! options.politeness.delay_ms = 0;
//! let folder = tempfile::tempdir().unwrap();
//! let (mut crawl, _) = Crawl::open(folder.path(), &options, &[seed], 1, None)?;
//! let ended = crawl.run(&mut Quiet, &|| false)?;
//! assert_eq!(crawl.close(ended)?.stored, 1);
//! assert!(folder.path().join("shards/crawl-00000.rawdb").exists());
//! # Ok::<(), webmill_capture::error::Error>(())
//! ```
//!
//! **Reference.** A. Heydon and M. Najork, Mercator: a scalable, extensible Web crawler, World Wide Web 2 (1999),
//! doi:10.1023/A:1019213109274; RFC 9309 (robots), RFC 9110 and 9112 (HTTP).

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod agents;
pub mod archive;
mod budget;
mod config;
pub mod control;
mod counted;
pub mod duplicate_throttle;
mod engine;
pub mod event;
pub mod exchange;
pub mod explain;
pub mod fetch;
pub mod focus;
pub mod frontier;
pub mod journal;
pub mod kinds;
pub mod longest_bodies;
pub mod page;
mod page_text;
pub mod politeness;
pub mod priority;
mod render;
pub mod requisites;
pub mod revisit;
pub mod rewrite;
pub mod robots;
pub mod scope;
pub mod secret;
pub mod site_settings;
pub mod sitemap;
pub mod steering;
mod task;
pub mod traps;

pub use config::{CrawlLimits, CrawlOptions};
pub use counted::Counted;
pub(crate) use engine::without_secrets;
pub use engine::{
    Crawl, Ended, Finished, HostTrouble, LastLog, Missing, Observer, Operated, Replayed, SeedNews, Snapshot,
    Totals,
};
pub use engine::{Import, Imported, OldCapture};
pub use render::RenderOptions;
pub use task::{Discovered, Entry, HostState, HostVisits, Purpose};
