//! Folds of cross-validation.
//!
//! **Definition.** Groups (pages of one registrable domain, or each page for itself) are dealt to k folds so that each class is spread evenly.
//!
//! **Algorithm.** Groups go from the largest to the smallest (ties: in an order drawn from the seed), each to the fold where the squared
//! excess over a fair share, summed over its classes, grows least (ties: the smaller fold).
//!
//! **Cost.** Groups × (k × classes of the group).

use crate::labels::Labels;
use crate::random::Draws;

/// The fold of each page. `groups` numbers the group of each page; without, each page is one.
pub fn folds(labels: &Labels, classes: usize, groups: Option<&[u32]>, k: usize, seed: u64) -> Vec<u32> {
    let pages = labels.len();
    let k = k.max(2);
    let mut members: Vec<Vec<u32>> = match groups {
        None => (0..pages as u32).map(|page| vec![page]).collect(),
        Some(groups) => {
            let mut members = vec![Vec::new(); groups.iter().max().map_or(0, |most| *most as usize + 1)];
            groups.iter().enumerate().for_each(|(page, group)| members[*group as usize].push(page as u32));
            members.retain(|pages| !pages.is_empty());
            members
        }
    };
    Draws::plain(seed).shuffle(&mut members);
    members.sort_by_key(|pages| std::cmp::Reverse(pages.len()));
    let fair: Vec<f64> =
        labels.counts(classes).iter().map(|count| (*count as f64 / k as f64).max(1e-9)).collect();
    let mut held = vec![vec![0.0f64; classes + 1]; k];
    let fair_pages = (pages as f64 / k as f64).max(1e-9);
    let mut fold_of = vec![0; pages];
    for group in members {
        let mut more: Vec<(usize, f64)> = Vec::new();
        let mut classes_of: Vec<u32> =
            group.iter().flat_map(|&page| labels.of(page as usize).iter().copied()).collect();
        classes_of.sort_unstable();
        for run in classes_of.chunk_by(|a, b| a == b) {
            more.push((run[0] as usize, run.len() as f64));
        }
        let growth = |fold: usize| {
            let square =
                |held: f64, more: f64, fair: f64| ((held + more).powi(2) - held.powi(2)) / fair.powi(2);
            let by_class: f64 =
                more.iter().map(|&(class, n)| square(held[fold][class], n, fair[class])).sum();
            by_class + square(held[fold][classes], group.len() as f64, fair_pages)
        };
        let fold = (0..k).min_by(|&a, &b| growth(a).total_cmp(&growth(b)).then(a.cmp(&b))).unwrap_or(0);
        more.iter().for_each(|&(class, n)| held[fold][class] += n);
        held[fold][classes] += group.len() as f64;
        group.iter().for_each(|&page| fold_of[page as usize] = fold as u32);
    }
    fold_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_spread_evenly() {
        let labels = Labels::single((0..103).map(|page| u32::from(page % 4 == 0)));
        let fold_of = folds(&labels, 2, None, 5, 1);
        for class in 0..2 {
            let mut counts = [0; 5];
            (0..103)
                .filter(|&page| labels.first(page) == class)
                .for_each(|page| counts[fold_of[page] as usize] += 1);
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
        }
    }

    #[test]
    fn groups_stay_together() {
        let groups: Vec<u32> = (0..200).map(|page| page / 7).collect();
        let labels = Labels::single((0..200).map(|page| (page / 7) % 3));
        let fold_of = folds(&labels, 3, Some(&groups), 5, 1);
        for page in 1..200 {
            assert!(groups[page] != groups[page - 1] || fold_of[page] == fold_of[page - 1]);
        }
        let mut sizes = [0; 5];
        fold_of.iter().for_each(|fold| sizes[*fold as usize] += 1);
        assert!(sizes.iter().all(|size| (30..=50).contains(size)), "{sizes:?}");
    }
}
