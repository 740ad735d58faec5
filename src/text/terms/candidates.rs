//! The words of a text that can say what it is about.
//!
//! **Cost.** A word costs its bytes and one look into a table; it is brought into comparison form once for each way in which it is
//! written, and whether a form is a candidate is asked once a form.

use std::cell::Cell;
use std::ops::Range;
use webmill_capture::cut::Cut;

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use super::normalize::normalize_into;
use super::stop_words::StopWords;
use super::terms_of_text::Terms;
use super::words::words;

/// Words of a text that are read.
const MAX_WORDS: usize = 20_000;
/// Distinct candidates of a text.
const MAX_NODES: usize = 5_000;
/// Bytes of a candidate.
const MAX_BYTES: usize = 64;
/// The number of a form that is no candidate.
const NONE: u32 = u32::MAX;

/// Candidates in the order of first occurrence.
pub(super) struct Candidates<'t> {
    nodes: Vec<Node<'t>>,
    /// Numbers of the candidates of all sentences, and where these end.
    sequence: Vec<u32>,
    ends: Vec<u32>,
}

/// A candidate.
struct Node<'t> {
    /// Of its comparison form.
    hash: u64,
    count: u32,
    /// The way in which it is written most often, and how often that is.
    written: &'t str,
    times: u32,
}

/// Ways in which words are written, and comparison forms, with the numbers of their candidates.
#[derive(Default)]
struct CandidateForms {
    written: HashTable<u32>,
    ways: Vec<WordForm>,
    table: HashTable<u32>,
    bytes: String,
    known: Vec<Form>,
}

/// A way in which words are written.
struct WordForm {
    hash: u64,
    /// Where it stands first.
    at: u32,
    len: u8,
    number: u32,
    count: u32,
}

struct Form {
    hash: u64,
    end: u32,
    number: u32,
}

thread_local! {
    /// Those of the text before, whose memory serves the next one.
    static FORMS: Cell<CandidateForms> = Cell::default();
}

impl CandidateForms {
    /// None, in the memory of those of the text before.
    fn empty() -> CandidateForms {
        let mut forms = FORMS.take();
        forms.written.clear();
        forms.ways.clear();
        forms.table.clear();
        forms.bytes.clear();
        forms.known.clear();
        forms
    }

    fn give_back(self) {
        if self.ways.capacity() <= 2 * MAX_WORDS {
            FORMS.set(self);
        }
    }

    fn form(&self, at: u32) -> &str {
        let at = at as usize;
        let from = if at == 0 { 0 } else { self.known[at - 1].end as usize };
        self.bytes.cut(from..self.known[at].end as usize)
    }

    fn find(&self, hash: u64, form: &str) -> Option<u32> {
        let same = |at: &u32| self.known[*at as usize].hash == hash && self.form(*at) == form;
        self.table.find(hash, same).map(|at| self.known[*at as usize].number)
    }

    fn add(&mut self, hash: u64, form: &str, number: u32) {
        let at = self.known.len() as u32;
        self.bytes.push_str(form);
        self.known.push(Form { hash, end: self.bytes.len() as u32, number });
        let known = &self.known;
        self.table.insert_unique(hash, at, |at| known[*at as usize].hash);
    }

    /// Counts a way of writing that was met before in this text; the number of its candidate.
    #[inline]
    fn again(&mut self, hash: u64, word: &str, text: &str) -> Option<u32> {
        let ways = &self.ways;
        let same = |way: &u32| {
            let way = &ways[*way as usize];
            way.hash == hash && way.of(text) == word
        };
        let way = *self.written.find(hash, same)?;
        let way = &mut self.ways[way as usize];
        way.count += 1;
        Some(way.number)
    }

    /// A way of writing that is met for the first time, at this place of the text.
    fn first(&mut self, hash: u64, (at, word): (usize, &str), number: u32) {
        let way = self.ways.len() as u32;
        self.ways.push(WordForm { hash, at: at as u32, len: word.len() as u8, number, count: 1 });
        let ways = &self.ways;
        self.written.insert_unique(hash, way, |way| ways[*way as usize].hash);
    }
}

impl WordForm {
    fn of<'t>(&self, text: &'t str) -> &'t str {
        text.cut(self.at as usize..self.at as usize + usize::from(self.len))
    }
}

