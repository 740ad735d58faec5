//! Reads robots.txt: the requests that a server makes of crawlers, compiled for one crawler.
//!
//! The engine asks it about every URL before a request; pages that a browser renders ask it too (`render`).
//!
//! **Definition.** RFC 9309, with its reference implementation where the RFC leaves room. A file is lines (CR, LF, CRLF)
//! of `name: value`; `#` begins a comment. `user-agent` lines name the agents of the rules after them. All groups that
//! name our agent are one; where none does, the groups of `*` are; else nothing is forbidden. Of the rules that match a
//! URL the one of most octets wins; `allow` wins a tie. `/robots.txt` is always allowed. How rules and URLs are compared
//! is explained in `robots_match.rs`.
//!
//! **Decisions.**
//! - Names are recognised by how they begin, whatever the case, with the misspellings of the reference implementation
//!   (`useragent`, `user agent`, `dissallow`, `dissalow`, `disalow`, `diasllow`, `disallaw`, `site-map`). The colon may
//!   be missing between two words.
//! - An agent is compared up to the first octet that is no letter, `_` or `-`: `FooBot/1.0` is `FooBot`; `*` followed by
//!   white space is `*`. A token without such a letter names nobody.
//! - Only `allow` and `disallow` end a list of agents. `Sitemap`, `Crawl-delay` and unknown lines do not (RFC 9309
//!   section 2.2.4), so `User-agent: a`, `Crawl-delay: 5`, `User-agent: b`, `Disallow: /` forbids all to both.
//! - Rules that begin with neither `/` nor `*` match nothing. `Allow: /x/index.html` allows `/x/` as well. A line is read
//!   up to [`MAX_LINE`] bytes. All as the reference implementation does.
//! - `Crawl-delay` belongs to its group, like a rule: decimal seconds, an `s` or `seconds` after them is passed over;
//!   anything else is no delay. Of several the longest counts.
//! - `Sitemap` lines count for every agent, wherever they are: the first [`MAX_SITEMAPS`] different ones, as written.
//! - The first [`MAX_BYTES`] bytes are read, without a line that is cut there. UTF-8 and UTF-16 with byte order marks are
//!   read; a part of the UTF-8 mark is skipped too. Octets that are not UTF-8 count as they are.
//! - Status 408, 425 and 429 say "later", not "there is none", and are taken as 5xx are: see [`Robots::from_status`].
//!
//! **Cost.** Reading is linear but for sorting the rules. Checking a URL: see `robots_match.rs`; about a microsecond for
//! files as they are.
//!
//! **Reference.** RFC 9309, doi:10.17487/RFC9309; github.com/google/robotstxt (its cases are in `robots_tests.rs`).

#[path = "robots_match.rs"]
mod matching;

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;
use webmill_capture::cut::Cut;

use serde::{Deserialize, Serialize};

use self::matching::{Index, compile, folder_of_index, normal_path};
use webmill_capture::CanonicalUrl;

/// How much of a file is read: 1 MiB (the RFC asks for at least 500 KiB).
pub const MAX_BYTES: usize = 1 << 20;
/// How much of a line is read, in bytes, its end included: eight times the longest URL of some browsers.
pub const MAX_LINE: usize = 8 * 2083;
/// Sitemaps kept of one file.
pub const MAX_SITEMAPS: usize = 1000;
/// Redirects that are followed on the way to a file (RFC 9309, section 2.3.1.2: at least five).
pub const MAX_REDIRECTS: u8 = 5;

/// First byte of [`Robots::to_bytes`].
const VERSION: u8 = 2;
/// More than the rules of [`MAX_BYTES`] of file come to, in bytes: UTF-16 and replaced octets grow.
const MAX_STORED: usize = 32 * MAX_BYTES;
/// The longest delay that is reported: longer ones are nonsense (31 years).
const MAX_DELAY_MS: u64 = 1_000_000_000_000;

/// The rules of one server for one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Robots {
    facts: Facts,
    index: Index,
}

