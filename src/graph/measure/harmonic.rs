//! Harmonic centrality: exactly, or of large graphs estimated.
//!
//! **Definition.** The harmonic centrality of x is Σ 1/d(y, x) over the nodes y ≠ x that reach x, d counting
//! arcs: a page is central if many pages reach it over few links. Unlike closeness it means the same whether or not all
//! nodes are reached.
//!
//! **Algorithm.** Of some nodes: one breadth-first search from each over the transpose. Of all: searches from
//! `all_at_once` along the arcs, 256 sources together, a bit each; for graphs too large for that
//! [`HyperBall`], with as many registers as the memory allowed holds.
//!
//! **Cost.** O(n + m) for each node asked about; 8 bytes a node and thread. Of all: O(n (n + m) / 256) times the number
//! of distances at which a node is mostly met; 120 bytes a node and thread. Which of the two it is depends on the size
//! of the graph and the memory allowed alone.
//!
//! **Determinism.** Whole numbers are counted, distance by distance, and sums taken in the order of the sources: the
//! same bytes on any number of threads.
//!
//! **Error.** None but rounding, or that of HyperBall, which is told: 3.3 % with 2^10 registers. Measured there against the
//! exact scores of four graphs of 120,000 to 330,000 nodes (cnr-2000, R-MAT, preferential attachment, sites; five seeds
//! each, `benches/harmonic.rs`): a median of 1.4 to 2.1 % and a 95 % quantile of 2.0 to 2.6 % with the middle seed, 4.7 %
//! and 6.5 % with the worst, errors being of one sign mostly; of the 100 most central nodes 83 (R-MAT, where the best are
//! all but alike) to 99 are among the 100 of the estimate; Kendall's tau is .98 and more. A node that only few others
//! reach may be far off, or get nothing.
//!
//! **Reference.** P. Boldi, S. Vigna, Axioms for centrality, *Internet Mathematics* 10 (2014),
//! doi:10.1080/15427951.2013.865686. M. Then et al., The more the merrier: efficient multi-source graph traversal,
//! *PVLDB* 8 (2014), doi:10.14778/2735496.2735507.

mod all_at_once;

use super::{Convergence, Measure, MeasureInfo, MeasureSettings, Measured, Score, Values};
use crate::csr::Csr;
use crate::hyperball::HyperBall;
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};

/// Harmonic centrality of these nodes of a graph whose transpose is `transpose`.
///
/// # Errors
/// [`Error::Config`] if there is no such node.
///
/// # Examples
/// ```
/// # use webmill_graph::{Csr, harmonic};
/// let path = Csr::from_arcs(3, [(0, 1), (1, 2)])?;
/// assert_eq!(harmonic(&path.transpose(), &[0, 1, 2])?, [0.0, 1.0, 1.5]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub fn harmonic(transpose: &Csr, nodes: &[u32]) -> Result<Vec<f64>> {
    let n = transpose.num_nodes();
    if let Some(node) = nodes.iter().find(|&&node| node as usize >= n) {
        return Err(Error::Config(format!("there is no node {node} among {n}")));
    }
    // A few long runs, since each keeps its marks from one search to the next.
    let length = nodes.len().div_ceil(4 * rayon::current_num_threads().max(1)).max(1);
    let parts: Vec<Vec<f64>> = nodes
        .par_chunks(length)
        .map(|nodes| {
            let (mut seen, mut queue) = (vec![0u32; n], Vec::new());
            (1..)
                .zip(nodes)
                .map(|(mark, &node)| search(transpose, node, mark, &mut seen, &mut queue))
                .collect()
        })
        .collect();
    Ok(parts.concat())
}

/// Nodes up to which exact harmonic centrality costs less than the estimate. It grows by the square of the nodes: on simulated Webs
/// it took .03 s of a processor for 5,000 nodes (the estimate .07), 1.1 for 20,000 (.4), 22 for 60,000 (1.7), where PageRank, HITS
/// and SALSA together took .02, .08 and .2.
pub const EXACT_NODES: u64 = 5_000;

/// Harmonic centrality of all nodes: set what differs from the defaults, then [`run`](Self::run).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harmonic {
    /// Nodes of a graph up to which it is exact. Default [`EXACT_NODES`].
    pub exact_nodes: u64,
    /// Registers of HyperBall's counters beyond that: 2 to this power, 4 to 16, if these fit the memory, else as many
    /// as do. Default 10, for an error of 3.3 %.
    pub log_registers: u32,
    /// Bytes that all of it may take besides the graph and its transpose. Default no limit.
    pub memory_bytes: Option<u64>,
}

