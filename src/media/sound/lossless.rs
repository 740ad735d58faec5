//! Monkey's Audio, WavPack and TTA, whose tags are those of MPEG sound.
//!
//! **Definition.** Duration is samples / rate: of Monkey's Audio frames less one · samples of a frame + those of the last one; of
//! WavPack and TTA a count in the (first) header.
//!
//! **Reference.** M. Ashland, Monkey's Audio SDK, `APE_HEADER`; D. Bryant, WavPack 4 & 5 File / Block Format; TTA1 format.

use crate::Window;
use crate::bytes::{byte, first, from, le16, le32, scaled};
use crate::facts::{Format, MediaFacts};
use crate::sound::mpeg::Tags;

/// Rates of WavPack by index.
const RATES: [u32; 15] = [
    6000, 8000, 9600, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
    192_000,
];

/// Blocks of a file of more than two channels that are looked at.
const MAX_BLOCKS: usize = 32;

/// The format of sound that begins so.
pub(crate) fn format(sound: &[u8]) -> Option<Format> {
    match sound.get(..4)? {
        b"MAC " => Some(Format::Ape),
        b"wvpk" => Some(Format::Wv),
        b"TTA1" => Some(Format::Tta),
        _ => None,
    }
}

/// Reads the sound between tags.
pub(crate) fn read(window: &Window<'_>, tags: Tags, facts: &mut MediaFacts) -> Option<()> {
    let sound = window.at(tags.begin);
    facts.fill_from(tags.facts);
    let samples = match facts.format {
        Format::Ape => monkey(sound, facts),
        Format::Wv => wavpack(sound, facts),
        _ => tta(sound, facts),
    }?;
    facts.duration_ms = scaled(samples, 1000, facts.sample_rate?.into()).filter(|&ms| ms > 0);
    facts.bitrate_of(tags.end - tags.begin);
    Some(())
}

fn monkey(sound: &[u8], facts: &mut MediaFacts) -> Option<u64> {
    facts.codec("ape");
    let version = le16(sound, 4)?;
    let (channels, rate, frames, last, of_frame) = if version >= 3980 {
        let header = from(sound, le32(sound, 8)? as usize);
        (le16(header, 18)?, le32(header, 20)?, le32(header, 12)?, le32(header, 8)?, le32(header, 4)?)
    } else {
        let level = le16(sound, 6)?;
        let of_frame = match version {
            3950.. => 73_728 * 4,
            3900.. => 73_728,
            3800.. if level >= 4000 => 73_728,
            _ => 9216,
        };
        (le16(sound, 10)?, le32(sound, 12)?, le32(sound, 24)?, le32(sound, 28)?, of_frame)
    };
    facts.channels = Some(channels).filter(|&channels| channels > 0);
    facts.sample_rate = Some(rate).filter(|&rate| rate > 0);
    Some(u64::from(frames.checked_sub(1)?) * u64::from(of_frame) + u64::from(last))
}

fn wavpack(sound: &[u8], facts: &mut MediaFacts) -> Option<u64> {
    facts.codec("wavpack");
    let (samples, flags) =
        (u64::from(le32(sound, 12)?) | u64::from(byte(sound, 11)?) << 32, le32(sound, 24)?);
    facts.sample_rate = RATES.get((flags >> 23 & 15) as usize).copied().or_else(|| written_rate(sound));
    // Channels come in pairs, a block each, the last of which has bit 12.
    let (mut channels, mut at) = (0, 0_usize);
    for _ in 0..MAX_BLOCKS {
        let block = from(sound, at);
        let Some(flags) = le32(block, 24).filter(|_| block.starts_with(b"wvpk")) else { break };
        channels += if flags & 4 != 0 { 1 } else { 2 };
        if flags & 0x1000 != 0 {
            break;
        }
        at = at.checked_add(8)?.checked_add(le32(block, 4)? as usize)?;
    }
    facts.channels = Some(channels);
    (samples & 0xFFFF_FFFF != 0xFFFF_FFFF).then_some(samples)
}

/// A rate that is in no table stands in a part of the first block, number 0x27.
fn written_rate(sound: &[u8]) -> Option<u32> {
    let block = first(sound, le32(sound, 4)? as usize + 8);
    let mut part = from(block, 32);
    for _ in 0..64 {
        let id = byte(part, 0)?;
        // Words of two bytes; one less of the last is used.
        let (length, header) = match id & 0x80 {
            0 => (usize::from(byte(part, 1)?) * 2, 2),
            _ => (crate::bytes::le24(part, 1)? as usize * 2, 4),
        };
        if id & 0x3F == 0x27 {
            return crate::bytes::le24(part, header).filter(|&rate| rate > 0);
        }
        part = from(part, header + length);
    }
    None
}

fn tta(sound: &[u8], facts: &mut MediaFacts) -> Option<u64> {
    facts.codec("tta");
    facts.channels = le16(sound, 6).filter(|&channels| channels > 0);
    facts.sample_rate = le32(sound, 10).filter(|&rate| rate > 0);
    le32(sound, 14).map(u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MediaOptions;
    use crate::sound::id3v1;

    fn l32(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn l16(values: &[u16]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn counts_of_three_headers() {
        let header = [l16(&[2000, 0]), l32(&[73_728, 5000, 6]), l16(&[16, 2]), l32(&[44_100])].concat();
        let young = [b"MAC ".to_vec(), l16(&[3990, 0]), l32(&[52, 24]), vec![0; 36], header].concat();
        let old = [b"MAC ".to_vec(), l16(&[3920, 2000, 0, 2]), l32(&[44_100, 0, 0, 6, 5000])].concat();
        let packed = |rate: u32, parts: &[u8]| {
            let length = u32::try_from(24 + parts.len()).unwrap();
            [
                b"wvpk".to_vec(),
                l32(&[length, 0x410, 373_640, 0, 22_050, rate << 23 | 0x1804, 0]),
                parts.to_vec(),
            ]
            .concat()
        };
        let more = packed(15, &[0x27, 2, 0x44, 0xAC, 0, 0]);
        let tta = [b"TTA1".to_vec(), l16(&[1, 1, 16]), l32(&[44_100, 373_640, 0])].concat();
        for (sound, format, channels) in [
            (young, Format::Ape, 2),
            (old, Format::Ape, 2),
            (packed(9, &[]), Format::Wv, 1),
            (more, Format::Wv, 1),
            (tta, Format::Tta, 1),
        ] {
            let tag = id3v1::tests::tag([b"Rain", b"A", b"", b"", b""], 3, 17);
            let facts =
                crate::facts(&Window::of(&[sound, vec![0; 9000], tag].concat()), &MediaOptions::default())
                    .unwrap();
            assert_eq!((facts.format, facts.channels), (format, Some(channels)));
            // Five frames of 73,728 samples and 5,000.
            assert_eq!((facts.duration_ms, facts.sample_rate), (Some(8473), Some(44_100)));
            assert_eq!((facts.title.as_deref(), facts.track), (Some("Rain"), Some(3)));
        }
    }
}
