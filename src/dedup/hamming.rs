//! Pairs of pages whose fingerprints are close. [`HammingJoin`] takes a set against itself,
//! [`FingerprintIndex`](crate::FingerprintIndex) one fingerprint, or a stored list part by part, against a set.
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
//! there are: they stream. [`HammingJoin::run`] refuses before it starts if that is more than it may use;
//! [`HammingJoin::run_within`] sorts its tables on disk instead. Ten million uniform
//! fingerprints take seconds at `k = 3`, half a minute at `k = 7`; the time grows with their number, and with that of
//! their pairs: about .2 µs each in a million pages of one template, where a close pair comes together in several tables.
//! Where most of `n` fingerprints are within `k` of each other, as a hostile site may make them, there are about `n²/2`
//! pairs to be compared and given.
//!
//! **Exact.** Every pair is given, and given once.
//!
//! **Determinism.** The set of pairs and their order depend on nothing but the input.

mod all_pairs;
mod bit_order;
mod compare;
mod group;
mod measure;
pub(crate) mod online;
mod plan;
mod sorted;
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
    /// Comparisons of two fingerprints, about.
    pub compared: u64,
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

    /// Refuses input that would take more memory than this. The number of pairs takes none.
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = bytes;
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
        let mut giver = PairCounter { emit, totals: JoinTotals::default() };
        let values = Values::of(fingerprints);
        let firsts = {
            let ranks = values.ranks(fingerprints);
            let firsts = values.firsts(&ranks);
            giver.stars(&ranks, &firsts)?;
            firsts
        };
        let pair = |(x, y): Match| {
            let (x_first, y_first) = (firsts[values.rank(x)? as usize], firsts[values.rank(y)? as usize]);
            Some(pair_of(x_first.min(y_first), x_first.max(y_first), x ^ y))
        };
        let mut working = values.sorted().to_vec();
        let mut join = Join::new(self.k, pair, |found| giver.give(found));
        let flow = join.within(&mut working);
        let compared = join.compared;
        match flow {
            ControlFlow::Continue(()) => Ok(JoinTotals { compared, ..giver.totals }),
            ControlFlow::Break(error) => Err(error),
        }
    }
}

fn pair_of(a: u32, b: u32, difference: u64) -> Pair {
    Pair { a, b, distance: difference.count_ones() as u8 }
}

/// Hands pairs on and counts them.
struct PairCounter<F> {
    emit: F,
    totals: JoinTotals,
}

impl<F: FnMut(Pair) -> Result<()>> PairCounter<F> {
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

    fn give(&mut self, found: Vec<Option<Pair>>) -> ControlFlow<Error> {
        for pair in found {
            let sent = match pair {
                Some(pair) => self.one(pair),
                None => Err(Error::Internal("a joined fingerprint is not among the given ones".into())),
            };
            if let Err(error) = sent {
                return ControlFlow::Break(error);
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
