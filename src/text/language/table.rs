//! The table of n-grams that languages are told by.
//!
//! **Definition.** A row an n-gram: how much more it speaks for each of some languages than for all others of the script, in
//! sixteenths of a nat. A text's score in a language is the sum over its n-grams (a linear model over n-gram counts, begun
//! as naive Bayes and trained on as multinomial logistic regression: see `datasets/languages`). Only the words of the
//! script that most letters are of are judged, among the languages written in it.
//!
//! **Calibration.** Scores are divided by a temperature that grows with the number of n-grams, since n-grams of one text are not
//! independent; the result is weighted by the text's familiarity: its score per n-gram, divided by the usual one
//! of that language. Texts in languages that are not in the table, random letters and lists of names have a low
//! one, however far the best language is ahead of the others.
//!
//! **Form of the file.** `wmlang2\n`; number of languages (u16), each of three letters, the usual score per n-gram (f32), the
//! usual share of known words (f32) and an offset in nats (f32); number of scripts (u8), each a number of languages (u8) and their indexes (u8); the numbers of
//! [`Calibration`] (f32); number of n-grams (u32), their hashes in order as differences (LEB128), then for each the number
//! of its weights (u8) and these: language (u8), weight (i8). All little-endian.
//!
//! **Cost.** Reading it: some milliseconds, once. A lookup an n-gram; of words that a thread met lately one a word (`known`).

mod known;

use std::sync::atomic::{AtomicU64, Ordering};

use webmill_capture::varint::read_varint;

use super::ngrams::{MAX_NGRAMS, WORD, Word, words};
use super::script::Script;

/// First bytes of the file.
pub const MAGIC: &[u8; 8] = b"wmlang2\n";

/// Steps a nat in weights.
pub const STEPS: f32 = 16.0;

/// Most languages of a table.
pub const MAX_LANGUAGES: usize = 255;

/// Numbers that make probabilities of scores, fitted on texts that the weights were not learnt from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Temperature of a text of one n-gram.
    pub temperature: f32,
    /// Power of the number of n-grams by which it grows.
    pub growth: f32,
    /// Log-odds that the answer is right: weights of [`BestLanguage::evidence`].
    pub odds: [f32; EVIDENCE],
}

/// Sums by index of a language: one for each number that a row may name.
const SUMS: usize = 256;

/// Numbers that confidence hangs on.
pub const EVIDENCE: usize = 7;

/// Words that a text is supposed to have more, so that ten words of daily life, which stand on no menu, say little.
const SUPPOSED: f32 = 30.0;

/// A language of the table.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// ISO 639-3, macrolanguages for their commonest members.
    pub code: &'static str,
    /// Usual score per n-gram, in nats.
    pub usual: f32,
    /// Usual share of the words of three letters and more that the table has as words of it: half as many where words
    /// are put together of many parts.
    pub words: f32,
    /// Added to the log-odds of a text's being in it.
    pub offset: f32,
}

/// The table, ready for lookups.
#[derive(Debug)]
pub struct Table {
    /// The languages, by index.
    pub languages: Vec<Entry>,
    /// The languages of each script, by index.
    pub scripts: Vec<Vec<u8>>,
    /// From scores to probabilities.
    pub calibration: Calibration,
    /// Hash and place of the weights in `weights`, by open addressing; place 0 where there is none.
    slots: Vec<(u32, u32)>,
    /// Number of weights, then language and weight in turn.
    weights: Vec<u8>,
    /// Tells tables of a process apart.
    id: u64,
}

/// What a text says of its language.
#[derive(Debug, Clone)]
pub struct Scores {
    /// The script that most letters are of, by [`commonest_script`].
    pub script: Script,
    /// N-grams of words in this script.
    pub ngrams: u32,
    /// Letters of words in this script.
    pub letters: u32,
    /// Letters of words in other scripts.
    pub others: u32,
    /// Words of three letters and more.
    pub words: u32,
    /// Where the weights of these words stand, of those that have some.
    places: Vec<u32>,
    /// Sum of weights by index of the language, in steps.
    pub sums: [i32; SUMS],
}

