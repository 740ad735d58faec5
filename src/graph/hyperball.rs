//! Harmonic centrality of large graphs, by HyperBall.
//!
//! **Definition.** The ball B(x, t) holds the nodes that reach x within t arcs. The harmonic centrality of x is
//! Σ_t (|B(x, t)| − |B(x, t − 1)|) / t, see [`harmonic`](crate::harmonic()).
//!
//! **Algorithm.** Balls are kept as HyperLogLog counters of 2^b registers, a byte each. B(x, t) is the union of
//! B(u, t − 1) over the predecessors u of x, and a union of counters is the maximum of their registers. Only
//! nodes with a predecessor whose counter has changed are looked at, and only such predecessors; when few have
//! changed, these nodes are found by following the arcs of the changed ones.
//!
//! **Cost.** At most 2 · 2^b + 33 bytes a node; a step reads 2^b bytes for each arc that leaves a changed node.
//!
//! **Determinism.** Nodes are hashed by a fixed bijection of number and seed, steps are synchronous and sums
//! taken over fixed parts: the same bytes on any number of threads.
//!
//! **Stopping rule and error.** Steps end when no counter changes. A counter's estimate (Ertl's, without bias
//! from one element on) has the relative standard deviation 1.04 / √2^b, and so have centralities, being sums
//! of them; all come from one hash, so their errors are of one sign more often than not and the order of nodes
//! is better than that (figures: [`harmonic`](mod@crate::measure::harmonic)). A node that few others reach may be far off: where the
//! counter of its only predecessor raises no register of its own, it gets nothing.
//!
//! **Reference.** P. Boldi, S. Vigna, In-core computation of geometric centralities with HyperBall, *ICDMW*
//! (2013), doi:10.1109/ICDMW.2013.10. O. Ertl, New cardinality estimation algorithms for HyperLogLog sketches
//! (2017), arXiv:1702.01284.

use super::csr::Csr;
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};
use webmill_capture::splitmix::mix;

/// A computation: set what differs from the defaults, then [`run`](Self::run).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HyperBall {
    /// Registers of a counter: 2 to this power, 4 to 16. Default 8, for an error of 6.5 %.
    pub log_registers: u32,
    /// Another seed, other errors.
    pub seed: u64,
    /// Steps after which to stop. Default 100,000.
    pub max_iterations: usize,
    /// Memory that the counters and vectors may take. Default no limit.
    pub memory_bytes: Option<u64>,
}

impl Default for HyperBall {
    fn default() -> Self {
        HyperBall { log_registers: 8, seed: 1, max_iterations: 100_000, memory_bytes: None }
    }
}

/// What the balls tell.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Balls {
    /// Harmonic centrality of each node.
    pub harmonic: Vec<f64>,
    /// How many nodes reach each node, itself among them.
    pub reaching: Vec<f64>,
    /// Steps done.
    pub iterations: usize,
    /// Did the counters come to rest?
    pub converged: bool,
    /// Relative standard deviation of each number.
    pub relative_error: f64,
}

/// Nodes that one task takes; fixed, so that the order of addition is.
const CHUNK: usize = 1024;
/// If fewer than one in this many nodes changed, the changes are followed along their arcs.
const FEW: usize = 32;

/// What one task found: the nodes whose counters changed, their counters, and how the ball sizes grew.
#[derive(Default)]
struct Changes {
    nodes: Vec<u32>,
    registers: Vec<u8>,
    estimates: Vec<f64>,
}

impl HyperBall {
    /// Bytes that a run on `nodes` nodes takes besides the graph and its transpose.
    pub fn memory_estimate(&self, nodes: usize) -> u64 {
        ((2 << self.log_registers) + 33) * nodes as u64
    }

    /// Relative standard deviation of the results.
    pub fn relative_error(&self) -> f64 {
        1.04 / f64::from(1u32 << self.log_registers).sqrt()
    }

