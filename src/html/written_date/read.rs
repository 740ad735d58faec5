//! Dates where one is expected: values of metadata and structured data.
//!
//! Numbers and words in order: year first (ISO 8601 with any separators, `2024年5月31日`, `20240531`), day or month first, or
//! month by name (`May 31, 2024`, RFC 5322, where the year may have two digits).

use super::eras::civil_year;
use super::find::{Pieces, century, named};
use super::names::month;
use super::pieces::{Piece, Placed, Unit, pieces, plain};
use super::time::{number, time_of_day, zone};
use super::{DateOrder, Days, WrittenDate};
use webmill_capture::cut::Cut;

/// Years of dates that are read.
const YEARS: std::ops::Range<u32> = 1800..2200;

/// The date that `text` begins with, numbers in the given order.
///
/// # Examples
/// ```
/// use webmill_html::{DateOrder, WrittenDate, read_date};
/// let date = read_date("May 31, 2024 at 8:05 PM", DateOrder::Undecided);
/// assert_eq!(date, Some(WrittenDate::Certain("2024-05-31T20:05:00".into())));
/// ```
pub fn read_date(text: &str, order: DateOrder) -> Option<WrittenDate> {
    let text = text.trim();
    let text = text.cut(..text.floor_char_boundary(MAX_BYTES));
    let persian = text.contains(|c| matches!(c, '۰'..='۹'));
    let text = plain(text);
    let (days, rest) = year_first(&text)
        .or_else(|| day_or_month_first(&text, order))
        .or_else(|| in_pieces(&Pieces { text: &text, order, persian }))?;
    let mut time = String::new();
    if let Some((of_day, rest)) = time_of_day(rest) {
        time = of_day;
        time.push_str(&zone(rest).unwrap_or_default());
    }
    days.written(YEARS, &time)
}

/// Bytes of a value that are read, and pieces before its date: the day of the week, a label.
const MAX_BYTES: usize = 120;
const MAX_BEFORE: usize = 6;

/// A date with the month by its name or with units, behind a few words: `Fri, 31 May 2024`, `May 31st, 2024`, `令和4年3月14日`.
fn in_pieces<'a>(value: &Pieces<'a>) -> Option<(Days, &'a str)> {
    let pieces = pieces(value.text);
    (0..pieces.len().min(MAX_BEFORE)).find_map(|i| {
        let window = &pieces[i..];
        if let Some(found) = year_last(value.text, window) {
            return Some(found);
        }
        if let Some((day, used)) = named(value.text, window, true) {
            return Some((Days::One(day), value.text.cut(window[used - 1].to..)));
        }
        // Without a unit they are numbers somewhere in a text.
        let fits = i == 0 || matches!(window[0].piece, Piece::Number(_, _, Unit::Year));
        let (days, used) = value.numbers(window).filter(|_| fits)?;
        Some((days, value.text.cut(window[used - 1].to..)))
    })
}

/// `May 31 08:05:00 +0200 2024`: the year is behind the time.
fn year_last<'a>(text: &'a str, window: &[Placed<'_>]) -> Option<(Days, &'a str)> {
    let [Piece::Word(name), Piece::Number(day, 1..=2, _)] = [window.first()?.piece, window.get(1)?.piece]
    else {
        return None;
    };
    let rest = text.cut(window[1].to..);
    let month = month(name)?;
    time_of_day(rest)?;
    let (_, year) = rest.trim_end().rsplit_once(' ')?;
    let year = year.parse().ok().filter(|_| year.len() == 4)?;
    Some((Days::One((year, month.number, day)), rest))
}

fn year_first(text: &str) -> Option<(Days, &str)> {
    let (digits, rest) = number(text)?;
    let day = |rest| {
        let day =
            (digits.cut(..4).parse().ok()?, digits.cut(4..6).parse().ok()?, digits.cut(6..8).parse().ok()?);
        Some((Days::One(day), rest))
    };
    match digits.len() {
        8 => return day(rest),
        // 20240531080500: the time follows at once.
        14 => return day(text.cut(8..)),
        4 => {}
        _ => return None,
    }
    let (month, rest) = number(separated(rest, &['-', '/', '.', '年', ':'])?)?;
    let (day, rest) = number(separated(rest, &['-', '/', '.', '月', ':'])?)?;
    if month.len() > 2 || day.len() > 2 || digits.starts_with('1') && digits < "1800" {
        return None;
    }
    let day = (civil_year(digits.parse().ok()?), month.parse().ok()?, day.parse().ok()?);
    Some((Days::One(day), rest.strip_prefix('日').unwrap_or(rest)))
}

