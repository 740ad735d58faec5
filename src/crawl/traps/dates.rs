//! Dates in URLs.
//!
//! Recognised are years 1700 to 2199, with a month or with month and day:
//!
//! - `YYYY-MM-DD` (also with `_` or `.`) anywhere between other characters than digits; `YYYY-MM` as a whole segment
//!   or value;
//! - path segments `/YYYY/MM/` and `/YYYY/MM/DD/`;
//! - parameters: a value `YYYY-MM-DD`; `YYYY-MM`, `YYYYMMDD` and seconds since 1970 where the name speaks of time; year
//!   and month (and day) by names of their own, with any year.
//!
//! `/2031/5` may be page 5 of thread 2031: without zeros in front, or words like "calendar" elsewhere in the URL, such a
//! date is none. It is *sure* where it is written with signs between (`2031-05-12`) or where the URL speaks of time.

use std::cell::LazyCell;
use webmill_capture::cut::Cut;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use webmill_capture::{CanonicalUrl, calendar};

/// A date that a URL seems to be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DateLike {
    pub year: i32,
    pub month: u8,
    /// 0: of a month.
    pub day: u8,
    /// Whether it is a date and can be nothing else.
    pub sure: bool,
    /// Whether nothing but an ending follows it in the path: a page of that date, not a page dated so.
    pub leaf: bool,
    /// The URL but for the date.
    pub template: u64,
}

impl DateLike {
    /// Days since 1970 of its first day; proleptic Gregorian.
    pub fn days(&self) -> i64 {
        let first = calendar::days_of_civil(self.year.into(), self.month.into(), 1);
        // A day that its month does not have is one of the next month: URLs are not read that closely.
        first.expect("months are from 1 to 12") + i64::from(self.day.max(1)) - 1
    }
}

/// Words that make numbers a date.
const WORDS: [&str; 14] = [
    "calend",
    "kalend",
    "date",
    "event",
    "agenda",
    "archiv",
    "month",
    "week",
    "schedul",
    "year",
    "daily",
    "diary",
    "termin",
    "veranstalt",
];

fn speaks_of_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    WORDS.iter().any(|word| bytes.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word.as_bytes())))
}

/// A number of at most `digits` digits, and nothing else.
fn number(text: &str, digits: usize) -> Option<i32> {
    let plain = (1..=digits).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

fn year(text: &str) -> Option<i32> {
    number(text, 4).filter(|y| text.len() == 4 && (1700..2200).contains(y))
}

fn month(text: &str) -> Option<u8> {
    number(text, 2).filter(|m| (1..=12).contains(m)).map(|m| m as u8)
}

fn day(text: &str) -> Option<u8> {
    number(text, 2).filter(|d| (1..=31).contains(d)).map(|d| d as u8)
}

/// `YYYY-MM-DD` at the start of a text.
fn full(text: &str) -> Option<(i32, u8, u8)> {
    let bytes = text.as_bytes();
    let sign = *bytes.get(4)?;
    if !matches!(sign, b'-' | b'_' | b'.')
        || bytes.get(7) != Some(&sign)
        || bytes.get(10).is_some_and(u8::is_ascii_digit)
    {
        return None;
    }
    Some((year(text.get(..4)?)?, month(text.get(5..7)?)?, day(text.get(8..10)?)?))
}

/// `YYYY-MM` or, where numbers stand for dates, `YYYYMMDD`.
fn whole(text: &str, numbers: bool) -> Option<(i32, u8, u8)> {
    if let Some((y, m)) = text.split_once(['-', '_']) {
        return Some((year(y)?, month(m).filter(|_| m.len() == 2)?, 0));
    }
    if numbers && text.len() == 8 && text.is_ascii() {
        return Some((year(text.cut(..4))?, month(text.cut(4..6))?, day(text.cut(6..))?));
    }
    None
}

/// Start of the first full date in a text.
fn find_full(text: &str) -> Option<(usize, (i32, u8, u8))> {
    let bytes = text.as_bytes();
    (0..bytes.len().saturating_sub(9))
        .filter(|&i| bytes[i].is_ascii_digit() && (i == 0 || !bytes[i - 1].is_ascii_digit()))
        .find_map(|i| Some((i, full(text.get(i..)?)?)))
}

/// Seconds since 1970, from 2001 on.
fn seconds(text: &str) -> Option<(i32, u8, u8)> {
    let seconds: i64 = text.parse().ok().filter(|s| (1_000_000_000..100_000_000_000).contains(s))?;
    let (year, month, day) = calendar::civil_of_days(seconds / 86_400);
    Some((i32::try_from(year).ok()?, month as u8, day as u8))
}

/// The date of a URL; one in the query before one in the path.
pub(super) fn find(url: &CanonicalUrl) -> Option<DateLike> {
    // Most URLs have no digits where dates could be: they cost one look.
    let text = url.path_and_query();
    if text.bytes().filter(u8::is_ascii_digit).count() < 2 {
        return None;
    }
    in_query(url).or_else(|| in_path(url))
}

fn in_query(url: &CanonicalUrl) -> Option<DateLike> {
    let query = url.query()?;
    let mut found: Option<(i32, u8, u8)> = None;
    let (mut y, mut m, mut d) = (None, None, 0);
    if !query.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut template = xxh3_64_with_seed(url.path().as_bytes(), 0);
    for parameter in query.split(['&', ';']) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let is = |names: &[&str]| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        let timely = || speaks_of_time(name) || is(&["cal", "day"]);
        let date = full(value)
            .or_else(|| {
                whole(value, true).filter(|_| timely() || is(&["from", "to", "start", "end", "time"]))
            })
            .or_else(|| seconds(value).filter(|_| timely()));
        let mut taken = true;
        if date.is_some() {
            found = found.or(date);
        } else if is(&["year", "y", "yr", "yyyy", "jahr", "annee"]) {
            y = y.or_else(|| number(value, 9));
        } else if is(&["month", "m", "mon", "mm", "mo", "monat", "mois"]) {
            m = m.or_else(|| month(value));
        } else if is(&["day", "d", "dd", "tag", "jour"]) {
            d = day(value).unwrap_or(d);
        } else {
            taken = false;
        }
        template = xxh3_64_with_seed(if taken { name.as_bytes() } else { parameter.as_bytes() }, template);
    }
    let named = y.zip(m).map(|(y, m)| (y, m, d));
    let (year, month, day) = found.or(named)?;
    Some(DateLike { year, month, day, sure: true, leaf: true, template })
}