    /// Computes the balls of `graph`, whose transpose is `transpose`.
    ///
    /// # Errors
    /// [`Error::Config`] if the number of registers is out of range or the transpose of another graph;
    /// [`Error::Limit`] with the estimate if the counters do not fit the memory allowed.
    pub fn run(&self, graph: &Csr, transpose: &Csr) -> Result<Balls> {
        self.check(graph, transpose)?;
        let (n, m) = (graph.num_nodes(), 1usize << self.log_registers);
        let estimator = Estimator::new(self.log_registers);
        let mut registers = vec![0u8; n * m];
        let seed = mix(self.seed);
        registers.par_chunks_mut(m).with_min_len(CHUNK).zip(0..n as u32).for_each(|(counter, node)| {
            let hash = mix(mix(u64::from(node)) ^ seed);
            let rest = hash << self.log_registers | (m as u64 - 1);
            counter[(hash >> (64 - self.log_registers)) as usize] = rest.leading_zeros() as u8 + 1;
        });
        let mut reaching: Vec<f64> = registers.par_chunks(m).map(|c| estimator.estimate(c)).collect();
        let mut harmonic = vec![0.0; n];
        let mut changed = vec![1u8; n];
        let mut last: Vec<u32> = (0..n as u32).collect();
        let mut iterations = 0;
        while !last.is_empty() && iterations < self.max_iterations {
            iterations += 1;
            let look = candidates(graph, transpose, &changed, &last);
            let found: Vec<Changes> = look
                .par_chunks(CHUNK)
                .map(|nodes| step(transpose, &registers, &changed, nodes, m, &estimator))
                .collect();
            for &u in &last {
                changed[u as usize] = 0;
            }
            last.clear();
            write_back(&mut registers, &found, m);
            for part in &found {
                for (&v, &estimate) in part.nodes.iter().zip(&part.estimates) {
                    let more = (estimate - reaching[v as usize]).max(0.0);
                    harmonic[v as usize] += more / iterations as f64;
                    reaching[v as usize] += more;
                    changed[v as usize] = 1;
                }
                last.extend(&part.nodes);
            }
        }
        let relative_error = self.relative_error();
        let converged = last.is_empty();
        Ok(Balls { harmonic, reaching, iterations, converged, relative_error })
    }

    fn check(&self, graph: &Csr, transpose: &Csr) -> Result<()> {
        let n = graph.num_nodes();
        if !(4..=16).contains(&self.log_registers) {
            let b = self.log_registers;
            return Err(Error::Config(format!("2^{b} registers: the exponent is not within 4 and 16")));
        }
        if transpose.num_nodes() != n || transpose.num_arcs() != graph.num_arcs() {
            return Err(Error::Config("the transpose is of another graph".into()));
        }
        match self.memory_bytes {
            Some(allowed) if self.memory_estimate(n) > allowed => Err(Error::Limit(format!(
                "counters of {n} nodes take {} MiB besides the graph, more than the {} MiB allowed: raise the memory, \
                 take fewer registers, or measure hosts or domains",
                self.memory_estimate(n).div_ceil(1 << 20),
                allowed >> 20
            ))),
            _ => Ok(()),
        }
    }
}

/// Nodes with a predecessor that has changed, ascending.
fn candidates(graph: &Csr, transpose: &Csr, changed: &[u8], last: &[u32]) -> Vec<u32> {
    let n = graph.num_nodes();
    if last.len() > n / FEW {
        let any = |&v: &u32| transpose.successor_slice(v).iter().any(|&u| changed[u as usize] != 0);
        return (0..n as u32).into_par_iter().with_min_len(CHUNK).filter(any).collect();
    }
    let mut nodes: Vec<u32> = last.iter().flat_map(|&u| graph.successor_slice(u)).copied().collect();
    nodes.par_sort_unstable();
    nodes.dedup();
    nodes
}

