//! Silhouettes: how much nearer a row is to its own cluster than to the next.
//!
//! **Definition.** With d = 1 − cosine: a = mean d to the other rows of its cluster, b = the least mean d to the rows of another cluster;
//! s = (b − a)/max(a, b), 0 where the cluster has no other row. Rows of no cluster ([`super::NOISE`]) have none.
//!
//! **Algorithm.** d is linear in the other row, so the mean distance to a cluster is 1 − row·(sum of the cluster)/size: exact over all
//! rows in one walk, where pairs would take n²/2.
//!
//! **Cost.** k products an entry; 8·k·width bytes.
//!
//! **Determinism.** Sums of f64 in the order of rows.
//!
//! **Reference.** P. J. Rousseeuw, *Silhouettes*, 1987, doi:10.1016/0377-0427(87)90125-7.

use rayon::prelude::*;

use super::dbscan::NOISE;
use crate::SparseRows;

/// The sums of the rows of clusters: all that silhouettes, means and distances to them ask of the other rows.
pub struct ClusterSums {
    width: usize,
    sizes: Vec<u64>,
    /// By column, then by cluster.
    sums: Vec<f64>,
}

impl ClusterSums {
    /// Of `k` clusters without rows yet.
    pub fn new(k: usize, width: usize) -> Self {
        ClusterSums { width, sizes: vec![0; k], sums: vec![0.0; k * width] }
    }

    /// Bytes that it takes.
    pub fn bytes(k: usize, width: usize) -> u64 {
        8 * (k * width) as u64
    }

    /// Adds a row to a cluster; noise is passed over.
    pub fn add(&mut self, cluster: u32, (columns, values): (&[u32], &[f32])) {
        if cluster == NOISE {
            return;
        }
        let k = self.sizes.len();
        self.sizes[cluster as usize] += 1;
        for (&column, &value) in columns.iter().zip(values) {
            self.sums[column as usize * k + cluster as usize] += f64::from(value);
        }
    }

    /// Rows of each cluster.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Clusters that have rows.
    pub fn occupied(&self) -> usize {
        self.sizes.iter().filter(|size| **size > 0).count()
    }

    /// The mean of each cluster.
    pub fn means(&self) -> SparseRows {
        let k = self.sizes.len();
        let mut means = SparseRows::new();
        for (cluster, size) in self.sizes.iter().enumerate() {
            let of = (0..self.width).map(|column| (column as u32, self.sums[column * k + cluster]));
            let mean = of.filter(|(_, sum)| *sum != 0.0);
            means.push(mean.map(|(column, sum)| (column, (sum / *size as f64) as f32)));
        }
        means
    }

    /// The silhouette of a row that was added to cluster `own`; `dots` is a buffer.
    pub fn silhouette(
        &self,
        own: u32,
        (columns, values): (&[u32], &[f32]),
        dots: &mut Vec<f64>,
    ) -> Option<f32> {
        let k = self.sizes.len();
        if own == NOISE {
            return None;
        }
        if self.sizes[own as usize] == 1 {
            return Some(0.0);
        }
        dots.clear();
        dots.resize(k, 0.0);
        let mut square = 0.0;
        for (&column, &value) in columns.iter().zip(values) {
            let value = f64::from(value);
            square += value * value;
            let sums = &self.sums[column as usize * k..(column as usize + 1) * k];
            dots.iter_mut().zip(sums).for_each(|(dot, sum)| *dot += value * sum);
        }
        let (mut inside, mut outside) = (0.0, f64::INFINITY);
        for (cluster, (dot, size)) in dots.iter().zip(&self.sizes).enumerate() {
            if cluster == own as usize {
                inside = (1.0 - (dot - square) / (*size - 1) as f64).max(0.0);
            } else if *size > 0 {
                outside = outside.min((1.0 - dot / *size as f64).max(0.0));
            }
        }
        let most = inside.max(outside);
        // Where both are rounding only, the row is as near to the one as to the other.
        Some(if most < 1e-6 { 0.0 } else { ((outside - inside) / most) as f32 })
    }
}

