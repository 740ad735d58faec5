//! How much of each of two texts is in the other, for pairs that are given.
//!
//! **Definition.** With the sets of shingles S(A) and S(B) (see [`Shingles`]): resemblance |S(A) ∩ S(B)| / |S(A) ∪ S(B)|,
//! containment of A in B |S(A) ∩ S(B)| / |S(A)|, and the other way round. All are 0 where the divisor is: texts without
//! words are in no text.
//!
//! **Reference.** Broder, doi:10.1109/SEQUEN.1997.666900.

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

    /// The same, if both have at least the share `least`, 0 to 1, of the shingles of the text with fewer: soon after they cannot any
    /// more, the search ends.
    pub fn from(a: &Shingles, b: &Shingles, least: f64) -> Option<Self> {
        // Rounded down: what is a little less is given too.
        let least = (least * a.len().min(b.len()) as f64) as usize;
        let common = Shingles::common_hashes(a.hashes(), b.hashes(), least)?;
        Some(Overlap { a: a.len(), b: b.len(), common })
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

    /// Whether one of the texts is in the other to this share at least, and the two are not near.
    pub fn contained(&self, near: f64, contained: f64) -> bool {
        self.common > 0 && self.resemblance() < near && self.a_in_b().max(self.b_in_a()) >= contained
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            assert!(!overlap.contained(0.5, 0.0));
        }
    }

    #[test]
    fn contained_is_what_is_not_near() {
        for (overlap, expected) in [
            (Overlap { a: 10, b: 100, common: 9 }, true),
            (Overlap { a: 100, b: 10, common: 8 }, true),
            (Overlap { a: 10, b: 10, common: 8 }, true),
            (Overlap { a: 10, b: 10, common: 9 }, false),
            (Overlap { a: 10, b: 100, common: 7 }, false),
        ] {
            assert_eq!(overlap.contained(0.8, 0.8), expected, "{overlap:?}");
        }
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

        /// Of a text of 16 times as many shingles, those of the other are searched for one by one.
        #[test]
        fn what_is_near_or_contained_is_never_left_out(
            a in "([a-d] ){0,40}", b in "([a-d] ){0,40}", tail in 0..900usize, near in 0.0..=1.0f64, contained in 0.0..=1.0f64,
        ) {
            let b = (0..tail).fold(b, |text, word| format!("{text} w{word}"));
            let whole = of(&a, &b, 2);
            let found = Overlap::from(&Shingles::of(&a, 2), &Shingles::of(&b, 2), near.min(contained));
            let is_sought = whole.resemblance() >= near || whole.contained(near, contained);
            prop_assert!(found == Some(whole) || found.is_none() && !is_sought, "{whole:?}");
        }
    }
}
