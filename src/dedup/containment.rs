//! How much of each of two texts is in the other, for pairs that are given.
//!
//! **Definition.** With the sets of shingles S(A) and S(B) (see [`Shingles`]): resemblance |S(A) ∩ S(B)| / |S(A) ∪ S(B)|,
//! containment of A in B |S(A) ∩ S(B)| / |S(A)|, and the other way round. All are 0 where the divisor is: texts without
//! words are in no text.
//!
//! **Cost.** Each text of a pair is cut into shingles once a pair, the first one once for all pairs that follow one another
//! with it. Two sets a thread are in memory.
//!
//! **Determinism.** Rows come in the order of the pairs, whatever the threads.
//!
//! **Reference.** Broder, doi:10.1109/SEQUEN.1997.666900.

use rayon::prelude::*;
use webmill_capture::error::Result;

use crate::shingle::Shingles;

/// Shingles of two texts, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    /// Distinct shingles of the first text.
    pub a: usize,
    /// Distinct shingles of the second text.
    pub b: usize,
    /// Shingles that both have.
    pub common: usize,
}

/// Which of two texts is in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contained {
    /// The first in the second.
    First,
    /// The second in the first.
    Second,
    /// Each in the other, as far as the bound asks for.
    Each,
}

impl Overlap {
    /// Counts the shingles of two texts.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{Overlap, Shingles};
    /// let a = Shingles::of("a rose is a rose is a rose", 4);
    /// let b = Shingles::of("a rose is a rose", 4);
    /// let overlap = Overlap::of(&a, &b);
    /// assert_eq!(overlap.resemblance(), 2.0 / 3.0);
    /// assert_eq!((overlap.a_in_b(), overlap.b_in_a()), (2.0 / 3.0, 1.0));
    /// ```
    pub fn of(a: &Shingles, b: &Shingles) -> Self {
        Overlap { a: a.len(), b: b.len(), common: a.common(b) }
    }

    /// The share of the shingles of either that both have, 0 to 1.
    pub fn resemblance(&self) -> f64 {
        share(self.common, self.a + self.b - self.common)
    }

    /// The share of the first text's shingles that the second has, 0 to 1.
    pub fn a_in_b(&self) -> f64 {
        share(self.common, self.a)
    }

    /// The share of the second text's shingles that the first has, 0 to 1.
    pub fn b_in_a(&self) -> f64 {
        share(self.common, self.b)
    }

    /// Which text is in the other: its containment is at least `contained` (0.8 is usual), and the two resemble each
    /// other less than `near`, from where on they are near-duplicates and not one in the other.
    pub fn contained(&self, near: f64, contained: f64) -> Option<Contained> {
        if self.common == 0 || self.resemblance() >= near {
            return None;
        }
        match (self.a_in_b() >= contained, self.b_in_a() >= contained) {
            (true, true) => Some(Contained::Each),
            (true, false) => Some(Contained::First),
            (false, true) => Some(Contained::Second),
            (false, false) => None,
        }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Pairs counted by all threads before their rows are given on.
const BATCH: usize = 4096;

/// Calls `each` with every pair and its overlap, in the order of the pairs. `shingles` gives the set of a page; pairs
/// with the same first page should follow one another.
///
/// # Errors
/// Those of `pairs`, `shingles` and `each`; the first one ends it.
pub fn overlaps(
    pairs: impl IntoIterator<Item = Result<(u32, u32)>>,
    shingles: impl Fn(u32) -> Result<Shingles> + Sync,
    mut each: impl FnMut(u32, u32, Overlap) -> Result<()>,
) -> Result<()> {
    let mut pairs = pairs.into_iter();
    loop {
        let batch: Vec<(u32, u32)> = pairs.by_ref().take(BATCH).collect::<Result<_>>()?;
        if batch.is_empty() {
            return Ok(());
        }
        let groups: Vec<&[(u32, u32)]> = batch.chunk_by(|x, y| x.0 == y.0).collect();
        let found: Vec<Vec<Overlap>> = groups
            .par_iter()
            .map(|group| {
                let a = shingles(group[0].0)?;
                group.iter().map(|&(_, b)| Ok(Overlap::of(&a, &shingles(b)?))).collect()
            })
            .collect::<Result<_>>()?;
        for (&(a, b), overlap) in batch.iter().zip(found.into_iter().flatten()) {
            each(a, b, overlap)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use webmill_capture::error::Error;

    fn of(a: &str, b: &str, width: usize) -> Overlap {
        Overlap::of(&Shingles::of(a, width), &Shingles::of(b, width))
    }

    #[test]
    fn the_vectors_of_the_rose() {
        let (a, b) = ("a rose is a rose is a rose", "a rose is a rose");
        assert_eq!(of(a, b, 4), Overlap { a: 3, b: 2, common: 2 });
        assert_eq!(of(a, b, 4).resemblance(), 2.0 / 3.0);
        assert_eq!((of(a, b, 4).a_in_b(), of(a, b, 4).b_in_a()), (2.0 / 3.0, 1.0));
    }

    #[test]
    fn texts_without_words_are_in_no_text() {
        for (a, b) in [("", ""), ("", "one two"), ("…", "one"), ("one", "")] {
            let overlap = of(a, b, 3);
            assert_eq!(
                (overlap.resemblance(), overlap.a_in_b(), overlap.b_in_a()),
                (0.0, 0.0, 0.0),
                "{a:?} {b:?}"
            );
            assert_eq!(overlap.contained(0.5, 0.0), None);
        }
    }

    #[test]
    fn contained_is_what_is_not_near() {
        for (overlap, expected) in [
            (Overlap { a: 10, b: 100, common: 9 }, Some(Contained::First)),
            (Overlap { a: 100, b: 10, common: 8 }, Some(Contained::Second)),
            (Overlap { a: 10, b: 10, common: 8 }, Some(Contained::Each)),
            (Overlap { a: 10, b: 10, common: 9 }, None),
            (Overlap { a: 10, b: 100, common: 7 }, None),
        ] {
            assert_eq!(overlap.contained(0.8, 0.8), expected, "{overlap:?}");
        }
    }

    #[test]
    fn pairs_come_in_their_order_and_the_first_error_ends_it() {
        let text = |page: u32| (page..page + 20).map(|i| format!("w{i} ")).collect::<String>();
        let pairs: Vec<(u32, u32)> = (0..3000).flat_map(|a| [(a, a + 1), (a, a + 3)]).collect();
        let mut found = Vec::new();
        let shingles = |page| Ok(Shingles::of(&text(page), 3));
        overlaps(pairs.iter().copied().map(Ok), shingles, |a, b, overlap| {
            assert_eq!(overlap.common, 18 - (b - a) as usize);
            found.push((a, b));
            Ok(())
        })
        .unwrap();
        assert_eq!(found, pairs);
        let failing = |page| match page {
            7 => Err(Error::Internal("page 7".to_owned())),
            _ => shingles(page),
        };
        let end = overlaps(pairs.into_iter().map(Ok), failing, |_, _, _| Ok(()));
        assert!(matches!(end, Err(Error::Internal(_))));
    }

    proptest! {
        #[test]
        fn shares_agree_with_each_other(a in "([a-d] ){0,40}", b in "([a-d] ){0,40}", width in 1usize..5) {
            let (there, back) = (of(&a, &b, width), of(&b, &a, width));
            prop_assert_eq!(there.resemblance(), back.resemblance());
            prop_assert_eq!(there.a_in_b(), back.b_in_a());
            prop_assert!(there.resemblance() <= there.a_in_b().min(there.b_in_a()));
            prop_assert!(there.a_in_b() <= 1.0);
        }
    }
}
