//! A directed graph in compressed sparse rows.
//!
//! **Definition.** Nodes are `0..n`. `offsets` has n + 1 entries; the successors of node u are
//! `targets[offsets[u]..offsets[u + 1]]`, ascending and distinct, and each arc may have a weight.
//!
//! **Cost.** 8 bytes a node, 4 an arc, 4 more an arc with weights. The arrays are owned, or lie in a mapped
//! file ([`store`](super::store)); nothing else knows which.

use super::array::Array;
use rayon::prelude::*;
use std::ops::Range;
use webmill_capture::error::{Error, Result};

/// Arc weights, finite and not negative.
#[derive(Clone, Debug)]
pub enum Weights {
    /// How many links an arc represents.
    Counts(Array<u32>),
    /// Given weights.
    Reals(Array<f32>),
}

impl Weights {
    fn len(&self) -> usize {
        match self {
            Weights::Counts(w) => w.len(),
            Weights::Reals(w) => w.len(),
        }
    }

    /// Weight of an arc by its number.
    ///
    /// # Panics
    /// If there is no such arc.
    #[inline]
    pub fn get(&self, arc: usize) -> f64 {
        match self {
            Weights::Counts(w) => f64::from(w[arc]),
            Weights::Reals(w) => f64::from(w[arc]),
        }
    }
}

/// A weight as text: the shortest that reads back as the same weight.
pub(super) struct ShownWeight<'a>(pub &'a Weights, pub usize);

impl std::fmt::Display for ShownWeight<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Weights::Counts(w) => w[self.1].fmt(f),
            Weights::Reals(w) => w[self.1].fmt(f),
        }
    }
}

/// What parallel arcs of a text become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parallel {
    /// Their weights add up; without weights they are counted.
    #[default]
    Add,
    /// The greatest weight; 1 without weights.
    Max,
    /// The weight of the first; 1 without weights.
    First,
}

impl Parallel {
    /// Leaves one of parallel arcs, unless they add up: then all stay. Arcs come in the order of the text, and leave it by
    /// source and target.
    pub(super) fn choose<W: Copy + PartialOrd + Send>(self, arcs: &mut Vec<(u32, u32, W)>) {
        if self == Parallel::Add {
            return;
        }
        arcs.par_sort_by_key(|arc| (arc.0, arc.1));
        arcs.dedup_by(|next, arc| {
            let same = (next.0, next.1) == (arc.0, arc.1);
            if same && self == Parallel::Max && next.2 > arc.2 {
                arc.2 = next.2;
            }
            same
        });
    }
}

/// Graph in compressed sparse rows; see the module.
#[derive(Clone, Debug)]
pub struct Csr {
    pub(super) offsets: Array<u64>,
    pub(super) targets: Array<u32>,
    pub(super) weights: Option<Weights>,
}

impl Csr {
    /// A graph from its arrays.
    ///
    /// # Errors
    /// [`Error::Config`] naming the first rule that the arrays break: offsets that start at 0, never fall and
    /// end at the number of arcs; successors ascending and below n; as many weights as arcs, finite and not
    /// negative.
    pub fn new(offsets: Array<u64>, targets: Array<u32>, weights: Option<Weights>) -> Result<Self> {
        let graph = Csr { offsets, targets, weights };
        graph.check().map_err(Error::Config)?;
        Ok(graph)
    }

    /// What [`new`](Self::new) says is wrong, if anything.
    pub fn check(&self) -> Result<(), String> {
        let (offsets, targets) = (&self.offsets[..], &self.targets[..]);
        let n = offsets.len().checked_sub(1).ok_or("a graph of n nodes has n + 1 offsets")?;
        if n > u32::MAX as usize {
            return Err(format!("{n} nodes: more than 32 bits can number"));
        }
        if offsets[0] != 0 || offsets[n] != targets.len() as u64 {
            return Err(format!(
                "offsets run from {} to {} for {} arcs",
                offsets[0],
                offsets[n],
                targets.len()
            ));
        }
        if let Some(u) = offsets.par_windows(2).position_first(|w| w[0] > w[1]) {
            return Err(format!("the offsets fall after node {u}"));
        }
        let wrong = (0..n).into_par_iter().with_min_len(1 << 12).find_first(|&u| {
            let list = &targets[offsets[u] as usize..offsets[u + 1] as usize];
            !list.is_sorted_by(|a, b| a < b) || list.last().is_some_and(|&v| v as usize >= n)
        });
        if let Some(u) = wrong {
            return Err(format!("the successors of node {u} are not ascending numbers below {n}"));
        }
        let Some(weights) = &self.weights else { return Ok(()) };
        if weights.len() != targets.len() {
            return Err(format!("{} weights for {} arcs", weights.len(), targets.len()));
        }
        if let Weights::Reals(w) = weights
            && let Some(arc) = w.par_iter().position_first(|w| !w.is_finite() || *w < 0.0)
        {
            return Err(format!("arc {arc} has the weight {}", w[arc]));
        }
        Ok(())
    }

