//! What visits found of each page, and when each is due: part of the frontier, so that one commit holds all of it.
//!
//! **Stored** (two layers). `history`: key of the URL → the bytes of its [`PageHistory`]. `due`: time and key → the data needed to
//! queue the page again; or, while it is queued, a mark that it is.
//!
//! **Invariant.** A page is in `due` at the time that its history names, or marked as queued, or out of the schedule; never two of these. So it
//! is never queued twice, and a queued page comes back into the schedule by [`Frontier::set_history`], whatever its visit found.
//!
//! **Cost.** A first visit takes no read and two writes, a further one a read of the history and three writes ([`HistoryCache`]). Pages that are due are read
//! in the order of their times, from where the last ones were taken on.

use fjall::Slice;
use serde::{Deserialize, Serialize};

use super::host::time_bytes;
use super::{Frontier, seen};
use crate::revisit::{DecodeError, PageHistory};
use crate::scope::{Lineage, SeedMark};
use crate::task::{Discovered, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// First byte of the key of a page that is due some time.
const DUE: u8 = b'd';
/// First byte of the key of a page that was due and is queued.
const TAKEN: u8 = b't';

/// A page whose time has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// URL of the page that is due.
    pub url: CanonicalUrl,
    /// When it was due, ms since 1970.
    pub due_ms: i64,
    /// Links from a seed to it.
    pub depth: u32,
    /// Its priority in best-first order.
    pub priority: f64,
    /// What scope rules ask for.
    pub lineage: Lineage,
}

/// How many pages have a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HistoryCounts {
    /// With a history.
    pub pages: u64,
    /// Of these, due some time.
    pub scheduled: u64,
    /// Of these, due and queued.
    pub queued: u64,
}

impl Frontier {
    /// What visits found of a page; `None`: it was not visited.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where another version wrote it, [`Error::Corrupt`], [`Error::Io`].
    pub fn history(&self, url: &CanonicalUrl) -> Result<Option<PageHistory>> {
        let found = self.read_history(self.history_key(url))?;
        // Keys are seeded hashes of 128 bits: another URL under this one's is as good as none.
        Ok(found.filter(|history| history.url == url.as_str()))
    }

    /// Keeps what a visit found: the page is in the schedule as its history says, and counts as queued no more.
    ///
    /// # Errors
    /// [`Error::Internal`] where the history is of another URL; [`Error::Corrupt`], [`Error::Io`].
    pub fn set_history(&mut self, url: &CanonicalUrl, history: &PageHistory) -> Result<()> {
        self.keep(url, history, false)
    }

    /// Keeps what was learnt of a page without a visit (a hint, a command). Of a page that is queued only the history changes: its visit is
    /// under way.
    ///
    /// # Errors
    /// As [`Frontier::set_history`].
    pub fn update_history(&mut self, url: &CanonicalUrl, history: &PageHistory) -> Result<()> {
        let taken = self.is_taken(self.history_key(url))?;
        self.keep(url, history, taken)
    }

    /// [`Frontier::set_history`] for the replay of a visit that the last commit did not know: where the page is queued for it, it is not given
    /// out again.
    ///
    /// # Errors
    /// As [`Frontier::set_history`].
    pub fn replay_visit(&mut self, url: &CanonicalUrl, history: &PageHistory) -> Result<()> {
        if self.is_taken(self.history_key(url))? {
            self.mark_seen(url)?;
        }
        self.keep(url, history, false)
    }

    /// A page that was queued by other means than the schedule counts as queued by it: it is not due meanwhile, and what its visit finds
    /// brings it back.
    ///
    /// # Errors
    /// [`Error::Incompatible`], [`Error::Corrupt`], [`Error::Io`].
    pub fn count_as_queued(&mut self, url: &CanonicalUrl) -> Result<()> {
        match self.history(url)? {
            Some(history) => self.keep(url, &history, true),
            None => Ok(()),
        }
    }

