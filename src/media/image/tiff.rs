//! Directories of TIFF, which EXIF is made of: typed values behind tags.
//!
//! **Algorithm.** A directory is a count and entries of twelve bytes: tag, type, count of values, and the values or where they
//! lie. Places are of the whole file, so that a directory at its end is read from the window's tail.
//!
//! **Bad input.** At most 512 entries a directory and 64 directories; a chain that comes back to an earlier directory ends
//! there.
//!
//! **Reference.** Adobe, TIFF 6.0, 1992.

use crate::bytes::{be16, be32, first, from, le16, le32};
use crate::facts::{MediaFacts, MediaOptions};
use crate::{Window, image::exif};

/// Entries of a directory that are looked at.
const MAX_ENTRIES: usize = 512;

/// Directories of a chain that are looked at.
const MAX_DIRECTORIES: usize = 64;

/// A file or block of directories.
#[derive(Clone, Copy)]
pub(crate) struct Tiff<'a> {
    window: Window<'a>,
    little: bool,
}

/// A value of a directory.
pub(crate) struct Entry<'a> {
    pub(crate) tag: u16,
    kind: u16,
    /// The bytes of its values.
    pub(crate) data: &'a [u8],
    little: bool,
}

impl<'a> Tiff<'a> {
    /// By its first eight bytes; with the place of the first directory.
    pub(crate) fn new(window: Window<'a>) -> Option<(Self, u32)> {
        let head = window.head();
        let little = match head.get(..4)? {
            b"II*\0" => true,
            b"MM\0*" => false,
            _ => return None,
        };
        let tiff = Tiff { window, little };
        Some((tiff, tiff.u32(head, 4)?))
    }

    fn u16(&self, bytes: &[u8], at: usize) -> Option<u16> {
        if self.little { le16(bytes, at) } else { be16(bytes, at) }
    }

    fn u32(&self, bytes: &[u8], at: usize) -> Option<u32> {
        if self.little { le32(bytes, at) } else { be32(bytes, at) }
    }

    /// The entries of the directory at a place, and the place of the next one, 0 for none.
    pub(crate) fn directory(&self, at: u32) -> Option<(Vec<Entry<'a>>, u32)> {
        let bytes = self.window.at(at.into());
        let count = usize::from(self.u16(bytes, 0)?);
        let entries = (0..count.min(MAX_ENTRIES)).map_while(|entry| self.entry(from(bytes, 2 + 12 * entry)));
        let next = self.u32(bytes, 2 + 12 * count).unwrap_or(0);
        Some((entries.collect(), next))
    }

    fn entry(&self, bytes: &'a [u8]) -> Option<Entry<'a>> {
        let (tag, kind, count) = (self.u16(bytes, 0)?, self.u16(bytes, 2)?, self.u32(bytes, 4)?);
        let each = match kind {
            3 | 8 => 2,
            4 | 9 | 11 => 4,
            5 | 10 | 12 => 8,
            _ => 1,
        };
        let length = u64::from(count) * each;
        let data = if length <= 4 {
            first(from(bytes, 8), count as usize * each as usize)
        } else {
            self.window.part(self.u32(bytes, 8)?.into(), length)
        };
        Some(Entry { tag, kind, data, little: self.little })
    }
}

impl Entry<'_> {
    /// The first value as a whole number.
    pub(crate) fn number(&self) -> Option<u32> {
        match (self.kind, self.little) {
            (3, true) => le16(self.data, 0).map(u32::from),
            (3, false) => be16(self.data, 0).map(u32::from),
            (4 | 13, true) => le32(self.data, 0),
            (4 | 13, false) => be32(self.data, 0),
            (1, _) => self.data.first().copied().map(u32::from),
            _ => None,
        }
    }

    /// A value as a quotient of whole numbers.
    pub(crate) fn quotient(&self, index: usize) -> Option<f64> {
        let part = |at| if self.little { le32(self.data, at) } else { be32(self.data, at) };
        let (over, under) = (part(8 * index)?, part(8 * index + 4)?);
        (self.kind == 5 && under != 0).then(|| f64::from(over) / f64::from(under))
    }

    /// Whether a text of UTF-16 has its lower byte first where it does not say.
    pub(crate) fn is_little(&self) -> bool {
        self.little
    }
}

/// A TIFF file: size of the first picture, how many there are, and what its directories say beside.
pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let (tiff, begin) = Tiff::new(*window)?;
    let mut seen = Vec::new();
    let mut at = begin;
    while at != 0 && seen.len() < MAX_DIRECTORIES && !seen.contains(&at) {
        seen.push(at);
        let Some((entries, next)) = tiff.directory(at) else {
            facts.warn("directory-out-of-reach");
            break;
        };
        if seen.len() == 1 {
            let side = |tag| entries.iter().find(|entry| entry.tag == tag).and_then(Entry::number);
            facts.size(side(256).unwrap_or(0), side(257).unwrap_or(0));
            exif::take(&tiff, &entries, options, facts);
        }
        at = next;
    }
    facts.frames = (at == 0).then_some(seen.len() as u64);
    Some(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Format;

    /// A value: tag, type, bytes of little-endian values.
    pub(crate) type Value = (u16, u16, Vec<u8>);

    /// A directory at a place of a block, with its long values behind it.
    pub(crate) fn directory(at: u32, values: &[Value], next: u32) -> Vec<u8> {
        let mut entries = u16::try_from(values.len()).unwrap().to_le_bytes().to_vec();
        let mut behind: Vec<u8> = Vec::new();
        let begin = at + 2 + 12 * u32::try_from(values.len()).unwrap() + 4;
        for (tag, kind, data) in values {
            let each = match kind {
                3 => 2,
                4 => 4,
                5 => 8,
                _ => 1,
            };
            entries.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
            entries.extend((u32::try_from(data.len()).unwrap() / each).to_le_bytes());
            if data.len() <= 4 {
                entries.extend(data.iter().copied().chain([0; 4]).take(4));
            } else {
                entries.extend((begin + u32::try_from(behind.len()).unwrap()).to_le_bytes());
                behind.extend(data);
            }
        }
        entries.extend(next.to_le_bytes());
        entries.extend(behind);
        entries
    }

    pub(crate) fn tiff(directory: &[u8]) -> Vec<u8> {
        [b"II*\0\x08\0\0\0", directory].concat()
    }

    fn read_tiff(bytes: &[u8]) -> MediaFacts {
        let mut facts = MediaFacts::new(Format::Tiff);
        let _ = read(&Window::of(bytes), &MediaOptions::default(), &mut facts);
        facts
    }

    #[test]
    fn size_and_pages() {
        let first = directory(8, &[(256, 3, vec![64, 1]), (257, 4, vec![200, 0, 0, 0])], 38);
        let facts = read_tiff(&tiff(&[first, directory(38, &[], 0)].concat()));
        assert_eq!((facts.width, facts.height, facts.frames), (Some(320), Some(200), Some(2)));
    }

    #[test]
    fn a_chain_without_end_ends() {
        assert_eq!(read_tiff(&tiff(&directory(8, &[], 8))).frames, None);
    }
}
