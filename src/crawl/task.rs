//! What passes between the modules of a crawl: URLs found, URLs queued, the state of a host.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::duplicate_throttle::DuplicateThrottleState;
use crate::kinds::Kinds;
use crate::politeness::Pace;
use crate::revisit::{RateMean, Trust};
use crate::scope::{Lineage, Standing};
use webmill_capture::CanonicalUrl;

webmill_capture::words! {
    /// Why a URL is fetched.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    // Not `non_exhaustive`: tables mirror it, and the compiler shall ask for a further variant there.
    pub enum Purpose {
        /// For the corpus.
        Page = "page",
        /// For the URLs that it lists.
        Sitemap = "sitemap",
        /// For the rules of its host.
        Robots = "robots",
        /// For a page that needs it to be shown: a style sheet, a script, a picture, a font, a frame.
        Requisite = "requisite",
    }
}

impl Purpose {
    /// Whether answers are kept in the shards.
    pub fn is_stored(self) -> bool {
        matches!(self, Purpose::Page | Purpose::Requisite)
    }
}

/// A URL that was found and passed scope, rewriting and the traps that need no memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovered {
    /// The URL, as it will be asked for.
    pub url: CanonicalUrl,
    /// What it is for.
    pub purpose: Purpose,
    /// Links from a seed to here; redirects do not count.
    pub depth: u32,
    /// Redirects that led here; for a requisite also the style sheets and frames between it and its page.
    pub redirects: u8,
    /// What scope rules ask for; empty where none does.
    pub lineage: Lineage,
    /// The URL first asked for, where redirects led here.
    pub origin: Option<String>,
    /// The page that links here; for a sitemap the robots.txt that vouches for it.
    pub referrer: Option<Arc<str>>,
    /// Priority without popularity; counts in best-first order only.
    pub priority: f64,
}

impl Discovered {
    /// A URL that no page led to.
    pub fn new(url: CanonicalUrl, purpose: Purpose) -> Discovered {
        Discovered {
            url,
            purpose,
            depth: 0,
            redirects: 0,
            lineage: Lineage::default(),
            origin: None,
            referrer: None,
            priority: 0.0,
        }
    }
}

impl Entry {
    /// A URL that no page led to and that was not asked for yet.
    pub fn new(url: CanonicalUrl, purpose: Purpose) -> Entry {
        Entry {
            url,
            purpose,
            depth: 0,
            redirects: 0,
            lineage: Lineage::default(),
            retries: 0,
            postponed: 0,
            origin: None,
            referrer: None,
            priority: 0.0,
        }
    }
}

/// A URL as it waits in the frontier.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The URL to ask for.
    pub url: CanonicalUrl,
    /// What it is for.
    pub purpose: Purpose,
    /// Links from a seed to here.
    pub depth: u32,
    /// Redirects that led here.
    pub redirects: u8,
    /// What scope rules ask for; empty where none does.
    pub lineage: Lineage,
    /// Attempts that failed so far.
    pub retries: u8,
    /// Times that its host was too busy for it (429, 503): no attempts of its own.
    pub postponed: u8,
    /// The URL first asked for, where redirects led here.
    pub origin: Option<String>,
    /// The page that links here.
    pub referrer: Option<String>,
    /// Priority without popularity.
    pub priority: f64,
}

impl From<&Entry> for Standing {
    fn from(entry: &Entry) -> Standing {
        Standing { depth: entry.depth, lineage: entry.lineage }
    }
}

/// What visits of a host's pages taught about the host.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct HostVisits {
    /// How often its pages change, as far as their histories say.
    pub rates: RateMean,
    /// Whether its validators (`ETag`, `Last-Modified`, 304) told the truth.
    pub validators: Trust,
    /// Whether the dates of its sitemaps and feeds told the truth.
    pub hints: Trust,
}

/// What a crawl knows of a host name; it outlives the process.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HostState {
    /// Wall clock, ms since 1970: no request before.
    pub next_ms: i64,
    /// `Crawl-delay` of its robots.txt, capped.
    pub crawl_delay_ms: Option<u32>,
    /// Hash of the origin whose robots.txt asks for it.
    pub crawl_delay_by: u64,
    /// Sitemaps asked for.
    pub sitemaps: u32,
    /// How long its last answer took.
    pub response_ms: u32,
    /// Failures in a row: no connection, no rules, an answer 5xx or 429, a body cut off.
    pub failures: u16,
    /// Of these, in a row, those that say that the host itself is away: no connection, no rules, 429, 503; any other 5xx too,
    /// once URL after URL got one.
    pub away: u16,
    /// URLs in a row that got an error 5xx at their first attempt, with no good answer between them.
    pub errors: u16,
    /// Wall clock, ms since 1970, of the first of them.
    pub trouble_since_ms: i64,
    /// Outcome of the last of them.
    pub trouble: Option<String>,
    /// The pace that it has taught by refusing: see [`crate::politeness::Pace`].
    pub pace: Pace,
    /// What visits of its pages taught.
    pub visits: HostVisits,
    /// Requests answered.
    pub fetched: u64,
    /// Pages stored.
    pub stored: u64,
    /// Bytes of all responses.
    pub bytes: u64,
    /// Why nothing of it is asked for: an outcome that its queued URLs get, or [`NEVER_MS`](crate::frontier::NEVER_MS) keeps
    /// them waiting for another run.
    pub verdict: Option<String>,
    /// Compact state of its path and query counters.
    pub variants: Vec<u8>,
    /// What the duplicate throttle knows of it.
    pub duplicate_throttle: DuplicateThrottleState,
    /// What types its kinds of URLs had.
    pub kinds: Kinds,
}
