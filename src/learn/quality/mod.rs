//! How good a text is for training language models: the signals and filters of published corpora.
//!
//! Job `signals` measures texts with a [`Measurer`]; `webmill filter` asks [`Filter`]s about rows of tables `texts` and `signals`,
//! [`Contamination`] about texts of benchmarks, and masks personal data ([`mask`]).
//!
//! **Adding a signal.** A line of `signal_columns!` (`row.rs`), and its value in the file of its family below, or a file with a line in `FAMILIES`.
//!
//! **Cost.** Each text is cut into tokens once; families walk over the tokens. Memory, kept by each thread: some 100 bytes a token of the longest of the last texts.
//!
//! **Determinism.** Signals are functions of text and language.

mod c4;
mod chinese;
mod contamination;
mod expression;
mod filter;
mod fineweb;
mod gopher;
mod ngrams;
mod personal;
mod redpajama;
mod repetition;
mod row;
mod signs;
mod tokens;
mod word_lists;

pub use c4::kept_lines as c4_lines;
pub use contamination::{Contamination, Overlap, SHORTEST as SHORTEST_ITEM};
pub use expression::{Expression, Operand};
pub use filter::{Filter, FilterFile, Rule, SHIPPED};
pub use personal::{MASKS, mask};
pub use row::Signals;
pub use tokens::{Token, tokens};
pub use word_lists::WordList;

use ngrams::NgramSet;

/// A text as the families of signals see it.
struct View<'a> {
    text: &'a str,
    language: Option<&'a str>,
    tokens: &'a [Token],
    /// Characters of the text, never 0.
    chars: f64,
}

/// What families need beside the text: room, kept from text to text.
#[derive(Default)]
struct Room {
    ngrams: NgramSet,
    hashes: Vec<u64>,
    word: String,
}

type Family = fn(&View<'_>, &mut Room, &mut Signals);

/// The families of signals, a file each.
const FAMILIES: &[Family] = &[
    gopher::measure,
    repetition::measure,
    c4::measure,
    fineweb::measure,
    redpajama::measure,
    chinese::measure,
    personal::measure,
];

/// Measures texts, one after the other.
#[derive(Default)]
pub struct Measurer {
    tokens: Vec<Token>,
    room: Room,
}

impl Measurer {
    /// The signals of a text in this ISO 639-3 language, but for those of a list of words.
    pub fn measure(&mut self, text: &str, language: Option<&str>) -> Signals {
        let mut row = Signals::default();
        tokens(text, language, &mut self.tokens);
        let chars = text.chars().count().max(1) as f64;
        let view = View { text, language, tokens: &self.tokens, chars };
        FAMILIES.iter().for_each(|family| family(&view, &mut self.room, &mut row));
        row
    }
}

/// A share, if there is a whole.
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests;
