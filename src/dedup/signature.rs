//! One interface for all signatures of a page: text or tree in, 64-bit values out, and how two lists of values compare.
//!
//! | signature | made from | values | similarity | default bound |
//! |---|---|---|---|---|
//! | [`ExactSignature`] | text | the digest, 2 | equal | 1 |
//! | [`SimHashSignature`] | text | 1 | 1 − distance/64 | 6 bits |
//! | [`BandSignature`] | text | hashes of the bands | a band is equal | 1 |
//! | [`ShingleSignature`] | text | a set | resemblance | 0.8 |
//! | [`Semantic`] | text | 1 | equal | 1 |
//! | [`SpotSignature`] | text, language | a multiset | resemblance | 0.44 |
//! | [`StructureSignature`] | tree | a sequence | 2·LCS/(n₁ + n₂) | 0.9 |
//!
//! Others (selected fingerprints of passages) join by implementing [`Signature`]. A page without a signature
//! (no text, no tree) has no value and is similar to nothing.

pub(crate) mod semantic;
pub(crate) mod spotsigs;
pub(crate) mod structure;
pub(crate) mod synonyms;

use webmill_html::Dom;

use crate::bands::BandShape;
use crate::exact::TextDigest;
use crate::fingerprint::{Fingerprint, SHINGLE_WORDS, simhash};
use crate::minhash::text_signer::text_bands;
use crate::shingle::Shingles;
use crate::signature::semantic::Semantic;
use crate::signature::spotsigs::{SPOTSIGS_THRESHOLD, SpotSigs, multiset_resemblance};
use crate::signature::structure::{Structure, token_similarity};

/// What signatures of a page are made from.
#[derive(Copy, Clone, Debug, Default)]
pub struct PageForms<'p> {
    /// Its main text; empty where it has none.
    pub text: &'p str,
    /// The text's language by ISO 639-3, where it is known.
    pub language: Option<&'p str>,
    /// Its tree, where the caller has it.
    pub tree: Option<&'p Dom<'p>>,
}

/// A signature: values of a page, and how alike two pages are by them.
///
/// # Examples
/// ```
/// use webmill_dedup::{PageForms, ShingleSignature, Signature, SimHashSignature};
/// let all: [&dyn Signature; 2] = [&SimHashSignature::default(), &ShingleSignature::default()];
/// let page = PageForms { text: "A rose is a rose is a rose.", ..PageForms::default() };
/// for signature in all {
///     let mut values = Vec::new();
///     signature.values(&page, &mut values);
///     assert_eq!(signature.similarity(&values, &values), 1.0, "{}", signature.name());
///     assert_eq!(signature.similarity(&[], &[]), 0.0);
/// }
/// ```
pub trait Signature: Sync {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// Appends the values of a page; none where it has no such signature.
    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>);

    /// How alike two pages with these values are, 0 to 1; 0 where one has none.
    fn similarity(&self, a: &[u64], b: &[u64]) -> f64;

    /// The similarity from which on two pages are candidates, 0 to 1.
    fn bound(&self) -> f64;
}

/// Equal values, or not.
fn equal(a: &[u64], b: &[u64]) -> f64 {
    f64::from(u8::from(!a.is_empty() && a == b))
}

/// The digest of the normalised text.
#[derive(Copy, Clone, Debug, Default)]
pub struct ExactSignature;

impl Signature for ExactSignature {
    fn name(&self) -> &str {
        "exact"
    }

    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>) {
        if let Some(TextDigest(digest)) = TextDigest::of(page.text) {
            into.extend([(digest >> 64) as u64, digest as u64]);
        }
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        equal(a, b)
    }

    fn bound(&self) -> f64 {
        1.0
    }
}

/// SimHash of the text; candidates differ in at most `k` bits.
#[derive(Copy, Clone, Debug)]
pub struct SimHashSignature {
    /// Greatest distance, 0 to 64 (default 6).
    pub k: u32,
}

impl Default for SimHashSignature {
    fn default() -> Self {
        SimHashSignature { k: 6 }
    }
}

impl Signature for SimHashSignature {
    fn name(&self) -> &str {
        "simhash"
    }

    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>) {
        into.extend(simhash(page.text).map(|fingerprint| fingerprint.0));
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        match (a, b) {
            (&[a], &[b]) => 1.0 - f64::from(Fingerprint(a).distance(Fingerprint(b))) / 64.0,
            _ => 0.0,
        }
    }

    fn bound(&self) -> f64 {
        1.0 - f64::from(self.k.min(64)) / 64.0
    }
}

/// Bands of the text's MinHash sketch; candidates agree in one.
#[derive(Clone, Debug)]
pub struct BandSignature {
    shape: BandShape,
    name: String,
}

impl BandSignature {
    /// Bands of this shape.
    pub fn new(shape: BandShape) -> Self {
        BandSignature { shape, name: format!("bands {shape}") }
    }
}

impl Default for BandSignature {
    fn default() -> Self {
        BandSignature::new(BandShape::default())
    }
}

