//! SimHash: 64 bits of a text that differ in few places where the texts differ in few places.
//!
//! **Definition.** A text is the multiset of its *w*-shingles (`w` consecutive words, [`SHINGLE_WORDS`] by default; a text
//! of fewer words is one shingle). Each shingle is hashed to 64 bits. For each bit, sum +weight over shingles whose hash
//! has a 1 there and −weight over those with a 0; the fingerprint's bit is 1 where the sum is positive. The weight is
//! the shingle's frequency (tf), or any given one ([`simhash_weighted`]). The expected Hamming distance of two
//! fingerprints is 64·θ/π, where θ is the angle between the weight vectors. Letters are compared without case and
//! without width (`Ａ` is `a`).
//!
//! **Algorithm.** Words are folded into a reused buffer and hashed with XXH3; a shingle's hash is XXH3 over its words'
//! hashes; the sums are bit-sliced counters (see [`BitCounts`]). With tf weights nothing is stored a shingle: the sum
//! over distinct shingles of tf·±1 is the sum over occurrences of ±1.
//!
//! **Cost.** Linear time, constant memory: one pass over the words.
//!
//! **Determinism.** Exact integers; independent of platform and of the order of shingles.
//!
//! **Reference.** Charikar, doi:10.1145/509907.509965; Manku, Jain, Das Sarma, doi:10.1145/1242572.1242592.

use webmill_text::words;

use webmill_capture::simhash::BitCounts;
use xxhash_rust::xxh3::xxh3_64;

/// Words in a shingle of [`simhash`].
pub const SHINGLE_WORDS: usize = 3;

/// A 64-bit SimHash. Two fingerprints are compared by [`Fingerprint::distance`].
#[repr(transparent)]
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Fingerprint(pub u64);

// SAFETY: a number of eight bytes, of which every value is valid, zero too.
unsafe impl bytemuck::Zeroable for Fingerprint {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Fingerprint {}

impl Fingerprint {
    /// Hamming distance: how many of the 64 bits differ.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::Fingerprint;
    /// assert_eq!(Fingerprint(0b1110).distance(Fingerprint(0b0100)), 2);
    /// ```
    #[inline]
    pub fn distance(self, other: Self) -> u32 {
        (self.0 ^ other.0).count_ones()
    }
}

/// Folds case and width of a word into `out`.
#[inline]
fn fold(word: &str, out: &mut Vec<u8>) {
    out.clear();
    out.extend(word.bytes().map(|b| b.to_ascii_lowercase()));
    if out.is_ascii() {
        return;
    }
    out.clear();
    let mut utf8 = [0; 4];
    for c in word.chars() {
        let narrow = match c {
            '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
            _ => c,
        };
        // Han, kana and most other scripts have no case: the table is looked up only below U+2E80 and above U+A000.
        if ('\u{2E80}'..'\u{A000}').contains(&narrow) {
            out.extend_from_slice(narrow.encode_utf8(&mut utf8).as_bytes());
        } else {
            for lower in narrow.to_lowercase() {
                out.extend_from_slice(lower.encode_utf8(&mut utf8).as_bytes());
            }
        }
    }
}

/// The lower case of ASCII of 4 to 16 bytes, read as two halves that may overlap; `None` for another word.
#[inline]
fn lower_of_short(word: &[u8]) -> Option<[u8; 16]> {
    let mut lower = [0; 16];
    if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        if word.len() > 16 || (first | last) & NOT_ASCII != 0 {
            return None;
        }
        lower[..8].copy_from_slice(&lower_of_eight(first).to_le_bytes());
        lower[word.len() - 8..word.len()].copy_from_slice(&lower_of_eight(last).to_le_bytes());
    } else {
        let (first, last) = (word.first_chunk::<4>()?, word.last_chunk::<4>()?);
        let both = u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
        if both & NOT_ASCII != 0 {
            return None;
        }
        let both = lower_of_eight(both).to_le_bytes();
        lower[..4].copy_from_slice(&both[..4]);
        lower[word.len() - 4..word.len()].copy_from_slice(&both[4..]);
    }
    Some(lower)
}

/// The bits that no byte of ASCII has.
const NOT_ASCII: u64 = 0x8080_8080_8080_8080;

/// The lower case of eight bytes of ASCII.
#[inline]
fn lower_of_eight(bytes: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // The highest bit of a byte is set by the first sum from A on, by the second behind Z.
    let from_a = bytes + EACH * (0x80 - b'A' as u64);
    let behind_z = bytes + EACH * (0x80 - b'Z' as u64 - 1);
    bytes | ((from_a ^ behind_z) & NOT_ASCII) >> 2
}

