//! SALSA: hubs and authorities by a random walk.
//!
//! **Definition.** A walk on the authorities (nodes with an in-link) goes back over a random in-link, then
//! forward over a random link of the hub it came to, links being chosen in proportion to their weights. The
//! score of an authority is the share of time that the walk spends there if it starts at any authority with
//! equal probability; likewise for hubs. Both sum to 1.
//!
//! **Algorithm.** None but counting: authorities that the walk can join form components, and in a component c
//! of the authorities A the walk stays at v in proportion to its in-weight w: a_v = |A_c|/|A| · w_v / W_c.
//!
//! **Cost.** O(m); 24 bytes a node.
//!
//! **Determinism.** Sums in the order of nodes: the same bytes on any number of threads.
//!
//! **Reference.** R. Lempel, S. Moran, SALSA: the stochastic approach for link-structure analysis, *ACM TOIS*
//! 19 (2001), doi:10.1145/382979.383041.

use super::{Measure, MeasureInfo, MeasureSettings, Measured, Score, Values};
use crate::csr::Csr;
use crate::sets::Sets;
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};

/// A computation: set what differs from the defaults, then [`run`](Self::run).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salsa {
    /// Follow arcs in proportion to their weights, where there are any. Default false.
    pub weighted: bool,
}

/// Scores with sum 1 (or all zero, if the graph has no arcs).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SalsaScores {
    /// Hub score of each node.
    pub hubs: Vec<f64>,
    /// Authority score of each node.
    pub authorities: Vec<f64>,
    /// Component of the walk that each authority is in, named by its least node; other nodes are alone.
    pub component: Vec<u32>,
}

/// Nodes that one task takes.
const CHUNK: usize = 1024;

impl Salsa {
    /// Scores the nodes of `graph`, whose transpose is `transpose`.
    ///
    /// # Errors
    /// [`Error::Config`] if the transpose is of another graph.
    pub fn run(&self, graph: &Csr, transpose: &Csr) -> Result<SalsaScores> {
        let n = graph.num_nodes();
        if transpose.num_nodes() != n || transpose.num_arcs() != graph.num_arcs() {
            return Err(Error::Config("the transpose is of another graph".into()));
        }
        let out = self.weights_of(graph);
        let into = self.weights_of(transpose);
        let weights = graph.weights().filter(|_| self.weighted);
        let counts = |arc: &usize| weights.is_none_or(|w| w.get(*arc) > 0.0);
        let first = |u: u32| graph.arcs_of(u).find(counts).map(|arc| graph.targets()[arc]);
        // What one hub links to is one component.
        let sets = Sets::new(n);
        (0..n as u32).into_par_iter().with_min_len(CHUNK).for_each(|u| {
            if let Some(first) = first(u) {
                graph.arcs_of(u).filter(counts).for_each(|arc| sets.join(first, graph.targets()[arc]));
            }
        });
        let component = sets.into_labels();
        let authorities = spread(&into, |v| Some(component[v as usize]));
        let hubs = spread(&out, |u| first(u).map(|v| component[v as usize]));
        Ok(SalsaScores { hubs, authorities, component })
    }

    /// Weight of all arcs of each node.
    fn weights_of(&self, graph: &Csr) -> Vec<f64> {
        let weights = graph.weights().filter(|_| self.weighted);
        (0..graph.num_nodes() as u32)
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|u| match weights {
                None => graph.outdegree(u) as f64,
                Some(weights) => graph.arcs_of(u).map(|arc| weights.get(arc)).sum(),
            })
            .collect()
    }
}

/// SALSA as a measure.
pub struct BySalsa;

impl Measure for BySalsa {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            name: "salsa",
            about: "SALSA: hubs and authorities by a random walk, sum 1",
            cost: "O(m); 24 bytes a node",
            in_tables: true,
            error_name: "error",
            scores: &[
                Score {
                    name: "salsa-authority",
                    label: "SALSA authority",
                    about: "SALSA authority, sum over the level 1",
                    example: "0.0012",
                    values: Values::Real,
                    compared: true,
                },
                Score {
                    name: "salsa-hub",
                    label: "SALSA hub",
                    about: "SALSA hub, sum over the level 1",
                    example: "0.0004",
                    values: Values::Real,
                    compared: false,
                },
            ],
        }
    }

    fn run(&self, graph: &Csr, transpose: &Csr, with: &MeasureSettings<'_>) -> Result<Measured> {
        let found = Salsa { weighted: with.weighted }.run(graph, transpose)?;
        Ok(Measured { scores: vec![found.authorities, found.hubs], ..Measured::default() })
    }
}

