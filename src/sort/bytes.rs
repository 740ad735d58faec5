//! Sorts pairs of byte strings in memory, as runs for the external sort of byte strings.
//!
//! Graph building, mirrors, capture indexes and typed rows (`rows`) use that sort.
//!
//! Pairs lie in one arena; an index of 16-byte entries (eight bytes of the key, as a big-endian number, and
//! the offset) is sorted. Entries that agree in those eight bytes form a group, which is sorted again
//! by the next eight, and so on: keys with long common beginnings, as SURT keys have, are compared without
//! touching the arena at random. Small groups and groups with a key that ends are compared byte by byte.

use super::budget::{Budget, READ_BYTES};
use super::losers::Losers;
use super::run::{Levels, Run, RunWriter};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;
use webmill_capture::error::{Error, Result};
use webmill_capture::varint::write_varint;

#[derive(Clone, Copy)]
struct Entry {
    prefix: u64,
    offset: u64,
}

/// Collects (key, value) pairs in any order and gives them back by key, then value.
///
/// # Examples
/// ```
/// # use webmill_sort::{BytesSorter, Budget};
/// let mut sorter = BytesSorter::new(&Budget::new(1 << 20)).with_unique_keys();
/// sorter.push(b"b", b"2")?;
/// sorter.push(b"a", b"1")?;
/// sorter.push(b"b", b"1")?;
/// let mut sorted = sorter.finish()?;
/// assert_eq!(sorted.next().transpose()?, Some((&b"a"[..], &b"1"[..])));
/// assert_eq!(sorted.next().transpose()?, Some((&b"b"[..], &b"1"[..])));
/// assert!(sorted.next().is_none());
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct BytesSorter {
    budget: Budget,
    arena: Vec<u8>,
    index: Vec<Entry>,
    unique: bool,
    levels: Levels,
}

impl BytesSorter {
    /// A sorter that keeps every pair.
    pub fn new(budget: &Budget) -> Self {
        BytesSorter {
            budget: budget.clone(),
            arena: Vec::new(),
            index: Vec::new(),
            unique: false,
            levels: Levels::new(budget),
        }
    }

    /// Keeps of each key only the pair with the least value.
    pub fn with_unique_keys(mut self) -> Self {
        self.unique = true;
        self
    }

    /// Takes a pair. Keys and values are shorter than 4 GiB.
    ///
    /// # Errors
    /// [`Error::Io`] when a run cannot be written, [`Error::Limit`] for a string of 4 GiB or more.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let (Ok(key_len), Ok(value_len)) = (u32::try_from(key.len()), u32::try_from(value.len())) else {
            return Err(Error::Limit(format!(
                "a pair of {} and {} bytes cannot be sorted",
                key.len(),
                value.len()
            )));
        };
        let bytes = 8 + key.len() + value.len();
        self.make_room(bytes)?;
        self.index.push(Entry { prefix: word(key, 0), offset: self.arena.len() as u64 });
        self.arena.extend_from_slice(&key_len.to_le_bytes());
        self.arena.extend_from_slice(&value_len.to_le_bytes());
        self.arena.extend_from_slice(key);
        self.arena.extend_from_slice(value);
        Ok(())
    }

    /// Grows the buffers within the budget, or writes a run. Both at most double, so the old and the new
    /// buffer together stay within the budget as long as the new one does.
    fn make_room(&mut self, bytes: usize) -> Result<()> {
        let budget = self.budget.memory_bytes.max(1 << 10);
        let used = self.arena.len() + size_of::<Entry>() * self.index.len();
        if used + bytes + size_of::<Entry>() > budget && !self.index.is_empty() {
            self.sort_buffer();
            self.spill()?;
        }
        let rest = budget.saturating_sub(size_of::<Entry>() * self.index.len());
        if self.arena.capacity() - self.arena.len() < bytes {
            let len = self.arena.len();
            let target = if len >= rest / 4 { rest } else { 2 * len }.max(len + bytes).max(512);
            self.arena.reserve_exact(target - len);
        }
        if self.index.len() == self.index.capacity() {
            let len = self.index.len();
            self.index.reserve_exact((len / 2).max(16));
        }
        Ok(())
    }

    fn sort_buffer(&mut self) {
        sort_index(&mut self.index, &self.arena, self.budget.threads > 1);
        if self.unique {
            let arena = &self.arena;
            self.index.dedup_by(|next, first| {
                next.prefix == first.prefix && pair(arena, next.offset).0 == pair(arena, first.offset).0
            });
        }
    }

    fn spill(&mut self) -> Result<()> {
        let mut out = PairWriter::create(&self.budget, self.budget.read_bytes(8).min(READ_BYTES))?;
        for entry in &self.index {
            let (key, value) = pair(&self.arena, entry.offset);
            out.write(key, value)?;
        }
        self.arena.clear();
        self.index.clear();
        let run = out.out.finish()?;
        let (budget, unique, arena, index) = (&self.budget, self.unique, &mut self.arena, &mut self.index);
        self.levels.push(run, &mut |runs| {
            (*arena, *index) = (Vec::new(), Vec::new()); // the merge needs the memory
            merge(budget, unique, runs)
        })
    }

    /// Ends the input and starts the output.
    ///
    /// # Errors
    /// [`Error::Io`] when a run cannot be written or read.
    pub fn finish(mut self) -> Result<SortedBytes> {
        self.sort_buffer();
        if self.levels.is_empty() {
            let BytesSorter { arena, index, .. } = self;
            return Ok(SortedBytes { source: SortedSource::Memory { arena, index, at: 0 } });
        }
        if !self.index.is_empty() {
            self.spill()?;
        }
        (self.arena, self.index) = (Vec::new(), Vec::new());
        let (budget, unique) = (self.budget, self.unique);
        let runs = self.levels.finish(&mut |runs| merge(&budget, unique, runs))?;
        Ok(SortedBytes { source: SortedSource::Runs(Merge::new(&budget, unique, runs)?) })
    }
}