/// Joins the counters of changed predecessors to those of `nodes`.
fn step(
    transpose: &Csr,
    registers: &[u8],
    changed: &[u8],
    nodes: &[u32],
    m: usize,
    estimator: &Estimator,
) -> Changes {
    let counter = |u: u32| &registers[u as usize * m..(u as usize + 1) * m];
    let mut union = vec![0; m];
    let mut changes = Changes::default();
    for &v in nodes {
        union.copy_from_slice(counter(v));
        for &u in transpose.successor_slice(v).iter().filter(|&&u| changed[u as usize] != 0) {
            union.iter_mut().zip(counter(u)).for_each(|(a, &b)| *a = (*a).max(b));
        }
        if union != counter(v) {
            changes.nodes.push(v);
            changes.registers.extend_from_slice(&union);
            changes.estimates.push(estimator.estimate(&union));
        }
    }
    changes
}

/// Puts changed counters in their places; the parts are ascending, so each has a range of its own.
fn write_back(registers: &mut [u8], found: &[Changes], m: usize) {
    let (mut rest, mut start) = (registers, 0);
    let mut parts = Vec::with_capacity(found.len());
    for part in found {
        let Some(&end) = part.nodes.last() else { continue };
        let (own, tail) = rest.split_at_mut((end as usize + 1 - start) * m);
        parts.push((start, own, part));
        (rest, start) = (tail, end as usize + 1);
    }
    parts.into_par_iter().for_each(|(start, own, part)| {
        for (&v, counter) in part.nodes.iter().zip(part.registers.chunks_exact(m)) {
            own[(v as usize - start) * m..][..m].copy_from_slice(counter);
        }
    });
}

/// Size of a set from its counter.
struct Estimator {
    /// m² / (2 ln 2).
    scale: f64,
    /// The sum's share of registers at zero, by their number.
    zeros: Vec<f64>,
    /// What a register adds to the sum, by its value.
    powers: [f64; 66],
}

impl Estimator {
    fn new(log_registers: u32) -> Self {
        let m = f64::from(1u32 << log_registers);
        let zeros = (0..=1u32 << log_registers).map(|zeros| m * sigma(f64::from(zeros) / m)).collect();
        let mut powers: [f64; 66] = std::array::from_fn(|k| 0.5f64.powi(k as i32));
        powers[0] = 0.0;
        Estimator { scale: m * m / (2.0 * std::f64::consts::LN_2), zeros, powers }
    }

    fn estimate(&self, counter: &[u8]) -> f64 {
        let zeros = counter.iter().filter(|&&register| register == 0).count();
        let total: f64 = counter.iter().map(|&register| self.powers[register as usize]).sum();
        let sum = total + self.zeros[zeros];
        if sum.is_finite() { self.scale / sum } else { 0.0 }
    }
}