    /// Queues pages that are due, the earliest first, up to a given number, and returns them.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn take_due(&mut self, now_ms: i64, max: usize) -> Result<Vec<Due>> {
        let mut found: Vec<(Slice, u128, Due)> = Vec::new();
        let mut reached = None;
        if max > 0 {
            self.due.scan(&due_key(self.due_from, 0), &[DUE + 1], |key, value| {
                let (due, key_of_url) = self.read_due(key, &value)?;
                if due.due_ms > now_ms || found.len() == max {
                    reached = Some(due.due_ms);
                    return Ok(false);
                }
                found.push((key.into(), key_of_url, due));
                Ok(true)
            })?;
            self.due_from = reached.unwrap_or(i64::MAX);
        }
        for (key, key_of_url, due) in &found {
            self.due.remove(key.clone());
            self.due.put(taken_key(*key_of_url), []);
            self.head.histories.scheduled -= 1;
            self.head.histories.queued += 1;
            self.add_again(&Discovered {
                depth: due.depth,
                priority: due.priority,
                lineage: due.lineage,
                ..Discovered::new(due.url.clone(), Purpose::Page)
            })?;
        }
        Ok(found.into_iter().map(|(_, _, due)| due).collect())
    }

    /// Pages whose time has come, queued ones too, counted up to `most`.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn count_due(&self, now_ms: i64, most: u64) -> Result<u64> {
        let mut count = self.head.histories.queued.min(most);
        self.due.scan(&due_key(i64::MIN, 0), &due_key(now_ms.saturating_add(1), 0), |_, _| {
            count += 1;
            Ok(count < most)
        })?;
        Ok(count.min(most))
    }

    /// When the next page is due, ms; `None`: none is.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn next_due(&mut self) -> Result<Option<i64>> {
        let mut first = None;
        self.due.scan(&due_key(self.due_from, 0), &[DUE + 1], |key, value| {
            first = Some(self.read_due(key, &value)?.0.due_ms);
            Ok(false)
        })?;
        self.due_from = first.unwrap_or(i64::MAX);
        Ok(first)
    }

    /// Whether a page was due and is queued.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn is_queued_again(&self, url: &CanonicalUrl) -> Result<bool> {
        self.is_taken(self.history_key(url))
    }

    /// Visits all histories, each with a number that those of its host have in common; by this number they come in ascending order. Now and
    /// then hosts share one.
    ///
    /// # Errors
    /// Those of `visit`; [`Error::Incompatible`], [`Error::Corrupt`], [`Error::Io`].
    pub fn each_history(&self, visit: &mut dyn FnMut(u32, PageHistory) -> Result<()>) -> Result<()> {
        self.history.scan(&[], &[0xff; 17], |key, bytes| {
            visit((self.key_of_history(key)? >> 96) as u32, self.parse_history(&bytes)?)?;
            Ok(true)
        })
    }

    /// How many pages have a history, are due some time, are queued.
    pub fn history_counts(&self) -> HistoryCounts {
        self.head.histories
    }

    pub(super) fn history_key(&self, url: &CanonicalUrl) -> u128 {
        seen::url_key(self.options.hash_seed, seen::host_key(self.options.hash_seed, url.host()), url)
    }

    fn key_of_history(&self, key: &[u8]) -> Result<u128> {
        let key = key.try_into().map(u128::from_be_bytes);
        key.map_err(|_| self.store.corrupt("the key of a history cannot be read"))
    }

    fn is_taken(&self, key: u128) -> Result<bool> {
        // Without any, as in a first crawl, there is nothing to read.
        Ok(self.head.histories.queued > 0 && self.due.get(&taken_key(key))?.is_some())
    }

    fn read_history(&self, key: u128) -> Result<Option<PageHistory>> {
        if self.head.histories.pages == 0 || self.history_cache.is_new(key) {
            return Ok(None);
        }
        if let Some(history) = self.history_cache.get(key, PageHistory::clone) {
            return Ok(Some(history));
        }
        let Some(bytes) = self.history.get(&key.to_be_bytes())? else { return Ok(None) };
        let history = self.parse_history(&bytes)?;
        self.history_cache.note_read(key, &history);
        Ok(Some(history))
    }

    /// When the page of a key is due by the history that is stored; `None`: it has none.
    fn next_of(&self, key: u128) -> Result<Option<Option<i64>>> {
        if self.head.histories.pages == 0 || self.history_cache.is_new(key) {
            return Ok(None);
        }
        if let Some(next) = self.history_cache.get(key, |history| history.next_ms) {
            return Ok(Some(next));
        }
        let Some(bytes) = self.history.get(&key.to_be_bytes())? else { return Ok(None) };
        Ok(Some(self.parse_history(&bytes)?.next_ms))
    }

    pub(super) fn parse_history(&self, bytes: &[u8]) -> Result<PageHistory> {
        PageHistory::decode(bytes).map_err(|error| match error {
            DecodeError::Version { .. } => {
                let expected = format!("a page's history of version {}", crate::revisit::history::VERSION);
                self.store.incompatible(error.to_string(), expected)
            }
            _ => self.store.corrupt(error.to_string()),
        })
    }

    /// Writes a history, and the page where it belongs by it: queued, or at its time.
    fn keep(&mut self, url: &CanonicalUrl, history: &PageHistory, queued: bool) -> Result<()> {
        if history.url != url.as_str() {
            return Err(Error::Internal(format!("the history of {} for {url}", history.url)));
        }
        let key = self.history_key(url);
        let taken = self.is_taken(key)?;
        // Whatever its URL: one that shares the key is replaced with its entry.
        let old = self.next_of(key)?;
        let old_due = old.flatten().filter(|_| !taken);
        self.head.histories.pages += u64::from(old.is_none());
        self.history_cache.note_written(key, old.is_none());
        let next = history.next_ms.filter(|_| !queued);
        let counts = &mut self.head.histories;
        counts.scheduled = counts.scheduled + u64::from(next.is_some()) - u64::from(old_due.is_some());
        counts.queued = counts.queued + u64::from(queued) - u64::from(taken);
        if let Some(old) = old_due.filter(|old| Some(*old) != next) {
            self.due.remove(due_key(old, key));
        }
        match (taken, queued) {
            (true, false) => self.due.remove(taken_key(key)),
            (false, true) => self.due.put(taken_key(key), []),
            _ => {}
        }
        if let Some(next) = next {
            self.due.put(due_key(next, key), due_value(history));
            self.due_from = self.due_from.min(next);
        }
        self.history.put(key.to_be_bytes(), history.encode());
        Ok(())
    }

    /// The page of a key and value of `due`, and the key of its URL.
    fn read_due(&self, key: &[u8], value: &[u8]) -> Result<(Due, u128)> {
        let read = || {
            let (time, key) = key.strip_prefix(&[DUE])?.split_first_chunk::<8>()?;
            let due_ms = (u64::from_be_bytes(*time) ^ 1 << 63) as i64;
            let (depth, rest) = value.split_first_chunk::<4>()?;
            let (priority, rest) = rest.split_first_chunk::<8>()?;
            let (off_site, rest) = rest.split_first()?;
            let (seed, url) = rest.split_first_chunk::<4>()?;
            let lineage = Lineage { off_site: *off_site, seed: SeedMark(u32::from_le_bytes(*seed)) };
            let (depth, priority) = (u32::from_le_bytes(*depth), f64::from_le_bytes(*priority));
            let url = CanonicalUrl::parse(std::str::from_utf8(url).ok()?)?;
            Some((Due { url, due_ms, depth, priority, lineage }, u128::from_be_bytes(key.try_into().ok()?)))
        };
        read().ok_or_else(|| self.store.corrupt("a page that is due cannot be read"))
    }
}

fn due_key(time_ms: i64, key: u128) -> [u8; 25] {
    let mut bytes = [DUE; 25];
    bytes[1..9].copy_from_slice(&time_bytes(time_ms));
    bytes[9..].copy_from_slice(&key.to_be_bytes());
    bytes
}

fn taken_key(key: u128) -> [u8; 17] {
    let mut bytes = [TAKEN; 17];
    bytes[1..].copy_from_slice(&key.to_be_bytes());
    bytes
}

fn due_value(history: &PageHistory) -> Vec<u8> {
    let depth = history.depth.to_le_bytes();
    let (off_site, seed) = history.lineage;
    [&depth[..], &history.priority.to_le_bytes(), &[off_site], &seed.to_le_bytes(), history.url.as_bytes()]
        .concat()
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
