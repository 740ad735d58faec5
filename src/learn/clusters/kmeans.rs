//! Spherical k-means: clusters of directions.
//!
//! `webmill learn cluster` calls it for method `kmeans`, and for the second step of `hierarchical` and `stream`.
//!
//! **Definition.** Rows of length 1 (as tf·idf rows are) in k clusters with centroids of length 1, such that Σ w(1 − cos(row, its centroid))
//! is small: a row is with the centroid of the greatest cosine (ties: the smaller number), a centroid is the sum of its rows, at length 1.
//! A cluster that loses all rows takes the row that is farthest from its own centroid. Rows without entries belong nowhere; they are
//! counted with cluster 0 and move nothing.
//!
//! **Algorithm.** Greedy k-means++ (`seeds`), then Lloyd's steps. The products with all centroids are made in one walk along a row
//! (`lanes`). *Bounds* in the manner of Hamerly leave out rows that cannot change: by Cauchy–Schwarz a centroid that moves by δ changes
//! the cosine of a row by at most δ; so a row keeps a lower bound for its own centroid and an upper one for all others. The bounds
//! allow for the rounding of products, γₙ = n·2⁻²⁴ of the row's n entries, so that a centroid is skipped only if comparing would
//! have changed nothing, to the bit. Only centroids whose rows changed are summed again. The best of some restarts stays.
//!
//! **Cost.** A step costs k products an entry for the rows that are looked at; memory 8·k·width bytes, 24 a row, and the inverted index of
//! the seeds (8 an entry).
//!
//! **Determinism.** Centroids are sums of f64 over their rows in order; any number of threads gives the same bytes.
//!
//! **Stopping rule.** No row changes, or the greatest number of steps.
//!
//! **Reference.** I. S. Dhillon, D. S. Modha, *Concept decompositions for large sparse text data using clustering*, Machine Learning 42
//! (2001), doi:10.1023/A:1007612920971; G. Hamerly, *Making k-means even faster*, SDM 2010, doi:10.1137/1.9781611972801.12; E. Schubert,
//! A. Lang, G. Feher, *Accelerating spherical k-means*, SISAP 2021, doi:10.1007/978-3-030-89657-7_17.

use rayon::prelude::*;

use super::lanes::Lanes;
use super::seeds::seeds;
use super::transposed::TransposedRows;
use crate::SparseRows;
use crate::random::Draws;

/// Most steps of a restart.
const MAX_STEPS: u32 = 300;
/// Rows that a thread takes at a time.
const CHUNK: usize = 256;
/// Similarity beyond which a row lies on its centroid.
const ON_CENTROID: f32 = 1.0 - 1e-5;

/// A clustering to be made.
#[derive(Debug, Clone)]
pub struct KMeans {
    k: usize,
    seed: u64,
    restarts: u32,
    bounds: bool,
}

/// Directions of clusters, `width` values each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Centroids {
    pub(super) width: usize,
    pub(super) values: Vec<f32>,
}

/// Clusters that were found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clustering {
    /// The cluster of each row.
    pub assignment: Vec<u32>,
    /// Cosine of each row with its centroid.
    pub similarity: Vec<f32>,
    /// The centroids; no more than there are different rows.
    pub centroids: Centroids,
    /// Σ w(1 − cosine).
    pub inertia: f64,
    /// Steps of the restart that was best.
    pub steps: u32,
    /// Whether it ended because no row changed.
    pub converged: bool,
}

/// Known facts about a row between steps.
#[derive(Clone, Copy)]
struct RowBounds {
    cluster: u32,
    /// The cosine with its own centroid is at least this.
    own: f32,
    /// That with every other is at most this.
    others: f32,
}

impl KMeans {
    /// At most `k` clusters.
    pub fn new(k: usize) -> Self {
        KMeans { k, seed: 0, restarts: 1, bounds: true }
    }

    /// What draws follow from.
    pub fn seed(self, seed: u64) -> Self {
        KMeans { seed, ..self }
    }

    /// How often it begins anew; the least inertia stays, of equal ones the first.
    pub fn restarts(self, restarts: u32) -> Self {
        KMeans { restarts: restarts.max(1), ..self }
    }

    /// Compares every row with every centroid in every step: the same result, later.
    pub fn without_bounds(self) -> Self {
        KMeans { bounds: false, ..self }
    }

