//! Pairs of pages whose fingerprints are close: a set against itself, a set against another.
//!
//! **Definition.** Equal fingerprints form a group; its representative is its lowest index. The pairs within `k` are
//! a star for each group (representative and every other member, distance 0), and every pair of representatives whose
//! distance is 1 to `k`. So a heap of 100,000 equal fingerprints gives 99,999 pairs, not five thousand million, and
//! nothing is lost: all members of a group have the fingerprint of their representative.
//!
//! **Algorithm.** Equal values are grouped by sorting; the distinct ones are joined by tables (see `hamming`).
//!
//! **Cost.** [`HammingJoin::estimate_bytes`]: about 22 bytes a fingerprint besides the input, and 9 to 16 a pair where
//! pairs are collected. `HammingJoin` refuses before it starts if that is more than it may use.
//!
//! **Determinism.** The set of pairs and their order depend on nothing but the input.

use std::ops::ControlFlow;

use webmill_capture::error::{Error, Result};

use super::Fingerprint;
use super::hamming::{Match, join_between, join_within};
use super::values::Values;

/// Two close fingerprints, by index.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    /// Index of the one; in a self join the lower index.
    pub a: u32,
    /// Index of the other; in a join of two sets, in the second set.
    pub b: u32,
    /// Hamming distance, 0 to 64.
    pub distance: u8,
}

/// A join of fingerprints within a Hamming distance; a configuration to [`run`](HammingJoin::run).
#[derive(Clone, Debug)]
pub struct HammingJoin {
    k: u32,
    memory_bytes: usize,
}

impl HammingJoin {
    /// Pairs of distance at most `k`. Any `k` is exact; past 8 or so the work grows steeply.
    pub fn new(k: u32) -> Self {
        HammingJoin { k, memory_bytes: usize::MAX }
    }

    /// Refuses work that would take more memory than this.
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Bytes that a join of `n` fingerprints takes at its peak, besides its input and its output.
    pub fn estimate_bytes(n: usize) -> usize {
        n.saturating_mul(22).saturating_add(4 << 20)
    }

    fn admit(&self, n: usize) -> Result<()> {
        let need = Self::estimate_bytes(n);
        if n >= u32::MAX as usize {
            return Err(Error::Limit(format!(
                "{n} fingerprints in one join: at most {} are numbered",
                u32::MAX - 1
            )));
        }
        if need > self.memory_bytes {
            let mib = |bytes: usize| bytes.div_ceil(1 << 20);
            return Err(Error::Limit(format!(
                "joining {n} fingerprints takes about {} MiB of memory, {} MiB are allowed: raise --memory",
                mib(need),
                mib(self.memory_bytes)
            )));
        }
        Ok(())
    }

    /// Gives `emit` every pair: first the stars, sorted, then the pairs of representatives, table by table.
    ///
    /// # Errors
    /// `Limit` with the estimate where memory does not suffice; the first error of `emit`, which ends the join.
    pub fn run(&self, fingerprints: &[Fingerprint], mut emit: impl FnMut(Pair) -> Result<()>) -> Result<()> {
        self.admit(fingerprints.len())?;
        let values = Values::of(fingerprints);
        let firsts = {
            let ranks = values.ranks(fingerprints);
            let firsts = values.firsts(&ranks);
            emit_stars(&ranks, &firsts, &mut emit)?;
            firsts
        };
        let mut working = values.sorted().to_vec();
        finish(join_within(&mut working, self.k, |matches| {
            deliver(&matches, &mut emit, |(x, y)| {
                let (x, y) = (firsts[values.rank(x)? as usize], firsts[values.rank(y)? as usize]);
                Some((x.min(y), x.max(y)))
            })
        }))
    }

