//! The bow-tie: how every node relates to the largest strongly connected component.
//!
//! **Definition.** The *core* is the largest strongly connected component (of equal ones, the one with the
//! least node). *In* reaches the core, *Out* is reached from it. Of the other nodes weakly connected to the
//! core, *tubes* are reached from In and reach Out, all others are *tendrils* (which hang on In, on Out, or
//! on another tendril). Nodes that are not weakly connected to the core are *disconnected*.
//!
//! **Cost.** Four breadth-first searches and one union–find: O(n + m), some 10 bytes a node.
//!
//! **Reference.** A. Broder et al., Graph structure in the Web, *Computer Networks* 33 (2000),
//! doi:10.1016/S1389-1286(00)00083-9.

use super::components::{Components, weak_components_with};
use super::csr::Csr;

/// A node's part of the bow-tie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum BowTiePart {
    /// In the largest strongly connected component.
    Core,
    /// Reaches the core.
    In,
    /// Is reached from the core.
    Out,
    /// Weakly connected to the core in another way.
    Tendril,
    /// On a way from In to Out that misses the core.
    Tube,
    /// Not weakly connected to the core.
    Disconnected,
}

impl BowTiePart {
    /// All parts, in the order of their numbers.
    pub const ALL: [BowTiePart; 6] = [
        BowTiePart::Core,
        BowTiePart::In,
        BowTiePart::Out,
        BowTiePart::Tendril,
        BowTiePart::Tube,
        BowTiePart::Disconnected,
    ];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            BowTiePart::Core => "core",
            BowTiePart::In => "in",
            BowTiePart::Out => "out",
            BowTiePart::Tendril => "tendril",
            BowTiePart::Tube => "tube",
            BowTiePart::Disconnected => "disconnected",
        }
    }
}

/// Every node's part, and the size of each part.
#[derive(Clone, Debug)]
pub struct BowTie {
    /// Part of each node.
    pub parts: Vec<BowTiePart>,
    /// Nodes of each part, in the order of [`BowTiePart::ALL`].
    pub sizes: [u64; 6],
}

/// The bow-tie of a graph with its transpose and [strong components](super::strong_components).
///
/// # Panics
/// If transpose or components are of a graph of another size.
pub fn bow_tie(graph: &Csr, transpose: &Csr, strong: &Components) -> BowTie {
    bow_tie_with(graph, transpose, strong, &weak_components_with(graph, transpose))
}

/// The bow-tie where the [weak components](super::weak_components) are known, too.
///
/// # Panics
/// If transpose or components are of a graph of another size.
pub fn bow_tie_with(graph: &Csr, transpose: &Csr, strong: &Components, weak: &Components) -> BowTie {
    let n = graph.num_nodes();
    assert!(
        transpose.num_nodes() == n && strong.of.len() == n && weak.of.len() == n,
        "graph, transpose and components of one graph"
    );
    let core: Vec<u32> = (0..n as u32).filter(|&u| strong.of[u as usize] == 0).collect();
    let main = core.first().map(|&u| weak.of[u as usize]);
    let mut parts: Vec<BowTiePart> = weak
        .of
        .iter()
        .map(|&c| if Some(c) == main { BowTiePart::Tendril } else { BowTiePart::Disconnected })
        .collect();
    for &u in &core {
        parts[u as usize] = BowTiePart::Core;
    }
    // What leads to the core and is led to by it is in it: the two searches never meet.
    let open = |v: u32| parts[v as usize] == BowTiePart::Tendril;
    let (outward, inward) =
        rayon::join(|| reach(graph, core.clone(), open), || reach(transpose, core.clone(), open));
    for &v in &outward {
        parts[v as usize] = BowTiePart::Out;
    }
    for &v in &inward {
        parts[v as usize] = BowTiePart::In;
    }
    // Tubes: what In reaches without the core, of that what Out is reached from.
    let open = |v: u32| parts[v as usize] == BowTiePart::Tendril;
    let (from_in, to_out) = rayon::join(|| reach(graph, inward, open), || reach(transpose, outward, open));
    let mut reached = vec![false; n];
    for &v in &from_in {
        reached[v as usize] = true;
    }
    for v in to_out {
        if reached[v as usize] {
            parts[v as usize] = BowTiePart::Tube;
        }
    }
    let mut sizes = [0; 6];
    for part in &parts {
        sizes[*part as usize] += 1;
    }
    BowTie { parts, sizes }
}

/// Nodes that are reached from `from` through nodes that are `open`, without those of `from`.
fn reach(graph: &Csr, from: Vec<u32>, open: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut seen = vec![false; graph.num_nodes()];
    let mut queue = from;
    let sources = queue.len();
    for &u in &queue {
        seen[u as usize] = true;
    }
    let mut at = 0;
    while at < queue.len() {
        for &v in graph.successor_slice(queue[at]) {
            if !seen[v as usize] && open(v) {
                seen[v as usize] = true;
                queue.push(v);
            }
        }
        at += 1;
    }
    queue.drain(..sources);
    queue
}

