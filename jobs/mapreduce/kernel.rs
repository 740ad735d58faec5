//! The contract.

use xxhash_rust::xxh3::xxh3_64;

use crate::mapreduce::{Key, Value};

/// A job over pages, by what it does to one page and to one key.
///
/// All functions are pure: they see what they are given and the settings in `self`, no file, clock or state of others.
pub trait MapReduce: Send + Sync + 'static {
    /// The input of map: a record of a table, borrowed.
    type Page<'p>;
    /// What values are gathered by. Its bytes have its order.
    type Key<'k>: Key<'k>;
    /// Known facts about a key by one page.
    type Value: Value;
    /// Known facts about a key by all pages.
    type Out;

    /// Whether values are [combined](Self::combine) before they are sorted.
    const COMBINES: bool = false;

    /// Gives the pairs of a page.
    fn map(&self, page: &Self::Page<'_>, emit: &mut dyn FnMut(Self::Key<'_>, Self::Value));

    /// Makes one value of two of the same key. Associative, commutative and exact: in which order and how often values are
    /// combined before they are reduced depends on threads and memory.
    fn combine(&self, into: &mut Self::Value, next: Self::Value) {
        let _ = (into, next);
    }

    /// Gives what follows from the values of a key, which come in the order of their bytes.
    fn reduce(
        &self,
        key: Self::Key<'_>,
        values: &mut dyn Iterator<Item = Self::Value>,
        emit: &mut dyn FnMut(Self::Out),
    );

    /// The part of a key, by its bytes: below `parts`.
    fn partition(&self, key: &[u8], parts: u32) -> u32 {
        (xxh3_64(key) % u64::from(parts.max(1))) as u32
    }
}
