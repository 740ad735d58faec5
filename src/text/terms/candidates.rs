//! The words of a text that can say what it is about.
//!
//! **Cost.** A word costs its bytes and one look into a table; whether a form is a candidate is asked once a form.

use std::cell::Cell;

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
    /// Ways in which it is written, and how often; most have one.
    first: (&'t str, u32),
    others: Vec<(&'t str, u32)>,
}

/// Comparison forms that were met, with the numbers of their candidates.
#[derive(Default)]
struct Forms {
    table: HashTable<u32>,
    bytes: String,
    known: Vec<Form>,
}

struct Form {
    hash: u64,
    end: u32,
    number: u32,
}

thread_local! {
    /// Those of the text before, whose memory serves the next one.
    static FORMS: Cell<Forms> = Cell::default();
}

impl Forms {
    /// None, in the memory of those of the text before.
    fn empty() -> Forms {
        let mut forms = FORMS.take();
        forms.table.clear();
        forms.bytes.clear();
        forms.known.clear();
        forms
    }

    fn give_back(self) {
        if self.known.capacity() <= 2 * MAX_WORDS {
            FORMS.set(self);
        }
    }

    fn form(&self, at: u32) -> &str {
        let at = at as usize;
        let from = if at == 0 { 0 } else { self.known[at - 1].end as usize };
        &self.bytes[from..self.known[at].end as usize]
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
}

impl<'t> Candidates<'t> {
    /// Those of a text in this language (ISO 639-3).
    pub fn of(text: &'t str, iso639_3: Option<&str>) -> Candidates<'t> {
        let stop = StopWords::of(iso639_3);
        let mut found = Candidates { nodes: Vec::new(), sequence: Vec::new(), ends: Vec::new() };
        let (mut forms, mut form, mut seen) = (Forms::empty(), String::new(), 0);
        for sentence in sentences(text) {
            if seen >= MAX_WORDS {
                break;
            }
            words(sentence, |word| {
                seen += 1;
                if seen > MAX_WORDS || word.len() > MAX_BYTES {
                    return;
                }
                form.clear();
                normalize_into(word, &mut form);
                let hash = xxh3_64(form.as_bytes());
                let number = forms.find(hash, &form).unwrap_or_else(|| {
                    let is_one = found.nodes.len() < MAX_NODES && is_candidate(&form, stop);
                    let number = if is_one { found.nodes.len() as u32 } else { NONE };
                    if is_one {
                        found.nodes.push(Node { hash, count: 0, first: (word, 0), others: Vec::new() });
                    }
                    forms.add(hash, &form, number);
                    number
                });
                if let Some(node) = found.nodes.get_mut(number as usize) {
                    node.count += 1;
                    node.write(word);
                    found.sequence.push(number);
                }
            });
            let all = found.sequence.len() as u32;
            if found.ends.last().copied().unwrap_or(0) < all {
                found.ends.push(all);
            }
        }
        forms.give_back();
        found
    }

    /// Apart from the text.
    pub fn terms(self) -> Terms {
        let mut terms = Terms::new(self.sequence, self.ends);
        self.nodes.iter().for_each(|node| terms.push(node.hash, node.count, node.written()));
        terms
    }
}

/// The sentences of a text, roughly; some may be empty.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let here = rest?;
        let bytes = here.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let mark = match bytes[at] {
                b'\n' | b'.' | b'!' | b'?' | b';' | b'|' => 1,
                // 。 and ！；？, full width.
                0xE3 if bytes[at + 1..].starts_with(&[0x80, 0x82]) => 3,
                0xEF if bytes[at + 1] == 0xBC && matches!(bytes[at + 2], 0x81 | 0x9B | 0x9F) => 3,
                _ => {
                    at += 1;
                    continue;
                }
            };
            rest = Some(&here[at + mark..]);
            return Some(&here[..at]);
        }
        rest = None;
        Some(here)
    })
}

impl<'t> Node<'t> {
    /// As it is written most often; ties: as it was written first.
    fn written(&self) -> &'t str {
        let mut best = self.first;
        for other in &self.others {
            if other.1 > best.1 {
                best = *other;
            }
        }
        best.0
    }

    fn write(&mut self, word: &'t str) {
        if self.first.0 == word {
            self.first.1 += 1;
        } else if let Some(known) = self.others.iter_mut().find(|other| other.0 == word) {
            known.1 += 1;
        } else {
            self.others.push((word, 1));
        }
    }
}

/// Whether a word in its comparison form can say what a text is about.
fn is_candidate(form: &str, stop: StopWords) -> bool {
    let mut letters = form.chars().filter(|c| c.is_alphabetic());
    letters.next().is_some() && letters.next().is_some() && !stop.hold(form)
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
