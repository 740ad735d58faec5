//! Names of the months.

use std::sync::LazyLock;

/// Number of a month and the first letters of its names: those of English, German, French, Spanish, Italian, Portuguese
/// and Dutch, which begin few other words, and those of some twenty languages, which are read right beside a number only.
type Month = (u32, Vec<&'static str>, Vec<&'static str>);

/// The first that fits is meant: `juli` is July before `jun` is looked for.
static MONTHS: LazyLock<Vec<Month>> = LazyLock::new(|| {
    let month = |line: &'static str| {
        let (number, names) = line.split_once(": ")?;
        let (plain, more) = names.split_once(": ")?;
        Some((number.parse().ok()?, plain.split(' ').collect(), more.split(' ').collect()))
    };
    include_str!("month_names.txt").lines().filter_map(month).collect()
});

/// Characters of the longest name.
const MAX_NAME: usize = 12;

/// Month of a word that may be any word.
pub(super) fn month_of(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    let begins = |start: &&str| word.starts_with(*start);
    MONTHS.iter().find(|(_, plain, _)| plain.iter().any(begins)).map(|month| month.0)
}

/// Month of a word right beside a number.
pub(super) fn month_beside_number(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    if word.chars().count() > MAX_NAME {
        return None;
    }
    let begins = |start: &&str| word.starts_with(*start);
    MONTHS.iter().find(|(_, plain, more)| plain.iter().chain(more).any(begins)).map(|month| month.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (word, plain, beside) in [
            ("January", Some(1), Some(1)),
            ("juillet", Some(7), Some(7)),
            ("juin", Some(6), Some(6)),
            ("März", Some(3), Some(3)),
            ("listopad", None, Some(11)),
            ("listed", None, Some(11)),
            ("января", None, Some(1)),
            ("Novembermonths", Some(11), None),
            ("word", None, None),
        ] {
            assert_eq!((month_of(word), month_beside_number(word)), (plain, beside), "{word}");
        }
    }
}
