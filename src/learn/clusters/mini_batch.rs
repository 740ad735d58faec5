//! k-means over rows that memory does not hold: batch by batch.
//!
//! **Definition.** A batch is given to the nearest centroids; each centroid is the sum of all rows that it was given since the last
//! [`MiniBatch::begin_pass`], at length 1. So the first pass is mini-batch k-means (a centroid's rate of learning is one by the rows it has
//! got), and a pass whose centroids stand still is a step of Lloyd's over all rows ([`MiniBatch::hold`]).
//!
//! **Cost.** 16·k·width bytes beside the batch.
//!
//! **Determinism.** A function of the centroids and the batches in their order; within a batch sums are made in the order of rows. The
//! caller shuffles: rows of one site in a row would draw centroids to them.
//!
//! **Reference.** D. Sculley, *Web-scale k-means clustering*, WWW 2010, doi:10.1145/1772690.1772862.

use rayon::prelude::*;

use super::kmeans::{Centroids, replace};
use crate::SparseRows;

/// Centroids that learn.
pub struct MiniBatch {
    centroids: Centroids,
    sums: Vec<f64>,
    rows: Vec<u64>,
    assignment: u64,
    inertia: f64,
    holds: bool,
}

impl MiniBatch {
    /// Begins with these centroids; columns beyond their width count nothing.
    pub fn new(centroids: Centroids) -> Self {
        let (sums, rows) = (vec![0.0; centroids.values.len()], vec![0; centroids.len()]);
        MiniBatch { centroids, sums, rows, assignment: 0, inertia: 0.0, holds: false }
    }

    /// Bytes that it takes.
    pub fn bytes(k: usize, width: usize) -> u64 {
        16 * (k.next_multiple_of(4) * width) as u64
    }

    /// Forgets what centroids were given, and keeps where they are.
    pub fn begin_pass(&mut self) {
        self.sums.fill(0.0);
        self.rows.fill(0);
        self.inertia = 0.0;
        self.assignment = 0;
        self.holds = false;
    }

    /// Lets centroids stand still until the pass ends: an exact step over all of its rows.
    pub fn hold(&mut self) {
        self.holds = true;
    }

    /// Takes a batch.
    pub fn learn(&mut self, batch: &SparseRows) {
        let width = self.centroids.width;
        let (assignment, similarity) = self.centroids.nearest(batch);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.centroids.len()];
        for (row, cluster) in assignment.iter().enumerate() {
            self.inertia += 1.0 - f64::from(similarity[row]);
            if let Some(members) = members.get_mut(*cluster as usize) {
                members.push(row);
            }
        }
        self.assignment += assignment.len() as u64;
        let holds = self.holds;
        let centroids = self.centroids.values.par_chunks_mut(width.max(1));
        let sums = self.sums.par_chunks_mut(width.max(1));
        centroids.zip(sums).zip(&members).zip(&mut self.rows).with_max_len(1).for_each(
            |(((centroid, sums), members), rows)| {
                for &row in members {
                    let (columns, values) = batch.row(row);
                    for (&column, &value) in columns.iter().zip(values) {
                        if let Some(sum) = sums.get_mut(column as usize) {
                            *sum += f64::from(value);
                        }
                    }
                }
                *rows += members.len() as u64;
                if !holds && !members.is_empty() {
                    replace(centroid, sums);
                }
            },
        );
    }

    /// Ends a pass: centroids become the sums of their rows. Returns Σ(1 − cosine) of the rows as they were given.
    pub fn end_pass(&mut self) -> f64 {
        let width = self.centroids.width.max(1);
        for ((centroid, sums), rows) in
            self.centroids.values.chunks_mut(width).zip(self.sums.chunks(width)).zip(&self.rows)
        {
            if *rows > 0 {
                replace(centroid, sums);
            }
        }
        self.inertia
    }

    /// Rows that were taken in this pass.
    pub fn taken(&self) -> u64 {
        self.assignment
    }

    /// The centroids after the batches so far.
    pub fn centroids(&self) -> &Centroids {
        &self.centroids
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KMeans;

    #[test]
    fn passes_that_hold_are_steps_over_all_rows() {
        let mut rows = SparseRows::new();
        for row in 0..90u32 {
            let side = 0.1 + 0.01 * (row % 7) as f32;
            rows.push([(row % 3, (1.0 - side * side).sqrt()), (3 + row % 5, side)]);
        }
        let whole = KMeans::new(3).seed(4).run(&rows);
        let mut batches = MiniBatch::new(whole.centroids.clone());
        batches.hold();
        for batch in (0..90).collect::<Vec<_>>().chunks(20) {
            batches.learn(&rows.select(batch));
        }
        assert!((batches.end_pass() - whole.inertia).abs() < 1e-6);
        assert_eq!((batches.taken(), batches.centroids()), (90, &whole.centroids));
        // Begun elsewhere, it comes to the same clusters.
        let mut start = MiniBatch::new(Centroids::of(&rows.select(&[0, 1, 2]), &[0, 1, 2], 3));
        for _ in 0..3 {
            start.begin_pass();
            for batch in (0..90).collect::<Vec<_>>().chunks(20) {
                start.learn(&rows.select(batch));
            }
        }
        let found = start.centroids().nearest(&rows).0;
        assert!((crate::Agreement::of(&found, &whole.assignment).nmi() - 1.0).abs() < 1e-9);
    }
}
