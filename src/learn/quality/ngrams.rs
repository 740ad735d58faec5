//! Which rows of tokens stood before in a text.
//!
//! **Algorithm.** The hash of a row of n tokens is a polynomial over their hashes modulo 2⁶⁴, from sums of prefixes: one product a row. Rows are
//! kept in an open table that is cleared by raising a number, so that a text costs as many steps as it has tokens.

/// An odd multiplier (the golden ratio's bits).
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Rows met, with how often.
#[derive(Default)]
pub struct NgramSet {
    slots: Vec<(u64, u32, u32)>,
    round: u32,
    sums: Vec<u64>,
}

impl NgramSet {
    /// Begins with these tokens.
    pub fn over(&mut self, tokens: impl Iterator<Item = u64>) {
        self.sums.clear();
        self.sums.push(0);
        let mut sum = 0u64;
        for hash in tokens {
            sum = sum.wrapping_mul(FACTOR).wrapping_add(hash);
            self.sums.push(sum);
        }
        let need = (2 * self.sums.len()).next_power_of_two();
        // A long text leaves no large table behind, which each short one would miss the cache in.
        if self.slots.len() < need || self.slots.len() > 64 * need {
            self.slots = vec![(0, 0, 0); need];
            self.round = 0;
        }
    }

    /// Forgets the rows met.
    pub fn clear(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.slots.fill((0, 0, 0));
            self.round = 1;
        }
    }

    /// The hash of `n` tokens from `at` on; `power` is [`FACTOR`]ⁿ.
    fn hash(&self, at: usize, n: usize, power: u64) -> u64 {
        let hash = self.sums[at + n].wrapping_sub(self.sums[at].wrapping_mul(power));
        (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
    }

    /// Counts one more of a hash; how many there are with it.
    fn count(&mut self, hash: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        loop {
            let (known, round, count) = &mut self.slots[at];
            if *round != self.round {
                (*known, *round, *count) = (hash, self.round, 1);
                return 1;
            }
            if *known == hash {
                *count += 1;
                return *count;
            }
            at = (at + 1) & mask;
        }
    }

    /// Calls `repeated` with the place of each row of `n` tokens that stood before; after one the next begins behind it.
    pub fn each_repeated(&mut self, n: usize, mut repeated: impl FnMut(usize)) {
        self.clear();
        let power = FACTOR.wrapping_pow(n as u32);
        let (mut at, last) = (0, (self.sums.len() - 1).checked_sub(n));
        while last.is_some_and(|last| at <= last) {
            let hash = self.hash(at, n, power);
            if self.count(hash) > 1 {
                repeated(at);
                at += n;
            } else {
                at += 1;
            }
        }
    }

    /// The place of the first of the rows of `n` tokens that are most frequent, and how often it is there: of two, the one whose first is earlier.
    pub fn most_frequent(&mut self, n: usize) -> Option<(usize, u32)> {
        self.clear();
        let power = FACTOR.wrapping_pow(n as u32);
        let last = (self.sums.len() - 1).checked_sub(n)?;
        let mut most = 0;
        for at in 0..=last {
            most = most.max(self.count(self.hash(at, n, power)));
        }
        let total = |set: &Self, hash: u64| {
            let mask = set.slots.len() - 1;
            let mut at = (hash >> 32) as usize & mask;
            while set.slots[at].0 != hash {
                at = (at + 1) & mask;
            }
            set.slots[at].2
        };
        let first = (0..=last).find(|at| total(self, self.hash(*at, n, power)) == most)?;
        Some((first, most))
    }
}
