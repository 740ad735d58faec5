//! Which blocks are main text.
//!
//! Each block has a probability p and a length u in words. A choice of blocks S is judged by its F1 against the unknown
//! truth, whose expectation is close to 2·Σ_S p·u / (Σ_S u + Σ p·u). For a given number of words the best S holds the
//! blocks of highest p, so the choice is a threshold, and the best threshold is found by going down the sorted blocks
//! once. A page whose text is certain gets a threshold near one half; a page where everything is doubtful gets a
//! lower one and keeps more. With β other than one it is (1+β²)·Σ_S p·u / (Σ_S u + β²·Σ p·u). Cost: O(n log n).

use crate::focus::Focus;

/// Words that each block counts for besides its own, so that those without words count too.
pub(crate) const EXTRA_UNITS: f32 = 0.3;

/// The threshold of highest expected F-measure (F1, unless the focus is on precision or recall) and the expected F1 there, for
/// blocks of probability and length.
pub(crate) fn threshold(blocks: &[(f32, f32)], focus: Focus) -> (f32, f32) {
    let beta = focus.beta_squared();
    let mut order: Vec<(f32, f32)> = blocks.iter().copied().filter(|b| b.1 > 0.0).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let expected: f32 = order.iter().map(|b| b.0 * b.1).sum();
    let (mut hits, mut taken) = (0.0, 0.0);
    let (mut best, mut cut, mut f1) = (0.0, 1.0, 0.0);
    for (p, units) in order {
        hits += p * units;
        taken += units;
        let measure = (1.0 + beta) * hits / (taken + beta * expected);
        if measure > best {
            best = measure;
            f1 = 2.0 * hits / (taken + expected);
            cut = p;
        }
    }
    (cut, f1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds() {
        let (cut, f1) = threshold(&[(0.9, 100.0), (0.1, 100.0), (0.95, 50.0)], Focus::Balanced);
        assert_eq!(cut, 0.9);
        assert!(f1 > 0.8);
        // Doubtful everywhere: keep rather than lose.
        assert_eq!(threshold(&[(0.3, 10.0), (0.3, 20.0)], Focus::Balanced).0, 0.3);
        assert_eq!(threshold(&[], Focus::Balanced), (1.0, 0.0));
        let blocks = [(0.9, 10.0), (0.6, 10.0), (0.2, 10.0)];
        let cut = |focus| threshold(&blocks, focus).0;
        assert_eq!([Focus::Precision, Focus::Balanced, Focus::Recall].map(cut), [0.9, 0.6, 0.2]);
    }
}
