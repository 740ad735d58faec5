//! Numbers as cells show them: formats of numbers, dates, times.
//!
//! **Definition.** ECMA-376-1, 18.8.30 and 18.8.31: up to four sections, for positive and negative numbers, zero, text; digits,
//! literals, percent, exponent.
//!
//! **Algorithm.** The section is chosen by sign, then split into what stands before, within and behind the digits. Dates are
//! shown as ISO 8601 whatever order their format has: the order depends on where the reader sits. Fractions and conditions are
//! shown as numbers of no format.
//!
//! **Bad input.** What is no format is shown as a number of no format.

use crate::office::number::general;

/// A format that was understood.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Format {
    General,
    Text,
    /// With a day, with a time of day.
    Date(bool, bool),
    /// Hours that go beyond 24.
    Elapsed,
    /// For positive numbers, for negative ones where they have their own, for zero.
    Number(Vec<Section>),
}

/// A section of a format of numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Section {
    before: String,
    behind: String,
    whole: usize,
    /// Digits behind the point that are always shown, and at most.
    decimals: (usize, usize),
    thousands: bool,
    percent: bool,
    /// Digits of the exponent.
    exponent: Option<usize>,
    /// Thousands that are left out.
    scale: u32,
    digits: bool,
}

impl Format {
    /// The format of a number that programs know by heart.
    pub(crate) fn built_in(id: u32) -> Format {
        Format::parse(match id {
            1 => "0",
            2 => "0.00",
            3 => "#,##0",
            4 => "#,##0.00",
            5..=8 => "#,##0.00",
            9 => "0%",
            10 => "0.00%",
            11 => "0.00E+00",
            14..=17 | 27..=31 | 36 | 50..=54 | 57 | 58 => "yyyy-mm-dd",
            18..=21 | 32..=35 | 45 | 47 | 55 | 56 => "hh:mm:ss",
            22 => "yyyy-mm-dd hh:mm",
            37 | 38 => "#,##0;(#,##0)",
            39 | 40 => "#,##0.00;(#,##0.00)",
            46 => "[h]:mm:ss",
            48 => "##0.0E+0",
            49 => "@",
            _ => "General",
        })
    }

    /// Reads a format.
    pub(crate) fn parse(code: &str) -> Format {
        let sections = sections(code);
        let first = sections.first().map(String::as_str).unwrap_or_default();
        if first.trim().eq_ignore_ascii_case("general") || code.trim().is_empty() {
            return Format::General;
        }
        if let Some(date) = date(first) {
            return date;
        }
        if first.trim() == "@" {
            return Format::Text;
        }
        let read = sections.iter().take(3).map(|section| Section::parse(section)).collect::<Option<Vec<_>>>();
        read.filter(|sections| !sections.is_empty()).map_or(Format::General, Format::Number)
    }

    /// A number as the format shows it. `since_1904`: days are counted from 1904 on.
    pub(crate) fn show(&self, number: f64, since_1904: bool) -> String {
        match self {
            Format::General | Format::Text => general(number),
            Format::Date(day, time) => {
                moment(number, *day, *time, since_1904).unwrap_or_else(|| general(number))
            }
            Format::Elapsed => elapsed(number),
            Format::Number(sections) => show_number(sections, number),
        }
    }
}

/// Sections of a format, literals left as they are.
fn sections(code: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let mut quoted = false;
    let mut escaped = false;
    for c in code.chars() {
        let plain = !quoted && !escaped;
        escaped = plain && c == '\\';
        if c == '"' && (plain || quoted) {
            quoted = !quoted;
        }
        match sections.last_mut() {
            Some(_) if plain && c == ';' => sections.push(String::new()),
            Some(last) => last.push(c),
            None => {}
        }
    }
    sections
}

/// What a format of dates shows; `None` where it is none.
fn date(section: &str) -> Option<Format> {
    let (mut day, mut time, mut minutes) = (false, false, false);
    let mut chars = section.chars();
    while let Some(c) = chars.next() {
        match c.to_ascii_lowercase() {
            '"' => {
                chars.by_ref().find(|&c| c == '"');
            }
            '\\' | '_' | '*' => {
                chars.next();
            }
            '[' => {
                let within =
                    chars.by_ref().take_while(|&c| c != ']').collect::<String>().to_ascii_lowercase();
                if !within.is_empty() && within.chars().all(|c| matches!(c, 'h' | 'm' | 's')) {
                    return Some(Format::Elapsed);
                }
            }
            'y' | 'd' | 'b' => day = true,
            'h' | 's' => time = true,
            'm' => minutes = true,
            // General, or digits: seconds may have those too.
            'g' if section.to_ascii_lowercase().contains("general") => return None,
            '#' | '?' => return None,
            _ => {}
        }
    }
    // A month where no hour is near.
    day |= minutes && !time;
    (day || time).then_some(Format::Date(day, time))
}