/// The eight bytes of `key` from `from` on as a big-endian number, zeros where it has ended.
#[inline]
fn word(key: &[u8], from: usize) -> u64 {
    let rest = key.get(from..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => {
            let mut chunk = [0; 8];
            chunk[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(chunk)
        }
    }
}

/// The pair at `offset`.
#[inline]
fn pair(arena: &[u8], offset: u64) -> (&[u8], &[u8]) {
    let at = offset as usize;
    let length = |i: usize| {
        let bytes = arena[i..i + 4].try_into().expect("a slice of four bytes");
        u32::from_le_bytes(bytes) as usize
    };
    let (key, value) = (length(at), length(at + 4));
    let rest = &arena[at + 8..at + 8 + key + value];
    rest.split_at(key)
}

fn sort_index(index: &mut [Entry], arena: &[u8], parallel: bool) {
    // Groups still to be sorted: their range, and how many bytes of the key are known to be equal. Large
    // groups are sorted by all threads together, then the small ones each by one thread.
    let mut large = vec![(0..index.len(), 0usize)];
    let mut small = Vec::new();
    while let Some((range, depth)) = large.pop() {
        let group = &mut index[range.clone()];
        if group.len() < PARALLEL_LEN {
            small.push((range, depth));
            continue;
        }
        if parallel {
            group.par_sort_unstable_by_key(|e| e.prefix);
        } else {
            group.sort_unstable_by_key(|e| e.prefix);
        }
        split_groups(group, arena, depth, |sub| {
            large.push((range.start + sub.start..range.start + sub.end, depth + 8));
        });
    }
    small.sort_unstable_by_key(|(range, _)| range.start);
    let mut rest = index;
    let mut at = 0;
    let mut parts = Vec::with_capacity(small.len());
    for (range, depth) in small {
        let (part, tail) = std::mem::take(&mut rest)[range.start - at..].split_at_mut(range.len());
        parts.push((part, depth));
        (rest, at) = (tail, range.end);
    }
    let sort = |(part, depth): (&mut [Entry], usize)| sort_group(part, arena, depth);
    if parallel { parts.into_par_iter().for_each(sort) } else { parts.into_iter().for_each(sort) }
}

/// Groups from which on all threads sort together.
const PARALLEL_LEN: usize = 1 << 16;
/// Groups up to which pairs are compared byte by byte.
const SMALL_LEN: usize = 32;

/// Sorts entries whose keys agree in their first `depth` bytes and whose prefixes are what follows.
fn sort_group(entries: &mut [Entry], arena: &[u8], depth: usize) {
    let mut groups = vec![(0..entries.len(), depth)];
    while let Some((range, depth)) = groups.pop() {
        let group = &mut entries[range.clone()];
        if group.len() <= SMALL_LEN {
            group.sort_unstable_by(|a, b| a.prefix.cmp(&b.prefix).then_with(|| compare(arena, depth, a, b)));
            continue;
        }
        group.sort_unstable_by_key(|e| e.prefix);
        split_groups(group, arena, depth, |sub| {
            groups.push((range.start + sub.start..range.start + sub.end, depth + 8));
        });
    }
}

/// Of entries sorted by prefix: finds the groups that agree in it. Small groups, and those in which a key has
/// ended, are sorted at once; the others get the next eight bytes as prefix and are handed to `deeper`.
fn split_groups(entries: &mut [Entry], arena: &[u8], depth: usize, mut deeper: impl FnMut(Range<usize>)) {
    let mut start = 0;
    while start < entries.len() {
        let prefix = entries[start].prefix;
        let len = entries[start..].iter().take_while(|e| e.prefix == prefix).count();
        let group = &mut entries[start..start + len];
        if len > SMALL_LEN && group.iter().all(|e| pair(arena, e.offset).0.len() >= depth + 8) {
            for entry in group {
                entry.prefix = word(pair(arena, entry.offset).0, depth + 8);
            }
            deeper(start..start + len);
        } else if len > 1 {
            group.sort_unstable_by(|a, b| compare(arena, depth, a, b));
        }
        start += len;
    }
}

/// Compares keys that agree in their first `depth` bytes, then values.
fn compare(arena: &[u8], depth: usize, a: &Entry, b: &Entry) -> Ordering {
    let (x, y) = (pair(arena, a.offset), pair(arena, b.offset));
    let rest = |key| <[u8]>::get(key, depth..).unwrap_or_default();
    rest(x.0).cmp(rest(y.0)).then_with(|| x.1.cmp(y.1))
}

/// Writes pairs front-coded: shared bytes with the key before, further bytes, bytes of the value, then these
/// bytes.
struct PairWriter {
    out: RunWriter,
    key: Vec<u8>,
    head: Vec<u8>,
}

impl PairWriter {
    fn create(budget: &Budget, buffer_bytes: usize) -> Result<Self> {
        Ok(PairWriter { out: RunWriter::create(budget, buffer_bytes)?, key: Vec::new(), head: Vec::new() })
    }

    fn write(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let shared = self.key.iter().zip(key).take_while(|(a, b)| a == b).count();
        self.head.clear();
        for number in [shared, key.len() - shared, value.len()] {
            write_varint(&mut self.head, number as u64);
        }
        self.out.write(&self.head)?;
        self.out.write(&key[shared..])?;
        self.out.write(value)?;
        self.key.truncate(shared);
        self.key.extend_from_slice(&key[shared..]);
        Ok(())
    }
}

/// Merges runs into one.
fn merge(budget: &Budget, unique: bool, runs: Vec<Run>) -> Result<Run> {
    let mut out = PairWriter::create(budget, budget.read_bytes(runs.len()))?;
    let mut merge = Merge::new(budget, unique, runs)?;
    while let Some((key, value)) = merge.next()? {
        out.write(key, value)?;
    }
    out.out.finish()
}

/// Pairs by key, then value.
pub struct SortedBytes {
    source: SortedSource,
}

enum SortedSource {
    Memory { arena: Vec<u8>, index: Vec<Entry>, at: usize },
    Runs(Merge),
}

impl SortedBytes {
    /// Did everything fit the budget, so that nothing was written?
    pub fn in_memory(&self) -> bool {
        matches!(self.source, SortedSource::Memory { .. })
    }

    /// The next pair. (Not an `Iterator`: the pair is lent until the next call.)
    ///
    /// # Errors
    /// [`Error::Io`] when a run cannot be read.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Result<(&[u8], &[u8])>> {
        match &mut self.source {
            SortedSource::Memory { arena, index, at } => {
                let entry = index.get(*at)?;
                *at += 1;
                Some(Ok(pair(arena, entry.offset)))
            }
            SortedSource::Runs(merge) => merge.next().transpose(),
        }
    }
}

