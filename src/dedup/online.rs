//! An index that answers, for one fingerprint, which stored ones are close.
//!
//! **Algorithm.** The tables of a join are kept, each the distinct values sorted by the bits that must agree. A query
//! looks up its group in every table by binary search and compares it with the group.
//!
//! **Cost.** 8 bytes a distinct value for each of at most 20 tables (4 to 10 for `k = 3`), and 8 a fingerprint. At ten
//! million fingerprints and `k = 3` a query compares a handful of values.
//!
//! **Determinism.** Exact; answers are sorted by distance, then index.

use rayon::prelude::*;

use webmill_capture::error::{Error, Result};

use super::Fingerprint;
use super::plan::{Plan, Work};
use super::values::Values;

/// Stored fingerprints, ready for queries within a fixed distance.
#[derive(Clone, Debug)]
pub struct FingerprintIndex {
    k: u32,
    plan: Option<Plan>,
    tables: Vec<Vec<u64>>,
    values: Values,
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl FingerprintIndex {
    /// Indexes `fingerprints` for queries within distance `k`.
    ///
    /// # Errors
    /// `Limit` for more fingerprints than 32 bits number.
    pub fn new(fingerprints: &[Fingerprint], k: u32) -> Result<Self> {
        if fingerprints.len() >= u32::MAX as usize {
            return Err(Error::Limit(format!("{} fingerprints in one index", fingerprints.len())));
        }
        let values = Values::of(fingerprints);
        let ranks = values.ranks(fingerprints);
        let mut starts = vec![0u32; values.sorted().len() + 1];
        ranks.iter().for_each(|&rank| starts[rank as usize + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut members = vec![0; ranks.len()];
        for (i, &rank) in ranks.iter().enumerate() {
            members[next[rank as usize] as usize] = i as u32;
            next[rank as usize] += 1;
        }
        let plan = Plan::choose(Work::Query(values.sorted().len()), u64::MAX, k);
        let sorted_by = |&mask: &u64| {
            let mut table = values.sorted().to_vec();
            table.par_sort_unstable_by_key(|v| v & mask);
            table
        };
        let tables = plan.iter().flat_map(|plan| &plan.tables).map(sorted_by).collect();
        Ok(FingerprintIndex { k, plan, tables, values, starts, members })
    }

    /// Every stored fingerprint within the distance, as (index, distance), nearest first, then by index.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Fingerprint, FingerprintIndex};
    /// let index = FingerprintIndex::new(&[Fingerprint(0), Fingerprint(7), Fingerprint(0)], 2)?;
    /// assert_eq!(index.query(Fingerprint(1)), [(0, 1), (2, 1), (1, 2)]);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn query(&self, fingerprint: Fingerprint) -> Vec<(u32, u8)> {
        let query = fingerprint.0;
        let close = |value: &&u64| (*value ^ query).count_ones() <= self.k;
        let mut found = Vec::new();
        match &self.plan {
            None => found.extend(self.values.sorted().iter().filter(close)),
            Some(plan) => {
                for (table, &mask) in self.tables.iter().zip(&plan.tables) {
                    let key = query & mask;
                    let from = table.partition_point(|v| v & mask < key);
                    let group = table[from..].iter().take_while(|&v| v & mask == key);
                    found.extend(group.filter(close).filter(|&v| plan.owns(mask, v ^ query)));
                }
            }
        }
        let mut answer = Vec::new();
        for value in found {
            let Some(rank) = self.values.rank(value) else { continue };
            let distance = Fingerprint(value).distance(fingerprint) as u8;
            let (from, to) = (self.starts[rank as usize] as usize, self.starts[rank as usize + 1] as usize);
            answer.extend(self.members[from..to].iter().map(|&i| (i, distance)));
        }
        answer.sort_unstable_by_key(|&(i, distance)| (distance, i));
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn queries_equal_brute_force(
            seeds in prop::collection::vec(any::<u64>(), 1..4),
            flips in prop::collection::vec((0usize..4, prop::collection::vec(0u32..64, 0..6)), 1..3000),
            query in prop::collection::vec(0u32..64, 0..6),
            k in 0u32..9,
        ) {
            let value = |seed: usize, bits: &[u32]| {
                Fingerprint(bits.iter().fold(seeds[seed % seeds.len()], |v, bit| v ^ 1 << bit))
            };
            let set: Vec<_> = flips.iter().map(|(seed, bits)| value(*seed, bits)).collect();
            let query = value(0, &query);
            let mut expected: Vec<_> = set.iter().enumerate().map(|(i, f)| (i as u32, f.distance(query) as u8)).collect();
            expected.retain(|e| u32::from(e.1) <= k);
            expected.sort_unstable_by_key(|&(i, distance)| (distance, i));
            prop_assert_eq!(FingerprintIndex::new(&set, k)?.query(query), expected);
        }
    }

    #[test]
    fn an_empty_index_answers_nothing() {
        assert!(FingerprintIndex::new(&[], 3).expect("empty").query(Fingerprint(0)).is_empty());
    }
}
