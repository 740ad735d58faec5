//! A hash table from bytes to values, in bounded memory: what combines before the sort.
//!
//! **Cost.** A look-up is one hash (xxh3) and mostly one cache line of the table and one of the key's bytes.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

struct Slot<V> {
    hash: u64,
    at: u32,
    len: u32,
    value: V,
}

/// Values by key. Keys lie one after the other in one piece of memory.
pub struct Combiner<V> {
    table: HashTable<Slot<V>>,
    keys: Vec<u8>,
    heap: usize,
}

/// Bytes of keys from which on the table counts as full, whatever it may hold.
const MOST_KEYS: usize = 1 << 30;

impl<V> Default for Combiner<V> {
    fn default() -> Self {
        Combiner { table: HashTable::new(), keys: Vec::new(), heap: 0 }
    }
}

impl<V> Combiner<V> {
    /// Puts a value to its key: `combine` makes one of two.
    ///
    /// # Panics
    /// For a key of 4 GiB, or keys of 4 GiB together: whoever adds looks at [`Combiner::bytes`].
    #[inline]
    pub fn add(&mut self, key: &[u8], value: V, combine: impl FnOnce(&mut V, V)) {
        let hash = xxh3_64(key);
        let keys = &self.keys;
        let same = |slot: &Slot<V>| {
            slot.hash == hash
                && slot.len as usize == key.len()
                && keys[slot.at as usize..][..slot.len as usize] == *key
        };
        match self.table.find_mut(hash, same) {
            Some(slot) => combine(&mut slot.value, value),
            None => {
                let at = u32::try_from(self.keys.len()).expect("keys of less than 4 GiB");
                let len = u32::try_from(key.len()).expect("a key of less than 4 GiB");
                self.keys.extend_from_slice(key);
                self.table.insert_unique(hash, Slot { hash, at, len, value }, |slot| slot.hash);
            }
        }
    }

    /// Tells of bytes that values hold outside of themselves.
    pub fn weigh(&mut self, heap: usize) {
        self.heap += heap;
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        let slots = self.table.capacity() * 8 / 7 * (size_of::<Slot<V>>() + 1);
        slots + self.keys.capacity() + self.heap
    }

    /// Whether one more key could make it larger than `bytes`: tables and keys double when they grow, and the old ones are
    /// held meanwhile.
    pub fn is_full(&self, bytes: usize) -> bool {
        let full_table = self.table.len() == self.table.capacity();
        let grown = self.bytes() + if full_table { 2 * self.bytes() } else { 0 };
        self.keys.len() >= MOST_KEYS || (!self.table.is_empty() && grown > bytes)
    }

    /// Distinct keys.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The pairs, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &V)> {
        let key = |slot: &Slot<V>| slot.at as usize..slot.at as usize + slot.len as usize;
        self.table.iter().map(move |slot| (&self.keys[key(slot)], &slot.value))
    }

    /// Forgets all pairs; memory far beyond what they took goes back.
    pub fn clear(&mut self) {
        if self.table.capacity() > 1024 && self.table.capacity() / 16 > self.table.len() {
            self.table = HashTable::new();
        } else {
            self.table.clear();
        }
        self.keys.clear();
        self.heap = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn equals_a_map(keys in prop::collection::vec("[a-c]{0,3}", 0..200)) {
            let (mut combiner, mut map) = (Combiner::default(), HashMap::<&str, u32>::new());
            for round in 0..2 {
                map.clear();
                combiner.clear();
                for key in &keys[..keys.len() / (2 - round)] {
                    combiner.add(key.as_bytes(), 1u32, |into, next| *into += next);
                    *map.entry(key).or_default() += 1;
                }
                prop_assert_eq!(combiner.len(), map.len());
                for (key, count) in combiner.iter() {
                    prop_assert_eq!(map[std::str::from_utf8(key).unwrap()], *count);
                }
            }
        }
    }

    #[test]
    fn memory_is_told_before_it_is_taken() {
        let mut combiner = Combiner::default();
        let mut most = 0;
        for n in 0u32..100_000 {
            if combiner.is_full(1 << 20) {
                combiner.clear();
            }
            combiner.add(&n.to_be_bytes(), u64::from(n), |_, _| ());
            most = most.max(combiner.bytes());
        }
        assert!(most <= 1 << 20, "{most}");
        assert!(most > 1 << 18, "{most}");
    }
}
