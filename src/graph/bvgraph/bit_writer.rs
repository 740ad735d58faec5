//! The instantaneous codes, written to a stream of bits or only counted.

use std::io::{self, Write};

/// Where codes go.
pub(super) trait BitSink {
    /// `bits` ≤ 64 bits, the last of `value`, whose others are zero.
    fn fixed(&mut self, value: u64, bits: u32);

    /// Bits so far.
    fn at(&self) -> u64;

    /// `value` zeros and a one.
    #[inline]
    fn unary(&mut self, mut value: u64) {
        while value >= 64 {
            self.fixed(0, 64);
            value -= 64;
        }
        self.fixed(0, value as u32);
        self.fixed(1, 1);
    }

    /// Length in unary, then the number less its leading one. `value` < 2⁶³.
    #[inline]
    fn gamma(&mut self, value: u64) {
        let bits = (value + 1).ilog2();
        self.fixed(0, bits);
        self.fixed(value + 1, bits + 1);
    }

    /// ζ with parameter `k`: length in k-bit steps in unary, then minimal binary. `value` < 2⁶².
    #[inline]
    fn zeta(&mut self, value: u64, k: u32) {
        let h = (value + 1).ilog2() / k;
        self.unary(u64::from(h));
        let left = 1u64 << (h * k);
        if value + 1 - left < left {
            self.fixed(value + 1 - left, h * k + k - 1);
        } else {
            self.fixed(value + 1, h * k + k);
        }
    }
}

/// Counts bits and writes none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BitCounter(pub u64);

impl BitSink for BitCounter {
    #[inline]
    fn fixed(&mut self, _: u64, bits: u32) {
        self.0 += u64::from(bits);
    }

    #[inline]
    fn at(&self) -> u64 {
        self.0
    }

    #[inline]
    fn unary(&mut self, value: u64) {
        self.0 += value + 1;
    }
}

/// Bits in memory, the most significant first.
#[derive(Clone, Debug)]
pub(super) struct BitWriter {
    words: Vec<u64>,
    /// The word being filled, from the top, and its free bits, 1 to 64.
    word: u64,
    free: u32,
}

impl Default for BitWriter {
    fn default() -> Self {
        BitWriter { words: Vec::new(), word: 0, free: 64 }
    }
}

impl BitSink for BitWriter {
    #[inline]
    fn fixed(&mut self, value: u64, bits: u32) {
        debug_assert!(bits == 64 || value >> bits == 0);
        if bits < self.free {
            self.free -= bits;
            // Of no bits the value is 0, which may be shifted by all 64.
            self.word |= value.wrapping_shl(self.free);
        } else {
            let over = bits - self.free;
            self.words.push(self.word | value >> over);
            self.word = if over == 0 { 0 } else { value << (64 - over) };
            self.free = 64 - over;
        }
    }

    /// Of the bits not yet [drained](BitWriter::drain).
    #[inline]
    fn at(&self) -> u64 {
        64 * self.words.len() as u64 + u64::from(64 - self.free)
    }
}

impl BitWriter {
    /// Appends what another writer holds.
    pub fn append(&mut self, other: &BitWriter) {
        for &word in &other.words {
            self.fixed(word, 64);
        }
        let rest = 64 - other.free;
        if rest > 0 {
            self.fixed(other.word >> other.free, rest);
        }
    }

    /// Moves the whole words to `out`.
    pub fn drain(&mut self, out: &mut impl Write) -> io::Result<()> {
        for word in self.words.drain(..) {
            out.write_all(&word.to_be_bytes())?;
        }
        Ok(())
    }

    /// Moves everything to `out`, filled up to a whole word, as readers that read words want it.
    pub fn close(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.free < 64 {
            self.fixed(0, self.free);
        }
        self.drain(out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::{Bits, Code};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_and_measured(
            numbers in prop::collection::vec((0u64..1 << 40, 0u32..41, 0u32..9), 0..200), split in 0usize..200
        ) {
            let mut writers = [BitWriter::default(), BitWriter::default()];
            let mut measure = BitCounter::default();
            let put = |put: &mut dyn FnMut(u64, u32)| {
                for &(value, shift, k) in &numbers { put(value >> shift, k) }
            };
            let code = |value: u64, k: u32| match k { 0 if value < 200 => Code::Unary, 0 | 1 => Code::Gamma, k => Code::Zeta(k - 1) };
            let mut i = 0;
            put(&mut |value, k| {
                let writer = &mut writers[usize::from(i >= split)];
                i += 1;
                match code(value, k) {
                    Code::Unary => { writer.unary(value); measure.unary(value) }
                    Code::Gamma => { writer.gamma(value); measure.gamma(value) }
                    Code::Zeta(k) => { writer.zeta(value, k); measure.zeta(value, k) }
                    _ => unreachable!(),
                }
            });
            let [mut writer, tail] = writers;
            let mut bytes = Vec::new();
            writer.drain(&mut bytes).unwrap();
            writer.append(&tail);
            prop_assert_eq!(8 * bytes.len() as u64 + writer.at(), measure.0);
            writer.close(&mut bytes).unwrap();
            prop_assert!(bytes.len() % 8 == 0 && 8 * bytes.len() as u64 - measure.0 < 64);
            let mut bits = Bits { bytes: &bytes, at: 0 };
            put(&mut |value, k| assert_eq!(bits.read(code(value, k)).unwrap(), value));
            prop_assert_eq!(bits.at, measure.0);
        }
    }
}
