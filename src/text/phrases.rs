//! Many short phrases, found in one pass as a bit set.
//!
//! **Definition.** [`Substrings`] of any script are found as they are. For [`Phrases`] of Latin letters, in names and labels,
//! a text is folded first: letters to lower case, everything else and every lower-to-upper step to one
//! boundary mark, so that `-ad-` as a phrase matches `ad`, `top-ad`, `adBox`, but not `shadow` or `header`. The bits of
//! all phrases that occur in the folded text are given.
//!
//! **Algorithm.** An automaton over all phrases (A. V. Aho, M. J. Corasick, *Efficient string matching*, CACM 18 (1975),
//! doi:10.1145/360825.360855). That of [`Phrases`] is of our own: it folds while it goes, has 32 letters, and a state holds
//! the bits of all phrases that end there. The crate aho-corasick, which must have the text folded into a buffer and tells
//! every match, takes 1.7 to 2.3 times as long (its DFA; the NFA 2.1 to 2.9) for 258,000 class names and 124,000 labels of
//! 400 pages.
//!
//! **Cost.** One step a letter. Texts longer than [`MAX_NAME`] bytes are read to that length only for [`Phrases`].

use aho_corasick::AhoCorasick;

/// Bytes of one text that are read; generated class lists can be kilobytes long.
pub(crate) const MAX_NAME: usize = 160;

/// Letters are 1 to 26, as the low bits of their codes.
const LETTERS: usize = 32;
const MARK: usize = 0;

/// A state in which phrases end: the highest bit of its number.
const ENDS: u16 = 1 << 15;

/// Of a byte: the letter or mark that it is folded to, and of which case it is.
const CLASS: [u8; 256] = {
    let mut class = [MARK as u8; 256];
    let mut b = b'A';
    while b <= b'Z' {
        let letter = b % LETTERS as u8;
        class[b as usize] = letter | UPPER;
        class[b.to_ascii_lowercase() as usize] = letter | LOWER;
        b += 1;
    }
    class
};
const UPPER: u8 = 64;
/// Half of [`UPPER`]: a shift of one byte's class meets the next one's.
const LOWER: u8 = 32;

fn letter_of(b: u8) -> usize {
    usize::from(CLASS[usize::from(b)]) % LETTERS
}

/// Many short phrases of Latin letters, found in one pass each as a bit set.
pub(crate) struct Phrases {
    next: Vec<[u16; LETTERS]>,
    /// Bits of the phrases that end in a state.
    bits: Vec<u64>,
}

impl Phrases {
    /// Finds phrases of the letters a to z and `-` (boundary), no two boundaries in a row.
    pub(crate) fn new<'p>(phrases: impl IntoIterator<Item = (&'p str, u64)>) -> Self {
        let mut made = Phrases { next: vec![[0; LETTERS]], bits: vec![0] };
        for (phrase, bits) in phrases {
            made.add(phrase, bits);
        }
        made.link();
        made
    }

    fn add(&mut self, phrase: &str, bits: u64) {
        let mut at = 0;
        for b in phrase.bytes() {
            let letter = letter_of(b);
            let mut to = usize::from(self.next[at][letter]);
            if to == 0 {
                to = self.next.len();
                self.next[at][letter] = to as u16;
                self.next.push([0; LETTERS]);
                self.bits.push(0);
            }
            at = to;
        }
        self.bits[at] |= bits;
    }

    /// Makes the trie an automaton: where no phrase goes on, it goes on with the longest that ends likewise.
    fn link(&mut self) {
        debug_assert!(self.next.len() < usize::from(ENDS));
        let mut shorter = vec![0u16; self.next.len()];
        let mut order = vec![0u16];
        let mut done = 0;
        while let Some(&at) = order.get(done) {
            done += 1;
            let at = usize::from(at);
            let fallback = usize::from(shorter[at]);
            for letter in 0..LETTERS {
                let to = self.next[at][letter];
                // Of the root, and so of what is not linked yet, there is nothing shorter.
                let other = if at == 0 { 0 } else { self.next[fallback][letter] };
                if to == 0 {
                    self.next[at][letter] = other;
                } else {
                    shorter[usize::from(to)] = other;
                    self.bits[usize::from(to)] |= self.bits[usize::from(other)];
                    order.push(to);
                }
            }
        }
        // Marks in a row are one.
        for at in 0..self.next.len() {
            let to = usize::from(self.next[at][MARK]);
            self.next[to][MARK] = to as u16;
        }
        for to in self.next.iter_mut().flatten() {
            if self.bits[usize::from(*to)] != 0 {
                *to |= ENDS;
            }
        }
    }

    /// The bits of all phrases in the beginning of a text.
    pub(crate) fn find(&self, text: &str) -> u64 {
        let mut bits = 0;
        let mut step = |at: u16, letter: usize| {
            let to = self.next[usize::from(at)][letter];
            if to & ENDS != 0 {
                bits |= self.bits[usize::from(to & !ENDS)];
            }
            to & !ENDS
        };
        // The folded text begins and ends with a mark.
        let (mut at, mut before) = (step(0, MARK), 0);
        for &b in &text.as_bytes()[..text.len().min(MAX_NAME)] {
            let class = CLASS[usize::from(b)];
            if class & before << 1 & UPPER != 0 {
                at = step(at, MARK);
            }
            at = step(at, usize::from(class) % LETTERS);
            before = class;
        }
        step(at, MARK);
        bits
    }
}