impl Default for Harmonic {
    fn default() -> Self {
        Harmonic { exact_nodes: EXACT_NODES, log_registers: 10, memory_bytes: None }
    }
}

/// Harmonic centrality of all nodes, with its error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Centralities {
    /// Of each node.
    pub scores: Vec<f64>,
    /// Registers of a counter as a power of two; `None` if the scores are exact.
    pub log_registers: Option<u32>,
    /// Relative standard deviation of a score; 0 where they are exact.
    pub relative_error: f64,
    /// Greatest distance that was looked at, or steps of HyperBall.
    pub iterations: usize,
    /// Were all distances looked at?
    pub converged: bool,
}

impl Centralities {
    /// What they are, in words: exact, or with which error.
    pub fn about(&self) -> String {
        match self.log_registers {
            None => "exact".into(),
            Some(b) => format!(
                "estimated with 2^{b} registers, relative standard error {:.1} %",
                100.0 * self.relative_error
            ),
        }
    }
}

impl Harmonic {
    /// Computes the centralities of `graph`, whose transpose is `transpose`.
    ///
    /// # Errors
    /// As [`HyperBall::run`].
    ///
    /// # Examples
    /// ```
    /// # use webmill_graph::{Csr, Harmonic};
    /// let path = Csr::from_arcs(3, [(0, 1), (1, 2)])?;
    /// let found = Harmonic::default().run(&path, &path.transpose())?;
    /// assert_eq!((found.scores, found.relative_error), (vec![0.0, 1.0, 1.5], 0.0));
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn run(&self, graph: &Csr, transpose: &Csr) -> Result<Centralities> {
        let n = graph.num_nodes();
        if transpose.num_nodes() != n || transpose.num_arcs() != graph.num_arcs() {
            return Err(Error::Config("the transpose is of another graph".into()));
        }
        let fits = |bytes: u64| self.memory_bytes.is_none_or(|allowed| bytes <= allowed);
        if n as u64 <= self.exact_nodes && fits(all_at_once::memory_estimate(n)) {
            let (scores, iterations) = all_at_once::harmonic(graph, self.memory_bytes);
            let (log_registers, relative_error) = (None, 0.0);
            return Ok(Centralities { scores, log_registers, relative_error, iterations, converged: true });
        }
        let ball = |log_registers| {
            let memory_bytes = self.memory_bytes;
            HyperBall { log_registers, memory_bytes, ..HyperBall::default() }
        };
        let fitting = (4..=self.log_registers).rev().find(|&b| fits(ball(b).memory_estimate(n)));
        let ball = ball(fitting.unwrap_or(self.log_registers));
        let found = ball.run(graph, transpose)?;
        Ok(Centralities {
            scores: found.harmonic,
            log_registers: Some(ball.log_registers),
            relative_error: found.relative_error,
            iterations: found.iterations,
            converged: found.converged,
        })
    }
}

/// Harmonic centrality as a measure, by the settings' [`harmonic`](MeasureSettings::harmonic).
pub struct ByHarmonic;

impl Measure for ByHarmonic {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            name: "harmonic",
            about: "harmonic centrality, of large graphs estimated by HyperBall",
            cost: "exact O(n (n + m) / 256) a distance and 120 bytes a node and thread; estimated O(m) a step and 16 to 1,024 bytes a node",
            in_tables: true,
            error_name: "relative_error",
            scores: &[Score {
                name: "harmonic",
                label: "harmonic",
                about: "harmonic centrality: sum of 1/distance from every node that leads here, exact, or where the graph is large estimated by HyperBall (error in table convergence)",
                example: "10432.5",
                values: Values::Estimates,
                compared: true,
            }],
        }
    }

    fn run(&self, graph: &Csr, transpose: &Csr, with: &MeasureSettings<'_>) -> Result<Measured> {
        let found = with.harmonic.run(graph, transpose)?;
        let convergence = Convergence {
            iterations: found.iterations,
            error: found.relative_error,
            converged: found.converged,
            ..Convergence::default()
        };
        let note = Some(format!("harmonic centrality: {}", found.about()));
        Ok(Measured { scores: vec![found.scores], convergence: Some(convergence), note })
    }
}

