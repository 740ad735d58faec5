//! Timestamps as seconds since 1970, whose differences are small. A number that is no date of 1970 to 9999 has none.

use webmill_capture::calendar::{civil_of_days, days_of_civil};

use crate::Timestamp;

/// The first second of the year 10,000.
pub(super) const END: i64 = 253_402_300_800;

/// Seconds since 1970-01-01 UTC.
pub(super) fn of_timestamp(timestamp: Timestamp) -> Option<i64> {
    let value = timestamp.0;
    let part = |divisor: u64, modulus: u64| (value / divisor % modulus) as u32;
    let year = value / 10_000_000_000;
    if !(1970..=9999).contains(&year) {
        return None;
    }
    let (hour, minute, second) = (part(10_000, 100), part(100, 100), part(1, 100));
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_of_civil(year as i64, part(100_000_000, 100), part(1_000_000, 100))?;
    Some(days * 86_400 + i64::from(hour * 3600 + minute * 60 + second))
}

/// The inverse; `None` outside 1970 to 9999.
pub(super) fn to_timestamp(seconds: i64) -> Option<Timestamp> {
    if !(0..END).contains(&seconds) {
        return None;
    }
    let (year, month, day) = civil_of_days(seconds / 86_400);
    let second = seconds as u64 % 86_400;
    let date = (year as u64 * 100 + u64::from(month)) * 100 + u64::from(day);
    Some(Timestamp(date * 1_000_000 + second / 3600 * 10_000 + second / 60 % 60 * 100 + second % 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn table() {
        for (timestamp, seconds) in [
            (19700101000000, Some(0)),
            (20200131235959, Some(1_580_515_199)),
            (99991231235959, Some(253_402_300_799)),
            (20200230000000, None),
            (20200101240000, None),
            (20200101000060, None),
            (2020, None),
            (0, None),
            (u64::MAX, None),
        ] {
            assert_eq!(of_timestamp(Timestamp(timestamp)), seconds, "{timestamp}");
        }
        assert_eq!(to_timestamp(-1), None);
        assert_eq!(to_timestamp(253_402_300_800), None);
    }

    proptest! {
        #[test]
        fn seconds_come_back(seconds in 0i64..253_402_300_800) {
            prop_assert_eq!(to_timestamp(seconds).and_then(of_timestamp), Some(seconds));
        }
    }
}
