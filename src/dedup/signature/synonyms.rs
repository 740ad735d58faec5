//! Synonyms: a file of words that stand for one another, and a text in which they are one.
//!
//! **Definition.** A line is `base variant variant …`, words separated by white space; empty lines and lines that begin with
//! `#` say nothing. Text and words are compared in their [comparison form](webmill_text::normalize()). Folding reads a text
//! from left to right; where words of the file begin, the longest counts and is replaced by its base, and reading goes
//! on behind it. A base stands for itself, so that a variant inside of a base (北京 in 北京大学) is left alone. In
//! scripts with spaces a word of the file is matched as a whole word: `car` does not match in `carpet`.
//!
//! **What a file can say wrongly** is settled by the lines before, told in [`Synonyms::notes`] with the number of its line,
//! and ends nothing: a variant that already has another base keeps it; a variant that would close a cycle (`a b`, then
//! `b a`) is left out; a base that is a variant elsewhere (`a b`, then `b c`) is followed to its end, so `c` becomes `a`.
//!
//! **Cost.** A step a character of the text times the length of the longest word that begins there, at most
//! [`MAX_WORD_CHARS`]; some 40 bytes a distinct beginning of a word in the file.
//!
//! **Determinism.** A function of the file and the text.

use std::collections::HashMap;
use std::io::BufRead;

use webmill_capture::error::{Error, Result};
use webmill_text::normalize;

/// Characters of a word in the file.
pub const MAX_WORD_CHARS: usize = 64;

/// Words of a file.
const MAX_WORDS: usize = 4_000_000;

/// Bytes of a line that are read.
pub(crate) const MAX_LINE_BYTES: u64 = 1 << 20;

/// Notes that are kept; more are counted.
const MAX_NOTES: usize = 1_000;

/// What is odd about a line of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SynonymNote {
    /// Number of the line, from 1.
    pub line: u64,
    /// The word, as it is compared.
    pub word: String,
    /// What is odd.
    pub fault: SynonymFault,
}

/// What can be odd about a line.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum SynonymFault {
    /// The variant already has another base, from an earlier line, and keeps it.
    OtherBase,
    /// The variant is what its base stands for in the end: it is left out.
    Cycle,
    /// The base is a variant elsewhere, or the variant a base: they are followed to the end.
    Chain,
    /// The line has a base and no variant.
    Alone,
    /// The word is longer than [`MAX_WORD_CHARS`], or nothing is left of it in its comparison form: it is left out.
    Unusable,
    /// The line is longer than 1 MiB or no UTF-8: it is left out.
    Unreadable,
    /// The file has more than four million words: from here on nothing is read.
    TooMany,
}

impl SynonymFault {
    /// The fault in words.
    pub fn message(self) -> &'static str {
        match self {
            SynonymFault::OtherBase => "already has another base, which it keeps",
            SynonymFault::Cycle => "would stand for itself by way of others: left out",
            SynonymFault::Chain => "is a base here and a variant elsewhere: followed to the end",
            SynonymFault::Alone => "has no variant",
            SynonymFault::Unusable => "is empty or longer than 64 characters: left out",
            SynonymFault::Unreadable => "longer than 1 MiB or no UTF-8: left out",
            SynonymFault::TooMany => "more words than are read: the rest of the file is left out",
        }
    }
}

impl std::fmt::Display for SynonymNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: ", self.line)?;
        if !self.word.is_empty() {
            write!(f, "\u{201C}{}\u{201D} ", self.word)?;
        }
        f.write_str(self.fault.message())
    }
}

/// The words of a file, ready to be folded.
#[derive(Clone, Debug, Default)]
pub struct Synonyms {
    /// (node, character) → node; the root is 0.
    edges: HashMap<(u32, char), u32>,
    /// For each node the word that ends there, as number, or `NONE`.
    ends: Vec<u32>,
    words: Vec<String>,
    /// For each word what it stands for in the end: itself or its base.
    bases: Vec<u32>,
    notes: Vec<SynonymNote>,
    notes_left_out: u64,
}

const NONE: u32 = u32::MAX;

