//! The simulated Web as servers behave: hosts that are slow or dead, robots.txt of all kinds, traps, broken answers.
//!
//! **What.** [`SimWeb`] answers for any absolute URL with what its server would send ([`SimWeb::answer`]), and knows what
//! an obedient crawler must find ([`SimWeb::truth`]). The pages are those of [`Web`]; beside them a host may have *extras*
//! (redirect loops and chains, `base href`, refreshes, pages marked `nofollow` …), an endless *trap*, a robots.txt of a
//! certain kind and sitemaps. [`crate::Server`] puts it on a socket.
//!
//! **Definition.** An answer is a function of seed, URL and attempt: the attempt counts the requests for that URL so far,
//! from 0, and matters only where trouble passes. A host draws its health, robots.txt, features and trap; a page draws its
//! trouble; each by the shares of [`SimConfig`]. Home pages (`/`) have no trouble. All hosts are below `.example`, all URLs
//! are `http` on port 80.
//!
//! **Determinism.** Equal configurations give equal answers.

use serde::{Deserialize, Serialize};

use webmill_capture::error::{Error, Result};

use super::layout::purpose;
use super::sim_extras::Slot;
use super::sim_hosts::{HostShares, RobotsShares};
use super::sim_trouble::PageShares;
use super::{Config, Web};

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
    /// What hosts have beside their pages.
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

/// Shares of hosts that have something beside their pages, each drawn alone.
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

    fn all(&self) -> [f64; 11] {
        let f = self;
        [
            f.refresh, f.base, f.loops, f.chains, f.marks, f.nofollow, f.moved, f.embeds, f.gone, f.sessions,
            f.traps,
        ]
    }
}

/// A simulated Web with its servers; see the [module](super).
#[derive(Debug, Clone)]
pub struct SimWeb {
    pub(super) config: SimConfig,
    pub(super) web: Web,
    /// Whether hosts may have extras: without them no place is kept for them in the truth.
    pub(super) has_extras: bool,
}

/// What a URL names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A page of the Web, by number.
    Page(u64),
    /// A page that a host has beside those.
    Extra(u64, Slot),
    /// Somewhere in the trap of a host.
    Trap(u64),
    /// robots.txt of a host, or the n-th redirect from it.
    Robots(u64, u32),
    /// The sitemap index (0) or a sitemap of a host.
    Sitemap(u64, u8),
    /// Nothing on a host that exists.
    Nothing(u64),
    /// No such host.
    Nowhere,
}

impl SimWeb {
    /// A simulated Web as configured.
    ///
    /// # Errors
    /// `Config` for shares outside of 0 to 1 or beyond 1 together, an agent that is no product token, and what
    /// [`Web::new`] refuses.
    ///
    /// # Examples
    /// ```
    /// use webmill_sim::{SimConfig, SimWeb};
    /// let sim = SimWeb::new(SimConfig::plain(1000, 20, 7))?;
    /// let seed = sim.seeds().next().expect("a seed");
    /// assert_eq!(sim.answer("GET", &seed, 0).status, 200);
    /// assert_eq!(sim.answer("GET", &format!("{seed}robots.txt"), 0).status, 404);
    /// # Ok::<(), webmill_capture::error::Error>(())
    /// ```
    pub fn new(config: SimConfig) -> Result<Self> {
        let refuse = |what: &str| Err(Error::Config(format!("a simulated Web: {what}")));
        let sound = |shares: &[f64]| shares.iter().all(|share| (0.0..=1.0).contains(share));
        let kinds = [config.hosts.all().to_vec(), config.robots.all().to_vec(), config.pages.all().to_vec()];
        if !sound(&config.features.all())
            || !sound(&[config.seed_share])
            || kinds.iter().any(|shares| !sound(shares) || shares.iter().sum::<f64>() > 1.0 + 1e-9)
        {
            return refuse("shares must lie in 0 to 1, those of one table of kinds together too");
        }
        let token = |b: u8| b.is_ascii_alphabetic() || b == b'-' || b == b'_';
        if config.agent.is_empty() || !config.agent.bytes().all(token) {
            return refuse("the agent must be a product token: letters, `-` and `_`");
        }
        if !(0.0..=86_400.0).contains(&config.crawl_delay_s) {
            return refuse("crawl_delay_s must lie in 0 to 86400");
        }
        if config.huge_bytes > 1 << 40 || config.bomb_bytes > 1 << 40 {
            return refuse("huge_bytes and bomb_bytes must not exceed 2^40");
        }
        let web = Web::new(config.web.clone())?;
        let has_extras =
            config.features.all().iter().any(|&share| share > 0.0) || config.robots.sitemaps > 0.0;
        Ok(SimWeb { config, web, has_extras })
    }

