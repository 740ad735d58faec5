//! Dates where one is expected: values of metadata and structured data.
//!
//! Numbers and words in order: year first (ISO 8601 with any separators, `2024年5月31日`, `20240531`), month by name
//! (`May 31, 2024`, RFC 5322), or day or month first.

use super::month_names::month_of;
use super::time::{number, time_of_day, zone};
use super::{DateOrder, Day, Days, WrittenDate};
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
    let (days, rest) = year_first(text)
        .or_else(|| named_month(text))
        .map(|(day, rest)| (Days::One(day), rest))
        .or_else(|| day_or_month_first(text, order))?;
    let mut time = String::new();
    if let Some((of_day, rest)) = time_of_day(rest) {
        time = of_day;
        time.push_str(&zone(rest).unwrap_or_default());
    }
    days.written(YEARS, &time)
}

fn year_first(text: &str) -> Option<(Day, &str)> {
    let (digits, rest) = number(text)?;
    if digits.len() == 8 {
        let day =
            (digits.cut(..4).parse().ok()?, digits.cut(4..6).parse().ok()?, digits.cut(6..).parse().ok()?);
        return Some((day, rest));
    }
    if digits.len() == 14 {
        // 20240531080500: the time follows at once.
        let day =
            (digits.cut(..4).parse().ok()?, digits.cut(4..6).parse().ok()?, digits.cut(6..8).parse().ok()?);
        return Some((day, text.cut(8..)));
    }
    if digits.len() != 4 {
        return None;
    }
    let (month, rest) = number(separated(rest, &['-', '/', '.', '年', ':'])?)?;
    let (day, rest) = number(separated(rest, &['-', '/', '.', '月', ':'])?)?;
    if month.len() > 2 || day.len() > 2 {
        return None;
    }
    Some((
        (digits.parse().ok()?, month.parse().ok()?, day.parse().ok()?),
        rest.strip_prefix('日').unwrap_or(rest),
    ))
}

fn day_or_month_first(text: &str, order: DateOrder) -> Option<(Days, &str)> {
    let (first, rest) = number(text)?;
    let dotted = rest.starts_with('.');
    let (second, rest) = number(separated(rest, &['.', '/', '-'])?)?;
    let (year, rest) = number(separated(rest, &['.', '/', '-'])?)?;
    let (first, second): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    if year.len() != 4 {
        return None;
    }
    let year = year.parse().ok()?;
    let days =
        if dotted { Days::One((year, second, first)) } else { Days::in_order(first, second, year, order)? };
    Some((days, rest))
}

/// `Fri, 31 May 2024`, `31. Mai 2024`, `May 31st, 2024`, `Fri May 31 08:05:00 +0200 2024`.
fn named_month(text: &str) -> Option<(Day, &str)> {
    let (mut day, mut month, mut year) = (None, None, None);
    let mut rest = text;
    let mut after_day = None;
    for _ in 0..10 {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        if let Some((digits, after)) = number(rest) {
            if after.starts_with(':') && month.is_some() && day.is_some() {
                // The year is behind the time: come back for that.
                after_day.get_or_insert(rest);
                let end = rest.find(char::is_whitespace)?;
                rest = zone_before_year(rest.cut(end..)).unwrap_or(rest.cut(end..));
                continue;
            }
            match digits.len() {
                1 | 2 if day.is_none() => day = Some(digits.parse().ok()?),
                4 if month.is_some() && day.is_some() => {
                    year = Some(digits.parse().ok()?);
                    rest = after;
                    break;
                }
                _ => return None,
            }
            rest = after.trim_start_matches(|c: char| c.is_alphabetic());
        } else {
            let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            if end == 0 {
                return None;
            }
            if month.is_none() {
                month = month_of(rest.cut(..end));
            }
            rest = rest.cut(end..);
        }
    }
    Some(((year?, month?, day?), after_day.unwrap_or(rest)))
}

/// What follows a numeric zone at the start of `text`.
fn zone_before_year(text: &str) -> Option<&str> {
    let trimmed = text.trim_start();
    let digits = trimmed.strip_prefix(['+', '-'])?;
    (digits.len() > 4 && digits.as_bytes()[..4].iter().all(u8::is_ascii_digit)).then(|| digits.cut(4..))
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
            ("May 31, 2024 at 8:05 PM", Some("2024-05-31T20:05:00")),
            ("31. Mai 2024", Some("2024-05-31")),
            ("1 juillet 2024", Some("2024-07-01")),
            ("1 juin 2024", Some("2024-06-01")),
            ("31.05.2024, 12:00 Uhr", Some("2024-05-31T12:00:00")),
            ("31/05/2024", Some("2024-05-31")),
            ("05/31/2024", Some("2024-05-31")),
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
