//! Strongly and weakly connected components.
//!
//! **Definition.** Two nodes are strongly connected if each reaches the other, weakly if they are connected
//! when arcs are taken as edges. Components are numbered by falling size, ties by their least node.
//!
//! **Algorithm.** Strong: Tarjan's with the improvements of Nuutila and Pearce (only nodes that are no roots
//! are stacked, and one number a node tells all), the call stack being an array, so that a path of millions of
//! nodes is no deeper than memory. Weak: union–find on all threads over the first arcs of each node, which make
//! what is mostly one large set; then over the others, or, with the transpose at hand, over those that have an
//! end outside that set.
//!
//! **Cost.** O(n + m), respectively O(m α(n)); strong: 12 bytes a node and 16 more for each node of the
//! deepest path; weak: 4; numbering: 8.
//!
//! **Determinism.** Which thread joins first decides how the trees of the union–find look, never the set of nodes that is
//! joined: the same result on any number of threads.
//!
//! **Reference.** R. E. Tarjan, Depth-first search and linear graph algorithms, *SIAM J. Comput.* 1 (1972),
//! doi:10.1137/0201010. D. J. Pearce, A space-efficient algorithm for finding strongly connected components,
//! *Inf. Process. Lett.* 116 (2016), doi:10.1016/j.ipl.2015.08.010. M. Sutton, T. Ben-Nun, A. Barak, Optimizing
//! parallel graph connectivity computation via subgraph sampling, *IPDPS* (2018),
//! doi:10.1109/IPDPS.2018.00012.

use super::csr::Csr;
use super::sets::Sets;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Nodes that one task takes.
const CHUNK: usize = 1 << 14;
/// Arcs of each node that are followed first.
const FIRST: usize = 2;

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
    ///
    /// # Examples
    /// ```
    /// # use webmill_graph::{Csr, strong_components};
    /// let graph = Csr::from_arcs(4, [(0, 1), (1, 0), (1, 2), (2, 3)])?;
    /// assert_eq!(strong_components(&graph).size_histogram(), [(1, 2), (2, 1)]);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
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
        // By first appearance, which is by least node; then by size, where components of one node stay in order.
        let mut sizes = Vec::new();
        let mut number = vec![u32::MAX; count];
        for component in &mut of {
            let number = &mut number[*component as usize];
            if *number == u32::MAX {
                *number = sizes.len() as u32;
                sizes.push(0u32);
            }
            *component = *number;
            sizes[*number as usize] += 1;
        }
        let larger = (0u32..).zip(&sizes).filter(|(_, size)| **size > 1);
        let mut order: Vec<u64> = larger.map(|(c, &size)| u64::from(!size) << 32 | u64::from(c)).collect();
        order.par_sort_unstable();
        let (mut rank, mut single) = (vec![0u32; sizes.len()], order.len() as u32);
        for (rank, _) in rank.iter_mut().zip(&sizes).filter(|(_, size)| **size == 1) {
            *rank = single;
            single += 1;
        }
        for (place, &key) in (0u32..).zip(&order) {
            rank[key as u32 as usize] = place;
        }
        of.par_iter_mut().with_min_len(CHUNK).for_each(|c| *c = rank[*c as usize]);
        let mut falling: Vec<u32> = order.iter().map(|&key| !((key >> 32) as u32)).collect();
        falling.resize(sizes.len(), 1);
        Components { of, sizes: falling }
    }

    /// Numbers components, given by their least nodes, by falling size and least node.
    fn labelled(mut of: Vec<u32>) -> Self {
        let n = of.len();
        let large = frequent(n, |u| of[u as usize]);
        // Of each component but the one that is probably the largest, how many nodes have joined its least one.
        let joined: Vec<AtomicU32> =
            (0..n).into_par_iter().with_min_len(CHUNK).map(|_| AtomicU32::new(0)).collect();
        let chunks = || of.par_chunks(CHUNK).enumerate().map(|(i, labels)| ((i * CHUNK) as u32.., labels));
        let of_large: u32 = chunks()
            .map(|(nodes, labels)| {
                let mut of_large = 0;
                for (node, &label) in nodes.zip(labels) {
                    if label == large {
                        of_large += 1;
                    } else if label != node {
                        joined[label as usize].fetch_add(1, Relaxed);
                    }
                }
                of_large
            })
            .sum();
        if n > 0 {
            joined[large as usize].store(of_large - 1, Relaxed);
        }
        // Those of several nodes are sorted, those of one stay in order.
        let found: Vec<(Vec<u64>, u32)> = chunks()
            .map(|(nodes, labels)| {
                let (mut several, mut single) = (Vec::new(), 0);
                for (node, _) in nodes.zip(labels).filter(|(node, label)| node == *label) {
                    match joined[node as usize].load(Relaxed) {
                        0 => single += 1,
                        others => several.push(u64::from(!(others + 1)) << 32 | u64::from(node)),
                    }
                }
                (several, single)
            })
            .collect();
        let mut order: Vec<u64> = found.iter().flat_map(|(several, _)| several).copied().collect();
        order.par_sort_unstable();
        let rank = joined;
        let mut next = order.len() as u32;
        let starts: Vec<u32> = found.iter().map(|(_, single)| (next, next += single).0).collect();
        chunks().zip(starts).for_each(|((nodes, labels), mut next)| {
            for (node, _) in nodes.zip(labels).filter(|(node, label)| node == *label) {
                if rank[node as usize].load(Relaxed) == 0 {
                    rank[node as usize].store(next, Relaxed);
                    next += 1;
                }
            }
        });
        for (place, &key) in (0u32..).zip(&order) {
            rank[key as u32 as usize].store(place, Relaxed);
        }
        of.par_iter_mut().with_min_len(CHUNK).for_each(|c| *c = rank[*c as usize].load(Relaxed));
        let mut sizes: Vec<u32> = order.iter().map(|&key| !((key >> 32) as u32)).collect();
        sizes.resize(next as usize, 1);
        Components { of, sizes }
    }
}

