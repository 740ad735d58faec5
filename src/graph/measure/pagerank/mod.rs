//! PageRank.
//!
//! Called by the job `rank`, by the command `rank --by` and by Python, through [`Measure`].
//!
//! # The equation
//!
//! There are N nodes; d is the damping; v is the teleport vector (sum 1, uniform unless personalised); P₀ holds the
//! probabilities of following an arc (its weight over the weight of all arcs of its source), with rows of zeros for
//! *dangling* nodes, those without arcs; a is the indicator of dangling nodes; u says where their rank goes. PageRank
//! is the vector x of sum 1 with
//!
//! x = (1 − d) v + d (aᵀx) u + d P₀ᵀ x.                                                          (1)
//!
//! With u = v it is *strongly preferential* (the default), with u uniform *weakly preferential*; with u = 0 the rank
//! that flows into dangling nodes is lost. In that last case and with u = v alike, (I − d P₀ᵀ) x is a multiple of v: it
//! is the same vector on another scale. The classical scale of the literature, PR(A) = (1 − d) + d Σ PR(T)/C(T), is N
//! x.
//!
//! # From the equation to the sweep
//!
//! **1. The sum is left free.** As 1ᵀx = 1, (1) can be written so that every multiple of x fulfils it as well:
//!
//! y = (1 − d) (1ᵀy) v + d (aᵀy) u + d P₀ᵀ y.                                                    (2)
//!
//! We look for any such y > 0 and divide by its sum at the end. (Holding the sum at 1 from sweep to sweep would be the
//! slowest part to converge where much rank dangles.)
//!
//! **2. Dangling nodes are taken out.** They have no arcs, so they act on others by the sum D = aᵀy alone. Let Y be the
//! sum of y over the other nodes, V and U the sums of v and u over these, and L what arcs bring to dangling nodes.
//! Summing (2) over dangling nodes gives
//!
//! D = (1 − d)(1 − V)(Y + D) + d (1 − U) D + L,   so   D = ((1 − d)(1 − V) Y + L) / ((1 − d) V + d U)
//!
//! (type `Flow`). Only nodes with arcs are swept; the values of the others are computed once, at the end.
//!
//! **3. A loop is solved for.** Where node i gives itself the share pᵢᵢ of its rank, its term moves to the left side:
//!
//! yᵢ = ((1 − d)(Y + D) vᵢ + d D uᵢ + d Σ pⱼᵢ yⱼ) / (1 − d pᵢᵢ),   the sum over arcs j → i with j ≠ i.            (3)
//!
//! **4. Gauss–Seidel.** A sweep puts (3) into practice node by node, with the values that this sweep has already
//! changed. Nodes are worked on in chunks that depend on the graph alone; a chunk sees its own new values, and those of
//! chunks that an earlier step has done.
//!
//! **5. Refinement.** Sweeps in single precision read half as many bytes, but stop at some 1e-7. So a sweep in double
//! precision computes the residual r of (2) (`exact`); sweeps in single precision solve the same equation for the
//! correction z, with r added to the right side (`correction`, over arcs brought into the order of reading by
//! `layout`); y + z is the next y. Each such step wins some six digits.
//!
//! **6. Bound and scale.** Y + D being the whole sum of y, x = y / (Y + D) misses (1) by r / (Y + D), and, as ‖(I − d
//! P)⁻¹‖₁ ≤ 1 / (1 − d), ‖x − x*‖₁ ≤ ‖r‖₁ / ((1 − d)(Y + D)). Sweeps stop when this bound is within the tolerance. It
//! is returned, and is as good as double precision, some 1e-15.
//!
//! # Cost
//!
//! A sweep in single precision reads 8 bytes an arc that does not end in a dangling node and some 30 for each node with
//! arcs; the few in double precision 12 an arc and 48 a node. Besides the graph and its transpose it takes 72 bytes a
//! node and 4 an arc (8 with weights). [`lean`](PageRank::lean) runs take 48 a node: all their sweeps are in double
//! precision and read the transpose itself, twice to thrice as long. Setting all up takes as long as some fifteen
//! sweeps in single precision.
//!
//! # Determinism
//!
//! Chunks depend on the graph alone, and partial sums are added in their order: the same bytes on any number of
//! threads. The two ways agree within their error bounds, not in all bits.
//!
//! # References
//!
//! G. M. Del Corso, A. Gullì, F. Romani, Fast PageRank computation via a sparse linear system, *Internet Mathematics* 2
//! (2005), doi:10.1080/15427951.2005.10129108. P. Boldi, M. Santini, S. Vigna, PageRank: functional dependencies, *ACM
//! TOIS* 27 (2009), doi:10.1145/1629096.1629097. N. J. Higham, *Accuracy and Stability of Numerical Algorithms* (2002),
//! chapter 12, doi:10.1137/1.9780898718027.

