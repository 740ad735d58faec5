//! HITS and its kin: hubs and authorities.
//!
//! **Definition.** An authority is linked from good hubs, a hub links to good authorities: x_p = Σ_{q→p} y_q,
//! y_p = Σ_{p→q} x_q, both of L2 length 1: the principal right and left singular vectors of the adjacency
//! matrix (where the largest singular value is not simple, their projection of the uniform start). Variants:
//! *hub averaging*, a hub's score being the mean of its authorities; *authority threshold*, an authority
//! summing only hubs of at least the mean of its hubs; *hub threshold*, a hub summing only its K best
//! authorities.
//!
//! **Algorithm.** HITS and hub averaging are linear: Lanczos' method on the product of both steps finds what power
//! iteration from the uniform vector tends to, in about the root of its iterations; a few iterations follow, which
//! leave no score below zero. Where the largest singular value is not simple, two equal communities for instance,
//! that is the mixture of both in which the uniform start holds them. The thresholds are not linear: power iteration.
//! Weights of arcs count where that is asked for and there are any.
//!
//! **Cost.** Graph and transpose; 4 bytes an arc read twice an iteration; four vectors of f64, and for Lanczos' method a
//! basis of 4 to 40 more, as many as the memory allowed holds.
//!
//! **Determinism.** Sums over fixed chunks of nodes, added in order: the same bytes on any number of threads, if
//! the memory allowed is the same.
//!
//! **Stopping rule and error.** Of the linear ones, the residual ‖Bx − σ²x‖ / σ², x being the authorities, B the product
//! of both steps, over the relative gap between σ² and its next, an estimate of the distance to the true vector, is
//! within the tolerance; or the residual is what rounding leaves. Singular values nearer to one another than that count
//! as equal. Of the others, the L2 change of the authorities is within the tolerance: that bounds nothing.
//!
//! **Reference.** J. Kleinberg, Authoritative sources in a hyperlinked environment, *JACM* 46 (1999),
//! doi:10.1145/324133.324140. A. Borodin et al., Link analysis ranking, *ACM TOIT* 5 (2005),
//! doi:10.1145/1052934.1052942.

mod jacobi;
mod lanczos;

use super::csr::{Csr, Graph};
use super::sweep::sum;
use lanczos::{BASIS, Limits, Principal, ROUNDING, principal};
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};

/// Which hubs and authorities count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variant {
    /// Kleinberg's: all of them.
    #[default]
    Hits,
    /// A hub's score is the mean of its authorities' scores.
    HubAveraging,
    /// An authority sums only the hubs whose score is at least the mean of its hubs' scores.
    AuthorityThreshold,
    /// A hub sums only its best authorities, that many.
    HubThreshold(usize),
    /// Both thresholds.
    FullThreshold(usize),
}

/// A computation of hubs and authorities: set what differs from the defaults, then [`run`](Self::run).
#[derive(Clone, Debug)]
pub struct Hits {
    /// Which variant.
    pub variant: Variant,
    /// Greatest error: see [`HubsAuthorities::error`]. Default 1e-10.
    pub tolerance: f64,
    /// Iterations after which to stop. Default 10,000.
    pub max_iterations: usize,
    /// Count arcs by their weights, where there are any. Default false.
    pub weighted: bool,
    /// Bytes that all vectors may take; four of them and a basis of four are taken in any case. Default no limit.
    pub memory_bytes: Option<u64>,
}

impl Default for Hits {
    fn default() -> Self {
        Hits {
            variant: Variant::Hits,
            tolerance: 1e-10,
            max_iterations: 10_000,
            weighted: false,
            memory_bytes: None,
        }
    }
}

/// Scores of L2 length 1 (or all zero, if the graph has no arcs).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HubsAuthorities {
    /// Hub score of each node.
    pub hubs: Vec<f64>,
    /// Authority score of each node.
    pub authorities: Vec<f64>,
    /// Iterations done: reads of the graph in both directions.
    pub iterations: usize,
    /// L2 change of the authorities in the last iteration.
    pub change: f64,
    /// Estimate of the L2 distance of the authorities to the true ones: the residual over the gap. Of the variants
    /// with thresholds the change, which bounds nothing.
    pub error: f64,
    /// ‖Bx − σ²x‖ / σ²: what is left of the equations of the authorities x. None with thresholds.
    pub residual: Option<f64>,
    /// 1 − σ₂/σ₁ of the two largest singular values that the start has a part in, at most: the second is found less
    /// exactly, from below. None where one only is seen, and with thresholds. Where it is small, little tells the
    /// principal community from another.
    pub gap: Option<f64>,
    /// Is the error within the tolerance, or the residual what rounding leaves?
    pub converged: bool,
}

