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

/// Facts about a word beside its sums.
#[derive(Clone, Copy, Default)]
pub(super) struct KnownWord {
    hash: u64,
    /// Where its own weights stand.
    pub place: u32,
    /// Number of its n-grams; 0 where there is no word.
    pub ngrams: u16,
    /// The greatest of its sums, without signs.
    pub most: u16,
}

/// The words of a table.
#[derive(Default)]
pub(super) struct KnownWords {
    table: u64,
    languages: usize,
    words: Vec<KnownWord>,
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
            let (words, sums) = (vec![KnownWord::default(); PLACES], vec![0; PLACES * languages]);
            *known = KnownWords { table: table.id, languages, words, sums };
        }
        with(known)
    })
}

impl KnownWords {
    /// Facts about a word, and the sums of the weights of all its n-grams by language.
    #[inline]
    pub(super) fn of(&mut self, table: &Table, word: &Word) -> (KnownWord, &[i16]) {
        let hash = word.hash();
        let place = (hash >> 40) as usize % PLACES;
        let known = &mut self.words[place];
        let sums = &mut self.sums[place * self.languages..(place + 1) * self.languages];
        if known.hash != hash || known.ngrams == 0 {
            sums.fill(0);
            let (ngrams, place) = table.add_word(word, sums);
            let most = sums.iter().map(|sum| sum.unsigned_abs()).max().unwrap_or(0);
            *known = KnownWord { hash, place, ngrams: ngrams as u16, most };
        }
        (*known, sums)
    }
}