mod correction;
mod exact;
mod layout;
mod lean;
mod refine;

use super::{Convergence, Measure, MeasureInfo, MeasureSettings, Measured, Score, Values};
use crate::csr::{Csr, Weights};
use crate::sweep::{Plain, Pull, WeightedArcs, sum};
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};

/// What becomes of the rank that flows into nodes without successors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
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
/// # use webmill_graph::{Csr, PageRank, Scale};
/// let graph = Csr::from_arcs(3, [(0, 1), (0, 2), (1, 2), (2, 0)])?;
/// let ranks = PageRank { damping: 0.5, scale: Scale::Classical, ..PageRank::default() }.run(&graph, &graph.transpose())?;
/// assert!((ranks.scores[0] - 14.0 / 13.0).abs() < 1e-10);
/// # Ok::<(), webmill_capture::error::Error>(())
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
    /// Take little memory, see [`memory_estimate`](Self::memory_estimate), and longer. Default false.
    pub lean: bool,
    /// Memory that a run may take besides the graph and its transpose: with less it is refused, since results must not
    /// hang on it. Default no limit.
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
            lean: false,
            memory_bytes: None,
            weighted: true,
        }
    }
}

/// Ranks and how good they are.
#[derive(Clone, Debug)]
#[non_exhaustive]
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

