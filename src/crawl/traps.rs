//! Traps: parts of a host that have no end, as far as URLs alone show them.
//!
//! **Definition.** What a URL shows by itself ([`TrapLimits::check`]), the first that holds:
//!
//! | reason | rule |
//! |---|---|
//! | `url-length` | more than `url_bytes` bytes |
//! | `path-depth` | more than `path_depth` non-empty path segments |
//! | `repeated-segments` | a run of path segments, of any period, `repeated_segments` times in a row (`/a/b/a/b/a/b`); twice as often where all of them are numbers or shorter than 3 characters (dates, tiles, shards); or 10 or more longer segments of which at most a third are different |
//! | `repeated-parameters` | the same parameter with the same value, not empty, `repeated_parameters` times |
//! | `calendar` | a date more than `calendar_years` from now, if it is surely one (see `dates`) |
//!
//! What shows over time ([`Variants`], one a host, asked once for each URL):
//!
//! | reason | rule |
//! |---|---|
//! | `query-variants` | a path with more than `query_variants_per_path` queries |
//! | `parameter-sets` | a path with more than `parameter_sets_per_path` different sets of parameter names: filters that combine |
//! | `calendar-future` | more than `future_dates` pages of dates more than a year from now |
//! | `calendar-pages` | a template (a URL but for its date) with more than `dates_per_template` dates |
//!
//! The limits are wide: a trap that costs a few hundred pages is cheap, a site cut in error is lost. What is left,
//! the duplicate throttle stops.
//!
//! **Cost.** Linear in the URL. **Determinism.** A function of URL, limits and the day.

mod dates;
mod repeats;
mod variants;

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

pub use self::variants::Variants;

/// How far a host may go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrapLimits {
    /// Bytes of a URL, 64 to 16,384; default 2,048.
    pub url_bytes: usize,
    /// Non-empty segments of a path, 1 to 1,000; default 20.
    pub path_depth: usize,
    /// Repetitions of the same path segments in a row that make a URL a trap, 2 to 100; default 3.
    pub repeated_segments: usize,
    /// Occurrences of one parameter with one value that make a query a trap, 2 to 1,000; default 4.
    pub repeated_parameters: usize,
    /// Years from now that a date in a URL may lie ahead, 1 to 1,000; default 10.
    pub calendar_years: u32,
    /// Pages of a host whose dates lie more than a year ahead; default 200.
    pub future_dates: u32,
    /// Dates of one template; default 20,000: half a century of days.
    pub dates_per_template: u32,
    /// Queries of one path, 1 or more; default 100,000.
    pub query_variants_per_path: u32,
    /// Sets of parameter names of one path, 1 to 1,000; default 256.
    pub parameter_sets_per_path: u32,
}

impl Default for TrapLimits {
    fn default() -> Self {
        TrapLimits {
            url_bytes: 2048,
            path_depth: 20,
            repeated_segments: 3,
            repeated_parameters: 4,
            calendar_years: 10,
            future_dates: 200,
            dates_per_template: 20_000,
            query_variants_per_path: 100_000,
            parameter_sets_per_path: 256,
        }
    }
}

impl TrapLimits {
    /// Whether the limits are in their ranges.
    ///
    /// # Errors
    /// [`Error::Config`] with the field and its range.
    pub fn check_options(&self) -> Result<()> {
        let fields = [
            ("url_bytes", self.url_bytes, 64, 16_384),
            ("path_depth", self.path_depth, 1, 1000),
            ("repeated_segments", self.repeated_segments, 2, 100),
            ("repeated_parameters", self.repeated_parameters, 2, 1000),
            ("calendar_years", self.calendar_years as usize, 1, 1000),
            ("query_variants_per_path", self.query_variants_per_path as usize, 1, u32::MAX as usize),
            ("parameter_sets_per_path", self.parameter_sets_per_path as usize, 1, 1000),
        ];
        for (name, value, low, high) in fields {
            if !(low..=high).contains(&value) {
                return Err(Error::Config(format!("traps: {name} is {value}, must be {low} to {high}")));
            }
        }
        Ok(())
    }

