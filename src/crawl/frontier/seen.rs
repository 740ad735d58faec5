//! Which URLs are known: exact on disk, with a Bloom filter and a table of recent keys before it.
//!
//! **Key.** Sixteen bytes: 4 of the seeded hash of the host, 12 of the seeded hash of the URL, so that the URLs of a host lie
//! together. Of 10⁹ URLs of one host two share a key with probability 6·10⁻¹²; without the seed a collision cannot be
//! crafted.
//!
//! **Filter.** 16 bits a key, 8 hashes: 5.7·10⁻⁴ false positives a layer; layers double. A positive is looked up on disk, so a
//! false one costs a read and never a page. Where the filter would outgrow its budget it is given up, and every
//! question goes to disk.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use fastbloom::BloomFilter;
use fjall::Slice;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::rank::Rank;
use super::store::{Changes, Layer};
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

const BITS: usize = 16;
const HASHES: u32 = 8;
const FIRST_LAYER: usize = 1 << 20;

/// Seeded hash of a host name.
pub(super) fn host_key(seed: u64, host: &str) -> u128 {
    xxh3_128_with_seed(host.as_bytes(), seed)
}

/// Key of a URL whose host has this key.
pub(super) fn url_key(seed: u64, host: u128, url: &CanonicalUrl) -> u128 {
    (host >> 96 << 96) | (xxh3_128_with_seed(url.as_str().as_bytes(), seed) >> 32)
}

/// State of a known URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeenState {
    /// Known; whether it still waits is not known, but in best-first order: it does not.
    Yes,
    /// It waits at this rank (best-first order only).
    Queued(Rank),
}

/// Keys are hashes already.
#[derive(Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u128(&mut self, key: u128) {
        self.0 = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (key >> 64) as u64;
    }
}

/// A map whose keys are hashes already.
pub(super) type KeyMap<V> = HashMap<u128, V, BuildHasherDefault<KeyHasher>>;

/// The known URLs.
pub(super) struct SeenUrls {
    layer: Layer,
    /// None: to be forgotten.
    pending: KeyMap<Option<SeenState>>,
    bloom: Bloom,
    recent: RecentKeys,
    /// How many URLs are known.
    pub count: u64,
}

impl SeenUrls {
    /// Reads all keys to build the filter.
    pub fn open(layer: Layer, expected: u64, bloom_bytes: usize, recent_bytes: usize) -> Result<SeenUrls> {
        let mut seen = SeenUrls {
            layer,
            pending: KeyMap::default(),
            bloom: Bloom::new(expected, bloom_bytes),
            recent: RecentKeys::new(recent_bytes),
            count: 0,
        };
        let (bloom, count) = (&mut seen.bloom, &mut seen.count);
        seen.layer.scan(&[], &[0xff; 17], |key, _| {
            if let Ok(key) = <[u8; 16]>::try_from(key) {
                bloom.insert(u128::from_be_bytes(key));
                *count += 1;
            }
            Ok(true)
        })?;
        Ok(seen)
    }

    /// Known facts about a URL; `None`: nothing.
    pub fn get(&mut self, key: u128) -> Result<Option<SeenState>> {
        if self.recent.contains(key) {
            return Ok(Some(SeenState::Yes));
        }
        let known = self.find(key)?;
        if known == Some(SeenState::Yes) {
            self.recent.insert(key);
        }
        Ok(known)
    }

    /// [`SeenUrls::get`] that leaves the table of recent keys alone.
    pub fn find(&self, key: u128) -> Result<Option<SeenState>> {
        if let Some(known) = self.pending.get(&key) {
            return Ok(*known);
        }
        if !self.bloom.contains(key) {
            return Ok(None);
        }
        let Some(value) = self.layer.get_committed(&key.to_be_bytes())? else { return Ok(None) };
        match <[u8; 16]>::try_from(&*value) {
            Ok(rank) => Ok(Some(SeenState::Queued(Rank::from_be_bytes(rank)))),
            Err(_) if value.is_empty() => Ok(Some(SeenState::Yes)),
            Err(_) => Err(Error::Internal("seen: a value of odd length".into())),
        }
    }

