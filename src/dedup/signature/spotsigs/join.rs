//! All pairs of pages whose multisets of signatures resemble each other: the matching of SpotSigs.
//!
//! **Definition.** Every pair whose Jaccard resemblance Σ min / Σ max is at least the threshold. Pages of equal multisets
//! form a group; its representative is its first page, and the pairs of the group are a star (representative and every other
//! member, resemblance 1). Pages without signatures are in no pair.
//!
//! **Algorithm.** Repeated signatures are numbered, so that multisets become sets of the same resemblance. Sets are taken in
//! order of their size; each looks up its rarest signatures in an inverted index of the smaller ones, in which only those of a
//! size that can reach the threshold τ are read (|x| ≥ τ·|y|), and is put into it. Of n signatures only the n − ⌈τn⌉ + 1
//! rarest count: sets that share none of these cannot reach τ.
//!
//! **Cost.** In memory: some 40 bytes a signature. A page is compared with [`MOST_CANDIDATES`] others at most, so that heaps of
//! one template cost their size times that, not its square; pages for which that cut something are counted.
//!
//! **Determinism.** A function of the pages in their order.
//!
//! **Reference.** Theobald, Siddharth, Paepcke, doi:10.1145/1390334.1390431, section 4; the prefixes: Xiao, Wang, Lin, Yu,
//! doi:10.1145/1367497.1367516.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::signature::spotsigs::{SpotSigs, multiset_resemblance};

/// Pages that a page is compared with at most.
pub const MOST_CANDIDATES: usize = 10_000;

/// What is rounded away where a real number is a bound on integers: a bound too low costs a comparison, one too high a pair.
const ROUNDING: f64 = 1e-9;

/// Pairs that resemble each other.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Resembling {
    /// Places of two pages, the first one before the second, and their resemblance, 0 to 1.
    pub pairs: Vec<(u32, u32, f64)>,
    /// Comparisons.
    pub compared: u64,
    /// Pages that were not compared with all candidates, because there were too many.
    pub cut: u64,
}

impl Resembling {
    /// The pairs of resemblance `threshold` or more, from .05 to 1; fewer than 2³² pages.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Resembling, SPOTSIGS_THRESHOLD, SpotSigs};
    /// let of = |text: &str| SpotSigs::of(text, Some("eng"));
    /// let mill = "The mill grinds corn on the river bank and the miller sleeps soundly.";
    /// let pages = [of(mill), of("A painter of the north sold a picture."), of(&format!("Home News\n{mill}\nImprint"))];
    /// assert_eq!(Resembling::of(&pages, SPOTSIGS_THRESHOLD).pairs, [(0, 2, 1.0)]);
    /// ```
    pub fn of(pages: &[SpotSigs], threshold: f64) -> Resembling {
        let threshold = threshold.clamp(0.05, 1.0);
        let mut found = Resembling::default();
        let representatives = found.stars(pages);
        let sets: Vec<Vec<u64>> = representatives.iter().map(|&page| as_set(pages[page].hashes())).collect();
        let mut rarity: HashMap<u64, u32> = HashMap::new();
        sets.iter().flatten().for_each(|&element| *rarity.entry(element).or_default() += 1);
        let mut index: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut seen = vec![u32::MAX; sets.len()];
        for (number, set) in (0u32..).zip(&sets) {
            let least_size = least(threshold, set.len());
            let mut rarest: Vec<(u32, u64)> =
                set.iter().map(|&element| (rarity[&element], element)).collect();
            rarest.sort_unstable();
            rarest.truncate(set.len() + 1 - least_size);
            let page = representatives[number as usize];
            let mut left = MOST_CANDIDATES;
            for &(_, element) in &rarest {
                let holders = index.entry(element).or_default();
                let from = holders.partition_point(|&other| sets[other as usize].len() < least_size);
                for &other in &holders[from..] {
                    if left == 0 || std::mem::replace(&mut seen[other as usize], number) == number {
                        continue;
                    }
                    left -= 1;
                    let other = representatives[other as usize];
                    let resemblance = multiset_resemblance(pages[other].hashes(), pages[page].hashes());
                    if resemblance >= threshold {
                        found.pairs.push((other.min(page) as u32, other.max(page) as u32, resemblance));
                    }
                }
                holders.push(number);
            }
            found.cut += u64::from(left == 0);
            found.compared += (MOST_CANDIDATES - left) as u64;
        }
        found
    }

