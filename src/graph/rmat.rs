//! Random graphs with the skew of the Web: R-MAT.
//!
//! **Definition.** An arc is drawn by halving the adjacency matrix `scale` times, each time going on in the
//! quadrant that one throw picks with the probabilities a, b, c and 1 − a − b − c. Parallel arcs collapse, so
//! that a graph has somewhat fewer than `degree` × 2^`scale`.
//!
//! **Cost.** O(m log n); 8 bytes an arc drawn besides the graph.
//!
//! **Determinism.** A function of the settings alone: arcs are drawn in chunks of fixed length, each with a
//! generator of its own.
//!
//! **Reference.** D. Chakrabarti, Y. Zhan, C. Faloutsos, R-MAT: a recursive model for graph mining, *SDM*
//! (2004), doi:10.1137/1.9781611972740.43.

use super::csr::Csr;
use rayon::prelude::*;
use webmill_capture::error::{Error, Result};

/// A generator: set what differs from the defaults, then [`run`](Self::run).
#[derive(Clone, Debug, PartialEq)]
pub struct Rmat {
    /// Nodes: 2^scale; at most 31. Default 16.
    pub scale: u32,
    /// Arcs drawn a node. Default 16.
    pub degree: usize,
    /// Probabilities of the quadrants: upper left, upper right, lower left. Default 0.57, 0.19, 0.19.
    pub quadrants: [f64; 3],
    /// Another seed, another graph.
    pub seed: u64,
}

impl Default for Rmat {
    fn default() -> Self {
        Rmat { scale: 16, degree: 16, quadrants: [0.57, 0.19, 0.19], seed: 1 }
    }
}

/// Arcs drawn with one generator.
const CHUNK: usize = 1 << 14;

impl Rmat {
    /// Draws the graph.
    ///
    /// # Errors
    /// [`Error::Config`] if the scale is above 31 or the quadrants are no probabilities.
    ///
    /// # Examples
    /// ```
    /// # use webmill_graph::{Graph, Rmat};
    /// let graph = Rmat { scale: 10, ..Rmat::default() }.run()?;
    /// assert_eq!(graph.num_nodes(), 1024);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn run(&self) -> Result<Csr> {
        if self.scale > 31 {
            return Err(Error::Config(format!("scale {} is above 31", self.scale)));
        }
        let [a, b, c] = self.quadrants;
        if !(self.quadrants.iter().all(|p| (0.0..=1.0).contains(p)) && a + b + c <= 1.0 + 1e-12) {
            return Err(Error::Config(format!("the quadrants {a}, {b}, {c} are no probabilities")));
        }
        let total = self.degree << self.scale;
        let limits = [a, a + b, a + b + c].map(|p| (p * f64::from(1u32 << 31)) as u32);
        let mut arcs: Vec<(u32, u32)> = vec![(0, 0); total];
        arcs.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, arcs)| {
            let mut state = mix(self.seed ^ mix(chunk as u64));
            for arc in arcs {
                *arc = self.draw(&mut state, limits);
            }
        });
        Csr::from_arcs(1 << self.scale, arcs)
    }

    fn draw(&self, state: &mut u64, limits: [u32; 3]) -> (u32, u32) {
        let (mut u, mut v, mut bits) = (0, 0, 0);
        for level in 0..self.scale {
            if level % 2 == 0 {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                bits = mix(*state);
            }
            let throw = (bits as u32) >> 1;
            bits >>= 32;
            let quadrant = limits.iter().filter(|&&limit| throw >= limit).count() as u32;
            u = u << 1 | quadrant >> 1;
            v = v << 1 | quadrant & 1;
        }
        (u, v)
    }
}

/// A bijection of 64 bits whose output looks random (the finalizer of splitmix64).
pub(super) fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::super::Graph;
    use super::*;

    #[test]
    fn one_seed_one_graph_on_any_number_of_threads() {
        let on = |threads, seed| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Rmat { scale: 12, seed, ..Rmat::default() }.run().unwrap())
        };
        let (one, many, other) = (on(1, 1), on(3, 1), on(1, 2));
        assert!(one.offsets() == many.offsets() && one.targets() == many.targets());
        assert!(one.targets() != other.targets());
        assert!(one.num_arcs() > 40_000 && one.num_arcs() <= 16 << 12);
    }

    #[test]
    fn quadrants_have_their_probabilities() {
        let graph = Rmat { scale: 14, degree: 4, ..Rmat::default() }.run().unwrap();
        let half = 1 << 13;
        let mut counts = [0.0; 4];
        for (u, v, _) in graph.arcs() {
            counts[usize::from(u >= half) * 2 + usize::from(v >= half)] += 1.0 / graph.num_arcs() as f64;
        }
        // The dense quadrant loses more to parallel arcs.
        for (found, expected) in counts.into_iter().zip([0.57, 0.19, 0.19, 0.05]) {
            assert!((found - expected).abs() < 0.04, "{counts:?}");
        }
        assert_eq!(Rmat { scale: 0, ..Rmat::default() }.run().unwrap().num_arcs(), 1);
        assert!(Rmat { scale: 32, ..Rmat::default() }.run().is_err());
        assert!(Rmat { quadrants: [0.9, 0.9, 0.0], ..Rmat::default() }.run().is_err());
    }
}
