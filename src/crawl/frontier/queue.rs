//! The queues of hosts and where each host is listed: adding entries, moving them, the keys of both.

use std::sync::Arc;

use fjall::Slice;

use super::host::{Host, Phase, Place};
use super::rank::{self, Rank};
use super::seen::SeenState;
use super::{CANCELLED, Frontier};
use webmill_capture::error::Result;

impl Frontier {
    /// A waiting URL was linked again.
    pub(super) fn gain(&mut self, host: &str, host_key: u128, key: u128, old: Rank) -> Result<()> {
        let priority = rank::priority_of(rank::class(old)) + self.options.popularity;
        self.rank_anew(host, (host_key, key), old, priority)
    }

    /// A waiting URL has another priority, and keeps its turn among equals.
    pub(super) fn rank_anew(
        &mut self,
        host: &str,
        (host_key, key): (u128, u128),
        old: Rank,
        priority: f64,
    ) -> Result<()> {
        let slot = self.hosts.find(host_key);
        if slot.is_some_and(|slot| self.hosts.get(slot).phase == Phase::Leased(old)) {
            return Ok(());
        }
        let rank = rank::rank(rank::class_of(priority), rank::sequence(old));
        if rank == old {
            return Ok(());
        }
        let old_key = queue_key(host, old);
        let Some(value) = self.queue.get(&old_key)? else {
            return Err(self.store.corrupt(format!("no entry of {host} where `seen` has one")));
        };
        if let Some(slot) = slot {
            self.hosts.with_loaded(slot, |loaded| loaded.take(old));
        }
        self.queue.remove(old_key);
        self.seen.set(key, SeenState::Queued(rank));
        self.enqueue(host, host_key, rank, Slice::from(&*value))
    }

    /// Puts an entry into the queue of its host, and the host where it now belongs.
    pub(super) fn enqueue(&mut self, host: &str, host_key: u128, rank: Rank, value: Slice) -> Result<()> {
        self.queue.put(queue_key(host, rank), value.clone());
        if let Some(slot) = self.hosts.find(host_key) {
            let longest = 2 * self.limits.block;
            self.hosts.with_loaded(slot, |loaded| loaded.offer(rank, value, longest));
            self.hosts.lower(slot, rank);
            let old = self.hosts.get(slot).place;
            if rank < old.rank {
                let place = Place { rank, ..old };
                self.set_place(host, host_key, Some(old), place);
                self.hosts.get_mut(slot).place = place;
            }
            return Ok(());
        }
        let old = self.place(host, host_key)?;
        let place = match old {
            Some(old) if rank >= old.rank => return Ok(()),
            Some(old) => Place { rank, ..old },
            None => Place { time: None, rank },
        };
        self.set_place(host, host_key, old, place);
        if old.is_none() {
            self.head.hosts += 1;
            if self.hosts.len() < self.limits.hosts {
                self.activate(host.into(), host_key, place);
                return Ok(());
            }
        }
        self.note_parked(place);
        Ok(())
    }

    /// Takes a host into memory.
    pub(super) fn activate(&mut self, name: Arc<str>, key: u128, place: Place) -> u32 {
        let phase = Phase::Ready;
        self.hosts.insert(Host { name, key, place, phase, bound: place.rank, served: 0, loaded: None })
    }

    /// The place of a host with a queue.
    pub(super) fn place(&self, host: &str, host_key: u128) -> Result<Option<Place>> {
        if let Some(place) = self.known_places.get(host_key) {
            return Ok(Some(place));
        }
        let Some(bytes) = self.places.get(&name_key(host))? else { return Ok(None) };
        let place = Place::from_bytes(&bytes);
        place.map(Some).ok_or_else(|| self.store.corrupt(format!("the place of {host} cannot be read")))
    }

    pub(super) fn set_place(&mut self, host: &str, host_key: u128, old: Option<Place>, place: Place) {
        if let Some(old) = old {
            self.index.remove(old.key(host));
        }
        self.index.put(place.key(host), place.value());
        self.places.put(name_key(host), place.to_bytes());
        self.known_places.set(host_key, place);
    }

    /// A host that is not in memory is listed at this place.
    pub(super) fn note_parked(&mut self, place: Place) {
        match place.time {
            None => self.cursor = Some(self.cursor.map_or(place.rank, |cursor| cursor.min(place.rank))),
            Some(time) => self.later = Some(self.later.map_or(time, |later| later.min(time))),
        }
    }
}

/// Key of an entry.
/// Bytes of a queue key behind the name of its host: a zero and the rank.
pub(super) const RANK_BYTES: usize = 1 + size_of::<Rank>();

pub(super) fn queue_key(host: &str, rank: Rank) -> Slice {
    let mut key = Vec::with_capacity(host.len() + 17);
    key.extend(host.as_bytes());
    key.push(0);
    key.extend(rank.to_be_bytes());
    key.into()
}

/// Key of a name, which may be empty where keys may not.
pub(super) fn name_key(name: &str) -> Slice {
    if name.is_empty() { [0].into() } else { name.as_bytes().into() }
}

pub(super) fn cancelled_key(key: u128) -> Slice {
    let mut bytes = vec![CANCELLED];
    bytes.extend(key.to_be_bytes());
    bytes.into()
}
