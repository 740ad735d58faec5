//! The data read from a body: its first and its last bytes, and both as a file that libraries read.

use std::io::{self, Read, Seek, SeekFrom};

/// The first bytes of a body, its last ones, and how long it is.
///
/// # Examples
/// ```
/// let body = vec![7; 1 << 20];
/// let window = webmill_documents::media::Window::of(&body);
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
        let tail = from(body, body.len().saturating_sub(Self::TAIL));
        if body.len() <= Self::HEAD + Self::TAIL {
            return Window { head: body, tail, len: body.len() as u64 };
        }
        Window::new(body, tail, body.len() as u64)
    }

    /// The window on a body of `len` bytes that begins with `head` and ends with `tail`, which is empty where the end is
    /// not known. Bytes beyond [`Self::HEAD`] and [`Self::TAIL`] are left out.
    pub fn new(head: &'a [u8], tail: &'a [u8], len: u64) -> Self {
        let head = head.get(..Self::HEAD).unwrap_or(head);
        let tail = from(tail, tail.len().saturating_sub(Self::TAIL));
        Window { head, tail, len: len.max(head.len() as u64).max(tail.len() as u64) }
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
        let of_head = usize::try_from(offset).map_or(&[][..], |offset| from(self.head, offset));
        let of_tail = offset
            .checked_sub(self.len - self.tail.len() as u64)
            .and_then(|offset| usize::try_from(offset).ok())
            .map_or(&[][..], |offset| from(self.tail, offset));
        if of_head.len() >= of_tail.len() { of_head } else { of_tail }
    }
}

/// The bytes from a place on; empty beyond the end.
pub(crate) fn from(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// A window as a file: zeros stand in its gap.
///
/// A library that loops over what hostile bytes say ends with an error: [`MAX_READ`] bytes are given in all, and each call
/// counts as [`CALL`] of them.
pub(crate) struct WindowFile<'a> {
    window: Window<'a>,
    at: u64,
    left: u64,
    /// Whether bytes of the gap were asked for.
    pub(crate) in_gap: bool,
}

/// Bytes that one file gives in all its calls.
const MAX_READ: u64 = 32 << 20;

/// Bytes that a call counts for, whatever it reads.
const CALL: u64 = 16;

impl<'a> WindowFile<'a> {
    pub(crate) fn new(window: &Window<'a>) -> Self {
        WindowFile { window: *window, at: 0, left: MAX_READ, in_gap: false }
    }

    fn spend(&mut self, bytes: u64) -> io::Result<()> {
        self.left =
            self.left.checked_sub(bytes + CALL).ok_or_else(|| io::Error::other("too much was read"))?;
        Ok(())
    }
}

impl Read for WindowFile<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(self.window.len.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let known = self.window.at(self.at);
        let most = if known.is_empty() { rest.min(4096) } else { known.len() };
        let count = into.len().min(most);
        self.spend(count as u64)?;
        if let Some(into) = into.get_mut(..count) {
            match known.get(..count) {
                Some(known) => into.copy_from_slice(known),
                None => into.fill(0),
            }
        }
        self.in_gap |= count > 0 && known.is_empty();
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for WindowFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.spend(0)?;
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.window.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = place.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
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
        assert_eq!(Window::new(b"abc", b"abc", 0).len(), 3);
        let body = vec![0; Window::HEAD + Window::TAIL];
        assert!(Window::of(&body).is_whole() && !Window::of(&[&body[..], b"."].concat()).is_whole());
    }

    #[test]
    fn a_file_has_zeros_in_its_gap_and_ends_with_its_budget() {
        let mut file = WindowFile::new(&Window::new(b"abcd", b"wxyz", 12));
        let mut all = Vec::new();
        file.read_to_end(&mut all).unwrap();
        assert_eq!((&all[..], file.in_gap), (&b"abcd\0\0\0\0wxyz"[..], true));
        let endless = WindowFile::new(&Window::new(b"abcd", b"", u64::MAX));
        assert!(io::copy(&mut { endless }, &mut io::sink()).is_err());
    }
}
