//! Typed rows in the order of typed keys, joined and group by group.
//!
//! **What.** [`RowSorter`] sorts rows by keys that are numbers, texts, options and tuples of these; [`look_up`] joins two
//! streams in the order of their keys, [`group`] hands out a stream group by group. Whoever sorts rows uses these;
//! [`BytesSorter`] below them is for keys that are bytes already.
//!
//! **Form.** A key is written so that its bytes sort as it does: numbers big-endian, those with a sign with its bit
//! turned, texts with a zero byte behind them (one inside is followed by a 1), options with a byte in front, nothing
//! first. A row is written by postcard. Rows of equal keys come in the order of these bytes.
//!
//! **Cost.** That of [`BytesSorter`], and a copy of each key and row on either side.

use std::cmp::Ordering;
use std::iter::Peekable;
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
pub trait TakeKey: Sized {
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

number!(u8, 0; u16, 0; u32, 0; u64, 0; u128, 0; i64, i64::MIN);

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

/// A text that rows are sorted by and that does not come back: nothing is allocated for it.
#[derive(Debug, Clone, Copy)]
pub struct Unread<T>(pub T);

impl PutKey for Unread<&str> {
    type Owned = Unread<()>;
    fn put(&self, bytes: &mut Vec<u8>) {
        self.0.put(bytes);
    }
}

impl TakeKey for Unread<()> {
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        loop {
            let end = bytes.iter().position(|byte| *byte == 0)?;
            let inside = *bytes.get(end + 1)? == 1;
            *bytes = &bytes[end + 2..];
            if !inside {
                return Some(Unread(()));
            }
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
/// sorter.push(&("b", 1i64), &10u32)?;
/// sorter.push(&("a", 2i64), &20u32)?;
/// sorter.push(&("a", -3i64), &30u32)?;
/// let rows = sorter.finish()?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(rows[0], (("a".to_owned(), -3), 30));
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct RowSorter<K, V> {
    sorter: BytesSorter,
    key: Vec<u8>,
    row: Vec<u8>,
    rows: PhantomData<fn() -> (K, V)>,
}

impl<K: TakeKey, V: DeserializeOwned> RowSorter<K, V> {
    /// A sorter that keeps every row.
    pub fn new(budget: &Budget) -> Self {
        RowSorter { sorter: BytesSorter::new(budget), key: Vec::new(), row: Vec::new(), rows: PhantomData }
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
        self.row.clear();
        self.row = postcard::to_extend(row, std::mem::take(&mut self.row))
            .map_err(|error| Error::Internal(error.to_string()))?;
        self.sorter.push(&self.key, &self.row)
    }

    /// Ends the input and starts the output.
    ///
    /// # Errors
    /// As of [`BytesSorter::finish`].
    pub fn finish(self) -> Result<SortedRows<K, V>> {
        Ok(SortedRows { sorted: self.sorter.finish()?, rows: PhantomData })
    }
}

/// Rows with their keys, in the order of these. [`Error::Io`] when a run cannot be read; [`Error::Internal`] where it
/// holds another row than was put in.
pub struct SortedRows<K, V> {
    sorted: SortedBytes,
    rows: PhantomData<fn() -> (K, V)>,
}

impl<K: TakeKey, V: DeserializeOwned> Iterator for SortedRows<K, V> {
    type Item = Result<(K, V)>;

    fn next(&mut self) -> Option<Result<(K, V)>> {
        let row = |(mut key, row): (&[u8], &[u8])| {
            let row = K::take(&mut key).zip(postcard::from_bytes(row).ok());
            row.ok_or_else(|| Error::Internal("a sorted row is not what was put in".into()))
        };
        Some(self.sorted.next()?.and_then(row))
    }
}

/// The items of a group behind its first one.
pub struct Others<'g, T>(&'g mut dyn Iterator<Item = Result<T>>);

impl<T> Iterator for Others<'_, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        self.0.next()
    }
}