impl<'t> Candidates<'t> {
    /// Those of a text in this language (ISO 639-3).
    pub fn of(text: &'t str, iso639_3: Option<&str>) -> Candidates<'t> {
        let stop = StopWords::of(iso639_3);
        let mut found = Candidates { nodes: Vec::new(), sequence: Vec::new(), ends: Vec::new() };
        let (mut forms, mut form, mut seen) = (CandidateForms::empty(), String::new(), 0);
        for sentence in sentences(text) {
            if seen >= MAX_WORDS {
                break;
            }
            compounds(text, sentence, |word| {
                seen += 1;
                if seen > MAX_WORDS || word.len() > MAX_BYTES {
                    return;
                }
                let hash = xxh3_64(word.as_bytes());
                let number = forms.again(hash, word, text).unwrap_or_else(|| {
                    let number = found.candidate(word, hash, stop, (&mut forms, &mut form));
                    let at = word.as_ptr() as usize - text.as_ptr() as usize;
                    forms.first(hash, (at, word), number);
                    number
                });
                if number != NONE {
                    found.sequence.push(number);
                }
            });
            let all = found.sequence.len() as u32;
            if found.ends.last().copied().unwrap_or(0) < all {
                found.ends.push(all);
            }
        }
        // In the order in which they are written first: of equals, the first one stays.
        for way in forms.ways.iter().filter(|way| way.number != NONE) {
            let node = &mut found.nodes[way.number as usize];
            node.count += way.count;
            if way.count > node.times {
                (node.written, node.times) = (way.of(text), way.count);
            }
        }
        forms.give_back();
        found
    }

    /// The number of the candidate that a word is, which is written in a way that was not met before.
    fn candidate(
        &mut self,
        word: &'t str,
        hash_of_word: u64,
        stop: StopWords,
        (forms, form): (&mut CandidateForms, &mut String),
    ) -> u32 {
        form.clear();
        normalize_into(word, form);
        let hash = if form == word { hash_of_word } else { xxh3_64(form.as_bytes()) };
        forms.find(hash, form).unwrap_or_else(|| {
            let is_one = self.nodes.len() < MAX_NODES && is_candidate(form, hash, stop);
            let number = if is_one { self.nodes.len() as u32 } else { NONE };
            if is_one {
                self.nodes.push(Node { hash, count: 0, written: word, times: 0 });
            }
            forms.add(hash, form, number);
            number
        })
    }

    /// Apart from the text.
    pub fn terms(self) -> Terms {
        let mut terms = Terms::new(self.sequence, self.ends);
        self.nodes.iter().for_each(|node| terms.push(node.hash, node.count, node.written));
        terms
    }
}

/// The words of a sentence of a text, with names of several parts whole: those that hyphens join and that have a number (`COVID-19`,
/// `SARS-CoV-2`), those that end in `++` or `#` (`C++`), and those that begin with a point (`.NET`).
fn compounds<'t>(text: &'t str, sentence: &'t str, mut each: impl FnMut(&'t str)) {
    let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
    let place = |word: &str| {
        let from = word.as_ptr() as usize - text.as_ptr() as usize;
        from..from + word.len()
    };
    // Parts of what may be one name, which stand one behind the other.
    let mut parts: Vec<&'t str> = Vec::new();
    let mut give = |parts: &mut Vec<&'t str>| {
        match parts[..] {
            [first, .., last] if is_name(parts) => each(text.cut(place(first).start..place(last).end)),
            _ => parts.iter().for_each(|part| each(part)),
        }
        parts.clear();
    };
    words(sentence, |word| {
        let Range { start: mut from, end: mut to } = place(word);
        let bytes = text.as_bytes();
        if let Some(last) = parts.last() {
            let joined = parts.len() < MAX_PARTS && bytes.get(place(last).end..from) == Some(b"-");
            if !joined {
                give(&mut parts);
            }
        }
        let is_free = |at: usize| {
            let is_other = |b: &u8| b.is_ascii() && !b.is_ascii_alphanumeric() && !matches!(b, b'+' | b'#');
            bytes.get(at).is_none_or(is_other)
        };
        let is_capital = bytes.get(from).is_some_and(u8::is_ascii_uppercase);
        if is_capital && from == start && text.cut(..from).ends_with('.') && (from < 2 || is_free(from - 2)) {
            from -= 1;
        }
        if is_capital {
            let marks = ["++", "#"].into_iter().find(|marks| text.cut(to..).starts_with(marks));
            to += marks.map(str::len).filter(|length| is_free(to + length)).unwrap_or(0);
        }
        parts.push(text.cut(from..to));
    });
    give(&mut parts);
}

