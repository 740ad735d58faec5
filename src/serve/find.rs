//! Captures of one URL: which is to be shown for a moment, and its surroundings.
//!
//! An index key stands for several addresses: it folds scheme, `www` and its digits, the case of path and query, session
//! ids. So captures are ranked, best first:
//!
//! 1. of the address that was asked for (with or without `www.`, by `http` or `https`) before others of its key;
//! 2. the nearest in time, by minutes, with a capture of the very second first;
//! 3. of those, a whole answer before redirects, parts and errors;
//! 4. the nearest by seconds, then the order of the index.

use std::ops::ControlFlow;

use crate::index::query::seconds_of;
use crate::index::{CaptureSource, Entry, KeyRange, Timestamp};
use webmill_capture::{CanonicalUrl, Result};

/// How many captures around a time are kept: what replay tries where the first cannot be shown.
const NEAREST: usize = 16;

/// Captures of a URL around a time.
#[derive(Debug, Default)]
pub struct Captures {
    /// All times, in order, each once.
    pub times: Vec<Timestamp>,
    /// Captures to be shown for the time asked for, best first.
    pub nearest: Vec<Entry<'static>>,
    /// Whether there are more captures than were looked at.
    pub cut: bool,
}

impl Captures {
    /// Looks at the captures of a key, at most `most` of them, for those of `url`.
    ///
    /// # Errors
    /// Where the index cannot be read.
    pub fn of(
        index: &dyn CaptureSource,
        key: &str,
        url: &str,
        around: Timestamp,
        most: usize,
    ) -> Result<Captures> {
        let mut found = Captures::default();
        let to = seconds_of(around);
        let address = Address::of(url);
        let mut ranks: Vec<(bool, u64, u8, u64)> = Vec::with_capacity(NEAREST + 1);
        let mut last: (String, bool) = (url.to_owned(), false);
        let mut looked_at = 0;
        index.scan(&KeyRange::exact(key), &mut |entry| {
            if looked_at == most {
                found.cut = true;
                return ControlFlow::Break(());
            }
            looked_at += 1;
            if found.times.last() != Some(&entry.timestamp) {
                found.times.push(entry.timestamp);
            }
            if *entry.url != *last.0 {
                last = (entry.url.to_string(), Address::of(&entry.url) != address);
            }
            let distance = seconds_of(entry.timestamp).abs_diff(to);
            let rank = (last.1, distance.div_ceil(60), poorness(entry), distance);
            let at = ranks.partition_point(|of| *of <= rank);
            if at < NEAREST {
                ranks.insert(at, rank);
                found.nearest.insert(at, entry.clone().into_owned());
                ranks.truncate(NEAREST);
                found.nearest.truncate(NEAREST);
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// The times before and after another.
    pub fn around(&self, time: Timestamp) -> (Option<Timestamp>, Option<Timestamp>) {
        let at = self.times.partition_point(|t| *t < time);
        let after = self.times.partition_point(|t| *t <= time);
        (at.checked_sub(1).map(|at| self.times[at]), self.times.get(after).copied())
    }
}

/// A URL but for its scheme and a `www.`: sites move between these, and their pages stay the same.
#[derive(PartialEq, Eq)]
struct Address(String);

impl Address {
    fn of(url: &str) -> Address {
        let canonical =
            CanonicalUrl::parse_stored(url).map_or_else(|| url.to_owned(), CanonicalUrl::into_string);
        let rest = canonical.split_once("://").map_or(&*canonical, |(_, rest)| rest);
        Address(rest.strip_prefix("www.").unwrap_or(rest).to_owned())
    }
}

/// Whether two URLs differ in nothing but their scheme and a `www.`.
pub(crate) fn same_address(a: &str, b: &str) -> bool {
    a == b || Address::of(a) == Address::of(b)
}

/// 0 for a whole answer, more for those that are shown only where there is none.
fn poorness(entry: &Entry<'_>) -> u8 {
    match entry.status {
        None | Some(200..=205) | Some(207..=299) => 0,
        Some(304) if entry.is_revisit() => 0,
        Some(206) => 1,
        Some(300..=399) => 2,
        Some(_) => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::MemoryIndex;

    #[test]
    fn the_address_and_the_moment_decide_which_capture_is_shown() {
        let entry = |url: &'static str, time: u64, status: u16, offset: u64| Entry {
            urlkey: "k".into(),
            timestamp: Timestamp(time),
            url: url.into(),
            status: Some(status),
            offset,
            ..Entry::default()
        };
        let all = [
            entry("http://e.org/watch?v=aBc", 20200101000000, 200, 1),
            entry("http://e.org/watch?v=AbC", 20210101000000, 200, 2),
            entry("https://www.e.org/watch?v=aBc", 20210101000030, 302, 3),
            entry("https://www.e.org/watch?v=aBc", 20210101000050, 200, 4),
            entry("http://e.org/watch?v=aBc", 20210101000055, 503, 5),
        ];
        let index = MemoryIndex::new(all.to_vec());
        for (url, time, want) in [
            ("http://e.org/watch?v=aBc", 20210101000000, &[4, 3, 5, 1, 2][..]),
            ("http://e.org/watch?v=aBc", 20210101000030, &[3, 4, 5, 1, 2]),
            ("http://e.org/watch?v=aBc", 20210101000055, &[5, 4, 3, 1, 2]),
            ("http://e.org/watch?v=aBc", 20190101000000, &[1, 4, 3, 5, 2]),
            ("http://e.org/watch?v=AbC", 20200101000000, &[2, 1]),
            ("http://e.org/watch?v=ABC", 20200101000000, &[1, 2]),
        ] {
            let found = Captures::of(&index, "k", url, Timestamp(time), 100).unwrap();
            let order: Vec<u64> = found.nearest.iter().map(|entry| entry.offset).collect();
            assert_eq!(&order[..want.len()], want, "{url} at {time}");
        }
    }
}
