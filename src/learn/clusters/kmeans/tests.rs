use super::*;
use proptest::prelude::*;

/// Rows of length 1 out of weights.
fn unit_rows(rows: &[Vec<(u32, f32)>]) -> SparseRows {
    let mut unit = SparseRows::new();
    for row in rows {
        let length = row.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
        unit.push(row.iter().map(|(column, value)| (*column, value / length)));
    }
    unit
}

/// Rows of some words, most of them of one of `topics` ranges.
fn planted(pages: usize, topics: usize, seed: u64) -> (SparseRows, Vec<u32>) {
    let mut draws = Draws::new(seed);
    let mut truth = Vec::new();
    let rows: Vec<Vec<(u32, f32)>> = (0..pages)
        .map(|_| {
            let topic = draws.below(topics);
            truth.push(topic as u32);
            let mut row = std::collections::BTreeMap::new();
            for _ in 0..20 {
                let word =
                    if draws.unit() < 0.6 { 100 + 40 * topic + draws.below(40) } else { draws.below(100) };
                *row.entry(word as u32).or_insert(0.0) += 1.0;
            }
            row.into_iter().collect()
        })
        .collect();
    (unit_rows(&rows), truth)
}

#[test]
fn planted_topics_are_found() {
    let (rows, truth) = planted(600, 6, 1);
    let found = KMeans::new(6).seed(3).restarts(3).run(&rows);
    let agreement = crate::Agreement::of(&truth, &found.assignment);
    assert!(found.converged && agreement.nmi() > 0.95, "{}", agreement.nmi());
    assert_eq!(found.centroids.len(), 6);
}

#[test]
fn bounds_change_no_bit() {
    for (pages, topics, k) in [(400, 5, 5), (500, 7, 20), (300, 4, 64), (700, 9, 40)] {
        let (rows, _) = planted(pages, topics, k as u64);
        let with = KMeans::new(k).seed(9).run(&rows);
        let without = KMeans::new(k).seed(9).without_bounds().run(&rows);
        assert_eq!(with, without);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| KMeans::new(k).seed(9).run(&rows)), with);
    }
}

#[test]
fn corners() {
    let none = KMeans::new(3).run(&SparseRows::new());
    assert!(none.assignment.is_empty() && none.centroids.is_empty());
    let mut rows = SparseRows::new();
    rows.push([]);
    rows.push([]);
    let empty = KMeans::new(3).run(&rows);
    assert_eq!((empty.assignment, empty.centroids.len()), (vec![0, 0], 0));
    // All rows the same: one centroid, whatever k.
    let same = unit_rows(&vec![vec![(1, 2.0), (4, 1.0)]; 50]);
    let found = KMeans::new(5).run(&same);
    assert_eq!((found.centroids.len(), found.converged), (1, true));
    assert!(found.inertia.abs() < 1e-4 && found.assignment.iter().all(|cluster| *cluster == 0));
    // More clusters than rows: each its own.
    let few = unit_rows(&[vec![(0, 1.0)], vec![(1, 1.0)], vec![(2, 1.0)]]);
    let mut found = KMeans::new(10).run(&few).assignment;
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2]);
    // A row of other columns than the centroids have.
    let centroids = KMeans::new(2).run(&few).centroids;
    assert_eq!(centroids.nearest(&unit_rows(&[vec![(9, 1.0)]])), (vec![0], vec![0.0]));
}

#[test]
fn weights_count_as_copies() {
    let (rows, _) = planted(60, 3, 5);
    let weights: Vec<f64> = (0..60).map(|row| f64::from(1 + row % 3)).collect();
    let copies: Vec<usize> = (0..60).flat_map(|row| vec![row; 1 + row % 3]).collect();
    let start = Centroids::of(&rows, &(0..60).map(|row| row % 3).collect::<Vec<_>>(), 3);
    let kmeans = KMeans::new(3);
    let weighted = kmeans.lloyd(&rows, Some(&weights), start.clone());
    let copied = kmeans.lloyd(&rows.select(&copies), None, start);
    assert!((weighted.inertia - copied.inertia).abs() < 1e-4);
    for (at, row) in copies.iter().enumerate() {
        assert_eq!(copied.assignment[at], weighted.assignment[*row]);
    }
}

proptest! {
    #[test]
    fn no_row_is_nearer_to_another_centroid(
        rows in prop::collection::vec(prop::collection::btree_map(0u32..12, 0.1f32..3.0, 1..6), 1..40),
        k in 1usize..9,
        seed in any::<u64>(),
    ) {
        let rows = unit_rows(&rows.into_iter().map(|row| row.into_iter().collect()).collect::<Vec<_>>());
        let found = KMeans::new(k).seed(seed).run(&rows);
        prop_assert_eq!(&found, &KMeans::new(k).seed(seed).without_bounds().run(&rows));
        for row in 0..rows.len() {
            let (columns, values) = rows.row(row);
            for cluster in 0..found.centroids.len() {
                let centroid = found.centroids.centroid(cluster);
                let dot: f32 = columns.iter().zip(values).map(|(c, v)| centroid[*c as usize] * v).sum();
                prop_assert!(dot <= found.similarity[row] + 1e-5);
            }
        }
    }
}