fn in_path(url: &CanonicalUrl) -> Option<DateLike> {
    let path = url.path();
    // Words of a title say nothing: only short segments do, and names of parameters.
    let timely = LazyCell::new(|| {
        let name = |parameter: &str| speaks_of_time(parameter.split('=').next().unwrap_or_default());
        path.split('/').any(|segment| segment.len() <= 20 && speaks_of_time(segment))
            || url.query().is_some_and(|query| query.split('&').any(name))
    });
    let tail = |rest: &str| {
        let rest = rest.trim_start_matches('/');
        rest.is_empty() || rest.starts_with("index.") || (rest.starts_with('.') && !rest.contains('/'))
    };
    let date = |from: usize, to: usize, (year, month, day): (i32, u8, u8), sure: bool| {
        let around = [path.cut(..from), path.cut(to..), url.query().unwrap_or_default()];
        let template = around.iter().fold(1, |seed, part| xxh3_64_with_seed(part.as_bytes(), seed));
        DateLike { year, month, day, sure, leaf: tail(path.cut(to..)), template }
    };
    if let Some((at, found)) = find_full(path) {
        return Some(date(at, at + 10, found, true));
    }
    let mut start = 1;
    for segment in path.split('/').skip(1) {
        let end = start + segment.len();
        let stem = segment.split('.').next().unwrap_or_default();
        if let Some(found) = whole(stem, true)
            && (stem.len() < 8 || *timely)
        {
            return Some(date(start, start + stem.len(), found, *timely));
        }
        if let Some(year) = year(segment) {
            let mut rest = path.cut(end..).trim_start_matches('/').split('/');
            // The length of a segment's stem and what it says.
            let (next, after) = (rest.next().unwrap_or_default(), rest.next().unwrap_or_default());
            let stem = |s: &str| s.split('.').next().unwrap_or_default().len();
            if let Some(month) = month(next.cut(..stem(next))) {
                let padded = stem(next) == 2;
                let zero = next.starts_with('0');
                let month_end = end + 1 + stem(next);
                let full_day = (stem(next) == next.len()).then(|| day(after.cut(..stem(after)))).flatten();
                match full_day {
                    Some(day) if *timely || (padded && stem(after) == 2) => {
                        return Some(date(start, month_end + 1 + stem(after), (year, month, day), *timely));
                    }
                    _ if *timely || zero => return Some(date(start, month_end, (year, month, 0), *timely)),
                    _ => {}
                }
            }
        }
        start = end + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Option<DateLike> {
        find(&CanonicalUrl::parse(&format!("http://a.example{text}")).expect("a URL"))
    }

    #[test]
    fn dates() {
        for (text, date, sure, leaf) in [
            ("/calendar/2031/5.html", (2031, 5, 0), true, true),
            ("/calendar/2031/5/7", (2031, 5, 7), true, true),
            ("/blog/2031/05/", (2031, 5, 0), false, true),
            ("/blog/2031/05/index.html", (2031, 5, 0), false, true),
            ("/2031/11/27", (2031, 11, 27), false, true),
            ("/2031/11/27/a-story.html", (2031, 11, 27), false, false),
            ("/2031/05/a-story", (2031, 5, 0), false, false),
            ("/x/2031-05-12", (2031, 5, 12), true, true),
            ("/news-2031.05.12.html", (2031, 5, 12), true, true),
            ("/log/2031_05_12/part", (2031, 5, 12), true, false),
            ("/events/2031-05", (2031, 5, 0), true, true),
            ("/events/20310512", (2031, 5, 12), true, true),
            ("/?date=2031-05-12", (2031, 5, 12), true, true),
            ("/?when=2031-05-12T10:00", (2031, 5, 12), true, true),
            ("/?date=2031-05", (2031, 5, 0), true, true),
            ("/?tribe-bar-date=20310512", (2031, 5, 12), true, true),
            ("/?year=2031&month=05", (2031, 5, 0), true, true),
            ("/?m=5&y=99999&d=3", (99_999, 5, 3), true, true),
            ("/?caldate=1936396800", (2031, 5, 13), true, true),
        ] {
            let date_like = found(text).unwrap_or_else(|| panic!("{text}"));
            let got = ((date_like.year, date_like.month, date_like.day), date_like.sure, date_like.leaf);
            assert_eq!(got, (date, sure, leaf), "{text}");
        }
    }

    #[test]
    fn numbers_that_are_no_dates() {
        for text in [
            "/thread/2031/2",
            "/thread/2031/11",
            "/2031/",
            "/2031/13",
            "/a/2031/5/7",
            "/20310512",
            "/item/2031-2",
            "/10.1007/978-2031-05",
            "/v2031.05/",
            "/12031-05-12",
            "/2031-05-123",
            "/?year=2050",
            "/?m=5",
            "/?id=20310512",
            "/?expires=1936396800",
            "/?t=1936396800",
            "/?q=2031-05",
            "/1234/05",
            "/2200/05",
            "/?y=10&z=20",
            "/?start=20",
            "/what-a-man-did-in-new-years-eve-attacks/21791026/",
            "/?from=1936396800",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn templates_leave_the_date_out() {
        let template = |text: &str| found(text).expect("a date").template;
        for (a, b, same) in [
            ("/calendar/2031/5.html", "/calendar/1999/12.html", true),
            ("/calendar/2031/5.html", "/kalender-calendar/2031/5.html", false),
            ("/x/2031-05-12?view=day", "/x/2031-06-12?view=day", true),
            ("/x/2031-05-12?view=day", "/x/2031-05-12?view=week", false),
            ("/?year=2031&month=05", "/?year=1&month=1", true),
            ("/?year=2031&month=05&v=1", "/?year=2031&month=05&v=2", false),
            ("/2031/05/a", "/2031/05/b", false),
        ] {
            assert_eq!(template(a) == template(b), same, "{a} {b}");
        }
    }

    #[test]
    fn days() {
        let days =
            |year, month, day| DateLike { year, month, day, sure: true, leaf: true, template: 0 }.days();
        assert_eq!(
            (days(1970, 1, 1), days(1970, 1, 0), days(2000, 3, 1), days(1969, 12, 31)),
            (0, 0, 11_017, -1)
        );
    }

    proptest! {
        #[test]
        fn seconds_and_days_agree(day in 11_575i64..1_000_000) {
            let (year, month, of_month) = seconds(&(day * 86_400 + 5).to_string()).expect("in range");
            let date = DateLike { year, month, day: of_month, sure: true, leaf: true, template: 0 };
            prop_assert_eq!(date.days(), day);
        }
    }
}
