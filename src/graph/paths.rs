//! Shortest chains of arcs from one node to another: how long, how many, and which.
//!
//! **Definition.** A chain is a sequence of nodes with an arc from each to the next; its length is the number of its
//! arcs. Chains of equal length all count; parallel arcs are one.
//!
//! **Algorithm.** Breadth-first search, level by level, until the goal is met. Then back from the goal, level by level, each
//! node that an arc leads from to one on a shortest chain: these nodes and arcs hold all shortest chains and nothing else.
//! Their number is a sum over that graph.
//!
//! **Cost.** O(n + m), twice; two bytes a node and 4 bytes a node met, and what the shortest chains take. No transpose.
//!
//! **Determinism.** Chains come in the order of their nodes' numbers.

use super::csr::{Csr, Graph};
use std::collections::HashMap;
use webmill_capture::error::{Error, Result};

/// All shortest chains from one node to another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Chains {
    /// First node.
    pub from: u32,
    /// Last node.
    pub to: u32,
    /// Their length: number of arcs.
    pub length: usize,
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
    /// There are none; so many nodes can be reached, the first included.
    Unreachable(usize),
}

/// The shortest chains from one node of a graph to another.
///
/// # Errors
/// [`Error::Config`] if there is no such node.
pub fn shortest_chains(graph: &Csr, from: u32, to: u32) -> Result<Search> {
    let nodes = graph.num_nodes();
    if let Some(node) = [from, to].into_iter().find(|node| *node as usize >= nodes) {
        return Err(Error::Config(format!("there is no node {node} among {nodes}")));
    }
    let mut met = vec![false; nodes];
    met[from as usize] = true;
    let mut levels: Vec<Vec<u32>> = Vec::new();
    let mut level = vec![from];
    while !met[to as usize] {
        let mut next = Vec::new();
        for v in level.iter().flat_map(|u| graph.successor_slice(*u)) {
            if !std::mem::replace(&mut met[*v as usize], true) {
                next.push(*v);
            }
        }
        levels.push(std::mem::replace(&mut level, next));
        if level.is_empty() {
            return Ok(Search::Unreachable(levels.iter().map(Vec::len).sum()));
        }
    }
    drop(met);
    let mut on_chain = vec![false; nodes];
    on_chain[to as usize] = true;
    let mut chains = Builder::new(to);
    let length = levels.len();
    while let Some(level) = levels.pop() {
        let mut found = Vec::new();
        for u in level {
            let next: Vec<u32> =
                graph.successor_slice(u).iter().copied().filter(|v| on_chain[*v as usize]).collect();
            if !next.is_empty() {
                found.push(u);
                chains.push(u, next);
            }
        }
        // Only now: an arc inside of a level is on no shortest chain.
        found.into_iter().for_each(|u| on_chain[u as usize] = true);
    }
    Ok(Search::Found(chains.finish(from, length)))
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

    fn finish(self, from: u32, length: usize) -> Chains {
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
