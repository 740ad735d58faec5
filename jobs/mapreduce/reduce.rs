//! The reduce side: from sorted pairs to what comes out.

use webmill_capture::{Error, Result};

use crate::mapreduce::{Key, MapReduce, Pairs, Value};

/// Reduces the keys of pairs in order; `out` is told what comes out.
///
/// # Errors
/// Where pairs cannot be read, or what `out` meets.
pub fn reduce<M: MapReduce>(
    kernel: &M,
    pairs: &mut impl Pairs,
    mut out: impl FnMut(M::Out) -> Result<()>,
) -> Result<()> {
    let (mut key, mut next_key) = (Vec::new(), Vec::new());
    let Some((first, value)) = pairs.next_pair()? else { return Ok(()) };
    key.extend_from_slice(first);
    let mut held = Some(parse::<M>(value)?);
    while held.is_some() {
        let mut values = Values {
            pairs,
            key: &key,
            held,
            next_key: &mut next_key,
            next: None,
            ended: false,
            failed: None,
        };
        let read = M::Key::read(&key).ok_or_else(|| strange("key", &key))?;
        let mut told = Ok(());
        kernel.reduce(read, &mut values, &mut |made| {
            if told.is_ok() {
                told = out(made);
            }
        });
        told?;
        // What the kernel did not want to see.
        values.by_ref().for_each(drop);
        if let Some(error) = values.failed {
            return Err(error);
        }
        held = values.next;
        std::mem::swap(&mut key, &mut next_key);
    }
    Ok(())
}

/// The same of pairs that another engine has sorted by key, then value: the bytes that [`map_batch`](crate::mapreduce::map_batch) gave.
///
/// # Errors
/// For bytes that are no key or value, or what `out` meets.
pub fn reduce_sorted<M, K, V>(
    kernel: &M,
    pairs: impl Iterator<Item = (K, V)>,
    out: impl FnMut(M::Out) -> Result<()>,
) -> Result<()>
where
    M: MapReduce,
    K: AsRef<[u8]>,
    V: AsRef<[u8]>,
{
    reduce(kernel, &mut SortedPairs { pairs, lent: None }, out)
}

struct SortedPairs<I, T> {
    pairs: I,
    lent: Option<T>,
}

impl<I: Iterator<Item = (K, V)>, K: AsRef<[u8]>, V: AsRef<[u8]>> Pairs for SortedPairs<I, (K, V)> {
    fn next_pair(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        self.lent = self.pairs.next();
        Ok(self.lent.as_ref().map(|(key, value)| (key.as_ref(), value.as_ref())))
    }
}

/// The values of one key.
struct Values<'a, P, V> {
    pairs: &'a mut P,
    key: &'a [u8],
    held: Option<V>,
    next_key: &'a mut Vec<u8>,
    /// The first value of the next key.
    next: Option<V>,
    ended: bool,
    failed: Option<Error>,
}

impl<P: Pairs, V: Value> Iterator for Values<'_, P, V> {
    type Item = V;

    fn next(&mut self) -> Option<V> {
        if self.held.is_some() {
            return self.held.take();
        }
        if self.ended {
            return None;
        }
        match self.pairs.next_pair() {
            Ok(Some((key, bytes))) => match read_whole::<V>(bytes) {
                Some(value) if key == self.key => return Some(value),
                Some(value) => {
                    self.next_key.clear();
                    self.next_key.extend_from_slice(key);
                    self.next = Some(value);
                }
                None => self.failed = Some(strange("value", bytes)),
            },
            Ok(None) => {}
            Err(error) => self.failed = Some(error),
        }
        self.ended = true;
        None
    }
}

fn parse<M: MapReduce>(bytes: &[u8]) -> Result<M::Value> {
    read_whole(bytes).ok_or_else(|| strange("value", bytes))
}

fn read_whole<V: Value>(mut bytes: &[u8]) -> Option<V> {
    let value = V::read(&mut bytes)?;
    bytes.is_empty().then_some(value)
}

fn strange(what: &str, bytes: &[u8]) -> Error {
    let shown = &bytes[..bytes.len().min(40)];
    Error::Internal(format!("{} is no {what} of this kernel", shown.escape_ascii()))
}
