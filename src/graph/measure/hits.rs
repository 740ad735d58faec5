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
//! **Cost.** Graph and transpose; 4 bytes an arc read twice an iteration; four vectors of f64, with thresholds five,
//! and for Lanczos' method a
//! basis of 4 to 40 more, as many as the memory allowed holds.
//!
//! **Determinism.** Sums over fixed chunks of nodes, added in order: the same bytes on any number of threads, if
//! the memory allowed is the same.
//!
//! **Stopping rule and error.** Of the linear ones, the residual ‖Bx − σ²x‖ / σ², x being the authorities, B the product
//! of both steps, over the relative gap between σ² and its next, an estimate of the distance to the true vector, is
//! within the tolerance; or the residual is what rounding leaves. Singular values nearer to one another than that count
//! as equal. Of the others, the L2 change of the authorities is within the tolerance: that bounds nothing. They need not
//! converge: hubs at the threshold may be in and out by turns. Iterates that come back to where they were (Brent's method:
//! each is compared with one kept, anew at each power of two) end the computation, and the one of least change is given.
//!
//! **Reference.** J. Kleinberg, Authoritative sources in a hyperlinked environment, *JACM* 46 (1999),
//! doi:10.1145/324133.324140. A. Borodin et al., Link analysis ranking, *ACM TOIT* 5 (2005),
//! doi:10.1145/1052934.1052942.

mod jacobi;
mod lanczos;

use super::{Convergence, Measure, MeasureInfo, MeasureSettings, Measured, Score, Values};
use crate::csr::Csr;
use crate::sweep::sum;
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
    /// L2 change of the authorities in the last iteration; where that did not converge, of those given.
    pub change: f64,
    /// Estimate of the L2 distance of the authorities to the true ones: the residual over the gap. Of the variants
    /// with thresholds the change, which bounds nothing.
    pub error: f64,
    /// ‖Bx − σ²x‖ / σ²: the residual of the equations of the authorities x. None with thresholds.
    pub residual: Option<f64>,
    /// 1 − σ₂/σ₁ of the two largest singular values that the start has a part in, at most: the second is found less
    /// exactly, from below. `None` if only one is seen, and with thresholds. If it is small, the principal community
    /// hardly differs from another.
    pub gap: Option<f64>,
    /// Is the error within the tolerance, or the residual what rounding leaves?
    pub converged: bool,
    /// Thresholds: did the iterates come back to where they had been, for ever?
    pub cycles: bool,
}

/// HITS or the variant asked for as a measure, by the settings' [`hits`](MeasureSettings::hits).
pub struct ByHits;

impl Measure for ByHits {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            name: "hits",
            about: "HITS: authorities and hubs, L2 norm 1",
            cost: "O(m) an iteration; 9 to 45 numbers of 8 bytes a node",
            in_tables: true,
            error_name: "error",
            scores: &[
                Score {
                    name: "authority",
                    label: "authority",
                    about: "HITS authority (or that of the variant asked for), L2 norm over the level 1",
                    example: "0.021",
                    values: Values::Real,
                    compared: true,
                },
                Score {
                    name: "hub",
                    label: "hub",
                    about: "HITS hub, likewise",
                    example: "0.003",
                    values: Values::Real,
                    compared: true,
                },
            ],
        }
    }

    fn run(&self, graph: &Csr, transpose: &Csr, with: &MeasureSettings<'_>) -> Result<Measured> {
        let found = with.hits.run(graph, transpose)?;
        let convergence = Convergence {
            iterations: found.iterations,
            error: found.error,
            converged: found.converged,
            residual: found.residual,
            gap: found.gap,
        };
        let note = Some(found.in_words());
        let scores = vec![found.authorities, found.hubs];
        Ok(Measured { scores, convergence: Some(convergence), note })
    }
}

impl HubsAuthorities {
    /// How near hubs and authorities came.
    fn in_words(&self) -> String {
        let how = if self.converged { "converged" } else { "NOT converged" };
        let Some(residual) = self.residual else {
            let (iterations, change) = (self.iterations, self.change);
            return match self.converged {
                true => format!("HITS: {how} after {iterations} iterations, last change {change:.1e}"),
                false => {
                    let round = if self.cycles { ", the scores turn in a circle" } else { "" };
                    format!(
                        "HITS: {how} after {iterations} iterations{round}; those of least change are given, {change:.1e}"
                    )
                }
            };
        };
        let gap = self.gap.map_or(String::new(), |gap| format!(", gap {gap:.1e}"));
        format!(
            "HITS: {how} after {} iterations, residual {residual:.1e}{gap}, error about {:.1e}",
            self.iterations, self.error
        )
    }
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
                cycles: false,
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

    /// Iterates from the vectors found, with entries that are only rounding errors set to 0, and measures the residual.
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
            cycles: false,
        }
    }

    /// The variants with thresholds.
    fn iterate(&self, graph: &Csr, transpose: &Csr) -> HubsAuthorities {
        let n = graph.num_nodes();
        let mut hubs = vec![1.0; n];
        let mut authorities = vec![0.0; n];
        let mut next = vec![0.0; n];
        normalise(&mut hubs);
        let distance = |a: &[f64], b: &[f64]| total(a, b, |a, b| (a - b) * (a - b)).sqrt();
        let (mut iterations, mut change, mut cycles) = (0, f64::INFINITY, false);
        let (mut met, mut best) = (vec![0.0; n], (f64::INFINITY, vec![0.0; n]));
        while iterations < self.max_iterations && change > self.tolerance && !cycles {
            self.pull(transpose, &hubs, &mut next, self.authority_rule());
            normalise(&mut next);
            change = distance(&next, &authorities);
            std::mem::swap(&mut next, &mut authorities);
            self.pull(graph, &authorities, &mut hubs, self.hub_rule());
            normalise(&mut hubs);
            iterations += 1;
            if change < best.0 {
                best.0 = change;
                best.1.copy_from_slice(&authorities);
            }
            cycles = change > self.tolerance && distance(&authorities, &met) <= self.tolerance;
            if iterations.is_power_of_two() {
                met.copy_from_slice(&authorities);
            }
        }
        let converged = change <= self.tolerance;
        if !converged {
            (change, authorities) = best;
            self.pull(graph, &authorities, &mut hubs, self.hub_rule());
            normalise(&mut hubs);
        }
        HubsAuthorities {
            hubs,
            authorities,
            iterations,
            change,
            error: change,
            residual: None,
            gap: None,
            converged,
            cycles,
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
mod tests;
