//! Dates in short texts: bylines, lines of facts, labels.
//!
//! Read are ISO dates (with time and zone, which are kept), numbers with `年月日` or `년월일`, `2023/5/6`, `06.05.2023`, `06.05.23`,
//! and month names of the languages of CLDR in any order that is in use, all in the digits of any script. Years of the eras of
//! Japan, of the Republic of China (`民國111年`) and of the Buddhist era, and days of the Solar Hijri and Islamic calendars whose
//! month is named, are converted. A year of two digits is read only in `06.05.23`, alone and not called a version, since
//! `2.4.52` is none.

use super::eras::{civil, civil_year, era, era_from};
use super::names::{Calendar, Month, is_plain_word, may_begin_month, month};
use super::pieces::Piece::{self, Number, Other, Word};
use super::pieces::{Placed, Unit, joins, may_hold_date, pieces, plain};
use super::time::{time_of_day, zone};
use super::{DateOrder, Day, Days, WrittenDate};
use crate::characters::is_wide;
use std::ops::Range;
use webmill_capture::cut::Cut;

/// Years of dates that are found.
const YEARS: std::ops::Range<u32> = 1980..2101;

/// Bytes of a text that are looked at.
const MAX_BYTES: usize = 300;

/// Years of two digits are read as of 1990 to 2030.
pub(super) fn century(year: u32) -> Option<u32> {
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

/// A date and the bytes of the text that it stands at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundDate {
    /// Where it stands; the name of its era is a part of it, a time behind it is none.
    pub place: std::ops::Range<usize>,
    /// The date.
    pub date: WrittenDate,
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
    dates_in(text, order, 1).pop().map(|found| (found.place.start, found.date))
}

/// The first dates in a text, `most` at most.
pub fn dates_in(text: &str, order: DateOrder, most: usize) -> Vec<FoundDate> {
    let text = text.cut(..text.floor_char_boundary(MAX_BYTES));
    if !may_hold_date(text) {
        return Vec::new();
    }
    let plain_text = plain(text);
    let pieces = pieces(&plain_text);
    let persian = !text.is_ascii() && text.contains(|c| matches!(c, '۰'..='۹'));
    let reader = Pieces { text: &plain_text, order, persian };
    let mut out: Vec<FoundDate> = Vec::new();
    let mut i = 0;
    while i < pieces.len() && out.len() < most {
        // A number that goes on to the left (a longer one with a dot or slash) is no date.
        let joined = i > 0
            && matches!(pieces[i - 1].piece, Other('/' | '.'))
            && pieces[i - 1].to == pieces[i].from
            && matches!(pieces[i].piece, Number(..));
        match reader.date(&pieces[i..], YEARS).filter(|_| !joined) {
            Some((date, used)) => {
                let from = era_from(&plain_text, pieces[i].from);
                let to = pieces[i + used - 1].to;
                out.push(FoundDate { place: place_in(text, &plain_text, from, to), date });
                i += used;
            }
            None => i += 1,
        }
    }
    out
}

/// The bytes of `text` that correspond to bytes of its plain form, which has as many characters.
fn place_in(text: &str, plain: &str, from: usize, to: usize) -> std::ops::Range<usize> {
    let byte = |at: usize| {
        let chars = plain.cut(..at).chars().count();
        text.char_indices().nth(chars).map_or(text.len(), |(byte, _)| byte)
    };
    if text.len() == plain.len() { from..to } else { byte(from)..byte(to) }
}

/// How the pieces of a plain text are read.
pub(super) struct Pieces<'a> {
    pub(super) text: &'a str,
    pub(super) order: DateOrder,
    /// Whether its digits were Persian, so that years of the Solar Hijri calendar are meant.
    pub(super) persian: bool,
}

