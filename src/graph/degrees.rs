//! Degree distributions.
//!
//! Histograms of out-, in- and total degree, the number of nodes of each degree, and whether [power
//! laws](super::power_law) fit them.

use super::csr::Csr;
use super::power_law::{PowerLaw, fit};

/// How many nodes have each degree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// (degree, nodes of that degree), by degree; only degrees that occur.
    pub counts: Vec<(u64, u64)>,
}

impl Histogram {
    /// Of any numbers.
    pub fn of(values: impl IntoIterator<Item = u64>) -> Self {
        // Small values are counted in place, the few large ones sorted.
        let mut small = vec![0u64; 1 << 12];
        let mut large = Vec::new();
        for value in values {
            match small.get_mut(value as usize) {
                Some(count) => *count += 1,
                None => large.push(value),
            }
        }
        large.sort_unstable();
        let mut counts: Vec<(u64, u64)> = (0..).zip(small).filter(|(_, count)| *count > 0).collect();
        for value in large {
            match counts.last_mut() {
                Some((last, count)) if *last == value => *count += 1,
                _ => counts.push((value, 1)),
            }
        }
        Histogram { counts }
    }

    /// Number of values.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|c| c.1).sum()
    }

    /// Mean value; 0 of no values.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.counts.iter().map(|&(value, count)| value as f64 * count as f64).sum();
        if self.counts.is_empty() { 0.0 } else { sum / self.total() as f64 }
    }

    /// Greatest value; 0 of no values.
    pub fn max(&self) -> u64 {
        self.counts.last().map_or(0, |c| c.0)
    }

    /// The power law that fits the positive values best, if there are enough of them.
    pub fn power_law(&self) -> Option<PowerLaw> {
        fit(&self.counts)
    }
}

/// Degree histograms of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degrees {
    /// Arcs that leave a node.
    pub out: Histogram,
    /// Arcs that enter a node.
    pub r#in: Histogram,
    /// Both.
    pub total: Histogram,
}

impl Degrees {
    /// Degrees of a graph with its transpose.
    ///
    /// # Panics
    /// If the transpose is of a graph of another size.
    pub fn of(graph: &Csr, transpose: &Csr) -> Self {
        assert_eq!(graph.num_nodes(), transpose.num_nodes(), "graph and transpose of one graph");
        let nodes = 0..graph.num_nodes() as u32;
        let (out, r#in) = (|u: u32| graph.outdegree(u) as u64, |u: u32| transpose.outdegree(u) as u64);
        Degrees {
            out: Histogram::of(nodes.clone().map(out)),
            r#in: Histogram::of(nodes.clone().map(r#in)),
            total: Histogram::of(nodes.map(|u| out(u) + r#in(u))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_small_and_large_values() {
        let values = [0, 3, 3, 100_000, 5_000, 100_000, 1 << 40, 4095, 4096];
        let histogram = Histogram::of(values);
        let expected = [(0, 1), (3, 2), (4095, 1), (4096, 1), (5_000, 1), (100_000, 2), (1 << 40, 1)];
        assert_eq!(histogram.counts, expected);
        assert_eq!((histogram.total(), histogram.max()), (9, 1 << 40));
        assert_eq!((Histogram::of([]).mean(), Histogram::of([1, 2]).mean()), (0.0, 1.5));
    }

    #[test]
    fn degrees_of_a_star() {
        let star = Csr::from_arcs(5, (1..5).map(|leaf| (leaf, 0))).unwrap();
        let degrees = Degrees::of(&star, &star.transpose());
        assert_eq!(degrees.out.counts, [(0, 1), (1, 4)]);
        assert_eq!(degrees.r#in.counts, [(0, 4), (4, 1)]);
        assert_eq!(degrees.total.counts, [(1, 4), (4, 1)]);
    }
}