/// The stored form, from which all else follows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Facts {
    delay_ms: Option<u64>,
    sitemaps: Vec<String>,
    rules: Vec<Rule>,
    /// Values of the rules as compared, if they differ from their written form: bytes that are not UTF-8.
    raw: Vec<(u32, Vec<u8>)>,
    /// The rules as text: `Disallow: /a`, one after the other.
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Rule {
    allow: bool,
    /// Bytes in [`Facts::text`].
    len: u32,
}

/// Whether a URL may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict<'a> {
    /// It may.
    pub allowed: bool,
    /// The rule that says so, as written: `Disallow: /cgi-bin/`. `None` where no rule matches.
    pub rule: Option<&'a str>,
}

/// `scheme://host:port`: what a robots.txt speaks for (RFC 9309, 2.3).
pub(crate) fn origin(url: &CanonicalUrl) -> String {
    match url.port() {
        Some(port) => format!("{}://{}:{port}", url.scheme(), url.host()),
        None => format!("{}://{}", url.scheme(), url.host()),
    }
}

impl Robots {
    /// Reads a file, whatever the bytes are, for the agent of a product token (`FooBot/1.0` is taken as `FooBot`).
    ///
    /// # Examples
    /// ```
    /// use webmill_capture::CanonicalUrl;
    /// use webmill_crawl::robots::Robots;
    /// let robots = Robots::parse(b"User-agent: *\nDisallow: /help\nAllow: /help/faq", "webmill/0.1");
    /// let check = |url| robots.check(&CanonicalUrl::parse(url).unwrap());
    /// assert!(!check("http://example.com/help.html").allowed);
    /// assert_eq!(check("http://example.com/help/faq").rule, Some("Allow: /help/faq"));
    /// ```
    pub fn parse(body: &[u8], agent: &str) -> Robots {
        let mut reader = Reader::new(agent);
        let text = text_of(body);
        text.split(|&b| b == b'\n' || b == b'\r').for_each(|line| reader.line(line));
        Robots::compiled(reader.finish())
    }

    /// Nothing is forbidden: there is no robots.txt.
    pub fn allow_all() -> Robots {
        Robots { facts: Facts::default(), index: Index::default() }
    }

    /// What an answer means (RFC 9309 section 2.3.1): 2xx is read; 3xx (the caller has followed [`MAX_REDIRECTS`] and
    /// got one more) and 4xx mean that there is none, so that all is allowed, also 401 and 403. 5xx, statuses that do
    /// not exist, and 408, 425 and 429 give `None`: the file is unreachable, all is forbidden until a later try.
    pub fn from_status(status: u16, body: &[u8], agent: &str) -> Option<Robots> {
        match status {
            200..=299 => Some(Robots::parse(body, agent)),
            408 | 425 | 429 => None,
            300..=499 => Some(Robots::allow_all()),
            _ => None,
        }
    }

