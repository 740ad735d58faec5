//! Words that a thread met lately, with the sums of their n-grams' weights: few words make up most of a text.
//!
//! **Form.** One place a word, by its hash: a word that comes to a place takes it. A row is dense, so that adding it is vector arithmetic.
//!
//! **Cost.** Some 5 MB a thread.
//!
//! **Determinism.** A remembered sum equals the sum computed again: sums are integers, whatever was met before.

use std::cell::RefCell;

use super::{Table, Word};

/// Places, a power of two.
const PLACES: usize = 16384;

/// The words of a table.
#[derive(Default)]
pub(super) struct KnownWords {
    table: u64,
    languages: usize,
    /// Hash of the word at each place, the number of its n-grams (0 where there is none), and where its own weights stand.
    words: Vec<(u64, u32, u32)>,
    /// Sums by language, a row a place.
    sums: Vec<i16>,
}

thread_local! {
    static KNOWN: RefCell<KnownWords> = RefCell::default();
}

/// Calls `with` with the words that this thread knows of a table.
pub(super) fn with<T>(table: &Table, with: impl FnOnce(&mut KnownWords) -> T) -> T {
    KNOWN.with_borrow_mut(|known| {
        if known.table != table.id {
            let languages = table.languages.len();
            let (words, sums) = (vec![(0, 0, 0); PLACES], vec![0; PLACES * languages]);
            *known = KnownWords { table: table.id, languages, words, sums };
        }
        with(known)
    })
}

impl KnownWords {
    /// Number of n-grams of a word, where its own weights stand, and the sums of all their weights by language.
    #[inline]
    pub(super) fn of(&mut self, table: &Table, word: &Word) -> (u32, u32, &[i16]) {
        let hash = word.hash();
        let place = (hash >> 40) as usize % PLACES;
        let known = &mut self.words[place];
        let sums = &mut self.sums[place * self.languages..(place + 1) * self.languages];
        if known.0 != hash || known.1 == 0 {
            sums.fill(0);
            let (ngrams, place) = table.add_word(word, sums);
            *known = (hash, ngrams, place);
        }
        (known.1, known.2, sums)
    }
}
