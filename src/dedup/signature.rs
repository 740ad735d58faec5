//! Ways to find pages that are alike: what a page is compared by, which pages are compared, and how alike two of them are.
//!
//! **What.** A [`Signature`] is one such way, in a file of its own: word shingles by MinHash bands ([`Bands`]), SimHash
//! ([`SimHash`]), chains of words behind stop words ([`SpotSigs`](crate::SpotSigs)), keywords
//! ([`Semantic`](crate::Semantic)), the markup ([`Structure`](crate::Structure)). Pages that share a *key* are candidates;
//! a candidate is a pair where the similarity of the values reaches the signature's bound.
//!
//! **One more** is a file here, its name in `jobs/dedup/by.rs`, and its kind in table `duplicates`.

pub(crate) mod bands;
pub(crate) mod semantic;
pub(crate) mod simhash;
pub(crate) mod spotsigs;
pub(crate) mod structure;
pub(crate) mod synonyms;

use crate::bands::BandShape;
use crate::minhash::MinHasher;

/// What of a page signatures are made of.
#[derive(Copy, Clone, Debug, Default)]
pub struct PageParts<'a> {
    /// The main text.
    pub text: &'a str,
    /// Its language, ISO 639-3, where that is known.
    pub language: Option<&'a str>,
    /// The tags, as [`Structure::tokens`](crate::Structure::tokens) has them; empty for what is no HTML.
    pub tags: &'a [u64],
}

/// A way to find pages that are alike.
///
/// # Examples
/// ```
/// use webmill_dedup::{PageParts, Signature, SpotSigs, SpotSignature};
/// let by = SpotSignature::default();
/// let values = |text| by.values(&PageParts { text, language: Some("eng"), ..PageParts::default() });
/// let mill = "The mill grinds corn on the river bank and the miller sleeps soundly.";
/// let (a, b) = (values(mill), values(&format!("Home News\n{mill}\nImprint")));
/// assert!(by.similarity(&a, &b) >= by.least() && by.keys(&a).iter().any(|key| by.keys(&b).contains(key)));
/// ```
pub trait Signature: Sync {
    /// Its name in settings and in table `duplicates`.
    fn name(&self) -> &'static str;

    /// Similarity from which two pages are a pair, above 0 to 1.
    fn least(&self) -> f64;

    /// What a page is compared by; empty where it is like no other.
    fn values(&self, page: &PageParts<'_>) -> Vec<u64>;

    /// Pages that have one of these numbers in common are compared; at most 1,024.
    fn keys(&self, values: &[u64]) -> Vec<u64>;

    /// How alike two pages are, 0 to 1.
    fn similarity(&self, a: &[u64], b: &[u64]) -> f64;

    /// Values whose Hamming distance is at most this are candidates too, where the signature is one 64-bit fingerprint.
    fn bits(&self) -> Option<u32> {
        None
    }
}

/// Bands of the MinHash sketch of a set, so that sets whose Jaccard resemblance is at least `least` share one with a
/// probability of .99 or more.
pub(crate) fn set_keys(set: &[u64], least: f64) -> Vec<u64> {
    let shape = BandShape::for_resemblance(least);
    let mut keys = Vec::new();
    if let Some(sketch) = MinHasher::new(shape.values()).sketch(set) {
        shape.hash(&sketch, &mut keys);
    }
    keys
}