    /// The pages, without their servers.
    pub fn web(&self) -> &Web {
        &self.web
    }

    /// The configuration.
    pub fn config(&self) -> &SimConfig {
        &self.config
    }

    /// Home pages to begin with, one a host, in the order of host numbers.
    pub fn seeds(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.web.hosts())
            .filter(|&host| self.is_seed(host))
            .map(|host| self.web.url(self.web.host_start(host)))
    }

    /// Whether the home page of a host is a seed.
    pub(super) fn is_seed(&self, host: u64) -> bool {
        self.web.host_size(host) > 0 && self.draw(host, purpose::SEED) < self.config.seed_share
    }

    /// Uniform in [0, 1), by item and purpose.
    pub(super) fn draw(&self, item: u64, purpose: u64) -> f64 {
        super::draw::unit(self.web.hash(item, purpose))
    }

    /// The number of a host by its name.
    pub(super) fn host_number(&self, name: &str) -> Option<u64> {
        let stem = name.strip_suffix(".example")?;
        let digits = stem.trim_start_matches(|c: char| !c.is_ascii_digit());
        let host = digits.parse::<u64>().ok()?.checked_add(u64::from(stem.starts_with("news")))?;
        if host >= self.web.hosts() || self.web.host_size(host) == 0 {
            return None;
        }
        let mut spelt = String::with_capacity(48);
        self.web.push_host(host, &mut spelt);
        (spelt == name).then_some(host)
    }

    /// Host name and path with query of an absolute URL; the fragment is off.
    pub(super) fn split(url: &str) -> Option<(&str, &str)> {
        let rest = url.strip_prefix("http://")?;
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
        let at = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(at);
        Some((host.strip_suffix(":80").unwrap_or(host), if path.is_empty() { "/" } else { path }))
    }

    /// What a URL names, and whether it names it by a session id.
    pub(super) fn locate(&self, url: &str) -> (Place, bool) {
        let Some((name, path)) = Self::split(url) else { return (Place::Nowhere, false) };
        match self.host_number(name) {
            Some(host) => self.locate_on(host, path),
            None => (Place::Nowhere, false),
        }
    }

    /// What a path with query names on a host.
    pub(super) fn locate_on(&self, host: u64, path: &str) -> (Place, bool) {
        if path == "/" {
            return (Place::Page(self.web.host_start(host)), false);
        }
        if path == "/robots.txt" {
            return (Place::Robots(host, 0), false);
        }
        if let Some(place) = self.plain_page(host, path) {
            return (place, false);
        }
        if let Some(bare) = self.without_session(host, path) {
            let place = self.locate_on(host, &bare).0;
            return (place, !matches!(place, Place::Nothing(_)));
        }
        if let Some(hop) = path.strip_prefix("/robots/").and_then(|rest| rest.strip_suffix(".txt")) {
            return match hop.parse() {
                Ok(hop) if hop > 0 && hop <= self.robots_hops(host) => (Place::Robots(host, hop), false),
                _ => (Place::Nothing(host), false),
            };
        }
        if let Some(part) = self.sitemap_part(host, path) {
            return (Place::Sitemap(host, part), false);
        }
        if self.has_extras {
            if let Some(slot) = self.slot_of(host, path) {
                return (Place::Extra(host, slot), false);
            }
            if self.trap(host).is_some_and(|trap| trap.has(path)) {
                return (Place::Trap(host), false);
            }
        }
        (Place::Nothing(host), false)
    }

    fn plain_page(&self, host: u64, path: &str) -> Option<Place> {
        let stem = path.strip_suffix(".html")?;
        let ordinal = stem.rsplit('/').next()?.parse::<u64>().ok()?;
        if ordinal == 0 || ordinal >= self.web.host_size(host) {
            return None;
        }
        let mut spelt = String::with_capacity(32);
        self.web.push_path(ordinal, &mut spelt);
        (spelt == path).then(|| Place::Page(self.web.host_start(host) + ordinal))
    }

    /// The host that a place is on.
    pub(super) fn place_host(&self, place: Place) -> Option<u64> {
        match place {
            Place::Page(page) => Some(self.web.host_of(page)),
            Place::Extra(host, _)
            | Place::Trap(host)
            | Place::Robots(host, _)
            | Place::Sitemap(host, _)
            | Place::Nothing(host) => Some(host),
            Place::Nowhere => None,
        }
    }
}
