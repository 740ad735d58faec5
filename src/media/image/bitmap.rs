//! BMP and ICO: sizes.
//!
//! **Reference.** Microsoft, `BITMAPINFOHEADER`, `BITMAPCOREHEADER`, `ICONDIR`.

use crate::Window;
use crate::bytes::{byte, le16, le32};
use crate::facts::MediaFacts;

/// The size of a bitmap; rows from the top down have a negative height.
pub(crate) fn read(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.head();
    if le32(head, 14)? == 12 {
        facts.size(le16(head, 18)?.into(), le16(head, 20)?.into());
    } else {
        let side = |at| Some(le32(head, at)?.cast_signed().unsigned_abs());
        facts.size(side(18)?, side(22)?);
    }
    facts.width.map(drop)
}

/// Whether bytes begin as a bitmap: by the length of its second header, since `BM` begins words.
pub(crate) fn is_bitmap(head: &[u8]) -> bool {
    head.starts_with(b"BM") && matches!(le32(head, 14), Some(12 | 16 | 40 | 52 | 56 | 64 | 108 | 124))
}

/// The size of the largest icon, and how many there are.
pub(crate) fn read_icon(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.head();
    let count = le16(head, 4)?;
    // A zero stands for 256.
    let side = |at| Some(u32::from(byte(head, at)?.wrapping_sub(1)) + 1);
    let sizes =
        (0..usize::from(count)).map_while(|entry| Some((side(6 + 16 * entry)?, side(7 + 16 * entry)?)));
    let (width, height) = sizes.max_by_key(|(width, height)| width * height)?;
    facts.size(width, height);
    facts.frames = Some(count.into());
    Some(())
}

/// Whether bytes begin as an icon or a cursor: its first entry has a reserved zero and lies behind the directory.
pub(crate) fn is_icon(head: &[u8]) -> bool {
    let entries = le16(head, 4).unwrap_or(0);
    let behind = le32(head, 18).is_some_and(|offset| offset >= 6 + 16 * u32::from(entries));
    matches!(head, [0, 0, 1 | 2, 0, ..]) && entries > 0 && byte(head, 9) == Some(0) && behind
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn sizes_of_bitmaps() {
        let bitmap =
            |header: u32, sides: &[u8]| [&[b'B', b'M'][..], &[0; 12], &header.to_le_bytes(), sides].concat();
        let long = [300_i32.to_le_bytes(), (-200_i32).to_le_bytes()].concat();
        let short = [300_u16.to_le_bytes(), 200_u16.to_le_bytes()].concat();
        for bytes in [bitmap(40, &long), bitmap(12, &short)] {
            let mut facts = MediaFacts::new(Format::Bmp);
            read(&Window::of(&bytes), &mut facts).unwrap();
            assert_eq!((facts.width, facts.height), (Some(300), Some(200)));
            assert!(is_bitmap(&bytes));
        }
        assert!(!is_bitmap(b"BMW makes cars and other things"));
    }

    #[test]
    fn the_largest_icon_counts() {
        let entry =
            |side: u8| [&[side, side, 0, 0, 1, 0, 32, 0][..], &[0; 4], &54_u32.to_le_bytes()].concat();
        let bytes = [&[0, 0, 1, 0, 3, 0][..], &entry(16), &entry(0), &entry(48)].concat();
        let mut facts = MediaFacts::new(Format::Ico);
        read_icon(&Window::of(&bytes), &mut facts).unwrap();
        assert_eq!((facts.width, facts.height, facts.frames), (Some(256), Some(256), Some(3)));
        assert!(is_icon(&bytes));
        let cursor = [&[0, 0, 2][..], &bytes[3..]].concat();
        assert!(is_icon(&cursor));
        // A picture of TGA begins alike.
        assert!(!is_icon(
            &[&[0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 120, 0, 80, 0, 24, 0][..], &[9; 60]].concat()
        ));
    }
}
