use super::*;
use crate::csr::tests::graphs;
use proptest::prelude::*;

fn ranks(settings: PageRank, graph: &Csr) -> Vec<f64> {
    let ranks = settings.run(graph, &graph.transpose()).unwrap();
    assert!(ranks.converged, "{} iterations, bound {}", ranks.iterations, ranks.error_bound);
    ranks.scores
}

fn exact<'a>() -> PageRank<'a> {
    PageRank { tolerance: 1e-13, ..PageRank::default() }
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (node, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance, "node {node}: {f} is not {e}\n{found:?}\n{expected:?}");
    }
}

#[test]
fn a_page_to_which_all_link_has_the_greatest_rank() {
    for n in [1u32, 2, 50] {
        let graph = Csr::from_arcs(n as usize, (0..n).map(|u| (u, 0))).unwrap();
        let rank = ranks(PageRank { scale: Scale::Classical, ..exact() }, &graph)[0];
        assert!((rank - (f64::from(n) * 0.85 + 0.15)).abs() < 1e-10, "{rank}");
    }
}

#[test]
fn vectors_of_the_literature() {
    let graph = Csr::from_arcs(3, [(0, 1), (0, 2), (1, 2), (2, 0)]).unwrap();
    let classical = PageRank { scale: Scale::Classical, ..exact() };
    let half = ranks(PageRank { damping: 0.5, ..classical.clone() }, &graph);
    close(&half, &[14.0 / 13.0, 10.0 / 13.0, 15.0 / 13.0], 1e-12);
    close(&ranks(classical, &graph), &[1.16337, 0.64443, 1.19220], 5e-6);
}

#[test]
fn closed_forms() {
    let d = 0.85;
    // Clique and cycle: all alike. (In a cycle the ranks of one sweep depend on the order of nodes.)
    for n in [2u32, 3, 50] {
        let clique =
            Csr::from_arcs(n as usize, (0..n * n).map(|i| (i / n, i % n)).filter(|(u, v)| u != v)).unwrap();
        let cycle = Csr::from_arcs(n as usize, (0..n).map(|u| (u, (u + 1) % n))).unwrap();
        let uniform = vec![1.0 / f64::from(n); n as usize];
        close(&ranks(exact(), &clique), &uniform, 1e-13);
        close(&ranks(exact(), &cycle), &uniform, 1e-13);
    }
    // Star: k leaves point to the centre, which dangles. With dangling rank c spread over all k + 1
    // nodes, a leaf has a = (1 − d + d c)/(k + 1), the centre c = a + d k a, and k a + c = 1.
    let k = 7.0;
    let star = Csr::from_arcs(8, (1..8).map(|leaf| (leaf, 0))).unwrap();
    let leaf = 1.0 / (k + 1.0 + d * k);
    let mut expected = vec![leaf; 8];
    expected[0] = leaf * (1.0 + d * k);
    close(&ranks(exact(), &star), &expected, 1e-13);
    // Clique of k and a path of p that its last node enters: no dangling rank on the classical scale
    // without redistribution, so each node of the path has (1 − d) + d × the one before.
    let (k, p) = (5u32, 6u32);
    let arcs = (0..k * k)
        .map(|i| (i / k, i % k))
        .filter(|(u, v)| u != v)
        .chain((k - 1..k + p - 1).map(|u| (u, u + 1)));
    let graph = Csr::from_arcs((k + p) as usize, arcs).unwrap();
    let lost = PageRank { dangling: Dangling::Lost, scale: Scale::Classical, ..exact() };
    let found = ranks(lost, &graph);
    // x for the k − 1 inner nodes, y for the one with the way out: x = 1−d + d((k−2) x/(k−1) + y/k), y =
    // 1−d + d x.
    let kf = f64::from(k);
    let x = (1.0 - d) * (1.0 + d / kf) / (1.0 - d * (kf - 2.0) / (kf - 1.0) - d * d / kf);
    let y = 1.0 - d + d * x;
    let mut expected = vec![x; k as usize - 1];
    expected.push(y);
    let mut last = y / kf;
    for _ in 0..p {
        let rank = 1.0 - d + d * last;
        expected.push(rank);
        last = rank;
    }
    close(&found, &expected, 1e-11);
}

