//! GIF: size, pictures, comment, and how long they take.
//!
//! **Algorithm.** Blocks are walked to the end where the window has them all; pictures and time are told only then, or where
//! the walk had come to its bound.
//!
//! **Reference.** CompuServe, Graphics Interchange Format, version 89a, 1990.

use crate::bytes::{byte, from, le16};
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::{Window, text};

/// Blocks that are looked at.
const MAX_BLOCKS: usize = 1 << 16;

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let bytes = window.head();
    facts.size(le16(bytes, 6)?.into(), le16(bytes, 8)?.into());
    let (mut frames, mut hundredths) = (0_u64, 0_u64);
    let mut at = 13 + colours(byte(bytes, 10)?);
    for _ in 0..MAX_BLOCKS {
        match (byte(bytes, at), byte(bytes, at + 1)) {
            (Some(0x2C), _) => {
                frames += 1;
                // The picture's place and size, its colours, the size of its codes.
                let Some(flags) = byte(bytes, at + 9) else { break };
                at = end_of_blocks(bytes, at + 11 + colours(flags));
            }
            (Some(0x21), Some(label)) => {
                let data = from(bytes, at + 3);
                match label {
                    0xF9 => hundredths += u64::from(le16(data, 1).unwrap_or(0)),
                    0xFE if facts.comment.is_none() => {
                        let comment = data.get(..usize::from(byte(bytes, at + 2)?)).unwrap_or(data);
                        facts::set_lines(
                            &mut facts.comment,
                            &text::utf8(text::until_zero(comment), options.tld),
                        );
                    }
                    _ => {}
                }
                at = end_of_blocks(bytes, at + 2);
            }
            (Some(0x3B), _) => break,
            // A body whose end is missing has as many pictures as are seen, if it is all there is.
            (None, _) if !window.is_whole() => return Some(()),
            _ => break,
        }
    }
    if frames > 0 {
        facts.frames = Some(frames);
    }
    if frames > 1 {
        facts.duration_ms = Some(hundredths * 10).filter(|&ms| ms > 0);
    }
    Some(())
}

/// Bytes of a table of colours.
fn colours(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Where the data blocks at `at` end: each has its length before it, the last is empty.
fn end_of_blocks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(length @ 1..) = byte(bytes, at) {
        at += usize::from(length) + 1;
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    fn gif(pictures: usize) -> Vec<u8> {
        let mut gif = b"GIF89a\x40\x01\xC8\x00\x80\0\0\x01\x02\x03\x04\x05\x06\x21\xFE\x03tea\0".to_vec();
        for _ in 0..pictures {
            gif.extend(b"\x21\xF9\x04\0\x0A\0\0\0\x2C\0\0\0\0\x40\x01\xC8\0\0\x02\x02\x4C\x01\0");
        }
        gif.push(0x3B);
        gif
    }

    #[test]
    fn pictures_are_counted_with_their_time() {
        for (pictures, frames, duration) in [(0, None, None), (1, Some(1), None), (3, Some(3), Some(300))] {
            let mut facts = MediaFacts::new(Format::Gif);
            read(&Window::of(&gif(pictures)), &MediaOptions::default(), &mut facts).unwrap();
            assert_eq!((facts.width, facts.height), (Some(320), Some(200)));
            assert_eq!((facts.frames, facts.duration_ms), (frames, duration), "{pictures}");
            assert_eq!(facts.comment.as_deref(), Some("tea"));
        }
    }

    #[test]
    fn pictures_beyond_the_window_are_not_counted() {
        let body = gif(1);
        let mut facts = MediaFacts::new(Format::Gif);
        read(&Window::new(&body[..body.len() - 4], b"", 9999), &MediaOptions::default(), &mut facts).unwrap();
        assert_eq!((facts.width, facts.frames), (Some(320), None));
    }
}
