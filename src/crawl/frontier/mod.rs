//! The frontier decides which URL is fetched next. It is on disk, may be larger than memory, and survives kill -9.
//!
//! Only the writer thread of the engine calls it: it adds the URLs found, takes the next one, and commits.
//!
//! **What it keeps.** A queue a host name, ordered by the strategy; which URLs are known; a `HostState` a host; robots.txt
//! bodies. One entry of a host is leased at a time, so no host is ever asked by two workers.
//!
//! **Order.** Of the hosts that may be asked now, the one whose head ranks first ([`Strategy`]); of equal rank the entry
//! added first. Depth-first, the links of a page are the URLs added between two releases with the same referrer. A retry goes
//! to the end of its host's queue. With `strict` the order is a function of the calls of [`Frontier::add`] and
//! [`Frontier::release`], never of time or memory.
//!
//! **On disk** (keyspaces of an LSM tree; where one holds several kinds of keys, each kind has a first byte of its own):
//!
//! | keyspace | keys |
//! |---|---|
//! | `seen` | URL hash → state |
//! | `queue` | host, rank → entry |
//! | `hosts` | `h` host → state; `p` host → place in the index; `r` origin → robots.txt |
//! | `times` | `i` (rank, host) or (time, host) of each host with a queue; `d` time, URL → the data to queue it again |
//! | `visits` | `h` URL → what visits of a page found; `r` the same of requisites; `m` counters, checkpoint, notes |
//! | `focus` | what a focused crawl remembers; others have none |
//!
//! **Algorithm.** Hosts in memory are in a set by rank (ready) or by time (waiting); the others are parked in the index and
//! come in when their rank or time is better than that of the hosts in memory. The rank under which a host is listed is a lower bound:
//! the head of a queue is read when the host comes first, and the host put back where it ranks later. Queue heads are read in
//! blocks, always from the bound on, so that deleted entries are not passed over again. An entry is deleted when its
//! fetch is done, so what was leased at a crash is queued again.
//!
//! **Cost.** Memory is `memory`, whatever the number of URLs and hosts. A known URL costs a table look-up, or one read of disk; a
//! new one two writes; a host that does not fit memory two more each time it is parked.
//!
//! **Crashes.** All changes since the last [`Frontier::commit`] are one atomic batch with the caller's checkpoint. Damaged files give
//! [`Error::Corrupt`]; a batch that a power loss took leaves an older checkpoint.
//!
//! **Reference.** Heydon and Najork, Mercator: a scalable, extensible Web crawler, World Wide Web 2 (1999),
//! doi:10.1023/A:1019213109274.

mod again;
mod borrow;
mod check;
mod entry;
mod handover;
mod head;
mod history;
mod history_cache;
mod host;
mod leads;
mod lookup;
mod operate;
mod options;
mod queue;
mod rank;
mod requisites;
mod schedule;
mod seen;
mod sitemaps;
mod store;
mod verdicts;

#[cfg(test)]
mod damage;
#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use fjall::Slice;