/// One run being read: a window over the file and the pair at the head.
struct RunReader {
    run: Run,
    window: Vec<u8>,
    filled: usize,
    at: usize,
    key: Vec<u8>,
    value: Vec<u8>,
    ended: bool,
}

impl RunReader {
    /// Makes `bytes` more bytes available in the window; false at the end of the run.
    fn need(&mut self, bytes: usize) -> Result<bool> {
        if self.filled - self.at >= bytes {
            return Ok(true);
        }
        self.window.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.at = 0;
        if bytes > self.window.len() {
            self.window.resize(bytes, 0);
        }
        self.filled += self.run.read(&mut self.window[self.filled..])?;
        Ok(self.filled >= bytes)
    }

    fn number(&mut self) -> Result<usize> {
        let (mut number, mut shift) = (0, 0);
        loop {
            if !self.need(1)? {
                return Err(self.cut_short());
            }
            let byte = self.window[self.at];
            self.at += 1;
            number |= ((byte & 0x7f) as usize) << shift;
            shift += 7;
            if byte < 0x80 {
                return Ok(number);
            }
        }
    }

    fn cut_short(&self) -> Error {
        Error::Internal(format!("a run file in {} was cut short", self.run.dir().display()))
    }

    fn advance(&mut self) -> Result<()> {
        if self.ended || !self.need(1)? {
            self.ended = true;
            return Ok(());
        }
        let (shared, further, value) = (self.number()?, self.number()?, self.number()?);
        if !self.need(further + value)? {
            return Err(self.cut_short());
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(&self.window[self.at..self.at + further]);
        self.at += further;
        self.value.clear();
        self.value.extend_from_slice(&self.window[self.at..self.at + value]);
        self.at += value;
        Ok(())
    }
}

struct Merge {
    readers: Vec<RunReader>,
    losers: Losers,
    unique: bool,
    /// The winner was lent and must move on first.
    lent: bool,
    last: Vec<u8>,
}

impl Merge {
    fn new(budget: &Budget, unique: bool, runs: Vec<Run>) -> Result<Self> {
        let bytes = budget.read_bytes(runs.len());
        let mut readers = Vec::with_capacity(runs.len());
        for mut run in runs {
            run.rewind()?;
            let window = vec![0; bytes];
            let (key, value) = (Vec::new(), Vec::new());
            let mut reader = RunReader { run, window, filled: 0, at: 0, key, value, ended: false };
            reader.advance()?;
            readers.push(reader);
        }
        let losers = Losers::new(readers.len(), |a, b| before(&readers, a, b));
        Ok(Merge { readers, losers, unique, lent: false, last: Vec::new() })
    }

