//! PageRank by iterative refinement: see the module above.

use super::correction::Correction;
use super::exact::ExactVector;
use super::layout::Layout;
use super::{Dangling, Flow, PageRank, Problem, SolvedRanks};
use crate::sweep::Pull;
use rayon::prelude::*;

/// Change of a sweep over the correction's size at which single precision has done what it can, times 1 − d.
const PRECISION: f64 = 1.0 / (1 << 22) as f64;

/// Share of what teleports that must come to nodes with out-links, lest what dangles outweighs their values too far.
const LEAST_OPEN: f64 = 1e-6;

impl PageRank<'_> {
    /// `None` if the graph has more nodes than a layout can number, or hardly anything comes to nodes with out-links.
    pub(super) fn refine(&self, problem: &Problem<'_, impl Pull>) -> Option<SolvedRanks> {
        let (n, d) = (problem.share.len(), self.damping);
        let flow = Flow::new(self, problem);
        if flow.reaches() && flow.open.2 < LEAST_OPEN {
            return None;
        }
        let guess =
            |v: u32| if flow.open.0 < LEAST_OPEN { flow.uniform } else { problem.preferred(v as usize) };
        // From zero, all is left to correct; the first vector is then the first guess of the correction.
        let mut cold = self.max_iterations > 1 && flow.reaches();
        let y = if cold || !flow.reaches() { vec![0.0; n] } else { problem.first(self).0 };
        let mut exact = ExactVector::new(problem, y);
        let mut correction: Option<Correction> = None;
        let (mut iterations, mut error_bound) = (0, f64::INFINITY);
        while iterations < self.max_iterations && error_bound > self.tolerance {
            let (mut size, mut total) = (1.0, 1.0);
            if !cold {
                let left = exact.sweep(&flow);
                (size, total) = (left.size, left.total);
                iterations += 1;
                error_bound = size / ((1.0 - d) * total);
                if error_bound <= self.tolerance || size == 0.0 || iterations + 2 > self.max_iterations {
                    break;
                }
            }
            if correction.is_none() {
                let layout = Layout::new(problem, problem.arcs.weighted())?;
                correction =
                    Some(Correction::new(layout, problem, &leaks(self, problem), problem.arcs.weighted()));
            }
            let correction = correction.as_mut()?;
            let first = if std::mem::take(&mut cold) { 1.0 } else { 0.0 };
            let left = &exact.left;
            correction.begin(size, |v| left[v as usize], |v| first * guess(v));
            let enough = 0.7 * self.tolerance * (1.0 - d) * total / d.max(0.1);
            let enough = enough.max(size * (PRECISION / (1.0 - d)).min(0.1));
            let (mut change, mut worse) = (f64::INFINITY, 0);
            while iterations + 1 < self.max_iterations && change > enough && worse < 3 {
                let last = std::mem::replace(&mut change, correction.sweep(&flow));
                iterations += 1;
                worse = if change < last { 0 } else { worse + 1 };
            }
            correction.add_to(&mut exact.y);
        }
        let (mut y, preferred) = exact.finish(&flow);
        if self.dangling == Dangling::Lost && preferred > 0.0 {
            y.iter_mut().for_each(|y| *y *= (1.0 - d) / preferred);
        }
        Some(SolvedRanks { y, iterations, error_bound })
    }
}

/// The share of its value that each node gives to nodes without out-links, after damping; empty if there are none.
fn leaks(settings: &PageRank, problem: &Problem<'_, impl Pull>) -> Vec<f32> {
    let Problem { graph, share, .. } = *problem;
    let closed: Vec<u64> = share
        .par_chunks(64)
        .map(|s| s.iter().rev().fold(0, |bits, s| bits << 1 | u64::from(*s == 0.0)))
        .collect();
    if closed.iter().all(|&bits| bits == 0) {
        return Vec::new();
    }
    let weights = graph.weights().filter(|_| settings.weighted);
    let goes = |v: u32| closed[v as usize / 64] >> (v % 64) & 1;
    let (offsets, targets) = (graph.offsets(), graph.targets());
    (0..share.len())
        .into_par_iter()
        .with_min_len(1 << 12)
        .map(|u| {
            let arcs = offsets[u] as usize..offsets[u + 1] as usize;
            let sum = match weights {
                None => targets[arcs].iter().map(|&v| goes(v)).sum::<u64>() as f64,
                Some(w) => arcs.map(|arc| w.get(arc) * goes(targets[arc]) as f64).sum(),
            };
            (settings.damping * share[u] * sum) as f32
        })
        .collect()
}
