//! What happened to a URL: one event for everything that was fetched, refused or given up.
//!
//! An event is written once, as a line of JSON ([`super::journal`]), and becomes a row of table `events`. Names of
//! outcomes are the constants of [`outcome`]; a reader of an older or newer log must take others too.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::scope::Lineage;
use super::task::Purpose;

/// Longest line of JSON that an event may become.
pub const MAX_LINE_BYTES: usize = 64 << 10;
/// Bytes kept of a text if its line would be too long.
const CUT_BYTES: usize = 1 << 10;

/// Names of outcomes.
pub mod outcome {
    macro_rules! outcomes {
        ($($(#[doc = $about:literal])+ $name:ident = $word:literal;)+) => {
            $($(#[doc = $about])+ pub const $name: &str = $word;)+
            /// Every name with what it means.
            pub const ALL: &[(&str, &str)] = &[$(($word, concat!($($about),+))),+];
        };
    }

    /// Outcomes of URLs that were not brought home though they may be there.
    pub const SOFT: &[&str] = &[
        SERVER_ERROR,
        TOO_BUSY,
        TIMEOUT,
        DISCONNECT,
        CONNECT_FAILURE,
        DNS_FAILURE,
        TLS_FAILURE,
        PROXY_FAILURE,
        PROTOCOL_ERROR,
        CUT_OFF,
    ];
    /// Of [`SOFT`], those in which the server had no say: they are reconsidered whenever a crawl is opened again.
    pub const UNANSWERED: &[&str] =
        &[TIMEOUT, DISCONNECT, CONNECT_FAILURE, DNS_FAILURE, PROXY_FAILURE, CUT_OFF];

    /// Outcomes that settle nothing about their URL: what was said of it before holds.
    pub const PASSING: &[&str] = &[RETRY, PART, ROBOTS, HOST_UNREACHABLE, ROBOTS_UNREACHABLE, IMPORTED];

    /// Whether a URL with this outcome may be there all the same.
    pub fn is_soft(outcome: &str) -> bool {
        SOFT.contains(&outcome)
    }
    outcomes! {
        /// The answer was taken into a shard as a page.
        STORED = "stored";
        /// The answer names another URL, which was queued or refused by itself.
        REDIRECT = "redirect";
        /// The page is as it was (304).
        NOT_MODIFIED = "not-modified";
        /// The page's bytes are as they were: a revisit record was stored.
        UNCHANGED = "unchanged";
        /// The page is not there (404, 410).
        GONE = "gone";
        /// The server kept saying that it is too busy (429) or that the time is not right (408, 425).
        TOO_BUSY = "too-busy";
        /// Any other final answer 4xx.
        CLIENT_ERROR = "client-error";
        /// An answer 5xx, after the last retry.
        SERVER_ERROR = "server-error";
        /// The attempt failed and the URL waits for another one.
        RETRY = "retry";
        /// robots.txt forbids the URL.
        ROBOTS_DENIED = "robots-denied";
        /// robots.txt could not be had, which forbids its host.
        ROBOTS_UNREACHABLE = "robots-unreachable";
        /// A robots.txt was fetched.
        ROBOTS = "robots";
        /// A sitemap or feed was fetched and read.
        SITEMAP = "sitemap";
        /// The crawl's rules leave the URL or its address out.
        OUT_OF_SCOPE = "out-of-scope";
        /// The answer is of a media type that is not wanted.
        MEDIA_TYPE = "media-type";
        /// The URL looks like one of endlessly many.
        TRAP = "trap";
        /// More redirects in a row than are followed.
        TOO_MANY_REDIRECTS = "too-many-redirects";
        /// The host has a private address.
        PRIVATE_ADDRESS = "private-address";
        /// The name of the host does not exist.
        NO_SUCH_HOST = "no-such-host";
        /// The resolver failed.
        DNS_FAILURE = "dns-failure";
        /// No connection could be made.
        CONNECT_FAILURE = "connect-failure";
        /// The connection could not be made safe.
        TLS_FAILURE = "tls-failure";
        /// The server was too slow.
        TIMEOUT = "timeout";
        /// The connection ended before an answer was there.
        DISCONNECT = "disconnect";
        /// The answer is no HTTP.
        PROTOCOL_ERROR = "protocol-error";
        /// The proxy failed.
        PROXY_FAILURE = "proxy-failure";
        /// The host failed too often; its URLs wait until the crawl is opened again.
        HOST_UNREACHABLE = "host-unreachable";
        /// The host's pages kept being copies; the rest of its URLs was dropped (by earlier versions).
        HOST_CUT = "host-cut";
        /// Pages of URLs like this one kept being copies.
        PATTERN_CUT = "pattern-cut";
        /// The host has its number of pages.
        HOST_LIMIT = "host-limit";
        /// The body broke off in every attempt; the longest part is stored.
        CUT_OFF = "cut-off";
        /// A URL that was given up is asked for again.
        REQUEUED = "requeued";
        /// A page that was rendered asked for it while its scripts ran.
        PART = "part";
        /// The history of its page was taken from an index of older shards.
        IMPORTED = "imported";
        /// An operator had the URL dropped.
        DROPPED = "dropped";
    }
}

/// What happened to one URL at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// The URL asked for.
    pub url: String,
    /// What it was for.
    #[serde(with = "purpose")]
    pub purpose: Purpose,
    /// What came of it; one of [`outcome`].
    pub outcome: Cow<'static, str>,
    /// HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// When the request began, or the decision was taken: UTC, ms since 1970.
    pub fetch_time_ms: i64,
    /// From the request to the end of the answer.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub elapsed_ms: u32,
    /// Bytes of the answer as transferred, head included.
    #[serde(default, skip_serializing_if = "is_zero_u64")]
    pub bytes: u64,
    /// Links from a seed to here.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub depth: u32,
    /// Attempts that failed before.
    #[serde(default, skip_serializing_if = "is_zero_u8")]
    pub retries: u8,
    /// Redirects that led here.
    #[serde(default, skip_serializing_if = "is_zero_u8")]
    pub redirects: u8,
    /// What scope rules ask for; empty where none does.
    #[serde(default, skip_serializing_if = "Lineage::is_empty")]
    pub lineage: Lineage,
    /// The page that links here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrer: Option<String>,
    /// The URL first asked for, where redirects led here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Where the answer redirects to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_to: Option<String>,
    /// The server's address; none through a proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    /// The rule of robots.txt that forbids the URL, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robots_reason: Option<String>,
    /// More about the outcome, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Why the body ends early: `length`, `time`, `disconnect`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Cow<'static, str>>,
    /// What the visit found, of a page or a requisite whose history is kept: `new`, `changed`, `near`, `unchanged`, `gone`, `moved`, `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visit: Option<Cow<'static, str>>,
    /// Whether the request had validators of the stored copy, so that the server may answer 304.
    #[serde(default, skip_serializing_if = "is_false")]
    pub conditional: bool,
    /// Addresses that a rendered page wanted to go on to by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub onward: Vec<String>,
    /// Known facts about the page, of one that is `imported`: its history ([`crate::revisit::PageHistory`]) in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// SHA-1 of the payload in base32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// SimHash of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simhash: Option<u64>,
    /// `ETag` as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified` as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// `http/1.1` or `h2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Cow<'static, str>>,
    /// The shard that the answer is in, by its finished name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// Byte offset of its record there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Bytes of that record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// Whether texts were too long for the log and are cut: the URL may not be whole.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
}

impl Event {
    /// An event without particulars.
    pub fn new(url: impl Into<String>, purpose: Purpose, outcome: &'static str, fetch_time_ms: i64) -> Event {
        Event {
            url: url.into(),
            purpose,
            outcome: Cow::Borrowed(outcome),
            status: None,
            fetch_time_ms,
            elapsed_ms: 0,
            bytes: 0,
            depth: 0,
            retries: 0,
            redirects: 0,
            lineage: Lineage::default(),
            referrer: None,
            origin: None,
            redirect_to: None,
            ip: None,
            robots_reason: None,
            detail: None,
            truncated: None,
            visit: None,
            conditional: false,
            onward: Vec::new(),
            history: None,
            digest: None,
            simhash: None,
            etag: None,
            last_modified: None,
            protocol: None,
            shard: None,
            offset: None,
            length: None,
            cut: false,
        }
    }

    /// Appends the event as a line of at most [`MAX_LINE_BYTES`], LF included.
    pub fn write_line(&self, into: &mut Vec<u8>) {
        let begin = into.len();
        self.write_json(into);
        if into.len() - begin > MAX_LINE_BYTES {
            into.truncate(begin);
            self.shortened().write_json(into);
        }
    }

    /// Reads a line.
    pub fn parse(line: &[u8]) -> Option<Event> {
        serde_json::from_slice(line).ok()
    }

    fn write_json(&self, into: &mut Vec<u8>) {
        // Writing into memory does not fail, and every field has a JSON form.
        let written = serde_json::to_writer(&mut *into, self);
        debug_assert!(written.is_ok());
        into.push(b'\n');
    }

    /// With every text so short that the line fits whatever its escapes.
    fn shortened(&self) -> Event {
        let mut event = self.clone();
        event.cut = true;
        cut(&mut event.url, CUT_BYTES);
        let texts =
            [&mut event.referrer, &mut event.origin, &mut event.redirect_to, &mut event.robots_reason];
        let others = [&mut event.detail, &mut event.digest, &mut event.etag, &mut event.last_modified];
        for text in texts.into_iter().chain(others).flatten() {
            cut(text, CUT_BYTES);
        }
        // Half of them would say something else.
        event.onward.clear();
        event.history = None;
        for text in [&mut event.ip, &mut event.shard].into_iter().flatten() {
            cut(text, CUT_BYTES / 4);
        }
        let words = [
            Some(&mut event.outcome),
            event.protocol.as_mut(),
            event.truncated.as_mut(),
            event.visit.as_mut(),
        ];
        for text in words.into_iter().flatten() {
            if text.len() > CUT_BYTES / 4 {
                cut(text.to_mut(), CUT_BYTES / 4);
            }
        }
        event
    }
}

fn cut(text: &mut String, bytes: usize) {
    text.truncate(text.floor_char_boundary(bytes));
}

fn is_zero_u8(n: &u8) -> bool {
    *n == 0
}

fn is_zero_u32(n: &u32) -> bool {
    *n == 0
}

fn is_zero_u64(n: &u64) -> bool {
    *n == 0
}

fn is_false(b: &bool) -> bool {
    !*b
}

mod purpose {
    use super::{Cow, Deserialize, Deserializer, Purpose, Serializer};

    pub fn serialize<S: Serializer>(purpose: &Purpose, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(purpose.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Purpose, D::Error> {
        let name = Cow::<str>::deserialize(from)?;
        let found = Purpose::ALL.iter().copied().find(|p| p.name() == name);
        found.ok_or_else(|| serde::de::Error::custom(format!("no purpose is called {name:?}")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn outcomes_have_names_of_their_own() {
        let mut names: Vec<_> = outcome::ALL.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), outcome::ALL.len());
        for name in names {
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{name}");
        }
    }

    #[test]
    fn a_line_says_only_what_there_is() {
        let mut event = Event::new("http://a.example/", Purpose::Page, outcome::GONE, 7);
        event.status = Some(404);
        let mut line = Vec::new();
        event.write_line(&mut line);
        assert_eq!(
            String::from_utf8(line).unwrap(),
            "{\"url\":\"http://a.example/\",\"purpose\":\"page\",\"outcome\":\"gone\",\"status\":404,\"fetch_time_ms\":7}\n"
        );
        // Another version's log may say more, and name what this one does not know.
        let other = br#"{"url":"u","purpose":"robots","outcome":"eaten","fetch_time_ms":1,"colour":"red"}"#;
        assert_eq!(Event::parse(other).unwrap().outcome, "eaten");
        for bad in
            [&b"{}"[..], b"", b"\0\0", br#"{"url":"u","purpose":"x","outcome":"gone","fetch_time_ms":1}"#]
        {
            assert!(Event::parse(bad).is_none());
        }
    }

    proptest! {
        #[test]
        fn lines_come_back_and_are_bounded(
            texts in proptest::collection::vec(proptest::option::of(".{0,40}"), 8),
            grown in 0usize..9, by in 0usize..200_000, ugly in any::<bool>(), status in any::<Option<u16>>(),
            numbers in any::<(i64, u32, u64, u32, u8, Option<u64>)>(),
        ) {
            let mut texts = texts;
            if let Some(text) = texts.get_mut(grown) {
                *text = Some((if ugly { "\u{1}" } else { "页" }).repeat(by));
            }
            let [url, referrer, origin, redirect_to, ip, robots_reason, detail, shard] =
                <[Option<String>; 8]>::try_from(texts).unwrap();
            let event = Event {
                url: url.unwrap_or_default(), purpose: Purpose::Sitemap, outcome: Cow::Borrowed(outcome::RETRY), status,
                fetch_time_ms: numbers.0, elapsed_ms: numbers.1, bytes: numbers.2, depth: numbers.3, retries: numbers.4, redirects: numbers.4,
                referrer, origin, redirect_to, ip, robots_reason, detail, protocol: Some("h2".into()), shard, truncated: None, visit: None, conditional: false, onward: Vec::new(), history: None, digest: None, simhash: numbers.5, etag: None, last_modified: None,
                lineage: Lineage { off_site: numbers.4, seed: crate::scope::SeedMark(numbers.3) },
                offset: numbers.5, length: numbers.5, cut: false,
            };
            let mut line = b"before".to_vec();
            event.write_line(&mut line);
            let line = &line[6..];
            prop_assert!(line.len() <= MAX_LINE_BYTES && line.ends_with(b"\n"));
            prop_assert_eq!(memchr::memchr(b'\n', line), Some(line.len() - 1));
            let back = Event::parse(line).unwrap();
            if back.cut {
                prop_assert!(event.url.starts_with(&back.url) && back.bytes == event.bytes);
            } else {
                prop_assert_eq!(back, event);
            }
        }
    }
}
