//! One contract of a kernel, and the two sides of an engine: map, shuffle, reduce. The program's engine over tables is `jobs/count/engine.rs`.
//!
//! **What.** A kernel ([`MapReduce`]) maps a page to pairs of key and value and reduces the values of each key. It does no I/O and
//! knows no clock, so that the same kernel runs here by threads and elsewhere by a cluster.
//!
//! **Definition.** The pages of a corpus lie in M *splits*. Pairs of all pages are spread over R *parts* by their keys; in a part
//! keys come in the order of their bytes, and the values of a key in the order of theirs. What comes out of a part is a
//! function of the multiset of its pairs.
//!
//! **Algorithm.** A *map side* ([`MapSide`]) a thread: pairs of equal keys are combined in a hash table where the kernel combines,
//! and go from there to an external sort by (part, key, value). The map sides of a unit of work are merged into one [`Shuffle`] file with
//! the place of each part in it; a reduce side merges the same part of all these files and hands the kernel one key after
//! the other ([`reduce`]). Both sides may be called apart, batch by batch, by an engine that shuffles in its own way:
//! [`map_batch`] gives (part, bytes of key, bytes of value), [`reduce_sorted`] takes such pairs in order.
//!
//! **Cost.** O(n log n) comparisons of bytes for n pairs that are left after combining; memory within the [`Budget`](webmill_sort::Budget), but for one
//! page, the values that a kernel itself gathers of one key, and one value larger than the budget.
//!
//! **Determinism.** Neither M, nor threads, nor the budget change a byte, provided that a kernel keeps the contract: its
//! functions are pure, and combining is associative, commutative and exact (sums of integers, not of floats). R is part of the
//! result.
//!
//! **Postings.** [`postings`] is the form of an inverted index that such a job writes, and its reader.
//!
//! **Reference.** J. Dean, S. Ghemawat, *MapReduce: simplified data processing on large clusters*, OSDI 2004.
//!
//! # Examples
//!
//! ```
//! use webmill_jobs::mapreduce::{Count, MapReduce, map_batch, reduce_sorted};
//!
//! /// How often each word occurs.
//! struct Words;
//!
//! impl MapReduce for Words {
//!     type Page<'p> = &'p str;
//!     type Key<'k> = &'k str;
//!     type Value = Count;
//!     type Out = (String, u64);
//!     const COMBINES: bool = true;
//!
//!     fn map(&self, page: &&str, emit: &mut dyn FnMut(&str, Count)) {
//!         page.split_whitespace().for_each(|word| emit(word, Count(1)));
//!     }
//!
//!     fn combine(&self, into: &mut Count, next: Count) {
//!         into.0 += next.0;
//!     }
//!
//!     fn reduce(&self, key: &str, values: &mut dyn Iterator<Item = Count>, emit: &mut dyn FnMut((String, u64))) {
//!         emit((key.to_owned(), values.map(|count| count.0).sum()));
//!     }
//! }
//!
//! // The two sides; what lies between them, sorting by part and key, is an engine's.
//! let texts = ["Hello World, Bye World!", "Hello Hadoop, Goodbye to hadoop."];
//! let mut pairs = Vec::new();
//! map_batch(&Words, texts, 1, |_, key, value| pairs.push((key.to_vec(), value.to_vec())));
//! pairs.sort();
//! let mut made = Vec::new();
//! reduce_sorted(&Words, pairs.iter().map(|pair| (&pair.0, &pair.1)), |out| {
//!     made.push(out);
//!     Ok(())
//! })?;
//! assert_eq!(made[2..4], [("Hadoop,".to_owned(), 1), ("Hello".to_owned(), 2)]);
//! # Ok::<(), webmill_capture::Error>(())
//! ```
//!
//! The inverted index is a form of files of its own (`jobs/mapreduce/postings`, with the two sides because it is what comes out of a
//! kernel and knows no text or table). `count index` writes one of texts that count, and search of
//! `serve` (`jobs/archive_facts`) another, which holds captures that are superseded and pairs of ideographs as well.

mod coding;
mod combiner;
mod kernel;
mod map;
mod merge;
pub mod postings;
mod reduce;
mod shuffle;
mod splitters;
#[cfg(test)]
mod tests;

pub use coding::{Count, Key, Value, read_varint, write_varint};
pub use combiner::Combiner;
pub use kernel::MapReduce;
pub use map::{MapSide, Mapper, map_batch};
pub use merge::{Merged, Pairs};
pub use reduce::{reduce, reduce_sorted};
pub use shuffle::{Part, Shuffle};
pub use splitters::{Sample, Splitters};

/// Most parts that keys are spread over.
pub const MAX_PARTS: u32 = 1 << 16;
