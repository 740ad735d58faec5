//! DBSCAN: dense regions, and noise.
//!
//! **Definition.** A core has at least MinPts rows within eps, itself counted. A cluster is all that is density-reachable from a core: the
//! cores that chains of neighbouring cores join, and their neighbours. Clusters are numbered by their first core in the order of rows; a
//! row that is no core but a neighbour of cores (a border) goes to the first of their clusters; the rest is [`NOISE`].
//!
//! **Algorithm.** The same clusters as the walk of the paper gives, which goes through the rows in order and grows a cluster from each
//! core that is in none: cores are joined by union-find, then borders look at their neighbours. Equal rows stand for each other
//! ([`NearRows`]).
//!
//! **Cost.** Near linear in the pairs of neighbours.
//!
//! **Determinism.** A function of the graph.
//!
//! **Reference.** M. Ester, H.-P. Kriegel, J. Sander, X. Xu, *A density-based algorithm for discovering clusters*, KDD 1996.

use super::neighbours::NearRows;

/// The cluster of rows that are in none.
pub const NOISE: u32 = u32::MAX;

/// The cluster of each row.
pub fn dbscan(neighbours: &NearRows, min_points: u64) -> Vec<u32> {
    let groups = neighbours.groups();
    let is_core: Vec<bool> = (0..groups)
        .map(|group| {
            let others: u64 = neighbours.of(group).iter().map(|other| neighbours.size(*other as usize)).sum();
            neighbours.size(group) + others >= min_points
        })
        .collect();
    // The root of a set is its first group: groups are in the order of their first rows.
    let mut parents: Vec<u32> = (0..groups as u32).collect();
    for group in (0..groups).filter(|group| is_core[*group]) {
        for &other in neighbours.of(group).iter().filter(|other| is_core[**other as usize]) {
            let (one, other) = (root(&mut parents, group as u32), root(&mut parents, other));
            parents[one.max(other) as usize] = one.min(other);
        }
    }
    let mut clusters = vec![NOISE; groups];
    let mut count = 0;
    for group in (0..groups).filter(|group| is_core[*group]) {
        let first = root(&mut parents, group as u32) as usize;
        if first == group {
            clusters[group] = count;
            count += 1;
        } else {
            clusters[group] = clusters[first];
        }
    }
    for group in (0..groups).filter(|group| !is_core[*group]) {
        let cores = neighbours.of(group).iter().filter(|other| is_core[**other as usize]);
        clusters[group] = cores.map(|core| clusters[*core as usize]).min().unwrap_or(NOISE);
    }
    neighbours.group_of_rows().iter().map(|group| clusters[*group as usize]).collect()
}

fn root(parents: &mut [u32], of: u32) -> u32 {
    let mut at = of;
    while parents[at as usize] != at {
        parents[at as usize] = parents[parents[at as usize] as usize];
        at = parents[at as usize];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn on_a_line(points: &[f64], eps: f64) -> NearRows {
        let pairs = (0..points.len() as u32).flat_map(|a| (0..a).map(move |b| (b, a)));
        let near = pairs.filter(|(a, b)| (points[*a as usize] - points[*b as usize]).abs() <= eps);
        NearRows::of_pairs(points.len(), &near.collect::<Vec<_>>())
    }

    /// The walk of the paper.
    fn walk(points: &[f64], eps: f64, min_points: u64) -> Vec<u32> {
        let near = |of: usize| -> Vec<usize> {
            (0..points.len()).filter(|other| (points[of] - points[*other]).abs() <= eps).collect()
        };
        let (mut clusters, mut seen, mut count) = (vec![NOISE; points.len()], vec![false; points.len()], 0);
        for point in 0..points.len() {
            if seen[point] || (near(point).len() as u64) < min_points {
                continue;
            }
            let mut waiting = vec![point];
            while let Some(next) = waiting.pop() {
                if clusters[next] == NOISE {
                    clusters[next] = count;
                }
                let around = near(next);
                if around.len() as u64 >= min_points && !seen[next] {
                    seen[next] = true;
                    waiting.extend(around);
                }
            }
            count += 1;
        }
        clusters
    }

    #[test]
    fn points_on_a_line() {
        let points = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 50.0];
        assert_eq!(dbscan(&on_a_line(&points, 1.5), 3), [0, 0, 0, 1, 1, 1, NOISE]);
        assert_eq!(dbscan(&on_a_line(&points, 1.5), 4), [NOISE; 7]);
        assert_eq!(dbscan(&on_a_line(&points, 1.5), 1), [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!(dbscan(&on_a_line(&[], 1.0), 3), Vec::<u32>::new());
        // A border between two clusters goes to the first.
        let between = [10.0, 11.0, 12.0, 9.0, 6.0, 7.5, 3.0, 4.0, 5.0];
        assert_eq!(dbscan(&on_a_line(&between, 1.5), 4), walk(&between, 1.5, 4));
    }

    #[test]
    fn equal_rows_count_each() {
        let alone = NearRows::of_groups(vec![0, 0, 0, 1, 2], &[(0, 1)]);
        assert_eq!(dbscan(&alone, 4), [0, 0, 0, 0, NOISE]);
        assert_eq!(dbscan(&alone, 5), [NOISE; 5]);
    }

    proptest! {
        #[test]
        fn as_the_walk(points in prop::collection::vec(0u8..60, 0..50), eps in 0.5f64..4.0, min_points in 1u64..7) {
            let points: Vec<f64> = points.into_iter().map(f64::from).collect();
            prop_assert_eq!(dbscan(&on_a_line(&points, eps), min_points), walk(&points, eps, min_points));
        }
    }
}