/// Parts of a name.
const MAX_PARTS: usize = 6;

/// Whether parts that hyphens join are a name: it begins with a letter, and has a number that is no year.
fn is_name(parts: &[&str]) -> bool {
    let is_number = |part: &&&str| part.bytes().all(|b| b.is_ascii_digit());
    let mut numbers = parts.iter().filter(is_number).peekable();
    let begins = parts.first().is_some_and(|first| first.starts_with(char::is_alphabetic));
    begins && numbers.peek().is_some() && numbers.all(|number| number.len() != 4)
}

/// What sentences end with, or a character that they may end with begins with.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let all = *b"\n.!?;|\xE3\xEF";
    let mut at = 0;
    while at < all.len() {
        ends[all[at] as usize] = true;
        at += 1;
    }
    ends
};

/// The sentences of a text, roughly; some may be empty.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let here = rest?;
        let bytes = here.as_bytes();
        let mut at = 0;
        while let Some(found) = bytes[at..].iter().position(|b| ENDS[usize::from(*b)]) {
            at += found;
            let mark = match bytes[at] {
                // 。 and ！；？, full width.
                0xE3 if !bytes[at + 1..].starts_with(&[0x80, 0x82]) => 0,
                0xEF if bytes[at + 1] != 0xBC || !matches!(bytes[at + 2], 0x81 | 0x9B | 0x9F) => 0,
                0xE3 | 0xEF => 3,
                _ => 1,
            };
            if mark > 0 {
                rest = Some(here.cut(at + mark..));
                return Some(here.cut(..at));
            }
            at += 3;
        }
        rest = None;
        Some(here)
    })
}

/// Whether a word in its comparison form can say what a text is about.
fn is_candidate(form: &str, hash: u64, stop: StopWords) -> bool {
    let mut letters = form.chars().filter(|c| c.is_alphabetic());
    let is_compound = || form.contains(['-', '+', '#']);
    letters.next().is_some() && (letters.next().is_some() || is_compound()) && !stop.hold_hashed(form, hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sentences_are_those_of_split(text in "([a.!?;|\n]|[。！？；é中，]|\\PC){0,30}") {
            let split = text.split(['\n', '.', '!', '?', '。', '！', '？', '；', ';', '|']);
            prop_assert_eq!(sentences(&text).collect::<Vec<_>>(), split.collect::<Vec<_>>());
        }
    }

    #[test]
    fn names_of_several_parts_are_whole() {
        let found = |text| {
            let mut found = Vec::new();
            sentences(text).for_each(|sentence| compounds(text, sentence, |word| found.push(word)));
            found.join(" ")
        };
        assert_eq!(found("COVID-19, SARS-CoV-2; an F-16."), "COVID-19 SARS-CoV-2 an F-16");
        assert_eq!(found("C++ and C#, not .NET 8.0"), "C++ and C# not .NET 8 0");
        assert_eq!(found("a well-known pre-2019 18-year-old"), "a well known pre 2019 18 year old");
        assert_eq!(found("end.Next C+++ x#y C#é e.g. ASP.NET"), "end Next C x y C é e g ASP NET");
        assert_eq!(found("COVID-19疫情 IL-6é A--1"), "COVID-19 疫情 IL 6é A 1");
        assert_eq!(found(""), "");
        let keywords = crate::keywords("C++ beats F-16. The C++ of COVID-19 and C++", 9);
        let words: Vec<&str> = keywords.iter().map(|keyword| keyword.word.as_str()).collect();
        assert_eq!(words, ["C++", "beats", "F-16", "COVID-19"]);
    }

    #[test]
    fn forms_sentences_and_ways_of_writing() {
        let found = Terms::of("Green tea. The TEA, tea? 12 a tea; Green", Some("eng"));
        assert_eq!(found.counts.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 4]);
        assert_eq!((found.written(0), found.written(1)), ("Green", "tea"));
        let sentences: Vec<&[u32]> = found.sentences().collect();
        assert_eq!(sentences, [&[0, 1][..], &[1, 1], &[1], &[0]]);
        assert_eq!(found.counts[0].0, xxh3_64(b"green"));
        assert!(Terms::of("", None).is_empty());
    }
}
