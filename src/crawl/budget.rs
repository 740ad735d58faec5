//! The memory of a crawl, shared out.
//!
//! `memory` is for everything that grows with the crawl. Half of it is the frontier's; this file gives the rest to what
//! fetching holds:
//!
//! | what | share |
//! |---|---|
//! | bodies on all connections, and until they are stored | a quarter |
//! | of that: each connection's own, which waits for nobody | half, at most 1 MiB a connection, at least 16 KiB |
//! | idle connections, 64 KiB each with TLS | a sixteenth |
//! | names and addresses, 256 bytes each | a thirty-second |
//!
//! One body at a time may be longer than the share of bodies (see [`crate::fetch::FetchOptions::large_bodies_bytes`]).
//!
//! Here too: the delay of an address, which follows from that of a host.

use crate::config::CrawlOptions;
use crate::fetch::FetchOptions;

/// What an idle connection costs: buffers of TLS and of the system's library.
const IDLE_BYTES: u64 = 64 << 10;
/// What a name in the cache costs, with its addresses.
const NAME_BYTES: u64 = 256;
/// Longest wait for an address while a connection is held, ms: then the host is put off instead.
const PATIENCE_MS: u64 = 500;

impl CrawlOptions {
    /// The settings of fetching with what follows from other settings filled in.
    pub fn fetch_options(&self) -> FetchOptions {
        let mut fetch = self.fetch.clone();
        fetch.sites.clone_from(&self.sites);
        let connections = self.connections as u64;
        let bodies = self.memory / 8;
        fetch.small_body_bytes = fetch.small_body_bytes.min((bodies / connections.max(1)).max(16 << 10));
        fetch.large_bodies_bytes = bodies;
        let share = |bytes: u64, each: u64| usize::try_from(bytes / each).unwrap_or(usize::MAX).max(64);
        fetch.max_idle = fetch.max_idle.min(share(self.memory / 16, IDLE_BYTES));
        fetch.dns.cache_entries = fetch.dns.cache_entries.min(share(self.memory / 32, NAME_BYTES));
        fetch.ip_delay_ms = Some(self.ip_delay_ms());
        // With one connection the order of fetching must not depend on the clock.
        if self.connections > 1 {
            fetch.ip_patience_ms = Some(PATIENCE_MS);
        }
        fetch
    }

    /// Shortest time between two requests to one address, ms: a quarter of the delay of a host unless it is set.
    pub fn ip_delay_ms(&self) -> u64 {
        self.fetch.ip_delay_ms.unwrap_or(self.politeness.delay_ms / 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_delay() {
        let mut options = CrawlOptions::default();
        assert_eq!(options.ip_delay_ms(), 250);
        options.politeness.delay_ms = 0;
        assert_eq!((options.ip_delay_ms(), options.fetch_options().ip_delay_ms), (0, Some(0)));
        options.fetch.ip_delay_ms = Some(7);
        assert_eq!(options.fetch_options().ip_delay_ms, Some(7));
    }

    #[test]
    fn shares_add_up_to_less_than_the_memory() {
        for (memory, connections) in [(16 << 20, 1), (256 << 20, 256), (1 << 30, 256), (1 << 30, 4096)] {
            let options = CrawlOptions { memory, connections, ..CrawlOptions::default() };
            let fetch = options.fetch_options();
            let own = fetch.small_body_bytes * connections as u64;
            let all = own
                + fetch.large_bodies_bytes
                + fetch.max_idle as u64 * IDLE_BYTES
                + fetch.dns.cache_entries as u64 * NAME_BYTES;
            assert!(all <= memory / 2, "{memory} {connections}: {all}");
            fetch.check().unwrap();
        }
    }
}
