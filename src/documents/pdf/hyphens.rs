//! Words that were parted at the end of a line.
//!
//! **Definition.** A hyphen behind a letter at the end of a line, before a small letter, goes where the document has the whole
//! word elsewhere, and stays where it has the word with its hyphen, or both halves as words of their own but not the whole, and behind
//! `self` and `well`.
//! Otherwise it goes: most were put there by who broke the line. A soft hyphen always goes.

use std::collections::HashSet;

use super::layout::lines::{Line, join};
use super::page::Sheet;
use crate::Inline;

/// Words that are kept.
const MAX_WORDS: usize = 500_000;
/// Letters of a half that is a word of its own.
const HALF: usize = 3;

/// The words of a document.
#[derive(Debug, Default)]
pub(super) struct Lexicon(HashSet<String>);

impl Lexicon {
    /// The words of pages.
    pub(super) fn of(sheets: &[Sheet]) -> Lexicon {
        let mut lexicon = Lexicon::default();
        for block in sheets.iter().flat_map(|sheet| &sheet.blocks) {
            let mut goes_on = false;
            for line in &block.lines {
                lexicon.add(line, goes_on);
                goes_on =
                    line.words.last().is_some_and(|word| word.text.ends_with(['-', '\u{2010}', '\u{AD}']));
            }
        }
        lexicon
    }

    /// Takes in the words of a line, but what may be a half of one.
    fn add(&mut self, line: &Line, goes_on: bool) {
        for (at, word) in line.words.iter().enumerate() {
            let half = at == 0 && goes_on || at + 1 == line.words.len() && ends_parted(&word.text);
            let bare = bare(&word.text);
            if half || bare.chars().nth(1).is_none() || self.0.len() >= MAX_WORDS {
                continue;
            }
            // Of a compound of three, two may stand at the end of a line.
            let parts: Vec<&str> = bare.split('-').collect();
            if parts.len() > 2 {
                self.0.extend(parts.windows(2).map(|pair| pair.join("-")));
            }
            self.0.insert(bare);
        }
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// Adds the words of the next line to those before.
    pub(super) fn join(&self, words: &mut Inline, mut line: Inline) {
        if words.text.ends_with('\u{AD}') {
            words.text.pop();
            cut_links(words);
        } else if ends_parted(&words.text) && line.text.chars().next().is_some_and(continues) {
            if !self.keeps_hyphen(&words.text, &line.text) {
                words.text.pop();
                cut_links(words);
            }
        } else {
            let before = words.text.len();
            join(&mut words.text, &line.text);
            let spaced = words.text.len() - before - line.text.len();
            words.text.truncate(before + spaced);
        }
        merge_links(words, &mut line);
        words.append(&line);
    }

    fn keeps_hyphen(&self, before: &str, after: &str) -> bool {
        let half = |text: &str, last: bool| {
            let word =
                if last { text.split_whitespace().next_back() } else { text.split_whitespace().next() };
            bare(word.unwrap_or_default())
        };
        let (first, second) = (half(before, true), half(after, false));
        let first = first.trim_end_matches(['-', '\u{2010}', '\u{2011}']);
        if self.has(&format!("{first}{second}")) {
            return false;
        }
        let known = |half: &str| half.chars().count() >= HALF && self.has(half);
        self.has(&format!("{first}-{second}"))
            || first.contains('-')
            || known(first) && known(&second)
            || is_compound(first, &second)
    }
}

/// Whether two halves are an English compound whose first half nearly always has a hyphen behind it: `well-known`, `self-made`.
fn is_compound(first: &str, second: &str) -> bool {
    let is_suffix = ["ness", "ish", "ing", "less", "hood"].iter().any(|end| second.starts_with(end));
    matches!(first, "self") && (!is_suffix || second.chars().count() > 6)
        || matches!(first, "well") && !is_suffix
}

/// A word in small letters without the marks around it.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace(['\u{2010}', '\u{2011}'], "-")
}

/// Whether a text ends in a letter and a hyphen.
fn ends_parted(text: &str) -> bool {
    let mut chars = text.chars().rev();
    matches!(chars.next(), Some('-' | '\u{2010}' | '\u{AD}')) && chars.next().is_some_and(char::is_alphabetic)
}

/// Whether a character goes on with a word.
fn continues(c: char) -> bool {
    c.is_alphabetic() && !c.is_uppercase()
}

/// Ends links where the text ends.
fn cut_links(words: &mut Inline) {
    let end = words.text.len();
    words.links.retain_mut(|(range, _)| {
        range.end = range.end.min(end);
        range.start < range.end
    });
}

/// Makes a link that goes on over the end of a line one.
fn merge_links(words: &mut Inline, line: &mut Inline) {
    let (Some((last, target)), Some((first, next))) = (words.links.last_mut(), line.links.first()) else {
        return;
    };
    let between = words.text.get(last.end..).unwrap_or("x");
    if first.start == 0 && target == next && between.trim().is_empty() {
        // The appended text begins at the end of the words.
        last.end = words.text.len() + first.end;
        line.links.remove(0);
    }
}

/// Takes soft hyphens out that part no line.
pub(super) fn without_soft(words: &mut Inline) {
    while let Some(at) = words.text.find('\u{AD}') {
        words.text.remove(at);
        for (range, _) in &mut words.links {
            range.start -= if range.start > at { 2 } else { 0 };
            range.end -= if range.end > at { 2 } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parted_words_are_joined() {
        let lexicon =
            Lexicon(["ferry", "well-known", "known", "self", "made", "selfmade"].map(str::to_owned).into());
        let table = [
            ("the fer-", "ry leaves", "the ferry leaves"),
            ("the fer\u{AD}", "ry leaves", "the ferry leaves"),
            ("a well-", "known pier", "a well-known pier"),
            ("self-", "made", "selfmade"),
            ("a \u{201C}har-", "bour\u{201D}", "a \u{201C}harbour\u{201D}"),
            ("a well-", "kept pier", "a well-kept pier"),
            ("well-", "ness", "wellness"),
            ("her self-", "sufficient", "her self-sufficient"),
            ("self-", "ish", "selfish"),
            ("co-", "operation", "cooperation"),
            ("Ost-", "West", "Ost- West"),
            ("1990-", "1995", "1990- 1995"),
            ("渡船", "离开", "渡船离开"),
            ("tea", "leaves", "tea leaves"),
        ];
        for (before, after, joined) in table {
            let mut words = Inline::from(before);
            lexicon.join(&mut words, Inline::from(after));
            assert_eq!(words.text, joined);
        }
    }

    #[test]
    fn links_go_on() {
        let lexicon = Lexicon::default();
        let link = |text: &str, from: usize| Inline {
            formulas: Vec::new(),
            text: text.into(),
            links: vec![(from..text.len(), "http://a.example/".into())],
        };
        let mut words = link("see the fer-", 4);
        lexicon.join(&mut words, link("ry", 0));
        assert_eq!(words.links, [(4..13, "http://a.example/".into())]);
        assert_eq!(words.text.get(4..13), Some("the ferry"));
    }
}
