//! Pages whose text is mostly in another page that is kept, or near it.
//!
//! **Definition.** Pages are in a total order: more distinct shingles first, then the smaller key. A pair says that the
//! later page's text is contained in the earlier one's, or both are near. Going through the pages in this order, one is dropped where a page
//! that holds its text was not dropped before. So of a pair never both go for each other's sake, there are no cycles, and
//! what a dropped page is contained in stays.
//!
//! **Algorithm.** Pairs with a page that is dropped as a copy are taken out by two joins. What is left is sorted by the
//! contained page, which numbers the pages that may go; a third join says of the other side which number it has. Then one
//! pass with a bit a number decides.
//!
//! **Cost.** Five external sorts of 48 bytes a pair; one bit a page that is contained in another one.

use std::path::Path;

use webmill_capture::Result;
use webmill_sort::{Budget, Sorted, Sorter};

use super::spool::{Spool, halves, join};

/// A pair: the text of one page is mostly in that of the other.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// Key and distinct shingles of one page.
    pub a: (u128, u32),
    /// Those of the other.
    pub b: (u128, u32),
}

/// Where the number of a page stands of which no pair says that another one holds it.
const NONE: u64 = u64::MAX;

/// Collects pairs.
pub struct Contained<'a> {
    budget: &'a Budget,
    pairs: Sorter<[u64; 6]>,
}

impl<'a> Contained<'a> {
    /// None so far; `budget` is for one sort, of which two live at a time.
    pub fn new(budget: &'a Budget) -> Self {
        Contained { budget, pairs: Sorter::new(budget) }
    }

    /// Takes a pair. The page that comes later in the order is the one that may go.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn push(&mut self, pair: Pair) -> Result<()> {
        let order = |(key, shingles): (u128, u32)| (u32::MAX - shingles, key);
        let (outer, inner) = if order(pair.a) < order(pair.b) { (pair.a, pair.b) } else { (pair.b, pair.a) };
        if outer.0 == inner.0 {
            return Ok(());
        }
        let ([i0, i1], [o0, o1]) = (halves(inner.0), halves(outer.0));
        self.pairs.push([i0, i1, o0, o1, u64::from(u32::MAX - inner.1), u64::from(u32::MAX - outer.1)])
    }

    /// Who goes, and the page that stays instead: rows of two keys, by the first. `gone` are the pages that are dropped as
    /// copies, in ascending order of keys.
    ///
    /// # Errors
    /// Where the disk refuses.
    pub fn decide(self, gone: &mut Spool<4>, folder: &Path) -> Result<Spool<4>> {
        let budget = self.budget;
        let mut by_outer = Sorter::<[u64; 6]>::new(budget);
        join::<2, 6, 4>(self.pairs.finish()?, gone.rows()?, |row, copy| match copy {
            Some(_) => Ok(()),
            None => by_outer.push([row[2], row[3], row[0], row[1], row[5], row[4]]),
        })?;
        let mut by_inner = Sorter::<[u64; 6]>::new(budget);
        join::<2, 6, 4>(by_outer.finish()?, gone.rows()?, |row, copy| match copy {
            Some(_) => Ok(()),
            None => by_inner.push([row[5], row[2], row[3], row[4], row[0], row[1]]),
        })?;
        let (numbered, count) = number(by_inner.finish()?, budget, folder)?;
        let mut dropped = vec![0u64; count.div_ceil(64) as usize];
        let mut found = Sorter::<[u64; 4]>::new(budget);
        let mut last = None;
        for row in numbered {
            let [inner, outer, keys @ ..] = row?;
            let stays = outer == NONE || dropped[(outer / 64) as usize] >> (outer % 64) & 1 == 0;
            if stays && last != Some(inner) {
                dropped[(inner / 64) as usize] |= 1 << (inner % 64);
                last = Some(inner);
                found.push(keys)?;
            }
        }
        let mut spool = Spool::new(folder)?;
        for row in found.finish()? {
            spool.push(row?)?;
        }
        Ok(spool)
    }
}

