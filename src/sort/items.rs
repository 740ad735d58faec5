//! Sorting fixed-size items.

use super::budget::Budget;
use super::losers::Losers;
use super::mapped::Mapped;
use super::run::{Levels, Run, RunWriter};
use rayon::slice::ParallelSliceMut;
use webmill_capture::error::{Error, Result};

/// A fixed-size item: plain bytes with a total order.
///
/// Items that compare equal must have equal bytes, or the sorter must [combine](Sorter::with_combine) them;
/// otherwise which of two equal items comes first is not defined.
pub trait Item: Copy + Ord + bytemuck::Pod + Send + Sync {}

impl<T: Copy + Ord + bytemuck::Pod + Send + Sync> Item for T {}

/// Merges the second item into the first and says true, or says false when they belong apart.
type Combine<T> = fn(&mut T, &T) -> bool;

/// Collects items in any order and gives them back in ascending order.
///
/// # Examples
/// ```
/// # use webmill_sort::{Budget, Sorter};
/// let mut sorter = Sorter::new(&Budget::new(1 << 20));
/// sorter.extend([[3u32, 1], [1, 2], [3, 0]])?;
/// let sorted: Vec<[u32; 2]> = sorter.finish()?.collect::<Result<_, _>>()?;
/// assert_eq!(sorted, [[1, 2], [3, 0], [3, 1]]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct Sorter<T: Item> {
    budget: Budget,
    items: Vec<T>,
    max_items: usize,
    combine: Option<Combine<T>>,
    levels: Levels,
}

impl<T: Item> Sorter<T> {
    /// A sorter of distinct or identical items.
    ///
    /// # Panics
    /// If `T` has no size.
    pub fn new(budget: &Budget) -> Self {
        assert!(size_of::<T>() > 0, "items without size cannot be stored");
        let max_items = (budget.memory_bytes / size_of::<T>()).max(16);
        Sorter {
            budget: budget.clone(),
            items: Vec::new(),
            max_items,
            combine: None,
            levels: Levels::new(budget),
        }
    }

    /// Combines items that belong together, by an associative and commutative operation that leaves the first
    /// item's position in the order. Items that belong together must be neighbours in the order.
    pub fn with_combine(mut self, combine: fn(&mut T, &T) -> bool) -> Self {
        self.combine = Some(combine);
        self
    }

    /// Takes an item.
    ///
    /// # Errors
    /// [`Error::Io`](webmill_capture::error::Error::Io) when a run cannot be written.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<()> {
        if self.items.len() == self.items.capacity() {
            self.make_room()?;
        }
        self.items.push(item);
        Ok(())
    }

    /// Takes many items.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn extend(&mut self, items: impl IntoIterator<Item = T>) -> Result<()> {
        items.into_iter().try_for_each(|item| self.push(item))
    }

    /// The buffer is full: lets it grow, shrinks it by combining, or writes it as a run.
    #[cold]
    fn make_room(&mut self) -> Result<()> {
        let len = self.items.len();
        if len < self.max_items {
            // Doubling, with a last step to the limit itself, so that old and new buffer together stay within
            // it.
            let target =
                if len >= self.max_items / 2 { self.max_items } else { (2 * len).clamp(16, self.max_items) };
            self.items.reserve_exact(target - len);
            return Ok(());
        }
        self.sort_buffer();
        if self.items.len() > len / 2 {
            self.spill()?;
        }
        Ok(())
    }

    fn sort_buffer(&mut self) {
        if self.budget.threads > 1 && self.items.len() > 1 << 14 {
            self.items.par_sort_unstable();
        } else {
            self.items.sort_unstable();
        }
        if let Some(combine) = self.combine {
            self.items.dedup_by(|next, first| combine(first, next));
        }
    }

    fn spill(&mut self) -> Result<()> {
        let mut run = RunWriter::create(&self.budget, 0)?;
        run.write(bytemuck::cast_slice(&self.items))?;
        self.items.clear();
        let run = run.finish()?;
        let (budget, combine, items) = (&self.budget, self.combine, &mut self.items);
        self.levels.push(run, &mut |runs| {
            *items = Vec::new(); // the merge needs the memory
            merge(budget, combine, runs)
        })
    }

    /// Ends the input: the items in a file in the folder of the run files, mapped.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn mapped(self) -> Result<Mapped<T>> {
        let folder = self.budget.temp_dir.clone();
        Mapped::of(&folder, self.finish()?)
    }

    /// Ends the input and starts the output.
    ///
    /// # Errors
    /// [`Error::Io`](webmill_capture::error::Error::Io) when a run cannot be written or read.
    pub fn finish(mut self) -> Result<Sorted<T>> {
        self.sort_buffer();
        if self.levels.is_empty() {
            return Ok(Sorted { source: SortedSource::Memory(self.items.into_iter()) });
        }
        if !self.items.is_empty() {
            self.spill()?;
        }
        self.items = Vec::new();
        let (budget, combine) = (self.budget, self.combine);
        let runs = self.levels.finish(&mut |runs| merge(&budget, combine, runs))?;
        Ok(Sorted { source: SortedSource::Runs(Merge::new(&budget, combine, runs)?) })
    }
}

