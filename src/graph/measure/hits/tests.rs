use super::*;
use crate::csr::tests::graphs;
use proptest::prelude::*;

fn run(graph: &Csr, variant: Variant) -> HubsAuthorities {
    Hits { variant, tolerance: 1e-13, max_iterations: 100_000, ..Hits::default() }
        .run(graph, &graph.transpose())
        .unwrap()
}

/// M + 1 hubs (0..=M) and authorities; the first M hubs point to the first authority, the last to all.
fn promiscuous(m: u32) -> Csr {
    let first = m + 1;
    let arcs = (0..m).map(|hub| (hub, first)).chain((0..=m).map(|a| (m, first + a)));
    Csr::from_arcs(2 * m as usize + 2, arcs).unwrap()
}

#[test]
fn averaging_puts_the_promiscuous_hub_last() {
    let graph = promiscuous(3);
    for (variant, modest, promiscuous) in
        [(Variant::Hits, 0.3470, 0.7992), (Variant::HubAveraging, 0.5676, 0.1833)]
    {
        let scores = run(&graph, variant);
        for hub in 0..3 {
            assert!((scores.hubs[hub] - modest).abs() < 5e-5, "{variant:?} {:?}", scores.hubs);
        }
        assert!((scores.hubs[3] - promiscuous).abs() < 5e-5, "{variant:?} {:?}", scores.hubs);
    }
}

#[test]
fn thresholds_by_hand() {
    // With its one best authority, the promiscuous hub is as good as the others.
    let scores = run(&promiscuous(3), Variant::HubThreshold(1));
    assert!(scores.hubs[..4].iter().all(|h| (h - 0.5).abs() < 1e-10), "{:?}", scores.hubs);
    // Authority 1's best hub is the promiscuous one, which alone is above the mean.
    let scores = run(&promiscuous(3), Variant::AuthorityThreshold);
    assert!(scores.authorities[4..].iter().all(|a| (a - 0.5).abs() < 1e-10), "{:?}", scores.authorities);
}

