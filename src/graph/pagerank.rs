//! PageRank.
//!
//! **Definition.** With N nodes, damping d, teleport vector v (sum 1; uniform unless personalised) and P the
//! matrix of transition probabilities (arc weight / weight of all arcs of the source; rows of nodes without
//! arcs, the *dangling* ones, are replaced by a vector u), the PageRank x is the solution with sum 1 of
//!
//! x = (1 − d) v + d Pᵀ x.
//!
//! With u = v (*strongly preferential*, the default), with u uniform (*weakly preferential*), or without
//! replacement, the rank that flows into dangling nodes then being lost. The classical scale of the
//! literature, PR(A) = (1 − d) + d Σ PR(T)/C(T), is N x.
//!
//! **Algorithm.** With a the indicator of dangling nodes and P₀ having zero rows for them, x is the dominant
//! eigenvector of (1 − d) v 1ᵀ + d u aᵀ + d P₀ᵀ. It is found by block Gauss–Seidel sweeps y ← (1 − d) Y v + d D
//! u + d P₀ᵀ y, where Y and D are the sums of y and of its dangling part after the sweep before. Strips of nodes
//! are swept in parallel, chunk by chunk, each chunk reading the newest values of its own nodes and of all chunks
//! before it in its own strip and in the others. The sum of y is left
//! to itself, since holding it at 1 would be the slowest thing to converge where much rank dangles. The rank
//! that a node gives itself is solved for exactly. Neighbours on the Web are neighbours in the numbering, so
//! most arcs stay in a chunk. Ranks are pulled over the transpose: contributions rank/outdegree are precomputed,
//! so that an arc costs one read.
//!
//! **Cost.** A sweep reads 12 bytes an arc and some 72 a node; the vectors take 48 bytes a node beside the
//! graph and its transpose.
//!
//! **Determinism.** Strips and chunks depend on the graph alone, and partial sums are added in their order:
//! the same bytes on any number of threads.
//!
//! **Stopping rule.** Let Δ be the change of a sweep that began with the sum Y₀ and ended with Y. Each value was
//! computed from values at most one sweep old, so y misses y = (1 − d) Y₀ v + d Pᵀ y by at most d‖Δ‖₁, hence x =
//! y / Y its equation by at most (d‖Δ‖₁ + (1 − d)|Y − Y₀|) / Y, and ‖x − x*‖₁ is at most 1/(1 − d) times that.
//! (With Y = Y₀ = 1 this is the known bound d/(1 − d) ‖Δ‖₁, which holds where dangling rank is lost.) Sweeps stop
//! when the bound is within the tolerance; it is returned.
//!
//! **Reference.** G. M. Del Corso, A. Gullì, F. Romani, Fast PageRank computation via a sparse linear system,
//! *Internet Mathematics* 2 (2005), doi:10.1080/15427951.2005.10129108. P. Boldi, M. Santini, S. Vigna,
//! PageRank: functional dependencies, *ACM TOIS* 27 (2009), doi:10.1145/1629096.1629097.

use super::csr::{Csr, Graph, Weights};
use super::sweep::{Plain, Pull, Sweeps, Weighted, sum};
use crate::error::{Error, Result};
use rayon::prelude::*;

/// What becomes of the rank that flows into nodes without successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dangling {
    /// Follows the teleport vector.
    #[default]
    Teleport,
    /// Spread uniformly, whatever the teleport vector.
    Uniform,
    /// Lost: the ranks sum to less than 1 where there are such nodes.
    Lost,
}

/// Which sum the ranks have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// A probability distribution: sum 1.
    #[default]
    Probability,
    /// The literature's PR(A) = (1 − d) + d Σ PR(T)/C(T): sum N.
    Classical,
}

