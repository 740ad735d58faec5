//! Average linkage: a tree of merges.
//!
//! **Definition.** The distance of two clusters is the mean distance of their items, one of each (UPGMA); the two nearest clusters are
//! merged until one is left. An item may stand for several (`weights`): the distance between two such items is then taken as the mean
//! over what they stand for.
//!
//! **Algorithm.** Nearest-neighbour chain over a condensed matrix, Lance–Williams: d(a ∪ b, c) = (|a|·d(a,c) + |b|·d(b,c))/(|a| + |b|).
//! Merges are then put in the order of distance and numbered as SciPy does: items 0 to n − 1, the i-th merge n + i.
//!
//! **Cost.** O(n²) time, 2n² bytes for the matrix: 800 MB for 20,000 items.
//!
//! **Determinism.** Each distance is summed in the order of columns; ties go to the smaller number.
//!
//! **Reference.** F. Murtagh, *A survey of recent advances in hierarchical clustering algorithms*, 1983, doi:10.1093/comjnl/26.4.354; D.
//! Müllner, *Modern hierarchical, agglomerative clustering algorithms*, 2011, arXiv:1109.2378.

use rayon::prelude::*;

use super::transposed::TransposedRows;
use crate::SparseRows;

/// Distances of all pairs of items, row by row above the diagonal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Distances {
    items: usize,
    values: Vec<f32>,
}

impl Distances {
    /// What `of` says of each pair (smaller number first).
    pub fn of(items: usize, of: impl Fn(usize, usize) -> f32) -> Self {
        let values =
            (0..items).flat_map(|a| (a + 1..items).map(move |b| (a, b))).map(|(a, b)| of(a, b)).collect();
        Distances { items, values }
    }

    /// Bytes of the distances of `items` items.
    pub fn bytes(items: usize) -> u64 {
        2 * items as u64 * items.saturating_sub(1) as u64
    }

    fn at(&self, one: usize, other: usize) -> usize {
        let (a, b) = (one.min(other), one.max(other));
        a * (2 * self.items - a - 1) / 2 + b - a - 1
    }

    /// The distance of two different items.
    pub fn get(&self, one: usize, other: usize) -> f32 {
        self.values[self.at(one, other)]
    }
}

/// 1 − cosine of all pairs of rows of length 1.
pub fn cosine_distances(rows: &SparseRows) -> Distances {
    let items = rows.len();
    let index = TransposedRows::of(rows);
    let mut values = vec![0f32; items * items.saturating_sub(1) / 2];
    let mut pieces = Vec::with_capacity(items);
    let mut rest = values.as_mut_slice();
    for row in 0..items {
        let (piece, behind) = rest.split_at_mut(items - row - 1);
        pieces.push((row, piece));
        rest = behind;
    }
    pieces.into_par_iter().with_max_len(16).for_each(|(row, piece)| {
        let (columns, entries) = rows.row(row);
        for (&column, &value) in columns.iter().zip(entries) {
            let (others, weights) = index.column(column);
            let from = others.partition_point(|other| *other as usize <= row);
            for (&other, &weight) in others[from..].iter().zip(&weights[from..]) {
                piece[other as usize - row - 1] += value * weight;
            }
        }
        piece.iter_mut().for_each(|value| *value = (1.0 - *value).max(0.0));
    });
    Distances { items, values }
}

/// Two clusters that became one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merge {
    /// The one, an item or n plus the number of an earlier merge; the smaller number.
    pub left: u32,
    /// The other.
    pub right: u32,
    /// Their mean distance.
    pub distance: f32,
    /// Items in both, by weight.
    pub size: f64,
}

/// Merges items until one cluster is left: one merge less than there are items.
pub fn average_linkage(mut distances: Distances, weights: Option<&[f64]>) -> Vec<Merge> {
    let items = distances.items;
    let mut sizes: Vec<f64> = weights.map_or_else(|| vec![1.0; items], <[f64]>::to_vec);
    let mut active: Vec<usize> = (0..items).collect();
    let mut chain: Vec<usize> = Vec::new();
    let mut steps: Vec<(usize, usize, f32)> = Vec::new();
    while active.len() > 1 {
        let Some(&end) = chain.last() else {
            chain.push(active[0]);
            continue;
        };
        let before = chain.len().checked_sub(2).map(|at| chain[at]);
        // The one before wins ties, or the chain would not end.
        let mut nearest = before.map(|before| (distances.get(end, before), before));
        for &other in active.iter().filter(|other| **other != end) {
            let distance = distances.get(end, other);
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, other));
            }
        }
        let Some((distance, other)) = nearest else { break };
        if before != Some(other) {
            chain.push(other);
            continue;
        }
        chain.truncate(chain.len() - 2);
        // The greater number goes on as both.
        let (gone, stays) = (end.min(other), end.max(other));
        steps.push((gone, stays, distance));
        active.remove(active.partition_point(|item| *item < gone));
        let (a, b) = (sizes[gone], sizes[stays]);
        for &third in active.iter().filter(|third| **third != stays) {
            let mean = (a * f64::from(distances.get(gone, third))
                + b * f64::from(distances.get(stays, third)))
                / (a + b);
            let at = distances.at(stays, third);
            distances.values[at] = mean as f32;
        }
        sizes[stays] += a;
    }
    numbered(steps, items, weights)
}

