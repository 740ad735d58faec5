//! What holds for a host: the settings of its site, else those of the crawl.

use crate::HostState;
use crate::engine::Crawl;
use crate::politeness::Politeness;

impl Crawl {
    /// The pauses of a host.
    pub(super) fn polite(&self, host: &str) -> &Politeness {
        self.sites.politeness(host).unwrap_or(&self.options.politeness)
    }

    /// Whether a host has given all that may be taken of it.
    pub(super) fn is_full(&self, host: &str, state: &HostState) -> bool {
        let site = self.sites.of(host).and_then(|site| site.pages);
        site.or(self.options.limits.pages_per_host).is_some_and(|most| state.stored >= most)
    }
}
