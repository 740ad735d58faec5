//! Who links to whom: degree assortativity, links within and across hosts.
//!
//! **Definition.** *Assortativity* is Pearson's correlation, over all arcs, between a degree of the source and a degree of
//! the target: out- and in-degree of each make four. It does not exist where one of the two is the same on all arcs.
//!
//! **Cost.** O(m); no memory to speak of.
//!
//! **Determinism.** Whole numbers are added (deviations from the rounded mean, in 128 bits), so the order does
//! not matter and nothing is lost before the last division.
//!
//! **Reference.** J. G. Foster et al., Edge direction and the structure of networks, *PNAS* 107 (2010),
//! doi:10.1073/pnas.0912671107.

use super::csr::Csr;
use super::sweep::sum;
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};

/// Nodes that one task takes.
const CHUNK: usize = 4096;

/// Correlations of degrees over arcs; the first word is the source's degree, the second the target's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Assortativity {
    /// In-degree of the source, in-degree of the target.
    pub in_in: Option<f64>,
    /// In-degree of the source, out-degree of the target.
    pub in_out: Option<f64>,
    /// Out-degree of the source, in-degree of the target.
    pub out_in: Option<f64>,
    /// Out-degree of the source, out-degree of the target.
    pub out_out: Option<f64>,
}

impl Assortativity {
    /// Of a graph with its transpose.
    ///
    /// # Panics
    /// If the transpose is of a graph of another size.
    pub fn of(graph: &Csr, transpose: &Csr) -> Self {
        assert_eq!(graph.num_nodes(), transpose.num_nodes(), "graph and transpose of one graph");
        if graph.num_arcs() == 0 {
            return Assortativity::default();
        }
        let degrees = |u: u32| [transpose.outdegree(u) as i64, graph.outdegree(u) as i64];
        // A node is a source once for each successor and a target once for each predecessor.
        let nodes = (0..graph.num_nodes() as u32).into_par_iter().with_min_len(CHUNK);
        let totals = nodes
            .map(|u| {
                let [i, o] = degrees(u).map(i128::from);
                [i * o, o * o, i * i, o * i] // in and out of sources, in and out of targets
            })
            .reduce(|| [0; 4], |a, b| std::array::from_fn(|k| a[k] + b[k]));
        let arcs = i128::from(graph.num_arcs());
        let middle = totals.map(|total| ((total + arcs / 2) / arcs) as i64);
        let moments = (0..graph.num_nodes() as u32)
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|u| {
                let [i, o] = degrees(u);
                let source = [i - middle[0], o - middle[1]].map(i128::from);
                let mut near = [0i128; 4]; // sums and squares of the targets
                for &v in graph.successor_slice(u) {
                    let [i, o] = degrees(v);
                    let target = [i - middle[2], o - middle[3]].map(i128::from);
                    near = [
                        near[0] + target[0],
                        near[1] + target[1],
                        near[2] + target[0] * target[0],
                        near[3] + target[1] * target[1],
                    ];
                }
                let times = i128::from(o);
                Moments {
                    sums: [source[0] * times, source[1] * times, near[0], near[1]],
                    squares: [source[0].pow(2) * times, source[1].pow(2) * times, near[2], near[3]],
                    products: [
                        source[0] * near[0],
                        source[0] * near[1],
                        source[1] * near[0],
                        source[1] * near[1],
                    ],
                }
            })
            .reduce(Moments::default, Moments::plus);
        let correlation = |source: usize, target: usize| {
            let m = arcs as f64;
            let (a, b) = (source, 2 + target);
            let sums = moments.sums.map(|s| s as f64 / m);
            let variance = |k: usize| moments.squares[k] as f64 / m - sums[k] * sums[k];
            // By whole numbers, because rounding may leave a little of no variance at all.
            let constant = |k: usize| {
                moments.squares[k]
                    .checked_mul(arcs)
                    .zip(moments.sums[k].checked_mul(moments.sums[k]))
                    .map_or(variance(k) <= 0.0, |(squares, square)| squares == square)
            };
            if constant(a) || constant(b) {
                return None;
            }
            let covariance = moments.products[2 * source + target] as f64 / m - sums[a] * sums[b];
            Some((covariance / variance(a).sqrt() / variance(b).sqrt()).clamp(-1.0, 1.0))
        };
        Assortativity {
            in_in: correlation(0, 0),
            in_out: correlation(0, 1),
            out_in: correlation(1, 0),
            out_out: correlation(1, 1),
        }
    }
}

/// Sums over arcs of deviations from the middle: in- and out-degree of sources, of targets.
#[derive(Clone, Copy, Default)]
struct Moments {
    sums: [i128; 4],
    squares: [i128; 4],
    products: [i128; 4],
}