impl Pieces<'_> {
    /// The date that begins with the first of the pieces, and how many of them it is.
    fn date(&self, window: &[Placed<'_>], years: Range<u32>) -> Option<(WrittenDate, usize)> {
        let time = match window.get(1)?.piece {
            Other('-') => window.get(4).and_then(|day| time_after(self.text, day.from)).unwrap_or_default(),
            _ => String::new(),
        };
        let (days, used) = match self.numbers(window) {
            Some(found) => found,
            None => named(self.text, window, false).map(|(day, used)| (Days::One(day), used))?,
        };
        let year_first = matches!(window[0].piece, Number(_, 4, _));
        let time = if year_first { time.as_str() } else { "" };
        Some((days.written(years, time)?, used))
    }

    /// Three numbers: `2023年5月6日`, `2023-05-06`, `06.05.2023`, `06.05.23`.
    pub(super) fn numbers(&self, window: &[Placed<'_>]) -> Option<(Days, usize)> {
        if !matches!(window.first()?.piece, Number(..)) {
            return None;
        }
        if let [Number(y, digits, Unit::Year), Number(m, _, Unit::Month), Number(d, 1..=2, _)] = kinds(window)
        {
            let year = match era(self.text.cut(..window[0].from)) {
                Some(before) if digits < 4 => before + y,
                _ if digits == 4 => y,
                _ => return None,
            };
            return Some((Days::One((year, m, d)), 3));
        }
        let found = match kinds(window) {
            [Number(y, 4, Unit::None), Other(a), Number(m, 1..=2, _), Other(b), Number(d, 1..=2, _)]
                if a == b && "-/.".contains(a) =>
            {
                let calendar = if self.persian && y < 1500 { Calendar::SolarHijri } else { Calendar::Civil };
                Days::One(civil((y, m, d), calendar)?)
            }
            // 民國111/03/14
            [Number(y, 2..=3, Unit::None), Other(a), Number(m, 1..=2, _), Other(b), Number(d, 1..=2, _)]
                if a == b && "-/.".contains(a) && era(self.text.cut(..window[0].from)).is_some() =>
            {
                Days::One((era(self.text.cut(..window[0].from))? + y, m, d))
            }
            [Number(a, 1..=2, _), Other(x), Number(b, 1..=2, _), Other(y), Number(year, 4, _)]
                if x == y && "-/.".contains(x) =>
            {
                let year = civil_year(year);
                if x == '.' { Days::One((year, b, a)) } else { Days::in_order(a, b, year, self.order)? }
            }
            [Number(d, 2, _), Other('.'), Number(m, 2, _), Other('.'), Number(year, 2, _)]
                if stands_alone(self.text.cut(..window[0].from), self.text.cut(window[4].to..)) =>
            {
                Days::One((century(year)?, m, d))
            }
            _ => return None,
        };
        Some((found, 5))
    }
}

/// The first pieces.
fn kinds<'a, const N: usize>(window: &[Placed<'a>]) -> [Piece<'a>; N] {
    std::array::from_fn(|i| window.get(i).map_or(Other(' '), |placed| placed.piece))
}

/// A part of a date that names its month.
#[derive(Copy, Clone)]
enum Part {
    Small(u32),
    Year(u32),
    Month(Month),
}

/// Most pieces of a date that names its month: `2022(e)ko martxoaren 14`.
const MAX_PIECES: usize = 14;

