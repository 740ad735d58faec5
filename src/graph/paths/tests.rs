use super::super::csr::tests::graphs;
use super::*;
use proptest::prelude::*;

fn found(graph: &Csr, from: u32, to: u32, length: Length) -> Option<Chains> {
    match shortest_chains(graph, from, to, length).unwrap() {
        Search::Found(chains) => Some(chains),
        Search::Unreachable(_) => None,
    }
}

/// Every chain without a node twice from `from` to `to`, with its length.
fn all_simple(graph: &Csr, from: u32, to: u32, cost: &dyn Fn(usize) -> f64) -> Vec<(f64, Vec<u32>)> {
    fn go(
        graph: &Csr,
        to: u32,
        cost: &dyn Fn(usize) -> f64,
        (length, way): (f64, &mut Vec<u32>),
        out: &mut Vec<(f64, Vec<u32>)>,
    ) {
        let Some(&last) = way.last() else { return };
        if last == to {
            out.push((length, way.clone()));
            return;
        }
        for arc in graph.arcs_of(last) {
            let v = graph.targets()[arc];
            if !way.contains(&v) {
                way.push(v);
                go(graph, to, cost, (length + cost(arc), way), out);
                way.pop();
            }
        }
    }
    let mut out = Vec::new();
    go(graph, to, cost, (0.0, &mut vec![from]), &mut out);
    out
}

/// Distances of all pairs by Floyd and Warshall.
fn floyd_warshall(graph: &Csr, cost: &dyn Fn(usize) -> f64) -> Vec<Vec<f64>> {
    let n = graph.num_nodes();
    let mut d = vec![vec![f64::INFINITY; n]; n];
    for (u, row) in d.iter_mut().enumerate() {
        for arc in graph.arcs_of(u as u32) {
            row[graph.targets()[arc] as usize] = cost(arc);
        }
        row[u] = 0.0;
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                d[i][j] = d[i][j].min(d[i][k] + d[k][j]);
            }
        }
    }
    d
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn chains_are_those_of_brute_force(graph in graphs(7, 20), weights in prop::collection::vec(0u32..4, 20), kind in 0..3usize) {
        let length = [Length::One, Length::Weight, Length::Inverse][kind];
        let least = u32::from(length == Length::Weight);
        let arcs = graph.arcs().zip(weights).map(|((u, v, _), w)| (u, v, w.max(least)));
        let graph = Csr::from_counted_arcs(graph.num_nodes(), arcs).unwrap();
        let weights = graph.weights().unwrap();
        let cost = |arc: usize| match length {
            Length::One => 1.0,
            Length::Weight => weights.get(arc),
            Length::Inverse => 1.0 / weights.get(arc),
        };
        let d = floyd_warshall(&graph, &cost);
        for from in 0..graph.num_nodes() as u32 {
            for to in 0..graph.num_nodes() as u32 {
                let distance = d[from as usize][to as usize];
                let mut expected: Vec<Vec<u32>> = all_simple(&graph, from, to, &cost)
                    .into_iter()
                    .filter(|(length, _)| (length - distance).abs() <= 1e-9 && distance.is_finite())
                    .map(|(_, way)| way)
                    .collect();
                expected.sort();
                match found(&graph, from, to, length) {
                    None => {
                        prop_assert!(distance.is_infinite());
                        let Search::Unreachable(met) = shortest_chains(&graph, from, to, length).unwrap() else {
                            unreachable!("it was so before");
                        };
                        prop_assert_eq!(met, d[from as usize].iter().filter(|d| d.is_finite()).count());
                    }
                    Some(chains) => {
                        prop_assert!((chains.length - distance).abs() <= 1e-9);
                        prop_assert_eq!(chains.iter().collect::<Vec<_>>(), expected.clone());
                        prop_assert!(chains.counted && chains.count == expected.len() as u128);
                        let mut nodes: Vec<u32> = expected.concat();
                        nodes.sort_unstable();
                        nodes.dedup();
                        prop_assert_eq!(chains.num_nodes(), nodes.len());
                    }
                }
            }
        }
    }
}

#[test]
fn a_ladder_has_more_chains_than_can_be_listed() {
    // From each rung two ways to the next: 2^k chains.
    let ladder = |rungs: u32| {
        let arcs = (0..rungs).flat_map(|r| {
            let (a, b) = (3 * r, 3 * r + 3);
            [(a, a + 1), (a, a + 2), (a + 1, b), (a + 2, b)]
        });
        Csr::from_arcs(3 * rungs as usize + 1, arcs).unwrap()
    };
    let chains = found(&ladder(100), 0, 300, Length::One).unwrap();
    assert_eq!((chains.length, chains.count, chains.counted), (200.0, 1 << 100, true));
    assert_eq!(chains.iter().next().unwrap()[..4], [0, 1, 3, 4]);
    assert_eq!(chains.iter().nth(1).unwrap()[197..], [295, 297, 299, 300]);
    let chains = found(&ladder(130), 0, 390, Length::One).unwrap();
    assert_eq!((chains.count, chains.counted), (u128::MAX, false));
}

#[test]
fn known_answers_and_refusals() {
    // 0 -> 1 -> 3 (short in links), 0 -> 2 -> 4 -> 3 (short by weight), 5 alone.
    let arcs = [(0, 1, 9.0), (1, 3, 9.0), (0, 2, 0.5), (2, 4, 0.5), (4, 3, 0.25)];
    let graph = Csr::from_weighted_arcs(6, arcs).unwrap();
    let ways = |length| found(&graph, 0, 3, length).unwrap();
    assert_eq!(ways(Length::One).iter().collect::<Vec<_>>(), [vec![0, 1, 3]]);
    assert_eq!(ways(Length::Weight).iter().collect::<Vec<_>>(), [vec![0, 2, 4, 3]]);
    assert_eq!(ways(Length::Weight).length, 1.25);
    assert_eq!(ways(Length::Inverse).iter().collect::<Vec<_>>(), [vec![0, 1, 3]]);
    for length in [Length::One, Length::Weight] {
        assert_eq!(shortest_chains(&graph, 0, 5, length).unwrap(), Search::Unreachable(5));
        assert_eq!(shortest_chains(&graph, 3, 0, length).unwrap(), Search::Unreachable(1));
        assert!(shortest_chains(&graph, 0, 6, length).is_err());
        let none = found(&graph, 4, 4, length).unwrap();
        assert_eq!((none.length, none.count, none.iter().collect::<Vec<_>>()), (0.0, 1, vec![vec![4]]));
    }
    assert!(shortest_chains(&graph.without_weights(), 0, 3, Length::Weight).is_err());
    let nothing = Csr::from_weighted_arcs(3, [(0, 1, 1.0), (1, 2, 0.0)]).unwrap();
    let error = shortest_chains(&nothing, 0, 1, Length::Weight).unwrap_err().to_string();
    assert!(error.contains("the arc 1 -> 2"), "{error}");
    assert_eq!(shortest_chains(&nothing, 0, 2, Length::Inverse).unwrap(), Search::Unreachable(2));
    // A step that is lost in the sum is refused, not passed over.
    let lost = Csr::from_weighted_arcs(3, [(0, 1, 1e30), (1, 2, 1e-30)]).unwrap();
    assert!(shortest_chains(&lost, 0, 2, Length::Weight).is_err());
}
