//! Winnowing: few hashes of a text, chosen so that any two texts with a long enough passage in common share one.
//!
//! **Definition.** A *k-gram* starts at every [unit](Units) of a text and is as many units as it takes: `k` words
//! ([`WinnowOptions::words`], 5) or letters of a script without spaces ([`WinnowOptions::characters`], 12). Where scripts
//! mix, a word counts 1/5 and a letter 1/12, run by run, until the sum is at least one; where the text ends before that,
//! there is none. So a k-gram is the same wherever its units stand. Of every `w` consecutive k-grams
//! ([`WinnowOptions::window`], 8) the one with the smallest hash is selected, the rightmost of equals; each selected one
//! counts once. Of a text of fewer than `w` k-grams the smallest hash of all of them is selected.
//!
//! **Guarantee.** A run of units that stands in two texts and has `w` k-grams (w + k − 1 = 12 words or 19 letters) gives
//! both a selected hash in common; a run without a k-gram (fewer than 5 words or 12 letters) never matches. About 2/(w + 1)
//! of the k-grams are selected where hashes are random. A text of one word repeated selects every k-gram but the first
//! w − 1; they all have one hash.
//!
//! **Algorithm.** A queue of candidates with ascending hashes; each k-gram enters and leaves it once.
//!
//! **Cost.** Linear time; 16 bytes a unit and 16 a selected k-gram.
//!
//! **Reference.** Schleimer, Wilkerson, Aiken, "Winnowing: Local Algorithms for Document Fingerprinting",
//! doi:10.1145/872757.872770.

use std::collections::VecDeque;

use xxhash_rust::xxh3::xxh3_64;

use crate::passages::units::Units;

/// How to winnow: the length of k-grams, and of the windows from which a hash is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinnowOptions {
    /// Words in a k-gram, 1 to 64; 5.
    pub words: u32,
    /// Letters in a k-gram of a script without spaces, 1 to 64; 12.
    pub characters: u32,
    /// k-grams in a window, 1 to 65,536; 8.
    pub window: u32,
}

impl Default for WinnowOptions {
    fn default() -> Self {
        WinnowOptions { words: 5, characters: 12, window: 8 }
    }
}

impl WinnowOptions {
    /// What a unit adds to a k-gram.
    pub(crate) fn weight(&self, letter: bool) -> u32 {
        if letter { self.words } else { self.characters }
    }

    /// What a k-gram takes at least.
    pub(crate) fn gram_weight(&self) -> u32 {
        self.words * self.characters
    }
}

/// A text with its selected k-grams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Winnowed {
    /// The units of the text.
    pub units: Units,
    /// Hash and first unit of each selected k-gram, in the order of the hashes, then units.
    pub selected: Vec<(u64, u32)>,
    /// How many k-grams the text has.
    pub grams: usize,
}

impl Winnowed {
    /// Winnows a text.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{WinnowOptions, Winnowed};
    /// let options = WinnowOptions::default();
    /// let page = Winnowed::of("He wrote: to be or not to be, that is the question, and then he left.", &options);
    /// let quote = Winnowed::of("To be or not to be - that is the question and then he left", &options);
    /// assert!(quote.selected.iter().any(|(hash, _)| page.hashes().contains(hash)));
    /// ```
    pub fn of(text: &str, options: &WinnowOptions) -> Self {
        let units = Units::of(text);
        let grams = gram_hashes(&units, options);
        let mut selected: Vec<(u64, u32)> =
            winnow(&grams, options.window as usize).into_iter().map(|at| (grams[at as usize], at)).collect();
        selected.sort_unstable();
        Winnowed { units, selected, grams: grams.len() }
    }

    /// The distinct selected hashes, ascending.
    pub fn hashes(&self) -> Vec<u64> {
        let mut hashes: Vec<u64> = self.selected.iter().map(|&(hash, _)| hash).collect();
        hashes.dedup();
        hashes
    }

    /// Bytes of memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.units.memory_bytes() + size_of::<(u64, u32)>() * self.selected.capacity()
    }
}

/// Hash of the k-gram that starts at each unit, for as many units as have one.
pub fn gram_hashes(units: &Units, options: &WinnowOptions) -> Vec<u64> {
    let hashes = units.hashes();
    let need = options.gram_weight();
    let mut grams = Vec::with_capacity(hashes.len());
    let mut bytes = Vec::new();
    let (mut end, mut weight) = (0, 0);
    for start in 0..hashes.len() {
        while weight < need && end < hashes.len() {
            weight += options.weight(units.is_letter(end));
            end += 1;
        }
        if weight < need {
            break;
        }
        let gram = &hashes[start..end];
        grams.push(if cfg!(target_endian = "little") {
            xxh3_64(bytemuck::cast_slice(gram))
        } else {
            bytes.clear();
            gram.iter().for_each(|hash| bytes.extend_from_slice(&hash.to_le_bytes()));
            xxh3_64(&bytes)
        });
        weight -= options.weight(units.is_letter(start));
    }
    grams
}

/// Positions that winnowing selects of a sequence of hashes, ascending: in every window of `window` (0 is taken as 1) the
/// smallest, the rightmost of equals. Fewer hashes are one window.
///
/// # Examples
/// ```
/// use webmill_dedup::winnow;
/// assert_eq!(winnow(&[5, 3, 4, 3], 2), [1, 3]);
/// assert_eq!(winnow(&[5, 3], 4), [1]);
/// ```
pub fn winnow(hashes: &[u64], window: usize) -> Vec<u32> {
    let window = window.clamp(1, hashes.len().max(1));
    let mut selected = Vec::new();
    // Positions that are the smallest of what follows them in the window, hashes ascending.
    let mut candidates: VecDeque<usize> = VecDeque::with_capacity(window);
    for (at, &hash) in hashes.iter().enumerate() {
        while candidates.back().is_some_and(|&last| hashes[last] >= hash) {
            candidates.pop_back();
        }
        candidates.push_back(at);
        if candidates.front().is_some_and(|&first| first + window <= at) {
            candidates.pop_front();
        }
        let Some(&least) = candidates.front() else { continue };
        if at + 1 >= window && selected.last() != Some(&(least as u32)) {
            selected.push(least as u32);
        }
    }
    selected
}

#[cfg(test)]
#[path = "winnow_tests.rs"]
mod tests;
