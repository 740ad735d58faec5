//! What kind of simulated Web: sizes, times and the shares of everything that can be drawn.

use serde::{Deserialize, Serialize};

use super::Config;
use webmill_capture::error::{Error, Result};

/// What kind of simulated Web. The default resembles the real one; every share can be 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimConfig {
    /// Pages, hosts, links and texts.
    pub web: Config,
    /// How hosts answer at all.
    pub hosts: HostShares,
    /// Kinds of robots.txt.
    pub robots: RobotsShares,
    /// What hosts have besides their pages.
    pub features: FeatureShares,
    /// Trouble with single pages.
    pub pages: PageShares,
    /// Time that every answer takes, in ms. Default 0.
    pub delay_ms: u32,
    /// Longest answering time of a slow host in ms; a host draws from a quarter of it on. Default 2,000.
    pub slow_ms: u32,
    /// After how many ms a proxy says 504 for a host that times out. Default 3,000.
    pub time_out_ms: u32,
    /// Bytes of a huge body. Default 20,000,000.
    pub huge_bytes: u64,
    /// Bytes that a gzip bomb unpacks to, about. Default 256 MiB.
    pub bomb_bytes: u64,
    /// Time between two pieces of a dripping body in ms; it has 16. Default 100.
    pub drip_ms: u32,
    /// `Retry-After` in seconds. Default 1.
    pub retry_after_s: u32,
    /// `Crawl-delay` in seconds. Default 1.
    pub crawl_delay_s: f64,
    /// How pages change over the time that [`SimWeb::set_time`](super::SimWeb::set_time) sets. Default: they do not.
    pub changes: Option<ChangeConfig>,
}

impl Default for SimConfig {
    fn default() -> Self {
        SimConfig {
            web: Config::default(),
            hosts: HostShares::default(),
            robots: RobotsShares::default(),
            features: FeatureShares::default(),
            pages: PageShares::default(),
            delay_ms: 0,
            slow_ms: 2_000,
            time_out_ms: 3_000,
            huge_bytes: 20_000_000,
            bomb_bytes: 256 << 20,
            drip_ms: 100,
            retry_after_s: 1,
            crawl_delay_s: 1.0,
            changes: None,
        }
    }
}

impl SimConfig {
    /// A Web without any trouble and with small pages, for measuring speed: `pages` over `hosts` hosts, no robots.txt.
    pub fn plain(pages: u64, hosts: u64, seed: u64) -> Self {
        let web = Config {
            seed,
            pages,
            pages_per_host: pages.div_ceil(hosts.max(1)).max(1),
            words: 40,
            navigation: 4,
            advertisements: 0,
            mirrors: 0.0,
            copies: 0.0,
            near_copies: 0.0,
            redirects: 0.0,
            missing: 0.0,
            broken: 0.0,
            ..Config::default()
        };
        SimConfig {
            web,
            hosts: HostShares::none(),
            robots: RobotsShares::none(),
            features: FeatureShares::none(),
            pages: PageShares::none(),
            ..SimConfig::default()
        }
    }
}

/// How pages change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChangeConfig {
    /// When the Web begins to change, ms since 1970; its time until it is set. Default 2024-01-01.
    pub start_ms: i64,
    /// Share of pages that change. Default 0.8.
    pub share: f64,
    /// Days between two changes of such a page, 1 to 100,000. Default 50.
    pub every_days: u32,
    /// Share of hosts that send no validators. Default 0.3.
    pub without: f64,
}

impl Default for ChangeConfig {
    fn default() -> Self {
        ChangeConfig { start_ms: 1_704_067_200_000, share: 0.8, every_days: 50, without: 0.3 }
    }
}

impl ChangeConfig {
    /// Checks the ranges.
    pub(super) fn check(&self) -> Result<()> {
        let sound = |share| (0.0..=1.0).contains(&share);
        if sound(self.share) && sound(self.without) && (1..=100_000).contains(&self.every_days) {
            return Ok(());
        }
        let ranges = "changes: shares must lie in 0 to 1, every_days in 1 to 100,000";
        Err(Error::Config(format!("a simulated Web: {ranges}")))
    }
}

/// A table of shares, and an enum of what they are shares of in the same order.
macro_rules! shares {
    ($(#[$about:meta])* $name:ident, $kinds:ident $(or $other:ident)? { $($(#[$doc:meta])* $field:ident $kind:ident = $default:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $($(#[$doc])* #[doc = concat!(" Default ", stringify!($default), ".")] pub $field: f64,)+ }

        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(super) enum $kinds { $($kind,)+ $($other,)? }

        impl $kinds {
            /// Those with a share, in the order of the shares.
            pub(super) const ALL: &[$kinds] = &[$($kinds::$kind,)+];
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)+ }
            }
        }

        impl $name {
            /// None of them.
            pub fn none() -> Self {
                Self::every(0.0)
            }

            /// The same share of each.
            pub fn every(share: f64) -> Self {
                $name { $($field: share,)+ }
            }

            /// All of them alike; together they are all there is where `share` is 1.
            pub fn alike(share: f64) -> Self {
                Self::every(share / $kinds::ALL.len() as f64)
            }

            pub(super) fn all(&self) -> Vec<f64> {
                vec![$(self.$field,)+]
            }
        }
    };
}

/// Which kind a draw is, by shares that stand in the order of the kinds.
pub(super) fn pick<K: Copy>(shares: &[f64], kinds: &[K], mut at: f64) -> Option<K> {
    for (share, kind) in shares.iter().zip(kinds) {
        if at < *share {
            return Some(*kind);
        }
        at -= share;
    }
    None
}