/// A PageRank computation: set what differs from the defaults, then [`run`](Self::run).
///
/// # Examples
/// ```
/// # use webmill::graph::{Csr, PageRank, Scale};
/// let graph = Csr::from_arcs(3, [(0, 1), (0, 2), (1, 2), (2, 0)])?;
/// let ranks = PageRank { damping: 0.5, scale: Scale::Classical, ..PageRank::default() }.run(&graph, &graph.transpose())?;
/// assert!((ranks.scores[0] - 14.0 / 13.0).abs() < 1e-10);
/// # Ok::<(), webmill::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PageRank<'a> {
    /// Damping d, in [0, 1). Default 0.85.
    pub damping: f64,
    /// Greatest L1 distance to the true ranks, on the scale with sum 1. Default 1e-10.
    pub tolerance: f64,
    /// Sweeps after which to stop, whatever the bound. Default 1000.
    pub max_iterations: usize,
    /// Scale of the scores.
    pub scale: Scale,
    /// Rank of dangling nodes.
    pub dangling: Dangling,
    /// Teleport vector, not negative; need not be normalised. Default uniform.
    pub teleport: Option<&'a [f64]>,
    /// Scores to start from (of an earlier run, any scale). Default the teleport vector.
    pub start: Option<&'a [f64]>,
    /// Memory that the vectors may take. Default no limit.
    pub memory_bytes: Option<u64>,
    /// Follow arcs in proportion to their weights, where there are any. Default true.
    pub weighted: bool,
}

impl Default for PageRank<'_> {
    fn default() -> Self {
        PageRank {
            damping: 0.85,
            tolerance: 1e-10,
            max_iterations: 1000,
            scale: Scale::default(),
            dangling: Dangling::default(),
            teleport: None,
            start: None,
            memory_bytes: None,
            weighted: true,
        }
    }
}

/// Ranks and how good they are.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// One score a node.
    pub scores: Vec<f64>,
    /// Sweeps over the graph.
    pub iterations: usize,
    /// Proven bound of the L1 distance to the true ranks, on the scale with sum 1.
    pub error_bound: f64,
    /// Is the bound within the tolerance?
    pub converged: bool,
}

/// Bytes that a run on `nodes` nodes takes beside the graph and its transpose.
pub fn memory_estimate(nodes: usize) -> u64 {
    48 * nodes as u64
}

