//! A comparison cut into rows that stand beside each other, for the renderers.
//!
//! A row ends with a shared line or after [`ROW_WORDS`] words, within shared words: there both sides are in step. Shared
//! stretches that are longer than twice the context are folded to their ends.

use std::ops::Range;

use crate::diff::{Moved, Segment, TextDiff};

/// Words from which on a row may end within a line.
const ROW_WORDS: usize = 60;

/// What a stretch of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Both texts have it here.
    Shared,
    /// Only this text has it here.
    Own,
    /// The other text has it at another place; the number of the passage, from 1.
    Moved(usize),
}

/// A stretch of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span<'t> {
    pub kind: Kind,
    pub text: &'t str,
}

/// What stands beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row<'t> {
    /// Parts of both texts.
    Texts(Vec<Span<'t>>, Vec<Span<'t>>),
    /// So many shared words are not shown.
    Folded(usize),
}

/// A comparison with the texts that it is of, ready to be shown.
///
/// Rendered by [`write_terminal`](Self::write_terminal) and [`write_html`](Self::write_html).
#[derive(Clone, Copy, Debug)]
pub struct DiffView<'t> {
    pub(crate) diff: &'t TextDiff,
    pub(crate) a: &'t str,
    pub(crate) b: &'t str,
    pub(crate) names: (&'t str, &'t str),
    pub(crate) context_words: Option<usize>,
}

impl<'t> DiffView<'t> {
    /// A view of `diff`, made of the texts `a` and `b`; shows all of them.
    pub fn new(diff: &'t TextDiff, a: &'t str, b: &'t str) -> Self {
        DiffView { diff, a, b, names: ("first text", "second text"), context_words: None }
    }

    /// Names the texts, by their URLs for example.
    pub fn named(mut self, a: &'t str, b: &'t str) -> Self {
        self.names = (a, b);
        self
    }

    /// Shows of shared stretches only so many words beside what is own.
    pub fn with_context(mut self, words: usize) -> Self {
        self.context_words = Some(words);
        self
    }

    /// Shared words that are folded away by [`with_context`](Self::with_context).
    pub fn folded_words(&self) -> usize {
        let last = self.diff.segments.len().saturating_sub(1);
        let shared = self.diff.segments.iter().enumerate().filter(|(_, segment)| segment.shared);
        let folds = shared.flat_map(|(i, segment)| self.folds(segment, i == 0, i == last));
        folds.filter(|(_, folded)| *folded).map(|(words, _)| words.len()).sum()
    }

    /// What the comparison counts, in a line of words: words, those that are shared in order and in how many passages, those
    /// that have moved; resemblance and containment of the shingles; which text was cut.
    pub fn summary(&self) -> String {
        let (a, b) = self.diff.words();
        let overlap = self.diff.overlap;
        let passages = match self.diff.segments.iter().filter(|segment| segment.shared).count() {
            1 => "1 passage".to_owned(),
            n => format!("{n} passages"),
        };
        let cut = match (self.diff.cut_a, self.diff.cut_b) {
            (false, false) => "",
            (true, false) => ", the first text was cut",
            (false, true) => ", the second text was cut",
            (true, true) => ", both texts were cut",
        };
        format!(
            "{a} and {b} words, {} shared in order in {passages}, {} moved; resemblance {:.3}, first in second {:.3}, second in first {:.3}{cut}",
            self.diff.shared_words(),
            self.diff.moved_words(),
            overlap.resemblance(),
            overlap.a_in_b(),
            overlap.b_in_a(),
        )
    }

