//! What holds for a host: the settings of its site, else those of the crawl.

use crate::HostState;
use crate::engine::Crawl;
use crate::politeness::Politeness;

impl Crawl {
    /// The pauses of a host.
    pub(super) fn polite(&self, host: &str) -> &Politeness {
        self.sites.politeness(host).unwrap_or(&self.options.politeness)
    }

    /// Whether a host's robots.txt is asked for and obeyed.
    pub(super) fn obeys_robots(&self, host: &str) -> bool {
        self.sites.of(host).and_then(|site| site.obey_robots).unwrap_or(self.options.obey_robots)
    }

    /// Whether a host has given all that may be taken of it.
    pub(super) fn is_full(&self, host: &str, state: &HostState) -> bool {
        let site = self.sites.of(host);
        let pages = site.and_then(|site| site.pages).or(self.options.limits.pages_per_host);
        let bytes = site.and_then(|site| site.bytes);
        pages.is_some_and(|most| state.stored >= most) || bytes.is_some_and(|most| state.bytes >= most)
    }
}
