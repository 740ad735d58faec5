//! Seeded draws: a stream per seed, orders and samples, by [`webmill_capture::splitmix`].

use webmill_capture::splitmix::{SplitMix, mix};

/// A stream of draws that follows from its seed.
#[derive(Debug, Clone)]
pub struct Draws(SplitMix);

impl Draws {
    /// The stream of a seed; streams of neighbouring seeds have nothing in common.
    pub fn new(seed: u64) -> Self {
        Draws(SplitMix(mix(seed ^ 0x6a09_e667_f3bc_c909)))
    }

    /// The stream whose state begins as the seed itself, for seeds that have nothing to do with each other.
    pub(crate) fn plain(seed: u64) -> Self {
        Draws(SplitMix(seed))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number of [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// A number below `n`, which is above 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u64) as usize
    }

    /// Brings items into a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// `count` different numbers below `n`, ascending; all where there are no more.
    pub fn sample(&mut self, n: usize, count: usize) -> Vec<usize> {
        // Selection sampling (Knuth, vol. 2, 3.4.2 S): one pass, in order.
        let mut chosen = Vec::with_capacity(count.min(n));
        for number in 0..n {
            if chosen.len() == count {
                break;
            }
            if self.below(n - number) < count - chosen.len() {
                chosen.push(number);
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_different_numbers_in_order() {
        for (n, count) in [(0, 3), (5, 0), (5, 5), (5, 9), (1000, 30)] {
            let sample = Draws::new(7).sample(n, count);
            assert_eq!(sample.len(), count.min(n));
            assert!(sample.windows(2).all(|pair| pair[0] < pair[1]) && sample.iter().all(|s| *s < n));
        }
        let mut draws = Draws::new(1);
        let mean = (0..10_000).map(|_| draws.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        assert_ne!(Draws::new(1).bits(), Draws::new(2).bits());
    }
}
