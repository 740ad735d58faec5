//! Size of H.264 pictures, for containers that do not say it.
//!
//! **Definition.** A sequence parameter set is bits, the highest first, with numbers of lengths of their own (Exp-Golomb): profile
//! and level, how pictures are coded, then width and height in blocks of 16 and what is cropped of them.
//!
//! **Reference.** ITU-T H.264, 7.3.2.1.1, 7.4.2.1.1 and 9.1.

use crate::bytes::{byte, first, from};

/// Bytes of a set that are looked at.
const MAX_BYTES: usize = 512;

/// The size that the first set among bytes with start marks says.
pub(crate) fn find(bytes: &[u8]) -> Option<(u32, u32)> {
    memchr::memmem::find_iter(bytes, &[0, 0, 1])
        .map(|at| from(bytes, at + 3))
        .find(|unit| byte(unit, 0).is_some_and(|lead| lead & 0x1F == 7))
        .and_then(size)
}

/// Width and height of a set, its leading byte among it.
pub(crate) fn size(unit: &[u8]) -> Option<(u32, u32)> {
    let plain = unescaped(from(first(unit, MAX_BYTES), 1));
    let mut bits = Bits { bytes: &plain, at: 0 };
    let profile = bits.take(8)?;
    bits.take(16)?;
    bits.number()?;
    let mut chroma = 1;
    if matches!(profile, 44 | 83 | 86 | 100 | 110 | 118 | 122 | 128 | 134 | 135 | 138 | 139 | 244) {
        chroma = bits.number()?;
        bits.take(if chroma == 3 { 1 } else { 0 })?;
        bits.number()?;
        bits.number()?;
        bits.take(1)?;
        if bits.take(1)? == 1 {
            for index in 0..if chroma == 3 { 12 } else { 8 } {
                if bits.take(1)? == 1 {
                    bits.scaling(if index < 6 { 16 } else { 64 })?;
                }
            }
        }
    }
    bits.number()?;
    match bits.number()? {
        0 => drop(bits.number()?),
        1 => {
            bits.take(1)?;
            bits.number()?;
            bits.number()?;
            for _ in 0..bits.number()?.min(255) {
                bits.number()?;
            }
        }
        _ => {}
    }
    bits.number()?;
    bits.take(1)?;
    let (across, down) = (bits.number()?.checked_add(1)?, bits.number()?.checked_add(1)?);
    // Pictures of two fields have half as many rows of blocks.
    let fields = 2 - bits.take(1)?;
    bits.take(if fields == 2 { 2 } else { 1 })?;
    let (unit_x, unit_y) = match chroma {
        1 => (2, 2),
        2 => (2, 1),
        _ => (1, 1),
    };
    let (mut width, mut height) = (across.checked_mul(16)?, down.checked_mul(16 * fields)?);
    if bits.take(1)? == 1 {
        let (left, right, top, bottom) = (bits.number()?, bits.number()?, bits.number()?, bits.number()?);
        width = width.checked_sub(left.checked_add(right)?.checked_mul(unit_x)?)?;
        height = height.checked_sub(top.checked_add(bottom)?.checked_mul(unit_y * fields)?)?;
    }
    (width > 0 && height > 0).then_some((width, height))
}

/// Without the threes that keep marks out.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut zeros = 0;
    let mut plain = Vec::with_capacity(bytes.len());
    for &b in bytes {
        if zeros >= 2 && b == 3 {
            zeros = 0;
            continue;
        }
        zeros = if b == 0 { zeros + 1 } else { 0 };
        plain.push(b);
    }
    plain
}

struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// So many bits, at most 32.
    fn take(&mut self, count: u32) -> Option<u32> {
        let mut value = 0;
        for _ in 0..count {
            value = value << 1 | u32::from(byte(self.bytes, self.at / 8)? >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }

    /// A number behind as many zeros as it has bits less one; signed ones lie in the same bits.
    fn number(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while self.take(1)? == 0 {
            zeros += 1;
            (zeros < 32).then_some(())?;
        }
        (1_u32 << zeros).checked_add(self.take(zeros)?).map(|number| number - 1)
    }

    /// Passes over a list of scales: each is told by its difference, and the rest is left out after a zero.
    fn scaling(&mut self, count: u32) -> Option<()> {
        let mut scale = 8;
        for _ in 0..count {
            let written = self.number()?;
            let half = i64::from(written.div_ceil(2));
            scale = (scale + if written & 1 == 1 { half } else { -half }).rem_euclid(256);
            if scale == 0 {
                break;
            }
        }
        Some(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A set of 176 by 144.
    pub(crate) const SMALL: [u8; 8] = [0x67, 66, 0, 30, 0xDA, 0x0B, 0x13, 0x90];

    /// A set of a profile: numbers of their own length begin with `n`, others are bits.
    fn set(profile: u8, parts: &str) -> Vec<u8> {
        let written = |part: &str| match part.strip_prefix('n') {
            Some(number) => {
                let bits = format!("{:b}", number.parse::<u32>().unwrap() + 1);
                format!("{}{bits}", "0".repeat(bits.len() - 1))
            }
            None => part.to_owned(),
        };
        let mut bits: String = parts.split(' ').map(written).collect::<String>() + "1";
        bits += &"0".repeat(bits.len().next_multiple_of(8) - bits.len());
        let bytes =
            bits.as_bytes().chunks(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | (bit & 1)));
        [0x67, profile, 0, 30].into_iter().chain(bytes).collect()
    }

    #[test]
    fn sizes_of_three_profiles() {
        for (unit, expected) in [
            (set(66, "n0 n0 n2 n1 0 n10 n8 1 1 0 0"), (176, 144)),
            // Cropped, behind lists of scales of which one is written.
            (
                set(100, "n0 n1 n0 n0 0 1 1 n16 0000000 n0 n0 n2 n4 0 n119 n67 1 1 1 n0 n0 n0 n4"),
                (1920, 1080),
            ),
            // Of two fields.
            (set(77, "n0 n0 n1 0 n0 n0 n1 n0 n1 0 n44 n17 0 0 1 0"), (720, 576)),
            (SMALL.to_vec(), (176, 144)),
        ] {
            assert_eq!(size(&unit), Some(expected));
            assert_eq!(find(&[&[0, 0, 1, 9, 0xF0, 0, 0, 1], &unit[..]].concat()), Some(expected));
        }
        assert_eq!((size(&[0x67, 66]), size(&[0x67, 66, 0, 0, 0, 0, 0, 0, 0])), (None, None));
    }

    #[test]
    fn threes_that_are_escapes_are_left_out() {
        assert_eq!(unescaped(&[0, 0, 3, 1, 0, 3, 0, 0, 3]), [0, 0, 1, 0, 3, 0, 0]);
    }
}
