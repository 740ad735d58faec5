//! What is known of the captures that links stand on: which are superseded, and their keys under another seed. On disk, so that
//! a corpus of many captures a URL takes no more memory than another.

use webmill_capture::Result;
use webmill_sort::{Budget, Mapped, Sorter};

/// Captures as they become known, in any order.
pub struct Sources {
    /// Places.
    superseded: Sorter<u64>,
    /// Place, stored key and key under the seed in two halves each.
    renamed: Sorter<[u64; 5]>,
    failed: Result<()>,
}

impl Sources {
    /// Nothing known yet.
    pub fn new(budget: &Budget) -> Self {
        let share = budget.share(2);
        Sources { superseded: Sorter::new(&share), renamed: Sorter::new(&share), failed: Ok(()) }
    }

    /// A later capture of the same URL counts instead of this one. A failure is told by [`finish`](Self::finish).
    pub fn supersede(&mut self, place: u64) {
        if self.failed.is_ok() {
            self.failed = self.superseded.push(place);
        }
    }

    /// Under the seed the key `stored` of a link source at this place is `key`.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn rename(&mut self, place: u64, stored: u128, key: u128) -> Result<()> {
        let ([a, b], [c, d]) = (halves(stored), halves(key));
        self.renamed.push([place, a, b, c, d])
    }

    /// All that is known.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn finish(self) -> Result<KnownSources> {
        self.failed?;
        Ok(KnownSources {
            superseded: self.superseded.mapped()?,
            renamed: self.renamed.mapped()?,
            last: None,
        })
    }
}

fn halves(key: u128) -> [u64; 2] {
    [(key >> 64) as u64, key as u64]
}

/// Captures by their places.
pub struct KnownSources {
    superseded: Mapped<u64>,
    renamed: Mapped<[u64; 5]>,
    /// The place that was asked for last, and the answer: links of a page follow each other.
    last: Option<(u64, bool)>,
}

impl KnownSources {
    /// Whether any capture is superseded: else places need not be worked out.
    pub fn any_superseded(&self) -> bool {
        !self.superseded.is_empty()
    }

    /// Whether a later capture of its URL counts instead of this one.
    pub fn is_superseded(&mut self, place: u64) -> bool {
        match self.last {
            Some((of, is)) if of == place => is,
            _ => {
                let is = self.superseded.binary_search(&place).is_ok();
                self.last = Some((place, is));
                is
            }
        }
    }

    /// The key under the seed of a link source.
    pub fn renamed(&self, place: u64, stored: u128) -> Option<u128> {
        let [a, b] = halves(stored);
        let at = self.renamed.binary_search_by(|row| row[..3].cmp(&[place, a, b])).ok()?;
        Some(u128::from(self.renamed[at][3]) << 64 | u128::from(self.renamed[at][4]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_come_back_by_their_places() {
        let mut sources = Sources::new(&Budget::new(1 << 12));
        for n in (0..2000u64).rev() {
            sources.supersede(2 * n);
            sources.rename(n, u128::from(n) << 70, u128::MAX - u128::from(n)).unwrap();
        }
        let mut sources = sources.finish().unwrap();
        for n in 0..2000 {
            assert_eq!(
                [2 * n, 2 * n, 2 * n + 1].map(|place| sources.is_superseded(place)),
                [true, true, false]
            );
            assert_eq!(sources.renamed(n, u128::from(n) << 70), Some(u128::MAX - u128::from(n)));
            assert_eq!(sources.renamed(n, 1), None);
        }
        assert!(sources.any_superseded());
    }
}
