//! From passages of two texts, in any order, to a common subsequence.

/// Cells of the largest table of a gap between two passages.
pub(crate) const MAX_CELLS: usize = 1 << 20;

/// Of tiles (place in a, place in b, length) that overlap in neither text, given in the order of a: those in ascending
/// order of both with the greatest sum of lengths. O(n log n).
pub(crate) fn heaviest_chain(tiles: &[(usize, usize, usize)]) -> Vec<(usize, usize, usize)> {
    let mut by_b: Vec<usize> = (0..tiles.len()).collect();
    by_b.sort_unstable_by_key(|&i| tiles[i].1);
    let mut rank = vec![0; tiles.len()];
    by_b.iter().enumerate().for_each(|(place, &i)| rank[i] = place);
    // Fenwick tree over places in b: the heaviest chain that ends at or before a place.
    let mut best: Vec<(usize, usize)> = vec![(0, usize::MAX); tiles.len() + 1];
    let mut before = vec![usize::MAX; tiles.len()];
    let mut heaviest = (0, usize::MAX);
    for (i, tile) in tiles.iter().enumerate() {
        let mut chain = (0, usize::MAX);
        let mut at = rank[i];
        while at > 0 {
            if best[at].0 > chain.0 {
                chain = best[at];
            }
            at &= at - 1;
        }
        before[i] = chain.1;
        let ending = (chain.0 + tile.2, i);
        if ending.0 > heaviest.0 {
            heaviest = ending;
        }
        let mut at = rank[i] + 1;
        while at < best.len() {
            if ending.0 > best[at].0 {
                best[at] = ending;
            }
            at += at & at.wrapping_neg();
        }
    }
    let mut chain = Vec::new();
    let mut at = heaviest.1;
    while let Some(&tile) = tiles.get(at) {
        chain.push(tile);
        at = before[at];
    }
    chain.reverse();
    chain
}

/// The runs of `chain` with the common subsequence of what is between them, neighbours joined.
pub(crate) fn common_runs(
    a: &[u64],
    b: &[u64],
    chain: &[(usize, usize, usize)],
) -> Vec<(usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    let mut push = |at: usize, bt: usize, len: usize| match runs.last_mut() {
        Some(last) if last.0 + last.2 == at && last.1 + last.2 == bt => last.2 += len,
        _ if len > 0 => runs.push((at, bt, len)),
        _ => {}
    };
    let mut table = Vec::new();
    let (mut from_a, mut from_b) = (0, 0);
    for &(at, bt, len) in chain.iter().chain([&(a.len(), b.len(), 0)]) {
        gap(&a[from_a..at], &b[from_b..bt], &mut table, |i, j| push(from_a + i, from_b + j, 1));
        push(at, bt, len);
        (from_a, from_b) = (at + len, bt + len);
    }
    runs
}

/// Calls `each` with the pairs of a longest common subsequence; of a gap that is too large with those of its ends.
fn gap(a: &[u64], b: &[u64], table: &mut Vec<u16>, mut each: impl FnMut(usize, usize)) {
    let front = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    (0..front).for_each(|i| each(i, i));
    let (x, y) = (&a[front..], &b[front..]);
    let back = x.iter().rev().zip(y.iter().rev()).take_while(|(x, y)| x == y).count();
    let (x, y) = (&x[..x.len() - back], &y[..y.len() - back]);
    let width = y.len() + 1;
    if !x.is_empty() && !y.is_empty() && (x.len() + 1).saturating_mul(width) <= MAX_CELLS {
        // Length of the longest common subsequence of what is left from (i, j) on; the shorter side, and so the length,
        // is below 1,024.
        table.clear();
        table.resize((x.len() + 1) * width, 0);
        for i in (0..x.len()).rev() {
            for j in (0..y.len()).rev() {
                table[i * width + j] = match x[i] == y[j] {
                    true => table[(i + 1) * width + j + 1] + 1,
                    false => table[(i + 1) * width + j].max(table[i * width + j + 1]),
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < x.len() && j < y.len() {
            if x[i] == y[j] {
                each(front + i, front + j);
                (i, j) = (i + 1, j + 1);
            } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    (0..back).for_each(|i| each(a.len() - back + i, b.len() - back + i));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_chain_is_the_heaviest_in_order() {
        let tiles = [(0, 50, 10), (20, 0, 30), (60, 40, 5), (70, 80, 7)];
        assert_eq!(heaviest_chain(&tiles), [(20, 0, 30), (60, 40, 5), (70, 80, 7)]);
        assert!(heaviest_chain(&[]).is_empty());
    }

    #[test]
    fn large_gaps_keep_their_ends() {
        let a: Vec<u64> = (0..5000).collect();
        let b: Vec<u64> = a.iter().map(|&x| if (10..4990).contains(&x) { x + 10_000 } else { x }).collect();
        assert_eq!(common_runs(&a, &b, &[]), [(0, 0, 10), (4990, 4990, 10)]);
    }

    fn lcs(a: &[u64], b: &[u64]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for j in 0..b.len() {
                let above = row[j + 1];
                row[j + 1] = if *x == b[j] { corner + 1 } else { above.max(row[j]) };
                corner = above;
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn without_tiles_it_is_a_longest_common_subsequence(
            a in prop::collection::vec(0u64..5, 0..50), b in prop::collection::vec(0u64..5, 0..50)
        ) {
            let runs = common_runs(&a, &b, &[]);
            prop_assert_eq!(runs.iter().map(|run| run.2).sum::<usize>(), lcs(&a, &b));
            prop_assert!(runs.iter().all(|&(i, j, len)| a[i..i + len] == b[j..j + len]));
            prop_assert!(runs.windows(2).all(|w| w[0].0 + w[0].2 <= w[1].0 && w[0].1 + w[0].2 <= w[1].1));
        }

        #[test]
        fn no_chain_is_heavier(lens in prop::collection::vec(1usize..9, 0..9), keys in prop::collection::vec(any::<u32>(), 9)) {
            let mut order: Vec<usize> = (0..lens.len()).collect();
            order.sort_by_key(|&i| keys[i]);
            let tiles: Vec<_> = lens.iter().enumerate().map(|(i, &len)| {
                (i * 10, order.iter().position(|&o| o == i).unwrap() * 10, len)
            }).collect();
            let sum = |chain: &[(usize, usize, usize)]| chain.iter().map(|tile| tile.2).sum::<usize>();
            let best = (0..1u32 << tiles.len()).map(|mask| {
                let part: Vec<_> = (0..tiles.len()).filter(|i| mask >> i & 1 == 1).map(|i| tiles[i]).collect();
                if part.windows(2).all(|w| w[0].1 < w[1].1) { sum(&part) } else { 0 }
            }).max().unwrap();
            let chain = heaviest_chain(&tiles);
            prop_assert!(chain.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
            prop_assert_eq!(sum(&chain), best);
        }
    }
}
