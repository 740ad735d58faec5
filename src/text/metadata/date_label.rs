//! What the words before a date in a short text say that it is the day of.
//!
//! The lists are in `date_labels.txt`: words for publication, for changes, and for days of something else (events, deadlines, births,
//! when a member joined). The label that stands nearest before a date counts, or where none does the one right behind the last date.
//!
//! Cost: linear in the text between two dates, at most [`MAX_LABEL`] characters of it.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use webmill_capture::cut::Cut;
use webmill_html::{DateOrder, FoundDate, WrittenDate, dates_in, is_wide};

use crate::word_list::entries;

/// What a date is the day of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum DateRole {
    /// No label says.
    Unknown,
    Published,
    Modified,
    /// Of an event and the like.
    Other,
}

/// Dates of a text that are read.
const MAX_DATES: usize = 4;
/// Characters of a label that counts.
const MAX_LABEL: usize = 40;
/// Characters of a label behind a date.
const MAX_BEHIND: usize = 24;

struct Labels {
    automaton: AhoCorasick,
    roles: Vec<DateRole>,
}

static LABELS: LazyLock<Labels> = LazyLock::new(|| {
    let list = include_str!("date_labels.txt");
    let roles =
        [("modified", DateRole::Modified), ("published", DateRole::Published), ("other", DateRole::Other)];
    let (words, roles): (Vec<&str>, Vec<DateRole>) = roles
        .into_iter()
        .flat_map(|(name, role)| entries(list, name).into_iter().map(move |word| (word, role)))
        .unzip();
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(words);
    Labels { automaton: automaton.expect("some hundred words are within the limits"), roles }
});

/// The roles of the labels in a text, in order.
fn labels(text: &str) -> impl Iterator<Item = DateRole> {
    let lower = text.to_lowercase();
    let whole = |from: usize, to: usize| {
        let inside = |c: char| c.is_alphabetic() && !is_wide(c) && (c < '\u{590}');
        !lower.cut(..from).ends_with(inside) && !lower.cut(to..).starts_with(inside)
    };
    let found: Vec<DateRole> = LABELS
        .automaton
        .find_iter(&lower)
        .filter(|found| whole(found.start(), found.end()))
        .map(|found| LABELS.roles[found.pattern().as_usize()])
        .collect();
    found.into_iter()
}

/// The last characters of a text, `most` at most.
fn last_chars(text: &str, most: usize) -> &str {
    text.char_indices().rev().nth(most - 1).map_or(text, |(at, _)| text.cut(at..))
}

/// What the label that ends `before` says of the date behind it.
pub(crate) fn role_after(before: &str) -> DateRole {
    labels(last_chars(before, MAX_LABEL)).last().unwrap_or(DateRole::Unknown)
}

/// The first dates of a short text, with what their labels say.
pub(crate) fn labelled_dates(text: &str, order: DateOrder) -> Vec<(DateRole, WrittenDate)> {
    let dates = dates_in(text, order, MAX_DATES);
    let ends: Vec<usize> = dates.iter().map(|found| found.place.end).collect();
    let role = |at: usize, found: &FoundDate| {
        let from = if at == 0 { 0 } else { ends[at - 1] };
        let before = role_after(text.cut(from..found.place.start));
        if before != DateRole::Unknown || at + 1 < ends.len() {
            return before;
        }
        let behind = text.cut(found.place.end..);
        let behind = behind.cut(..behind.char_indices().nth(MAX_BEHIND).map_or(behind.len(), |(at, _)| at));
        labels(behind).next().filter(|&role| role == DateRole::Modified).unwrap_or(DateRole::Unknown)
    };
    let roles: Vec<DateRole> = dates.iter().enumerate().map(|(at, found)| role(at, found)).collect();
    roles.into_iter().zip(dates.into_iter().map(|found| found.date)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_before_and_behind_dates() {
        use DateRole::*;
        for (text, want) in [
            ("Updated January 9, 2020 | Originally published November 13, 2017", vec![Modified, Published]),
            ("更新时间：2020-01-09　发布时间：2017-11-13", vec![Modified, Published]),
            ("Aktualisiert am 9. Januar 2020", vec![Modified]),
            ("Обновлено: 9 января 2020", vec![Modified]),
            ("Event date: 20 May 2023", vec![Other]),
            ("Comments: 2, last of 11/05/2009.", vec![Other]),
            ("9 January 2020 (updated)", vec![Modified]),
            ("입력 2022.03.14. 수정 2022.03.15.", vec![Published, Modified]),
            ("آخر تحديث: 9 يناير 2020", vec![Modified]),
            ("Nachrichten, 9. Januar 2020", vec![Unknown]),
            ("Unchanged since 9 January 2020", vec![Unknown]),
        ] {
            let found: Vec<DateRole> =
                labelled_dates(text, DateOrder::Undecided).into_iter().map(|(role, _)| role).collect();
            assert_eq!(found, want, "{text}");
        }
    }
}