    /// Whether `url`, which is of the server of this file, may be fetched.
    pub fn check(&self, url: &CanonicalUrl) -> Verdict<'_> {
        self.check_path(url.path_and_query(), &mut 0)
    }

    /// [`Robots::check`] of path and query; `steps` grows by the work done, in octets looked at.
    fn check_path(&self, path: &str, steps: &mut u64) -> Verdict<'_> {
        if path == "/robots.txt" {
            return Verdict { allowed: true, rule: None };
        }
        let mut buffer = Vec::new();
        let path = if path.starts_with('/') { path } else { "/" };
        *steps += path.len() as u64;
        match self.index.best(normal_path(path.as_bytes(), &mut buffer), steps) {
            None => Verdict { allowed: true, rule: None },
            Some((rule, allowed)) => Verdict { allowed, rule: Some(self.facts.text.cut(rule)) },
        }
    }

    /// `Crawl-delay` of our group, as written; a caller sets its own upper limit.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.facts.delay_ms.map(Duration::from_millis)
    }

    /// The sitemaps that are named, as written: mostly absolute URLs.
    pub fn sitemaps(&self) -> &[String] {
        &self.facts.sitemaps
    }

    /// How many rules count for our agent.
    #[cfg(test)]
    fn rules(&self) -> usize {
        self.facts.rules.len()
    }

    /// What [`Robots::from_bytes`] reads: the rules of our agent only.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend(postcard::to_allocvec(&self.facts.bare()).expect("plain values are written to memory"));
        bytes
    }

    /// Reads [`Robots::to_bytes`]; `None` where the bytes are of another version or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Robots> {
        let facts = bytes.strip_prefix(&[VERSION])?;
        let (facts, rest) = postcard::take_from_bytes::<Facts>(facts).ok()?;
        (rest.is_empty() && facts.is_whole()).then(|| Robots::compiled(facts.named()))
    }

    fn compiled(facts: Facts) -> Robots {
        let mut patterns = Vec::with_capacity(facts.rules.len());
        let mut raw = facts.raw.iter().peekable();
        for (number, (rule, text)) in facts.rules_with_text().enumerate() {
            let number = number as u32;
            let value = match raw.next_if(|(of, _)| *of == number) {
                Some((_, value)) => value.as_slice(),
                None => facts.text.cut(text.clone()).as_bytes().get(rule.name().len()..).unwrap_or_default(),
            };
            patterns.extend(compile(value).into_iter().map(|pattern| (pattern, rule.allow, text.clone())));
            if rule.allow
                && let Some(folder) = folder_of_index(value)
            {
                patterns.extend(compile(&folder).into_iter().map(|pattern| (pattern, true, text.clone())));
            }
        }
        Robots { index: Index::new(&patterns), facts }
    }
}

impl Rule {
    fn name(self) -> &'static str {
        if self.allow { "Allow: " } else { "Disallow: " }
    }
}

impl Facts {
    /// Each rule and where its text is.
    fn rules_with_text(&self) -> impl Iterator<Item = (Rule, Range<usize>)> {
        self.rules.iter().scan(0, |start, rule| {
            let from = *start;
            *start += rule.len as usize;
            Some((*rule, from..*start))
        })
    }

    fn push(&mut self, allow: bool, value: &[u8]) {
        let start = self.text.len();
        let written = String::from_utf8_lossy(value);
        if matches!(written, Cow::Owned(_)) {
            self.raw.push((self.rules.len() as u32, value.to_vec()));
        }
        let mut rule = Rule { allow, len: 0 };
        self.text.push_str(rule.name());
        self.text.push_str(&written);
        rule.len = (self.text.len() - start) as u32;
        self.rules.push(rule);
    }

    /// With the values of the rules alone, as they are stored.
    fn bare(&self) -> Facts {
        let mut bare = Facts { text: String::with_capacity(self.text.len()), ..self.clone() };
        for ((rule, text), bare_rule) in self.rules_with_text().zip(&mut bare.rules) {
            let value = self.text.cut(text).cut(rule.name().len()..);
            bare.text.push_str(value);
            bare_rule.len = value.len() as u32;
        }
        bare
    }

    /// The opposite of [`Facts::bare`].
    fn named(mut self) -> Facts {
        let values = std::mem::take(&mut self.text);
        let mut start = 0;
        for rule in &mut self.rules {
            let end = start + rule.len as usize;
            self.text.push_str(rule.name());
            self.text.push_str(values.cut(start..end));
            rule.len += rule.name().len() as u32;
            start = end;
        }
        self
    }

    /// Whether the parts fit each other, as those of [`Facts::bare`] do, and no number will be too large.
    fn is_whole(&self) -> bool {
        let mut end = 0usize;
        let fit = self.rules.iter().all(|rule| {
            let from = end;
            end = end.saturating_add(rule.len as usize);
            self.text.get(from..end).is_some()
        });
        let raw: usize = self.raw.iter().map(|(_, value)| value.len()).sum();
        fit && end == self.text.len()
            && self.text.len() + raw + 16 * self.rules.len() <= MAX_STORED
            && self.raw.iter().all(|(rule, _)| (*rule as usize) < self.rules.len())
            && self.raw.is_sorted_by(|a, b| a.0 < b.0)
    }
}