/// Day, month by name and year in any order that is in use, and how many pieces they are; a year of two digits behind them only
/// with `short_years`.
pub(super) fn named(text: &str, window: &[Placed<'_>], short_years: bool) -> Option<(Day, usize)> {
    let window = &window[..window.len().min(MAX_PIECES)];
    let mut parts = [Part::Small(0); 3];
    let (mut found, mut at) = (0, 0);
    while found < parts.len() {
        let (part, used) = part_at(window, at, &parts[..found], short_years)?;
        if let Some(part) = part {
            parts[found] = part;
            found += 1;
        }
        at += used;
    }
    let (month, year, day, last) =
        match parts {
            [Part::Small(d), Part::Month(m), Part::Year(y)]
            | [Part::Month(m), Part::Small(d), Part::Year(y)] => (m, y, d, false),
            [Part::Year(y), Part::Month(m), Part::Small(d)]
            | [Part::Year(y), Part::Small(d), Part::Month(m)] => (m, y, d, true),
            _ => return None,
        };
    let next = window.get(at).map(|placed| placed.piece);
    // The day is another date's.
    if last && matches!(next, Some(Number(_, 4, _))) {
        return None;
    }
    let dotted = !last && text.cut(window[at - 1].to..).starts_with('.');
    let number = if dotted { month.dotted } else { month.number };
    Some((civil((year, number, day), month.calendar)?, at))
}

/// The part of a date that begins with piece `at`, none for what stands between parts, and how many pieces it is; `None` where no
/// date goes on so.
fn part_at(
    window: &[Placed<'_>],
    at: usize,
    before: &[Part],
    short_years: bool,
) -> Option<(Option<Part>, usize)> {
    let placed = window.get(at)?;
    let numbers = || window[..window.len().min(5)].iter().any(|near| matches!(near.piece, Number(..)));
    match placed.piece {
        Number(year, 4, Unit::None) => Some((Some(Part::Year(year)), 1)),
        // 14 三月 2022
        Number(number, 1..=2, Unit::Month) if before.len() == 1 => Some((Some(plain_month(number)), 1)),
        Number(number, digits @ 1..=2, unit @ (Unit::None | Unit::Day)) => match kinds(&window[at + 1..]) {
            // 3-р сар
            [Other('-'), Word("р"), Word(word)] if word.starts_with("сар") => {
                Some((Some(plain_month(number)), 4))
            }
            _ if short_years && before.len() == 2 => {
                let year = century(number).filter(|_| digits == 2 && unit == Unit::None)?;
                Some((Some(Part::Year(year)), 1))
            }
            _ => Some((Some(Part::Small(number)), 1)),
        },
        // Nothing begins with a word that no number is near.
        Word(word) if at == 0 && (is_plain_word(word) || !numbers()) => None,
        Word(word) => match month_at(word, &window[at + 1..]) {
            Some((month, used)) => Some((Some(Part::Month(month)), used)),
            None => (!before.is_empty() && joins(placed.piece)).then_some((None, 1)),
        },
        Other(_) => (!before.is_empty() && joins(placed.piece)).then_some((None, 1)),
        Number(..) => None,
    }
}

fn plain_month(number: u32) -> Part {
    Part::Month(Month { calendar: Calendar::Civil, number, dotted: number })
}

/// The month that a word names with what follows it, and how many pieces that is: `March`, `كانون الثاني`, `tháng 3`.
fn month_at(word: &str, rest: &[Placed<'_>]) -> Option<(Month, usize)> {
    let next = rest.first().map(|placed| placed.piece);
    if let Some(Number(number, 1..=2, _)) = next
        && (["thg", "thang"].iter().any(|name| word.eq_ignore_ascii_case(name))
            || !word.is_ascii() && word.to_lowercase() == "tháng")
        && let Part::Month(month) = plain_month(number)
    {
        return Some((month, 2));
    }
    if let Some(month) = month(word) {
        return Some((month, 1));
    }
    let Some(Word(second)) = next.filter(|_| may_begin_month(word)) else { return None };
    month(&format!("{word}_{second}")).map(|month| (month, 2))
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
    let text = text.cut(..text.floor_char_boundary(MAX_BYTES));
    let proof = |window: &[Placed<'_>]| match kinds(window) {
        [Number(a, 1..=2, _), Other(x @ ('/' | '-')), Number(b, 1..=2, _), Other(y), Number(year, 4, _)]
            if x == y && YEARS.contains(&year) =>
        {
            let day = Days::in_order(a, b, year, DateOrder::Undecided)?;
            match day {
                Days::One((_, month, _)) if a != b && month == a => Some(DateOrder::MonthFirst),
                Days::One(_) if a != b => Some(DateOrder::DayFirst),
                _ => None,
            }
        }
        _ => None,
    };
    pieces(text).windows(5).find_map(proof).unwrap_or_default()
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

    /// A day in two written forms of each of eighty languages, made by `datasets/dates/names.py`.
    #[test]
    fn dates_of_languages() {
        let cases: Vec<Vec<&str>> =
            include_str!("cases.tsv").lines().map(|line| line.split('\t').collect()).collect();
        let found = |text: &str| find_date(text, DateOrder::DayFirst).and_then(WrittenDate::certain);
        let wrong: Vec<_> = cases.iter().filter(|case| found(case[1]).as_deref() != Some(case[2])).collect();
        assert!(
            cases.len() >= 100 && wrong.len() * 20 <= cases.len(),
            "{} of {}: {wrong:?}",
            wrong.len(),
            cases.len()
        );
    }

    #[test]
    fn places_of_several_dates() {
        let text = "更新时间：２０２０-01-09　发布：令和４年3月14日";
        let found = dates_in(text, DateOrder::Undecided, 4);
        let places: Vec<&str> =
            found.iter().map(|found| text.get(found.place.clone()).unwrap_or_default()).collect();
        assert_eq!(places, ["２０２０-01-09", "令和４年3月14日"]);
    }

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
            ("2022년 3월 14일", Some("2022-03-14")),
            ("２０２２年３月１４日", Some("2022-03-14")),
            ("二〇二二年三月十四日", Some("2022-03-14")),
            ("更新日：令和4年3月14日", Some("2022-03-14")),
            ("平成元年十月二十日", Some("1989-10-20")),
            ("中華民國111年3月14日", Some("2022-03-14")),
            ("民國 111/03/14", Some("2022-03-14")),
            ("111年3月14日", None),
            ("14 มีนาคม 2565", Some("2022-03-14")),
            ("๑๔ มี.ค. พ.ศ. ๒๕๖๕", Some("2022-03-14")),
            ("۲۳ اسفند ۱۴۰۰ - ۱۰:۱۵", Some("2022-03-14")),
            ("۱۴۰۰/۱۲/۲۳", Some("2022-03-14")),
            ("11 شعبان 1443 هـ", Some("2022-03-14")),
            ("14 آذار 2022", Some("2022-03-14")),
            ("7 كانون الثاني 2022", Some("2022-01-07")),
            ("ngày 14 tháng 3 năm 2022", Some("2022-03-14")),
            ("2022 оны 3-р сарын 14", Some("2022-03-14")),
            ("14. listopada 2022.", Some("2022-10-14")),
            ("14 listopada 2022", Some("2022-11-14")),
            ("iPhone Pro 14 2022", None),
            ("2022-03-14 2022年", Some("2022-03-14")),
            ("2005年9月 (1) 2005年7月 (1)", None),
            ("", None),
        ] {
            let found = find_date(text, DateOrder::Undecided).and_then(WrittenDate::certain);
            assert_eq!(found.as_deref(), want, "{text}");
        }
    }
}
