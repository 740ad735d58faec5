//! Disjoint sets that many threads join at once.
//!
//! A set is a tree whose root is its least member; every other member points to a smaller one. Two sets are
//! joined by letting the greater root point to the smaller, with a compare-and-swap that fails if it is no root
//! any more. Which unions come first decides the trees, never the sets, and roots are least members: the labels
//! are the same on any number of threads.
//!
//! **Reference.** M. Sutton, T. Ben-Nun, A. Barak, Optimizing parallel graph connectivity computation via
//! subgraph sampling, *IPDPS* (2018), doi:10.1109/IPDPS.2018.00012.

use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Members that one task takes.
const CHUNK: usize = 1 << 14;

/// Disjoint sets of `0..n`; 4 bytes a member.
pub(super) struct Sets {
    parent: Vec<AtomicU32>,
}

impl Sets {
    /// Every member alone.
    pub fn new(n: usize) -> Self {
        Sets { parent: (0..n as u32).into_par_iter().with_min_len(CHUNK).map(AtomicU32::new).collect() }
    }

    #[inline]
    fn up(&self, member: u32) -> u32 {
        self.parent[member as usize].load(Relaxed)
    }

    /// Joins the sets of two members.
    #[inline]
    pub fn join(&self, a: u32, b: u32) {
        let (mut a, mut b) = (self.up(a), self.up(b));
        while a != b {
            let (low, high) = (a.min(b), a.max(b));
            let above = self.up(high);
            if above == low {
                return;
            }
            if above == high {
                let cell = &self.parent[high as usize];
                if cell.compare_exchange(high, low, Relaxed, Relaxed).is_ok() {
                    return;
                }
            }
            a = self.up(self.up(high));
            b = self.up(low);
        }
    }

    /// What a member points to: after [`flatten`](Self::flatten) and without joins since, the least of its set.
    #[inline]
    pub fn label(&self, member: u32) -> u32 {
        self.up(member)
    }

    /// Lets every member point to its root.
    pub fn flatten(&self) {
        (0..self.parent.len() as u32).into_par_iter().with_min_len(CHUNK).for_each(|member| {
            let mut root = self.up(member);
            loop {
                let above = self.up(root);
                if above == root {
                    break;
                }
                root = above;
            }
            self.parent[member as usize].store(root, Relaxed);
        });
    }

    /// Least member of the set of each member.
    pub fn into_labels(self) -> Vec<u32> {
        self.flatten();
        self.parent.into_par_iter().with_min_len(CHUNK).map(AtomicU32::into_inner).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_are_least_members(joins in prop::collection::vec((0u32..50, 0u32..50), 0..80)) {
            let sets = Sets::new(50);
            joins.par_iter().for_each(|&(a, b)| sets.join(a, b));
            let mut expected: Vec<u32> = (0..50).collect();
            for _ in 0..50 {
                for &(a, b) in &joins {
                    let least = expected[a as usize].min(expected[b as usize]);
                    (expected[a as usize], expected[b as usize]) = (least, least);
                }
            }
            prop_assert_eq!(sets.into_labels(), expected);
        }
    }

    #[test]
    fn a_long_chain_joined_by_many_threads() {
        let n = 1 << 20;
        let sets = Sets::new(n);
        (1..n as u32).into_par_iter().for_each(|i| sets.join(i, i - 1));
        assert!(sets.into_labels().iter().all(|&label| label == 0));
    }
}
