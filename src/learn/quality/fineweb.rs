//! Signals of FineWeb's rules.
//!
//! **Reference.** Penedo and others 2024, "The FineWeb Datasets", arXiv 2406.17557, section 3.6.

use super::repetition::duplicates;
use super::signs::{is_space, is_terminal};
use super::{Room, Signals, View, share};

/// Characters of a short line.
const SHORT: usize = 30;

pub(super) fn measure(view: &View<'_>, _: &mut Room, row: &mut Signals) {
    let breaks = view.text.bytes().filter(|b| *b == b'\n').count();
    row.line_breaks_per_word = share(breaks, view.tokens.len());
    let lines = || view.text.split('\n').filter(|line| line.contains(|c| !is_space(c)));
    let all = lines().count();
    row.terminated_lines = share(lines().filter(|line| line.ends_with(is_terminal)).count(), all);
    row.short_lines = share(lines().filter(|line| line.chars().nth(SHORT).is_none()).count(), all);
    row.repeated_line_chars =
        (all > 0).then(|| duplicates(lines()).2 as f64 / (view.chars - breaks as f64).max(1.0));
}
