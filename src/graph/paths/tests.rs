use super::super::csr::tests::graphs;
use super::*;
use proptest::prelude::*;

fn found(graph: &Csr, from: u32, to: u32) -> Option<Chains> {
    match shortest_chains(graph, from, to).unwrap() {
        Search::Found(chains) => Some(chains),
        Search::Unreachable(_) => None,
    }
}

/// Every chain without a node twice from `way` to `to`.
fn all_simple(graph: &Csr, to: u32, way: &mut Vec<u32>, out: &mut Vec<Vec<u32>>) {
    let last = way[way.len() - 1];
    if last == to {
        out.push(way.clone());
        return;
    }
    for &v in graph.successor_slice(last) {
        if !way.contains(&v) {
            way.push(v);
            all_simple(graph, to, way, out);
            way.pop();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn chains_are_those_of_brute_force(graph in graphs(7, 20)) {
        let nodes = graph.num_nodes() as u32;
        for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
            let ways = |to| {
                let mut ways = Vec::new();
                all_simple(&graph, to, &mut vec![from], &mut ways);
                ways
            };
            let mut expected = ways(to);
            let shortest = expected.iter().map(Vec::len).min();
            expected.retain(|way| Some(way.len()) == shortest);
            expected.sort();
            match shortest_chains(&graph, from, to).unwrap() {
                Search::Unreachable(met) => {
                    prop_assert!(expected.is_empty());
                    prop_assert_eq!(met, (0..nodes).filter(|v| !ways(*v).is_empty()).count());
                }
                Search::Found(chains) => {
                    prop_assert_eq!(Some(chains.length + 1), shortest);
                    prop_assert_eq!(chains.iter().collect::<Vec<_>>(), expected.clone());
                    prop_assert!(chains.counted && chains.count == expected.len() as u128);
                    let nodes: std::collections::BTreeSet<u32> = expected.concat().into_iter().collect();
                    prop_assert_eq!(chains.num_nodes(), nodes.len());
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
    let chains = found(&ladder(100), 0, 300).unwrap();
    assert_eq!((chains.length, chains.count, chains.counted), (200, 1 << 100, true));
    assert_eq!(chains.iter().next().unwrap()[..4], [0, 1, 3, 4]);
    assert_eq!(chains.iter().nth(1).unwrap()[197..], [295, 297, 299, 300]);
    let chains = found(&ladder(130), 0, 390).unwrap();
    assert_eq!((chains.count, chains.counted), (u128::MAX, false));
}

#[test]
fn known_answers_and_refusals() {
    let graph = Csr::from_arcs(6, [(0, 1), (1, 3), (0, 2), (2, 4), (4, 3)]).unwrap();
    assert_eq!(found(&graph, 0, 3).unwrap().iter().collect::<Vec<_>>(), [vec![0, 1, 3]]);
    assert_eq!(shortest_chains(&graph, 0, 5).unwrap(), Search::Unreachable(5));
    assert_eq!(shortest_chains(&graph, 3, 0).unwrap(), Search::Unreachable(1));
    assert!(shortest_chains(&graph, 0, 6).is_err());
    let none = found(&graph, 4, 4).unwrap();
    assert_eq!((none.length, none.count, none.iter().collect::<Vec<_>>()), (0, 1, vec![vec![4]]));
}