    /// Bytes that `k` clusters of rows of this width take, beside the rows and their inverted index.
    pub fn bytes(k: usize, width: usize, rows: usize) -> u64 {
        // Centroids by cluster and by column, and a sum of f64 a thread.
        8 * (k.next_multiple_of(4) * width) as u64
            + 24 * rows as u64
            + 8 * (width * rayon::current_num_threads()) as u64
    }

    /// Clusters the rows.
    pub fn run(&self, rows: &SparseRows) -> Clustering {
        self.run_weighted(rows, None)
    }

    /// Clusters the rows, each of which counts as `weights` says.
    pub fn run_weighted(&self, rows: &SparseRows, weights: Option<&[f64]>) -> Clustering {
        let index = TransposedRows::of(rows);
        let width = rows.width();
        let mut best: Option<Clustering> = None;
        for restart in 0..u64::from(self.restarts) {
            let mut draws = Draws::new(self.seed.wrapping_mul(0x9e37_79b9_97f4_a7c1).wrapping_add(restart));
            let seeds = seeds(rows, &index, weights, self.k, &mut draws);
            let mut centroids = Centroids { width, values: vec![0.0; seeds.len() * width] };
            for (cluster, row) in seeds.iter().enumerate() {
                let (columns, values) = rows.row(*row);
                let centroid = &mut centroids.values[cluster * width..(cluster + 1) * width];
                columns.iter().zip(values).for_each(|(column, value)| centroid[*column as usize] = *value);
                normalise(centroid);
            }
            let found = self.lloyd(rows, weights, centroids);
            if best.as_ref().is_none_or(|best| found.inertia < best.inertia) {
                best = Some(found);
            }
        }
        best.unwrap_or_default()
    }

    fn lloyd(&self, rows: &SparseRows, weights: Option<&[f64]>, mut centroids: Centroids) -> Clustering {
        let (k, width) = (centroids.len(), centroids.width);
        if k == 0 {
            let none = vec![0.0; rows.len()];
            return Clustering {
                assignment: vec![0; rows.len()],
                similarity: none,
                centroids,
                converged: true,
                ..Clustering::default()
            };
        }
        let reach = longest(rows);
        let mut lanes = Lanes::of(&centroids.values, k, width);
        let unknown = RowBounds { cluster: u32::MAX, own: f32::NEG_INFINITY, others: f32::INFINITY };
        let mut known = vec![unknown; rows.len()];
        let mut moved = vec![0f32; k];
        let (mut steps, mut converged) = (0, false);
        while steps < MAX_STEPS {
            steps += 1;
            let before: Vec<u32> = known.iter().map(|known| known.cluster).collect();
            assign(rows, &lanes, &mut known, &CentroidMoves::of(&moved, reach), self.bounds);
            fill_empty(rows, &lanes, k, &mut known);
            let changed = changed_clusters(&before, &known, k);
            if changed.is_empty() {
                converged = true;
                break;
            }
            moved = centroids.update(rows, weights, &known, &changed);
            lanes.set(&centroids.values, width, &changed);
        }
        let (assignment, similarity) = nearest(rows, &lanes, k);
        let mut inertia = 0.0;
        for (row, similarity) in similarity.iter().enumerate() {
            inertia += weights.map_or(1.0, |weights| weights[row]) * (1.0 - f64::from(*similarity));
        }
        Clustering { assignment, similarity, centroids, inertia, steps, converged }
    }
}

impl Centroids {
    /// Of clusters that are already known: each cluster the sum of its rows, at length 1. A row whose number is no cluster is passed over.
    pub fn of(rows: &SparseRows, assignment: &[u32], k: usize) -> Self {
        let width = rows.width();
        let mut centroids = Centroids { width, values: vec![0.0; k * width] };
        let known: Vec<RowBounds> =
            assignment.iter().map(|&cluster| RowBounds { cluster, own: 0.0, others: 0.0 }).collect();
        centroids.update(rows, None, &known, &(0..k).collect::<Vec<_>>());
        centroids
    }

    /// The same in rows of a greater width, where its values are 0.
    pub fn widened(&self, width: usize) -> Self {
        let width = width.max(self.width);
        let mut values = vec![0.0; self.len() * width];
        for (wide, values) in values.chunks_mut(width.max(1)).zip(self.values.chunks(self.width.max(1))) {
            wide[..self.width].copy_from_slice(values);
        }
        Centroids { width, values }
    }