/// The part of a body that is read, as UTF-8 or unknown octets.
fn text_of(body: &[u8]) -> Cow<'_, [u8]> {
    let read = match body.get(..MAX_BYTES) {
        // A body of just that length was cut by who fetched it.
        Some(start) => {
            let end = memchr::memrchr2(b'\n', b'\r', start).unwrap_or(0);
            &start[..end]
        }
        None => body,
    };
    if let [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] = read {
        let encoding = if read[0] == 0xFF { encoding_rs::UTF_16LE } else { encoding_rs::UTF_16BE };
        return Cow::Owned(encoding.decode_with_bom_removal(read).0.into_owned().into_bytes());
    }
    let mark = [0xEF, 0xBB, 0xBF].iter().zip(read).take_while(|(a, b)| a == b).count();
    Cow::Borrowed(&read[mark..])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    UserAgent,
    Allow,
    Disallow,
    Sitemap,
    CrawlDelay,
}

const NAMES: [(&str, Name); 16] = [
    ("user-agent", Name::UserAgent),
    ("useragent", Name::UserAgent),
    ("user agent", Name::UserAgent),
    ("disallow", Name::Disallow),
    ("allow", Name::Allow),
    ("sitemap", Name::Sitemap),
    ("site-map", Name::Sitemap),
    ("crawl-delay", Name::CrawlDelay),
    ("crawldelay", Name::CrawlDelay),
    ("crawl delay", Name::CrawlDelay),
    ("dissallow", Name::Disallow),
    ("dissalow", Name::Disallow),
    ("disalow", Name::Disallow),
    ("diasllow", Name::Disallow),
    ("disallaw", Name::Disallow),
    ("craw-delay", Name::CrawlDelay),
];

fn name_of(name: &[u8]) -> Option<Name> {
    let begins = |with: &str| name.get(..with.len()).is_some_and(|n| n.eq_ignore_ascii_case(with.as_bytes()));
    NAMES.iter().find(|(word, _)| begins(word)).map(|(_, name)| *name)
}

/// Name and value of a line without comment and outer white space.
fn halves(line: &[u8]) -> Option<(Name, &[u8])> {
    let white = |b: &u8| matches!(b, b' ' | b'\t');
    let space = line.iter().position(white);
    let (name, value) = match (memchr::memchr(b':', line), space) {
        // `Disallow /a:b`, `Sitemap http://a/b`
        (Some(colon), Some(space)) if space < colon && is_value(line[space..].trim_ascii_start()) => {
            (&line[..space], &line[space..])
        }
        (Some(colon), _) => (line[..colon].trim_ascii(), &line[colon + 1..]),
        (None, Some(space)) => {
            let value = line[space..].trim_ascii();
            if value.iter().any(white) {
                return None;
            }
            (&line[..space], value)
        }
        (None, None) => return None,
    };
    Some((name_of(name)?, value.trim_ascii()))
}

/// Whether a text is the value of a rule or a sitemap rather than a second word of its name.
fn is_value(text: &[u8]) -> bool {
    text.starts_with(b"/") || text.starts_with(b"*") || text.starts_with(b"http")
}

/// The product token at the beginning of a text.
fn token(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|b| !b.is_ascii_alphabetic() && !matches!(b, b'_' | b'-'));
    &text[..end.unwrap_or(text.len())]
}

/// Seconds as milliseconds.
fn delay(value: &[u8]) -> Option<u64> {
    let end =
        value.iter().position(|b| !b.is_ascii_digit() && !matches!(b, b'.' | b',')).unwrap_or(value.len());
    let unit = value[end..].trim_ascii().to_ascii_lowercase();
    if !matches!(unit.as_slice(), b"" | b"s" | b"sec" | b"secs" | b"second" | b"seconds" | b";") {
        return None;
    }
    let number = std::str::from_utf8(&value[..end]).ok()?.replace(',', ".");
    let seconds: f64 = number.trim_end_matches('.').parse().ok()?;
    Some(((seconds * 1000.0).ceil() as u64).min(MAX_DELAY_MS))
}

