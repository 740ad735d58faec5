//! The bits of a value in another order, and back.
//!
//! Where the bits that two values must share lie side by side, a group's key is a shift and a mask. Distances do not
//! change, so a join may reorder the bits of all values first and put those of its pairs back afterwards.
//!
//! **Cost.** Eight look-ups a value in tables of 16 KiB each way; nothing where the order stays as it is.

use rayon::prelude::*;

/// A permutation of the 64 bits.
#[derive(Clone, Debug, Default)]
pub(super) struct BitOrder {
    /// There and back; `None` where every bit stays.
    moves: Option<Box<[BitMoves; 2]>>,
}

/// For each byte of a value and each content of it, where its bits go.
type BitMoves = [[u64; 256]; 8];

/// Below this many values threads cost more than they bring.
const FEW: usize = 1 << 16;

impl BitOrder {
    /// The order in which `bits[0]` becomes the highest bit, `bits[1]` the next one; bits not named follow.
    pub(super) fn of(bits: &[u32]) -> Self {
        let named = bits.iter().fold(0u64, |mask, bit| mask | 1 << bit);
        let rest = (0..64).rev().filter(|bit| named >> bit & 1 == 0);
        let order: Vec<u32> = bits.iter().copied().chain(rest).collect();
        debug_assert_eq!(order.len(), 64, "each bit is named once");
        if order.iter().rev().copied().eq(0..64) {
            return BitOrder::default();
        }
        let mut moves = Box::new([[[0; 256]; 8]; 2]);
        for (from, to) in order.iter().copied().zip((0..64).rev()) {
            for (way, (from, to)) in [(from, to), (to, from)].into_iter().enumerate() {
                for (content, moved) in moves[way][from as usize / 8].iter_mut().enumerate() {
                    *moved |= ((content >> (from % 8) & 1) as u64) << to;
                }
            }
        }
        BitOrder { moves: Some(moves) }
    }

    /// `value` in this order.
    #[inline]
    pub(super) fn there(&self, value: u64) -> u64 {
        self.moves.as_ref().map_or(value, |moves| moved(&moves[0], value))
    }

    /// The value that [`BitOrder::there`] made `value` of.
    #[inline]
    pub(super) fn back(&self, value: u64) -> u64 {
        self.moves.as_ref().map_or(value, |moves| moved(&moves[1], value))
    }

    /// Reorders all `values`.
    pub(super) fn all_there(&self, values: &mut [u64]) {
        if let Some(moves) = &self.moves {
            all_moved(&moves[0], values);
        }
    }

    /// Puts all `values` back.
    pub(super) fn all_back(&self, values: &mut [u64]) {
        if let Some(moves) = &self.moves {
            all_moved(&moves[1], values);
        }
    }
}

#[inline]
fn moved(moves: &BitMoves, value: u64) -> u64 {
    value.to_le_bytes().iter().zip(moves).fold(0, |sum, (&byte, moves)| sum | moves[usize::from(byte)])
}

fn all_moved(moves: &BitMoves, values: &mut [u64]) {
    let some = |values: &mut [u64]| values.iter_mut().for_each(|value| *value = moved(moves, *value));
    if values.len() < FEW {
        some(values);
    } else {
        values.par_chunks_mut(FEW).for_each(some);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn distances_stay_and_the_way_back_is_the_inverse(
            bits in Just((0..64u32).collect::<Vec<_>>()).prop_shuffle(),
            named in 0usize..=64,
            a in any::<u64>(),
            b in any::<u64>(),
        ) {
            let order = BitOrder::of(&bits[..named]);
            let (x, y) = (order.there(a), order.there(b));
            prop_assert_eq!((x ^ y).count_ones(), (a ^ b).count_ones());
            prop_assert_eq!((order.back(x), order.back(y)), (a, b));
            for (i, bit) in bits[..named].iter().enumerate() {
                prop_assert_eq!(x >> (63 - i) & 1, a >> bit & 1);
            }
            let mut all = [a, b];
            order.all_there(&mut all);
            prop_assert_eq!(all, [x, y]);
            order.all_back(&mut all);
            prop_assert_eq!(all, [a, b]);
        }
    }

    #[test]
    fn the_usual_order_moves_nothing() {
        let all: Vec<u32> = (0..64).rev().collect();
        assert!(BitOrder::of(&[]).moves.is_none() && BitOrder::of(&all).moves.is_none());
        assert!(BitOrder::of(&[0]).moves.is_some());
    }
}
