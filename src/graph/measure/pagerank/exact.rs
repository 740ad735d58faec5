//! The residual of an equation, in double precision.

use super::{Flow, Problem};
use crate::sweep::{Pull, chunks, sum};
use rayon::prelude::*;
use std::ops::Range;

/// A vector y in work: its values at nodes with out-links.
pub(super) struct ExactVector<'a, A> {
    problem: &'a Problem<'a, A>,
    chunks: Vec<Range<usize>>,
    /// At nodes without out-links, what comes in by links.
    pub y: Vec<f64>,
    given: Vec<f64>,
    /// The residual of y = c + d P₀ᵀ y at nodes with out-links; 0 at others.
    pub left: Vec<f64>,
    /// c: the residual of the equation counts with these multiples of the teleport vector and of 1.
    base: (f64, f64),
}

/// The L1 norm of the residual, and the sum of y over all nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Residual {
    pub size: f64,
    pub total: f64,
}

impl<'a, A: Pull> ExactVector<'a, A> {
    pub fn new(problem: &'a Problem<'a, A>, y: Vec<f64>) -> Self {
        let chunks = chunks(problem.transpose.offsets());
        let (given, left) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        ExactVector { problem, chunks, y, given, left, base: (0.0, 0.0) }
    }

    /// Sweeps over the graph to learn the residual, of the equation whose teleporting follows y.
    pub fn sweep(&mut self, flow: &Flow) -> Residual {
        let Problem { share, arcs, transpose, .. } = *self.problem;
        let offsets = transpose.offsets();
        let terms = self.given.par_iter_mut().zip(&self.y).zip(share).with_min_len(1 << 12);
        terms.for_each(|((given, y), share)| *given = y * share);
        let given = &self.given;
        let read = |u: u32| given[u as usize];
        let parts = split(&self.chunks, &mut self.y).into_par_iter().zip(split(&self.chunks, &mut self.left));
        let sums: Vec<(f64, f64)> = parts
            .map(|((chunk, y), (_, left))| {
                let (mut total, mut leak) = (0.0, 0.0);
                for ((y, left), v) in y.iter_mut().zip(left).zip(chunk.clone()) {
                    let incoming =
                        arcs.pull(offsets[v] as usize..offsets[v + 1] as usize, read) * flow.damping;
                    if share[v] == 0.0 {
                        *y = incoming;
                        leak += incoming;
                    } else {
                        *left = incoming - *y;
                        total += *y;
                    }
                }
                (total, leak)
            })
            .collect();
        let (total, leak) = (sum(sums.iter().map(|s| s.0)), sum(sums.iter().map(|s| s.1)));
        self.base = flow.teleports(total, leak);
        let (preferred, even) = (self.base.0, self.base.1 * flow.uniform);
        let sizes: Vec<f64> = split(&self.chunks, &mut self.left)
            .into_par_iter()
            .map(|(chunk, left)| {
                let mut size = 0.0;
                for (left, v) in left.iter_mut().zip(chunk.clone()).filter(|(_, v)| share[*v] > 0.0) {
                    *left += preferred * self.problem.preferred(v) + even;
                    size += left.abs();
                }
                size
            })
            .collect();
        Residual { size: sum(sizes), total: total + flow.dangling(total, leak) }
    }

    /// The whole vector, and the multiple of the teleport vector in its equation.
    pub fn finish(mut self, flow: &Flow) -> (Vec<f64>, f64) {
        let (preferred, even) = (self.base.0, self.base.1 * flow.uniform);
        let share = self.problem.share;
        self.y.par_iter_mut().zip(share).enumerate().with_min_len(1 << 12).for_each(|(v, (y, share))| {
            if *share == 0.0 {
                *y += preferred * self.problem.preferred(v) + even;
            }
        });
        (self.y, preferred)
    }
}

fn split<'b>(chunks: &'b [Range<usize>], mut rest: &'b mut [f64]) -> Vec<(&'b Range<usize>, &'b mut [f64])> {
    let mut parts = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let (part, tail) = rest.split_at_mut(chunk.len());
        parts.push((chunk, part));
        rest = tail;
    }
    parts
}
