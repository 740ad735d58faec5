//! Dates and times as cells show them.
//!
//! **Definition.** ECMA-376-1, 18.8.30 and 18.8.31: years, months, days, hours, minutes, seconds by runs of letters; `m` is a
//! minute behind an hour or before a second, else a month; times in brackets count on beyond their day.
//!
//! **Algorithm.** A format of its own is shown as it is written, names of months and days in English. What depends on where the
//! reader sits (formats that programs know by heart, the system's long date, eras, names in other languages) is ISO 8601.
//!
//! **Bad input.** Days before 1900 and behind 9999 are shown as numbers of no format.

use webmill_capture::calendar::{MONTHS, civil_of_days};

use crate::office::number::general;

/// Parts of a format that are looked at.
const MAX_PARTS: usize = 64;
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A format of dates that was understood.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Date {
    /// ISO 8601, with a day, with a time of day.
    Iso(bool, bool),
    /// As written.
    Written(Vec<Part>),
}

/// A part of a format: a letter and how often it stands, or what is shown as it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Literal(String),
    Year(usize),
    /// Years of the Buddhist calendar.
    Buddhist(usize),
    Month(usize),
    Day(usize),
    Hour(usize),
    Minute(usize),
    Second(usize),
    /// Digits behind the point of seconds.
    Fraction(usize),
    /// What stands for the morning, and for the afternoon.
    Half(String, String),
    /// Hours, minutes or seconds of all days, by seconds of one.
    Elapsed(i64, usize),
}

impl Date {
    /// Reads a section of a format; `None` where it is of no date.
    pub(super) fn parse(section: &str) -> Option<Date> {
        let read = read(section)?;
        let has = |of: fn(&Part) -> bool| read.parts.iter().any(of);
        let day =
            has(|part| matches!(part, Part::Year(_) | Part::Buddhist(_) | Part::Month(_) | Part::Day(_)));
        let time = has(|part| matches!(part, Part::Hour(_) | Part::Minute(_) | Part::Second(_)));
        let elapsed = has(|part| matches!(part, Part::Elapsed(..)));
        let named = has(|part| matches!(part, Part::Month(3..) | Part::Day(3..)));
        match day || time || elapsed || read.local {
            false => None,
            true if read.local || named && read.foreign => Some(Date::Iso(day, time)),
            true => Some(Date::Written(read.parts)),
        }
    }

    /// A number of days as the format shows it.
    pub(super) fn show(&self, number: f64, since_1904: bool) -> String {
        match self {
            Date::Iso(day, time) => iso(number, *day, *time, since_1904),
            Date::Written(parts) => written(parts, number, since_1904),
        }
        .unwrap_or_else(|| general(number))
    }
}

/// What a section says.
#[derive(Default)]
struct Read {
    parts: Vec<Part>,
    /// It depends on where the reader sits.
    local: bool,
    /// It names a language other than English.
    foreign: bool,
}

impl Read {
    fn literal(&mut self, c: char) {
        match self.parts.last_mut() {
            Some(Part::Literal(known)) => known.push(c),
            _ => self.parts.push(Part::Literal(c.into())),
        }
    }
}

fn read(section: &str) -> Option<Read> {
    let mut read = Read::default();
    let mut rest = section;
    while let Some(c) = rest.chars().next() {
        if read.parts.len() > MAX_PARTS {
            return None;
        }
        let run = rest.chars().take_while(|next| next.eq_ignore_ascii_case(&c)).count();
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        let mut used = c.len_utf8();
        let lower = c.to_ascii_lowercase();
        match lower {
            '"' => {
                let text = behind.split('"').next().unwrap_or_default();
                text.chars().for_each(|c| read.literal(c));
                used += text.len() + 1;
            }
            '\\' | '_' | '*' => {
                let next = behind.chars().next();
                used += next.map_or(0, char::len_utf8);
                match lower {
                    '\\' => next.into_iter().for_each(|c| read.literal(c)),
                    '_' => read.literal(' '),
                    _ => {}
                }
            }
            '[' => {
                let within = behind.split(']').next().unwrap_or_default();
                used += within.len() + 1;
                bracketed(within, &mut read);
            }
            'y' | 'e' | 'b' | 'd' | 'h' | 's' | 'm' => {
                used = run;
                read.parts.push(match lower {
                    'y' if run <= 2 => Part::Year(2),
                    'y' | 'e' => Part::Year(4),
                    'b' => Part::Buddhist(run),
                    'd' => Part::Day(run),
                    'h' => Part::Hour(run),
                    's' => Part::Second(run),
                    _ => Part::Month(run),
                });
            }
            'g' if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("general")) => return None,
            // The era, in which years are counted anew.
            'g' => {
                read.local = true;
                used = run;
            }
            'a' | '上' => {
                let marks = ["AM/PM", "A/P", "上午/下午"];
                let mark = marks.into_iter().find(|mark| {
                    rest.get(..mark.len()).is_some_and(|known| known.eq_ignore_ascii_case(mark))
                });
                match mark.and_then(|mark| mark.split_once('/')) {
                    Some((morning, afternoon)) => {
                        used = morning.len() + afternoon.len() + 1;
                        read.parts.push(Part::Half(morning.to_owned(), afternoon.to_owned()));
                    }
                    None => read.literal(c),
                }
            }
            '.' if behind.starts_with('0')
                && matches!(read.parts.last(), Some(Part::Second(_) | Part::Elapsed(1, _))) =>
            {
                let digits = behind.bytes().take_while(|byte| *byte == b'0').count();
                used += digits;
                read.parts.push(Part::Fraction(digits.min(3)));
            }
            '#' | '?' | '0' | '@' | '%' => return None,
            _ => read.literal(c),
        }
        rest = rest.get(used..).unwrap_or_default();
    }
    tell_minutes(&mut read.parts);
    Some(read)
}