/// Hash of a word, its case and width folded; `buffer` is used for words that are neither short ASCII nor Han.
#[inline]
fn word_hash(word: &str, buffer: &mut Vec<u8>) -> u64 {
    let bytes = word.as_bytes();
    if let Some(lower) = lower_of_short(bytes) {
        return xxh3_64(&lower[..bytes.len()]);
    }
    if bytes.len() <= 32 && word.is_ascii() {
        let mut short = [0; 32];
        let short = &mut short[..bytes.len()];
        short.copy_from_slice(bytes);
        short.make_ascii_lowercase();
        return xxh3_64(short);
    }
    // U+4000 to U+9FFF, which have neither case nor width.
    if bytes.len().is_multiple_of(3) && bytes.iter().step_by(3).all(|lead| (0xE4..=0xE9).contains(lead)) {
        return xxh3_64(bytes);
    }
    fold(word, buffer);
    xxh3_64(buffer)
}

/// Turns a stream of words into the stream of the hashes of its *w*-shingles.
#[derive(Clone, Debug)]
pub(super) struct ShingleHasher {
    /// Hashes of the last words, the latest last.
    recent: Vec<u64>,
    words: u64,
    buffer: Vec<u8>,
}

impl ShingleHasher {
    /// Shingles of `width` words (at least one).
    pub(super) fn new(width: usize) -> Self {
        ShingleHasher { recent: vec![0; width.max(1)], words: 0, buffer: Vec::new() }
    }

    /// Takes a word; gives the hash of the shingle that it completes.
    #[inline]
    pub(super) fn word(&mut self, word: &str) -> Option<u64> {
        let hash = self.hash(word);
        self.hashed(hash)
    }

    /// The hash of a word, for [`hashed`](Self::hashed) of any number of hashers.
    #[inline]
    pub(super) fn hash(&mut self, word: &str) -> u64 {
        word_hash(word, &mut self.buffer)
    }

    /// Takes the hash of a word; gives the hash of the shingle that it completes.
    #[inline]
    pub(super) fn hashed(&mut self, hash: u64) -> Option<u64> {
        self.words += 1;
        if let [a, b, c] = self.recent.as_mut_slice() {
            // The usual width, kept word by word in registers.
            (*a, *b, *c) = (*b, *c, hash);
            return (self.words >= 3).then(|| shingle_hash(&[*a, *b, *c]));
        }
        self.recent.rotate_left(1);
        if let Some(last) = self.recent.last_mut() {
            *last = hash;
        }
        (self.words >= self.recent.len() as u64).then(|| words_hash(&self.recent))
    }

    /// The one shingle of a text with fewer words than the width; `None` if it had none or enough.
    pub(super) fn remainder(&self) -> Option<u64> {
        let width = self.recent.len();
        let short = self.words > 0 && self.words < width as u64;
        short.then(|| words_hash(&self.recent[width - self.words as usize..]))
    }
}

