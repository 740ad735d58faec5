//! FLAC: rate, channels and samples of its first block, comments.
//!
//! **Reference.** RFC 9639, 8.

use crate::Window;
use crate::bytes::{be24, be64, byte, scaled};
use crate::facts::{MediaFacts, MediaOptions};
use crate::sound::vorbis;

/// Blocks that are looked at.
const MAX_BLOCKS: usize = 256;

/// Reads the blocks behind `fLaC` at a place.
pub(crate) fn read(
    window: &Window<'_>,
    begin: u64,
    options: &MediaOptions<'_>,
    facts: &mut MediaFacts,
) -> Option<()> {
    let mut at = begin.checked_add(4)?;
    for _ in 0..MAX_BLOCKS {
        let block = window.at(at);
        let (Some(kind), Some(length)) = (byte(block, 0), be24(block, 1)) else {
            // Behind a picture that is larger than the window; what follows is small beside the sound.
            facts.warn("tag-cut");
            break;
        };
        let data = window.part(at.checked_add(4)?, length.into());
        match kind & 0x7F {
            0 => stream_info(data, facts)?,
            4 => {
                let _ = vorbis::take(data, options, facts);
            }
            _ => {}
        }
        at = at.checked_add(u64::from(length) + 4)?;
        if kind & 0x80 != 0 {
            break;
        }
    }
    facts.bitrate_of(window.len().saturating_sub(at));
    facts.sample_rate.map(drop)
}

/// Takes rate (20 bits), channels (3, less one) and samples (36) of a stream.
pub(crate) fn stream_info(data: &[u8], facts: &mut MediaFacts) -> Option<()> {
    let bits = be64(data, 10)?;
    let (rate, channels, samples) = (bits >> 44, bits >> 41 & 7, bits & 0xF_FFFF_FFFF);
    facts.codec("flac");
    facts.sample_rate = u32::try_from(rate).ok().filter(|&rate| rate > 0);
    facts.channels = u16::try_from(channels + 1).ok();
    if samples > 0 {
        facts.duration_ms = scaled(samples, 1000, rate);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::sound::vorbis::tests::comments;

    #[test]
    fn the_first_block_and_comments_behind_a_picture() {
        let block = |kind: u8, data: &[u8]| {
            [&(u32::from(kind) << 24 | u32::try_from(data.len()).unwrap()).to_be_bytes()[..], data].concat()
        };
        let info = [&[0; 10][..], &(44_100_u64 << 44 | 1 << 41 | 15 << 36 | 441_000).to_be_bytes(), &[0; 16]]
            .concat();
        let body = [
            b"fLaC".to_vec(),
            block(0, &info),
            block(6, &[0; 9000]),
            block(0x84, &comments(&["title=雨"])),
            vec![0; 1_000_000],
        ]
        .concat();
        let mut facts = MediaFacts::new(Format::Flac);
        read(&Window::of(&body), 0, &MediaOptions::default(), &mut facts).unwrap();
        assert_eq!(
            (facts.sample_rate, facts.channels, facts.duration_ms),
            (Some(44_100), Some(2), Some(10_000))
        );
        assert_eq!((facts.title.as_deref(), facts.bitrate), (Some("雨"), Some(800_000)));
        let body = [
            b"fLaC".to_vec(),
            block(0, &info),
            block(4, &comments(&["title=雨"])),
            block(6, &vec![0; 600_000]),
            block(0x81, &[0; 4]),
            vec![0; 1_000_000],
        ]
        .concat();
        let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
        assert_eq!((facts.title.as_deref(), facts.bitrate), (Some("雨"), Some(800_006)));
        assert_eq!(facts.warnings, ["tag-cut"]);
    }
}
