//! Dates in short texts: bylines, lines of facts, labels.
//!
//! Read are ISO dates (with time and zone, which are kept), numbers with `年月日`, `2023/5/6`, `06.05.2023`, `06.05.23`, and
//! month names of some twenty languages in either order. A year of two digits is read only in `06.05.23`, alone and not
//! called a version, since `2.4.52` is none.

use super::month_names::month_beside_number as month;
use super::time::{time_of_day, zone};
use super::{DateOrder, Days, WrittenDate};
use crate::characters::is_wide;
use webmill_capture::cut::Cut;

/// Years of dates that are found.
const YEARS: std::ops::Range<u32> = 1980..2101;

/// Bytes of a text that are looked at.
const MAX_BYTES: usize = 300;

/// Digits of the shortest date: `May 6, 2023`.
const LEAST_DIGITS: usize = 5;

/// Years of two digits are read as of 1990 to 2030.
fn century(year: u32) -> Option<u32> {
    match year {
        0..=30 => Some(2000 + year),
        90..=99 => Some(1900 + year),
        _ => None,
    }
}

/// Words before or behind numbers that are no date.
const VERSIONS: [&str; 9] = ["v", "ver", "version", "versión", "versione", "release", "rev", "build", "版本"];

/// Whether three numbers with dots stand alone: nothing is joined to them and nothing calls them a version.
fn stands_alone(before: &str, behind: &str) -> bool {
    let joint = |c: char| c.is_alphanumeric() && !is_wide(c) || "-_/.".contains(c);
    let versions = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        VERSIONS.contains(&word.as_str())
    };
    let goes_on = behind.starts_with(joint)
        && (!behind.starts_with(['.', '-']) || behind.cut(1..).starts_with(|c: char| c.is_alphanumeric()));
    let called = before.ends_with("版本")
        || before.split_whitespace().next_back().is_some_and(versions)
        || behind.split_whitespace().next().is_some_and(versions);
    !(before.ends_with(joint) || goes_on || called)
}

/// The day of three numbers.
fn day(year: u32, month: u32, day: u32) -> Option<WrittenDate> {
    Days::One((year, month, day)).written(YEARS, "")
}

/// A piece of a text: a number with its digits, a word, or the characters between them.
enum Piece<'a> {
    Number(u32, usize),
    Word(&'a str),
    Other(char),
}

/// The pieces of a text, and where each begins.
fn pieces(text: &str) -> (Vec<Piece<'_>>, Vec<usize>) {
    let (mut out, mut places) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let piece = if c.is_ascii_digit() {
            let len = rest.bytes().take_while(u8::is_ascii_digit).count();
            Some((Piece::Number(rest.cut(..len).parse().unwrap_or(0), len), len))
        } else if c.is_alphabetic() && !is_wide(c) {
            let len = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            Some((Piece::Word(rest.cut(..len)), len))
        } else {
            (c != ' ' && c != '\u{a0}' && c != ',').then_some((Piece::Other(c), c.len_utf8()))
        };
        rest = rest.cut(piece.as_ref().map_or(c.len_utf8(), |(_, len)| *len)..);
        if let Some((piece, _)) = piece {
            out.push(piece);
            places.push(at);
        }
    }
    (out, places)
}

/// The first date in a text, numbers in the given order.
pub fn find_date(text: &str, order: DateOrder) -> Option<WrittenDate> {
    find_date_at(text, order).map(|(_, date)| date)
}

/// The first date in a text, and where it begins.
///
/// # Examples
/// ```
/// use webmill_html::{DateOrder, WrittenDate, find_date_at};
/// let found = find_date_at("By Ann, 25/12/2020", DateOrder::Undecided);
/// assert_eq!(found, Some((8, WrittenDate::Certain("2020-12-25".into()))));
/// ```
pub fn find_date_at(text: &str, order: DateOrder) -> Option<(usize, WrittenDate)> {
    use Piece::*;
    let text = text.cut(..text.floor_char_boundary(MAX_BYTES));
    if text.bytes().filter(u8::is_ascii_digit).count() < LEAST_DIGITS {
        return None;
    }
    let (pieces, places) = pieces(text);
    for i in 0..pieces.len() {
        let (window, at) = (&pieces[i..], &places[i..]);
        let found = match window {
            [Number(y, 4), Other('年'), Number(m, _), Other('月'), Number(d, _), ..] => day(*y, *m, *d),
            [Number(y, 4), Other(a), Number(m, 1..=2), Other(b), Number(d, 1..=2), ..]
                if a == b && "-/.".contains(*a) =>
            {
                let time = if *a == '-' { time_after(text, at[4]) } else { None };
                Days::One((*y, *m, *d)).written(YEARS, &time.unwrap_or_default())
            }
            [Number(a, 1..=2), Other(x), Number(b, 1..=2), Other(y), Number(year, 4), ..]
                if x == y && "-/.".contains(*x) =>
            {
                if *x == '.' {
                    day(*year, *b, *a)
                } else {
                    Days::in_order(*a, *b, *year, order).and_then(|days| days.written(YEARS, ""))
                }
            }
            [Number(d, 2), Other('.'), Number(m, 2), Other('.'), Number(year, 2), ..]
                if stands_alone(text.cut(..at[0]), text.cut(at[4] + 2..)) =>
            {
                century(*year).and_then(|year| day(year, *m, *d))
            }
            [Word(name), Number(d, 1..=2), Number(y, 4), ..]
            | [Word(name), Number(d, 1..=2), Word("st" | "nd" | "rd" | "th"), Number(y, 4), ..]
            | [Word(name), Other('.'), Number(d, 1..=2), Number(y, 4), ..]
            | [Number(d, 1..=2), Word(name), Number(y, 4), ..] => month(name).and_then(|m| day(*y, m, *d)),
            [Number(d, 1..=2), Other('.' | '-'), Word(name), Number(y, 4), ..]
            | [Number(d, 1..=2), Other('.'), Word(name), Other('.'), Number(y, 4), ..]
            | [Number(d, 1..=2), Word(name), Other('.'), Number(y, 4), ..]
            | [Number(d, 1..=2), Other('-'), Word(name), Other('-'), Number(y, 4), ..]
            | [
                Number(d, 1..=2),
                Word("de" | "st" | "nd" | "rd" | "th" | "er"),
                Word(name),
                Number(y, 4),
                ..,
            ]
            | [Number(d, 1..=2), Word("de"), Word(name), Word("de" | "del"), Number(y, 4), ..] => {
                month(name).and_then(|m| day(*y, m, *d))
            }
            _ => None,
        };
        if let Some(found) = found {
            // A number that goes on to the left (a longer one with a dot or slash) is no date.
            let joined =
                i > 0 && matches!(pieces[i - 1], Other('/' | '.')) && matches!(window[0], Number(..));
            if !joined {
                return Some((at[0], found));
            }
        }
    }
    None
}

