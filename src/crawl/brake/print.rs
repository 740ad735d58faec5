//! The print of a page: what the brake compares.
//!
//! **Definition.** Words are runs of letters and digits; characters of scripts without spaces count singly. Numbers of
//! one or two digits and years (1900 to 2199) are all one word: a calendar is one page. Of the set of *different*
//! word triples (sets, so that no table of numbers outvotes the text around it):
//!
//! - the SimHash of 64 bits, whose Hamming distance grows with the share of triples that differ;
//! - a key of the whole set: equal for pages that say the same but for small numbers;
//! - how many there were.
//!
//! Only the first 64 KiB of text are read. A filter of 16,384 bits decides what was there before; of a thousand
//! different triples it takes some thirty for known, the same ones in every copy.
//!
//! **Cost.** Linear, no allocation. **Determinism.** The text alone; stored by crawls, so that it may not change.
//!
//! **Reference.** Charikar, doi:10.1145/509907.509965.

use xxhash_rust::xxh3::xxh3_64;

/// Bytes of text that are read.
const MAX_TEXT: usize = 64 * 1024;

/// Words of the filter of known triples.
const FILTER: usize = 256;

/// What every small number and every year is taken for.
const NUMBER: u64 = 0x9E37_79B9_7F4A_7C15;

/// What is left of a page for comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PagePrint {
    /// SimHash of the different word triples.
    pub simhash: u64,
    /// Hash of the set of word triples.
    pub key: u32,
    /// Different word triples; at least one.
    pub shingles: u32,
}

/// The print of a page's visible text; `None` where it has no words.
///
/// # Examples
/// ```
/// use webmill::crawl::brake::fingerprint;
/// let may = fingerprint("Events in May 2027: 1 2 3 4 5 6 7. Nothing is planned.");
/// assert_eq!(may, fingerprint("Events in May 2031: 4 5 6 7 8 9 10. Nothing is planned."));
/// assert_ne!(may, fingerprint("Events in May 2027: 1 2 3 4 5 6 7. The fair opens."));
/// assert_eq!(fingerprint(" … "), None);
/// ```
pub fn fingerprint(text: &str) -> Option<PagePrint> {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut triples = Triples::new();
    for_each_word(&text.as_bytes()[..end], |word| triples.word(word_hash(word)));
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
    let c = std::str::from_utf8(bytes).ok()?.chars().next()?;
    // Thai to Myanmar, Khmer, kana, Han, Hangul stays with words.
    let alone = matches!(c, '\u{0E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{2E80}'..='\u{A4CF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    c.is_alphanumeric().then_some(alone)
}

/// Calls `each` with every word of a valid UTF-8 text.
fn for_each_word<'a>(text: &'a [u8], mut each: impl FnMut(&'a [u8])) {
    let (mut at, mut start) = (0, None);
    while let Some(&byte) = text.get(at) {
        let kind = usize::from(KINDS[usize::from(byte)]);
        let length = kind.max(1);
        let joins = match kind {
            0 => None,
            1 => Some(false),
            _ => text.get(at..at + length).and_then(wide),
        };
        if joins == Some(false) {
            start.get_or_insert(at);
        } else {
            if let Some(start) = start.take() {
                each(&text[start..at]);
            }
            if joins == Some(true) {
                each(&text[at..at + length]);
            }
        }
        at += length;
    }
    if let Some(start) = start {
        each(&text[start..]);
    }
}

fn word_hash(word: &[u8]) -> u64 {
    let number = match word {
        [a] => a.is_ascii_digit(),
        [a, b] => a.is_ascii_digit() && b.is_ascii_digit(),
        [b'1', b'9', c, d] | [b'2', b'0' | b'1', c, d] => c.is_ascii_digit() && d.is_ascii_digit(),
        _ => false,
    };
    if number { NUMBER } else { xxh3_64(word) }
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
    /// How often each bit was set, in binary, the lowest digit first: a number is a column.
    planes: [u64; 20],
    sum: u64,
    shingles: u32,
}

impl Triples {
    fn new() -> Self {
        Triples { last: [0; 2], words: 0, seen: [0; FILTER], planes: [0; 20], sum: 0, shingles: 0 }
    }

    fn word(&mut self, hash: u64) {
        let [first, second] = self.last;
        self.last = [second, hash];
        self.words += 1;
        if self.words >= 3 {
            self.add(mix(first.rotate_left(17) ^ second.rotate_left(41) ^ hash));
        }
    }

    fn add(&mut self, hash: u64) {
        let (word, bit) = ((hash >> 6) as usize % FILTER, 1 << (hash & 63));
        if self.seen[word] & bit != 0 {
            return;
        }
        self.seen[word] |= bit;
        self.shingles += 1;
        let mut carry = mix(hash);
        self.sum = self.sum.wrapping_add(carry);
        for plane in &mut self.planes {
            let both = *plane & carry;
            *plane ^= carry;
            carry = both;
            if carry == 0 {
                break;
            }
        }
    }

    fn finish(mut self) -> Option<PagePrint> {
        if self.words == 0 {
            return None;
        }
        if self.words < 3 {
            self.add(mix(self.last[0].rotate_left(41) ^ self.last[1]));
        }
        let count = |bit: u32| {
            self.planes.iter().rev().fold(0u32, |sum, plane| sum << 1 | u32::from(plane >> bit & 1 == 1))
        };
        let simhash = (0..64).fold(0, |bits, bit| bits | u64::from(count(bit) * 2 > self.shingles) << bit);
        let key = mix(self.sum) as u32;
        Some(PagePrint { simhash, key, shingles: self.shingles })
    }
}
