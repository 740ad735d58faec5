//! petgraph's visit traits on our graph, so that its algorithms run on it.
//!
//! Nodes are `u32`, an arc is known by its number, its weight is an `f64`. Algorithms that only follow arcs
//! run on `&Csr`; those that also go back along them, on a [`TwoWay`], which is a graph with its transpose.
//! (Of petgraph's algorithms `tarjan_scc` is recursive and `page_rank` quadratic; what this module has of its
//! own is made for the Web.)

mod two_way;

pub use two_way::{ArcsDirected, TwoWay};

use super::csr::Csr;
use petgraph::Directed;
use petgraph::visit::{
    Data, EdgeCount, EdgeIndexable, EdgeRef, GetAdjacencyMatrix, GraphBase, GraphProp, IntoEdgeReferences,
    IntoEdges, IntoNeighbors, IntoNodeIdentifiers, IntoNodeReferences, NodeCompactIndexable, NodeCount,
    NodeIndexable, VisitMap, Visitable,
};
use std::iter::{Copied, FusedIterator, Map};
use std::ops::Range;
use std::slice;

/// An arc, for petgraph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    number: usize,
    source: u32,
    target: u32,
    weight: f64,
}

impl EdgeRef for Arc {
    type NodeId = u32;
    type EdgeId = usize;
    type Weight = f64;

    fn source(&self) -> u32 {
        self.source
    }

    fn target(&self) -> u32 {
        self.target
    }

    fn weight(&self) -> &f64 {
        &self.weight
    }

    fn id(&self) -> usize {
        self.number
    }
}

/// Arcs of one node or of all.
#[derive(Clone, Debug)]
pub struct Arcs<'a> {
    graph: &'a Csr,
    source: u32,
    numbers: Range<usize>,
}

impl Iterator for Arcs<'_> {
    type Item = Arc;

    fn next(&mut self) -> Option<Arc> {
        let number = self.numbers.next()?;
        while self.graph.arcs_of(self.source).end <= number {
            self.source += 1;
        }
        let weight = self.graph.weights().map_or(1.0, |weights| weights.get(number));
        Some(Arc { number, source: self.source, target: self.graph.targets()[number], weight })
    }
}

impl FusedIterator for Arcs<'_> {}

/// Which nodes have been visited.
#[derive(Clone, Debug, Default)]
pub struct VisitedNodes(Vec<bool>);

impl VisitMap<u32> for VisitedNodes {
    fn visit(&mut self, node: u32) -> bool {
        !std::mem::replace(&mut self.0[node as usize], true)
    }

    fn is_visited(&self, node: &u32) -> bool {
        self.0[*node as usize]
    }

    fn unvisit(&mut self, node: u32) -> bool {
        std::mem::replace(&mut self.0[node as usize], false)
    }
}

impl GraphBase for Csr {
    type NodeId = u32;
    type EdgeId = usize;
}

impl GraphProp for Csr {
    type EdgeType = Directed;
}

impl Data for Csr {
    type NodeWeight = ();
    type EdgeWeight = f64;
}

impl NodeCount for Csr {
    fn node_count(&self) -> usize {
        self.num_nodes()
    }
}

impl EdgeCount for Csr {
    fn edge_count(&self) -> usize {
        self.targets().len()
    }
}

impl NodeIndexable for Csr {
    fn node_bound(&self) -> usize {
        self.num_nodes()
    }

    fn to_index(&self, node: u32) -> usize {
        node as usize
    }

    fn from_index(&self, index: usize) -> u32 {
        index as u32
    }
}

impl NodeCompactIndexable for Csr {}

impl EdgeIndexable for Csr {
    fn edge_bound(&self) -> usize {
        self.targets().len()
    }

    fn to_index(&self, arc: usize) -> usize {
        arc
    }

    fn from_index(&self, index: usize) -> usize {
        index
    }
}

/// The lists of successors are the matrix; a look into one takes the logarithm of its length.
impl GetAdjacencyMatrix for Csr {
    type AdjMatrix = ();

    fn adjacency_matrix(&self) {}

    fn is_adjacent(&self, (): &(), from: u32, to: u32) -> bool {
        self.successor_slice(from).binary_search(&to).is_ok()
    }
}

impl Visitable for Csr {
    type Map = VisitedNodes;

    fn visit_map(&self) -> VisitedNodes {
        VisitedNodes(vec![false; self.num_nodes()])
    }

    fn reset_map(&self, map: &mut VisitedNodes) {
        map.0.clear();
        map.0.resize(self.num_nodes(), false);
    }
}

impl IntoNodeIdentifiers for &Csr {
    type NodeIdentifiers = Range<u32>;

    fn node_identifiers(self) -> Range<u32> {
        0..self.num_nodes() as u32
    }
}

impl<'a> IntoNodeReferences for &'a Csr {
    type NodeRef = (u32, &'a ());
    type NodeReferences = Map<Range<u32>, fn(u32) -> (u32, &'a ())>;

    fn node_references(self) -> Self::NodeReferences {
        self.node_identifiers().map(|node| (node, &()))
    }
}

impl<'a> IntoNeighbors for &'a Csr {
    type Neighbors = Copied<slice::Iter<'a, u32>>;

    fn neighbors(self, node: u32) -> Self::Neighbors {
        self.successor_slice(node).iter().copied()
    }
}

impl<'a> IntoEdgeReferences for &'a Csr {
    type EdgeRef = Arc;
    type EdgeReferences = Arcs<'a>;

    fn edge_references(self) -> Arcs<'a> {
        Arcs { graph: self, source: 0, numbers: 0..self.targets().len() }
    }
}

impl<'a> IntoEdges for &'a Csr {
    type Edges = Arcs<'a>;

    fn edges(self, node: u32) -> Arcs<'a> {
        Arcs { graph: self, source: node, numbers: self.arcs_of(node) }
    }
}

#[cfg(test)]
mod tests;