/// The best language of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestLanguage {
    /// Index of the language.
    pub language: u8,
    /// Natural log-odds against all others of the script.
    pub odds: f32,
    /// Score per n-gram in proportion to the language's usual one.
    pub familiarity: f32,
    /// Share of the words of three letters and more that the table has as words of it, in proportion to the language's
    /// usual one, as if thirty more had been there, half of them known: few of another language's are, however alike its
    /// syllables are.
    pub words: f32,
    /// N-grams judged.
    pub ngrams: u32,
}

impl BestLanguage {
    /// What the probability of its being right hangs on: a constant, the log-odds, the familiarity, the logarithm of the
    /// number of n-grams, the share of known words, and the products of familiarity and share with that logarithm.
    pub fn evidence(&self) -> [f32; EVIDENCE] {
        let familiarity = self.familiarity.clamp(-1.0, 1.5);
        let size = (self.ngrams.max(1) as f32).min(1000.0).ln();
        let words = self.words.clamp(0.0, 1.5);
        [1.0, self.odds, familiarity, size, familiarity * size, words, words * size]
    }
}

/// The script that most letters are of, Latin ones counting half: in text of another script they mostly are names.
pub fn commonest_script(letters: &[u32; Script::COUNT]) -> usize {
    let weight =
        |s: usize| if s == Script::Latin as usize { letters[s] } else { letters[s].saturating_mul(2) };
    (0..Script::COUNT).max_by_key(|&s| (weight(s), std::cmp::Reverse(s))).unwrap_or(0)
}

impl Table {
    /// Reads a table; `None` of anything else.
    pub fn read(bytes: &'static [u8]) -> Option<Table> {
        let mut from = Bytes(bytes.strip_prefix(MAGIC)?);
        let mut languages = Vec::new();
        for _ in 0..usize::from(from.u16()?).min(MAX_LANGUAGES) {
            let code = std::str::from_utf8(from.take(3)?).ok()?;
            let (usual, words, offset) = (from.f32()?, from.f32()?, from.f32()?);
            languages.push(Entry { code, usual, words, offset });
        }
        let mut scripts = Vec::new();
        for _ in 0..from.u8()? {
            let count = usize::from(from.u8()?);
            let members = from.take(count)?.to_vec();
            members.iter().all(|&l| usize::from(l) < languages.len()).then_some(())?;
            scripts.push(members);
        }
        let calibration = Calibration { temperature: from.f32()?, growth: from.f32()?, odds: from.f32s()? };
        let count = from.u32()? as usize;
        let mut hashes = Vec::with_capacity(count.min(bytes.len()));
        let mut hash = 0u32;
        for _ in 0..count {
            hash = hash.wrapping_add(from.varint()?);
            hashes.push(hash);
        }
        let mut slots = vec![(0, 0); (count + count / 4).next_power_of_two().max(2)];
        let mut weights = vec![0];
        for hash in hashes {
            let row = usize::from(*from.0.first()?) * 2 + 1;
            let at = weights.len() as u32;
            weights.extend_from_slice(from.take(row)?);
            let mask = slots.len() - 1;
            let mut slot = hash as usize & mask;
            while slots[slot].1 != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = (hash, at);
        }
        static TABLES: AtomicU64 = AtomicU64::new(1);
        let id = TABLES.fetch_add(1, Ordering::Relaxed);
        let sound = weights_are_sound(&weights, languages.len());
        (sound && scripts.len() == Script::COUNT).then_some(Table {
            languages,
            scripts,
            calibration,
            slots,
            weights,
            id,
        })
    }

    /// Where the weights of an n-gram stand; 0, where there are none, if it has none.
    #[inline]
    fn place(&self, hash: u32) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                (found, at) if found == hash || at == 0 => return at,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Adds the weights that stand at a place.
    #[inline]
    fn add(&self, place: u32, sums: &mut [i16]) {
        let at = place as usize;
        let row = &self.weights[at + 1..at + 1 + 2 * usize::from(self.weights[at])];
        for pair in row.chunks_exact(2) {
            sums[usize::from(pair[0])] += i16::from(pair[1] as i8);
        }
    }

    /// Whether the weights at a place speak for a language.
    #[inline]
    fn speaks_for(&self, place: u32, language: u8) -> bool {
        let at = place as usize;
        let row = &self.weights[at + 1..at + 1 + 2 * usize::from(self.weights[at])];
        row.chunks_exact(2).any(|pair| pair[0] == language && pair[1] as i8 > 0)
    }

