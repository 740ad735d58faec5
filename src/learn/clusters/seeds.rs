//! First centroids: greedy k-means++.
//!
//! **Definition.** The first centroid is a row drawn by weight; each further one a row drawn by weight times distance (1 − cosine, half the
//! squared Euclidean one) to the nearest so far. Of 2 + ⌊ln k⌋ draws that one stays which leaves the least sum of distances.
//!
//! **Cost.** A draw costs the rows that share words with it: products come from an inverted index.
//!
//! **Determinism.** Draws follow from the seed; sums are made over the rows in order, ties go to the earlier draw.
//!
//! **Reference.** D. Arthur, S. Vassilvitskii, *k-means++: the advantages of careful seeding*, SODA 2007.

use rayon::prelude::*;

use super::transposed::TransposedRows;
use crate::SparseRows;
use crate::random::Draws;

/// Distances below this are rounding.
const SAME: f32 = 1e-6;

/// Numbers of at most `k` rows to begin with; fewer where there are no more different ones.
pub(super) fn seeds(
    rows: &SparseRows,
    index: &TransposedRows,
    weights: Option<&[f64]>,
    k: usize,
    draws: &mut Draws,
) -> Vec<usize> {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    // Rows without entries are as far from everything as can be, and no direction.
    let mut distances: Vec<f32> =
        (0..rows.len()).map(|row| if rows.row(row).0.is_empty() { 0.0 } else { 1.0 }).collect();
    let trials = 2 + (k as f64).ln() as usize;
    let mut chosen = Vec::with_capacity(k);
    while chosen.len() < k {
        let mut sums = Vec::with_capacity(rows.len());
        let mut sum = 0.0;
        for (row, distance) in distances.iter().enumerate() {
            sum += weight(row) * f64::from(*distance);
            sums.push(sum);
        }
        if sum <= 0.0 {
            break;
        }
        let tried = if chosen.is_empty() { 1 } else { trials };
        let candidates: Vec<usize> = (0..tried)
            .map(|_| {
                let at = draws.unit() * sum;
                let row = sums.partition_point(|sum| *sum <= at).min(rows.len() - 1);
                // Rounding may lead past the last row that can be drawn.
                (0..=row).rev().find(|row| distances[*row] > 0.0).unwrap_or(row)
            })
            .collect();
        let left: Vec<(f64, Vec<f32>)> =
            candidates.par_iter().map(|row| after(rows, index, &distances, *row, &weight)).collect();
        let mut best = 0;
        for trial in 1..left.len() {
            if left[trial].0 < left[best].0 {
                best = trial;
            }
        }
        chosen.push(candidates[best]);
        distances = left.into_iter().nth(best).map(|(_, distances)| distances).unwrap_or_default();
    }
    chosen
}

/// What distances become, and their sum, once row `of` is a centroid.
fn after(
    rows: &SparseRows,
    index: &TransposedRows,
    distances: &[f32],
    of: usize,
    weight: &impl Fn(usize) -> f64,
) -> (f64, Vec<f32>) {
    let mut left = vec![0f32; distances.len()];
    let (columns, values) = rows.row(of);
    index.add_dots(columns, values, &mut left);
    let mut sum = 0.0;
    for (row, (left, before)) in left.iter_mut().zip(distances).enumerate() {
        let distance = (1.0 - *left).min(*before);
        *left = if distance < SAME || row == of { 0.0 } else { distance };
        sum += weight(row) * f64::from(*left);
    }
    (sum, left)
}
