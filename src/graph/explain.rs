//! Where a page's PageRank comes from.
//!
//! **Definition.** The equation of PageRank at one node, term by term:
//!
//! x_v = (1 − d) t_v + d D u_v + Σ_{u→v} d x_u w_uv / W_u,
//!
//! with t the teleport vector, D the rank in dangling nodes, u where it goes, w_uv the weight of an arc and W_u
//! that of all arcs of its source. The terms are *teleport*, *dangling* and one for each in-link, a node's link
//! to itself among them; they are on the scale of the scores.
//!
//! **Cost.** O(n) for the rank in dangling nodes, O(k) memory for the k in-links.
//!
//! **Error.** The terms add up to the score but for what the iteration left: at most twice the run's bound (on
//! the scale with sum 1). That remainder is returned.

use super::csr::Csr;
use super::sweep::sum;
use super::{Dangling, PageRank, Scale};
use webmill_capture::error::{Error, Result};

/// What one in-link gives.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Contribution {
    /// Node that links.
    pub source: u32,
    /// PageRank of the source.
    pub score: f64,
    /// Share of its score that it passes over this link, before damping.
    pub share: f64,
    /// What arrives: damping × score × share.
    pub amount: f64,
}

/// A score, taken apart.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// Number of the node that is explained.
    pub node: u32,
    /// PageRank of the node: the sum of all parts below.
    pub score: f64,
    /// What teleporting gives.
    pub teleport: f64,
    /// What nodes without successors give.
    pub dangling: f64,
    /// The strongest in-links, strongest first, ties by source.
    pub links: Vec<Contribution>,
    /// How many in-links there are.
    pub num_links: usize,
    /// What the in-links that are not listed give together.
    pub other_links: f64,
    /// Score less all of these: what the iteration left.
    pub remainder: f64,
}

