//! Words of closed sets that no enum lists: kept for as long as the program runs, so that cells can be `&'static str`.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Distinct words that [`interned`] keeps at most.
const MAX_WORDS: usize = 4096;

/// Bytes of a word that [`interned`] keeps at most.
const MAX_WORD_BYTES: usize = 256;

/// The word for as long as the program runs: fields of type `&'static str` are read back into such.
///
/// # Errors
/// Where the words are too many or too long to be a closed set.
pub(crate) fn interned(word: &str) -> Result<&'static str, String> {
    static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = words.get(word) {
        return Ok(known);
    }
    if words.len() >= MAX_WORDS || word.len() > MAX_WORD_BYTES {
        return Err("not a small set of short words".into());
    }
    let kept: &'static str = Box::leak(word.into());
    words.insert(kept);
    Ok(kept)
}
