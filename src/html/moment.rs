//! Dates as pages write them, brought to ISO 8601.
//!
//! **Definition.** A day (`2024-05-31`), a time of day if there is one (`2024-05-31T08:05:00`) and the zone if one is given
//! (`+02:00`, `Z`). Nothing is converted or guessed: a time without a zone stays without, and `03/04/2024`, which is two
//! days, is none. Years from 1800 to 2199.
//!
//! **Algorithm.** Numbers and words in order: year first (ISO 8601 with any separators, `2024年5月31日`, `20240531`), month
//! by name (`May 31, 2024`, RFC 5322), or day first with dots. One pass, no allocation but the result.

/// `text` in ISO 8601 if it begins with a date.
pub(super) fn iso_date(text: &str) -> Option<String> {
    let text = text.trim();
    let (date, rest) = year_first(text).or_else(|| named_month(text)).or_else(|| day_first(text))?;
    let (year, month, day) = date;
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    if !(1800..2200).contains(&year) || !(1..=days).contains(&day) {
        return None;
    }
    let mut out = format!("{year:04}-{month:02}-{day:02}");
    if let Some((time, rest)) = time_of_day(rest) {
        out.push_str(&time);
        out.push_str(&zone(rest).unwrap_or_default());
    }
    Some(out)
}

type Day = (u32, u32, u32);

fn year_first(text: &str) -> Option<(Day, &str)> {
    let (digits, rest) = number(text)?;
    if digits.len() == 8 {
        let day = (digits[..4].parse().ok()?, digits[4..6].parse().ok()?, digits[6..].parse().ok()?);
        return Some((day, rest));
    }
    if digits.len() == 14 {
        // 20240531080500: the time follows at once.
        let day = (digits[..4].parse().ok()?, digits[4..6].parse().ok()?, digits[6..8].parse().ok()?);
        return Some((day, &text[8..]));
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

fn day_first(text: &str) -> Option<(Day, &str)> {
    let (first, rest) = number(text)?;
    let dotted = rest.starts_with('.');
    let (second, rest) = number(separated(rest, &['.', '/', '-'])?)?;
    let (year, rest) = number(separated(rest, &['.', '/', '-'])?)?;
    let (first, second): (u32, u32) = (first.parse().ok()?, second.parse().ok()?);
    let day = match (first, second) {
        _ if year.len() != 4 => return None,
        (day, month) if dotted || day > 12 || day == month => (year.parse().ok()?, month, day),
        (month, day) if day > 12 => (year.parse().ok()?, month, day),
        _ => return None,
    };
    Some((day, rest))
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
                // The year stands behind the time: come back for that.
                after_day.get_or_insert(rest);
                let end = rest.find(char::is_whitespace)?;
                rest = zone_before_year(&rest[end..]).unwrap_or(&rest[end..]);
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
                month = month_of(&rest[..end]);
            }
            rest = &rest[end..];
        }
    }
    Some(((year?, month?, day?), after_day.unwrap_or(rest)))
}

/// What follows a numeric zone at the start of `text`.
fn zone_before_year(text: &str) -> Option<&str> {
    let trimmed = text.trim_start();
    let digits = trimmed.strip_prefix(['+', '-'])?;
    (digits.len() > 4 && digits.as_bytes()[..4].iter().all(u8::is_ascii_digit)).then(|| &digits[4..])
}

fn month_of(word: &str) -> Option<u32> {
    /// First letters of the months in English, German, French, Spanish, Italian, Portuguese and Dutch.
    const MONTHS: [&[&str]; 12] = [
        &["jan", "jän", "ene", "gen"],
        &["feb", "fév", "fev"],
        &["mar", "mär", "mrz", "maa", "mrt"],
        &["apr", "avr", "abr"],
        &["may", "mai", "mei", "mag"],
        &["jun", "juin", "giu"],
        &["jul", "juil", "lug"],
        &["aug", "aoû", "aou", "ago"],
        &["sep", "set"],
        &["oct", "okt", "ott", "out"],
        &["nov"],
        &["dec", "dez", "déc", "dic"],
    ];
    let word = word.to_lowercase();
    // July before June: `jui` alone begins both in French.
    let order = [0, 1, 2, 3, 4, 6, 5, 7, 8, 9, 10, 11];
    order.into_iter().find(|&i| MONTHS[i].iter().any(|start| word.starts_with(start))).map(|i| i as u32 + 1)
}

/// `T08:05:00`, from what follows a date: a separator, then hours and minutes.
fn time_of_day(text: &str) -> Option<(String, &str)> {
    let text =
        text.trim_start_matches([' ', 'T', 't', ',', '\u{A0}', '-', '|', '–']).trim_start_matches("at ");
    let (hour, rest) = number(text)?;
    let (hour, minute, second, rest) = match hour.len() {
        1 | 2 => {
            let (minute, rest) = number(rest.strip_prefix(':')?)?;
            let (second, rest) = rest.strip_prefix(':').and_then(number).unwrap_or(("0", rest));
            (hour, minute, second, rest)
        }
        6 => (&hour[..2], &hour[2..4], &hour[4..], rest),
        _ => return None,
    };
    let (hour, minute, second): (u32, u32, u32) =
        (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
    let mut rest = rest.strip_prefix('.').and_then(number).map_or(rest, |(_, after)| after);
    let half = rest.trim_start().get(..2).map(str::to_ascii_lowercase);
    let hour = match half.as_deref() {
        Some("pm") if hour < 12 => hour + 12,
        Some("am") if hour == 12 => 0,
        _ => hour,
    };
    if matches!(half.as_deref(), Some("am" | "pm")) {
        rest = &rest.trim_start()[2..];
    }
    (hour < 24 && minute < 60 && second < 61).then(|| (format!("T{hour:02}:{minute:02}:{second:02}"), rest))
}

fn zone(text: &str) -> Option<String> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix(['Z', 'z']) {
        return (!rest.starts_with(char::is_alphanumeric)).then(|| "Z".to_owned());
    }
    let text = match text.get(..3) {
        Some(name) if name.eq_ignore_ascii_case("gmt") || name.eq_ignore_ascii_case("utc") => {
            let rest = &text[3..];
            if !rest.starts_with(['+', '-']) {
                return Some("Z".to_owned());
            }
            rest
        }
        _ => text,
    };
    let sign = text.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let (hours, rest) = number(&text[1..])?;
    let minutes = rest.strip_prefix(':').and_then(number).map(|(digits, _)| digits);
    let (hours, minutes) = match hours.len() {
        4 => (&hours[..2], &hours[2..]),
        1 | 2 => (hours, minutes.unwrap_or("00")),
        _ => return None,
    };
    let (hours, minutes) = (hours.parse::<u32>().ok()?, minutes.parse::<u32>().ok()?);
    (hours < 15 && minutes < 60).then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

/// Leading ASCII digits, at least one.
fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then(|| text.split_at(end))
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
            assert_eq!(iso_date(text).as_deref(), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "([0-9]{1,5}|[-/.:, +TZ年月日]|May|jui|GMT|pm|\\PC){0,16}") {
            iso_date(&text);
        }

        #[test]
        fn is_a_fixed_point(y in 1800u32..2200, m in 1u32..13, d in 1u32..29, h in 0u32..24, zone in "(|Z|[+-]0[0-9]:[0-5]0)") {
            let date = format!("{y:04}-{m:02}-{d:02}T{h:02}:07:09{zone}");
            prop_assert_eq!(iso_date(&date), Some(date));
        }
    }
}
