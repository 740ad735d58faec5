//! Signals of Gopher's rules on repetition.
//!
//! **Reference.** Rae and others 2021, arXiv 2112.11446, table A1.

use std::collections::HashSet;
use webmill_capture::cut::Cut;

use xxhash_rust::xxh3::xxh3_128;

use super::signs::is_space;
use super::{Room, Signals, View};

/// How many pieces there are, how many of them stood before, and their characters.
pub(super) fn duplicates<'a>(pieces: impl Iterator<Item = &'a str>) -> (usize, usize, usize) {
    let mut met = HashSet::new();
    let (mut all, mut again, mut chars) = (0, 0, 0);
    for piece in pieces {
        all += 1;
        if !met.insert(xxh3_128(piece.as_bytes())) {
            again += 1;
            chars += piece.chars().count();
        }
    }
    (all, again, chars)
}

/// The pieces of a text between runs of `least` line breaks or more.
fn parted(text: &str, least: usize) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut from = 0;
        while let Some(at) = text.cut(from..).find('\n') {
            let at = from + at;
            let run = text.cut(at..).bytes().take_while(|b| *b == b'\n').count();
            if run >= least {
                rest = Some(text.cut(at + run..));
                return Some(text.cut(..at));
            }
            from = at + run;
        }
        rest = None;
        Some(text)
    })
}

pub(super) fn measure(view: &View<'_>, room: &mut Room, row: &mut Signals) {
    let text = view.text;
    let (all, again, chars) = duplicates(parted(text.trim_matches(is_space), 2));
    row.dup_paragraphs = again as f64 / all as f64;
    row.dup_paragraph_chars = chars as f64 / view.chars;
    let (all, again, chars) = duplicates(parted(text, 1));
    row.dup_lines = again as f64 / all as f64;
    row.dup_line_chars = chars as f64 / view.chars;

    let ngrams = &mut room.ngrams;
    ngrams.over(view.tokens.iter().map(|token| token.hash));
    let length =
        |at: usize, n: usize| view.tokens[at..at + n].iter().map(|token| u64::from(token.chars)).sum::<u64>();
    let tops = [&mut row.top_2gram_chars, &mut row.top_3gram_chars, &mut row.top_4gram_chars];
    for (n, top) in (2..).zip(tops) {
        // With the blanks between its words, as it is counted.
        ngrams.prepare(n);
        let most = ngrams.most_frequent();
        *top = most.map(|(at, times)| (length(at, n) + n as u64 - 1) as f64 * f64::from(times) / view.chars);
    }
    let duplicated = [
        &mut row.dup_5gram_chars,
        &mut row.dup_6gram_chars,
        &mut row.dup_7gram_chars,
        &mut row.dup_8gram_chars,
        &mut row.dup_9gram_chars,
        &mut row.dup_10gram_chars,
    ];
    for (n, duplicated) in (5..).zip(duplicated) {
        let mut chars = 0;
        ngrams.prepare(n);
        ngrams.each_repeated(|at| chars += length(at, n));
        *duplicated = chars as f64 / view.chars;
    }
}