/// Calls `each` with every group of a stream: its first item, and the others one by one, of which `each` takes as many as
/// it wants. Items next to each other are of one group where `same` says so of the first one and the other. Memory is
/// that of two items.
///
/// # Errors
/// Those of the stream and of `each`.
///
/// # Examples
/// ```
/// # use webmill_sort::group;
/// let links = [("a", 1), ("a", 2), ("b", 5)].map(Ok);
/// let mut counts = Vec::new();
/// group(links, |a, b| a.0 == b.0, |first, others| {
///     let sum = others.try_fold(first.1, |sum, link| Ok::<_, webmill_capture::Error>(sum + link?.1))?;
///     Ok(counts.push((first.0, sum)))
/// })?;
/// assert_eq!(counts, [("a", 3), ("b", 5)]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub fn group<T>(
    stream: impl IntoIterator<Item = Result<T>>,
    same: impl Fn(&T, &T) -> bool,
    mut each: impl FnMut(&T, &mut Others<'_, T>) -> Result<()>,
) -> Result<()> {
    let mut stream = stream.into_iter();
    let mut next = stream.next().transpose()?;
    while let Some(first) = next.take() {
        let mut ended = false;
        let mut others = std::iter::from_fn(|| {
            let item = if ended { None } else { stream.next() };
            let is_one = matches!(&item, Some(Ok(item)) if same(&first, item));
            ended = !is_one;
            match item {
                Some(Ok(item)) if !is_one => {
                    next = Some(item);
                    None
                }
                // An error is the last item.
                item => item,
            }
        });
        each(&first, &mut Others(&mut others))?;
        others.try_for_each(|item| item.map(drop))?;
    }
    Ok(())
}

/// The row of a key in a stream in the order of keys, by how the stream's keys compare to that; keys are looked up in
/// ascending order. So two streams in one order are joined.
///
/// # Errors
/// Those of the stream.
///
/// # Examples
/// ```
/// # use webmill_sort::look_up;
/// let mut stream = [(1, "a"), (3, "b"), (4, "c")].map(Ok).into_iter().peekable();
/// let mut find = |key: u32| look_up(&mut stream, |known: &u32| known.cmp(&key)).map(|row| row.copied());
/// assert_eq!([find(2)?, find(3)?, find(3)?, find(5)?], [None, Some("b"), Some("b"), None]);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub fn look_up<'a, K: 'a, V>(
    stream: &'a mut Peekable<impl Iterator<Item = Result<(K, V)>>>,
    order: impl Fn(&K) -> Ordering,
) -> Result<Option<&'a V>> {
    while stream.next_if(|row| row.as_ref().is_ok_and(|(key, _)| order(key).is_lt())).is_some() {}
    if let Some(error) = stream.next_if(Result::is_err) {
        error?;
    }
    let next = stream.peek().and_then(|row| row.as_ref().ok());
    Ok(next.filter(|(key, _)| order(key).is_eq()).map(|(_, row)| row))
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
            let found = sorted(&rows, 1 << 10);
            rows.sort();
            prop_assert_eq!(found.collect::<Result<Vec<_>>>().unwrap(), rows);
        }
    }

    #[test]
    fn another_row_than_was_put_in_is_an_error() {
        let mut sorter = BytesSorter::new(&Budget::new(1 << 10));
        sorter.push(b"no key", b"").unwrap();
        let mut rows = SortedRows::<Key, u8> { sorted: sorter.finish().unwrap(), rows: PhantomData };
        assert!(rows.next().unwrap().unwrap_err().to_string().contains("not what was put in"));
    }

    #[test]
    fn groups_are_whole_whatever_is_taken_of_them() {
        for taken in 0..4 {
            let mut groups = Vec::new();
            let same = |a: &u32, b: &u32| a / 10 == b / 10;
            let each = |first: &u32, others: &mut Others<'_, u32>| {
                groups.push((*first, others.take(taken).count()));
                Ok(())
            };
            group([10, 11, 12, 20, 31, 32].map(Ok), same, each).unwrap();
            assert_eq!(groups, [(10, taken.min(2)), (20, 0), (31, taken.min(1))]);
        }
        let broken = [Ok(1), Ok(1), Err(Error::Interrupted)];
        assert!(group(broken, |a, b| a == b, |_, _| Ok(())).is_err());
    }

    #[test]
    fn a_text_that_is_not_read_still_sorts() {
        let mut sorter = RowSorter::<(Unread<()>, u8), ()>::new(&Budget::new(1 << 10));
        for (text, number) in [("b", 1u8), ("a\0b", 2), ("a", 3)] {
            sorter.push(&(Unread(text), number), &()).unwrap();
        }
        let numbers: Vec<u8> = sorter.finish().unwrap().map(|row| row.unwrap().0.1).collect();
        assert_eq!(numbers, [3, 2, 1]);
    }
}