    /// A graph of `nodes` nodes from arcs in any order; parallel arcs collapse.
    ///
    /// # Errors
    /// [`Error::Config`] for an arc to or from an unknown node.
    pub fn from_arcs(nodes: usize, arcs: impl IntoIterator<Item = (u32, u32)>) -> Result<Self> {
        let mut arcs: Vec<(u32, u32)> = arcs.into_iter().collect();
        arcs.par_sort_unstable();
        arcs.dedup();
        Self::from_sorted(nodes, arcs.iter().map(|&(u, v)| (u, v, ()))).map(|(graph, _)| graph)
    }

    /// A graph of `nodes` nodes from links in any order: parallel ones become one arc, which weighs as much as
    /// they are many. Without weights if there are no parallel ones.
    ///
    /// # Errors
    /// [`Error::Config`] for a link to or from an unknown node.
    pub fn from_links(nodes: usize, links: impl IntoIterator<Item = (u32, u32)>) -> Result<Self> {
        let mut links: Vec<(u32, u32)> = links.into_iter().collect();
        links.par_sort_unstable();
        let parallel = links.windows(2).any(|pair| pair[0] == pair[1]);
        let arcs = links.chunk_by(|a, b| a == b);
        let (mut graph, counts) =
            Self::from_sorted(nodes, arcs.map(|same| (same[0].0, same[0].1, same.len() as u32)))?;
        graph.weights = parallel.then(|| Weights::Counts(counts.into()));
        Ok(graph)
    }

    /// A graph of `nodes` nodes from arcs with whole weights in any order; those of parallel arcs add up, to 2³² − 1 at most.
    ///
    /// # Errors
    /// [`Error::Config`] for an arc to or from an unknown node.
    pub fn from_counted_arcs(nodes: usize, arcs: impl IntoIterator<Item = (u32, u32, u32)>) -> Result<Self> {
        let mut arcs: Vec<(u32, u32, u32)> = arcs.into_iter().collect();
        arcs.par_sort_unstable();
        arcs.dedup_by(|next, arc| {
            let same = (next.0, next.1) == (arc.0, arc.1);
            arc.2 = if same { arc.2.saturating_add(next.2) } else { arc.2 };
            same
        });
        let (mut graph, counts) = Self::from_sorted(nodes, arcs)?;
        graph.weights = Some(Weights::Counts(counts.into()));
        Ok(graph)
    }

    /// A weighted graph of `nodes` nodes from arcs in any order; the weights of parallel arcs add up.
    ///
    /// # Errors
    /// [`Error::Config`] for an arc to or from an unknown node, or a weight that is negative, infinite or not
    /// a number.
    pub fn from_weighted_arcs(nodes: usize, arcs: impl IntoIterator<Item = (u32, u32, f32)>) -> Result<Self> {
        let mut arcs: Vec<(u32, u32, f32)> = arcs.into_iter().collect();
        if let Some((u, v, w)) = arcs.iter().find(|a| !a.2.is_finite() || a.2 < 0.0) {
            return Err(Error::Config(format!("the arc {u} -> {v} has the weight {w}")));
        }
        arcs.par_sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        let sums = arcs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|same| {
            let sum: f64 = same.iter().map(|arc| f64::from(arc.2)).sum();
            (same[0].0, same[0].1, real(sum))
        });
        let (mut graph, weights) = Self::from_sorted(nodes, sums)?;
        graph.weights = Some(Weights::Reals(weights.into()));
        Ok(graph)
    }

    /// From distinct arcs in ascending order.
    fn from_sorted<W>(nodes: usize, arcs: impl IntoIterator<Item = (u32, u32, W)>) -> Result<(Self, Vec<W>)> {
        if nodes > u32::MAX as usize {
            return Err(Error::Limit(format!("{nodes} nodes: more than 32 bits can number")));
        }
        let (mut offsets, mut targets, mut weights) = (vec![0u64; nodes + 1], Vec::new(), Vec::new());
        for (u, v, w) in arcs {
            if u.max(v) as usize >= nodes {
                return Err(Error::Config(format!("the arc {u} -> {v} leaves the nodes 0..{nodes}")));
            }
            offsets[u as usize + 1] += 1;
            targets.push(v);
            weights.push(w);
        }
        for u in 0..nodes {
            offsets[u + 1] += offsets[u];
        }
        Ok((Csr { offsets: offsets.into(), targets: targets.into(), weights: None }, weights))
    }

    /// The same arcs without weights.
    pub fn without_weights(&self) -> Csr {
        Csr { offsets: self.offsets.clone(), targets: self.targets.clone(), weights: None }
    }

    /// Offsets: n + 1 numbers of arcs.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Targets of all arcs, by source.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// Weights of all arcs, by source.
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    /// Numbers of the arcs that leave `node`: indices into [`targets`](Self::targets) and
    /// [`weights`](Self::weights).
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    pub fn arcs_of(&self, node: u32) -> Range<usize> {
        self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize
    }

    /// Successors of a node as a slice.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    pub fn successor_slice(&self, node: u32) -> &[u32] {
        &self.targets[self.arcs_of(node)]
    }

    /// All arcs with their weights (1 where there are none), by source, then target.
    pub fn arcs(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        (0..self.num_nodes() as u32).flat_map(move |u| {
            self.arcs_of(u)
                .map(move |a| (u, self.targets[a], self.weights.as_ref().map_or(1.0, |w| w.get(a))))
        })
    }

    /// The arcs that lead to `node`, as source and weight (1 where there are none), by source: one reading of all targets,
    /// without the transpose.
    pub fn in_links(&self, node: u32) -> Vec<(u32, f64)> {
        let arcs: Vec<usize> = self.targets.par_iter().positions(|target| *target == node).collect();
        let mut source = 0;
        arcs.into_iter()
            .map(|arc| {
                source += self.offsets[source + 1..].partition_point(|end| *end <= arc as u64);
                (source as u32, self.weights.as_ref().map_or(1.0, |weights| weights.get(arc)))
            })
            .collect()
    }

    /// Bytes that the arrays take.
    pub fn bytes(&self) -> u64 {
        let weights = if self.weights.is_some() { 4 } else { 0 };
        8 * self.offsets.len() as u64 + (4 + weights) * self.targets.len() as u64
    }

    /// Bytes of the arrays that are in memory and not in a mapped file.
    pub fn owned_bytes(&self) -> u64 {
        if self.targets.is_mapped() { 0 } else { self.bytes() }
    }
}

