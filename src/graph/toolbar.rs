//! The toolbar scale: PageRank as whole numbers from 0 to 10.
//!
//! **Definition.** On the classical scale ([`Scale::Classical`](super::Scale)) no page has less than 1 − d, and
//! none more than N d + (1 − d): what a page gets to which all N pages (itself among them) have their one link.
//! The toolbar value is the number of times that a rank can be divided by the base before it falls below the
//! least: value k covers [least · baseᵏ, least · baseᵏ⁺¹): 0.15–0.9, 0.9–5.4, 5.4–32.4, … with the customary
//! 0.15 and 6. Values end at 10, as the toolbar did.
//!
//! **Reference.** I. Rogers, The Google PageRank algorithm and how it works (2002).

use webmill_capture::error::{Error, Result};

/// Greatest toolbar value.
pub const GREATEST: u8 = 10;

/// A logarithmic scale of ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toolbar {
    /// Ratio of one value's ranks to those of the value before; above 1. Default 6.
    pub base: f64,
    /// Least rank of the classical scale, 1 − d; above 0. Default 0.15.
    pub least: f64,
}

impl Default for Toolbar {
    fn default() -> Self {
        Toolbar { base: 6.0, least: 0.15 }
    }
}

impl Toolbar {
    /// A scale for ranks with this damping.
    ///
    /// # Errors
    /// [`Error::Config`] if the damping is not in [0, 1) or the base not a number above 1.
    pub fn new(damping: f64, base: f64) -> Result<Self> {
        if !(0.0..1.0).contains(&damping) {
            return Err(Error::Config(format!("damping {damping} is not in [0, 1)")));
        }
        if !(base.is_finite() && base > 1.0) {
            return Err(Error::Config(format!("the toolbar's base {base} is not a number above 1")));
        }
        Ok(Toolbar { base, least: 1.0 - damping })
    }

    /// Toolbar value of a rank on the classical scale.
    ///
    /// # Examples
    /// ```
    /// # use webmill_graph::Toolbar;
    /// let values = [0.15, 0.89, 0.9, 5.4, 1e30].map(|rank| Toolbar::default().value(rank));
    /// assert_eq!(values, [0, 0, 1, 2, 10]);
    /// ```
    pub fn value(&self, rank: f64) -> u8 {
        // Products of decimal fractions miss their true value by a last digit; edges belong to the upper range.
        let reached = |value: &u8| rank >= self.range(*value).0 * (1.0 - 1e-12);
        (1..=GREATEST).take_while(reached).last().unwrap_or(0)
    }

    /// Ranks that a value covers: from the first, below the second.
    pub fn range(&self, value: u8) -> (f64, f64) {
        let low = self.least * self.base.powi(i32::from(value));
        (low, low * self.base)
    }

    /// Greatest rank that a page can have among `nodes`, on the classical scale.
    pub fn greatest_rank(&self, nodes: usize) -> f64 {
        nodes as f64 * (1.0 - self.least) + self.least
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Csr, PageRank, Scale};
    use super::*;

    #[test]
    fn ranges_of_the_literature() {
        let toolbar = Toolbar::default();
        for (value, low, high) in [(0, 0.15, 0.9), (1, 0.9, 5.4), (2, 5.4, 32.4), (3, 32.4, 194.4)] {
            let range = toolbar.range(value);
            assert!((range.0 / low - 1.0).abs() < 1e-12 && (range.1 / high - 1.0).abs() < 1e-12, "{range:?}");
            assert_eq!((toolbar.value(low), toolbar.value(high)), (value, value + 1));
            assert_eq!(toolbar.value(high * 0.999), value);
        }
        assert_eq!((toolbar.value(0.0), toolbar.value(f64::NAN), toolbar.value(f64::INFINITY)), (0, 0, 10));
        assert!(Toolbar::new(1.0, 6.0).is_err() && Toolbar::new(0.85, 1.0).is_err());
        assert!((Toolbar::new(0.85, 6.0).unwrap().least - 0.15).abs() < 1e-15);
    }

    #[test]
    fn the_greatest_rank_is_reached() {
        for n in [1u32, 2, 50] {
            let graph = Csr::from_arcs(n as usize, (0..n).map(|u| (u, 0))).unwrap();
            let settings = PageRank { scale: Scale::Classical, tolerance: 1e-13, ..PageRank::default() };
            let rank = settings.run(&graph, &graph.transpose()).unwrap().scores[0];
            assert!((rank - Toolbar::default().greatest_rank(n as usize)).abs() < 1e-10, "{rank}");
        }
    }
}