/// What stands in brackets: a count of hours, minutes or seconds, a language, a colour.
fn bracketed(within: &str, read: &mut Read) {
    let unit = within.chars().next().map(|c| c.to_ascii_lowercase());
    if let Some(unit @ ('h' | 'm' | 's')) =
        unit.filter(|unit| within.chars().all(|c| c.eq_ignore_ascii_case(unit)))
    {
        let seconds = if unit == 'h' {
            3600
        } else if unit == 'm' {
            60
        } else {
            1
        };
        read.parts.push(Part::Elapsed(seconds, within.len().min(9)));
    } else if let Some((_, language)) = within.strip_prefix('$').and_then(|within| within.rsplit_once('-')) {
        let language = u32::from_str_radix(language.split(',').next().unwrap_or_default(), 16).unwrap_or(9);
        match language & 0xFFFF {
            // The long date and the time of the system.
            0xF800 | 0xF400 => read.local = true,
            language => read.foreign |= language & 0x3FF != 9 && language != 0,
        }
    }
}

/// Makes minutes of months behind hours and before seconds.
fn tell_minutes(parts: &mut [Part]) {
    let places =
        (0..parts.len()).filter(|&at| !matches!(parts.get(at), Some(Part::Literal(_) | Part::Half(..))));
    let places = places.collect::<Vec<_>>();
    for (at, &place) in places.iter().enumerate() {
        let near = |at: Option<usize>| at.and_then(|at| parts.get(*places.get(at)?));
        let behind_hour = matches!(near(at.checked_sub(1)), Some(Part::Hour(_) | Part::Elapsed(3600, _)));
        let before_second = matches!(near(at.checked_add(1)), Some(Part::Second(_)));
        if let Some(Part::Month(run @ 1..=2)) = parts.get(place).filter(|_| behind_hour || before_second) {
            parts[place] = Part::Minute(*run);
        }
    }
}

/// A number of days as ISO 8601.
fn iso(number: f64, day: bool, time: bool, since_1904: bool) -> Option<String> {
    let number = Some(number).filter(|number| (0.0..2_958_466.0).contains(number))?;
    let seconds = (number * 86_400.0).round() as i64;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    // A number below one is a time, whatever the format.
    if !day || days == 0 && !since_1904 {
        return Some(clock);
    }
    let (year, month, day) = civil_of_days(since_1970(days, since_1904));
    let date = format!("{year:04}-{month:02}-{day:02}");
    Some(if time && second != 0 { format!("{date} {clock}") } else { date })
}

