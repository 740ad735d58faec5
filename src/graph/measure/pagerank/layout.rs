//! The arcs of a graph in the order in which sweeps read them.
//!
//! Nodes with out-links get *slots*, chunk by chunk: those with the same number of in-links lie together in a
//! chunk, so that a sweep knows how long its loops are and needs no offsets. Nodes without out-links have no
//! slot: no other value depends on theirs but by their sum. Where the numbering brings neighbours together, as
//! that of the Web does, chunks follow it; else they follow the number of out-links, falling by powers of two,
//! so that the values that are read most often stay in the cache.
//!
//! A chunk has a *buffer*, a copy of its values, which it alone reads and writes while it is worked on; the
//! values of others come from the slots. Each arc holds the number of the cell to read, in the buffer or in a
//! slot, so that a sweep neither searches nor decides. Arcs from a node to itself are left out: what they give
//! is solved for.

use super::Problem;
use crate::csr::Csr;
use rayon::prelude::*;
use std::ops::Range;

/// Least work of a chunk, in arcs + nodes.
const CHUNK_WORK: u64 = 1 << 14;
/// Strips, which are the most threads that can work at once.
pub(super) const STRIPS: usize = 16;
/// Chunks of a strip to aim at in large graphs. Many make the sweeps converge like sequential ones, but each
/// ends with all threads waiting.
const STEPS: usize = 64;
/// How far apart the numbers of neighbours may be that share a cache.
const NEAR: u32 = 1 << 15;

/// The slot of a node without out-links.
pub(super) const NO_SLOT: u32 = u32::MAX;

/// Nodes that are worked on by one thread at a time.
pub(super) struct Chunk {
    pub slots: Range<usize>,
    pub arcs: Range<usize>,
    /// First cell of its buffer.
    pub buffer: usize,
    /// (in-links, number of nodes with as many), in the order of slots.
    pub groups: Vec<(u32, u32)>,
}

/// See the module.
pub(super) struct Layout {
    /// Node of each slot.
    pub nodes: Vec<u32>,
    /// Slot of each node, or [`NO_SLOT`].
    pub slot: Vec<u32>,
    pub chunks: Vec<Chunk>,
    /// Chunks of a strip.
    pub steps: usize,
    /// Slots, then buffers.
    pub num_cells: usize,
    /// The cell of each arc's source.
    pub sources: Vec<u32>,
    /// The share of its source's value that an arc carries; empty if all arcs of a node carry the same.
    pub shares: Vec<f32>,
}

impl Layout {
    /// Lays out a graph for a problem; `d` is the damping. `None` if 32 bits cannot number the cells.
    pub fn new<A: Sync>(problem: &Problem<'_, A>, weighted: bool) -> Option<Self> {
        let Problem { transpose, share, loops, .. } = *problem;
        let offsets = transpose.offsets();
        // In-links from others, of nodes with out-links.
        let degree: Vec<u32> = (0..share.len())
            .into_par_iter()
            .with_min_len(1 << 12)
            .map(|v| match share[v] > 0.0 {
                true => (offsets[v + 1] - offsets[v]) as u32 - u32::from(loops.get(v).is_some_and(|&l| l)),
                false => 0,
            })
            .collect();
        let mut nodes = order(problem.graph, transpose, share);
        let bounds = bounds(&nodes, &degree);
        let steps = bounds.len().saturating_sub(1).div_ceil(STRIPS).max(1);
        let longest = bounds.windows(2).map(|b| b[1] - b[0]).max().unwrap_or(0);
        let num_cells = nodes.len() + STRIPS * longest;
        if num_cells > u32::MAX as usize {
            return None;
        }
        // Nodes of one degree together.
        let mut pieces = Vec::new();
        let mut rest = &mut nodes[..];
        for pair in bounds.windows(2) {
            let (piece, tail) = rest.split_at_mut(pair[1] - pair[0]);
            pieces.push(piece);
            rest = tail;
        }
        let groups: Vec<Vec<(u32, u32)>> = pieces
            .into_par_iter()
            .map(|piece| {
                let sorted = piece.iter().zip(0..).map(|(&v, i)| u64::from(degree[v as usize]) << 32 | i);
                let mut sorted: Vec<u64> = sorted.collect();
                sorted.sort_unstable();
                let unsorted = piece.to_vec();
                for (v, &key) in piece.iter_mut().zip(&sorted) {
                    *v = unsorted[key as u32 as usize];
                }
                let groups = sorted.chunk_by(|a, b| a >> 32 == b >> 32);
                groups.map(|group| ((group[0] >> 32) as u32, group.len() as u32)).collect()
            })
            .collect();
        drop(degree);
        let mut arc = 0;
        let chunks: Vec<Chunk> = groups
            .into_iter()
            .zip(bounds.windows(2))
            .enumerate()
            .map(|(chunk, (groups, bounds))| {
                let first = arc;
                arc += groups.iter().map(|&(degree, nodes)| degree as usize * nodes as usize).sum::<usize>();
                let buffer = nodes.len() + chunk / steps * longest;
                Chunk { slots: bounds[0]..bounds[1], arcs: first..arc, buffer, groups }
            })
            .collect();
        let mut slot = vec![NO_SLOT; share.len()];
        for (p, &v) in (0u32..).zip(&nodes) {
            slot[v as usize] = p;
        }
        let mut layout =
            Layout { nodes, slot, chunks, steps, num_cells, sources: vec![0; arc], shares: Vec::new() };
        if weighted {
            layout.shares = vec![0.0; arc];
        }
        layout.fill(problem);
        Some(layout)
    }

