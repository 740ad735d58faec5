//! One Gauss–Seidel sweep over a graph, in parallel and the same on any number of threads.
//!
//! Nodes are cut into chunks of about equal work, chunks into blocks. Blocks follow one another; the chunks
//! of a block run in parallel. The contributions (rank × share of an arc) lie in an array of two halves: the
//! first holds what everybody may read, the second what each chunk writes and it alone reads. After a block
//! the second half is copied to the first. The cells are relaxed atomics, which cost what plain loads and
//! stores cost and need no `unsafe`; no cell is ever read by one thread while another writes it, so the order
//! of threads is not in the result.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Least work of a chunk, in arcs + nodes.
const CHUNK_WORK: u64 = 1 << 14;
/// Blocks to aim at. Many blocks make the sweeps converge like sequential ones, but each ends with all threads waiting.
const BLOCKS: usize = 64;
/// Chunks of a block, which are the most threads that can work at once.
const BLOCK_CHUNKS: (usize, usize) = (4, 64);

/// Arcs from which on it pays to keep several sums.
const LONG: usize = 64;

/// Sums the contributions that come in over a node's arcs.
pub(super) trait Pull: Sync {
    fn pull(&self, arcs: Range<usize>, read: impl Fn(u32) -> f64) -> f64;
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
}

/// Arcs with weights beside them.
pub(super) struct Weighted<'a, W>(pub &'a [u32], pub &'a [W]);

impl<W: Copy + Into<f64> + Sync> Pull for Weighted<'_, W> {
    #[inline(always)]
    fn pull(&self, arcs: Range<usize>, read: impl Fn(u32) -> f64) -> f64 {
        self.0[arcs.clone()].iter().zip(&self.1[arcs]).map(|(&u, &w)| w.into() * read(u)).sum()
    }
}

/// The state between sweeps.
pub(super) struct Sweeps<'a> {
    offsets: &'a [u64],
    share: &'a [f64],
    /// 1 / (1 − d p) of each node, p the probability to stay at it; empty if there are no self-loops.
    relax: &'a [f64],
    /// Contributions: the halves for all and for a chunk's own nodes.
    contributions: Vec<AtomicU64>,
    /// Chunks by block.
    blocks: Vec<Vec<Range<usize>>>,
}

impl<'a> Sweeps<'a> {
    /// Over a transpose with these offsets, where each node gives `share` of its rank to each arc (of weight
    /// 1).
    pub fn new(offsets: &'a [u64], share: &'a [f64], relax: &'a [f64], x: &[f64]) -> Self {
        let once = x.iter().zip(share).map(|(x, share)| x * share);
        let contributions = once.clone().chain(once).map(|c| AtomicU64::new(c.to_bits())).collect();
        Sweeps { offsets, share, relax, contributions, blocks: blocks(offsets) }
    }

    /// x ← base + d Pᵀ x; returns ‖Δ‖₁.
    pub fn sweep(
        &mut self,
        arcs: &impl Pull,
        x: &mut [f64],
        d: f64,
        base: impl Fn(usize) -> f64 + Sync,
    ) -> f64 {
        let n = self.share.len();
        let (cells, offsets, share, relax) = (&self.contributions[..], self.offsets, self.share, self.relax);
        let mut rest = x;
        let mut changes = Vec::new();
        for block in &self.blocks {
            let mut parts = Vec::with_capacity(block.len());
            for chunk in block {
                let (part, tail) = rest.split_at_mut(chunk.len());
                parts.push((chunk.clone(), part));
                rest = tail;
            }
            let chunk_changes: Vec<f64> = parts
                .into_par_iter()
                .with_max_len(1)
                .map(|(chunk, x)| {
                    let (low, len) = (chunk.start as u32, chunk.len() as u32);
                    let read = |u: u32| {
                        let own = if u.wrapping_sub(low) < len { n } else { 0 };
                        f64::from_bits(cells[u as usize + own].load(Relaxed))
                    };
                    let mut change = 0.0;
                    for (x, v) in x.iter_mut().zip(chunk) {
                        let incoming = arcs.pull(offsets[v] as usize..offsets[v + 1] as usize, read);
                        let mut step = base(v) + d * incoming - *x;
                        if let Some(relax) = relax.get(v) {
                            step *= relax;
                        }
                        let rank = *x + step;
                        change += step.abs();
                        *x = rank;
                        cells[n + v].store((rank * share[v]).to_bits(), Relaxed);
                    }
                    change
                })
                .collect();
            changes.extend(chunk_changes);
            let done = block.first().map_or(0, |c| c.start)..block.last().map_or(0, |c| c.end);
            for v in done {
                cells[v].store(cells[n + v].load(Relaxed), Relaxed);
            }
        }
        sum(changes)
    }
}

/// Cuts the nodes into blocks of chunks, as a function of the graph alone.
fn blocks(offsets: &[u64]) -> Vec<Vec<Range<usize>>> {
    let n = offsets.len() - 1;
    let work = |v: usize| offsets[v] + v as u64;
    let goal = CHUNK_WORK.max(work(n) / (BLOCKS * BLOCK_CHUNKS.1) as u64);
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
    let together = (chunks.len() / BLOCKS).clamp(BLOCK_CHUNKS.0, BLOCK_CHUNKS.1);
    chunks.chunks(together).map(<[_]>::to_vec).collect()
}

/// Sum with Neumaier's compensation, in the order given.
pub(super) fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0f64, 0.0f64);
    for value in values {
        let next = total + value;
        lost += if total.abs() >= value.abs() { (total - next) + value } else { (value - next) + total };
        total = next;
    }
    total + lost
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
            let chunks: Vec<Range<usize>> = blocks(&offsets).into_iter().flatten().collect();
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
