//! A graph with its transpose, for algorithms that go both ways.

use super::{Arc, Arcs, VisitedNodes};
use crate::csr::Csr;
use petgraph::visit::{
    Data, EdgeCount, EdgeIndexable, GetAdjacencyMatrix, GraphBase, GraphProp, GraphRef, IntoEdgeReferences,
    IntoEdges, IntoEdgesDirected, IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers,
    IntoNodeReferences, NodeCompactIndexable, NodeCount, NodeIndexable, Visitable,
};
use petgraph::{Directed, Direction};
use std::iter::FusedIterator;
use webmill_capture::error::{Error, Result};

/// A graph and its transpose; copies are two references.
#[derive(Clone, Copy, Debug)]
pub struct TwoWay<'a> {
    graph: &'a Csr,
    transpose: &'a Csr,
}

impl<'a> TwoWay<'a> {
    /// From a graph and what [`Csr::transpose`] made of it.
    ///
    /// # Errors
    /// [`Error::Config`] if the other is not of this graph's size.
    pub fn new(graph: &'a Csr, transpose: &'a Csr) -> Result<Self> {
        let size = |graph: &Csr| (graph.num_nodes(), graph.num_arcs(), graph.weights().is_some());
        if size(graph) != size(transpose) {
            return Err(Error::Config("the transpose is that of another graph".into()));
        }
        Ok(TwoWay { graph, transpose })
    }
}

/// Arcs of one node in one direction.
#[derive(Clone, Debug)]
pub struct ArcsDirected<'a> {
    graph: &'a Csr,
    /// Arcs of the graph, or of its transpose.
    arcs: Arcs<'a>,
    direction: Direction,
}

impl Iterator for ArcsDirected<'_> {
    type Item = Arc;

    fn next(&mut self) -> Option<Arc> {
        let arc = self.arcs.next()?;
        if self.direction == Direction::Outgoing {
            return Some(arc);
        }
        let (source, target) = (arc.target, arc.source);
        // The number of the arc in the graph; each arc of a transpose is one of the graph.
        let numbers = self.graph.arcs_of(source);
        let number = numbers.start + self.graph.successor_slice(source).partition_point(|&v| v < target);
        Some(Arc { number, source, target, weight: arc.weight })
    }
}

impl FusedIterator for ArcsDirected<'_> {}

impl GraphBase for TwoWay<'_> {
    type NodeId = u32;
    type EdgeId = usize;
}

impl GraphRef for TwoWay<'_> {}

impl GraphProp for TwoWay<'_> {
    type EdgeType = Directed;
}

impl Data for TwoWay<'_> {
    type NodeWeight = ();
    type EdgeWeight = f64;
}

impl NodeCount for TwoWay<'_> {
    fn node_count(&self) -> usize {
        self.graph.node_count()
    }
}

impl EdgeCount for TwoWay<'_> {
    fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }
}

impl NodeIndexable for TwoWay<'_> {
    fn node_bound(&self) -> usize {
        self.graph.node_bound()
    }

    fn to_index(&self, node: u32) -> usize {
        node as usize
    }

    fn from_index(&self, index: usize) -> u32 {
        index as u32
    }
}

impl NodeCompactIndexable for TwoWay<'_> {}

impl EdgeIndexable for TwoWay<'_> {
    fn edge_bound(&self) -> usize {
        self.graph.edge_bound()
    }

    fn to_index(&self, arc: usize) -> usize {
        arc
    }

    fn from_index(&self, index: usize) -> usize {
        index
    }
}

impl GetAdjacencyMatrix for TwoWay<'_> {
    type AdjMatrix = ();

    fn adjacency_matrix(&self) {}

    fn is_adjacent(&self, matrix: &(), from: u32, to: u32) -> bool {
        self.graph.is_adjacent(matrix, from, to)
    }
}

impl Visitable for TwoWay<'_> {
    type Map = VisitedNodes;

    fn visit_map(&self) -> VisitedNodes {
        self.graph.visit_map()
    }

    fn reset_map(&self, map: &mut VisitedNodes) {
        self.graph.reset_map(map);
    }
}

impl<'a> IntoNodeIdentifiers for TwoWay<'a> {
    type NodeIdentifiers = <&'a Csr as IntoNodeIdentifiers>::NodeIdentifiers;

    fn node_identifiers(self) -> Self::NodeIdentifiers {
        self.graph.node_identifiers()
    }
}

impl<'a> IntoNodeReferences for TwoWay<'a> {
    type NodeRef = (u32, &'a ());
    type NodeReferences = <&'a Csr as IntoNodeReferences>::NodeReferences;

    fn node_references(self) -> Self::NodeReferences {
        self.graph.node_references()
    }
}

impl<'a> IntoNeighbors for TwoWay<'a> {
    type Neighbors = <&'a Csr as IntoNeighbors>::Neighbors;

    fn neighbors(self, node: u32) -> Self::Neighbors {
        self.graph.neighbors(node)
    }
}

impl<'a> IntoNeighborsDirected for TwoWay<'a> {
    type NeighborsDirected = <&'a Csr as IntoNeighbors>::Neighbors;

    fn neighbors_directed(self, node: u32, direction: Direction) -> Self::NeighborsDirected {
        match direction {
            Direction::Outgoing => self.graph.neighbors(node),
            Direction::Incoming => self.transpose.neighbors(node),
        }
    }
}

impl<'a> IntoEdgeReferences for TwoWay<'a> {
    type EdgeRef = Arc;
    type EdgeReferences = Arcs<'a>;

    fn edge_references(self) -> Arcs<'a> {
        self.graph.edge_references()
    }
}

impl<'a> IntoEdges for TwoWay<'a> {
    type Edges = Arcs<'a>;

    fn edges(self, node: u32) -> Arcs<'a> {
        self.graph.edges(node)
    }
}

impl<'a> IntoEdgesDirected for TwoWay<'a> {
    type EdgesDirected = ArcsDirected<'a>;

    fn edges_directed(self, node: u32, direction: Direction) -> ArcsDirected<'a> {
        let graph = if direction == Direction::Outgoing { self.graph } else { self.transpose };
        ArcsDirected { graph: self.graph, arcs: graph.edges(node), direction }
    }
}
