//! The simulated Web as servers behave: hosts that are slow or dead, robots.txt of all kinds, traps, broken answers.
//!
//! **What.** [`SimWeb`] answers for any absolute URL with what its server would send ([`SimWeb::answer`]), and knows what
//! an obedient crawler must find ([`SimWeb::truth`]). The pages are those of [`Web`]; besides them a host may have *extras*
//! (redirect loops and chains, `base href`, refreshes, pages marked `nofollow` …), an endless *trap*, a robots.txt of a
//! certain kind and sitemaps. [`crate::Server`] puts it on a socket.
//!
//! **Definition.** An answer is a function of seed, URL and attempt: the attempt counts the requests for that URL so far,
//! from 0, and matters only where trouble passes. A host draws its health, robots.txt, features and trap; a page draws its
//! trouble; each by the shares of [`SimConfig`]. Home pages (`/`) have no trouble. All hosts are below `.example`, all URLs
//! are `http` on port 80.
//!
//! **Determinism.** Equal configurations give equal answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use webmill_capture::error::{Error, Result};

use super::Web;
use super::sim_config::SimConfig;

/// A simulated Web with its servers; see the [module](super).
#[derive(Debug, Clone)]
pub struct SimWeb {
    pub(super) config: SimConfig,
    pub(super) web: Web,
    /// Whether hosts may have extras: without them no place is kept for them in the truth.
    pub(super) has_extras: bool,
    /// The time of the Web, shared by its clones.
    now_ms: Arc<AtomicI64>,
}

impl SimWeb {
    /// A simulated Web as configured.
    ///
    /// # Errors
    /// `Config` for shares outside of 0 to 1 or beyond 1 together, and what [`Web::new`] refuses.
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
            || kinds.iter().any(|shares| !sound(shares) || shares.iter().sum::<f64>() > 1.0 + 1e-9)
        {
            return refuse("shares must lie in 0 to 1, those of one table of kinds together too");
        }
        if !(0.0..=86_400.0).contains(&config.crawl_delay_s) {
            return refuse("crawl_delay_s must lie in 0 to 86400");
        }
        if config.huge_bytes > 1 << 40 || config.bomb_bytes > 1 << 40 {
            return refuse("huge_bytes and bomb_bytes must not exceed 2^40");
        }
        if let Some(changes) = &config.changes {
            changes.check()?;
        }
        let web = Web::new(config.web.clone())?;
        let has_extras =
            config.features.all().iter().any(|&share| share > 0.0) || config.robots.sitemaps > 0.0;
        let start_ms = config.changes.as_ref().map_or(0, |changes| changes.start_ms);
        Ok(SimWeb { config, web, has_extras, now_ms: Arc::new(AtomicI64::new(start_ms)) })
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
        let hosts = (0..self.web.hosts()).filter(|&host| self.web.host_size(host) > 0);
        hosts.map(|host| self.web.url(self.web.host_start(host)))
    }

    /// Sets the time of the Web, ms since 1970, for all its clones: those that a server has too.
    pub fn set_time(&self, ms: i64) {
        self.now_ms.store(ms, Ordering::Relaxed);
    }

    /// The time of the Web, ms since 1970.
    pub fn time(&self) -> i64 {
        self.now_ms.load(Ordering::Relaxed)
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
}
