//! Reads the date formats of archives leniently, and writes them exactly.
//!
//! Shards, indexes, tables and the crawl use it for every date that comes from outside.
//!
//! All dates are milliseconds since 1970-01-01T00:00:00Z in the proleptic Gregorian calendar; a leap second is the
//! first second after it. Readers accept dates as they occur in the wild: any order of weekday, day, month name, year and time;
//! two-digit years (70–99 are 19xx, the others 20xx); numeric and North American zones; no space at all. A zone that is missing or
//! unknown is UTC, so that results do not depend on the machine. Days that do not exist (30 February) are no date.
//!
//! Reference: RFC 9110 section 5.6.7, RFC 5322 section 4.3, RFC 6265 section 5.1.1 (the lenient reading), W3C
//! NOTE-datetime. Days and their numbers are those of [`calendar`](crate::calendar).

use crate::cut::Cut;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::calendar::{MONTHS, civil_of_days, days_of_civil};

const DAY_MS: i64 = 86_400_000;
const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/// The wall clock.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Reads any of the formats below: RFC 822, else W3C, else digits. For readers of archives whose writers did not keep to
/// one of them.
pub fn parse_any(text: &str) -> Option<i64> {
    parse_any_where(text, -6)
}

/// The same, with `CST` as `cst` hours from UTC: −6 in North America, 8 in China.
pub fn parse_any_where(text: &str, cst: i64) -> Option<i64> {
    rfc822_where(text, cst).or_else(|| w3c_where(text, Some(cst))).or_else(|| parse_14(text))
}

/// Reads an HTTP or mail date: RFC 822 and 1123, RFC 850, `asctime`, and their misspellings.
///
/// # Examples
/// ```
/// use webmill_capture::date::parse_rfc822;
/// assert_eq!(parse_rfc822("Tue,15 Apr 2003 08:13:06 GMT"), Some(1_050_394_386_000));
/// assert_eq!(parse_rfc822("Tue,15Apr200308:13:06GMT"), Some(1_050_394_386_000));
/// ```
pub fn parse_rfc822(text: &str) -> Option<i64> {
    rfc822_where(text, -6)
}

fn rfc822_where(text: &str, cst: i64) -> Option<i64> {
    if text.len() > 128 {
        return None;
    }
    let (mut day, mut month, mut year, mut time) = (None, None, None, None);
    let mut zone = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        if bytes[at].is_ascii_digit() {
            while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b':') {
                at += 1;
            }
            let mut token = text.cut(start..at);
            if let (Some(digits), true) = (year_before_clock(token), year.is_none() && day.is_some()) {
                year = Some(full_year(digits)?);
                token = token.cut(digits.len()..);
            }
            if token.contains(':') {
                if time.is_none() {
                    time = Some(clock(token)?);
                }
                // A fraction of a second says nothing here.
                if bytes.get(at) == Some(&b'.') {
                    at += 1;
                    while at < bytes.len() && bytes[at].is_ascii_digit() {
                        at += 1;
                    }
                }
            } else if token.len() <= 2 && day.is_none() {
                day = Some(token.parse::<u32>().ok()?);
            } else if year.is_none() {
                year = Some(full_year(token)?);
            }
        } else if bytes[at].is_ascii_alphabetic() {
            while at < bytes.len() && bytes[at].is_ascii_alphabetic() {
                at += 1;
            }
            let word = text.cut(start..at);
            if let Some(found) = month_of(word) {
                month = month.or(Some(found));
            } else if time.is_some() {
                match word.to_ascii_uppercase().as_str() {
                    "AM" => time = time.map(|t| t - if t / 3_600_000 == 12 { 12 * 3_600_000 } else { 0 }),
                    "PM" => time = time.map(|t| t + if t / 3_600_000 < 12 { 12 * 3_600_000 } else { 0 }),
                    name => zone = named_zone(name, cst).or(zone),
                }
            }
        } else if matches!(bytes[at], b'+' | b'-') && time.is_some() {
            at += 1;
            let digits = at;
            while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b':') {
                at += 1;
            }
            match offset(text.cut(digits..at)) {
                Some(found) => zone = Some(if bytes[start] == b'-' { -found } else { found }),
                // `08:49:37-94`: no zone, read again as a number.
                None => at = digits,
            }
        } else if bytes[at] == b'(' {
            // A comment: `(PST)`. It has a say where nothing else is the zone.
            let end = memchr::memchr(b')', &bytes[at..]).map_or(bytes.len(), |found| at + found);
            if time.is_some() && zone.is_none() {
                zone = named_zone(text.cut(at + 1..end).trim().to_ascii_uppercase().as_str(), cst);
            }
            at = end + 1;
        } else {
            at += 1;
        }
    }
    Some(date_ms(year?, month?, day?)? + time.unwrap_or(0) - zone.unwrap_or(0))
}

