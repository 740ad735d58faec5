//! The header of an MPEG audio frame, and the counts that encoders keep in the first one.
//!
//! **Definition.** Sync 11 bits, version 2, layer 2, protection 1, bit rate 4, sampling rate 2, padding 1, private 1, mode 2,
//! its extension 2, copyright, original, emphasis 2. Bytes of a frame of layer II and III: ⌊samples / 8 · bit rate / sampling
//! rate⌋ + padding; of layer I in words of four bytes.
//!
//! **Reference.** ISO/IEC 11172-3 and 13818-3, 2.4; the MPEG-2.5 extension of Fraunhofer IIS; G. Bouvigne, MP3 Info Tag.

use crate::bytes::{be16, be32, byte, from};

/// Kilobits a second by index: MPEG-1 layers I to III, then MPEG-2 layer I, layers II and III.
const BITRATES: [[u16; 14]; 5] = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/// Samples a second of MPEG-1 by index.
const RATES: [u32; 3] = [44_100, 48_000, 32_000];

/// The header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    /// 1 for MPEG-1, 2 for MPEG-2, 4 for MPEG-2.5: what sampling rates are divided by.
    version: u8,
    /// 1 to 3.
    pub(crate) layer: u8,
    /// Bits a second.
    pub(crate) bitrate: u32,
    /// Samples a second.
    pub(crate) sample_rate: u32,
    /// 1 or 2.
    pub(crate) channels: u16,
    padding: u32,
}

impl FrameHeader {
    /// The header that bytes begin with; `None` for none, and for frames of a rate of their own ("free format").
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let word = be32(bytes, 0)?;
        let bits = |from: u32, count: u32| (word >> from & ((1 << count) - 1)) as u8;
        let version = [4, 0, 2, 1].get(usize::from(bits(19, 2))).copied().filter(|&version| version > 0)?;
        let layer = 4 - bits(17, 2);
        if bits(21, 8) != 0xFF || bits(29, 3) != 7 || layer > 3 || bits(0, 2) == 2 {
            return None;
        }
        let table = match (version, layer) {
            (1, layer) => layer - 1,
            (_, 1) => 3,
            _ => 4,
        };
        let index = usize::from(bits(12, 4)).checked_sub(1)?;
        let kilobits = *BITRATES.get(usize::from(table))?.get(index)?;
        let rate = RATES.get(usize::from(bits(10, 2)))? / u32::from(version);
        Some(FrameHeader {
            version,
            layer,
            bitrate: u32::from(kilobits) * 1000,
            sample_rate: rate,
            channels: if bits(6, 2) == 3 { 1 } else { 2 },
            padding: bits(9, 1).into(),
        })
    }

    /// Samples of a frame.
    pub(crate) fn samples(&self) -> u32 {
        match (self.layer, self.version) {
            (1, _) => 384,
            (2, _) | (_, 1) => 1152,
            _ => 576,
        }
    }

    /// Bytes of the frame with its header.
    pub(crate) fn bytes(&self) -> usize {
        let slots = match self.layer {
            1 => (12 * self.bitrate / self.sample_rate + self.padding) * 4,
            _ => self.samples() / 8 * self.bitrate / self.sample_rate + self.padding,
        };
        slots as usize
    }

    /// Whether a frame of the same stream can have this header.
    pub(crate) fn goes_with(&self, other: &Self) -> bool {
        (self.version, self.layer, self.sample_rate) == (other.version, other.layer, other.sample_rate)
    }

    /// Counts of frames and bytes that the first frame of a stream may hold instead of sound.
    pub(crate) fn counts(&self, frame: &[u8]) -> Option<Counts> {
        let side = match (self.version, self.channels) {
            (1, 2) => 32,
            (1, _) | (_, 2) => 17,
            _ => 9,
        };
        // A checksum stands before where the frame has one and the encoder thought of it.
        let xing = [side + 4, side + 6]
            .into_iter()
            .map(|at| from(frame, at))
            .find(|at| at.starts_with(b"Xing") || at.starts_with(b"Info"));
        if let Some(xing) = xing {
            let flags = byte(xing, 7)?;
            let frames = if flags & 1 != 0 { be32(xing, 8) } else { None };
            let bytes = if flags & 2 != 0 { be32(xing, if flags & 1 != 0 { 12 } else { 8 }) } else { None };
            return Some(Counts { frames, bytes });
        }
        let vbri = from(frame, 36);
        (vbri.starts_with(b"VBRI") && be16(vbri, 4).is_some())
            .then(|| Counts { frames: be32(vbri, 14), bytes: be32(vbri, 10) })
    }
}

/// What an encoder counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Frames of sound.
    pub(crate) frames: Option<u32>,
    /// Bytes of the stream.
    pub(crate) bytes: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_the_bytes_of_the_standard() {
        for (header, bytes, bitrate, rate, samples) in [
            // MPEG-1 layer III: 128 k at 44.1 k, that padded, 320 k at 48 k.
            (0xFFFB_9000_u32, 417, 128_000, 44_100, 1152),
            (0xFFFB_9200, 418, 128_000, 44_100, 1152),
            (0xFFFB_E400, 960, 320_000, 48_000, 1152),
            // MPEG-1 layers II and I.
            (0xFFFD_8000, 417, 128_000, 44_100, 1152),
            (0xFFFF_C000, 416, 384_000, 44_100, 384),
            (0xFFFF_C200, 420, 384_000, 44_100, 384),
            // MPEG-2 and 2.5, layer III: 64 k at 22.05 k, 8 k at 8 k.
            (0xFFF3_8000, 208, 64_000, 22_050, 576),
            (0xFFE3_1800, 72, 8_000, 8_000, 576),
            // MPEG-2 layer II: 64 k at 24 k.
            (0xFFF5_8400, 384, 64_000, 24_000, 1152),
        ] {
            let frame = FrameHeader::read(&header.to_be_bytes());
            let found = frame.map(|frame| (frame.bytes(), frame.bitrate, frame.sample_rate, frame.samples()));
            let expected = if header == 0xFFFF_C000 || header == 0xFFFF_C200 {
                (bytes, 384_000, rate, samples)
            } else {
                (bytes, bitrate, rate, samples)
            };
            assert_eq!(found, Some(expected), "{header:x}");
        }
    }

    #[test]
    fn what_no_frame_begins_with() {
        for header in [
            0xFFEB_9000_u32, // reserved version
            0xFFF9_9000,     // no layer
            0xFFFB_0000,     // free format
            0xFFFB_F000,     // no bit rate
            0xFFFB_9C00,     // no sampling rate
            0xFFFB_9002,     // reserved emphasis
            0xFF1B_9000,     // no sync
        ] {
            assert_eq!(FrameHeader::read(&header.to_be_bytes()), None, "{header:x}");
        }
        assert_eq!(FrameHeader::read(&[0xFF, 0xFB, 0x90]), None);
    }
}
