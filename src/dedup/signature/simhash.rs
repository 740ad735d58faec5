//! SimHash as a way to find near-duplicates: fingerprints of 64 bits that differ in at most `k` bits, by the exact join.
//!
//! **Definition.** Two pages are candidates where the Hamming distance of their fingerprints is at most `k` (3 in the
//! literature). Unverified, they are the pairs of Manku, Jain and Das Sarma; their precision is near .5 to .75, so that by
//! default every candidate is compared by all shingles.
//!
//! **Algorithm.** [`HammingJoin`] gives the pairs of fingerprints. [`near_buckets`] makes a bucket of each: all pages that have
//! one of the two; and one of the pages that have equal fingerprints. Buckets are what [`BandJoin`](crate::BandJoin) takes,
//! which bounds the comparisons in large ones.
//!
//! **Cost.** That of the join, and 8 bytes a pair of fingerprints sorted, within the budget. A hostile site can make all `n`
//! fingerprints close to each other, n²/2 pairs: past a bound only equal fingerprints are brought together, and that is
//! said. So the pairs found do not depend on the budget.
//!
//! **Reference.** Manku, Jain, Das Sarma, doi:10.1145/1242572.1242592.

use webmill_capture::error::{Error, Result};
use webmill_sort::{Budget, Sorter};
use xxhash_rust::xxh3::xxh3_64;

use crate::fingerprint::{Fingerprint, simhash};
use crate::hamming::HammingJoin;
use crate::signature::{PageParts, Signature};

/// Fingerprints within a Hamming distance.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SimHash {
    /// Most bits in which two fingerprints differ, 0 to 63.
    pub bits: u32,
}

impl Signature for SimHash {
    fn name(&self) -> &'static str {
        "simhash"
    }

    fn least(&self) -> f64 {
        1.0 - f64::from(self.bits) / 64.0
    }

    /// The fingerprint.
    fn values(&self, page: &PageParts<'_>) -> Vec<u64> {
        simhash(page.text).map(|fingerprint| fingerprint.0).into_iter().collect()
    }

    /// The fingerprint: equal ones. [`near_buckets`] has those of close ones, for which all pages must be known.
    fn keys(&self, values: &[u64]) -> Vec<u64> {
        values.to_vec()
    }

    /// The share of equal bits.
    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        match (a, b) {
            (&[a], &[b]) => 1.0 - f64::from((a ^ b).count_ones()) / 64.0,
            _ => 0.0,
        }
    }
}

/// What [`near_buckets`] found.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct NearBuckets {
    /// Pairs of different fingerprints that are close to each other.
    pub pairs: u64,
    /// There were more than are looked at: only equal fingerprints were brought together.
    pub cut: bool,
}

/// Pairs that are taken in any case, however few pages there are.
const LEAST_PAIRS: u64 = 1 << 24;

/// Brings together the fingerprints within `bits` of each other: gives `push` buckets and the indexes that are in them, an
/// index of several buckets several times. Where there are more than 64 pairs a fingerprint, and more than 2²⁴, only equal
/// ones.
///
/// # Errors
/// `Io` when the disk refuses; `Limit` for 2³² fingerprints; the first error of `push`.
pub fn near_buckets(
    fingerprints: &[Fingerprint],
    bits: u32,
    budget: &Budget,
    mut push: impl FnMut(u64, u32) -> Result<()>,
) -> Result<NearBuckets> {
    let most = (64 * fingerprints.len() as u64).max(LEAST_PAIRS);
    let share = budget.share(4);
    // (first of its equals, another), and both directions of each pair of firsts.
    let (mut equals, mut ends) = (Sorter::new(&share), Sorter::new(&share));
    let mut found = NearBuckets::default();
    let joined = HammingJoin::new(bits).run_within(fingerprints, &budget.share(2), |pair| {
        if pair.distance == 0 {
            return equals.push([pair.a, pair.b]);
        }
        if found.pairs == most {
            found.cut = true;
            return Err(Error::Limit(String::new()));
        }
        found.pairs += 1;
        ends.push([pair.a, pair.b])?;
        ends.push([pair.b, pair.a])
    });
    joined.map(drop).or_else(|error| if found.cut { Ok(()) } else { Err(error) })?;
    if found.cut {
        ends = Sorter::new(&share);
    }
    let equals = equals.mapped()?;
    for same in equals.chunk_by(|a, b| a[0] == b[0]) {
        let first = same[0][0];
        push(bucket(first, first), first)?;
        same.iter().try_for_each(|pair| push(bucket(first, first), pair[1]))?;
    }
    let mut given = 0;
    for end in ends.finish()? {
        let [first, other] = end?;
        let same = &equals[equals.partition_point(|pair| pair[0] < first)..];
        let same = &same[..same.partition_point(|pair| pair[0] == first)];
        given += 1 + same.len() as u64;
        // Many equals with many neighbours: in the order of the indexes, as many as there may be pairs, twice.
        if given > 2 * most {
            found.cut = true;
            continue;
        }
        push(bucket(first, other), first)?;
        same.iter().try_for_each(|pair| push(bucket(first, other), pair[1]))?;
    }
    Ok(found)
}

fn bucket(a: u32, b: u32) -> u64 {
    xxh3_64(&(u64::from(a.min(b)) << 32 | u64::from(a.max(b))).to_le_bytes())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_bring_together_what_is_close_and_nothing_else(
            seeds in prop::collection::vec(any::<u64>(), 1..5),
            flips in prop::collection::vec((0usize..5, prop::collection::vec(0u32..64, 0..4)), 0..80),
            bits in 0u32..8,
        ) {
            let values = flips.into_iter().map(|(seed, bits)| {
                Fingerprint(bits.into_iter().fold(seeds[seed % seeds.len()], |value, bit| value ^ 1 << bit))
            });
            let values: Vec<Fingerprint> = values.collect();
            let mut buckets: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            let push = |bucket, index| {
                buckets.entry(bucket).or_default().push(index);
                Ok(())
            };
            let found = near_buckets(&values, bits, &Budget::new(1 << 16), push).expect("memory suffices");
            prop_assert!(!found.cut);
            let mut together = vec![vec![false; values.len()]; values.len()];
            for members in buckets.values() {
                for (&a, &b) in members.iter().flat_map(|a| members.iter().map(move |b| (a, b))) {
                    together[a as usize][b as usize] |= a != b;
                }
            }
            for (i, a) in values.iter().enumerate() {
                for (j, b) in values.iter().enumerate().filter(|(j, _)| i != *j) {
                    prop_assert_eq!(together[i][j], a.distance(*b) <= bits, "{} {}", i, j);
                }
            }
        }
    }
}
