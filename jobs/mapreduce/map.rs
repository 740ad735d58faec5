//! The map side: from pages to sorted pairs.

use std::sync::{Mutex, PoisonError};

use webmill_capture::{Error, Result};
use webmill_sort::{Budget, BytesSorter, SortedBytes};

use crate::mapreduce::{Combiner, Key, MapReduce, Merged, Value};

/// Bytes of the part before each key.
pub(crate) const PART_BYTES: usize = 2;

/// Calls `each` with (part, bytes of key, bytes of value) of every pair of a batch of pages, combined where the kernel
/// combines: the map side of an engine that sorts and spreads pairs in its own way.
///
/// Memory is that of the combined pairs of the batch.
pub fn map_batch<'p, M: MapReduce>(
    kernel: &M,
    pages: impl IntoIterator<Item = M::Page<'p>>,
    parts: u32,
    mut each: impl FnMut(u32, &[u8], &[u8]),
) {
    let (mut key, mut bytes) = (Vec::new(), Vec::new());
    let mut combined = Combiner::default();
    for page in pages {
        kernel.map(&page, &mut |pair_key, value| {
            key.clear();
            pair_key.write(&mut key);
            if M::COMBINES {
                combined.add(&key, value, |into, next| kernel.combine(into, next));
            } else {
                bytes.clear();
                value.write(&mut bytes);
                each(kernel.partition(&key, parts), &key, &bytes);
            }
        });
    }
    let mut pairs: Vec<_> = combined.iter().collect();
    pairs.sort_unstable_by_key(|(key, _)| *key);
    for (key, value) in pairs {
        bytes.clear();
        value.write(&mut bytes);
        each(kernel.partition(key, parts), key, &bytes);
    }
}

/// Takes pages on one thread, gives their pairs in order.
pub struct MapSide<'a, M: MapReduce> {
    kernel: &'a M,
    parts: u32,
    combined: Combiner<M::Value>,
    combined_bytes: usize,
    sorter: BytesSorter,
    key: Vec<u8>,
    value: Vec<u8>,
    pairs: u64,
}

impl<'a, M: MapReduce> MapSide<'a, M> {
    /// A map side that spreads keys over `parts`, within a budget.
    pub fn new(kernel: &'a M, parts: u32, budget: &Budget) -> Self {
        let combined_bytes = if M::COMBINES { budget.memory_bytes / 2 } else { 0 };
        let sort = Budget { memory_bytes: budget.memory_bytes - combined_bytes, ..budget.clone() };
        MapSide {
            kernel,
            parts: parts.clamp(1, crate::mapreduce::MAX_PARTS),
            combined: Combiner::default(),
            combined_bytes,
            sorter: BytesSorter::new(&sort.with_threads(1)),
            key: Vec::new(),
            value: Vec::new(),
            pairs: 0,
        }
    }

    /// Maps a page.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn map(&mut self, page: &M::Page<'_>) -> Result<()> {
        let MapSide { kernel, parts, combined, combined_bytes, sorter, key, value, pairs } = self;
        let mut failed = Ok(());
        kernel.map(page, &mut |pair_key, pair_value| {
            *pairs += 1;
            key.clear();
            if M::COMBINES {
                pair_key.write(key);
                if combined.is_full(*combined_bytes) && failed.is_ok() {
                    failed = flush(*kernel, *parts, combined, sorter, value);
                }
                combined.weigh(pair_value.heap_bytes());
                combined.add(key, pair_value, |into, next| kernel.combine(into, next));
            } else if failed.is_ok() {
                key.extend_from_slice(&[0; PART_BYTES]);
                pair_key.write(key);
                let part = kernel.partition(&key[PART_BYTES..], *parts);
                put_part(key, part);
                value.clear();
                pair_value.write(value);
                failed = sorter.push(key, value);
            }
        });
        failed
    }

    /// Pairs so far, before they were combined.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The pairs in order; the part, big-endian in two bytes, stands before each key.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn finish(mut self) -> Result<SortedBytes> {
        flush(self.kernel, self.parts, &mut self.combined, &mut self.sorter, &mut self.value)?;
        self.sorter.finish()
    }
}

fn put_part(key: &mut [u8], part: u32) {
    key[..PART_BYTES].copy_from_slice(&(part as u16).to_be_bytes());
}

/// Hands what was combined to the sort.
fn flush<M: MapReduce>(
    kernel: &M,
    parts: u32,
    combined: &mut Combiner<M::Value>,
    sorter: &mut BytesSorter,
    bytes: &mut Vec<u8>,
) -> Result<()> {
    let mut whole = Vec::new();
    for (key, value) in combined.iter() {
        whole.clear();
        whole.extend_from_slice(&[0; PART_BYTES]);
        whole.extend_from_slice(key);
        put_part(&mut whole, kernel.partition(key, parts));
        bytes.clear();
        value.write(bytes);
        sorter.push(&whole, bytes)?;
    }
    combined.clear();
    Ok(())
}

/// The map sides of a unit of work, one for each thread that asks.
pub struct Mapper<'a, M: MapReduce> {
    kernel: &'a M,
    parts: u32,
    share: Budget,
    idle: Mutex<Vec<MapSide<'a, M>>>,
}

impl<'a, M: MapReduce> Mapper<'a, M> {
    /// Map sides that share a budget, for as many threads as it says.
    pub fn new(kernel: &'a M, parts: u32, budget: &Budget) -> Self {
        let share = budget.share(budget.threads.max(1));
        Mapper { kernel, parts, share, idle: Mutex::new(Vec::new()) }
    }

    /// Lends a map side for a while: for a piece of a split.
    ///
    /// # Errors
    /// What `work` meets.
    pub fn with<T>(&self, work: impl FnOnce(&mut MapSide<'a, M>) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut side = idle.unwrap_or_else(|| MapSide::new(self.kernel, self.parts, &self.share));
        let done = work(&mut side);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(side);
        done
    }

    /// All pairs in order, and how many were given before they were combined.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn finish(self) -> Result<(Merged<SortedBytes>, u64)>
    where
        M::Value: Send,
    {
        let sides = self.idle.into_inner().map_err(|_| Error::Internal("a map side panicked".into()))?;
        let pairs = sides.iter().map(MapSide::pairs).sum();
        use rayon::prelude::*;
        let sorted: Vec<SortedBytes> = sides.into_par_iter().map(MapSide::finish).collect::<Result<_>>()?;
        Ok((Merged::new(sorted)?, pairs))
    }
}
