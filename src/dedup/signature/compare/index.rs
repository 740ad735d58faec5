//! Which pages have a value: resemblances of one page with all before it by counting.

use rayon::prelude::*;

use crate::signature::compare::Lists;
use crate::signature::spotsigs::jaccard;

/// Values that two or more pages have, with these pages. The k-th occurrence of a value in a page is a value of its own, so
/// that what is counted is the resemblance of multisets.
pub(crate) struct InvertedIndex {
    /// Pages of each value, ascending, one value behind the other.
    pages: Vec<u32>,
    /// Where the pages of each value begin.
    starts: Vec<usize>,
    /// Values of each page.
    values: Vec<Vec<u32>>,
    /// Values of each page, those that no other page has too.
    lengths: Vec<usize>,
}

impl InvertedIndex {
    /// The index of ascending lists with repetitions, one a page.
    pub(crate) fn of(lists: &Lists) -> Self {
        let mut entries: Vec<(u64, u32, u32)> = Vec::new();
        for page in 0..lists.len() {
            for run in lists.get(page).chunk_by(|a, b| a == b) {
                entries.extend((0..run.len()).map(|time| (run[0], time as u32, page as u32)));
            }
        }
        entries.par_sort_unstable();
        let lengths = (0..lists.len()).map(|page| lists.get(page).len()).collect();
        let mut index = InvertedIndex {
            pages: Vec::new(),
            starts: vec![0],
            values: vec![Vec::new(); lists.len()],
            lengths,
        };
        for shared in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(|pages| pages.len() > 1) {
            let value = (index.starts.len() - 1) as u32;
            for &(_, _, page) in shared {
                index.pages.push(page);
                index.values[page as usize].push(value);
            }
            index.starts.push(index.pages.len());
        }
        index
    }

    /// Steps that all rows take.
    pub(crate) fn steps(&self) -> u64 {
        let pages = self.starts.windows(2).map(|ends| (ends[1] - ends[0]) as u64);
        pages.map(|pages| pages.saturating_mul(pages - 1) / 2).fold(0, u64::saturating_add)
    }

    /// Resemblance of a page with each of those before it; 0 where one has no value. `counts` is memory to be used again.
    pub(crate) fn resemblances<'i>(
        &'i self,
        page: usize,
        counts: &'i mut Vec<u32>,
    ) -> impl Iterator<Item = f64> + 'i {
        counts.clear();
        counts.resize(page, 0);
        for &value in &self.values[page] {
            let pages = &self.pages[self.starts[value as usize]..self.starts[value as usize + 1]];
            for &other in pages.iter().take_while(|&&other| (other as usize) < page) {
                counts[other as usize] += 1;
            }
        }
        let length = self.lengths[page];
        counts.iter().zip(&self.lengths).map(move |(&common, &other)| jaccard(common as usize, length, other))
    }
}