impl PageRank<'_> {
    /// Ranks the nodes of `graph`, whose transpose is `transpose`.
    ///
    /// # Errors
    /// [`Error::Config`] for settings outside their range, vectors of another length or with values that are
    /// negative, infinite or not numbers, or graphs that are not of one size; [`Error::Limit`] with the
    /// estimate if the vectors do not fit the memory allowed.
    pub fn run(&self, graph: &Csr, transpose: &Csr) -> Result<Ranks> {
        self.check(graph, transpose)?;
        let n = graph.num_nodes();
        if n == 0 {
            return Ok(Ranks { scores: Vec::new(), iterations: 0, error_bound: 0.0, converged: true });
        }
        let targets = transpose.targets();
        Ok(match transpose.weights().filter(|_| self.weighted) {
            None => self.solve(graph, transpose, &Plain(targets)),
            Some(Weights::Counts(weights)) => self.solve(graph, transpose, &Weighted(targets, weights)),
            Some(Weights::Reals(weights)) => self.solve(graph, transpose, &Weighted(targets, weights)),
        })
    }

    pub(super) fn check(&self, graph: &Csr, transpose: &Csr) -> Result<()> {
        let wrong = |what: String| Err(Error::Config(what));
        let n = graph.num_nodes();
        if !(0.0..1.0).contains(&self.damping) {
            return wrong(format!("damping {} is not in [0, 1)", self.damping));
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return wrong(format!("tolerance {} is not a positive number", self.tolerance));
        }
        if transpose.num_nodes() != n || transpose.num_arcs() != graph.num_arcs() {
            return wrong("the transpose is of another graph".into());
        }
        if graph.weights().is_some() != transpose.weights().is_some() {
            return wrong("either the graph or its transpose has no weights".into());
        }
        if let Some(allowed) = self.memory_bytes
            && memory_estimate(n) > allowed
        {
            let mib = memory_estimate(n).div_ceil(1 << 20);
            return Err(Error::Limit(format!(
                "ranking {n} nodes takes {mib} MiB beside the graph, more than the {} MiB allowed: raise the memory, \
                 or rank hosts or domains",
                allowed >> 20
            )));
        }
        for (name, vector) in [("teleport", self.teleport), ("start", self.start)] {
            let Some(vector) = vector else { continue };
            if vector.len() != n {
                return wrong(format!("the {name} vector has {} entries for {n} nodes", vector.len()));
            }
            if let Some(node) = vector.iter().position(|x| !x.is_finite() || *x < 0.0) {
                return wrong(format!("the {name} vector has {} at node {node}", vector[node]));
            }
            let sum = sum(vector.iter().copied());
            if n > 0 && !(sum > 0.0 && sum.is_finite()) {
                return wrong(format!("the {name} vector has the sum {sum}"));
            }
        }
        Ok(())
    }

    /// What solves a node's own equation for the rank that it gives itself; empty if no node links to itself.
    fn relaxation(&self, graph: &Csr, share: &[f64]) -> Vec<f64> {
        let weights = graph.weights().filter(|_| self.weighted);
        let stay = |u: usize| match graph.successor_slice(u as u32).binary_search(&(u as u32)) {
            Ok(i) => share[u] * weights.map_or(1.0, |w| w.get(graph.arcs_of(u as u32).start + i)),
            Err(_) => 0.0,
        };
        let stay: Vec<f64> = (0..share.len()).into_par_iter().map(stay).collect();
        if stay.iter().all(|&p| p == 0.0) {
            return Vec::new();
        }
        stay.into_iter().map(|p| 1.0 / (1.0 - self.damping * p)).collect()
    }

    fn solve(&self, graph: &Csr, transpose: &Csr, arcs: &impl Pull) -> Ranks {
        let (n, d) = (graph.num_nodes(), self.damping);
        let weights = graph.weights().filter(|_| self.weighted);
        let share: Vec<f64> = (0..n as u32)
            .into_par_iter()
            .map(|u| {
                let out = match weights {
                    None => graph.outdegree(u) as f64,
                    Some(weights) => graph.arcs_of(u).map(|arc| weights.get(arc)).sum(),
                };
                if out > 0.0 { 1.0 / out } else { 0.0 }
            })
            .collect();
        let uniform = 1.0 / n as f64;
        let teleport = self.teleport.map(|v| (v, 1.0 / sum(v.iter().copied())));
        let mut x: Vec<f64> = match self.start.or(self.teleport) {
            Some(start) => {
                let total = sum(start.iter().copied());
                start.iter().map(|x| x / total).collect()
            }
            None => vec![uniform; n],
        };
        let mut mass = dangling_mass(&x, &share);
        if self.dangling == Dangling::Lost {
            // The scale on which what comes in is what there is.
            let scale = (1.0 - d) / (1.0 - d + d * mass);
            x.iter_mut().for_each(|x| *x *= scale);
        }
        let relax = self.relaxation(graph, &share);
        let mut sweeps = Sweeps::new(transpose.offsets(), &share, &relax, &x);
        let (mut iterations, mut error_bound) = (0, f64::INFINITY);
        let mut total = 1.0;
        while iterations < self.max_iterations && error_bound > self.tolerance {
            // What each node gets of the teleport vector, and what each gets beside that.
            let (preferred, even) = match self.dangling {
                Dangling::Teleport => ((1.0 - d) * total + d * mass, 0.0),
                Dangling::Uniform => ((1.0 - d) * total, d * mass * uniform),
                Dangling::Lost => (1.0 - d, 0.0),
            };
            let swept = match teleport {
                None => sweeps.sweep(arcs, &mut x, d, |_| preferred * uniform + even),
                Some((v, scale)) => sweeps.sweep(arcs, &mut x, d, |u| v[u] * scale * preferred + even),
            };
            iterations += 1;
            error_bound = match self.dangling {
                Dangling::Lost => d * swept.change / (1.0 - d),
                Dangling::Teleport | Dangling::Uniform => {
                    let drift = (1.0 - d) * (swept.total - total).abs();
                    (d * swept.change + drift) / ((1.0 - d) * swept.total)
                }
            };
            (total, mass) = (swept.total, swept.dangling);
        }
        let total = match self.dangling {
            Dangling::Lost => 1.0,
            Dangling::Teleport | Dangling::Uniform => sum(x.iter().copied()),
        };
        let unit = match self.scale {
            Scale::Probability => 1.0,
            Scale::Classical => n as f64,
        };
        x.iter_mut().for_each(|x| *x *= unit / total);
        Ranks { scores: x, iterations, error_bound, converged: error_bound <= self.tolerance }
    }
}

