//! The captures of one URL by year, month and day.
//!
//! They are added in the order of the index, by time, and counted as they come; of those of the year shown at most
//! [`MOST_LISTED`] are kept, so that a URL captured a million times costs no more than a page can show.

use std::collections::BTreeMap;

use webmill_capture::calendar::{days_in_month, days_of_civil};

use crate::index::Timestamp;

use super::data::CaptureLine;
use super::show::day_of;

/// Most captures of a year that are listed below its calendar.
pub const MOST_LISTED: usize = 1000;

/// What kind of answers a day has, or a capture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Status 4xx or 5xx.
    Missing,
    /// None of the others.
    Other,
    /// Status 3xx.
    Moved,
    /// Status 2xx.
    Ok,
}

impl Outcome {
    /// That of a capture. A revisit without status stands for a page that is still the same.
    pub fn of(line: &CaptureLine) -> Outcome {
        match line.status {
            Some(200..=299) => Outcome::Ok,
            Some(300..=399) => Outcome::Moved,
            Some(400..=599) => Outcome::Missing,
            None if line.mime == "warc/revisit" => Outcome::Ok,
            _ => Outcome::Other,
        }
    }

    /// Its name among the site's words and in its style sheet.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Moved => "moved",
            Outcome::Missing => "missing",
            Outcome::Other => "other",
        }
    }
}

webmill_capture::words! {
    /// How the content of a capture compares with earlier ones of the same URL, by digest.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Sameness {
        /// There is none before it.
        First = "same_first",
        /// Equal to the one before.
        Unchanged = "same_unchanged",
        /// Equal to an earlier one, but not to the one before.
        Again = "same_again",
        /// Equal to none before.
        Changed = "same_changed",
        /// Its digest is not known.
        #[default]
        Unknown = "same_unknown",
    }
}

/// A day with captures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    /// How many.
    pub captures: u64,
    /// The best of their outcomes.
    pub outcome: Outcome,
    /// The one that stands for the day: the first with that outcome.
    pub capture: CaptureLine,
}

/// Digests remembered to tell a content that came back.
const DIGESTS: usize = 10_000;

/// The captures of a URL.
#[derive(Debug, Clone, Default)]
pub struct Calendar {
    /// The URL whose captures are shown.
    pub url: String,
    /// The year shown; 0 where there are no captures.
    pub year: u32,
    /// Captures of each year that has any.
    pub years: BTreeMap<u32, u64>,
    /// Time of the first capture of all years, and of the last.
    pub ends: Option<(Timestamp, Timestamp)>,
    /// Days of the year shown, by month and day.
    pub days: BTreeMap<(u32, u32), Day>,
    /// Captures of that year in order, at most [`MOST_LISTED`].
    pub captures: Vec<(CaptureLine, Sameness)>,
    /// Whether there are more than these.
    pub cut: bool,
    wanted: Option<u32>,
    digest: Option<String>,
    seen: std::collections::HashSet<String>,
}

impl Calendar {
    /// The calendar of a URL; without a year that of its newest captures.
    pub fn new(url: &str, year: Option<u32>) -> Calendar {
        Calendar { url: url.to_owned(), wanted: year, year: year.unwrap_or(0), ..Calendar::default() }
    }

    /// Adds the next capture by time.
    pub fn add(&mut self, line: CaptureLine) {
        let (year, month, day) = day_of(line.timestamp);
        *self.years.entry(year).or_default() += 1;
        self.ends = Some((self.ends.map_or(line.timestamp, |(first, _)| first), line.timestamp));
        let sameness = self.compare(&line.digest);
        match self.wanted {
            Some(wanted) if wanted != year => return,
            None if self.year != year => {
                // A later year: what was kept of the one before is not shown.
                self.year = year;
                self.days.clear();
                self.captures.clear();
                self.cut = false;
            }
            _ => {}
        }
        let outcome = Outcome::of(&line);
        match self.days.entry((month, day)) {
            std::collections::btree_map::Entry::Vacant(vacant) => {
                vacant.insert(Day { captures: 1, outcome, capture: line.clone() });
            }
            std::collections::btree_map::Entry::Occupied(mut occupied) => {
                let day = occupied.get_mut();
                day.captures += 1;
                if outcome > day.outcome {
                    day.outcome = outcome;
                    day.capture = line.clone();
                }
            }
        }
        if self.captures.len() < MOST_LISTED {
            self.captures.push((line, sameness));
        } else {
            self.cut = true;
        }
    }

