//! PageRank in little memory: sweeps in double precision that read the transpose itself.
//!
//! With a the indicator of dangling nodes and P₀ having zero rows for them, x is the dominant eigenvector of (1
//! − d) v 1ᵀ + d u aᵀ + d P₀ᵀ. It is found by block Gauss–Seidel sweeps y ← (1 − d) Y v + d D u + d P₀ᵀ y, where
//! Y and D are the sums of y and of its dangling part after the sweep before. The sum of y is left to itself,
//! since holding it at 1 would be the slowest thing to converge where much rank dangles. The rank that a node
//! gives itself is solved for exactly.
//!
//! **Stopping rule.** Let Δ be the change of a sweep that began with the sum Y₀ and ended with Y. Each value was
//! computed from values at most one sweep old, so y misses y = (1 − d) Y₀ v + d Pᵀ y by at most d‖Δ‖₁, hence x =
//! y / Y its equation by at most (d‖Δ‖₁ + (1 − d)|Y − Y₀|) / Y, and ‖x − x*‖₁ is at most 1/(1 − d) times that.
//! (With Y = Y₀ = 1 this is the known bound d/(1 − d) ‖Δ‖₁, which holds where dangling rank is lost.)

use super::{Dangling, PageRank, Problem, SolvedRanks};
use crate::sweep::{Pull, Sweeps, sum};

impl PageRank<'_> {
    pub(super) fn sweep_lean(&self, problem: &Problem<'_, impl Pull>) -> SolvedRanks {
        let Problem { transpose, arcs, share, relax, .. } = *problem;
        let (d, uniform) = (self.damping, problem.uniform);
        let (mut x, mass) = problem.first(self);
        if self.dangling != Dangling::Lost {
            let total = sum(x.iter().copied());
            x.iter_mut().for_each(|x| *x /= total);
        }
        let mut mass = if self.dangling == Dangling::Lost { 0.0 } else { mass };
        let mut sweeps = Sweeps::new(transpose.offsets(), share, relax, &x);
        let (mut iterations, mut error_bound) = (0, f64::INFINITY);
        let mut total = 1.0;
        while iterations < self.max_iterations && error_bound > self.tolerance {
            // What each node gets of the teleport vector, and what each gets besides.
            let (preferred, even) = match self.dangling {
                Dangling::Teleport => ((1.0 - d) * total + d * mass, 0.0),
                Dangling::Uniform => ((1.0 - d) * total, d * mass * uniform),
                Dangling::Lost => (1.0 - d, 0.0),
            };
            let swept = match problem.teleport {
                None => sweeps.sweep(arcs, &mut x, d, |_| preferred * uniform + even),
                Some((v, scale)) => sweeps.sweep(arcs, &mut x, d, |u| v[u] * scale * preferred + even),
            };
            iterations += 1;
            error_bound = match self.dangling {
                Dangling::Lost => d * swept.change / (1.0 - d),
                Dangling::Teleport | Dangling::Uniform => {
                    let drift = (1.0 - d) * (swept.total - total).abs();
                    (d * swept.change + drift) / ((1.0 - d) * swept.total)
                }
            };
            (total, mass) = (swept.total, swept.dangling);
        }
        SolvedRanks { y: x, iterations, error_bound }
    }
}
