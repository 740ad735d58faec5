//! Known facts about an answer when it is stored, and beside it: what it repeats, how it was found, what a browser made
//! of it.

use std::net::IpAddr;

use webmill_capture::Truncation;
use webmill_shard::RevisitProfile;

/// An answer to be stored.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stored<'a> {
    /// The URL asked for.
    pub url: &'a str,
    /// The URL first asked for, only where redirects led here.
    pub origin: Option<&'a str>,
    /// When it was asked for: UTC, ms since 1970.
    pub date_ms: i64,
    /// The server's address; `None` through a proxy.
    pub ip: Option<IpAddr>,
    /// The request as sent; empty where it is not known.
    pub request: &'a [u8],
    /// The answer as received: status line to the last byte of the body.
    pub raw: &'a [u8],
    /// Why it is not all that the server had to send.
    pub truncated: Option<Truncation>,
    /// Whether it came over HTTP/2 and was written in the form of HTTP/1.1.
    pub http2: bool,
    /// Whether it is a page of the corpus; other answers are stored in WARC only.
    pub page: bool,
    /// The capture that holds the content of this one: then only the head of `raw` is stored, in a revisit record.
    pub revisit: Option<Revisit<'a>>,
    /// How the URL was found; written where [`super::ArchiveOptions::via`] asks for it.
    pub via: Option<Via<'a>>,
    /// The page as a browser had it after its scripts ran.
    pub rendered: Option<Rendered<'a>>,
    /// Further properties: names of `a-z 0-9 _ -`. In WARC they become fields `X-Webmill-NAME`.
    pub meta: &'a [(&'a str, &'a str)],
}

/// The capture that a revisit repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revisit<'a> {
    /// How the sameness was known.
    pub profile: RevisitProfile,
    /// Digest of its payload: base32 SHA-1, or `algorithm:digest`; empty: not known.
    pub digest: &'a str,
    /// URL of the earlier record with the same body.
    pub refers_to_url: &'a str,
    /// Its date: UTC, ms since 1970.
    pub refers_to_date_ms: i64,
}

/// How a URL was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Via<'a> {
    /// The URL that named it; `None` for seeds.
    pub url: Option<&'a str>,
    /// The way from a seed, a letter a hop: `L` link, `R` redirect, `E` page requisite, `S` sitemap or feed; empty for
    /// seeds.
    pub hops: &'a str,
}

/// A page as a browser had it after its scripts ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rendered<'a> {
    /// When it was taken: UTC, ms since 1970.
    pub date_ms: i64,
    /// Its media type, as `text/html; charset=utf-8`.
    pub content_type: &'a str,
    /// The tree, written out.
    pub data: &'a [u8],
}

/// The bytes of an answer's records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    pub(super) bytes: Vec<u8>,
    /// Where in them the answer's own record begins; it is the last.
    pub(super) answer: usize,
    pub(super) date_ms: i64,
}

impl Packed {
    /// Bytes of all its records.
    #[allow(clippy::len_without_is_empty, reason = "a record is never empty")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// The way from a seed as far as depth and redirects tell it: links first, then the redirects that led to the URL itself.
/// Redirects on the way to pages before are not known any more. `last`: what the last hop that is no redirect was (`L`,
/// `E` or `S`); it is not written where there was none.
pub fn hops(depth: u32, redirects: u8, last: char) -> String {
    // Longer ways are written as Heritrix does: the number of hops left out, then the last ones.
    const SHOWN: u32 = 50;
    let all = depth.saturating_add(u32::from(redirects));
    let left_out = all.saturating_sub(SHOWN);
    let mut out = String::new();
    if left_out > 0 {
        out = format!("{left_out}+");
    }
    for at in left_out..all {
        out.push(match at {
            at if at >= depth => 'R',
            at if at + 1 == depth => last,
            _ => 'L',
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::hops;

    #[test]
    fn ways_have_a_letter_a_hop() {
        for (depth, redirects, last, want) in [
            (0, 0, 'L', ""),
            (0, 2, 'L', "RR"),
            (1, 0, 'S', "S"),
            (3, 0, 'L', "LLL"),
            (3, 1, 'E', "LLER"),
            (0, 0, 'E', ""),
        ] {
            assert_eq!(hops(depth, redirects, last), want);
        }
        assert_eq!(hops(60, 1, 'E'), format!("11+{}ER", "L".repeat(48)));
        assert!(hops(u32::MAX, 255, 'L').len() < 70);
    }
}
