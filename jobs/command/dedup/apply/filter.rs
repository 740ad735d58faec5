//! A set of keys that may say yes too often: what keeps most rows out of a sort.
//!
//! Cost: 16 bits a key, or less where memory is short; of keys that were not put in one in sixteen gets through.

/// A hashed key a bit: says of most others that they were never put in.
pub struct Filter {
    bits: Vec<u64>,
}

impl Filter {
    /// An empty one for so many keys, 16 bits each, within `memory`.
    pub fn new(keys: u64, memory: usize) -> Filter {
        let words = (keys.saturating_mul(16) / 64 + 1).min(memory as u64 / 8).max(1);
        Filter { bits: vec![0; words as usize] }
    }

    fn at(&self, key: u128) -> (usize, u64) {
        let hash = (key >> 64) as u64 ^ key as u64;
        let bits = self.bits.len() as u64 * 64;
        let bit = ((u128::from(hash) * u128::from(bits)) >> 64) as u64;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// Puts a key in.
    pub fn put(&mut self, key: u128) {
        let (word, bit) = self.at(key);
        self.bits[word] |= bit;
    }

    /// Whether a key may have been put in; what was put in always.
    pub fn may_have(&self, key: u128) -> bool {
        let (word, bit) = self.at(key);
        self.bits[word] & bit != 0
    }
}
