//! Cookies, when asked for.
//!
//! A jar for each registrable domain: what one site sets, no other can read or push out, and cookies for a whole
//! public suffix (`Domain=co.uk`) reach nobody else by construction. Nothing is kept between runs.
//!
//! Memory: at most `sites` jars of [`MAX_COOKIES`] cookies of [`MAX_COOKIE_BYTES`]; the jar that was used longest ago
//! goes first. Reference: RFC 6265.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use cookie_store::CookieStore;
use url::Url;

use crate::capture::{CanonicalUrl, Response};

/// Most cookies of a site.
const MAX_COOKIES: usize = 50;
/// Longest cookie, with its attributes.
const MAX_COOKIE_BYTES: usize = 4096;
/// Longest Cookie header sent.
const MAX_HEADER_BYTES: usize = 8192;

/// All jars.
pub(super) struct Cookies {
    sites: usize,
    jars: Mutex<Jars>,
}

#[derive(Default)]
struct Jars {
    jars: HashMap<Box<str>, (u64, CookieStore)>,
    clock: u64,
}

impl Cookies {
    pub(super) fn new(sites: usize) -> Cookies {
        Cookies { sites, jars: Mutex::default() }
    }

    /// Value of the Cookie header for a URL; empty: none.
    pub(super) fn header(&self, url: &CanonicalUrl) -> String {
        let mut jars = self.jars.lock().unwrap_or_else(PoisonError::into_inner);
        jars.clock += 1;
        let clock = jars.clock;
        let Some((used, jar)) = jars.jars.get_mut(url.registrable_domain()) else { return String::new() };
        *used = clock;
        let Ok(url) = Url::parse(url.as_str()) else { return String::new() };
        let mut cookies: Vec<(usize, &str, &str)> = jar
            .matches(&url)
            .into_iter()
            .map(|cookie| (String::from(&cookie.path).len(), cookie.name(), cookie.value()))
            .collect();
        // Longest path first (RFC 6265, section 5.4); the rest makes the order repeatable.
        cookies.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        let mut out = String::new();
        for (_, name, value) in cookies {
            if out.len() + name.len() + value.len() + 3 > MAX_HEADER_BYTES {
                break;
            }
            if !out.is_empty() {
                out.push_str("; ");
            }
            out.push_str(name);
            out.push('=');
            out.push_str(value);
        }
        out
    }

    /// Takes the cookies of a response.
    pub(super) fn store(&self, url: &CanonicalUrl, response: &Response<'_>) {
        let mut set = response
            .headers()
            .filter(|(name, _)| name.eq_ignore_ascii_case(b"set-cookie"))
            .map(|(_, value)| value)
            .filter(|value| {
                value.len() <= MAX_COOKIE_BYTES
                    && !value.iter().any(|b| *b < b' ' && *b != b'\t' || *b == 0x7f)
            })
            .take(MAX_COOKIES)
            .peekable();
        if set.peek().is_none() {
            return;
        }
        let Ok(parsed) = Url::parse(url.as_str()) else { return };
        let mut jars = self.jars.lock().unwrap_or_else(PoisonError::into_inner);
        jars.clock += 1;
        let clock = jars.clock;
        let site = url.registrable_domain();
        if !jars.jars.contains_key(site) && jars.jars.len() >= self.sites {
            jars.drop_oldest();
        }
        let (used, jar) = jars
            .jars
            .entry(site.into())
            .or_insert_with(|| (clock, CookieStore::new_with_public_suffix(None)));
        *used = clock;
        for value in set {
            if jar.iter_any().take(MAX_COOKIES).count() < MAX_COOKIES {
                // What the rules refuse is no cookie.
                let _ = jar.parse(&String::from_utf8_lossy(value), &parsed);
            }
        }
    }
}

impl Jars {
    /// Throws out the eighth that was used longest ago.
    fn drop_oldest(&mut self) {
        let mut ages: Vec<u64> = self.jars.values().map(|(used, _)| *used).collect();
        let at = ages.len() / 8;
        let (_, limit, _) = ages.select_nth_unstable(at);
        let limit = *limit;
        self.jars.retain(|_, (used, _)| *used > limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cookies: &Cookies, url: &str, lines: &[&str]) {
        let mut head = String::from("HTTP/1.1 200 OK\r\n");
        lines.iter().for_each(|line| head.push_str(&format!("Set-Cookie: {line}\r\n")));
        head.push_str("\r\n");
        cookies.store(&CanonicalUrl::parse(url).unwrap(), &Response::parse(head.as_bytes()));
    }

    fn get(cookies: &Cookies, url: &str) -> String {
        cookies.header(&CanonicalUrl::parse(url).unwrap())
    }

    #[test]
    fn who_gets_what() {
        let cookies = Cookies::new(10);
        let lines =
            ["host=1", "all=2; Domain=a.co.uk", "deep=3; Path=/x", "safe=4; Secure", "gone=5; Max-Age=0"];
        set(&cookies, "https://www.a.co.uk/", &lines);
        assert_eq!(get(&cookies, "https://www.a.co.uk/x/y"), "deep=3; all=2; host=1; safe=4");
        assert_eq!(get(&cookies, "http://www.a.co.uk/"), "all=2; host=1");
        assert_eq!(get(&cookies, "http://b.a.co.uk/"), "all=2");
        assert_eq!(get(&cookies, "http://other.co.uk/"), "");
        // For a whole suffix, for another site, for a machine: to nobody else.
        set(&cookies, "http://evil.co.uk/", &["x=1; Domain=co.uk", "y=1; Domain=a.co.uk", "z=1; Domain=uk"]);
        assert_eq!(get(&cookies, "http://b.a.co.uk/"), "all=2");
        set(&cookies, "http://1.2.3.4/", &["n=1"]);
        assert_eq!(get(&cookies, "http://1.2.3.4/"), "n=1");
        assert_eq!(get(&cookies, "http://9.2.3.4/"), "");
        // Expiring takes away.
        set(&cookies, "http://b.a.co.uk/", &["all=; Domain=a.co.uk; Max-Age=0"]);
        assert_eq!(get(&cookies, "http://b.a.co.uk/"), "");
    }

    #[test]
    fn bounded() {
        let cookies = Cookies::new(8);
        for i in 0..100 {
            set(&cookies, &format!("http://site{i}.example/"), &["a=1"]);
        }
        assert!(cookies.jars.lock().unwrap().jars.len() <= 8);
        assert_eq!(get(&cookies, "http://site99.example/"), "a=1");
        let many: Vec<String> = (0..200).map(|i| format!("c{i}={}", "v".repeat(300))).collect();
        for line in &many {
            set(&cookies, "http://many.example/", &[line]);
        }
        set(&cookies, "http://many.example/", &["evil=a\rb", "evil2=\u{1}"]);
        let header = get(&cookies, "http://many.example/");
        assert!(header.len() <= MAX_HEADER_BYTES && header.len() > 7000, "{}", header.len());
        assert!(!header.bytes().any(|b| b < b' '));
    }
}