    /// Whether a URL is no trap by itself, today.
    ///
    /// # Errors
    /// The reason, as the event log has it.
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::CanonicalUrl;
    /// use webmill_crawl::traps::TrapLimits;
    /// let check = |url| TrapLimits::default().check(&CanonicalUrl::parse(url).unwrap());
    /// assert_eq!(check("http://a.example/shop/cart/shop/cart/shop/cart/"), Err("repeated-segments"));
    /// assert_eq!(check("http://a.example/2011/11/11/11.html"), Ok(()));
    /// ```
    pub fn check(&self, url: &CanonicalUrl) -> Result<(), &'static str> {
        self.check_when(url, now_ms)
    }

    /// [`TrapLimits::check`] at another time: milliseconds since 1970.
    ///
    /// # Errors
    /// The reason, as the event log has it.
    pub fn check_at(&self, url: &CanonicalUrl, now_ms: i64) -> Result<(), &'static str> {
        self.check_when(url, || now_ms)
    }

    /// The clock is read for URLs with a date only.
    fn check_when(&self, url: &CanonicalUrl, now_ms: impl FnOnce() -> i64) -> Result<(), &'static str> {
        if url.as_str().len() > self.url_bytes {
            return Err("url-length");
        }
        let path = url.path();
        if repeats::depth(path) > self.path_depth {
            return Err("path-depth");
        }
        if repeats::segments(path, self.repeated_segments) {
            return Err("repeated-segments");
        }
        if url.query().is_some_and(|query| repeats::parameters(query, self.repeated_parameters)) {
            return Err("repeated-parameters");
        }
        let ahead = |date: dates::DateLike| {
            date.sure && date.days() > day(now_ms()) + self.calendar_years as i64 * 365
        };
        if dates::find(url).is_some_and(ahead) {
            return Err("calendar");
        }
        Ok(())
    }
}

/// Whether a URL is that of a date, and of nothing else of that date.
pub(crate) fn is_of_a_date(url: &CanonicalUrl) -> bool {
    dates::find(url).is_some_and(|date| date.leaf)
}

/// Milliseconds since 1970.
fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// Days since 1970.
fn day(ms: i64) -> i64 {
    ms.div_euclid(86_400_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-05-12.
    const NOW: i64 = 1_778_544_000_000;

    fn verdict(text: &str) -> &'static str {
        let url = CanonicalUrl::parse(&format!("http://a.example{text}")).expect("a URL");
        TrapLimits::default().check_at(&url, NOW).err().unwrap_or("in")
    }

    #[test]
    fn traps() {
        for (text, want) in [
            (format!("/{}", "x".repeat(2048)), "url-length"),
            ((1..=21).map(|i| format!("/s{i}")).collect(), "path-depth"),
            ("/abc/abc/abc".into(), "repeated-segments"),
            ("/x/abc/def/abc/def/abc/def/y".into(), "repeated-segments"),
            ("/a/b/longer/a/b/longer/a/b/longer".into(), "repeated-segments"),
            ("/shop/cart/cart/cart/".into(), "repeated-segments"),
            ("/index.html/index.html/index.html".into(), "repeated-segments"),
            ("/1/1/1/1/1/1".into(), "repeated-segments"),
            ("/shop/cart/shop/shop/cart/cart/shop/cart/cart/shop/".into(), "repeated-segments"),
            ("/?ref=a&ref=a&ref=a&ref=a".into(), "repeated-parameters"),
            ("/calendar/2037/1.html".into(), "calendar"),
            ("/calendar?year=2041&month=7".into(), "calendar"),
            ("/events/2099-12-31".into(), "calendar"),
        ] {
            assert_eq!(verdict(&text), want, "{text}");
        }
    }

    #[test]
    fn ordinary() {
        for text in [
            format!("/{}", "x".repeat(2030)),
            (1..=20).map(|i| format!("/s{i}")).collect(),
            "/".into(),
            "////".into(),
            "/a/b/a/b/a/b".into(),
            "/2011/11/11/11/11.html".into(),
            "/tiles/0/0/0.png".into(),
            "/1/1/1/1/1".into(),
            "/abc/abc".into(),
            "/linux/linux/include/linux/linux.h".into(),
            "/std/std/std.html".into(),
            "/api/org/apache/commons/lang3/builder/org/apache/commons/lang3/builder/".into(),
            "/?f[]=&f[]=&f[]=&f[]=&f[]=".into(),
            "/?f[]=a&f[]=b&f[]=c&f[]=d&f[]=e".into(),
            "/?a=1&a=1&a=1".into(),
            "/agenda-2050/goals".into(),
            "/calendar/2027/1.html".into(),
            "/thread/2100/2".into(),
            "/1895/03/12/page-1.html".into(),
            "/population?year=2100".into(),
        ] {
            assert_eq!(verdict(&text), "in", "{text}");
        }
    }

    #[test]
    fn limits() {
        assert!(TrapLimits::default().check_options().is_ok());
        for bad in [
            TrapLimits { url_bytes: 63, ..Default::default() },
            TrapLimits { path_depth: 0, ..Default::default() },
            TrapLimits { repeated_segments: 1, ..Default::default() },
            TrapLimits { query_variants_per_path: 0, ..Default::default() },
            TrapLimits { calendar_years: 0, ..Default::default() },
        ] {
            assert!(matches!(bad.check_options(), Err(Error::Config(_))));
        }
        assert!(toml::from_str::<TrapLimits>("path_depth = 5").is_ok());
        assert!(toml::from_str::<TrapLimits>("depth = 5").is_err());
    }
}