    /// Gives `emit` every pair of a representative of `left` with a representative of `right`, distance 0 included.
    ///
    /// Members of a group within one side are not listed: [`HammingJoin::run`] on that side has their star.
    ///
    /// # Errors
    /// As [`HammingJoin::run`].
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Fingerprint, HammingJoin, Pair};
    /// let (earlier, later) = ([Fingerprint(0), Fingerprint(0xFF)], [Fingerprint(0xFE), Fingerprint(0xFE)]);
    /// let mut pairs = Vec::new();
    /// HammingJoin::new(3).run_between(&earlier, &later, |pair| {
    ///     pairs.push(pair);
    ///     Ok(())
    /// })?;
    /// assert_eq!(pairs, [Pair { a: 1, b: 0, distance: 1 }]);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn run_between(
        &self,
        left: &[Fingerprint],
        right: &[Fingerprint],
        mut emit: impl FnMut(Pair) -> Result<()>,
    ) -> Result<()> {
        self.admit(left.len().saturating_add(right.len()))?;
        let (a, b) = (Values::of(left), Values::of(right));
        let (firsts_a, firsts_b) = (a.firsts(&a.ranks(left)), b.firsts(&b.ranks(right)));
        let (mut working_a, mut working_b) = (a.sorted().to_vec(), b.sorted().to_vec());
        finish(join_between(&mut working_a, &mut working_b, self.k, |matches| {
            deliver(&matches, &mut emit, |(x, y)| {
                Some((firsts_a[a.rank(x)? as usize], firsts_b[b.rank(y)? as usize]))
            })
        }))
    }
}

/// The star of each group, ordered by its pairs.
fn emit_stars(ranks: &[u32], firsts: &[u32], emit: &mut impl FnMut(Pair) -> Result<()>) -> Result<()> {
    for (i, &rank) in ranks.iter().enumerate() {
        let first = firsts[rank as usize];
        if first != i as u32 {
            emit(Pair { a: first, b: i as u32, distance: 0 })?;
        }
    }
    Ok(())
}

fn deliver(
    matches: &[Match],
    emit: &mut impl FnMut(Pair) -> Result<()>,
    indexes: impl Fn(Match) -> Option<(u32, u32)>,
) -> ControlFlow<Error> {
    for &found in matches {
        let distance = Fingerprint(found.0).distance(Fingerprint(found.1)) as u8;
        let sent = match indexes(found) {
            Some((a, b)) => emit(Pair { a, b, distance }),
            None => Err(Error::Internal("a joined fingerprint is not among the given ones".into())),
        };
        if let Err(error) = sent {
            return ControlFlow::Break(error);
        }
    }
    ControlFlow::Continue(())
}

fn finish(flow: ControlFlow<Error>) -> Result<()> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

/// Every pair of a set within `k`, sorted: the star of each group of equal fingerprints, and representatives that are
/// close (see [`HammingJoin::run`], which streams them and minds a budget).
///
/// # Errors
/// `Limit` for more fingerprints than 32 bits number.
///
/// # Examples
/// ```
/// use webmill_dedup::{Fingerprint, Pair, pairs_within};
/// let set = [Fingerprint(0b0111), Fingerprint(0), Fingerprint(0b0111)];
/// let pairs = pairs_within(&set, 3)?;
/// assert_eq!(pairs, [Pair { a: 0, b: 1, distance: 3 }, Pair { a: 0, b: 2, distance: 0 }]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub fn pairs_within(fingerprints: &[Fingerprint], k: u32) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    HammingJoin::new(k).run(fingerprints, |pair| {
        pairs.push(pair);
        Ok(())
    })?;
    pairs.sort_unstable();
    Ok(pairs)
}

