//! Numbers as cells show them: formats of numbers, dates, times.
//!
//! **Definition.** ECMA-376-1, 18.8.30 and 18.8.31: up to four sections, for positive and negative numbers, zero, text; digits,
//! literals, percent, exponent.
//!
//! **Algorithm.** The section is chosen by sign, then split into what stands before, within and behind the digits. Dates are
//! shown by [`Date`]. Fractions are the nearest that have so many digits.
//!
//! **Bad input.** What is no format is shown as a number of no format.

use std::cmp::Ordering;

use crate::office::number::general;
use crate::office::sheets::date::Date;

/// A format that was understood.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Format {
    General,
    Text,
    Date(Date),
    /// For positive numbers, for negative ones where they have their own, for zero; or as their conditions say.
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
    /// Digits as a cell of no format has them.
    general: bool,
    /// Places of digits before the point, and what stands between them.
    slots: Vec<Slot>,
    fraction: Option<Fraction>,
    /// Which numbers it is for, where it says so.
    condition: Option<(Ordering, bool, f64)>,
    /// Digits of the exponent.
    exponent: Option<usize>,
    /// Thousands that are left out.
    scale: u32,
    digits: bool,
}

/// A place for a digit, or a sign between two.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Slot {
    /// Whether a zero stands where there is no digit.
    Digit(bool),
    Sign(char),
}

/// A number over another.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Fraction {
    /// Whether the whole stands before it.
    mixed: bool,
    /// What it is over: so much, or at most so much.
    fixed: bool,
    most: u32,
}

