//! Sets of numbers, a bit each: which pages, rows or nodes.

/// A set of numbers, which takes a bit for each number up to the greatest.
///
/// # Examples
/// ```
/// use webmill_capture::bits::Bits;
/// let mut pages = Bits::default();
/// assert!(pages.insert(70u32) && !pages.insert(70u32));
/// assert!(pages.contains(70u64) && !pages.contains(7u32) && !pages.contains(1u64 << 40));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// None, with room for the numbers below `end`.
    pub fn with_room(end: usize) -> Self {
        Bits(vec![0; end.div_ceil(64)])
    }

    /// The numbers below `end`.
    pub fn below(end: u64) -> Self {
        let mut bits = Bits(vec![u64::MAX; end.div_ceil(64) as usize]);
        if let Some(last) = bits.0.last_mut() {
            *last >>= end.wrapping_neg() % 64;
        }
        bits
    }

    /// Adds a number; whether it was not there.
    #[inline]
    pub fn insert(&mut self, number: impl Into<u64>) -> bool {
        let number = number.into();
        let word = (number / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let before = self.0[word];
        self.0[word] |= 1 << (number % 64);
        before != self.0[word]
    }

    /// Takes a number away.
    pub fn remove(&mut self, number: u64) {
        if let Some(word) = self.0.get_mut((number / 64) as usize) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Whether it has a number.
    #[inline]
    pub fn contains(&self, number: impl Into<u64>) -> bool {
        let number = number.into();
        self.0.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_below_are_all_but_those_taken_away() {
        for end in [0u64, 1, 63, 64, 65, 128] {
            let mut bits = Bits::below(end);
            assert!((0..200u64).all(|number| bits.contains(number) == (number < end)), "{end}");
            (0..200u64).for_each(|number| bits.remove(number));
            assert!(bits.is_empty());
        }
        assert!(Bits::with_room(65).is_empty());
    }
}