/// A number of days as a format writes it.
fn written(parts: &[Part], number: f64, since_1904: bool) -> Option<String> {
    let elapsed = parts.iter().any(|part| matches!(part, Part::Elapsed(..)));
    let range = if elapsed { -1e9..1e9 } else { 0.0..2_958_466.0 };
    let number = Some(number).filter(|number| range.contains(number))?;
    let digits = parts.iter().map(|part| if let Part::Fraction(digits) = part { *digits } else { 0 }).max();
    let unit = 10_i64.pow(3 - digits.unwrap_or(0).min(3) as u32);
    let thousandths = (number.abs() * 86_400_000.0 / unit as f64).round() as i64 * unit;
    let (seconds, thousandths) = (thousandths / 1000, thousandths % 1000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil_of_days(since_1970(days, since_1904));
    let halves = parts.iter().any(|part| matches!(part, Part::Half(..)));
    let hour = if halves { (second / 3600 + 11) % 12 + 1 } else { second / 3600 };
    let name = |names: &[&'static str], at: i64| names.get(at as usize).copied().unwrap_or_default();
    let short = |name: &'static str| name.get(..3).unwrap_or(name).to_owned();
    let padded = |number: i64, width: usize| format!("{number:0>width$}", width = width.min(2));
    let mut shown = String::from(if number < 0.0 && seconds > 0 { "-" } else { "" });
    for part in parts {
        shown.push_str(&match part {
            Part::Literal(text) => text.clone(),
            Part::Year(2) => format!("{:02}", year % 100),
            Part::Year(_) => format!("{year:04}"),
            Part::Buddhist(run) if *run <= 2 => format!("{:02}", (year + 543) % 100),
            Part::Buddhist(_) => (year + 543).to_string(),
            Part::Month(run @ 0..=2) => padded(month.into(), *run),
            Part::Month(3) => short(name(&MONTHS, i64::from(month) - 1)),
            Part::Month(5) => name(&MONTHS, i64::from(month) - 1).chars().take(1).collect(),
            Part::Month(_) => name(&MONTHS, i64::from(month) - 1).to_owned(),
            Part::Day(run @ 0..=2) => padded(day.into(), *run),
            // Programs count days of the week as if 1900 had a 29 February.
            Part::Day(3) => short(name(&DAYS, (days + if since_1904 { 5 } else { 6 }) % 7)),
            Part::Day(_) => name(&DAYS, (days + if since_1904 { 5 } else { 6 }) % 7).to_owned(),
            Part::Hour(run) => padded(hour, *run),
            Part::Minute(run) => padded(second / 60 % 60, *run),
            Part::Second(run) => padded(second % 60, *run),
            Part::Fraction(digits) => format!(".{:.digits$}", format!("{thousandths:03}")),
            Part::Half(morning, afternoon) => if second < 43_200 { morning } else { afternoon }.clone(),
            Part::Elapsed(unit, width) => format!("{:0>width$}", seconds / unit),
        });
    }
    Some(shown.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A day of a sheet counted from 1 January 1970.
fn since_1970(days: i64, since_1904: bool) -> i64 {
    // Day 60 of 1900 is a 29 February that never was; days before it are one later than they count.
    if since_1904 { days - 24_107 } else { days - 25_569 + i64::from(days < 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_shown_as_written() {
        for (code, number, shown) in [
            ("dd/mm/yyyy", 45_351.0, "29/02/2024"),
            ("m/d/yy h:mm", 44_928.127_836, "1/2/23 3:04"),
            ("m/d/yy h:mm:ss", 44_928.127_836, "1/2/23 3:04:05"),
            ("h:mm AM/PM", 0.545_138_888_9, "1:05 PM"),
            ("h:mm A/P", 0.0, "12:00 A"),
            ("[h]:mm:ss", 1.5, "36:00:00"),
            ("[h]:mm:ss", -0.5, "-12:00:00"),
            ("[mm]:ss.00", 0.001, "01:26.40"),
            ("mm:ss.0", 0.001, "01:26.4"),
            ("mmmm", 45_351.0, "February"),
            ("d-mmm-yy", 45_351.0, "29-Feb-24"),
            ("[$-409]dddd, d. mmmm yyyy", 45_351.0, "Thursday, 29. February 2024"),
            ("ddd", 1.0, "Sun"),
            ("yyyy\"年\"m\"月\"d\"日\"", 45_351.0, "2024年2月29日"),
            ("[$-804]上午/下午h\"时\"mm\"分\"", 0.75, "下午6时00分"),
            ("bbbb", 45_351.0, "2567"),
            ("yyyy\\-mm\\-dd\\Thh:mm", 45_351.5, "2024-02-29T12:00"),
            // What depends on the reader's place.
            ("[$-F800]dddd, mmmm dd, yyyy", 45_351.0, "2024-02-29"),
            ("[$-411]ge.m.d", 45_351.0, "2024-02-29"),
            ("[$-407]d. mmmm yyyy", 45_351.0, "2024-02-29"),
            ("yyyy-mm-dd", 1.0, "1900-01-01"),
            ("yyyy-mm-dd", 59.0, "1900-02-28"),
            ("yyyy-mm-dd", 61.0, "1900-03-01"),
            ("yyyy-mm-dd", -1.0, "-1"),
            ("yyyy-mm-dd", 1e12, "1000000000000"),
        ] {
            assert_eq!(
                Date::parse(code).map(|date| date.show(number, false)).as_deref(),
                Some(shown),
                "{code}"
            );
        }
        assert_eq!(Date::parse("ddd yyyy").unwrap().show(0.0, true), "Fri 1904");
        for code in ["0.0", "General", "\"day\" 0", "[Red]#", "@"] {
            assert_eq!(Date::parse(code), None, "{code}");
        }
    }
}
