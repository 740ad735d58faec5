//! How well clusters agree with labels.
//!
//! **Definition.** Of n rows, n_ck with label c in cluster k; H by natural logs, I the mutual information of the two.
//!
//! | measure | formula |
//! |---|---|
//! | NMI | 2·I/(H(label) + H(cluster)) (normalised by the arithmetic mean) |
//! | homogeneity, completeness | I/H(label), I/H(cluster); 1 where the entropy is 0 |
//! | V-measure | their harmonic mean: the NMI |
//! | ARI | (Σ C(n_ck,2) − e)/(½(Σ C(n_c,2) + Σ C(n_k,2)) − e), e = Σ C(n_c,2)·Σ C(n_k,2)/C(n,2) |
//! | purity | Σ_k max_c n_ck / n |
//!
//! Where both have one group only, or there are no rows, all are 1. Purity grows with the number of clusters; the others do not of themselves.
//!
//! **Cost.** O(n log n).
//!
//! **Reference.** L. Hubert, P. Arabie, *Comparing partitions*, 1985, doi:10.1007/BF01908075; A. Rosenberg, J. Hirschberg, *V-measure*,
//! EMNLP 2007.

use std::collections::BTreeMap;

/// Numbers of rows by label and cluster.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Agreement {
    cells: BTreeMap<(u32, u32), u64>,
    labels: BTreeMap<u32, u64>,
    clusters: BTreeMap<u32, u64>,
    rows: u64,
}

impl Agreement {
    /// Of two divisions of the same rows.
    ///
    /// # Panics
    /// Where they are not of as many rows.
    pub fn of(labels: &[u32], clusters: &[u32]) -> Self {
        assert_eq!(labels.len(), clusters.len(), "two divisions of the same rows");
        let mut agreement = Agreement { rows: labels.len() as u64, ..Agreement::default() };
        for (&label, &cluster) in labels.iter().zip(clusters) {
            *agreement.cells.entry((label, cluster)).or_default() += 1;
            *agreement.labels.entry(label).or_default() += 1;
            *agreement.clusters.entry(cluster).or_default() += 1;
        }
        agreement
    }

    fn information(&self) -> f64 {
        let n = self.rows as f64;
        let cell = |(&(label, cluster), &count): (&(u32, u32), &u64)| {
            let (label, cluster) = (self.labels[&label] as f64, self.clusters[&cluster] as f64);
            count as f64 / n * (n * count as f64 / (label * cluster)).ln()
        };
        self.cells.iter().map(cell).sum::<f64>().max(0.0)
    }

    fn entropy(&self, counts: &BTreeMap<u32, u64>) -> f64 {
        let n = self.rows as f64;
        counts.values().map(|&count| -(count as f64 / n) * (count as f64 / n).ln()).sum::<f64>().max(0.0)
    }

    /// Normalised mutual information; equal to the V-measure.
    pub fn nmi(&self) -> f64 {
        let entropies = self.entropy(&self.labels) + self.entropy(&self.clusters);
        if entropies == 0.0 { 1.0 } else { (2.0 * self.information() / entropies).min(1.0) }
    }

    /// How far clusters hold one label only.
    pub fn homogeneity(&self) -> f64 {
        let entropy = self.entropy(&self.labels);
        if entropy == 0.0 { 1.0 } else { (self.information() / entropy).min(1.0) }
    }

    /// How far labels lie in one cluster only.
    pub fn completeness(&self) -> f64 {
        let entropy = self.entropy(&self.clusters);
        if entropy == 0.0 { 1.0 } else { (self.information() / entropy).min(1.0) }
    }

    /// Rand index, adjusted for chance: 0 for what chance gives, 1 for equal divisions.
    pub fn ari(&self) -> f64 {
        let pairs = |count: u64| count as f64 * (count as f64 - 1.0) / 2.0;
        let cells: f64 = self.cells.values().map(|count| pairs(*count)).sum();
        let labels: f64 = self.labels.values().map(|count| pairs(*count)).sum();
        let clusters: f64 = self.clusters.values().map(|count| pairs(*count)).sum();
        if cells == labels && cells == clusters {
            return 1.0;
        }
        let expected = labels * clusters / pairs(self.rows);
        (cells - expected) / (0.5 * (labels + clusters) - expected)
    }

    /// Share of rows whose label is the commonest of their cluster.
    pub fn purity(&self) -> f64 {
        if self.rows == 0 {
            return 1.0;
        }
        let mut most: BTreeMap<u32, u64> = BTreeMap::new();
        for (&(_, cluster), &count) in &self.cells {
            let most = most.entry(cluster).or_default();
            *most = count.max(*most);
        }
        most.values().sum::<u64>() as f64 / self.rows as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn by_hand() {
        // Two labels of three rows; clusters {0,0,1} {1,1,1}: n_ck = 2,1 / 0,3.
        let agreement = Agreement::of(&[0, 0, 0, 1, 1, 1], &[0, 0, 1, 1, 1, 1]);
        let (ln2, ln3) = (2f64.ln(), 3f64.ln());
        // I = 2/6 ln 2 + 1/6 ln(1/2) + 3/6 ln(3/2)
        let information = ln2 / 6.0 + 0.5 * (ln3 - ln2);
        let clusters = 1.0 / 3.0 * ln3 + 2.0 / 3.0 * (ln3 - ln2);
        near(agreement.nmi(), 2.0 * information / (ln2 + clusters));
        near(agreement.homogeneity(), information / ln2);
        near(agreement.completeness(), information / clusters);
        let (h, c) = (agreement.homogeneity(), agreement.completeness());
        near(agreement.nmi(), 2.0 * h * c / (h + c));
        near(agreement.purity(), 5.0 / 6.0);
        // Pairs: cells 1 + 3, labels 3 + 3, clusters 1 + 6, of 15: e = 42/15.
        near(agreement.ari(), (4.0 - 2.8) / (6.5 - 2.8));
    }

    #[test]
    fn corners() {
        for (labels, clusters) in [(vec![], vec![]), (vec![4, 4], vec![9, 9]), (vec![0, 1, 2], vec![5, 3, 4])]
        {
            let agreement = Agreement::of(&labels, &clusters);
            for measure in [
                agreement.nmi(),
                agreement.ari(),
                agreement.purity(),
                agreement.homogeneity(),
                agreement.completeness(),
            ] {
                near(measure, 1.0);
            }
        }
        let one = Agreement::of(&[0, 1, 0, 1], &[0, 0, 0, 0]);
        near(one.nmi(), 0.0);
        near(one.ari(), 0.0);
        near(one.purity(), 0.5);
    }

    proptest! {
        #[test]
        fn names_of_clusters_do_not_matter(rows in prop::collection::vec((0u32..4, 0u32..4), 1..40)) {
            let (labels, clusters): (Vec<u32>, Vec<u32>) = rows.into_iter().unzip();
            let renamed: Vec<u32> = clusters.iter().map(|cluster| 7 - cluster).collect();
            let (one, other) = (Agreement::of(&labels, &clusters), Agreement::of(&labels, &renamed));
            prop_assert!((one.nmi() - other.nmi()).abs() < 1e-9 && (one.ari() - other.ari()).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&one.nmi()) && one.ari() <= 1.0 + 1e-12);
            let swapped = Agreement::of(&clusters, &labels);
            prop_assert!((one.nmi() - swapped.nmi()).abs() < 1e-9 && (one.ari() - swapped.ari()).abs() < 1e-9);
        }
    }
}