pub use self::again::Changed;
pub use self::borrow::Borrowed;
use self::entry::Fields;
pub use self::handover::Key;
use self::head::Head;
pub use self::history::{Due, HistoryCounts};
use self::history_cache::HistoryCache;
use self::host::{Hosts, Phase, Places};
pub use self::leads::{KeptAnswer, Look, Noted, ReadBy};
use self::options::Limits;
pub use self::options::{FrontierOptions, FrontierStats, Strategy};
use self::queue::{cancelled_key, name_key, queue_key};
use self::rank::Rank;
pub use self::requisites::AskAgain;
use self::seen::{SeenState, SeenUrls};
pub use self::sitemaps::KnownSitemap;
use self::store::{Layer, Space, Store};
pub use self::verdicts::Verdict;
use crate::task::{Discovered, Entry, HostState, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// Keyspaces, whether they are large, and the first bytes of the keys in those that several layers share.
const SPACES: [Space; 5] = [
    ("seen", true, b""),
    ("queue", true, b""),
    ("hosts", false, b"hpr"),
    ("times", false, b"id"),
    ("visits", false, b"hrm"),
];
/// The keyspace of focused crawls; other crawls have none.
const FOCUS: Space = ("focus", true, b"");
/// Rank under which a host is leased without an entry.
const BORROWED: Rank = Rank::MAX;
/// A host that is not due before this time is left alone until [`Frontier::revive`], however long the crawl lasts: what it has
/// queued is kept. Only for hosts that have something queued: their last entry is released with [`After::Keep`].
pub const NEVER_MS: i64 = i64::MAX / 2;
/// First byte of the index key of a URL that is never to be given out.
const CANCELLED: u8 = b'c';
/// First byte of an index key of a host that was left alone ([`NEVER_MS`]) with nothing queued.
const ALONE: u8 = b'a';

/// The frontier of a crawl: see the module.
pub struct Frontier {
    // Keyspaces go before the store, which waits for its threads.
    seen: SeenUrls,
    queue: Layer,
    states: Layer,
    places: Layer,
    index: Layer,
    robots: Layer,
    history: Layer,
    history_cache: HistoryCache,
    due: Layer,
    requisites: Layer,
    meta: Layer,
    /// What a focused crawl remembers of links, pages and hosts.
    focus: Option<Layer>,
    store: Store,
    options: FrontierOptions,
    limits: Limits,
    head: Head,
    hosts: Hosts,
    known_places: Places,
    /// Hosts whose state was changed since the last commit.
    dirty: Vec<u32>,
    /// URLs known as done while they wait.
    cancelled: std::collections::HashSet<u128>,
    /// No parked host ranks before; `None`: none is parked by rank.
    cursor: Option<Rank>,
    /// No parked host is due before; `None`: none is parked by time.
    later: Option<i64>,
    /// No page is due before.
    due_from: i64,
    now_ms: i64,
    /// Requisites that were added since it was opened and are not done.
    requisites_waiting: u64,
}

/// What [`Frontier::open`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// The frontier was made.
    pub fresh: bool,
    /// The checkpoint of the last commit; empty when there was none.
    pub checkpoint: Vec<u8>,
}

/// A host leased to one fetch. One that is dropped instead of released keeps its host until the frontier is opened again.
#[derive(Debug)]
pub struct Lease {
    /// The host of the URL, which only this lease may ask.
    pub host: Arc<str>,
    /// What to fetch of it.
    pub entry: Entry,
    slot: u32,
    rank: Rank,
    value: Slice,
}

/// The URL to fetch now, or how long to wait.
#[derive(Debug)]
pub enum Next {
    /// Fetch this, then release it.
    Fetch(Lease),
    /// Nothing before this time.
    Wait {
        /// Wall clock, ms since 1970.
        until_ms: i64,
    },
    /// All that is left is leased.
    Busy,
    /// Nothing is left, but for hosts that are left alone ([`NEVER_MS`]).
    Empty,
}

/// What becomes of a leased entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The URL is finished and is not given out again.
    Done,
    /// It stays where it was: only robots.txt was fetched.
    Keep,
    /// It goes to the end of its host's queue, with one more retry.
    Retry,
    /// It goes to the end of its host's queue; the attempt was not its own.
    Postpone,
    /// It goes to the end of its host's queue, and it costs it nothing.
    Last,
}

impl Frontier {
    /// Opens a frontier, or makes one where the folder is missing or empty.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where files are damaged, [`Error::Incompatible`] where it was made with other options or by another version,
    /// [`Error::Config`] where an option is out of range or another process has it open, [`Error::Io`].
    pub fn open(folder: &Path, options: &FrontierOptions) -> Result<(Frontier, Opened)> {
        options.check()?;
        Self::open_with(folder, options, Limits::of(options.memory))
    }

    fn open_with(folder: &Path, options: &FrontierOptions, limits: Limits) -> Result<(Frontier, Opened)> {
        let focused = options.strategy == Strategy::Focused;
        let spaces = [&SPACES[..], if focused { &[FOCUS] } else { &[] }].concat();
        let (store, mut layers, fresh) = Store::open(folder, limits.sizes, &spaces)?;
        let focus = if focused { layers.pop() } else { None };
        let Ok([seen, queue, states, places, robots, index, due, history, requisites, mut meta]) =
            <[Layer; 10]>::try_from(layers)
        else {
            return Err(Error::Internal("as many layers as names".into()));
        };
        let (head, checkpoint) = Head::open(&store, &mut meta, options, fresh)?;
        let seen = SeenUrls::open(seen, head.seen, limits.bloom, limits.recent)?;
        if seen.count != head.seen {
            return Err(store.corrupt(format!("{} known URLs where {} were written", seen.count, head.seen)));
        }
        let mut cancelled = std::collections::HashSet::new();
        index.scan(&[CANCELLED], &[CANCELLED + 1], |key, _| {
            cancelled.extend(key[1..].try_into().ok().map(u128::from_be_bytes));
            Ok(true)
        })?;
        let parked = head.hosts > 0;
        let history_cache = HistoryCache::new(head.histories.pages, limits.bloom / 8, limits.places / 4);
        let frontier = Frontier {
            seen,
            queue,
            states,
            places,
            index,
            robots,
            history,
            history_cache,
            due,
            requisites,
            meta,
            focus,
            store,
            options: options.clone(),
            limits,
            head,
            hosts: Hosts::default(),
            known_places: Places::new(limits.places),
            dirty: Vec::new(),
            cancelled,
            cursor: parked.then_some(0),
            later: parked.then_some(i64::MIN),
            due_from: i64::MIN,
            now_ms: i64::MIN,
            requisites_waiting: 0,
        };
        Ok((frontier, Opened { fresh, checkpoint }))
    }

