//! Hosts with a queue: those in memory, and where the others are parked.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use fjall::Slice;

use super::rank::Rank;
use super::seen::KeyMap;
use crate::task::HostState;
use webmill_capture::error::{Error, Result};

/// Where a host is in the index on disk. Every host with a queue has one place, in memory or not; of a host in
/// memory it may be out of date, but its rank is never above that of the queue's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Not before this time, ms; `None`: by rank.
    pub time: Option<i64>,
    /// Nothing of the queue ranks before.
    pub rank: Rank,
}

/// First byte of an index key.
pub(super) const BY_RANK: u8 = b'r';
/// As [`BY_RANK`], for hosts that wait.
pub(super) const BY_TIME: u8 = b't';

impl Place {
    /// Its key in the index.
    pub fn key(&self, host: &str) -> Slice {
        let mut key = Vec::with_capacity(17 + host.len());
        match self.time {
            None => {
                key.push(BY_RANK);
                key.extend(self.rank.to_be_bytes());
            }
            Some(time) => {
                key.push(BY_TIME);
                key.extend(time_bytes(time));
            }
        }
        key.extend(host.as_bytes());
        key.into()
    }

    /// Its value in the index.
    pub fn value(&self) -> Slice {
        match self.time {
            None => [].into(),
            Some(_) => self.rank.to_be_bytes().into(),
        }
    }

    /// The place and host of [`Place::key`] and [`Place::value`].
    pub fn read<'a>(key: &'a [u8], value: &[u8]) -> Option<(Place, &'a str)> {
        let (kind, rest) = key.split_first()?;
        let (place, host) = match *kind {
            BY_RANK => {
                let (rank, host) = rest.split_first_chunk()?;
                (Place { time: None, rank: Rank::from_be_bytes(*rank) }, host)
            }
            BY_TIME => {
                let (time, host) = rest.split_first_chunk()?;
                let rank = Rank::from_be_bytes(value.try_into().ok()?);
                (Place { time: Some(time_of(*time)), rank }, host)
            }
            _ => return None,
        };
        Some((place, std::str::from_utf8(host).ok()?))
    }

    /// What the host's own key leads to.
    pub fn to_bytes(self) -> Slice {
        let mut bytes = self.rank.to_be_bytes().to_vec();
        bytes.extend(self.time.iter().flat_map(|time| time_bytes(*time)));
        bytes.into()
    }

    /// The place of [`Place::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Place> {
        let (rank, rest) = bytes.split_first_chunk()?;
        let time = if rest.is_empty() { None } else { Some(time_of(rest.try_into().ok()?)) };
        Some(Place { time, rank: Rank::from_be_bytes(*rank) })
    }
}

/// A state as it is written.
pub(super) fn state_bytes(state: &HostState) -> Result<Slice> {
    let bytes =
        postcard::to_allocvec(state).map_err(|error| Error::Internal(format!("host state: {error}")))?;
    Ok(bytes.into())
}

/// Bytes that sort as the times do.
pub(super) fn time_bytes(time: i64) -> [u8; 8] {
    (time as u64 ^ 1 << 63).to_be_bytes()
}

fn time_of(bytes: [u8; 8]) -> i64 {
    (u64::from_be_bytes(bytes) ^ 1 << 63) as i64
}

/// What a host in memory is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Ready,
    /// Until this time, ms.
    Waiting(i64),
    /// The entry of this rank is being fetched.
    Leased(Rank),
}

/// A host in memory.
pub(super) struct Host {
    pub name: Arc<str>,
    pub key: u128,
    pub place: Place,
    pub phase: Phase,
    /// Nothing of the queue ranks before; what [`Hosts::ready`] holds.
    pub bound: Rank,
    /// Entries given out since `place` was written.
    pub served: u32,
    pub loaded: Option<Box<Loaded>>,
}

/// The data read from a host when its turn comes.
pub(super) struct Loaded {
    pub state: HostState,
    /// The state was changed since it was written.
    pub dirty: bool,
    /// First entries of the queue, without the leased one.
    pub block: VecDeque<(Rank, Slice)>,
    /// The block holds all that ranks before; `None`: all.
    pub upto: Option<Rank>,
    pub bytes: usize,
}

