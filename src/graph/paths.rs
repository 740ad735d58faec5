//! Shortest chains of arcs from one node to another: how long, how many, and which.
//!
//! **Definition.** A chain is a sequence of nodes with an arc from each to the next; its length is the number of its
//! arcs, or the sum of their lengths where arcs have such ([`Length`]). Chains of equal length all count; parallel arcs
//! are one.
//!
//! **Algorithm.** petgraph's breadth-first search, level by level, until the goal is met; with lengths petgraph's
//! Dijkstra. Then back from the goal, level by level, each node that an arc leads from to one on a shortest chain: these
//! nodes and arcs hold all shortest chains and nothing else. Their number is a sum over that graph.
//!
//! **Cost.** O(n + m), twice; a bit a node and 8 bytes a node met, and what the shortest chains take. With lengths
//! O(m log m) and some 32 bytes a node and 24 an arc at most ([`dijkstra_bytes`]). No transpose.
//!
//! **Determinism.** Chains come in the order of their nodes' numbers. Sums of lengths count as equal within 10⁻¹² of
//! their size.

use super::csr::{Csr, Weights};
use petgraph::algo::dijkstra::with_dynamic_goal;
use petgraph::visit::{Bfs, EdgeRef, IntoNeighbors, VisitMap};
use std::collections::{HashMap, VecDeque};
use webmill_capture::error::{Error, Result};

/// What an arc counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Length {
    /// One.
    #[default]
    One,
    /// Its weight, which must not be 0.
    Weight,
    /// 1 / its weight: many links are a short way. Arcs of weight 0 lead nowhere.
    Inverse,
}

/// Sums of lengths that differ by no more than this share of themselves are equal.
const EQUAL: f64 = 1e-12;

/// A bit a node.
#[derive(Clone, Debug)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub(crate) fn new(nodes: usize) -> Self {
        Bits(vec![0; nodes.div_ceil(64)])
    }
}

impl VisitMap<u32> for Bits {
    fn visit(&mut self, node: u32) -> bool {
        let (word, bit) = (&mut self.0[node as usize / 64], 1 << (node % 64));
        let first = *word & bit == 0;
        *word |= bit;
        first
    }

    fn is_visited(&self, node: &u32) -> bool {
        self.0[*node as usize / 64] >> (node % 64) & 1 == 1
    }

    fn unvisit(&mut self, node: u32) -> bool {
        let was = self.is_visited(&node);
        self.0[node as usize / 64] &= !(1 << (node % 64));
        was
    }
}

/// Nodes by their distance from one, met by petgraph's breadth-first search.
pub(crate) struct Levels {
    walk: Bfs<u32, Bits>,
}

impl Levels {
    pub(crate) fn new(nodes: usize, from: u32) -> Self {
        let mut discovered = Bits::new(nodes);
        discovered.visit(from);
        Levels { walk: Bfs { stack: VecDeque::from([from]), discovered } }
    }

    /// The nodes of the next level, in the order in which they are met; empty after the last.
    pub(crate) fn next<G: IntoNeighbors<NodeId = u32>>(&mut self, graph: G) -> Vec<u32> {
        let width = self.walk.stack.len();
        (0..width).map_while(|_| self.walk.next(graph)).collect()
    }

    pub(crate) fn met(&self, node: u32) -> bool {
        self.walk.discovered.is_visited(&node)
    }
}

/// All shortest chains from one node to another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Chains {
    /// First node.
    pub from: u32,
    /// Last node.
    pub to: u32,
    /// Their length: number of arcs, or sum of lengths.
    pub length: f64,
    /// How many there are.
    pub count: u128,
    /// Whether the count is exact; else there are more than 128 bits can say.
    pub counted: bool,
    /// Of each node on a chain but the last the nodes that follow on one, ascending.
    next: HashMap<u32, Vec<u32>>,
}

/// What was found of chains.
#[derive(Clone, Debug, PartialEq)]
pub enum Search {
    /// There are chains.
    Found(Chains),
    /// There is no chain; the number of nodes that can be reached, the first included.
    Unreachable(usize),
}

/// Bytes that a search with lengths may take beside the graph.
pub fn dijkstra_bytes(graph: &Csr) -> u64 {
    40 * graph.num_nodes() as u64 + 24 * graph.num_arcs()
}

/// The shortest chains from one node of a graph to another.
///
/// # Errors
/// [`Error::Config`] if there is no such node; for lengths, if the graph has no weights or an arc of length 0.
pub fn shortest_chains(graph: &Csr, from: u32, to: u32, length: Length) -> Result<Search> {
    if let Some(node) = [from, to].into_iter().find(|node| *node as usize >= graph.num_nodes()) {
        return Err(Error::Config(format!("there is no node {node} among {}", graph.num_nodes())));
    }
    match length {
        Length::One => Ok(by_arcs(graph, from, to)),
        Length::Weight | Length::Inverse => by_length(graph, from, to, length),
    }
}