/// Merges runs into one.
fn merge<T: Item>(budget: &Budget, combine: Option<Combine<T>>, runs: Vec<Run>) -> Result<Run> {
    let mut out = RunWriter::create(budget, budget.read_bytes(runs.len()))?;
    let mut merge = Merge::new(budget, combine, runs)?;
    while let Some(item) = merge.next()? {
        out.write(bytemuck::bytes_of(&item))?;
    }
    out.finish()
}

/// Items in ascending order. Ends after the first error.
pub struct Sorted<T: Item> {
    source: SortedSource<T>,
}

enum SortedSource<T: Item> {
    Memory(std::vec::IntoIter<T>),
    Runs(Merge<T>),
    Failed,
}

impl<T: Item> Sorted<T> {
    /// Did everything fit the budget, so that nothing was written?
    pub fn in_memory(&self) -> bool {
        matches!(self.source, SortedSource::Memory(_))
    }
}

impl<T: Item> Iterator for Sorted<T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        match &mut self.source {
            SortedSource::Memory(items) => items.next().map(Ok),
            SortedSource::Runs(merge) => {
                let next = merge.next();
                if next.is_err() {
                    self.source = SortedSource::Failed;
                }
                next.transpose()
            }
            SortedSource::Failed => None,
        }
    }
}

/// One run being read, a buffer at a time.
struct RunReader<T> {
    run: Run,
    buffer: Vec<T>,
    at: usize,
}

impl<T: Item> RunReader<T> {
    fn refill(&mut self) -> Result<()> {
        let bytes = self.run.read(bytemuck::cast_slice_mut(&mut self.buffer))?;
        if !bytes.is_multiple_of(size_of::<T>()) {
            return Err(Error::Internal(format!("a run file in {} was cut short", self.run.dir().display())));
        }
        self.buffer.truncate(bytes / size_of::<T>());
        self.at = 0;
        Ok(())
    }

    #[inline]
    fn head(&self) -> Option<&T> {
        self.buffer.get(self.at)
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.at += 1;
        if self.at >= self.buffer.len() && !self.buffer.is_empty() { self.refill() } else { Ok(()) }
    }
}

struct Merge<T: Item> {
    readers: Vec<RunReader<T>>,
    losers: Losers,
    combine: Option<Combine<T>>,
}

impl<T: Item> Merge<T> {
    fn new(budget: &Budget, combine: Option<Combine<T>>, runs: Vec<Run>) -> Result<Self> {
        let items = (budget.read_bytes(runs.len()) / size_of::<T>()).max(1);
        let mut readers = Vec::with_capacity(runs.len());
        for mut run in runs {
            run.rewind()?;
            let mut reader = RunReader { run, buffer: vec![T::zeroed(); items], at: 0 };
            reader.refill()?;
            readers.push(reader);
        }
        let losers = Losers::new(readers.len(), |a, b| before(&readers, a, b));
        Ok(Merge { readers, losers, combine })
    }

