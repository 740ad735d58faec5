//! Two texts beside each other: what both have in the same order, what each has of its own, what has moved.
//!
//! **Definition.** Texts are compared by their [`Units`]: words without case and width, letters in scripts without spaces.
//! Segments partition both texts: a *shared* one has the same units on both sides, an *own* one is what stands between
//! two of these on either side. What is between units (blanks, marks) goes with the unit before it and is not compared.
//! Units of own segments that are part of a longer passage at another place of the other text are *moved*.
//!
//! **Algorithm.** All passages of at least a k-gram are found (see `passages_align`); the chain of them that is in order in
//! both texts and has the most units is kept, the others are moved. Between two links of the chain the longest common
//! subsequence is computed, by dynamic programming where the table has at most [`MAX_CELLS`] cells; a gap that is larger
//! has no passage in common and is own on both sides. Shared stretches of fewer than three words that are shorter than
//! what is changed on both sides of them are made own: unrelated texts share many a *the*.
//!
//! **Cost.** O(n log n) for the passages, at most 1,024 steps a unit for the gaps; about 40 bytes a unit and 2 MiB. Texts
//! are cut at [`DiffOptions::max_text_bytes`].
//!
//! **Determinism.** A function of both texts and the options.

mod chain;
mod html;
pub(crate) mod layout;
pub(crate) mod terminal;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use webmill_capture::error::{Error, Result};

use crate::containment::Overlap;
use crate::diff::chain::{common_runs, heaviest_chain};
use crate::passages::align::align;
use crate::passages::units::Units;
use crate::passages::winnow::{WinnowOptions, Winnowed};
use crate::shingle::Shingles;

/// Shared stretches below this many words may be made own.
const MIN_SHARED_WORDS: u32 = 3;

/// How two texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiffOptions {
    /// Bytes of a text that are looked at, 1 KiB to 256 MiB; 16 MiB.
    pub max_text_bytes: usize,
    /// Words of the shingles by which the overlap is computed, 1 to 64; 3.
    pub shingle_words: u32,
}

impl Default for DiffOptions {
    fn default() -> Self {
        DiffOptions { max_text_bytes: 16 << 20, shingle_words: 3 }
    }
}

impl DiffOptions {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`Error::Config`] for a value out of its range.
    pub fn check(&self) -> Result<()> {
        for (name, value, least, most) in [
            ("max_text_bytes", self.max_text_bytes, 1 << 10, 256 << 20),
            ("shingle_words", self.shingle_words as usize, 1, 64),
        ] {
            if !(least..=most).contains(&value) {
                let reason = format!("diff: {name} is {value}, allowed are {least} to {most}");
                return Err(Error::Config(reason));
            }
        }
        Ok(())
    }
}

/// A part of both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Whether both sides have the same words; else each side is the text's own, and one of them may be empty.
    pub shared: bool,
    /// Words of the first text, by number.
    pub a: Range<usize>,
    /// Words of the second text, by number.
    pub b: Range<usize>,
}

/// Words that stand in own segments of both texts, at places that are not opposite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Words of the first text, by number.
    pub a: Range<usize>,
    /// Words of the second text, by number; as many.
    pub b: Range<usize>,
}

/// Two texts compared. "Words" are letters in scripts without spaces.
#[derive(Clone, Debug)]
pub struct TextDiff {
    /// In the order of both texts, shared and own ones in turn.
    pub segments: Vec<Segment>,
    /// In the order of the first text.
    pub moved: Vec<Moved>,
    /// Shingles of both texts.
    pub overlap: Overlap,
    /// Whether the first text was longer than what was compared.
    pub cut_a: bool,
    /// Whether the second text was longer than what was compared.
    pub cut_b: bool,
    a: Side,
    b: Side,
}

/// One text: its words and how many bytes of it were compared.
#[derive(Clone, Debug)]
struct Side {
    units: Units,
    bytes: usize,
}

impl Side {
    /// Bytes of these words with what follows them up to the next word; the first word has what precedes it too.
    fn bytes(&self, words: &Range<usize>) -> Range<usize> {
        let at = |word: usize| match word {
            0 => 0,
            _ if word >= self.units.len() => self.bytes,
            _ => self.units.bytes(word..word + 1).start,
        };
        if self.units.is_empty() { 0..self.bytes } else { at(words.start)..at(words.end) }
    }
}

impl TextDiff {
    /// Compares two texts.
    ///
    /// # Errors
    /// [`Error::Config`] for options out of their ranges.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::{DiffOptions, TextDiff};
    /// let (a, b) = ("The mill grinds the corpus slowly.", "the mill grinds its corpus slowly!");
    /// let diff = TextDiff::of(a, b, &DiffOptions::default())?;
    /// let own: Vec<_> = diff.segments.iter().filter(|s| !s.shared).collect();
    /// assert_eq!((&a[diff.bytes_a(&own[0].a)], &b[diff.bytes_b(&own[0].b)]), ("the ", "its "));
    /// assert_eq!((diff.shared_words(), diff.words()), (5, (6, 6)));
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn of(a: &str, b: &str, options: &DiffOptions) -> Result<Self> {
        options.check()?;
        let (first, second) = (cut(a, options), cut(b, options));
        // Every k-gram is a seed: shorter passages are found than by the windows of the join.
        let winnowing = WinnowOptions { window: 1, ..WinnowOptions::default() };
        let (x, y) = (Winnowed::of(first, &winnowing), Winnowed::of(second, &winnowing));
        let tiles: Vec<(usize, usize, usize)> = align(&x, &y, &winnowing, 0)
            .passages
            .into_iter()
            .map(|passage| (passage.a.start, passage.b.start, passage.a.len()))
            .collect();
        let chain = heaviest_chain(&tiles);
        let shared = common_runs(x.units.hashes(), y.units.hashes(), &chain);
        let shared = without_chance(shared, &x.units, &y.units, &winnowing);
        let segments = segments(&shared, x.units.len(), y.units.len());
        let moved = moved(&tiles, &segments, &x.units, &winnowing);
        let shingles = |text| Shingles::of(text, options.shingle_words as usize);
        Ok(TextDiff {
            segments,
            moved,
            overlap: Overlap::of(&shingles(first), &shingles(second)),
            cut_a: first.len() < a.len(),
            cut_b: second.len() < b.len(),
            a: Side { units: x.units, bytes: first.len() },
            b: Side { units: y.units, bytes: second.len() },
        })
    }

