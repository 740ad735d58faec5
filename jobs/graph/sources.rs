//! The captures that have links, part by part of the tables: which are superseded, and their keys
//! under another seed. Kept in external sorts, so that a corpus of many captures a URL takes no more memory than another.

use std::collections::{HashMap, HashSet};
use std::iter::Peekable;
use std::ops::Range;

use webmill_capture::Result;
use webmill_sort::{Budget, Sorted, Sorter};

/// Captures as they become known, in any order.
pub struct Sources {
    /// Part, place.
    superseded: Sorter<[u64; 2]>,
    /// Part, place, stored key and key under the seed in two halves each.
    renamed: Sorter<[u64; 6]>,
    failed: Result<()>,
}

impl Sources {
    /// Nothing known yet.
    pub fn new(budget: &Budget) -> Self {
        Sources {
            superseded: Sorter::new(&budget.share(2)),
            renamed: Sorter::new(&budget.share(2)),
            failed: Ok(()),
        }
    }

    /// A later capture of the same URL counts instead of this one. A failure is told by [`finish`](Self::finish).
    pub fn supersede(&mut self, part: u32, place: u64) {
        if self.failed.is_ok() {
            self.failed = self.superseded.push([u64::from(part), place]);
        }
    }

    /// Under the seed the key `stored` of a link source at this place is `key`.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn rename(&mut self, part: u32, place: u64, stored: u128, key: u128) -> Result<()> {
        let halves = |n: u128| [(n >> 64) as u64, n as u64];
        let ([a, b], [c, d]) = (halves(stored), halves(key));
        self.renamed.push([u64::from(part), place, a, b, c, d])
    }

    /// All that is known, by parts.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self) -> Result<SortedSources> {
        self.failed?;
        Ok(SortedSources {
            superseded: self.superseded.finish()?.peekable(),
            renamed: self.renamed.finish()?.peekable(),
        })
    }
}

/// Captures in the order of the parts.
pub struct SortedSources {
    superseded: Peekable<Sorted<[u64; 2]>>,
    renamed: Peekable<Sorted<[u64; 6]>>,
}

/// The captures of some parts.
#[derive(Default)]
pub struct SourcesOfPart {
    superseded: HashSet<u64>,
    renamed: HashMap<(u64, u128), u128>,
}

impl SortedSources {
    /// Those of consecutive parts, which are asked for in ascending order. Memory: 8 bytes a superseded capture of these, of
    /// a corpus with colliding keys 56 a capture of them.
    ///
    /// # Errors
    /// Where a run file cannot be read.
    pub fn of_parts(&mut self, parts: Range<u32>) -> Result<SourcesOfPart> {
        let parts = u64::from(parts.start)..u64::from(parts.end);
        let mut of_part = SourcesOfPart::default();
        while let Some(item) =
            self.superseded.next_if(|item| item.as_ref().map_or(true, |item| item[0] < parts.end))
        {
            let [of, place] = item?;
            if parts.contains(&of) {
                of_part.superseded.insert(place);
            }
        }
        while let Some(item) =
            self.renamed.next_if(|item| item.as_ref().map_or(true, |item| item[0] < parts.end))
        {
            let [of, place, a, b, c, d] = item?;
            let whole = |high: u64, low: u64| (u128::from(high) << 64) | u128::from(low);
            if parts.contains(&of) {
                of_part.renamed.insert((place, whole(a, b)), whole(c, d));
            }
        }
        Ok(of_part)
    }
}

impl SourcesOfPart {
    /// Whether any capture of the part is superseded: else places need not be worked out.
    pub fn any_superseded(&self) -> bool {
        !self.superseded.is_empty()
    }

    /// Whether a later capture of its URL counts instead of this one.
    pub fn is_superseded(&self, place: u64) -> bool {
        self.superseded.contains(&place)
    }

    /// The key under the seed of a link source.
    pub fn renamed(&self, place: u64, stored: u128) -> Option<u128> {
        self.renamed.get(&(place, stored)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_come_back_by_their_parts() {
        let mut sources = Sources::new(&Budget::new(1 << 12));
        for n in (0..2000u64).rev() {
            sources.supersede((n % 5) as u32, n);
            sources.rename((n % 5) as u32, n, u128::from(n) << 70, u128::MAX - u128::from(n)).unwrap();
        }
        let mut sources = sources.finish().unwrap();
        // Part 2 is not asked for: it has no links.
        for part in [0, 1, 3, 4] {
            let of_part = sources.of_parts(part..part + 1).unwrap();
            assert_eq!(of_part.superseded.len(), 400);
            assert!(of_part.is_superseded(u64::from(part) + 5) && !of_part.is_superseded(2));
            let n = u128::from(part) + 10;
            assert_eq!(of_part.renamed(n as u64, n << 70), Some(u128::MAX - n));
            assert_eq!(of_part.renamed(n as u64, n), None);
        }
        assert!(!sources.of_parts(9..10).unwrap().any_superseded());
    }
}