    /// Number of centroids.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A centroid's values by column.
    pub fn centroid(&self, cluster: usize) -> &[f32] {
        &self.values[cluster * self.width..(cluster + 1) * self.width]
    }

    /// Centroids as rows.
    pub fn rows(&self) -> SparseRows {
        let mut rows = SparseRows::new();
        for cluster in 0..self.len() {
            let entries = (0u32..).zip(self.centroid(cluster).iter().copied());
            rows.push(entries.filter(|(_, value)| *value != 0.0));
        }
        rows
    }

    /// The nearest centroid of each row, and the cosine with it.
    pub fn nearest(&self, rows: &SparseRows) -> (Vec<u32>, Vec<f32>) {
        match self.len() {
            0 => (vec![0; rows.len()], vec![0.0; rows.len()]),
            k => nearest(rows, &Lanes::of(&self.values, k, self.width), k),
        }
    }

    /// Sums the rows of these clusters; how far each centroid moved.
    fn update(
        &mut self,
        rows: &SparseRows,
        weights: Option<&[f64]>,
        known: &[RowBounds],
        clusters: &[usize],
    ) -> Vec<f32> {
        let (k, width) = (self.len(), self.width);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); k];
        for (row, known) in (0u32..).zip(known) {
            if let Some(members) = members.get_mut(known.cluster as usize) {
                members.push(row);
            }
        }
        let mut wanted = vec![false; k];
        clusters.iter().for_each(|cluster| wanted[*cluster] = true);
        let mut moved = vec![0f32; k];
        let tasks = self.values.par_chunks_mut(width.max(1)).zip(&members).zip(&wanted).zip(&mut moved);
        tasks.with_max_len(1).for_each_init(
            || vec![0f64; width],
            |sums, (((centroid, members), wanted), moved)| {
                if !*wanted || members.is_empty() {
                    return;
                }
                sums.fill(0.0);
                for &row in members {
                    let (columns, values) = rows.row(row as usize);
                    let weight = weights.map_or(1.0, |weights| weights[row as usize]);
                    for (&column, &value) in columns.iter().zip(values) {
                        sums[column as usize] += weight * f64::from(value);
                    }
                }
                *moved = replace(centroid, sums);
            },
        );
        moved
    }
}

/// Puts a sum, at length 1, in the place of a centroid; how far it moved, rounded up.
pub(super) fn replace(centroid: &mut [f32], sums: &[f64]) -> f32 {
    let length = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
    if length == 0.0 {
        return 0.0;
    }
    let mut moved = 0.0;
    for (value, sum) in centroid.iter_mut().zip(sums) {
        let next = (sum / length) as f32;
        moved += (f64::from(next) - f64::from(*value)).powi(2);
        *value = next;
    }
    (moved.sqrt() * (1.0 + 1e-6)) as f32
}

fn normalise(centroid: &mut [f32]) {
    let length = centroid.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        centroid.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
    }
}

/// The length of the longest row, at least 1.
fn longest(rows: &SparseRows) -> f32 {
    let squares =
        rows.rows().map(|(_, values)| values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>());
    (squares.fold(1.0, f64::max).sqrt() * (1.0 + 1e-6)) as f32
}

/// How far centroids moved, times the longest row.
struct CentroidMoves {
    each: Vec<f32>,
    /// The farthest, and the farthest of all others.
    most: (usize, f32, f32),
    reach: f32,
}

impl CentroidMoves {
    fn of(moved: &[f32], reach: f32) -> Self {
        // A little more than was computed: bounds stay bounds however they are rounded.
        let more = |moved: &f32| {
            if *moved > 0.0 { (moved * (1.0 + 1e-6) + 4.0 * f32::EPSILON) * reach } else { 0.0 }
        };
        let each: Vec<f32> = moved.iter().map(more).collect();
        let (mut first, mut second) = (0, 0.0);
        for (cluster, moved) in each.iter().enumerate().skip(1) {
            if *moved > each[first] {
                second = each[first];
                first = cluster;
            } else if *moved > second {
                second = *moved;
            }
        }
        CentroidMoves { most: (first, each[first], second), each, reach }
    }

