//! Strongly and weakly connected components.
//!
//! **Definition.** Two nodes are strongly connected if each reaches the other, weakly if they are connected
//! when arcs are taken as edges. Components are numbered by falling size, ties by their least node.
//!
//! **Algorithm.** Strong: Tarjan's, with the call stack kept as an array, so that a path of millions of nodes
//! is no deeper than memory. Weak: union–find with path halving, the smaller root on top.
//!
//! **Cost.** O(n + m), respectively O(m α(n)); strong: 16 bytes a node and 16 more for each node of the
//! deepest path; weak: 8.
//!
//! **Reference.** R. E. Tarjan, Depth-first search and linear graph algorithms, *SIAM J. Comput.* 1 (1972),
//! doi:10.1137/0201010. R. E. Tarjan, J. van Leeuwen, Worst-case analysis of set union algorithms, *JACM* 31
//! (1984), doi:10.1145/62.2160.

use super::csr::{Csr, Graph};

/// A partition of the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Component of each node.
    pub of: Vec<u32>,
    /// Nodes of each component, falling.
    pub sizes: Vec<u32>,
}

impl Components {
    /// Number of components.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// No nodes, no components?
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// How many components there are of each size: (size, number), by size.
    pub fn size_histogram(&self) -> Vec<(u32, u64)> {
        let mut histogram: Vec<(u32, u64)> = Vec::new();
        for &size in self.sizes.iter().rev() {
            match histogram.last_mut() {
                Some((last, count)) if *last == size => *count += 1,
                _ => histogram.push((size, 1)),
            }
        }
        histogram
    }

    /// Renumbers components, given in any numbering below `count`, by falling size and least node.
    fn ordered(mut of: Vec<u32>, count: usize) -> Self {
        let mut sizes = vec![0u32; count];
        let mut least = vec![u32::MAX; count];
        for (node, &component) in of.iter().enumerate() {
            sizes[component as usize] += 1;
            let least = &mut least[component as usize];
            *least = (*least).min(node as u32);
        }
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_unstable_by_key(|&c| (std::cmp::Reverse(sizes[c as usize]), least[c as usize]));
        let mut number = least;
        for (rank, &component) in order.iter().enumerate() {
            number[component as usize] = rank as u32;
        }
        of.iter_mut().for_each(|c| *c = number[*c as usize]);
        let sizes = order.iter().map(|&c| sizes[c as usize]).collect();
        Components { of, sizes }
    }
}

/// Strongly connected components.
pub fn strong_components(graph: &Csr) -> Components {
    const NONE: u32 = u32::MAX;
    let n = graph.num_nodes();
    // 0 for nodes not yet seen, else the least number of discovery known to be reachable.
    let mut low = vec![0u32; n];
    let mut stack: Vec<u32> = Vec::new(); // seen nodes whose component is open
    let mut path: Vec<(u32, u32, u64)> = Vec::new(); // the call stack: node, number of discovery, next arc
    let mut closed = vec![NONE; n];
    let (mut clock, mut count) = (1u32, 0u32);
    let (offsets, targets) = (graph.offsets(), graph.targets());
    for root in 0..n as u32 {
        if low[root as usize] != 0 {
            continue;
        }
        path.push((root, clock, offsets[root as usize]));
        low[root as usize] = clock;
        clock += 1;
        stack.push(root);
        while let Some(&mut (node, own, ref mut arc)) = path.last_mut() {
            let u = node as usize;
            if *arc < offsets[u + 1] {
                let v = targets[*arc as usize];
                *arc += 1;
                if low[v as usize] == 0 {
                    low[v as usize] = clock;
                    path.push((v, clock, offsets[v as usize]));
                    clock += 1;
                    stack.push(v);
                } else if closed[v as usize] == NONE {
                    low[u] = low[u].min(low[v as usize]);
                }
                continue;
            }
            path.pop();
            if low[u] == own {
                while let Some(member) = stack.pop() {
                    closed[member as usize] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            } else if let Some(&(parent, ..)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[u]);
            }
        }
    }
    Components::ordered(closed, count as usize)
}

