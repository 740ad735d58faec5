//! AAC in ADTS frames.
//!
//! **Definition.** Sync 12 bits, MPEG version 1, layer 2 (zero), no checksum 1, profile 2, sampling rate 4, private 1, channels
//! 3, four bits, length of the frame 13, fullness 11, blocks less one 2. A block is 1,024 samples.
//!
//! **Reference.** ISO/IEC 13818-7, 6.2.

use crate::Window;
use crate::bytes::{be32, be64, first, from, scaled};
use crate::facts::MediaFacts;
use crate::sound::mpeg::Tags;

const RATES: [u32; 13] =
    [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

/// The sampling rate of an index.
pub(crate) fn rate(index: u32) -> Option<u32> {
    RATES.get(index as usize).copied()
}

#[derive(Clone, Copy)]
struct Frame {
    rate: u32,
    channels: u8,
    bytes: usize,
    blocks: u64,
}

impl Frame {
    fn read(bytes: &[u8]) -> Option<Self> {
        // The header has 56 bits.
        let word = be64(bytes, 0).or_else(|| {
            Some(u64::from(be32(bytes, 0)?) << 32 | u64::from(be32(bytes, 3)? & 0xFF_FFFF) << 8)
        })?;
        let bits = |from: u32, count: u32| (word >> (64 - from - count) & ((1 << count) - 1)) as usize;
        let rate = *RATES.get(bits(18, 4))?;
        let frame =
            Frame { rate, channels: bits(23, 3) as u8, bytes: bits(30, 13), blocks: bits(54, 2) as u64 + 1 };
        (bits(0, 12) == 0xFFF && bits(13, 2) == 0 && frame.bytes > 7).then_some(frame)
    }
}

/// Frames that follow each other.
#[derive(Default)]
struct Run {
    frames: u64,
    blocks: u64,
    bytes: usize,
}

fn run(sound: &[u8], rate: u32) -> Run {
    let mut run = Run::default();
    while let Some(frame) = Frame::read(from(sound, run.bytes)).filter(|frame| frame.rate == rate) {
        run.frames += 1;
        run.blocks += frame.blocks;
        run.bytes += frame.bytes;
    }
    run
}

/// Rate and channels of the frame that bytes begin with.
pub(crate) fn head(bytes: &[u8]) -> Option<(u32, u16)> {
    Frame::read(bytes).map(|frame| (frame.rate, frame.channels.into()))
}

/// Where three frames in a row begin, in the first bytes.
pub(crate) fn find(sound: &[u8]) -> Option<usize> {
    let begins = |at: usize| {
        let mut next = at;
        let rate = Frame::read(from(sound, at))?.rate;
        for _ in 0..3 {
            next += Frame::read(from(sound, next)).filter(|frame| frame.rate == rate)?.bytes;
        }
        Some(at)
    };
    memchr::memchr_iter(0xFF, first(sound, 8192)).find_map(begins)
}

/// Reads frames between tags: all of them where the window has them, else the mean of those at the start and at the end.
pub(crate) fn read(window: &Window<'_>, tags: Tags, facts: &mut MediaFacts) -> Option<()> {
    let sound = first(window.at(tags.begin), usize::try_from(tags.end - tags.begin).ok()?);
    facts.fill_from(tags.facts);
    let begin = find(sound)?;
    let head = Frame::read(from(sound, begin))?;
    facts.codec("aac");
    facts.sample_rate = Some(head.rate);
    facts.channels =
        Some(if head.channels == 7 { 8 } else { head.channels.into() }).filter(|&channels| channels > 0);
    let run = run(from(sound, begin), head.rate);
    let all = tags.end - tags.begin - begin as u64;
    let blocks = if sound.len() as u64 == tags.end - tags.begin {
        facts.frames = Some(run.frames);
        run.blocks
    } else {
        facts.warn("duration-estimated");
        let tail = window.tail();
        let last = find(tail).map(|begin| self::run(from(tail, begin), head.rate)).unwrap_or_default();
        scaled(run.blocks + last.blocks, all, (run.bytes + last.bytes) as u64)?
    };
    facts.duration_ms = scaled(blocks.saturating_mul(1024), 1000, head.rate.into());
    facts.bitrate_of(all);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, MediaOptions};

    /// Frames of 371 bytes at 44.1 k, two channels.
    fn frames(count: usize) -> Vec<u8> {
        frames_of(371, count)
    }

    fn frames_of(bytes: usize, count: usize) -> Vec<u8> {
        let length = (bytes as u64) << 13;
        let word = 0xFFF_u64 << 44 | 1 << 40 | 1 << 38 | 4 << 34 | 2 << 30 | length | 0x7FF << 2;
        let frame = [&word.to_be_bytes()[1..], &vec![0x21; bytes - 7]].concat();
        frame.repeat(count)
    }

    #[test]
    fn a_length_beyond_all_sense_is_no_overflow() {
        let body = frames(100);
        let facts = crate::facts(&Window::new(&body, &[], u64::MAX / 2), &MediaOptions::default()).unwrap();
        assert_eq!((facts.format, facts.frames), (Format::Aac, None));
    }

    #[test]
    fn an_estimate_looks_at_both_ends() {
        let body = [frames_of(800, 1000), frames_of(400, 1000)].concat();
        let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
        let (exact, found) = (2000 * 1024 * 10 / 441, facts.duration_ms.unwrap());
        assert!(found.abs_diff(exact) < exact / 10, "{found} {exact}");
    }

    #[test]
    fn frames_are_counted_or_estimated() {
        for (count, frames_found, warned) in [(100, Some(100), false), (4000, None, true)] {
            let facts = crate::facts(&Window::of(&frames(count)), &MediaOptions::default()).unwrap();
            assert_eq!((facts.format, facts.frames, facts.channels), (Format::Aac, frames_found, Some(2)));
            let exact = count as u64 * 1024 * 1000 / 44_100;
            assert!(facts.duration_ms.unwrap().abs_diff(exact) <= 1 + exact / 1000);
            assert_eq!(!facts.warnings.is_empty(), warned);
        }
    }
}
