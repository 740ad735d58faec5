//! Typed rows in the order of typed keys, and two such streams side by side.
//!
//! **What.** [`RowSorter`] sorts rows by keys that are numbers, texts, options and tuples of these; [`Join`] brings two
//! streams in the order of their keys together. Whoever sorts rows uses these; [`BytesSorter`] below them is for keys
//! that are bytes already.
//!
//! **Form.** A key is written so that its bytes sort as it does: numbers big-endian, those with a sign with its bit
//! turned, texts with a zero byte behind them (one inside is followed by a 1), options with a byte in front, nothing
//! first. A row is written by postcard. Rows of equal keys come in the order of these bytes.
//!
//! **Cost.** That of [`BytesSorter`], and a copy of each key and row on either side.

use std::cmp::Ordering;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use webmill_capture::error::{Error, Result};

use super::budget::Budget;
use super::bytes::{BytesSorter, SortedBytes};

/// A key that a row is sorted by.
pub trait PutKey {
    /// What comes back: a `String` for a `&str`, else the same.
    type Owned: TakeKey;
    /// Writes bytes that sort as the key does.
    fn put(&self, bytes: &mut Vec<u8>);
}

/// A key that comes back from a sort.
pub trait TakeKey: Ord + Sized {
    /// Takes the key off the front of the bytes; `None` where they are none of it.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! number {
    ($($number:ty, $turned:expr);+ $(;)?) => {$(
        impl PutKey for $number {
            type Owned = Self;
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&(*self ^ $turned).to_be_bytes());
            }
        }

        impl TakeKey for $number {
            fn take(bytes: &mut &[u8]) -> Option<Self> {
                let (front, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(<$number>::from_be_bytes(*front) ^ $turned)
            }
        }
    )+};
}

number!(u8, 0; u32, 0; u64, 0; u128, 0; i64, i64::MIN);

impl PutKey for &str {
    type Owned = String;
    fn put(&self, bytes: &mut Vec<u8>) {
        for (at, piece) in self.as_bytes().split(|byte| *byte == 0).enumerate() {
            if at > 0 {
                bytes.extend_from_slice(&[0, 1]);
            }
            bytes.extend_from_slice(piece);
        }
        bytes.extend_from_slice(&[0, 0]);
    }
}

impl TakeKey for String {
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let mut text = Vec::new();
        loop {
            let end = bytes.iter().position(|byte| *byte == 0)?;
            text.extend_from_slice(&bytes[..end]);
            let inside = *bytes.get(end + 1)? == 1;
            *bytes = &bytes[end + 2..];
            if !inside {
                return String::from_utf8(text).ok();
            }
            text.push(0);
        }
    }
}

impl<K: PutKey> PutKey for Option<K> {
    type Owned = Option<K::Owned>;
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self.is_some()));
        self.iter().for_each(|key| key.put(bytes));
    }
}

impl<K: TakeKey> TakeKey for Option<K> {
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        if u8::take(bytes)? == 0 { Some(None) } else { K::take(bytes).map(Some) }
    }
}