/// Rank in nodes without successors.
fn dangling_mass(x: &[f64], share: &[f64]) -> f64 {
    sum(x.iter().zip(share).filter(|(_, share)| **share == 0.0).map(|(x, _)| *x))
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    fn ranks(settings: PageRank, graph: &Csr) -> Vec<f64> {
        let ranks = settings.run(graph, &graph.transpose()).unwrap();
        assert!(ranks.converged, "{} iterations, bound {}", ranks.iterations, ranks.error_bound);
        ranks.scores
    }

    fn exact<'a>() -> PageRank<'a> {
        PageRank { tolerance: 1e-13, ..PageRank::default() }
    }

    #[track_caller]
    fn close(found: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(found.len(), expected.len());
        for (node, (f, e)) in found.iter().zip(expected).enumerate() {
            assert!((f - e).abs() <= tolerance, "node {node}: {f} is not {e}\n{found:?}\n{expected:?}");
        }
    }

    #[test]
    fn vectors_of_the_literature() {
        let graph = Csr::from_arcs(3, [(0, 1), (0, 2), (1, 2), (2, 0)]).unwrap();
        let classical = PageRank { scale: Scale::Classical, ..exact() };
        let half = ranks(PageRank { damping: 0.5, ..classical.clone() }, &graph);
        close(&half, &[14.0 / 13.0, 10.0 / 13.0, 15.0 / 13.0], 1e-12);
        close(&ranks(classical, &graph), &[1.16337, 0.64443, 1.19220], 5e-6);
    }

    #[test]
    fn closed_forms() {
        let d = 0.85;
        // Clique and cycle: all alike. (In a cycle the ranks of one sweep depend on the order of nodes.)
        for n in [2u32, 3, 50] {
            let clique =
                Csr::from_arcs(n as usize, (0..n * n).map(|i| (i / n, i % n)).filter(|(u, v)| u != v))
                    .unwrap();
            let cycle = Csr::from_arcs(n as usize, (0..n).map(|u| (u, (u + 1) % n))).unwrap();
            let uniform = vec![1.0 / f64::from(n); n as usize];
            close(&ranks(exact(), &clique), &uniform, 1e-13);
            close(&ranks(exact(), &cycle), &uniform, 1e-13);
        }
        // Star: k leaves point to the centre, which dangles. With dangling rank c spread over all k + 1
        // nodes, a leaf has a = (1 − d + d c)/(k + 1), the centre c = a + d k a, and k a + c = 1.
        let k = 7.0;
        let star = Csr::from_arcs(8, (1..8).map(|leaf| (leaf, 0))).unwrap();
        let leaf = 1.0 / (k + 1.0 + d * k);
        let mut expected = vec![leaf; 8];
        expected[0] = leaf * (1.0 + d * k);
        close(&ranks(exact(), &star), &expected, 1e-13);
        // Clique of k and a path of p that its last node enters: no dangling rank on the classical scale
        // without redistribution, so each node of the path has (1 − d) + d × the one before.
        let (k, p) = (5u32, 6u32);
        let arcs = (0..k * k)
            .map(|i| (i / k, i % k))
            .filter(|(u, v)| u != v)
            .chain((k - 1..k + p - 1).map(|u| (u, u + 1)));
        let graph = Csr::from_arcs((k + p) as usize, arcs).unwrap();
        let lost = PageRank { dangling: Dangling::Lost, scale: Scale::Classical, ..exact() };
        let found = ranks(lost, &graph);
        // x for the k − 1 inner nodes, y for the one with the way out: x = 1−d + d((k−2) x/(k−1) + y/k), y =
        // 1−d + d x.
        let kf = f64::from(k);
        let x = (1.0 - d) * (1.0 + d / kf) / (1.0 - d * (kf - 2.0) / (kf - 1.0) - d * d / kf);
        let y = 1.0 - d + d * x;
        let mut expected = vec![x; k as usize - 1];
        expected.push(y);
        let mut last = y / kf;
        for _ in 0..p {
            let rank = 1.0 - d + d * last;
            expected.push(rank);
            last = rank;
        }
        close(&found, &expected, 1e-11);
    }

    /// Solves x = (1 − d) v + d Pᵀ x by Gaussian elimination with pivots.
    fn dense(graph: &Csr, d: f64, teleport: &[f64], dangling: Dangling) -> Vec<f64> {
        let n = graph.num_nodes();
        let total: f64 = teleport.iter().sum();
        let v: Vec<f64> = teleport.iter().map(|x| x / total).collect();
        let mut a = vec![vec![0.0; n + 1]; n];
        for i in 0..n {
            a[i][i] = 1.0;
            a[i][n] = (1.0 - d) * v[i];
        }
        for u in 0..n as u32 {
            let whole: f64 = graph.arcs_of(u).map(|arc| graph.weights().map_or(1.0, |w| w.get(arc))).sum();
            for arc in graph.arcs_of(u).filter(|_| whole > 0.0) {
                a[graph.targets()[arc] as usize][u as usize] -=
                    d * graph.weights().map_or(1.0, |w| w.get(arc)) / whole;
            }
            if whole == 0.0 {
                for (i, row) in a.iter_mut().enumerate() {
                    row[u as usize] -= match dangling {
                        Dangling::Teleport => d * v[i],
                        Dangling::Uniform => d / n as f64,
                        Dangling::Lost => 0.0,
                    };
                }
            }
        }
        for column in 0..n {
            let pivot =
                (column..n).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs())).unwrap();
            a.swap(column, pivot);
            let row = a[column].clone();
            for (i, other) in a.iter_mut().enumerate().filter(|(i, _)| *i != column) {
                let factor = other[column] / row[column];
                for j in column..=n {
                    other[j] -= factor * row[j];
                }
                let _ = i;
            }
        }
        (0..n).map(|i| a[i][n] / a[i][i]).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn equals_a_dense_solve(
            graph in graphs(30, 120), weights in prop::collection::vec(0u8..5, 120), weighted: bool,
            d in 0.0..0.95f64, personal: bool, teleport in prop::collection::vec(0u8..4, 30), mode in 0..3usize,
        ) {
            let n = graph.num_nodes();
            let graph = if weighted {
                let arcs = graph.arcs().zip(weights).map(|((u, v, _), w)| (u, v, f32::from(w)));
                Csr::from_weighted_arcs(n, arcs).unwrap()
            } else { graph };
            let dangling = [Dangling::Teleport, Dangling::Uniform, Dangling::Lost][mode];
            let mut teleport: Vec<f64> = teleport.into_iter().take(n).map(f64::from).collect();
            teleport[0] += 1.0;
            let uniform = vec![1.0; n];
            let v = if personal { &teleport } else { &uniform };
            let settings = PageRank { damping: d, dangling, tolerance: 1e-12, ..PageRank::default() };
            let settings = PageRank { teleport: personal.then_some(&teleport[..]), ..settings };
            let found = settings.run(&graph, &graph.transpose()).unwrap();
            let expected = dense(&graph, d, v, dangling);
            let distance: f64 = found.scores.iter().zip(&expected).map(|(a, b)| (a - b).abs()).sum();
            prop_assert!(found.converged);
            prop_assert!(distance <= found.error_bound + 1e-13, "{distance:e} > {:e}", found.error_bound);
            if dangling != Dangling::Lost {
                prop_assert!((found.scores.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
            // Starting from the result there is nothing left to do.
            let again = PageRank { start: Some(&found.scores), tolerance: 1e-9, ..settings };
            prop_assert!(again.run(&graph, &graph.transpose()).unwrap().iterations <= 1);
        }

        /// The bound holds however early the sweeps stop.
        #[test]
        fn the_bound_is_a_bound(graph in graphs(30, 120), sweeps in 1..12usize, mode in 0..3usize) {
            let dangling = [Dangling::Teleport, Dangling::Uniform, Dangling::Lost][mode];
            let settings = PageRank { dangling, max_iterations: sweeps, tolerance: 0.0, ..PageRank::default() };
            let found = settings.run(&graph, &graph.transpose()).unwrap();
            let expected = dense(&graph, 0.85, &vec![1.0; graph.num_nodes()], dangling);
            let distance: f64 = found.scores.iter().zip(&expected).map(|(a, b)| (a - b).abs()).sum();
            prop_assert!(distance <= found.error_bound + 1e-14, "{distance:e} > {:e}", found.error_bound);
        }
    }

    #[test]
    fn never_nan() {
        // No node, one node, a self-loop, all dangling, only self-loops: all nodes are alike.
        for (n, loops) in [(0, 0), (1, 0), (1, 1), (4, 0), (2, 2)] {
            let graph = Csr::from_arcs(n, (0..loops).map(|u| (u, u))).unwrap();
            close(&ranks(exact(), &graph), &vec![1.0 / n as f64; n], 1e-14);
        }
        // Weights that are all zero make a node dangle.
        let graph = Csr::from_weighted_arcs(2, [(0, 1, 0.0), (1, 0, 0.0)]).unwrap();
        close(&ranks(exact(), &graph), &[0.5; 2], 1e-14);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let graph = Csr::from_arcs(2, [(0, 1)]).unwrap();
        let transpose = graph.transpose();
        let refused = |settings: PageRank| matches!(settings.run(&graph, &transpose), Err(Error::Config(_)));
        for damping in [-0.1, 1.0, f64::NAN] {
            assert!(refused(PageRank { damping, ..exact() }));
        }
        for vector in [&[1.0][..], &[0.0, 0.0], &[1.0, -1.0], &[f64::NAN, 1.0], &[f64::INFINITY, 1.0]] {
            assert!(refused(PageRank { teleport: Some(vector), ..exact() }));
            assert!(refused(PageRank { start: Some(vector), ..exact() }));
        }
        assert!(refused(PageRank { tolerance: f64::NAN, ..exact() }));
        let tight = PageRank { memory_bytes: Some(95), ..exact() };
        assert!(matches!(tight.run(&graph, &transpose), Err(Error::Limit(_))));
        assert!(exact().run(&graph, &Csr::from_arcs(3, [(0, 1)]).unwrap()).is_err());
    }

    #[test]
    fn the_same_bytes_on_any_number_of_threads() {
        let mut x = 7u32;
        let mut next = || {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            x >> 9
        };
        let n = 60_000;
        let graph = Csr::from_arcs(
            n,
            (0..500_000).map(|_| (next() % n as u32, next() % n as u32 / (1 + next() % 50))),
        )
        .unwrap();
        let transpose = graph.transpose();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| PageRank::default().run(&graph, &transpose).unwrap().scores)
        };
        let one = on(1);
        for threads in [2, 3, 8] {
            assert!(
                one.iter().zip(on(threads)).all(|(a, b)| a.to_bits() == b.to_bits()),
                "{threads} threads"
            );
        }
    }
}