/// Nodes whose sums are added together; fixed, so that the order of addition is.
const CHUNK: usize = 4096;
/// Iterations after Lanczos' method.
const POLISH: usize = 4;
/// Scores, of a vector of length 1, that are nothing but rounding.
const NOISE: f64 = 1e-15;

impl Hits {
    /// Scores the nodes of `graph`, whose transpose is `transpose`.
    ///
    /// # Errors
    /// [`Error::Config`] if the transpose is of another graph or the tolerance is negative or not a number.
    pub fn run(&self, graph: &Csr, transpose: &Csr) -> Result<HubsAuthorities> {
        if transpose.num_nodes() != graph.num_nodes() || transpose.num_arcs() != graph.num_arcs() {
            return Err(Error::Config("the transpose is of another graph".into()));
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return Err(Error::Config(format!("tolerance {} is not a positive number", self.tolerance)));
        }
        // On a thread of the pool, which need not be woken at each step.
        Ok(rayon::scope(|_| match self.variant {
            Variant::Hits | Variant::HubAveraging => self.solve(graph, transpose),
            _ => self.iterate(graph, transpose),
        }))
    }

    /// The linear variants.
    fn solve(&self, graph: &Csr, transpose: &Csr) -> HubsAuthorities {
        let n = graph.num_nodes();
        let mut hubs = vec![1.0; n];
        normalise(&mut hubs);
        let mut start = vec![0.0; n];
        self.pull(transpose, &hubs, &mut start, self.authority_rule());
        if start.iter().all(|x| *x == 0.0) {
            hubs.fill(0.0);
            return HubsAuthorities {
                hubs,
                authorities: start,
                iterations: 0,
                change: 0.0,
                error: 0.0,
                residual: Some(0.0),
                gap: None,
                converged: true,
            };
        }
        let fit = self.memory_bytes.map_or(usize::MAX, |bytes| (bytes / (8 * n as u64)) as usize);
        let limits = Limits {
            tolerance: self.tolerance,
            steps: (self.max_iterations - self.polishes()).max(1),
            basis: fit.saturating_sub(4).clamp(*BASIS.start(), *BASIS.end()),
        };
        let found = principal(start, &limits, |from, into| {
            self.pull(graph, from, &mut hubs, self.hub_rule());
            self.pull(transpose, &hubs, into, self.authority_rule());
        });
        self.polish(graph, transpose, found, hubs)
    }

    /// Iterations after Lanczos' method, within those allowed.
    fn polishes(&self) -> usize {
        POLISH.min(self.max_iterations.saturating_sub(1))
    }

    /// Iterates from what was found, without what is only rounding, and measures what is left.
    fn polish(&self, graph: &Csr, transpose: &Csr, found: Principal, mut hubs: Vec<f64>) -> HubsAuthorities {
        let mut authorities = found.vector;
        authorities.par_iter_mut().for_each(|x| *x = if *x > NOISE { *x } else { 0.0 });
        normalise(&mut authorities);
        let mut next = vec![0.0; authorities.len()];
        let (mut change, mut residual) = (0.0, 0.0);
        let polishes = self.polishes();
        for step in 0..=polishes {
            self.pull(graph, &authorities, &mut hubs, self.hub_rule());
            self.pull(transpose, &hubs, &mut next, self.authority_rule());
            if step == polishes {
                let value = total(&next, &authorities, |b, a| a * b);
                let left = total(&next, &authorities, |b, a| (b - value * a) * (b - value * a)).sqrt();
                residual = if value > 0.0 { left / value } else { 0.0 };
                break;
            }
            normalise(&mut next);
            change = total(&next, &authorities, |a, b| (a - b) * (a - b)).sqrt();
            std::mem::swap(&mut next, &mut authorities);
        }
        normalise(&mut hubs);
        let settled = residual <= 10.0 * ROUNDING;
        // Without a second value there is one only, or too few steps were made to see it.
        let gap = found.gap.unwrap_or(if settled { 1.0 } else { 0.0 });
        let error = (residual / gap.max(residual).max(f64::MIN_POSITIVE)).min(1.0);
        HubsAuthorities {
            hubs,
            authorities,
            iterations: found.steps + polishes,
            change,
            error,
            residual: Some(residual),
            gap: found.ratio.map(|ratio| 1.0 - ratio.sqrt()),
            converged: error <= self.tolerance || settled,
        }
    }

