//! Times of the day and zones behind dates.

use webmill_capture::cut::Cut;

/// `T08:05:00`, from what follows a date: a separator, then hours and minutes.
pub(super) fn time_of_day(text: &str) -> Option<(String, &str)> {
    let text =
        text.trim_start_matches([' ', 'T', 't', ',', '\u{A0}', '-', '|', '–']).trim_start_matches("at ");
    let (hour, rest) = number(text)?;
    let (hour, minute, second, rest) = match hour.len() {
        1 | 2 => {
            let (minute, rest) = number(rest.strip_prefix(':')?)?;
            let (second, rest) = rest.strip_prefix(':').and_then(number).unwrap_or(("0", rest));
            (hour, minute, second, rest)
        }
        6 => (hour.cut(..2), hour.cut(2..4), hour.cut(4..), rest),
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
        rest = rest.trim_start().cut(2..);
    }
    (hour < 24 && minute < 60 && second < 61).then(|| (format!("T{hour:02}:{minute:02}:{second:02}"), rest))
}

/// The zone at the start of what follows a time: `+02:00`, `Z`.
pub(super) fn zone(text: &str) -> Option<String> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix(['Z', 'z']) {
        return (!rest.starts_with(char::is_alphanumeric)).then(|| "Z".to_owned());
    }
    if let Some(hours) = named_zone(text) {
        return Some(hours);
    }
    let text = match text.get(..3) {
        Some(name) if name.eq_ignore_ascii_case("gmt") || name.eq_ignore_ascii_case("utc") => {
            let rest = text.cut(3..);
            if !rest.starts_with(['+', '-']) {
                return Some("Z".to_owned());
            }
            rest
        }
        _ => text,
    };
    let sign = text.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let (hours, rest) = number(text.cut(1..))?;
    let minutes = rest.strip_prefix(':').and_then(number).map(|(digits, _)| digits);
    let (hours, minutes) = match hours.len() {
        4 => (hours.cut(..2), hours.cut(2..)),
        1 | 2 => (hours, minutes.unwrap_or("00")),
        _ => return None,
    };
    let (hours, minutes) = (hours.parse::<u32>().ok()?, minutes.parse::<u32>().ok()?);
    (hours < 15 && minutes < 60).then(|| format!("{sign}{hours:02}:{minutes:02}"))
}

/// The zone that a text begins with by its name, where that is of one zone only: CST is one of America and of China.
fn named_zone(text: &str) -> Option<String> {
    const ZONES: &str = "UT+00 EST-05 EDT-04 CDT-05 MST-07 MDT-06 PST-08 PDT-07 WET+00 WEST+01 CET+01 CEST+02 MEZ+01 \
        MESZ+02 BST+01 EET+02 EEST+03 MSK+03 JST+09 KST+09 HKT+08 AEST+10 AEDT+11 NZST+12 NZDT+13";
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let name = text.cut(..end);
    let hours = ZONES.split(' ').find_map(|zone| {
        let (known, hours) = zone.split_at_checked(zone.len() - 3)?;
        known.eq_ignore_ascii_case(name).then_some(hours)
    })?;
    Some(format!("{hours}:00"))
}

/// Leading ASCII digits, at least one.
pub(super) fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then(|| text.split_at(end))
}
