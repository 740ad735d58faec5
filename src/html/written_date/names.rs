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
    /// Of the names, of their first words where they have two, and of the words between.
    lengths: [Lengths; 3],
}

/// Which lengths names have, a bit each, by their first letter and their last: of those in ASCII. Few other words share all three.
type Lengths = [[u32; 32]; 32];

/// Where the letters at the ends of a word stand in [`Lengths`], whatever their case.
fn ends(word: &str) -> Option<[usize; 2]> {
    let letter = |byte: Option<&u8>| byte.map(|byte| usize::from(byte % 32));
    Some([letter(word.as_bytes().first())?, letter(word.as_bytes().last())?])
}

fn lengths<'n>(names: impl Iterator<Item = &'n str>) -> Lengths {
    let mut lengths = [[0; 32]; 32];
    for name in names.filter(|name| name.is_ascii() && name.len() <= MAX_NAME) {
        if let Some([first, last]) = ends(name) {
            lengths[first][last] |= 1 << name.len();
        }
    }
    lengths
}

/// Whether a word can be one of the names, which are in lower case; all can that are not ASCII.
fn may_be(lengths: &Lengths, word: &str) -> bool {
    !word.is_ascii()
        || ends(word).is_some_and(|[first, last]| {
            word.len() <= MAX_NAME && lengths[first][last] >> word.len() & 1 == 1
        })
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names { months: Vec::new(), between: Vec::new(), lengths: [[[0; 32]; 32]; 3] };
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
    let months = || names.months.iter().map(|(name, _)| *name);
    let begin = months().filter_map(|name| Some(name.split_once('_')?.0));
    names.lengths = [lengths(months()), lengths(begin), lengths(names.between.iter().copied())];
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
    let word = may_be(&NAMES.lengths[0], word).then(|| listed(word))??;
    let at = NAMES.months.binary_search_by_key(&word.as_str(), |(name, _)| *name).ok()?;
    Some(NAMES.months[at].1)
}

/// Whether a word may be the first one of a name of two.
pub(super) fn may_begin_month(word: &str) -> bool {
    may_be(&NAMES.lengths[1], word)
}

/// Whether a word may stand between the parts of a date: `de`, `г`, `gada`.
pub(super) fn is_between(word: &str) -> bool {
    may_be(&NAMES.lengths[2], word)
        && listed(word).is_some_and(|word| NAMES.between.binary_search(&word.as_str()).is_ok())
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
        for name in NAMES.months.iter().map(|(name, _)| *name).filter(|name| name.is_ascii()) {
            assert!(month(name).is_some() && month(name) == month(&name.to_ascii_uppercase()), "{name}");
            assert!(name.split_once('_').is_none_or(|(first, _)| may_begin_month(first)), "{name}");
        }
        assert!(NAMES.between.iter().filter(|word| word.is_ascii()).all(|word| is_between(word)));
        assert!(!may_begin_month("January"));
    }
}
