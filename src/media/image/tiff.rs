//! Directories of TIFF, which EXIF is made of: typed values behind tags.
//!
//! **Algorithm.** A directory is a count and entries of twelve bytes: tag, type, count of values, and the values or where they
//! lie. BigTIFF has 64 bits for counts and places, and entries of twenty bytes. Places are of the whole file, so that a directory at its end is read from the window's tail.
//!
//! **Bad input.** At most 512 entries a directory and 64 directories; a chain that comes back to an earlier directory ends
//! there.
//!
//! **Reference.** Adobe, TIFF 6.0, 1992; The BigTIFF File Format, 2008.

use crate::Window;
use crate::bytes::{be16, be32, be64, first, from, le16, le32, le64};
use crate::facts::{MediaFacts, MediaOptions};
use crate::image::{exif, xmp};

/// Entries of a directory that are looked at.
const MAX_ENTRIES: usize = 512;

/// Directories of a chain that are looked at.
const MAX_DIRECTORIES: usize = 64;

/// A file or block of directories.
#[derive(Clone, Copy)]
pub(crate) struct Tiff<'a> {
    window: Window<'a>,
    little: bool,
    /// Whether counts and places have 64 bits.
    big: bool,
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
    /// By its first bytes; with the place of the first directory.
    pub(crate) fn new(window: Window<'a>) -> Option<(Self, u64)> {
        let head = window.head();
        let (little, big) = match head.get(..4)? {
            b"II*\0" => (true, false),
            b"MM\0*" => (false, false),
            b"II+\0" => (true, true),
            b"MM\0+" => (false, true),
            _ => return None,
        };
        let tiff = Tiff { window, little, big };
        // Behind the mark of BigTIFF stands how many bytes a place has: eight.
        let first =
            if big { (tiff.u16(head, 4)? == 8).then(|| tiff.u64(head, 8))?? } else { tiff.place(head, 4)? };
        Some((tiff, first))
    }

    fn u16(&self, bytes: &[u8], at: usize) -> Option<u16> {
        if self.little { le16(bytes, at) } else { be16(bytes, at) }
    }

    fn u32(&self, bytes: &[u8], at: usize) -> Option<u32> {
        if self.little { le32(bytes, at) } else { be32(bytes, at) }
    }

    fn u64(&self, bytes: &[u8], at: usize) -> Option<u64> {
        if self.little { le64(bytes, at) } else { be64(bytes, at) }
    }

    /// A count or place.
    fn place(&self, bytes: &[u8], at: usize) -> Option<u64> {
        if self.big { self.u64(bytes, at) } else { self.u32(bytes, at).map(u64::from) }
    }

    /// The entries of the directory at a place, and the place of the next one, 0 for none.
    pub(crate) fn directory(&self, at: u64) -> Option<(Vec<Entry<'a>>, u64)> {
        let bytes = self.window.at(at);
        let (count, header, each) = match self.big {
            true => (usize::try_from(self.u64(bytes, 0)?).ok()?, 8, 20),
            false => (self.u16(bytes, 0)?.into(), 2, 12),
        };
        let entries =
            (0..count.min(MAX_ENTRIES)).map_while(|entry| self.entry(from(bytes, header + each * entry)));
        let behind = count.checked_mul(each).and_then(|length| length.checked_add(header));
        let next = behind.and_then(|behind| self.place(bytes, behind)).unwrap_or(0);
        Some((entries.collect(), next))
    }

    fn entry(&self, bytes: &'a [u8]) -> Option<Entry<'a>> {
        let (tag, kind, count) = (self.u16(bytes, 0)?, self.u16(bytes, 2)?, self.place(bytes, 4)?);
        let each = match kind {
            3 | 8 => 2,
            4 | 9 | 11 | 13 => 4,
            5 | 10 | 12 | 16 | 17 | 18 => 8,
            _ => 1,
        };
        let length = count.saturating_mul(each);
        let (value_at, room) = if self.big { (12, 8) } else { (8, 4) };
        let data = if length <= room {
            first(from(bytes, value_at), length as usize)
        } else {
            self.window.part(self.place(bytes, value_at)?, length)
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
            (16 | 18, true) => le64(self.data, 0).and_then(|value| u32::try_from(value).ok()),
            (16 | 18, false) => be64(self.data, 0).and_then(|value| u32::try_from(value).ok()),
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
            if let Some(packet) = entries.iter().find(|entry| entry.tag == 700) {
                xmp::take(packet.data, facts);
            }
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
    fn places_of_64_bits() {
        let entry = |tag: u16, kind: u16, value: u64| {
            [&tag.to_le_bytes()[..], &kind.to_le_bytes(), &1_u64.to_le_bytes(), &value.to_le_bytes()].concat()
        };
        let page = |next: u64| {
            let entries = [entry(256, 3, 320), entry(257, 16, 200)].concat();
            [&2_u64.to_le_bytes()[..], &entries, &next.to_le_bytes()].concat()
        };
        let body = [b"II+\0\x08\0\0\0", &16_u64.to_le_bytes()[..], &page(72), &page(0)].concat();
        let facts = read_tiff(&body);
        assert_eq!((facts.width, facts.height, facts.frames), (Some(320), Some(200), Some(2)));
        let lying = [b"II+\0\x08\0\0\0", &16_u64.to_le_bytes()[..], &[0xFF; 40]].concat();
        assert_eq!(read_tiff(&lying).width, None);
    }

    #[test]
    fn a_chain_without_end_ends() {
        assert_eq!(read_tiff(&tiff(&directory(8, &[], 8))).frames, None);
    }
}
