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
//! | storage | [`archive`], [`journal`], [`mod@event`], [`longest_bodies`] |
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
//!
//! # How a crawl runs
//!
//! Its folder is its identity; there is no key. One *writer thread* owns all that is written; the threads of a tokio runtime fetch.
//!
//! ```text
//! frontier.next ─▶ robots known? allowed? trap? ─▶ task: fetch, decode, parse, links, scope, pack the record
//!       ▲                                                    │
//!       └── frontier: add links, release the host ◀── event log ◀── shard  ◀─┘
//! ```
//!
//! ```text
//! OUT/tables/TABLE/part-000000.parquet   tables of a run: hosts, missing URLs, rounds, histories, freshness
//! OUT/crawl.toml, seeds.txt             the settings, without secrets; the seeds, without accounts: what the next run goes on with
//! OUT/rules.json                        the rules that it goes on with, if it has any
//! OUT/lock                              held while a crawl runs
//! OUT/shards/crawl-00007.rawdb          finished shards; the one being written is .crawl-00008.rawdb.partial
//! OUT/events/.events-00000.jsonl[.zst]  the event log as it is written: what a lost frontier is built again from
//! OUT/events/events-00000.parquet       the same as table `events`
//! OUT/frontier/                         queues, seen test, host states, robots rules, histories of pages, due visits, notes (fjall)
//! OUT/frontier.damaged-0                one that was found damaged or of an earlier version, put aside
//! OUT/control/                          commands.jsonl: what operators asked for; status.json: how it goes; state.json: what lasts
//! ```
//!
//!
//! - Order of writing: shard, event log, frontier. The frontier's commit is one atomic batch that holds a *checkpoint*: the positions
//!   in the other two. What was written after the checkpoint is replayed after a crash; a record that the event log does not know is
//!   cut off. So a page is stored exactly once, and nothing is fetched twice but what was in flight. Every few seconds all three are
//!   synced, in the same order. Histories of pages, due visits, effects of commands and how far they were read are in the same batch.
//!   A frontier that is damaged, lost or of an earlier version is built again from the other two; visits stand in the event log, so
//!   histories come back as well (`frontier::history`).
//! - In `engine/` a file is a moment of a URL's life: `consider` (may it be asked for), `task`, `fetch_task` and `rendered` (on the
//!   way), `decide` (what an answer leads to: pure, tested by tables), `apply` (that it is done), `redirects`, `queue`, `requisites`
//!   and `requisites_again` (what it names), `steered` (pages that rules lead to), `revisit` (results of visits, due pages), `trouble`,
//!   `outage`, `put_off` and `retry` (where it failed), `commit`, `open`, `folder` and `replay` (writing, opening), `operate`,
//!   `agents`, `look` and `snapshot` (people and others).
//! - Whose fault a failure is decides what it costs (`engine::decide`). Before any answer, or 429 and 503: the host's; it rests, its
//!   URLs wait and lose no attempt. After a request: the URL's, which has six attempts. At the resolver, the proxy or this machine:
//!   nobody's (`engine::outage`). A host that stays away is *left alone*: its entries stay queued, at a time that never comes, until
//!   the crawl is opened again (`frontier::again`). A URL that is given up in the end has a *soft* outcome; the event log is all that
//!   `--retry` needs to find it (`engine::retry`).
//! - URLs that are left out without a request are learnt host by host: kinds of URLs by their endings (`kinds`), patterns of URLs whose
//!   pages are copies (`duplicate_throttle`). Both let a URL through now and then, and both are forgotten on request.
//! - Whether a page is visited again is a matter of what the frontier lists as due, filled by `revisit::Scheduler`: pages that are
//!   due are queued as others are, behind the same pauses. A visit compares what came with the history's digest: equal bytes become a
//!   revisit record, a 304 is believed as far as the host's validators proved right (`revisit::trust`).
//! - Requisites are in no schedule: they follow their pages (`engine::requisites_again`). A page that is visited again has what it
//!   names asked for again, with its validators, at most once a round; of a page that is not modified that is what its stored capture
//!   names, which is read back from its shard. Their histories stand apart (`frontier::requisites`), so that nothing about pages
//!   counts them.
//! - Rules that steer (`steering`) apply layers to a page where it was fetched, by the code that the job `rules` has
//!   (`webmill_rules::Answer`), and put *leads* (URL, rule, layer) in place of its links. The frontier keeps them
//!   (`frontier::leads`); a lead to a page that was read already has its stored answer read once more (`engine::steered`), so that
//!   the set of fetched pages does not depend on the order of answers.
//! - A command of an operator is a line of a file (`control`). The engine obeys between two rounds of the writer thread, and looks at
//!   queued URLs only when their turn comes (`drop` is lazy: queues are ordered by rank, not by URL). The frontier has `operate`,
//!   `again` and `handover` for that: a URL or a host changed out of its turn, whole hosts given to another agent.
//! - Agents that share a crawl go by one list of names and leave each other files in a folder (`exchange`): no clocks, no locks, no
//!   election. The list changes while none runs; then hosts are handed over.
//! - A rendered page is fetched like any other first; only what its scripts ask for comes from the browser, by a proxy, to the same
//!   fetcher, pauses and guard (`render`).
//! - A host is *leased* to one request at a time; that is what makes "one connection a host" true by construction. Its state (pauses,
//!   failures, counts, duplicate throttle) is kept in the frontier. URLs wait by host on disk; hosts wait by the rank of their first
//!   URL; both are read in blocks.
//! - robots.txt is fetched on the lease of the page that needs it. A redirect to another host borrows that host
//!   (`engine::robots_redirects`).
//! - Where many hosts share an address a request takes the address's next turn. If that is far, the fetch ends with `AddressBusy`,
//!   the host keeps the turn and its connection goes to others (`fetch::address_limiter`, `engine::put_off`).
//! - `memory` is shared out in one place (`budget`): what grows with the crawl has a share. A body that grows beyond its connection's
//!   own part waits for memory of others; one at a time may go beyond the share, so that none wait for each other for ever
//!   (`fetch::body_permit`).
//! - In a shard everything about an answer stands before it (request, metadata, rendered page): where the answer is whole all is, and
//!   a shard may be cut behind any answer.
//! - Secrets are values or names of places (`secret`).
//! - With one connection the frontier is strict: always the first in order, waiting for its host instead of passing it over, so that
//!   the order of requests does not depend on time.
//! - The event log of a crawl is read by `extract` beside the shards: redirects and missing pages become rows of `pages`, as if a
//!   WARC had stored them.
//!
//! **Why.** Fjall for the frontier and the capture store: an LSM tree takes the writes of a frontier (random inserts, deletes at the
//! heads of queues) and commits across keyspaces at once.

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

pub use config::{Again, CrawlLimits, CrawlOptions};
pub use counted::Counted;
pub use engine::{
    Crawl, Ended, Finished, HostTrouble, LastLog, Missing, Observer, Operated, Replayed, SeedNews, Snapshot,
    Totals,
};
pub use engine::{Import, Imported, OldCapture};
pub use render::RenderOptions;
pub use task::{Discovered, Entry, HostState, HostVisits, Purpose};
