//! What clusters are in the middle, whatever found them.
//!
//! **Definition.** The mean of a cluster is the sum of its rows by their number. For rows of length 1 the mean distance 1 − cosine between
//! the rows of two clusters is 1 − the product of their means; the distance of a row to a centroid is 1 − its cosine with the mean.
//!
//! **Cost.** Linear in the entries, and 8·width bytes a thread: many small clusters cost no more than few large ones.
//!
//! **Determinism.** Sums of f64 in the order of rows.

use rayon::prelude::*;

use super::dbscan::NOISE;
use crate::SparseRows;

/// Numbers of the rows of each cluster, ascending.
pub(super) fn members(assignment: &[u32], k: usize) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); k];
    for (row, &cluster) in (0u32..).zip(assignment) {
        if cluster != NOISE {
            members[cluster as usize].push(row);
        }
    }
    members
}

/// The mean of each of `k` clusters.
pub fn means(rows: &SparseRows, assignment: &[u32], k: usize) -> SparseRows {
    let width = rows.width();
    let found: Vec<Vec<(u32, f32)>> = members(assignment, k)
        .par_iter()
        .with_max_len(1)
        .map_init(
            || vec![0f64; width],
            |sums, members| {
                let mut touched: Vec<u32> = Vec::new();
                for &row in members {
                    let (columns, values) = rows.row(row as usize);
                    for (&column, &value) in columns.iter().zip(values) {
                        if sums[column as usize] == 0.0 {
                            touched.push(column);
                        }
                        sums[column as usize] += f64::from(value);
                    }
                }
                touched.sort_unstable();
                touched.dedup();
                let mean = |column: u32| {
                    let sum = std::mem::take(&mut sums[column as usize]);
                    (column, (sum / members.len() as f64) as f32)
                };
                touched.into_iter().map(mean).collect()
            },
        )
        .collect();
    let mut means = SparseRows::new();
    found.into_iter().for_each(|mean| means.push(mean));
    means
}

/// Means of clusters with their lengths.
pub struct ClusterMeans {
    means: SparseRows,
    lengths: Vec<f64>,
}

impl ClusterMeans {
    /// Of these means.
    pub fn of(means: SparseRows) -> Self {
        let length =
            |(_, values): (&[u32], &[f32])| values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
        ClusterMeans { lengths: means.rows().map(length).collect(), means }
    }

    /// One row per cluster: the mean of its rows.
    pub fn means(&self) -> &SparseRows {
        &self.means
    }

    /// 1 − the cosine of a row with the mean of its cluster; `None` for noise.
    pub fn distance(&self, cluster: u32, (columns, values): (&[u32], &[f32])) -> Option<f32> {
        if cluster == NOISE {
            return None;
        }
        let (mean, weights) = self.means.row(cluster as usize);
        let (mut at, mut dot) = (0, 0.0);
        for (column, value) in columns.iter().zip(values) {
            at += mean[at..].partition_point(|other| other < column);
            if mean.get(at) == Some(column) {
                dot += f64::from(*value) * f64::from(weights[at]);
            }
        }
        let length = self.lengths[cluster as usize];
        Some(if length > 0.0 { (1.0 - dot / length).max(0.0) as f32 } else { 1.0 })
    }

    /// The distance of each row.
    pub fn distances(&self, rows: &SparseRows, assignment: &[u32]) -> Vec<Option<f32>> {
        let of = |row: usize| self.distance(assignment[row], rows.row(row));
        (0..rows.len()).into_par_iter().with_min_len(64).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let mut rows = SparseRows::new();
        rows.push([(0, 1.0)]);
        rows.push([(3, 1.0)]);
        rows.push([(0, 0.6), (3, 0.8)]);
        rows.push([(1, 1.0)]);
        let found = means(&rows, &[0, 0, 1, NOISE], 3);
        assert_eq!(found.row(0), (&[0, 3][..], &[0.5, 0.5][..]));
        assert_eq!(found.row(1), (&[0, 3][..], &[0.6, 0.8][..]));
        assert!(found.row(2).0.is_empty());
        let distances = ClusterMeans::of(found).distances(&rows, &[0, 0, 1, NOISE]);
        assert!((distances[0].unwrap() - (1.0 - 0.5f32.sqrt())).abs() < 1e-6);
        assert!(distances[2].unwrap() < 1e-6 && distances[3].is_none());
    }
}
