//! One Gauss–Seidel sweep over a graph, in parallel and the same on any number of threads.
//!
//! Nodes are cut into chunks of about equal work, and the row of chunks into strips of equal length. All strips
//! advance together, chunk by chunk: chunks worked on at one time lie far from one another, and what comes just
//! before a chunk, where most links on the Web come from, is done. The contributions (rank × share of an arc) lie
//! in an array of two halves: the first holds what everybody may read, the second what each chunk writes and it
//! alone reads. After each step the second half of its chunks is copied to the first. The cells are relaxed
//! atomics, which cost what plain loads and stores cost and need no `unsafe`; no cell is ever read by one thread
//! while another writes it, so the order of threads is not in the result.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Least work of a chunk, in arcs + nodes.
const CHUNK_WORK: u64 = 1 << 14;
/// Strips, which are the most threads that can work at once.
const STRIPS: usize = 16;
/// Chunks of a strip to aim at in large graphs. Many make the sweeps converge like sequential ones, but each
/// ends with all threads waiting.
const STEPS: usize = 64;

/// Arcs from which on it pays to keep several sums.
const LONG: usize = 64;

/// Sums the contributions that come in over a node's arcs.
pub(super) trait Pull: Sync {
    fn pull(&self, arcs: Range<usize>, read: impl Fn(u32) -> f64) -> f64;
    /// Do arcs have weights?
    fn weighted(&self) -> bool;
}

/// Arcs that all count the same; the sources of all arcs.
pub(super) struct Plain<'a>(pub &'a [u32]);

impl Pull for Plain<'_> {
    #[inline(always)]
    fn pull(&self, arcs: Range<usize>, read: impl Fn(u32) -> f64) -> f64 {
        let sources = &self.0[arcs];
        if sources.len() < LONG {
            return sources.iter().map(|&u| read(u)).sum();
        }
        // Four sums, so that an addition does not wait for the one before.
        let fours = sources.chunks_exact(4);
        let rest: f64 = fours.remainder().iter().map(|&u| read(u)).sum();
        let mut sums = [0.0; 4];
        for four in fours {
            for (sum, &u) in sums.iter_mut().zip(four) {
                *sum += read(u);
            }
        }
        sums[0] + sums[1] + (sums[2] + sums[3]) + rest
    }

    fn weighted(&self) -> bool {
        false
    }
}

/// Arcs with their weights.
pub(super) struct WeightedArcs<'a, W>(pub &'a [u32], pub &'a [W]);

impl<W: Copy + Into<f64> + Sync> Pull for WeightedArcs<'_, W> {
    #[inline(always)]
    fn pull(&self, arcs: Range<usize>, read: impl Fn(u32) -> f64) -> f64 {
        self.0[arcs.clone()].iter().zip(&self.1[arcs]).map(|(&u, &w)| w.into() * read(u)).sum()
    }

    fn weighted(&self) -> bool {
        true
    }
}

/// What a sweep found: ‖Δ‖₁ and, of the new values, the sum and the sum over nodes without successors.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SweepResult {
    pub change: f64,
    pub total: f64,
    pub dangling: f64,
}

/// The state between sweeps.
pub(super) struct Sweeps<'a> {
    offsets: &'a [u64],
    share: &'a [f64],
    /// 1 / (1 − d p) of each node, p the probability to stay at it; empty if there are no self-loops.
    relax: &'a [f64],
    /// Contributions: the halves for all and for a chunk's own nodes.
    contributions: Vec<AtomicU64>,
    chunks: Vec<Range<usize>>,
}

impl<'a> Sweeps<'a> {
    /// Over a transpose with these offsets, where each node gives `share` of its rank to each arc (of weight
    /// 1).
    pub fn new(offsets: &'a [u64], share: &'a [f64], relax: &'a [f64], x: &[f64]) -> Self {
        let once = x.iter().zip(share).map(|(x, share)| x * share);
        let contributions = once.clone().chain(once).map(|c| AtomicU64::new(c.to_bits())).collect();
        Sweeps { offsets, share, relax, contributions, chunks: chunks(offsets) }
    }