    /// Writes the arcs.
    fn fill<A: Sync>(&mut self, problem: &Problem<'_, A>) {
        let Problem { transpose, share, .. } = *problem;
        let slot = &self.slot;
        let (mut sources, mut shares) = (&mut self.sources[..], &mut self.shares[..]);
        let weights = transpose.weights().filter(|_| !shares.is_empty());
        let (offsets, targets) = (transpose.offsets(), transpose.targets());
        let mut work = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let (mine, rest) = sources.split_at_mut(chunk.arcs.len());
            sources = rest;
            let (my_shares, rest) = shares.split_at_mut(chunk.arcs.len().min(shares.len()));
            shares = rest;
            work.push((chunk, mine, my_shares));
        }
        let loops = problem.loops;
        work.into_par_iter().for_each(|(chunk, sources, shares)| {
            let (low, len) = (chunk.slots.start as u32, chunk.slots.len() as u32);
            // Rows lie far apart: that they are only copied here lets many be fetched at a time.
            let (mut rest, mut rest_shares) = (&mut sources[..], &mut shares[..]);
            for &v in &self.nodes[chunk.slots.clone()] {
                let arcs = offsets[v as usize] as usize..offsets[v as usize + 1] as usize;
                let own = match loops.get(v as usize) {
                    Some(true) => arcs.start + targets[arcs.clone()].partition_point(|&u| u < v),
                    _ => arcs.end,
                };
                for arcs in [arcs.start..own, (own + 1).min(arcs.end)..arcs.end] {
                    let (row, tail) = rest.split_at_mut(arcs.len());
                    row.copy_from_slice(&targets[arcs.clone()]);
                    rest = tail;
                    if let Some(weights) = weights {
                        let (row, tail) = rest_shares.split_at_mut(arcs.len());
                        for (of_arc, arc) in row.iter_mut().zip(arcs) {
                            *of_arc = (weights.get(arc) * share[targets[arc] as usize]) as f32;
                        }
                        rest_shares = tail;
                    }
                }
            }
            for source in sources {
                // A node whose weights are all zero has no slot: any will do, times zero.
                let slot = if slot[*source as usize] == NO_SLOT { low } else { slot[*source as usize] };
                let in_buffer = slot.wrapping_sub(low);
                *source = if in_buffer < len { chunk.buffer as u32 + in_buffer } else { slot };
            }
        });
    }
}

/// The nodes that get slots, in the order of slots.
fn order(graph: &Csr, transpose: &Csr, share: &[f64]) -> Vec<u32> {
    let nodes: Vec<u32> = (0..share.len() as u32).filter(|&v| share[v as usize] > 0.0).collect();
    let (mut near, mut all) = (0, 0);
    for &v in nodes.iter().step_by(nodes.len() / 4096 + 1) {
        let sources = transpose.successor_slice(v);
        all += sources.len();
        near += sources.iter().filter(|&&u| u.abs_diff(v) < NEAR).count();
    }
    if 2 * near >= all {
        return nodes;
    }
    let offsets = graph.offsets();
    let class = |v: u32| (offsets[v as usize + 1] - offsets[v as usize]).ilog2() as usize;
    let mut starts = [0; 65];
    nodes.iter().for_each(|&v| starts[64 - class(v)] += 1);
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut sorted = vec![0; nodes.len()];
    for &v in &nodes {
        let start = &mut starts[63 - class(v)];
        sorted[*start] = v;
        *start += 1;
    }
    sorted
}

/// Where the chunks begin and end: pieces of about equal work, as a function of the graph alone.
fn bounds(nodes: &[u32], degree: &[u32]) -> Vec<usize> {
    let work = |v: &u32| u64::from(degree[*v as usize]) + 1;
    let goal = CHUNK_WORK.max(nodes.iter().map(work).sum::<u64>() / (STEPS * STRIPS) as u64);
    let (mut bounds, mut done) = (vec![0], 0);
    for (i, v) in nodes.iter().enumerate() {
        done += work(v);
        if done >= goal || i + 1 == nodes.len() {
            bounds.push(i + 1);
            done = 0;
        }
    }
    bounds
}
