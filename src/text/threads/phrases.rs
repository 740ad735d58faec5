//! What lines around readers' comments say, in many languages.
//!
//! **Definition.** A line is short; the phrases in it make it the byline of a comment (`X said`, `написал`), a heading over
//! comments (`3 comments`, `网友评论`), an invitation to comment (`Leave a reply`), or a button (`Reply`, `举报`). Phrases of
//! Latin letters are found as words, letters beyond ASCII being boundaries (`a écrit` is `-a-crit-`); others as they are.
//!
//! **Cost.** Two passes of an automaton over a line of at most [`MAX_LINE`] bytes.

use std::sync::LazyLock;
use webmill_capture::cut::Cut;

use crate::phrases::{Phrases, Substrings};
use crate::word_list::sections;

/// Bytes of a line at most.
pub(super) const MAX_LINE: usize = 240;

/// Someone said something, and what follows is it.
pub(super) const SAID: u64 = 1;
/// Someone put something here; articles say that of themselves too.
pub(super) const POSTED: u64 = 1 << 1;
/// A noun for comments; whether it is a heading depends on its surroundings.
pub(super) const NOUN: u64 = 1 << 2;
/// What only headings over comments say.
pub(super) const OPENER: u64 = 1 << 3;
/// An invitation to comment, or that no more can be said.
pub(super) const CLOSER: u64 = 1 << 4;
/// A button that stands at a comment.
pub(super) const TOOL: u64 = 1 << 5;
/// How long ago something was: a date.
pub(super) const AGO: u64 = 1 << 6;
/// What stands in the card of a board's member.
pub(super) const CARD: u64 = 1 << 7;
/// What stands around the posts of a board.
pub(super) const BOARD: u64 = 1 << 8;

/// What the sections of the list are named by.
const BITS: [(&str, u64); 9] = [
    ("SAID", SAID),
    ("POSTED", POSTED),
    ("NOUN", NOUN),
    ("OPENER", OPENER),
    ("CLOSER", CLOSER),
    ("TOOL", TOOL),
    ("AGO", AGO),
    ("CARD", CARD),
    ("BOARD", BOARD),
];

/// The phrases of Latin letters, or the others, with their bits.
fn phrases(script: &'static str) -> impl Iterator<Item = (&'static str, u64)> {
    let lists = sections(include_str!("phrases.txt"));
    let lists = lists.filter_map(move |(name, list)| Some((name.strip_prefix(script)?.trim(), list)));
    lists.flat_map(move |(name, list)| {
        let (_, bit) = BITS.iter().find(|(known, _)| *known == name).expect("the list names bits");
        let between = if script == "latin" { ' ' } else { '\n' };
        list.split(['\n', between]).filter(|phrase| !phrase.is_empty()).map(move |phrase| (phrase, *bit))
    })
}

static LATIN: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(phrases("latin")));
static OTHER: LazyLock<Substrings> = LazyLock::new(|| Substrings::new(phrases("other")));

/// The bits of all phrases in the beginning of a text.
pub(super) fn said_in(text: &str) -> u64 {
    let text = text.cut(..text.floor_char_boundary(MAX_LINE));
    LATIN.find(text) | if text.is_ascii() { 0 } else { OTHER.find(text) }
}

/// Whether a text ends with words that something said follows, or with the sign that stands for them.
pub(super) fn ends_said(text: &str) -> bool {
    let text = text.trim_end_matches([':', '：', '.', '…', ' ', '"', '\n', ',']);
    let tail = text.char_indices().rev().take(14).last().map_or("", |(at, _)| text.cut(at..));
    // The tail may begin within a word: its first letters are no phrase.
    let tail = if tail.len() < text.len() { tail.split_once(' ').map_or("", |(_, rest)| rest) } else { tail };
    let words = tail.split(' ').count();
    (1..words.max(2)).any(|from| {
        let last = tail.splitn(from, ' ').last().unwrap_or_default();
        LATIN.find(last) & SAID != 0
    }) || ["说", "說", "写道", "寫道", "さん", "님", "より", "написал", "пишет", "написала", "говорит"]
        .iter()
        .any(|end| text.ends_with(end))
}

/// The number in front of or behind a noun for comments: `12 comments`, `评论(12)`.
pub(super) fn counted(text: &str) -> Option<u32> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String = text
        .cut(from..)
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok().filter(|_| digits.len() <= 6)
}
