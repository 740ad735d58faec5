//! Signals by characters, for scripts that are written without spaces.
//!
//! Where rules for English count words, those for Chinese corpora count characters: length of the text and of its lines, share of ideographs,
//! and repetition by rows of 13 characters.
//!
//! **Reference.** Chen and others 2023, "ChineseWebText: Large-scale High-quality Chinese Web Text Extracted with Effective Evaluation Model",
//! arXiv 2311.01149.

use super::signs::is_space;
use super::{Room, Signals, View, share};

/// Share of ideographs from which repetition by characters is measured.
const LEAST_HAN: f64 = 0.1;

/// Characters of a row.
const N: usize = 13;

pub(super) fn measure(view: &View<'_>, room: &mut Room, row: &mut Signals) {
    row.num_chars = if view.text.is_empty() { 0 } else { view.chars as u32 };
    let lines = view.text.split('\n').filter(|line| line.contains(|c| !is_space(c)));
    let (mut all, mut chars) = (0, 0);
    lines.for_each(|line| (all, chars) = (all + 1, chars + line.chars().count()));
    row.mean_line_chars = share(chars, all);
    let han = view.text.chars().filter(|c| webmill_text::is_han(*c)).count();
    row.han_chars = han as f64 / view.chars;
    row.repeated_13chars = (row.han_chars >= LEAST_HAN).then(|| {
        let mix = |c: char| (c as u64 + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let letters = view.text.chars().filter(|c| !is_space(*c)).flat_map(char::to_lowercase);
        room.ngrams.over(letters.map(mix));
        room.ngrams.prepare(N);
        room.ngrams.repeated_share()
    });
}