    /// The farthest that a centroid other than this one moved.
    fn of_others(&self, cluster: usize) -> f32 {
        if cluster == self.most.0 { self.most.2 } else { self.most.1 }
    }
}

/// Gives every row to its nearest centroid, as far as bounds do not show that nothing changes.
fn assign(rows: &SparseRows, lanes: &Lanes, known: &mut [RowBounds], moves: &CentroidMoves, bounds: bool) {
    let k = moves.each.len();
    known.par_chunks_mut(CHUNK).enumerate().for_each_init(
        || vec![0f32; lanes.stride()],
        |dots, (chunk, known)| {
            for (number, known) in (chunk * CHUNK..).zip(known) {
                let (columns, values) = rows.row(number);
                if bounds && known.cluster != u32::MAX {
                    // The rounding of two products, now and when bounds were set, and of the bounds themselves.
                    let rounding = 4.0 * (columns.len() as f32 + 8.0) * f32::EPSILON * moves.reach;
                    let own = known.cluster as usize;
                    known.own -= moves.each[own];
                    known.others += moves.of_others(own);
                    if known.own - known.others > rounding {
                        continue;
                    }
                    if k > 32 {
                        known.own = lanes.dot(columns, values, own);
                        if known.own - known.others > rounding {
                            continue;
                        }
                    }
                }
                lanes.dots(columns, values, dots);
                *known = best_two(&dots[..k]);
            }
        },
    );
}

/// The greatest product and the second one.
fn best_two(dots: &[f32]) -> RowBounds {
    let mut best = RowBounds { cluster: 0, own: f32::NEG_INFINITY, others: f32::NEG_INFINITY };
    for (cluster, dot) in (0u32..).zip(dots) {
        if *dot > best.own {
            best = RowBounds { cluster, own: *dot, others: best.own };
        } else if *dot > best.others {
            best.others = *dot;
        }
    }
    best
}

/// Gives clusters without rows the rows that are farthest from their centroids, from clusters that have others.
fn fill_empty(rows: &SparseRows, lanes: &Lanes, k: usize, known: &mut [RowBounds]) {
    let mut sizes = vec![0u32; k];
    known.iter().zip(rows.rows()).for_each(|(known, (columns, _))| {
        sizes[known.cluster as usize] += u32::from(!columns.is_empty());
    });
    let empty: Vec<u32> =
        (0u32..).zip(&sizes).filter(|(_, size)| **size == 0).map(|(cluster, _)| cluster).collect();
    if empty.is_empty() {
        return;
    }
    let mut far: Vec<(f32, usize)> = (0..rows.len())
        .into_par_iter()
        .map(|row| (lanes.dot(rows.row(row).0, rows.row(row).1, known[row].cluster as usize), row))
        .filter(|(similarity, row)| *similarity < ON_CENTROID && !rows.row(*row).0.is_empty())
        .collect();
    far.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut far = far.into_iter();
    for cluster in empty {
        let Some((_, row)) = far.by_ref().find(|(_, row)| sizes[known[*row].cluster as usize] > 1) else {
            return;
        };
        sizes[known[row].cluster as usize] -= 1;
        // Nothing is known of its cosine with a centroid that is still to be made.
        known[row] = RowBounds { cluster, own: f32::NEG_INFINITY, others: f32::INFINITY };
    }
}

/// Clusters that a row left or came to, ascending.
fn changed_clusters(before: &[u32], known: &[RowBounds], k: usize) -> Vec<usize> {
    let mut changed = vec![false; k];
    for (before, known) in before.iter().zip(known) {
        if *before != known.cluster {
            changed[known.cluster as usize] = true;
            if let Some(left) = changed.get_mut(*before as usize) {
                *left = true;
            }
        }
    }
    (0..k).filter(|cluster| changed[*cluster]).collect()
}

/// The nearest centroid of each row, and the cosine with it.
pub(super) fn nearest(rows: &SparseRows, lanes: &Lanes, k: usize) -> (Vec<u32>, Vec<f32>) {
    (0..rows.len())
        .into_par_iter()
        .with_min_len(CHUNK)
        .map_init(
            || vec![0f32; lanes.stride()],
            |dots, row| {
                let (columns, values) = rows.row(row);
                lanes.dots(columns, values, dots);
                let best = best_two(&dots[..k]);
                (best.cluster, best.own)
            },
        )
        .unzip()
}

#[cfg(test)]
mod tests;