/// Short phrases of any script, found where they are, words or not.
pub(crate) struct Substrings {
    automaton: AhoCorasick,
    /// Bits of each phrase.
    bits: Vec<u64>,
}

impl Substrings {
    pub(crate) fn new<'p>(phrases: impl IntoIterator<Item = (&'p str, u64)>) -> Self {
        let (phrases, bits): (Vec<&str>, Vec<u64>) = phrases.into_iter().unzip();
        let automaton = AhoCorasick::new(phrases).expect("a few hundred short phrases are within the limits");
        Substrings { automaton, bits }
    }

    /// The bits of all phrases in a text.
    pub(crate) fn find(&self, text: &str) -> u64 {
        self.automaton
            .find_overlapping_iter(text)
            .fold(0, |bits, found| bits | self.bits[found.pattern().as_usize()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn phrases_within_phrases() {
        let phrases = Phrases::new([("-ab-cd-", 1), ("b-c", 2), ("cd", 4), ("-cde", 8), ("b", 16)]);
        for (text, bits) in
            [("ab cd", 23), ("aB-c", 2 | 16), ("ab--CDE", 2 | 4 | 8 | 16), ("a", 0), ("xcdx", 4)]
        {
            assert_eq!(phrases.find(text), bits, "{text}");
        }
    }

    proptest! {
        #[test]
        fn phrases_are_those_of_the_folded_text(
            phrases in prop::collection::vec("-?[a-c]{1,2}(-[a-c]{1,2}){0,2}-?", 1..20),
            text in "([a-cA-C]{1,3}|[ .1é-]{1,2}){0,12}|[a-c ]{150,170}",
        ) {
            let found = Phrases::new(phrases.iter().enumerate().map(|(n, phrase)| (phrase.as_str(), 1 << n)));
            let (mut folded, mut lower) = ("-".to_owned(), false);
            for &b in &text.as_bytes()[..text.len().min(MAX_NAME)] {
                if b.is_ascii_uppercase() && lower || !b.is_ascii_alphabetic() {
                    folded.push('-');
                }
                if b.is_ascii_alphabetic() {
                    folded.push(b.to_ascii_lowercase().into());
                }
                lower = b.is_ascii_lowercase();
            }
            folded.push('-');
            while folded.contains("--") {
                folded = folded.replace("--", "-");
            }
            let expected = phrases.iter().enumerate().filter(|(_, phrase)| folded.contains(phrase.as_str()));
            prop_assert_eq!(found.find(&text), expected.fold(0, |bits, (n, _)| bits | 1 << n), "{}", folded);
        }
    }

    #[test]
    fn substrings_overlap() {
        let found = Substrings::new([("返回", 1), ("返回首页", 2), ("首页", 4), ("顶", 8)]);
        assert_eq!(["返回首页", "首页返回", "页", "到顶部"].map(|text| found.find(text)), [7, 5, 0, 8]);
    }
}
