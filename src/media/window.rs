//! What is read of a body: its first and its last bytes.

use crate::bytes;

/// The first bytes of a body, its last ones, and how long it is.
///
/// # Examples
/// ```
/// let body = vec![7; 1 << 20];
/// let window = webmill_media::Window::of(&body);
/// assert_eq!((window.head().len(), window.tail().len(), window.len()), (256 << 10, 128 << 10, 1 << 20));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    head: &'a [u8],
    tail: &'a [u8],
    len: u64,
}

impl<'a> Window<'a> {
    /// Bytes at the start of a body that are read.
    pub const HEAD: usize = 256 << 10;
    /// Bytes at the end of a body that are read.
    pub const TAIL: usize = 128 << 10;

    /// The window on a body that is wholly there.
    pub fn of(body: &'a [u8]) -> Self {
        if body.len() <= Self::HEAD + Self::TAIL {
            return Window {
                head: body,
                tail: bytes::from(body, body.len().saturating_sub(Self::TAIL)),
                len: body.len() as u64,
            };
        }
        Window::new(body, bytes::from(body, body.len() - Self::TAIL), body.len() as u64)
    }

    /// The window on a body of `len` bytes that begins with `head` and ends with `tail`, which is empty where the end is
    /// not known. What is beyond [`Self::HEAD`] and [`Self::TAIL`] is left out.
    pub fn new(head: &'a [u8], tail: &'a [u8], len: u64) -> Self {
        let head = bytes::first(head, Self::HEAD);
        let tail = bytes::from(tail, tail.len().saturating_sub(Self::TAIL));
        Window { head, tail, len: len.max(head.len() as u64).max(tail.len() as u64) }
    }

    /// The window on a part of a file that is a file of its own: nothing is left out.
    pub(crate) fn on(part: &'a [u8]) -> Self {
        Window { head: part, tail: part, len: part.len() as u64 }
    }

    /// The first bytes.
    pub fn head(&self) -> &'a [u8] {
        self.head
    }

    /// The last bytes; of a short body the same as the first.
    pub fn tail(&self) -> &'a [u8] {
        self.tail
    }

    /// Bytes of the whole body.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the body has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether every byte of the body is in the head.
    pub(crate) fn is_whole(&self) -> bool {
        self.head.len() as u64 == self.len
    }

    /// The bytes known from a place on, without a gap: more of the head or else of the tail; none within the gap.
    pub(crate) fn at(&self, offset: u64) -> &'a [u8] {
        let of_head = usize::try_from(offset).map_or(&[][..], |offset| bytes::from(self.head, offset));
        let begin = self.len - self.tail.len() as u64;
        let of_tail = offset
            .checked_sub(begin)
            .and_then(|offset| usize::try_from(offset).ok())
            .map_or(&[][..], |offset| bytes::from(self.tail, offset));
        if of_head.len() >= of_tail.len() { of_head } else { of_tail }
    }

    /// As many of `length` bytes at a place as are known.
    pub(crate) fn part(&self, offset: u64, length: u64) -> &'a [u8] {
        bytes::first(self.at(offset), usize::try_from(length).unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_of_the_whole_body() {
        let window = Window::new(b"abcd", b"wxyz", 26);
        for (offset, expected) in
            [(0, "abcd"), (3, "d"), (4, ""), (21, ""), (22, "wxyz"), (25, "z"), (26, ""), (u64::MAX, "")]
        {
            assert_eq!(window.at(offset), expected.as_bytes(), "{offset}");
        }
        assert_eq!(window.part(1, 2), b"bc");
        assert_eq!(window.part(23, u64::MAX), b"xyz");
    }

    #[test]
    fn a_body_that_fits_has_no_gap() {
        let body: Vec<u8> = (0..Window::HEAD + 10).map(|i| i as u8).collect();
        let window = Window::of(&body);
        assert!(window.is_whole());
        assert_eq!(window.at(0).len(), body.len());
        assert!(!Window::of(&vec![0; Window::HEAD + Window::TAIL + 1]).is_whole());
    }

    #[test]
    fn a_lying_length_is_raised_to_what_is_there() {
        assert_eq!(Window::new(b"abc", b"abc", 0).len(), 3);
    }
}
