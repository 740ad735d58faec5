//! Reciprocity: arcs that are answered by one back.
//!
//! **Definition.** The share of arcs u → v, u ≠ v, with an arc v → u.
//!
//! **Cost.** O(m); no memory to speak of.
//!
//! **Determinism.** Whole numbers are added.
//!
//! **Reference.** D. Garlaschelli, M. I. Loffredo, Patterns of link reciprocity in directed networks, *Phys. Rev. Lett.* 93
//! (2004), doi:10.1103/PhysRevLett.93.268701.

use super::csr::Csr;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Nodes that one task takes.
const CHUNK: usize = 4096;

/// Arcs with an arc back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reciprocity {
    /// Arcs between two nodes.
    pub arcs: u64,
    /// Arcs among these with an arc back.
    pub mutual: u64,
    /// Arcs from a node to itself.
    pub self_loops: u64,
}

impl Reciprocity {
    /// Of a graph with its transpose.
    ///
    /// # Panics
    /// If the transpose is of a graph of another size.
    pub fn of(graph: &Csr, transpose: &Csr) -> Self {
        assert_eq!(graph.num_nodes(), transpose.num_nodes(), "graph and transpose of one graph");
        let (both, self_loops) = (0..graph.num_nodes() as u32)
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|u| {
                let (to, from) = (graph.successor_slice(u), transpose.successor_slice(u));
                (common(to, from), u64::from(to.binary_search(&u).is_ok()))
            })
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        Reciprocity { arcs: graph.num_arcs() - self_loops, mutual: both - self_loops, self_loops }
    }

    /// Share of arcs with an arc back; `None` without arcs between two nodes.
    pub fn share(&self) -> Option<f64> {
        (self.arcs > 0).then(|| self.mutual as f64 / self.arcs as f64)
    }
}

/// Numbers that two ascending lists share.
pub(crate) fn common<'a>(mut a: &'a [u32], mut b: &'a [u32]) -> u64 {
    if a.len() > b.len() {
        (a, b) = (b, a);
    }
    if a.len() * 16 < b.len() {
        return a.iter().filter(|x| b.binary_search(x).is_ok()).count() as u64;
    }
    let mut count = 0;
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        match x.cmp(y) {
            Ordering::Less => a = &a[1..],
            Ordering::Greater => b = &b[1..],
            Ordering::Equal => {
                (a, b) = (&a[1..], &b[1..]);
                count += 1;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn mutual_arcs_are_counted(graph in graphs(12, 100)) {
            let found = Reciprocity::of(&graph, &graph.transpose());
            let has = |u: u32, v: u32| graph.successor_slice(u).contains(&v);
            let mutual = graph.arcs().filter(|&(u, v, _)| u != v && has(v, u)).count() as u64;
            let loops = graph.arcs().filter(|(u, v, _)| u == v).count() as u64;
            prop_assert_eq!(found, Reciprocity { arcs: graph.num_arcs() - loops, mutual, self_loops: loops });
        }
    }

    #[test]
    fn lists_of_very_unlike_length() {
        let long: Vec<u32> = (0..1000).map(|x| 3 * x).collect();
        assert_eq!((common(&[3, 4, 2997], &long), common(&long, &[0, 1]), common(&[], &long)), (2, 1, 0));
    }

    #[test]
    fn no_share_without_arcs() {
        let empty = Csr::from_arcs(0, []).unwrap();
        assert_eq!(Reciprocity::of(&empty, &empty).share(), None);
    }
}
