//! External sort: more items than memory holds, in order, within a stated budget.
//!
//! **What.** [`Sorter`] orders fixed-size items, [`BytesSorter`] orders pairs of byte strings. Graph
//! building, the duplicate join and every table that is written in key order use them.
//!
//! **Algorithm.** Items gather in one buffer. A full buffer is sorted (in parallel) and written as a *run* to
//! an unnamed temporary file; at the end the runs are merged by a tree of losers, which takes ⌈log₂ k⌉
//! comparisons an item. Runs are merged in levels of at most [`MAX_FAN_IN`], so a small budget costs passes,
//! never memory or file handles. What fits the budget never touches the disk. Equal items can be combined
//! while they are in the buffer and again while they merge.
//!
//! **Cost.** O(n log n) comparisons; memory at most [`Budget::memory_bytes`] (but for one item that is itself
//! larger); each item is written and read once for each level. Runs are read in pieces of at least 256 KiB
//! where the budget allows. Runs of items are stored as they are, runs of byte strings front-coded against
//! the key before: general compressors were slower than the page cache they would have relieved.
//!
//! **Determinism.** The output is a function of the multiset of items alone: neither threads, nor the budget,
//! nor the order of pushing change it, provided that the order is total on the bytes and that a combination
//! is associative and commutative.
//!
//! **Errors.** Every failure of the disk, a full one among them, is [`Error::Io`](webmill_capture::error::Error::Io)
//! with the folder of the run files. These files have no name, so they vanish with the sorter, however the
//! process ends.
//!
//! **Reference.** D. E. Knuth, *The Art of Computer Programming*, vol. 3, 2nd ed., §5.4.1 (trees of losers).

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bytes;
mod items;
mod losers;
mod run;

pub use bytes::{BytesSorter, SortedBytes};
pub use items::{Item, Sorted, Sorter};

use std::path::PathBuf;

/// Most runs merged at once, whatever the budget.
pub const MAX_FAN_IN: usize = 256;

/// The least that a run is read with, where the budget allows.
const READ_BYTES: usize = 256 << 10;

/// What a sort may use.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Memory in bytes, for the buffer while gathering and for the read buffers while merging.
    pub memory_bytes: usize,
    /// Existing folder that takes the run files.
    pub temp_dir: PathBuf,
    /// 1 sorts on the calling thread; more sorts in the surrounding rayon pool. Never changes a byte of the
    /// output.
    pub threads: usize,
}

impl Budget {
    /// `memory_bytes` with run files in the system's temporary folder and the threads of the surrounding
    /// pool.
    pub fn new(memory_bytes: usize) -> Self {
        Budget { memory_bytes, temp_dir: std::env::temp_dir(), threads: rayon::current_num_threads() }
    }

    /// The same with run files in `dir`.
    pub fn in_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.temp_dir = dir.into();
        self
    }

    /// The same with another number of threads.
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// One of `count` equal shares, for sorts that live at the same time.
    pub fn share(&self, count: usize) -> Self {
        self.fraction(1, count)
    }

    /// `part / whole` of the memory, the rest alike.
    pub fn fraction(&self, part: usize, whole: usize) -> Self {
        let memory_bytes = (self.memory_bytes as u128 * part as u128 / whole.max(1) as u128) as usize;
        Budget { memory_bytes, ..self.clone() }
    }

    /// How many runs are merged at once: one read buffer each and one to write with.
    fn fan_in(&self) -> usize {
        (self.memory_bytes / READ_BYTES).saturating_sub(1).clamp(8, MAX_FAN_IN)
    }

    /// Bytes of each buffer when `runs` runs are merged.
    fn read_bytes(&self, runs: usize) -> usize {
        (self.memory_bytes / (runs + 1)).clamp(4 << 10, 2 << 20)
    }
}