    /// Calls `each` with every row.
    pub(crate) fn rows<E>(&self, mut each: impl FnMut(Row<'t>) -> Result<(), E>) -> Result<(), E> {
        let mut moved_b: Vec<(usize, Range<usize>)> =
            self.diff.moved.iter().enumerate().map(|(i, moved)| (i + 1, moved.b.clone())).collect();
        moved_b.sort_unstable_by_key(|(_, range)| range.start);
        let moved_a: Vec<(usize, Range<usize>)> =
            self.diff.moved.iter().enumerate().map(|(i, Moved { a, .. })| (i + 1, a.clone())).collect();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let last = self.diff.segments.len().saturating_sub(1);
        let mut words = 0;
        for (i, segment) in self.diff.segments.iter().enumerate() {
            if !segment.shared {
                words += segment.a.len().max(segment.b.len());
                own_spans(&segment.a, &moved_a, |part, kind| left.push(self.left(&part, kind)));
                own_spans(&segment.b, &moved_b, |part, kind| right.push(self.right(&part, kind)));
                continue;
            }
            for (piece, folded) in self.folds(segment, i == 0, i == last) {
                if folded {
                    self.flush(&mut left, &mut right, &mut each)?;
                    each(Row::Folded(piece.len()))?;
                    words = 0;
                    continue;
                }
                let mut from = piece.start;
                while from < piece.end {
                    let (to, line_ends) = self.step(segment, from..piece.end, words);
                    let there =
                        segment.b.start + (from - segment.a.start)..segment.b.start + (to - segment.a.start);
                    left.push(self.left(&(from..to), Kind::Shared));
                    right.push(self.right(&there, Kind::Shared));
                    words += to - from;
                    if line_ends || words >= ROW_WORDS {
                        self.flush(&mut left, &mut right, &mut each)?;
                        words = 0;
                    }
                    from = to;
                }
            }
        }
        self.flush(&mut left, &mut right, &mut each)
    }

    fn flush<E>(
        &self,
        left: &mut Vec<Span<'t>>,
        right: &mut Vec<Span<'t>>,
        each: &mut impl FnMut(Row<'t>) -> Result<(), E>,
    ) -> Result<(), E> {
        let row = (std::mem::take(left), std::mem::take(right));
        if row.0.is_empty() && row.1.is_empty() { Ok(()) } else { each(Row::Texts(row.0, row.1)) }
    }

    /// Empty where the comparison is of another text.
    fn text_a(&self, words: &Range<usize>) -> &'t str {
        self.a.get(self.diff.bytes_a(words)).unwrap_or_default()
    }

    fn text_b(&self, words: &Range<usize>) -> &'t str {
        self.b.get(self.diff.bytes_b(words)).unwrap_or_default()
    }

    fn left(&self, words: &Range<usize>, kind: Kind) -> Span<'t> {
        Span { kind, text: self.text_a(words) }
    }

    fn right(&self, words: &Range<usize>, kind: Kind) -> Span<'t> {
        Span { kind, text: self.text_b(words) }
    }

    /// The parts of a shared segment, by words of the first text, and whether they are folded.
    fn folds(&self, segment: &Segment, first: bool, last: bool) -> Vec<(Range<usize>, bool)> {
        let words = segment.a.clone();
        let Some(context) = self.context_words else { return vec![(words, false)] };
        let from = if first { words.start } else { words.start.saturating_add(context).min(words.end) };
        let to = if last { words.end } else { words.end.saturating_sub(context).max(words.start) };
        if to <= from || to - from < ROW_WORDS.min(context.max(1)) {
            return vec![(words, false)];
        }
        [(words.start..from, false), (from..to, true), (to..words.end, false)]
            .into_iter()
            .filter(|(part, _)| !part.is_empty())
            .collect()
    }

    /// The end of the shared words that go into the row, which has some already, and whether a line ends there.
    fn step(&self, segment: &Segment, words: Range<usize>, already: usize) -> (usize, bool) {
        let most = words.end.min(words.start + ROW_WORDS.saturating_sub(already).max(1));
        for word in words.start..most {
            let there = segment.b.start + (word - segment.a.start);
            let (here, there) = (self.text_a(&(word..word + 1)), self.text_b(&(there..there + 1)));
            if here.contains('\n') || there.contains('\n') {
                return (word + 1, true);
            }
        }
        (most, false)
    }
}

/// Calls `each` with the parts of own words, by what has moved of them. A segment without words may still have bytes: the
/// whole of a text without words.
fn own_spans(
    words: &Range<usize>,
    moved: &[(usize, Range<usize>)],
    mut each: impl FnMut(Range<usize>, Kind),
) {
    let mut from = words.start;
    let first = moved.partition_point(|(_, part)| part.end <= words.start);
    for (number, part) in moved[first..].iter().take_while(|(_, part)| part.start < words.end) {
        if part.start > from {
            each(from..part.start, Kind::Own);
        }
        each(part.start.max(from)..part.end.min(words.end), Kind::Moved(*number));
        from = part.end.min(words.end);
    }
    if from < words.end || words.is_empty() {
        each(from..words.end, Kind::Own);
    }
}

/// A character as it may be shown: controls and what turns the direction of writing are made visible.
pub(crate) fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\u{1F}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{FFFD}'),
        '\u{7F}' => '\u{2421}',
        '\u{80}'..='\u{9F}'
        | '\u{61C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}'
        | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{FFFE}'
        | '\u{FFFF}'
        | '\u{E0000}'..='\u{E007F}' => '\u{FFFD}',
        _ => c,
    }
}
