//! The neighbourhood of a node: what is at most so many arcs away, and of that the best.
//!
//! **Definition.** Hop h holds the nodes whose shortest chain from the centre has h arcs, followed onwards, backwards or
//! either way. Where they are more than asked for, nodes are taken one at a time: of those that an arc joins to one that
//! was taken a hop nearer, the best by score, ties by number. So what is kept hangs together.
//!
//! **Algorithm.** petgraph's breadth-first search on the graph ([`TwoWay`]), its reverse, or both.
//!
//! **Cost.** O(n + m) at most; a bit and 4 bytes a node, and the transpose.

use super::csr::{Csr, Graph};
use super::paths::Levels;
use super::visit::TwoWay;
use petgraph::visit::{IntoNeighbors, Reversed, UndirectedAdaptor};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use webmill_capture::error::{Error, Result};

/// Which way arcs are followed from the centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Way {
    /// Onwards and backwards.
    #[default]
    Both,
    /// Onwards: what the centre leads to.
    Out,
    /// Backwards: what leads to the centre.
    In,
}

/// How much of the surroundings is taken.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// Which way.
    pub way: Way,
    /// Most arcs from the centre.
    pub hops: u32,
    /// Most nodes that are kept, the centre among them; at least 1.
    pub most: usize,
}

/// A node of a neighbourhood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The node.
    pub node: u32,
    /// Arcs from the centre.
    pub hops: u32,
    /// Its score.
    pub score: f64,
}

/// A neighbourhood.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Neighbourhood {
    /// The nodes that were kept, by number.
    pub nodes: Vec<Neighbour>,
    /// Nodes at each number of hops, kept or not, from 0; all that there are where these are fewer than asked for.
    pub found: Vec<u64>,
    /// The arcs among the kept nodes, with their weights (1 where there are none), by source, then target.
    pub arcs: Vec<(u32, u32, f64)>,
}

impl Neighbourhood {
    /// Nodes at `hops` that were not kept.
    pub fn left_out(&self, hops: u32) -> u64 {
        let kept = self.nodes.iter().filter(|node| node.hops == hops).count() as u64;
        self.found.get(hops as usize).map_or(0, |found| found - kept)
    }
}

/// A candidate: the best score first, then the least number.
#[derive(PartialEq)]
struct Candidate(f64, Reverse<u32>);

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Surroundings {
    /// The neighbourhood of `centre` by the scores of all nodes.
    ///
    /// # Errors
    /// [`Error::Config`] if there is no such node, or not a score for each, or `most` is 0, or the transpose is not that of
    /// the graph.
    pub fn run(&self, graph: &Csr, transpose: &Csr, centre: u32, scores: &[f64]) -> Result<Neighbourhood> {
        let n = graph.num_nodes();
        if centre as usize >= n || scores.len() != n || self.most == 0 {
            let what = format!("node {centre} of {n} with {} scores, {} to keep", scores.len(), self.most);
            return Err(Error::Config(format!("no neighbourhood: {what}")));
        }
        let both = TwoWay::new(graph, transpose)?;
        let kept = match self.way {
            Way::Out => self.grow(both, n, centre, scores),
            Way::In => self.grow(Reversed(both), n, centre, scores),
            Way::Both => self.grow(UndirectedAdaptor(both), n, centre, scores),
        };
        Ok(kept.with_arcs(graph))
    }

    fn grow<G: IntoNeighbors<NodeId = u32>>(
        &self,
        graph: G,
        nodes: usize,
        centre: u32,
        scores: &[f64],
    ) -> Neighbourhood {
        const FAR: u32 = u32::MAX;
        let mut hops = vec![FAR; nodes];
        let mut walk = Levels::new(nodes, centre);
        let mut found = Vec::new();
        for hop in 0..=self.hops {
            // What is behind the last hop is not looked at.
            let level = if hop < self.hops { walk.next(graph) } else { walk.rest() };
            if level.is_empty() {
                break;
            }
            found.push(level.len() as u64);
            level.into_iter().for_each(|node| hops[node as usize] = hop);
        }
        let score =
            |node: u32| Some(scores[node as usize]).filter(|s| !s.is_nan()).unwrap_or(f64::NEG_INFINITY);
        let mut kept = Vec::new();
        let mut heap = BinaryHeap::from([Candidate(score(centre), Reverse(centre))]);
        while kept.len() < self.most
            && let Some(Candidate(_, Reverse(node))) = heap.pop()
        {
            let hop = std::mem::replace(&mut hops[node as usize], FAR);
            if hop == FAR {
                continue;
            }
            kept.push(Neighbour { node, hops: hop, score: scores[node as usize] });
            let next = graph.neighbors(node).filter(|v| hops[*v as usize] == hop + 1);
            heap.extend(next.map(|v| Candidate(score(v), Reverse(v))));
        }
        kept.sort_unstable_by_key(|neighbour| neighbour.node);
        Neighbourhood { nodes: kept, found, arcs: Vec::new() }
    }
}

