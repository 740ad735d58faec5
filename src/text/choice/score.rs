//! Which blocks are main text.
//!
//! Each block has a probability p and a length u in words. A choice of blocks S is judged by its F1 against the unknown
//! truth, whose expectation is close to 2·Σ_S p·u / (Σ_S u + Σ p·u). For a given number of words the best S holds the
//! blocks of highest p, so the choice is a threshold, and the best threshold is found by going down the sorted blocks
//! once. A page whose text is certain gets a threshold near one half; a page where everything is doubtful gets a
//! lower one and keeps more. Cost: O(n log n).

/// Words that each block counts for besides its own, so that those without words count too.
pub(crate) const EXTRA_UNITS: f32 = 0.3;

/// The threshold of highest expected F1 and that F1, for blocks of probability and length.
pub(crate) fn threshold(blocks: &[(f32, f32)]) -> (f32, f32) {
    let mut order: Vec<(f32, f32)> = blocks.iter().copied().filter(|b| b.1 > 0.0).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let expected: f32 = order.iter().map(|b| b.0 * b.1).sum();
    let (mut hits, mut taken) = (0.0, 0.0);
    let (mut best, mut cut) = (0.0, 1.0);
    for (p, units) in order {
        hits += p * units;
        taken += units;
        let f1 = 2.0 * hits / (taken + expected);
        if f1 > best {
            best = f1;
            cut = p;
        }
    }
    (cut, best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds() {
        let (cut, f1) = threshold(&[(0.9, 100.0), (0.1, 100.0), (0.95, 50.0)]);
        assert_eq!(cut, 0.9);
        assert!(f1 > 0.8);
        // Doubtful everywhere: keep rather than lose.
        assert_eq!(threshold(&[(0.3, 10.0), (0.3, 20.0)]).0, 0.3);
        assert_eq!(threshold(&[]), (1.0, 0.0));
    }
}
