//! WebP: size by its three kinds of data, pictures, EXIF.
//!
//! **Reference.** RFC 9649; RFC 6386, 9.1 (VP8).

use crate::Window;
use crate::bytes::{byte, le16, le24, le32};
use crate::facts::{MediaFacts, MediaOptions};
use crate::image::{exif, xmp};
use crate::riff::{self, Chunk};

pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let (mut frames, mut ms, mut ended) = (0_u64, 0_u64, 12);
    for chunk in riff::chunks(window, 12, window.len()) {
        ended = chunk.end;
        let _ = part(&chunk, options, facts, &mut frames, &mut ms);
    }
    // Pictures beyond the window would be missing.
    if frames > 0 && ended.saturating_add(1) >= window.len() {
        (facts.frames, facts.duration_ms) = (Some(frames), Some(ms));
    }
    facts.width.map(drop)
}

fn part(
    chunk: &Chunk<'_>,
    options: &MediaOptions<'_>,
    facts: &mut MediaFacts,
    frames: &mut u64,
    ms: &mut u64,
) -> Option<()> {
    let data = chunk.data;
    match &chunk.id {
        b"VP8X" => facts.size(le24(data, 4)? + 1, le24(data, 7)? + 1),
        b"VP8 " => {
            facts.codec("vp8");
            (data.get(3..6)? == [0x9D, 0x01, 0x2A]).then_some(())?;
            facts.size((le16(data, 6)? & 0x3FFF).into(), (le16(data, 8)? & 0x3FFF).into());
        }
        b"VP8L" => {
            facts.codec("vp8l");
            (byte(data, 0)? == 0x2F).then_some(())?;
            let bits = le32(data, 1)?;
            facts.size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1);
        }
        b"ANMF" => {
            *frames += 1;
            *ms += u64::from(le24(data, 12)?);
        }
        b"XMP " => xmp::take(data, facts),
        b"EXIF" => exif::read(data.strip_prefix(b"Exif\0\0").unwrap_or(data), options, facts),
        _ => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::riff::tests::riff;

    #[test]
    fn sizes_of_three_kinds() {
        let lossy =
            [&[0; 3][..], &[0x9D, 1, 0x2A], &300_u16.to_le_bytes(), &(200_u16 | 0x4000).to_le_bytes()]
                .concat();
        let lossless = [&[0x2F][..], &(299_u32 | 199 << 14).to_le_bytes()].concat();
        let extended = [&[0x10, 0, 0, 0][..], &[43, 1, 0], &[199, 0, 0]].concat();
        let frame = [&[0; 12][..], &[100, 0, 0, 0]].concat();
        for chunks in [
            vec![(b"VP8 ", lossy)],
            vec![(b"VP8L", lossless)],
            vec![(b"VP8X", extended.clone()), (b"ANMF", frame.clone()), (b"ANMF", frame)],
        ] {
            let body = riff(b"WEBP", &chunks);
            let mut facts = MediaFacts::new(Format::Webp);
            read(&Window::of(&body), &MediaOptions::default(), &mut facts).unwrap();
            assert_eq!((facts.width, facts.height), (Some(300), Some(200)));
            let moving = chunks.len() == 3;
            assert_eq!((facts.frames, facts.duration_ms), (moving.then_some(2), moving.then_some(200)));
        }
    }
}