    /// Adds the weights of all n-grams of a word, and returns how many these are and where those of the word itself stand (it
    /// is the last one). They fit: [`MAX_NGRAMS`] times 128 is less than 2^15.
    fn add_word(&self, word: &Word, sums: &mut [i16]) -> (u32, u32) {
        // All places of a word first: the memory they are in is then fetched at once.
        let (mut places, mut count) = ([0; MAX_NGRAMS], 0);
        word.ngrams(|hash| {
            places[count] = self.place(hash);
            count += 1;
        });
        places[..count].iter().for_each(|&place| self.add(place, sums));
        (count as u32, places[..count].last().copied().unwrap_or(0))
    }

    /// Scores of a text among the languages of its commonest script; `None` without letters of a script of the table.
    pub fn scores(&self, text: &str) -> Option<Scores> {
        let mut letters = [0u32; Script::COUNT];
        if text.is_ascii() {
            // All letters are Latin: how many there are is counted below.
            letters[Script::Latin as usize] = u32::from(text.bytes().any(|b| b.is_ascii_alphabetic()));
        } else {
            words(text, |word| letters[word.script as usize] += word.letters() as u32);
        }
        let most = commonest_script(&letters);
        let total: u32 = letters.iter().sum();
        if letters[most] == 0 {
            return None;
        }
        let mut out = Scores {
            script: Script::Other,
            ngrams: 0,
            letters: 0,
            others: total - letters[most],
            words: 0,
            places: Vec::new(),
            sums: [0; SUMS],
        };
        let one = self.scripts[most].len() < 2;
        // Sums of some words, as long as they cannot leave their type: half as wide as those of the text.
        let (mut some, mut room) = ([0i16; SUMS], i16::MAX as u16);
        let add_up = |sums: &mut [i32; SUMS], some: &mut [i16; SUMS]| {
            sums.iter_mut().zip(std::mem::replace(some, [0; SUMS])).for_each(|(sum, n)| *sum += i32::from(n));
        };
        known::with(self, |known| {
            words(text, |word| {
                if word.script as usize != most {
                    return;
                }
                out.script = word.script;
                out.letters += word.letters() as u32;
                if one {
                    out.ngrams += word.letters() as u32;
                    return;
                }
                let (of_word, sums) = known.of(self, word);
                out.ngrams += u32::from(of_word.ngrams);
                if word.letters() >= WORD {
                    out.words += 1;
                    out.places.extend((of_word.place > 0).then_some(of_word.place));
                }
                if of_word.most > room {
                    add_up(&mut out.sums, &mut some);
                    room = i16::MAX as u16;
                }
                room -= of_word.most;
                some.iter_mut().zip(sums).for_each(|(sum, n)| *sum += n);
            });
        });
        add_up(&mut out.sums, &mut some);
        Some(out)
    }

    /// The best language by scores; a language `declared` has `prior` added to its log-odds. `None` of a script without
    /// languages.
    pub fn best(&self, scores: &Scores, declared: Option<(u8, f32)>) -> Option<BestLanguage> {
        let members = &self.scripts[scores.script as usize];
        let ngrams = scores.ngrams.max(1) as f32;
        if let [only] = members[..] {
            return Some(BestLanguage {
                language: only,
                odds: MAX_ODDS,
                familiarity: 1.0,
                words: 1.0,
                ngrams: scores.ngrams,
            });
        }
        let scale = 1.0 / (STEPS * self.calibration.temperature * ngrams.powf(self.calibration.growth));
        let logit = |language: u8| {
            let entry = &self.languages[usize::from(language)];
            let prior = declared.filter(|d| d.0 == language).map_or(0.0, |d| d.1);
            scores.sums[usize::from(language)] as f32 * scale + entry.offset + prior
        };
        let (mut language, mut top) = (*members.first()?, f32::NEG_INFINITY);
        for &member in members {
            let found = logit(member);
            if found > top {
                (language, top) = (member, found);
            }
        }
        let others: f32 = members.iter().filter(|&&m| m != language).map(|&m| (logit(m) - top).exp()).sum();
        let odds = -others.max((-MAX_ODDS).exp()).ln();
        let score = scores.sums[usize::from(language)] as f32 / (STEPS * ngrams);
        let entry = &self.languages[usize::from(language)];
        let familiarity = score / entry.usual;
        let known = self.known_words(scores, language) as f32 / entry.words;
        let words = (known + SUPPOSED / 2.0) / (scores.words as f32 + SUPPOSED);
        Some(BestLanguage { language, odds: odds.min(MAX_ODDS), familiarity, words, ngrams: scores.ngrams })
    }

