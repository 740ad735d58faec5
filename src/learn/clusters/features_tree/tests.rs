use super::*;
use proptest::prelude::*;

fn unit(row: &std::collections::BTreeMap<u32, f32>) -> (Vec<u32>, Vec<f32>) {
    let length = row.values().map(|v| v * v).sum::<f32>().sqrt();
    row.iter().map(|(c, v)| (*c, v / length)).unzip()
}

proptest! {
    #[test]
    fn features_are_sums(rows in prop::collection::vec(prop::collection::btree_map(0u32..30, 0.1f32..2.0, 1..9), 1..30)) {
        let mut feature = Feature::default();
        let mut dense = [0f64; 30];
        for row in &rows {
            let (columns, values) = unit(row);
            let sums: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
            columns.iter().zip(&sums).for_each(|(c, v)| dense[*c as usize] += v);
            feature.add(&Feature { n: 1.0, columns, square: sums.iter().map(|v| v * v).sum(), sums });
        }
        prop_assert!(feature.columns.windows(2).all(|pair| pair[0] < pair[1]));
        for (column, sum) in (0u32..).zip(dense) {
            let found = feature.columns.binary_search(&column).map_or(0.0, |at| feature.sums[at]);
            prop_assert!((found - sum).abs() < 1e-9);
        }
        let square: f64 = dense.iter().map(|v| v * v).sum();
        prop_assert!((square - feature.square).abs() < 1e-6 && feature.n == rows.len() as f64);
    }

    #[test]
    fn no_row_is_lost_and_bounds_hold(
        rows in prop::collection::vec(prop::collection::btree_map(0u32..40, 0.1f32..2.0, 1..6), 1..200),
        radius in 0.0f64..0.9,
        most_leaves in 1usize..60,
    ) {
        let mut tree = ClusterFeatures::new(radius, most_leaves, usize::MAX);
        for row in &rows {
            let (columns, values) = unit(row);
            tree.push(&columns, &values);
            prop_assert!(tree.leaves() <= most_leaves);
        }
        let square_radius = tree.square_radius;
        prop_assert!(square_radius >= radius * radius);
        let features = tree.leaf_features();
        prop_assert_eq!(features.iter().map(|f| f.n).sum::<f64>(), rows.len() as f64);
        for feature in features {
            prop_assert!(1.0 - feature.square / feature.n.powi(2) <= square_radius + 1e-6);
        }
    }
}

#[test]
fn equal_rows_are_one_leaf() {
    let mut tree = ClusterFeatures::new(0.01, 100, usize::MAX);
    for row in 0..500u32 {
        tree.push(&[row % 7, 10], &[0.6, 0.8]);
    }
    tree.push(&[], &[]);
    assert_eq!((tree.leaves(), tree.widened()), (7, 0));
    let leaves = tree.finish();
    assert_eq!((leaves.rows.len(), leaves.weights.iter().sum::<f64>()), (7, 500.0));
    assert!(ClusterFeatures::new(0.5, 10, 100).finish().rows.is_empty());
}

#[test]
fn many_leaves_widen_the_radius() {
    let mut tree = ClusterFeatures::new(0.0, 1_000, 50);
    for row in 0..300u32 {
        tree.push(&[row, 1_000], &[0.6, 0.8]);
    }
    assert!(tree.widened() > 0 && tree.radius() > 0.0 && tree.entries <= 301);
    assert_eq!(tree.finish().weights.iter().sum::<f64>(), 300.0);
}
