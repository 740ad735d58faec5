//! The graph with every arc turned round, in memory or on disk.
//!
//! **Algorithm.** By ranges of targets: each thread reads all arcs and writes those that end in its range, so every list
//! comes out ascending without sorting, and the result does not depend on the number of threads. On disk, where the arcs do
//! not fit the memory, so for as many targets at a time as do.
//!
//! **Cost.** 8 bytes a node and 4 an arc, 8 with weights; on disk half of the memory that is given, and at least 16 bytes a node.
//! O(n + m × threads × lots) sequential reads, O(m) writes.

use super::csr::{Csr, Weights};
use super::store::{CsrWriter, WeightKind};
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;
use webmill_capture::error::{AtPath, Result};

/// The least that a lot of targets may take.
const LEAST_LOT: u64 = 1 << 20;

impl Csr {
    /// The graph with every arc turned round, in memory.
    pub fn transpose(&self) -> Csr {
        let offsets = self.in_offsets();
        let all = 0..self.num_nodes();
        let targets = self.scatter(&offsets, all.clone(), |u, _| u);
        let weights = self.weights.as_ref().map(|weights| match weights {
            Weights::Counts(w) => Weights::Counts(self.scatter(&offsets, all, |_, arc| w[arc]).into()),
            Weights::Reals(w) => Weights::Reals(self.scatter(&offsets, all, |_, arc| w[arc]).into()),
        });
        Csr { offsets: offsets.into(), targets: targets.into(), weights }
    }

    /// The same in a file in `folder`, which is mapped and has no name, made in half of `memory` bytes where 16 bytes per node
    /// are less: for graphs whose arcs do not fit there.
    ///
    /// # Errors
    /// [`Error::Io`](webmill_capture::Error::Io) if the disk refuses.
    pub fn transpose_on_disk(&self, memory: u64, folder: &Path) -> Result<Csr> {
        // What a lot took may be with the allocator still when the next asks.
        self.in_lots((memory.saturating_sub(16 * self.num_nodes() as u64) / 2).max(LEAST_LOT), folder)
    }

    /// `lot` bytes at a time; a single list may take more, but no more than 8 bytes a node.
    fn in_lots(&self, lot: u64, folder: &Path) -> Result<Csr> {
        let n = self.num_nodes();
        let offsets = self.in_offsets();
        let an_arc = if self.weights.is_some() { 8 } else { 4 };
        let file = tempfile::NamedTempFile::new_in(folder).at(folder)?;
        let mut writer = CsrWriter::create(file.path(), n, WeightKind::of(self))?;
        let mut start = 0;
        while start < n {
            let takes = |end: usize| an_arc * (offsets[end] - offsets[start]) + 8 * (end - start) as u64;
            let mut end = start + 1;
            while end < n && takes(end + 1) <= lot {
                end += 1;
            }
            let sources = self.scatter(&offsets, start..end, |u, _| u);
            let weights = match self.weights {
                None => Vec::new(),
                Some(_) => self.scatter(&offsets, start..end, |_, arc| self.weight_bits(arc)),
            };
            let mut weights = weights.into_iter();
            let mut sources = sources.into_iter();
            for v in start..end {
                for source in sources.by_ref().take((offsets[v + 1] - offsets[v]) as usize) {
                    writer.push(v as u32, source, weights.next().unwrap_or(0))?;
                }
            }
            start = end;
        }
        writer.finish()?;
        Csr::open(file.path())
    }

    /// Weight of an arc as bits of the kind of weights that the graph has; 0 without.
    pub(super) fn weight_bits(&self, arc: usize) -> u32 {
        match &self.weights {
            None => 0,
            Some(Weights::Counts(w)) => w[arc],
            Some(Weights::Reals(w)) => w[arc].to_bits(),
        }
    }

    /// Parts that threads work on at one time.
    fn parts(&self) -> usize {
        rayon::current_num_threads().clamp(1, 16).min(self.num_nodes() / 4096 + 1)
    }