/// Bytes that an entry takes in a block, about.
fn weight(value: &Slice) -> usize {
    size_of::<(Rank, Slice)>() + value.len()
}

impl Loaded {
    pub fn new(state: HostState, from: Rank) -> Loaded {
        let bytes = size_of::<Loaded>() + state.variants.capacity();
        Loaded { state, dirty: false, block: VecDeque::new(), upto: Some(from), bytes }
    }

    /// Takes an entry in, where it belongs to the block.
    pub fn offer(&mut self, rank: Rank, value: Slice, longest: usize) {
        if self.upto.is_some_and(|upto| rank >= upto) {
            return;
        }
        let at = self.block.partition_point(|(other, _)| *other < rank);
        self.bytes += weight(&value);
        self.block.insert(at, (rank, value));
        if self.block.len() > longest
            && let Some((rank, value)) = self.block.pop_back()
        {
            self.bytes -= weight(&value);
            self.upto = Some(rank);
        }
    }

    /// Adds what was read after the block.
    pub fn push(&mut self, rank: Rank, value: Slice) {
        self.bytes += weight(&value);
        self.block.push_back((rank, value));
    }

    /// Takes the first entry out.
    pub fn pop(&mut self) -> Option<(Rank, Slice)> {
        let (rank, value) = self.block.pop_front()?;
        self.bytes -= weight(&value);
        Some((rank, value))
    }

    /// Takes the entry of a rank out.
    pub fn take(&mut self, rank: Rank) -> Option<Slice> {
        let at = self.block.binary_search_by_key(&rank, |(other, _)| *other).ok()?;
        let (_, value) = self.block.remove(at)?;
        self.bytes -= weight(&value);
        Some(value)
    }

    /// Nothing ranks before; `None`: the queue is empty.
    pub fn bound(&self) -> Option<Rank> {
        self.block.front().map(|(rank, _)| *rank).or(self.upto)
    }
}

/// The hosts in memory.
#[derive(Default)]
pub(super) struct Hosts {
    slots: Vec<Option<Host>>,
    free: Vec<u32>,
    by_key: KeyMap<u32>,
    /// Hosts that are due, by the bound of their queue.
    pub ready: BTreeSet<(Rank, u32)>,
    /// Hosts that are not, by the time they will be.
    pub waiting: BTreeSet<(i64, u32)>,
    pub leased: usize,
    /// Bytes of all that is loaded, but for changes of the leased ones.
    pub loaded_bytes: usize,
}

impl Hosts {
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    pub fn find(&self, key: u128) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// The host in a slot.
    ///
    /// # Panics
    /// On an empty slot: slots come from the sets and maps of this struct, which are kept in step, or from a lease,
    /// whose host is kept.
    pub fn get(&self, slot: u32) -> &Host {
        self.slots[slot as usize].as_ref().expect("the slot of a host in memory")
    }

    /// As [`Hosts::get`].
    ///
    /// # Panics
    /// As there.
    pub fn get_mut(&mut self, slot: u32) -> &mut Host {
        self.slots[slot as usize].as_mut().expect("the slot of a host in memory")
    }

    /// The host in a slot, if there is one.
    pub fn try_get_mut(&mut self, slot: u32) -> Option<&mut Host> {
        self.slots.get_mut(slot as usize)?.as_mut()
    }