/// Numbers the contained pages in their order: rows of the number of a pair's inner page, that of its outer page or
/// [`NONE`], and both keys. Returns the count of numbers, too.
fn number(pairs: Sorted<[u64; 6]>, budget: &Budget, folder: &Path) -> Result<(Sorted<[u64; 6]>, u64)> {
    let mut order = Spool::<4>::new(folder)?;
    let mut by_outer = Sorter::<[u64; 6]>::new(budget);
    let mut last = None;
    for row in pairs {
        let row = row?;
        if last != Some([row[0], row[1], row[2]]) {
            last = Some([row[0], row[1], row[2]]);
            order.push([row[0], row[1], row[2], order.count()])?;
        }
        by_outer.push([row[3], row[4], row[5], order.count() - 1, row[1], row[2]])?;
    }
    let mut numbered = Sorter::<[u64; 6]>::new(budget);
    join::<3, 6, 4>(by_outer.finish()?, order.rows()?, |row, found| {
        let outer = found.map_or(NONE, |found| found[3]);
        numbered.push([row[3], outer, row[4], row[5], row[1], row[2]])
    })?;
    Ok((numbered.finish()?, order.count()))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::super::spool::whole;
    use super::*;

    fn decide(pairs: &[Pair], gone: &BTreeSet<u128>, memory: usize) -> BTreeMap<u128, u128> {
        let folder = tempfile::tempdir().unwrap();
        let budget = Budget::new(memory).in_dir(folder.path());
        let mut copies = Spool::new(folder.path()).unwrap();
        for key in gone {
            copies.push([halves(*key)[0], halves(*key)[1], 0, 0]).unwrap();
        }
        let mut contained = Contained::new(&budget);
        pairs.iter().for_each(|pair| contained.push(*pair).unwrap());
        let mut rows = contained.decide(&mut copies, folder.path()).unwrap();
        rows.rows().unwrap().map(|row| row.map(|r| (whole(r[0], r[1]), whole(r[2], r[3]))).unwrap()).collect()
    }

    #[test]
    fn the_smaller_text_goes_and_a_chain_keeps_every_second() {
        let page = |key: u128| (key, 1000 - key as u32);
        let pair = |a, b| Pair { a: page(a), b: page(b) };
        // 2 in 1, 3 in 2 only: 3 stays, because what holds it goes.
        let found = decide(&[pair(2, 1), pair(2, 3), pair(4, 3)], &BTreeSet::new(), 1 << 16);
        assert_eq!(found, BTreeMap::from([(2, 1), (4, 3)]));
        // A page that goes as a copy holds nothing.
        let found = decide(&[pair(2, 1), pair(2, 3)], &BTreeSet::from([1]), 1 << 16);
        assert_eq!(found, BTreeMap::from([(3, 2)]));
        // Equal lengths: the smaller key stays; a page is not contained in itself.
        let even = Pair { a: (9, 5), b: (7, 5) };
        assert_eq!(
            decide(&[even, Pair { a: (7, 5), b: (7, 5) }], &BTreeSet::new(), 1 << 16),
            [(9, 7)].into()
        );
    }

    proptest! {
        #[test]
        fn what_goes_is_in_something_that_stays(
            edges in proptest::collection::vec((0u128..30, 0u128..30), 0..120),
            sizes in proptest::collection::vec(1u32..6, 30),
            gone in proptest::collection::btree_set(0u128..30, 0..6),
        ) {
            let pair = |(a, b): (u128, u128)| Pair { a: (a, sizes[a as usize]), b: (b, sizes[b as usize]) };
            let pairs: Vec<Pair> = edges.iter().copied().map(pair).collect();
            let found = decide(&pairs, &gone, 1 << 16);
            for (inner, outer) in &found {
                prop_assert!(!found.contains_key(outer) && !gone.contains(outer) && !gone.contains(inner));
            }
            // Nothing that could go stays: of a pair of pages that both stay, none holds the other.
            for (a, b) in edges.iter().filter(|(a, b)| a != b) {
                let out = |key: &u128| found.contains_key(key) || gone.contains(key);
                prop_assert!(out(a) || out(b), "{a} and {b} both stay");
            }
            let turned: Vec<Pair> = edges.iter().rev().map(|(a, b)| pair((*b, *a))).collect();
            prop_assert_eq!(found, decide(&turned, &gone, 1 << 10));
        }
    }
}
