//! Settings, counts and the division of memory.

use serde::{Deserialize, Serialize};

use super::store::Sizes;
use webmill_capture::error::{Error, Result};

webmill_capture::words! {
    /// Which URL comes next.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum Strategy {
        /// The one of least depth, then the first found.
        #[default]
        Breadth = "breadth",
        /// The links of the newest page, in the order of the page.
        Depth = "depth",
        /// The one of highest priority, then the first found.
        Best = "best",
        /// The one of highest score by a topic ([`crate::focus`]), then the first found.
        Focused = "focused",
    }
}

/// Settings of a frontier. All but `memory` and `strict` are fixed when it is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrontierOptions {
    /// Which URL comes next. Default breadth-first.
    pub strategy: Strategy,
    /// What an in-link adds to the priority of a URL that waits (a2 of the formula). Best-first only. Default 0.
    pub popularity: f64,
    /// One worker: always the first in order, which waits for its host instead of passing it over. Default `false`.
    pub strict: bool,
    /// Memory to use, bytes, 16 MiB or more. Default 512 MiB.
    pub memory: u64,
    /// Seed of the hashes of URLs: a page that does not know it cannot make two URLs look the same. Default 0.
    pub hash_seed: u64,
}

impl Default for FrontierOptions {
    fn default() -> Self {
        FrontierOptions {
            strategy: Strategy::Breadth,
            popularity: 0.0,
            strict: false,
            memory: 512 << 20,
            hash_seed: 0,
        }
    }
}

impl FrontierOptions {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`Error::Config`] names the field and its range.
    pub fn check(&self) -> Result<()> {
        if !(0.0..=1e15).contains(&self.popularity) {
            return Err(Error::Config(format!("frontier.popularity is {}: 0 to 1e15", self.popularity)));
        }
        if self.memory < 16 << 20 {
            return Err(Error::Config(format!("frontier.memory is {} bytes: at least 16 MiB", self.memory)));
        }
        Ok(())
    }
}

/// What a frontier holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FrontierStats {
    /// URLs known.
    pub seen: u64,
    /// URLs waiting, those being fetched among them.
    pub queued: u64,
    /// Hosts in memory with something to fetch now.
    pub hosts_ready: u64,
    /// Hosts in memory that are to be left alone for a while.
    pub hosts_waiting: u64,
    /// Hosts being fetched from.
    pub hosts_leased: u64,
    /// Hosts with a queue that are on disk only.
    pub hosts_parked: u64,
}

/// How the memory is divided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Hosts in memory.
    pub hosts: usize,
    /// Hosts taken from disk at once.
    pub batch: usize,
    /// Bytes of host states and queue heads.
    pub loaded: usize,
    /// Entries of a queue read at once.
    pub block: usize,
    pub bloom: usize,
    pub recent: usize,
    pub places: usize,
    pub sizes: Sizes,
}

impl Limits {
    /// Of the memory that is divided, a quarter for the Bloom filter, an eighth each for the cache of blocks, the hosts and their
    /// queue heads, the rest for write buffers (a thirty-second each for the two large keyspaces, up to four of each
    /// while they are written out).
    ///
    /// Three eighths are left to what cannot be counted: compaction, indices of tables, the allocator. With 1 GiB and 20 million
    /// URLs of a million hosts the process peaked at 985 MiB.
    pub fn of(memory: u64) -> Limits {
        let memory = usize::try_from(memory / 8 * 5).unwrap_or(usize::MAX);
        let hosts = (memory / 8 / 320).max(64);
        Limits {
            hosts,
            batch: (hosts / 8).min(1024),
            loaded: memory / 8,
            block: 64,
            bloom: memory / 4,
            recent: memory / 32,
            places: memory / 32,
            sizes: Sizes {
                cache: memory as u64 / 8,
                large: (memory as u64 / 32).clamp(1 << 20, 64 << 20),
                small: (memory as u64 / 128).clamp(1 << 19, 16 << 20),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let options = FrontierOptions::default();
        options.check().unwrap();
        for bad in [
            FrontierOptions { popularity: f64::NAN, ..options.clone() },
            FrontierOptions { popularity: -1.0, ..options.clone() },
            FrontierOptions { memory: 1, ..options.clone() },
        ] {
            assert!(matches!(bad.check(), Err(Error::Config(_))), "{bad:?}");
        }
    }
}
