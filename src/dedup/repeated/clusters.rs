//! How many different clusters the pages of a hash are in, exactly, however many these are.
//!
//! **Algorithm.** The numbers wait in a buffer. When it is full it is sorted and made unique; where that does not halve it,
//! everything goes on into an external sort.
//!
//! **Cost.** 128 KiB, and the budget given for a hash of many clusters.

use webmill_capture::error::Result;
use webmill_sort::{Budget, Sorter};

/// Numbers that wait in memory.
const WAITING: usize = 1 << 15;

/// The clusters of one hash at a time.
pub(super) struct ClusterCount {
    budget: Budget,
    waiting: Vec<u32>,
    many: Option<Sorter<u32>>,
}

impl ClusterCount {
    pub fn new(budget: &Budget) -> Self {
        ClusterCount { budget: budget.clone(), waiting: Vec::new(), many: None }
    }

    pub fn push(&mut self, cluster: u32) -> Result<()> {
        if self.waiting.last() == Some(&cluster) {
            return Ok(());
        }
        self.waiting.push(cluster);
        if self.waiting.len() < WAITING {
            return Ok(());
        }
        self.make_unique();
        if self.waiting.len() < WAITING / 2 {
            return Ok(());
        }
        let budget = &self.budget;
        let many = self.many.get_or_insert_with(|| Sorter::new(budget).with_combine(|a, b| a == b));
        many.extend(self.waiting.drain(..))
    }

    /// How many different ones there were; forgets them.
    pub fn take(&mut self) -> Result<u32> {
        self.make_unique();
        let Some(mut many) = self.many.take() else {
            let count = self.waiting.len() as u32;
            self.clear();
            return Ok(count);
        };
        many.extend(self.waiting.drain(..))?;
        let mut count = 0;
        for cluster in many.finish()? {
            cluster?;
            count += 1;
        }
        Ok(count)
    }

    /// Forgets the clusters.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.many = None;
    }

    fn make_unique(&mut self) {
        self.waiting.sort_unstable();
        self.waiting.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_clusters_are_counted_exactly() {
        let mut count = ClusterCount::new(&Budget::new(64 << 10).with_threads(1));
        let (few, many) = (0..300_000u32, 0..200_000u32);
        let spread = |n: u32| n.wrapping_mul(2_654_435_761) % 65_536;
        for (pushed, expected) in [
            (Vec::new(), 0),
            (vec![7; 100_000], 1),
            (few.clone().map(|n| n % 1_000).collect(), 1_000),
            (many.clone().collect(), 200_000),
            (many.map(spread).collect(), 65_536),
            (vec![1, 2, 1], 2),
        ] {
            pushed.iter().for_each(|&cluster| count.push(cluster).unwrap());
            assert_eq!(count.take().unwrap(), expected);
        }
        few.for_each(|cluster| count.push(cluster).unwrap());
        count.clear();
        assert_eq!(count.take().unwrap(), 0);
    }
}
