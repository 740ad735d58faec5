//! The principal eigenvector of a symmetric operator, by Lanczos' method with thick restarts.
//!
//! **Definition.** Of a symmetric operator B without negative eigenvalues, the part of the start that lies in the
//! eigenspace of the greatest eigenvalue, of length 1: what power iteration from that start tends to.
//!
//! **Algorithm.** An orthonormal basis of the space of start, B start, B² start, … holds one direction of each
//! eigenspace, that of the start's part in it, so equal eigenvalues do no harm; where rounding brings in a second one all
//! the same, the start's part in both is taken. Each new direction is orthogonalised twice against all. When the basis
//! is full, the half of its Ritz vectors with the greatest values is kept, and the next direction. Ritz values and vectors come from Jacobi's method on the small matrix.
//!
//! **Cost.** An application of B a step, 4 reads of the basis, and the basis: 8 bytes a row and direction. About
//! √(1 / gap) steps where power iteration takes 1 / gap, the gap being relative to the greatest eigenvalue.
//!
//! **Determinism.** Sums over fixed blocks of rows, added in order: the same bytes on any number of threads.
//!
//! **Stopping rule and error.** With the residual r = ‖Bx − θx‖ and the gap g to the next eigenvalue, the sine of the
//! angle to the true vector is at most r / g. Steps end when that is within the tolerance, g being taken from the
//! second Ritz value and its own residual, or when r is what rounding leaves. Eigenvalues that lie nearer to one
//! another than that count as equal.
//!
//! **Reference.** K. Wu, H. Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems, *SIAM J.
//! Matrix Anal. Appl.* 22 (2000), doi:10.1137/S0895479898334605. C. Davis, W. Kahan, The rotation of eigenvectors
//! by a perturbation III, *SIAM J. Numer. Anal.* 7 (1970), doi:10.1137/0707001.

use super::jacobi::{Eigenpairs, eigen};
use super::{CHUNK, normalise};
use crate::sweep::sum;
use rayon::prelude::*;

/// Directions that a basis holds at most, and at least.
pub(super) const BASIS: std::ops::RangeInclusive<usize> = 4..=40;

/// Residual, relative to the eigenvalue, that more steps do not lower.
pub(super) const ROUNDING: f64 = 1e-14;

/// Ritz values, relative to the greatest, that are equal but for rounding.
const EQUAL: f64 = 1e-12;

/// How far to go.
pub(super) struct Limits {
    /// Greatest distance to the true vector.
    pub tolerance: f64,
    /// Most applications of the operator.
    pub steps: usize,
    /// Directions that the basis holds.
    pub basis: usize,
}

/// What was found.
pub(super) struct Principal {
    /// The vector, of length 1.
    pub vector: Vec<f64>,
    /// Distance of the greatest eigenvalue to the next in which the start vector has a part, relative to the greatest; a lower
    /// bound, with the error bound of the next added. None if the start has a part in one eigenspace only.
    pub gap: Option<f64>,
    /// The ratio of the second eigenvalue to the first, as it was found.
    pub ratio: Option<f64>,
    /// Applications of the operator.
    pub steps: usize,
}

/// Finds the principal part of `start`, which is not zero; `apply` puts B x into its second argument.
pub(super) fn principal(
    start: Vec<f64>,
    limits: &Limits,
    mut apply: impl FnMut(&[f64], &mut [f64]),
) -> Principal {
    let mut basis = Basis::new(start.len(), limits.basis.max(3));
    let (mut direction, mut next) = (start, vec![0.0; basis.rows]);
    normalise(&mut direction);
    let mut small = vec![vec![0.0; basis.most]; basis.most];
    let (mut steps, mut restarted) = (0, false);
    // The start in the directions of the basis, and the greatest length that the operator has given a direction.
    let (mut origin, mut norm) = (vec![1.0], 0.0_f64);
    loop {
        let at = basis.size;
        basis.push(&direction);
        apply(&direction, &mut next);
        steps += 1;
        for (i, part) in basis.orthogonalise(&mut next).into_iter().enumerate() {
            (small[i][at], small[at][i]) = (part, part);
        }
        let left = length(&next);
        norm = norm.max(small[..basis.size].iter().map(|row| row[at] * row[at]).sum::<f64>().sqrt());
        let full = basis.size == basis.most;
        let look = full || steps >= limits.steps || basis.size.is_multiple_of(if restarted { 8 } else { 2 });
        if !look && left > ROUNDING * norm {
            scaled(&next, left, &mut direction);
            continue;
        }
        let ritz = eigen(&small, basis.size);
        let seen = RitzSummary::of(&ritz, left);
        if seen.residual <= ROUNDING
            || seen.residual <= limits.tolerance * seen.gap.unwrap_or(1.0)
            || steps >= limits.steps
        {
            let mut vector = basis.combined(&principal_part(&ritz, &origin));
            // Of both directions the one that has what the start has, nothing below zero.
            if vector.iter().sum::<f64>() < 0.0 {
                vector.iter_mut().for_each(|x| *x = -*x);
            }
            return Principal { vector, gap: seen.gap, ratio: seen.ratio, steps };
        }
        scaled(&next, left, &mut direction);
        if full {
            let kept = basis.most / 2;
            origin = ritz.vectors[..kept].iter().map(|vector| part(vector, &origin)).collect();
            basis.keep(&ritz.vectors[..kept]);
            for (i, row) in small.iter_mut().enumerate() {
                row.fill(0.0);
                if i < kept {
                    row[i] = ritz.values[i];
                }
            }
            restarted = true;
        }
    }
}