impl PageRank<'_> {
    /// Bytes that a run takes besides the graph and its transpose.
    pub fn memory_estimate(&self, graph: &Csr) -> u64 {
        let nodes = graph.num_nodes() as u64;
        match (self.lean, self.weighted && graph.weights().is_some()) {
            (true, _) => 48 * nodes,
            (false, true) => 72 * nodes + 8 * graph.num_arcs(),
            (false, false) => 72 * nodes + 4 * graph.num_arcs(),
        }
    }

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
        if let Some(teleport) = self.within_range() {
            return PageRank { teleport: Some(&teleport), ..self.clone() }.run(graph, transpose);
        }
        let targets = transpose.targets();
        // On a thread of the pool, which need not be woken at each step.
        Ok(rayon::scope(|_| match transpose.weights().filter(|_| self.weighted) {
            None => self.solve(graph, transpose, &Plain(targets)),
            Some(Weights::Counts(weights)) => self.solve(graph, transpose, &WeightedArcs(targets, weights)),
            Some(Weights::Reals(weights)) => self.solve(graph, transpose, &WeightedArcs(targets, weights)),
        }))
    }

    /// The teleport vector on a scale on which sums and their inverses are numbers; nothing where they are.
    fn within_range(&self) -> Option<Vec<f64>> {
        let vector = self.teleport.filter(|v| !(1e-100..1e100).contains(&sum(v.iter().copied())))?;
        let most = vector.iter().copied().fold(0.0, f64::max);
        Some(vector.iter().map(|x| x / most).collect())
    }

    pub(crate) fn check(&self, graph: &Csr, transpose: &Csr) -> Result<()> {
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
            && self.memory_estimate(graph) > allowed
        {
            let mib = self.memory_estimate(graph).div_ceil(1 << 20);
            let lean = if self.lean { "" } else { "take the lean way, " };
            return Err(Error::Limit(format!(
                "ranking {n} nodes takes {mib} MiB besides the graph, more than the {} MiB allowed: raise the memory, \
                 {lean}or rank hosts or domains",
                allowed >> 20
            )));
        }
        let Some(vector) = self.teleport else { return Ok(()) };
        if vector.len() != n {
            return wrong(format!("the teleport vector has {} entries for {n} nodes", vector.len()));
        }
        if let Some(node) = vector.iter().position(|x| !x.is_finite() || *x < 0.0) {
            return wrong(format!("the teleport vector has {} at node {node}", vector[node]));
        }
        let sum = sum(vector.iter().copied());
        if n > 0 && !(sum > 0.0 && sum.is_finite()) {
            return wrong(format!("the teleport vector has the sum {sum}"));
        }
        Ok(())
    }

    fn solve(&self, graph: &Csr, transpose: &Csr, arcs: &impl Pull) -> Ranks {
        let n = graph.num_nodes();
        let weights = graph.weights().filter(|_| self.weighted);
        let offsets = graph.offsets();
        let row = |u: usize| offsets[u] as usize..offsets[u + 1] as usize;
        let nodes = || (0..n).into_par_iter().with_min_len(1 << 12);
        let share = |u| {
            let out = match weights {
                None => row(u).len() as f64,
                Some(weights) => row(u).map(|arc| weights.get(arc)).sum(),
            };
            if out > 0.0 { 1.0 / out } else { 0.0 }
        };
        let share: Vec<f64> = nodes().map(share).collect();
        let targets = graph.targets();
        let place = |u| match &targets[row(u)] {
            short if short.len() < 64 => short.iter().position(|&v| v as usize == u),
            long => long.binary_search(&(u as u32)).ok(),
        };
        let mut loops: Vec<bool> = nodes().map(|u| place(u).is_some()).collect();
        let mut relax = Vec::new();
        if loops.contains(&true) {
            let weight = |u| weights.map_or(1.0, |w| place(u).map_or(0.0, |i| w.get(row(u).start + i)));
            let stay = |u| if loops[u] { share[u] * weight(u) } else { 0.0 };
            relax = nodes().map(|u| 1.0 / (1.0 - self.damping * stay(u))).collect();
        } else {
            loops = Vec::new();
        }
        let teleport = self.teleport.map(|v| (v, 1.0 / sum(v.iter().copied())));
        let uniform = 1.0 / n as f64;
        let problem = Problem {
            graph,
            transpose,
            arcs,
            share: &share,
            loops: &loops,
            relax: &relax,
            teleport,
            uniform,
        };
        let refined = if self.lean { None } else { self.refine(&problem) };
        let refined = refined.filter(|found| !found.error_bound.is_nan());
        let SolvedRanks { y: mut x, iterations, error_bound } =
            refined.unwrap_or_else(|| self.sweep_lean(&problem));
        let total = match self.dangling {
            Dangling::Lost => 1.0,
            Dangling::Teleport | Dangling::Uniform => total(n, |v| x[v]),
        };
        let unit = match self.scale {
            Scale::Probability => 1.0,
            Scale::Classical => n as f64,
        };
        // A correction may leave a zero a little below it; no rank is.
        let positive = |x: f64| if x > 0.0 { x } else { 0.0 };
        x.par_iter_mut().with_min_len(1 << 12).for_each(|x| *x = positive(*x * (unit / total)));
        Ranks { scores: x, iterations, error_bound, converged: error_bound <= self.tolerance }
    }
}

/// PageRank as a measure, by the settings' [`pagerank`](MeasureSettings::pagerank).
pub struct ByPageRank;

impl Measure for ByPageRank {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            name: "pagerank",
            about: "PageRank, sum 1",
            cost: "some 15 to 60 sweeps of O(n + m); 72 bytes a node and 4 to 8 an arc, lean 48 bytes a node",
            in_tables: true,
            error_name: "error_bound",
            scores: &[Score {
                name: "pagerank",
                label: "PageRank",
                about: "PageRank, by default with d = 0.85 and dangling mass spread uniformly, sum over the level 1",
                example: "0.00017",
                values: Values::Real,
                compared: true,
            }],
        }
    }

    fn run(&self, graph: &Csr, transpose: &Csr, with: &MeasureSettings<'_>) -> Result<Measured> {
        let ranks = with.pagerank.run(graph, transpose)?;
        let how = if ranks.converged { "within" } else { "NOT converged, within" };
        let note = format!(
            "PageRank: {} sweeps, {how} {:.1e} of the true ranks (L1)",
            ranks.iterations, ranks.error_bound
        );
        let convergence = Convergence {
            iterations: ranks.iterations,
            error: ranks.error_bound,
            converged: ranks.converged,
            ..Convergence::default()
        };
        Ok(Measured { scores: vec![ranks.scores], convergence: Some(convergence), note: Some(note) })
    }
}

/// Nodes whose values are summed before they are added to others.
const CHUNK: usize = 4096;

