//! Distinct fingerprints in order, and the way back from a value to its rank.
//!
//! **Algorithm.** A sorted array, and a directory from the leading bits to the range of values that start with them, so
//! that a look-up reads one directory entry and a few neighbours. Both are memory-bound: values are spread by hashing,
//! and where they are not, the search in a range is binary.
//!
//! **Cost.** 8 bytes a value and at most 2 for the directory.

use rayon::prelude::*;

use super::Fingerprint;

#[derive(Clone, Debug)]
pub(super) struct Values {
    sorted: Vec<u64>,
    directory: Vec<u32>,
    shift: u32,
}

impl Values {
    pub(super) fn of(fingerprints: &[Fingerprint]) -> Self {
        let mut sorted: Vec<u64> = fingerprints.iter().map(|f| f.0).collect();
        sorted.par_sort_unstable();
        sorted.dedup();
        let bits = (sorted.len() / 2).checked_ilog2().unwrap_or(1).clamp(1, 31);
        let shift = 64 - bits;
        let mut directory = Vec::with_capacity((1 << bits) + 1);
        for (i, value) in sorted.iter().enumerate() {
            while directory.len() as u64 <= value >> shift {
                directory.push(i as u32);
            }
        }
        directory.resize((1 << bits) + 1, sorted.len() as u32);
        Values { sorted, directory, shift }
    }

    /// The distinct values, ascending.
    pub(super) fn sorted(&self) -> &[u64] {
        &self.sorted
    }

    /// Rank of `value` among the distinct values.
    #[inline]
    pub(super) fn rank(&self, value: u64) -> Option<u32> {
        let slot = (value >> self.shift) as usize;
        let (from, to) = (self.directory[slot] as usize, self.directory[slot + 1] as usize);
        self.sorted[from..to].binary_search(&value).ok().map(|i| (from + i) as u32)
    }

    /// For each fingerprint the rank of its value; all of them must have been given to [`Values::of`].
    pub(super) fn ranks(&self, fingerprints: &[Fingerprint]) -> Vec<u32> {
        fingerprints.par_iter().map(|f| self.rank(f.0).unwrap_or(u32::MAX)).collect()
    }

    /// For each value the lowest index that has it, given the ranks of all indexes.
    pub(super) fn firsts(&self, ranks: &[u32]) -> Vec<u32> {
        let mut firsts = vec![u32::MAX; self.sorted.len()];
        for (i, &rank) in ranks.iter().enumerate() {
            let first = &mut firsts[rank as usize];
            *first = (*first).min(i as u32);
        }
        firsts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranks_are_positions_in_order(
            mut values in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..40, Just(u64::MAX)], 0..120),
            other in any::<u64>(),
        ) {
            let fingerprints: Vec<_> = values.iter().copied().map(Fingerprint).collect();
            let found = Values::of(&fingerprints);
            let (ranks, absent) = (found.ranks(&fingerprints), !values.contains(&other));
            for (fingerprint, &rank) in fingerprints.iter().zip(&ranks) {
                prop_assert_eq!(found.sorted()[rank as usize], fingerprint.0);
            }
            let firsts = found.firsts(&ranks);
            for (i, &rank) in ranks.iter().enumerate() {
                prop_assert_eq!(firsts[rank as usize] == i as u32, !values[..i].contains(&values[i]));
            }
            values.sort_unstable();
            values.dedup();
            prop_assert_eq!(found.sorted(), values);
            prop_assert!(!absent || found.rank(other).is_none());
        }
    }
}
