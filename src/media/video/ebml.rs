//! Elements of EBML, which Matroska and WebM are made of.
//!
//! **Definition.** An id of one to four bytes and a length of one to eight: the zeros before the first one say how many bytes
//! there are. A length of ones alone is not known.
//!
//! **Reference.** RFC 8794.

use crate::Window;
use crate::bytes::{be32, be64, byte, first};

/// Those whose length may be open.
const SEGMENT: u64 = 0x1853_8067;
const CLUSTER: u64 = 0x1F43_B675;

/// Elements within one that are looked at.
const MAX_ELEMENTS: usize = 1 << 14;

/// An element, whose data may be anywhere in a body.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a> {
    window: Window<'a>,
    /// Its id with the bits that tell its length.
    pub(crate) id: u32,
    /// Where its data begin.
    pub(crate) begin: u64,
    /// Where they end; that of the element around it where it is not known.
    pub(crate) end: u64,
    /// Whether its length is written.
    pub(crate) sized: bool,
}

/// A number with the count of its bytes before its first one; with that bit or without.
pub(crate) fn number(bytes: &[u8], most: u32, marked: bool) -> Option<(u64, usize)> {
    let lead = byte(bytes, 0)?;
    let length = lead.leading_zeros() + 1;
    (length <= most).then_some(())?;
    let value = bytes.get(..length as usize)?.iter().fold(0, |value: u64, &b| value << 8 | u64::from(b));
    let bits = 7 * length;
    Some((if marked { value } else { value & ((1 << bits) - 1) }, length as usize))
}

impl<'a> Element<'a> {
    /// The element at a place of one that ends at `end`.
    pub(crate) fn at(window: &Window<'a>, place: u64, end: u64) -> Option<Self> {
        let head = window.part(place, end.saturating_sub(place).min(16));
        let (id, id_length) = number(head, 4, true)?;
        let (length, length_length) = number(head.get(id_length..)?, 8, false)?;
        let begin = place + (id_length + length_length) as u64;
        let known = length != (1 << (7 * length_length)) - 1;
        // Others than these two may not leave it open; what does ends there.
        let sized = known || !matches!(id, SEGMENT | CLUSTER);
        let length = if known { length } else { 0 };
        let ends = if sized { begin.saturating_add(length).min(end) } else { end };
        Some(Element {
            window: *window,
            id: u32::try_from(id).ok()?,
            begin: begin.min(ends),
            end: ends,
            sized,
        })
    }

    /// The elements in it. Behind one of unknown length come those that are in it.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Element<'a>> + use<'a> {
        let (window, end) = (self.window, self.end);
        let mut at = self.begin;
        let next = move || {
            let element = Element::at(&window, at, end)?;
            at = if element.sized { element.end } else { element.begin };
            Some(element)
        };
        std::iter::from_fn(next).take(MAX_ELEMENTS)
    }

    /// The first element of an id in it.
    pub(crate) fn child(&self, id: u32) -> Option<Element<'a>> {
        self.elements().find(|element| element.id == id)
    }

    /// What is known of its data.
    pub(crate) fn data(&self) -> &'a [u8] {
        self.window.part(self.begin, self.end - self.begin)
    }

    /// Its data as a whole number.
    pub(crate) fn unsigned(&self) -> Option<u64> {
        let data = self.data();
        (data.len() <= 8).then(|| data.iter().fold(0, |value, &b| value << 8 | u64::from(b)))
    }

    /// Its data as a number with a point.
    pub(crate) fn float(&self) -> Option<f64> {
        let data = self.data();
        match data.len() {
            4 => be32(data, 0).map(|bits| f32::from_bits(bits).into()),
            8 => be64(data, 0).map(f64::from_bits),
            _ => None,
        }
    }

    /// Its data as text of at most `most` bytes.
    pub(crate) fn text(&self, most: usize) -> String {
        String::from_utf8_lossy(first(crate::text::until_zero(self.data()), most)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_kinds_may_leave_their_length_open() {
        let open =
            [&[0x1F, 0x43, 0xB6, 0x75, 0xFF][..], &[0xE7, 0x81, 9], &[0xAE, 0xFF], &[0xA3, 0x80]].concat();
        let window = Window::of(&open);
        let cluster = Element::at(&window, 0, window.len()).unwrap();
        let found: Vec<(u32, u64)> = cluster.elements().map(|element| (element.id, element.end)).collect();
        assert_eq!((cluster.sized, found), (false, vec![(0xE7, 8), (0xAE, 10), (0xA3, 12)]));
    }

    #[test]
    fn numbers_of_many_lengths() {
        for (bytes, marked, expected) in [
            (&[0x81][..], false, Some((1, 1))),
            (&[0x40, 0x02], false, Some((2, 2))),
            (&[0x1A, 0x45, 0xDF, 0xA3], true, Some((0x1A45_DFA3, 4))),
            (&[0x01, 0, 0, 0, 0, 0, 0, 9], false, Some((9, 8))),
            (&[0x40], false, None),
            (&[0], false, None),
        ] {
            assert_eq!(number(bytes, 8, marked), expected, "{bytes:?}");
        }
        assert_eq!(number(&[0x08, 0, 0, 0, 0], 4, true), None);
    }
}
