//! What the stream of a sound in MP4 says of itself: type of its codec, rate and channels.
//!
//! **Definition.** The box `esds` has a descriptor of the stream (tag 3), in that one of the decoder (4), in that what the
//! decoder begins with (5). Of AAC this is: type 5 bits, index of the rate 4, channels 4; where high frequencies are made
//! anew ("SBR") the rate that comes out follows. It is right where the entry around it, of fixed fields, is mostly not.
//!
//! **Reference.** ISO/IEC 14496-1, 7.2.6; ISO/IEC 14496-3, 1.6.2.

use crate::bytes::{be32, be64, byte, first, from};
use crate::sound::adts;

/// A decoder of sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decoder {
    /// Its type: 0x40 of AAC, 0x6B of MP3.
    pub(crate) object: u8,
    /// Samples a second, of AAC.
    pub(crate) rate: Option<u32>,
    /// Channels, of AAC.
    pub(crate) channels: Option<u16>,
}

impl Decoder {
    /// Reads that of an entry of sample descriptions.
    pub(crate) fn read(entry: &[u8]) -> Option<Self> {
        let entry = first(entry, be32(entry, 0)? as usize);
        let at = memchr::memmem::find(entry, b"esds")?;
        let stream = descriptor(from(entry, at + 8), 3)?;
        let decoder = descriptor(from(stream, 3), 4)?;
        let object = byte(decoder, 0)?;
        let config = if object == 0x40 { descriptor(from(decoder, 13), 5) } else { None };
        let (rate, channels) = config.and_then(config_of_aac).unwrap_or_default();
        Some(Decoder { object, rate, channels })
    }
}

/// What is behind tag and length of a descriptor. Lengths have seven bits a byte, the highest says that more follow.
fn descriptor(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    (byte(bytes, 0)? == tag).then_some(())?;
    let more = bytes.iter().skip(1).take(3).take_while(|b| **b & 0x80 != 0).count();
    Some(from(bytes, 2 + more))
}

/// Rate and channels.
fn config_of_aac(config: &[u8]) -> Option<(Option<u32>, Option<u16>)> {
    let mut padded = [0; 8];
    padded.iter_mut().zip(config).for_each(|(to, from)| *to = *from);
    let word = be64(&padded, 0)?;
    let mut at = 0;
    let mut bits = |count: u32| {
        at += count;
        (word >> (64 - at) & ((1 << count) - 1)) as u32
    };
    // Types from 32 on, and rates that are in no table, are longer.
    let kind = match bits(5) {
        31 => 32 + bits(6),
        kind => kind,
    };
    let rate = match bits(4) {
        15 => Some(bits(24)),
        index => adts::rate(index),
    };
    let channels = bits(4);
    let (rate, channels) = match kind {
        5 | 29 => (adts::rate(bits(4)).or(rate), if kind == 29 { 2 } else { channels }),
        _ => (rate, channels),
    };
    let channels = if channels == 7 { 8 } else { u16::try_from(channels).ok()? };
    Some((rate.filter(|&rate| rate > 0), Some(channels).filter(|channels| (1..=8).contains(channels))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoders_say_rate_and_channels() {
        let entry = |object: u8, config: &[u8]| {
            let decoder = [&[4, 0x80, 0x80, 0x80, 20, object][..], &[0; 12], &[5, 2], config].concat();
            let data = [b"esds\0\0\0\0\x03\x80\x80\x80\x22\0\x01\0", &decoder[..]].concat();
            [&[0, 0, 0, 200][..], b"mp4a", &[0; 28], &[0, 0, 0, 60], &data].concat()
        };
        for (object, config, rate, channels) in [
            // AAC of 22.05 k with one channel, of 44.1 k with two.
            (0x40, &[0x13, 0x88][..], Some(22_050), Some(1)),
            (0x40, &[0x12, 0x10], Some(44_100), Some(2)),
            // SBR: 22.05 k in, 44.1 k out; with one channel in and two out.
            (0x40, &[0x2B, 0x92, 0x08], Some(44_100), Some(2)),
            (0x40, &[0xEB, 0x8A, 0x08], Some(44_100), Some(2)),
            (0x40, &[], Some(96_000), None),
            (0x6B, &[0x13, 0x88], None, None),
        ] {
            assert_eq!(
                Decoder::read(&entry(object, config)),
                Some(Decoder { object, rate, channels }),
                "{config:x?}"
            );
        }
        assert_eq!(Decoder::read(b"\0\0\0\x08esds"), None);
    }
}
