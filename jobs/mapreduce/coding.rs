//! Keys and values as bytes.
//!
//! **Definition.** The bytes of keys have the order of the keys; those of values are unique, so that equal values are equal bytes
//! and the order of bytes is an order of values.

use std::borrow::Cow;

pub use webmill_capture::varint::{read_varint, write_varint};

/// A key: what it borrows from lives as long as `'k`.
pub trait Key<'k>: Sized {
    /// Appends its bytes, which have its order.
    fn write(&self, out: &mut Vec<u8>);
    /// The key of these bytes, all of them; `None` where they are none's.
    fn read(bytes: &'k [u8]) -> Option<Self>;
}

/// A value of a pair, as bytes and back.
pub trait Value: Sized + Send {
    /// Appends its bytes.
    fn write(&self, out: &mut Vec<u8>);
    /// Takes a value from the front of `bytes`; `None` where none stands there.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
    /// Bytes that it holds outside of itself.
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl<'k> Key<'k> for &'k str {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
    fn read(bytes: &'k [u8]) -> Option<Self> {
        std::str::from_utf8(bytes).ok()
    }
}

impl<'k> Key<'k> for &'k [u8] {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
    fn read(bytes: &'k [u8]) -> Option<Self> {
        Some(bytes)
    }
}

/// Two texts, in the order of the first, then of the second. A zero byte of the first is written as 0 255, its end as 0 0.
impl<'k> Key<'k> for (Cow<'k, str>, &'k str) {
    fn write(&self, out: &mut Vec<u8>) {
        for (n, piece) in self.0.as_bytes().split(|byte| *byte == 0).enumerate() {
            if n > 0 {
                out.extend_from_slice(&[0, 255]);
            }
            out.extend_from_slice(piece);
        }
        out.extend_from_slice(&[0, 0]);
        out.extend_from_slice(self.1.as_bytes());
    }

    fn read(bytes: &'k [u8]) -> Option<Self> {
        let mut unescaped: Option<Vec<u8>> = None;
        let mut from = 0;
        loop {
            let zero = from + bytes.get(from..)?.iter().position(|byte| *byte == 0)?;
            match bytes.get(zero + 1)? {
                0 => {
                    let second = std::str::from_utf8(&bytes[zero + 2..]).ok()?;
                    let first = match unescaped {
                        None => Cow::Borrowed(std::str::from_utf8(&bytes[..zero]).ok()?),
                        Some(mut first) => {
                            first.extend_from_slice(&bytes[from..zero]);
                            Cow::Owned(String::from_utf8(first).ok()?)
                        }
                    };
                    return Some((first, second));
                }
                255 => {
                    let first = unescaped.get_or_insert_default();
                    first.extend_from_slice(&bytes[from..=zero]);
                    from = zero + 2;
                }
                _ => return None,
            }
        }
    }
}

macro_rules! big_endian {
    ($($number:ty),+) => {$(
        impl Key<'_> for $number {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }
            fn read(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(<$number>::from_be_bytes)
            }
        }

        impl Value for $number {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let (head, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(<$number>::from_be_bytes(*head))
            }
        }
    )+};
}

big_endian!(u32, u64, u128);

/// A number whose bytes are few where it is small (LEB128).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u64);

impl Value for Count {
    fn write(&self, out: &mut Vec<u8>) {
        write_varint(out, self.0);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        read_varint(bytes).map(Count)
    }
}

impl<A: Value, B: Value> Value for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some((A::read(bytes)?, B::read(bytes)?))
    }
    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes() + self.1.heap_bytes()
    }
}

/// A text in the order of its bytes: a zero byte ends it, one of its own is written as 0 255.
impl Value for String {
    fn write(&self, out: &mut Vec<u8>) {
        (Cow::Borrowed(self.as_str()), "").write(out);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut from = 0;
        let end = loop {
            let zero = from + bytes.get(from..)?.iter().position(|byte| *byte == 0)?;
            match bytes.get(zero + 1)? {
                0 => break zero + 2,
                _ => from = zero + 2,
            }
        };
        let (head, rest) = bytes.split_at_checked(end)?;
        *bytes = rest;
        <(Cow<'_, str>, &str)>::read(head).map(|(text, _)| text.into_owned())
    }
    fn heap_bytes(&self) -> usize {
        self.capacity()
    }
}

/// Bytes with their length before them.
impl Value for Vec<u8> {
    fn write(&self, out: &mut Vec<u8>) {
        write_varint(out, self.len() as u64);
        out.extend_from_slice(self);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let length = usize::try_from(read_varint(bytes)?).ok()?;
        let (head, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Some(head.to_vec())
    }
    fn heap_bytes(&self) -> usize {
        self.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes<'k>(key: &impl Key<'k>) -> Vec<u8> {
        let mut out = Vec::new();
        key.write(&mut out);
        out
    }

    proptest! {
        #[test]
        fn pairs_of_texts_keep_their_order(
            a in "[\0a\u{1}é]{0,4}", b in "[\0a]{0,3}", c in "[\0a\u{1}é]{0,4}", d in "[\0a]{0,3}",
        ) {
            let one = (Cow::Borrowed(a.as_str()), b.as_str());
            let two = (Cow::Borrowed(c.as_str()), d.as_str());
            prop_assert_eq!(bytes(&one).cmp(&bytes(&two)), one.cmp(&two));
            let coded = bytes(&one);
            prop_assert_eq!(<(Cow<'_, str>, &str)>::read(&coded), Some(one));
        }

        #[test]
        fn values_come_back(text in "[\0a-c]{0,6}", number: u64, list: Vec<u8>) {
            let value = ((text, Count(number)), (list, number));
            let mut out = Vec::new();
            value.write(&mut out);
            let mut rest = out.as_slice();
            prop_assert_eq!(Value::read(&mut rest), Some(value));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn foreign_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut rest = bytes.as_slice();
            let _ = <((String, Count), (Vec<u8>, u64))>::read(&mut rest);
            let _ = <(Cow<'_, str>, &str)>::read(&bytes);
        }
    }

    #[test]
    fn numbers_of_too_many_bits_are_none() {
        assert_eq!(read_varint(&mut &[0xff; 10][..]), None);
        let mut most = Vec::new();
        write_varint(&mut most, u64::MAX);
        assert_eq!(read_varint(&mut most.as_slice()), Some(u64::MAX));
        assert_eq!(read_varint(&mut &most[..9]), None);
    }
}