    /// The variants with thresholds.
    fn iterate(&self, graph: &Csr, transpose: &Csr) -> HubsAuthorities {
        let n = graph.num_nodes();
        let mut hubs = vec![1.0; n];
        let mut authorities = vec![0.0; n];
        let mut next = vec![0.0; n];
        normalise(&mut hubs);
        let (mut iterations, mut change) = (0, f64::INFINITY);
        while iterations < self.max_iterations && change > self.tolerance {
            self.pull(transpose, &hubs, &mut next, self.authority_rule());
            normalise(&mut next);
            change = total(&next, &authorities, |a, b| (a - b) * (a - b)).sqrt();
            std::mem::swap(&mut next, &mut authorities);
            self.pull(graph, &authorities, &mut hubs, self.hub_rule());
            normalise(&mut hubs);
            iterations += 1;
        }
        let converged = change <= self.tolerance;
        HubsAuthorities {
            hubs,
            authorities,
            iterations,
            change,
            error: change,
            residual: None,
            gap: None,
            converged,
        }
    }

    fn authority_rule(&self) -> Rule {
        match self.variant {
            Variant::AuthorityThreshold | Variant::FullThreshold(_) => Rule::AtLeastMean,
            Variant::Hits | Variant::HubAveraging | Variant::HubThreshold(_) => Rule::Sum,
        }
    }

    fn hub_rule(&self) -> Rule {
        match self.variant {
            Variant::HubAveraging => Rule::Mean,
            Variant::HubThreshold(k) | Variant::FullThreshold(k) => Rule::Best(k),
            Variant::Hits | Variant::AuthorityThreshold => Rule::Sum,
        }
    }

    /// into[u] = the rule over from[v], v the successors of u.
    fn pull(&self, graph: &Csr, from: &[f64], into: &mut [f64], rule: Rule) {
        let weights = graph.weights().filter(|_| self.weighted);
        let targets = graph.targets();
        into.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, into)| {
            let mut terms: Vec<f64> = Vec::new();
            for (i, into) in into.iter_mut().enumerate() {
                let arcs = graph.arcs_of((chunk * CHUNK + i) as u32);
                if let (Rule::Sum, None) = (rule, weights) {
                    // An empty sum of floats is -0.
                    *into = targets[arcs].iter().map(|&v| from[v as usize]).sum::<f64>() + 0.0;
                    continue;
                }
                let weight = |arc: usize| weights.map_or(1.0, |w| w.get(arc));
                let term = |arc: usize| weight(arc) * from[targets[arc] as usize];
                *into = match rule {
                    Rule::Sum => arcs.map(term).sum::<f64>() + 0.0,
                    Rule::Mean => {
                        let whole: f64 = arcs.clone().map(weight).sum();
                        if whole > 0.0 { arcs.map(term).sum::<f64>() / whole } else { 0.0 }
                    }
                    Rule::AtLeastMean => {
                        let mean =
                            arcs.clone().map(|a| from[targets[a] as usize]).sum::<f64>() / arcs.len() as f64;
                        // The mean of equal scores may round up past them.
                        let least = mean * (1.0 - 1e-12);
                        arcs.filter(|&a| from[targets[a] as usize] >= least).map(term).sum()
                    }
                    Rule::Best(k) => {
                        terms.clear();
                        terms.extend(arcs.map(term));
                        if k < terms.len() {
                            terms.select_nth_unstable_by(k, |a, b| b.total_cmp(a));
                            terms.truncate(k);
                            terms.sort_unstable_by(f64::total_cmp); // one order of addition
                        }
                        terms.iter().sum()
                    }
                };
            }
        });
    }
}

#[derive(Clone, Copy)]
enum Rule {
    Sum,
    Mean,
    AtLeastMean,
    Best(usize),
}

