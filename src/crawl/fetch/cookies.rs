//! Cookies, when asked for: of all sites, or of those that were admitted because they cannot be read without.
//!
//! A jar for each registrable domain: what one site sets, no other can read or push out, and cookies for a whole
//! public suffix (`Domain=co.uk`) reach nobody else by construction. Nothing is kept on disk.
//!
//! Memory: at most `sites` jars of [`MAX_COOKIES`] cookies of [`MAX_COOKIE_BYTES`], and [`MAX_BYTES`] in all; the jars
//! that were used longest ago go first. Reference: RFC 6265.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cookie_store::{CookieStore, RawCookie};
use url::Url;

use super::address::undotted;
use super::cookie_file;
use super::options::FetchOptions;
use webmill_capture::error::Result;
use webmill_capture::{CanonicalUrl, Response};

/// Most cookies of a site.
const MAX_COOKIES: usize = 50;
/// Longest cookie, with its attributes.
const MAX_COOKIE_BYTES: usize = 4096;
/// Longest Cookie header sent.
const MAX_HEADER_BYTES: usize = 8192;

/// Most sites that are admitted one by one.
const MAX_ADMITTED: usize = 10_000;
/// Most bytes of all cookies.
const MAX_BYTES: usize = 64 << 20;
/// Most sites whose cookies are kept.
const MAX_SITES: usize = 100_000;
/// What a cookie costs besides its text.
const COOKIE_COST: usize = 512;

/// All jars.
pub(super) struct Cookies {
    /// Whether every site may set cookies.
    all: bool,
    sites: usize,
    bytes: usize,
    /// Whether there ever was a cookie.
    used: AtomicBool,
    /// Whether a site was admitted.
    admitting: AtomicBool,
    jars: Mutex<Jars>,
}

#[derive(Default)]
struct Jars {
    /// Sites that may set cookies where not all may.
    admitted: HashSet<Box<str>>,
    jars: HashMap<Box<str>, Jar>,
    /// Sum over the jars.
    bytes: usize,
    clock: u64,
}

/// Cookies of a site.
struct Jar {
    used: u64,
    bytes: usize,
    store: CookieStore,
}

impl Cookies {
    pub(super) fn new(sites: usize) -> Cookies {
        Cookies {
            all: true,
            sites,
            bytes: MAX_BYTES,
            used: AtomicBool::new(false),
            admitting: AtomicBool::new(false),
            jars: Mutex::default(),
        }
    }

    /// The jars that the settings ask for, with the cookies of their file.
    pub(super) fn of(options: &FetchOptions) -> Result<Cookies> {
        let cookies = Cookies { all: options.cookies, ..Cookies::new(MAX_SITES) };
        if let Some(path) = &options.cookies_file {
            let file = cookie_file::read(path)?;
            for (url, line) in file.set_cookie() {
                if let Some(url) = CanonicalUrl::parse(&url) {
                    cookies.set(&url, [line.as_bytes()].into_iter());
                }
            }
        }
        Ok(cookies)
    }

    /// Lets the site of a host set cookies; false: there are too many such sites.
    pub(super) fn admit(&self, host: &str) -> bool {
        self.admitting.store(true, Ordering::Relaxed);
        self.all || self.lock().admit(&site_of(host), self.sites)
    }

    /// Whether the site of a host may set cookies.
    pub(super) fn takes(&self, host: &str) -> bool {
        self.all || self.lock().admitted.contains(&*site_of(host))
    }

    /// Takes the cookies of a response where its site may set some.
    pub(super) fn offer(&self, url: &CanonicalUrl, head: &[u8]) {
        // Most crawls have none: they shall not pay for a lock.
        if self.all || self.admits_any() && self.takes(url.host()) {
            self.store(url, &Response::parse(head));
        }
    }

    fn is_empty(&self) -> bool {
        !self.used.load(Ordering::Relaxed)
    }