    #[inline]
    fn pop(&mut self) -> Result<Option<T>> {
        let winner = self.losers.winner();
        let Some(&item) = self.readers[winner].head() else { return Ok(None) };
        self.readers[winner].advance()?;
        let readers = &self.readers;
        self.losers.replay(|a, b| before(readers, a, b));
        Ok(Some(item))
    }

    #[inline]
    fn next(&mut self) -> Result<Option<T>> {
        let Some(mut item) = self.pop()? else { return Ok(None) };
        if let Some(combine) = self.combine {
            while let Some(next) = self.readers[self.losers.winner()].head() {
                if !combine(&mut item, next) {
                    break;
                }
                self.pop()?;
            }
        }
        Ok(Some(item))
    }
}

#[inline]
fn before<T: Item>(readers: &[RunReader<T>], a: usize, b: usize) -> bool {
    match (readers[a].head(), readers[b].head()) {
        (Some(x), Some(y)) => x < y,
        (x, _) => x.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sort<T: Item>(
        items: &[T],
        memory_bytes: usize,
        threads: usize,
        combine: Option<Combine<T>>,
    ) -> Vec<T> {
        let mut sorter = Sorter::new(&Budget::new(memory_bytes).with_threads(threads));
        sorter.combine = combine;
        sorter.extend(items.iter().copied()).unwrap();
        sorter.finish().unwrap().collect::<Result<_>>().unwrap()
    }

    fn add(first: &mut [u32; 3], next: &[u32; 3]) -> bool {
        let same = first[..2] == next[..2];
        if same {
            first[2] += next[2];
        }
        same
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn equals_the_sort_in_memory(items in prop::collection::vec(any::<[u64; 3]>(), 0..3000), memory in 1usize..100_000) {
            let mut expected = items.clone();
            expected.sort();
            prop_assert_eq!(sort(&items, memory, 2, None), expected);
        }

        #[test]
        fn combining_is_independent_of_the_budget(
            items in prop::collection::vec((0u32..40, 0u32..4, 1u32..9), 0..4000), memory in 1usize..20_000,
        ) {
            let items: Vec<[u32; 3]> = items.into_iter().map(|(a, b, w)| [a, b, w]).collect();
            let mut expected = std::collections::BTreeMap::new();
            for [a, b, w] in &items {
                *expected.entry([*a, *b]).or_insert(0) += w;
            }
            let expected: Vec<[u32; 3]> = expected.into_iter().map(|([a, b], w)| [a, b, w]).collect();
            prop_assert_eq!(sort(&items, memory, 1, Some(add)), expected);
        }
    }

    #[test]
    fn several_levels_of_merging() {
        let mut x = 1u64;
        let items: Vec<u64> = (0..200_000)
            .map(|_| {
                x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                x >> 20
            })
            .collect();
        let mut expected = items.clone();
        expected.sort();
        // 16 items a run and 8 runs a merge: five levels.
        assert_eq!(sort(&items, 1, 1, None), expected);
        assert_eq!(sort(&items, 100_000, 2, None), expected);
        assert_eq!(sort(&items, 1 << 30, 2, None), expected);
    }

    #[test]
    fn nothing_in_nothing_out() {
        assert!(sort::<u64>(&[], 1000, 2, None).is_empty());
    }

    #[test]
    fn unusable_temporary_folder_is_named() {
        let budget = Budget::new(1000).in_dir("/nonexistent/folder");
        let mut sorter = Sorter::new(&budget);
        let error = sorter.extend(0..10_000u64).unwrap_err();
        assert!(matches!(&error, Error::Io { path, .. } if path == &budget.temp_dir), "{error}");
    }

    #[test]
    fn leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let budget = Budget::new(10_000).in_dir(dir.path());
        let mut sorter = Sorter::new(&budget);
        sorter.extend((0..100_000u64).rev()).unwrap();
        let mut sorted = sorter.finish().unwrap();
        assert!(!sorted.in_memory());
        assert_eq!(sorted.next().unwrap().unwrap(), 0);
        drop(sorted);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
