//! Which rows of tokens stood before in a text.
//!
//! **Algorithm.** The hash of a row of n tokens is a polynomial over their hashes modulo 2⁶⁴, from sums of prefixes: one product a row. Rows are
//! kept in an open table that is cleared by raising a number. Rows are prepared from short to long ones: a row stands twice only where both shorter
//! rows in it do, so that a text without repetition costs as many steps as it has tokens for rows of two, and few for longer ones.

/// An odd multiplier (the golden ratio's bits).
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Rows met, with how often.
#[derive(Default)]
pub struct NgramSet {
    slots: Vec<(u64, u32, u32)>,
    round: u32,
    sums: Vec<u64>,
    /// Of each row of the length at hand, whether it stands twice or more.
    repeated: Vec<bool>,
    length: usize,
    rows: usize,
}

impl NgramSet {
    /// Begins with these tokens.
    pub fn over(&mut self, tokens: impl Iterator<Item = u64>) {
        self.length = 0;
        self.repeated.clear();
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
    fn clear(&mut self) {
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

    /// The slot of a hash, or the free one in which it would stand.
    fn place(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        while self.slots[at].1 == self.round && self.slots[at].0 != hash {
            at = (at + 1) & mask;
        }
        at
    }

    /// Counts one more of a hash.
    fn count(&mut self, hash: u64) {
        let at = self.place(hash);
        let slot = &mut self.slots[at];
        *slot = if slot.1 == self.round { (hash, self.round, slot.2 + 1) } else { (hash, self.round, 1) };
    }

    /// Prepares rows of `n` tokens, where rows of n − 1 tokens were prepared before or n is the first: afterwards it is known which
    /// stand twice or more. A row can do so only if both rows of n − 1 tokens in it do, so most need no look.
    pub fn prepare(&mut self, n: usize) {
        self.clear();
        let (rows, power) = (self.sums.len().saturating_sub(n), FACTOR.wrapping_pow(n as u32));
        let is_first = self.repeated.len() != rows + 1 || self.length + 1 != n;
        if is_first {
            self.repeated.clear();
            self.repeated.resize(rows + 1, true);
        }
        (self.length, self.rows) = (n, rows);
        let asked = |repeated: &[bool], at: usize| is_first || repeated[at] && repeated[at + 1];
        for at in 0..rows {
            if asked(&self.repeated, at) {
                self.count(self.hash(at, n, power));
            }
        }
        for at in 0..rows {
            self.repeated[at] =
                asked(&self.repeated, at) && self.slots[self.place(self.hash(at, n, power))].2 > 1;
        }
        self.repeated.truncate(rows);
    }

    /// Calls `repeated` with the place of each row of `n` tokens that stood before; after one the next begins behind it. Behind [`prepare`](Self::prepare).
    pub fn each_repeated(&mut self, mut repeated: impl FnMut(usize)) {
        let (n, power) = (self.length, FACTOR.wrapping_pow(self.length as u32));
        let mut at = 0;
        while at < self.rows {
            if !self.repeated[at] {
                at += 1;
                continue;
            }
            // A count of 0 says that the row was met.
            let place = self.place(self.hash(at, n, power));
            let count = &mut self.slots[place].2;
            if *count == 0 {
                repeated(at);
                at += n;
            } else {
                *count = 0;
                at += 1;
            }
        }
    }

    /// Share of the rows that stand twice or more; 0 without rows. Behind [`prepare`](Self::prepare).
    pub fn repeated_share(&self) -> f64 {
        let repeated = self.repeated.iter().filter(|repeated| **repeated).count();
        repeated as f64 / self.rows.max(1) as f64
    }

    /// The place of the first of the most frequent rows, and how often it is there: of two, the one whose first is earlier. Behind [`prepare`](Self::prepare).
    pub fn most_frequent(&self) -> Option<(usize, u32)> {
        let power = FACTOR.wrapping_pow(self.length as u32);
        let (mut first, mut most) = (0, 1);
        for at in (0..self.rows).filter(|at| self.repeated[*at]) {
            let count = self.slots[self.place(self.hash(at, self.length, power))].2;
            if count > most {
                (first, most) = (at, count);
            }
        }
        (self.rows > 0).then_some((first, most))
    }
}