impl Section {
    /// Reads a section; `None` for what is shown in another way.
    fn parse(section: &str) -> Option<Section> {
        let mut read = Section::default();
        let mut point = false;
        let mut commas = 0;
        let mut chars = section.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '0' | '#' | '?' => {
                    read.digits = true;
                    read.thousands |= commas > 0 && !point;
                    commas = 0;
                    if point {
                        read.decimals.1 += 1;
                        if c == '0' {
                            read.decimals.0 = read.decimals.1;
                        }
                    } else {
                        read.whole += usize::from(c == '0');
                    }
                }
                '.' if !point => point = true,
                ',' if read.digits => commas += 1,
                '%' => {
                    read.percent = true;
                    read.literal('%');
                }
                'E' | 'e' if read.digits && matches!(chars.peek(), Some('+' | '-')) => {
                    chars.next();
                    let mut digits = 0;
                    while chars.next_if(|c| matches!(c, '0' | '#' | '?')).is_some() {
                        digits += 1;
                    }
                    read.exponent = Some(digits);
                }
                '"' => chars.by_ref().take_while(|&c| c != '"').for_each(|c| read.literal(c)),
                '\\' => {
                    if let Some(c) = chars.next() {
                        read.literal(c);
                    }
                }
                '_' => {
                    chars.next();
                    read.literal(' ');
                }
                '*' => {
                    chars.next();
                }
                '[' => {
                    let within = chars.by_ref().take_while(|&c| c != ']').collect::<String>();
                    match within.strip_prefix('$') {
                        Some(money) => money.chars().take_while(|&c| c != '-').for_each(|c| read.literal(c)),
                        // Which numbers the section is for is no part of a simple format.
                        None if within.starts_with(['<', '>', '=']) => return None,
                        None => {}
                    }
                }
                '/' if read.digits => return None,
                '@' => return None,
                c => read.literal(c),
            }
        }
        read.scale = commas;
        (read.decimals.1 <= 30 && read.whole <= 30).then_some(read)
    }

    fn literal(&mut self, c: char) {
        if self.digits { self.behind.push(c) } else { self.before.push(c) }
    }

    /// The digits of a number that is not negative.
    fn digits(&self, number: f64) -> String {
        let number =
            number * if self.percent { 100.0 } else { 1.0 } / 1000_f64.powi(self.scale.min(10) as i32);
        if let Some(exponent) = self.exponent {
            let shown = format!("{number:.*e}", self.decimals.1);
            let (digits, power) = shown.split_once('e').unwrap_or((&shown, "0"));
            let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
            return format!("{digits}E{sign}{power:0>exponent$}");
        }
        let rounded = decimal(number, self.decimals.1);
        let (whole, fraction) = rounded.split_once('.').unwrap_or((&rounded, ""));
        let kept = fraction.trim_end_matches('0').len().max(self.decimals.0).min(fraction.len());
        let fraction = fraction.get(..kept).unwrap_or_default();
        let whole = if whole == "0" && self.whole == 0 && !fraction.is_empty() { "" } else { whole };
        let whole = format!("{whole:0>width$}", width = self.whole);
        let whole = if self.thousands { with_commas(&whole) } else { whole };
        if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
    }
}

/// A number with so many decimals, halves away from zero as they are written: 0.125 is 0.13.
fn decimal(number: f64, decimals: usize) -> String {
    // Of numbers with 15 digits the rest is noise of their binary form.
    let written = general(number).parse::<f64>().unwrap_or(number);
    let nudged = written * (1.0 + f64::EPSILON);
    format!("{nudged:.decimals$}")
}

fn with_commas(digits: &str) -> String {
    let mut grouped = String::new();
    for (at, c) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(c);
    }
    grouped
}

fn show_number(sections: &[Section], number: f64) -> String {
    if !number.is_finite() {
        return String::new();
    }
    let own = match sections {
        [_, negative, ..] if number < 0.0 => Some((negative, false)),
        [_, _, zero] if number == 0.0 => Some((zero, false)),
        [positive, ..] => Some((positive, number < 0.0)),
        [] => None,
    };
    let Some((section, signed)) = own else { return general(number) };
    let digits = if section.digits { section.digits(number.abs()) } else { String::new() };
    // What rounds to nothing has no sign.
    let sign = if signed && digits.contains(|c: char| ('1'..='9').contains(&c)) { "-" } else { "" };
    let shown = format!("{sign}{}{digits}{}", section.before, section.behind);
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number of days as ISO 8601.
fn moment(number: f64, day: bool, time: bool, since_1904: bool) -> Option<String> {
    if !(0.0..2_958_466.0).contains(&number) {
        return None;
    }
    let seconds = (number * 86_400.0).round() as i64;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    // A number below one is a time, whatever the format.
    if !day || days == 0 && !since_1904 {
        return Some(clock);
    }
    // Day 60 of 1900 is a 29 February that never was; days before it are one later than they count.
    let days = if since_1904 { days - 24_107 } else { days - 25_569 + i64::from(days < 60) };
    let (year, month, day) = civil(days);
    let date = format!("{year:04}-{month:02}-{day:02}");
    Some(if time && second != 0 { format!("{date} {clock}") } else { date })
}

/// Year, month and day of a day counted from 1 January 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

fn elapsed(number: f64) -> String {
    if !(-1e9..1e9).contains(&number) {
        return general(number);
    }
    let seconds = (number.abs() * 86_400.0).round() as i64;
    let sign = if number < 0.0 && seconds > 0 { "-" } else { "" };
    format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
