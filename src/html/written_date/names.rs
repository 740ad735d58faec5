//! Names of months in the languages of CLDR, and the words that stand between the parts of a date.
//!
//! Both are in `names.txt`, which `datasets/dates/names.py` makes. Beside the civil months there are those of the Solar Hijri and the
//! Islamic calendar.

use std::sync::LazyLock;

/// The calendar that a month is of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Calendar {
    Civil,
    SolarHijri,
    Islamic,
}

/// A month by its name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Month {
    pub(super) calendar: Calendar,
    pub(super) number: u32,
    /// Its number where a dot follows the year: in Croatian, of whose names some are other months in Polish or Czech.
    pub(super) dotted: u32,
}

struct Names {
    /// By name.
    months: Vec<(&'static str, Month)>,
    between: Vec<&'static str>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names { months: Vec::new(), between: Vec::new() };
    let mut dotted = Vec::new();
    for line in include_str!("names.txt").lines() {
        let Some((head, listed)) = line.split_once(": ") else { continue };
        let Some((kind, number)) = head.split_once(' ') else { continue };
        let number = number.parse().unwrap_or_default();
        let calendar = match kind {
            "month" => Calendar::Civil,
            "jalali" => Calendar::SolarHijri,
            "hijri" => Calendar::Islamic,
            "dotted" => {
                dotted.extend(listed.split(' ').map(|name| (name, number)));
                continue;
            }
            _ => {
                names.between.extend(listed.split(' '));
                continue;
            }
        };
        let month = Month { calendar, number, dotted: number };
        names.months.extend(listed.split(' ').map(|name| (name, month)));
    }
    names.months.sort_unstable_by_key(|(name, _)| *name);
    for (name, number) in dotted {
        if let Ok(at) = names.months.binary_search_by_key(&name, |(name, _)| *name) {
            names.months[at].1.dotted = number;
        }
    }
    names.between.sort_unstable();
    names
});

/// Characters of the longest name.
const MAX_NAME: usize = 24;

/// A word as it is listed: in lower case, without the dot that the capital İ leaves there.
fn listed(word: &str) -> Option<String> {
    (word.chars().take(MAX_NAME + 1).count() <= MAX_NAME)
        .then(|| word.chars().flat_map(char::to_lowercase).filter(|&c| c != '\u{307}').collect())
}

/// The month that a word names; of a name of two words they are joined by `_`.
pub(super) fn month(word: &str) -> Option<Month> {
    let word = listed(word)?;
    let at = NAMES.months.binary_search_by_key(&word.as_str(), |(name, _)| *name).ok()?;
    Some(NAMES.months[at].1)
}

/// Whether a word may stand between the parts of a date: `de`, `г`, `gada`.
pub(super) fn is_between(word: &str) -> bool {
    listed(word).is_some_and(|word| NAMES.between.binary_search(&word.as_str()).is_ok())
}

/// Whether a name of a month is a plain word in English too: before a number it is no month.
pub(super) fn is_plain_word(name: &str) -> bool {
    ["pro", "set", "out", "mac", "des", "sen", "eka", "ira", "here", "lip", "lis", "ago", "mag"]
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (word, want) in [
            ("January", Some(1)),
            ("juillet", Some(7)),
            ("juin", Some(6)),
            ("März", Some(3)),
            ("marz", Some(3)),
            ("Sept", Some(9)),
            ("listopad", Some(11)),
            ("listed", None),
            ("января", Some(1)),
            ("İyun", Some(6)),
            ("मार्च", Some(3)),
            ("كانون_الثاني", Some(1)),
            ("Novembermonths", None),
            ("word", None),
        ] {
            assert_eq!(month(word).map(|month| month.number), want, "{word}");
        }
        assert_eq!(month("listopada").map(|month| month.dotted), Some(10));
        assert_eq!(
            month("اسفند").map(|month| (month.calendar, month.number)),
            Some((Calendar::SolarHijri, 12))
        );
        assert!(is_between("gada") && !is_between("ships"));
    }
}