    /// Takes a host in, ready.
    pub fn insert(&mut self, host: Host) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        self.by_key.insert(host.key, slot);
        self.ready.insert((host.bound, slot));
        self.slots[slot as usize] = Some(Host { phase: Phase::Ready, ..host });
        slot
    }

    /// Takes a host out.
    pub fn remove(&mut self, slot: u32) -> Host {
        self.detach(slot);
        let host = self.slots[slot as usize].take().expect("the slot of a host in memory");
        self.by_key.remove(&host.key);
        self.free.push(slot);
        self.loaded_bytes -= host.loaded.as_ref().map_or(0, |loaded| loaded.bytes);
        host
    }

    /// Changes what a host is doing, and the bound of its queue.
    pub fn set_phase(&mut self, slot: u32, phase: Phase, bound: Rank) {
        self.detach(slot);
        let host = self.get_mut(slot);
        host.phase = phase;
        host.bound = bound;
        match phase {
            Phase::Ready => _ = self.ready.insert((bound, slot)),
            Phase::Waiting(time) => _ = self.waiting.insert((time, slot)),
            Phase::Leased(_) => self.leased += 1,
        }
    }

    fn detach(&mut self, slot: u32) {
        let (phase, bound) = (self.get(slot).phase, self.get(slot).bound);
        match phase {
            Phase::Ready => _ = self.ready.remove(&(bound, slot)),
            Phase::Waiting(time) => _ = self.waiting.remove(&(time, slot)),
            Phase::Leased(_) => self.leased -= 1,
        }
    }

    /// Lowers the bound of a host's queue to that of an added entry.
    pub fn lower(&mut self, slot: u32, rank: Rank) {
        let host = self.get(slot);
        if rank < host.bound {
            let phase = host.phase;
            self.set_phase(slot, phase, rank);
        }
    }

    /// Runs a function on the loaded URLs of a host, and updates the count of bytes.
    pub fn with_loaded<T>(&mut self, slot: u32, run: impl FnOnce(&mut Loaded) -> T) -> Option<T> {
        let loaded = self.get_mut(slot).loaded.as_mut()?;
        let before = loaded.bytes;
        let result = run(loaded);
        let after = loaded.bytes;
        self.loaded_bytes = self.loaded_bytes - before + after;
        Some(result)
    }

    /// Keeps what was read of a host.
    pub fn set_loaded(&mut self, slot: u32, loaded: Loaded) {
        self.loaded_bytes += loaded.bytes;
        self.get_mut(slot).loaded = Some(Box::new(loaded));
    }

    /// Forgets what was read of a host.
    pub fn unload(&mut self, slot: u32) {
        if let Some(loaded) = self.get_mut(slot).loaded.take() {
            self.loaded_bytes -= loaded.bytes;
        }
    }
}

/// Places of hosts that are not in memory, as many as were met lately.
pub(super) struct Places {
    slots: Vec<Option<(u128, Place)>>,
}

impl Places {
    pub fn new(bytes: usize) -> Places {
        let slots = (bytes / size_of::<Option<(u128, Place)>>()).max(1);
        Places { slots: vec![None; 1 << slots.ilog2()] }
    }

    fn at(&self, key: u128) -> usize {
        key as usize & (self.slots.len() - 1)
    }

    pub fn get(&self, key: u128) -> Option<Place> {
        self.slots[self.at(key)].filter(|(other, _)| *other == key).map(|(_, place)| place)
    }

    pub fn set(&mut self, key: u128, place: Place) {
        let at = self.at(key);
        self.slots[at] = Some((key, place));
    }

    pub fn forget(&mut self, key: u128) {
        let at = self.at(key);
        self.slots[at].take_if(|(other, _)| *other == key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_their_bytes() {
        for time in [None, Some(i64::MIN), Some(-1), Some(0), Some(1_700_000_000_000), Some(i64::MAX)] {
            let place = Place { time, rank: 7 << 64 | 9 };
            assert_eq!(Place::from_bytes(&place.to_bytes()), Some(place));
            assert_eq!(Place::read(&place.key("a.example"), &place.value()), Some((place, "a.example")));
        }
        assert!(time_bytes(-1) < time_bytes(0) && time_bytes(0) < time_bytes(1));
        assert_eq!(Place::read(b"r123", b""), None);
        assert_eq!(Place::read(b"", b""), None);
        assert_eq!(Place::from_bytes(b"short"), None);
    }

    #[test]
    fn a_block_knows_what_it_covers() {
        let value = || Slice::from(*b"x");
        let mut loaded = Loaded::new(HostState::default(), 10);
        loaded.offer(12, value(), 2);
        assert!(loaded.block.is_empty(), "what is read later is not taken in");
        loaded.upto = None;
        let empty = loaded.bytes;
        for rank in [14, 11, 13] {
            loaded.offer(rank, value(), 2);
        }
        assert_eq!((loaded.upto, loaded.bound(), loaded.block.len()), (Some(14), Some(11), 2));
        assert_eq!(loaded.take(12), None);
        assert!(loaded.take(13).is_some());
        assert_eq!(loaded.pop().map(|(rank, _)| rank), Some(11));
        assert_eq!((loaded.bound(), loaded.bytes), (Some(14), empty));
    }
}