    /// Words of both texts.
    pub fn words(&self) -> (usize, usize) {
        (self.a.units.len(), self.b.units.len())
    }

    /// Words in shared segments.
    pub fn shared_words(&self) -> usize {
        self.segments.iter().filter(|segment| segment.shared).map(|segment| segment.a.len()).sum()
    }

    /// Words that have moved.
    pub fn moved_words(&self) -> usize {
        self.moved.iter().map(|moved| moved.a.len()).sum()
    }

    /// Bytes in the first text of words with these numbers, with what follows them up to the next word. The bytes of
    /// all segments in a row are the text.
    pub fn bytes_a(&self, words: &Range<usize>) -> Range<usize> {
        self.a.bytes(words)
    }

    /// The same in the second text.
    pub fn bytes_b(&self, words: &Range<usize>) -> Range<usize> {
        self.b.bytes(words)
    }
}

fn cut<'t>(text: &'t str, options: &DiffOptions) -> &'t str {
    &text[..text.floor_char_boundary(options.max_text_bytes)]
}

/// Makes shared runs own that are short and shorter than what is changed before and after them.
fn without_chance(
    runs: Vec<(usize, usize, usize)>,
    a: &Units,
    b: &Units,
    options: &WinnowOptions,
) -> Vec<(usize, usize, usize)> {
    let weight =
        |from: usize, len: usize| -> u32 { (from..from + len).map(|i| options.weight(a.is_letter(i))).sum() };
    let short = |from, len: usize| len < 64 && weight(from, len) < MIN_SHARED_WORDS * options.characters;
    let mut kept: Vec<(usize, usize, usize)> = Vec::with_capacity(runs.len());
    for (i, &(at, bt, len)) in runs.iter().enumerate() {
        let (end_a, end_b) = kept.last().map_or((0, 0), |&(x, y, len)| (x + len, y + len));
        let (next_a, next_b) = runs.get(i + 1).map_or((a.len(), b.len()), |&(x, y, _)| (x, y));
        let before = (at - end_a).max(bt - end_b);
        let after = (next_a - at - len).max(next_b - bt - len);
        if !(short(at, len) && len < before && len < after) {
            kept.push((at, bt, len));
        }
    }
    kept
}

/// Shared runs and what is between them.
fn segments(shared: &[(usize, usize, usize)], a: usize, b: usize) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let (mut from_a, mut from_b) = (0, 0);
    for &(at, bt, len) in shared.iter().chain([&(a, b, 0)]) {
        if at > from_a || bt > from_b {
            segments.push(Segment { shared: false, a: from_a..at, b: from_b..bt });
        }
        (from_a, from_b) = (at + len, bt + len);
        match segments.last_mut() {
            Some(last) if last.shared => (last.a.end, last.b.end) = (from_a, from_b),
            _ if len > 0 => segments.push(Segment { shared: true, a: at..from_a, b: bt..from_b }),
            _ => {}
        }
    }
    if segments.is_empty() {
        segments.push(Segment { shared: false, a: 0..0, b: 0..0 });
    }
    segments
}

/// Parts of tiles that are own on both sides, with a k-gram at least.
fn moved(
    tiles: &[(usize, usize, usize)],
    segments: &[Segment],
    a: &Units,
    options: &WinnowOptions,
) -> Vec<Moved> {
    let own = |side: fn(&Segment) -> &Range<usize>| -> Vec<Range<usize>> {
        segments.iter().filter(|s| !s.shared && !side(s).is_empty()).map(|s| side(s).clone()).collect()
    };
    let (own_a, own_b) = (own(|s| &s.a), own(|s| &s.b));
    let mut found = Vec::new();
    for &(at, bt, len) in tiles {
        for x in within(&own_a, at..at + len) {
            let there = bt + (x.start - at)..bt + (x.end - at);
            for b in within(&own_b, there) {
                let a_part = at + (b.start - bt)..at + (b.end - bt);
                let weight: u32 = a_part.clone().map(|i| options.weight(a.is_letter(i))).sum();
                if weight >= options.gram_weight() {
                    found.push(Moved { a: a_part, b });
                }
            }
        }
    }
    found.sort_unstable_by_key(|moved| moved.a.start);
    found
}

/// The parts of `range` that lie in `ranges`, which ascend.
fn within(ranges: &[Range<usize>], range: Range<usize>) -> Vec<Range<usize>> {
    let first = ranges.partition_point(|own| own.end <= range.start);
    ranges[first..]
        .iter()
        .take_while(|own| own.start < range.end)
        .map(|own| own.start.max(range.start)..own.end.min(range.end))
        .collect()
}

#[cfg(test)]
mod tests;
