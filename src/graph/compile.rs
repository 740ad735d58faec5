//! Automatic resource compilation (ARC): the best hubs and authorities of a topic, in five steps.
//!
//! **Definition.** On the base graph of two steps around the answers to a query ([`BaseSet::two_steps`]), a link
//! weighs 1 + n(t), where n(t) is how many terms of the query occur within 50 bytes either side of its anchor.
//! Authorities sum the weighted scores of their hubs, hubs those of their authorities; five iterations are
//! enough, since the order of the best settles early. The 15 best of each are the resource list.
//!
//! **Cost.** That of five iterations of [`Hits`] on the base graph.
//!
//! **Reference.** S. Chakrabarti et al., Automatic resource compilation by analyzing hyperlink structure and
//! associated text, *WWW7* (1998), doi:10.1016/S0169-7552(98)00087-7.
//!
//! [`BaseSet::two_steps`]: super::BaseSet::two_steps

use super::Hits;
use super::base_set::Focus;
use super::csr::{Csr, Weights};
use webmill_capture::error::Result;

/// A compilation: set what differs from the defaults, then [`run`](Self::run).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compile {
    /// Iterations. Default 5.
    pub iterations: usize,
    /// Hubs and authorities listed. Default 15.
    pub best: usize,
}

impl Default for Compile {
    fn default() -> Self {
        Compile { iterations: 5, best: 15 }
    }
}

/// A resource list: nodes of the whole graph with their scores, best first.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Resources {
    /// Pages that link to the best authorities.
    pub hubs: Vec<(u32, f64)>,
    /// Pages that the best hubs link to.
    pub authorities: Vec<(u32, f64)>,
}

impl Compile {
    /// The list for a base set, where `terms(source, target)`, asked in nodes of the whole graph, tells how many
    /// terms of the query occur around the anchor of a link.
    ///
    /// # Errors
    /// None but those of [`Hits::run`], which a base set does not cause.
    pub fn run(&self, focus: &Focus, terms: impl Fn(u32, u32) -> u32) -> Result<Resources> {
        let graph = &focus.graph;
        let node = |u: u32| focus.nodes[u as usize];
        let weights: Vec<u32> =
            graph.arcs().map(|(u, v, _)| terms(node(u), node(v)).saturating_add(1)).collect();
        let weighted = Csr::new(
            graph.offsets().to_vec().into(),
            graph.targets().to_vec().into(),
            Some(Weights::Counts(weights.into())),
        )?;
        let hits =
            Hits { max_iterations: self.iterations, tolerance: 0.0, weighted: true, ..Hits::default() };
        let scores = hits.run(&weighted, &weighted.transpose())?;
        let list = |scores: &[f64]| {
            let mut list = focus.best(scores, self.best.min(graph.num_nodes()));
            list.retain(|item| item.1 > 0.0);
            list
        };
        Ok(Resources { hubs: list(&scores.hubs), authorities: list(&scores.authorities) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::base_set::BaseSet;
    use super::*;

    /// 20 hubs, of which each links to the authorities of its number and above.
    fn focus() -> Focus {
        let arcs = (0..20u32).flat_map(|hub| (hub..20).map(move |a| (hub, 100 + a)));
        let graph = Csr::from_arcs(200, arcs).unwrap();
        let answers: Vec<(u32, f64)> = (0..20).map(|hub| (hub, 1.0)).collect();
        BaseSet::two_steps().run(&graph, &graph.transpose(), &answers, None).unwrap()
    }

    #[test]
    fn five_iterations_by_hand() {
        let focus = focus();
        let found = Compile::default().run(&focus, |u, v| u32::from(u + 100 == v) * 2).unwrap();
        let weight = |hub: usize, a: usize| if a < hub { 0.0 } else { 1.0 + 2.0 * f64::from(hub == a) };
        let (mut hubs, mut authorities): (Vec<f64>, Vec<f64>) = (vec![1.0; 20], vec![0.0; 20]);
        for _ in 0..5 {
            authorities = (0..20).map(|a| (0..20).map(|h| weight(h, a) * hubs[h]).sum()).collect();
            hubs = (0..20).map(|h| (0..20).map(|a| weight(h, a) * authorities[a]).sum()).collect();
        }
        let length = authorities.iter().map(|a| a * a).sum::<f64>().sqrt();
        assert_eq!((found.hubs.len(), found.authorities.len()), (15, 15));
        for (node, score) in &found.authorities {
            assert!((score - authorities[*node as usize - 100] / length).abs() < 1e-12, "{found:?}");
        }
        assert_eq!((found.hubs[0].0, found.authorities[0].0), (0, 119));
        // Words around the anchor lift a page above the others.
        let lifted = Compile::default().run(&focus, |_, v| u32::from(v == 105) * 50).unwrap();
        assert_eq!(lifted.authorities[0].0, 105);
    }

    #[test]
    fn nothing_to_list() {
        let graph = Csr::from_arcs(3, []).unwrap();
        let focus = BaseSet::default().run(&graph, &graph, &[(1, 1.0)], None).unwrap();
        assert_eq!(Compile::default().run(&focus, |_, _| 7).unwrap(), Resources::default());
    }
}