#[cfg(test)]
mod tests {
    use super::super::components::strong_components;
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    fn parts(nodes: usize, arcs: &[(u32, u32)]) -> Vec<&'static str> {
        let graph = Csr::from_arcs(nodes, arcs.iter().copied()).unwrap();
        let tie = bow_tie(&graph, &graph.transpose(), &strong_components(&graph));
        assert_eq!(tie.sizes.iter().sum::<u64>(), nodes as u64);
        tie.parts.iter().map(|p| p.name()).collect()
    }

    /// Every part from the definition, with all pairs' reachability by Warshall's algorithm.
    fn by_definition(graph: &Csr) -> Vec<BowTiePart> {
        let n = graph.num_nodes();
        let close = |mut reach: Vec<Vec<bool>>| {
            for k in 0..n {
                let through = reach[k].clone();
                for row in reach.iter_mut().filter(|row| row[k]) {
                    row.iter_mut().zip(&through).for_each(|(cell, reached)| *cell |= reached);
                }
            }
            reach
        };
        // Reachability through the nodes that are open; arcs are taken both ways if asked.
        let reach = |open: &dyn Fn(usize) -> bool, symmetric: bool| {
            let mut reach: Vec<Vec<bool>> = (0..n).map(|u| (0..n).map(|v| u == v).collect()).collect();
            for (u, v, _) in graph.arcs().map(|(u, v, w)| (u as usize, v as usize, w)) {
                if open(u) && open(v) {
                    reach[u][v] = true;
                    reach[v][u] |= symmetric;
                }
            }
            close(reach)
        };
        let all = reach(&|_| true, false);
        let weak = reach(&|_| true, true);
        let size = |u: usize| (0..n).filter(|&v| all[u][v] && all[v][u]).count();
        let heart = (0..n).max_by_key(|&u| (size(u), std::cmp::Reverse(u))).unwrap();
        let missing_core = reach(&|u| !(all[u][heart] && all[heart][u]), false);
        let is_in = |u: usize| all[u][heart] && !all[heart][u];
        let is_out = |u: usize| all[heart][u] && !all[u][heart];
        let part = |v: usize| match (all[v][heart], all[heart][v]) {
            (true, true) => BowTiePart::Core,
            (true, false) => BowTiePart::In,
            (false, true) => BowTiePart::Out,
            (false, false) if !weak[v][heart] => BowTiePart::Disconnected,
            (false, false) => {
                let from = (0..n).any(|u| is_in(u) && missing_core[u][v]);
                let to = (0..n).any(|u| is_out(u) && missing_core[v][u]);
                if from && to { BowTiePart::Tube } else { BowTiePart::Tendril }
            }
        };
        (0..n).map(part).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn parts_are_those_of_the_definition(graph in graphs(16, 24)) {
            let tie = bow_tie(&graph, &graph.transpose(), &strong_components(&graph));
            prop_assert_eq!(tie.parts, by_definition(&graph));
        }
    }

    #[test]
    fn each_part_is_found() {
        let arcs = [
            (0, 1),
            (1, 2),
            (2, 0), // core
            (3, 4),
            (4, 0), // in
            (2, 5),
            (5, 6), // out
            (3, 7),
            (7, 6), // tube
            (4, 8),
            (8, 9),  // tendril from in
            (10, 5), // tendril to out
            (11, 9),
            (10, 12), // hanging on tendrils
            (13, 14), // disconnected
        ];
        let found = parts(16, &arcs);
        let expected = [
            "core",
            "core",
            "core",
            "in",
            "in",
            "out",
            "out",
            "tube",
            "tendril",
            "tendril",
            "tendril",
            "tendril",
            "tendril",
            "disconnected",
            "disconnected",
            "disconnected",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn graphs_without_much_of_a_core() {
        assert!(parts(0, &[]).is_empty());
        assert_eq!(parts(1, &[]), ["core"]);
        assert_eq!(parts(2, &[(0, 0), (1, 1)]), ["core", "disconnected"]);
        // A path: the least of the equal components is the core.
        assert_eq!(parts(3, &[(0, 1), (1, 2)]), ["core", "out", "out"]);
        assert_eq!(parts(3, &[(2, 1), (1, 0)]), ["core", "in", "in"]);
        // A tube of two nodes, and one whose nodes also go astray.
        assert_eq!(
            parts(6, &[(1, 0), (0, 0), (0, 2), (1, 3), (3, 4), (4, 2), (3, 5)]),
            ["core", "in", "out", "tube", "tube", "tendril"]
        );
    }
}
