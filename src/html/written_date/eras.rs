//! Years and days of other eras and calendars, as days of the civil one.
//!
//! Years of Japan, of the Republic of China and of the Buddhist era begin and end with civil ones. Days of the Solar Hijri calendar and of
//! the Islamic one (Umm al-Qura, that of official dates) are converted by the crate icu_calendar.

use super::Day;
use super::names::Calendar;
use icu_calendar::Date;
use icu_calendar::cal::Hijri;
use webmill_capture::cut::Cut;

/// Names of eras and the civil year before their first.
const ERAS: [(&str, u32); 7] = [
    ("令和", 2018),
    ("平成", 1988),
    ("昭和", 1925),
    ("大正", 1911),
    ("明治", 1867),
    ("民國", 1911),
    ("民国", 1911),
];

/// Years by which the Buddhist era of Thailand is ahead, and those of its years that are read where nothing names the era.
const BUDDHIST: u32 = 543;
const BUDDHIST_YEARS: std::ops::Range<u32> = 2523..2601;

/// The civil year before the first of the era that a text ends with.
pub(super) fn era(before: &str) -> Option<u32> {
    let before = before.trim_end();
    ERAS.iter().find(|(name, _)| before.ends_with(name)).map(|era| era.1)
}

/// The bytes at which the name of an era begins that ends at `at`.
pub(super) fn era_from(text: &str, at: usize) -> usize {
    let before = text.cut(..at).trim_end();
    ERAS.iter().find_map(|(name, _)| before.strip_suffix(name)).map_or(at, str::len)
}

/// A year of the Buddhist era as a civil one; others as they are.
pub(super) fn civil_year(year: u32) -> u32 {
    if BUDDHIST_YEARS.contains(&year) { year - BUDDHIST } else { year }
}

/// A day of a calendar as a civil day; `None` where it does not exist there.
pub(super) fn civil((year, month, day): Day, calendar: Calendar) -> Option<Day> {
    let (y, m, d) = (i32::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?);
    let date = match calendar {
        Calendar::Civil => return Some((civil_year(year), month, day)),
        Calendar::SolarHijri if (1300..1500).contains(&year) => {
            Date::try_new_persian(y, m, d).ok()?.to_calendar(icu_calendar::Iso)
        }
        Calendar::Islamic if (1350..1550).contains(&year) => {
            let days = Date::try_new_hijri_with_calendar(y, m, d, Hijri::new_umm_al_qura()).ok()?;
            days.to_calendar(icu_calendar::Iso)
        }
        _ => return None,
    };
    let number = date.month().ordinal;
    Some((u32::try_from(date.year().extended_year()).ok()?, number.into(), date.day_of_month().0.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_calendars() {
        for (day, calendar, want) in [
            ((1400, 12, 23), Calendar::SolarHijri, Some((2022, 3, 14))),
            ((1403, 12, 30), Calendar::SolarHijri, Some((2025, 3, 20))),
            ((1402, 12, 30), Calendar::SolarHijri, None),
            ((1443, 8, 11), Calendar::Islamic, Some((2022, 3, 14))),
            ((1445, 9, 1), Calendar::Islamic, Some((2024, 3, 11))),
            ((2565, 3, 14), Calendar::Civil, Some((2022, 3, 14))),
            ((2022, 3, 14), Calendar::SolarHijri, None),
        ] {
            assert_eq!(civil(day, calendar), want, "{day:?}");
        }
        assert_eq!((era("中華民國"), era("更新日：令和"), era("公元")), (Some(1911), Some(2018), None));
        assert_eq!(era_from("日：令和4年", 12), 6);
    }
}
