//! A tree of losers: which of k sorted sources holds the least head.
//!
//! The tree knows indices only; the caller says which of two heads comes first. Each inner node keeps the
//! loser of its match, the root's winner is at index 0, so that after the winner's source has moved on,
//! one walk from its leaf to the root (⌈log₂ k⌉ matches) finds the next winner.

/// Tree over `k ≥ 1` sources.
pub(super) struct Losers {
    tree: Vec<u32>,
}

impl Losers {
    /// Plays all matches. `before(a, b)` says that source `a`'s head comes strictly before `b`'s; an
    /// exhausted source comes after every other.
    pub fn new(k: usize, before: impl Fn(usize, usize) -> bool) -> Self {
        debug_assert!(k >= 1, "a merge has at least one source");
        // Winners of a complete binary tree with k leaves at k..2k; node i has children 2i and 2i + 1.
        let mut winner = vec![0u32; 2 * k];
        let mut tree = vec![0u32; k];
        for (leaf, slot) in winner[k..].iter_mut().enumerate() {
            *slot = leaf as u32;
        }
        for node in (1..k).rev() {
            let (a, b) = (winner[2 * node], winner[2 * node + 1]);
            let b_first = first(b, a, &before);
            winner[node] = if b_first { b } else { a };
            tree[node] = if b_first { a } else { b };
        }
        tree[0] = if k == 1 { 0 } else { winner[1] };
        Losers { tree }
    }

    /// Source of the least head.
    pub fn winner(&self) -> usize {
        self.tree[0] as usize
    }

    /// Replays the winner's matches after its source has moved on.
    #[inline]
    pub fn replay(&mut self, before: impl Fn(usize, usize) -> bool) {
        let k = self.tree.len();
        let mut champion = self.tree[0];
        let mut node = (champion as usize + k) / 2;
        while node >= 1 {
            if first(self.tree[node], champion, &before) {
                std::mem::swap(&mut self.tree[node], &mut champion);
            }
            node /= 2;
        }
        self.tree[0] = champion;
    }
}

/// Does `a` win against `b`? Ties go to the lower index.
#[inline]
fn first(a: u32, b: u32, before: &impl Fn(usize, usize) -> bool) -> bool {
    let (x, y) = (a as usize, b as usize);
    if a < b { !before(y, x) } else { before(x, y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_every_number_of_sources() {
        for k in 1..40usize {
            let sources: Vec<Vec<usize>> =
                (0..k).map(|s| (0..(s * 7) % 11).map(|i| i * (s % 3 + 1)).collect()).collect();
            let mut at = vec![0usize; k];
            let head = |at: &[usize], s: usize| sources[s].get(at[s]).copied().unwrap_or(usize::MAX);
            let mut losers = Losers::new(k, |a, b| head(&at, a) < head(&at, b));
            let mut merged = Vec::new();
            loop {
                let s = losers.winner();
                let Some(&item) = sources[s].get(at[s]) else { break };
                merged.push((item, s));
                at[s] += 1;
                losers.replay(|a, b| head(&at, a) < head(&at, b));
            }
            let mut expected: Vec<(usize, usize)> =
                sources.iter().enumerate().flat_map(|(s, v)| v.iter().map(move |&i| (i, s))).collect();
            expected.sort();
            assert_eq!(merged, expected, "k = {k}");
        }
    }
}
