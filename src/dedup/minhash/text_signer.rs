//! SimHash and MinHash bands of a text in one pass over its words.
//!
//! **What.** Words are hashed once; a shingle's hash goes to the counters of SimHash and to the sketch. Where the bands are
//! over shingles of another width than SimHash's, these are hashed beside, from the same hashes of words.
//!
//! **Texts without bands.** A text needs two different words. One of a single word, once or a thousand times, has one
//! shingle whatever it says beside: it would be a duplicate of all others with that word, and is none of any.
//! Its SimHash it has. Copies of such a text are found as copies, by `TextDigest`.
//!
//! **Cost.** To SimHash a few operations a shingle are added, and some microseconds a text; 1 KiB, and 8 bytes a shingle
//! for the first few hundred of them.
//!
//! **Determinism.** A function of the words alone.

use webmill_text::words;

use crate::bands::BandShape;
use crate::fingerprint::{Fingerprint, SHINGLE_WORDS, ShingleHasher, SimHasher};
use crate::minhash::{MinHasher, Sketch};

/// What one pass over the words of a text gives.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signatures {
    /// SimHash over 3-word shingles; `None` for a text without words.
    pub simhash: Option<Fingerprint>,
    /// Hashes of the bands; `None` for a text without two different words.
    pub bands: Option<Box<[u64]>>,
}

/// Makes the [`Signatures`] of texts, word by word; it can be used again and again.
///
/// # Examples
/// ```
/// use webmill_dedup::{BandShape, TextSigner, simhash};
/// let text = "the mill grinds slowly but finely";
/// let mut signer = TextSigner::new(&BandShape::default());
/// text.split(' ').for_each(|word| signer.word(word));
/// let signatures = signer.finish();
/// assert_eq!(signatures.simhash, simhash(text));
/// assert_eq!(signatures.bands.map(|bands| bands.len()), Some(21));
/// ```
#[derive(Clone, Debug)]
pub struct TextSigner {
    shape: BandShape,
    simhash: SimHasher,
    /// Shingles of the bands, where they are others than those of SimHash.
    shingles: Option<ShingleHasher>,
    sketch: MinHasher,
    /// Hash of the first word.
    first: Option<u64>,
    /// A word differed from the first.
    various: bool,
}

impl TextSigner {
    /// Signatures with bands of this shape.
    pub fn new(shape: &BandShape) -> Self {
        let width = shape.words as usize;
        TextSigner {
            shape: *shape,
            simhash: SimHasher::default(),
            shingles: (width != SHINGLE_WORDS).then(|| ShingleHasher::new(width)),
            sketch: MinHasher::new(shape.values()),
            first: None,
            various: false,
        }
    }

    /// Adds the next word of the text.
    #[inline]
    pub fn word(&mut self, word: &str) {
        let (hash, shared) = self.simhash.hashed(word);
        self.various |= *self.first.get_or_insert(hash) != hash;
        let shingle = match &mut self.shingles {
            None => shared,
            Some(shingles) => shingles.hashed(hash),
        };
        if let Some(shingle) = shingle {
            self.sketch.add(shingle);
        }
    }

    /// The signatures of the words since the last call.
    pub fn finish(&mut self) -> Signatures {
        let (simhash, sketch) = self.finish_sketch();
        let bands = sketch.map(|sketch| {
            let mut bands = Vec::with_capacity(self.shape.bands as usize);
            self.shape.hash(&sketch, &mut bands);
            bands.into()
        });
        Signatures { simhash, bands }
    }

    /// SimHash and the sketch itself, for callers that estimate resemblances.
    pub fn finish_sketch(&mut self) -> (Option<Fingerprint>, Option<Sketch>) {
        let rest = match &mut self.shingles {
            None => self.simhash.remainder(),
            Some(shingles) => {
                let rest = shingles.remainder();
                *shingles = ShingleHasher::new(self.shape.words as usize);
                rest
            }
        };
        if let Some(shingle) = rest {
            self.sketch.add(shingle);
        }
        let sketch = self.sketch.finish().filter(|_| self.various);
        (self.first, self.various) = (None, false);
        (std::mem::take(&mut self.simhash).finish(), sketch)
    }
}

/// Hashes of the bands of a text; `None` for a text without two different words.
///
/// # Examples
/// ```
/// use webmill_dedup::{BandShape, text_bands};
/// let shape = BandShape::default();
/// assert_eq!(text_bands("A rose is a rose.", &shape), text_bands("a rose is a ROSE", &shape));
/// assert_eq!(text_bands("Home", &shape), None);
/// ```
pub fn text_bands(text: &str, shape: &BandShape) -> Option<Box<[u64]>> {
    let mut signer = TextSigner::new(shape);
    words(text, |word| signer.word(word));
    signer.finish().bands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shingles, simhash};
    use proptest::prelude::*;

    #[test]
    fn texts_without_two_different_words_have_no_bands() {
        for shape in BandShape::NAMED.map(|(_, shape)| shape) {
            for text in ["", "  ", "…", "home", "Home HOME home", "买", &"buy ".repeat(10_000)] {
                assert_eq!(text_bands(text, &shape), None, "{text:?}");
            }
            for text in ["home page", "buy buy now", "a b"] {
                assert_eq!(text_bands(text, &shape).map(|bands| bands.len()), Some(shape.bands as usize));
            }
        }
        assert_ne!(
            text_bands("one two", &BandShape::default()),
            text_bands("two one", &BandShape::default())
        );
    }

    #[test]
    fn one_changed_word_of_a_short_text_leaves_a_band() {
        let words: Vec<String> = (0..120).map(|i| format!("w{i}")).collect();
        let text = words.join(" ");
        let shape = BandShape::default();
        let whole = text_bands(&text, &shape).unwrap();
        for changed in 0..120 {
            let mut words = words.clone();
            words[changed] = "other".into();
            let bands = text_bands(&words.join(" "), &shape).unwrap();
            assert!(bands.iter().zip(&whole).any(|(a, b)| a == b), "{changed}");
        }
    }

    proptest! {
        #[test]
        fn are_those_of_the_shingles(
            texts in prop::collection::vec(prop::collection::vec("[a-cA-C]{1,2}", 0..60), 1..4),
            words in 1u32..6,
        ) {
            let shape = BandShape { bands: 4, rows: 2, words };
            let mut signer = TextSigner::new(&shape);
            for text in texts {
                text.iter().for_each(|word| signer.word(word));
                let shingles = Shingles::of_words(text.iter().map(String::as_str), words as usize);
                let expected = MinHasher::new(8).sketch(shingles.hashes());
                let various = text.iter().any(|word| !word.eq_ignore_ascii_case(&text[0]));
                let (print, sketch) = signer.finish_sketch();
                prop_assert_eq!(print, simhash(&text.join(" ")));
                prop_assert_eq!(sketch, expected.filter(|_| various));
            }
        }
    }
}