    fn admits_any(&self) -> bool {
        self.admitting.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Jars> {
        self.jars.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Value of the Cookie header for a URL; empty: none.
    pub(super) fn header(&self, url: &CanonicalUrl) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut jars = self.lock();
        jars.clock += 1;
        let clock = jars.clock;
        let Some(jar) = jars.jars.get_mut(undotted(url.registrable_domain())) else { return String::new() };
        jar.used = clock;
        let Some(url) = parse(url) else { return String::new() };
        let mut cookies: Vec<(usize, &str, &str)> = jar
            .store
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

    /// Takes the cookies of a response; how many it had.
    pub(super) fn store(&self, url: &CanonicalUrl, response: &Response<'_>) -> usize {
        let set = response
            .headers()
            .filter(|(name, _)| name.eq_ignore_ascii_case(b"set-cookie"))
            .map(|(_, value)| value)
            .filter(|value| {
                value.len() <= MAX_COOKIE_BYTES
                    && !value.iter().any(|b| *b < b' ' && *b != b'\t' || *b == 0x7f)
            })
            .take(MAX_COOKIES);
        self.set(url, set)
    }

    /// Takes cookies in the form of `Set-Cookie`; how many the rules allow.
    fn set<'a>(&self, url: &CanonicalUrl, set: impl Iterator<Item = &'a [u8]>) -> usize {
        let mut set = set.peekable();
        if set.peek().is_none() {
            return 0;
        }
        let Some(parsed) = parse(url) else { return 0 };
        let site = undotted(url.registrable_domain());
        let mut jars = self.lock();
        if !self.all && !jars.admit(site, self.sites) {
            return 0;
        }
        self.used.store(true, Ordering::Relaxed);
        self.admitting.store(true, Ordering::Relaxed);
        jars.clock += 1;
        let clock = jars.clock;
        if !jars.jars.contains_key(site) && jars.jars.len() >= self.sites {
            jars.drop_oldest();
        }
        let jar = jars.jars.entry(site.into()).or_insert_with(|| Jar {
            used: clock,
            bytes: 0,
            store: CookieStore::new_with_public_suffix(None),
        });
        jar.used = clock;
        let mut taken = 0;
        for value in set {
            if jar.store.iter_any().take(MAX_COOKIES).count() < MAX_COOKIES {
                // What the rules refuse is no cookie.
                if let Ok(cookie) = RawCookie::parse(String::from_utf8_lossy(value)) {
                    taken += usize::from(jar.store.insert_raw(&lean(&cookie), &parsed).is_ok());
                }
            }
        }
        let before = jar.bytes;
        jar.bytes = jar.store.iter_any().map(cost).sum();
        let after = jar.bytes;
        jars.bytes = jars.bytes - before + after;
        while jars.bytes > self.bytes && !jars.jars.is_empty() {
            jars.drop_oldest();
        }
        taken
    }
}

/// The site of a host: its registrable domain.
fn site_of(host: &str) -> String {
    let url = CanonicalUrl::parse(&format!("http://{host}/"));
    url.map_or_else(|| undotted(host).to_owned(), |url| undotted(url.registrable_domain()).to_owned())
}

/// A URL, its host without the dot of the root.
fn parse(url: &CanonicalUrl) -> Option<Url> {
    let mut parsed = Url::parse(url.as_str()).ok()?;
    if let Some(host) = parsed.host_str().and_then(|host| host.strip_suffix('.')).map(str::to_string) {
        parsed.set_host(Some(&host)).ok()?;
    }
    Some(parsed)
}

/// A cookie with nothing but what it means: one that was parsed holds its whole line.
fn lean(cookie: &RawCookie<'_>) -> RawCookie<'static> {
    let mut out = RawCookie::new(cookie.name().to_string(), cookie.value().to_string());
    if let Some(path) = cookie.path() {
        out.set_path(path.to_string());
    }
    if let Some(domain) = cookie.domain() {
        out.set_domain(domain.to_string());
    }
    if let Some(expires) = cookie.expires() {
        out.set_expires(expires);
    }
    out.set_max_age(cookie.max_age());
    out.set_secure(cookie.secure());
    out.set_http_only(cookie.http_only());
    out
}

/// Bytes that a cookie takes, about: its name, path and domain are keys as well.
fn cost(cookie: &cookie_store::Cookie<'_>) -> usize {
    let path = cookie.path().map_or(0, str::len).max(String::from(&cookie.path).len());
    let domain = cookie.domain().map_or(0, str::len);
    2 * (cookie.name().len() + path + domain) + cookie.value().len() + COOKIE_COST
}

impl Jars {
    /// Lets a site set cookies; false: there are too many such sites.
    fn admit(&mut self, site: &str, most: usize) -> bool {
        if self.admitted.contains(site) {
            return true;
        }
        let room = self.admitted.len() < most.min(MAX_ADMITTED);
        if room {
            self.admitted.insert(site.into());
        }
        room
    }

    /// Throws out the eighth that was used longest ago.
    fn drop_oldest(&mut self) {
        let mut ages: Vec<u64> = self.jars.values().map(|jar| jar.used).collect();
        let at = ages.len() / 8;
        let (_, limit, _) = ages.select_nth_unstable(at);
        let limit = *limit;
        self.jars.retain(|_, jar| jar.used > limit);
        self.bytes = self.jars.values().map(|jar| jar.bytes).sum();
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
    fn admitted_sites_alone_have_cookies_where_not_all_have() {
        let cookies = Cookies { all: false, ..Cookies::new(2) };
        let url = |text: &str| CanonicalUrl::parse(text).unwrap();
        let head =
            b"HTTP/1.1 302 Found\r\nSet-Cookie: seen=1\r\nSet-Cookie: other=1; Domain=b.example\r\n\r\n";
        let wall = url("http://www.a.example/");
        cookies.offer(&wall, head);
        assert_eq!(get(&cookies, "http://www.a.example/"), "");
        assert!(!cookies.takes("www.a.example"));
        // What the wall set when it was met counts.
        assert_eq!(cookies.store(&wall, &Response::parse(head)), 1);
        assert_eq!(get(&cookies, "http://www.a.example/"), "seen=1");
        assert!(cookies.takes("login.a.example"), "the whole site");
        assert!(cookies.admit("b.example") && cookies.admit("x.b.example"));
        assert!(!cookies.admit("c.example"), "two sites at most");
        cookies.offer(&url("http://b.example/"), b"HTTP/1.1 200 OK\r\nSet-Cookie: b=1\r\n\r\n");
        cookies.offer(&url("http://c.example/"), b"HTTP/1.1 200 OK\r\nSet-Cookie: c=1\r\n\r\n");
        assert_eq!(get(&cookies, "http://b.example/") + &get(&cookies, "http://c.example/"), "b=1");
    }

    #[test]
    fn a_dot_at_the_end_changes_nothing() {
        let cookies = Cookies::new(10);
        set(&cookies, "http://www.a.example./", &["a=1", "b=2; Domain=a.example"]);
        assert_eq!(get(&cookies, "http://www.a.example/"), "a=1; b=2");
        assert_eq!(get(&cookies, "http://www.a.example./"), "a=1; b=2");
        assert_eq!(cookies.jars.lock().unwrap().jars.len(), 1);
    }

    #[test]
    fn bounded_in_bytes() {
        let cookies = Cookies { bytes: 100_000, ..Cookies::new(1000) };
        for i in 0..200 {
            let line = format!("a={}; junk={}", "v".repeat(1500), "x".repeat(2000));
            set(&cookies, &format!("http://site{i}.example/"), &[&line, &line]);
            let jars = cookies.jars.lock().unwrap();
            assert!(
                jars.bytes <= 100_000 && jars.bytes == jars.jars.values().map(|j| j.bytes).sum::<usize>()
            );
        }
        let kept = cookies.jars.lock().unwrap().jars.len();
        assert!((30..50).contains(&kept), "{kept}");
        assert!(!get(&cookies, "http://site199.example/").is_empty());
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
