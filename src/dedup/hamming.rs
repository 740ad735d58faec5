//! Pairs of pages whose fingerprints are close: a set against itself, a set against another.
//!
//! **Definition.** Equal fingerprints form a group; its representative is its lowest index. The pairs within `k` are
//! a star for each group (representative and every other member, distance 0), and every pair of representatives whose
//! distance is 1 to `k`. So a heap of 100,000 equal fingerprints gives 99,999 pairs, not five thousand million, and
//! nothing is lost: all members of a group have the fingerprint of their representative.
//!
//! **Algorithm.** Equal values are grouped by sorting; the distinct ones are joined by tables that are measured on them
//! (see `hamming`).
//!
//! **Cost.** [`HammingJoin::estimate_bytes`]: 38 bytes a fingerprint and 20 MiB besides the input, however many pairs
//! there are: they stream. `HammingJoin` refuses before it starts if that is more than it may use. Ten million uniform
//! fingerprints take seconds at `k = 3`, half a minute at `k = 7`; the time grows with their number, and with that of
//! their pairs: about .2 µs each in a million pages of one template, where a close pair comes together in several tables.
//! Where most of `n` fingerprints are within `k` of each other, as a hostile site may make them, there are about `n²/2`
//! pairs to be compared and given: [`HammingJoin::most_pairs_each`] bounds what is given, not what is compared.
//!
//! **Exact and capped.** Without `most_pairs_each` every pair is given, and given once. With it every fingerprint still
//! gets all of its pairs, or so many of them at least; what is withheld is counted.
//!
//! **Determinism.** The set of pairs and their order depend on nothing but the input.

mod all_pairs;
mod bit_order;
mod compare;
mod group;
mod measure;
pub(crate) mod online;
mod plan;
mod values;

use std::ops::ControlFlow;

use webmill_capture::error::{Error, Result};

use super::Fingerprint;
use crate::hamming::all_pairs::Join;
use crate::hamming::compare::Match;
use crate::hamming::values::Values;

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

/// What a join did.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct JoinTotals {
    /// Pairs given, those of stars among them.
    pub pairs: u64,
    /// Pairs withheld, as both fingerprints had as many as [`HammingJoin::most_pairs_each`] allows.
    pub withheld: u64,
    /// Comparisons of two fingerprints, about.
    pub compared: u64,
}

/// A join of fingerprints within a Hamming distance; a configuration to [`run`](HammingJoin::run).
#[derive(Clone, Debug)]
pub struct HammingJoin {
    k: u32,
    memory_bytes: usize,
    most_pairs_each: u32,
}

impl HammingJoin {
    /// Pairs of distance at most `k`. Any `k` is exact; past 8 or so the work grows steeply.
    pub fn new(k: u32) -> Self {
        HammingJoin { k, memory_bytes: usize::MAX, most_pairs_each: u32::MAX }
    }

    /// Refuses input that would take more memory than this. The number of pairs takes none.
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Withholds a pair of representatives where each of the two has been given in so many others.
    ///
    /// So every representative gets its first `most` pairs if it has so many, and there are at most `n · most`. Which
    /// ones come first depends on the values only. Stars are not capped: they are linear. By default nothing is
    /// withheld.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Fingerprint, HammingJoin};
    /// let all: Vec<Fingerprint> = (0..16).map(Fingerprint).collect();
    /// let mut pairs = 0;
    /// let totals = HammingJoin::new(4).most_pairs_each(3).run(&all, |_| {
    ///     pairs += 1;
    ///     Ok(())
    /// })?;
    /// assert!(pairs <= 16 * 3);
    /// assert_eq!((totals.pairs, totals.pairs + totals.withheld), (pairs, 16 * 15 / 2));
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn most_pairs_each(mut self, most: u32) -> Self {
        self.most_pairs_each = most;
        self
    }

