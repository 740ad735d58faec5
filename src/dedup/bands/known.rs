//! Verdicts about pairs of pages, as many as memory allows: what one bucket found out need not be asked in the next.
//!
//! **Algorithm.** A table of a fixed number of pairs of slots, eight bytes a slot. The pair of pages, 64 bits, is mixed by
//! a bijection; the upper bits name the place, the lower bits are kept, so that nothing is ever taken for another.
//! A verdict that finds its place taken drives out the elder of two: it is forgotten, and asked again. So the size
//! decides how often a question is repeated, never the answer.

use crate::minhash::mix;

/// The slot holds a verdict.
const TAKEN: u64 = 1;
/// The verdict is "a duplicate".
const YES: u64 = 2;

/// The table.
pub(super) struct Verdicts {
    slots: Vec<[u64; 2]>,
    /// Logarithm of the number of places, at least 2 so that the flags have room below the hash.
    bits: u32,
}

impl Verdicts {
    /// A table of at most this many bytes, but 16 KiB at least.
    pub(super) fn new(memory_bytes: usize) -> Self {
        let places = (memory_bytes / 16).clamp(1 << 10, 1 << 32);
        let bits = places.ilog2();
        Verdicts { slots: vec![[0; 2]; 1 << bits], bits }
    }

    /// Place and the data kept of a pair.
    fn place(&self, a: u32, b: u32) -> (usize, u64) {
        let mixed = mix(u64::from(a) << 32 | u64::from(b));
        ((mixed >> (64 - self.bits)) as usize, mixed << self.bits | TAKEN)
    }

    /// The verdict on the pair, if it is remembered.
    #[inline]
    pub(super) fn get(&self, a: u32, b: u32) -> Option<bool> {
        let (place, kept) = self.place(a, b);
        self.slots[place].iter().find(|slot| *slot & !YES == kept).map(|slot| slot & YES != 0)
    }

    /// Remembers a verdict.
    #[inline]
    pub(super) fn put(&mut self, a: u32, b: u32, duplicate: bool) {
        let (place, kept) = self.place(a, b);
        let [first, second] = &mut self.slots[place];
        if *first & !YES != kept {
            *second = *first;
        }
        *first = kept | if duplicate { YES } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn what_is_remembered_is_right_and_little_is_forgotten_while_there_is_room() {
        let mut verdicts = Verdicts::new(0);
        let mut truth = HashMap::new();
        for i in 0..500u32 {
            let (a, b) = (i % 23, i.wrapping_mul(0x9E37_79B9));
            assert_eq!(verdicts.get(a, b), None);
            verdicts.put(a, b, i % 3 == 0);
            truth.insert((a, b), i % 3 == 0);
        }
        let kept = truth.iter().filter(|((a, b), yes)| verdicts.get(*a, *b) == Some(**yes)).count();
        assert!(kept > 470, "{kept}");
        for i in 500..100_000u32 {
            verdicts.put(i, !i, i % 2 == 0);
            assert_eq!(verdicts.get(i, !i), Some(i % 2 == 0));
        }
        let wrong = truth.iter().filter(|((a, b), yes)| verdicts.get(*a, *b).is_some_and(|v| v != **yes));
        assert_eq!(wrong.count(), 0);
        verdicts.put(7, 8, true);
        verdicts.put(7, 8, false);
        assert_eq!((verdicts.get(7, 8), verdicts.get(8, 7)), (Some(false), None));
    }
}