fn day_or_month_first(text: &str, order: DateOrder) -> Option<(Days, &str)> {
    let (first, rest) = number(text)?;
    let (dotted, slashed) = (rest.starts_with('.'), rest.starts_with('/'));
    let (second, rest) = number(separated(rest, &['.', '/', '-'])?)?;
    let (year, rest) = number(separated(rest, &['.', '/', '-'])?)?;
    let (first, second): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    let year = match (year.len(), year.parse().ok()?) {
        (4, year) => civil_year(year),
        (2, year) if slashed && is_last(order, first, second) => century(year)?,
        _ => return None,
    };
    let days =
        if dotted { Days::One((year, second, first)) } else { Days::in_order(first, second, year, order)? };
    Some((days, rest))
}

/// Whether a year of two digits is the last of three numbers: any of them may be one, but for the order that the site is known by.
fn is_last(order: DateOrder, first: u32, second: u32) -> bool {
    match order {
        _ if second > 12 => true,
        DateOrder::DayFirst => true,
        DateOrder::MonthFirst => first <= 12,
        DateOrder::YearFirst | DateOrder::Undecided => false,
    }
}

fn separated<'t>(text: &'t str, by: &[char]) -> Option<&'t str> {
    text.trim_start().strip_prefix(by).map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_pages_write() {
        let cases = [
            ("2024-05-31", Some("2024-05-31")),
            ("2024-05-31T08:05:07+02:00", Some("2024-05-31T08:05:07+02:00")),
            ("2024-05-31T08:05:07.123Z", Some("2024-05-31T08:05:07Z")),
            ("2024-05-31 08:05", Some("2024-05-31T08:05:00")),
            ("2024-05-31T08:05:07+0800", Some("2024-05-31T08:05:07+08:00")),
            ("2024-05-31T08:05:07 -05", Some("2024-05-31T08:05:07-05:00")),
            ("2024/5/1", Some("2024-05-01")),
            ("2024年5月1日 08:05", Some("2024-05-01T08:05:00")),
            ("20240531", Some("2024-05-31")),
            ("20240531080507", Some("2024-05-31T08:05:07")),
            ("20240531T080507Z", Some("2024-05-31T08:05:07Z")),
            ("Fri, 31 May 2024 08:05:07 GMT", Some("2024-05-31T08:05:07Z")),
            ("Fri May 31 08:05:07 +0200 2024", Some("2024-05-31T08:05:07+02:00")),
            ("May 31st, 2024", Some("2024-05-31")),
            ("14/03/22", None),
            ("03/14/22", Some("2022-03-14")),
            ("14/03/55", None),
            ("14-03-22", None),
            ("May 31, 2024 at 8:05 PM", Some("2024-05-31T20:05:00")),
            ("31. Mai 2024", Some("2024-05-31")),
            ("1 juillet 2024", Some("2024-07-01")),
            ("1 juin 2024", Some("2024-06-01")),
            ("31.05.2024, 12:00 Uhr", Some("2024-05-31T12:00:00")),
            ("31/05/2024", Some("2024-05-31")),
            ("05/31/2024", Some("2024-05-31")),
            ("Mon, 14 Mar 2022 09:12:00 EST", Some("2022-03-14T09:12:00-05:00")),
            ("Mon, 14 Mar 22 09:12:00 +0100", Some("2022-03-14T09:12:00+01:00")),
            ("星期一, 14 三月 2022 09:12:00 +0800", Some("2022-03-14T09:12:00+08:00")),
            ("Montag, 14. März 2022 09:12", Some("2022-03-14T09:12:00")),
            ("Mo, 25 Jun 2018 11:41:36", Some("2018-06-25T11:41:36")),
            ("2022年3月14日 9:05", Some("2022-03-14T09:05:00")),
            ("令和4年3月14日", Some("2022-03-14")),
            ("2022. 3. 14.", Some("2022-03-14")),
            ("۱۴۰۰/۱۲/۲۳", Some("2022-03-14")),
            ("03/04/2024", None),
            ("2024-02-30", None),
            ("2023-02-29", None),
            ("2024-13-01", None),
            ("0000-00-00", None),
            ("1717142707", None),
            ("2024", None),
            ("May 2024", None),
            ("yesterday", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let found = read_date(text, DateOrder::Undecided).and_then(WrittenDate::certain);
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn is_a_fixed_point(y in 1800u32..2200, m in 1u32..13, d in 1u32..29, h in 0u32..24, zone in "(|Z|[+-]0[0-9]:[0-5]0)") {
            let date = format!("{y:04}-{m:02}-{d:02}T{h:02}:07:09{zone}");
            prop_assert_eq!(read_date(&date, DateOrder::Undecided), Some(WrittenDate::Certain(date)));
        }
    }
}