    /// Queues a URL that is not known; `true`: it was not. In best-first order a URL that still waits gains `popularity` by
    /// each further link to it (an add with a referrer), unless it is being fetched.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn add(&mut self, found: &Discovered) -> Result<bool> {
        let host = found.url.host();
        let host_key = seen::host_key(self.options.hash_seed, host);
        let key = seen::url_key(self.options.hash_seed, host_key, &found.url);
        match self.seen.get(key)? {
            None => {}
            Some(SeenState::Yes) => return Ok(false),
            Some(SeenState::Queued(rank)) => {
                if found.referrer.is_some() && self.options.strategy == Strategy::Best {
                    self.gain(host, host_key, key, rank)?;
                }
                return Ok(false);
            }
        }
        let class = self.head.class(found, &self.options);
        let rank = rank::rank(class, self.head.next_sequence());
        self.seen.insert(key, if self.counts_links() { SeenState::Queued(rank) } else { SeenState::Yes });
        self.head.seen = self.seen.count;
        self.head.queued += 1;
        if found.purpose == Purpose::Requisite {
            self.requisites_waiting += 1;
        }
        self.enqueue(host, host_key, rank, entry::encode(&Fields::from(found)).into())?;
        Ok(true)
    }

    /// Whether a URL was ever added or made known as done.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn is_seen(&self, url: &CanonicalUrl) -> Result<bool> {
        let host_key = seen::host_key(self.options.hash_seed, url.host());
        Ok(self.seen.find(seen::url_key(self.options.hash_seed, host_key, url))?.is_some())
    }

    /// Makes a URL known as done: where it waits, it is never given out. For replays: not for leased URLs.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn mark_seen(&mut self, url: &CanonicalUrl) -> Result<()> {
        let host_key = seen::host_key(self.options.hash_seed, url.host());
        let key = seen::url_key(self.options.hash_seed, host_key, url);
        self.mark_key(url.host(), host_key, key)
    }

    fn mark_key(&mut self, host: &str, host_key: u128, key: u128) -> Result<()> {
        match self.seen.find(key)? {
            None => {
                self.seen.insert(key, SeenState::Yes);
                self.head.seen = self.seen.count;
            }
            Some(SeenState::Queued(rank)) => {
                let slot = self.hosts.find(host_key);
                if slot.is_some_and(|slot| self.hosts.get(slot).phase == Phase::Leased(rank)) {
                    return Ok(());
                }
                if let Some(slot) = slot {
                    self.hosts.with_loaded(slot, |loaded| loaded.take(rank));
                }
                self.queue.remove(queue_key(host, rank));
                self.head.queued -= 1;
                self.seen.set(key, SeenState::Yes);
            }
            Some(SeenState::Yes) => {
                let queued = self.hosts.find(host_key).is_some() || self.place(host, host_key)?.is_some();
                if !self.counts_links() && queued && self.cancelled.insert(key) {
                    self.index.put(cancelled_key(key), []);
                }
            }
        }
        Ok(())
    }

    /// The state of a leased host.
    ///
    /// # Panics
    /// With a lease of another frontier.
    pub fn host(&self, lease: &Lease) -> &HostState {
        &self.hosts.get(lease.slot).loaded.as_ref().expect("a leased host is loaded").state
    }

    /// The state of a leased host, to change: it is written by the next commit. Its `next_ms` decides when the host is due.
    ///
    /// # Panics
    /// With a lease of another frontier.
    pub fn host_mut(&mut self, lease: &Lease) -> &mut HostState {
        let loaded = self.hosts.get_mut(lease.slot).loaded.as_mut().expect("a leased host is loaded");
        if !std::mem::replace(&mut loaded.dirty, true) {
            self.dirty.push(lease.slot);
        }
        &mut loaded.state
    }

    /// The robots.txt body of an origin, `scheme://host:port`, as it was set.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn robots(&self, origin: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.robots.get(&name_key(origin))?.map(|bytes| bytes.to_vec()))
    }

    /// Keeps the robots.txt body of an origin.
    ///
    /// # Errors
    /// None today; kept so that a store that checks at once can fail.
    pub fn set_robots(&mut self, origin: &str, bytes: &[u8]) -> Result<()> {
        self.robots.put(name_key(origin), bytes);
        Ok(())
    }

    /// Writes all changes since the last commit and the checkpoint as one. Written changes survive the process.
    ///
    /// # Errors
    /// [`Error::Io`] as on a full disk: the frontier is of no use then, and open again it is as after the commit before.
    pub fn commit(&mut self, checkpoint: &[u8]) -> Result<()> {
        for slot in &self.dirty {
            let Some(host) = self.hosts.try_get_mut(*slot) else { continue };
            let Some(loaded) = host.loaded.as_mut() else { continue };
            if std::mem::take(&mut loaded.dirty) {
                self.states.put(name_key(&host.name), host::state_bytes(&loaded.state)?);
            }
        }
        self.head.commits += 1;
        self.head.write(&mut self.meta, checkpoint)?;
        let changes = self.seen.take_changes();
        let mut layers = vec![
            self.seen.layer(),
            &mut self.queue,
            &mut self.states,
            &mut self.places,
            &mut self.index,
            &mut self.robots,
            &mut self.history,
            &mut self.due,
            &mut self.requisites,
            &mut self.meta,
        ];
        layers.extend(&mut self.focus);
        self.store.commit(self.head.commits, layers, changes)?;
        for slot in std::mem::take(&mut self.dirty) {
            if self.hosts.loaded_bytes > self.limits.loaded
                && let Some(host) = self.hosts.try_get_mut(slot)
                && !matches!(host.phase, Phase::Leased(_))
                && host.loaded.as_ref().is_some_and(|loaded| !loaded.dirty)
            {
                self.hosts.unload(slot);
            }
        }
        Ok(())
    }

    /// Makes commits survive a loss of power.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sync(&mut self) -> Result<()> {
        self.store.sync()
    }

    /// What it holds.
    pub fn stats(&self) -> FrontierStats {
        FrontierStats {
            seen: self.head.seen,
            queued: self.head.queued,
            hosts_ready: self.hosts.ready.len() as u64,
            hosts_waiting: self.hosts.waiting.len() as u64,
            hosts_leased: self.hosts.leased as u64,
            hosts_parked: self.head.hosts - self.hosts.len() as u64,
        }
    }

    /// Requisites that were added since it was opened and are not done.
    pub fn requisites(&self) -> u64 {
        self.requisites_waiting
    }

    /// Syncs and closes. Uncommitted changes are lost, as in a crash.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn close(mut self) -> Result<()> {
        self.sync()
    }

    /// Where a focused crawl keeps what it remembers; `None`: it is no focused one.
    pub fn focus(&self) -> Option<&dyn crate::focus::Store> {
        self.focus.as_ref().map(|layer| layer as &dyn crate::focus::Store)
    }

    /// [`Frontier::focus`], to change.
    pub fn focus_mut(&mut self) -> Option<&mut dyn crate::focus::Store> {
        self.focus.as_mut().map(|layer| layer as &mut dyn crate::focus::Store)
    }

    /// Gives a URL that waits another score. For focused crawls; in other crawls, and for URLs that are being fetched, it changes nothing.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn score(&mut self, url: &CanonicalUrl, score: f64) -> Result<()> {
        let host = url.host();
        let host_key = seen::host_key(self.options.hash_seed, host);
        let key = seen::url_key(self.options.hash_seed, host_key, url);
        match self.seen.get(key)? {
            Some(SeenState::Queued(rank)) => self.rank_anew(host, (host_key, key), rank, score),
            _ => Ok(()),
        }
    }

    /// Whether URLs that wait change their ranks; only then does `seen` hold the rank.
    fn counts_links(&self) -> bool {
        match self.options.strategy {
            Strategy::Focused => true,
            strategy => strategy == Strategy::Best && self.options.popularity != 0.0,
        }
    }
}
