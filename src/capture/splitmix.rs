//! SplitMix64: a well-mixed hash of 64 bits, and seeded draws.
//!
//! Both are functions of their argument alone, the same on every machine.
//!
//! **Reference.** G. L. Steele, D. Lea, C. H. Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014,
//! doi:10.1145/2660193.2660195.

/// What the state grows by from draw to draw: 2^64 over the golden ratio.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer: a bijection of 64 bits whose output looks random. 0 stays 0.
#[inline]
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stream of draws that follows from its state.
///
/// # Examples
/// ```
/// use webmill_capture::splitmix::SplitMix;
///
/// let (mut one, mut same) = (SplitMix(7), SplitMix(7));
/// assert_eq!([one.bits(), one.bits()], [same.bits(), same.bits()]);
/// assert!(one.below(6) < 6 && (0.0..1.0).contains(&one.unit()));
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number of [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        unit(self.bits())
    }

    /// A number below `n`; 0 for `n` = 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        below(self.bits(), n)
    }
}

/// 64 bits as a number of [0, 1).
#[inline]
pub fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// 64 bits as a number below `n`; 0 for `n` = 0.
#[inline]
pub fn below(bits: u64, n: u64) -> u64 {
    ((u128::from(bits) * u128::from(n)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_the_reference_implementation() {
        // splitmix64.c with the state 1234567.
        let mut draws = SplitMix(1_234_567);
        assert_eq!([draws.bits(), draws.bits()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}
