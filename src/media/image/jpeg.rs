//! JPEG: size, EXIF, XMP, IPTC, comment.
//!
//! **Algorithm.** Segments are walked by their lengths up to the first scan. The size is in the start of frame (`SOF0` to
//! `SOF15` without the three numbers among them that are tables); bytes between segments that are no marker are passed over.
//!
//! **Reference.** ITU-T T.81; Exif 3.0, 4.7.2.

use crate::bytes::{be16, from};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::image::{exif, iptc, xmp};
use crate::{Window, text};

/// Segments that are looked at.
const MAX_SEGMENTS: usize = 4096;

/// What the segments of XMP and Photoshop begin with.
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";
const PHOTOSHOP: &[u8] = b"Photoshop 3.0\0";

/// Bytes that are no marker passed over before one.
const MAX_STRAY: usize = 4096;

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let mut notes = Notes::default();
    let walked = walk(window, options, facts, &mut notes);
    // EXIF is the better kind, then XMP; the plain comment counts where no other does.
    if let Some(packet) = notes.xmp {
        xmp::take(packet, facts);
    }
    if let Some(resources) = notes.iptc {
        iptc::take(resources, options, facts);
    }
    if let Some(comment) = notes.comment.filter(|_| facts.comment.is_none()) {
        facts::set_lines(&mut facts.comment, &text::utf8(text::until_zero(comment), options.tld));
    }
    walked?;
    facts.width.map(drop)
}

/// What segments hold beside EXIF, the first of each kind.
#[derive(Default)]
struct Notes<'a> {
    xmp: Option<&'a [u8]>,
    iptc: Option<&'a [u8]>,
    comment: Option<&'a [u8]>,
}

fn walk<'a>(
    window: &Window<'a>,
    options: &MediaOptions<'_>,
    facts: &mut MediaFacts,
    notes: &mut Notes<'a>,
) -> Option<()> {
    let mut at = 2_u64;
    for _ in 0..MAX_SEGMENTS {
        let stray = window
            .at(at)
            .windows(2)
            .take(MAX_STRAY)
            .position(|pair| pair[0] == 0xFF && !matches!(pair[1], 0 | 0xFF))?;
        at = at.checked_add(stray as u64)?;
        let segment = window.at(at);
        let marker = *segment.get(1)?;
        if matches!(marker, 0x01 | 0xD0..=0xD8) {
            at = at.checked_add(2)?;
            continue;
        }
        if matches!(marker, 0xD9 | 0xDA) {
            break;
        }
        let length = be16(segment, 2)?;
        let data = segment.get(4..usize::from(length) + 2).unwrap_or(from(segment, 4));
        match marker {
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                facts.size(be16(data, 3)?.into(), be16(data, 1)?.into());
            }
            0xE1 if notes.xmp.is_none() && data.starts_with(XMP) => notes.xmp = data.get(XMP.len()..),
            0xED if notes.iptc.is_none() && data.starts_with(PHOTOSHOP) => {
                notes.iptc = data.get(PHOTOSHOP.len()..)
            }
            0xE1 if data.starts_with(b"Exif\0") => exif::read(from(data, 6), options, facts),
            0xFE if notes.comment.is_none() => notes.comment = Some(data),
            _ => {}
        }
        at = at.checked_add(u64::from(length.max(2)) + 2)?;
    }
    Some(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Format;

    fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
        [&[0xFF, marker][..], &(u16::try_from(data.len()).unwrap() + 2).to_be_bytes(), data].concat()
    }

    /// A JPEG up to its scan.
    pub(crate) fn jpeg(width: u16, height: u16, before: &[(u8, &[u8])]) -> Vec<u8> {
        let mut jpeg = vec![0xFF, 0xD8];
        before.iter().for_each(|(marker, data)| jpeg.extend(segment(*marker, data)));
        let sof = [&[8][..], &height.to_be_bytes(), &width.to_be_bytes(), &[3]].concat();
        jpeg.extend(segment(0xC2, &sof));
        jpeg.extend(segment(0xDA, &[0; 10]));
        jpeg
    }

    fn read_jpeg(bytes: &[u8]) -> (MediaFacts, Option<()>) {
        let mut facts = MediaFacts::new(Format::Jpeg);
        let whole = read(&Window::of(bytes), &MediaOptions::default(), &mut facts);
        (facts, whole)
    }

    #[test]
    fn the_size_is_of_the_frame_and_not_of_tables() {
        let (facts, whole) =
            read_jpeg(&jpeg(320, 200, &[(0xE0, b"JFIF\0"), (0xC4, &[0, 1, 2, 3, 4, 5]), (0xFE, b"by hand")]));
        assert_eq!(
            (facts.width, facts.height, facts.comment.as_deref()),
            (Some(320), Some(200), Some("by hand"))
        );
        assert!(whole.is_some());
    }

    #[test]
    fn notes_of_three_kinds_in_their_order() {
        let packet = [XMP, b"<x><title>Rain</title></x>"].concat();
        let notes = b"\x1C\x02\x05\0\x04Snow\x1C\x02\x50\0\x01A";
        let resource = [PHOTOSHOP, b"8BIM\x04\x04\0\0\0\0\0\x0F", notes].concat();
        let (facts, _) = read_jpeg(&jpeg(9, 9, &[(0xFE, b"plain"), (0xED, &resource), (0xE1, &packet)]));
        assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("Rain"), Some("A")));
        assert_eq!(facts.comment.as_deref(), Some("plain"));
    }

    #[test]
    fn stray_bytes_and_filling_are_passed_over() {
        let mut bytes = vec![0xFF, 0xD8, 0, 0x12, 0xFF, 0xFF, 0xFF];
        bytes.extend(&jpeg(7, 8, &[])[3..]);
        assert_eq!(read_jpeg(&bytes).0.height, Some(8));
    }

    #[test]
    fn a_size_that_is_cut_off_is_told() {
        let bytes = jpeg(320, 200, &[(0xE0, &[0; 60_000])]);
        assert!(read_jpeg(&bytes[..50_000]).1.is_none());
    }
}