/// Searches from one node; a node is seen if it bears this search's mark.
fn search(graph: &Csr, from: u32, mark: u32, seen: &mut [u32], queue: &mut Vec<u32>) -> f64 {
    queue.clear();
    queue.push(from);
    seen[from as usize] = mark;
    let (mut centrality, mut distance, mut level) = (0.0, 0.0, 0);
    while level < queue.len() {
        let end = queue.len();
        for at in level..end {
            for &v in graph.successor_slice(queue[at]) {
                if seen[v as usize] != mark {
                    seen[v as usize] = mark;
                    queue.push(v);
                }
            }
        }
        distance += 1.0;
        centrality += (queue.len() - end) as f64 / distance;
        level = end;
    }
    centrality
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::tests::graphs;
    use crate::rmat::rmat;
    use proptest::prelude::*;

    fn one_by_one(graph: &Csr) -> Vec<f64> {
        let nodes: Vec<u32> = (0..graph.num_nodes() as u32).collect();
        harmonic(&graph.transpose(), &nodes).unwrap()
    }

    fn all(graph: &Csr) -> Centralities {
        Harmonic::default().run(graph, &graph.transpose()).unwrap()
    }

    #[test]
    fn closed_forms() {
        let clique = Csr::from_arcs(5, (0..25).map(|i| (i / 5, i % 5))).unwrap();
        let star = Csr::from_arcs(5, (1..5).map(|leaf| (leaf, 0))).unwrap();
        let cycle = Csr::from_arcs(50, (0..50).map(|u| (u, (u + 1) % 50))).unwrap();
        let expected: f64 = (1..50).map(|d| 1.0 / f64::from(d)).sum();
        for of in [one_by_one, |graph: &Csr| all(graph).scores] {
            assert_eq!(of(&clique), [4.0; 5]);
            assert_eq!(of(&star), [4.0, 0.0, 0.0, 0.0, 0.0]);
            assert!(of(&cycle).iter().all(|h| (h - expected).abs() < 1e-12));
            assert!(of(&Csr::from_arcs(0, []).unwrap()).is_empty());
        }
        assert!(harmonic(&cycle, &[50]).is_err());
        assert_eq!((all(&cycle).iterations, all(&cycle).about()), (49, "exact".to_owned()));
    }

    proptest! {
        #[test]
        fn all_at_once_is_one_by_one(graph in graphs(700, 1500)) {
            let (all, single) = (all(&graph), one_by_one(&graph));
            for (a, b) in all.scores.iter().zip(&single) {
                prop_assert!((a - b).abs() <= 1e-12 * b, "{a} {b}");
            }
        }
    }

    #[test]
    fn the_same_bytes_on_any_number_of_threads_and_in_any_memory() {
        let graph = Csr::from_arcs(1 << 12, rmat(12, 5, 1)).unwrap();
        let transpose = graph.transpose();
        let on = |threads, memory_bytes| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Harmonic { memory_bytes, ..Harmonic::default() }.run(&graph, &transpose).unwrap())
        };
        let one = on(1, None);
        assert_eq!(one, on(3, None));
        assert_eq!(one, on(3, Some(all_at_once::memory_estimate(1 << 12))));
        assert!(one.log_registers.is_none());
    }

    #[test]
    fn beyond_the_limit_it_is_estimated_with_what_fits_and_says_so() {
        let graph = Csr::from_arcs(1 << 11, rmat(11, 6, 1)).unwrap();
        let transpose = graph.transpose();
        let exact = one_by_one(&graph);
        for (memory_bytes, registers) in [(None, 10), (Some(600 << 11), 8), (Some(100 << 11), 5)] {
            let settings = Harmonic { exact_nodes: 1000, memory_bytes, ..Harmonic::default() };
            let found = settings.run(&graph, &transpose).unwrap();
            assert_eq!(found.log_registers, Some(registers));
            assert!((found.relative_error - 1.04 / f64::from(1 << registers).sqrt()).abs() < 1e-12);
            let errors = found.scores.iter().zip(&exact).filter(|(_, e)| **e > 0.0);
            let mut errors: Vec<f64> = errors.map(|(f, e)| (f / e - 1.0).abs()).collect();
            errors.sort_by(f64::total_cmp);
            assert!(errors[errors.len() / 2] < 1.5 * found.relative_error, "{registers}");
        }
        let tight = Harmonic { memory_bytes: Some(1000), ..Harmonic::default() };
        assert!(matches!(tight.run(&graph, &transpose), Err(Error::Limit(_))));
    }
}
