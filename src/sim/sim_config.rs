//! What kind of simulated Web: sizes, times and the shares of everything that can be drawn.

use serde::{Deserialize, Serialize};

use super::{ChangeConfig, Config};

/// What kind of simulated Web. The default resembles the real one; every share can be 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SimConfig {
    /// Pages, hosts, links and texts.
    pub web: Config,
    /// Product token that robots.txt files speak to by name. Default `webmill`.
    pub agent: String,
    /// Share of hosts whose home page is a seed. Default 1.
    pub seed_share: f64,
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
            agent: "webmill".into(),
            seed_share: 1.0,
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

/// Shares of hosts that have something besides their pages, each drawn alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureShares {
    /// A page that refreshes to another. Default 0.05.
    pub refresh: f64,
    /// A page with `base href`. Default 0.05.
    pub base: f64,
    /// Redirect loops: of three pages, and of one to itself. Default 0.02.
    pub loops: f64,
    /// Redirect chains: of 3 and of 30. Default 0.02.
    pub chains: f64,
    /// Pages marked `noindex` and `nofollow` in meta and header. Default 0.05.
    pub marks: f64,
    /// A page that only a link with `rel=nofollow` leads to. Default 0.05.
    pub nofollow: f64,
    /// A redirect to another host. Default 0.03.
    pub moved: f64,
    /// Links in `area` and `iframe`. Default 0.03.
    pub embeds: f64,
    /// Links to pages that answer 403, 404 and 410. Default 0.05.
    pub gone: f64,
    /// Session ids in links, in the path or in the query. Default 0.03.
    pub sessions: f64,
    /// An endless trap: calendar in the path or query, repeating paths, facets, or numbered near-copies. Default 0.03.
    pub traps: f64,
}

impl Default for FeatureShares {
    fn default() -> Self {
        FeatureShares {
            refresh: 0.05,
            base: 0.05,
            loops: 0.02,
            chains: 0.02,
            marks: 0.05,
            nofollow: 0.05,
            moved: 0.03,
            embeds: 0.03,
            gone: 0.05,
            sessions: 0.03,
            traps: 0.03,
        }
    }
}

impl FeatureShares {
    /// Hosts that have nothing but their pages.
    pub fn none() -> Self {
        FeatureShares::every(0.0)
    }

    /// The same share of everything.
    pub fn every(share: f64) -> Self {
        FeatureShares {
            refresh: share,
            base: share,
            loops: share,
            chains: share,
            marks: share,
            nofollow: share,
            moved: share,
            embeds: share,
            gone: share,
            sessions: share,
            traps: share,
        }
    }

    pub(super) fn all(&self) -> [f64; 11] {
        let f = self;
        [
            f.refresh, f.base, f.loops, f.chains, f.marks, f.nofollow, f.moved, f.embeds, f.gone, f.sessions,
            f.traps,
        ]
    }
}

macro_rules! shares {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident = $default:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name { $($(#[$doc])* #[doc = concat!(" Default ", stringify!($default), ".")] pub $field: f64,)+ }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)+ }
            }
        }

        impl $name {
            /// None of them.
            pub fn none() -> Self {
                $name { $($field: 0.0,)+ }
            }

            /// All of them alike; together they are all there is where `share` is 1.
            pub fn alike(share: f64) -> Self {
                let number = [$(stringify!($field),)+].len() as f64;
                $name { $($field: share / number,)+ }
            }

            pub(super) fn all(&self) -> Vec<f64> {
                vec![$(self.$field,)+]
            }

            /// Which of them a draw is, by position.
            pub(super) fn pick(&self, mut at: f64) -> Option<usize> {
                let shares = [$(self.$field,)+];
                for (i, share) in shares.into_iter().enumerate() {
                    if at < share {
                        return Some(i);
                    }
                    at -= share;
                }
                None
            }
        }
    };
}
shares! {
    /// Shares of hosts by health; the others are sound.
    HostShares {
        /// Slow: see `slow_ms`.
        slow = 0.03,
        /// 500 to everything.
        down = 0.01,
        /// Refuses connections.
        refused = 0.02,
        /// Has no address.
        unresolved = 0.03,
        /// Resets connections.
        reset = 0.005,
        /// Closes connections without an answer.
        closed = 0.005,
        /// Never answers.
        silent = 0.01,
        /// Times out at the proxy.
        timed_out = 0.01,
    }
}

shares! {
    /// Shares of hosts by kind of robots.txt; the others have none (404).
    RobotsShares {
        /// Empty.
        empty = 0.02,
        /// `Disallow:` with nothing, for all.
        allow_all = 0.2,
        /// `Disallow: /`.
        disallow_all = 0.03,
        /// Some folders disallowed, the trap among them.
        folders = 0.2,
        /// `Disallow: /` with longer `Allow` rules, and ties.
        allow_wins = 0.03,
        /// `*` and `$` in rules.
        wildcards = 0.08,
        /// Groups by agent: ours named twice, others, and all.
        groups = 0.05,
        /// Percent-encoded rules.
        encoded = 0.01,
        /// Byte order mark, CR line ends, odd case, comments, bytes that are no UTF-8.
        messy = 0.02,
        /// An HTML page.
        html = 0.03,
        /// 600 KB, the rules first.
        huge = 0.002,
        /// `Crawl-delay`.
        delay = 0.03,
        /// `Sitemap` lines: an index, a plain and a gzipped one.
        sitemaps = 0.1,
        /// Up to five redirects before it.
        hops = 0.02,
        /// A redirect loop.
        looping = 0.005,
        /// 403.
        forbidden = 0.01,
        /// 500 for ever.
        failing = 0.01,
        /// 503 once.
        passing = 0.01,
    }
}

shares! {
    /// Shares of pages by trouble or form of transfer; the others are sent with their length, as they are.
    PageShares {
        /// 500, 502 or 504 for ever.
        failing = 0.004,
        /// 500 or 503 for one or two attempts.
        passing = 0.008,
        /// 429 or 503 with `Retry-After` for one attempt.
        busy = 0.004,
        /// 401, 403, 410 or 451.
        refused = 0.004,
        /// The connection is closed instead of an answer, for ever.
        dropped = 0.001,
        /// The connection is closed within the head, for ever.
        half_head = 0.0005,
        /// Bytes that are no HTTP.
        garbage = 0.0005,
        /// A huge body: the page, and much white space after it.
        huge = 0.0005,
        /// A body without end: the page, and white space for ever.
        endless = 0.0003,
        /// A body that comes in 16 pieces.
        drip = 0.0005,
        /// A body whose pieces never end.
        endless_drip = 0.0002,
        /// `Content-Length` smaller than the body: the page is within.
        short = 0.002,
        /// `Content-Length` greater than the body.
        long = 0.002,
        /// Chunked.
        chunked = 0.1,
        /// Chunked, with extensions and trailers.
        trailers = 0.005,
        /// Chunked, with a size that is none after the last byte of the page.
        broken_chunks = 0.001,
        /// No length: the end of the connection is the end of the body.
        unbounded = 0.02,
        /// gzip, whatever the client accepts.
        gzip = 0.25,
        /// Brotli, whatever the client accepts.
        brotli = 0.05,
        /// Zstandard, whatever the client accepts.
        zstd = 0.01,
        /// gzip that unpacks to the page and white space without measure.
        bomb = 0.0003,
        /// LF line ends, lower-case names, no reason phrase, a header that is not ASCII.
        odd = 0.01,
        /// HTTP/1.0, no length.
        old = 0.005,
    }
}