impl Signature for BandSignature {
    fn name(&self) -> &str {
        &self.name
    }

    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>) {
        if let Some(bands) = text_bands(page.text, &self.shape) {
            into.extend_from_slice(&bands);
        }
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        f64::from(u8::from(a.iter().zip(b).any(|(a, b)| a == b)))
    }

    fn bound(&self) -> f64 {
        1.0
    }
}

/// All shingles of the text: the exact measure that the others estimate.
#[derive(Copy, Clone, Debug)]
pub struct ShingleSignature {
    /// Words of a shingle (default 3).
    pub width: usize,
    /// Least resemblance, 0 to 1 (default 0.8).
    pub bound: f64,
}

impl Default for ShingleSignature {
    fn default() -> Self {
        ShingleSignature { width: SHINGLE_WORDS, bound: 0.8 }
    }
}

impl Signature for ShingleSignature {
    fn name(&self) -> &str {
        "shingles"
    }

    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>) {
        into.extend_from_slice(Shingles::of(page.text, self.width).hashes());
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        multiset_resemblance(a, b)
    }

    fn bound(&self) -> f64 {
        self.bound
    }
}

impl<F: Fn(&str) -> f64 + Sync> Signature for Semantic<'_, F> {
    fn name(&self) -> &str {
        "semantic"
    }

    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>) {
        into.extend(self.fingerprint(page.text));
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        equal(a, b)
    }

    fn bound(&self) -> f64 {
        1.0
    }
}

/// Chains of words behind the stop words of the text.
#[derive(Copy, Clone, Debug)]
pub struct SpotSignature {
    /// Least resemblance, 0 to 1 (default 0.44).
    pub bound: f64,
}

impl Default for SpotSignature {
    fn default() -> Self {
        SpotSignature { bound: SPOTSIGS_THRESHOLD }
    }
}

impl Signature for SpotSignature {
    fn name(&self) -> &str {
        "spotsigs"
    }

    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>) {
        into.extend_from_slice(SpotSigs::of(page.text, page.language).hashes());
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        multiset_resemblance(a, b)
    }

    fn bound(&self) -> f64 {
        self.bound
    }
}

/// The markup of the tree.
#[derive(Copy, Clone, Debug)]
pub struct StructureSignature {
    /// Least similarity, 0 to 1 (default 0.9).
    pub bound: f64,
}

impl Default for StructureSignature {
    fn default() -> Self {
        StructureSignature { bound: 0.9 }
    }
}

impl Signature for StructureSignature {
    fn name(&self) -> &str {
        "structure"
    }

    fn values(&self, page: &PageForms<'_>, into: &mut Vec<u64>) {
        if let Some(tree) = page.tree {
            into.extend_from_slice(Structure::of(tree).tokens());
        }
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        token_similarity(a, b)
    }

    fn bound(&self) -> f64 {
        self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_html::{Limits, parse};

    const TEXT: &str = "The mill on the river grinds the corn of the whole valley, and the miller of the mill is proud of it.";

    fn values(signature: &dyn Signature, page: &PageForms<'_>) -> Vec<u64> {
        let mut values = Vec::new();
        signature.values(page, &mut values);
        values
    }

    #[test]
    fn a_page_is_like_itself_and_an_empty_one_is_like_nothing() {
        let tree = parse("<p>a</p>", &Limits::default());
        let semantic = Semantic::new(|_: &str| 1.0);
        let bands = BandSignature::default();
        let all: [&dyn Signature; 7] = [
            &ExactSignature,
            &bands,
            &SimHashSignature::default(),
            &ShingleSignature::default(),
            &semantic,
            &SpotSignature::default(),
            &StructureSignature::default(),
        ];
        for signature in all {
            let page = PageForms { text: TEXT, language: Some("eng"), tree: Some(&tree) };
            let (full, empty) = (values(signature, &page), values(signature, &PageForms::default()));
            assert!(!full.is_empty() && empty.is_empty(), "{}", signature.name());
            let alike = [(&full, &full), (&full, &empty), (&empty, &empty)]
                .map(|(a, b)| signature.similarity(a, b) >= signature.bound());
            assert_eq!(alike, [true, false, false], "{}", signature.name());
        }
    }

    #[test]
    fn similarities_are_those_of_the_signatures_themselves() {
        let other = TEXT.replace("whole", "entire");
        let (a, b) = (
            PageForms { text: TEXT, ..Default::default() },
            PageForms { text: &other, ..Default::default() },
        );
        let similarity =
            |signature: &dyn Signature| signature.similarity(&values(signature, &a), &values(signature, &b));
        assert_eq!(
            similarity(&ShingleSignature::default()),
            Shingles::of(TEXT, 3).resemblance(&Shingles::of(&other, 3))
        );
        assert_eq!(
            similarity(&SpotSignature::default()),
            SpotSigs::of(TEXT, None).resemblance(&SpotSigs::of(&other, None))
        );
        let distance = simhash(TEXT).zip(simhash(&other)).map(|(x, y)| x.distance(y)).expect("words");
        assert_eq!(similarity(&SimHashSignature::default()), 1.0 - f64::from(distance) / 64.0);
        assert_eq!(similarity(&ExactSignature), 0.0);
    }
}