impl Synonyms {
    /// Reads a file of synonyms.
    ///
    /// # Errors
    /// [`Error::Io`](webmill_capture::error::Error::Io) with `name` where the source cannot be read. What the file says
    /// wrongly is no error: see [`notes`](Self::notes).
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::Synonyms;
    /// let file = "华联商厦 北京华联 华联超市\ncar automobile\n";
    /// let synonyms = Synonyms::read(file.as_bytes(), "synonyms.txt")?;
    /// assert_eq!(synonyms.fold("北京华联决策者"), "华联商厦决策者");
    /// assert_eq!(synonyms.fold("An Automobile, no automobiles."), "an car, no automobiles.");
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn read(mut source: impl BufRead, name: &str) -> Result<Self> {
        let mut made = Builder::default();
        let mut line = Vec::new();
        let mut number = 0;
        loop {
            line.clear();
            let bytes = read_line(&mut source, &mut line).map_err(|e| Error::io(name, e))?;
            if bytes == 0 {
                break;
            }
            number += 1;
            if bytes > MAX_LINE_BYTES {
                made.note(number, String::new(), SynonymFault::Unreadable);
                continue;
            }
            let Ok(text) = std::str::from_utf8(&line) else {
                made.note(number, String::new(), SynonymFault::Unreadable);
                continue;
            };
            let text = if number == 1 { text.trim_start_matches('\u{FEFF}') } else { text };
            if !made.line(number, text) {
                break;
            }
        }
        Ok(made.finish())
    }

    /// What is odd in the file, in the order of its lines; at most 1,000 notes.
    pub fn notes(&self) -> &[SynonymNote] {
        &self.notes
    }

    /// Notes beyond those that are kept.
    pub fn notes_left_out(&self) -> u64 {
        self.notes_left_out
    }

    /// Whether no word is known.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// What a word given in its comparison form stands for: its base, itself for a base, `None` for a word that the file
    /// does not have.
    pub fn base(&self, form: &str) -> Option<&str> {
        let (word, length) = self.longest(form, None)?;
        (length == form.len()).then(|| self.base_of(word))
    }

    /// Whether a word given in its comparison form is one that others stand for, or that stands for itself.
    pub(crate) fn is_base(&self, form: &str) -> bool {
        self.base(form) == Some(form)
    }

    /// The text in its comparison form, with the words of the file replaced by their bases.
    pub fn fold(&self, text: &str) -> String {
        let text = normalize(text);
        if self.is_empty() {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        let (mut at, mut before) = (0, None);
        while let Some(c) = text[at..].chars().next() {
            let (piece, length) = match self.longest(&text[at..], before) {
                Some((word, length)) => (self.base_of(word), length),
                None => (&text[at..at + c.len_utf8()], c.len_utf8()),
            };
            out.push_str(piece);
            at += length;
            before = text[..at].chars().next_back();
        }
        out
    }

    fn base_of(&self, word: u32) -> &str {
        &self.words[self.bases[word as usize] as usize]
    }

    /// The longest word that `text` begins with, as number, and its length in bytes; `before` is the character before it.
    fn longest(&self, text: &str, before: Option<char>) -> Option<(u32, usize)> {
        let first = text.chars().next()?;
        if before.is_some_and(|before| joined(before, first)) {
            return None;
        }
        let (mut node, mut found) = (0, None);
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let Some(&next) = self.edges.get(&(node, c)) else { break };
            node = next;
            let word = self.ends[node as usize];
            let ends = chars.peek().is_none_or(|&(_, after)| !joined(c, after));
            if word != NONE && ends {
                found = Some((word, at + c.len_utf8()));
            }
        }
        found
    }
}