/// The order of day and month that a text proves by a date of which only one of the two exists: `02/16/2023`.
///
/// # Examples
/// ```
/// use webmill_html::{DateOrder, proven_order};
/// assert_eq!(proven_order("Reviewed 03/02/2024 and 02/16/2023"), DateOrder::MonthFirst);
/// assert_eq!(proven_order("Reviewed 03/02/2024"), DateOrder::Undecided);
/// ```
pub fn proven_order(text: &str) -> DateOrder {
    use Piece::*;
    let text = text.cut(..text.floor_char_boundary(MAX_BYTES));
    let proof = |window: &[Piece<'_>]| match window {
        [Number(a, 1..=2), Other(x @ ('/' | '-')), Number(b, 1..=2), Other(y), Number(year, 4)]
            if x == y && YEARS.contains(year) =>
        {
            let day = Days::in_order(*a, *b, *year, DateOrder::Undecided)?;
            match day {
                Days::One((_, month, _)) if a != b && month == *a => Some(DateOrder::MonthFirst),
                Days::One(_) if a != b => Some(DateOrder::DayFirst),
                _ => None,
            }
        }
        _ => None,
    };
    pieces(text).0.windows(5).find_map(proof).unwrap_or_default()
}

/// `T12:30:00+08:00` after the day of an ISO date.
fn time_after(text: &str, day_at: usize) -> Option<String> {
    let rest = text.cut(day_at..).trim_start_matches(|c: char| c.is_ascii_digit());
    let clock = rest.strip_prefix(['T', 't', ' '])?.as_bytes();
    let is_time =
        clock.len() >= 5 && clock[2] == b':' && [0, 1, 3, 4].into_iter().all(|at| clock[at].is_ascii_digit());
    let (mut time, rest) = if is_time { time_of_day(rest)? } else { return None };
    time.push_str(&zone(rest).unwrap_or_default());
    Some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_written() {
        for (text, want) in [
            ("2023-05-06", Some("2023-05-06")),
            ("2023-05-06T07:08:09+08:00", Some("2023-05-06T07:08:09+08:00")),
            ("2023-05-06T07:08:09.123Z", Some("2023-05-06T07:08:09Z")),
            ("2023-05-06 07:08", Some("2023-05-06T07:08:00")),
            ("2023-05-06T07:08:09+0800", Some("2023-05-06T07:08:09+08:00")),
            ("发布时间：2023年5月6日 来源", Some("2023-05-06")),
            ("Published on May 6, 2023 by X", Some("2023-05-06")),
            ("6th May 2023", Some("2023-05-06")),
            ("Saturday, 6 May 2023", Some("2023-05-06")),
            ("06.05.2023", Some("2023-05-06")),
            ("6. Mai 2023", Some("2023-05-06")),
            ("25/12/2020", Some("2020-12-25")),
            ("28. Jan. 2022", Some("2022-01-28")),
            ("Sept. 3, 2021", Some("2021-09-03")),
            ("31.10.23", Some("2023-10-31")),
            ("5/6/21", None),
            ("Berlin, 06.05.23.", Some("2023-05-06")),
            ("更新06.05.23日", Some("2023-05-06")),
            ("06.05.98", Some("1998-05-06")),
            ("06.05.66", None),
            ("included at version 2.4.52 of the server", None),
            ("portage-2.3.66", None),
            ("5.1.29 Sections", None),
            ("version 10.04.22", None),
            ("10.04.22 release", None),
            ("v10.04.22", None),
            ("lib-10.04.22", None),
            ("10.04.22.1", None),
            ("10.04.22-beta", None),
            ("15 августа 2016, 13:43", Some("2016-08-15")),
            ("3 de mayo de 2022", Some("2022-05-03")),
            ("1er juillet 2020", Some("2020-07-01")),
            ("2 červen 2020", Some("2020-06-02")),
            ("192.168.10.23", None),
            ("12/25/2020", Some("2020-12-25")),
            ("2023-02-30", None),
            ("no date 12345", None),
            ("", None),
        ] {
            let found = find_date(text, DateOrder::Undecided).and_then(WrittenDate::certain);
            assert_eq!(found.as_deref(), want, "{text}");
        }
    }
}
