//! Dates as pages write them, brought to ISO 8601.
//!
//! **Definition.** A day (`2024-05-31`), a time of day if there is one (`2024-05-31T08:05:00`) and the zone if one is given
//! (`+02:00`, `Z`). Nothing is converted: a time without a zone stays without. [`read_date`] reads a value that is a date,
//! as in metadata, in any of the forms there; [`find_date`] looks for one in a short text, where it takes only forms that
//! are hardly ever anything else. Both read numbers by the same [`DateOrder`], months by the same names and times of the
//! day by the same rules, and ask the [calendar](webmill_capture::calendar) which days exist.
//!
//! **Ambiguity.** `03/04/2024` and `03-04-2024` are two days. The order of the page decides; where it is
//! [undecided](DateOrder::Undecided) the date is [`WrittenDate::Ambiguous`] and carries both. With dots the day comes first
//! everywhere, and where only one order gives a day that exists, that one is meant; such a date also [proves](proven_order)
//! the order of others beside it.
//!
//! **Cost.** Linear; of a text in which a date is looked for, 300 bytes are read.

mod eras;
mod find;
mod names;
mod order;
mod pieces;
mod read;
mod time;

use webmill_capture::calendar;

pub use find::{FoundDate, dates_in, find_date, find_date_at, proven_order};
pub use order::DateOrder;
pub use read::read_date;

/// A date that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WrittenDate {
    /// One day, ISO 8601.
    Certain(String),
    /// Two days, each in ISO 8601: the order of day and month is not known.
    Ambiguous {
        /// Read as month/day/year.
        month_first: String,
        /// Read as day/month/year.
        day_first: String,
    },
}

impl WrittenDate {
    /// The date in ISO 8601; `None` where it may be either of two.
    pub fn certain(self) -> Option<String> {
        match self {
            WrittenDate::Certain(date) => Some(date),
            WrittenDate::Ambiguous { .. } => None,
        }
    }

    /// The date by an order; an ambiguous one stays so where it is undecided.
    pub fn by_order(self, order: DateOrder) -> WrittenDate {
        match (self, order) {
            (WrittenDate::Ambiguous { month_first, .. }, DateOrder::MonthFirst | DateOrder::YearFirst) => {
                WrittenDate::Certain(month_first)
            }
            (WrittenDate::Ambiguous { day_first, .. }, DateOrder::DayFirst) => {
                WrittenDate::Certain(day_first)
            }
            (date, _) => date,
        }
    }

    /// Whether this date may be the day of another one.
    pub fn may_be(&self, other: &str) -> bool {
        let same = |date: &str| date.get(..10).is_some_and(|day| other.get(..10) == Some(day));
        match self {
            WrittenDate::Certain(date) => same(date),
            WrittenDate::Ambiguous { month_first, day_first } => same(month_first) || same(day_first),
        }
    }
}

/// Year, month, day.
type Day = (u32, u32, u32);

/// The day or days that a date may be.
#[derive(Copy, Clone, Debug)]
enum Days {
    One(Day),
    Either { month_first: Day, day_first: Day },
}

impl Days {
    /// The day that two numbers before a year are.
    fn in_order(first: u32, second: u32, year: u32, order: DateOrder) -> Option<Days> {
        let exists = |&(year, month, day): &Day| calendar::exists(i64::from(year), month, day);
        let month_first = Some((year, first, second)).filter(exists);
        let day_first = Some((year, second, first)).filter(exists);
        match (month_first, day_first, order) {
            (Some(day), None, _) | (None, Some(day), _) => Some(Days::One(day)),
            (Some(one), Some(other), _) if one == other => Some(Days::One(one)),
            (Some(day), _, DateOrder::MonthFirst | DateOrder::YearFirst)
            | (_, Some(day), DateOrder::DayFirst) => Some(Days::One(day)),
            (Some(month_first), Some(day_first), _) => Some(Days::Either { month_first, day_first }),
            (None, None, _) => None,
        }
    }

    /// In ISO 8601 with a time behind; `None` where a day does not exist or its year is not one of `years`.
    fn written(self, years: std::ops::Range<u32>, time: &str) -> Option<WrittenDate> {
        let iso = |(year, month, day): Day| {
            (years.contains(&year) && calendar::exists(i64::from(year), month, day))
                .then(|| format!("{year:04}-{month:02}-{day:02}{time}"))
        };
        Some(match self {
            Days::One(day) => WrittenDate::Certain(iso(day)?),
            Days::Either { month_first, day_first } => {
                WrittenDate::Ambiguous { month_first: iso(month_first)?, day_first: iso(day_first)? }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_the_order_of_the_page() {
        use DateOrder::*;
        let either = |month_first: &str, day_first: &str| {
            Some(WrittenDate::Ambiguous { month_first: month_first.into(), day_first: day_first.into() })
        };
        let one = |date: &str| Some(WrittenDate::Certain(date.into()));
        for (text, order, want) in [
            ("03/04/2024", MonthFirst, one("2024-03-04")),
            ("03/04/2024", DayFirst, one("2024-04-03")),
            ("03/04/2024", Undecided, either("2024-03-04", "2024-04-03")),
            ("3-4-2024", MonthFirst, one("2024-03-04")),
            ("3-4-2024", DayFirst, one("2024-04-03")),
            ("3-4-2024", Undecided, either("2024-03-04", "2024-04-03")),
            // One of the two does not exist, or they are the same day.
            ("25/12/2024", MonthFirst, one("2024-12-25")),
            ("12/25/2024", DayFirst, one("2024-12-25")),
            ("04/04/2024", Undecided, one("2024-04-04")),
            ("31/04/2024", Undecided, None),
            // Dots, names and years in front leave no choice.
            ("03.04.2024", MonthFirst, one("2024-04-03")),
            ("2024/03/04", DayFirst, one("2024-03-04")),
            ("3 April 2024", MonthFirst, one("2024-04-03")),
        ] {
            assert_eq!(read_date(text, order), want, "{text} {order:?}");
            assert_eq!(find_date(text, order), want, "{text} {order:?}");
        }
        let timed = read_date("03/04/2024 10:20", Undecided).unwrap();
        assert!(timed.may_be("2024-04-03") && timed.may_be("2024-03-04T11:00:00Z"));
        assert!(!timed.may_be("2024-04-04") && !timed.may_be("2024"));
        assert_eq!(timed.certain(), None);
    }
}