/// The sum of a function of two vectors' entries.
fn total(a: &[f64], b: &[f64], of: impl Fn(f64, f64) -> f64 + Sync) -> f64 {
    let chunks = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK));
    let sums: Vec<f64> = chunks.map(|(a, b)| a.iter().zip(b).map(|(a, b)| of(*a, *b)).sum()).collect();
    sum(sums)
}

/// Scales to L2 length 1; a zero vector stays.
fn normalise(x: &mut [f64]) {
    // Scaled by the greatest entry first, so that no square overflows or vanishes.
    let greatest = x.par_iter().copied().reduce(|| 0.0, f64::max);
    if greatest == 0.0 {
        return;
    }
    let squares: Vec<f64> =
        x.par_chunks(CHUNK).map(|c| c.iter().map(|x| (x / greatest) * (x / greatest)).sum()).collect();
    let length = sum(squares).sqrt() * greatest;
    x.par_iter_mut().for_each(|x| *x /= length);
}

#[cfg(test)]
mod tests {
    use super::super::csr::tests::graphs;
    use super::*;
    use proptest::prelude::*;

    fn run(graph: &Csr, variant: Variant) -> HubsAuthorities {
        Hits { variant, tolerance: 1e-13, max_iterations: 100_000, ..Hits::default() }
            .run(graph, &graph.transpose())
            .unwrap()
    }

    /// M + 1 hubs (0..=M) and authorities; the first M hubs point to the first authority, the last to all.
    fn promiscuous(m: u32) -> Csr {
        let first = m + 1;
        let arcs = (0..m).map(|hub| (hub, first)).chain((0..=m).map(|a| (m, first + a)));
        Csr::from_arcs(2 * m as usize + 2, arcs).unwrap()
    }

    #[test]
    fn averaging_puts_the_promiscuous_hub_last() {
        let graph = promiscuous(3);
        for (variant, modest, promiscuous) in
            [(Variant::Hits, 0.3470, 0.7992), (Variant::HubAveraging, 0.5676, 0.1833)]
        {
            let scores = run(&graph, variant);
            for hub in 0..3 {
                assert!((scores.hubs[hub] - modest).abs() < 5e-5, "{variant:?} {:?}", scores.hubs);
            }
            assert!((scores.hubs[3] - promiscuous).abs() < 5e-5, "{variant:?} {:?}", scores.hubs);
        }
    }

    #[test]
    fn thresholds_by_hand() {
        // With its one best authority, the promiscuous hub is as good as the others.
        let scores = run(&promiscuous(3), Variant::HubThreshold(1));
        assert!(scores.hubs[..4].iter().all(|h| (h - 0.5).abs() < 1e-10), "{:?}", scores.hubs);
        // Authority 1's best hub is the promiscuous one, which alone is above the mean.
        let scores = run(&promiscuous(3), Variant::AuthorityThreshold);
        assert!(scores.authorities[4..].iter().all(|a| (a - 0.5).abs() < 1e-10), "{:?}", scores.authorities);
    }

    #[test]
    fn no_arcs_no_scores_and_never_nan() {
        for graph in [
            Csr::from_arcs(0, []),
            Csr::from_arcs(1, []),
            Csr::from_arcs(3, []),
            Csr::from_arcs(2, [(0, 0), (1, 1)]),
        ] {
            let graph = graph.unwrap();
            for variant in [Variant::Hits, Variant::HubAveraging, Variant::FullThreshold(2)] {
                let scores = run(&graph, variant);
                assert!(scores.hubs.iter().chain(&scores.authorities).all(|x| x.is_finite()));
                assert!(scores.converged);
            }
        }
    }

