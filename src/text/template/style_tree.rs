//! The importance of the nodes of a style tree, in which pages of a site are laid over each other.
//!
//! **Definition.** An element that m pages show has l styles, shown by shares p₁ … p_l of them. Its own importance is
//! −Σ pᵢ log_m pᵢ, and 1 where m = 1: 0 where all pages show the same, near 1 where each has its own. A leaf whose l features have
//! the entropies Hⱼ over the pages (log_m c for a feature that occurs once on each of c pages) has 1 − Σ Hⱼ / l. The composite
//! importance of an element with its descendants is (1 − γˡ)·own + γˡ·Σ pᵢ·(importance below style i), γ = 0.9.
//!
//! Reference: L. Yi, B. Liu, X. Li, *Eliminating noisy information in Web pages for data mining*, KDD 2003,
//! doi:10.1145/956750.956785.

/// How much the styles below an element weigh: less the more styles it has.
const GAMMA: f64 = 0.9;

/// Importance of an element by how many pages show each of its styles.
pub(super) fn node(pages: &[usize]) -> f64 {
    let all: usize = pages.iter().sum();
    if all <= 1 {
        return 1.0;
    }
    let shares = pages.iter().filter(|&&pages| pages > 0).map(|&pages| pages as f64 / all as f64);
    (shares.map(|share| -share * share.ln()).sum::<f64>() / (all as f64).ln()).max(0.0)
}

/// Importance of a leaf by the entropies of its features, each 0 to 1.
pub(super) fn leaf(entropies: &[f64]) -> f64 {
    1.0 - entropies.iter().sum::<f64>() / entropies.len().max(1) as f64
}

/// Importance of an element with its descendants: (pages, importance below) for each style.
pub(super) fn composite(styles: &[(usize, f64)]) -> f64 {
    let pages: Vec<usize> = styles.iter().map(|style| style.0).collect();
    let all = pages.iter().sum::<usize>().max(1) as f64;
    let below: f64 = styles.iter().map(|&(pages, importance)| pages as f64 / all * importance).sum();
    let weight = GAMMA.powi(i32::try_from(styles.len()).unwrap_or(i32::MAX));
    (1.0 - weight) * node(&pages) + weight * below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importances_are_those_of_the_paper() {
        assert_eq!(node(&[100]), 0.0);
        assert_eq!(node(&[1]), 1.0);
        assert!((node(&[35, 25, 25, 15]) - 0.292).abs() < 5e-4);
        assert!((node(&[1; 50]) - 1.0).abs() < 1e-12);
        assert_eq!(leaf(&[1.0, 0.0, 0.0, 0.0]), 0.75);
        assert_eq!(composite(&[(100, 0.0)]), 0.0);
        // Two styles of half the pages each, one of them with leaves of importance 1.
        let own = 2f64.ln() / 100f64.ln();
        assert!((composite(&[(50, 1.0), (50, 0.0)]) - (0.19 * own + 0.81 * 0.5)).abs() < 1e-12);
    }
}
