//! Memento: times in headers, links between an original and its captures, TimeMaps.
//!
//! A capture's own address (URI-M) is that of its replay without frame, `/{coll}/{time}mp_/{url}`, as in pywb; the
//! TimeGate (URI-G) is `/{coll}/{url}`, the TimeMap (URI-T) `/{coll}/timemap/link/{url}`.
//!
//! Reference: RFC 7089, sections 2 to 5; RFC 8288 for links.

use std::fmt::Write;

use crate::index::Timestamp;
use webmill_capture::date::{format_14, format_rfc822, parse_14, parse_rfc822};

use crate::form::header_url;

/// Captures on a page of a TimeMap.
pub const TIMEMAP_PAGE: usize = 10_000;

/// The time asked for by `Accept-Datetime`; `None` where it is no date.
pub fn accept_datetime(value: &str) -> Option<Timestamp> {
    let value = value.trim();
    // Dates of HTTP begin with the name of a day.
    if !value.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    format_14(parse_rfc822(value)?).parse().ok().map(Timestamp)
}

/// A time as HTTP writes it. Days that do not exist are written as the first of their month.
pub fn http_date(time: Timestamp) -> String {
    let first = || parse_14(&format!("{:06}", time.0 / 100_000_000));
    format_rfc822(parse_14(&time.to_string()).or_else(first).unwrap_or_default())
}

/// Where a URL's resources are.
#[derive(Debug, Clone)]
pub struct Addresses<'a> {
    /// Scheme and authority of this server, without a slash at its end.
    pub base: &'a str,
    /// Name of the collection.
    pub collection: &'a str,
    /// The URL as captured.
    pub url: &'a str,
}

impl Addresses<'_> {
    /// The address of a capture.
    pub fn memento(&self, time: Timestamp, modifier: &str) -> String {
        format!("{}/{}/{time}{modifier}/{}", self.base, self.collection, header_url(self.url))
    }

    /// The address of the TimeGate.
    pub fn timegate(&self) -> String {
        format!("{}/{}/{}", self.base, self.collection, header_url(self.url))
    }

    /// The address of a page of the TimeMap; 0: the whole, or its first page.
    pub fn timemap(&self, form: &str, page: u64) -> String {
        let page = if page == 0 { String::new() } else { format!("{page}/") };
        format!("{}/{}/timemap/{page}{form}/{}", self.base, self.collection, header_url(self.url))
    }

    /// The links of a TimeGate or TimeMap, and, with `at`, of the capture of that time among `times`.
    pub fn links(&self, times: &[Timestamp], at: Option<Timestamp>) -> String {
        let mut out = format!(
            "<{}>; rel=\"original\", <{}>; rel=\"timegate\", <{}>; rel=\"timemap\"; type=\"application/link-format\"",
            header_url(self.url),
            self.timegate(),
            self.timemap("link", 0)
        );
        for (time, rels) in rels(times, at) {
            let _ = write!(
                out,
                ", <{}>; rel=\"{rels}\"; datetime=\"{}\"; collection=\"{}\"",
                self.memento(time, "mp_"),
                http_date(time),
                self.collection
            );
        }
        out
    }
}

/// The captures that a capture links to, with what they are to it, in order of time.
fn rels(times: &[Timestamp], at: Option<Timestamp>) -> Vec<(Timestamp, String)> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return Vec::new() };
    let mut rels: Vec<(Timestamp, &str)> = vec![(*first, "first"), (*last, "last")];
    if let Some(at) = at {
        let before = times.partition_point(|time| *time < at);
        let after = times.partition_point(|time| *time <= at);
        rels.extend(before.checked_sub(1).map(|before| (times[before], "prev")));
        rels.extend(times.get(after).map(|time| (*time, "next")));
        rels.push((at, ""));
    }
    // "first", "prev", the capture itself, "next", "last": the order of the examples of RFC 7089.
    rels.sort_by_key(|(time, _)| *time);
    let mut joined: Vec<(Timestamp, String)> = Vec::new();
    for (time, rel) in rels {
        if joined.last().is_none_or(|(last, _)| *last != time) {
            joined.push((time, String::new()));
        }
        if let Some((_, words)) = joined.last_mut().filter(|_| !rel.is_empty()) {
            words.push_str(rel);
            words.push(' ');
        }
    }
    for (_, words) in &mut joined {
        words.push_str("memento");
    }
    joined
}

/// A capture in a TimeMap.
#[derive(Debug, Clone)]
pub struct ListedCapture {
    /// Time of the capture.
    pub time: Timestamp,
    /// Its URL as captured.
    pub url: String,
}

