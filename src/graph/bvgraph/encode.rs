//! How one list of successors is written best, given those before it.

use super::BvOptions;
use super::bit_writer::{BitCounter, BitSink, BitWriter};

/// Bits spent on each part of the lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BvParts {
    /// Bits of the outdegrees.
    pub outdegrees: u64,
    /// How far back the list copied from lies.
    pub references: u64,
    /// Which blocks of it are copied.
    pub blocks: u64,
    /// Intervals of consecutive successors.
    pub intervals: u64,
    /// All other successors.
    pub residuals: u64,
}

impl BvParts {
    /// All bits.
    pub fn sum(&self) -> u64 {
        self.outdegrees + self.references + self.blocks + self.intervals + self.residuals
    }

    pub(super) fn add(&mut self, other: &BvParts) {
        self.outdegrees += other.outdegrees;
        self.references += other.references;
        self.blocks += other.blocks;
        self.intervals += other.intervals;
        self.residuals += other.residuals;
    }
}

/// A list of successors in three parts: copied ones, intervals of consecutive ones, and the rest.
#[derive(Default)]
struct Plan {
    /// How many nodes back lies the list copied from; 0 for none.
    reference: usize,
    /// Lengths of blocks copied and skipped by turns, but the last.
    blocks: Vec<u64>,
    extra: Vec<u32>,
    /// First successor and length.
    intervals: Vec<(u32, u64)>,
    residuals: Vec<u32>,
}

impl Plan {
    fn make(&mut self, list: &[u32], from: Option<(usize, &[u32])>, min_interval: usize) {
        self.blocks.clear();
        self.extra.clear();
        self.intervals.clear();
        self.residuals.clear();
        self.reference = from.map_or(0, |from| from.0);
        match from {
            Some((_, from)) => self.copy(list, from),
            None => self.extra.extend_from_slice(list),
        }
        let mut rest = &self.extra[..];
        while let Some(&first) = rest.first() {
            let length = rest.windows(2).take_while(|pair| pair[0] + 1 == pair[1]).count() + 1;
            if min_interval > 0 && length > 1 && length >= min_interval {
                self.intervals.push((first, length as u64));
            } else {
                self.residuals.extend_from_slice(&rest[..length]);
            }
            rest = &rest[length..];
        }
    }

    /// Finds the blocks of `from` that are in `list`, and what else is in it.
    fn copy(&mut self, list: &[u32], from: &[u32]) {
        let (mut at, mut copying, mut length) = (0, true, 0);
        for (i, &v) in list.iter().enumerate() {
            while at < from.len() && from[at] < v {
                if copying {
                    self.blocks.push(length);
                    (copying, length) = (false, 0);
                }
                length += 1;
                at += 1;
            }
            if at == from.len() {
                self.extra.extend_from_slice(&list[i..]);
                break;
            }
            if from[at] == v {
                if !copying {
                    self.blocks.push(length);
                    (copying, length) = (true, 0);
                }
                length += 1;
                at += 1;
            } else {
                self.extra.push(v);
            }
        }
        // The last block is understood: copied to the end, or skipped.
        if copying && at < from.len() {
            self.blocks.push(length);
        }
    }

    /// Writes the list of `node`; returns the bits of each part.
    fn put(&self, node: u32, outdegree: usize, options: &BvOptions, to: &mut impl BitSink) -> BvParts {
        let mut parts = BvParts::default();
        let mut at = to.at();
        let mut since = |now: u64| now - std::mem::replace(&mut at, now);
        to.gamma(outdegree as u64);
        parts.outdegrees = since(to.at());
        if outdegree == 0 {
            return parts;
        }
        if options.window > 0 {
            to.unary(self.reference as u64);
            parts.references = since(to.at());
        }
        if self.reference > 0 {
            to.gamma(self.blocks.len() as u64);
            for (i, &length) in self.blocks.iter().enumerate() {
                to.gamma(length - u64::from(i > 0));
            }
            parts.blocks = since(to.at());
        }
        if self.extra.is_empty() {
            return parts;
        }
        let node = i64::from(node);
        if options.min_interval > 0 {
            to.gamma(self.intervals.len() as u64);
            let mut last = None;
            for &(left, length) in &self.intervals {
                let left = i64::from(left);
                to.gamma(last.map_or_else(|| natural(left - node), |last| (left - last - 1) as u64));
                to.gamma(length - options.min_interval as u64);
                last = Some(left + length as i64);
            }
            parts.intervals = since(to.at());
        }
        let mut last = None;
        for &v in &self.residuals {
            let v = i64::from(v);
            to.zeta(last.map_or_else(|| natural(v - node), |last| (v - last - 1) as u64), options.zeta);
            last = Some(v);
        }
        parts.residuals = since(to.at());
        parts
    }
}

/// 0, −1, 1, −2, 2 … → 0, 1, 2, 3, 4 …
fn natural(signed: i64) -> u64 {
    (signed << 1 ^ signed >> 63) as u64
}

/// Lists of consecutive nodes.
#[derive(Clone, Copy)]
pub(super) struct Lists<'a> {
    /// The first node.
    pub first: u32,
    /// Where each list begins and the last ends in `targets`, plus any constant.
    pub offsets: &'a [u64],
    /// The successors.
    pub targets: &'a [u32],
}

impl<'a> Lists<'a> {
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn list(&self, i: usize) -> &'a [u32] {
        let at = |i: usize| (self.offsets[i] - self.offsets[0]) as usize;
        &self.targets[at(i)..at(i + 1)]
    }
}

/// Lists as written.
#[derive(Default)]
pub(super) struct EncodedLists {
    pub graph: BitWriter,
    /// Length of each list in bits.
    pub offsets: BitWriter,
    pub parts: BvParts,
    /// Sums of the lengths of chains of references, and of the references.
    pub chains: u64,
    pub distances: u64,
}

/// Writes lists, which refer to one another only.
///
/// Each list is tried without a reference and with every one of the window whose chain is not too long; the
/// shortest wins, the nearest of equal ones. So does the framework, and so its files come out bit for bit.
pub(super) fn encode(lists: &Lists, options: &BvOptions) -> EncodedLists {
    let mut out = EncodedLists::default();
    let mut chains = vec![0u32; lists.len()];
    let (mut best, mut plan) = (Plan::default(), Plan::default());
    for i in 0..lists.len() {
        let (node, list) = (lists.first + i as u32, lists.list(i));
        best.make(list, None, options.min_interval);
        if !list.is_empty() {
            let bits = |plan: &Plan| plan.put(node, list.len(), options, &mut BitCounter::default()).sum();
            let mut least = bits(&best);
            for reference in 1..=options.window.min(i) {
                let (from, chain) = (lists.list(i - reference), chains[i - reference]);
                if from.is_empty() || chain >= options.max_references {
                    continue;
                }
                plan.make(list, Some((reference, from)), options.min_interval);
                let bits = bits(&plan);
                if bits < least {
                    least = bits;
                    chains[i] = chain + 1;
                    std::mem::swap(&mut best, &mut plan);
                }
            }
        }
        let parts = best.put(node, list.len(), options, &mut out.graph);
        out.offsets.gamma(parts.sum());
        out.parts.add(&parts);
        out.chains += u64::from(chains[i]);
        out.distances += best.reference as u64;
    }
    out
}
