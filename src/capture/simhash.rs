//! The kernel of SimHash: of a stream of 64-bit hashes, the bits that more than half of them have.
//!
//! The caller chooses the items to hash (words, shingles, with or without repetitions); two SimHashes can be compared
//! where that is the same.
//!
//! **Algorithm.** The counters are kept bit-sliced: plane `j` holds bit `j` of all 64 counters, so that one carry-save
//! adder (five operations) adds to 64 counters at once. Sixteen words go through a tree of fifteen such adders before a
//! single carry ripples into the upper planes (Harley and Seal). The majority is a comparison of all counters with half
//! of the total, plane by plane.
//!
//! **Cost.** About five operations a word, 64 planes of memory whatever the length. Exact up to 2⁶⁴ words.
//!
//! **Determinism.** Exact integers; independent of platform and of the order of the words.
//!
//! **Reference.** Charikar, doi:10.1145/509907.509965.

/// 64 counters, one a bit position.
#[derive(Clone, Debug)]
pub struct BitCounts {
    planes: [u64; 64],
    waiting: [u64; 16],
    waits: usize,
    total: u64,
}

/// Sum of three words as (carry, sum).
#[inline(always)]
fn add3(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    ((a & b) | (half & c), half ^ c)
}

impl BitCounts {
    /// Counters of nothing.
    pub fn new() -> Self {
        BitCounts { planes: [0; 64], waiting: [0; 16], waits: 0, total: 0 }
    }

    /// Adds one to the counter of every bit that is set in `word`.
    #[inline]
    pub fn add(&mut self, word: u64) {
        self.waiting[self.waits & 15] = word;
        self.waits += 1;
        self.total += 1;
        if self.waits == 16 {
            self.flush_block();
        }
    }

    /// Words added so far.
    pub fn total(&self) -> u64 {
        self.total
    }

    fn flush_block(&mut self) {
        let w = &self.waiting;
        let [ones, twos, fours, eights, ..] = self.planes;
        let (two_a, ones) = add3(ones, w[0], w[1]);
        let (two_b, ones) = add3(ones, w[2], w[3]);
        let (four_a, twos) = add3(twos, two_a, two_b);
        let (two_a, ones) = add3(ones, w[4], w[5]);
        let (two_b, ones) = add3(ones, w[6], w[7]);
        let (four_b, twos) = add3(twos, two_a, two_b);
        let (eight_a, fours) = add3(fours, four_a, four_b);
        let (two_a, ones) = add3(ones, w[8], w[9]);
        let (two_b, ones) = add3(ones, w[10], w[11]);
        let (four_a, twos) = add3(twos, two_a, two_b);
        let (two_a, ones) = add3(ones, w[12], w[13]);
        let (two_b, ones) = add3(ones, w[14], w[15]);
        let (four_b, twos) = add3(twos, two_a, two_b);
        let (eight_b, fours) = add3(fours, four_a, four_b);
        let (sixteens, eights) = add3(eights, eight_a, eight_b);
        self.planes[..4].copy_from_slice(&[ones, twos, fours, eights]);
        self.ripple(4, sixteens);
        self.waits = 0;
    }

    fn ripple(&mut self, from: usize, mut carry: u64) {
        for plane in &mut self.planes[from..] {
            if carry == 0 {
                return;
            }
            let sum = *plane ^ carry;
            carry &= *plane;
            *plane = sum;
        }
    }

    /// The bits that are set in more than half of the words; none for no words.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::simhash::BitCounts;
    /// let mut counts = BitCounts::new();
    /// [0b110, 0b100, 0b011].into_iter().for_each(|hash| counts.add(hash));
    /// assert_eq!(counts.majority(), 0b110);
    /// ```
    pub fn majority(&self) -> u64 {
        let planes = self.settled();
        let half = self.total / 2;
        let (mut above, mut equal) = (0, u64::MAX);
        for (j, plane) in planes.iter().enumerate().rev() {
            let threshold = if half >> j & 1 == 1 { u64::MAX } else { 0 };
            above |= equal & plane & !threshold;
            equal &= !(plane ^ threshold);
        }
        above
    }

    /// The planes with the waiting words in them.
    fn settled(&self) -> [u64; 64] {
        let mut all = self.clone();
        for i in 0..all.waits {
            let word = all.waiting[i];
            all.ripple(0, word);
        }
        all.planes
    }

    /// The 64 counters, lowest bit first.
    #[cfg(test)]
    fn counts(&self) -> [u64; 64] {
        let mut counts = [0u64; 64];
        for (j, plane) in self.settled().into_iter().enumerate() {
            for (bit, count) in counts.iter_mut().enumerate() {
                *count |= (plane >> bit & 1) << j;
            }
        }
        counts
    }
}

impl Default for BitCounts {
    fn default() -> Self {
        BitCounts::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_are_those_of_the_plain_loop(words in prop::collection::vec(any::<u64>(), 0..200)) {
            let mut fast = BitCounts::new();
            let mut plain = [0u64; 64];
            for &word in &words {
                fast.add(word);
                for (bit, count) in plain.iter_mut().enumerate() {
                    *count += word >> bit & 1;
                }
            }
            prop_assert_eq!(fast.total(), words.len() as u64);
            prop_assert_eq!(fast.counts(), plain);
            let majority = (0..64).fold(0, |bits, bit| bits | u64::from(plain[bit] * 2 > words.len() as u64) << bit);
            prop_assert_eq!(fast.majority(), majority);
        }
    }

    #[test]
    fn carries_reach_the_upper_planes() {
        let mut counts = BitCounts::new();
        for _ in 0..70_000 {
            counts.add(1 << 63 | 1);
        }
        assert_eq!(counts.counts()[0], 70_000);
        assert_eq!(counts.counts()[63], 70_000);
        assert_eq!(counts.counts()[5], 0);
    }
}