/// Reads an ISO 8601 date as WARC has it: `2003-04-15T08:13:06Z`, with fraction, offset, or shorter
/// (`2003-04-15`, `2003-04`, `2003`).
pub fn parse_w3c(text: &str) -> Option<i64> {
    w3c_where(text, None)
}

/// Where the hours of `CST` are given, a zone may have a name: `2003-04-15 08:13:06 CST`.
fn w3c_where(text: &str, cst: Option<i64>) -> Option<i64> {
    let text = text.trim();
    let (date, rest) = match text.find(['T', 't', ' ']) {
        Some(at) => (text.cut(..at), Some(text.cut(at + 1..).trim_start())),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let mut part = |length: usize, missing: u32| match parts.next() {
        None => Some(missing),
        Some(digits) if digits.len() == length => number(digits),
        Some(_) => None,
    };
    let (year, month, day) = (part(4, 0)?, part(2, 1)?, part(2, 1)?);
    if parts.next().is_some() || date.is_empty() {
        return None;
    }
    let date = date_ms(i64::from(year), month, day)?;
    let Some(rest) = rest else { return Some(date) };
    let before = rest.trim_end_matches(')').trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let named = rest.cut(before.len()..).trim_end_matches(')').to_ascii_uppercase();
    let (time, zone) = match rest.find(['Z', 'z', '+', '-']) {
        _ if named.len() > 1 && cst.is_some() => {
            (before.trim_end_matches([' ', '(']), named_zone(&named, cst?)?)
        }
        None => (rest, 0),
        Some(at) => match (rest.cut(at..=at), offset(rest.cut(at + 1..).trim())) {
            ("+", Some(zone)) => (rest.cut(..at), zone),
            ("-", Some(zone)) => (rest.cut(..at), -zone),
            ("Z" | "z", _) if rest.cut(at + 1..).trim().is_empty() => (rest.cut(..at), 0),
            _ => return None,
        },
    };
    let (whole, fraction) = match time.trim_end().split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, millis(fraction)?),
        None => (time.trim_end(), 0),
    };
    Some(date + clock(whole)? + fraction - zone)
}

/// Reads the digits of ARC and CDX: `YYYYMMDDhhmmss`, cut anywhere after the year (missing parts are the first
/// of its kind), or longer by milliseconds. Zero months and days count as one.
pub fn parse_14(text: &str) -> Option<i64> {
    let text = text.trim();
    if !(4..=17).contains(&text.len()) || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let field = |from: usize, missing: u32| match text.get(from..from + 2) {
        Some(digits) => number(digits),
        None => Some(missing),
    };
    let date = date_ms(i64::from(number(text.cut(..4))?), field(4, 1)?.max(1), field(6, 1)?.max(1))?;
    let (hour, minute, second) = (field(8, 0)?, field(10, 0)?, field(12, 0)?);
    let fraction = text.get(14..).map_or(Some(0), millis)?;
    Some(date + time_ms(hour, minute, second)? + fraction)
}

/// Writes an HTTP date: `Tue, 15 Apr 2003 08:13:06 GMT`. Milliseconds are cut off; years outside 0–9999 are clamped.
pub fn format_rfc822(ms: i64) -> String {
    let c = Civil::of(ms);
    format!(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
        WEEKDAYS[c.weekday],
        c.day,
        MONTHS[c.month - 1].cut(..3),
        c.year,
        c.hour,
        c.minute,
        c.second
    )
}

/// Writes RFC 3339 in UTC: `2003-04-15T08:13:06Z`, with three digits of fraction where it is not zero.
pub fn format_rfc3339(ms: i64) -> String {
    let c = Civil::of(ms);
    let fraction = if c.millis == 0 { String::new() } else { format!(".{:03}", c.millis) };
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}Z",
        c.year, c.month, c.day, c.hour, c.minute, c.second
    )
}

/// Writes the fourteen digits of ARC and CDX.
pub fn format_14(ms: i64) -> String {
    let c = Civil::of(ms);
    format!("{:04}{:02}{:02}{:02}{:02}{:02}", c.year, c.month, c.day, c.hour, c.minute, c.second)
}

struct Civil {
    year: i64,
    month: usize,
    day: u32,
    weekday: usize,
    hour: i64,
    minute: i64,
    second: i64,
    millis: i64,
}

impl Civil {
    fn of(ms: i64) -> Civil {
        // 0000-01-01 to 9999-12-31: four digits of year.
        let ms = ms.clamp(-62_167_219_200_000, 253_402_300_799_999);
        let (days, rest) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
        let (year, month, day) = civil_of_days(days);
        Civil {
            year,
            month: month as usize,
            day,
            weekday: (days + 4).rem_euclid(7) as usize,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1000 % 60,
            millis: rest % 1000,
        }
    }
}

