//! External sort: more items than memory holds, in order, within a stated budget.
//!
//! **What.** [`RowSorter`] orders rows by typed keys, [`look_up`] joins two such streams, [`group`] takes one group by group. Below them,
//! [`Sorter`] orders fixed-size items, [`BytesSorter`] orders pairs of byte strings. Graph
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
//!
//! # Examples
//!
//! Links of a page to a page counted, in 64 KiB of memory:
//!
//! ```
//! use webmill_sort::{Budget, Sorter};
//!
//! let mut sorter = Sorter::new(&Budget::new(64 << 10)).with_combine(|first: &mut [u64; 2], next| {
//!     let same = first[0] == next[0];
//!     first[1] += if same { next[1] } else { 0 };
//!     same
//! });
//! for link in (0..100_000u64).rev() {
//!     sorter.push([link % 3, 1])?; // target, number of links
//! }
//! let counts = sorter.finish()?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(counts, [[0, 33_334], [1, 33_333], [2, 33_333]]);
//! # Ok::<(), webmill_capture::error::Error>(())
//! ```

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod budget;
mod bytes;
mod items;
mod losers;
mod mapped;
mod rows;
mod run;

pub use budget::{Budget, MAX_FAN_IN};
pub use bytes::{BytesSorter, SortedBytes};
pub use items::{Item, Sorted, Sorter};
pub use mapped::{ByKey, Mapped, MappedWriter, Numbered, NumberedWriter, Strings, StringsWriter, keyed};
pub use rows::{Others, PutKey, RowSorter, SortedRows, TakeKey, Unread, group, look_up};
