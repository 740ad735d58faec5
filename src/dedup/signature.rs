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
    /// The tags, as [`Structure::tokens`](crate::Structure::tokens) has them; empty for anything that is no HTML.
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

#[cfg(test)]
mod tests {
    use webmill_html::{Limits, parse};
    use xxhash_rust::xxh3::xxh3_64_with_seed;

    use super::*;
    use crate::{Bands, SimHash, SpotSignature, Structure, StructureSignature};

    /// A text of a family: sentences with stop words between words that are its own, some of them changed.
    fn sentences(family: u64, member: u64, changed: u64) -> String {
        let word = |seed: u64, i: u64| format!("w{}", xxh3_64_with_seed(&i.to_le_bytes(), seed) % 9_000);
        let own = |i: u64| xxh3_64_with_seed(&i.to_le_bytes(), member * 7 + 1) % 100 < changed;
        let seed = |i: u64| if own(i) { 1_000 + member } else { family };
        (0..90).map(|i| format!("the {} of a {} ", word(seed(i), i), word(seed(i), i + 500))).collect()
    }

    /// A page whose sections are of some kinds, some of them others than those of its family.
    fn tags(family: u64, member: u64, changed: u64) -> Vec<u64> {
        let kinds = [
            "<p>a</p>",
            "<h2>b</h2><ul><li>c<li>d</ul>",
            "<table><tr><td>e<td>f</table>",
            "<div><p>g</p></div>",
        ];
        let pick = |seed: u64, i: u64| kinds[(xxh3_64_with_seed(&i.to_le_bytes(), seed) % 4) as usize];
        let own = |i: u64| xxh3_64_with_seed(&i.to_le_bytes(), member * 7 + 1) % 100 < changed;
        let html: String = (0..60).map(|i| pick(if own(i) { 1_000 + member } else { family }, i)).collect();
        Structure::of(&parse(&html, &Limits::default())).tokens().to_vec()
    }

    #[test]
    fn pairs_that_reach_the_bound_share_a_key() {
        let (spots, structure) = (SpotSignature::default(), StructureSignature);
        let bands = Bands { shape: BandShape::for_resemblance(0.5), min_resemblance: 0.5 };
        let signatures: [&dyn Signature; 3] = [&bands, &spots, &structure];
        for signature in signatures {
            let pages: Vec<(Vec<u64>, Vec<u64>)> = (0..240u64)
                .map(|member| {
                    let (family, changed) = (member / 6, [0, 4, 8, 12, 18, 25][(member % 6) as usize]);
                    let (text, tags) = (sentences(family, member, changed), tags(family, member, changed));
                    let parts = PageParts { text: &text, language: Some("eng"), tags: &tags };
                    let values = signature.values(&parts);
                    (signature.keys(&values), values)
                })
                .collect();
            let (mut pairs, mut found) = (0, 0);
            for (i, a) in pages.iter().enumerate() {
                for b in &pages[i + 1..] {
                    if signature.similarity(&a.1, &b.1) >= signature.least() {
                        pairs += 1;
                        found += u32::from(a.0.iter().any(|key| b.0.contains(key)));
                    }
                }
            }
            let name = signature.name();
            assert!(pairs > 100 && found * 100 >= pairs * 98, "{name}: {found} of {pairs}");
        }
    }

    #[test]
    fn fingerprints_are_as_alike_as_their_bits() {
        let simhash = SimHash { bits: 3 };
        assert_eq!(simhash.similarity(&[0b1110], &[0b0100]), 1.0 - 2.0 / 64.0);
        assert_eq!(simhash.least(), 1.0 - 3.0 / 64.0);
        assert_eq!(simhash.values(&PageParts::default()), Vec::<u64>::new());
    }
}