/// A node that is being visited, the least number of discovery it is known to reach, its next arc.
struct Visit {
    node: u32,
    low: u32,
    arc: u64,
}

/// Strongly connected components.
pub fn strong_components(graph: &Csr) -> Components {
    const CLOSED: u32 = u32::MAX;
    let n = graph.num_nodes();
    // 0 for nodes not yet seen; the number of discovery during the visit; then the least such number known to be
    // reachable, or CLOSED if the component is known: one look tells all about a successor, and one whose
    // component is closed never lowers a minimum.
    let mut low = vec![0u32; n];
    let mut of = vec![0u32; n];
    let mut open: Vec<u32> = Vec::new(); // visited nodes whose component is not known yet
    let mut path: Vec<Visit> = Vec::new(); // the call stack
    let (mut clock, mut count) = (0u32, 0u32);
    let (offsets, targets) = (graph.offsets(), graph.targets());
    for root in 0..n as u32 {
        if low[root as usize] != 0 {
            continue;
        }
        clock += 1;
        low[root as usize] = clock;
        let mut visit = Visit { node: root, low: clock, arc: offsets[root as usize] };
        'visit: loop {
            let u = visit.node as usize;
            for arc in visit.arc..offsets[u + 1] {
                let v = targets[arc as usize];
                let known = low[v as usize];
                if known != 0 {
                    visit.low = visit.low.min(known);
                    continue;
                }
                let first = offsets[v as usize];
                if first == offsets[v as usize + 1] {
                    (low[v as usize], of[v as usize]) = (CLOSED, count);
                    count += 1;
                    continue;
                }
                clock += 1;
                low[v as usize] = clock;
                visit.arc = arc + 1;
                path.push(std::mem::replace(&mut visit, Visit { node: v, low: clock, arc: first }));
                continue 'visit;
            }
            let own = low[u];
            if visit.low == own {
                // What is open and reaches no further back is of this component.
                while let Some(&member) = open.last()
                    && low[member as usize] >= own
                {
                    (low[member as usize], of[member as usize]) = (CLOSED, count);
                    open.pop();
                }
                (low[u], of[u]) = (CLOSED, count);
                count += 1;
            } else {
                low[u] = visit.low;
                open.push(visit.node);
            }
            let Some(mut parent) = path.pop() else { break };
            parent.low = parent.low.min(low[u]);
            visit = parent;
        }
    }
    Components::ordered(of, count as usize)
}

/// Weakly connected components.
pub fn weak_components(graph: &Csr) -> Components {
    rayon::scope(|_| weak(graph, None))
}

/// Weakly connected components of a graph whose transpose is at hand, which saves following most arcs.
///
/// # Panics
/// If the transpose is of a graph of another size.
pub fn weak_components_with(graph: &Csr, transpose: &Csr) -> Components {
    assert_eq!(graph.num_nodes(), transpose.num_nodes(), "graph and transpose of one graph");
    rayon::scope(|_| weak(graph, Some(transpose)))
}

fn weak(graph: &Csr, transpose: Option<&Csr>) -> Components {
    let n = graph.num_nodes();
    let nodes = || (0..n as u32).into_par_iter().with_min_len(1024);
    let (offsets, targets) = (graph.offsets(), graph.targets());
    let sets = Sets::new(n);
    // The first arcs of all nodes already make what is mostly one large set.
    nodes().for_each(|u| {
        let first = offsets[u as usize] as usize;
        let end = (offsets[u as usize + 1] as usize).min(first + FIRST);
        targets[first..end].iter().for_each(|&v| sets.join(u, v));
    });
    sets.flatten();
    let others = |u: u32| {
        let end = offsets[u as usize + 1] as usize;
        &targets[end.min(offsets[u as usize] as usize + FIRST)..end]
    };
    match transpose {
        None => nodes().for_each(|u| {
            for &v in others(u) {
                if sets.label(u) != sets.label(v) {
                    sets.join(u, v);
                }
            }
        }),
        Some(transpose) => {
            // An arc between two nodes of the large set joins nothing; one with an end outside is met there.
            let large = frequent(n, |u| sets.label(u));
            let (offsets, sources) = (transpose.offsets(), transpose.targets());
            nodes().filter(|&u| sets.label(u) != large).for_each(|u| {
                let sources = &sources[offsets[u as usize] as usize..offsets[u as usize + 1] as usize];
                others(u).iter().chain(sources).for_each(|&v| sets.join(u, v));
            });
        }
    }
    Components::labelled(sets.into_labels())
}

/// The label that most of some nodes bear.
fn frequent(n: usize, label: impl Fn(u32) -> u32) -> u32 {
    let samples = n.min(1024);
    let mut labels: Vec<u32> = (0..samples).map(|i| label((i * n / samples) as u32)).collect();
    labels.sort_unstable();
    labels.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map_or(0, |run| run[0])
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
                (weak_components_with(&graph, &graph.transpose()), reachable(&graph, true)),
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
        assert_eq!(weak_components(&graph).of, [3, 0, 0, 1, 1, 2, 2]);
        assert!(strong_components(&Csr::from_arcs(0, []).unwrap()).is_empty());
    }
}