/// Weakly connected components.
pub fn weak_components(graph: &Csr) -> Components {
    let n = graph.num_nodes();
    let mut parent: Vec<u32> = (0..n as u32).collect();
    for u in 0..n as u32 {
        let mut root = find(&mut parent, u);
        for &v in graph.successor_slice(u) {
            let other = find(&mut parent, v);
            if other != root {
                let (low, high) = (root.min(other), root.max(other));
                parent[high as usize] = low;
                root = low;
            }
        }
    }
    // Roots are the least of their trees, so numbers are given before they are asked for.
    let mut count = 0;
    for u in 0..n {
        let up = parent[u] as usize;
        parent[u] = if up == u {
            count += 1;
            count - 1
        } else {
            parent[up]
        };
    }
    Components::ordered(parent, count as usize)
}

/// Root of a node, halving the path to it.
fn find(parent: &mut [u32], mut node: u32) -> u32 {
    loop {
        let up = parent[node as usize];
        if up == node {
            return node;
        }
        let next = parent[up as usize];
        parent[node as usize] = next;
        node = next;
    }
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    /// Reachability by Warshall's algorithm.
    fn reachable(graph: &Csr, symmetric: bool) -> Vec<Vec<bool>> {
        let n = graph.num_nodes();
        let mut reach: Vec<Vec<bool>> = (0..n).map(|u| (0..n).map(|v| u == v).collect()).collect();
        for (u, v, _) in graph.arcs() {
            reach[u as usize][v as usize] = true;
            reach[v as usize][u as usize] |= symmetric;
        }
        for k in 0..n {
            let through = reach[k].clone();
            for row in reach.iter_mut().filter(|row| row[k]) {
                row.iter_mut().zip(&through).for_each(|(cell, reached)| *cell |= reached);
            }
        }
        reach
    }

    proptest! {
        #[test]
        fn components_are_mutual_reachability(graph in graphs(24, 60)) {
            let n = graph.num_nodes();
            for (components, reach) in [
                (strong_components(&graph), reachable(&graph, false)),
                (weak_components(&graph), reachable(&graph, true)),
            ] {
                for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
                    prop_assert_eq!(components.of[u] == components.of[v], reach[u][v] && reach[v][u]);
                }
                prop_assert!(components.sizes.is_sorted_by(|a, b| a >= b));
                prop_assert_eq!(components.sizes.iter().sum::<u32>() as usize, n);
                for (c, &size) in components.sizes.iter().enumerate() {
                    prop_assert_eq!(components.of.iter().filter(|&&of| of as usize == c).count() as u32, size);
                }
            }
        }
    }

    #[test]
    fn a_path_of_ten_million_nodes() {
        let n = 10_000_000u32;
        let offsets: Vec<u64> = (0..=u64::from(n)).map(|u| u.min(u64::from(n) - 1)).collect();
        let path = Csr::new(offsets.into(), (1..n).collect::<Vec<_>>().into(), None).unwrap();
        assert_eq!(strong_components(&path).len(), n as usize);
        assert_eq!(weak_components(&path).sizes, [n]);
        let offsets: Vec<u64> = (0..=u64::from(n)).collect();
        let cycle = Csr::new(offsets.into(), (1..n).chain([0]).collect::<Vec<_>>().into(), None).unwrap();
        assert_eq!(strong_components(&cycle).sizes, [n]);
    }

    #[test]
    fn numbered_by_size_then_least_node() {
        let graph = Csr::from_arcs(7, [(6, 5), (5, 6), (1, 2), (2, 1), (3, 4)]).unwrap();
        let strong = strong_components(&graph);
        assert_eq!(strong.of, [2, 0, 0, 3, 4, 1, 1]);
        assert_eq!(strong.size_histogram(), [(1, 3), (2, 2)]);
        assert_eq!(weak_components(&graph).sizes, [2, 2, 2, 1]);
        assert!(strong_components(&Csr::from_arcs(0, []).unwrap()).is_empty());
    }
}
