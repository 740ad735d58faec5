//! What a sort may use, and how merges share it.

use std::path::PathBuf;

/// Most runs merged at once, whatever the budget.
pub const MAX_FAN_IN: usize = 256;

/// The least that a run is read with, where the budget allows.
pub(super) const READ_BYTES: usize = 256 << 10;

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
    pub(super) fn fan_in(&self) -> usize {
        (self.memory_bytes / READ_BYTES).saturating_sub(1).clamp(8, MAX_FAN_IN)
    }

    /// Bytes of each buffer when `runs` runs are merged.
    pub(super) fn read_bytes(&self, runs: usize) -> usize {
        (self.memory_bytes / (runs + 1)).clamp(4 << 10, 2 << 20)
    }
}
