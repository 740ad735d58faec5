//! How many clusters: the elbow of the silhouette.
//!
//! **Definition.** k = 2, 4, 8 … up to `most` and half the rows; for each the mean silhouette of k-means. Along log₂ k, scaled with the
//! silhouettes to [0, 1], the elbow is the point farthest above the line that rises from the first to the last (ties: the smaller k).
//! Where no k beats the first, the first is it, if its silhouette shows clusters at all ([`STRUCTURE`]). Where it does not, no number
//! follows from the rows, and 2 would say nothing about many of them: √(n/2) is taken, down to a power of two, of all rows n.
//!
//! **Cost.** A clustering and a walk for each k; the caller gives a sample.
//!
//! **Determinism.** That of [`KMeans`].
//!
//! **Reference.** V. Satopää and others, *Finding a "kneedle" in a haystack*, 2011, doi:10.1109/ICDCSW.2011.20; L. Kaufman,
//! P. Rousseeuw, *Finding groups in data*, 1990 (silhouettes up to .25: no substantial structure); K. Mardia and others, *Multivariate analysis*,
//! 1979 (√(n/2)).

use super::kmeans::KMeans;
use super::silhouette::{mean_silhouette, silhouettes};
use crate::SparseRows;

/// Mean silhouette beyond which two clusters are taken for clusters.
pub const STRUCTURE: f64 = 0.25;

/// A number of clusters, and what it was chosen by.
#[derive(Debug, Clone, PartialEq)]
pub struct KChoice {
    /// The number.
    pub k: usize,
    /// Mean silhouette of each number that was tried.
    pub tried: Vec<(usize, f64)>,
}

/// Chooses a number of clusters for `all` rows, of which `rows` are a sample.
pub fn choose_k(rows: &SparseRows, all: usize, most: usize, seed: u64) -> KChoice {
    choose_by(rows.len(), all, most, |k| {
        let found = KMeans::new(k).seed(seed).run(rows);
        mean_silhouette(&silhouettes(rows, &found.assignment))
    })
}

/// The elbow of any silhouettes; what has none ends the list.
pub(super) fn choose_by(
    rows: usize,
    all: usize,
    most: usize,
    silhouette: impl Fn(usize) -> Option<f64>,
) -> KChoice {
    let numbers =
        std::iter::successors(Some(2usize), |k| k.checked_mul(2)).take_while(|k| *k <= most && 2 * k <= rows);
    let mut tried = Vec::new();
    for k in numbers {
        let Some(silhouette) = silhouette(k) else { break };
        tried.push((k, silhouette));
    }
    let elbow = elbow(&tried);
    let k = match tried.first() {
        Some(&(first, silhouette)) if elbow == first && silhouette < STRUCTURE => {
            by_rule(all, most).max(first)
        }
        _ => elbow,
    };
    KChoice { k, tried }
}

/// √(n/2), down to a power of two, at most `most`.
fn by_rule(rows: usize, most: usize) -> usize {
    let root = ((rows / 2) as f64).sqrt() as usize;
    let power = |n: usize| if n == 0 { 1 } else { 1 << n.ilog2() };
    power(root.min(most))
}

fn elbow(tried: &[(usize, f64)]) -> usize {
    let Some(&(first, _)) = tried.first() else { return 1 };
    let least = tried.iter().map(|(_, s)| *s).fold(f64::INFINITY, f64::min);
    let most = tried.iter().map(|(_, s)| *s).fold(f64::NEG_INFINITY, f64::max);
    let last = (tried.len() - 1).max(1) as f64;
    let mut best = (f64::NEG_INFINITY, first);
    for (at, (k, silhouette)) in tried.iter().enumerate() {
        let height = if most > least { (silhouette - least) / (most - least) } else { 0.0 };
        let above = height - at as f64 / last;
        if above > best.0 + 1e-12 {
            best = (above, *k);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elbows() {
        let of = |silhouettes: &[f64]| {
            elbow(&silhouettes.iter().enumerate().map(|(at, s)| (2 << at, *s)).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]), 1);
        assert_eq!(of(&[0.3]), 2);
        assert_eq!(of(&[0.1, 0.5, 0.52, 0.53]), 4);
        assert_eq!(of(&[0.1, 0.3, 0.8, 0.4, 0.2]), 8);
        assert_eq!(of(&[0.5, 0.4, 0.3]), 2);
        assert_eq!(of(&[0.2, 0.2, 0.2]), 2);
    }

    #[test]
    fn where_nothing_shows_a_rule_of_thumb_says_how_many() {
        let flat = |all: usize, most: usize| choose_by(2000, all, most, |_| Some(0.02)).k;
        assert_eq!(
            (flat(2000, 128), flat(18_846, 128), flat(10_000_000, 128), flat(18_846, 10)),
            (16, 64, 128, 8)
        );
        assert_eq!((flat(7, 128), flat(0, 128)), (2, 2));
        assert_eq!(choose_by(2000, 2000, 128, |_| Some(0.5)).k, 2);
        assert_eq!(choose_by(2000, 2000, 128, |k| Some(if k == 2 { 0.1 } else { 0.2 })).k, 4);
        assert_eq!(choose_by(3, 3, 128, |_| Some(0.02)).k, 1);
    }

    #[test]
    fn eight_topics_are_seen() {
        let mut draws = crate::Draws::new(5);
        let mut rows = SparseRows::new();
        for row in 0..400u32 {
            let mut words: Vec<u32> = (0..8).map(|_| 10 * (row % 8) + draws.below(10) as u32).collect();
            words.sort_unstable();
            words.dedup();
            let value = 1.0 / (words.len() as f32).sqrt();
            rows.push(words.into_iter().map(|word| (word, value)));
        }
        let choice = choose_k(&rows, 400, 64, 1);
        assert_eq!(choice.k, 8, "{:?}", choice.tried);
        assert_eq!(choose_k(&rows.select(&[0]), 1, 64, 1).k, 1);
        assert_eq!(choose_k(&SparseRows::new(), 0, 64, 1).k, 1);
    }
}