    fn compare(&mut self, digest: &str) -> Sameness {
        if digest.is_empty() || digest == "-" {
            return Sameness::Unknown;
        }
        let sameness = match &self.digest {
            None => Sameness::First,
            Some(before) if before == digest => return Sameness::Unchanged,
            Some(_) if self.seen.contains(digest) => Sameness::Again,
            Some(_) => Sameness::Changed,
        };
        self.digest = Some(digest.to_owned());
        if self.seen.len() < DIGESTS {
            self.seen.insert(digest.to_owned());
        }
        sameness
    }

    /// All captures.
    pub fn total(&self) -> u64 {
        self.years.values().sum()
    }

    /// The weeks of a month, Monday first: days, 0 where the month has none.
    pub fn weeks(year: u32, month: u32) -> Vec<[u32; 7]> {
        let Some(days) = days_in_month(i64::from(year), month) else { return Vec::new() };
        // Day 0, 1 January 1970, was a Thursday.
        let first = days_of_civil(i64::from(year), month, 1).unwrap_or(0);
        let lead = (first + 3).rem_euclid(7) as usize;
        let mut weeks = vec![[0; 7]; (lead + days as usize).div_ceil(7)];
        for day in 1..=days {
            let at = lead + day as usize - 1;
            weeks[at / 7][at % 7] = day;
        }
        weeks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(timestamp: u64, status: u16, digest: &str) -> CaptureLine {
        CaptureLine {
            url: "http://a/".into(),
            timestamp: Timestamp(timestamp),
            status: Some(status),
            digest: digest.into(),
            ..CaptureLine::default()
        }
    }

    #[test]
    fn months_begin_on_their_weekday() {
        assert_eq!(Calendar::weeks(2024, 2)[0], [0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(Calendar::weeks(2024, 2).last(), Some(&[26, 27, 28, 29, 0, 0, 0]));
        assert_eq!(Calendar::weeks(2021, 2).len(), 4, "begins on a Monday and ends on a Sunday");
        assert_eq!(Calendar::weeks(1999, 13), Vec::<[u32; 7]>::new());
    }

    #[test]
    fn the_newest_year_is_shown_unless_another_is_asked_for() {
        let lines = [
            line(20190101000000, 200, "A"),
            line(20200301000000, 404, "B"),
            line(20200301120000, 200, "A"),
            line(20200302000000, 200, "A"),
            line(20200303000000, 302, "C"),
            line(20200304000000, 200, ""),
        ];
        let mut calendar = Calendar::new("http://a/", None);
        lines.iter().cloned().for_each(|line| calendar.add(line));
        assert_eq!((calendar.year, calendar.total()), (2020, 6));
        assert_eq!(calendar.years, BTreeMap::from([(2019, 1), (2020, 5)]));
        let first = &calendar.days[&(3, 1)];
        assert_eq!((first.captures, first.outcome), (2, Outcome::Ok));
        assert_eq!(first.capture.timestamp, Timestamp(20200301120000), "the best of the day stands for it");
        let sameness: Vec<_> = calendar.captures.iter().map(|c| c.1).collect();
        use Sameness::{Again, Changed, First, Unchanged, Unknown};
        assert_eq!(sameness, [Changed, Again, Unchanged, Changed, Unknown]);
        let mut calendar = Calendar::new("http://a/", Some(2019));
        lines.into_iter().for_each(|line| calendar.add(line));
        assert_eq!(calendar.captures.iter().map(|c| c.1).collect::<Vec<_>>(), [First]);
        assert_eq!(calendar.years.len(), 2);
    }

    #[test]
    fn a_list_is_bounded_and_the_counts_are_not() {
        let mut calendar = Calendar::new("http://a/", None);
        for second in 0..MOST_LISTED as u64 + 5 {
            calendar.add(line(20200301000000 + second / 60 * 100 + second % 60, 200, &second.to_string()));
        }
        assert_eq!(calendar.captures.len(), MOST_LISTED);
        assert!(calendar.cut);
        assert_eq!(calendar.days[&(3, 1)].captures, MOST_LISTED as u64 + 5);
    }
}