    /// Bytes that a join of `n` fingerprints takes at its peak, besides its input.
    pub fn estimate_bytes(n: usize) -> usize {
        // Few fingerprints have few pairs to wait for their delivery.
        n.saturating_mul(38).saturating_add(n.saturating_mul(n).saturating_mul(28).min(20 << 20))
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
    pub fn run(
        &self,
        fingerprints: &[Fingerprint],
        emit: impl FnMut(Pair) -> Result<()>,
    ) -> Result<JoinTotals> {
        self.admit(fingerprints.len())?;
        let mut giver = Giver { emit, totals: JoinTotals::default() };
        let values = Values::of(fingerprints);
        let firsts = {
            let ranks = values.ranks(fingerprints);
            let firsts = values.firsts(&ranks);
            giver.stars(&ranks, &firsts)?;
            firsts
        };
        let mut cap = Cap::new(self.most_pairs_each, fingerprints.len(), 0);
        let pair = |(x, y): Match| {
            let (x_first, y_first) = (firsts[values.rank(x)? as usize], firsts[values.rank(y)? as usize]);
            Some(pair_of(x_first.min(y_first), x_first.max(y_first), x ^ y))
        };
        let mut working = values.sorted().to_vec();
        let mut join = Join::new(self.k, pair, |found| giver.give(found, |p| cap.admits(p.a, p.b)));
        let flow = join.within(&mut working);
        let compared = join.compared;
        finish(flow, giver.totals, compared)
    }

    /// Gives `emit` every pair of a representative of `left` with a representative of `right`, distance 0 included.
    ///
    /// Members of a group within one side are not listed: [`HammingJoin::run`] on that side has their star. Where the
    /// one side is asked again and again, or is far larger, see [`FingerprintIndex::scan`](crate::FingerprintIndex).
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
        emit: impl FnMut(Pair) -> Result<()>,
    ) -> Result<JoinTotals> {
        self.admit(left.len().saturating_add(right.len()))?;
        let mut giver = Giver { emit, totals: JoinTotals::default() };
        let (a, b) = (Values::of(left), Values::of(right));
        let (firsts_a, firsts_b) = (a.firsts(&a.ranks(left)), b.firsts(&b.ranks(right)));
        let mut cap = Cap::new(self.most_pairs_each, left.len(), right.len());
        let pair = |(x, y): Match| {
            Some(pair_of(firsts_a[a.rank(x)? as usize], firsts_b[b.rank(y)? as usize], x ^ y))
        };
        let (mut working_a, mut working_b) = (a.sorted().to_vec(), b.sorted().to_vec());
        let right_from = left.len() as u32;
        let mut join =
            Join::new(self.k, pair, |found| giver.give(found, |p| cap.admits(p.a, right_from + p.b)));
        let flow = join.between(&mut working_a, &mut working_b);
        let compared = join.compared;
        finish(flow, giver.totals, compared)
    }
}

fn pair_of(a: u32, b: u32, difference: u64) -> Pair {
    Pair { a, b, distance: difference.count_ones() as u8 }
}

/// Hands pairs on and counts them.
struct Giver<F> {
    emit: F,
    totals: JoinTotals,
}

impl<F: FnMut(Pair) -> Result<()>> Giver<F> {
    fn one(&mut self, pair: Pair) -> Result<()> {
        self.totals.pairs += 1;
        (self.emit)(pair)
    }

    /// The star of each group, ordered by its pairs.
    fn stars(&mut self, ranks: &[u32], firsts: &[u32]) -> Result<()> {
        for (i, &rank) in ranks.iter().enumerate() {
            let first = firsts[rank as usize];
            if first != i as u32 {
                self.one(Pair { a: first, b: i as u32, distance: 0 })?;
            }
        }
        Ok(())
    }

    fn give(
        &mut self,
        found: Vec<Option<Pair>>,
        mut admits: impl FnMut(&Pair) -> bool,
    ) -> ControlFlow<Error> {
        for pair in found {
            let sent = match pair {
                Some(pair) if admits(&pair) => self.one(pair),
                Some(_) => {
                    self.totals.withheld += 1;
                    Ok(())
                }
                None => Err(Error::Internal("a joined fingerprint is not among the given ones".into())),
            };
            if let Err(error) = sent {
                return ControlFlow::Break(error);
            }
        }
        ControlFlow::Continue(())
    }
}

/// Pairs that each fingerprint has been given in.
struct Cap {
    most: u32,
    given: Vec<u32>,
}

impl Cap {
    fn new(most: u32, left: usize, right: usize) -> Self {
        // Fewer than 2³² fingerprints: no one of them is in 2³² − 1 pairs.
        let counted = if most == u32::MAX { 0 } else { left + right };
        Cap { most, given: vec![0; counted] }
    }

    fn admits(&mut self, a: u32, b: u32) -> bool {
        if self.given.is_empty() {
            return true;
        }
        let (a, b) = (a as usize, b as usize);
        if self.given[a] >= self.most && self.given[b] >= self.most {
            return false;
        }
        self.given[a] = self.given[a].saturating_add(1);
        self.given[b] = self.given[b].saturating_add(1);
        true
    }
}

fn finish(flow: ControlFlow<Error>, totals: JoinTotals, compared: u64) -> Result<JoinTotals> {
    match flow {
        ControlFlow::Continue(()) => Ok(JoinTotals { compared, ..totals }),
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
mod tests;