shares! {
    /// Shares of hosts that have something besides their pages, each drawn alone.
    FeatureShares, Feature {
        /// A page that refreshes to another.
        refresh Refresh = 0.05,
        /// A page with `base href`.
        base Base = 0.05,
        /// Redirect loops: of three pages, and of one to itself.
        loops Loops = 0.02,
        /// Redirect chains: of 3 and of 30.
        chains Chains = 0.02,
        /// Pages marked `noindex` and `nofollow` in meta and header.
        marks Marks = 0.05,
        /// A page that only a link with `rel=nofollow` leads to.
        nofollow Nofollow = 0.05,
        /// A redirect to another host.
        moved Moved = 0.03,
        /// Links in `area` and `iframe`.
        embeds Embeds = 0.03,
        /// Links to pages that answer 403, 404 and 410.
        gone Gone = 0.05,
        /// Session ids in links, in the path or in the query.
        sessions Sessions = 0.03,
        /// An endless trap: calendar in the path or query, repeating paths, facets, or numbered near-copies.
        traps Traps = 0.03,
    }
}

shares! {
    /// Shares of hosts by health; the others are sound.
    HostShares, HostTrouble {
        /// Slow: see `slow_ms`.
        slow Slow = 0.03,
        /// 500 to everything.
        down Down = 0.01,
        /// Refuses connections.
        refused Refused = 0.02,
        /// Has no address.
        unresolved Unresolved = 0.03,
        /// Resets connections.
        reset Reset = 0.005,
        /// Closes connections without an answer.
        closed Closed = 0.005,
        /// Never answers.
        silent Silent = 0.01,
        /// Times out at the proxy.
        timed_out TimedOut = 0.01,
    }
}

shares! {
    /// Shares of hosts by kind of robots.txt; the others have none (404).
    RobotsShares, RobotsKind or Missing {
        /// Empty.
        empty Empty = 0.02,
        /// `Disallow:` with nothing, for all.
        allow_all AllowAll = 0.2,
        /// `Disallow: /`.
        disallow_all DisallowAll = 0.03,
        /// Some folders disallowed, the trap among them.
        folders Folders = 0.2,
        /// `Disallow: /` with longer `Allow` rules, and ties.
        allow_wins AllowWins = 0.03,
        /// `*` and `$` in rules.
        wildcards Wildcards = 0.08,
        /// Groups by agent: ours named twice, others, and all.
        groups Groups = 0.05,
        /// Percent-encoded rules.
        encoded Encoded = 0.01,
        /// Byte order mark, CR line ends, odd case, comments, bytes that are no UTF-8.
        messy Messy = 0.02,
        /// An HTML page.
        html Html = 0.03,
        /// 600 KB, the rules first.
        huge Huge = 0.002,
        /// `Crawl-delay`.
        delay Delay = 0.03,
        /// `Sitemap` lines: an index, a plain and a gzipped one.
        sitemaps Sitemaps = 0.1,
        /// Up to five redirects before it.
        hops Hops = 0.02,
        /// A redirect loop.
        looping Looping = 0.005,
        /// 403.
        forbidden Forbidden = 0.01,
        /// 500 for ever.
        failing Failing = 0.01,
        /// 503 once.
        passing Passing = 0.01,
    }
}

shares! {
    /// Shares of pages by trouble or form of transfer; the others are sent with their length, as they are.
    PageShares, Trouble {
        /// 500, 502 or 504 for ever.
        failing Failing = 0.004,
        /// 500 or 503 for one or two attempts.
        passing Passing = 0.008,
        /// 429 or 503 with `Retry-After` for one attempt.
        busy Busy = 0.004,
        /// 401, 403, 410 or 451.
        refused Refused = 0.004,
        /// The connection is closed instead of an answer, for ever.
        dropped Dropped = 0.001,
        /// The connection is closed within the head, for ever.
        half_head HalfHead = 0.0005,
        /// Bytes that are no HTTP.
        garbage Garbage = 0.0005,
        /// A huge body: the page, and much white space after it.
        huge Huge = 0.0005,
        /// A body without end: the page, and white space for ever.
        endless Endless = 0.0003,
        /// A body that comes in 16 pieces.
        drip Drip = 0.0005,
        /// A body whose pieces never end.
        endless_drip EndlessDrip = 0.0002,
        /// `Content-Length` smaller than the body: the page is within.
        short Short = 0.002,
        /// `Content-Length` greater than the body.
        long Long = 0.002,
        /// Chunked.
        chunked Chunked = 0.1,
        /// Chunked, with extensions and trailers.
        trailers Trailers = 0.005,
        /// Chunked, with a size that is none after the last byte of the page.
        broken_chunks BrokenChunks = 0.001,
        /// No length: the end of the connection is the end of the body.
        unbounded Unbounded = 0.02,
        /// gzip, whatever the client accepts.
        gzip Gzip = 0.25,
        /// Brotli, whatever the client accepts.
        brotli Brotli = 0.05,
        /// Zstandard, whatever the client accepts.
        zstd Zstd = 0.01,
        /// gzip that unpacks to the page and white space without measure.
        bomb Bomb = 0.0003,
        /// LF line ends, lower-case names, no reason phrase, a header that is not ASCII.
        odd Odd = 0.01,
        /// HTTP/1.0, no length.
        old Old = 0.005,
    }
}
