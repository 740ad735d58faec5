//! Logistic regression of shares: what lies between no and yes.
//!
//! **Definition.** min Σ ℓ(yᵢ, wᵀxᵢ + b) + ‖w‖²/2C with ℓ(y, z) = ln(1 + eᶻ) − yz and y in [0, 1]; the bias b costs nothing. Where all y
//! are 0 or 1 it is common logistic regression.
//!
//! **Algorithm.** L-BFGS with ten corrections, from w = 0; a step is halved until the value falls enough (Armijo). The problem is strictly
//! convex in w, so corrections are positive.
//!
//! **Stop.** No entry of the gradient beyond 10⁻³ of a row's (10⁻³ · max(1, √rows)), or after `passes` steps.
//!
//! **Cost.** A step costs the entries of the rows four times; memory: 23 vectors of the width, in `f64`.
//!
//! **Determinism.** One thread, one order.
//!
//! **Reference.** D. C. Liu, J. Nocedal, *On the limited memory BFGS method for large scale optimization*, Mathematical Programming 45
//! (1989), doi:10.1007/BF01589116.

use std::collections::VecDeque;

use crate::rows::SparseRows;

/// Corrections that are kept.
const CORRECTIONS: usize = 10;
/// Halvings of a step.
const HALVINGS: usize = 40;

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// What losses weigh against the length of w, above 0.
    pub c: f64,
    /// Most steps.
    pub passes: usize,
}

impl Default for Shares {
    /// C = 1, at most 200 steps.
    fn default() -> Self {
        Shares { c: 1.0, passes: 200 }
    }
}

impl Shares {
    /// Weights of the columns and bias; `shares` has one of [0, 1] a row, and columns are below `width`.
    ///
    /// # Panics
    /// Where there are not as many shares as rows, or a column is not below `width`.
    pub fn fit(&self, rows: &SparseRows, width: usize, shares: &[f32]) -> (Vec<f64>, f64) {
        assert_eq!(rows.len(), shares.len(), "a share a row");
        let problem = Problem { rows, shares, c: self.c };
        let close = 1e-3 * (rows.len() as f64).sqrt().max(1.0);
        let mut at = vec![0.0; width + 1];
        let (mut value, mut gradient) = problem.at(&at);
        let mut kept: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
        for _ in 0..self.passes {
            if gradient.iter().all(|g| g.abs() <= close) {
                break;
            }
            let direction = direction(&gradient, &kept);
            let slope = dot(&direction, &gradient);
            // The first step is of length 1 at most: nothing is known of the curvature.
            let mut length =
                if kept.is_empty() { 1.0 / dot(&gradient, &gradient).sqrt().max(1.0) } else { 1.0 };
            let mut found = None;
            for _ in 0..HALVINGS {
                let next: Vec<f64> = at.iter().zip(&direction).map(|(x, d)| x + length * d).collect();
                let (next_value, next_gradient) = problem.at(&next);
                if next_value <= value + 1e-4 * length * slope {
                    found = Some((next, next_value, next_gradient));
                    break;
                }
                length /= 2.0;
            }
            let Some((next, next_value, next_gradient)) = found else { break };
            let step: Vec<f64> = next.iter().zip(&at).map(|(new, old)| new - old).collect();
            let change: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(new, old)| new - old).collect();
            let along = dot(&step, &change);
            if along > 1e-12 {
                if kept.len() == CORRECTIONS {
                    kept.pop_front();
                }
                kept.push_back((step, change, along));
            }
            (at, value, gradient) = (next, next_value, next_gradient);
        }
        let bias = at.pop().unwrap_or(0.0);
        (at, bias)
    }
}

struct Problem<'r> {
    rows: &'r SparseRows,
    shares: &'r [f32],
    c: f64,
}

