//! Outages: nothing outside can be reached, which is no host's fault.
//!
//! **Definition.** An outage is a row of requests, without any other between them, that failed at the resolver, at the proxy or on
//! this machine. When it lasts and concerns several hosts (or all there are) the crawl stops with an error; no host is given up
//! for it and no URL loses an attempt.

use std::collections::HashSet;
use std::time::Instant;

use crate::engine::Crawl;
use crate::fetch::Fetched;
use webmill_capture::error::Error;

/// Requests that fail before they get to a server, one after the other, until that counts as an outage.
const OUTAGE: u64 = 8;
/// Hosts that must be concerned, where there are as many.
const OUTAGE_HOSTS: usize = 3;

/// Requests in a row that did not get beyond the resolver or the proxy.
#[derive(Debug, Clone)]
pub(super) struct Outage {
    since: Instant,
    failures: u64,
    /// Hosts that were to be asked, some of them.
    hosts: HashSet<String>,
    last: String,
}

impl Outage {
    fn new(since: Instant) -> Outage {
        Outage { since, failures: 0, hosts: HashSet::new(), last: String::new() }
    }
}

impl Crawl {
    /// Whether requests still get beyond the resolver, the proxy and this machine.
    pub(super) fn watch_outage(&mut self, host: &str, fetched: &Fetched) {
        match &fetched.result {
            Err(failure) if failure.is_outage() => {
                let outage = self.outage.get_or_insert_with(|| Outage::new(Instant::now()));
                outage.failures += 1;
                outage.last = failure.to_string();
                if outage.hosts.len() < OUTAGE_HOSTS {
                    outage.hosts.insert(host.to_owned());
                }
            }
            _ => self.outage = None,
        }
    }

    /// The error that stops the crawl when nothing outside can be reached.
    pub(super) fn out_of_reach(&self) -> Option<Error> {
        let outage = self.outage.as_ref()?;
        let long = outage.since.elapsed().as_millis() as u64 >= self.options.politeness.outage_ms;
        if outage.failures < OUTAGE || !long {
            return None;
        }
        let stats = self.frontier.stats();
        let hosts = stats.hosts_ready + stats.hosts_waiting + stats.hosts_leased + stats.hosts_parked;
        if outage.hosts.len() < OUTAGE_HOSTS && hosts > outage.hosts.len() as u64 {
            return None;
        }
        Some(Error::Limit(format!(
            "the last {} requests did not get as far as a server ({}); nothing is lost, the crawl can be gone on with",
            outage.failures, outage.last
        )))
    }
}