impl Format {
    /// The format of a number that programs know by heart.
    pub(crate) fn built_in(id: u32) -> Format {
        Format::parse(match id {
            14 | 27..=31 | 36 | 50..=54 | 57 | 58 => return Format::Date(Date::Iso(true, false)),
            22 => return Format::Date(Date::Iso(true, true)),
            32..=35 | 55 | 56 => return Format::Date(Date::Iso(false, true)),
            1 => "0",
            2 => "0.00",
            3 => "#,##0",
            4 => "#,##0.00",
            5..=8 => "#,##0.00",
            9 => "0%",
            10 => "0.00%",
            11 => "0.00E+00",
            12 => "# ?/?",
            13 => "# ??/??",
            15 => "d-mmm-yy",
            16 => "d-mmm",
            17 => "mmm-yy",
            18 => "h:mm AM/PM",
            19 => "h:mm:ss AM/PM",
            20 => "h:mm",
            21 => "h:mm:ss",
            45 => "mm:ss",
            47 => "mm:ss.0",
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
        if let Some(date) = Date::parse(first) {
            return Format::Date(date);
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
            Format::Date(date) => date.show(number, since_1904),
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

impl Section {
    /// Reads a section; `None` for what is shown in another way.
    fn parse(section: &str) -> Option<Section> {
        let mut read = Section::default();
        let mut point = false;
        let mut commas = 0;
        let mut runs = 0;
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
                        runs += usize::from(!matches!(read.slots.last(), Some(Slot::Digit(_))));
                        read.slots.push(Slot::Digit(c == '0'));
                        read.behind.clear();
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
                        None if within.starts_with(['<', '>', '=']) => {
                            read.condition = Some(condition(&within)?);
                        }
                        None => {}
                    }
                }
                '/' if read.digits => {
                    let mut below = String::new();
                    while let Some(c) = chars.next_if(|c| matches!(c, '0'..='9' | '#' | '?')) {
                        below.push(c);
                    }
                    let fixed = below.parse::<u32>().ok().filter(|&below| below > 0 && below < 10_000);
                    let most = 10_u32.pow(below.len().clamp(1, 3) as u32) - 1;
                    let most = fixed.unwrap_or(most);
                    read.fraction = Some(Fraction { mixed: runs > 1, fixed: fixed.is_some(), most });
                    (read.whole, read.slots) = (0, Vec::new());
                    read.behind.clear();
                }
                'G' | 'g' if chars.clone().take(6).collect::<String>().eq_ignore_ascii_case("eneral") => {
                    chars.nth(5);
                    (read.digits, read.general) = (true, true);
                }
                '@' => return None,
                c => read.literal(c),
            }
        }
        read.scale = commas;
        while matches!(read.slots.last(), Some(Slot::Sign(_))) {
            read.slots.pop();
        }
        (read.decimals.1 <= 30 && read.whole <= 30).then_some(read)
    }

    fn literal(&mut self, c: char) {
        if self.digits {
            self.behind.push(c)
        } else {
            self.before.push(c)
        }
        if !self.slots.is_empty() && self.decimals.1 == 0 {
            self.slots.push(Slot::Sign(c));
        }
    }

    /// The digits of a number that is not negative.
    fn digits(&self, number: f64) -> String {
        let number =
            number * if self.percent { 100.0 } else { 1.0 } / 1000_f64.powi(self.scale.min(10) as i32);
        if self.general {
            return general(number);
        }
        if let Some(fraction) = self.fraction {
            return fraction.show(number);
        }
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
        if self.slots.iter().any(|slot| matches!(slot, Slot::Sign(_))) {
            return format!(
                "{}{}{fraction}",
                in_slots(whole, &self.slots),
                if fraction.is_empty() { "" } else { "." }
            );
        }
        let whole = format!("{whole:0>width$}", width = self.whole);
        let whole = if self.thousands { with_commas(&whole) } else { whole };
        if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
    }
}

impl Fraction {
    /// A number that is not negative, as the nearest fraction.
    fn show(self, number: f64) -> String {
        let whole = if self.mixed { number.trunc() } else { 0.0 };
        if number > 1e12 {
            return general(number);
        }
        let rest = number - whole;
        let mut best = (f64::MAX, 0.0, 1);
        for below in if self.fixed { self.most } else { 1 }..=self.most {
            let above = (rest * f64::from(below)).round();
            let error = (rest - above / f64::from(below)).abs();
            if error + 1e-12 < best.0 {
                best = (error, above, below);
            }
        }
        let (_, above, below) = best;
        let (whole, above) =
            if self.mixed && above >= f64::from(below) { (whole + 1.0, 0.0) } else { (whole, above) };
        match (self.mixed, above == 0.0, whole == 0.0) {
            (true, true, _) => general(whole),
            (true, false, false) => format!("{} {above}/{below}", general(whole)),
            _ => format!("{above}/{below}"),
        }
    }
}

/// Digits in their places, from the right; what is too many stands before the first place.
fn in_slots(digits: &str, slots: &[Slot]) -> String {
    let mut digits = digits.chars().rev().skip_while(|_| digits == "0").peekable();
    let mut shown = Vec::new();
    let mut left = slots.iter().filter(|slot| matches!(slot, Slot::Digit(_))).count();
    for slot in slots.iter().rev() {
        match slot {
            Slot::Sign(c) => shown.push(*c),
            Slot::Digit(zero) => {
                left -= 1;
                shown.extend(digits.next().or(zero.then_some('0')));
                if left == 0 {
                    shown.extend(digits.by_ref());
                }
            }
        }
    }
    shown.into_iter().rev().collect()
}

/// What a condition compares with, how, and whether equal numbers count too.
fn condition(within: &str) -> Option<(Ordering, bool, f64)> {
    let value = within.trim_start_matches(['<', '>', '=']);
    let sign = within.get(..within.len() - value.len())?;
    let (ordering, equal) = match sign {
        "<" => (Ordering::Less, false),
        "<=" => (Ordering::Less, true),
        ">" => (Ordering::Greater, false),
        ">=" => (Ordering::Greater, true),
        "=" => (Ordering::Equal, true),
        _ => return None,
    };
    Some((ordering, equal, value.trim().parse().ok()?))
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
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
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
    let holds = |section: &&Section| {
        section.condition.is_none_or(|(ordering, equal, value)| {
            number.partial_cmp(&value) == Some(ordering) || equal && number == value
        })
    };
    let own = match sections {
        _ if sections.iter().any(|section| section.condition.is_some()) => {
            sections.iter().find(holds).map(|section| (section, number < 0.0))
        }
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

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