/// The silhouette of each row; `None` for noise, and for all where there are not two clusters.
pub fn silhouettes(rows: &SparseRows, assignment: &[u32]) -> Vec<Option<f32>> {
    let k = assignment.iter().filter(|cluster| **cluster != NOISE).max().map_or(0, |most| *most as usize + 1);
    let mut sums = ClusterSums::new(k, rows.width());
    assignment.iter().zip(rows.rows()).for_each(|(&cluster, row)| sums.add(cluster, row));
    if sums.occupied() < 2 {
        return vec![None; rows.len()];
    }
    let of = |dots: &mut Vec<f64>, row: usize| sums.silhouette(assignment[row], rows.row(row), dots);
    (0..rows.len()).into_par_iter().with_min_len(64).map_init(Vec::new, of).collect()
}

/// The mean of those that there are.
pub fn mean_silhouette(silhouettes: &[Option<f32>]) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u64);
    for silhouette in silhouettes.iter().flatten() {
        sum += f64::from(*silhouette);
        count += 1;
    }
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By all pairs.
    fn brute(rows: &SparseRows, assignment: &[u32]) -> Vec<Option<f32>> {
        let distance = |a: usize, b: usize| {
            let ((left, values), (right, others)) = (rows.row(a), rows.row(b));
            let of = |column| right.iter().position(|c| *c == column).map_or(0.0, |at| f64::from(others[at]));
            1.0 - left.iter().zip(values).map(|(c, v)| f64::from(*v) * of(*c)).sum::<f64>()
        };
        let mean = |row: usize, cluster: u32| {
            let others: Vec<usize> =
                (0..rows.len()).filter(|other| *other != row && assignment[*other] == cluster).collect();
            (!others.is_empty())
                .then(|| others.iter().map(|o| distance(row, *o)).sum::<f64>() / others.len() as f64)
        };
        (0..rows.len())
            .map(|row| {
                let Some(inside) = mean(row, assignment[row]) else { return Some(0.0) };
                let others = (0..9).filter(|cluster| *cluster != assignment[row]);
                let outside = others.filter_map(|cluster| mean(row, cluster)).fold(f64::INFINITY, f64::min);
                outside.is_finite().then(|| ((outside - inside) / outside.max(inside)) as f32)
            })
            .collect()
    }

    proptest! {
        #[test]
        fn as_all_pairs_say(
            rows in prop::collection::vec((prop::collection::btree_map(0u32..9, 0.5f32..2.0, 1..5), 0u32..4), 2..25),
        ) {
            let assignment: Vec<u32> = rows.iter().map(|(_, cluster)| *cluster).collect();
            prop_assume!(assignment.iter().any(|cluster| *cluster != assignment[0]));
            let mut unit = SparseRows::new();
            for (row, _) in &rows {
                let length = row.values().map(|v| v * v).sum::<f32>().sqrt();
                unit.push(row.iter().map(|(c, v)| (*c, v / length)));
            }
            for (ours, brute) in silhouettes(&unit, &assignment).iter().zip(brute(&unit, &assignment)) {
                let (ours, brute) = (ours.unwrap(), brute.unwrap());
                prop_assert!((ours - brute).abs() < 1e-3 || brute.is_nan(), "{} {}", ours, brute);
            }
        }
    }

    #[test]
    fn corners() {
        let mut rows = SparseRows::new();
        (0..3).for_each(|column| rows.push([(column, 1.0)]));
        assert_eq!(silhouettes(&rows, &[0, 0, 0]), [None; 3]);
        assert_eq!(silhouettes(&rows, &[0, 1, NOISE]), [Some(0.0), Some(0.0), None]);
        assert_eq!(mean_silhouette(&[None, Some(0.5), Some(0.25)]), Some(0.375));
        assert_eq!(mean_silhouette(&[]), None);
    }
}