impl PageRank<'_> {
    /// Takes the score of `node` apart, which a run with these settings gave, and lists the `strongest` of its in-links,
    /// which are given as [`Csr::in_links`] finds them. Their weights count only where these settings count weights.
    ///
    /// # Errors
    /// [`Error::Config`] if there is no such node or there are not as many scores, or entries of the teleport vector, as
    /// nodes.
    pub fn explain(
        &self,
        graph: &Csr,
        in_links: &[(u32, f64)],
        scores: &[f64],
        node: u32,
        strongest: usize,
    ) -> Result<Explanation> {
        let (n, d) = (graph.num_nodes(), self.damping);
        if scores.len() != n || self.teleport.is_some_and(|teleport| teleport.len() != n) {
            return Err(Error::Config(format!("{} scores for {n} nodes", scores.len())));
        }
        let Some(&score) = scores.get(node as usize) else {
            return Err(Error::Config(format!("there is no node {node} among {n}")));
        };
        let weights = graph.weights().filter(|_| self.weighted);
        let out = |u: u32| match weights {
            None => graph.outdegree(u) as f64,
            Some(weights) => graph.arcs_of(u).map(|arc| weights.get(arc)).sum(),
        };
        let mut links: Vec<Contribution> = in_links
            .iter()
            .map(|&(source, weight)| {
                let (whole, weight): (f64, f64) = (out(source), if weights.is_some() { weight } else { 1.0 });
                let share = if whole > 0.0 { weight / whole } else { 0.0 };
                let score = scores[source as usize];
                Contribution { source, score, share, amount: d * score * share }
            })
            .collect();
        links.sort_by(|a, b| b.amount.total_cmp(&a.amount).then(a.source.cmp(&b.source)));
        let num_links = links.len();
        let kept = links.len().min(strongest);
        let other_links = sum(links[kept..].iter().map(|link| link.amount));
        let listed = sum(links[..kept].iter().map(|link| link.amount));
        links.truncate(kept);
        let unit = match self.scale {
            Scale::Probability => 1.0,
            Scale::Classical => n as f64,
        };
        let uniform = 1.0 / n as f64;
        let preferred = self.teleport.map_or(uniform, |v| v[node as usize] / sum(v.iter().copied()));
        let goes = match self.dangling {
            Dangling::Teleport => preferred,
            Dangling::Uniform => uniform,
            Dangling::Lost => 0.0,
        };
        let mass = sum((0..n as u32).filter(|&u| out(u) <= 0.0).map(|u| scores[u as usize]));
        let (teleport, dangling) = ((1.0 - d) * unit * preferred, d * mass * goes);
        let remainder = score - sum([teleport, dangling, listed, other_links]);
        Ok(Explanation { node, score, teleport, dangling, links, num_links, other_links, remainder })
    }
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_terms_add_up(
            graph in graphs(20, 80), weights in prop::collection::vec(0u8..4, 80), weighted: bool, classical: bool,
            personal: bool, teleport in prop::collection::vec(0u8..4, 20), mode in 0..3usize, strongest in 0..5usize,
        ) {
            let n = graph.num_nodes();
            let arcs = graph.arcs().zip(weights).map(|((u, v, _), w)| (u, v, f32::from(w)));
            let graph = if weighted { Csr::from_weighted_arcs(n, arcs).unwrap() } else { graph.clone() };
            let mut teleport: Vec<f64> = teleport.into_iter().take(n).map(f64::from).collect();
            teleport[0] += 1.0;
            let settings = PageRank {
                dangling: [Dangling::Teleport, Dangling::Uniform, Dangling::Lost][mode],
                scale: if classical { Scale::Classical } else { Scale::Probability },
                teleport: personal.then_some(&teleport[..]),
                tolerance: 1e-12,
                ..PageRank::default()
            };
            let transpose = graph.transpose();
            let ranks = settings.run(&graph, &transpose).unwrap();
            let unit = if classical { n as f64 } else { 1.0 };
            for node in 0..n as u32 {
                let e = settings.explain(&graph, &graph.in_links(node), &ranks.scores, node, strongest).unwrap();
                prop_assert!(e.remainder.abs() <= 2.0 * ranks.error_bound * unit + 1e-14 * unit, "{e:?}");
                prop_assert!(e.links.is_sorted_by(|a, b| a.amount >= b.amount));
                prop_assert_eq!(e.links.len(), strongest.min(e.num_links));
                let listed: f64 = e.links.iter().map(|l| l.amount).sum();
                let whole = e.teleport + e.dangling + listed + e.other_links + e.remainder;
                prop_assert!((whole - e.score).abs() < 1e-13 * unit);
            }
        }
    }

    #[test]
    fn a_score_by_hand() {
        // 0 → 1, 0 → 2, 1 → 2, 2 → 0 with d = 1/2: 14/13, 10/13, 15/13. Node 2 has 1/2 of its own, a quarter of
        // node 0's and half of node 1's.
        let graph = Csr::from_arcs(3, [(0, 1), (0, 2), (1, 2), (2, 0)]).unwrap();
        let settings =
            PageRank { damping: 0.5, scale: Scale::Classical, tolerance: 1e-14, ..PageRank::default() };
        let transpose = graph.transpose();
        let ranks = settings.run(&graph, &transpose).unwrap();
        let e = settings.explain(&graph, &graph.in_links(2), &ranks.scores, 2, 1).unwrap();
        for (found, expected) in [
            (e.score, 15.0 / 13.0),
            (e.teleport, 0.5),
            (e.dangling, 0.0),
            (e.links[0].amount, 5.0 / 13.0),
            (e.links[0].share, 1.0),
            (e.other_links, 3.5 / 13.0),
        ] {
            assert!((found - expected).abs() < 1e-12, "{e:?}");
        }
        assert_eq!((e.links[0].source, e.num_links), (1, 2));
        assert!(settings.explain(&graph, &[], &ranks.scores, 3, 1).is_err());
        assert!(settings.explain(&graph, &[], &[0.0], 0, 1).is_err());
    }
}