/// Merges by distance, with the numbers that clusters then have.
fn numbered(mut steps: Vec<(usize, usize, f32)>, items: usize, weights: Option<&[f64]>) -> Vec<Merge> {
    // Stable: of equal distances the merge that was found first, which the others may rest on.
    steps.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut parents: Vec<u32> = (0..items as u32).collect();
    let mut names: Vec<u32> = (0..items as u32).collect();
    let mut sizes: Vec<f64> = weights.map_or_else(|| vec![1.0; items], <[f64]>::to_vec);
    let mut merges = Vec::with_capacity(steps.len());
    for (one, other, distance) in steps {
        let (one, other) = (root(&mut parents, one), root(&mut parents, other));
        let (left, right) = (names[one].min(names[other]), names[one].max(names[other]));
        sizes[other] += sizes[one];
        merges.push(Merge { left, right, distance, size: sizes[other] });
        parents[one] = other as u32;
        names[other] = (items + merges.len() - 1) as u32;
    }
    merges
}

fn root(parents: &mut [u32], of: usize) -> usize {
    let mut at = of;
    while parents[at] as usize != at {
        parents[at] = parents[parents[at] as usize];
        at = parents[at] as usize;
    }
    at
}

/// The cluster of each of `items` items once all but `k − 1` of the merges are done; numbered by first items.
pub fn cut(merges: &[Merge], items: usize, k: usize) -> Vec<u32> {
    let done = items.saturating_sub(k.max(1)).min(merges.len());
    clusters(&merges[..done], items)
}

/// The cluster of each item once all merges up to this distance are done.
pub fn cut_at(merges: &[Merge], items: usize, distance: f32) -> Vec<u32> {
    clusters(&merges[..merges.partition_point(|merge| merge.distance <= distance)], items)
}

fn clusters(done: &[Merge], items: usize) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..(items + done.len()) as u32).collect();
    for (merge, number) in done.iter().zip(items as u32..) {
        parents[merge.left as usize] = number;
        parents[merge.right as usize] = number;
    }
    let mut names = vec![u32::MAX; parents.len()];
    let mut count = 0;
    (0..items)
        .map(|item| {
            let root = root(&mut parents, item);
            if names[root] == u32::MAX {
                names[root] = count;
                count += 1;
            }
            names[root]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn points_on_a_line() {
        let points = [0.0f32, 1.0, 2.5, 10.0, 11.0, 12.5, 50.0];
        let merges = average_linkage(Distances::of(7, |a, b| (points[a] - points[b]).abs()), None);
        let expected =
            [(0, 1, 1.0, 2.0), (3, 4, 1.0, 2.0), (2, 7, 2.0, 3.0), (5, 8, 2.0, 3.0), (9, 10, 10.0, 6.0)];
        for (merge, (left, right, distance, size)) in merges.iter().zip(expected) {
            assert_eq!((merge.left, merge.right, merge.distance, merge.size), (left, right, distance, size));
        }
        assert_eq!(cut(&merges, 7, 3), [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!(cut_at(&merges, 7, 2.0), [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!(cut(&merges, 7, 1), [0; 7]);
        assert_eq!(cut(&merges, 7, 99), [0, 1, 2, 3, 4, 5, 6]);
        assert!(average_linkage(Distances::of(1, |_, _| 0.0), None).is_empty());
        assert!(average_linkage(Distances::of(0, |_, _| 0.0), None).is_empty());
    }

    proptest! {
        #[test]
        fn by_definition(points in prop::collection::vec((0u32..40_000, 0u32..40_000), 1..40), weigh in any::<bool>()) {
            let items = points.len();
            let distance = |a: usize, b: usize| {
                let (a, b) = (points[a], points[b]);
                (f64::from(a.0) - f64::from(b.0)).hypot(f64::from(a.1) - f64::from(b.1)) as f32
            };
            let weights: Vec<f64> = (0..items).map(|item| if weigh { 1.0 + (item % 3) as f64 } else { 1.0 }).collect();
            let merges = average_linkage(Distances::of(items, distance), Some(&weights));
            prop_assert_eq!(merges.len(), items - 1);
            // Each distance is the weighted mean over the items of both sides.
            let mut members: Vec<Vec<usize>> = (0..items).map(|item| vec![item]).collect();
            for merge in &merges {
                let (left, right) = (members[merge.left as usize].clone(), members[merge.right as usize].clone());
                let (mut sum, mut pairs) = (0.0, 0.0);
                for &a in &left {
                    for &b in &right {
                        sum += weights[a] * weights[b] * f64::from(distance(a, b));
                        pairs += weights[a] * weights[b];
                    }
                }
                prop_assert!((sum / pairs - f64::from(merge.distance)).abs() <= 1e-3 * sum / pairs + 1e-3);
                members.push(left.into_iter().chain(right).collect());
            }
        }
    }

    #[test]
    fn distances_of_rows() {
        let mut rows = SparseRows::new();
        rows.push([(0, 0.6), (1, 0.8)]);
        rows.push([(1, 1.0)]);
        rows.push([(2, 1.0)]);
        let distances = cosine_distances(&rows);
        assert!(
            (distances.get(0, 1) - 0.2).abs() < 1e-6
                && distances.get(2, 0) == 1.0
                && distances.get(1, 2) == 1.0
        );
    }
}
