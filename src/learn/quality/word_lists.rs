//! Lists of words and phrases that are looked for in texts.

use aho_corasick::AhoCorasick;
use webmill_capture::cut::Cut;
use webmill_capture::{Error, Result};

/// Most words of a list.
const MOST: usize = 1 << 20;

/// Words and phrases, a line each.
///
/// **Definition.** Capitals and small letters are alike. In Chinese, Japanese and Thai a word is found anywhere, else only where no letter or digit
/// stands beside it, as C4's published code does.
pub struct WordList(AhoCorasick);

impl WordList {
    /// The words of the lines of a text; empty lines and those that begin with `#` are none.
    ///
    /// # Errors
    /// [`Error::Config`] of an empty list, or one of over a million words.
    pub fn of_lines(text: &str) -> Result<WordList> {
        let words: Vec<String> = text
            .trim_start_matches('\u{FEFF}')
            .lines()
            .map(|line| line.trim().to_lowercase())
            .filter(|word| !word.is_empty() && !word.starts_with('#'))
            .collect();
        if words.is_empty() || words.len() > MOST {
            return Err(Error::Config(format!(
                "a list of 1 to {MOST} words is wanted, a line each; it has {}",
                words.len()
            )));
        }
        let built = AhoCorasick::new(&words);
        built.map(WordList).map_err(|e| Error::Config(format!("the list of words: {e}")))
    }

    /// Bytes that it holds in memory.
    pub fn bytes(&self) -> usize {
        self.0.memory_usage()
    }

    /// How often its words stand in a text of this language.
    pub fn count(&self, text: &str, language: Option<&str>) -> u32 {
        let lower = text.to_lowercase();
        let anywhere = matches!(language, Some("zho" | "wuu" | "yue" | "jpn" | "tha"));
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let alone = |start: usize, end: usize| {
            !lower.cut(..start).chars().next_back().is_some_and(is_word)
                && !lower.cut(end..).starts_with(is_word)
        };
        let found = self
            .0
            .find_overlapping_iter(&lower)
            .filter(|found| anywhere || alone(found.start(), found.end()));
        found.count() as u32
    }
}
