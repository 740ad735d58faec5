//! Word shingles, whose candidates come by MinHash bands: the signature that near-duplicates are found by.

use webmill_text::words;

use crate::bands::BandShape;
use crate::minhash::MinHasher;
use crate::shingle::Shingles;
use crate::signature::{PageParts, Signature};

/// Jaccard resemblance of word shingles.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Bands {
    /// How the sketches are cut, and the words of a shingle.
    pub shape: BandShape,
    /// Resemblance from which two pages are a pair, above 0 to 1.
    pub min_resemblance: f64,
}

impl Signature for Bands {
    fn name(&self) -> &'static str {
        "bands"
    }

    fn least(&self) -> f64 {
        self.min_resemblance
    }

    /// The hashes of the shingles; none for a text without two different words.
    fn values(&self, page: &PageParts<'_>) -> Vec<u64> {
        let (mut first, mut various) = (None, false);
        words(page.text, |word| {
            let first = first.get_or_insert_with(|| word.to_lowercase());
            various = various || *first != word.to_lowercase();
        });
        if various {
            Shingles::of(page.text, self.shape.words as usize).hashes().to_vec()
        } else {
            Vec::new()
        }
    }

    fn keys(&self, values: &[u64]) -> Vec<u64> {
        let mut keys = Vec::new();
        if let Some(sketch) = MinHasher::new(self.shape.values()).sketch(values) {
            self.shape.hash(&sketch, &mut keys);
        }
        keys
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        let common = Shingles::common_hashes(a, b, 0).unwrap_or_default();
        if common == 0 { 0.0 } else { common as f64 / (a.len() + b.len() - common) as f64 }
    }
}
