//! A distinct sample of the texts of a host: whether they come again, over any period.
//!
//! The keys with `level` trailing zeros are kept; when there are more than [`MOST`], the level rises. Each text in the
//! sample stands for 2^level texts, and says whether it was there before, however long ago.
//!
//! **Reference.** Gibbons, "Distinct sampling for highly-accurate answers", VLDB 2001.

use serde::{Deserialize, Serialize};

/// Keys kept.
const MOST: usize = 32;

/// The sample.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DistinctSample {
    /// Little-endian.
    keys: Vec<[u8; 4]>,
    level: u8,
}

impl DistinctSample {
    /// Takes a key: whether it was there before and how many texts it stands for; `None`: it is not in the sample.
    pub fn take(&mut self, key: u32) -> Option<(bool, u32)> {
        if key.trailing_zeros() < u32::from(self.level) {
            return None;
        }
        let bytes = key.to_le_bytes();
        let stands_for = 1 << self.level.min(31);
        if self.keys.contains(&bytes) {
            return Some((true, stands_for));
        }
        self.keys.push(bytes);
        while self.keys.len() > MOST && self.level < 32 {
            self.level += 1;
            let level = u32::from(self.level);
            self.keys.retain(|key| u32::from_le_bytes(*key).trailing_zeros() >= level);
        }
        Some((false, stands_for))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::mix;
    use super::*;

    #[test]
    fn repeats_are_counted_over_long_periods() {
        let mut sample = DistinctSample::default();
        let keys = |from: u64| (from..from + 3000).map(|n| mix(n) as u32);
        assert!(keys(0).all(|key| sample.take(key).is_none_or(|(again, _)| !again)));
        assert!(sample.keys.len() <= MOST && sample.level >= 5);
        let all: u32 =
            keys(0).filter_map(|key| sample.take(key)).map(|(again, n)| u32::from(again) * n).sum();
        assert!((1000..6000).contains(&all), "{all}");
        assert!(keys(9000).all(|key| sample.take(key).is_none_or(|(again, _)| !again)));
    }
}