/// Hash of any number of words' hashes.
fn words_hash(words: &[u64]) -> u64 {
    let bytes: Vec<u8> = words.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// Hash of three words' hashes, the same as that of their bytes in a row.
#[inline]
fn shingle_hash(words: &[u64; 3]) -> u64 {
    let mut bytes = [0; 24];
    for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    xxh3_64(&bytes)
}

/// Builds a [`Fingerprint`] word by word, for callers that segment a text once for several uses.
#[derive(Clone, Debug)]
pub struct SimHasher {
    shingles: ShingleHasher,
    counts: BitCounts,
}

impl SimHasher {
    /// A hasher over shingles of `width` words (0 is taken as 1).
    pub fn new(width: usize) -> Self {
        SimHasher { shingles: ShingleHasher::new(width), counts: BitCounts::new() }
    }

    /// Adds the next word of the text.
    #[inline]
    pub fn word(&mut self, word: &str) {
        self.hashed(word);
    }

    /// Adds the next word; gives its hash and that of the shingle which it completes, for signatures beside this one.
    #[inline]
    pub(super) fn hashed(&mut self, word: &str) -> (u64, Option<u64>) {
        let word = self.shingles.hash(word);
        let shingle = self.shingles.hashed(word);
        if let Some(hash) = shingle {
            self.counts.add(hash);
        }
        (word, shingle)
    }

    /// The one shingle of a text with fewer words than the width.
    pub(super) fn remainder(&self) -> Option<u64> {
        self.shingles.remainder()
    }

    /// The fingerprint; `None` if there was no word.
    pub fn finish(mut self) -> Option<Fingerprint> {
        if let Some(hash) = self.shingles.remainder() {
            self.counts.add(hash);
        }
        (self.counts.total() > 0).then(|| Fingerprint(self.counts.majority()))
    }
}

impl Default for SimHasher {
    fn default() -> Self {
        SimHasher::new(SHINGLE_WORDS)
    }
}

/// SimHash of a text over 3-word shingles with tf weights; `None` for a text without words.
///
/// # Examples
/// ```
/// use webmill_dedup::simhash;
/// assert_eq!(simhash("A rose is a rose"), simhash("a  rose, is a ROSE."));
/// assert_eq!(simhash(" … "), None);
/// ```
pub fn simhash(text: &str) -> Option<Fingerprint> {
    let mut hasher = SimHasher::default();
    words(text, |word| hasher.word(word));
    hasher.finish()
}

/// SimHash of weighted features: (hash, weight) with weights as scaled integers, tf·idf for example.
///
/// Integer weights keep the result independent of the order of the features. `None` if no weight is positive.
///
/// # Examples
/// ```
/// use webmill_dedup::{Fingerprint, simhash_weighted};
/// // The heavier feature decides where the hashes differ.
/// assert_eq!(simhash_weighted([(0b0110, 3), (0b1100, 1)]), Some(Fingerprint(0b0110)));
/// assert_eq!(simhash_weighted([(0b0110, 0)]), None);
/// ```
pub fn simhash_weighted(features: impl IntoIterator<Item = (u64, u32)>) -> Option<Fingerprint> {
    let mut sums = [0i128; 64];
    let mut any = false;
    for (hash, weight) in features {
        any |= weight > 0;
        for (bit, sum) in sums.iter_mut().enumerate() {
            *sum += if hash >> bit & 1 == 1 { i128::from(weight) } else { -i128::from(weight) };
        }
    }
    any.then(|| Fingerprint((0..64).fold(0, |bits, bit| bits | u64::from(sums[bit] > 0) << bit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn distance_is_the_count_of_differing_bits() {
        for (a, b, distance) in [(0b1110, 0b0100, 2), (0, 0, 0), (0, u64::MAX, 64), (1 << 63, 1, 2)] {
            assert_eq!(Fingerprint(a).distance(Fingerprint(b)), distance);
        }
    }

    proptest! {
        #[test]
        fn a_word_has_the_hash_of_what_it_is_folded_to(word in "[A-Za-z0-9_'@\\[`{]{0,40}|\\PC{0,20}|[Ａ-ｚA-Z]{0,20}|[一-龥]{0,9}") {
            let mut folded = Vec::new();
            fold(&word, &mut folded);
            prop_assert_eq!(word_hash(&word, &mut Vec::new()), xxh3_64(&folded));
        }
    }

    #[test]
    fn texts_without_words_have_none() {
        for text in ["", " \n\t", "… — !?", "。，"] {
            assert_eq!(simhash(text), None, "{text:?}");
        }
    }

    #[test]
    fn short_texts_are_one_shingle() {
        assert!(simhash("one").is_some());
        assert_ne!(simhash("one"), simhash("two"));
        assert_ne!(simhash("one two"), simhash("two one"));
        // A two-word text is not the three-word text that starts with padding.
        assert_ne!(simhash("one two"), simhash("one two three"));
    }

    #[test]
    fn case_and_width_do_not_count() {
        assert_eq!(simhash("Ｗｅｂ ＭＩＬＬ ÉTÉ Ωμέγα"), simhash("web mill été ωμέγα"));
    }

    /// The definition, literally: distinct shingles, tf weights, sums of ±tf.
    fn by_definition(words: &[String], width: usize) -> Option<u64> {
        if words.is_empty() {
            return None;
        }
        let hash = |shingle: &[String]| {
            let mut bytes = Vec::new();
            for word in shingle {
                bytes.extend(xxh3_64(word.to_lowercase().as_bytes()).to_le_bytes());
            }
            xxh3_64(&bytes)
        };
        let mut tf: HashMap<u64, i64> = HashMap::new();
        for shingle in words.windows(width.min(words.len())) {
            *tf.entry(hash(shingle)).or_default() += 1;
        }
        let mut bits = 0;
        for bit in 0..64 {
            let sum: i64 = tf.iter().map(|(h, w)| if h >> bit & 1 == 1 { *w } else { -*w }).sum();
            bits |= u64::from(sum > 0) << bit;
        }
        Some(bits)
    }

    proptest! {
        #[test]
        fn is_what_the_definition_says(words in prop::collection::vec("[a-cA-C]{1,2}", 0..80), width in 1usize..6) {
            let mut hasher = SimHasher::new(width);
            words.iter().for_each(|word| hasher.word(word));
            prop_assert_eq!(hasher.finish().map(|f| f.0), by_definition(&words, width));
        }

        #[test]
        fn weights_are_repetitions(features in prop::collection::vec((any::<u64>(), 1u32..5), 1..40)) {
            let mut counts = BitCounts::new();
            for &(hash, weight) in &features {
                (0..weight).for_each(|_| counts.add(hash));
            }
            let expected = counts.majority();
            let mut turned = features.clone();
            turned.reverse();
            prop_assert_eq!(simhash_weighted(features), Some(Fingerprint(expected)));
            prop_assert_eq!(simhash_weighted(turned), Some(Fingerprint(expected)));
        }
    }

    #[test]
    fn few_changed_words_change_few_bits() {
        let text: Vec<String> =
            (0..1000u64).map(|i| format!("w{}", xxh3_64(&i.to_le_bytes()) % 5000)).collect();
        let mut changed = text.clone();
        changed[500] = "other".into();
        let distance = |a: &[String], b: &[String]| {
            let (a, b) = (simhash(&a.join(" ")), simhash(&b.join(" ")));
            a.zip(b).map(|(a, b)| a.distance(b)).expect("both have words")
        };
        assert!(distance(&text, &changed) <= 6);
        changed.reverse();
        assert!(distance(&text, &changed) >= 16);
    }
}
