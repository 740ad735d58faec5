//! What decides whether a page joins a cluster: a measured similarity, never the fingerprint join alone.
//!
//! SimHash pairs are candidates: at web scale about half of them are no near-duplicates. [`ShingleVerifier`] loads both texts
//! and takes the resemblance of their shingles; [`WithinDistance`] trusts the fingerprints, for callers that have no
//! texts; a closure decides as it likes.

use std::collections::HashMap;

use webmill_capture::error::Result;

use crate::fingerprint::Fingerprint;
use crate::shingle::Shingles;

/// Decides whether two pages are near-duplicates.
///
/// Answers must depend on the two pages alone: they are asked for in parallel.
pub trait Verify: Sync {
    /// What is kept while one component of candidates is clustered.
    type Loaded;

    /// Prepares for questions about `pages`, the pages of one component (ascending).
    ///
    /// # Errors
    /// Whatever reading them may meet; it ends the clustering.
    fn load(&self, pages: &[u32]) -> Result<Self::Loaded>;

    /// The similarity, 0 to 1, of a page and a representative that is within the bound; `None` if it is not.
    ///
    /// # Errors
    /// As [`load`](Verify::load).
    fn similarity(&self, loaded: &Self::Loaded, page: u32, representative: u32) -> Result<Option<f64>>;
}

impl<F: Fn(u32, u32) -> Result<Option<f64>> + Sync> Verify for F {
    type Loaded = ();

    fn load(&self, _: &[u32]) -> Result<()> {
        Ok(())
    }

    fn similarity(&self, (): &(), page: u32, representative: u32) -> Result<Option<f64>> {
        self(page, representative)
    }
}

/// Pages whose shingles resemble each other at least so much.
///
/// # Examples
/// ```
/// use webmill_dedup::{Clusterer, Pair, ShingleVerifier, Shingles};
/// let texts = ["one two three four five", "one two three four six", "seven eight nine ten eleven"];
/// let shingles = |page: u32| Ok(Shingles::of(texts[page as usize], 2));
/// let verify = ShingleVerifier { shingles, bound: 0.5, most_loaded: 1000 };
/// let candidates = [Pair { a: 0, b: 1, distance: 3 }, Pair { a: 0, b: 2, distance: 3 }];
/// let clusters = Clusterer::default().cluster(3, &[], &candidates, &verify)?;
/// assert_eq!(clusters.members[1].similarity, 0.6);
/// assert_eq!(clusters.members[2].representative, 2);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShingleVerifier<F> {
    /// Gives the shingles of a page.
    pub shingles: F,
    /// Least resemblance, 0 to 1.
    pub bound: f64,
    /// Components of more pages are not kept in memory: their texts are loaded for each question anew.
    pub most_loaded: usize,
}

impl<F: Fn(u32) -> Result<Shingles> + Sync> Verify for ShingleVerifier<F> {
    type Loaded = HashMap<u32, Shingles>;

    fn load(&self, pages: &[u32]) -> Result<Self::Loaded> {
        if pages.len() > self.most_loaded {
            return Ok(HashMap::new());
        }
        pages.iter().map(|&page| Ok((page, (self.shingles)(page)?))).collect()
    }

    fn similarity(&self, loaded: &Self::Loaded, page: u32, representative: u32) -> Result<Option<f64>> {
        let resemblance = match (loaded.get(&page), loaded.get(&representative)) {
            (Some(a), Some(b)) => a.resemblance(b),
            _ => (self.shingles)(page)?.resemblance(&(self.shingles)(representative)?),
        };
        Ok((resemblance >= self.bound).then_some(resemblance))
    }
}

/// Pages whose fingerprints differ in at most `k` bits; similarity is the share of equal bits.
///
/// # Examples
/// ```
/// use webmill_dedup::{Clusterer, Fingerprint, WithinDistance, pairs_within};
/// let fingerprints = [Fingerprint(0), Fingerprint(0b11), Fingerprint(u64::MAX)];
/// let candidates = pairs_within(&fingerprints, 3)?;
/// let known = fingerprints.map(Some);
/// let verify = WithinDistance { fingerprints: &known, k: 3 };
/// let clusters = Clusterer::default().cluster(3, &[], &candidates, &verify)?;
/// assert_eq!(clusters.members[1].representative, 0);
/// assert_eq!(clusters.members[1].similarity, 62.0 / 64.0);
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WithinDistance<'a> {
    /// Fingerprint of each page.
    pub fingerprints: &'a [Option<Fingerprint>],
    /// Greatest Hamming distance.
    pub k: u32,
}

impl Verify for WithinDistance<'_> {
    type Loaded = ();

    fn load(&self, _: &[u32]) -> Result<()> {
        Ok(())
    }

    fn similarity(&self, (): &(), page: u32, representative: u32) -> Result<Option<f64>> {
        let of = |page: u32| self.fingerprints.get(page as usize).copied().flatten();
        let distance = of(page).zip(of(representative)).map(|(a, b)| a.distance(b));
        Ok(distance.filter(|&d| d <= self.k).map(|d| 1.0 - f64::from(d) / 64.0))
    }
}