macro_rules! tuple {
    ($($name:ident $at:tt),+) => {
        impl<$($name: PutKey),+> PutKey for ($($name,)+) {
            type Owned = ($($name::Owned,)+);
            fn put(&self, bytes: &mut Vec<u8>) {
                $(self.$at.put(bytes);)+
            }
        }

        impl<$($name: TakeKey),+> TakeKey for ($($name,)+) {
            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Some(($($name::take(bytes)?,)+))
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

/// Collects rows in any order and gives them back in the order of their keys.
///
/// # Examples
/// ```
/// # use webmill_sort::{Budget, RowSorter};
/// let mut sorter = RowSorter::<(String, i64), u32>::new(&Budget::new(1 << 20));
/// sorter.push(&("b", 1), &10u32)?;
/// sorter.push(&("a", 2), &20u32)?;
/// sorter.push(&("a", -3), &30u32)?;
/// let mut sorted = sorter.finish()?;
/// assert_eq!(sorted.next()?, Some((("a".to_owned(), -3), 30)));
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct RowSorter<K, V> {
    sorter: BytesSorter,
    key: Vec<u8>,
    row: PhantomData<fn() -> (K, V)>,
}

impl<K: TakeKey, V: DeserializeOwned> RowSorter<K, V> {
    /// A sorter that keeps every row.
    pub fn new(budget: &Budget) -> Self {
        RowSorter { sorter: BytesSorter::new(budget), key: Vec::new(), row: PhantomData }
    }

    /// Keeps one row of each key: the one whose bytes are the least.
    #[must_use]
    pub fn with_unique_keys(mut self) -> Self {
        self.sorter = self.sorter.with_unique_keys();
        self
    }

    /// Takes a row, which is serialised as a `V` is.
    ///
    /// # Errors
    /// As of [`BytesSorter::push`]; [`Error::Internal`] for a row that postcard cannot write.
    pub fn push<P: PutKey<Owned = K>>(&mut self, key: &P, row: &impl Serialize) -> Result<()> {
        self.key.clear();
        key.put(&mut self.key);
        let row = postcard::to_allocvec(row).map_err(|error| Error::Internal(error.to_string()))?;
        self.sorter.push(&self.key, &row)
    }

    /// Ends the input and starts the output.
    ///
    /// # Errors
    /// As of [`BytesSorter::finish`].
    pub fn finish(self) -> Result<SortedRows<K, V>> {
        Ok(SortedRows { sorted: self.sorter.finish()?, row: PhantomData })
    }
}

/// Rows in the order of their keys.
pub struct SortedRows<K, V> {
    sorted: SortedBytes,
    row: PhantomData<fn() -> (K, V)>,
}

impl<K: TakeKey, V: DeserializeOwned> SortedRows<K, V> {
    /// The next row with its key.
    ///
    /// # Errors
    /// [`Error::Io`] when a run cannot be read; [`Error::Internal`] where it holds another row than was put in.
    #[allow(clippy::should_implement_trait, reason = "errors come first: this is no Iterator of items")]
    pub fn next(&mut self) -> Result<Option<(K, V)>> {
        let Some((mut key, row)) = self.sorted.next().transpose()? else { return Ok(None) };
        let row = K::take(&mut key).zip(postcard::from_bytes(row).ok());
        row.map(Some).ok_or_else(|| Error::Internal("a sorted row is not what was put in".into()))
    }
}

/// A stream of rows whose keys ascend, none twice.
pub trait InOrder {
    /// What it is in the order of.
    type Key: Ord;
    /// The rows of the stream.
    type Row;

    /// The next row with its key.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn next_row(&mut self) -> Result<Option<(Self::Key, Self::Row)>>;
}

impl<K: TakeKey, V: DeserializeOwned> InOrder for SortedRows<K, V> {
    type Key = K;
    type Row = V;

    fn next_row(&mut self) -> Result<Option<(K, V)>> {
        self.next()
    }
}

/// The row that a stream gives next, with its key; `None` at its end.
type NextRow<S> = Option<(<S as InOrder>::Key, <S as InOrder>::Row)>;

/// Two streams in the order of their keys, side by side: an outer join.
pub struct Join<L: InOrder, R: InOrder<Key = L::Key>> {
    left: L,
    right: R,
    waiting: (NextRow<L>, NextRow<R>),
    begun: bool,
}

/// The rows of a key: of the left stream, of the right one; one of them at least.
pub type Joined<L, R> = (Option<<L as InOrder>::Row>, Option<<R as InOrder>::Row>);

impl<L: InOrder, R: InOrder<Key = L::Key>> Join<L, R> {
    /// Of two streams.
    pub fn of(left: L, right: R) -> Self {
        Join { left, right, waiting: (None, None), begun: false }
    }

    /// The left stream, which is read a row ahead.
    pub fn left(&self) -> &L {
        &self.left
    }

    /// The rows of the next key.
    ///
    /// # Errors
    /// Where a stream cannot be read.
    #[allow(clippy::should_implement_trait, reason = "errors come first: this is no Iterator of items")]
    pub fn next(&mut self) -> Result<Option<Joined<L, R>>> {
        if !std::mem::replace(&mut self.begun, true) {
            self.waiting = (self.left.next_row()?, self.right.next_row()?);
        }
        let order = match &self.waiting {
            (None, None) => return Ok(None),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((left, _)), Some((right, _))) => left.cmp(right),
        };
        let mut rows = (None, None);
        if order.is_le() {
            rows.0 = std::mem::replace(&mut self.waiting.0, self.left.next_row()?).map(|(_, row)| row);
        }
        if order.is_ge() {
            rows.1 = std::mem::replace(&mut self.waiting.1, self.right.next_row()?).map(|(_, row)| row);
        }
        Ok(Some(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Key = (String, Option<i64>, u32);

    fn sorted(rows: &[(Key, u8)], memory: usize) -> SortedRows<Key, u8> {
        let mut sorter = RowSorter::new(&Budget::new(memory));
        for ((text, number, place), row) in rows {
            sorter.push(&(text.as_str(), *number, *place), row).unwrap();
        }
        sorter.finish().unwrap()
    }

    proptest! {
        #[test]
        fn rows_come_back_in_the_order_of_their_keys(
            mut rows in prop::collection::vec((("[\0\u{1}a中]{0,3}", prop::option::of(any::<i64>()), 0u32..3), 0u8..3), 0..40),
        ) {
            let mut found = sorted(&rows, 1 << 10);
            rows.sort();
            for row in rows {
                prop_assert_eq!(found.next().unwrap(), Some(row));
            }
            prop_assert_eq!(found.next().unwrap(), None);
        }

        #[test]
        fn a_join_has_every_key_once(left in prop::collection::btree_set(0u32..30, 0..20), right in prop::collection::btree_set(0u32..30, 0..20)) {
            let rows = |keys: &std::collections::BTreeSet<u32>| {
                let mut sorter = RowSorter::<u32, u32>::new(&Budget::new(1 << 10)).with_unique_keys();
                keys.iter().for_each(|key| sorter.push(key, key).unwrap());
                sorter.finish().unwrap()
            };
            let mut join = Join::of(rows(&left), rows(&right));
            for key in left.union(&right) {
                let has = |keys: &std::collections::BTreeSet<u32>| keys.get(key).copied();
                prop_assert_eq!(join.next().unwrap(), Some((has(&left), has(&right))));
            }
            prop_assert_eq!(join.next().unwrap(), None);
        }
    }

    #[test]
    fn another_row_than_was_put_in_is_an_error() {
        let mut sorter = BytesSorter::new(&Budget::new(1 << 10));
        sorter.push(b"no key", b"").unwrap();
        let mut rows = SortedRows::<Key, u8> { sorted: sorter.finish().unwrap(), row: PhantomData };
        assert!(rows.next().unwrap_err().to_string().contains("not what was put in"));
    }
}
