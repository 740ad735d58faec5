//! The instantaneous codes, read from a stream of bits.

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Code {
    Unary,
    Gamma,
    Delta,
    Zeta(u32),
    Nibble,
}

/// Defects of the bits.
pub(super) type DecodeResult<T> = Result<T, String>;

pub(super) struct Bits<'a> {
    pub bytes: &'a [u8],
    /// Bit position.
    pub at: u64,
}

impl Bits<'_> {
    /// The next 57 or more bits at the top of a word, zeros past the end.
    #[inline]
    fn peek(&self) -> u64 {
        let byte = (self.at / 8) as usize;
        let word = match self.bytes.get(byte..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => u64::from_be_bytes(*chunk),
            None => {
                let mut chunk = [0; 8];
                let rest = self.bytes.get(byte..).unwrap_or_default();
                chunk[..rest.len()].copy_from_slice(rest);
                u64::from_be_bytes(chunk)
            }
        };
        word << (self.at % 8)
    }

    #[inline]
    fn skip(&mut self, bits: u32) -> DecodeResult<()> {
        self.at += u64::from(bits);
        if self.at > 8 * self.bytes.len() as u64 {
            Err("the file ends in the middle of a list".into())
        } else {
            Ok(())
        }
    }

    /// A number of at most 56 bits.
    #[inline]
    fn fixed(&mut self, bits: u32) -> DecodeResult<u64> {
        if bits == 0 {
            return Ok(0);
        }
        if bits > 56 {
            return Err(format!("a number of {bits} bits"));
        }
        let value = self.peek() >> (64 - bits);
        self.skip(bits)?;
        Ok(value)
    }

    #[inline]
    fn unary(&mut self) -> DecodeResult<u32> {
        let mut zeros = 0;
        loop {
            let here = self.peek().leading_zeros();
            if here < 57 {
                self.skip(here + 1)?;
                return Ok(zeros + here);
            }
            self.skip(56)?;
            zeros += 56;
        }
    }

    #[inline]
    fn gamma(&mut self) -> DecodeResult<u64> {
        let bits = self.unary()?;
        Ok(self.fixed(bits)? + (1 << bits) - 1)
    }

    #[inline]
    pub fn read(&mut self, code: Code) -> DecodeResult<u64> {
        match code {
            Code::Unary => self.unary().map(u64::from),
            Code::Gamma => self.gamma(),
            Code::Delta => {
                let bits = self.gamma()?.min(64) as u32;
                Ok(self.fixed(bits)? + (1 << bits) - 1)
            }
            Code::Zeta(k) => {
                let h = self.unary()?;
                let bits = h.saturating_mul(k).saturating_add(k - 1);
                let low = self.fixed(bits)?;
                let left = 1u64 << (h * k);
                if low < left { Ok(low + left - 1) } else { Ok(2 * low + self.fixed(1)? - 1) }
            }
            Code::Nibble => {
                let mut value = 0u64;
                loop {
                    let last = self.fixed(1)? == 1;
                    value = value << 3 | self.fixed(3)?;
                    if last {
                        return Ok(value);
                    }
                    if value >> 56 != 0 {
                        return Err("a number of more than 56 bits".into());
                    }
                }
            }
        }
    }
}