    /// Offsets of the transpose.
    fn in_offsets(&self) -> Vec<u64> {
        let n = self.num_nodes();
        let mut offsets = vec![0u64; n + 1];
        let width = n.div_ceil(self.parts()).max(1);
        offsets[1..].par_chunks_mut(width).enumerate().for_each(|(part, counts)| {
            let low = (part * width) as u32;
            for &v in &self.targets[..] {
                if let Some(count) = counts.get_mut(v.wrapping_sub(low) as usize) {
                    *count += 1;
                }
            }
        });
        for v in 0..n {
            offsets[v + 1] += offsets[v];
        }
        offsets
    }

    /// `what(source, arc)` of every arc that ends in `lot`, ordered by target, then source.
    fn scatter<T: Copy + Default + Send>(
        &self,
        offsets: &[u64],
        lot: Range<usize>,
        what: impl Fn(u32, usize) -> T + Sync,
    ) -> Vec<T> {
        let mut out = vec![T::default(); (offsets[lot.end] - offsets[lot.start]) as usize];
        let mut rest = &mut out[..];
        let ranges = balanced(offsets, lot, self.parts());
        let mut parts = Vec::with_capacity(ranges.len());
        for range in &ranges {
            let (part, tail) = rest.split_at_mut((offsets[range.end] - offsets[range.start]) as usize);
            parts.push((range, part));
            rest = tail;
        }
        parts.into_par_iter().for_each(|(range, part)| {
            let (low, base) = (range.start as u32, offsets[range.start]);
            let mut next: Vec<u64> = offsets[range.clone()].iter().map(|o| o - base).collect();
            for u in 0..self.num_nodes() as u32 {
                for arc in self.arcs_of(u) {
                    if let Some(next) = next.get_mut(self.targets[arc].wrapping_sub(low) as usize) {
                        part[*next as usize] = what(u, arc);
                        *next += 1;
                    }
                }
            }
        });
        out
    }
}

/// `lot` cut into ranges with about equal numbers of arcs.
fn balanced(offsets: &[u64], lot: Range<usize>, parts: usize) -> Vec<Range<usize>> {
    let (first, arcs) = (offsets[lot.start], offsets[lot.end] - offsets[lot.start]);
    let cut = |part: usize| {
        let goal = first + (u128::from(arcs) * part as u128 / parts as u128) as u64;
        let within = &offsets[lot.clone()];
        if part == parts { lot.end } else { lot.start + within.partition_point(|&o| o < goal) }
    };
    (0..parts).map(|part| cut(part)..cut(part + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    fn same(a: &Csr, b: &Csr) -> bool {
        a.offsets() == b.offsets() && a.arcs().eq(b.arcs()) && a.weights().is_some() == b.weights().is_some()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn transposing_twice_is_identity(
            graph in graphs(60, 300), kind in 0..3, weights in prop::collection::vec(0u32..9, 300), lot in 1u64..2000,
        ) {
            let n = graph.num_nodes();
            let arcs = graph.arcs().zip(weights).map(|((u, v, _), w)| (u, v, w));
            let graph = match kind {
                0 => graph.clone(),
                1 => Csr::from_counted_arcs(n, arcs).unwrap(),
                _ => Csr::from_weighted_arcs(n, arcs.map(|(u, v, w)| (u, v, w as f32 / 4.0))).unwrap(),
            };
            let transpose = graph.transpose();
            let mut turned: Vec<_> = graph.arcs().map(|(u, v, w)| (v, u, w)).collect();
            turned.sort_by_key(|arc| (arc.0, arc.1));
            prop_assert_eq!(transpose.arcs().collect::<Vec<_>>(), turned);
            prop_assert!(transpose.check().is_ok() && same(&transpose.transpose(), &graph));
            let mapped = graph.in_lots(lot, &std::env::temp_dir()).unwrap();
            prop_assert!(same(&mapped, &transpose) && (mapped.owned_bytes(), graph.owned_bytes()) == (0, graph.bytes()));
        }
    }

    #[test]
    fn transpose_is_the_same_on_any_number_of_threads() {
        let graph = Csr::from_arcs(1 << 15, crate::rmat::rmat(15, 6, 1)).unwrap();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| (graph.transpose(), graph.in_lots(300_000, &std::env::temp_dir()).unwrap()))
        };
        let (one, many) = (on(1), on(7));
        assert!(same(&one.0, &many.0) && same(&one.0, &one.1) && same(&one.0, &many.1));
    }
}