    /// How many of the words of three letters and more the table has as words of a language.
    pub fn known_words(&self, scores: &Scores, language: u8) -> usize {
        scores.places.iter().filter(|&&place| self.speaks_for(place, language)).count()
    }

    /// The probability that the best language is right, by the calibration.
    pub fn confidence(&self, best: &BestLanguage) -> f32 {
        let log_odds: f32 = self.calibration.odds.iter().zip(best.evidence()).map(|(w, x)| w * x).sum();
        1.0 / (1.0 + (-log_odds).exp())
    }

    /// The index of a language.
    pub fn index(&self, code: &str) -> Option<u8> {
        self.languages.iter().position(|entry| entry.code == code).map(|n| n as u8)
    }
}

/// Log-odds beyond which nothing is told apart.
pub const MAX_ODDS: f32 = 12.0;

/// Whether all rows name languages that there are.
fn weights_are_sound(weights: &[u8], languages: usize) -> bool {
    let mut at = 1;
    while let Some(&count) = weights.get(at) {
        let row = &weights[at + 1..];
        let end = 2 * usize::from(count);
        if row.len() < end || row[..end].chunks_exact(2).any(|pair| usize::from(pair[0]) >= languages) {
            return false;
        }
        at += 1 + end;
    }
    true
}

/// The rest of a file.
struct Bytes(&'static [u8]);

impl Bytes {
    fn take(&mut self, n: usize) -> Option<&'static [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u8(&mut self) -> Option<u8> {
        Some(u8::from_le_bytes(self.array()?))
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.array()?))
    }

    fn f32(&mut self) -> Option<f32> {
        Some(f32::from_le_bytes(self.array()?)).filter(|n| n.is_finite())
    }

    fn f32s<const N: usize>(&mut self) -> Option<[f32; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.f32()?;
        }
        Some(numbers)
    }

    fn varint(&mut self) -> Option<u32> {
        u32::try_from(read_varint(&mut self.0)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::TABLE;

    fn shipped() -> Table {
        Table::read(TABLE).unwrap()
    }

    #[test]
    fn the_shipped_table_is_sound() {
        let table = shipped();
        assert!(table.languages.len() >= 100, "{}", table.languages.len());
        let mut codes: Vec<_> = table.languages.iter().map(|entry| entry.code).collect();
        assert!(codes.iter().all(|code| code.bytes().all(|b| b.is_ascii_lowercase())));
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), table.languages.len());
        assert!(table.languages.iter().all(|entry| entry.usual > 0.0 && entry.words > 0.0));
    }

    #[test]
    fn the_documented_languages_are_those_of_the_table() {
        let documented = include_str!("../../../datasets/languages/languages.txt");
        let mut named: Vec<_> = documented.split_whitespace().collect();
        named.sort_unstable();
        let mut there: Vec<_> = shipped().languages.iter().map(|entry| entry.code).collect();
        there.extend(["zho", "jpn", "kor"]);
        there.sort_unstable();
        assert_eq!(named, there);
    }

    #[test]
    fn a_damaged_table_is_refused() {
        for cut in (0..TABLE.len()).step_by(TABLE.len() / 50) {
            assert!(Table::read(&TABLE[..cut]).is_none(), "{cut}");
        }
        assert!(Table::read(b"wmlang1\n").is_none());
    }

    #[test]
    fn scores_are_sums_over_words() {
        let table = shipped();
        let whole = table.scores("the mill by the river").unwrap();
        let parts = ["the", "mill", "by", "the", "river"].map(|word| table.scores(word).unwrap());
        let sums = (0..table.languages.len()).map(|l| parts.iter().map(|part| part.sums[l]).sum::<i32>());
        assert!(whole.sums.iter().copied().take(table.languages.len()).eq(sums));
        assert_eq!(whole.letters, 17);
        assert!(table.scores("12 34").is_none());
    }
}
