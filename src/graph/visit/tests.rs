//! petgraph's algorithms on our graph, against ours and against plain ones.

use super::super::components::{strong_components, weak_components};
use super::super::csr::tests::graphs;
use super::*;
use petgraph::Direction::{Incoming, Outgoing};
use petgraph::algo::{
    bellman_ford, connected_components, dijkstra, has_path_connecting, is_cyclic_directed, kosaraju_scc,
    toposort,
};
use petgraph::visit::{Bfs, Dfs, IntoEdgesDirected, IntoNeighborsDirected, NodeRef, Reversed, Topo};
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn its_algorithms_run_on_our_graph() {
    let arcs = [(0, 1, 1.0), (0, 2, 5.0), (1, 2, 1.5), (2, 3, 1.0), (4, 4, 1.0)];
    let graph = Csr::from_weighted_arcs(5, arcs).unwrap();
    let distances = dijkstra(&graph, 0, None, |arc| *arc.weight());
    assert_eq!((distances[&3], distances.len()), (3.5, 4));
    let mut bfs = Bfs::new(&graph, 0);
    let order: Vec<u32> = std::iter::from_fn(|| bfs.next(&graph)).collect();
    assert_eq!(order, [0, 1, 2, 3]);
    let mut dfs = Dfs::new(&graph, 1);
    assert_eq!(std::iter::from_fn(|| dfs.next(&graph)).count(), 3);
    assert_eq!(connected_components(&graph), 2);
    let sources: Vec<u32> = (&graph).edge_references().map(|arc| arc.source()).collect();
    assert_eq!(sources, [0, 0, 1, 2, 4]);
}

/// Shortest distances by relaxing all arcs until nothing changes.
fn distances(graph: &Csr, from: u32) -> Vec<f64> {
    let mut distance = vec![f64::INFINITY; graph.num_nodes()];
    distance[from as usize] = 0.0;
    for _ in 0..graph.num_nodes() {
        for (u, v, w) in graph.arcs() {
            distance[v as usize] = distance[v as usize].min(distance[u as usize] + w);
        }
    }
    distance
}

proptest! {
    #[test]
    fn components_are_those_of_petgraph(graph in graphs(40, 120)) {
        let transpose = graph.transpose();
        let both = TwoWay::new(&graph, &transpose).unwrap();
        let ours = strong_components(&graph);
        let theirs = kosaraju_scc(both);
        prop_assert_eq!(theirs.len(), ours.len());
        for component in &theirs {
            prop_assert!(component.iter().all(|&u| ours.of[u as usize] == ours.of[component[0] as usize]));
        }
        prop_assert_eq!(connected_components(&graph), weak_components(&graph).len());
        let cyclic = ours.len() < graph.num_nodes() || graph.arcs().any(|(u, v, _)| u == v);
        prop_assert_eq!(is_cyclic_directed(&graph), cyclic);
        prop_assert_eq!(toposort(both, None).is_err(), cyclic);
    }

    #[test]
    fn shortest_paths_are_those_of_plain_relaxing(
        graph in graphs(20, 80), weights in prop::collection::vec(0u16..100, 80)
    ) {
        let arcs = graph.arcs().zip(weights).map(|((u, v, _), w)| (u, v, f32::from(w)));
        let graph = Csr::from_weighted_arcs(graph.num_nodes(), arcs).unwrap();
        let transpose = graph.transpose();
        let both = TwoWay::new(&graph, &transpose).unwrap();
        let plain = distances(&graph, 0);
        let theirs = dijkstra(&graph, 0, None, |arc| *arc.weight());
        prop_assert_eq!(&bellman_ford(&graph, 0).unwrap().distances, &plain);
        prop_assert_eq!(&bellman_ford(both, 0).unwrap().distances, &plain);
        // Backwards on the graph is forwards on its transpose.
        let back = distances(&transpose, 0);
        let theirs_back = dijkstra(Reversed(both), 0, None, |arc| *arc.weight());
        for v in 0..graph.num_nodes() as u32 {
            prop_assert_eq!(theirs.get(&v).copied().unwrap_or(f64::INFINITY), plain[v as usize]);
            prop_assert_eq!(theirs_back.get(&v).copied().unwrap_or(f64::INFINITY), back[v as usize]);
            prop_assert_eq!(has_path_connecting(&graph, 0, v, None), plain[v as usize].is_finite());
        }
    }

    #[test]
    fn both_directions_name_the_same_arcs(graph in graphs(15, 60)) {
        let transpose = graph.transpose();
        let both = TwoWay::new(&graph, &transpose).unwrap();
        let all: Vec<Arc> = (&graph).edge_references().collect();
        prop_assert_eq!(both.edge_references().collect::<Vec<_>>(), all.clone());
        prop_assert_eq!((both.edge_bound(), both.edge_count()), (all.len(), all.len()));
        let mut incoming = BTreeSet::new();
        for v in both.node_identifiers() {
            let to: Vec<u32> = all.iter().filter(|arc| arc.source() == v).map(EdgeRef::target).collect();
            prop_assert_eq!(both.neighbors_directed(v, Outgoing).collect::<Vec<_>>(), to.clone());
            prop_assert_eq!(both.edges(v).map(|arc| arc.target()).collect::<Vec<_>>(), to);
            let from: Vec<u32> = all.iter().filter(|arc| arc.target() == v).map(Arc::source).collect();
            prop_assert_eq!(both.neighbors_directed(v, Incoming).collect::<Vec<_>>(), from);
            for arc in both.edges_directed(v, Incoming) {
                prop_assert_eq!(all[arc.id()], arc);
                incoming.insert(arc.id());
            }
            for u in 0..graph.num_nodes() as u32 {
                let adjacent = all.iter().any(|arc| (arc.source(), arc.target()) == (u, v));
                prop_assert_eq!(graph.is_adjacent(&(), u, v), adjacent);
                prop_assert_eq!(both.is_adjacent(&(), u, v), adjacent);
            }
        }
        prop_assert_eq!(incoming.len(), all.len());
        let nodes: Vec<u32> = (&graph).node_references().map(|node| node.id()).collect();
        prop_assert_eq!(nodes, (0..graph.num_nodes() as u32).collect::<Vec<_>>());
    }
}

#[test]
fn an_order_of_a_graph_without_cycles() {
    let graph = Csr::from_arcs(4, [(3, 1), (1, 0), (3, 0), (0, 2)]).unwrap();
    let transpose = graph.transpose();
    let both = TwoWay::new(&graph, &transpose).unwrap();
    let mut topo = Topo::new(both);
    assert_eq!(std::iter::from_fn(|| topo.next(both)).collect::<Vec<_>>(), [3, 1, 0, 2]);
    let other = Csr::from_arcs(5, [(0, 1)]).unwrap();
    assert!(TwoWay::new(&graph, &other).is_err());
}
