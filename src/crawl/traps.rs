//! Traps: parts of a host that have no end, as far as URLs alone show them.
//!
//! **Definition.** What a URL shows by itself ([`check`]), the first that holds:
//!
//! | reason | rule |
//! |---|---|
//! | `url-length` | more than 2,048 bytes |
//! | `path-depth` | more than 20 non-empty path segments |
//! | `repeated-segments` | a run of path segments, of any period, three times in a row (`/a/b/a/b/a/b`); twice as often where all of them are numbers or shorter than 3 characters (dates, tiles, shards); or 10 or more longer segments of which at most a third are different |
//! | `repeated-parameters` | the same parameter with the same value, not empty, four times |
//! | `calendar` | a date more than 10 years from now, if it is surely one (see `dates`) |
//!
//! What shows over time ([`Variants`], one a host, asked once for each URL):
//!
//! | reason | rule |
//! |---|---|
//! | `query-variants` | a path with more than 100,000 queries |
//! | `parameter-sets` | a path with more than 256 different sets of parameter names: filters that combine |
//! | `calendar-future` | more than 200 pages of dates more than a year from now |
//! | `calendar-pages` | a template (a URL but for its date) with more than 20,000 dates, half a century of days |
//!
//! The limits are wide: a trap that costs a few hundred pages is cheap, a site cut in error is lost. Endless parts that remain are stopped by
//! the duplicate throttle.
//!
//! **Cost.** Linear in the URL. **Determinism.** A function of the URL and the day.

mod dates;
mod repeats;
mod variants;

use webmill_capture::CanonicalUrl;
use webmill_capture::date::now_ms;

pub use self::variants::Variants;

const URL_BYTES: usize = 2048;
/// Non-empty segments of a path.
const PATH_DEPTH: usize = 20;
/// Repetitions of the same path segments in a row that make a URL a trap.
const REPEATED_SEGMENTS: usize = 3;
/// Occurrences of one parameter with one value that make a query a trap.
const REPEATED_PARAMETERS: usize = 4;
/// Years from now that a date in a URL may lie ahead.
const CALENDAR_YEARS: i64 = 10;

/// Whether a URL is no trap by itself, today.
///
/// # Errors
/// The reason, as the event log has it.
///
/// # Examples
/// ```
/// use webmill_capture::CanonicalUrl;
/// use webmill_crawl::traps;
/// let check = |url| traps::check(&CanonicalUrl::parse(url).unwrap());
/// assert_eq!(check("http://a.example/shop/cart/shop/cart/shop/cart/"), Err("repeated-segments"));
/// assert_eq!(check("http://a.example/2011/11/11/11.html"), Ok(()));
/// ```
pub fn check(url: &CanonicalUrl) -> Result<(), &'static str> {
    check_when(url, now_ms)
}

/// The clock is read for URLs with a date only.
fn check_when(url: &CanonicalUrl, now_ms: impl FnOnce() -> i64) -> Result<(), &'static str> {
    if url.as_str().len() > URL_BYTES {
        return Err("url-length");
    }
    let path = url.path();
    if repeats::depth(path) > PATH_DEPTH {
        return Err("path-depth");
    }
    if repeats::segments(path, REPEATED_SEGMENTS) {
        return Err("repeated-segments");
    }
    if url.query().is_some_and(|query| repeats::parameters(query, REPEATED_PARAMETERS)) {
        return Err("repeated-parameters");
    }
    let ahead = |date: dates::DateLike| date.sure && date.days() > day(now_ms()) + CALENDAR_YEARS * 365;
    if dates::find(url).is_some_and(ahead) {
        return Err("calendar");
    }
    Ok(())
}

/// Whether a URL is that of a date, and of nothing else of that date.
pub(crate) fn is_of_a_date(url: &CanonicalUrl) -> bool {
    dates::find(url).is_some_and(|date| date.leaf)
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
        check_when(&url, || NOW).err().unwrap_or("in")
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
}
