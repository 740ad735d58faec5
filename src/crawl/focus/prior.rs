//! A priority's place among all so far, in [0, 1].
//!
//! **Definition.** (those lower + half of those equal) / all, where priorities count as equal that share sign, exponent and four bits of mantissa.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Counts of priorities by size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct PriorRanks {
    counts: BTreeMap<u16, u64>,
    all: u64,
}

impl PriorRanks {
    /// Counts a priority and gives its place among those before it; ½ where it is the first.
    pub fn add(&mut self, priority: f64) -> f32 {
        let place = self.of(priority);
        *self.counts.entry(bin(priority)).or_default() += 1;
        self.all += 1;
        place
    }

    /// The place of a priority.
    pub fn of(&self, priority: f64) -> f32 {
        if self.all == 0 {
            return 0.5;
        }
        let bin = bin(priority);
        let lower: u64 = self.counts.range(..bin).map(|(_, count)| count).sum();
        let equal = self.counts.get(&bin).copied().unwrap_or(0);
        ((lower as f64 + equal as f64 / 2.0) / self.all as f64) as f32
    }
}

/// Ascending with the priority.
fn bin(priority: f64) -> u16 {
    let bits = (if priority.is_nan() { 0.0 } else { priority + 0.0 }).to_bits();
    let ascending = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    (ascending >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let mut ranks = PriorRanks::default();
        assert_eq!(ranks.add(1.0), 0.5);
        assert_eq!(ranks.add(2.0), 1.0);
        assert_eq!(ranks.add(-1.0), 0.0);
        assert_eq!(ranks.add(1.0), 0.5);
        assert!((0.0..=1.0).contains(&ranks.add(f64::NAN)) && ranks.of(f64::INFINITY) == 1.0);
    }
}