impl Problem<'_> {
    /// Value and gradient; the last entry is the bias.
    fn at(&self, at: &[f64]) -> (f64, Vec<f64>) {
        let (bias, w) = (at[at.len() - 1], &at[..at.len() - 1]);
        let mut gradient: Vec<f64> = w.iter().map(|w| w / self.c).collect();
        let mut value = dot(w, w) / (2.0 * self.c);
        let mut of_bias = 0.0;
        for ((columns, values), share) in self.rows.rows().zip(self.shares) {
            let share = f64::from(*share);
            let z =
                bias + columns.iter().zip(values).map(|(c, v)| w[*c as usize] * f64::from(*v)).sum::<f64>();
            value += z.max(0.0) + (-z.abs()).exp().ln_1p() - share * z;
            let off = sigmoid(z) - share;
            of_bias += off;
            columns.iter().zip(values).for_each(|(c, v)| gradient[*c as usize] += off * f64::from(*v));
        }
        gradient.push(of_bias);
        (value, gradient)
    }
}

/// The two-loop recursion.
fn direction(gradient: &[f64], kept: &VecDeque<(Vec<f64>, Vec<f64>, f64)>) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut shares = Vec::with_capacity(kept.len());
    for (step, change, along) in kept.iter().rev() {
        let share = dot(step, &q) / along;
        add(&mut q, -share, change);
        shares.push(share);
    }
    if let Some((_, change, along)) = kept.back() {
        let scale = along / dot(change, change);
        q.iter_mut().for_each(|x| *x *= scale);
    }
    for ((step, change, along), share) in kept.iter().zip(shares.into_iter().rev()) {
        let back = dot(change, &q) / along;
        add(&mut q, share - back, step);
    }
    q
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], share: f64, of: &[f64]) {
    to.iter_mut().zip(of).for_each(|(to, of)| *to += share * of);
}

/// 1/(1 + e⁻ᶻ).
fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(of: &[&[(u32, f32)]]) -> SparseRows {
        let mut rows = SparseRows::new();
        of.iter().for_each(|row| rows.push(row.iter().copied()));
        rows
    }

    #[test]
    fn shares_are_told_where_nothing_holds_them_back() {
        let rows = rows(&[&[(0, 1.0)], &[(1, 1.0)], &[(0, 1.0), (1, 1.0)]]);
        let solver = Shares { c: 1e9, passes: 500 };
        // Three unknowns, three rows: the logits are met exactly.
        let wanted = [0.2, 0.9, 0.6];
        let (w, b) = solver.fit(&rows, 2, &wanted);
        for (z, share) in [w[0] + b, w[1] + b, w[0] + w[1] + b].into_iter().zip(wanted) {
            assert!((sigmoid(z) - f64::from(share)).abs() < 2e-3, "{} of {share}", sigmoid(z));
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_value_and_vanishes_at_the_end() {
        let rows = rows(&[&[(0, 1.0), (2, 0.5)], &[(1, 2.0)], &[(0, 0.3), (1, 1.0)], &[]]);
        let shares = [1.0, 0.0, 0.4, 0.7];
        let problem = Problem { rows: &rows, shares: &shares, c: 2.0 };
        let at = [0.3, -0.2, 0.9, 0.1];
        let (_, gradient) = problem.at(&at);
        for n in 0..4 {
            let moved = |by: f64| {
                let mut at = at;
                at[n] += by;
                problem.at(&at).0
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope - gradient[n]).abs() < 1e-6, "{n}: {slope} of {}", gradient[n]);
        }
        let (mut w, b) = Shares { c: 2.0, passes: 500 }.fit(&rows, 3, &shares);
        w.push(b);
        assert!(problem.at(&w).1.iter().all(|g| g.abs() <= 2e-3), "{:?}", problem.at(&w).1);
    }

    #[test]
    fn nothing_to_learn_is_learnt() {
        assert_eq!(Shares::default().fit(&SparseRows::new(), 2, &[]), (vec![0.0; 2], 0.0));
        // Only the bias tells: ln(3).
        let (_, b) = Shares::default().fit(&rows(&[&[], &[], &[], &[]]), 0, &[1.0, 1.0, 1.0, 0.0]);
        assert!((b - 3.0f64.ln()).abs() < 0.01, "{b}");
    }
}