    /// The projection of Aᵀ1 on the eigenspace of the greatest eigenvalue of AᵀA, by solving densely.
    fn dense(graph: &Csr) -> Vec<f64> {
        let n = graph.num_nodes();
        let mut rows = vec![vec![0.0; n]; n];
        graph.arcs().for_each(|(u, v, w)| rows[u as usize][v as usize] = w);
        let mut product = vec![vec![0.0; n]; n];
        for row in &rows {
            for (i, a) in row.iter().enumerate().filter(|(_, a)| **a != 0.0) {
                product[i].iter_mut().zip(row).for_each(|(cell, b)| *cell += a * b);
            }
        }
        let start: Vec<f64> = (0..n).map(|v| rows.iter().map(|row| row[v]).sum()).collect();
        let found = jacobi::eigen(&product, n);
        let mut x = vec![0.0; n];
        let first = found.values[0];
        for (_, vector) in
            found.values.iter().zip(&found.vectors).filter(|(v, _)| **v > first * (1.0 - 1e-10))
        {
            let part: f64 = vector.iter().zip(&start).map(|(a, b)| a * b).sum();
            x.iter_mut().zip(vector).for_each(|(x, v)| *x += part * v);
        }
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.iter().map(|x| x / length).collect()
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    /// Paths with both directions and loops: singular values 1 + 2 cos(kπ / (n + 1)), the first vector a sine.
    fn paths(lengths: &[u32]) -> Csr {
        let mut arcs = Vec::new();
        let mut base = 0;
        for &n in lengths {
            arcs.extend((0..n).map(|u| (base + u, base + u)));
            arcs.extend((1..n).flat_map(|u| [(base + u - 1, base + u), (base + u, base + u - 1)]));
            base += n;
        }
        Csr::from_arcs(base as usize, arcs).unwrap()
    }

    fn sine(n: u32, of: u32) -> Vec<f64> {
        let x: Vec<f64> = (1..=of)
            .map(
                |i| if i <= n { (f64::from(i) * std::f64::consts::PI / f64::from(n + 1)).sin() } else { 0.0 },
            )
            .collect();
        let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.iter().map(|x| x / length).collect()
    }

    #[test]
    fn small_gaps() {
        for (lengths, within) in [
            (&[300u32][..], 1e-9),
            (&[300, 290], 1e-8),
            (&[300, 299], 1e-7),
            (&[1500], 1e-7),
            (&[1500, 1499], 1e-4),
        ] {
            let graph = paths(lengths);
            let scores = Hits::default().run(&graph, &graph).unwrap();
            let exact = sine(lengths[0], lengths.iter().sum());
            let off = distance(&scores.authorities, &exact);
            assert!(
                scores.converged && scores.residual.unwrap() < 1e-12,
                "{lengths:?} {} {:?}",
                scores.error,
                scores.residual
            );
            assert!(off < within && off < 10.0 * scores.error + 1e-12, "{lengths:?} {off} {}", scores.error);
            assert!(distance(&scores.hubs, &exact) < within);
            assert!(
                scores.gap.unwrap() < 1e-3 && scores.iterations < 10_000,
                "{} {:?}",
                scores.iterations,
                scores.gap
            );
        }
    }

    /// Two communities alike: nothing prefers one, so both are there as the uniform start holds them.
    #[test]
    fn equal_communities_share() {
        let graph = paths(&[60, 60]);
        let scores = Hits::default().run(&graph, &graph).unwrap();
        let half: Vec<f64> = sine(60, 60).iter().map(|x| x / 2f64.sqrt()).collect();
        assert!(distance(&scores.authorities, &[&half[..], &half[..]].concat()) < 1e-9);
        assert!(scores.converged);
        // Stars of one size with one and with two hubs: equal values would need equal products of sizes.
        let stars = Csr::from_arcs(7, [(0, 1), (0, 2), (0, 3), (0, 4), (5, 6)]).unwrap();
        let scores = Hits::default().run(&stars, &stars.transpose()).unwrap();
        assert!((scores.hubs[0] - 1.0).abs() < 1e-12 && scores.authorities[6] == 0.0, "{scores:?}");
    }

    #[test]
    fn weights_count_where_they_are_asked_for() {
        let graph = Csr::from_weighted_arcs(4, [(0, 2, 3.0), (1, 2, 1.0), (1, 3, 1.0)]).unwrap();
        let run = |weighted| {
            Hits { weighted, ..Hits::default() }.run(&graph, &graph.transpose()).unwrap().authorities
        };
        assert!(distance(&run(true), &dense(&graph)) < 1e-12);
        assert!(distance(&run(false), &dense(&graph.without_weights())) < 1e-12);
        assert!(run(true)[3] < run(false)[3]);
    }

    #[test]
    fn what_stops_early_says_so() {
        let graph = paths(&[1500, 1499]);
        let scores = Hits { max_iterations: 30, ..Hits::default() }.run(&graph, &graph).unwrap();
        assert!(!scores.converged && scores.iterations == 30 && scores.error > 1e-10, "{scores:?}");
        for max_iterations in [1, 3, 5, 6] {
            let scores = Hits { max_iterations, ..Hits::default() }.run(&graph, &graph).unwrap();
            assert!(!scores.converged && scores.iterations == max_iterations, "{}", scores.iterations);
            let length: f64 = scores.authorities.iter().map(|a| a * a).sum();
            assert!((length - 1.0).abs() < 1e-12 && scores.error > 1e-10);
            assert!(scores.gap.is_some() || scores.error == 1.0);
        }
    }

    #[test]
    fn little_memory_and_any_number_of_threads() {
        let graph = super::super::Rmat { scale: 13, ..super::super::Rmat::default() }.run().unwrap();
        let transpose = graph.transpose();
        let on = |threads, memory_bytes| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Hits { memory_bytes, ..Hits::default() }.run(&graph, &transpose).unwrap())
        };
        let one = on(1, None);
        assert_eq!(one.authorities, on(3, None).authorities);
        let small = on(2, Some(0));
        assert!(small.converged && distance(&small.authorities, &one.authorities) < 1e-9);
    }

    #[test]
    fn rounding_brings_no_second_direction_in() {
        // Two communities with the singular value 2 + √2 of AᵀA's square, of which the start has one direction.
        let arcs = [(4, 2), (0, 0), (3, 12), (7, 6), (5, 0), (6, 13), (3, 6), (4, 0), (3, 3)];
        let graph = Csr::from_arcs(14, arcs).unwrap();
        let scores = Hits::default().run(&graph, &graph.transpose()).unwrap();
        assert!(scores.converged && distance(&scores.authorities, &dense(&graph)) < 1e-9, "{scores:?}");
        assert!(scores.gap.is_some_and(|gap| gap > 0.1), "{scores:?}");
    }

    proptest! {
        #[test]
        fn what_a_dense_solution_gives(
            arcs in prop::collection::vec((0..14u32, 0..14u32, 1..4u32), 1..60),
            weighted: bool,
        ) {
            let graph = if weighted {
                Csr::from_counted_arcs(14, arcs).unwrap()
            } else {
                Csr::from_arcs(14, arcs.iter().map(|a| (a.0, a.1))).unwrap()
            };
            let scores = Hits { weighted, ..Hits::default() }.run(&graph, &graph.transpose()).unwrap();
            let off = distance(&scores.authorities, &dense(&graph));
            prop_assert!(scores.converged && off <= 1e-9, "{off} {scores:?} {:?}", dense(&graph));
            prop_assert!(scores.hubs.iter().chain(&scores.authorities).all(|x| *x >= 0.0));
        }

        #[test]
        fn averaging_finds_what_iterating_finds(graph in graphs(12, 60)) {
            let settings = Hits { variant: Variant::HubAveraging, tolerance: 1e-14, ..Hits::default() };
            let transpose = graph.transpose();
            let (solved, iterated) = (settings.solve(&graph, &transpose), settings.iterate(&graph, &transpose));
            prop_assume!(iterated.converged && solved.gap.is_none_or(|gap| gap > 1e-2));
            prop_assert!(distance(&solved.authorities, &iterated.authorities) < 1e-9, "{solved:?} {iterated:?}");
            prop_assert!(distance(&solved.hubs, &iterated.hubs) < 1e-9);
        }
    }

    proptest! {
        #[test]
        fn fixed_point_of_the_definition(graph in graphs(12, 60)) {
            let scores = run(&graph, Variant::Hits);
            prop_assume!(scores.converged && graph.num_arcs() > 0);
            // AᵀA x = σ² x with x of length 1.
            let n = graph.num_nodes();
            let mut y = vec![0.0; n];
            let mut x = vec![0.0; n];
            for (u, v, _) in graph.arcs() { y[u as usize] += scores.authorities[v as usize]; }
            for (u, v, _) in graph.arcs() { x[v as usize] += y[u as usize]; }
            let value = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            for (x, a) in x.iter().zip(&scores.authorities) {
                prop_assert!((x / value - a).abs() < 1e-9, "{:?}", scores);
            }
        }
    }
}