fn by_arcs(graph: &Csr, from: u32, to: u32) -> Search {
    let mut walk = Levels::new(graph.num_nodes(), from);
    let mut levels: Vec<Vec<u32>> = Vec::new();
    while !walk.met(to) {
        let level = walk.next(graph);
        if level.is_empty() {
            return Search::Unreachable(levels.iter().map(Vec::len).sum());
        }
        levels.push(level);
    }
    drop(walk);
    let mut on_chain = Bits::new(graph.num_nodes());
    on_chain.visit(to);
    let mut chains = Builder::new(to);
    let length = levels.len() as f64;
    while let Some(level) = levels.pop() {
        let mut found = Vec::new();
        for u in level {
            let next: Vec<u32> = graph.neighbors(u).filter(|v| on_chain.is_visited(v)).collect();
            if !next.is_empty() {
                found.push(u);
                chains.push(u, next);
            }
        }
        // Only now: an arc inside of a level is on no shortest chain.
        found.into_iter().for_each(|u| {
            on_chain.visit(u);
        });
    }
    Search::Found(chains.finish(from, length))
}

fn by_length(graph: &Csr, from: u32, to: u32, length: Length) -> Result<Search> {
    let Some(weights) = graph.weights() else {
        return Err(Error::Config("arcs without weights have no lengths but one each".into()));
    };
    if length == Length::Weight
        && let Some((u, v)) = weightless(graph, weights)
    {
        return Err(Error::Config(format!("the arc {u} -> {v} has the weight 0: that is no length")));
    }
    let of = |weight: f64| if length == Length::Weight { weight } else { 1.0 / weight };
    let found = with_dynamic_goal(graph, from, |node| *node == to, |arc| of(*arc.weight()));
    let distance = found.scores;
    let goal = distance.get(&to).copied().filter(|d| found.goal_node.is_some() && d.is_finite());
    let Some(goal) = goal else {
        return Ok(Search::Unreachable(distance.values().filter(|d| d.is_finite()).count()));
    };
    // Nodes nearer than the goal are settled. The farthest first: what follows on a chain is farther.
    let mut nearer: Vec<(f64, u32)> =
        distance.iter().filter(|(_, d)| **d < goal).map(|(node, d)| (*d, *node)).collect();
    nearer.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut chains = Builder::new(to);
    for (near, u) in nearer {
        let follows = |v: u32, weight: f64| {
            chains.ways.contains_key(&v)
                && distance.get(&v).is_some_and(|far| near < *far && near + of(weight) <= far * (1.0 + EQUAL))
        };
        let arcs = graph.arcs_of(u).map(|arc| (graph.targets()[arc], weights.get(arc)));
        let next: Vec<u32> = arcs.filter(|(v, weight)| follows(*v, *weight)).map(|(v, _)| v).collect();
        if !next.is_empty() {
            chains.push(u, next);
        }
    }
    if from != to && !chains.next.contains_key(&from) {
        return Err(Error::Config("the lengths of arcs differ too much for their sums".into()));
    }
    Ok(Search::Found(chains.finish(from, goal)))
}

fn weightless(graph: &Csr, weights: &Weights) -> Option<(u32, u32)> {
    let arc = (0..graph.targets().len()).find(|arc| weights.get(*arc) == 0.0)?;
    let source = graph.offsets().partition_point(|start| *start <= arc as u64) - 1;
    Some((source as u32, graph.targets()[arc]))
}

/// Chains, put together from their end.
struct Builder {
    next: HashMap<u32, Vec<u32>>,
    /// Chains from each node to the last.
    ways: HashMap<u32, u128>,
    counted: bool,
    to: u32,
}

impl Builder {
    fn new(to: u32) -> Self {
        Builder { next: HashMap::new(), ways: HashMap::from([(to, 1)]), counted: true, to }
    }

    /// Adds a node, after all that follow it on a chain.
    fn push(&mut self, node: u32, next: Vec<u32>) {
        let mut ways = 0u128;
        for v in &next {
            let more = self.ways.get(v).copied().unwrap_or(0);
            self.counted &= ways.checked_add(more).is_some();
            ways = ways.saturating_add(more);
        }
        self.ways.insert(node, ways);
        self.next.insert(node, next);
    }

    fn finish(self, from: u32, length: f64) -> Chains {
        let count = self.ways.get(&from).copied().unwrap_or(0);
        Chains { from, to: self.to, length, count, counted: self.counted, next: self.next }
    }
}

impl Chains {
    /// Each chain as its nodes, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Vec<u32>> + '_ {
        // Of each node on the way, which of those that follow it is next.
        let mut way: Vec<(u32, usize)> = vec![(self.from, 0)];
        std::iter::from_fn(move || {
            loop {
                let (node, at) = *way.last()?;
                if node == self.to {
                    let chain = way.iter().map(|(node, _)| *node).collect();
                    way.pop();
                    return Some(chain);
                }
                match self.next.get(&node).and_then(|next| next.get(at)) {
                    Some(&next) => {
                        way.last_mut()?.1 += 1;
                        way.push((next, 0));
                    }
                    None => {
                        way.pop();
                    }
                }
            }
        })
    }

    /// Nodes that are on a shortest chain.
    pub fn num_nodes(&self) -> usize {
        // Nodes that lead to the goal in the right number of steps are all met from the first.
        let mut seen = std::collections::HashSet::from([self.from]);
        let mut open = vec![self.from];
        while let Some(node) = open.pop() {
            open.extend(self.next.get(&node).into_iter().flatten().filter(|v| seen.insert(**v)));
        }
        seen.len()
    }
}

#[cfg(test)]
mod tests;