/// A TimeMap of links: page `page` (0: the first, by its address without number) of all `captures`.
pub fn link_timemap(addresses: &Addresses<'_>, captures: &[ListedCapture], page: u64) -> Option<String> {
    let at = usize::try_from(page.max(1) - 1).ok()?;
    let mut pages = captures.chunks(TIMEMAP_PAGE);
    let shown = pages.nth(at)?;
    let span = |captures: &[ListedCapture]| match (captures.first(), captures.last()) {
        (Some(first), Some(last)) => {
            format!("; from=\"{}\"; until=\"{}\"", http_date(first.time), http_date(last.time))
        }
        _ => String::new(),
    };
    let kind = "type=\"application/link-format\"";
    let mut out = format!("<{}>; rel=\"self\"; {kind}{}", addresses.timemap("link", page), span(shown));
    let _ = write!(out, ",\n<{}>; rel=\"timegate\"", addresses.timegate());
    let _ = write!(out, ",\n<{}>; rel=\"original\"", header_url(addresses.url));
    for (number, other) in captures.chunks(TIMEMAP_PAGE).enumerate().filter(|(number, _)| *number != at) {
        let address = addresses.timemap("link", number as u64 + 1);
        let _ = write!(out, ",\n<{address}>; rel=\"timemap\"; {kind}{}", span(other));
    }
    let last = captures.len() - 1;
    for (number, capture) in shown.iter().enumerate() {
        let number = at * TIMEMAP_PAGE + number;
        let rel = match (number == 0, number == last) {
            (true, true) => "first last memento",
            (true, false) => "first memento",
            (false, true) => "last memento",
            (false, false) => "memento",
        };
        let of = Addresses { url: &capture.url, ..addresses.clone() };
        let _ = write!(
            out,
            ",\n<{}>; rel=\"{rel}\"; datetime=\"{}\"; collection=\"{}\"",
            of.memento(capture.time, "mp_"),
            http_date(capture.time),
            addresses.collection
        );
    }
    out.push('\n');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_http_are_taken_and_others_not() {
        for (value, want) in [
            ("Sun, 26 Jan 2014 20:06:24 GMT", Some(20140126200624)),
            (" Thu, 31 May 2007 20:35:00 GMT", Some(20070531203500)),
            ("nonsense", None),
            ("", None),
            ("2014", None),
            ("20140126200624", None),
            ("Sun, 99 Jan 2014 20:06:24 GMT", None),
        ] {
            assert_eq!(accept_datetime(value), want.map(Timestamp), "{value}");
        }
        assert_eq!(http_date(Timestamp(20140126200624)), "Sun, 26 Jan 2014 20:06:24 GMT");
        assert_eq!(http_date(Timestamp(20140231000000)), "Sat, 01 Feb 2014 00:00:00 GMT");
    }

    #[test]
    fn captures_link_to_those_around_them() {
        let times: Vec<Timestamp> =
            (2001..=2005).map(|year| Timestamp(year * 10_000_000_000 + 101_000_000)).collect();
        let of = |times: &[Timestamp], at: Option<usize>| -> Vec<String> {
            let years = |time: Timestamp| time.0 / 10_000_000_000;
            let rels = rels(times, at.map(|at| times[at]));
            rels.into_iter().map(|(time, rels)| format!("{} {rels}", years(time))).collect()
        };
        assert_eq!(
            of(&times, Some(2)),
            [
                "2001 first memento",
                "2002 prev memento",
                "2003 memento",
                "2004 next memento",
                "2005 last memento"
            ]
        );
        assert_eq!(of(&times, Some(0)), ["2001 first memento", "2002 next memento", "2005 last memento"]);
        assert_eq!(
            of(&times, Some(1)),
            ["2001 first prev memento", "2002 memento", "2003 next memento", "2005 last memento"]
        );
        assert_eq!(of(&times, None), ["2001 first memento", "2005 last memento"]);
        assert_eq!(of(&times[..1], Some(0)), ["2001 first last memento"]);
        assert!(of(&[], None).is_empty());
    }

    #[test]
    fn timemaps_are_cut_into_pages_that_say_what_they_span() {
        let addresses = Addresses { base: "http://h", collection: "c", url: "http://a.org/<x>" };
        let listed = |n: usize| ListedCapture {
            time: Timestamp(20200101000000 + (n / 3600 * 10_000 + n / 60 % 60 * 100 + n % 60) as u64),
            url: "http://a.org/".to_owned(),
        };
        let all: Vec<ListedCapture> = (0..TIMEMAP_PAGE + 1).map(listed).collect();
        let first = link_timemap(&addresses, &all, 0).unwrap();
        assert!(first.starts_with(
            "<http://h/c/timemap/link/http://a.org/%3Cx%3E>; rel=\"self\"; type=\"application/link-format\"; \
             from=\"Wed, 01 Jan 2020 00:00:00 GMT\"; until=\"Wed, 01 Jan 2020 02:46:39 GMT\",\n"
        ));
        assert!(first.contains(
            "<http://h/c/timemap/2/link/http://a.org/%3Cx%3E>; rel=\"timemap\"; type=\"application/link-format\"; \
             from=\"Wed, 01 Jan 2020 02:46:40 GMT\""
        ));
        assert_eq!(first.matches("memento\"").count(), TIMEMAP_PAGE);
        let second = link_timemap(&addresses, &all, 2).unwrap();
        assert!(second.contains("rel=\"last memento\"") && !second.contains("rel=\"first"));
        assert!(link_timemap(&addresses, &all, 3).is_none());
        assert!(link_timemap(&addresses, &[], 0).is_none());
    }
}