/// Σ x^(2^k) 2^(k−1), k from 0, the first term being x; infinite at 1.
fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z <= before {
            return z;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rmat::rmat;
    use super::*;
    use crate::harmonic;

    fn run(graph: &Csr, log_registers: u32) -> Balls {
        HyperBall { log_registers, ..HyperBall::default() }.run(graph, &graph.transpose()).unwrap()
    }

    #[test]
    fn counters_estimate_within_their_error() {
        for b in [6, 10] {
            let (estimator, m) = (Estimator::new(b), 1usize << b);
            assert_eq!(estimator.estimate(&vec![0; m]), 0.0);
            // 100 counters of each size: the mean of their errors is ten times as sure as one.
            for size in [1u64, 5, 50, 500, 5_000, 50_000] {
                let errors = (0..100u64).map(|run| {
                    let mut counter = vec![0u8; m];
                    for item in 0..size {
                        let hash = mix(item ^ mix(run << 32));
                        let cell = &mut counter[(hash >> (64 - b)) as usize];
                        *cell = (*cell).max((hash << b | (m as u64 - 1)).leading_zeros() as u8 + 1);
                    }
                    estimator.estimate(&counter) / size as f64 - 1.0
                });
                let errors: Vec<f64> = errors.collect();
                let expected = 1.04 / (m as f64).sqrt();
                let mean = errors.iter().sum::<f64>() / 100.0;
                let deviation = (errors.iter().map(|e| e * e).sum::<f64>() / 100.0).sqrt();
                assert!(
                    mean.abs() < 0.4 * expected && deviation < 1.3 * expected,
                    "{b} {size} {mean} {deviation}"
                );
            }
        }
    }

    #[test]
    fn close_to_the_exact_values() {
        let graph = Csr::from_arcs(1 << 11, rmat(11, 6, 1)).unwrap();
        let transpose = graph.transpose();
        let nodes: Vec<u32> = (0..graph.num_nodes() as u32).collect();
        let exact = harmonic(&transpose, &nodes).unwrap();
        for b in [6, 8, 12] {
            let balls = run(&graph, b);
            let squares: f64 = balls
                .harmonic
                .iter()
                .zip(&exact)
                .filter(|(_, e)| **e > 0.0)
                .map(|(h, e)| (h / e - 1.0).powi(2))
                .sum();
            let count = exact.iter().filter(|e| **e > 0.0).count() as f64;
            let deviation = (squares / count).sqrt();
            assert!(balls.converged && deviation < 2.0 * balls.relative_error, "{b}: {deviation}");
        }
    }

    /// A path has few changed nodes from the first step on: both ways to find candidates are taken.
    #[test]
    fn few_and_many_changes_agree() {
        let n = 3_000u32;
        let path = Csr::from_arcs(n as usize, (0..n - 1).map(|u| (u, u + 1))).unwrap();
        let balls = run(&path, 6);
        assert_eq!(balls.harmonic[0], 0.0);
        let exact: f64 = (1..n).map(|d| 1.0 / f64::from(d)).sum();
        assert!((balls.harmonic[n as usize - 1] / exact - 1.0).abs() < 0.3);
        let reaching = balls.reaching[n as usize - 1] / f64::from(n);
        assert!((reaching - 1.0).abs() < 0.4, "{reaching}");
        // The definition without any short cut.
        let estimator = Estimator::new(6);
        let mut registers = HyperBall { log_registers: 6, max_iterations: 0, ..HyperBall::default() };
        registers.seed = 1;
        let plain = {
            let seed = mix(1);
            let mut counter = vec![0u8; 64];
            for node in 0..u64::from(n) {
                let hash = mix(mix(node) ^ seed);
                let cell = &mut counter[(hash >> 58) as usize];
                *cell = (*cell).max((hash << 6 | 63).leading_zeros() as u8 + 1);
            }
            estimator.estimate(&counter)
        };
        assert!((balls.reaching[n as usize - 1] - plain).abs() < 1e-9 * plain);
        assert!(!registers.run(&path, &path.transpose()).unwrap().converged);
    }

    #[test]
    fn the_same_bytes_on_any_number_of_threads() {
        let graph = Csr::from_arcs(1 << 13, rmat(13, 5, 1)).unwrap();
        let transpose = graph.transpose();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                HyperBall { log_registers: 5, ..HyperBall::default() }.run(&graph, &transpose).unwrap()
            })
        };
        let one = on(1);
        assert_eq!(one, on(2));
        assert_eq!(one, on(5));
    }

    #[test]
    fn nothing_and_too_much() {
        let empty = Csr::from_arcs(0, []).unwrap();
        assert!(run(&empty, 4).harmonic.is_empty());
        let loops = Csr::from_arcs(2, [(0, 0), (1, 1)]).unwrap();
        assert_eq!(run(&loops, 4).harmonic, [0.0; 2]);
        for settings in [
            HyperBall { log_registers: 3, ..HyperBall::default() },
            HyperBall { log_registers: 17, ..HyperBall::default() },
        ] {
            assert!(settings.run(&loops, &loops).is_err());
        }
        let tight = HyperBall { memory_bytes: Some(100), ..HyperBall::default() };
        assert!(matches!(tight.run(&loops, &loops), Err(Error::Limit(_))));
    }
}
