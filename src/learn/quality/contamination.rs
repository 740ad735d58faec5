//! Texts that hold items of a benchmark: a model that learnt from them knows the answers.
//!
//! **Definition.** An item has texts, such as a question and its answers. One of them and a text of the corpus share the rows of 13 words that stand in both; words as [`webmill_text::words`] cuts them, capitals and small
//! letters alike, signs left out. The overlap is the share of its different rows that stand in the text. Of one of 8 to 12 words the only row is all of it;
//! shorter ones are looked for in no text.
//! A row that stands in more than 64 items is a formula of the benchmark, such as an instruction, and counts for none.
//!
//! **Cost.** 24 bytes a row of the items; a look-up a word of a text and length of rows.
//!
//! **Reference.** Brown and others 2020, "Language Models are Few-Shot Learners", arXiv 2005.14165, appendix C: 13 words, at least 8.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// Words of the shortest item.
pub const SHORTEST: usize = 8;

/// Words of a row.
const ROW: usize = 13;

/// An item that a text holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap {
    /// Number of the item, in the order in which they were added.
    pub item: u32,
    /// Share of its rows that stand in the text.
    pub share: f64,
    /// Bytes of the text in which they stand, ascending.
    pub places: Vec<Range<usize>>,
}

/// Items of benchmarks, by their rows of words.
pub struct Contamination {
    /// Share of a text's rows that another must have to hold it.
    share: f64,
    /// By length of rows: hash of a row, the first of its items in `next`, and how many it has.
    rows: BTreeMap<usize, HashMap<u64, (u32, u32)>>,
    /// Item, and the place of the next with the same row, or none.
    next: Vec<(u32, u32)>,
    /// Different rows of each text.
    sizes: Vec<u32>,
    /// Hashes of the texts.
    texts: HashSet<u64>,
}

/// Items of which a row is a formula of the benchmark, such as an instruction, and counts for none of them.
const FORMULA: u32 = 64;

/// No further item.
const END: u32 = u32::MAX;

/// Words of a text: their hashes and bytes.
type Words = Vec<(u64, Range<usize>)>;

fn words(text: &str) -> Words {
    let mut words = Vec::new();
    let mut lower = String::new();
    webmill_text::words(text, |word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        words.push((xxh3_64(lower.as_bytes()), start..start + word.len()));
    });
    words
}

/// The hash of a row of words.
fn hash(row: &[(u64, Range<usize>)]) -> u64 {
    row.iter().fold(0u64, |sum, (hash, _)| (sum ^ hash).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31))
}

impl Contamination {
    /// No items yet; `share` of the rows of a text of an item must stand in a text that holds it.
    pub fn new(share: f64) -> Self {
        Contamination {
            share,
            rows: BTreeMap::new(),
            next: Vec::new(),
            sizes: Vec::new(),
            texts: HashSet::new(),
        }
    }

    /// Adds a text of an item, such as a question; whether it is long enough to be looked for, or is there already.
    pub fn add(&mut self, text: &str) -> bool {
        let words = words(text);
        let n = ROW.min(words.len());
        let is_long = n >= SHORTEST;
        // The same text again, such as a passage of many questions, is one.
        let is_new = is_long && self.texts.insert(hash(&words));
        self.sizes.push(0);
        if is_new {
            self.add_rows(&words, n);
        }
        is_long
    }

    /// Texts of which every row is a formula, so that they are not looked for.
    pub fn formulas(&self) -> usize {
        self.texts.len() - self.sizes.iter().filter(|size| **size > 0).count()
    }

    /// Adds the rows of `n` words to the last item.
    fn add_rows(&mut self, words: &Words, n: usize) {
        let item = self.sizes.len() as u32 - 1;
        let rows = self.rows.entry(n).or_default();
        for row in words.windows(n) {
            let (first, items) = rows.entry(hash(row)).or_insert((END, 0));
            // The last item that was put in stands first.
            let is_new = self.next.get(*first as usize).is_none_or(|(last, _)| *last != item);
            if !is_new || *items > FORMULA {
                continue;
            }
            self.next.push((item, *first));
            *first = self.next.len() as u32 - 1;
            *items += 1;
            self.sizes[item as usize] += 1;
            if *items > FORMULA {
                let mut at = std::mem::replace(first, END);
                while let Some((item, next)) = self.next.get(at as usize) {
                    self.sizes[*item as usize] -= 1;
                    at = *next;
                }
            }
        }
    }

    /// Bytes that it holds in memory.
    pub fn bytes(&self) -> u64 {
        // An entry of 16 bytes, one of control, and the room that tables leave free.
        let rows: usize = self.rows.values().map(|rows| 20 * rows.capacity()).sum();
        (rows + 8 * self.next.capacity() + 4 * self.sizes.capacity() + 11 * self.texts.capacity()) as u64
    }

    /// The texts of items that a text holds, in their order.
    pub fn of(&self, text: &str) -> Vec<Overlap> {
        let words = words(text);
        let mut found: BTreeMap<u32, (HashSet<u64>, Vec<Range<usize>>)> = BTreeMap::new();
        for (n, rows) in &self.rows {
            for row in words.windows(*n) {
                let hash = hash(row);
                let mut at = rows.get(&hash).map_or(END, |(first, _)| *first);
                while let Some((item, next)) = self.next.get(at as usize) {
                    let (met, places) = found.entry(*item).or_default();
                    met.insert(hash);
                    let place = row[0].1.start..row[n - 1].1.end;
                    match places.last_mut().filter(|last| place.start <= last.end) {
                        Some(last) => last.end = last.end.max(place.end),
                        None => places.push(place),
                    }
                    at = *next;
                }
            }
        }
        let overlap = |(item, (met, places)): (u32, (HashSet<u64>, Vec<Range<usize>>))| {
            let share = met.len() as f64 / f64::from(self.sizes[item as usize]);
            (share >= self.share).then_some(Overlap { item, share, places })
        };
        found.into_iter().filter_map(overlap).collect()
    }
}