/// A sum of weights as a weight; no sum is infinite.
pub(super) fn real(sum: f64) -> f32 {
    sum.min(f64::from(f32::MAX)) as f32
}

impl Csr {
    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of arcs.
    pub fn num_arcs(&self) -> u64 {
        self.targets.len() as u64
    }

    /// Successors of a node, ascending.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn successors(&self, node: u32) -> impl Iterator<Item = u32> {
        self.successor_slice(node).iter().copied()
    }

    /// Number of successors.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn outdegree(&self, node: u32) -> usize {
        self.arcs_of(node).len()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Random graphs: few nodes, many arcs among them, self-loops and isolated nodes too.
    pub(crate) fn graphs(max_nodes: usize, max_arcs: usize) -> impl Strategy<Value = Csr> {
        (1..=max_nodes).prop_flat_map(move |n| {
            prop::collection::vec((0..n as u32, 0..n as u32), 0..max_arcs)
                .prop_map(move |arcs| Csr::from_arcs(n, arcs).unwrap())
        })
    }

    proptest! {
        #[test]
        fn weights_travel_with_their_arcs(arcs in prop::collection::vec((0u32..20, 0u32..20, 0u32..100), 0..200)) {
            let graph = Csr::from_weighted_arcs(20, arcs.iter().map(|a| (a.0, a.1, a.2 as f32))).unwrap();
            let mut turned: Vec<_> = graph.arcs().map(|(u, v, w)| (v, u, w as u32)).collect();
            turned.sort();
            let transpose: Vec<_> = graph.transpose().arcs().map(|(u, v, w)| (u, v, w as u32)).collect();
            prop_assert_eq!(transpose, turned);
            let counted = Csr::from_counted_arcs(20, arcs.iter().copied()).unwrap();
            prop_assert!(counted.arcs().eq(graph.arcs()));
            let links = Csr::from_links(20, arcs.iter().map(|a| (a.0, a.1))).unwrap();
            prop_assert_eq!(links.targets(), graph.targets());
            prop_assert_eq!(links.weights().is_some(), links.targets().len() < arcs.len());
            for ((u, v, w), (_, _, many)) in graph.arcs().zip(links.arcs()) {
                let parallel = || arcs.iter().filter(|a| (a.0, a.1) == (u, v));
                prop_assert_eq!(parallel().map(|a| f64::from(a.2)).sum::<f64>(), w);
                prop_assert_eq!(parallel().count() as f64, many);
            }
        }
    }

    #[test]
    fn broken_graphs_are_refused_by_name() {
        let csr = |offsets: &[u64], targets: &[u32]| {
            Csr::new(offsets.to_vec().into(), targets.to_vec().into(), None)
        };
        for (offsets, targets, says) in [
            (&[][..], &[][..], "n + 1 offsets"),
            (&[0, 2], &[0], "offsets run from 0 to 2 for 1 arcs"),
            (&[0, 2, 1, 2], &[0, 1], "fall after node 1"),
            (&[0, 1], &[1], "successors of node 0"),
            (&[0, 2, 2], &[1, 0], "successors of node 0"),
            (&[0, 2, 2], &[1, 1], "successors of node 0"),
        ] {
            let error = csr(offsets, targets).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert!(Csr::from_arcs(2, [(0, 2)]).unwrap_err().to_string().contains("0 -> 2"));
        for weight in [f32::NAN, f32::INFINITY, -1.0] {
            assert!(Csr::from_weighted_arcs(2, [(0, 1, weight)]).is_err());
        }
        assert_eq!(Csr::from_arcs(0, []).unwrap().transpose().num_nodes(), 0);
    }
}