/// Rules of the groups that matter, while lines are read.
struct Reader<'a> {
    agent: &'a [u8],
    /// The groups of our agent, those of `*`.
    groups: [Facts; 2],
    /// Whether the lines now read belong to either.
    inside: [bool; 2],
    /// A rule was read since the last agent.
    closed: bool,
    /// A group has begun.
    begun: bool,
    /// The delay of the group that is being read, for agents that it names later.
    delay_ms: Option<u64>,
    /// Our agent was named.
    named: bool,
    sitemaps: Vec<String>,
    known_sitemaps: std::collections::HashSet<String>,
}

impl<'a> Reader<'a> {
    fn new(agent: &'a str) -> Reader<'a> {
        Reader {
            agent: token(agent.trim_ascii().as_bytes()),
            groups: Default::default(),
            inside: [false; 2],
            closed: false,
            begun: false,
            delay_ms: None,
            named: false,
            sitemaps: Vec::new(),
            known_sitemaps: Default::default(),
        }
    }

    fn line(&mut self, line: &[u8]) {
        let line = &line[..line.len().min(MAX_LINE - 1)];
        let line = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
        let Some((name, value)) = halves(line.trim_ascii()) else { return };
        match name {
            Name::UserAgent => {
                self.begun = true;
                if std::mem::take(&mut self.closed) {
                    self.inside = [false; 2];
                    self.delay_ms = None;
                }
                if value.first() == Some(&b'*') && value.get(1).is_none_or(u8::is_ascii_whitespace) {
                    self.inside[1] = true;
                } else if !self.agent.is_empty() && token(value).eq_ignore_ascii_case(self.agent) {
                    self.inside[0] = true;
                    self.named = true;
                }
                let delay = self.delay_ms;
                self.each_group(|group| group.delay_ms = group.delay_ms.max(delay));
            }
            Name::Allow | Name::Disallow => {
                self.closed = true;
                if !value.is_empty() {
                    self.each_group(|group| group.push(name == Name::Allow, value));
                }
            }
            Name::CrawlDelay => {
                if let Some(delay) = delay(value).filter(|_| self.begun) {
                    self.delay_ms = self.delay_ms.max(Some(delay));
                    let delay = self.delay_ms;
                    self.each_group(|group| group.delay_ms = group.delay_ms.max(delay));
                }
            }
            Name::Sitemap => self.sitemap(value),
        }
    }

    fn each_group(&mut self, mut f: impl FnMut(&mut Facts)) {
        // The rules of other agents are of no use once ours was named.
        if self.inside[0] {
            f(&mut self.groups[0]);
        } else if self.inside[1] && !self.named {
            f(&mut self.groups[1]);
        }
    }

    fn sitemap(&mut self, value: &[u8]) {
        if value.is_empty() || self.sitemaps.len() == MAX_SITEMAPS {
            return;
        }
        let value = String::from_utf8_lossy(value).into_owned();
        if self.known_sitemaps.insert(value.clone()) {
            self.sitemaps.push(value);
        }
    }

    fn finish(self) -> Facts {
        let [ours, any] = self.groups;
        let facts = if self.named { ours } else { any };
        Facts { sitemaps: self.sitemaps, ..facts }
    }
}

/// Any bytes read as robots.txt, checked, stored and read again: for fuzzing.
///
/// # Panics
/// Where a law is broken.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let (path, body) = match memchr::memchr(0, data) {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (&b"a/b?c=/d"[..], data),
    };
    let robots = Robots::parse(body, "webmill");
    let Some(url) = CanonicalUrl::parse_bytes(&[b"http://a/", path].concat()) else { return };
    let verdict = robots.check(&url);
    let again = Robots::from_bytes(&robots.to_bytes()).expect("own bytes are read");
    assert_eq!(verdict, again.check(&url));
    assert_eq!(robots, again);
    if let Some(other) = Robots::from_bytes(data) {
        let _ = other.check(&url);
    }
}

#[cfg(test)]
#[path = "robots_tests.rs"]
mod tests;
