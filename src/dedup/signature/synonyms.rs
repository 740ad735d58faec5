//! Synonyms: a file of words that stand for one another, and a text in which they are one.
//!
//! **Definition.** A line is `base variant variant …`, words separated by white space; empty lines and lines that begin with
//! `#` say nothing. Text and words are compared in their [comparison form](webmill_text::normalize()). Folding reads a text
//! from left to right; where words of the file begin, the longest counts and is replaced by its base, and reading goes
//! on behind it. A base stands for itself, so that a variant inside of a base (北京 in 北京大学) is left alone. In
//! scripts with spaces a word of the file is matched as a whole word: `car` does not match in `carpet`.
//!
//! **What a file can say wrongly** is settled by the lines before, counted in [`Synonyms::refused`], and ends nothing: a variant that already has another base keeps it; a variant that would close a cycle (`a b`, then
//! `b a`) is left out; a base that is a variant elsewhere (`a b`, then `b c`) is followed to its end, so `c` becomes `a`.
//!
//! **Cost.** A step a character of the text times the length of the longest word that begins there, at most
//! [`MAX_WORD_CHARS`]; some 40 bytes a distinct beginning of a word in the file.
//!
//! **Determinism.** A function of the file and the text.

use std::collections::HashMap;
use std::io::BufRead;
use webmill_capture::cut::Cut;

use webmill_capture::error::{Error, Result};
use webmill_text::normalize;

/// Characters of a word in the file.
pub const MAX_WORD_CHARS: usize = 64;

/// Words of a file.
const MAX_WORDS: usize = 4_000_000;

/// Bytes of a line that are read.
pub(crate) const MAX_LINE_BYTES: u64 = 1 << 20;

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
    refused: u64,
}

const NONE: u32 = u32::MAX;

impl Synonyms {
    /// Reads a file of synonyms.
    ///
    /// # Errors
    /// [`Error::Io`](webmill_capture::error::Error::Io) with `name` where the source cannot be read. What the file says
    /// wrongly is no error: see [`refused`](Self::refused).
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
        let mut first = true;
        loop {
            line.clear();
            let bytes = read_line(&mut source, &mut line).map_err(|e| Error::io(name, e))?;
            if bytes == 0 {
                break;
            }
            match std::str::from_utf8(&line) {
                Ok(text) if bytes <= MAX_LINE_BYTES && made.made.words.len() < MAX_WORDS => {
                    made.line(if first { text.trim_start_matches('\u{FEFF}') } else { text });
                }
                _ => made.made.refused += 1,
            }
            first = false;
        }
        Ok(made.finish())
    }

    /// Lines and words that could not be used, and variants that have another base or would close a cycle.
    pub fn refused(&self) -> u64 {
        self.refused
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
        while let Some(c) = text.cut(at..).chars().next() {
            let (piece, length) = match self.longest(text.cut(at..), before) {
                Some((word, length)) => (self.base_of(word), length),
                None => (text.cut(at..at + c.len_utf8()), c.len_utf8()),
            };
            out.push_str(piece);
            at += length;
            before = text.cut(..at).chars().next_back();
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
}

impl Builder {
    fn line(&mut self, text: &str) {
        let text = text.trim();
        if text.starts_with('#') {
            return;
        }
        let mut words = text.split_whitespace();
        let Some(base) = words.next().and_then(|word| self.word(word)) else { return };
        for variant in words {
            if let Some(variant) = self.word(variant) {
                self.join(base, variant);
            }
        }
    }

    /// The number of a word; `None` where it cannot be used.
    fn word(&mut self, word: &str) -> Option<u32> {
        let form = normalize(word);
        if form.is_empty() || form.chars().count() > MAX_WORD_CHARS {
            self.made.refused += 1;
            return None;
        }
        if let Some(&number) = self.numbers.get(&form) {
            return Some(number);
        }
        let number = self.made.words.len() as u32;
        self.numbers.insert(form.clone(), number);
        self.made.words.push(form);
        self.made.bases.push(number);
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

    fn join(&mut self, base: u32, variant: u32) {
        let (base_root, variant_root) = (self.root(base), self.root(variant));
        if variant_root != variant {
            // It has a base: the same one said twice is no fault.
            self.made.refused += u64::from(variant_root != base_root);
        } else if base_root == variant {
            self.made.refused += 1;
        } else {
            self.made.bases[variant as usize] = base_root;
        }
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
    fn what_a_file_says_wrongly_is_settled_by_the_lines_before() {
        let long = "x".repeat(65);
        let file = format!("\u{FEFF}# words\n\na b\nc b\na b b\nd\n{long} e\na {long}\n");
        let unreadable = [&b"a b\n\xFF\xFE c\n"[..], &vec![b'y'; 3 << 20], b"\nd e\n"].concat();
        let backwards: String = (0..50_000).rev().map(|i| format!("w{i} w{}\n", i + 1)).collect();
        for (name, file, text, folded, refused) in [
            ("a cycle", &b"a b\nb c\nc a\nx x\n"[..], "a b c x", "a a a x", 2),
            ("a chain", b"a b\nb c\nc d\n", "a b c d", "a a a a", 0),
            ("backwards", b"c d\nb c\na b\n", "a b c d", "a a a a", 0),
            ("in any order", b"b c\na b\nc d\n", "a b c d", "a a a a", 0),
            ("a long one", backwards.as_bytes(), "w50000 w17", "w0 w0", 0),
            ("another base", file.as_bytes(), "b e", "a e", 3),
            ("unreadable lines", &unreadable, "b e", "a d", 2),
        ] {
            let made = Synonyms::read(file, "file").expect("memory can be read");
            assert_eq!((&*made.fold(text), made.refused()), (folded, refused), "{name}");
        }
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