/// Sum of a value of each node, in an order that hangs on their number alone.
fn total(n: usize, of: impl Fn(usize) -> f64 + Sync) -> f64 {
    let chunks = (0..n.div_ceil(CHUNK)).into_par_iter();
    sum(chunks.map(|c| (c * CHUNK..n.min((c + 1) * CHUNK)).map(&of).sum()).collect::<Vec<f64>>())
}

/// The linear system to be solved.
struct Problem<'a, A> {
    graph: &'a Csr,
    transpose: &'a Csr,
    /// The arcs of the transpose.
    arcs: &'a A,
    /// The share of its rank that each node gives to an arc of weight 1; 0 without arcs.
    share: &'a [f64],
    /// Nodes that link to themselves; empty if none does.
    loops: &'a [bool],
    /// 1 / (1 − d p) of each node, p the probability to stay at it; empty if there are no self-loops.
    relax: &'a [f64],
    /// Teleport vector and what normalises it.
    teleport: Option<(&'a [f64], f64)>,
    uniform: f64,
}

/// The ranks up to a factor, unless rank is lost.
struct SolvedRanks {
    y: Vec<f64>,
    iterations: usize,
    error_bound: f64,
}

impl<A> Problem<'_, A> {
    /// The teleport vector.
    #[inline]
    fn preferred(&self, v: usize) -> f64 {
        self.teleport.map_or(self.uniform, |(vector, scale)| vector[v] * scale)
    }

    /// The vector to start from, and the rank in its nodes without successors when its sum is 1.
    fn first(&self, settings: &PageRank) -> (Vec<f64>, f64) {
        let n = self.share.len();
        let mut x: Vec<f64> = (0..n).map(|v| self.preferred(v)).collect();
        let mass = sum(x.iter().zip(self.share).filter(|(_, share)| **share == 0.0).map(|(x, _)| *x));
        if settings.dangling != Dangling::Uniform || settings.teleport.is_none() {
            // The scale on which x = (1 − d) v + d P₀ᵀ x holds, if it holds on any.
            let scale = (1.0 - settings.damping) / (1.0 - settings.damping + settings.damping * mass);
            x.iter_mut().for_each(|x| *x *= scale);
        }
        (x, mass)
    }
}

/// What the sums of a vector y over the nodes with out-links let teleport.
///
/// With Y the sum of y over these nodes, L what comes to the others by links, V and U the teleport vector and the
/// vector u summed over nodes with out-links, what dangles is D = (1 − d)(1 − V)(Y + D) + d (1 − U) D + L.
struct Flow {
    damping: f64,
    uniform: f64,
    /// V, U, and (1 − d) V + d U.
    open: (f64, f64, f64),
    /// Does dangling rank go where one teleports?
    together: bool,
}

impl Flow {
    fn new(settings: &PageRank, problem: &Problem<'_, impl Sync>) -> Flow {
        let (n, share) = (problem.share.len(), problem.share);
        let open =
            |of: &(dyn Fn(usize) -> f64 + Sync)| total(n, |v| if share[v] > 0.0 { of(v) } else { 0.0 });
        let together = settings.dangling != Dangling::Uniform || settings.teleport.is_none();
        let preferred = open(&|v| problem.preferred(v));
        let even = if together { preferred } else { open(&|_| problem.uniform) };
        let d = settings.damping;
        let both = (1.0 - d) * preferred + d * even;
        Flow { damping: d, uniform: problem.uniform, open: (preferred, even, both), together }
    }

    /// Does anything come to nodes with out-links?
    fn reaches(&self) -> bool {
        self.open.2 > 0.0
    }

    /// The sum over nodes without out-links, from those over the others of y and of what they give to these.
    fn dangling(&self, total: f64, leak: f64) -> f64 {
        match self.reaches() {
            true => ((1.0 - self.damping) * (1.0 - self.open.0) * total + leak) / self.open.2,
            false => 1.0,
        }
    }

    /// What each node gets: multiples of the teleport vector, and of the uniform one.
    fn teleports(&self, total: f64, leak: f64) -> (f64, f64) {
        let (d, dangling) = (self.damping, self.dangling(total, leak));
        let (fresh, again) = ((1.0 - d) * (total + dangling), d * dangling);
        if self.together { (fresh + again, 0.0) } else { (fresh, again) }
    }
}

#[cfg(test)]
mod tests;
