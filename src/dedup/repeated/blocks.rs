//! Lines and paragraphs of a text: finding them, hashing them, writing a text without some of them.
//!
//! **Definition.** A *line* ends at a line feed; one of white space alone is blank. A *paragraph* is a sequence of at least
//! two lines without a blank one, as long as it can be; one line by itself is only a line. In table `texts` every
//! paragraph, heading, item and row of a table is a line. Lines and paragraphs with one normalised text have one hash, so
//! that how a paragraph is wrapped does not matter.

use std::borrow::Cow;
use std::ops::Range;
use webmill_capture::cut::Cut;

use webmill_text::normalize_into;
use xxhash_rust::xxh3::xxh3_128;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockKind {
    /// A line of a text.
    Line,
    /// Several lines.
    Paragraph,
}

impl BlockKind {
    /// `line` or `paragraph`.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Line => "line",
            BlockKind::Paragraph => "paragraph",
        }
    }
}

/// A line or a paragraph of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub kind: BlockKind,
    pub bytes: Range<usize>,
}

impl Block {
    pub fn of<'t>(&self, text: &'t str) -> &'t str {
        text.cut(self.bytes.clone())
    }
}

/// Calls `each` with the hash of every line that is not blank and every paragraph of a text, `None` for a short one: each line is folded once, and a
/// paragraph is its lines with blanks between.
pub(super) fn hash_all(text: &str, min_chars: u32, mut each: impl FnMut(Option<u128>)) {
    let (hasher, mut folded) = (BlockHasher::new(min_chars), String::new());
    for group in (Groups { text, at: 0 }).filter(|group| !group.blank) {
        folded.clear();
        for line in &group.lines {
            let before = folded.len();
            if before > 0 {
                folded.push(' ');
            }
            let from = folded.len();
            normalize_into(text.cut(line.clone()), &mut folded);
            each(hasher.hash_folded(folded.cut(from..)));
            if folded.len() == from {
                folded.truncate(before);
            }
        }
        if group.lines.len() > 1 {
            each(hasher.hash_folded(&folded));
        }
    }
}

/// The lines that are not blank and the paragraphs of a text; a paragraph comes before its lines.
pub(super) fn blocks(text: &str) -> impl Iterator<Item = Block> + '_ {
    Groups { text, at: 0 }.filter(|group| !group.blank).flat_map(|group| {
        let paragraph =
            (group.lines.len() > 1).then(|| Block { kind: BlockKind::Paragraph, bytes: group.bytes() });
        let lines = group.lines.into_iter().map(|bytes| Block { kind: BlockKind::Line, bytes });
        paragraph.into_iter().chain(lines)
    })
}

/// Lines that follow one another and are all blank, or none of them; with their line feeds.
struct Group {
    blank: bool,
    lines: Vec<Range<usize>>,
}

impl Group {
    fn bytes(&self) -> Range<usize> {
        match (self.lines.first(), self.lines.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }
}

struct Groups<'t> {
    text: &'t str,
    at: usize,
}

impl Groups<'_> {
    fn line(&self) -> Range<usize> {
        let rest = self.text.cut(self.at..);
        self.at..self.at + rest.find('\n').map_or(rest.len(), |end| end + 1)
    }
}

impl Iterator for Groups<'_> {
    type Item = Group;

    fn next(&mut self) -> Option<Group> {
        let is_blank = |line: &Range<usize>| self.text.cut(line.clone()).trim().is_empty();
        let mut group: Option<Group> = None;
        while self.at < self.text.len() {
            let line = self.line();
            let blank = is_blank(&line);
            let group = group.get_or_insert_with(|| Group { blank, lines: Vec::new() });
            if group.blank != blank {
                break;
            }
            self.at = line.end;
            group.lines.push(line);
        }
        group
    }
}

/// Hashes blocks, with a buffer that is used again.
pub(super) struct BlockHasher {
    min_chars: usize,
    normalized: String,
}

impl BlockHasher {
    pub fn new(min_chars: u32) -> Self {
        BlockHasher { min_chars: min_chars as usize, normalized: String::new() }
    }

    /// The hash of a block; `None` if it is too short.
    pub fn hash(&mut self, block: &str) -> Option<u128> {
        self.normalized.clear();
        normalize_into(block, &mut self.normalized);
        self.hash_folded(&self.normalized)
    }

    /// The hash of a block in its comparison form.
    fn hash_folded(&self, folded: &str) -> Option<u128> {
        // Characters have four bytes at most.
        let long = folded.len() >= 4 * self.min_chars.max(1)
            || folded.chars().nth(self.min_chars.saturating_sub(1)).is_some();
        long.then(|| xxh3_128(folded.as_bytes()))
    }
}

/// A text without its repeated lines and paragraphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned<'t> {
    /// The remaining text.
    pub text: Cow<'t, str>,
    /// Lines left out by themselves.
    pub lines: u64,
    /// Paragraphs left out as a whole.
    pub paragraphs: u64,
    /// Bytes left out.
    pub bytes: u64,
}

/// Writes a text without the lines and paragraphs whose hash `is_repeated` knows, and without the blank lines after a
/// paragraph of which nothing is left. Blocks of fewer than `min_chars` normalised characters are only left out with the
/// paragraph that they are in. A text that has none is given back as it is; writing twice changes nothing. `is_repeated` is
/// asked in the order of the text, of a paragraph before its lines: it may let the first copy of each pass.
///
/// # Examples
/// ```
/// use webmill_dedup::{RepeatedOptions, without_repeated};
/// let notice = "All rights reserved. No part of this site may be copied anywhere.";
/// let known = RepeatedOptions::default().hashes(notice);
/// let text = format!("The story.\n{notice}\nIts end.");
/// let pruned = without_repeated(&text, 40, |hash| known.contains(&hash));
/// assert_eq!((&pruned.text[..], pruned.lines), ("The story.\nIts end.", 1));
/// ```
pub fn without_repeated(text: &str, min_chars: u32, mut is_repeated: impl FnMut(u128) -> bool) -> Pruned<'_> {
    let mut hasher = BlockHasher::new(min_chars);
    let mut repeated = |block: &str| hasher.hash(block).is_some_and(&mut is_repeated);
    let mut kept = String::new();
    let mut pruned = Pruned { text: Cow::Borrowed(text), lines: 0, paragraphs: 0, bytes: 0 };
    let mut gone = false;
    for group in (Groups { text, at: 0 }) {
        if group.blank {
            if !gone {
                kept.push_str(text.cut(group.bytes()));
            }
            continue;
        }
        let start = kept.len();
        let lines = group.lines.len();
        if lines > 1 && repeated(text.cut(group.bytes())) {
            pruned.paragraphs += 1;
        } else {
            let left: Vec<_> =
                group.lines.into_iter().filter(|line| !repeated(text.cut(line.clone()))).collect();
            left.iter().for_each(|line| kept.push_str(text.cut(line.clone())));
            pruned.lines += (lines - left.len()) as u64;
            // What is left of a paragraph may be one that is repeated.
            if left.len() > 1 && left.len() < lines && repeated(kept.cut(start..)) {
                kept.truncate(start);
                pruned.paragraphs += 1;
            }
        }
        gone = kept.len() == start;
    }
    if pruned.lines + pruned.paragraphs > 0 {
        if !text.ends_with('\n') {
            kept.truncate(kept.trim_end_matches(['\n', '\r']).len());
        }
        pruned.bytes = (text.len() - kept.len()) as u64;
        pruned.text = Cow::Owned(kept);
    }
    pruned
}