impl Neighbourhood {
    fn with_arcs(mut self, graph: &Csr) -> Self {
        for u in self.nodes.iter().map(|neighbour| neighbour.node) {
            for arc in graph.arcs_of(u) {
                let v = graph.targets()[arc];
                if self.nodes.binary_search_by_key(&v, |neighbour| neighbour.node).is_ok() {
                    self.arcs.push((u, v, graph.weights().map_or(1.0, |weights| weights.get(arc))));
                }
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    fn hops(graph: &Csr, centre: u32, way: Way) -> Vec<Option<u32>> {
        let n = graph.num_nodes();
        let mut d: Vec<Option<u32>> = vec![None; n];
        d[centre as usize] = Some(0);
        for round in 0..n as u32 {
            for (u, v, _) in graph.arcs() {
                for (a, b) in [(u, v), (v, u)] {
                    let follows = match way {
                        Way::Both => true,
                        Way::Out => a == u,
                        Way::In => a == v,
                    };
                    if follows && d[a as usize] == Some(round) && d[b as usize].is_none() {
                        d[b as usize] = Some(round + 1);
                    }
                }
            }
        }
        d
    }

    proptest! {
        #[test]
        fn hops_and_choice_are_those_of_brute_force(
            graph in graphs(12, 30), scores in prop::collection::vec(0u8..5, 12), way in 0..3usize, far in 0..4u32, most in 1..9usize,
        ) {
            let (n, way) = (graph.num_nodes(), [Way::Both, Way::Out, Way::In][way]);
            let scores: Vec<f64> = scores[..n].iter().map(|s| f64::from(*s)).collect();
            let transpose = graph.transpose();
            for centre in 0..n as u32 {
                let d = hops(&graph, centre, way);
                let all = Surroundings { way, hops: far, most: n }.run(&graph, &transpose, centre, &scores).unwrap();
                for v in 0..n as u32 {
                    let kept = all.nodes.iter().find(|neighbour| neighbour.node == v).map(|neighbour| neighbour.hops);
                    prop_assert_eq!(kept, d[v as usize].filter(|hops| *hops <= far));
                }
                let counts: Vec<u64> = (0..=far)
                    .map(|hop| d.iter().filter(|d| **d == Some(hop)).count() as u64)
                    .take_while(|n| *n > 0)
                    .collect();
                prop_assert_eq!(&all.found, &counts);
                let some = Surroundings { way, hops: far, most }.run(&graph, &transpose, centre, &scores).unwrap();
                prop_assert_eq!(some.nodes.len(), all.nodes.len().min(most));
                // One at a time, the best that is joined to one a hop nearer.
                let mut kept = vec![centre];
                while kept.len() < some.nodes.len() {
                    let joined = |v: u32| kept.iter().any(|&u| {
                        let arc = match way {
                            Way::Out => graph.successors(u).any(|w| w == v),
                            Way::In => graph.successors(v).any(|w| w == u),
                            Way::Both => graph.successors(u).any(|w| w == v) || graph.successors(v).any(|w| w == u),
                        };
                        arc && d[v as usize] == d[u as usize].map(|d| d + 1)
                    });
                    let next = (0..n as u32)
                        .filter(|v| !kept.contains(v) && d[*v as usize].is_some_and(|d| d <= far) && joined(*v))
                        .max_by(|a, b| scores[*a as usize].total_cmp(&scores[*b as usize]).then(b.cmp(a)));
                    kept.push(next.unwrap());
                }
                kept.sort_unstable();
                prop_assert_eq!(some.nodes.iter().map(|neighbour| neighbour.node).collect::<Vec<_>>(), kept.clone());
                let arcs: Vec<_> = graph.arcs().filter(|(u, v, _)| kept.contains(u) && kept.contains(v)).collect();
                prop_assert_eq!(&some.arcs, &arcs);
                let left: u64 = (0..=far).map(|hop| some.left_out(hop)).sum();
                prop_assert_eq!(left, counts.iter().sum::<u64>() - some.nodes.len() as u64);
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let graph = Csr::from_arcs(2, [(0, 1)]).unwrap();
        let run = |most, centre, scores: &[f64]| {
            Surroundings { way: Way::Both, hops: 1, most }.run(&graph, &graph.transpose(), centre, scores)
        };
        assert!(
            run(0, 0, &[1.0, 1.0]).is_err() && run(1, 2, &[1.0, 1.0]).is_err() && run(1, 0, &[1.0]).is_err()
        );
        assert_eq!(run(2, 1, &[f64::NAN, 1.0]).unwrap().nodes.len(), 2);
    }
}
