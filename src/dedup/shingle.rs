//! Shingles: how much of two texts is the same.
//!
//! **Definition.** `S(A)` is the set of the sequences of `w` consecutive words of a text (of all its words, if they are fewer).
//! Resemblance is that of [`Overlap`], which has containment too.
//! Words are compared as SimHash compares them.
//!
//! **Algorithm.** A shingle is represented by its 64-bit hash; sets are sorted arrays, intersected by merging (or, where
//! one is much smaller, by searching).
//!
//! **Cost.** Linear after one sort; 8 bytes a distinct shingle. Exact but for collisions of the hash, which two texts of
//! 10,000 words meet once in 10¹¹ pairs.
//!
//! **Reference.** Broder, doi:10.1109/SEQUEN.1997.666900.

use std::cell::Cell;

use webmill_text::words;

use crate::containment::Overlap;
use crate::fingerprint::ShingleHasher;

/// Hashes of the longest text whose memory is kept: 512 KiB a thread.
const MAX_KEPT: usize = 1 << 16;

thread_local! {
    /// Memory for the hashes of a text before they are a set.
    static HASHES: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// The set of shingles of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Shingles {
    hashes: Box<[u64]>,
}

impl Shingles {
    /// The shingles of `width` words of `text` (0 is taken as 1).
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::Shingles;
    /// let rose = Shingles::of("a rose is a rose is a rose", 4);
    /// assert_eq!(rose.len(), 3);
    /// assert_eq!(rose.resemblance(&Shingles::of("A rose is a rose.", 4)), 2.0 / 3.0);
    /// ```
    pub fn of(text: &str, width: usize) -> Self {
        let mut hasher = ShingleHasher::new(width);
        let mut hashes = HASHES.take();
        words(text, |word| hashes.extend(hasher.word(word)));
        hashes.extend(hasher.remainder());
        let shingles = Self::of_hashes(&mut hashes);
        if hashes.capacity() <= MAX_KEPT {
            hashes.clear();
            HASHES.set(hashes);
        }
        shingles
    }

    /// The set of the given words' shingles, for texts that are segmented already.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::Shingles;
    /// assert_eq!(Shingles::of_words(["Web", "mill"], 2), Shingles::of("web mill", 2));
    /// ```
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>, width: usize) -> Self {
        let mut hasher = ShingleHasher::new(width);
        let mut hashes: Vec<u64> = words.into_iter().filter_map(|word| hasher.word(word)).collect();
        hashes.extend(hasher.remainder());
        Self::of_hashes(&mut hashes)
    }

    fn of_hashes(hashes: &mut Vec<u64>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        Shingles { hashes: hashes.as_slice().into() }
    }

    /// Distinct shingles.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether the text had no word.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Hashes of the shingles, ascending.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Shingles that both have.
    pub fn common(&self, other: &Self) -> usize {
        Self::common_hashes(&self.hashes, &other.hashes, 0).unwrap_or_default()
    }

    /// How many hashes two sets, each ascending and without repetition, have in common, if that is at least `least`:
    /// where it cannot be any more, the sets are not read further.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::Shingles;
    /// assert_eq!(Shingles::common_hashes(&[1, 3, 5], &[3, 4, 5], 2), Some(2));
    /// assert_eq!(Shingles::common_hashes(&[1, 3, 5], &[3, 4, 5], 3), None);
    /// ```
    pub fn common_hashes(a: &[u64], b: &[u64], least: usize) -> Option<usize> {
        let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        if small.len() < least {
            return None;
        }
        if small.len() * 16 < large.len() {
            let mut common = 0;
            for (at, hash) in small.iter().enumerate() {
                if common + small.len() - at < least {
                    return None;
                }
                common += usize::from(large.binary_search(hash).is_ok());
            }
            return (common >= least).then_some(common);
        }
        let (mut i, mut j, mut common) = (0, 0, 0);
        while i < small.len() && j < large.len() {
            // This number of steps ends before either set does, and needs no other check.
            let steps = (small.len() - i).min(large.len() - j).min(64);
            for _ in 0..steps {
                let (x, y) = (small[i], large[j]);
                common += usize::from(x == y);
                i += usize::from(x <= y);
                j += usize::from(y <= x);
            }
            if common + (small.len() - i).min(large.len() - j) < least {
                return None;
            }
        }
        (common >= least).then_some(common)
    }

    /// Resemblance, 0 to 1: the share of shingles of either that both have.
    pub fn resemblance(&self, other: &Self) -> f64 {
        Overlap::of(self, other).resemblance()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn ratio(part: usize, whole: usize) -> f64 {
        if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
    }

    fn of(text: &str, width: usize) -> Shingles {
        Shingles::of_words(text.split_whitespace(), width)
    }

    #[test]
    fn known_sets() {
        for (text, width, distinct) in [
            ("a rose is a rose is a rose", 4, 3),
            ("a rose is a rose is a rose", 1, 3),
            ("a rose is a rose is a rose", 8, 1),
            ("a rose is a rose is a rose", 9, 1),
            ("", 4, 0),
            ("one", 0, 1),
        ] {
            assert_eq!(of(text, width).len(), distinct, "{text:?}, {width}");
        }
    }

    #[test]
    fn empty_texts_resemble_nothing() {
        let (empty, one) = (of("", 3), of("one", 3));
        assert_eq!(
            (empty.resemblance(&empty), Overlap::of(&empty, &one).a_in_b(), one.resemblance(&empty)),
            (0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn a_part_is_contained_in_the_whole() {
        let whole: Vec<String> = (0..2000).map(|i| format!("w{i}")).collect();
        let part = of(&whole[100..150].join(" "), 3);
        let whole = of(&whole.join(" "), 3);
        let overlap = Overlap::of(&part, &whole);
        assert_eq!((overlap.a_in_b(), overlap.common, whole.common(&part)), (1.0, 48, 48));
        assert_eq!(overlap.b_in_a(), 48.0 / 1998.0);
    }

    proptest! {
        #[test]
        fn are_what_the_sets_say(a in "([a-d] ){0,40}", b in "([a-d] ){0,40}", width in 1usize..5) {
            let set = |text: &str| -> HashSet<Vec<String>> {
                let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
                let width = width.min(words.len()).max(1);
                words.windows(width).map(<[String]>::to_vec).collect()
            };
            let (x, y) = (set(&a), set(&b));
            let (p, q) = (of(&a, width), of(&b, width));
            prop_assert_eq!(p.resemblance(&q), ratio(x.intersection(&y).count(), x.union(&y).count()));
            prop_assert_eq!(Overlap::of(&p, &q).a_in_b(), ratio(x.intersection(&y).count(), x.len()));
            prop_assert_eq!(p.resemblance(&q), q.resemblance(&p));
            let common = x.intersection(&y).count();
            for least in 0..common + 3 {
                let found = Shingles::common_hashes(p.hashes(), q.hashes(), least);
                prop_assert_eq!(found, (common >= least).then_some(common));
            }
        }
    }
}