#[test]
fn thresholds_that_turn_in_a_circle_give_their_best() {
    // Hubs at the threshold are in and out by turns, five iterations a turn.
    let arcs =
        [(0, 0), (0, 1), (0, 3), (1, 3), (1, 4), (2, 2), (2, 4), (3, 2), (3, 3), (3, 4), (4, 0), (4, 4)];
    let graph = Csr::from_arcs(5, arcs).unwrap();
    let transpose = graph.transpose();
    let full = Hits { variant: Variant::FullThreshold(2), ..Hits::default() };
    let scores = full.run(&graph, &transpose).unwrap();
    assert!(!scores.converged && scores.cycles && scores.iterations < 200, "{scores:?}");
    assert!((scores.change - 0.0793).abs() < 1e-4, "of five changes the least was {}", scores.change);
    for vector in [&scores.hubs, &scores.authorities] {
        assert!((vector.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    // Before that shows, the best so far is given as well.
    let early = Hits { max_iterations: 7, ..full }.run(&graph, &transpose).unwrap();
    assert!(!early.converged && !early.cycles && early.iterations == 7 && early.change < 0.3, "{early:?}");
}

#[test]
fn no_arcs_no_scores_and_never_nan() {
    for graph in [
        Csr::from_arcs(0, []),
        Csr::from_arcs(1, []),
        Csr::from_arcs(3, []),
        Csr::from_arcs(2, [(0, 0), (1, 1)]),
    ] {
        let graph = graph.unwrap();
        for variant in [Variant::Hits, Variant::HubAveraging, Variant::FullThreshold(2)] {
            let scores = run(&graph, variant);
            assert!(scores.hubs.iter().chain(&scores.authorities).all(|x| x.is_finite()));
            assert!(scores.converged);
        }
    }
}

/// The projection of Aᵀ1 on the eigenspace of the greatest eigenvalue of AᵀA, by solving densely.
fn dense(graph: &Csr) -> Vec<f64> {
    let n = graph.num_nodes();
    let mut rows = vec![vec![0.0; n]; n];
    graph.arcs().for_each(|(u, v, w)| rows[u as usize][v as usize] = w);
    let mut product = vec![vec![0.0; n]; n];
    for row in &rows {
        for (i, a) in row.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            product[i].iter_mut().zip(row).for_each(|(cell, b)| *cell += a * b);
        }
    }
    let start: Vec<f64> = (0..n).map(|v| rows.iter().map(|row| row[v]).sum()).collect();
    let found = jacobi::eigen(&product, n);
    let mut x = vec![0.0; n];
    let first = found.values[0];
    for (_, vector) in found.values.iter().zip(&found.vectors).filter(|(v, _)| **v > first * (1.0 - 1e-10)) {
        let part: f64 = vector.iter().zip(&start).map(|(a, b)| a * b).sum();
        x.iter_mut().zip(vector).for_each(|(x, v)| *x += part * v);
    }
    let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    x.iter().map(|x| x / length).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Paths with both directions and loops: singular values 1 + 2 cos(kπ / (n + 1)), the first vector a sine.
fn paths(lengths: &[u32]) -> Csr {
    let mut arcs = Vec::new();
    let mut base = 0;
    for &n in lengths {
        arcs.extend((0..n).map(|u| (base + u, base + u)));
        arcs.extend((1..n).flat_map(|u| [(base + u - 1, base + u), (base + u, base + u - 1)]));
        base += n;
    }
    Csr::from_arcs(base as usize, arcs).unwrap()
}

fn sine(n: u32, of: u32) -> Vec<f64> {
    let x: Vec<f64> = (1..=of)
        .map(|i| if i <= n { (f64::from(i) * std::f64::consts::PI / f64::from(n + 1)).sin() } else { 0.0 })
        .collect();
    let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    x.iter().map(|x| x / length).collect()
}

#[test]
fn small_gaps() {
    for (lengths, within) in [
        (&[300u32][..], 1e-9),
        (&[300, 290], 1e-8),
        (&[300, 299], 1e-7),
        (&[1500], 1e-7),
        (&[1500, 1499], 1e-4),
    ] {
        let graph = paths(lengths);
        let scores = Hits::default().run(&graph, &graph).unwrap();
        let exact = sine(lengths[0], lengths.iter().sum());
        let off = distance(&scores.authorities, &exact);
        assert!(
            scores.converged && scores.residual.unwrap() < 1e-12,
            "{lengths:?} {} {:?}",
            scores.error,
            scores.residual
        );
        assert!(off < within && off < 10.0 * scores.error + 1e-12, "{lengths:?} {off} {}", scores.error);
        assert!(distance(&scores.hubs, &exact) < within);
        assert!(
            scores.gap.unwrap() < 1e-3 && scores.iterations < 10_000,
            "{} {:?}",
            scores.iterations,
            scores.gap
        );
    }
}

/// Two communities alike: nothing prefers one, so both are there as the uniform start holds them.
#[test]
fn equal_communities_share() {
    let graph = paths(&[60, 60]);
    let scores = Hits::default().run(&graph, &graph).unwrap();
    let half: Vec<f64> = sine(60, 60).iter().map(|x| x / 2f64.sqrt()).collect();
    assert!(distance(&scores.authorities, &[&half[..], &half[..]].concat()) < 1e-9);
    assert!(scores.converged);
    // Stars of one size with one and with two hubs: equal values would need equal products of sizes.
    let stars = Csr::from_arcs(7, [(0, 1), (0, 2), (0, 3), (0, 4), (5, 6)]).unwrap();
    let scores = Hits::default().run(&stars, &stars.transpose()).unwrap();
    assert!((scores.hubs[0] - 1.0).abs() < 1e-12 && scores.authorities[6] == 0.0, "{scores:?}");
}

#[test]
fn what_stops_early_says_so() {
    let graph = paths(&[1500, 1499]);
    let scores = Hits { max_iterations: 30, ..Hits::default() }.run(&graph, &graph).unwrap();
    assert!(!scores.converged && scores.iterations == 30 && scores.error > 1e-10, "{scores:?}");
    for max_iterations in [1, 3, 5, 6] {
        let scores = Hits { max_iterations, ..Hits::default() }.run(&graph, &graph).unwrap();
        assert!(!scores.converged && scores.iterations == max_iterations, "{}", scores.iterations);
        let length: f64 = scores.authorities.iter().map(|a| a * a).sum();
        assert!((length - 1.0).abs() < 1e-12 && scores.error > 1e-10);
        assert!(scores.gap.is_some() || scores.error == 1.0);
    }
}

#[test]
fn little_memory_and_any_number_of_threads() {
    let graph = Csr::from_arcs(1 << 13, crate::rmat::rmat(13, 16, 1)).unwrap();
    let transpose = graph.transpose();
    let on = |threads, memory_bytes| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Hits { memory_bytes, ..Hits::default() }.run(&graph, &transpose).unwrap())
    };
    let one = on(1, None);
    assert_eq!(one.authorities, on(3, None).authorities);
    let small = on(2, Some(0));
    assert!(small.converged && distance(&small.authorities, &one.authorities) < 1e-9);
}

#[test]
fn rounding_brings_no_second_direction_in() {
    // Two communities with the singular value 2 + √2 of AᵀA's square, of which the start has one direction.
    let arcs = [(4, 2), (0, 0), (3, 12), (7, 6), (5, 0), (6, 13), (3, 6), (4, 0), (3, 3)];
    let graph = Csr::from_arcs(14, arcs).unwrap();
    let scores = Hits::default().run(&graph, &graph.transpose()).unwrap();
    assert!(scores.converged && distance(&scores.authorities, &dense(&graph)) < 1e-9, "{scores:?}");
    assert!(scores.gap.is_some_and(|gap| gap > 0.1), "{scores:?}");
}

proptest! {
    #[test]
    fn what_a_dense_solution_gives(
        arcs in prop::collection::vec((0..14u32, 0..14u32, 1..4u32), 1..60),
        weighted: bool,
    ) {
        let graph = if weighted {
            Csr::from_counted_arcs(14, arcs).unwrap()
        } else {
            Csr::from_arcs(14, arcs.iter().map(|a| (a.0, a.1))).unwrap()
        };
        let scores = Hits { weighted, ..Hits::default() }.run(&graph, &graph.transpose()).unwrap();
        let off = distance(&scores.authorities, &dense(&graph));
        prop_assert!(scores.converged && off <= 1e-9, "{off} {scores:?} {:?}", dense(&graph));
        prop_assert!(scores.hubs.iter().chain(&scores.authorities).all(|x| *x >= 0.0));
    }

    #[test]
    fn averaging_finds_what_iterating_finds(graph in graphs(12, 60)) {
        let settings = Hits { variant: Variant::HubAveraging, tolerance: 1e-14, ..Hits::default() };
        let transpose = graph.transpose();
        let (solved, iterated) = (settings.solve(&graph, &transpose), settings.iterate(&graph, &transpose));
        prop_assume!(iterated.converged && solved.gap.is_none_or(|gap| gap > 1e-2));
        prop_assert!(distance(&solved.authorities, &iterated.authorities) < 1e-9, "{solved:?} {iterated:?}");
        prop_assert!(distance(&solved.hubs, &iterated.hubs) < 1e-9);
    }
}