/// Milliseconds of midnight; `None` where the day does not exist or its year has not four digits.
fn date_ms(year: i64, month: u32, day: u32) -> Option<i64> {
    let days = days_of_civil(year, month, day).filter(|_| (0..=9999).contains(&year))?;
    Some(days * DAY_MS)
}

/// `hh:mm` or `hh:mm:ss`.
fn clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':').map(|part| if part.len() <= 2 { number(part) } else { None });
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    if parts.next().is_some() { None } else { time_ms(hour, minute, second) }
}

fn time_ms(hour: u32, minute: u32, second: u32) -> Option<i64> {
    let valid = (hour < 24 && minute < 60 && second <= 60) || (hour, minute, second) == (24, 0, 0);
    valid.then(|| (i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second)) * 1000)
}

/// The digits of a year that stand before a time without a space: `2003` of `200308:13:06`, `03` of `0308:13:06`.
fn year_before_clock(token: &str) -> Option<&str> {
    match token.find(':')? {
        5 | 6 => token.get(..4),
        3 | 4 => token.get(..2),
        _ => None,
    }
}

/// `hhmm`, `hh:mm` or `hh` of a zone.
fn offset(text: &str) -> Option<i64> {
    let (hours, minutes) = match (text.split_once(':'), text.len()) {
        (Some(parts), 4..=5) => parts,
        (None, 3..=4) => text.split_at_checked(text.len() - 2)?,
        (None, 1..=2) => (text, "00"),
        _ => return None,
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours <= 24 && minutes < 60).then_some((i64::from(hours) * 60 + i64::from(minutes)) * 60_000)
}

/// The offset of a zone by its name in large letters.
fn named_zone(name: &str, cst: i64) -> Option<i64> {
    let hours = match name {
        "CST" => cst,
        "GMT" | "UT" | "UTC" | "Z" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => return None,
    };
    Some(hours * 3_600_000)
}

fn month_of(word: &str) -> Option<u32> {
    let start = word.get(..3)?;
    let at = MONTHS.iter().position(|m| m.cut(..3).eq_ignore_ascii_case(start))?;
    u32::try_from(at + 1).ok()
}

fn full_year(digits: &str) -> Option<i64> {
    let year = i64::from(number(digits)?);
    match digits.len() {
        4 => Some(year),
        // Three digits are the bug of programs that added to 1900: 103 is 2003.
        3 if year < 200 => Some(1900 + year),
        2 if year >= 70 => Some(1900 + year),
        1 | 2 => Some(2000 + year),
        _ => None,
    }
}