impl Moments {
    fn plus(self, other: Self) -> Self {
        let add = |a: [i128; 4], b: [i128; 4]| std::array::from_fn(|k| a[k] + b[k]);
        Moments {
            sums: add(self.sums, other.sums),
            squares: add(self.squares, other.squares),
            products: add(self.products, other.products),
        }
    }
}

/// Arcs inside groups of nodes (hosts or domains) and between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GroupLinks {
    /// Arcs whose ends are in one group.
    pub within: u64,
    /// Arcs whose ends are in two groups.
    pub across: u64,
    /// Weight of the arcs in one group (their number, where there are no weights).
    pub weight_within: f64,
    /// Weight of the arcs between two groups.
    pub weight_across: f64,
}

impl GroupLinks {
    /// Of a graph whose nodes have these groups.
    ///
    /// # Errors
    /// [`Error::Config`] if there are not as many groups given as nodes.
    pub fn of(graph: &Csr, group_of: &[u32]) -> Result<Self> {
        let n = graph.num_nodes();
        if group_of.len() != n {
            return Err(Error::Config(format!("{} groups given for {n} nodes", group_of.len())));
        }
        let parts: Vec<[f64; 2]> = group_of
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, groups)| {
                let mut weights = [0.0; 2];
                for (i, group) in groups.iter().enumerate() {
                    for arc in graph.arcs_of((chunk * CHUNK + i) as u32) {
                        let across = group_of[graph.targets()[arc] as usize] != *group;
                        weights[usize::from(across)] += graph.weights().map_or(1.0, |w| w.get(arc));
                    }
                }
                weights
            })
            .collect();
        let within: u64 = (0..n as u32)
            .into_par_iter()
            .with_min_len(CHUNK)
            .map(|u| {
                let own = group_of[u as usize];
                graph.successor_slice(u).iter().filter(|&&v| group_of[v as usize] == own).count() as u64
            })
            .sum();
        Ok(GroupLinks {
            within,
            across: graph.num_arcs() - within,
            weight_within: sum(parts.iter().map(|p| p[0])),
            weight_across: sum(parts.iter().map(|p| p[1])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    /// Pearson's correlation in two plain passes.
    fn pearson(pairs: &[(f64, f64)]) -> Option<f64> {
        let n = pairs.len() as f64;
        let (a, b) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
        let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
        for (x, y) in pairs {
            ab += (x - a) * (y - b);
            aa += (x - a) * (x - a);
            bb += (y - b) * (y - b);
        }
        (aa > 1e-9 && bb > 1e-9).then(|| ab / (aa * bb).sqrt())
    }

    proptest! {
        #[test]
        fn correlations_are_pearsons(graph in graphs(20, 80)) {
            let transpose = graph.transpose();
            let found = Assortativity::of(&graph, &transpose);
            let (i, o) = (|u: u32| transpose.outdegree(u) as f64, |u: u32| graph.outdegree(u) as f64);
            let arcs: Vec<(u32, u32)> = graph.arcs().map(|(u, v, _)| (u, v)).collect();
            for (found, pairs) in [
                (found.in_in, arcs.iter().map(|&(u, v)| (i(u), i(v))).collect::<Vec<_>>()),
                (found.in_out, arcs.iter().map(|&(u, v)| (i(u), o(v))).collect()),
                (found.out_in, arcs.iter().map(|&(u, v)| (o(u), i(v))).collect()),
                (found.out_out, arcs.iter().map(|&(u, v)| (o(u), o(v))).collect()),
            ] {
                match (found, pearson(&pairs)) {
                    (Some(found), Some(expected)) => prop_assert!((found - expected).abs() < 1e-10),
                    (found, expected) => prop_assert_eq!(found, expected),
                }
            }
        }
    }

    #[test]
    fn hosts_and_graphs_without_arcs() {
        let graph = Csr::from_weighted_arcs(4, [(0, 1, 2.0), (1, 2, 3.0), (2, 3, 0.5), (3, 3, 1.0)]).unwrap();
        let links = GroupLinks::of(&graph, &[7, 7, 9, 9]).unwrap();
        let expected = GroupLinks { within: 3, across: 1, weight_within: 3.5, weight_across: 3.0 };
        assert_eq!(links, expected);
        assert!(GroupLinks::of(&graph, &[1]).is_err());
        let empty = Csr::from_arcs(0, []).unwrap();
        assert_eq!(Assortativity::of(&empty, &empty), Assortativity::default());
        assert_eq!(GroupLinks::of(&empty, &[]).unwrap(), GroupLinks::default());
        // In a cycle all degrees are alike: no correlation exists. In a star it is as strong as can be.
        let cycle = Csr::from_arcs(3, [(0, 1), (1, 2), (2, 0)]).unwrap();
        assert_eq!(Assortativity::of(&cycle, &cycle.transpose()), Assortativity::default());
    }
}
