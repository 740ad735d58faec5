//! Harmonic centrality of all nodes by breadth-first searches from many sources together.
//!
//! Each search has a bit in a set that each node keeps: of the searches that have seen it, and of those that meet it
//! next. A node is looked at once for all searches that met it at the same distance, and searches from neighbours meet
//! most nodes at few distances: sources are taken in the order of nodes, which is that of URLs. At distance d a node
//! gets as many times 1/d as searches meet it.

use crate::csr::Csr;
use rayon::prelude::*;

/// Words of a set.
const WORDS: usize = 4;
/// Searches that are made together.
const TOGETHER: usize = 64 * WORDS;

type Set = [u64; WORDS];

/// What one node knows; a line of the cache.
#[derive(Clone, Default)]
#[repr(align(64))]
struct Cell {
    seen: Set,
    next: Set,
}

/// Bytes that a thread takes.
pub(super) fn memory_estimate(nodes: usize) -> u64 {
    128 * nodes as u64
}

/// The centralities and the greatest distance, in `memory` bytes, which hold one thread's searches at least.
pub(super) fn harmonic(graph: &Csr, memory: Option<u64>) -> (Vec<f64>, usize) {
    let n = graph.num_nodes();
    let fit = memory.map_or(u64::MAX, |memory| memory / memory_estimate(n).max(1));
    let threads = rayon::current_num_threads().clamp(1, fit.clamp(1, 1 << 10) as usize);
    let sources: Vec<u32> = (0..n as u32).filter(|&u| graph.successors(u).any(|v| v != u)).collect();
    let batches: Vec<&[u32]> = sources.chunks(TOGETHER).collect();
    let (mut scores, mut greatest) = (vec![0.0; n], 0);
    for batches in batches.chunks(threads) {
        let found: Vec<(Vec<f64>, usize)> =
            batches.par_iter().with_max_len(1).map(|sources| search(graph, sources)).collect();
        for (parts, distance) in found {
            scores.par_iter_mut().zip(&parts).with_min_len(1 << 14).for_each(|(score, part)| *score += part);
            greatest = greatest.max(distance);
        }
    }
    (scores, greatest)
}

/// What these sources add to the centrality of each node, and their greatest distance to one.
fn search(graph: &Csr, sources: &[u32]) -> (Vec<f64>, usize) {
    let n = graph.num_nodes();
    let mut cells = vec![Cell::default(); n];
    let mut now = vec![Set::default(); n];
    let mut scores = vec![0.0; n];
    let (mut queue, mut following): (Vec<u32>, Vec<u32>) = (sources.to_vec(), Vec::new());
    for (bit, &source) in sources.iter().enumerate() {
        let (word, bit) = (bit / 64, 1 << (bit % 64));
        cells[source as usize].seen[word] |= bit;
        now[source as usize][word] |= bit;
    }
    let mut distance = 0;
    loop {
        for &u in &queue {
            let bits = now[u as usize];
            for &v in graph.successor_slice(u) {
                let Cell { seen, next } = &mut cells[v as usize];
                let (mut fresh, mut before) = (0, 0);
                for word in 0..WORDS {
                    let new = bits[word] & !seen[word];
                    before |= next[word];
                    fresh |= new;
                    next[word] |= new;
                }
                if fresh != 0 && before == 0 {
                    following.push(v);
                }
            }
        }
        if following.is_empty() {
            return (scores, distance);
        }
        distance += 1;
        let share = 1.0 / distance as f64;
        for &v in &following {
            let Cell { seen, next } = &mut cells[v as usize];
            let mut count = 0;
            for (seen, next) in seen.iter_mut().zip(next.iter()) {
                *seen |= next;
                count += next.count_ones();
            }
            now[v as usize] = std::mem::take(next);
            scores[v as usize] += f64::from(count) * share;
        }
        std::mem::swap(&mut queue, &mut following);
        following.clear();
    }
}
