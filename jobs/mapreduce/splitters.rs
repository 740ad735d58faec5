//! Parts that are ranges of keys: splitters from a sample.
//!
//! **Definition.** The sample of a multiset of keys has those of its distinct keys whose hashes (xxh3) are least, 10,000 at most; so it
//! depends on nothing but the set. Splitters cut the sorted sample into pieces of equal numbers; a key belongs to the part of the
//! number of splitters that are not above it.
//!
//! **Error.** A part has 1/R of the distinct keys, give or take √(R/10,000) of it. A key with many values stays in one part: whoever
//! wants it spread makes its pairs different keys, as a sort does by the number of the row.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

/// Keys that are sampled.
const KEYS: usize = 10_000;

/// The keys of least hash so far.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    keys: BTreeMap<(u64, Vec<u8>), ()>,
}

impl Sample {
    /// Takes note of a key.
    pub fn add(&mut self, key: &[u8]) {
        let hash = xxh3_64(key);
        let is_full = self.keys.len() >= KEYS;
        if is_full && self.keys.last_key_value().is_some_and(|((most, _), ())| *most < hash) {
            return;
        }
        self.keys.insert((hash, key.to_vec()), ());
        if self.keys.len() > KEYS {
            self.keys.pop_last();
        }
    }

    /// Adds the sample of other keys.
    pub fn merge(&mut self, other: Sample) {
        self.keys.extend(other.keys);
        while self.keys.len() > KEYS {
            self.keys.pop_last();
        }
    }

    /// What cuts the keys into `parts` parts.
    pub fn splitters(self, parts: u32) -> Splitters {
        let mut keys: Vec<Vec<u8>> = self.keys.into_keys().map(|(_, key)| key).collect();
        keys.sort_unstable();
        let mut splitters: Vec<Vec<u8>> =
            (1..parts as usize).filter_map(|n| keys.get(n * keys.len() / parts as usize).cloned()).collect();
        splitters.dedup();
        Splitters(splitters)
    }
}

/// Least keys of the parts but the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Splitters(pub Vec<Vec<u8>>);

impl Splitters {
    /// The part of a key.
    pub fn part(&self, key: &[u8]) -> u32 {
        self.0.partition_point(|splitter| splitter.as_slice() <= key) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_ranges_of_like_size() {
        let keys: Vec<[u8; 4]> = (0..200_000u32).map(u32::to_be_bytes).collect();
        let mut one = Sample::default();
        keys.iter().for_each(|key| one.add(key));
        let mut halves = [Sample::default(), Sample::default()];
        keys.iter().rev().enumerate().for_each(|(n, key)| halves[n % 2].add(key));
        let [mut whole, other] = halves;
        whole.merge(other);
        let splitters = one.splitters(8);
        assert_eq!(splitters, whole.splitters(8), "the order and division of keys count for nothing");
        let mut sizes = [0; 8];
        keys.iter().for_each(|key| sizes[splitters.part(key) as usize] += 1);
        assert!(sizes.iter().all(|size| (22_000..28_000).contains(size)), "{sizes:?}");
        assert!(keys.is_sorted_by_key(|key| splitters.part(key)));
    }

    #[test]
    fn few_keys_make_few_parts() {
        let mut sample = Sample::default();
        (0..100).for_each(|_| sample.add(b"one"));
        let splitters = sample.splitters(5);
        assert!(splitters.part(b"one") < 5 && splitters.part(b"two") < 5);
        assert_eq!(Sample::default().splitters(4096), Splitters::default());
    }
}