    /// Takes the pairs of equal pages; returns the first page of each kind, ascending by size.
    fn stars(&mut self, pages: &[SpotSigs]) -> Vec<usize> {
        let mut firsts: HashMap<&[u64], usize> = HashMap::new();
        let mut representatives = Vec::new();
        for (at, page) in pages.iter().enumerate().filter(|(_, page)| !page.is_empty()) {
            let first = *firsts.entry(page.hashes()).or_insert(at);
            if first == at {
                representatives.push(at);
            } else {
                self.pairs.push((first as u32, at as u32, 1.0));
            }
        }
        representatives.sort_by_key(|&page| pages[page].len());
        representatives
    }
}

/// A sorted list with repetitions as a list without: the second 7 is another element than the first.
fn as_set(elements: &[u64]) -> Vec<u64> {
    let groups = elements.chunk_by(|a, b| a == b);
    let numbered = |group: &[u64]| {
        let element = group[0];
        let again =
            (1..group.len() as u64).map(move |nth| xxh3_64(&[element, nth].map(u64::to_le_bytes).concat()));
        std::iter::once(element).chain(again)
    };
    groups.flat_map(numbered).collect()
}

/// The least integer that is `share` of `size` or more, at least 1.
fn least(share: f64, size: usize) -> usize {
    ((share * size as f64 - ROUNDING).ceil() as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn join(pages: &[Vec<u64>], threshold: f64) -> Resembling {
        let pages: Vec<SpotSigs> = pages.iter().cloned().map(SpotSigs::of_hashes).collect();
        let mut found = Resembling::of(&pages, threshold);
        found.pairs.sort_by(|x, y| x.partial_cmp(y).expect("no NaN"));
        found
    }

    /// Stars of equal multisets, and all pairs of their representatives, compared one by one.
    fn by_brute_force(pages: &[Vec<u64>], threshold: f64) -> Vec<(u32, u32, f64)> {
        let pages: Vec<SpotSigs> = pages.iter().cloned().map(SpotSigs::of_hashes).collect();
        let first = |i: usize| pages.iter().position(|other| *other == pages[i]).expect("itself");
        let mut pairs = Vec::new();
        for (i, page) in pages.iter().enumerate().filter(|(_, page)| !page.is_empty()) {
            if first(i) != i {
                pairs.push((first(i) as u32, i as u32, 1.0));
                continue;
            }
            let others = (0..i).filter(|&j| first(j) == j).map(|j| (j as u32, pages[j].resemblance(page)));
            pairs.extend(
                others.filter(|(_, found)| *found >= threshold).map(|(j, found)| (j, i as u32, found)),
            );
        }
        pairs.sort_by(|x, y| x.partial_cmp(y).expect("no NaN"));
        pairs
    }

    #[test]
    fn heaps_cost_their_size() {
        let equal = join(&vec![(0..20).collect(); 100_000], 0.44);
        assert_eq!((equal.pairs.len(), equal.compared, equal.cut), (99_999, 0, 0));
        // Counted, the signature that all have is the last to be looked up, and never reached.
        let own = |i: u64| (0..10).map(move |j| xxh3_64(&(10 * i + j).to_le_bytes()));
        let common = join(&(0..20_000).map(|i| own(i).chain([7]).collect()).collect::<Vec<_>>(), 0.44);
        assert_eq!((common.pairs.len(), common.compared), (0, 0));
        // 9 of 11 signatures are those of a template.
        let template = |i: u64| (0..9).chain([100 + 2 * i, 101 + 2 * i]).collect::<Vec<u64>>();
        let cut = join(&(0..10_100).map(template).collect::<Vec<_>>(), 0.44);
        assert_eq!(cut.cut, 100);
        assert!(cut.pairs.iter().all(|pair| (pair.2 - 9.0 / 13.0).abs() < 1e-12));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn pairs_are_those_of_brute_force(
            pages in prop::collection::vec(prop::collection::vec(0u64..14, 0..14), 0..40),
            threshold in prop_oneof![Just(0.44), Just(0.5), Just(1.0), Just(1.0 / 3.0), 0.05f64..1.0],
        ) {
            prop_assert_eq!(join(&pages, threshold).pairs, by_brute_force(&pages, threshold));
        }
    }
}
