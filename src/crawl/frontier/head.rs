//! What every commit writes of the frontier as a whole.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::history::HistoryCounts;
use super::options::{FrontierOptions, Strategy};
use super::rank;
use super::store::{Layer, Store};
use crate::task::{Discovered, Purpose};
use webmill_capture::error::{Error, Result};

/// Raised when the bytes of a keyspace change their meaning.
const VERSION: u32 = 6;
const HEAD: &[u8] = b"head";
const CHECKPOINT: &[u8] = b"mark";

/// Counters and the options that cannot change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    strategy: Strategy,
    popularity: f64,
    hash_seed: u64,
    pub commits: u64,
    pub seen: u64,
    pub queued: u64,
    /// Hosts with a queue.
    pub hosts: u64,
    pub histories: HistoryCounts,
    /// Requisites with a history.
    pub requisites: u64,
    sequence: u64,
    /// Number of the page whose links are being added.
    page: u64,
    /// The next add begins a page.
    page_ended: bool,
    /// Hash of its URL.
    referrer: u64,
}

impl Head {
    /// The counters as committed last, and the checkpoint.
    pub fn open(
        store: &Store,
        meta: &mut Layer,
        options: &FrontierOptions,
        fresh: bool,
    ) -> Result<(Head, Vec<u8>)> {
        let expected = Head {
            strategy: options.strategy,
            popularity: options.popularity,
            hash_seed: options.hash_seed,
            commits: 0,
            seen: 0,
            queued: 0,
            hosts: 0,
            histories: HistoryCounts::default(),
            requisites: 0,
            sequence: 0,
            page: 0,
            page_ended: true,
            referrer: 0,
        };
        let Some(bytes) = meta.get(HEAD)? else {
            // The store is made with commit 0, which is no commit of ours: a crash between the two leaves it empty.
            let empty = fresh || meta.last(&[], &[0xff])?.is_none();
            return if empty {
                Ok((expected, Vec::new()))
            } else {
                Err(store.corrupt("its counters are missing"))
            };
        };
        let unreadable = || store.corrupt("its counters cannot be read");
        let (version, rest) = bytes.split_first_chunk().ok_or_else(unreadable)?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            // What an earlier version left is built again from shards and event log, as after damage.
            return Err(match version < VERSION {
                true => store.corrupt(format!("it is of version {version}, this is version {VERSION}")),
                false => store.incompatible(format!("version {version}"), format!("version {VERSION}")),
            });
        }
        let head: Head = postcard::from_bytes(rest).map_err(|_| unreadable())?;
        if head.options() != expected.options() {
            return Err(store.incompatible(head.options(), expected.options()));
        }
        let checkpoint = meta.get(CHECKPOINT)?.ok_or_else(unreadable)?;
        Ok((head, checkpoint.to_vec()))
    }

    /// Puts the counters and the checkpoint among the changes.
    pub fn write(&self, meta: &mut Layer, checkpoint: &[u8]) -> Result<()> {
        let bytes = postcard::to_extend(self, VERSION.to_le_bytes().to_vec());
        meta.put(HEAD, bytes.map_err(|error| Error::Internal(format!("counters: {error}")))?);
        meta.put(CHECKPOINT, checkpoint);
        Ok(())
    }

    fn options(&self) -> String {
        let Head { strategy, popularity, hash_seed, .. } = self;
        format!("strategy {}, popularity {popularity}, hash seed {hash_seed}", strategy.name())
    }

    /// Number of the next entry.
    pub fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// Class of an entry that is being added.
    pub fn class(&mut self, found: &Discovered, options: &FrontierOptions) -> u64 {
        if found.purpose == Purpose::Requisite {
            // Soon after its page, before either changes.
            return if matches!(options.strategy, Strategy::Best | Strategy::Focused) {
                rank::class_of(f64::INFINITY)
            } else {
                0
            };
        }
        match options.strategy {
            Strategy::Breadth => u64::from(found.depth) + 1,
            Strategy::Best => {
                let links = if found.referrer.is_some() { options.popularity } else { 0.0 };
                rank::class_of(found.priority + links)
            }
            Strategy::Focused => rank::class_of(found.priority),
            Strategy::Depth => {
                let referrer = found.referrer.as_ref().map_or(0, |referrer| xxh3_64(referrer.as_bytes()) | 1);
                if std::mem::take(&mut self.page_ended) || referrer != self.referrer {
                    self.page += 1;
                    self.referrer = referrer;
                }
                u64::MAX - self.page
            }
        }
    }

    /// A fetch was released: URLs added from now on are of another page.
    pub fn end_page(&mut self) {
        self.page_ended = true;
    }
}
