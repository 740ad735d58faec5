//! The schedule of hosts: leasing, releasing, waiting, parking.

use std::sync::Arc;

use super::entry::{self, Fields};
use super::host::{self, BY_RANK, BY_TIME, Loaded, Phase, Place, time_bytes};
use super::queue::{cancelled_key, name_key, queue_key};
use super::rank::{self, Rank};
use super::seen::{self, SeenState};
use super::{After, BORROWED, Frontier, Lease, NEVER_MS, Next};
use crate::task::{Entry, HostState};
use webmill_capture::error::{Error, Result};

/// A host that is not due for so long leaves memory at once, ms.
pub(super) const FAR_MS: i64 = 600_000;
/// Places of parked hosts that are looked at for the one that is due first.
const LOOKED_AT: usize = 10_000;
/// Entries of a host that are given out before its position on disk is updated.
const SERVED: u32 = 1024;

impl Frontier {
    /// What to do now. Times of successive calls should not fall.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn next(&mut self, now_ms: i64) -> Result<Next> {
        self.now_ms = now_ms;
        if self.options.strict && self.hosts.leased > 0 {
            return Ok(Next::Busy);
        }
        loop {
            self.wake(now_ms)?;
            let first = self.hosts.ready.first().copied();
            if self.cursor.is_some_and(|cursor| first.is_none_or(|(bound, _)| cursor < bound)) {
                self.refill(first.map(|(bound, _)| bound))?;
                continue;
            }
            let Some((_, slot)) = first else {
                let waiting = self.hosts.waiting.first().map(|(time, _)| *time);
                let due = waiting.into_iter().chain(self.later).min().filter(|due| *due < NEVER_MS);
                return Ok(match due {
                    Some(until_ms) => Next::Wait { until_ms },
                    None if self.hosts.leased > 0 => Next::Busy,
                    None => Next::Empty,
                });
            };
            if let Some(next) = self.try_lease(slot)? {
                return Ok(next);
            }
        }
    }

    /// Of the hosts that wait the one that is due first, and when.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn first_due(&self) -> Result<Option<(String, i64)>> {
        let in_memory = |slot: u32| self.hosts.get(slot).name.to_string();
        let waiting = self.hosts.waiting.first().map(|(time, slot)| (in_memory(*slot), *time));
        let resting = self.hosts.ready.first().and_then(|(_, slot)| {
            let due = self.hosts.get(*slot).loaded.as_ref()?.state.next_ms;
            Some((in_memory(*slot), due)).filter(|_| due > self.now_ms)
        });
        let (mut parked, mut scanned) = (None, 0);
        self.index.scan(&[BY_TIME], &[BY_TIME + 1], |key, value| {
            let (place, name) = self.read_place(key, &value)?;
            scanned += 1;
            // The places of hosts in memory are those that they had before.
            if self.hosts.find(seen::host_key(self.options.hash_seed, name)).is_none() {
                parked = place.time.map(|time| (name.to_owned(), time));
            }
            Ok(parked.is_none() && scanned < LOOKED_AT)
        })?;
        let due = [waiting, resting, parked].into_iter().flatten().min_by_key(|(_, due)| *due);
        Ok(due.filter(|(_, due)| *due < NEVER_MS))
    }

    /// Leases the first entry of a host; `None`: the host was out of order, and is where it belongs now.
    fn try_lease(&mut self, slot: u32) -> Result<Option<Next>> {
        self.load(slot)?;
        let host = self.hosts.get(slot);
        let (name, bound) = (host.name.clone(), host.bound);
        let Some(loaded) = &host.loaded else { return Ok(None) };
        let (next_ms, first) = (loaded.state.next_ms, loaded.block.front().cloned());
        let Some((rank, value)) = first else {
            self.retire(slot)?;
            return Ok(None);
        };
        if rank > bound {
            self.hosts.set_phase(slot, Phase::Ready, rank);
            return Ok(None);
        }
        let entry = if self.cancelled.is_empty() { None } else { Some(self.decode(&name, &value)?) };
        if let Some(entry) = &entry
            && self.uncancel(host_key_of(self, slot), entry)
        {
            self.hosts.with_loaded(slot, Loaded::pop);
            self.queue.remove(queue_key(&name, rank));
            self.head.queued -= 1;
            self.settle(slot)?;
            return Ok(None);
        }
        if next_ms > self.now_ms {
            if self.options.strict && next_ms < NEVER_MS {
                return Ok(Some(Next::Wait { until_ms: next_ms }));
            }
            self.rest(slot, next_ms, rank)?;
            return Ok(None);
        }
        let entry = match entry {
            Some(entry) => entry,
            None => self.decode(&name, &value)?,
        };
        self.hosts.with_loaded(slot, Loaded::pop);
        self.hosts.set_phase(slot, Phase::Leased(rank), rank);
        self.hosts.get_mut(slot).served += 1;
        Ok(Some(Next::Fetch(Lease { host: name, entry, slot, rank, value })))
    }

    /// Gives a leased host back, once the changes that its fetch brought (links, host state) are made.
    ///
    /// # Errors
    /// [`Error::Internal`] with a lease of another frontier, [`Error::Corrupt`], [`Error::Io`].
    pub fn release(&mut self, lease: Lease, after: After) -> Result<()> {
        let Lease { host, mut entry, slot, rank, value } = lease;
        let leased = self.hosts.try_get_mut(slot);
        if !leased.is_some_and(|leased| leased.phase == Phase::Leased(rank) && leased.name == host) {
            return Err(Error::Internal(format!("{host} is released but not leased")));
        }
        let longest = 2 * self.limits.block;
        let host_key = host_key_of(self, slot);
        match after {
            _ if rank == BORROWED => {}
            After::Keep => _ = self.hosts.with_loaded(slot, |loaded| loaded.offer(rank, value, longest)),
            After::Done => {
                self.requisite_done(entry.purpose);
                self.queue.remove(queue_key(&host, rank));
                self.head.queued -= 1;
                self.uncancel(host_key, &entry);
                if self.counts_links() {
                    self.seen
                        .set(seen::url_key(self.options.hash_seed, host_key, &entry.url), SeenState::Yes);
                }
            }
            After::Retry | After::Postpone | After::Last => {
                let end = self.last_rank(slot)?.map_or(rank, |last| last.max(rank));
                let last = rank::rank(rank::class(end), self.head.next_sequence());
                match after {
                    After::Postpone => entry.postponed = entry.postponed.saturating_add(1),
                    After::Last => {}
                    _ => entry.retries = entry.retries.saturating_add(1),
                }
                let value: fjall::Slice = entry::encode(&Fields::from(&entry)).into();
                self.queue.remove(queue_key(&host, rank));
                self.queue.put(queue_key(&host, last), value.clone());
                if self.counts_links() {
                    let key = seen::url_key(self.options.hash_seed, host_key, &entry.url);
                    self.seen.set(key, SeenState::Queued(last));
                }
                self.hosts.with_loaded(slot, |loaded| loaded.offer(last, value, longest));
            }
        }
        self.head.end_page();
        self.settle(slot)
    }

    /// Whether nothing else of the host of a lease waits.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn is_last(&mut self, lease: &Lease) -> Result<bool> {
        if lease.rank == BORROWED {
            return Ok(false);
        }
        self.fill(lease.slot)?;
        Ok(self.hosts.get(lease.slot).loaded.as_ref().is_none_or(|loaded| loaded.bound().is_none()))
    }

    /// Puts a host where its state and its queue want it.
    pub(super) fn settle(&mut self, slot: u32) -> Result<()> {
        self.fill(slot)?;
        let Some(loaded) = &self.hosts.get(slot).loaded else { return Ok(()) };
        let next_ms = loaded.state.next_ms;
        match loaded.bound() {
            None => self.retire(slot),
            Some(bound) if next_ms <= self.now_ms || self.options.strict && next_ms < NEVER_MS => {
                self.hosts.set_phase(slot, Phase::Ready, bound);
                self.refresh(slot);
                Ok(())
            }
            Some(bound) => self.rest(slot, next_ms, bound),
        }
    }

    /// Lets a host wait: in memory, or far from its time on disk.
    fn rest(&mut self, slot: u32, next_ms: i64, bound: Rank) -> Result<()> {
        self.hosts.set_phase(slot, Phase::Waiting(next_ms), bound);
        if next_ms.saturating_sub(self.now_ms) > FAR_MS {
            return self.park(slot);
        }
        self.refresh(slot);
        Ok(())
    }

    /// Brings the place of a host up to date, so that after a restart not all that it has given out is passed over.
    fn refresh(&mut self, slot: u32) {
        let host = self.hosts.get_mut(slot);
        if host.served < SERVED {
            return;
        }
        host.served = 0;
        let (name, key, old) = (host.name.clone(), host.key, host.place);
        host.place.rank = host.bound;
        let place = host.place;
        self.set_place(&name, key, Some(old), place);
    }

    /// Rank of the last entry in the queue of a leased host.
    fn last_rank(&self, slot: u32) -> Result<Option<Rank>> {
        let host = self.hosts.get(slot);
        if let Some(loaded) = &host.loaded
            && loaded.upto.is_none()
        {
            return Ok(loaded.block.back().map(|(rank, _)| *rank));
        }
        let (start, end) = (queue_key(&host.name, 0), queue_end(&host.name));
        let Some(key) = self.queue.last(&start, &end)? else { return Ok(None) };
        key.last_chunk()
            .map(|rank| Some(Rank::from_be_bytes(*rank)))
            .ok_or_else(|| self.unreadable(&host.name))
    }

    /// Whether a URL was marked as done while it waited; it is forgotten then.
    fn uncancel(&mut self, host_key: u128, entry: &Entry) -> bool {
        if self.cancelled.is_empty() {
            return false;
        }
        self.uncancel_key(seen::url_key(self.options.hash_seed, host_key, &entry.url))
    }

    pub(super) fn uncancel_key(&mut self, key: u128) -> bool {
        let cancelled = self.cancelled.remove(&key);
        if cancelled {
            self.index.remove(cancelled_key(key));
        }
        cancelled
    }

    pub(super) fn decode(&self, host: &str, value: &[u8]) -> Result<Entry> {
        entry::decode(host, value).ok_or_else(|| self.unreadable(host))
    }

    fn unreadable(&self, host: &str) -> Error {
        self.store.corrupt(format!("an entry of {host} cannot be read"))
    }

    /// Reads the state and the first entries of a host.
    pub(super) fn load(&mut self, slot: u32) -> Result<()> {
        let host = self.hosts.get(slot);
        if host.loaded.is_none() {
            let state = match self.states.get(&name_key(&host.name))? {
                None => HostState::default(),
                Some(bytes) => self.parse_state(&host.name, &bytes)?,
            };
            let loaded = Loaded::new(state, host.bound);
            self.hosts.set_loaded(slot, loaded);
        }
        self.fill(slot)
    }

    /// Reads the next entries of a loaded host, if it has none in memory and some on disk.
    fn fill(&mut self, slot: u32) -> Result<()> {
        let host = self.hosts.get(slot);
        let Some(loaded) = &host.loaded else { return Ok(()) };
        let Some(from) = loaded.upto.filter(|_| loaded.block.is_empty()) else { return Ok(()) };
        let (start, end) = (queue_key(&host.name, from), queue_end(&host.name));
        let used = self.hosts.loaded_bytes;
        let count = match self.limits.block {
            block if used > self.limits.loaded => (block / 16).max(1),
            block if used > self.limits.loaded / 2 => (block / 4).max(1),
            block => block,
        };
        let mut found = Vec::with_capacity(count);
        let mut upto = None;
        self.queue.scan(&start, &end, |key, value| {
            let rank = key.last_chunk().map(|rank| Rank::from_be_bytes(*rank));
            let rank = rank.ok_or_else(|| self.unreadable(&host.name))?;
            if found.len() == count {
                upto = Some(rank);
                return Ok(false);
            }
            // A copy: what was read is a view of its whole block.
            found.push((rank, fjall::Slice::from(&*value)));
            Ok(true)
        })?;
        self.hosts.with_loaded(slot, |loaded| {
            loaded.upto = upto;
            found.into_iter().for_each(|(rank, value)| loaded.push(rank, value));
        });
        Ok(())
    }

    /// Makes the hosts ready whose time has come.
    fn wake(&mut self, now_ms: i64) -> Result<()> {
        while let Some((time, slot)) = self.hosts.waiting.first().copied()
            && (time <= now_ms || self.options.strict && time < NEVER_MS)
        {
            let bound = self.hosts.get(slot).bound;
            self.hosts.set_phase(slot, Phase::Ready, bound);
        }
        let until = if self.options.strict { NEVER_MS - 1 } else { now_ms };
        let mut limit = self.limits.batch;
        while let Some(later) = self.later.filter(|later| *later <= until) {
            let start = [&[BY_TIME][..], &time_bytes(later)].concat();
            let (mut found, mut scanned, mut next) = (Vec::new(), 0, None);
            self.index.scan(&start, &[BY_TIME + 1], |key, value| {
                let (place, name) = self.read_place(key, &value)?;
                scanned += 1;
                if found.len() == limit || scanned > 16 * limit || place.time.is_some_and(|time| time > until)
                {
                    next = place.time;
                    return Ok(false);
                }
                let key = seen::host_key(self.options.hash_seed, name);
                if self.hosts.find(key).is_none() {
                    found.push((Arc::from(name), key, place));
                }
                Ok(true)
            })?;
            // Those of one millisecond may be more than are passed over at once.
            limit = if next == Some(later) { 2 * limit } else { limit };
            // What is parked while these come in counts from here on.
            self.later = next;
            self.take_in(found)?;
        }
        Ok(())
    }

    /// Takes hosts parked by rank into memory, while there is room or they rank before the first one there.
    fn refill(&mut self, first: Option<Rank>) -> Result<()> {
        let Some(cursor) = self.cursor else { return Ok(()) };
        let start = [&[BY_RANK][..], &cursor.to_be_bytes()].concat();
        let (mut found, mut scanned, mut next) = (Vec::new(), 0, None);
        let enough = self.limits.hosts * 3 / 4;
        self.index.scan(&start, &[BY_RANK + 1], |key, value| {
            let (place, name) = self.read_place(key, &value)?;
            scanned += 1;
            let full =
                self.hosts.len() + found.len() >= enough && first.is_some_and(|first| place.rank > first);
            if full || found.len() == self.limits.batch || scanned > 16 * self.limits.batch {
                next = Some(place.rank);
                return Ok(false);
            }
            let key = seen::host_key(self.options.hash_seed, name);
            if self.hosts.find(key).is_none() {
                found.push((Arc::from(name), key, place));
            }
            Ok(true)
        })?;
        self.cursor = next;
        self.take_in(found)
    }

    pub(super) fn read_place<'a>(&self, key: &'a [u8], value: &[u8]) -> Result<(Place, &'a str)> {
        Place::read(key, value).ok_or_else(|| self.store.corrupt("a key of its index cannot be read"))
    }

    /// Takes hosts into memory, and parks others where they are too many.
    fn take_in(&mut self, found: Vec<(Arc<str>, u128, Place)>) -> Result<()> {
        for (name, key, place) in found {
            self.activate(name, key, place);
        }
        if self.hosts.len() <= self.limits.hosts {
            return Ok(());
        }
        while self.hosts.len() > self.limits.hosts * 7 / 8 {
            let (ready, waiting) = (self.hosts.ready.len(), self.hosts.waiting.len());
            let last = if ready > 1 && ready > waiting {
                self.hosts.ready.last().map(|(_, slot)| *slot)
            } else {
                self.hosts.waiting.last().map(|(_, slot)| *slot)
            };
            let Some(slot) = last else { break };
            self.park(slot)?;
        }
        Ok(())
    }

    /// Takes a host that is not leased out of memory.
    fn park(&mut self, slot: u32) -> Result<()> {
        let host = self.hosts.remove(slot);
        if let Some(loaded) = host.loaded.as_ref().filter(|loaded| loaded.dirty) {
            self.states.put(name_key(&host.name), host::state_bytes(&loaded.state)?);
        }
        let time = match host.phase {
            Phase::Waiting(time) => Some(time),
            _ => None,
        };
        let place = Place { time, rank: host.bound };
        if place != host.place {
            self.set_place(&host.name, host.key, Some(host.place), place);
        }
        self.note_parked(place);
        Ok(())
    }

    /// Takes a host whose queue is empty out of memory and of the index.
    pub(super) fn retire(&mut self, slot: u32) -> Result<()> {
        let host = self.hosts.remove(slot);
        if let Some(loaded) = host.loaded.as_ref().filter(|loaded| loaded.dirty) {
            self.states.put(name_key(&host.name), host::state_bytes(&loaded.state)?);
        }
        if let Some(loaded) = &host.loaded {
            self.note_alone(&host.name, &loaded.state);
        }
        self.index.remove(host.place.key(&host.name));
        self.places.remove(name_key(&host.name));
        self.known_places.forget(host.key);
        self.head.hosts -= 1;
        Ok(())
    }
}

fn host_key_of(frontier: &Frontier, slot: u32) -> u128 {
    frontier.hosts.get(slot).key
}

/// Behind the last key of a host's queue.
pub(super) fn queue_end(host: &str) -> Vec<u8> {
    let mut key = host.as_bytes().to_vec();
    key.push(1);
    key
}