/// Reads a line without its end into `line`; gives the bytes of the line, 0 at the end. Of lines that are too long only
/// the beginning is held.
pub(crate) fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<u64> {
    let mut bytes = 0;
    loop {
        let buffer = match source.fill_buf() {
            Ok(buffer) => buffer,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let end = buffer.iter().position(|&b| b == b'\n');
        let taken = end.map_or(buffer.len(), |end| end + 1);
        if bytes <= MAX_LINE_BYTES {
            line.extend_from_slice(&buffer[..end.unwrap_or(taken)]);
        }
        bytes += taken as u64;
        source.consume(taken);
        if end.is_some() || taken == 0 {
            return Ok(bytes);
        }
    }
}

/// Whether two neighbours are inside of one word: both letters or digits of a script that writes spaces.
fn joined(a: char, b: char) -> bool {
    spaced(a) && spaced(b)
}

fn spaced(c: char) -> bool {
    // Han and kana, Thai and Lao, Myanmar, Khmer are written without spaces.
    let without = matches!(c, '\u{2E80}'..='\u{A4CF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}'
        | '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}');
    c.is_alphanumeric() && !without
}

/// Words and what they stand for, while the file is read.
#[derive(Default)]
struct Builder {
    made: Synonyms,
    numbers: HashMap<String, u32>,
    /// Whether the word heads a line.
    heads: Vec<bool>,
}

impl Builder {
    fn note(&mut self, line: u64, word: String, fault: SynonymFault) {
        if self.made.notes.len() < MAX_NOTES {
            self.made.notes.push(SynonymNote { line, word, fault });
        } else {
            self.made.notes_left_out += 1;
        }
    }

    /// Takes a line; false where nothing more is read.
    fn line(&mut self, number: u64, text: &str) -> bool {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return true;
        }
        let mut words = text.split_whitespace();
        let Some(base) = words.next().and_then(|word| self.word(number, word)) else { return !self.full() };
        let mut any = false;
        for variant in words {
            if self.full() {
                self.note(number, String::new(), SynonymFault::TooMany);
                return false;
            }
            any = true;
            if let Some(variant) = self.word(number, variant) {
                self.join(number, base, variant);
            }
        }
        if !any {
            self.note(number, self.made.words[base as usize].clone(), SynonymFault::Alone);
        }
        true
    }

    fn full(&self) -> bool {
        self.made.words.len() >= MAX_WORDS
    }

    /// The number of a word; `None` where it cannot be used.
    fn word(&mut self, line: u64, word: &str) -> Option<u32> {
        let form = normalize(word);
        if form.is_empty() || form.chars().count() > MAX_WORD_CHARS {
            self.note(line, form.chars().take(MAX_WORD_CHARS).collect(), SynonymFault::Unusable);
            return None;
        }
        if let Some(&number) = self.numbers.get(&form) {
            return Some(number);
        }
        let number = self.made.words.len() as u32;
        self.numbers.insert(form.clone(), number);
        self.made.words.push(form);
        self.made.bases.push(number);
        self.heads.push(false);
        Some(number)
    }

    /// What the word stands for so far; the way is shortened while it is gone.
    fn root(&mut self, word: u32) -> u32 {
        let bases = &mut self.made.bases;
        let mut at = word as usize;
        while bases[at] as usize != at {
            bases[at] = bases[bases[at] as usize];
            at = bases[at] as usize;
        }
        at as u32
    }

    fn join(&mut self, line: u64, base: u32, variant: u32) {
        let name = |made: &Synonyms, word: u32| made.words[word as usize].clone();
        let (base_root, variant_root) = (self.root(base), self.root(variant));
        if variant_root != variant {
            // It has a base: the same one said twice is no fault.
            if variant_root != base_root {
                self.note(line, name(&self.made, variant), SynonymFault::OtherBase);
            }
            return;
        }
        if base_root == variant {
            self.note(line, name(&self.made, variant), SynonymFault::Cycle);
            return;
        }
        if base_root != base {
            self.note(line, name(&self.made, base), SynonymFault::Chain);
        }
        if self.heads[variant as usize] {
            self.note(line, name(&self.made, variant), SynonymFault::Chain);
        }
        self.heads[base as usize] = true;
        self.made.bases[variant as usize] = base_root;
    }

    fn finish(mut self) -> Synonyms {
        for word in 0..self.made.words.len() as u32 {
            let root = self.root(word);
            self.made.bases[word as usize] = root;
        }
        let Synonyms { edges, ends, words, .. } = &mut self.made;
        ends.push(NONE);
        for (number, word) in words.iter().enumerate() {
            let mut node = 0;
            for c in word.chars() {
                node = *edges.entry((node, c)).or_insert_with(|| {
                    ends.push(NONE);
                    ends.len() as u32 - 1
                });
            }
            ends[node as usize] = number as u32;
        }
        self.made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn synonyms(file: &str) -> Synonyms {
        Synonyms::read(file.as_bytes(), "file").expect("memory can be read")
    }

    fn notes(file: &str) -> Vec<(u64, String, SynonymFault)> {
        synonyms(file).notes().iter().map(|note| (note.line, note.word.clone(), note.fault)).collect()
    }

    #[test]
    fn the_longest_word_counts_from_left_to_right() {
        let made = synonyms("华联商厦 北京华联 华联超市\n首都 北京\nbig large huge\n");
        for (text, folded) in [
            ("北京华联决策者", "华联商厦决策者"),
            ("北京华联超市", "华联商厦超市"),
            ("北京的华联超市", "首都的华联商厦"),
            ("北京北京华联", "首都华联商厦"),
            ("Huge enlarge LARGE, large.", "big enlarge big, big."),
            ("第3large", "第3large"),
            ("用large的", "用big的"),
            ("", ""),
        ] {
            assert_eq!(made.fold(text), folded, "{text}");
        }
    }

    #[test]
    fn a_variant_inside_of_a_base_is_left_alone() {
        let made = synonyms("北京大学 北大 北京\n");
        assert_eq!(made.fold("北京大学和北大和北京"), "北京大学和北京大学和北京大学");
        assert_eq!((made.base("北大"), made.base("北"), made.base("北大x")), (Some("北京大学"), None, None));
        assert!(made.is_base("北京大学") && !made.is_base("北大"));
    }

    #[test]
    fn cycles_are_cut_at_the_line_that_closes_them() {
        let file = "a b\nb c\nc a\nx x\n";
        let made = synonyms(file);
        assert_eq!(
            notes(file),
            [
                (2, "b".into(), SynonymFault::Chain),
                (3, "a".into(), SynonymFault::Cycle),
                (4, "x".into(), SynonymFault::Cycle)
            ]
        );
        assert_eq!(made.fold("a b c x"), "a a a x");
        assert_eq!(
            made.notes()[1].to_string(),
            "line 3: “a” would stand for itself by way of others: left out"
        );
    }

    #[test]
    fn chains_are_followed_to_the_end_in_either_order() {
        for file in ["a b\nb c\nc d\n", "c d\nb c\na b\n", "b c\na b\nc d\n"] {
            let made = synonyms(file);
            assert_eq!(made.fold("a b c d"), "a a a a", "{file}");
            assert_eq!(made.notes().len(), 2, "{file}");
            assert!(made.notes().iter().all(|note| note.fault == SynonymFault::Chain));
        }
    }

    #[test]
    fn the_first_base_stays_and_oddities_are_told() {
        let long = "x".repeat(65);
        let file = format!("\u{FEFF}# words\n\na b\nc b\na b b\nd\n{long} e\na {long}\n");
        assert_eq!(
            notes(&file),
            [
                (4, "b".into(), SynonymFault::OtherBase),
                (6, "d".into(), SynonymFault::Alone),
                (7, "x".repeat(64), SynonymFault::Unusable),
                (8, "x".repeat(64), SynonymFault::Unusable)
            ]
        );
        assert_eq!(synonyms(&file).fold("b e"), "a e");
    }

    #[test]
    fn unreadable_lines_are_passed_over() {
        let file = [&b"a b\n\xFF\xFE c\n"[..], &vec![b'y'; 3 << 20], b"\nd e\n"].concat();
        let made = Synonyms::read(&file[..], "file").expect("memory can be read");
        let faults: Vec<_> = made.notes().iter().map(|note| (note.line, note.fault)).collect();
        assert_eq!(faults, [(2, SynonymFault::Unreadable), (3, SynonymFault::Unreadable)]);
        assert_eq!(made.fold("b e"), "a d");
    }

    #[test]
    fn a_long_chain_written_backwards_stays_linear_and_notes_are_counted() {
        let file: String = (0..50_000).rev().map(|i| format!("w{i} w{}\n", i + 1)).collect();
        let made = synonyms(&file);
        assert_eq!(made.fold("w50000 w17"), "w0 w0");
        assert_eq!((made.notes().len(), made.notes_left_out()), (1_000, 48_999));
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once_on_words(lines in prop::collection::vec("[a-f]( [a-f]){0,3}", 0..12), text in "([a-h] ){0,20}") {
            let made = synonyms(&lines.join("\n"));
            let once = made.fold(&text);
            prop_assert_eq!(made.fold(&once), once.clone());
            prop_assert_eq!(once.split(' ').count(), normalize(&text).split(' ').count());
        }
    }
}
