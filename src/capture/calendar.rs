//! The proleptic Gregorian calendar: which days exist, and their numbers.
//!
//! **Definition.** A day is a year, a month (1–12) and a day of the month; its number counts from 1970-01-01. Every year
//! divisible by 4 is a leap year but for centuries not divisible by 400. Everything that reads or writes a date asks here
//! whether it exists; which years a reader takes for sensible is its own business.
//!
//! **Cost.** Constant, without tables or branches by year.
//!
//! **Reference.** Howard Hinnant, *chrono-compatible low-level date algorithms*.

/// Names of the months in English; short names are their first three letters.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Milliseconds since 1970 by the clock of the machine; 0 where it stands before that.
pub fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Days of a month; `None` for a month that is none.
///
/// # Examples
/// ```
/// use webmill_capture::calendar::days_in_month;
/// assert_eq!([days_in_month(2024, 2), days_in_month(1900, 2), days_in_month(2024, 13)], [Some(29), Some(28), None]);
/// ```
pub fn days_in_month(year: i64, month: u32) -> Option<u32> {
    match month {
        2 => Some(28 + u32::from(is_leap_year(year))),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

/// Whether February of a year has 29 days.
pub fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Whether there is such a day.
pub fn exists(year: i64, month: u32, day: u32) -> bool {
    days_in_month(year, month).is_some_and(|days| (1..=days).contains(&day))
}

/// Days since 1970-01-01; `None` for a day that does not exist.
///
/// # Examples
/// ```
/// use webmill_capture::calendar::{civil_of_days, days_of_civil};
/// assert_eq!(days_of_civil(2000, 3, 1), Some(11_017));
/// assert_eq!(civil_of_days(11_017), (2000, 3, 1));
/// assert_eq!(days_of_civil(2023, 2, 29), None);
/// ```
pub fn days_of_civil(year: i64, month: u32, day: u32) -> Option<i64> {
    if !exists(year, month, day) {
        return None;
    }
    // Years begin in March here, so that the day that leap years add is their last.
    let y = year - i64::from(month <= 2);
    let (era, yoe) = (y.div_euclid(400), y.rem_euclid(400));
    let mp = i64::from((month + 9) % 12);
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + (153 * mp + 2) / 5 + i64::from(day) - 1;
    Some(era * 146_097 + doe - 719_468)
}

/// Year, month and day of a number of days since 1970-01-01.
pub fn civil_of_days(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let day = doy - (153 * mp + 2) / 5 + 1;
    (yoe + era * 400 + i64::from(month <= 2), month as u32, day as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_exist() {
        for (year, month, day, want) in [
            (2024, 2, 29, true),
            (2023, 2, 29, false),
            (1900, 2, 29, false),
            (2000, 2, 29, true),
            (2024, 4, 31, false),
            (2024, 12, 31, true),
            (2024, 0, 1, false),
            (2024, 13, 1, false),
            (2024, 1, 0, false),
            (0, 2, 29, true),
        ] {
            assert_eq!(exists(year, month, day), want, "{year}-{month}-{day}");
            assert_eq!(days_of_civil(year, month, day).is_some(), want);
        }
    }

    #[test]
    fn days_follow_one_another() {
        let mut next = days_of_civil(1599, 12, 31).unwrap() + 1;
        for year in 1600..2401 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month).unwrap() {
                    assert_eq!(days_of_civil(year, month, day), Some(next));
                    assert_eq!(civil_of_days(next), (year, month, day));
                    next += 1;
                }
            }
        }
        assert_eq!(days_of_civil(1970, 1, 1), Some(0));
        assert_eq!(civil_of_days(-1), (1969, 12, 31));
    }
}