    /// x ← base + d Pᵀ x.
    pub fn sweep(
        &mut self,
        arcs: &impl Pull,
        x: &mut [f64],
        d: f64,
        base: impl Fn(usize) -> f64 + Sync,
    ) -> SweepResult {
        let n = self.share.len();
        let (cells, offsets, share, relax) = (&self.contributions[..], self.offsets, self.share, self.relax);
        let mut rest = x;
        let mut chunks: Vec<&mut [f64]> = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let (part, tail) = rest.split_at_mut(chunk.len());
            chunks.push(part);
            rest = tail;
        }
        let strip = self.chunks.len().div_ceil(STRIPS).max(1);
        // The chunks that each strip still has to do.
        let mut strips: Vec<_> = self.chunks.chunks(strip).zip(chunks.chunks_mut(strip)).collect();
        let mut sums: Vec<SweepResult> = Vec::new();
        for _ in 0..strip {
            let parts: Vec<(&Range<usize>, &mut [f64])> = strips
                .iter_mut()
                .filter_map(|(ranges, parts)| {
                    let (range, others) = ranges.split_first()?;
                    let (part, rest) = std::mem::take(parts).split_first_mut()?;
                    (*ranges, *parts) = (others, rest);
                    Some((range, &mut **part))
                })
                .collect();
            let done: Vec<&Range<usize>> = parts.iter().map(|part| part.0).collect();
            let of_chunks: Vec<SweepResult> = parts
                .into_par_iter()
                .with_max_len(1)
                .map(|(chunk, x)| {
                    let (low, len) = (chunk.start as u32, chunk.len() as u32);
                    let read = |u: u32| {
                        let own = if u.wrapping_sub(low) < len { n } else { 0 };
                        f64::from_bits(cells[u as usize + own].load(Relaxed))
                    };
                    let mut swept = SweepResult::default();
                    for (x, v) in x.iter_mut().zip(chunk.clone()) {
                        let incoming = arcs.pull(offsets[v] as usize..offsets[v + 1] as usize, read);
                        let mut step = base(v) + d * incoming - *x;
                        if let Some(relax) = relax.get(v) {
                            step *= relax;
                        }
                        let rank = *x + step;
                        swept.change += step.abs();
                        swept.total += rank;
                        swept.dangling += if share[v] == 0.0 { rank } else { 0.0 };
                        *x = rank;
                        cells[n + v].store((rank * share[v]).to_bits(), Relaxed);
                    }
                    swept
                })
                .collect();
            sums.extend(of_chunks);
            for v in done.into_iter().flat_map(Range::clone) {
                cells[v].store(cells[n + v].load(Relaxed), Relaxed);
            }
        }
        SweepResult {
            change: sum(sums.iter().map(|s| s.change)),
            total: sum(sums.iter().map(|s| s.total)),
            dangling: sum(sums.iter().map(|s| s.dangling)),
        }
    }
}

/// Cuts the nodes into chunks, as a function of the graph alone.
pub(super) fn chunks(offsets: &[u64]) -> Vec<Range<usize>> {
    let n = offsets.len() - 1;
    let work = |v: usize| offsets[v] + v as u64;
    let goal = CHUNK_WORK.max(work(n) / (STEPS * STRIPS) as u64);
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < n {
        let limit = work(start) + goal;
        // The first node whose end passes the limit closes the chunk.
        let (mut low, mut high) = (start + 1, n);
        while low < high {
            let middle = low.midpoint(high);
            if work(middle) < limit { low = middle + 1 } else { high = middle }
        }
        chunks.push(start..low);
        start = low;
    }
    chunks
}

/// Sum with Neumaier's compensation, in the order given.
pub(super) fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut all = Compensated::default();
    values.into_iter().for_each(|value| all.add(value));
    all.value()
}

/// A sum with Neumaier's compensation that grows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Compensated {
    total: f64,
    lost: f64,
}

impl Compensated {
    #[inline]
    pub fn add(&mut self, value: f64) {
        let next = self.total + value;
        let larger = self.total.abs() >= value.abs();
        self.lost += if larger { (self.total - next) + value } else { (value - next) + self.total };
        self.total = next;
    }

    pub fn value(self) -> f64 {
        self.total + self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_all_nodes_once() {
        for degrees in [vec![], vec![0; 10], vec![1 << 20, 0, 0, 1 << 20], vec![10; 500_000]] {
            let mut offsets = vec![0u64];
            for degree in &degrees {
                offsets.push(offsets[offsets.len() - 1] + degree);
            }
            let chunks = chunks(&offsets);
            let covered: Vec<usize> = chunks.iter().cloned().flatten().collect();
            assert_eq!(covered, (0..degrees.len()).collect::<Vec<_>>());
            assert!(chunks.iter().all(|c| !c.is_empty()));
        }
    }

    #[test]
    fn the_sum_keeps_what_plain_addition_loses() {
        assert_eq!(sum([1e16, 1.0, -1e16]), 1.0);
        assert_eq!(sum([]), 0.0);
    }
}
