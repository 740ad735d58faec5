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

fn letter_of(b: u8) -> usize {
    if b.is_ascii_alphabetic() { usize::from(b) % LETTERS } else { MARK }
}

/// Many short phrases of Latin letters, found in one pass each as a bit set.
pub(crate) struct Phrases {
    next: Vec<[u16; LETTERS]>,
    /// Bits of the phrases that end in a state.
    bits: Vec<u64>,
}

impl Phrases {
    /// Finds phrases of the letters a to z and `-` (boundary).
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
    }

    /// The bits of all phrases in the beginning of a text.
    pub(crate) fn find(&self, text: &str) -> u64 {
        let mut bits = 0;
        let mut at = usize::from(self.next[0][MARK]);
        let mut step = |letter: usize| {
            at = usize::from(self.next[at][letter]);
            bits |= self.bits[at];
        };
        // The folded text begins and ends with a mark, and no two are adjacent.
        let (mut marked, mut after_lower) = (true, false);
        for &b in &text.as_bytes()[..text.len().min(MAX_NAME)] {
            if b.is_ascii_alphabetic() {
                if b.is_ascii_uppercase() && after_lower {
                    step(MARK);
                }
                step(letter_of(b));
                marked = false;
            } else if !marked {
                step(MARK);
                marked = true;
            }
            after_lower = b.is_ascii_lowercase();
        }
        if !marked {
            step(MARK);
        }
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

    #[test]
    fn phrases_within_phrases() {
        let phrases = Phrases::new([("-ab-cd-", 1), ("b-c", 2), ("cd", 4), ("-cde", 8), ("b", 16)]);
        for (text, bits) in
            [("ab cd", 23), ("aB-c", 2 | 16), ("ab--CDE", 2 | 4 | 8 | 16), ("a", 0), ("xcdx", 4)]
        {
            assert_eq!(phrases.find(text), bits, "{text}");
        }
    }

    #[test]
    fn substrings_overlap() {
        let found = Substrings::new([("返回", 1), ("返回首页", 2), ("首页", 4), ("顶", 8)]);
        assert_eq!(["返回首页", "首页返回", "页", "到顶部"].map(|text| found.find(text)), [7, 5, 0, 8]);
    }
}
