//! Length of the longest common subsequence of two sequences of tokens.
//!
//! **Definition.** The most tokens that both sequences hold in the same order, not necessarily in a row.
//!
//! **Algorithm.** The common beginning and end are taken off. Of the rest, the rows of the table of the classic dynamic
//! programme are held as bit vectors over the first sequence, a 0 where the row steps up: with `M` the mask of the places
//! where the first sequence has the row's token, `U = V ∧ M` and `V ← (V + U) ∨ (V ∧ ¬M)`; the length is the number of
//! zeros at the end. Masks of tokens that occur 64 times or more are kept (at most n/64 of them), those of rarer tokens
//! are written for their row and wiped again, so that neither many distinct tokens nor one repeated one cost memory.
//!
//! **Cost.** ⌈n/64⌉ steps a token of the other sequence; memory at most n²/512 bytes for the masks (800 kB at 20,000
//! tokens) and 30 a token.
//!
//! **Reference.** Crochemore, Iliopoulos, Pinzon, Reid, doi:10.1016/S0020-0190(01)00182-X; Hyyrö, AWOCA 2004.

use std::collections::HashMap;

/// Occurrences from which on a token keeps its mask.
const KEPT_FROM: usize = 64;

/// Length of the longest common subsequence.
pub(crate) fn lcs_length(a: &[u64], b: &[u64]) -> usize {
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    // The longer one lies in the words: rows cost a little each besides their words.
    let (over, rows) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let inner = if rows.is_empty() { 0 } else { by_rows(over, rows) };
    start + inner + end
}

/// Where a token stands in the sequence that the bits are of.
#[derive(Clone, Copy)]
enum Places {
    /// In the kept masks, the mask of that number.
    Kept(usize),
    /// In the list of positions, from and to.
    Listed(usize, usize),
}

fn by_rows(over: &[u64], rows: &[u64]) -> usize {
    let words = over.len().div_ceil(64);
    let mut positions: Vec<(u64, u32)> = over.iter().enumerate().map(|(i, &t)| (t, i as u32)).collect();
    positions.sort_unstable();
    let mut masks: Vec<u64> = Vec::new();
    let mut places: HashMap<u64, Places> = HashMap::new();
    let mut from = 0;
    for group in positions.chunk_by(|x, y| x.0 == y.0) {
        let to = from + group.len();
        let place = if group.len() >= KEPT_FROM {
            let at = masks.len();
            masks.resize(at + words, 0);
            group.iter().for_each(|&(_, i)| masks[at + i as usize / 64] |= 1 << (i % 64));
            Places::Kept(at / words)
        } else {
            Places::Listed(from, to)
        };
        places.insert(group[0].0, place);
        from = to;
    }
    let mut row = vec![u64::MAX; words];
    let mut scratch = vec![0u64; words];
    for token in rows {
        match places.get(token) {
            // V ∧ ¬0 = V: the row stays.
            None => {}
            Some(&Places::Kept(mask)) => step(&mut row, &masks[mask * words..(mask + 1) * words]),
            Some(&Places::Listed(from, to)) => {
                let list = &positions[from..to];
                list.iter().for_each(|&(_, i)| scratch[i as usize / 64] |= 1 << (i % 64));
                step(&mut row, &scratch);
                list.iter().for_each(|&(_, i)| scratch[i as usize / 64] = 0);
            }
        }
    }
    // Bits past the end never become 0 by a mask, but a carry may run into them: only those of the sequence count.
    let tail = over.len() % 64;
    if tail > 0 {
        row[words - 1] |= u64::MAX << tail;
    }
    row.iter().map(|word| word.count_zeros() as usize).sum()
}

/// One row: V ← (V + (V ∧ M)) ∨ (V ∧ ¬M), with the carry from word to word.
#[inline]
fn step(row: &mut [u64], mask: &[u64]) {
    let mut carry = false;
    for (v, &m) in row.iter_mut().zip(mask) {
        let (sum, first) = v.overflowing_add(*v & m);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first | second;
        *v = sum | (*v & !m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_table(a: &[u64], b: &[u64]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y { corner + 1 } else { above.max(row[j]) };
                corner = above;
            }
        }
        row[b.len()]
    }

    fn of(text: &str) -> Vec<u64> {
        text.bytes().map(u64::from).collect()
    }

    #[test]
    fn known_lengths() {
        for (a, b, length) in [
            ("abcbdab", "bdcaba", 4),
            ("", "abc", 0),
            ("abc", "abc", 3),
            ("abc", "xyz", 0),
            ("axb", "ayb", 2),
            ("aab", "aaab", 3),
        ] {
            assert_eq!((lcs_length(&of(a), &of(b)), lcs_length(&of(b), &of(a))), (length, length), "{a} {b}");
        }
    }

    #[test]
    fn adversarial_pages_take_bounded_memory_and_are_exact() {
        let n = 20_000u64;
        let distinct: Vec<u64> = (0..n).collect();
        let backwards: Vec<u64> = (0..n).rev().collect();
        assert_eq!(lcs_length(&distinct, &backwards), 1);
        let one = vec![7; 20_000];
        let with_ends: Vec<u64> = [vec![1], vec![7; 9_998], vec![2]].concat();
        assert_eq!(lcs_length(&one, &with_ends), 9_998);
        // Every token 64 times: as many kept masks as there can be.
        let cycle: Vec<u64> = (0..n).map(|i| i % 312).collect();
        let turned: Vec<u64> = (0..n).map(|i| (i + 1) % 312).collect();
        assert_eq!(lcs_length(&cycle, &turned), 19_999);
    }

    proptest! {
        #[test]
        fn is_what_the_table_says(
            a in prop::collection::vec(0u64..5, 0..300), b in prop::collection::vec(0u64..5, 0..300),
            wide in prop::collection::vec(0u64..60, 0..200), other in prop::collection::vec(0u64..60, 0..200),
        ) {
            prop_assert_eq!(lcs_length(&a, &b), by_table(&a, &b));
            prop_assert_eq!(lcs_length(&wide, &other), by_table(&wide, &other));
            prop_assert_eq!(lcs_length(&a, &other), lcs_length(&other, &a));
        }
    }
}