    fn next(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        if self.lent {
            self.lent = false;
            let winner = self.losers.winner();
            if self.unique {
                self.last.clone_from(&self.readers[winner].key);
            }
            self.step()?;
            while self.unique && self.head().is_some_and(|reader| reader.key == self.last) {
                self.step()?;
            }
        }
        self.lent = self.head().is_some();
        Ok(self.head().map(|reader| (&reader.key[..], &reader.value[..])))
    }

    fn head(&self) -> Option<&RunReader> {
        let reader = &self.readers[self.losers.winner()];
        (!reader.ended).then_some(reader)
    }

    /// Moves the winner's run on.
    fn step(&mut self) -> Result<()> {
        self.readers[self.losers.winner()].advance()?;
        let readers = &self.readers;
        self.losers.replay(|a, b| before(readers, a, b));
        Ok(())
    }
}

fn before(readers: &[RunReader], a: usize, b: usize) -> bool {
    let (x, y) = (&readers[a], &readers[b]);
    match (x.ended, y.ended) {
        (false, false) => (&x.key, &x.value) < (&y.key, &y.value),
        (x_ended, _) => !x_ended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

    fn sort(pairs: &Pairs, memory_bytes: usize, threads: usize, unique: bool) -> Pairs {
        let mut sorter = BytesSorter::new(&Budget::new(memory_bytes).with_threads(threads));
        sorter.unique = unique;
        for (key, value) in pairs {
            sorter.push(key, value).unwrap();
        }
        let mut sorted = sorter.finish().unwrap();
        let mut out = Vec::new();
        while let Some(pair) = sorted.next() {
            let (key, value) = pair.unwrap();
            out.push((key.to_vec(), value.to_vec()));
        }
        out
    }

    fn expected(pairs: &Pairs, unique: bool) -> Pairs {
        let mut expected = pairs.clone();
        expected.sort();
        if unique {
            expected.dedup_by(|next, first| next.0 == first.0);
        }
        expected
    }

    /// Few letters, zeros among them, and long common beginnings: every path of the comparison.
    fn keys() -> impl Strategy<Value = Vec<u8>> {
        let tail = prop::collection::vec(prop::sample::select(vec![0u8, b'a', b'b', 255]), 0..20);
        (0usize..20, tail).prop_map(|(shared, tail)| [&b"com,example,www)/path"[..shared], &tail].concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn equals_the_sort_in_memory(
            pairs in prop::collection::vec((keys(), prop::collection::vec(any::<u8>(), 0..4)), 0..2000),
            memory in 1usize..60_000, unique: bool,
        ) {
            prop_assert_eq!(sort(&pairs, memory, 2, unique), expected(&pairs, unique));
        }
    }

    #[test]
    fn many_equal_and_long_beginnings() {
        let pairs: Pairs = (0..200_000u32)
            .map(|i| {
                let x = i.wrapping_mul(2654435761) % 5000;
                (
                    format!("com,example)/a/very/long/common/path/{:05}", x).into_bytes(),
                    (i % 3).to_le_bytes().to_vec(),
                )
            })
            .collect();
        for unique in [false, true] {
            let expected = expected(&pairs, unique);
            for memory in [1, 50_000, 1 << 20, 1 << 30] {
                assert!(sort(&pairs, memory, 2, unique) == expected, "memory {memory}, unique {unique}");
            }
        }
    }

    #[test]
    fn a_pair_larger_than_the_budget() {
        let pairs: Pairs = (0..20u8).rev().map(|i| (vec![i; 10_000], vec![i; 100_000])).collect();
        assert_eq!(sort(&pairs, 2000, 1, false), expected(&pairs, false));
        assert!(sort(&Vec::new(), 2000, 1, true).is_empty());
    }
}
