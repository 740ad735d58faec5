//! PNG: size, pictures of APNG, texts, EXIF.
//!
//! **Algorithm.** Chunks are walked by their lengths: length, type, data, checksum, which is not looked at. Pixels are passed
//! over; what follows them is read where the window has it.
//!
//! **Reference.** W3C, Portable Network Graphics (Third Edition), 2025.

use std::borrow::Cow;

use crate::bytes::{be16, be32, first, from};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::image::{exif, xmp};
use crate::text;
use crate::{Window, inflate};

/// Chunks that are looked at.
const MAX_CHUNKS: usize = 1 << 14;

/// What XMP begins with, not compressed and without words of its language.
const XMP: &[u8] = b"XML:com.adobe.xmp\0\0\0\0\0";

/// Texts that are read.
const MAX_NOTES: usize = 64;

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.part(8, 16);
    (head.get(4..8)? == b"IHDR").then_some(())?;
    facts.size(be32(head, 8)?, be32(head, 12)?);
    let (mut at, mut delays, mut notes, mut packet) = (8_u64, Delays::default(), 0, None);
    for _ in 0..MAX_CHUNKS {
        let chunk = window.at(at);
        let (Some(length), Some(kind)) = (be32(chunk, 0), chunk.get(4..8)) else { break };
        let data = first(from(chunk, 8), length as usize);
        match kind {
            b"acTL" => facts.frames = be32(data, 0).map(u64::from),
            b"fcTL" => delays.add(data),
            b"iTXt" if data.starts_with(XMP) => packet = packet.or(data.get(XMP.len()..)),
            b"tEXt" | b"zTXt" | b"iTXt" if notes < MAX_NOTES => {
                notes += 1;
                let _ = note(kind, data, options, facts);
            }
            b"eXIf" => exif::read(data, options, facts),
            b"IEND" => break,
            _ => {}
        }
        at = at.checked_add(u64::from(length) + 12)?;
    }
    // Texts and EXIF are the better kinds.
    if let Some(packet) = packet {
        xmp::take(packet, facts);
    }
    // Pictures beyond the window would be missing.
    if facts.frames.is_some_and(|frames| frames > 0 && frames == delays.pictures) {
        facts.duration_ms = Some((delays.microseconds + 500) / 1000).filter(|&ms| ms > 0);
    }
    Some(())
}

/// How long the pictures of an APNG are shown.
#[derive(Default)]
struct Delays {
    pictures: u64,
    microseconds: u64,
}

impl Delays {
    /// Adds that of a picture: a quotient of seconds, of hundredths where it is not said what they are parts of.
    fn add(&mut self, control: &[u8]) {
        let (Some(over), Some(under)) = (be16(control, 20), be16(control, 22)) else { return };
        let under = if under == 0 { 100 } else { u64::from(under) };
        self.pictures += 1;
        self.microseconds += u64::from(over) * 1_000_000 / under;
    }
}

