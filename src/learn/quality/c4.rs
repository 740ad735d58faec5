//! Signals of C4's rules, and the lines that it keeps.
//!
//! **Definition.** A line is kept that ends with a full stop, question or exclamation mark or a quote, but with no ellipsis, has three words at least and
//! none of more than 1,000 characters, and has neither the word javascript nor a notice on cookies, privacy or terms of use. Marks of citations are taken out of
//! it. Of kept lines the sentences are counted.
//!
//! **Reference.** Raffel and others 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", JMLR 21/140,
//! section 2.2; the notices and the length of words are those of its published code.

use std::borrow::Cow;
use std::sync::LazyLock;
use webmill_capture::cut::Cut;

use aho_corasick::AhoCorasick;

use super::signs::{is_space, is_terminal, lines};
use super::tokens::{Token, tokens};
use super::{Room, Signals, View};

/// What marks a page as no text, a line as no sentence, or as a notice, in small letters.
const MARKS: [&str; 8] = [
    "lorem ipsum",
    "javascript",
    "terms of use",
    "privacy policy",
    "cookie policy",
    "uses cookies",
    "use of cookies",
    "use cookies",
];

static MARK: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let built = AhoCorasick::builder().ascii_case_insensitive(true).build(MARKS);
    built.expect("eight short words make an automaton")
});

/// Characters of the longest word of a line that is kept.
const LONGEST_WORD: usize = 1000;
/// Words of a line that is kept, at least.
const FEWEST_WORDS: usize = 3;
/// Characters of a long line, by which mC4 counts paragraphs.
const LONG_LINE: usize = 200;

/// Becomes of a line.
enum Fate<'a> {
    Kept(Cow<'a, str>),
    Javascript,
    Notice,
    /// It ends as no sentence does, or is too short.
    Plain,
    /// A word that marks the page as no text.
    LoremIpsum,
    CurlyBracket,
}

fn fate(line: &str) -> Fate<'_> {
    let line = line.trim_matches(is_space);
    let mut words = 0;
    for word in line.split(is_space).filter(|word| !word.is_empty()) {
        words += 1;
        if word.len() > LONGEST_WORD && word.chars().nth(LONGEST_WORD).is_some() {
            return Fate::Plain;
        }
    }
    let line = without_citations(line);
    if !line.ends_with(['.', '?', '!', '"', '\'']) || line.ends_with("...") || words < FEWEST_WORDS {
        return Fate::Plain;
    }
    let mut marks = [false; MARKS.len()];
    MARK.find_overlapping_iter(&*line).for_each(|found| marks[found.pattern().as_usize()] = true);
    match marks {
        [true, ..] => Fate::LoremIpsum,
        [_, true, ..] => Fate::Javascript,
        _ if line.contains('{') => Fate::CurlyBracket,
        _ if marks.contains(&true) => Fate::Notice,
        _ => Fate::Kept(line),
    }
}

/// A line without `[12]`, `[edit]` and `[citation needed]`.
fn without_citations(line: &str) -> Cow<'_, str> {
    if !line.contains('[') {
        return line.into();
    }
    let mut left = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('[') {
        let (before, mark) = rest.split_at(at);
        left.push_str(before);
        let digits = 1 + mark.cut(1..).bytes().take_while(u8::is_ascii_digit).count();
        let length = match mark.cut(digits..) {
            behind if behind.starts_with(']') => digits + 1,
            _ if mark.starts_with("[edit]") => "[edit]".len(),
            _ if mark.starts_with("[citation needed]") => "[citation needed]".len(),
            _ => {
                left.push('[');
                1
            }
        };
        rest = mark.cut(length..);
    }
    left.push_str(rest);
    left.into()
}

/// Sentences of the tokens of a line, at least one: a new one begins with the first token that is no punctuation behind one that ends a sentence.
fn sentences<'t>(tokens: impl Iterator<Item = &'t Token>, text: &str) -> u32 {
    let (mut sentences, mut ended) = (1, false);
    for token in tokens {
        let ends = token.chars == 1 && token.of(text).starts_with(is_terminal);
        if ended && !ends && !token.is_sign {
            sentences += 1;
            ended = false;
        } else {
            ended |= ends;
        }
    }
    sentences
}

/// The lines of a text that C4 keeps; `None` where none is left.
pub fn kept_lines(text: &str) -> Option<String> {
    let mut kept = String::new();
    for line in lines(text) {
        if let Fate::Kept(line) = fate(line) {
            kept.push_str(if kept.is_empty() { "" } else { "\n" });
            kept.push_str(&line);
        }
    }
    (!kept.is_empty()).then_some(kept)
}

pub(super) fn measure(view: &View<'_>, _: &mut Room, row: &mut Signals) {
    (row.c4_sentences, row.javascript_lines, row.policy_lines, row.long_lines) = (0, 0, 0, 0);
    (row.lorem_ipsum, row.curly_bracket) = (false, false);
    let mut chars = 0;
    let mut room = Vec::new();
    let mut rest = view.tokens;
    for line in lines(view.text) {
        let start = line.as_ptr() as usize - view.text.as_ptr() as usize;
        let count =
            |of: &[Token], at: usize| of.iter().take_while(|token| (token.start as usize) < at).count();
        rest = &rest[count(rest, start)..];
        let (of_line, behind) = rest.split_at(count(rest, start + line.len()));
        rest = behind;
        match fate(line) {
            Fate::Kept(line) => {
                chars += line.chars().count();
                row.c4_sentences += match &line {
                    Cow::Borrowed(_) => sentences(of_line.iter(), view.text),
                    Cow::Owned(line) => {
                        tokens(line, view.language, &mut room);
                        sentences(room.iter(), line)
                    }
                };
            }
            Fate::Javascript => row.javascript_lines += 1,
            Fate::Notice => row.policy_lines += 1,
            Fate::LoremIpsum => row.lorem_ipsum = true,
            Fate::CurlyBracket => row.curly_bracket = true,
            Fate::Plain => {}
        }
    }
    row.c4_chars = chars as f64 / view.chars;
    row.long_lines =
        view.text.split('\n').filter(|line| line.chars().nth(LONG_LINE - 1).is_some()).count() as u32;
}