/// How much of the start, which ends before the basis does, a Ritz vector has.
fn part(vector: &[f64], origin: &[f64]) -> f64 {
    vector.iter().zip(origin).map(|(a, b)| a * b).sum()
}

/// Ritz values that are equal to the greatest.
fn num_equal(ritz: &Eigenpairs) -> usize {
    ritz.values.iter().take_while(|value| **value >= ritz.values[0] * (1.0 - EQUAL)).count().max(1)
}

/// The start's part in the space of the greatest Ritz value, in the directions of the basis; its length is not 1.
fn principal_part(ritz: &Eigenpairs, origin: &[f64]) -> Vec<f64> {
    let equal = num_equal(ritz);
    if equal == 1 {
        return ritz.vectors[0].clone();
    }
    let mut sum = vec![0.0; ritz.vectors[0].len()];
    for vector in &ritz.vectors[..equal] {
        let part = part(vector, origin);
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += part * x);
    }
    sum
}

/// What the Ritz pairs tell, relative to the greatest value.
struct RitzSummary {
    residual: f64,
    gap: Option<f64>,
    ratio: Option<f64>,
}

impl RitzSummary {
    /// Of these pairs, where so much is left of the last direction.
    fn of(ritz: &Eigenpairs, left: f64) -> Self {
        let first = ritz.values[0].max(f64::MIN_POSITIVE);
        let residual = |pair: usize| left * ritz.vectors[pair].last().map_or(0.0, |last| last.abs()) / first;
        let equal = num_equal(ritz);
        let worst = (0..equal).map(residual).fold(0.0, f64::max);
        let Some(next) = ritz.values.get(equal) else {
            return RitzSummary { residual: worst, gap: None, ratio: None };
        };
        let ratio = (next / first).max(0.0);
        let gap = (1.0 - ratio - residual(equal)).max(worst);
        RitzSummary { residual: worst, gap: Some(gap.min(1.0)), ratio: Some(ratio) }
    }
}

/// Orthonormal directions, in blocks of rows, so that work on all directions goes block by block.
struct Basis {
    rows: usize,
    block: usize,
    most: usize,
    size: usize,
    cells: Vec<f64>,
}

impl Basis {
    fn new(rows: usize, most: usize) -> Self {
        let block = rows.clamp(1, CHUNK);
        Basis { rows, block, most, size: 0, cells: vec![0.0; rows.div_ceil(block) * block * most] }
    }

    fn push(&mut self, direction: &[f64]) {
        let (block, at) = (self.block, self.size * self.block);
        let cells = self.cells.par_chunks_mut(block * self.most);
        cells.zip(direction.par_chunks(block)).for_each(|(cells, rows)| {
            cells[at..at + rows.len()].copy_from_slice(rows);
        });
        self.size += 1;
    }

    /// The products of all directions with x.
    fn project(&self, x: &[f64]) -> Vec<f64> {
        let (block, size) = (self.block, self.size);
        let cells = self.cells.par_chunks(block * self.most);
        let parts: Vec<Vec<f64>> = cells
            .zip(x.par_chunks(block))
            .map(|(cells, x)| cells.chunks(block).take(size).map(|v| dot(&v[..x.len()], x)).collect())
            .collect();
        (0..size).map(|i| sum(parts.iter().map(|part| part[i]))).collect()
    }

    /// Takes the combination of all directions from x.
    fn subtract(&self, parts: &[f64], x: &mut [f64]) {
        let block = self.block;
        let cells = self.cells.par_chunks(block * self.most);
        cells.zip(x.par_chunks_mut(block)).for_each(|(cells, x)| {
            for (v, part) in cells.chunks(block).zip(parts) {
                x.iter_mut().zip(v).for_each(|(x, v)| *x -= part * v);
            }
        });
    }

    /// Takes from x what it has of all directions, twice, since once leaves rounding; what was taken.
    fn orthogonalise(&self, x: &mut [f64]) -> Vec<f64> {
        let mut parts = self.project(x);
        self.subtract(&parts, x);
        let again = self.project(x);
        self.subtract(&again, x);
        parts.iter_mut().zip(again).for_each(|(part, more)| *part += more);
        parts
    }

    /// The combination of all directions.
    fn combined(&self, parts: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.rows];
        let negative: Vec<f64> = parts.iter().map(|part| -part).collect();
        self.subtract(&negative, &mut x);
        x
    }

    /// Goes on with these combinations only.
    fn keep(&mut self, combinations: &[Vec<f64>]) {
        let (block, size) = (self.block, self.size);
        self.cells.par_chunks_mut(block * self.most).for_each(|cells| {
            let mut kept = vec![0.0; combinations.len() * block];
            for (kept, parts) in kept.chunks_mut(block).zip(combinations) {
                for (v, part) in cells.chunks(block).take(size).zip(parts) {
                    kept.iter_mut().zip(v).for_each(|(x, v)| *x += part * v);
                }
            }
            cells[..kept.len()].copy_from_slice(&kept);
        });
        self.size = combinations.len();
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four sums, so that an addition does not wait for the one before.
    let mut sums = [0.0; 4];
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums[0] + sums[1] + (sums[2] + sums[3]) + rest
}

fn length(x: &[f64]) -> f64 {
    let squares: Vec<f64> = x.par_chunks(CHUNK).map(|x| dot(x, x)).collect();
    sum(squares).sqrt()
}

fn scaled(x: &[f64], length: f64, into: &mut [f64]) {
    into.par_iter_mut().zip(x).with_min_len(CHUNK).for_each(|(into, x)| *into = x / length);
}
