//! Harmonic centrality, exactly.
//!
//! **Definition.** The harmonic centrality of x is Σ 1/d(y, x) over the nodes y ≠ x that reach x, d counting
//! arcs: what is linked from near many pages is central. Unlike closeness it means the same whether or not all
//! nodes are reached.
//!
//! **Algorithm.** One breadth-first search from each node over the transpose. For graphs too large for that
//! there is [`HyperBall`](super::HyperBall).
//!
//! **Cost.** O(n + m) for each node asked about; 8 bytes a node and thread.
//!
//! **Determinism.** Whole numbers are counted, distance by distance: the same bytes on any number of threads.
//!
//! **Reference.** P. Boldi, S. Vigna, Axioms for centrality, *Internet Mathematics* 10 (2014),
//! doi:10.1080/15427951.2013.865686.

use super::csr::{Csr, Graph};
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

/// Steps that [`harmonic_of_all`] may take to be exact.
const EXACT_STEPS: u64 = 100_000_000;

/// Harmonic centrality of all nodes: exactly where that is quick, estimated by `ball` elsewhere.
///
/// # Errors
/// As [`HyperBall::run`](super::HyperBall::run).
pub fn harmonic_of_all(graph: &Csr, transpose: &Csr, ball: &super::HyperBall) -> Result<Vec<f64>> {
    let n = transpose.num_nodes();
    if n as u64 * (n as u64 + transpose.num_arcs()) <= EXACT_STEPS {
        let nodes: Vec<u32> = (0..n as u32).collect();
        return harmonic(transpose, &nodes);
    }
    Ok(ball.run(graph, transpose)?.harmonic)
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

    #[test]
    fn closed_forms() {
        let all = |graph: &Csr| {
            let nodes: Vec<u32> = (0..graph.num_nodes() as u32).collect();
            harmonic(&graph.transpose(), &nodes).unwrap()
        };
        let clique = Csr::from_arcs(5, (0..25).map(|i| (i / 5, i % 5))).unwrap();
        assert_eq!(all(&clique), [4.0; 5]);
        let star = Csr::from_arcs(5, (1..5).map(|leaf| (leaf, 0))).unwrap();
        assert_eq!(all(&star), [4.0, 0.0, 0.0, 0.0, 0.0]);
        let cycle = Csr::from_arcs(50, (0..50).map(|u| (u, (u + 1) % 50))).unwrap();
        let expected: f64 = (1..50).map(|d| 1.0 / f64::from(d)).sum();
        assert!(all(&cycle).iter().all(|h| (h - expected).abs() < 1e-12));
        assert!(harmonic(&cycle, &[50]).is_err());
        assert!(harmonic(&Csr::from_arcs(0, []).unwrap(), &[]).unwrap().is_empty());
    }
}