    /// Makes a URL known that was not.
    pub fn insert(&mut self, key: u128, known: SeenState) {
        self.count += 1;
        self.bloom.insert(key);
        self.set(key, known);
    }

    /// Changes the known facts about a known URL.
    pub fn set(&mut self, key: u128, known: SeenState) {
        self.pending.insert(key, Some(known));
        // What waits again is counted again; a key among the recent ones is never looked up.
        match known {
            SeenState::Yes => self.recent.insert(key),
            SeenState::Queued(_) => self.recent.remove(key),
        }
    }

    /// Forgets a known URL.
    pub fn remove(&mut self, key: u128) {
        self.count -= 1;
        self.recent.remove(key);
        self.pending.insert(key, None);
    }

    /// All keys of the host with this key, and perhaps some of others.
    pub fn keys_of_host(&self, host: u128) -> Result<Vec<u128>> {
        let prefix = host >> 96;
        let mut keys: Vec<u128> = self
            .pending
            .iter()
            .filter(|(key, known)| *key >> 96 == prefix && known.is_some())
            .map(|(key, _)| *key)
            .collect();
        let (start, end) = ((prefix << 96).to_be_bytes(), ((prefix + 1) << 96).to_be_bytes());
        // Behind the last prefix there is none.
        let end: &[u8] = if prefix == u128::from(u32::MAX) { &[0xff; 17] } else { &end };
        self.layer.scan(&start, end, |key, _| {
            keys.extend(
                <[u8; 16]>::try_from(key)
                    .ok()
                    .map(u128::from_be_bytes)
                    .filter(|key| !self.pending.contains_key(key)),
            );
            Ok(true)
        })?;
        keys.sort_unstable();
        Ok(keys)
    }

    /// Takes the entries to be committed, sorted.
    pub fn take_changes(&mut self) -> Changes {
        let mut changes: Vec<(u128, Option<SeenState>)> = self.pending.drain().collect();
        changes.sort_unstable_by_key(|(key, _)| *key);
        let value = |known| match known {
            SeenState::Yes => Slice::from([]),
            SeenState::Queued(rank) => Slice::from(Rank::to_be_bytes(rank)),
        };
        changes.into_iter().map(|(key, known)| (key.to_be_bytes().into(), known.map(value))).collect()
    }

    /// Its keyspace.
    pub fn layer(&mut self) -> &mut Layer {
        &mut self.layer
    }
}

/// Bloom filter that grows in layers.
pub(super) struct Bloom {
    /// Newest last; empty once it is given up.
    layers: Vec<BloomFilter>,
    /// Keys that still fit the newest layer.
    room: usize,
    bytes_left: usize,
    given_up: bool,
}

impl Bloom {
    /// For `expected` keys to begin with, within `bytes`.
    pub fn new(expected: u64, bytes: usize) -> Bloom {
        let mut bloom = Bloom { layers: Vec::new(), room: 0, bytes_left: bytes, given_up: false };
        bloom.grow(usize::try_from(expected).unwrap_or(usize::MAX / 32).saturating_mul(5) / 4);
        bloom
    }

    fn grow(&mut self, keys: usize) {
        let keys = keys.max(FIRST_LAYER.min(self.bytes_left * 8 / BITS));
        let bytes = keys.saturating_mul(BITS) / 8;
        if bytes > self.bytes_left || keys == 0 {
            self.layers = Vec::new();
            self.given_up = true;
            return;
        }
        self.bytes_left -= bytes;
        self.room = keys;
        self.layers.push(BloomFilter::with_num_bits(keys * BITS).hashes(HASHES));
    }