/// A keyword with its text: Latin-1, that compressed, or UTF-8.
fn note(kind: &[u8], data: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let keyword = text::until_zero(data);
    let field = match keyword {
        b"Title" => &mut facts.title,
        b"Author" => &mut facts.artist,
        b"Comment" | b"Description" => &mut facts.comment,
        b"Creation Time" => &mut facts.created,
        _ => return None,
    };
    // Each is read once, however often it comes.
    field.is_none().then_some(())?;
    let rest = from(data, keyword.len() + 1);
    let words = match kind {
        b"tEXt" => text::utf8_within(rest, text::MAX_FIELD, options.tld),
        b"zTXt" => text::utf8(&inflate::zlib(from(rest, 1), text::MAX_FIELD), options.tld),
        _ => {
            let (compressed, rest) = (*rest.first()? == 1, from(rest, 2));
            // Language and translated keyword come first.
            let rest = from(rest, text::until_zero(rest).len() + 1);
            let rest = from(rest, text::until_zero(rest).len() + 1);
            let plain: Cow<'_, [u8]> =
                if compressed { inflate::zlib(rest, text::MAX_FIELD).into() } else { Cow::Borrowed(rest) };
            text::utf8_within(&plain, text::MAX_FIELD, options.tld)
        }
    };
    if keyword == b"Creation Time" {
        let iso = words.get(4..5) == Some("-") && facts::year(&words).is_some();
        facts::set(field, if iso { &words } else { "" });
    } else {
        facts::set_lines(field, &words);
    }
    Some(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Format;

    /// A chunk, its checksum left zero.
    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        [&u32::try_from(data.len()).unwrap().to_be_bytes()[..], kind, data, &[0; 4]].concat()
    }

    pub(crate) fn png(width: u32, height: u32, chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let ihdr = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        png.extend(chunk(b"IHDR", &ihdr));
        chunks.iter().for_each(|(kind, data)| png.extend(chunk(kind, data)));
        png.extend(chunk(b"IEND", b""));
        png
    }

    fn read_png(bytes: &[u8]) -> MediaFacts {
        let mut facts = MediaFacts::new(Format::Png);
        let _ = read(&Window::of(bytes), &MediaOptions::default(), &mut facts);
        facts
    }

    #[test]
    fn size_frames_and_texts() {
        let facts = read_png(&png(
            640,
            480,
            &[
                (b"acTL", &[0, 0, 0, 7, 0, 0, 0, 0]),
                (
                    b"iTXt",
                    b"XML:com.adobe.xmp\0\0\0\0\0<x><title>Rain</title><description>Wet</description></x>",
                ),
                (b"tEXt", b"Title\0Tea"),
                (b"iTXt", "Author\0\0\0zh\0\0陆羽".as_bytes()),
                (b"tEXt", b"Creation Time\0Tue, 1 May"),
            ],
        ));
        assert_eq!((facts.width, facts.height, facts.frames), (Some(640), Some(480), Some(7)));
        assert_eq!((facts.title.as_deref(), facts.artist.as_deref()), (Some("Tea"), Some("陆羽")));
        assert_eq!((facts.created, facts.comment.as_deref()), (None, Some("Wet")));
    }

    #[test]
    fn pictures_that_are_all_seen_give_a_duration() {
        let control = |over: u16, under: u16| {
            [&[0; 20][..], &over.to_be_bytes(), &under.to_be_bytes(), &[0, 0]].concat()
        };
        let (third, tenth) = (control(1, 3), control(10, 0));
        for (count, expected) in [(2, Some(433)), (3, None)] {
            let body =
                png(9, 9, &[(b"acTL", &[0, 0, 0, count, 0, 0, 0, 0]), (b"fcTL", &third), (b"fcTL", &tenth)]);
            assert_eq!(read_png(&body).duration_ms, expected, "{count}");
        }
    }

    #[test]
    fn texts_behind_the_pixels_are_found_at_the_end() {
        let body = png(9, 9, &[(b"IDAT", &vec![0; 900_000]), (b"tEXt", b"Comment\0last")]);
        assert_eq!(read_png(&body).comment.as_deref(), Some("last"));
    }

    #[test]
    fn no_more_than_so_many_texts_are_read() {
        let mut chunks: Vec<(&[u8; 4], &[u8])> = vec![(b"tEXt", b"Creation Time\0May"); MAX_NOTES - 1];
        chunks.push((b"tEXt", b"Title\0Tea"));
        assert_eq!(read_png(&png(1, 1, &chunks)).title.as_deref(), Some("Tea"));
        chunks.insert(0, (b"tEXt", b"Creation Time\0May"));
        assert_eq!(read_png(&png(1, 1, &chunks)).title, None);
    }

    #[test]
    fn compressed_texts_are_inflated() {
        use std::io::Write;
        let mut encoder =
            flate2::write::ZlibEncoder::new(b"Comment\0\0".to_vec(), flate2::Compression::best());
        encoder.write_all(&vec![b'a'; 1 << 20]).unwrap();
        let facts = read_png(&png(1, 1, &[(b"zTXt", &encoder.finish().unwrap())]));
        assert_eq!(facts.comment.map(|comment| comment.len()), Some(text::MAX_FIELD));
    }
}