/// Share of the members of a component × share of its weight, for members with weight.
fn spread(weight: &[f64], component: impl Fn(u32) -> Option<u32>) -> Vec<f64> {
    let members = || (0..weight.len() as u32).filter(|&v| weight[v as usize] > 0.0);
    let mut of_component = vec![(0u32, 0.0f64); weight.len()];
    for v in members() {
        if let Some(c) = component(v) {
            let (count, total) = &mut of_component[c as usize];
            *count += 1;
            *total += weight[v as usize];
        }
    }
    let all = members().count() as f64;
    let mut scores = vec![0.0; weight.len()];
    for v in members() {
        if let Some(c) = component(v) {
            let (count, total) = of_component[c as usize];
            scores[v as usize] = f64::from(count) / all * (weight[v as usize] / total);
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::tests::graphs;
    use proptest::prelude::*;

    /// The walk, step by step, on the authorities.
    fn walk(graph: &Csr) -> Vec<f64> {
        let n = graph.num_nodes();
        let arcs: Vec<_> = graph.arcs().filter(|arc| arc.2 > 0.0).collect();
        let (mut out, mut into) = (vec![0.0; n], vec![0.0; n]);
        for &(u, v, w) in &arcs {
            out[u as usize] += w;
            into[v as usize] += w;
        }
        let all = into.iter().filter(|w| **w > 0.0).count() as f64;
        let mut x: Vec<f64> = into.iter().map(|w| if *w > 0.0 { 1.0 / all } else { 0.0 }).collect();
        for _ in 0..20_000 {
            let (mut hubs, mut next) = (vec![0.0; n], vec![0.0; n]);
            for &(u, v, w) in &arcs {
                hubs[u as usize] += x[v as usize] * w / into[v as usize];
            }
            for &(u, v, w) in &arcs {
                next[v as usize] += hubs[u as usize] * w / out[u as usize];
            }
            x = next;
        }
        x
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_walk_ends_there(
            graph in graphs(12, 30), weights in prop::collection::vec(0u8..3, 30), weighted: bool,
        ) {
            let arcs = graph.arcs().zip(weights).map(|((u, v, _), w)| (u, v, f32::from(w)));
            let graph = if weighted {
                Csr::from_weighted_arcs(graph.num_nodes(), arcs).unwrap()
            } else {
                graph.clone()
            };
            let transpose = graph.transpose();
            let found = Salsa { weighted }.run(&graph, &transpose).unwrap();
            let turned = Salsa { weighted }.run(&transpose, &graph).unwrap();
            for (found, graph) in [(&found.authorities, &graph), (&found.hubs, &transpose)] {
                for (a, b) in found.iter().zip(walk(graph)) {
                    prop_assert!((a - b).abs() < 1e-6, "{found:?}");
                }
            }
            for (a, b) in found.hubs.iter().zip(&turned.authorities) {
                prop_assert!((a - b).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn components_weigh_by_their_members() {
        // Hub 0 links to 2, 3, hub 1 to 3, 4; hub 5 to 6 alone: three authorities of four share 3/4.
        let graph = Csr::from_arcs(7, [(0, 2), (0, 3), (1, 3), (1, 4), (5, 6)]).unwrap();
        let scores = Salsa::default().run(&graph, &graph.transpose()).unwrap();
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
        assert!(close(&scores.authorities, &[0.0, 0.0, 0.1875, 0.375, 0.1875, 0.0, 0.25]), "{scores:?}");
        assert!(close(&scores.hubs, &[1.0 / 3.0, 1.0 / 3.0, 0.0, 0.0, 0.0, 1.0 / 3.0, 0.0]), "{scores:?}");
        assert_eq!(scores.component, [0, 1, 2, 2, 2, 5, 6]);
    }

    #[test]
    fn never_nan() {
        for (n, loops) in [(0, 0), (1, 0), (3, 0), (2, 2)] {
            let graph = Csr::from_arcs(n, (0..loops).map(|u| (u, u))).unwrap();
            let scores = Salsa::default().run(&graph, &graph.transpose()).unwrap();
            let total: f64 = scores.authorities.iter().sum();
            assert!(total == f64::from(u8::from(loops > 0)) && scores.hubs.iter().all(|h| h.is_finite()));
        }
        let weightless = Csr::from_weighted_arcs(2, [(0, 1, 0.0)]).unwrap();
        let scores = Salsa { weighted: true }.run(&weightless, &weightless.transpose()).unwrap();
        assert_eq!((scores.hubs, scores.authorities), (vec![0.0; 2], vec![0.0; 2]));
    }
}