/// Solves x = (1 − d) v + d Pᵀ x by Gaussian elimination with pivots.
fn dense(graph: &Csr, d: f64, teleport: &[f64], dangling: Dangling) -> Vec<f64> {
    let n = graph.num_nodes();
    let total: f64 = teleport.iter().sum();
    let v: Vec<f64> = teleport.iter().map(|x| x / total).collect();
    let mut a = vec![vec![0.0; n + 1]; n];
    for i in 0..n {
        a[i][i] = 1.0;
        a[i][n] = (1.0 - d) * v[i];
    }
    for u in 0..n as u32 {
        let whole: f64 = graph.arcs_of(u).map(|arc| graph.weights().map_or(1.0, |w| w.get(arc))).sum();
        for arc in graph.arcs_of(u).filter(|_| whole > 0.0) {
            a[graph.targets()[arc] as usize][u as usize] -=
                d * graph.weights().map_or(1.0, |w| w.get(arc)) / whole;
        }
        if whole == 0.0 {
            for (i, row) in a.iter_mut().enumerate() {
                row[u as usize] -= match dangling {
                    Dangling::Teleport => d * v[i],
                    Dangling::Uniform => d / n as f64,
                    Dangling::Lost => 0.0,
                };
            }
        }
    }
    for column in 0..n {
        let pivot = (column..n).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs())).unwrap();
        a.swap(column, pivot);
        let row = a[column].clone();
        for (i, other) in a.iter_mut().enumerate().filter(|(i, _)| *i != column) {
            let factor = other[column] / row[column];
            for j in column..=n {
                other[j] -= factor * row[j];
            }
            let _ = i;
        }
    }
    (0..n).map(|i| a[i][n] / a[i][i]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn equals_a_dense_solve(
        graph in graphs(30, 120), weights in prop::collection::vec(0u8..5, 120), weighted: bool,
        d in prop_oneof![Just(0.0), 0.0..0.95f64], lean: bool, personal: bool, teleport in prop::collection::vec(0u8..4, 30), mode in 0..3usize,
    ) {
        let n = graph.num_nodes();
        let graph = if weighted {
            let arcs = graph.arcs().zip(weights).map(|((u, v, _), w)| (u, v, f32::from(w)));
            Csr::from_weighted_arcs(n, arcs).unwrap()
        } else { graph };
        let dangling = [Dangling::Teleport, Dangling::Uniform, Dangling::Lost][mode];
        let mut teleport: Vec<f64> = teleport.into_iter().take(n).map(f64::from).collect();
        teleport[0] += 1.0;
        let uniform = vec![1.0; n];
        let v = if personal { &teleport } else { &uniform };
        let settings = PageRank { damping: d, dangling, tolerance: 1e-12, ..PageRank::default() };
        let settings = PageRank { lean, ..settings };
        let settings = PageRank { teleport: personal.then_some(&teleport[..]), ..settings };
        let found = settings.run(&graph, &graph.transpose()).unwrap();
        let expected = dense(&graph, d, v, dangling);
        let distance: f64 = found.scores.iter().zip(&expected).map(|(a, b)| (a - b).abs()).sum();
        prop_assert!(found.converged);
        prop_assert!(distance <= found.error_bound + 1e-13, "{distance:e} > {:e}", found.error_bound);
        if dangling != Dangling::Lost {
            prop_assert!((found.scores.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    /// The bound holds however early the sweeps stop.
    #[test]
    fn the_bound_is_a_bound(graph in graphs(30, 120), sweeps in 1..12usize, lean: bool, mode in 0..3usize) {
        let dangling = [Dangling::Teleport, Dangling::Uniform, Dangling::Lost][mode];
        let settings = PageRank { dangling, max_iterations: sweeps, tolerance: 0.0, ..PageRank::default() };
        let settings = PageRank { lean, ..settings };
        let found = settings.run(&graph, &graph.transpose()).unwrap();
        let expected = dense(&graph, 0.85, &vec![1.0; graph.num_nodes()], dangling);
        let distance: f64 = found.scores.iter().zip(&expected).map(|(a, b)| (a - b).abs()).sum();
        prop_assert!(distance <= found.error_bound + 1e-14, "{distance:e} > {:e}", found.error_bound);
    }
}

#[test]
fn never_nan() {
    // No node, one node, a self-loop, all dangling, only self-loops: all nodes are alike.
    for (n, loops) in [(0, 0), (1, 0), (1, 1), (4, 0), (2, 2)] {
        let graph = Csr::from_arcs(n, (0..loops).map(|u| (u, u))).unwrap();
        close(&ranks(exact(), &graph), &vec![1.0 / n as f64; n], 1e-14);
    }
    // Weights that are all zero make a node dangle.
    let graph = Csr::from_weighted_arcs(2, [(0, 1, 0.0), (1, 0, 0.0)]).unwrap();
    close(&ranks(exact(), &graph), &[0.5; 2], 1e-14);
}

#[test]
fn settings_out_of_range_are_refused() {
    let graph = Csr::from_arcs(2, [(0, 1)]).unwrap();
    let transpose = graph.transpose();
    let refused = |settings: PageRank| matches!(settings.run(&graph, &transpose), Err(Error::Config(_)));
    for damping in [-0.1, 1.0, f64::NAN] {
        assert!(refused(PageRank { damping, ..exact() }));
    }
    for vector in [&[1.0][..], &[0.0, 0.0], &[1.0, -1.0], &[f64::NAN, 1.0], &[f64::INFINITY, 1.0]] {
        assert!(refused(PageRank { teleport: Some(vector), ..exact() }));
    }
    assert!(refused(PageRank { tolerance: f64::NAN, ..exact() }));
    let tight = PageRank { memory_bytes: Some(95), ..exact() };
    assert!(matches!(tight.run(&graph, &transpose), Err(Error::Limit(_))));
    assert!(exact().run(&graph, &Csr::from_arcs(3, [(0, 1)]).unwrap()).is_err());
}

#[test]
fn extremes_give_numbers() {
    // A hub, what it links to, and who links to it.
    let graph = Csr::from_arcs(4, [(0, 1), (2, 0), (0, 3)]).unwrap();
    let transpose = graph.transpose();
    let mut vectors = vec![vec![0.0, 1.0, 0.0, 0.0], vec![1.0; 4], vec![0.0, 1.0, 0.0, 1e-9]];
    for small in [1e-5, 1e-7, 1e-20, 1e-160, 1e-200, 1e-300, 1e-310, 5e-324] {
        vectors.extend([vec![small, 1.0, 0.0, 0.0], vec![small, 0.0, 0.0, 0.0], vec![0.0, small, 0.0, 0.0]]);
    }
    for teleport in &vectors {
        for dangling in [Dangling::Teleport, Dangling::Uniform, Dangling::Lost] {
            let of = |lean| {
                let settings =
                    PageRank { teleport: Some(teleport), dangling, lean, tolerance: 1e-12, ..exact() };
                settings.run(&graph, &transpose).unwrap()
            };
            let (full, lean) = (of(false), of(true));
            assert!(full.converged && lean.converged, "{teleport:?} {dangling:?}: {full:?} {lean:?}");
            for (a, b) in full.scores.iter().zip(&lean.scores) {
                assert!((a - b).abs() < 1e-11, "{teleport:?} {dangling:?}: {full:?} {lean:?}");
            }
        }
    }
    for arcs in [
        &[(0, 0, 1e-40f32)][..],
        &[(0, 1, 1e-40)],
        &[(0, 1, 1e-40), (0, 2, 1e-45)],
        &[(0, 1, 3e38), (0, 2, 1e-45), (1, 0, 3e38)],
    ] {
        let graph = Csr::from_weighted_arcs(4, arcs.iter().copied()).unwrap();
        for lean in [false, true] {
            let ranks = PageRank { lean, ..exact() }.run(&graph, &graph.transpose()).unwrap();
            assert!(
                ranks.converged && (total(4, |v| ranks.scores[v]) - 1.0).abs() < 1e-12,
                "{arcs:?} {ranks:?}"
            );
        }
    }
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let mut x = 7u32;
    let mut next = || {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        x >> 9
    };
    let n = 60_000;
    let graph =
        Csr::from_arcs(n, (0..500_000).map(|_| (next() % n as u32, next() % n as u32 / (1 + next() % 50))))
            .unwrap();
    let transpose = graph.transpose();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| PageRank::default().run(&graph, &transpose).unwrap().scores)
    };
    let one = on(1);
    for threads in [2, 3, 8] {
        assert!(one.iter().zip(on(threads)).all(|(a, b)| a.to_bits() == b.to_bits()), "{threads} threads");
    }
}
