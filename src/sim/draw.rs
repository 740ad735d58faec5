//! Draws from distributions, as functions of a key: the same key always draws the same.
//!
//! Power laws are drawn with exponents whose inverse needs nothing but square roots and products, which IEEE 754 rounds
//! correctly: the same bits on every machine, unlike `powf`.

use webmill_capture::splitmix::{STEP, SplitMix};
pub(super) use webmill_capture::splitmix::{below, unit};

/// Purposes that separate the hashes of one item.
pub(super) mod purpose {
    pub(crate) const HOST: u64 = 1;
    pub(crate) const MIRROR: u64 = 2;
    pub(crate) const KIND: u64 = 3;
    pub(crate) const SOURCE: u64 = 4;
    pub(crate) const LINKS: u64 = 5;
    pub(crate) const TEXT: u64 = 6;
    pub(crate) const FORM: u64 = 7;
    pub(crate) const TITLE: u64 = 8;
    pub(crate) const EDITS: u64 = 9;
    pub(crate) const DATE: u64 = 10;
    pub(crate) const BROKEN: u64 = 11;
    pub(crate) const ADVERTISEMENT: u64 = 12;
    pub(crate) const PATH: u64 = 13;
    pub(crate) const HEALTH: u64 = 14;
    pub(crate) const ROBOTS: u64 = 15;
    pub(crate) const FEATURES: u64 = 16;
    pub(crate) const TROUBLE: u64 = 17;
    pub(crate) const SESSION: u64 = 18;
    pub(crate) const EXTRA: u64 = 20;
    pub(crate) const CHANGES: u64 = 21;
    pub(crate) const TOPIC: u64 = 22;
}

/// A well-mixed hash of a seed, an item and a purpose.
#[inline]
pub(super) fn hash(seed: u64, item: u64, purpose: u64) -> u64 {
    mix(mix(seed ^ purpose.wrapping_mul(STEP)) ^ item.wrapping_mul(0xD1B5_4A32_D192_ED03))
}

/// A first draw.
#[inline]
fn mix(seed: u64) -> u64 {
    SplitMix(seed).bits()
}

/// A stream of draws from one key.
#[derive(Clone, Debug)]
pub(super) struct Draws(SplitMix);

impl Draws {
    #[inline]
    pub(super) fn new(seed: u64, item: u64, purpose: u64) -> Self {
        Draws(SplitMix(hash(seed, item, purpose).wrapping_add(STEP)))
    }

    #[inline]
    pub(super) fn next(&mut self) -> u64 {
        self.0.bits()
    }

    #[inline]
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0.below(n)
    }

    #[inline]
    pub(super) fn unit(&mut self) -> f64 {
        self.0.unit()
    }
}

/// x^(1/4).
#[inline]
pub(super) fn root4(x: f64) -> f64 {
    x.sqrt().sqrt()
}

/// x^(1/8).
#[inline]
fn root8(x: f64) -> f64 {
    root4(x).sqrt()
}

/// `least`·u^(−5/8): density exponent 13/5 = 2.6 from `least` on.
#[inline]
pub(super) fn tail_5_8(least: f64, u: f64) -> f64 {
    least / (u.sqrt() * root8(u)).max(1e-12)
}

/// `least`·u^(−3/8): density exponent 11/3, a light tail with mean 1.6·`least`.
#[inline]
pub(super) fn tail_3_8(least: f64, u: f64) -> f64 {
    least / (root4(u) * root8(u)).max(1e-12)
}

/// A rank in [0, n), drawn with weight (rank + 16)^(−7/8): counts of draws by rank have the density exponent 15/7.
#[inline]
pub(super) fn popular_rank(u: f64, n: u64) -> u64 {
    let (low, high) = (root8(16.0), root8(n as f64 + 16.0));
    let x = low + u * (high - low);
    let x4 = (x * x) * (x * x);
    ((x4 * x4 - 16.0).max(0.0) as u64).min(n.saturating_sub(1))
}

/// A bijection of [0, n) that scatters neighbours: a four-round Feistel network, walked until it falls into the range.
#[derive(Clone, Debug)]
pub(super) struct Shuffle {
    n: u64,
    half: u32,
    seed: u64,
}

impl Shuffle {
    pub(super) fn new(n: u64, seed: u64) -> Self {
        let bits = 64 - n.saturating_sub(1).leading_zeros();
        Shuffle { n, half: bits.div_ceil(2).max(1), seed }
    }

    pub(super) fn place(&self, mut x: u64) -> u64 {
        let mask = (1u64 << self.half) - 1;
        loop {
            let (mut left, mut right) = (x >> self.half, x & mask);
            for round in 0..4 {
                (left, right) = (right, left ^ (hash(self.seed, right, round) & mask));
            }
            x = left << self.half | right;
            if x < self.n {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_are_bijections() {
        for n in [1, 2, 3, 5, 64, 1000, 4097] {
            let shuffle = Shuffle::new(n, 9);
            let mut places: Vec<u64> = (0..n).map(|i| shuffle.place(i)).collect();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..n), "{n}");
        }
    }

    #[test]
    fn ranks_stay_in_range() {
        for n in [1, 2, 1000, 1 << 40] {
            assert_eq!(popular_rank(0.0, n), 0);
            assert!(popular_rank(1.0 - 1e-16, n) < n);
        }
        assert!(tail_5_8(3.0, 0.0).is_finite());
    }

    #[test]
    fn hashes_spread() {
        let mut sums = [0u32; 16];
        for i in 0..16_000 {
            sums[below(hash(1, i, 2), 16) as usize] += 1;
        }
        assert!(sums.iter().all(|&s| (850..1150).contains(&s)), "{sums:?}");
    }
}