fn number(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

/// Milliseconds of the digits of a fraction; further digits are cut off.
fn millis(fraction: &str) -> Option<i64> {
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(fraction.bytes().chain(*b"000").take(3).fold(0, |sum, b| sum * 10 + i64::from(b - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const T: i64 = 1_050_394_386_000; // 2003-04-15T08:13:06Z
    const NOV: i64 = 784_111_777_000; // 1994-11-06T08:49:37Z

    #[test]
    fn rfc822() {
        for (text, want) in [
            ("Tue, 15 Apr 2003 08:13:06 GMT", Some(T)),
            ("Tue,15 Apr 2003 08:13:06 GMT", Some(T)),
            ("  tue, 15 apr 2003 08:13:06 gmt ", Some(T)),
            ("15 April 2003 08:13:06", Some(T)),
            ("Tue, 15 Apr 2003 16:13:06 +0800", Some(T)),
            ("Tue, 15 Apr 2003 16:13:06 GMT+08:00", Some(T)),
            ("Tue, 15 Apr 2003 03:13:06 -0500 (EST)", Some(T)),
            ("Tue, 15 Apr 2003 03:13:06 EST", Some(T)),
            ("Tue, 15 Apr 03 08:13:06 UT", Some(T)),
            ("Tue,15Apr200308:13:06GMT", Some(T)),
            ("Tue,15Apr20038:13:06GMT", Some(T)),
            ("15Apr0308:13:06", Some(T)),
            ("Tue,15Apr200316:13:06+0800", Some(T)),
            ("15 Apr 2003 2003:13:06", None),
            ("200308:13:06 15 Apr", None),
            ("Tue, 15 Apr 103 08:13:06 GMT", Some(T)),
            ("Tue, 15 Apr 2003 08:13:06 XYZ", Some(T)),
            ("Tue, 15 Apr 2003 00:13:06 (PST)", Some(T)),
            ("Tue, 15 Apr 2003 08:13:06 (a comment", Some(T)),
            ("Tue, 15 Apr 2003 08:13:06 GMT (PST)", Some(T)),
            ("Tue, 15 Apr 2003 08:13:06.123 GMT", Some(T)),
            ("Tue, 15-Apr-2003 08:13:06 GMT", Some(T)),
            ("15 Apr 2003 8:13:06 AM", Some(T)),
            ("15 Apr 2003 8:13:06 PM", Some(T + 12 * 3_600_000)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(NOV)),
            ("Sun Nov  6 08:49:37 1994", Some(NOV)),
            ("Sun Nov 6 08:49:37 GMT 1994", Some(NOV)),
            ("Tue, 15 Apr 2003 08:13 GMT", Some(T - 6000)),
            ("Tue, 15 Apr 2003", Some(T - 29_586_000)),
            ("Sat, 31 Dec 2016 23:59:60 GMT", Some(1_483_228_800_000)),
            ("Thu, 29 Feb 2024 00:00:00 GMT", Some(1_709_164_800_000)),
            ("Wed, 29 Feb 2023 00:00:00 GMT", None),
            ("Tue, 32 Apr 2003 08:13:06 GMT", None),
            ("Tue, 15 Apr 2003 25:13:06 GMT", None),
            ("Tue, 15 Foo 2003 08:13:06 GMT", None),
            ("15 Apr", None),
            ("-1", None),
            ("0", None),
            ("", None),
            ("Tue, 15 Apr 99999999999999999999 08:13:06 GMT", None),
        ] {
            assert_eq!(parse_rfc822(text), want, "{text}");
        }
    }

    #[test]
    fn w3c() {
        for (text, want) in [
            ("2003-04-15T08:13:06Z", Some(T)),
            ("2003-04-15t08:13:06z", Some(T)),
            ("2003-04-15 08:13:06", Some(T)),
            ("2003-04-15T08:13:06.5Z", Some(T + 500)),
            ("2003-04-15T08:13:06.123456789Z", Some(T + 123)),
            ("2003-04-15T16:13:06+08:00", Some(T)),
            ("2003-04-15T03:13:06-0500", Some(T)),
            ("2003-04-15T08:13Z", Some(T - 6000)),
            ("2003-04-15", Some(T - 29_586_000)),
            ("2003-04", Some(1_049_155_200_000)),
            ("2003", Some(1_041_379_200_000)),
            ("1969-12-31T23:59:59Z", Some(-1000)),
            ("2003-13-15T08:13:06Z", None),
            ("2003-04-15T08:13:06Q", None),
            ("2003-04-15T08:13:06Zzz", None),
            ("2003-04-15T", None),
            ("T08:13:06Z", None),
            ("20030415081306", None),
            ("", None),
        ] {
            assert_eq!(parse_w3c(text), want, "{text}");
        }
    }

    #[test]
    fn digits() {
        for (text, want) in [
            ("20030415081306", Some(T)),
            ("20030415081306123", Some(T + 123)),
            ("200304150813", Some(T - 6000)),
            ("20030415", Some(T - 29_586_000)),
            ("200304", Some(1_049_155_200_000)),
            ("2003", Some(1_041_379_200_000)),
            ("20030000000000", Some(1_041_379_200_000)),
            ("20030431000000", None),
            ("20030415081361", None),
            ("200", None),
            ("2003041508130a", None),
            ("200304150813061234", None),
        ] {
            assert_eq!(parse_14(text), want, "{text}");
        }
        assert_eq!(parse_any("20030415081306"), Some(T));
        assert_eq!(parse_any("2003-04-15T08:13:06Z"), Some(T));
    }

    #[test]
    fn formats() {
        assert_eq!(format_rfc822(T), "Tue, 15 Apr 2003 08:13:06 GMT");
        assert_eq!(format_rfc3339(T), "2003-04-15T08:13:06Z");
        assert_eq!(format_rfc3339(T + 7), "2003-04-15T08:13:06.007Z");
        assert_eq!(format_14(-1), "19691231235959");
        assert_eq!(format_rfc3339(i64::MIN), "0000-01-01T00:00:00Z");
        assert_eq!(format_rfc3339(i64::MAX), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn a_zone_of_foreign_characters_is_none() {
        assert_eq!(parse_any("2024-05-01T12:00:00-\u{fffd}"), None);
        assert_eq!(
            parse_any("Tue, 15 Apr 2003 08:13:06 +\u{fffd}"),
            parse_any("Tue, 15 Apr 2003 08:13:06 +x")
        );
    }

    proptest! {
        #[test]
        fn written_dates_read_back(seconds in -62_167_219_200_i64..253_402_300_800, millis in 0..1000_i64) {
            let ms = seconds * 1000;
            prop_assert_eq!(parse_rfc822(&format_rfc822(ms)), Some(ms));
            prop_assert_eq!(parse_w3c(&format_rfc3339(ms + millis)), Some(ms + millis));
            prop_assert_eq!(parse_14(&format_14(ms)), Some(ms));
        }
    }
}