/// Every pair within `k` of a representative of `left` with one of `right`, sorted (see [`HammingJoin::run_between`]).
///
/// # Errors
/// `Limit` for more fingerprints than 32 bits number.
///
/// # Examples
/// ```
/// use webmill_dedup::{Fingerprint, Pair, pairs_between};
/// let pairs = pairs_between(&[Fingerprint(0), Fingerprint(0xFF)], &[Fingerprint(0xFE), Fingerprint(0)], 3)?;
/// assert_eq!(pairs, [Pair { a: 0, b: 1, distance: 0 }, Pair { a: 1, b: 0, distance: 1 }]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub fn pairs_between(left: &[Fingerprint], right: &[Fingerprint], k: u32) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    HammingJoin::new(k).run_between(left, right, |pair| {
        pairs.push(pair);
        Ok(())
    })?;
    pairs.sort_unstable();
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Values that lie close together often enough for every distance to occur.
    fn close_values(most: usize) -> impl Strategy<Value = Vec<u64>> {
        let seeds = prop::collection::vec(any::<u64>(), 1..6);
        let flips = prop::collection::vec(
            (any::<prop::sample::Index>(), prop::collection::vec(0u32..64, 0..7)),
            0..most,
        );
        (seeds, flips).prop_map(|(seeds, flips)| {
            let one = |(seed, bits): (prop::sample::Index, Vec<u32>)| {
                bits.into_iter().fold(*seed.get(&seeds), |value, bit| value ^ 1 << bit)
            };
            flips.into_iter().map(one).collect()
        })
    }

    fn fingerprints(values: &[u64]) -> Vec<Fingerprint> {
        values.iter().copied().map(Fingerprint).collect()
    }

    fn firsts(values: &[u64]) -> Vec<(u32, u64)> {
        let mut seen = HashMap::new();
        values
            .iter()
            .enumerate()
            .filter(|(i, v)| seen.insert(**v, *i).is_none())
            .map(|(i, v)| (i as u32, *v))
            .collect()
    }

    fn brute_within(values: &[u64], k: u32) -> Vec<Pair> {
        let heads = firsts(values);
        let mut pairs = Vec::new();
        for (i, &value) in values.iter().enumerate() {
            let (head, _) = heads.iter().find(|(_, v)| *v == value).expect("each value has a first");
            if *head != i as u32 {
                pairs.push(Pair { a: *head, b: i as u32, distance: 0 });
            }
        }
        for (i, &(a, x)) in heads.iter().enumerate() {
            for &(b, y) in &heads[i + 1..] {
                let distance = (x ^ y).count_ones();
                if distance <= k {
                    pairs.push(Pair { a, b, distance: distance as u8 });
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    proptest! {
        #[test]
        fn within_equals_brute_force(values in close_values(400), k in 0u32..10) {
            prop_assert_eq!(pairs_within(&fingerprints(&values), k)?, brute_within(&values, k));
        }

        #[test]
        fn between_equals_brute_force(left in close_values(200), right in close_values(200), share in 0usize..9, k in 0u32..9) {
            let mut right = right;
            right.extend(left.iter().take(share).map(|v| v ^ 1 << 17));
            right.extend(left.iter().take(share));
            let mut expected = Vec::new();
            for &(a, x) in &firsts(&left) {
                let close = firsts(&right).into_iter().map(|(b, y)| (b, (x ^ y).count_ones()));
                expected.extend(close.filter(|c| c.1 <= k).map(|(b, d)| Pair { a, b, distance: d as u8 }));
            }
            expected.sort_unstable();
            prop_assert_eq!(pairs_between(&fingerprints(&left), &fingerprints(&right), k)?, expected);
        }

        #[test]
        fn input_order_changes_numbers_only(values in close_values(150), k in 0u32..5) {
            let named = |values: &[u64]| -> Result<Vec<(u64, u64, u8)>> {
                let mut pairs: Vec<_> = pairs_within(&fingerprints(values), k)?
                    .into_iter()
                    .map(|p| {
                        let (x, y) = (values[p.a as usize], values[p.b as usize]);
                        (x.min(y), x.max(y), p.distance)
                    })
                    .collect();
                pairs.sort_unstable();
                Ok(pairs)
            };
            let mut turned = values.clone();
            turned.reverse();
            prop_assert_eq!(named(&values)?, named(&turned)?);
        }
    }

    fn random(n: u64, seed: u64) -> Vec<u64> {
        (0..n).map(|i| xxhash_rust::xxh3::xxh3_64_with_seed(&i.to_le_bytes(), seed)).collect()
    }

    /// Enough values for every level of tables, some of them planted close, all agreeing on `skew`.
    fn planted(n: u64, skew: u64) -> Vec<u64> {
        let mut values = random(n, 1);
        for (i, noise) in random(n / 10, 2).into_iter().enumerate() {
            let flips = (0..noise % 10).fold(0, |bits, j| bits | 1u64 << (noise >> (6 * j) & 63));
            values.push(values[i * 7] ^ flips);
        }
        values.iter_mut().for_each(|v| *v &= !skew);
        values
    }

    #[test]
    fn large_and_skewed_sets_equal_brute_force() {
        for (n, skew) in [(20_000, 0), (4_000, 0xFFFF_FFFF_0000_0000), (6_000, 0x5555_5555_5555_5555)] {
            let values = planted(n, skew);
            let mut slow = Vec::new();
            for (i, &x) in values.iter().enumerate() {
                let close = values[i + 1..].iter().filter(|&&y| (x ^ y).count_ones() <= 8 && x != y);
                slow.extend(close.map(|&y| (x.min(y), x.max(y))));
            }
            slow.sort_unstable();
            slow.dedup();
            for k in [0, 1, 3, 5, 8] {
                let pairs = pairs_within(&fingerprints(&values), k).expect("small");
                let named = |p: &Pair| (values[p.a as usize], values[p.b as usize]);
                let near = pairs.iter().filter(|p| p.distance > 0).map(named);
                let mut fast: Vec<_> = near.map(|(x, y)| (x.min(y), x.max(y))).collect();
                fast.sort_unstable();
                let slow: Vec<_> = slow.iter().copied().filter(|(x, y)| (x ^ y).count_ones() <= k).collect();
                assert!(k == 0 || !slow.is_empty());
                assert_eq!(fast, slow, "{n} values, k = {k}");
            }
        }
    }

    #[test]
    fn threads_change_neither_pairs_nor_their_order() {
        let set = fingerprints(&planted(300_000, 0xFF00));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let mut pairs = Vec::new();
            let join = HammingJoin::new(3);
            pool.install(|| {
                join.run(&set, |pair| {
                    pairs.push(pair);
                    Ok(())
                })
            })
            .expect("no limit");
            pairs
        };
        let (one, three) = (run(1), run(3));
        assert!(one.len() > 10_000);
        assert_eq!(one, three);
    }

    #[test]
    fn heaps_of_equal_values_are_stars() {
        let mut values = vec![7u64; 100_000];
        values.extend([6; 50_000]);
        let pairs = pairs_within(&fingerprints(&values), 3).expect("small");
        assert_eq!(pairs.len(), 99_999 + 49_999 + 1);
        assert!(pairs.contains(&Pair { a: 0, b: 100_000, distance: 1 }));
    }

    #[test]
    fn a_budget_that_is_too_small_refuses_with_the_estimate() {
        let error = HammingJoin::new(3).memory_bytes(1 << 20).run(&[Fingerprint(1); 100], |_| Ok(()));
        let text = error.expect_err("too small").to_string();
        assert!(
            text.contains("joining 100 fingerprints takes about 5 MiB") && text.contains("1 MiB"),
            "{text}"
        );
    }

    #[test]
    fn an_error_of_the_receiver_ends_the_join() {
        let stop = || Err(Error::Interrupted);
        let set = fingerprints(&[1, 2, 3]);
        assert!(matches!(HammingJoin::new(3).run(&set, |_| stop()), Err(Error::Interrupted)));
        assert!(pairs_within(&[], 3).expect("empty").is_empty());
    }
}
