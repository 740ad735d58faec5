//! AC-3 and E-AC-3 alone: rate, channels, duration.
//!
//! **Definition.** A frame begins with 0B 77. Of AC-3 a code of rate (2 bits) and size (6) stands in the fifth byte, and a frame is
//! 1,536 samples; of E-AC-3 the size has 11 bits and the blocks of 256 samples are counted. How channels are laid out follows.
//!
//! **Reference.** ETSI TS 102 366, 4.3, 4.4 and E.1.

use crate::Window;
use crate::bytes::{be64, byte, first, from, scaled};
use crate::facts::{Format, MediaFacts};

/// Kilobits a second by half the code of the size.
const BITRATES: [u32; 19] =
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];

const RATES: [u32; 3] = [48_000, 44_100, 32_000];

/// Channels by their layout, without that of low frequencies.
const CHANNELS: [u16; 8] = [2, 1, 2, 3, 3, 4, 4, 5];

struct Frame {
    format: Format,
    bytes: usize,
    samples: u64,
    rate: u32,
    channels: u16,
}

impl Frame {
    fn read(bytes: &[u8]) -> Option<Self> {
        let word = be64(bytes, 0)?;
        let mut at = 16;
        let mut bits = |count: u32| {
            at += count;
            (word >> (64 - at) & ((1 << count) - 1)) as usize
        };
        bytes.starts_with(&[0x0B, 0x77]).then_some(())?;
        let stream = byte(bytes, 5)? >> 3;
        if stream > 10 {
            (stream <= 16).then_some(())?;
            // Parts that depend on others are no time of their own.
            let (kind, number, size) = (bits(2), bits(3), bits(11));
            let (code, blocks) = (bits(2), bits(2));
            let (rate, blocks) = match code {
                3 => (RATES.get(blocks)? / 2, 6),
                code => (*RATES.get(code)?, *[1, 2, 3, 6].get(blocks)?),
            };
            let own = kind != 1 && number == 0;
            let channels = CHANNELS.get(bits(3))? + bits(1) as u16;
            return Some(Frame {
                format: Format::Eac3,
                bytes: (size + 1) * 2,
                samples: if own { 256 * blocks } else { 0 },
                rate,
                channels,
            });
        }
        bits(16);
        let (code, size) = (bits(2), bits(6));
        let (rate, kilobits) = (*RATES.get(code)?, *BITRATES.get(size / 2)?);
        bits(8);
        let layout = bits(3);
        // Levels of mixing stand before, of layouts that have them.
        let levels =
            u32::from(layout & 1 == 1 && layout != 1) + u32::from(layout & 4 != 0) + u32::from(layout == 2);
        bits(2 * levels);
        let channels = CHANNELS.get(layout)? + bits(1) as u16;
        let words = kilobits * 96_000 / rate + if code == 1 { size as u32 & 1 } else { 0 };
        Some(Frame {
            format: Format::Ac3,
            bytes: words as usize * 2,
            samples: 1536,
            rate: rate >> stream.saturating_sub(8),
            channels,
        })
    }
}

/// The format of a body that begins with three frames, or ends with fewer.
pub(crate) fn format(head: &[u8]) -> Option<Format> {
    let begin = Frame::read(head)?;
    let mut at = 0;
    for _ in 0..3 {
        if at == head.len() {
            break;
        }
        at += Frame::read(from(head, at))
            .filter(|frame| frame.format == begin.format && frame.rate == begin.rate)?
            .bytes;
    }
    Some(begin.format)
}

/// Counts the frames, or estimates them by those in the window.
pub(crate) fn read(window: &Window<'_>, facts: &mut MediaFacts) -> Option<()> {
    let head = window.head();
    let begin = Frame::read(head)?;
    facts.codec(begin.format.name());
    (facts.sample_rate, facts.channels) = (Some(begin.rate), Some(begin.channels));
    let (mut at, mut samples, mut bytes) = (0, 0, 0);
    while let Some(frame) = Frame::read(from(head, at)) {
        at += frame.bytes;
        // One that is cut off counts as it would be.
        (samples, bytes) = (samples + frame.samples, bytes + frame.bytes as u64);
    }
    if first(head, at).len() as u64 != window.len() {
        samples = scaled(samples, window.len(), bytes)?;
    }
    facts.duration_ms = scaled(samples, 1000, begin.rate.into()).filter(|&ms| ms > 0);
    facts.bitrate_of(window.len());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MediaOptions;

    #[test]
    fn frames_of_both_kinds() {
        // 384 k at 48 k with six channels; 192 k at 44.1 k with two; E-AC-3 of 768 bytes at 48 k with two.
        let six = [&[0x0B, 0x77, 0, 0, 28, 8 << 3, 7 << 5 | 1, 0][..], &[0x55; 1528]].concat();
        let two = [&[0x0B, 0x77, 0, 0, 1 << 6 | 20, 8 << 3, 2 << 5, 0][..], &[0x55; 826]].concat();
        let more = [&[0x0B, 0x77, 1, 0x7F, 3 << 4 | 2 << 1, 16 << 3, 0, 0][..], &[0x55; 760]].concat();
        for (frame, count, format, rate, channels, bitrate) in [
            (&six, 100, Format::Ac3, 48_000, 6, 384_000),
            (&two, 100, Format::Ac3, 44_100, 2, 191_562),
            (&more, 100, Format::Eac3, 48_000, 2, 192_000),
            (&six, 1000, Format::Ac3, 48_000, 6, 384_000),
        ] {
            let facts = crate::facts(&Window::of(&frame.repeat(count)), &MediaOptions::default()).unwrap();
            assert_eq!(
                (facts.format, facts.sample_rate, facts.channels),
                (format, Some(rate), Some(channels))
            );
            assert_eq!(facts.duration_ms, scaled(count as u64 * 1536, 1000, rate.into()));
            assert!(facts.bitrate.unwrap().abs_diff(bitrate) < 200, "{:?}", facts.bitrate);
        }
        assert_eq!(format(&[&six[..], &[7; 50]].concat()), None);
    }
}