    /// Whether a key may have been inserted.
    pub fn contains(&self, key: u128) -> bool {
        self.given_up || self.layers.iter().rev().any(|layer| layer.contains_hash(key as u64))
    }

    /// Inserts a key.
    pub fn insert(&mut self, key: u128) {
        if self.room == 0 && !self.given_up {
            let last = self.layers.last().map_or(FIRST_LAYER, |layer| layer.num_bits() / BITS);
            let fits = self.bytes_left * 8 / BITS;
            self.grow((last * 2).min(fits.max(FIRST_LAYER)));
        }
        if let Some(layer) = self.layers.last_mut() {
            layer.insert_hash(key as u64);
            self.room -= 1;
        }
    }
}

/// Keys met lately: a table of buckets of two, the newer one first.
struct RecentKeys {
    buckets: Vec<[u128; 2]>,
}

impl RecentKeys {
    fn new(bytes: usize) -> RecentKeys {
        let buckets = (bytes / 32).max(1);
        RecentKeys { buckets: vec![[0; 2]; 1 << buckets.ilog2()] }
    }

    fn bucket(&self, key: u128) -> usize {
        (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 7 & (self.buckets.len() - 1)
    }

    fn contains(&self, key: u128) -> bool {
        key != 0 && self.buckets[self.bucket(key)].contains(&key)
    }

    fn remove(&mut self, key: u128) {
        let at = self.bucket(key);
        self.buckets[at].iter_mut().filter(|slot| **slot == key).for_each(|slot| *slot = 0);
    }

    fn insert(&mut self, key: u128) {
        let at = self.bucket(key);
        let bucket = &mut self.buckets[at];
        if bucket[0] != key {
            *bucket = [key, bucket[0]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_host_lie_together() {
        let urls = ["http://a.example/", "http://a.example/x", "https://a.example:8443/"];
        let keys: Vec<u128> = urls
            .iter()
            .map(|url| CanonicalUrl::parse(url).unwrap())
            .map(|url| url_key(7, host_key(7, url.host()), &url))
            .collect();
        assert!(keys.windows(2).all(|pair| pair[0] >> 96 == pair[1] >> 96 && pair[0] != pair[1]));
        let url = CanonicalUrl::parse(urls[0]).unwrap();
        assert_ne!(keys[0], url_key(8, host_key(8, url.host()), &url));
    }

    #[test]
    fn the_filter_is_as_good_as_the_formula() {
        let key = |n: u64| xxh3_128_with_seed(&n.to_le_bytes(), 1);
        let mut bloom = Bloom::new(0, 64 << 20);
        for n in 0..FIRST_LAYER as u64 {
            bloom.insert(key(n));
        }
        assert_eq!(bloom.layers.len(), 1);
        assert!((0..FIRST_LAYER as u64).all(|n| bloom.contains(key(n))));
        let wrong = (0..1_000_000).filter(|n| bloom.contains(key(n + (1 << 40)))).count();
        assert!((400..800).contains(&wrong), "{wrong} of a million, the formula says 574");
        for n in 0..3 * FIRST_LAYER as u64 {
            bloom.insert(key(n));
        }
        assert_eq!(bloom.layers.len(), 3);
        assert!((0..3 * FIRST_LAYER as u64).all(|n| bloom.contains(key(n))));
    }

    #[test]
    fn a_filter_past_its_budget_says_perhaps() {
        let mut bloom = Bloom::new(0, 100);
        for n in 0..1000u128 {
            bloom.insert(n << 3);
        }
        assert!(bloom.given_up && bloom.layers.is_empty() && bloom.contains(5));
        assert!(Bloom::new(1 << 40, 1 << 20).given_up);
    }

    #[test]
    fn recent_keys() {
        let mut recent = RecentKeys::new(64);
        assert!(!recent.contains(0));
        recent.insert(9);
        assert!(recent.contains(9) && !recent.contains(8));
    }
}
