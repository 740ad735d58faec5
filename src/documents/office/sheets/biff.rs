//! Records of XLS files, and the strings in them.
//!
//! **Definition.** [MS-XLS] 2.1.4 and 2.5: a record is a number, a length, data; what does not fit goes on in records called
//! CONTINUE, within strings with a new byte of flags.
//!
//! **Bad input.** A record that does not fit ends the stream, a string that does not fit ends there.

use crate::office::sheets::book::Record;
use crate::ole::{u16_at, u32_at};

const CONTINUE: u16 = 0x3C;
/// Characters of a string that are kept.
const MAX_CHARS: usize = 1 << 20;

/// Records from a place of a stream on.
#[derive(Debug, Clone)]
pub(super) struct Records<'a> {
    stream: &'a [u8],
    at: usize,
}

impl<'a> Records<'a> {
    pub(super) fn from(stream: &'a [u8], at: usize) -> Self {
        Records { stream, at }
    }

    /// Data of the CONTINUE records that come now.
    pub(super) fn continued(&mut self) -> Vec<&'a [u8]> {
        let mut parts = Vec::new();
        while let Some(record) = self.clone().next().filter(|record| record.kind == CONTINUE) {
            self.next();
            parts.push(record.data);
        }
        parts
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let head = self.stream.get(self.at..)?;
        let (kind, length) = (u16_at(head, 0)?, usize::from(u16_at(head, 2)?));
        let data = head.get(4..4 + length)?;
        self.at += 4 + length;
        Some(Record { kind, data })
    }
}

/// Reads strings over the borders of records.
#[derive(Debug)]
pub(super) struct Strings<'a> {
    parts: std::vec::IntoIter<&'a [u8]>,
    rest: &'a [u8],
}

impl<'a> Strings<'a> {
    /// Of a record and those that continue it.
    pub(super) fn over(first: &'a [u8], parts: Vec<&'a [u8]>) -> Self {
        Strings { parts: parts.into_iter(), rest: first }
    }

    /// The next string, whose count of characters has two bytes.
    pub(super) fn next_long(&mut self) -> Option<String> {
        let count = usize::from(self.u16()?);
        self.chars(count)
    }

    /// The next string, whose count of characters has one byte.
    pub(super) fn next_short(&mut self) -> Option<String> {
        let count = usize::from(*self.take(1)?.first()?);
        self.chars(count)
    }

    /// Flags, then as many characters.
    pub(super) fn chars(&mut self, count: usize) -> Option<String> {
        let flags = *self.take(1)?.first()?;
        let runs = if flags & 8 != 0 { usize::from(self.u16()?) } else { 0 };
        let extra = if flags & 4 != 0 { self.u32()? as usize } else { 0 };
        let mut units = Vec::with_capacity(count.min(4096));
        let mut wide = flags & 1 != 0;
        while units.len() < count.min(MAX_CHARS) {
            let width = if wide { 2 } else { 1 };
            let there = (self.rest.len() / width).min(count - units.len());
            let Some(bytes) = self.take(there * width).filter(|bytes| !bytes.is_empty()) else {
                // Goes on in the next record, as wide as that says.
                self.rest = self.parts.next()?;
                wide = self.take(1)?.first()? & 1 != 0;
                continue;
            };
            match wide {
                true => units.extend(bytes.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair))),
                false => units.extend(bytes.iter().map(|&byte| u16::from(byte))),
            }
        }
        self.skip(runs.saturating_mul(4).saturating_add(extra));
        Some(String::from_utf16_lossy(&units))
    }

    /// Characters of a box, which begin with the next record.
    pub(super) fn box_words(&mut self, count: usize) -> Option<String> {
        self.at_border();
        self.chars(count).filter(|words| !words.trim().is_empty())
    }

    /// Bytes of this record.
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// Passes over bytes, of this record and the next ones.
    fn skip(&mut self, mut count: usize) {
        while count > self.rest.len() {
            count -= self.rest.len();
            let Some(next) = self.parts.next() else {
                self.rest = &[];
                return;
            };
            self.rest = next;
        }
        self.take(count);
    }

    fn u16(&mut self) -> Option<u16> {
        self.at_border();
        u16_at(self.take(2)?, 0)
    }

    fn u32(&mut self) -> Option<u32> {
        u32_at(self.take(4)?, 0)
    }

    /// A string may begin where a record does.
    fn at_border(&mut self) {
        while self.rest.is_empty() {
            let Some(next) = self.parts.next() else { return };
            self.rest = next;
        }
    }
}
