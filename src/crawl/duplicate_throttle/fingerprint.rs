//! The fingerprint of a page: what the duplicate throttle compares.
//!
//! **Definition.** Words are runs of letters and digits; characters of scripts without spaces count singly. Numbers of
//! one or two digits and years (1900 to 2199) are all one word: a calendar is one page. Of the set of *different*
//! word triples (sets, so that no table of numbers outvotes the text around it):
//!
//! - the SimHash of 64 bits, whose Hamming distance grows with the share of triples that differ;
//! - a key of the whole set: equal for pages that say the same but for small numbers;
//! - a key of the words without digits, each as often as it occurs: equal for pages that differ in numbers alone;
//! - how many there were.
//!
//! Only the first 64 KiB of text are read. A filter of 16,384 bits decides what was there before; of a thousand
//! different triples it takes some thirty for known, the same ones in every copy.
//!
//! **Cost.** Linear, no allocation. **Determinism.** The text alone; stored by crawls, so that it may not change.
//!
//! **Reference.** Charikar, doi:10.1145/509907.509965.

use webmill_capture::simhash::BitCounts;

/// Bytes of text that are read.
const MAX_TEXT: usize = 64 * 1024;

/// Words of the filter of known triples.
const FILTER: usize = 256;

/// What every small number and every year is taken for.
const NUMBER: u64 = 0x9E37_79B9_7F4A_7C15;

/// What is left of a page for comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageFingerprint {
    /// SimHash of the different word triples.
    pub simhash: u64,
    /// Hash of the set of word triples.
    pub key: u32,
    /// Hash of the multiset of words without digits.
    pub words: u32,
    /// Different word triples; at least one.
    pub shingles: u32,
}

/// The fingerprint of a page's visible text; `None` where it has no words.
///
/// # Examples
/// ```
/// use webmill_crawl::duplicate_throttle::fingerprint;
/// let may = fingerprint("Events in May 2027: 1 2 3 4 5 6 7. Nothing is planned.");
/// assert_eq!(may, fingerprint("Events in May 2031: 4 5 6 7 8 9 10. Nothing is planned."));
/// assert_ne!(may, fingerprint("Events in May 2027: 1 2 3 4 5 6 7. The fair opens."));
/// assert_eq!(fingerprint(" … "), None);
/// ```
pub fn fingerprint(text: &str) -> Option<PageFingerprint> {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut triples = Triples::new();
    let bytes = &text.as_bytes()[..end];
    let mut word = Word::NONE;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let kind = KINDS[usize::from(byte)];
        if kind == 1 {
            word.add(byte);
            at += 1;
            continue;
        }
        if kind == 0 {
            triples.end_of(&mut word);
            at += 1;
            continue;
        }
        let length = usize::from(kind);
        let Some(character) = bytes.get(at..at + length) else { break };
        match wide(character) {
            Some(false) => character.iter().for_each(|&byte| word.add(byte)),
            Some(true) => {
                triples.end_of(&mut word);
                character.iter().for_each(|&byte| word.add(byte));
                triples.end_of(&mut word);
            }
            None => triples.end_of(&mut word),
        }
        at += length;
    }
    triples.end_of(&mut word);
    triples.finish()
}

/// Kind of a byte of UTF-8: 0 no part of a word, 1 of a word, 2 to 4 lead byte of a character of so many bytes.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => 1,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Whether the character in these bytes stands alone (Some(true)), joins a word (Some(false)) or is none (None).
fn wide(bytes: &[u8]) -> Option<bool> {
    // U+4000 to U+9FFF.
    if (0xE4..=0xE9).contains(&bytes[0]) {
        return Some(true);
    }
    let c = std::str::from_utf8(bytes).ok()?.chars().next()?;
    // Thai to Myanmar, Khmer, kana, Han; Hangul has spaces.
    let alone = matches!(c, '\u{0E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{2E80}'..='\u{A4CF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    c.is_alphanumeric().then_some(alone)
}

/// A word as it is read.
struct Word {
    hash: u64,
    length: u32,
    /// Value of its digits, as long as there are few.
    number: u32,
    digits: u32,
}

impl Word {
    const NONE: Word = Word { hash: 0xCBF2_9CE4_8422_2325, length: 0, number: 0, digits: 0 };

    #[inline]
    fn add(&mut self, byte: u8) {
        self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        self.length += 1;
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            self.digits += 1;
            self.number = self.number.wrapping_mul(10).wrapping_add(u32::from(digit));
        }
    }

    fn is_small_number(&self) -> bool {
        self.digits == self.length
            && (self.length <= 2 || (self.length == 4 && (1900..2200).contains(&self.number)))
    }
}

/// Mixes 64 bits: the finaliser of SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The set of word triples as it is summed up.
struct Triples {
    last: [u64; 2],
    words: u64,
    seen: [u64; FILTER],
    counts: BitCounts,
    sum: u64,
    words_sum: u64,
    shingles: u32,
}

impl Triples {
    fn new() -> Self {
        Triples {
            last: [0; 2],
            words: 0,
            seen: [0; FILTER],
            counts: BitCounts::new(),
            sum: 0,
            words_sum: 0,
            shingles: 0,
        }
    }

    /// Takes the word that ends here, if there is one.
    #[inline]
    fn end_of(&mut self, word: &mut Word) {
        if word.length == 0 {
            return;
        }
        let hash = if word.is_small_number() { NUMBER } else { mix(word.hash) };
        if word.digits == 0 {
            self.words_sum = self.words_sum.wrapping_add(hash);
        }
        *word = Word::NONE;
        let [first, second] = self.last;
        self.last = [second, hash];
        self.words += 1;
        if self.words >= 3 {
            self.add(mix(first.rotate_left(17).wrapping_add(second.rotate_left(41)) ^ hash));
        }
    }

    #[inline]
    fn add(&mut self, hash: u64) {
        let (word, bit) = ((hash >> 6) as usize % FILTER, 1 << (hash & 63));
        if self.seen[word] & bit != 0 {
            return;
        }
        self.seen[word] |= bit;
        self.sum = self.sum.wrapping_add(hash);
        self.counts.add(hash);
        self.shingles += 1;
    }

    fn finish(mut self) -> Option<PageFingerprint> {
        if self.words == 0 {
            return None;
        }
        if self.words < 3 {
            self.add(mix(self.last[0].rotate_left(41) ^ self.last[1]));
        }
        let (key, words) = (mix(self.sum) as u32, mix(self.words_sum) as u32);
        Some(PageFingerprint { simhash: self.counts.majority(), key, words, shingles: self.shingles })
    }
}
