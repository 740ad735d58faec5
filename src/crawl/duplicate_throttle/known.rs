//! Which blocks of text, or texts, a host showed lately: a filter that ages.
//!
//! Two Bloom filters, a young and an old one, 4 hashes and 10 bits an entry (1.2 % wrongly known). A block that is met again is
//! put into the young one if only the old one has it; a full young one becomes the old one, and the next is twice as
//! large, up to a bound. What recurs, a site's template above all, is thus never forgotten; what does not goes
//! after some hundreds of pages. 256 bytes for a small host, at most twice the bound for a large one.
//!
//! **Reference.** Bloom, doi:10.1145/362686.362692.

use serde::{Deserialize, Serialize};

use super::tokens::mix;

/// Bytes of the first filter.
const LEAST_BYTES: usize = 128;

/// Bits an entry.
const BITS: usize = 10;

/// Hashes an entry.
const HASHES: u32 = 4;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BlockFilter {
    young: Vec<u8>,
    old: Vec<u8>,
    /// Entries of the young one.
    count: u16,
}

impl BlockFilter {
    /// Whether the block was met; one that was counts as met now. `most_bytes`: the bound of each of the two filters.
    pub fn meet(&mut self, block: u32, most_bytes: usize) -> bool {
        let hash = mix(u64::from(block));
        if holds(&self.young, hash) {
            return true;
        }
        let known = holds(&self.old, hash);
        if known {
            self.add(hash, most_bytes);
        }
        known
    }

    /// Remembers the block.
    pub fn insert(&mut self, block: u32, most_bytes: usize) {
        self.add(mix(u64::from(block)), most_bytes);
    }

    /// Whether it was met; remembers it.
    pub fn meet_or_insert(&mut self, block: u32, most_bytes: usize) -> bool {
        let met = self.meet(block, most_bytes);
        if !met {
            self.insert(block, most_bytes);
        }
        met
    }

    fn add(&mut self, hash: u64, most_bytes: usize) {
        if usize::from(self.count) * BITS >= self.young.len() * 8 {
            let bytes = (self.young.len() * 2).clamp(LEAST_BYTES, most_bytes);
            self.old = std::mem::replace(&mut self.young, vec![0; bytes]);
            self.count = 0;
        }
        let bits = self.young.len() * 8;
        for at in places(hash, bits) {
            self.young[at / 8] |= 1 << (at % 8);
        }
        self.count += 1;
    }
}

fn holds(filter: &[u8], hash: u64) -> bool {
    !filter.is_empty() && places(hash, filter.len() * 8).all(|at| filter[at / 8] >> (at % 8) & 1 == 1)
}

/// The bits of an entry, by double hashing.
fn places(hash: u64, bits: usize) -> impl Iterator<Item = usize> {
    let (first, step) = (hash & 0xFFFF_FFFF, hash >> 32 | 1);
    (0..u64::from(HASHES)).map(move |n| ((first + n * step) % bits as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_recurs_is_kept_and_the_rest_ages() {
        let mut known = BlockFilter::default();
        assert!(!known.meet(7, 1024));
        (0..40).for_each(|block| known.insert(block, 1024));
        let mut wrong = 0;
        for page in 0..5000u32 {
            assert!((0..40).all(|block| known.meet(block, 1024)), "{page}");
            for own in 0..8 {
                let block = 1000 + page * 8 + own;
                wrong += u32::from(known.meet(block, 1024));
                known.insert(block, 1024);
            }
        }
        assert!(wrong < 1600, "{wrong} of 40,000 wrongly known");
        let aged = (1000..2000).filter(|block| known.meet(*block, 1024)).count();
        assert!(aged < 60, "{aged}");
        assert!(postcard::to_allocvec(&known).unwrap().len() <= 2100);
    }
}
