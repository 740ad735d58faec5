//! JPEG XL: size, orientation, EXIF.
//!
//! **Definition.** A code stream begins with FF 0A; its bits, the lowest first, say height and width, by eighths and by the ratio of
//! both where these are common, then how it is turned. It stands alone, or in boxes as MP4 has them.
//!
//! **Reference.** ISO/IEC 18181-1, annex A (`SizeHeader`, `ImageMetadata`); ISO/IEC 18181-2.

use crate::Window;
use crate::boxes::Atom;
use crate::bytes::{be32, byte, from};
use crate::facts::{MediaFacts, MediaOptions};
use crate::image::exif;

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    if window.head().starts_with(&[0xFF, 0x0A]) {
        return take_stream(window.head(), facts);
    }
    let mut seen = None;
    for atom in Atom::all(window).boxes(0) {
        match &atom.kind {
            b"jxlc" if seen.is_none() => seen = take_stream(atom.data(), facts),
            // A part has its number before it.
            b"jxlp" if seen.is_none() => seen = take_stream(from(atom.data(), 4), facts),
            b"Exif" => {
                let before = be32(atom.data(), 0)? as usize;
                let turned = facts.orientation;
                exif::read(from(atom.data(), before.checked_add(4)?), options, facts);
                // The turning of the code stream counts.
                facts.orientation = turned;
            }
            _ => {}
        }
    }
    seen
}

/// Bits of a code stream.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> Option<u32> {
        let mut value = 0;
        for bit in 0..count {
            let at = self.at + bit;
            value |= u32::from(byte(self.bytes, at / 8)? >> (at % 8) & 1) << bit;
        }
        self.at += count;
        Some(value)
    }

    /// A side: so many eighths, or a number of one of four lengths.
    fn side(&mut self, by_eighths: bool) -> Option<u32> {
        if by_eighths {
            return Some((self.take(5)? + 1) * 8);
        }
        let length = *[9, 13, 18, 30].get(self.take(2)? as usize)?;
        Some(self.take(length)? + 1)
    }
}

fn take_stream(stream: &[u8], facts: &mut MediaFacts) -> Option<()> {
    stream.starts_with(&[0xFF, 0x0A]).then_some(())?;
    let mut bits = Bits { bytes: stream, at: 16 };
    let by_eighths = bits.take(1)? == 1;
    let height = bits.side(by_eighths)?;
    let ratio = |over: u64, under: u64| u32::try_from(u64::from(height) * over / under).ok();
    let width = match bits.take(3)? {
        0 => bits.side(by_eighths)?,
        1 => height,
        2 => ratio(12, 10)?,
        3 => ratio(4, 3)?,
        4 => ratio(3, 2)?,
        5 => ratio(16, 9)?,
        6 => ratio(5, 4)?,
        _ => ratio(2, 1)?,
    };
    facts.size(width, height);
    // Whether all else is as usual; whether there is more than usual, which is the turning first.
    if bits.take(1) == Some(0) && bits.take(1) == Some(1) {
        facts.orientation = bits.take(3).map(|turned| turned as u8 + 1).filter(|&turned| turned > 1);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::boxes::tests::atom;

    /// Values with the count of their bits, behind the mark.
    fn stream(values: &[(u32, usize)]) -> Vec<u8> {
        let bits: Vec<u8> = values
            .iter()
            .flat_map(|&(value, count)| (0..count).map(move |bit| (value >> bit & 1) as u8))
            .collect();
        let bytes = bits.chunks(8).map(|bits| bits.iter().enumerate().map(|(at, bit)| bit << at).sum());
        [0xFF, 0x0A].into_iter().chain(bytes).chain([0; 4]).collect()
    }

    #[test]
    fn sizes_of_four_kinds() {
        for (values, width, height, turned) in [
            (&[(1, 1), (9, 5), (0, 3), (14, 5), (1, 1)][..], 120, 80, None),
            (&[(0, 1), (0, 2), (143, 9), (0, 3), (0, 2), (175, 9), (1, 1)], 176, 144, None),
            (&[(0, 1), (1, 2), (2159, 13), (5, 3), (1, 1)], 3840, 2160, None),
            (&[(1, 1), (9, 5), (4, 3), (0, 1), (1, 1), (5, 3)], 120, 80, Some(6)),
        ] {
            let plain = stream(values);
            let container = [
                b"\0\0\0\x0CJXL \r\n\x87\n".to_vec(),
                atom(b"ftyp", b"jxl \0\0\0\0jxl "),
                atom(b"jxlp", &[&[0; 4][..], &plain].concat()),
            ]
            .concat();
            for body in [plain, container] {
                let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
                assert_eq!(
                    (facts.format, facts.width, facts.height),
                    (Format::Jxl, Some(width), Some(height))
                );
                assert_eq!(facts.orientation, turned);
            }
        }
    }

    #[test]
    fn bits_end_with_the_bytes() {
        assert_eq!(take_stream(&[0xFF, 0x0A, 0], &mut MediaFacts::new(Format::Jxl)), None);
    }
}
